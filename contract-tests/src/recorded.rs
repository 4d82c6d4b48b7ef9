//! Recorded traffic: exchanges between a client and the service that nobody has planned. Each is judged by what must
//! hold of every answer, whatever was asked. Pure, so that a recording judged again gives the same verdicts.

use crate::capture::{Capture, CapturedCase, Channel, Exchange, TransportError};
use crate::event::CheckResult;
use crate::plan::{Case, Payload, RequestTemplate, Setting, Step};
use crate::verdict::{self, Finding, IssuedIds, Verdict};
use svc_fixtures::contract::Environment;

/// The check that calls of recorded traffic are of.
pub const CALLS: &str = "recorded.calls";

/// The check that webhooks of recorded traffic are of.
pub const WEBHOOKS: &str = "recorded.webhooks";

/// Both, with their titles.
const CHECKS: [(&str, &str); 2] = [
    (
        CALLS,
        "Every recorded answer is one that the contract allows",
    ),
    (
        WEBHOOKS,
        "Every recorded webhook is one that the contract allows",
    ),
];

/// Why a recorded exchange that is no call of the service is not judged.
const PAGE: &str = "it is a page for people, of which the contract says nothing";

/// Whether a captured case is one of recorded traffic.
#[must_use]
pub fn is_recorded(captured: &CapturedCase) -> bool {
    CHECKS.iter().any(|(id, _)| *id == captured.check)
}

/// The case that a recorded exchange is: it expects nothing but what must hold of every answer.
#[must_use]
pub fn case_of(setting: &Setting<'_>, captured: &CapturedCase) -> Case {
    let steps = captured.exchanges.iter().map(|exchange| Step {
        request: template(exchange),
        expect: Vec::new(),
    });
    let first = captured.exchanges.first().map(|exchange| &exchange.request);
    let operation = first.and_then(|request| setting.operation_at(&request.path));
    Case {
        operation: operation.map(|operation| operation.id.clone()),
        environment: first.map_or(Environment::Test, |request| request.environment),
        steps: steps.collect(),
        ..Case::new(captured.case.clone())
    }
}

fn template(exchange: &Exchange) -> RequestTemplate {
    let request = &exchange.request;
    RequestTemplate {
        channel: request.channel,
        environment: Some(request.environment),
        method: request.method.clone(),
        query: request.query.clone(),
        payload: Payload::Raw(request.body.clone()),
        ..RequestTemplate::get(request.path.clone())
    }
}

/// What is found of one recorded exchange.
#[must_use]
pub fn judge_one(setting: &Setting<'_>, captured: &CapturedCase) -> Vec<Finding> {
    with_what_is_not_judged(
        captured,
        verdict::judge(setting, &case_of(setting, captured), captured),
    )
}

/// The same without what holds.
#[must_use]
pub fn complaints(setting: &Setting<'_>, captured: &CapturedCase) -> Vec<Finding> {
    with_what_is_not_judged(
        captured,
        verdict::complaints(setting, &case_of(setting, captured), captured),
    )
}

fn with_what_is_not_judged(captured: &CapturedCase, mut found: Vec<Finding>) -> Vec<Finding> {
    let mut exchanges = captured.exchanges.iter();
    if exchanges.any(|one| one.request.channel == Channel::Page) {
        found.push(not_judged(&captured.case, PAGE));
    }
    if let (true, Some(why)) = (captured.exchanges.is_empty(), &captured.stopped) {
        found.push(not_judged(&captured.case, why));
    }
    found
}

fn not_judged(case: &str, why: &str) -> Finding {
    Finding {
        case: case.to_owned(),
        step: 0,
        verdict: Verdict::NotJudged {
            why: why.to_owned(),
        },
    }
}

/// Judges what of a capture is recorded traffic, in the order in which it came.
#[must_use]
pub fn judge(setting: &Setting<'_>, capture: &Capture) -> Vec<CheckResult> {
    let mut ids = IssuedIds::across_cases();
    let of_check = |&(check, title): &(&'static str, &'static str)| {
        let mine = capture.cases.iter().filter(|case| case.check == check);
        let mut result = CheckResult {
            check,
            title,
            ..CheckResult::default()
        };
        let (mut refused, mut heard) = (None, false);
        for captured in mine {
            add(setting, &mut ids, captured, &mut result);
            for exchange in &captured.exchanges {
                match &exchange.response {
                    Err(why @ TransportError::Unreachable(_)) => refused = Some(why.to_string()),
                    _ => heard = true,
                }
            }
        }
        // Where nobody answers webhooks it is the receiver that is not there.
        result.unreachable = refused.filter(|_| !heard && check == CALLS);
        result
    };
    let judged = CHECKS.iter().map(of_check);
    judged.filter(|judged| judged.cases > 0).collect()
}

fn add(
    setting: &Setting<'_>,
    ids: &mut IssuedIds,
    captured: &CapturedCase,
    result: &mut CheckResult,
) {
    let mut findings = judge_one(setting, captured);
    findings.extend(ids.take(setting.contract, captured));
    let broken = |finding: &Finding| matches!(finding.verdict, Verdict::Broken { .. });
    let lost = captured.exchanges.iter().any(|one| one.response.is_err());
    if lost || findings.iter().any(broken) {
        result.evidence.push(captured.clone());
    }
    result.cases += 1;
    result.requests += captured.exchanges.len();
    result.findings.extend(findings);
}
