//! What cases do with a simulator's control API before and between their calls. Every such step must
//! succeed, or what comes after it shows nothing.

use crate::capture::Channel;
use crate::plan::{Case, RequestTemplate, Rule, Step};

/// What says how the control API answers.
const CLAUSE: &str = "ruling.34-control-api";

/// The check's own account as it was when it came into being, with a clock that stands still.
pub(super) fn fresh(case: &mut Case) {
    control(case, "POST", "reset", "{}");
    control(case, "POST", "clock", r#"{"freeze": true}"#);
}

/// The same, and its webhooks go to the run's receiver, which answers by this plan.
pub(super) fn hooked(case: &mut Case, plan: &str) {
    fresh(case);
    hook(case, plan);
}

/// Webhooks go to the run's receiver from now on, which answers by this plan.
pub(super) fn hook(case: &mut Case, plan: &str) {
    let path = path(case, plan);
    let body = format!(r#"{{"url": "{{sink}}/{path}", "secret": "{{secret}}"}}"#);
    control(case, "PUT", "webhook", &body);
}

/// What came to the run's receiver of this case by this plan; waits until so many came.
pub(super) fn received(case: &mut Case, plan: &str, at_least: usize) -> usize {
    case.push(RequestTemplate::received(&path(case, plan), at_least))
}

/// Each case has a path of its own at the receiver: cases of a check share an account.
fn path(case: &Case, plan: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = case.name.chars().map(plain).collect();
    format!("{name}/{plan}")
}

/// Where a case changed the account, it leaves it as it was, but for the instant its clock shows: a
/// key that was given may be everybody's.
pub(super) fn leave_as_found(case: &mut Case) {
    let resets = |step: &Step| {
        step.request.channel == Channel::Console && step.request.path.ends_with("/reset")
    };
    if case.steps.iter().any(resets) {
        control(case, "POST", "reset", "{}");
        control(case, "POST", "clock", r#"{"freeze": false}"#);
    }
}

/// The account's clock goes forward by so many milliseconds.
pub(super) fn advance(case: &mut Case, by_ms: u64) {
    let body = format!(r#"{{"advance": "{by_ms}ms"}}"#);
    control(case, "POST", "clock", &body);
}

/// Something is done with the check's own account.
pub(super) fn control(case: &mut Case, method: &str, what: &str, body: &str) -> usize {
    let path = format!("/control/accounts/{{account}}/{what}");
    call(case, method, &path, body, 200)
}

/// A call of the control API that is answered with this status.
pub(super) fn call(case: &mut Case, method: &str, path: &str, body: &str, status: u16) -> usize {
    let step = case.push(RequestTemplate::console(method, path, body));
    case.expect(step, CLAUSE, Rule::Status(status));
    step
}

/// Something of the control API is read.
pub(super) fn look(case: &mut Case, what: &str, query: &str) -> usize {
    let mut request = RequestTemplate::console("GET", &format!("/control/{what}"), "");
    query.clone_into(&mut request.query);
    let step = case.push(request);
    case.expect(step, CLAUSE, Rule::Status(200));
    step
}
