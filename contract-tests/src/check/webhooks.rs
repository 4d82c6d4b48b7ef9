//! Webhooks: results that come later are sent, signed, until they are taken. Asked where accounts'
//! clocks can be moved and the run's receiver can be reached.

use svc_fixtures::contract::{ClauseKind, Environment, Operation, Pending};
use svc_fixtures::json::Json;

use super::control::{advance, control, fresh, hook, hooked, look, received};
use super::entry::{Cases, Check, Stage, webhook_clauses};
use super::envelope::REFERENCE;
use super::pending::{comes_after_ms, pending, settled, slow};
use crate::plan::{Carry, Case, Ending, Place, RequestTemplate, Rule, Setting};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "webhooks.result",
        title: "The result of a pending call is sent when it is there: the envelope, signed",
        clauses: &[
            "states.terminal",
            "webhook.operations",
            "webhook.envelope",
            "webhook.signature",
            "webhook.hmac",
            "auth.webhook-secret",
            "ruling.24-account-clock",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Everywhere(result),
    },
    Check {
        id: "webhooks.schedule",
        title: "A delivery that is never taken is tried six times, at the instants of the schedule",
        clauses: &[
            "webhook.schedule",
            "webhook.dead-letter",
            "limits.webhook-schedule",
            "ruling.25-attempts",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(schedule),
    },
    Check {
        id: "webhooks.until-taken",
        title: "A delivery is tried until it is taken, and no longer, with the same bytes",
        clauses: &["webhook.at-least-once", "ruling.25-attempts"],
        stage: Stage::Sandbox,
        cases: Cases::Once(until_taken),
    },
    Check {
        id: "webhooks.redirects",
        title: "A redirect is not followed and takes nothing",
        clauses: &["ruling.25-attempts"],
        stage: Stage::Sandbox,
        cases: Cases::Once(redirects),
    },
    Check {
        id: "webhooks.address-of-the-moment",
        title: "Each attempt is signed anew and goes where webhooks go at that moment",
        clauses: &["ruling.25-signed-anew"],
        stage: Stage::Sandbox,
        cases: Cases::Once(address_of_the_moment),
    },
    Check {
        id: "webhooks.no-receiver",
        title: "Without a receiver nothing is sent and nothing is lost",
        clauses: &["ruling.26-no-receiver"],
        stage: Stage::Sandbox,
        cases: Cases::Once(no_receiver),
    },
    Check {
        id: "webhooks.dead-letter",
        title: "A dead letter is sent again when somebody asks for it",
        clauses: &["webhook.dead-letter", "ruling.34-control-api"],
        stage: Stage::Sandbox,
        cases: Cases::Once(dead_letter),
    },
];

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Looks a call of the case up.
pub(super) fn look_up(case: &mut Case, call: usize) -> usize {
    case.push(RequestTemplate::look_up(call))
}

fn result(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
) -> Option<Vec<Case>> {
    let after_ms = comes_after_ms(operation)?;
    let mut case = Case::about(operation, "").on(environment).extension();
    hooked(&mut case, "ok");
    let call = pending(&mut case, setting, operation)?;
    case.change(call, |request| request.header("x-reference-id", REFERENCE));
    advance(&mut case, after_ms.saturating_sub(1));
    let step = received(&mut case, "ok", 0);
    case.expect(step, "ruling.24-account-clock", Rule::Received(0));
    advance(&mut case, 1);
    let envelope = look_up(&mut case, call);
    let clauses = ["states.terminal", operation.clause.as_str()].into_iter();
    let clauses = clauses.chain(ruled(setting, operation));
    case.expect_each(envelope, clauses, &Rule::Ends(Ending::Completed));
    let reference = Rule::is(["referenceId"], REFERENCE);
    case.expect(envelope, "webhook.envelope", reference);
    settled(&mut case, setting, envelope, operation);
    let came = received(&mut case, "ok", 1);
    let clauses = ["states.terminal", "webhook.operations"].into_iter();
    let clauses = clauses.chain(webhook_clauses(setting, operation));
    case.expect_each(came, clauses, &Rule::Received(1));
    let clauses = ["webhook.signature", "webhook.hmac", "auth.webhook-secret"];
    case.expect_each(came, clauses, &Rule::Signed);
    case.expect(came, "webhook.envelope", Rule::BodiesAre(envelope));
    let accepted = |row: &Pending| row.status == 202;
    if operation.pending.as_ref().is_some_and(accepted) {
        case.expect(came, "limits.slow-history", Rule::Received(1));
    }
    Some(vec![case])
}

/// The ruling that an operation exists by: it is named after it.
fn ruled<'c>(setting: &Setting<'c>, operation: &Operation) -> Option<&'c str> {
    let name = operation.id.replace('.', "-");
    let mut rulings = setting.contract.clauses.iter();
    let ruling = rulings.find(|clause| {
        let about = clause.id.split_once('-').map_or("", |(_, about)| about);
        clause.kind == ClauseKind::Extension && about.contains('-') && name.ends_with(about)
    })?;
    Some(ruling.id.as_str())
}

/// A case about the first operation that takes long, whose result has just come to a receiver that
/// answers by this plan.
fn delivered(setting: &Setting<'_>, name: &str, plan: &str) -> Option<(Case, usize)> {
    let (operation, after_ms) = slow(setting).next()?;
    let mut case = Case::about(operation, name).extension();
    hooked(&mut case, plan);
    let call = pending(&mut case, setting, operation)?;
    advance(&mut case, after_ms);
    Some((case, call))
}

fn schedule(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let plan = "fail-99";
    let (mut case, call) = delivered(setting, "never taken", plan)?;
    let due = &setting.contract.service.webhook_schedule_ms;
    for (at, pair) in due.windows(2).enumerate() {
        let gap = pair[1] - pair[0];
        for (by, tried) in [(gap - 1, at + 1), (1, at + 2)] {
            advance(&mut case, by);
            let came = received(&mut case, plan, tried);
            let clauses = ["webhook.schedule", "limits.webhook-schedule"];
            case.expect_each(came, clauses, &Rule::Received(tried));
        }
    }
    advance(&mut case, 7 * DAY_MS);
    let envelope = look_up(&mut case, call);
    let came = received(&mut case, plan, due.len());
    for rule in [
        Rule::Received(due.len()),
        Rule::Signed,
        Rule::BodiesAre(envelope),
    ] {
        case.expect(came, "ruling.25-attempts", rule);
    }
    look(&mut case, "deliveries", "account={account}");
    let dead = Rule::is(["deliveries", "0", "state"], "dead");
    Some(vec![case.expecting("webhook.dead-letter", dead)])
}

fn until_taken(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let attempts = setting.contract.service.webhook_schedule_ms.len();
    let case = |failures: usize| {
        let (name, plan) = (format!("{failures} failures"), format!("fail-{failures}"));
        let (mut case, call) = delivered(setting, &name, &plan)?;
        advance(&mut case, DAY_MS);
        let envelope = look_up(&mut case, call);
        let came = received(&mut case, &plan, failures + 1);
        let count = Rule::Received(failures + 1);
        for rule in [count.clone(), Rule::BodiesAre(envelope), Rule::Signed] {
            case.expect(came, "webhook.at-least-once", rule);
        }
        Some(case.expecting("ruling.25-attempts", count))
    };
    Some((1..attempts).filter_map(case).collect())
}

fn redirects(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (mut case, _) = delivered(setting, "sent elsewhere", "redirect")?;
    advance(&mut case, DAY_MS);
    let attempts = setting.contract.service.webhook_schedule_ms.len();
    received(&mut case, "redirect", attempts);
    let count = Rule::Received(attempts);
    Some(vec![case.expecting("ruling.25-attempts", count)])
}

fn address_of_the_moment(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (mut case, _) = delivered(setting, "moved in between", "fail-9")?;
    hook(&mut case, "ok");
    advance(&mut case, DAY_MS);
    for plan in ["fail-9", "ok"] {
        let came = received(&mut case, plan, 1);
        for rule in [Rule::Received(1), Rule::Signed] {
            case.expect(came, "ruling.25-signed-anew", rule);
        }
    }
    Some(vec![case])
}

fn no_receiver(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (operation, after_ms) = slow(setting).next()?;
    let mut case = Case::about(operation, "nobody registered").extension();
    fresh(&mut case);
    let call = pending(&mut case, setting, operation)?;
    advance(&mut case, after_ms);
    let clause = "ruling.26-no-receiver";
    let envelope = look_up(&mut case, call);
    case.expect(envelope, clause, Rule::Ends(Ending::Completed));
    look(&mut case, "deliveries", "account={account}");
    let none = Rule::is(["deliveries"], Json::List(Vec::new()));
    Some(vec![case.expecting(clause, none)])
}

fn dead_letter(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (mut case, _) = delivered(setting, "asked for again", "fail-6")?;
    advance(&mut case, DAY_MS);
    let listed = look(&mut case, "deliveries", "account={account}");
    let again = RequestTemplate::console("POST", "/control/deliveries/{}/redeliver", "{}");
    let id = Carry::into_path(listed, Place::of(["deliveries", "0", "id"]));
    let again = case.push(again.carrying(vec![id]));
    case.expect(again, "ruling.34-control-api", Rule::Status(202));
    control(&mut case, "POST", "clock", r#"{"advance": "0s"}"#);
    received(&mut case, "fail-6", 7);
    Some(vec![
        case.expecting("webhook.dead-letter", Rule::Received(7)),
    ])
}
