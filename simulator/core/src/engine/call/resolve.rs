//! Which outcome each step of a call gets, with its answer filled in.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::{
    BundleMode, ByConsent, CONSENT_URL, ErrorCode, FlowKey, LatencyRange,
};
use svc_fixtures::json::Json;
use xxhash_rust::xxh3::Xxh3;

use super::bundle::{BundlePlan, NextStep};
use super::request::Environment;
use super::response::{ResponseTemplate, Sources};
use super::rules::Rules;
use super::step_plan::{StepChoice, StepPlan, first_of_month};
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::flow::{Flow, FlowAdvance, FlowChange, FlowMemory, StepOf};
use crate::engine::state::ids::{Content, SequenceKey, VerificationId};
use crate::engine::state::verification::{ConsentRequest, Due, Resolved, Step, WaitingStep};
use crate::scenario::{
    Because, Choice, Delay, Outcome, OutcomeKind, PatchIndex, WebhookFault, WireFault,
};

/// The call whose steps are resolved.
#[derive(Clone, Copy)]
pub struct Resolver<'a> {
    /// Contract, answers, scenarios.
    pub rules: &'a Rules,
    /// Where the call came in.
    pub environment: Environment,
    /// The account's state there.
    pub state: &'a EnvironmentState,
    /// The call's `X-Reference-Id`.
    pub reference: Option<&'a str>,
    /// What the first call of the flow left that this one goes on with.
    pub flow: Option<&'a FlowMemory>,
    /// The account's time.
    pub now: Timestamp,
}

/// What the steps of a call came to.
#[derive(Debug, Default)]
pub struct ResolvedSteps {
    /// The steps that ran, in order.
    pub steps: Vec<Step>,
    /// The sequences of scenarios that go on.
    pub sequences: Vec<SequenceKey>,
    /// How long the answer is delayed, in real milliseconds.
    pub delay_ms: u64,
    /// What goes wrong on the way of the answer: of the first step that has something.
    pub wire: Option<WireFault>,
    /// What goes wrong with the webhook: of the first step that has something.
    pub webhook: WebhookFault,
    /// The steps of a bundle that cannot run yet.
    pub waiting: Vec<WaitingStep>,
}

/// The typical latency; of a range, a figure that a number made from the content decides (ruling 4).
#[must_use]
pub fn latency(range: LatencyRange, number: u64) -> u32 {
    let span = u64::from(range.max_ms.saturating_sub(range.min_ms)) + 1;
    range.min_ms + u32::try_from(number % span).unwrap_or(0)
}

impl Resolver<'_> {
    /// The one step of an operation, which has the call's own id.
    #[must_use]
    pub fn operation(
        &self,
        plan: &StepPlan<'_>,
        id: VerificationId,
        content: &Content,
    ) -> ResolvedSteps {
        let mut resolved = ResolvedSteps::default();
        self.step(plan, id, content.number(), &mut resolved);
        resolved
    }

    /// The steps of a bundle of this content, which was asked so often before, in order. One that lacks
    /// what it takes from an earlier step is left out.
    #[must_use]
    pub fn bundle(&self, plan: &BundlePlan<'_>, content: &Content, asked: u32) -> ResolvedSteps {
        let row = &self.rules.contract.bundles[plan.bundle];
        let mut resolved = ResolvedSteps::default();
        let mut slowest_ms = 0;
        for &place in &plan.steps {
            let content = content.step(&row.steps[place]);
            let step = WaitingStep {
                place,
                id: content.verification(asked),
                number: content.number(),
            };
            let delayed_ms = resolved.delay_ms;
            self.step_of(plan, step, &mut resolved);
            slowest_ms = slowest_ms.max(resolved.delay_ms - delayed_ms);
        }
        if row.mode == BundleMode::Parallel {
            // What runs at once is delayed as long as its slowest step.
            resolved.delay_ms = slowest_ms;
        }
        resolved
    }

    /// The steps of a bundle that waited, now that these have ended; all of them, in order.
    #[must_use]
    pub fn resume(
        &self,
        plan: &BundlePlan<'_>,
        waiting: &[WaitingStep],
        ended: Vec<Step>,
    ) -> ResolvedSteps {
        let row = &self.rules.contract.bundles[plan.bundle];
        let mut resolved = ResolvedSteps {
            steps: ended,
            ..ResolvedSteps::default()
        };
        for step in waiting {
            self.step_of(plan, *step, &mut resolved);
        }
        let place = |step: &Step| row.steps.iter().position(|id| **id == *step.endpoint);
        resolved.steps.sort_by_key(place);
        resolved
    }

    /// A step of a bundle, when it is its turn.
    fn step_of(&self, plan: &BundlePlan<'_>, step: WaitingStep, resolved: &mut ResolvedSteps) {
        let row = &self.rules.contract.bundles[plan.bundle];
        let operation = self.rules.contract.operation_index(&row.steps[step.place]);
        let operation = operation.expect("the reader knows every step");
        match plan.step(self.rules, operation, &resolved.steps, &resolved.waiting) {
            NextStep::Runs(plan) => self.step(&plan, step.id, step.number, resolved),
            NextStep::Waits => resolved.waiting.push(step),
            NextStep::LeftOut => {}
        }
    }

    /// Why a step gets what it gets, for the call log: the rule that decides, and those that add to it.
    fn because(
        &self,
        plan: &StepPlan<'_>,
        decision: &StepChoice<'_>,
        about: impl FnOnce() -> Option<Arc<str>>,
    ) -> Because {
        let scenarios = &self.rules.scenarios;
        let decides = decision.choice.because(scenarios, about);
        let mut additions = plan.additions(self.state).peekable();
        if additions.peek().is_none() {
            return decides;
        }
        let names = additions.filter_map(|it| match it.choice {
            Choice::Scenario(rule) => Some(&*scenarios.get(rule).because),
            Choice::NoMatch => None,
        });
        let names: Vec<&str> = names.collect();
        Because::Scenario(format!("{decides}; with what {} adds", names.join(" and ")).into())
    }

    fn step(
        &self,
        plan: &StepPlan<'_>,
        id: VerificationId,
        number: u64,
        resolved: &mut ResolvedSteps,
    ) {
        let operation = &self.rules.contract.operations[plan.operation];
        let decision = plan.decision(self.state);
        let filling = Filling {
            rules: self.rules,
            plan,
            choice: &decision.choice,
            sources: Sources {
                story: &self.rules.story,
                input: &plan.input,
                flow: self.flow,
                verification: id,
                addresses: self.rules.addresses.of(self.environment),
                people: &self.rules.scenarios.people,
                declared: &self.rules.declared,
                population: self.rules.population,
                today: first_of_month(self.now),
            },
            reference: self.reference,
            now: self.now,
        };
        let outcome = decision.next(self.state);
        let additions = || plan.additions(self.state);
        // What is said first counts, as of rules.
        let outcomes = || {
            let added = additions().filter_map(|it| it.next(self.state));
            added.chain(outcome)
        };
        let ending = filling.resolve(outcome);
        let is_pending = matches!(ending, Resolved::Pending { .. });
        let latency_ms = latency(operation.latency_of(self.environment, is_pending), number);
        resolved.steps.push(Step {
            id,
            endpoint: self.rules.endpoint(plan.operation),
            latency_ms,
            provider: outcomes().find_map(|outcome| outcome.provider.clone()),
            because: self.because(plan, decision, || filling.about()),
            price: operation.price,
            outcome: ending,
        });
        let deciding = additions().chain([decision]);
        resolved
            .sequences
            .extend(deciding.filter_map(|it| it.sequence));
        let delay = outcomes().map(|outcome| outcome.delay);
        let delay = delay
            .into_iter()
            .find(|delay| *delay != Delay::None)
            .unwrap_or_default();
        let delay_ms = filling.delay_ms(delay, latency_ms);
        resolved.delay_ms = resolved.delay_ms.saturating_add(delay_ms);
        for outcome in outcomes() {
            resolved.wire = resolved.wire.or(outcome.wire);
            resolved.webhook = resolved.webhook.or(outcome.webhook);
        }
    }
}

/// Everything the answer of one step is filled in from.
struct Filling<'a> {
    rules: &'a Rules,
    plan: &'a StepPlan<'a>,
    choice: &'a Choice,
    sources: Sources<'a>,
    reference: Option<&'a str>,
    now: Timestamp,
}

impl<'a> Filling<'a> {
    /// What the step comes to. An input that no scenario names gets the canned answer: at once, or
    /// after the operation's own time where it is always pending first (ruling 31).
    fn resolve(&self, outcome: Option<&'a Outcome>) -> Resolved {
        match outcome {
            Some(outcome) => self.ending(&outcome.kind),
            None => self.success(None),
        }
    }

    /// How long the answer is delayed; typically as long as it says. Of a range, a time that operation and
    /// input decide: the same input waits as long again, whatever its headers.
    fn delay_ms(&self, delay: Delay, latency_ms: u32) -> u64 {
        match delay {
            Delay::None => self.rules.settings.latency.of(latency_ms),
            Delay::Fixed { ms } => ms,
            Delay::Typical => latency_ms.into(),
            Delay::Between { from_ms, to_ms } => {
                let mut hash = Xxh3::new();
                let operation = &self.rules.contract.operations[self.plan.operation];
                hash.update(operation.id.as_bytes());
                self.plan
                    .input
                    .body()
                    .canonical(&mut |bytes| hash.update(bytes));
                from_ms + hash.digest() % (to_ms.saturating_sub(from_ms) + 1)
            }
        }
    }

    fn ending(&self, ending: &OutcomeKind) -> Resolved {
        match ending {
            OutcomeKind::Success(patch) => self.success(*patch),
            // Only what gives an ending is asked for one.
            OutcomeKind::AsUsual => self.success(None),
            OutcomeKind::Error { code, message } => Resolved::Failed {
                code: *code,
                message: message.clone(),
            },
            OutcomeKind::Pending { after_ms, finally } => {
                self.pending(*after_ms, self.ending(&finally.kind))
            }
        }
    }

    /// Why there is no record of whoever is asked for, unless the scenario says itself what comes of the field
    /// that does not fit.
    fn no_record(&self) -> Option<Resolved> {
        let row = self.rules.no_record(self.plan.operation)?;
        let is_said = match self.choice {
            Choice::Scenario(number) => {
                let mut conditions = self.rules.scenarios.get(*number).conditions.iter();
                conditions.any(|it| it.selector.field() == Some(&row.field))
            }
            Choice::NoMatch => false,
        };
        (!is_said && row.holds(self.sources)).then(|| Resolved::Failed {
            code: ErrorCode::NoRecordFound,
            message: Some(Arc::clone(&row.message)),
        })
    }

    fn success(&self, patch: Option<PatchIndex>) -> Resolved {
        if let Some(failed) = self.no_record() {
            return failed;
        }
        let answer = self.rules.answer(self.plan.operation, patch);
        let completed = Resolved::Completed {
            data: self.print(answer),
            flow: self.flow_change(answer),
        };
        let pending = self.rules.contract.operations[self.plan.operation]
            .pending
            .as_ref();
        match pending.is_some_and(|pending| pending.always) {
            true => self.pending(None, completed),
            false => completed,
        }
    }

    /// Whom the canned answer speaks of, where that is somebody who is declared.
    fn about(&self) -> Option<Arc<str>> {
        match &self.plan.draft {
            Some(draft) => draft.about.clone(),
            None => self
                .rules
                .answer(self.plan.operation, None)
                .about(self.sources),
        }
    }

    fn print(&self, answer: &'a ResponseTemplate) -> Vec<u8> {
        // It was printed outside the lock, for the month of the machine's clock.
        if let Some(draft) = &self.plan.draft
            && draft.today == self.sources.today
        {
            return draft.data.clone();
        }
        let mut data = Vec::with_capacity(512);
        answer.print(self.sources, &mut data);
        data
    }

    fn pending(&self, after_ms: Option<u64>, finally: Resolved) -> Resolved {
        // What an operation gives that is always pending is pending by itself. The scenario's own
        // time comes before the operation's.
        let finally = match finally {
            Resolved::Pending { finally, .. } => *finally,
            other => other,
        };
        let operation = &self.rules.contract.operations[self.plan.operation];
        let row = operation
            .pending
            .as_ref()
            .expect("the reader lets only such operations be pending");
        let answer = self.rules.answer(self.plan.operation, None);
        let member = |name: &'a String| {
            let value = match row.by_consent.is_some() && name == CONSENT_URL {
                true => self.consent_url(),
                false => answer.member(self.sources, name),
            };
            (Cow::Borrowed(name.as_str()), value)
        };
        let data = Json::Object(row.data.iter().map(member).collect());
        let at = |after_ms| {
            let after = SignedDuration::from_millis(i64::try_from(after_ms).unwrap_or(i64::MAX));
            Due::At(self.now.saturating_add(after).unwrap_or(Timestamp::MAX))
        };
        // A scenario may say when the result comes even if nobody consents.
        let due = match (&row.by_consent, after_ms) {
            (_, Some(after_ms)) => at(after_ms),
            (Some(_), None) => Due::Consent,
            (None, None) => at(row.after_ms),
        };
        Resolved::Pending {
            status: row.status,
            data: data.to_string().into_bytes(),
            due,
            consent: row
                .by_consent
                .as_ref()
                .map(|row| Box::new(self.consent_request(row))),
            finally: Box::new(finally),
        }
    }

    fn consent_request(&self, row: &ByConsent) -> ConsentRequest {
        let asks = self.plan.input.named(&row.asks).and_then(Json::as_list);
        let asks = asks.unwrap_or_default().iter().filter_map(Json::as_text);
        ConsentRequest {
            documents: asks.map(str::to_owned).collect(),
            redirect: self
                .plan
                .input
                .text(&row.redirect)
                .unwrap_or_default()
                .to_owned(),
            refused: row.refused,
        }
    }

    /// Where a person consents to this call.
    fn consent_url(&self) -> Json<'a> {
        let Sources {
            addresses,
            verification,
            ..
        } = self.sources;
        addresses.consent(verification).into()
    }

    /// What a completed call does to the flow it is a step of.
    fn flow_change(&self, answer: &'a ResponseTemplate) -> Option<FlowChange> {
        let StepOf { flow, step } = self.rules.steps[self.plan.operation.0]?;
        let name = &self.rules.contract.flows[flow].name;
        let row = &self.rules.contract.flows[flow].steps[step];
        let member = row.done_when.as_ref();
        let is_done = member.is_none_or(|it| answer.member(self.sources, it) == Json::Bool(true));
        if !is_done && row.tries.is_none() {
            return None;
        }
        match &row.issues {
            None => Some(FlowChange::Advanced(FlowAdvance {
                name: name.as_str().into(),
                token: self.plan.input.text(row.takes.as_deref()?)?.into(),
                operation: is_done.then(|| row.operation.as_str().into()),
            })),
            Some(issues) => {
                let tokens = match issues {
                    FlowKey::Member(name) => {
                        let member = answer.member(self.sources, name);
                        member.as_text().map(Box::from).into_iter().collect()
                    }
                    FlowKey::Verification => {
                        let id = self.sources.verification.to_string().into_boxed_str();
                        let reference = self.reference.map(Box::from);
                        [Some(id), reference].into_iter().flatten().collect()
                    }
                };
                let value = |name: &String| {
                    let sent = self.plan.input.named(name).cloned();
                    let value = sent.unwrap_or_else(|| answer.member(self.sources, name));
                    (name.clone(), value.into_owned())
                };
                let memory = FlowMemory {
                    subject: self.plan.input.subject().to_owned(),
                    values: row.remembers.iter().map(value).collect(),
                };
                Some(FlowChange::Begun(Flow {
                    name: name.as_str().into(),
                    tokens,
                    memory,
                    done: vec![row.operation.as_str().into()],
                    wrong_tries: 0,
                }))
            }
        }
    }
}
