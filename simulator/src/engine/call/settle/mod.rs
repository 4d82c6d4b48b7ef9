//! The end of a call: reply, settlement and record, made in one place for every way it can end.

mod bundle;

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use svc_fixtures::contract::{ErrorCode, LatencyRange, Paise};

use crate::engine::call::render::{self, Charged, Envelope, Meta, ResultPart};
use crate::engine::call::reply::Reply;
use crate::engine::call::resolve::Drawn;
use crate::engine::call::rules::Rules;
use crate::engine::state::account::EnvironmentState;
use crate::engine::state::calls::{Record, State};
use crate::engine::state::delivery::Delivery;
use crate::engine::state::entry::{Concluded, TicketChange};
use crate::engine::state::flow::FlowChange;
use crate::engine::state::ids::Content;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::ticket::{Matter, Ticket};
use crate::engine::state::usage::{self, Counted, Row};
use crate::engine::state::wallet::{Hold, Money};

/// Which answer of a call this is.
#[derive(Debug)]
pub enum Answer {
    /// The first one.
    First(Matter),
    /// The result of one that was answered as pending.
    Result(Matter),
}

/// How long a client should wait before it tries a 429 or 503 of an operation again, in seconds.
const RETRY_AFTER_S: u32 = 1;

/// Concludes a call with what was drawn for it.
#[must_use]
pub fn conclude(
    rules: &Rules,
    books: &EnvironmentState,
    answer: Answer,
    drawn: Drawn,
    now: Timestamp,
) -> (Reply, Concluded) {
    let (matter, first) = match answer {
        Answer::First(matter) => (matter, true),
        Answer::Result(matter) => (matter, false),
    };
    match drawn {
        Drawn::Completed { data, flow } => {
            let ending = Ending {
                status: 200,
                state: State::Completed,
                part: ResultPart::Completed(&data),
                billed: true,
            };
            conclude_ended(rules, books, &matter, first, ending, flow, now)
        }
        Drawn::Failed { code, message } => {
            let row = rules.contract.error(code);
            let message = message.as_deref().unwrap_or(&row.meaning);
            let part = ResultPart::Failed {
                code,
                message,
                retryable: row.retryable,
            };
            let ending = Ending {
                status: row.status,
                state: State::Failed(code),
                part,
                billed: row.billed,
            };
            conclude_ended(rules, books, &matter, first, ending, None, now)
        }
        Drawn::Pending {
            status,
            data,
            due,
            consent,
            finally,
        } => {
            let ticket = Ticket {
                matter,
                drawn: *finally,
                due,
                answered: true,
                consent,
            };
            conclude_pending(ticket, status, &data)
        }
        Drawn::Bundle(drawn) => bundle::conclude(rules, books, matter, first, *drawn, now),
    }
}

struct Ending<'a> {
    status: u16,
    state: State,
    part: ResultPart<'a>,
    billed: bool,
}

/// A result: the hold is committed or released, and what was pending is delivered.
fn conclude_ended(
    rules: &Rules,
    books: &EnvironmentState,
    matter: &Matter,
    first: bool,
    ending: Ending<'_>,
    flow: Option<FlowChange>,
    now: Timestamp,
) -> (Reply, Concluded) {
    let money = matter.hold.map_or(Money::default(), |amount| {
        Hold { amount }.settle(ending.billed)
    });
    let charged = (money.charge > Paise::ZERO).then(|| Charged {
        amount: money.charge,
        balance_after: Paise(books.wallet.balance().0 - money.charge.0),
    });
    let body = print(&envelope(matter, ending.part, charged));
    let mut reply = Reply::plain(ending.status, body.clone());
    reply.retry_after_s = matches!(ending.status, 429 | 503).then_some(RETRY_AFTER_S);
    let deliver = (!first || matter.resumes.is_some()) && books.webhook.is_some();
    let schedule_ms = &rules.contract.service.webhook_schedule_ms;
    let concluded = Concluded {
        record: record(matter, ending.status, ending.state, &body, money.charge),
        claim: matter
            .claim
            .clone()
            .map(|key| (key, first.then(|| reply.clone()))),
        money,
        flow,
        ticket: TicketChange::Closed,
        delivery: deliver
            .then(|| Delivery::new(matter.verification, body, now, matter.webhook, schedule_ms)),
        counted: counted(matter, first, Some(ending.state), money.charge),
        steps: Vec::new(),
        lapses: lapses(matter),
    };
    (reply, concluded)
}

/// No result yet: hold and ticket stay open.
fn conclude_pending(ticket: Ticket, status: u16, data: &[u8]) -> (Reply, Concluded) {
    let matter = &ticket.matter;
    let body = print(&envelope(matter, ResultPart::Pending(data), None));
    let reply = Reply::plain(status, body.clone());
    let concluded = Concluded {
        record: record(matter, status, State::Pending, &body, Paise::ZERO),
        claim: matter.claim.clone().map(|key| (key, Some(reply.clone()))),
        money: Money::default(),
        flow: None,
        counted: counted(matter, true, None, Paise::ZERO),
        ticket: TicketChange::Opened(Box::new(ticket)),
        delivery: None,
        steps: Vec::new(),
        lapses: None,
    };
    (reply, concluded)
}

/// The answer to a call that was refused: nothing was executed, nothing is held or charged.
#[must_use]
pub fn refuse(rules: &Rules, matter: &Matter, rejection: &Rejection) -> (Reply, Concluded) {
    let (code, message) = (rejection.code(), rejection.message());
    let retryable = rules.contract.error(code).retryable;
    let part = ResultPart::Failed {
        code,
        message: &message,
        retryable,
    };
    let body = print(&envelope(matter, part, None));
    let status = rejection.status(&rules.contract);
    let mut reply = Reply::plain(status, body.clone());
    reply.retry_after_s = rejection.retry_after_s();
    if let Rejection::MethodNotAllowed { allow } = rejection {
        reply.allow = Some(allow);
    }
    let concluded = Concluded {
        record: record(matter, status, State::Failed(code), &body, Paise::ZERO),
        claim: None,
        money: Money::default(),
        flow: None,
        ticket: TicketChange::Closed,
        delivery: None,
        counted: counted(matter, true, Some(State::Failed(code)), Paise::ZERO),
        steps: Vec::new(),
        lapses: None,
    };
    (reply, concluded)
}

/// The earlier call's key, which may lapse when its verification has come to its end.
fn lapses(matter: &Matter) -> Option<Arc<str>> {
    matter.resumes.as_ref()?.claim.clone()
}

/// The typical latency; of a range, a figure that the content decides.
#[must_use]
pub fn latency(range: LatencyRange, content: &Content) -> u32 {
    let span = u64::from(range.max_ms.saturating_sub(range.min_ms)) + 1;
    range.min_ms + u32::try_from(content.number() % span).unwrap_or(0)
}

fn print(envelope: &Envelope<'_>) -> Bytes {
    render::envelope(envelope).into()
}

fn envelope<'a>(
    matter: &'a Matter,
    result: ResultPart<'a>,
    charged: Option<Charged>,
) -> Envelope<'a> {
    Envelope {
        verification: matter.verification,
        reference: matter.reference.as_deref(),
        endpoint: &matter.endpoint,
        result,
        charged,
        meta: Meta {
            created_at: matter.created_at,
            environment: matter.environment,
            latency_ms: matter.latency_ms,
            provider: matter.provider.as_deref(),
        },
    }
}

fn record(matter: &Matter, status: u16, state: State, envelope: &Bytes, charged: Paise) -> Record {
    Record {
        verification: matter.verification,
        endpoint: Arc::clone(&matter.endpoint),
        at: matter.created_at,
        state,
        status,
        envelope: envelope.clone(),
        charged,
        because: matter.because.clone(),
        claim: matter.claim.clone(),
    }
}

fn counted(matter: &Matter, first: bool, state: Option<State>, charge: Paise) -> Option<Counted> {
    let one_if = u64::from;
    let row = Row {
        calls: one_if(first),
        completed: one_if(state == Some(State::Completed)),
        no_record: one_if(state == Some(State::Failed(ErrorCode::NoRecordFound))),
        failed: one_if(
            matches!(state, Some(State::Failed(code)) if code != ErrorCode::NoRecordFound),
        ),
        billed: one_if(charge > Paise::ZERO),
        amount: charge,
    };
    matter.counts.then(|| Counted {
        day: usage::day(matter.created_at),
        endpoint: Arc::clone(&matter.endpoint),
        row,
    })
}
