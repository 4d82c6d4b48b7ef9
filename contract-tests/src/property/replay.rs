//! Plays scripts, and judges what was captured of them: now, or from a saved capture, or sent again.

use std::future::Future;

use super::definition::Script;
use super::model;
use crate::capture::{Capture, CapturedCase, Credential, Exchange};
use crate::client::{Client, Keyring};
use crate::plan::{Case, Expectation, Payload, RequestTemplate, Rule, Setting};
use crate::run::capture_of;
use crate::target::Target;
use crate::verdict::{self, Finding, Verdict};

/// Where services come from that cost nothing and remember nothing: each is made for one script.
///
/// This keeps generated requests away from paid hosts: properties are tried only through it, and a service
/// somewhere on the net cannot be made anew for each script, so [`crate::target::HttpTarget`] is
/// none. And the only keys that a script is ever sent with are those every simulator has.
///
/// ```compile_fail,E0277
/// use svc_contract_tests::property::{Effort, PROPERTIES, check_property};
/// use svc_contract_tests::plan::{Setting, inputs};
/// use svc_contract_tests::target::HttpTarget;
///
/// fn against(host: &HttpTarget, setting: &Setting<'_>) {
///     let _ = check_property(&PROPERTIES[0], setting, host, Effort::default(), None);
/// }
/// ```
pub trait ServiceFactory {
    /// A service.
    type Service: Target;

    /// A new one, as every other new one.
    fn fresh(&self) -> Self::Service;

    /// Runs what talks to it to the end.
    fn finish<F: Future>(&self, future: F) -> F::Output;
}

/// What the account of the other calls is named after.
const NEIGHBOUR: &str = ".neighbour";

/// Plays a script on services made for it. Where other calls are to come between, it is played a
/// second time on a new service, and what those calls were is the third case.
pub(super) fn play<D: ServiceFactory>(
    property: &str,
    setting: &Setting<'_>,
    services: &D,
    script: &Script,
) -> Vec<CapturedCase> {
    let first = services.fresh();
    let client = Client::new(&first, Keyring::of_simulator(), setting);
    let alone = services.finish(client.capture(property, &script.case));
    let Some(beside) = &script.beside else {
        return vec![alone];
    };
    let second = services.fresh();
    let client = Client::new(&second, Keyring::of_simulator(), setting);
    let mut between = CapturedCase::new(property, format!("{} (others between)", script.case.name));
    let mut others = CapturedCase::new(format!("{property}{NEIGHBOUR}"), &beside.name);
    services.finish(async {
        while between.stopped.is_none() && between.exchanges.len() < script.case.steps.len() {
            if others.stopped.is_none() {
                client.next(beside, &mut others).await;
            }
            client.next(&script.case, &mut between).await;
        }
    });
    vec![alone, between, others]
}

/// Judges what was played. The script's case says what is known because of how it was made; the model
/// derives the rest from the exchanges.
pub(super) fn judge(
    setting: &Setting<'_>,
    made: Option<&Case>,
    played: &[CapturedCase],
) -> Vec<Finding> {
    let Some(alone) = played.first() else {
        return Vec::new();
    };
    let mut foreseen = model::foresee(setting, &alone.exchanges);
    for (step, known) in made.iter().flat_map(|case| &case.steps).zip(&mut foreseen) {
        known.extend(step.expect.iter().cloned());
    }
    let mut findings = verdict::judge(setting, &case_of(alone, foreseen), alone);
    findings.extend(lost(alone));
    if let Some(between) = played.get(1) {
        findings.extend(compare(setting, alone, between));
    }
    findings
}

/// A script ends early where its account could not pay for what a later call was to carry. Any other
/// end is not foreseen.
fn lost(captured: &CapturedCase) -> Option<Finding> {
    let why = captured.stopped.clone()?;
    let refused = |exchange: &Exchange| {
        let response = exchange.response.as_ref();
        response.is_ok_and(|response| response.status == 402)
    };
    let unpaid = captured.exchanges.iter().any(refused);
    (!unpaid).then(|| Finding {
        case: captured.case.clone(),
        step: captured.exchanges.len(),
        verdict: Verdict::NotJudged { why },
    })
}

/// The same calls must have had the same answers.
fn compare(setting: &Setting<'_>, alone: &CapturedCase, between: &CapturedCase) -> Vec<Finding> {
    let count = alone.exchanges.len();
    let both = CapturedCase {
        exchanges: [alone.exchanges.clone(), between.exchanges.clone()].concat(),
        ..CapturedCase::new(&between.check, &between.case)
    };
    let same = |place: usize| match place.checked_sub(count) {
        None => Vec::new(),
        Some(first) => ["ruling.02-ids-from-content", "ruling.14-accounts-are-apart"]
            .map(|clause| Expectation {
                clause: clause.to_owned(),
                rule: Rule::SameBytes(first),
            })
            .to_vec(),
    };
    let expected = (0..both.exchanges.len()).map(same).collect();
    let mut findings = verdict::judge(setting, &case_of(&both, expected), &both);
    if between.exchanges.len() != count {
        let why = "the second time the script ended elsewhere".to_owned();
        findings.push(Finding {
            case: between.case.clone(),
            step: between.exchanges.len(),
            verdict: Verdict::NotJudged { why },
        });
    }
    findings
}

/// The case that was captured, with what is expected of each of its answers.
fn case_of(captured: &CapturedCase, expected: Vec<Vec<Expectation>>) -> Case {
    let mut case = Case::new(captured.case.clone());
    for (exchange, expected) in captured.exchanges.iter().zip(expected) {
        case.environment = exchange.request.environment;
        let step = case.push(request_of(exchange));
        case.steps[step].expect = expected;
    }
    case
}

/// The request of an exchange, to be sent again; the client puts the key in.
fn request_of(exchange: &Exchange) -> RequestTemplate {
    let request = &exchange.request;
    RequestTemplate {
        method: request.method.clone(),
        query: request.query.clone(),
        credential: match request.authorization {
            Some(_) => Credential::Own,
            None => Credential::Nothing,
        },
        headers: request.headers.clone(),
        payload: Payload::Raw(request.body.clone()),
        ..RequestTemplate::get(request.path.clone())
    }
}

/// Judges a saved failure again. Nothing is sent.
#[must_use]
pub fn judge_again(setting: &Setting<'_>, capture: &Capture) -> Vec<Finding> {
    judge(setting, None, &capture.cases)
}

/// Sends the calls of a saved failure to new services and judges what they answer now. Identifiers
/// that the calls carry are sent as they were: services made alike issue them alike.
#[must_use]
pub fn send_again<D: ServiceFactory>(
    setting: &Setting<'_>,
    services: &D,
    capture: &Capture,
) -> (Capture, Vec<Finding>) {
    let Some(alone) = capture.cases.first() else {
        return (capture.clone(), Vec::new());
    };
    let again = |captured: &CapturedCase| {
        let nothing = vec![Vec::new(); captured.exchanges.len()];
        case_of(captured, nothing)
    };
    let script = Script {
        case: again(alone),
        beside: capture.cases.get(2).map(again),
    };
    let played = play(&alone.check, setting, services, &script);
    let findings = judge(setting, None, &played);
    (capture_of(setting, played), findings)
}
