//! The settlement of a call: its answer, what is charged for it and what of it is recorded, in one place
//! for every way in which it can end. Operations and bundles are settled alike: from what their steps
//! came to.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use svc_fixtures::contract::{Bundle, BundleIndex, BundleMode, Paise};
use svc_fixtures::json::Json;

use super::bundle::BundlePlan;
use super::prepare::prepare;
use super::render::{Charge, ResultPart, envelope};
use super::reply::Reply;
use super::request::{Call, Credential, Environment};
use super::resolve::Resolver;
use super::rollup::{self, StepEnd};
use super::rules::Rules;
use crate::engine::state::account::Account;
use crate::engine::state::audit::{Access, AccessKind};
use crate::engine::state::delivery::Delivery;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::flow::{FlowAdvance, FlowChange};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::usage;
use crate::engine::state::verification::{
    Answer, Due, Phase, Resolved, State, Step, Verification, WaitingSteps,
};
use crate::scenario::{HeaderLines, RequestContext};

/// Where a verification is settled.
#[derive(Clone, Copy)]
pub struct Settlement<'a> {
    /// Contract, answers, scenarios.
    pub rules: &'a Rules,
    /// Whose call it is.
    pub account: &'a str,
    /// Where its call came in.
    pub environment: Environment,
    /// The account's state there.
    pub state: &'a EnvironmentState,
    /// The account's time.
    pub now: Timestamp,
}

impl Settlement<'_> {
    /// Settles a verification: to its result, or to a pending answer. Gives the answer and adds what
    /// changes.
    #[must_use]
    pub fn settle(&self, mut verification: Box<Verification>, changes: &mut Vec<Change>) -> Reply {
        let was_pending = matches!(verification.phase, Phase::Pending { .. });
        if was_pending {
            let ended = |step: Step| Step {
                outcome: step.outcome.ended(),
                ..step
            };
            let steps = std::mem::take(&mut verification.steps);
            verification.steps = steps.into_iter().map(ended).collect();
            if let Some(waiting) = verification.waiting.take() {
                self.resume(&mut verification, &waiting, changes);
            }
        }
        let bundle = verification.is_bundle().then(|| self.bundle(&verification));
        let advanced = begin_or_advance_flow(&mut verification, bundle, was_pending);
        changes.extend(advanced.map(Change::FlowAdvanced));
        // Nearly every call has one step: no list is made for it.
        let (mut one, mut several);
        let ends: &mut [StepEnd<'_>] = match verification.steps.as_slice() {
            [step] => {
                one = self.end(step);
                std::slice::from_mut(&mut one)
            }
            steps => {
                several = steps.iter().map(|step| self.end(step)).collect::<Vec<_>>();
                &mut several
            }
        };
        // One that is brought to its end waits for no second call any more.
        let carries = bundle.filter(|_| !was_pending);
        let carries = carries.is_some_and(|row| awaits_second_call(row, &verification));
        let state = match bundle {
            Some(_) => bundle_state(carries, ends),
            None => ends[0].state,
        };
        let total = self.charge(&verification, bundle, state, ends);
        let answer = match bundle {
            Some(row) => {
                let environment = self.environment;
                let of = (&*verification, carries);
                rollup::answer(self.rules, row, of, environment, state, ends, total)
            }
            None => self.answer_of(&verification, &ends[0]),
        };
        if bundle.is_some() {
            let steps = ends
                .iter()
                .map(|end| self.step_recorded(&verification, end, state));
            changes.extend(steps.flatten());
        }
        let phase = phase_after(state, ends);
        let wire = verification.wire.filter(|_| !was_pending);
        let reply = Reply::of(&answer).sent_over(wire);
        verification.phase = phase;
        let answered_before = verification.give(answer);
        if phase == Phase::Ended {
            let charged = total.map_or(Paise::ZERO, |total| total.amount);
            changes.extend(self.end_record(&mut verification, charged, answered_before));
        }
        changes.extend(self.access(&verification, AccessKind::Call));
        changes.push(Change::Recorded(verification));
        reply
    }

    /// Runs the steps of a bundle that took their input from one that was pending (ruling 29).
    fn resume(&self, of: &mut Verification, waiting: &WaitingSteps, changes: &mut Vec<Change>) {
        let body = Json::parse(waiting.body.as_bytes());
        let plan = BundlePlan {
            bundle: self.bundle_index(of),
            body: body.expect("the body of a call that was read once"),
            steps: Vec::new(),
            second: None,
            around: RequestContext {
                account: self.account,
                environment: self.environment,
                reference_id: of.reference.as_deref(),
                idempotency_key: of.claims.first().map(|claim| &*claim.key),
                content_type: waiting.content_type.as_deref(),
                headers: of
                    .request
                    .as_ref()
                    .map(|request| request as &dyn HeaderLines),
            },
        };
        let resolver = Resolver {
            rules: self.rules,
            environment: self.environment,
            state: self.state,
            reference: of.reference.as_deref(),
            flow: None,
            now: self.now,
        };
        let resolved = resolver.resume(&plan, &waiting.steps, of.steps.clone());
        let (still, sequences) = (plan.waiting(resolved.waiting), resolved.sequences);
        of.steps = resolved.steps;
        of.waiting = still;
        of.webhook = of.webhook.or(resolved.webhook);
        let sequences = sequences.into_iter();
        changes.extend(sequences.map(|sequence| Change::SequenceAdvanced { sequence }));
    }

    /// Notes in the record that it has its result. Gives the end of its hold, where it has one.
    fn end_record(
        &self,
        verification: &mut Verification,
        charged: Paise,
        answered_before: bool,
    ) -> Option<Change> {
        verification.steps = Vec::new();
        verification.charged = charged;
        // A webhook brings the result only where the first answer did not, and only to a registered
        // receiver (ruling 26).
        if answered_before && self.state.webhook.is_some() {
            let schedule_ms = &self.rules.contract.service.webhook_schedule_ms;
            let delivery = Delivery::new(self.now, verification.webhook, schedule_ms);
            verification.delivery = Some(Box::new(delivery));
        }
        let amount = verification.hold.take()?;
        Some(Change::HoldSettled { amount, charged })
    }

    /// The row of a bundle.
    fn bundle(&self, verification: &Verification) -> &Bundle {
        &self.rules.contract.bundles[self.bundle_index(verification)]
    }

    fn bundle_index(&self, verification: &Verification) -> BundleIndex {
        let mut rows = self.rules.contract.bundles.iter();
        let place =
            rows.position(|row| verification.endpoint.rsplit('.').next() == Some(&row.slug));
        let place = place.expect("only a bundle is called, and the contract never changes");
        BundleIndex(place)
    }

    fn end<'s>(&'s self, step: &'s Step) -> StepEnd<'s> {
        let (status, state, part, conclusive) = match &step.outcome {
            Resolved::Completed { data, .. } => {
                (200, State::Completed, ResultPart::Completed(data), true)
            }
            Resolved::Pending { status, data, .. } => {
                (*status, State::Pending, ResultPart::Pending(data), false)
            }
            Resolved::Failed { code, message } => {
                let row = self.rules.contract.error(*code);
                let part = ResultPart::Failed {
                    code: *code,
                    message: message.as_deref().unwrap_or(&row.meaning),
                    retryable: row.retryable,
                };
                (row.status, State::Failed(*code), part, row.billed)
            }
        };
        StepEnd {
            step,
            state,
            part,
            charged: None,
            status,
            conclusive,
        }
    }

    /// Charges each step its price, one after the other, where the whole is billed: an operation that
    /// is conclusive, a bundle that is completed (rulings 22 and 29). Gives the sum.
    fn charge(
        &self,
        verification: &Verification,
        bundle: Option<&Bundle>,
        state: State,
        ends: &mut [StepEnd<'_>],
    ) -> Option<Charge> {
        verification.hold?;
        let billed = match bundle {
            Some(_) => state == State::Completed,
            None => ends[0].conclusive,
        };
        if !billed {
            return None;
        }
        let (mut balance_after, mut amount) = (self.state.wallet.balance(), Paise::ZERO);
        for end in ends.iter_mut() {
            let price = end.step.price;
            balance_after = Paise(balance_after.0 - price.0);
            amount = Paise(amount.0 + price.0);
            let charged = Charge {
                amount: price,
                balance_after,
            };
            end.charged = (price > Paise::ZERO).then_some(charged);
        }
        let total = Charge {
            amount,
            balance_after,
        };
        (amount > Paise::ZERO).then_some(total)
    }

    /// The answer of an operation.
    fn answer_of(&self, verification: &Verification, end: &StepEnd<'_>) -> Answer {
        let form = &self.rules.scenarios.answers;
        Answer {
            status: end.status,
            state: end.state,
            envelope: envelope(verification, &end.part, end.charged, self.environment, form),
        }
    }

    /// A step of a bundle as a verification of its own. How it ended counts when its bundle has.
    fn step_recorded(
        &self,
        of: &Verification,
        end: &StepEnd<'_>,
        state: State,
    ) -> impl Iterator<Item = Change> + use<> {
        let step = end.step;
        // One that waited for another was not called before that had ended.
        let known = self.state.verifications.get(step.id);
        let created_at = match (known, of.phase) {
            (Some(known), _) => known.created_at,
            (None, Phase::Pending { .. }) => self.now,
            (None, Phase::Delayed { .. } | Phase::Ended) => of.created_at,
        };
        let mut verification = Box::new(Verification {
            bundle: Some(of.id),
            counted: true,
            reference: of.reference.clone(),
            latency_ms: step.latency_ms,
            provider: step.provider.clone(),
            because: step.because.clone(),
            phase: match state {
                State::Pending => Phase::Pending {
                    due: Due::WithBundle,
                },
                State::Completed | State::Failed(_) => Phase::Ended,
            },
            charged: end.charged.map_or(Paise::ZERO, |charged| charged.amount),
            ..Verification::new(step.id, Arc::clone(&step.endpoint), created_at)
        });
        verification.answer = Some(self.answer_of(&verification, end));
        let access = self.access(&verification, AccessKind::Call);
        let recorded = Change::Recorded(verification);
        access.into_iter().chain([recorded])
    }

    /// The access to an answer, where it must be audited: a live result of an operation whose row says
    /// so, or of a bundle with such a step (ruling 23).
    #[must_use]
    pub fn access(&self, verification: &Verification, by: AccessKind) -> Option<Change> {
        let answer = verification.answer.as_ref()?;
        let given = answer.state == State::Completed && self.environment == Environment::Live;
        if !given || !self.rules.audits(&verification.endpoint) {
            return None;
        }
        let years = self.rules.contract.service.audit_retention_years;
        let retained_until = usage::day(verification.created_at).saturating_add(years.years());
        Some(Change::Accessed(Access {
            verification: verification.id,
            at: self.now,
            by,
            retained_until,
        }))
    }
}

/// What a completed step does to the account's flows. Of a bundle only the first step of one in two
/// calls does something: it begins the flow that the second call goes on with.
fn begin_or_advance_flow(
    verification: &mut Verification,
    bundle: Option<&Bundle>,
    was_pending: bool,
) -> Option<FlowAdvance> {
    let in_two_calls = |row: &Bundle| row.mode == BundleMode::TwoCalls && !was_pending;
    let does = bundle.is_none_or(in_two_calls);
    let [
        Step {
            outcome: Resolved::Completed { flow, .. },
            ..
        },
    ] = verification.steps.as_mut_slice()
    else {
        return None;
    };
    match flow.take().filter(|_| does)? {
        FlowChange::Begun(flow) => {
            verification.flow = Some(Box::new(flow));
            None
        }
        FlowChange::Advanced(advance) => bundle.is_none().then_some(advance),
    }
}

/// How a bundle stands: pending while a step is or a second call is to come, failed with the first step
/// that is not conclusive, else completed (ruling 29).
fn bundle_state(carries: bool, ends: &[StepEnd<'_>]) -> State {
    if ends.iter().any(|end| end.state == State::Pending) {
        return State::Pending;
    }
    match ends.iter().find(|end| !end.conclusive).map(|end| end.state) {
        Some(failed) => failed,
        None if carries => State::Pending,
        None => State::Completed,
    }
}

/// Whether a bundle in two calls has run its first step only.
fn awaits_second_call(row: &Bundle, verification: &Verification) -> bool {
    row.mode == BundleMode::TwoCalls && verification.steps.len() == 1 && verification.flow.is_some()
}

/// How far a verification has come with these steps. It waits for its last step; for a person longer
/// than for any instant.
fn phase_after(state: State, ends: &[StepEnd<'_>]) -> Phase {
    if state != State::Pending {
        return Phase::Ended;
    }
    let pending = ends.iter().filter_map(|end| match &end.step.outcome {
        Resolved::Pending { due, .. } => Some(*due),
        Resolved::Completed { .. } | Resolved::Failed { .. } => None,
    });
    let later = |a, b| match (a, b) {
        (Due::Consent, _) | (_, Due::Consent) => Due::Consent,
        (Due::At(a), Due::At(b)) => Due::At(a.max(b)),
        (Due::At(at), _) | (_, Due::At(at)) => Due::At(at),
        (other, _) => other,
    };
    Phase::Pending {
        due: pending.reduce(later).unwrap_or(Due::SecondCall),
    }
}

/// The answer to a call that was refused: nothing was executed, nothing is held or charged.
#[must_use]
pub fn refuse(
    rules: &Rules,
    environment: Environment,
    verification: &mut Verification,
    rejection: &Rejection,
) -> Reply {
    let (code, message) = (rejection.code(), rejection.message());
    let part = ResultPart::Failed {
        code,
        message: &message,
        retryable: rules.contract.error(code).retryable,
    };
    let form = &rules.scenarios.answers;
    let envelope = envelope(verification, &part, None, environment, form);
    let status = rejection.status(&rules.contract);
    let answer = Answer {
        status,
        state: State::Failed(code),
        envelope,
    };
    let mut reply = Reply::plain(status, answer.sent());
    reply.retry_after_s = rejection.retry_after_s();
    reply.refused_for = rejection.flag();
    reply.state = State::Failed(code);
    if let Rejection::MethodNotAllowed { allow } = rejection {
        reply.allow = Some(allow);
    }
    verification.phase = Phase::Ended;
    verification.answer = Some(answer);
    reply
}

/// A call that no account keeps, because it presents no key that works.
#[derive(Debug, Clone, PartialEq)]
pub struct UnauthenticatedCall {
    /// Its answer.
    pub reply: Reply,
    /// Its record.
    pub verification: Box<Verification>,
}

impl UnauthenticatedCall {
    pub(super) fn new(
        rules: &Rules,
        environment: Environment,
        verification: Verification,
        rejection: &Rejection,
    ) -> Self {
        let mut verification = Box::new(verification);
        let reply = refuse(rules, environment, &mut verification, rejection);
        UnauthenticatedCall {
            reply,
            verification,
        }
    }
}

/// The reply to a call whose key no account has: nothing is counted.
#[must_use]
pub fn unauthenticated_reply(
    rules: &Rules,
    call: &Call<'_>,
    rejection: &Rejection,
    machine: Timestamp,
) -> UnauthenticatedCall {
    let nobody = Credential { key: "" };
    let prepared = prepare(rules, "", nobody, call, machine);
    let id = prepared.content.verification(0);
    let verification = prepared.verification(id, machine);
    UnauthenticatedCall::new(rules, call.environment, verification, rejection)
}

/// Ends a verification that is delayed or pending: gives the answer that was delayed, or the result
/// (ruling 24). None where it is not open any more.
#[must_use]
pub fn finish(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    id: VerificationId,
    now: Timestamp,
) -> Option<(Reply, Entry)> {
    let verification = account.environment(environment).verifications.get(id)?;
    // A step of a bundle ends with it.
    let open = verification.is_open() && verification.bundle.is_none();
    let verification = open.then(|| Box::new(verification.clone()))?;
    Some(settle_open(rules, account, environment, verification, now))
}

/// Settles a verification that was open.
pub(super) fn settle_open(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    verification: Box<Verification>,
    now: Timestamp,
) -> (Reply, Entry) {
    let settlement = Settlement {
        rules,
        account: &account.id,
        environment,
        state: account.environment(environment),
        now,
    };
    let mut changes = Vec::new();
    let reply = settlement.settle(verification, &mut changes);
    let entry = Entry {
        at: now,
        environment,
        changes,
    };
    (reply, entry)
}
