//! Look-up of a verification and the usage: paths that only our rulings give.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::entry::{Check, Stage, everywhere};
use crate::capture::Credential;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, UsageRow, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "lookup.found",
        title: "A verification can be looked up under its id, whatever it ended in",
        clauses: &["ruling.27-verification-lookup", "envelope.usage-log"],
        stage: Stage::Sandbox,
        run: found,
    },
    Check {
        id: "lookup.unknown",
        title: "An id nobody has, or another account's, is not found",
        clauses: &[
            "errors.not-found",
            "ruling.27-verification-lookup",
            "ruling.14-accounts-are-apart",
        ],
        stage: Stage::Sandbox,
        run: unknown,
    },
    Check {
        id: "usage.counts",
        title: "The usage grows by what was called and what it cost",
        clauses: &["usage.endpoint", "ruling.27-usage"],
        stage: Stage::Sandbox,
        run: usage,
    },
];

fn found(setting: &Setting<'_>) -> Vec<Case> {
    let expecting = |mut case: Case, step: usize| {
        let looked = case.push(RequestTemplate::look_up(step));
        for clause in ["ruling.27-verification-lookup", "envelope.usage-log"] {
            case.expect(looked, clause, Rule::SameBytes(step));
        }
        case
    };
    let cases = |operation: &Operation| {
        let mut success = Case::about(operation, "success").extension();
        let step = lead::to_success(&mut success, setting, operation);
        let mut failure = Case::about(operation, "no record").extension();
        let failed = lead::to_status(&mut failure, setting, operation, 422);
        let mut refusal = Case::about(operation, "refused").extension();
        let refused = refusal.push(RequestTemplate::post(operation, Json::Object(Vec::new())));
        let failure = failed.map(|step| expecting(failure, step));
        [expecting(success, step), expecting(refusal, refused)]
            .into_iter()
            .chain(failure)
            .collect::<Vec<_>>()
    };
    setting.operations().flat_map(cases).collect()
}

fn unknown(setting: &Setting<'_>) -> Vec<Case> {
    let not_found = Rule::Ends(Ending::Error(ErrorCode::NotFound));
    let mut nobody = Case::new("an id nobody has").extension();
    nobody.push(RequestTemplate::get(
        "/v1/verifications/svcv_00000000000000000000000000",
    ));
    let nobody = nobody.expecting("errors.not-found", not_found.clone());
    let mut no_id = Case::new("no id at all").extension();
    no_id.push(RequestTemplate::get("/v1/verifications/nonsense"));
    let no_id = no_id.expecting("ruling.27-verification-lookup", not_found.clone());
    let other = setting.operations().next().map(|operation| {
        let mut case = Case::new("another account's").extension();
        let step = lead::to_success(&mut case, setting, operation);
        case.push(
            RequestTemplate::look_up(step).by(Credential::Another("somebody-else".to_owned())),
        );
        case.expecting("ruling.14-accounts-are-apart", not_found)
    });
    [nobody, no_id].into_iter().chain(other).collect()
}

fn usage(setting: &Setting<'_>) -> Vec<Case> {
    let cases = |environment| {
        let case = move |operation: &Operation| {
            let mut case = Case::about(operation, "").on(environment).extension();
            let request = || RequestTemplate::get("/v1/usage");
            let since = case.push(request());
            case.expect(since, "usage.endpoint", Rule::Ends(Ending::Completed));
            lead::to_success(&mut case, setting, operation);
            let mut by = UsageRow {
                calls: 1,
                ..UsageRow::default()
            };
            by.completed = i64::from(Ending::success(operation) == Ending::Completed);
            for (status, no_record) in [(422, 1), (503, 0)] {
                if lead::to_status(&mut case, setting, operation, status).is_some() {
                    by.calls += 1;
                    by.no_record += no_record;
                    by.failed += 1 - no_record;
                }
            }
            case.push(request());
            let grew = Rule::UsageGrew {
                since,
                endpoint: operation.id.clone(),
                by,
            };
            case.expecting("ruling.27-usage", grew)
        };
        setting.operations().map(case).collect::<Vec<_>>()
    };
    everywhere(setting).flat_map(cases).collect()
}
