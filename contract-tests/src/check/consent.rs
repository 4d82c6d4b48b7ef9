//! Consent: a person allows or refuses on a page, and that brings the result.

use svc_fixtures::contract::{ByConsent, Environment, Operation};

use super::control::{hooked, received};
use super::entry::{Cases, Check, Stage, webhook_clauses};
use super::pending::{pending, settled};
use super::webhooks::look_up;
use crate::capture::{Channel, Credential};
use crate::plan::{
    CarriedPart, Carry, Case, Ending, Place, Predicate, RequestTemplate, Rule, Setting,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

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
        cases: Cases::Everywhere(|setting, operation, environment| {
            case(setting, operation, environment, "allow", |_| {
                Ending::Completed
            })
        }),
    },
    Check {
        id: "consent.refused",
        title: "What a person refuses ends without a record",
        clauses: &["ruling.28-consent-page"],
        stage: Stage::Sandbox,
        cases: Cases::Everywhere(|setting, operation, environment| {
            let refused = |row: &ByConsent| Ending::Error(row.refused);
            case(setting, operation, environment, "refuse", refused)
        }),
    },
];

const CLAUSE: &str = "ruling.28-consent-page";

fn case(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
    said: &str,
    ends: fn(&ByConsent) -> Ending,
) -> Option<Vec<Case>> {
    let ending = ends(operation.pending.as_ref()?.by_consent.as_ref()?);
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
    let looked_up = match ending {
        // A look-up is 200, whatever the status of what it finds.
        Ending::Error(code) => Ending::Refused(200, code),
        other => other,
    };
    case.expect(envelope, CLAUSE, Rule::Ends(looked_up));
    settled(&mut case, setting, envelope, operation);
    let came = received(&mut case, "ok", 1);
    for rule in [Rule::Received(1), Rule::BodiesAre(envelope), Rule::Signed] {
        case.expect(came, CLAUSE, rule);
    }
    if ending == Ending::Completed {
        delivered(&mut case, setting, operation, envelope);
        let clauses = ["flows.document-consent", "sandbox.digilocker-canned"];
        let own = webhook_clauses(setting, operation);
        for clause in clauses.into_iter().chain(own) {
            case.expect(came, clause, Rule::Received(1));
            case.expect(envelope, clause, Rule::Ends(Ending::Completed));
        }
    }
    Some(vec![case])
}

/// Each document that was asked for is delivered, and no other.
fn delivered(case: &mut Case, setting: &Setting<'_>, operation: &Operation, envelope: usize) {
    let consent = operation
        .pending
        .as_ref()
        .and_then(|row| row.by_consent.as_ref());
    let mut fields = operation.request.iter();
    let Some(field) = consent.and_then(|row| fields.find(|field| field.name == row.asks)) else {
        return;
    };
    let asked = sample::value(setting.contract, field);
    let asked = asked.as_list().unwrap_or_default();
    let documents = Place::of(["data", "documents"]);
    let count = Json::Int(i64::try_from(asked.len()).unwrap_or(i64::MAX));
    let mut tests = vec![Predicate::Length(Box::new(Predicate::Is(count)))];
    tests.extend(asked.iter().map(|code| {
        let own = (Place::of(["docType"]), Predicate::Is(code.clone()));
        Predicate::Contains(Box::new(Predicate::Has(vec![own])))
    }));
    let rule = Rule::Value(documents, Predicate::All(tests));
    case.expect(envelope, "ruling.30-computed", rule);
}

/// The page that the answer to a call names.
fn page(call: usize, method: &str, form: &str) -> RequestTemplate {
    let address = Carry {
        part: CarriedPart::Path,
        ..Carry::into_path(call, Place::of(["data", "consentUrl"]))
    };
    let request = RequestTemplate {
        channel: Channel::Page,
        method: method.to_owned(),
        credential: Credential::Nothing,
        ..RequestTemplate::get("{}").carrying(vec![address])
    };
    match form {
        "" => request,
        form => request
            .header("content-type", "application/x-www-form-urlencoded")
            .raw(form),
    }
}
