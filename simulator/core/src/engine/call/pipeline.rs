//! The pipeline of a call: its stages, in the order of the contract. READ FIRST.
//!
//! ```text
//! bytes → Call → Caller → &Operation → Input → Claim{Replay|Fresh} → Hold → Outcome{because}
//!       → Reply → Settlement → Entry → [Delivery]; any stage may end in a Rejection → Reply → Entry
//! ```
//! [`prepare()`](super::prepare::prepare) needs no state and runs outside any lock; [`decide`] reads one
//! account under its lock and says what changes, as an [`Entry`]; the host applies it. A delayed or
//! pending verification stays open, and [`finish`](super::settle::finish) ends it.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;

use super::bundle::BundlePlan;
use super::decision::Decision;
use super::idempotency::{self, ClaimLookup};
use super::prepare::{Plan, Prepared, Room};
use super::reply::Reply;
use super::request::Environment;
use super::resolve::{ResolvedSteps, Resolver, latency};
use super::rules::Rules;
use super::settle::{Settlement, UnauthenticatedCall, refuse};
use super::step_plan::StepPlan;
use crate::engine::state::access::{self, Clocks};
use crate::engine::state::account::Account;
use crate::engine::state::audit::AccessKind;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::stage::Stage;
use crate::engine::state::usage::Period;
use crate::engine::state::verification::{
    Claim, Due, FirstAnswer, Phase, Resolved, Step, Verification,
};
use crate::engine::state::wallet::Hold;
use crate::scenario::Because;

/// Decides a call. All checks are made here, in the order of the contract; a mistake that
/// [`prepare()`](super::prepare::prepare) found waits for those that come before it.
#[must_use]
pub fn decide(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    machine: Timestamp,
) -> Decision {
    let mut pipeline = CallPipeline::new(rules, account, prepared, machine);
    match pipeline.run() {
        Ok(decision) => decision,
        Err(rejection) => pipeline.refused(&rejection),
    }
}

/// Decides a call that waited for the one that runs as this verification under its key. It was let
/// in when it came and is not checked again: it gets that call's answer, even where the key expired
/// meanwhile (ruling 20).
#[must_use]
pub fn decide_waiting(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    on: VerificationId,
    machine: Timestamp,
) -> Decision {
    let mut pipeline = CallPipeline::new(rules, account, prepared, machine);
    let verifications = &pipeline.state.verifications;
    let key = prepared.idempotency_key;
    match key.and_then(|key| idempotency::claimed_by(verifications, key, on)) {
        Some(ClaimLookup::Replay(reply, id)) => pipeline.replayed(reply, id),
        Some(ClaimLookup::InFlight(on)) => Decision::InFlight { on, entry: None },
        Some(ClaimLookup::Fresh) | None => decide(rules, account, prepared, machine),
    }
}

/// One call on its way through the stages.
struct CallPipeline<'a> {
    rules: &'a Rules,
    account: &'a Account,
    state: &'a EnvironmentState,
    prepared: &'a Prepared<'a>,
    now: Timestamp,
    machine: Timestamp,
    /// Where it is.
    stage: Stage,
    /// What changed so far.
    changes: Vec<Change>,
}

impl<'a> CallPipeline<'a> {
    fn new(
        rules: &'a Rules,
        account: &'a Account,
        prepared: &'a Prepared<'a>,
        machine: Timestamp,
    ) -> Self {
        CallPipeline {
            rules,
            account,
            state: account.environment(prepared.environment),
            prepared,
            now: account.clock.read(machine),
            machine,
            stage: Stage::Authenticate,
            changes: Vec::with_capacity(4),
        }
    }

    /// The stages, one after the other.
    fn run(&mut self) -> Result<Decision, Rejection> {
        let key = self.at(Stage::Authenticate).authenticate()?;
        self.at(Stage::Allowlist).admit()?;
        self.at(Stage::RateLimit).consume_rate_limit(key)?;
        let plan = match &self.at(Stage::Prepare).prepared.plan {
            Ok(plan) => plan,
            Err(rejection) => {
                self.changes
                    .extend(self.prepared.wrong_try.clone().map(Change::FlowAdvanced));
                return Err(rejection.clone());
            }
        };
        match plan {
            Plan::LookUp(id) => return self.look_up(id),
            Plan::Usage(period) => return Ok(self.report_usage(*period)),
            Plan::Operation(_) | Plan::Bundle(_) => {}
        }
        match self.at(Stage::Claim).claim()? {
            ClaimLookup::Replay(reply, id) => return Ok(self.replayed(reply, id)),
            ClaimLookup::InFlight(on) => {
                self.prepared.delays.clone()?;
                return Ok(self.wait(on));
            }
            ClaimLookup::Fresh => {}
        }
        self.at(Stage::Room).check_room(plan)?;
        let first_call = self.at(Stage::Flow).resume_flow(plan)?;
        let hold = self.at(Stage::Hold).hold(plan)?;
        let (verification, delay_ms) = self.at(Stage::Resolve).resolve(plan, first_call, hold)?;
        Ok(match delay_ms {
            0 => self.settle(verification),
            _ => self.delay(verification, delay_ms),
        })
    }

    /// The call comes to a stage: a refusal is recorded with it (ruling 35).
    fn at(&mut self, stage: Stage) -> &mut Self {
        self.stage = stage;
        self
    }

    /// Which of the account's keys the call presents (clause auth.bearer, clause auth.bad-key, clause
    /// auth.wrong-environment).
    fn authenticate(&self) -> Result<usize, Rejection> {
        let (keys, prepared) = (&self.account.keys, self.prepared);
        access::admit(
            keys,
            prepared.credential.key,
            prepared.environment,
            self.now,
        )
    }

    /// Whether the key may be used from where the caller is (ruling 14).
    fn admit(&self) -> Result<(), Rejection> {
        self.account.allowlist.admit(self.prepared.peer)
    }

    /// What a call takes from its key's rate limit, where there is one (rulings 14 and 17).
    fn consume_rate_limit(&mut self, key: usize) -> Result<(), Rejection> {
        if let Some(limit) = self.account.rate_limit {
            let clocks = Clocks {
                account: self.now,
                machine: self.machine,
            };
            let window = limit.take(self.account.windows[key], clocks)?;
            self.changes.push(Change::RateLimitConsumed { key, window });
        }
        Ok(())
    }

    /// What its idempotency key means (rulings 18 to 20).
    fn claim(&self) -> Result<ClaimLookup, Rejection> {
        let Some(key) = self.prepared.idempotency_key else {
            return Ok(ClaimLookup::Fresh);
        };
        let retention = self.account.settings.retention;
        let verifications = &self.state.verifications;
        idempotency::look(verifications, key, self.prepared.body, self.now, retention)
    }

    /// Whether what is pending leaves room for one more call. One that brings a pending bundle to its
    /// end makes room (ruling 17).
    fn check_room(&self, plan: &Plan<'_>) -> Result<(), Rejection> {
        match (plan, self.prepared.room) {
            (Plan::Bundle(bundle), _) if bundle.second.is_some() => Ok(()),
            (_, Room::Enough) => self.state.check_room(&self.account.settings.limits),
            (_, Room::None) => Err(Rejection::NoRoom),
        }
    }

    /// The verification whose flow a carried identifier goes on with (ruling 11); the second call of a
    /// bundle goes on with the bundle itself (ruling 29).
    fn resume_flow(&self, plan: &Plan<'_>) -> Result<Option<&'a Verification>, Rejection> {
        match plan {
            Plan::Operation(step) => self.resume_step(step),
            Plan::Bundle(bundle) => match bundle.going_on(self.state) {
                None => Ok(None),
                Some(second) => {
                    let first = self.resume_step(second)?;
                    let awaits = Phase::Pending {
                        due: Due::SecondCall,
                    };
                    // One that is delayed is another second call, which will end it.
                    let open = first.filter(|it| it.is_bundle() && it.phase == awaits);
                    open.map(Some).ok_or_else(|| {
                        Rejection::input(
                            "this bundle has come to its end, or was not begun here; begin it anew",
                        )
                    })
                }
            },
            Plan::LookUp(_) | Plan::Usage(_) => Ok(None),
        }
    }

    fn resume_step(&self, plan: &StepPlan<'_>) -> Result<Option<&'a Verification>, Rejection> {
        let Some(at) = plan.step.filter(|_| !plan.is_fixed(self.state)) else {
            return Ok(None);
        };
        let row = &self.rules.contract.flows[at.flow];
        let step = &row.steps[at.step];
        let Some(field) = &step.takes else {
            return Ok(None);
        };
        let token = plan.input.text(field).unwrap_or_default();
        let first = self.state.verifications.by_token(&row.name, token);
        let Some((first, flow)) = first.and_then(|it| Some((it, it.flow.as_ref()?))) else {
            return Err(match step.unknown_is_not_found {
                true => Rejection::UnknownCarried {
                    field: field.clone(),
                    of: row.steps[0].operation.clone(),
                },
                false => Rejection::input(format!(
                    "{field}: was not issued to this account; call {} first",
                    row.steps[0].operation
                )),
            });
        };
        let same = plan.decision(self.state).same.iter();
        let same = same.filter_map(|name| Some((*name, plan.input.named(name)?)));
        let age_ms = self.now.as_millisecond() - first.created_at.as_millisecond();
        flow.admit(&self.rules.contract, at, age_ms, same)?;
        Ok(Some(first))
    }

    /// The price put aside; nothing is on the sandbox (ruling 22).
    fn hold(&self, plan: &Plan<'_>) -> Result<Option<Hold>, Rejection> {
        let price = match plan {
            Plan::Operation(step) => self.rules.contract.operations[step.operation].price,
            Plan::Bundle(bundle) => bundle.price(&self.rules.contract, self.state),
            Plan::LookUp(_) | Plan::Usage(_) => Paise::ZERO,
        };
        match self.prepared.environment {
            Environment::Live => self.state.wallet.hold(price).map(Some),
            Environment::Test => Ok(None),
        }
    }

    /// The call gets its id (ruling 2), and its steps their outcomes (rulings 9, 31 and 33). One that these
    /// hold back is refused over its account's share of such calls; from there on nothing can fail. Gives
    /// the verification and how long its answer is delayed.
    fn resolve(
        &mut self,
        plan: &Plan<'_>,
        first_call: Option<&Verification>,
        hold: Option<Hold>,
    ) -> Result<(Box<Verification>, u64), Rejection> {
        let prepared = self.prepared;
        let content = &prepared.content;
        let asked = self.state.counters.asked(content.counter_key());
        let flow = first_call.and_then(|first| first.flow.as_ref());
        let resolver = Resolver {
            rules: self.rules,
            environment: prepared.environment,
            state: self.state,
            reference: prepared.reference,
            flow: flow.map(|flow| &flow.memory),
            now: self.now,
        };
        let mut verification = Box::new(self.verification(content.verification(asked)));
        verification.hold = hold.map(|hold| hold.amount);
        let resolved = match plan {
            Plan::Bundle(bundle) => {
                self.begin_bundle(&mut verification, bundle, first_call);
                resolver.bundle(bundle, content, asked)
            }
            Plan::Operation(step) => resolver.operation(step, verification.id, content),
            Plan::LookUp(_) | Plan::Usage(_) => ResolvedSteps::default(),
        };
        if resolved.delay_ms > 0 || resolved.wire.is_some() {
            prepared.delays.clone()?;
        }
        if let (Plan::Operation(_), [step]) = (plan, resolved.steps.as_slice()) {
            verification.counted = true;
            verification.latency_ms = step.latency_ms;
            verification.provider.clone_from(&step.provider);
            verification.because = step.because.clone();
        }
        match verification.steps.is_empty() {
            true => verification.steps = resolved.steps,
            // The second call of a bundle goes on after the first one's step.
            false => verification.steps.extend(resolved.steps),
        }
        if let Plan::Bundle(bundle) = plan {
            verification.waiting = bundle.waiting(resolved.waiting);
        }
        verification.wire = resolved.wire;
        verification.webhook = verification.webhook.or(resolved.webhook);
        if let Some(key) = prepared.idempotency_key {
            verification.claims.push(Claim {
                key: Arc::from(key),
                body: prepared.body,
                at: self.now,
                answer: FirstAnswer::InFlight,
            });
        }
        self.count_call();
        let sequences = resolved.sequences.into_iter();
        self.changes
            .extend(sequences.map(|sequence| Change::SequenceAdvanced { sequence }));
        if let Some(hold) = hold.filter(|hold| hold.amount > Paise::ZERO) {
            let amount = hold.amount;
            self.changes.push(Change::HoldOpened { amount });
        }
        Ok((verification, resolved.delay_ms))
    }

    /// A bundle as a call of its own; the second call of one goes on with the record of the first: id,
    /// hold, beginning and webhook stay, key, reference and wire are the second call's.
    fn begin_bundle(
        &self,
        verification: &mut Verification,
        plan: &BundlePlan<'_>,
        first_call: Option<&Verification>,
    ) {
        let row = &self.rules.contract.bundles[plan.bundle];
        match first_call {
            Some(first) => {
                *verification = Verification {
                    reference: verification.reference.take(),
                    second_request: verification.request.take().map(Box::new),
                    phase: verification.phase,
                    ..first.clone()
                };
            }
            None => {
                verification.counted = true;
                verification.latency_ms =
                    latency(row.typical_latency, self.prepared.content.number());
                verification.because = Because::Bundle;
            }
        }
    }

    /// Settles the verification at once (rulings 19 and 22).
    fn settle(&mut self, verification: Box<Verification>) -> Decision {
        let reply = self.settlement().settle(verification, &mut self.changes);
        self.answered(reply)
    }

    /// Delays the answer for some real time; hold and claim stay open meanwhile (ruling 24).
    fn delay(&mut self, mut verification: Box<Verification>, delay_ms: u64) -> Decision {
        let id = verification.id;
        verification.phase = Phase::Delayed { delay_ms };
        self.changes.push(Change::Recorded(verification));
        Decision::Delayed {
            verification: id,
            delay_ms,
            entry: self.entry(),
        }
    }

    /// Waits for the call that claimed the key first (ruling 20). What was taken from the rate limit is
    /// taken.
    fn wait(&mut self, on: VerificationId) -> Decision {
        let changed = !self.changes.is_empty();
        let entry = changed.then(|| self.entry());
        Decision::InFlight { on, entry }
    }

    /// An answer that was given before (ruling 19).
    fn replayed(&mut self, reply: Reply, id: VerificationId) -> Decision {
        if let Some(verification) = self.state.verifications.get(id) {
            let access = self.settlement().access(verification, AccessKind::Replay);
            self.changes.extend(access);
        }
        self.answered(reply)
    }

    /// The newest envelope of an earlier call, with HTTP 200 whatever its own status was (ruling 27).
    fn look_up(&mut self, id: &str) -> Result<Decision, Rejection> {
        let found = VerificationId::parse(id);
        let found = found.and_then(|id| self.state.verifications.answered(id));
        let (verification, answer) = found.ok_or(Rejection::UnknownVerification)?;
        let access = self.settlement().access(verification, AccessKind::LookUp);
        self.changes.extend(access);
        Ok(self.answered(Reply::plain(200, answer.sent())))
    }

    /// What the account spent, as an envelope of its own (ruling 27).
    fn report_usage(&mut self, period: Period) -> Decision {
        let live = self.prepared.environment == Environment::Live;
        let balance = live.then(|| self.state.wallet.balance());
        let data = self
            .state
            .usage
            .report(period, balance, &self.rules.scenarios.answers);
        let mut verification = Box::new(self.verification(self.next_id()));
        verification.because = Because::Account;
        verification.steps.push(Step {
            id: verification.id,
            endpoint: Arc::clone(&verification.endpoint),
            latency_ms: 0,
            provider: None,
            because: Because::Account,
            price: Paise::ZERO,
            outcome: Resolved::Completed { data, flow: None },
        });
        self.count_call();
        self.settle(verification)
    }

    /// A refusal is recorded like any answer, but for a 401: no account is known then.
    fn refused(&mut self, rejection: &Rejection) -> Decision {
        let (rules, environment) = (self.rules, self.prepared.environment);
        if rules.contract.error(rejection.code()).status == 401 {
            let nobody = self.prepared.content.verification(0);
            let refused =
                UnauthenticatedCall::new(rules, environment, self.verification(nobody), rejection);
            return Decision::Unauthenticated(refused);
        }
        let mut verification = Box::new(self.verification(self.next_id()));
        verification.refused_at = Some(self.stage);
        let reply = refuse(rules, environment, &mut verification, rejection);
        self.count_call();
        self.changes.push(Change::Recorded(verification));
        self.answered(reply)
    }

    fn settlement(&self) -> Settlement<'a> {
        Settlement {
            rules: self.rules,
            account: &self.account.id,
            environment: self.prepared.environment,
            state: self.state,
            now: self.now,
        }
    }

    fn next_id(&self) -> VerificationId {
        let content = &self.prepared.content;
        content.verification(self.state.counters.asked(content.counter_key()))
    }

    fn count_call(&mut self) {
        let content = self.prepared.content.counter_key();
        self.changes.push(Change::CallCounted { content });
    }

    fn verification(&self, id: VerificationId) -> Verification {
        self.prepared.verification(id, self.now)
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
