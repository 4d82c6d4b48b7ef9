//! Running the steps of a bundle: each as a call of its own, later ones with what earlier ones gave.

use std::borrow::Cow;

use jiff::Timestamp;
use svc_fixtures::contract::{Bundle, BundleMode};
use svc_fixtures::json::Json;

use super::{BundleDrawn, BundleRun, StepDrawn, given};
use crate::engine::call::prepare::{self, Run};
use crate::engine::call::request::Environment;
use crate::engine::call::resolve::{Drawing, Drawn};
use crate::engine::call::response::Sources;
use crate::engine::call::rules::Rules;
use crate::engine::call::settle::latency;
use crate::engine::state::entry::SequenceKey;
use crate::engine::state::flow::{FlowChange, Memory};
use crate::engine::state::ids::Content;
use crate::engine::state::ticket::Matter;
use crate::scenario::{WebhookFault, WireFault};

/// Everything the steps of a bundle are drawn from.
pub struct BundleDrawing<'a> {
    /// Contract, answers, scenarios.
    pub rules: &'a Rules,
    /// What was asked.
    pub run: &'a BundleRun<'a>,
    /// The bundle as a call of its own.
    pub matter: &'a Matter,
    /// What the bundle's id is made from.
    pub content: &'a Content,
    /// How often just this was asked before.
    pub asked: u32,
    /// What an earlier call of the bundle left.
    pub flow: Option<&'a Memory>,
    /// The account's time.
    pub now: Timestamp,
    /// How many calls a sequence has decided.
    pub decided: &'a dyn Fn(SequenceKey) -> u32,
}

/// What was drawn beside the steps themselves.
#[derive(Debug, Default)]
pub struct BundleExtras {
    /// The sequences that go on.
    pub sequences: Vec<SequenceKey>,
    /// How long the answer is held back, in real milliseconds.
    pub delay_ms: u64,
    /// What goes wrong on the way of the answer: of the first step that has something.
    pub wire: Option<WireFault>,
    /// What goes wrong with the bundle's webhook: of the first step that has something.
    pub webhook: WebhookFault,
}

/// What earlier steps answered, by operation.
type Answers = Vec<(String, Json<'static>)>;

impl BundleDrawing<'_> {
    /// Runs the steps in order. One that lacks what it takes from an earlier step is left out.
    #[must_use]
    pub fn draw(&self) -> (BundleDrawn, BundleExtras) {
        let row = &self.rules.contract.bundles[self.run.bundle];
        let mut extras = BundleExtras::default();
        let mut drawn = BundleDrawn {
            bundle: self.run.bundle,
            steps: Vec::new(),
            carried: None,
            flow: None,
        };
        let mut answers = Answers::new();
        for &step in &self.run.steps {
            let operation = self.rules.operation(&row.steps[step]);
            let operation = operation.expect("the reader knows every step");
            let Some(run) = self.step_run(row, operation, &answers) else {
                continue;
            };
            let step = self.step(row, &run, &mut extras);
            let answer = ends_with(&step.drawn).and_then(|data| Json::parse(data).ok());
            if let Some(answer) = answer {
                let id = self.rules.contract.operations[operation].id.clone();
                answers.push((id, answer.into_owned()));
            }
            if let Some((carried, flow)) = self.second_to_come(row, operation, &step.drawn) {
                drawn.carried = Some(carried);
                drawn.flow = Some(flow.of_bundle(self.matter.verification));
            }
            drawn.steps.push(step);
        }
        (drawn, extras)
    }

    /// The step's own call: what the body gives it, and what earlier steps do.
    fn step_run<'r>(
        &'r self,
        row: &Bundle,
        operation: usize,
        answers: &Answers,
    ) -> Option<Run<'r>> {
        let operation_row = &self.rules.contract.operations[operation];
        let mut members = given(operation_row, &self.run.body);
        let carries = row.carries.iter();
        for carry in carries.filter(|carry| carry.step == operation_row.id) {
            if members.iter().any(|(name, _)| *name == carry.field) {
                continue;
            }
            let (_, answer) = answers.iter().find(|(id, _)| *id == carry.from)?;
            let value = at_path(answer, &carry.path)?;
            members.push((Cow::Owned(carry.field.clone()), value.clone()));
        }
        prepare::run(
            self.rules,
            self.run.around,
            operation,
            Json::Object(members),
        )
        .ok()
    }

    fn step(&self, row: &Bundle, run: &Run<'_>, extras: &mut BundleExtras) -> StepDrawn {
        let operation = &self.rules.contract.operations[run.operation];
        let content = self.content.step(&operation.id);
        let verification = content.verification(self.asked);
        let environment = self.matter.environment;
        let sources = Sources {
            story: &self.rules.story,
            addresses: self.rules.addresses.of(environment),
            input: &run.input,
            flow: self.flow,
            verification,
            people: &self.rules.scenarios.people,
        };
        let latency_ms = latency(operation.latency, &content);
        let drawing = Drawing {
            rules: self.rules,
            run,
            sources,
            reference: self.matter.reference.as_deref(),
            latency_ms,
            now: self.now,
        };
        let decided = run.sequence.map_or(0, |key| (self.decided)(key));
        let (drawn, own) = drawing.draw(decided);
        extras.sequences.extend(run.sequence);
        extras.delay_ms = match row.mode {
            // What runs at once is held back as long as its slowest step.
            BundleMode::Parallel => extras.delay_ms.max(own.delay_ms),
            _ => extras.delay_ms.saturating_add(own.delay_ms),
        };
        extras.wire = extras.wire.or(own.wire);
        extras.webhook = extras.webhook.or(own.webhook);
        let live = environment == Environment::Live;
        let matter = Matter {
            verification,
            endpoint: self.rules.endpoint(run.operation),
            counts: true,
            latency_ms,
            provider: own.provider,
            claim: None,
            hold: live.then_some(operation.price),
            because: drawing.because(),
            // Answer and webhook are the bundle's.
            wire: None,
            webhook: WebhookFault::default(),
            resumes: None,
            ..self.matter.clone()
        };
        StepDrawn {
            matter,
            drawn,
            fresh: true,
        }
    }

    /// What a second call will carry, and what it goes on with.
    fn second_to_come(
        &self,
        row: &Bundle,
        operation: usize,
        drawn: &Drawn,
    ) -> Option<((String, String), FlowChange)> {
        let Drawn::Completed {
            flow: Some(change), ..
        } = drawn
        else {
            return None;
        };
        let FlowChange::Begin { keys, .. } = change else {
            return None;
        };
        let step = self.rules.steps[operation].filter(|_| row.mode == BundleMode::TwoCalls)?;
        let flow = &self.rules.contract.flows[step.flow];
        let field = flow.steps.get(1)?.takes.clone()?;
        Some(((field, keys.first()?.to_string()), change.clone()))
    }
}

/// The `data` a step ends with, now or in the end.
pub(super) fn ends_with(drawn: &Drawn) -> Option<&[u8]> {
    match drawn {
        Drawn::Completed { data, .. } => Some(data),
        Drawn::Pending { finally, .. } => ends_with(finally),
        Drawn::Failed { .. } | Drawn::Bundle(_) => None,
    }
}

/// The value at a path of member names and array positions between dots.
fn at_path<'j>(json: &'j Json<'static>, path: &str) -> Option<&'j Json<'static>> {
    path.split('.')
        .try_fold(json, |json, part| match json.as_list() {
            Some(items) => items.get(part.parse::<usize>().ok()?),
            None => json.get(part),
        })
}
