//! One account, pure and synchronous: the life of a call. READ FIRST.
//!
//! ```text
//! bytes → Call → Caller → &Operation → Input → Claim{Replay|Fresh} → Hold → Choice{outcome, because}
//!       → Reply → Settlement → Entry → [Delivery]; any stage may end in a Rejection → Reply → Entry
//! ```
//! [`prepare`] needs no state and runs outside any lock; [`decide`] reads one account under its lock
//! and says what changes, as an [`Entry`]; the host applies it. What is put off comes back as a
//! ticket, and [`finish`] ends it. No clock, no randomness, no input or output: time is an argument.

pub mod account;
pub mod allowlist;
pub mod answer;
pub mod authenticate;
pub mod call;
pub mod calls;
pub mod clock;
pub mod compute;
pub mod conclude;
pub mod delivery;
pub mod entry;
pub mod flow;
pub mod idempotency;
pub mod ids;
pub mod input;
pub mod outcome;
pub mod prepare;
pub mod rate_limit;
pub mod rejection;
pub mod render;
pub mod reply;
pub mod route;
pub mod rules;
pub mod ticket;
pub mod usage;
pub mod wallet;

use jiff::Timestamp;

use account::Account;
use answer::Sources;
use authenticate::Credential;
use call::{Call, Environment};
use conclude::{Answer, conclude, latency, refuse};
use entry::{Began, Change, Entry};
use idempotency::Claimed;
use ids::VerificationId;
use outcome::{Drawing, Due};
pub use prepare::{Planned, Prepared, Run, prepare};
use rejection::Rejection;
use reply::Reply;
use rules::Rules;
use ticket::{Matter, Ticket};

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is answered; the entry must be applied before the answer leaves.
    Answered {
        /// The answer.
        reply: Reply,
        /// What changes; nothing for a replay, a look-up or a 401.
        entry: Option<Entry>,
    },
    /// The answer is held back for some real time; then the ticket is finished.
    PutOff {
        /// The ticket.
        verification: VerificationId,
        /// For how long, in real milliseconds.
        delay_ms: u64,
        /// What changes.
        entry: Entry,
    },
    /// A call with the same idempotency key and body is being executed: ask again when it is done.
    Running,
}

/// Decides a call. All checks are made here, in the order of the contract; a mistake that
/// [`prepare`] found waits for those that come before it.
#[must_use]
pub fn decide(rules: &Rules, account: &Account, prepared: &Prepared<'_>, machine: Timestamp) -> Decision {
    let now = account.clock.read(machine);
    let mut changes = Vec::with_capacity(3);
    walk(rules, account, prepared, now, &mut changes)
        .unwrap_or_else(|rejection| refused(rules, account, prepared, now, changes, &rejection))
}

/// The stages, one after the other.
fn walk(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    now: Timestamp,
    changes: &mut Vec<Change>,
) -> Result<Decision, Rejection> {
    let books = account.books(prepared.environment);
    let key = authenticate::admit(&account.keys, prepared.credential, prepared.environment, now)?;
    account.allowlist.admit(prepared.peer)?;
    changes.extend(take_from_limit(account, key, now)?);
    let run = match prepared.planned.as_ref().map_err(Clone::clone)? {
        Planned::Run(run) => run,
        Planned::Verification(id) => return look_up(account, prepared, id, now, changes),
        Planned::Usage(period) => return Ok(report(rules, account, prepared, *period, now, changes)),
    };
    match claimed(account, prepared, now)? {
        Claimed::Replay(reply) => return Ok(answered(reply, prepared, now, changes)),
        Claimed::Running => return Ok(Decision::Running),
        Claimed::Fresh => {}
    }
    let flow = match run.step {
        Some(step) if !run.fixed => books.flows.resume(&rules.contract, step, &run.input)?,
        _ => None,
    };
    let price = rules.contract.operations[run.operation].price;
    let hold = match prepared.environment {
        Environment::Live => Some(books.wallet.hold(price)?),
        Environment::Test => None,
    };
    let verification = prepared.content.verification(books.counters.asked(&prepared.content));
    let decided = run.sequence.map_or(0, |sequence| books.sequences.get(&sequence).copied().unwrap_or(0));
    let flow = flow.map(|flow| &flow.memory);
    let sources = Sources { story: &rules.story, input: &run.input, flow, verification };
    let (drawn, extras) =
        Drawing { rules, run, sources, reference: prepared.reference, now }.draw(decided);
    let hold = hold.map(|hold| hold.amount);
    changes.push(Change::Began(Box::new(Began {
        verification,
        content: prepared.content,
        claim: prepared.idempotency_key.map(|key| (key.into(), prepared.body)),
        sequence: run.sequence,
        hold: hold.unwrap_or_default(),
    })));
    let matter = Matter {
        verification,
        environment: prepared.environment,
        endpoint: prepared.endpoint.clone(),
        counts: true,
        reference: prepared.reference.map(Into::into),
        created_at: now,
        latency_ms: latency(&rules.contract.operations[run.operation], &prepared.content),
        provider: extras.provider,
        claim: prepared.idempotency_key.map(Into::into),
        hold,
        because: run.choice.because(&rules.scenarios),
    };
    Ok(match extras.delay_ms {
        0 => {
            let (reply, concluded) = conclude(rules, books, Answer::First(matter), drawn, now);
            changes.push(Change::Concluded(Box::new(concluded)));
            answered(reply, prepared, now, changes)
        }
        delay_ms => {
            let ticket = Ticket { matter, drawn, due: Due::Real { delay_ms }, answered: false };
            changes.push(Change::PutOff(Box::new(ticket)));
            Decision::PutOff { verification, delay_ms, entry: entry(prepared.environment, now, std::mem::take(changes)) }
        }
    })
}

/// Ends what was put off: the answer that was held back, or the result of a pending verification.
/// None where the ticket is no longer open.
#[must_use]
pub fn finish(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    verification: VerificationId,
    now: Timestamp,
) -> Option<(Reply, Entry)> {
    let books = account.books(environment);
    let Ticket { matter, drawn, answered, .. } = books.tickets.get(verification)?.clone();
    let answer = if answered { Answer::Result(matter) } else { Answer::First(matter) };
    let (reply, concluded) = conclude(rules, books, answer, drawn, now);
    Some((reply, entry(environment, now, vec![Change::Concluded(Box::new(concluded))])))
}

/// The ticket that is due first by the account's clock, in either environment.
#[must_use]
pub fn first_due(account: &Account) -> Option<(Timestamp, Environment, VerificationId)> {
    let due = |environment| {
        let (at, verification) = account.books(environment).tickets.first_due()?;
        Some((at, verification, environment))
    };
    let (at, verification, environment) = Environment::ALL.into_iter().filter_map(due).min()?;
    Some((at, environment, verification))
}

/// The attempt to deliver that is due first by the account's clock, in either environment.
#[must_use]
pub fn first_attempt(account: &Account) -> Option<(Timestamp, Environment, delivery::Delivery)> {
    let due = |environment| {
        let (at, delivery) = account.books(environment).deliveries.first_due()?;
        Some((at, delivery.verification, environment, delivery))
    };
    let due = Environment::ALL.into_iter().filter_map(due);
    let (at, _, environment, delivery) = due.min_by_key(|&(at, verification, environment, _)| (at, verification, environment))?;
    Some((at, environment, delivery.clone()))
}

/// The answer to a call whose key no account has: nothing is recorded, nothing is counted.
#[must_use]
pub fn turn_away(rules: &Rules, call: &Call<'_>, rejection: &Rejection, machine: Timestamp) -> Reply {
    let nobody = Credential { key: "" };
    let prepared = prepare(rules, "", nobody, call);
    refuse(rules, &matter_of(&prepared, prepared.content.verification(0), machine), rejection).0
}

/// What a call takes from its key's rate limit, where there is one.
fn take_from_limit(account: &Account, key: usize, now: Timestamp) -> Result<Option<Change>, Rejection> {
    let Some(limit) = account.rate_limit else { return Ok(None) };
    let window = limit.take(account.windows[key], now)?;
    Ok(Some(Change::Passed { key, window }))
}

fn claimed(account: &Account, prepared: &Prepared<'_>, now: Timestamp) -> Result<Claimed, Rejection> {
    let Some(key) = prepared.idempotency_key else { return Ok(Claimed::Fresh) };
    let claims = &account.books(prepared.environment).claims;
    claims.look(key, prepared.body, now, account.settings.retention)
}

/// The newest envelope of an earlier call, with HTTP 200 whatever its own status was.
fn look_up(
    account: &Account,
    prepared: &Prepared<'_>,
    id: &str,
    now: Timestamp,
    changes: &mut Vec<Change>,
) -> Result<Decision, Rejection> {
    let calls = &account.books(prepared.environment).calls;
    let record = VerificationId::parse(id).and_then(|id| calls.get(id)).ok_or(Rejection::UnknownVerification)?;
    Ok(answered(Reply::plain(200, record.envelope.clone()), prepared, now, changes))
}

/// What the account spent, as an envelope of its own.
fn report(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    period: usage::Period,
    now: Timestamp,
    changes: &mut Vec<Change>,
) -> Decision {
    let books = account.books(prepared.environment);
    let balance = (prepared.environment == Environment::Live).then(|| books.wallet.balance());
    let drawn = outcome::Drawn::Completed { data: books.usage.report(period, balance), flow: None };
    let verification = prepared.content.verification(books.counters.asked(&prepared.content));
    let matter = matter_of(prepared, verification, now);
    let (reply, concluded) = conclude(rules, books, Answer::First(matter), drawn, now);
    changes.push(began(prepared, verification));
    changes.push(Change::Concluded(Box::new(concluded)));
    answered(reply, prepared, now, changes)
}

/// A refusal is recorded like any answer, but for a 401: no account is known then.
fn refused(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    now: Timestamp,
    mut changes: Vec<Change>,
    rejection: &Rejection,
) -> Decision {
    if rules.contract.error(rejection.code()).status == 401 {
        let matter = matter_of(prepared, prepared.content.verification(0), now);
        return Decision::Answered { reply: refuse(rules, &matter, rejection).0, entry: None };
    }
    let asked = account.books(prepared.environment).counters.asked(&prepared.content);
    let verification = prepared.content.verification(asked);
    let (reply, concluded) = refuse(rules, &matter_of(prepared, verification, now), rejection);
    changes.push(began(prepared, verification));
    changes.push(Change::Concluded(Box::new(concluded)));
    answered(reply, prepared, now, &mut changes)
}

/// The beginning of a call that executes nothing.
fn began(prepared: &Prepared<'_>, verification: VerificationId) -> Change {
    Change::Began(Box::new(Began {
        verification,
        content: prepared.content,
        claim: None,
        sequence: None,
        hold: svc_fixtures::contract::Paise::ZERO,
    }))
}

/// What is known of a call that executes nothing.
fn matter_of(prepared: &Prepared<'_>, verification: VerificationId, now: Timestamp) -> Matter {
    Matter {
        verification,
        environment: prepared.environment,
        endpoint: prepared.endpoint.clone(),
        counts: matches!(prepared.operation, Some(_)),
        reference: prepared.reference.map(Into::into),
        created_at: now,
        latency_ms: 0,
        provider: None,
        claim: None,
        hold: None,
        because: crate::scenario::Because::Refused,
    }
}

fn answered(reply: Reply, prepared: &Prepared<'_>, now: Timestamp, changes: &mut Vec<Change>) -> Decision {
    let changes = std::mem::take(changes);
    let changed = !changes.is_empty();
    Decision::Answered { reply, entry: changed.then(|| entry(prepared.environment, now, changes)) }
}

fn entry(environment: Environment, at: Timestamp, changes: Vec<Change>) -> Entry {
    Entry { at, environment, changes }
}
