//! The stages of a call, one method each, in the order they are walked. What each decides is in the
//! module of its concern; here is what they hand to each other.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;

use super::authenticate;
use super::bundle::{BundleDrawing, BundleRun};
use super::pipeline::{CallPipeline, Decision};
use super::prepare::{Prepared, Room, Run};
use super::reply::Reply;
use super::request::Environment;
use super::resolve::{Drawing, Drawn, Due};
use super::response::Sources;
use super::settle::{Answer, conclude, latency, refuse};
use crate::engine::state::audit::{self, AccessKind, first_accesses};
use crate::engine::state::calls::Record;
use crate::engine::state::entry::{Began, Change, Entry};
use crate::engine::state::flow::Memory;
use crate::engine::state::idempotency::Claimed;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::ticket::{Matter, Ticket};
use crate::engine::state::usage;
use crate::engine::state::wallet::Hold;
use crate::scenario::{Because, WebhookFault};

impl<'a> CallPipeline<'a> {
    /// Which of the account's keys the call presents.
    pub(super) fn admitted(&self) -> Result<usize, Rejection> {
        let (keys, prepared) = (&self.account.keys, self.prepared);
        authenticate::admit(keys, prepared.credential, prepared.environment, self.now)
    }

    /// What a call takes from its key's rate limit, where there is one.
    pub(super) fn take_from_limit(&mut self, key: usize) -> Result<(), Rejection> {
        if let Some(limit) = self.account.rate_limit {
            let window = limit.take(self.account.windows[key], self.now)?;
            self.changes.push(Change::RateLimitConsumed { key, window });
        }
        Ok(())
    }

    pub(super) fn claimed(&self) -> Result<Claimed, Rejection> {
        let Some(key) = self.prepared.idempotency_key else {
            return Ok(Claimed::Fresh);
        };
        let (claims, retention) = (&self.books.claims, self.account.settings.retention);
        claims.look(key, self.prepared.body, self.now, retention)
    }

    /// Whether what is pending leaves room for one more call.
    pub(super) fn has_room(&self) -> Result<(), Rejection> {
        match self.prepared.room {
            Room::Enough => self.books.room(&self.account.settings.keeps),
            Room::None => Err(Rejection::NoRoom),
        }
    }

    /// What its idempotency key means where just this verification has claimed it.
    pub(super) fn claimed_by(&self, verification: VerificationId) -> Option<Claimed> {
        let key = self.prepared.idempotency_key?;
        self.books.claims.of(key, verification)
    }

    /// What was taken from the limit is taken, whatever the call waits for.
    pub(super) fn waits(&mut self, on: VerificationId) -> Decision {
        let changed = !self.changes.is_empty();
        let entry = changed.then(|| self.entry());
        Decision::Running { on, entry }
    }

    /// The flow that a carried identifier goes on with.
    pub(super) fn resumed(&self, run: &Run<'_>) -> Result<Option<&'a Memory>, Rejection> {
        let Some(step) = run.step.filter(|_| !run.fixed) else {
            return Ok(None);
        };
        let (flows, contract) = (&self.books.flows, &self.rules.contract);
        let running = flows.resume(contract, step, &run.input, &run.same)?;
        Ok(running.map(|running| &running.memory))
    }

    /// The price put aside; nothing is on the sandbox.
    pub(super) fn held(&self, price: Paise) -> Result<Option<Hold>, Rejection> {
        match self.prepared.environment {
            Environment::Live => self.books.wallet.hold(price).map(Some),
            Environment::Test => Ok(None),
        }
    }

    /// From here on nothing can fail: the call gets its id, and its outcome is drawn.
    pub(super) fn begin(
        &mut self,
        run: &'a Run<'a>,
        flow: Option<&'a Memory>,
        hold: Option<Hold>,
    ) -> (Matter, Drawn, u64) {
        let (rules, prepared, now) = (self.rules, self.prepared, self.now);
        let verification = self.next_id();
        let operation = &rules.contract.operations[run.operation];
        let latency_ms = latency(operation.latency, &prepared.content);
        let decided = run.sequence.map_or(0, |key| self.books.decided(key));
        let drawing = Drawing {
            rules,
            run,
            sources: Sources {
                story: &rules.story,
                input: &run.input,
                flow,
                verification,
                addresses: rules.addresses.of(prepared.environment),
                people: &rules.scenarios.people,
            },
            reference: prepared.reference,
            latency_ms,
            now,
        };
        let (drawn, extras) = drawing.draw(decided);
        let hold = hold.map(|hold| hold.amount);
        let claim: Option<Arc<str>> = prepared.idempotency_key.map(Arc::from);
        self.changes.push(Change::Began(Box::new(Began {
            verification,
            content: prepared.content,
            claim: claim.clone().map(|key| (key, prepared.body)),
            sequences: run.sequence.into_iter().collect(),
            hold: hold.unwrap_or_default(),
        })));
        let matter = Matter {
            latency_ms,
            provider: extras.provider,
            claim,
            hold,
            because: drawing.because(),
            wire: extras.wire,
            webhook: extras.webhook,
            ..matter_of(prepared, verification, now)
        };
        (matter, drawn, extras.delay_ms)
    }

    /// The steps of a bundle, drawn one after the other under one hold.
    pub(super) fn run_bundle(
        &mut self,
        run: &'a BundleRun<'a>,
    ) -> Result<(Matter, Drawn, u64), Rejection> {
        let (rules, books, prepared) = (self.rules, self.books, self.prepared);
        let earlier = self.earlier_call(run)?;
        let price = run.price(&rules.contract);
        let hold = self.held(price)?.map(|hold| hold.amount);
        let asked = books.counters.asked(&prepared.content);
        let claim: Option<Arc<str>> = prepared.idempotency_key.map(Arc::from);
        let row = &rules.contract.bundles[run.bundle];
        let own = Matter {
            latency_ms: latency(row.typical_latency, &prepared.content),
            claim: claim.clone(),
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
            decided: &|key| books.decided(key),
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
            claim: claim.map(|key| (key, prepared.body)),
            sequences: extras.sequences,
            hold: hold.unwrap_or_default(),
        })));
        let matter = Matter {
            wire: extras.wire,
            webhook: matter.webhook.or(extras.webhook),
            ..matter
        };
        Ok((matter, Drawn::Bundle(Box::new(drawn)), extras.delay_ms))
    }

    /// The call that a second one goes on with: its open ticket and what it left.
    pub(super) fn earlier_call(
        &self,
        run: &BundleRun<'_>,
    ) -> Result<Option<(&'a Ticket, &'a Memory)>, Rejection> {
        let Some(second) = run.second.as_ref().filter(|second| !second.fixed) else {
            return Ok(None);
        };
        let memory = self.resumed(second)?;
        let bundle = memory.and_then(Memory::bundle);
        let ticket = bundle.and_then(|bundle| self.books.tickets.get(bundle));
        // One that is held back is another second call, which will end it.
        let ticket = ticket.filter(|ticket| ticket.due == Due::SecondCall);
        let open = ticket.zip(memory).ok_or_else(|| {
            Rejection::input(
                "this bundle has come to its end, or was not begun here; begin it anew",
            )
        })?;
        Ok(Some(open))
    }

    pub(super) fn concluded(&mut self, matter: Matter, drawn: Drawn) -> Decision {
        let wire = matter.wire;
        let answer = Answer::First(matter);
        let (reply, concluded) = conclude(self.rules, self.books, answer, drawn, self.now);
        let environment = self.prepared.environment;
        let accesses = first_accesses(self.rules, environment, &concluded, self.now);
        self.changes.extend(accesses);
        self.changes.push(Change::Concluded(Box::new(concluded)));
        self.answered(reply.sent_over(wire))
    }

    /// An answer that was given before.
    pub(super) fn replayed(&mut self, reply: Reply, verification: VerificationId) -> Decision {
        if let Some(record) = self.books.calls.get(verification) {
            self.audit(record, AccessKind::Replay);
        }
        self.answered(reply)
    }

    pub(super) fn audit(&mut self, record: &Record, by: AccessKind) {
        let environment = self.prepared.environment;
        let access = audit::access(self.rules, environment, record, by, self.now);
        self.changes.extend(access);
    }

    pub(super) fn put_off(&mut self, matter: Matter, drawn: Drawn, delay_ms: u64) -> Decision {
        let verification = matter.verification;
        let ticket = Ticket {
            matter,
            drawn,
            due: Due::Real { delay_ms },
            answered: false,
            consent: None,
        };
        self.changes.push(Change::PutOff(Box::new(ticket)));
        Decision::PutOff {
            verification,
            delay_ms,
            entry: self.entry(),
        }
    }

    /// The newest envelope of an earlier call, with HTTP 200 whatever its own status was.
    pub(super) fn look_up(&mut self, id: &str) -> Result<Decision, Rejection> {
        let record = VerificationId::parse(id).and_then(|id| self.books.calls.get(id));
        let record = record.ok_or(Rejection::UnknownVerification)?;
        self.audit(record, AccessKind::LookUp);
        Ok(self.answered(Reply::plain(200, record.envelope.clone())))
    }

    /// What the account spent, as an envelope of its own.
    pub(super) fn report(&mut self, period: usage::Period) -> Decision {
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
    pub(super) fn refused(&mut self, rejection: &Rejection) -> Decision {
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

    pub(super) fn next_id(&self) -> VerificationId {
        let content = &self.prepared.content;
        content.verification(self.books.counters.asked(content))
    }

    /// The beginning of a call that executes nothing.
    pub(super) fn note_beginning(&mut self) {
        let began = Began {
            verification: self.next_id(),
            content: self.prepared.content,
            claim: None,
            sequences: Vec::new(),
            hold: Paise::ZERO,
        };
        self.changes.push(Change::Began(Box::new(began)));
    }

    pub(super) fn answered(&mut self, reply: Reply) -> Decision {
        let changed = !self.changes.is_empty();
        let entry = changed.then(|| self.entry());
        Decision::Answered { reply, entry }
    }

    pub(super) fn entry(&mut self) -> Entry {
        Entry {
            at: self.now,
            environment: self.prepared.environment,
            changes: std::mem::take(&mut self.changes),
        }
    }
}

/// What is known of a call that executes nothing.
pub(super) fn matter_of(
    prepared: &Prepared<'_>,
    verification: VerificationId,
    now: Timestamp,
) -> Matter {
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
        wire: None,
        webhook: WebhookFault::default(),
        resumes: None,
    }
}
