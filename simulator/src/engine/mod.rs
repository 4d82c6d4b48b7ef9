//! One account, pure and synchronous: the life of a call. READ FIRST.
//!
//! ```text
//! bytes → Call → Caller → &Operation → Input → Claim{Replay|Fresh} → Hold → Choice{outcome, because}
//!       → Reply → Settlement → Entry → [Delivery]; any stage may end in a Rejection → Reply → Entry
//! ```
//! [`prepare()`] needs no state and runs outside any lock; [`decide`] reads one account under its lock
//! and says what changes, as an [`Entry`]; the host applies it. What is put off comes back as a
//! ticket, and [`finish`] ends it. No clock, no randomness, no input or output: time is an argument.

pub mod account;
pub mod addresses;
pub mod allowlist;
pub mod answer;
pub mod authenticate;
pub mod bundle;
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
use svc_fixtures::contract::Paise;

use account::{Account, Books};
use answer::Sources;
use authenticate::Credential;
use bundle::{BundleDrawing, BundleRun};
use call::{Call, Environment};
use conclude::{Answer, conclude, latency, refuse};
use entry::{Began, Change, Entry};
use flow::Memory;
use idempotency::Claimed;
use ids::VerificationId;
use outcome::{Drawing, Drawn, Due};
pub use prepare::{Execution, Planned, Prepared, Run, prepare};
use rejection::Rejection;
use reply::Reply;
use rules::Rules;
use ticket::{Matter, Ticket};
use wallet::Hold;

use crate::scenario::Because;

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
/// [`prepare()`] found waits for those that come before it.
#[must_use]
pub fn decide(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    machine: Timestamp,
) -> Decision {
    let mut walk = Walk {
        rules,
        account,
        books: account.books(prepared.environment),
        prepared,
        now: account.clock.read(machine),
        changes: Vec::with_capacity(3),
    };
    match walk.stages() {
        Ok(decision) => decision,
        Err(rejection) => walk.refused(&rejection),
    }
}

/// One call on its way through the stages.
struct Walk<'a> {
    rules: &'a Rules,
    account: &'a Account,
    books: &'a Books,
    prepared: &'a Prepared<'a>,
    now: Timestamp,
    /// What changed so far.
    changes: Vec<Change>,
}

impl<'a> Walk<'a> {
    /// The stages, one after the other.
    fn stages(&mut self) -> Result<Decision, Rejection> {
        let key = self.admitted()?;
        self.account.allowlist.admit(self.prepared.peer)?;
        self.take_from_limit(key)?;
        let execution = match self.prepared.planned.as_ref().map_err(Clone::clone)? {
            Planned::Verification(id) => return self.look_up(id),
            Planned::Usage(period) => return Ok(self.report(*period)),
            Planned::Execution(execution) => execution,
        };
        match self.claimed()? {
            Claimed::Replay(reply) => return Ok(self.answered(reply)),
            Claimed::Running => return Ok(Decision::Running),
            Claimed::Fresh => {}
        }
        let (matter, drawn, delay_ms) = match execution {
            Execution::Bundle(bundle) => self.run_bundle(bundle)?,
            Execution::Run(run) => {
                let flow = self.resumed(run)?;
                let hold = self.held(self.rules.contract.operations[run.operation].price)?;
                self.begin(run, flow, hold)
            }
        };
        Ok(match delay_ms {
            0 => self.concluded(matter, drawn),
            _ => self.put_off(matter, drawn, delay_ms),
        })
    }

    /// Which of the account's keys the call presents.
    fn admitted(&self) -> Result<usize, Rejection> {
        let (keys, prepared) = (&self.account.keys, self.prepared);
        authenticate::admit(keys, prepared.credential, prepared.environment, self.now)
    }

    /// What a call takes from its key's rate limit, where there is one.
    fn take_from_limit(&mut self, key: usize) -> Result<(), Rejection> {
        if let Some(limit) = self.account.rate_limit {
            let window = limit.take(self.account.windows[key], self.now)?;
            self.changes.push(Change::Passed { key, window });
        }
        Ok(())
    }

    fn claimed(&self) -> Result<Claimed, Rejection> {
        let Some(key) = self.prepared.idempotency_key else {
            return Ok(Claimed::Fresh);
        };
        let (claims, retention) = (&self.books.claims, self.account.settings.retention);
        claims.look(key, self.prepared.body, self.now, retention)
    }

    /// The flow that a carried identifier goes on with.
    fn resumed(&self, run: &Run<'_>) -> Result<Option<&'a Memory>, Rejection> {
        let Some(step) = run.step.filter(|_| !run.fixed) else {
            return Ok(None);
        };
        let (flows, contract) = (&self.books.flows, &self.rules.contract);
        let running = flows.resume(contract, step, &run.input, &run.same)?;
        Ok(running.map(|running| &running.memory))
    }

    /// The price put aside; nothing is on the sandbox.
    fn held(&self, price: Paise) -> Result<Option<Hold>, Rejection> {
        match self.prepared.environment {
            Environment::Live => self.books.wallet.hold(price).map(Some),
            Environment::Test => Ok(None),
        }
    }

    /// From here on nothing can fail: the call gets its id, and its outcome is drawn.
    fn begin(
        &mut self,
        run: &'a Run<'a>,
        flow: Option<&'a Memory>,
        hold: Option<Hold>,
    ) -> (Matter, Drawn, u64) {
        let (rules, prepared, now) = (self.rules, self.prepared, self.now);
        let verification = self.next_id();
        let decided = run.sequence.and_then(|key| self.books.sequences.get(&key));
        let drawing = Drawing {
            rules,
            run,
            sources: Sources {
                story: &rules.story,
                input: &run.input,
                flow,
                verification,
                addresses: rules.addresses.of(prepared.environment),
            },
            reference: prepared.reference,
            now,
        };
        let (drawn, extras) = drawing.draw(decided.copied().unwrap_or(0));
        let hold = hold.map(|hold| hold.amount);
        let claim = prepared.idempotency_key;
        self.changes.push(Change::Began(Box::new(Began {
            verification,
            content: prepared.content,
            claim: claim.map(|key| (key.into(), prepared.body)),
            sequences: run.sequence.into_iter().collect(),
            hold: hold.unwrap_or_default(),
        })));
        let operation = &rules.contract.operations[run.operation];
        let matter = Matter {
            latency_ms: latency(operation.latency, &prepared.content),
            provider: extras.provider,
            claim: claim.map(Into::into),
            hold,
            because: run.choice.because(&rules.scenarios),
            ..matter_of(prepared, verification, now)
        };
        (matter, drawn, extras.delay_ms)
    }

    /// The steps of a bundle, drawn one after the other under one hold.
    fn run_bundle(&mut self, run: &'a BundleRun<'a>) -> Result<(Matter, Drawn, u64), Rejection> {
        let (rules, books, prepared) = (self.rules, self.books, self.prepared);
        let earlier = self.earlier_call(run)?;
        let price = run.price(&rules.contract);
        let hold = self.held(price)?.map(|hold| hold.amount);
        let (asked, claim) = (
            books.counters.asked(&prepared.content),
            prepared.idempotency_key,
        );
        let row = &rules.contract.bundles[run.bundle];
        let own = Matter {
            latency_ms: latency(row.typical_latency, &prepared.content),
            claim: claim.map(Into::into),
            hold,
            because: Because::Bundle,
            counts: true,
            ..matter_of(prepared, self.next_id(), self.now)
        };
        let matter = earlier.map_or(own.clone(), |(ticket, _)| ticket.matter.resumed_by(own));
        let drawing = BundleDrawing {
            rules,
            run,
            matter: &matter,
            content: &prepared.content,
            asked,
            flow: earlier.map(|(_, memory)| memory),
            now: self.now,
            decided: &|key| books.sequences.get(&key).copied().unwrap_or(0),
        };
        let (mut drawn, extras) = drawing.draw();
        if let Some((
            Ticket {
                drawn: Drawn::Bundle(before),
                ..
            },
            _,
        )) = earlier
        {
            drawn.steps.splice(0..0, before.steps.iter().cloned());
        }
        self.changes.push(Change::Began(Box::new(Began {
            verification: matter.verification,
            content: prepared.content,
            claim: claim.map(|key| (key.into(), prepared.body)),
            sequences: extras.sequences,
            hold: hold.unwrap_or_default(),
        })));
        Ok((matter, Drawn::Bundle(Box::new(drawn)), extras.delay_ms))
    }

    /// The call that a second one goes on with: its open ticket and what it left.
    fn earlier_call(
        &self,
        run: &BundleRun<'_>,
    ) -> Result<Option<(&'a Ticket, &'a Memory)>, Rejection> {
        let Some(second) = run.second.as_ref().filter(|second| !second.fixed) else {
            return Ok(None);
        };
        let memory = self.resumed(second)?;
        let bundle = memory.and_then(Memory::bundle);
        let ticket = bundle.and_then(|bundle| self.books.tickets.get(bundle));
        let open = ticket.zip(memory).ok_or_else(|| {
            Rejection::input(
                "this bundle has come to its end, or was not begun here; begin it anew",
            )
        })?;
        Ok(Some(open))
    }

    fn concluded(&mut self, matter: Matter, drawn: Drawn) -> Decision {
        let answer = Answer::First(matter);
        let (reply, concluded) = conclude(self.rules, self.books, answer, drawn, self.now);
        self.changes.push(Change::Concluded(Box::new(concluded)));
        self.answered(reply)
    }

    fn put_off(&mut self, matter: Matter, drawn: Drawn, delay_ms: u64) -> Decision {
        let verification = matter.verification;
        let ticket = Ticket {
            matter,
            drawn,
            due: Due::Real { delay_ms },
            answered: false,
        };
        self.changes.push(Change::PutOff(Box::new(ticket)));
        Decision::PutOff {
            verification,
            delay_ms,
            entry: self.entry(),
        }
    }

    /// The newest envelope of an earlier call, with HTTP 200 whatever its own status was.
    fn look_up(&mut self, id: &str) -> Result<Decision, Rejection> {
        let record = VerificationId::parse(id).and_then(|id| self.books.calls.get(id));
        let envelope = &record.ok_or(Rejection::UnknownVerification)?.envelope;
        Ok(self.answered(Reply::plain(200, envelope.clone())))
    }

    /// What the account spent, as an envelope of its own.
    fn report(&mut self, period: usage::Period) -> Decision {
        let live = self.prepared.environment == Environment::Live;
        let balance = live.then(|| self.books.wallet.balance());
        let data = self.books.usage.report(period, balance);
        let matter = Matter {
            because: Because::Account,
            ..matter_of(self.prepared, self.next_id(), self.now)
        };
        self.note_beginning();
        self.concluded(matter, Drawn::Completed { data, flow: None })
    }

    /// A refusal is recorded like any answer, but for a 401: no account is known then.
    fn refused(&mut self, rejection: &Rejection) -> Decision {
        if self.rules.contract.error(rejection.code()).status == 401 {
            let nobody = self.prepared.content.verification(0);
            let matter = matter_of(self.prepared, nobody, self.now);
            let (reply, _) = refuse(self.rules, &matter, rejection);
            return Decision::Answered { reply, entry: None };
        }
        let matter = matter_of(self.prepared, self.next_id(), self.now);
        let (reply, concluded) = refuse(self.rules, &matter, rejection);
        self.note_beginning();
        self.changes.push(Change::Concluded(Box::new(concluded)));
        self.answered(reply)
    }

    fn next_id(&self) -> VerificationId {
        let content = &self.prepared.content;
        content.verification(self.books.counters.asked(content))
    }

    /// The beginning of a call that executes nothing.
    fn note_beginning(&mut self) {
        let began = Began {
            verification: self.next_id(),
            content: self.prepared.content,
            claim: None,
            sequences: Vec::new(),
            hold: Paise::ZERO,
        };
        self.changes.push(Change::Began(Box::new(began)));
    }

    fn answered(&mut self, reply: Reply) -> Decision {
        let changed = !self.changes.is_empty();
        let entry = changed.then(|| self.entry());
        Decision::Answered { reply, entry }
    }

    fn entry(&mut self) -> Entry {
        Entry {
            at: self.now,
            environment: self.prepared.environment,
            changes: std::mem::take(&mut self.changes),
        }
    }
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
    let Ticket {
        matter,
        drawn,
        answered,
        ..
    } = books.tickets.get(verification)?.clone();
    let answer = if answered {
        Answer::Result(matter)
    } else {
        Answer::First(matter)
    };
    let (reply, concluded) = conclude(rules, books, answer, drawn, now);
    let changes = vec![Change::Concluded(Box::new(concluded))];
    let entry = Entry {
        at: now,
        environment,
        changes,
    };
    Some((reply, entry))
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
    let (at, _, environment, delivery) =
        due.min_by_key(|&(at, verification, environment, _)| (at, verification, environment))?;
    Some((at, environment, delivery.clone()))
}

/// The answer to a call whose key no account has: nothing is recorded, nothing is counted.
#[must_use]
pub fn turn_away(
    rules: &Rules,
    call: &Call<'_>,
    rejection: &Rejection,
    machine: Timestamp,
) -> Reply {
    let nobody = Credential { key: "" };
    let prepared = prepare(rules, "", nobody, call);
    refuse(
        rules,
        &matter_of(&prepared, prepared.content.verification(0), machine),
        rejection,
    )
    .0
}

/// What is known of a call that executes nothing.
fn matter_of(prepared: &Prepared<'_>, verification: VerificationId, now: Timestamp) -> Matter {
    Matter {
        verification,
        environment: prepared.environment,
        endpoint: prepared.endpoint.clone(),
        counts: prepared.operation.is_some(),
        reference: prepared.reference.map(Into::into),
        created_at: now,
        latency_ms: 0,
        provider: None,
        claim: None,
        hold: None,
        because: Because::Refused,
        resumes: None,
    }
}
