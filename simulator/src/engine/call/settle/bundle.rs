//! The end of a bundle: one answer for all its steps, which are recorded as calls of their own.

use bytes::Bytes;
use jiff::Timestamp;
use svc_fixtures::contract::{ErrorCode, Paise};

use super::{RETRY_AFTER_S, counted, envelope, lapses, print, record};
use crate::engine::call::bundle::{BundleDrawn, StepDrawn, risk_level, risk_score};
use crate::engine::call::render::{self, Charged, ResultPart};
use crate::engine::call::reply::Reply;
use crate::engine::call::resolve::{Drawn, Due};
use crate::engine::call::rules::Rules;
use crate::engine::state::account::EnvironmentState;
use crate::engine::state::calls::State;
use crate::engine::state::delivery::Delivery;
use crate::engine::state::entry::{Concluded, StepConcluded, TicketChange};
use crate::engine::state::ticket::{Matter, Ticket};
use crate::engine::state::wallet::{Hold, Money};

/// How a step stands.
struct StepEnd<'a> {
    step: &'a StepDrawn,
    status: u16,
    state: State,
    part: ResultPart<'a>,
    /// Whether a bundle can be completed with it: a result, or that there is no record.
    conclusive: bool,
}

/// How a bundle stands: pending while a step is or a second call is to come, failed with the first
/// step that is not conclusive, else completed.
fn state(drawn: &BundleDrawn, ends: &[StepEnd<'_>]) -> State {
    if ends.iter().any(|end| end.state == State::Pending) {
        return State::Pending;
    }
    match ends.iter().find(|end| !end.conclusive).map(|end| end.state) {
        Some(failed) => failed,
        None if drawn.carried.is_some() => State::Pending,
        None => State::Completed,
    }
}

/// Concludes a bundle. A failed one charges nothing and gives every hold back.
pub(super) fn conclude(
    rules: &Rules,
    books: &EnvironmentState,
    matter: Matter,
    first: bool,
    drawn: BundleDrawn,
    now: Timestamp,
) -> (Reply, Concluded) {
    let ends: Vec<StepEnd<'_>> = drawn.steps.iter().map(|step| end(rules, step)).collect();
    let state = state(&drawn, &ends);
    let charged = charges(books, &matter, state, &ends);
    let (status, body) = print_bundle(rules, &matter, &drawn, state, &ends, &charged);
    let mut reply = Reply::plain(status, body.clone());
    reply.retry_after_s = matches!(status, 429 | 503).then_some(RETRY_AFTER_S);
    let total: Paise = charged.iter().flatten().map(|charged| charged.amount).sum();
    let pending = state == State::Pending;
    let money = match matter.hold {
        Some(amount) if !pending => Money {
            charge: total,
            ..Hold { amount }.settle(false)
        },
        _ => Money::default(),
    };
    let steps = ends.iter().zip(&charged);
    let steps = steps.map(|(end, charged)| step_concluded(end, *charged, pending));
    let steps: Vec<StepConcluded> = steps.collect();
    let deliver = !pending && (!first || matter.resumes.is_some()) && books.webhook.is_some();
    let schedule_ms = &rules.contract.service.webhook_schedule_ms;
    let since = (!pending).then_some(state);
    let counted_once = first && matter.resumes.is_none();
    let concluded = Concluded {
        record: record(&matter, status, state, &body, total),
        claim: matter
            .claim
            .clone()
            .map(|key| (key, first.then(|| reply.clone()))),
        money,
        flow: drawn.flow.clone(),
        delivery: deliver
            .then(|| Delivery::new(matter.verification, body, now, matter.webhook, schedule_ms)),
        // What was spent stands in the rows of the steps.
        counted: counted(&matter, counted_once, since, Paise::ZERO),
        steps,
        lapses: (!pending).then(|| lapses(&matter)).flatten(),
        ticket: match pending {
            true => TicketChange::Opened(Box::new(ticket(matter, drawn))),
            false => TicketChange::Closed,
        },
    };
    (reply, concluded)
}

fn end<'a>(rules: &'a Rules, step: &'a StepDrawn) -> StepEnd<'a> {
    let (status, state, part, conclusive) = match &step.drawn {
        Drawn::Completed { data, .. } => (
            200,
            State::Completed,
            ResultPart::Completed(data.as_slice()),
            true,
        ),
        Drawn::Pending { status, data, .. } => (
            *status,
            State::Pending,
            ResultPart::Pending(data.as_slice()),
            false,
        ),
        Drawn::Failed { code, message } => {
            let row = rules.contract.error(*code);
            let part = ResultPart::Failed {
                code: *code,
                message: message.as_deref().unwrap_or(&row.meaning),
                retryable: row.retryable,
            };
            (row.status, State::Failed(*code), part, row.billed)
        }
        // A bundle has operations for steps, never bundles.
        Drawn::Bundle(_) => (200, State::Completed, ResultPart::Completed(b"{}"), true),
    };
    StepEnd {
        step,
        status,
        state,
        part,
        conclusive,
    }
}

/// What each step is charged, one after the other.
fn charges(
    books: &EnvironmentState,
    matter: &Matter,
    state: State,
    ends: &[StepEnd<'_>],
) -> Vec<Option<Charged>> {
    let mut balance = books.wallet.balance();
    let charge = |end: &StepEnd<'_>| {
        let billed = state == State::Completed && matter.hold.is_some();
        let amount = end.step.matter.hold.filter(|_| billed)?;
        balance = Paise(balance.0 - amount.0);
        Some(Charged {
            amount,
            balance_after: balance,
        })
    };
    ends.iter().map(charge).collect()
}

fn print_bundle(
    rules: &Rules,
    matter: &Matter,
    drawn: &BundleDrawn,
    state: State,
    ends: &[StepEnd<'_>],
    charged: &[Option<Charged>],
) -> (u16, Bytes) {
    let data = data(rules, drawn, ends, charged);
    let message;
    let (status, part) = match state {
        State::Completed => (200, ResultPart::Completed(&data)),
        State::Pending => (200, ResultPart::Pending(&data)),
        State::Failed(code) => {
            let row = rules.contract.error(code);
            message = failure(ends, code, &row.meaning);
            let part = ResultPart::Failed {
                code,
                message: &message,
                retryable: row.retryable,
            };
            (row.status, part)
        }
    };
    let total: Paise = charged.iter().flatten().map(|charged| charged.amount).sum();
    let last = charged.iter().flatten().last();
    let total = last.map(|last| Charged {
        amount: total,
        balance_after: last.balance_after,
    });
    (status, print(&envelope(matter, part, total)))
}

/// Which step failed and how it says so itself.
fn failure(ends: &[StepEnd<'_>], code: ErrorCode, meaning: &str) -> String {
    let failed = ends.iter().find(|end| end.state == State::Failed(code));
    match failed {
        Some(StepEnd {
            step,
            part: ResultPart::Failed { message, .. },
            ..
        }) => format!("{}: {message}", step.matter.endpoint),
        _ => meaning.to_owned(),
    }
}

/// The printed `data` of a bundle: its slug, its steps, and what is rolled up from them.
fn data(
    rules: &Rules,
    drawn: &BundleDrawn,
    ends: &[StepEnd<'_>],
    charged: &[Option<Charged>],
) -> Vec<u8> {
    let row = &rules.contract.bundles[drawn.bundle];
    let mut data = render::DataWriter::new();
    data.member("bundle", &row.slug);
    if let Some((field, value)) = &drawn.carried {
        data.member(field, value);
    }
    let steps = ends.iter().zip(charged);
    let steps = steps.map(|(end, charged)| envelope(&end.step.matter, end.part.clone(), *charged));
    data.steps(&steps.collect::<Vec<_>>());
    if !row.risk.is_empty() {
        let score = risk_score(&row.risk, &drawn.steps);
        data.member("riskScore", &score);
        data.member("riskLevel", risk_level(score));
    }
    data.finish()
}

fn step_concluded(end: &StepEnd<'_>, charged: Option<Charged>, pending: bool) -> StepConcluded {
    let matter = &end.step.matter;
    let body = print(&envelope(matter, end.part.clone(), charged));
    let charge = charged.map_or(Paise::ZERO, |charged| charged.amount);
    // How a step ended counts when its bundle has.
    let counted_as = (!pending).then_some(end.state);
    StepConcluded {
        record: record(matter, end.status, end.state, &body, charge),
        counted: counted(matter, end.step.fresh, counted_as, charge),
    }
}

/// What is left to do: the steps that are done stay as they are, pending ones come to their end.
fn ticket(matter: Matter, drawn: BundleDrawn) -> Ticket {
    let mut due = Due::SecondCall;
    let steps = drawn.steps.into_iter().map(|step| {
        let drawn = match step.drawn {
            Drawn::Pending {
                due: step_due,
                finally,
                ..
            } => {
                due = later(due, step_due);
                *finally
            }
            other => other,
        };
        StepDrawn {
            drawn,
            fresh: false,
            ..step
        }
    });
    let drawn = BundleDrawn {
        steps: steps.collect(),
        bundle: drawn.bundle,
        carried: None,
        flow: None,
    };
    Ticket {
        matter,
        drawn: Drawn::Bundle(Box::new(drawn)),
        due,
        answered: true,
        consent: None,
    }
}

/// A bundle waits for its last step; for a person longer than for any instant.
fn later(a: Due, b: Due) -> Due {
    match (a, b) {
        (Due::Consent, _) | (_, Due::Consent) => Due::Consent,
        (Due::At(a), Due::At(b)) => Due::At(a.max(b)),
        (Due::At(at), _) | (_, Due::At(at)) => Due::At(at),
        (other, _) => other,
    }
}
