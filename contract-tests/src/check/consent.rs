//! Consent: a person allows or refuses on a page, and that brings the result.

use svc_fixtures::contract::{ByConsent, ClauseKind, Environment, ErrorCode, Operation};

use super::control::{hooked, received};
use super::entry::{Check, Stage, everywhere};
use super::pending::{pending, settled};
use super::webhooks::look_up;
use crate::capture::{Channel, Credential};
use crate::plan::{Carry, Case, Ending, Payload, Place, RequestTemplate, Rule, Setting};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "consent.allowed",
        title: "What a person allows comes by webhook, once",
        clauses: &[
            "ruling.28-consent-page",
            "flows.document-consent",
            "sandbox.digilocker-canned",
        ],
        stage: Stage::Sandbox,
        run: |setting| cases(setting, "allow", |_| Ending::Completed),
    },
    Check {
        id: "consent.refused",
        title: "What a person refuses ends without a record",
        clauses: &["ruling.28-consent-page"],
        stage: Stage::Sandbox,
        run: |setting| cases(setting, "refuse", |row| Ending::Error(row.refused)),
    },
];

const CLAUSE: &str = "ruling.28-consent-page";

fn cases(setting: &Setting<'_>, said: &str, ends: fn(&ByConsent) -> Ending) -> Vec<Case> {
    let case = |operation: &Operation, environment| {
        let row = operation.pending.as_ref()?.by_consent.as_ref()?;
        case(setting, operation, environment, said, ends(row))
    };
    let all = |environment| {
        let case = &case;
        setting
            .operations()
            .filter_map(move |operation| case(operation, environment))
    };
    everywhere(setting).flat_map(all).collect()
}

fn case(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
    said: &str,
    ending: Ending,
) -> Option<Case> {
    let mut case = Case::about(operation, said).on(environment).extension();
    hooked(&mut case, "ok");
    let call = pending(&mut case, setting, operation)?;
    let form = format!("decision={said}");
    for (request, status) in [
        (page(call, "GET", ""), 200),
        (page(call, "POST", "decision=perhaps"), 400),
        (page(call, "POST", &form), 303),
        (page(call, "POST", &form), 410),
        (page(call, "GET", ""), 410),
    ] {
        let step = case.push(request);
        case.expect(step, CLAUSE, Rule::Status(status));
        if status == 303 {
            case.expect(step, CLAUSE, Rule::Header("location", None));
        }
    }
    let envelope = look_up(&mut case, call);
    let allowed = ending == Ending::Completed;
    let looked_up = match ending {
        // A look-up is 200, whatever the status of what it finds.
        Ending::Error(code) => Ending::Refused(200, code),
        other => other,
    };
    case.expect(envelope, CLAUSE, Rule::Ends(looked_up));
    settled(&mut case, envelope, operation);
    let came = received(&mut case, "ok", 1);
    case.expect(came, CLAUSE, Rule::Received(1));
    case.expect(came, CLAUSE, Rule::BodiesAre(envelope));
    case.expect(came, CLAUSE, Rule::Signed);
    if allowed {
        let own = setting.contract.clauses.iter().filter(|clause| {
            let below = clause.id.strip_prefix(operation.clause.as_str());
            clause.kind == ClauseKind::Webhook && below.is_some_and(|rest| rest.starts_with('.'))
        });
        let own = own.map(|clause| clause.id.as_str());
        for clause in ["flows.document-consent", "sandbox.digilocker-canned"]
            .into_iter()
            .chain(own)
        {
            case.expect(came, clause, Rule::Received(1));
            case.expect(envelope, clause, Rule::Ends(Ending::Completed));
        }
    }
    debug_assert!(allowed || ending == Ending::Error(ErrorCode::NoRecordFound));
    Some(case)
}

/// The page that the answer to a call names.
fn page(call: usize, method: &str, form: &str) -> RequestTemplate {
    let request = RequestTemplate {
        channel: Channel::Page,
        method: method.to_owned(),
        credential: Credential::Nothing,
        carries: vec![Carry {
            path_only: true,
            ..Carry::into_path(call, Place::of(["data", "consentUrl"]))
        }],
        ..RequestTemplate::get("{}")
    };
    match form {
        "" => request,
        form => RequestTemplate {
            payload: Payload::Raw(form.into()),
            ..request.header("content-type", "application/x-www-form-urlencoded")
        },
    }
}
