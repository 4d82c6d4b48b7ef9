//! Webhooks: results that come later are sent, signed, until they are taken. Asked where accounts'
//! clocks can be moved and the run's receiver can be reached.

use svc_fixtures::contract::{ClauseKind, Operation};

use super::control::{advance, control, hook, hooked, look, received};
use super::entry::{Check, Stage, everywhere};
use super::pending::{pending, settled};
use crate::plan::{Carry, Case, Ending, Place, Predicate, RequestTemplate, Rule, Setting};

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
        run: result,
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
        run: schedule,
    },
    Check {
        id: "webhooks.until-taken",
        title: "A delivery is tried until it is taken, and no longer, with the same bytes",
        clauses: &["webhook.at-least-once", "ruling.25-attempts"],
        stage: Stage::Sandbox,
        run: until_taken,
    },
    Check {
        id: "webhooks.redirects",
        title: "A redirect is not followed and takes nothing",
        clauses: &["ruling.25-attempts"],
        stage: Stage::Sandbox,
        run: redirects,
    },
    Check {
        id: "webhooks.address-of-the-moment",
        title: "Each attempt is signed anew and goes where webhooks go at that moment",
        clauses: &["ruling.25-signed-anew"],
        stage: Stage::Sandbox,
        run: address_of_the_moment,
    },
    Check {
        id: "webhooks.no-receiver",
        title: "Without a receiver nothing is sent and nothing is lost",
        clauses: &["ruling.26-no-receiver"],
        stage: Stage::Sandbox,
        run: no_receiver,
    },
    Check {
        id: "webhooks.dead-letter",
        title: "A dead letter is sent again when somebody asks for it",
        clauses: &["webhook.dead-letter", "ruling.34-control-api"],
        stage: Stage::Sandbox,
        run: dead_letter,
    },
];

/// What takes long and comes by itself: its operation, and after how many milliseconds.
fn slow<'c>(setting: &Setting<'c>) -> impl Iterator<Item = (&'c Operation, u64)> {
    setting.operations().filter_map(|operation| {
        let row = operation.pending.as_ref()?;
        row.by_consent
            .is_none()
            .then_some((operation, row.after_ms))
    })
}

/// Looks a call of the case up.
pub(super) fn look_up(case: &mut Case, call: usize) -> usize {
    case.push(RequestTemplate::look_up(call))
}

fn result(setting: &Setting<'_>) -> Vec<Case> {
    let case = |(operation, after_ms): (&Operation, u64), environment| {
        let mut case = Case::about(operation, "").on(environment).extension();
        hooked(&mut case, "ok");
        let call = pending(&mut case, setting, operation)?;
        advance(&mut case, after_ms.saturating_sub(1));
        let step = received(&mut case, "ok", 0);
        case.expect(step, "ruling.24-account-clock", Rule::Received(0));
        advance(&mut case, 1);
        let envelope = look_up(&mut case, call);
        let ruled = ruled(setting, operation);
        for clause in ["states.terminal", operation.clause.as_str()]
            .into_iter()
            .chain(ruled)
        {
            case.expect(envelope, clause, Rule::Ends(Ending::Completed));
        }
        settled(&mut case, envelope, operation);
        let came = received(&mut case, "ok", 1);
        let own = setting.contract.clauses.iter().filter(|clause| {
            let below = clause.id.strip_prefix(operation.clause.as_str());
            clause.kind == ClauseKind::Webhook && below.is_some_and(|rest| rest.starts_with('.'))
        });
        let own = own.map(|clause| clause.id.as_str());
        for clause in ["states.terminal", "webhook.operations"]
            .into_iter()
            .chain(own)
        {
            case.expect(came, clause, Rule::Received(1));
        }
        for clause in ["webhook.signature", "webhook.hmac", "auth.webhook-secret"] {
            case.expect(came, clause, Rule::Signed);
        }
        case.expect(came, "webhook.envelope", Rule::BodiesAre(envelope));
        if operation
            .pending
            .as_ref()
            .is_some_and(|row| row.status == 202)
        {
            case.expect(came, "limits.slow-history", Rule::Received(1));
        }
        Some(case)
    };
    let all = |environment| slow(setting).filter_map(move |it| case(it, environment));
    everywhere(setting).flat_map(all).collect()
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

fn schedule(setting: &Setting<'_>) -> Vec<Case> {
    let plan = "fail-99";
    let Some((mut case, call)) = delivered(setting, "never taken", plan) else {
        return Vec::new();
    };
    let due = &setting.contract.service.webhook_schedule_ms;
    for (at, pair) in due.windows(2).enumerate() {
        let gap = pair[1] - pair[0];
        for (by, tried) in [(gap - 1, at + 1), (1, at + 2)] {
            advance(&mut case, by);
            let came = received(&mut case, plan, tried);
            for clause in ["webhook.schedule", "limits.webhook-schedule"] {
                case.expect(came, clause, Rule::Received(tried));
            }
        }
    }
    advance(&mut case, 7 * 24 * 60 * 60 * 1000);
    let envelope = look_up(&mut case, call);
    let came = received(&mut case, plan, due.len());
    case.expect(came, "ruling.25-attempts", Rule::Received(due.len()));
    case.expect(came, "ruling.25-attempts", Rule::Signed);
    case.expect(came, "ruling.25-attempts", Rule::BodiesAre(envelope));
    let listed = look(&mut case, "deliveries", "account={account}");
    let place = Place::of(["deliveries", "0", "state"]);
    case.expect(
        listed,
        "webhook.dead-letter",
        Rule::Value(place, Predicate::Is("dead".into())),
    );
    vec![case]
}

fn until_taken(setting: &Setting<'_>) -> Vec<Case> {
    let attempts = setting.contract.service.webhook_schedule_ms.len();
    let case = |failures: usize| {
        let (name, plan) = (format!("{failures} failures"), format!("fail-{failures}"));
        let (mut case, call) = delivered(setting, &name, &plan)?;
        advance(&mut case, 24 * 60 * 60 * 1000);
        let envelope = look_up(&mut case, call);
        let came = received(&mut case, &plan, failures + 1);
        for rule in [
            Rule::Received(failures + 1),
            Rule::BodiesAre(envelope),
            Rule::Signed,
        ] {
            case.expect(came, "webhook.at-least-once", rule);
        }
        case.expect(came, "ruling.25-attempts", Rule::Received(failures + 1));
        Some(case)
    };
    (1..attempts).filter_map(case).collect()
}

fn redirects(setting: &Setting<'_>) -> Vec<Case> {
    let Some((mut case, _)) = delivered(setting, "sent elsewhere", "redirect") else {
        return Vec::new();
    };
    advance(&mut case, 24 * 60 * 60 * 1000);
    let attempts = setting.contract.service.webhook_schedule_ms.len();
    let came = received(&mut case, "redirect", attempts);
    case.expect(came, "ruling.25-attempts", Rule::Received(attempts));
    vec![case]
}

fn address_of_the_moment(setting: &Setting<'_>) -> Vec<Case> {
    let Some((mut case, _)) = delivered(setting, "moved in between", "fail-9") else {
        return Vec::new();
    };
    hook(&mut case, "ok");
    advance(&mut case, 24 * 60 * 60 * 1000);
    for plan in ["fail-9", "ok"] {
        let came = received(&mut case, plan, 1);
        case.expect(came, "ruling.25-signed-anew", Rule::Received(1));
        case.expect(came, "ruling.25-signed-anew", Rule::Signed);
    }
    vec![case]
}

fn no_receiver(setting: &Setting<'_>) -> Vec<Case> {
    let Some((operation, after_ms)) = slow(setting).next() else {
        return Vec::new();
    };
    let mut case = Case::about(operation, "nobody registered").extension();
    super::control::fresh(&mut case);
    let Some(call) = pending(&mut case, setting, operation) else {
        return Vec::new();
    };
    advance(&mut case, after_ms);
    let clause = "ruling.26-no-receiver";
    let envelope = look_up(&mut case, call);
    case.expect(envelope, clause, Rule::Ends(Ending::Completed));
    let listed = look(&mut case, "deliveries", "account={account}");
    let none = Rule::Value(Place::of(["deliveries"]), Predicate::Is(list()));
    case.expect(listed, clause, none);
    vec![case]
}

fn list() -> svc_fixtures::json::Json<'static> {
    svc_fixtures::json::Json::parse(b"[]").expect("an empty list is JSON")
}

fn dead_letter(setting: &Setting<'_>) -> Vec<Case> {
    let Some((mut case, _)) = delivered(setting, "asked for again", "fail-6") else {
        return Vec::new();
    };
    advance(&mut case, 24 * 60 * 60 * 1000);
    let listed = look(&mut case, "deliveries", "account={account}");
    let mut again = RequestTemplate::console("POST", "/control/deliveries/{}/redeliver", "{}");
    again.carries.push(Carry::into_path(
        listed,
        Place::of(["deliveries", "0", "id"]),
    ));
    let again = case.push(again);
    case.expect(again, "ruling.34-control-api", Rule::Status(202));
    control(&mut case, "POST", "clock", r#"{"advance": "0s"}"#);
    let came = received(&mut case, "fail-6", 7);
    case.expect(came, "webhook.dead-letter", Rule::Received(7));
    vec![case]
}
