//! Webhooks of a service without a console of ours: the provider's own has registered the run's receiver. What comes
//! is judged as far as can be seen.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Environment, Operation, Pending};

use super::entry::{Cases, Check, Stage, webhook_clauses};
use crate::capture::Channel;
use crate::plan::inputs::Input;
use crate::plan::{Case, RequestTemplate, Rule, Setting, WebhookRule, lead};
use crate::sink::WAITED_FOR;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "webhooks.registered",
        title: "What comes to a registered receiver is the signed envelope of a call that has ended, on schedule",
        clauses: CLAUSES,
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(|setting, operation| {
            cases(setting, operation, Environment::Test)
        }),
    },
    Check {
        id: "webhooks.registered-live",
        title: "The same on live, for operations whose result needs nobody's consent",
        clauses: CLAUSES,
        stage: Stage::Live,
        cases: Cases::PerOperation(|setting, operation| {
            let consent = operation.pending.as_ref()?.by_consent.is_some();
            (!consent).then(|| cases(setting, operation, Environment::Live))?
        }),
    },
];

const CLAUSES: &[&str] = &[
    "states.terminal",
    "webhook.operations",
    "webhook.envelope",
    "webhook.signature",
    "webhook.hmac",
    "webhook.at-least-once",
    "webhook.schedule",
    "auth.webhook-secret",
];

/// Each call whose result may come later.
fn cases(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
) -> Option<Vec<Case>> {
    let registered = setting.can_use(Channel::Registered) && operation.pending.is_some();
    if !registered {
        return None;
    }
    let inputs = slow(setting, operation, environment).into_iter();
    let judged = |input: Option<&Input>| {
        let value = input.map_or("", |input| &input.value);
        let mut case = Case::about(operation, value).on(environment);
        let call = called(&mut case, setting, operation, input);
        judged(setting, operation, case, call)
    };
    Some(inputs.map(judged).collect())
}

/// What an operation may answer later: the sample, which is none of these inputs, and each input that is known for
/// it. What is slow on the sandbox may be so on live, too; what is known of both is one input.
pub(super) fn slow<'s>(
    setting: &'s Setting<'_>,
    operation: &Operation,
    environment: Environment,
) -> Vec<Option<&'s Input>> {
    let slow = setting.inputs.iter().filter(|input| input.is_slow());
    let slow = slow.filter(|input| [environment, Environment::Test].contains(&input.environment));
    let slow = slow.filter(|input| input.field(setting.contract, operation).is_some());
    let mut values = BTreeSet::new();
    let slow = slow.filter(|input| values.insert(&input.value));
    [None].into_iter().chain(slow.map(Some)).collect()
}

/// Adds the call with such an input; answers its place.
pub(super) fn called(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    input: Option<&Input>,
) -> usize {
    let field = |input: &Input| input.field(setting.contract, operation);
    match input.and_then(|input| Some((field(input)?, input))) {
        Some((field, input)) => lead::to_input(case, setting, operation, field, input),
        None => lead::to_success(case, setting, operation),
    }
}

/// What came of a call, and what its look-up says where there is one. A webhook that comes when the wait is just over
/// is seen a moment later.
fn judged(setting: &Setting<'_>, operation: &Operation, mut case: Case, call: usize) -> Case {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = case.name.chars().map(plain).collect();
    let reference = format!("{}{WAITED_FOR}{name}.", setting.seed);
    case.change(call, |request| request.header("x-reference-id", &reference));
    let came = case.push(RequestTemplate::delivered(call, &reference));
    // Where results are looked up is not specified: a page of the service may be anything.
    let mut request = RequestTemplate::look_up(call);
    request.channel = Channel::Page;
    let look_up = case.push(request);
    let same = WebhookRule::SaysTheSame { came };
    case.expect(look_up, "states.terminal", Rule::Webhook(same));
    let later = case.push(RequestTemplate::delivered_since(call, &reference));
    let envelope = Rule::Webhook(WebhookRule::Envelope { call });
    case.expect(later, "webhook.envelope", envelope);
    case.expect(later, "states.terminal", Rule::Webhook(WebhookRule::Ended));
    let by_consent = |row: &Pending| row.by_consent.is_some();
    if operation.pending.as_ref().is_some_and(by_consent) {
        let brings = Rule::Webhook(WebhookRule::Brings { call });
        case.expect(later, &operation.clause, brings);
    }
    let clauses = ["webhook.signature", "webhook.hmac", "auth.webhook-secret"];
    case.expect_each(later, clauses, &Rule::Signed);
    case.expect(
        later,
        "webhook.schedule",
        Rule::Webhook(WebhookRule::Schedule),
    );
    let clauses = ["webhook.operations", "webhook.at-least-once"].into_iter();
    let clauses = clauses.chain(webhook_clauses(setting, operation));
    let some = Rule::Webhook(WebhookRule::Came { call, look_up });
    case.expect_each(later, clauses, &some);
    case
}
