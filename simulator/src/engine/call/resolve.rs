//! What a call ends in, with its answer filled in.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::{ByConsent, CONSENT_URL, ErrorCode, FlowKey};
use svc_fixtures::json::Json;
use xxhash_rust::xxh3::Xxh3;

use super::bundle::BundleDrawn;
use super::prepare::Run;
use super::response::{Answer, Sources};
use super::rules::Rules;
use crate::engine::state::flow::{FlowChange, Memory, StepOf};
use crate::scenario::{
    Because, Choice, Delay, Outcome, OutcomeKind, PatchIndex, Scenario, WebhookFault, WireFault,
};

/// What a call ends in.
#[derive(Debug, Clone, PartialEq)]
pub enum Drawn {
    /// A result.
    Completed {
        /// The printed `data`.
        data: Vec<u8>,
        /// What it does to the account's flows.
        flow: Option<FlowChange>,
    },
    /// An error.
    Failed {
        /// Its code.
        code: ErrorCode,
        /// What a person is told, where it is not the code's own meaning.
        message: Option<Arc<str>>,
    },
    /// Nothing yet.
    Pending {
        /// The HTTP status of the pending answer.
        status: u16,
        /// The printed `data` of the pending answer.
        data: Vec<u8>,
        /// When the result comes.
        due: Due,
        /// What a person is asked who may bring the result.
        consent: Option<Box<ConsentAsked>>,
        /// The result.
        finally: Box<Drawn>,
    },
    /// What the steps of a bundle came to.
    Bundle(Box<BundleDrawn>),
}

/// What a person is asked on the consent page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentAsked {
    /// What the caller would like to see; everything there is where empty.
    pub asks: Vec<String>,
    /// Where the person goes afterwards.
    pub redirect: String,
    /// What the call ends in when the person refuses.
    pub refused: ErrorCode,
}

/// When something that was put off is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// After so many milliseconds of real time.
    Real {
        /// How many.
        delay_ms: u64,
    },
    /// At an instant of the account's clock.
    At(Timestamp),
    /// When a person acts.
    Consent,
    /// When the caller comes back with what the first answer gave.
    SecondCall,
}

/// Which outcome of a scenario is next, counting from 0 the calls it has already decided.
#[must_use]
pub fn next(scenario: &Scenario, decided: u32) -> &Outcome {
    let length = scenario.then.len();
    let decided = usize::try_from(decided).unwrap_or(usize::MAX);
    let place = match scenario.start_over {
        false => decided.min(length - 1),
        true => decided % length,
    };
    &scenario.then[place]
}

/// What everything about one call is drawn from.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    /// Contract, answers, scenarios.
    pub rules: &'a Rules,
    /// The operation and its input.
    pub run: &'a Run<'a>,
    /// The call's id, the first call of its flow, the story.
    pub sources: Sources<'a>,
    /// The call's `X-Reference-Id`.
    pub reference: Option<&'a str>,
    /// How long the operation typically takes, as the answer says it.
    pub latency_ms: u32,
    /// The account's time.
    pub now: Timestamp,
}

impl<'a> Drawing<'a> {
    /// Why it comes to what it comes to.
    #[must_use]
    pub fn because(&self) -> Because {
        let flow = self.sources.flow.map(|flow| flow.subject.as_str());
        let subject = flow.unwrap_or_else(|| self.run.input.subject());
        self.run.choice.because(&self.rules.scenarios, subject)
    }

    /// What a choice comes to: the outcome with its answer filled in, and what comes with it.
    #[must_use]
    pub fn draw(&self, decided: u32) -> (Drawn, Extras) {
        match &self.run.choice {
            Choice::Sentinel { error, .. } => (
                Drawn::Failed {
                    code: *error,
                    message: None,
                },
                Extras::default(),
            ),
            Choice::NoMatch => (self.unnamed(), Extras::default()),
            Choice::Scenario(number) => {
                let outcome = next(self.rules.scenarios.get(*number), decided);
                let extras = Extras {
                    delay_ms: self.delay_ms(outcome.delay),
                    provider: outcome.provider.clone(),
                    wire: outcome.wire,
                    webhook: outcome.webhook,
                };
                (self.ending(&outcome.kind), extras)
            }
        }
    }

    /// How long the answer is held back. Of a range, a time that operation and input decide: the
    /// same input waits as long again, whatever its headers.
    fn delay_ms(&self, delay: Delay) -> u64 {
        match delay {
            Delay::None => 0,
            Delay::Fixed { ms } => ms,
            Delay::Typical => self.latency_ms.into(),
            Delay::Between { from_ms, to_ms } => {
                let mut hash = Xxh3::new();
                let operation = &self.rules.contract.operations[self.run.operation];
                hash.update(operation.id.as_bytes());
                self.run
                    .input
                    .body()
                    .canonical(&mut |bytes| hash.update(bytes));
                from_ms + hash.digest() % (to_ms.saturating_sub(from_ms) + 1)
            }
        }
    }

    fn ending(&self, ending: &OutcomeKind) -> Drawn {
        match ending {
            OutcomeKind::Success(patch) => self.success(*patch),
            OutcomeKind::Error { code, message } => Drawn::Failed {
                code: *code,
                message: message.clone(),
            },
            OutcomeKind::Pending { after_ms, finally } => {
                self.pending(*after_ms, self.ending(&finally.kind))
            }
        }
    }

    /// An input that no scenario names gets the canned answer: at once, or after the operation's
    /// own time where it is always pending first.
    fn unnamed(&self) -> Drawn {
        self.success(None)
    }

    fn success(&self, patch: Option<PatchIndex>) -> Drawn {
        let answer = self.rules.answer(self.run.operation, patch);
        let completed = Drawn::Completed {
            data: self.print(answer),
            flow: self.flow_change(answer),
        };
        let pending = self.rules.contract.operations[self.run.operation]
            .pending
            .as_ref();
        match pending.is_some_and(|pending| pending.always) {
            true => self.pending(None, completed),
            false => completed,
        }
    }

    fn print(&self, answer: &'a Answer) -> Vec<u8> {
        if let Some(draft) = &self.run.draft {
            return draft.to_vec();
        }
        let mut data = Vec::with_capacity(512);
        answer.print(self.sources, &mut data);
        data
    }

    fn pending(&self, after_ms: Option<u64>, finally: Drawn) -> Drawn {
        // What an operation gives that is always pending is pending by itself. The scenario's own
        // time comes before the operation's.
        let finally = match finally {
            Drawn::Pending { finally, .. } => *finally,
            other => other,
        };
        let operation = &self.rules.contract.operations[self.run.operation];
        let row = operation
            .pending
            .as_ref()
            .expect("the reader lets only such operations be pending");
        let answer = self.rules.answer(self.run.operation, None);
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
        Drawn::Pending {
            status: row.status,
            data: data.to_string().into_bytes(),
            due,
            consent: row.by_consent.as_ref().map(|row| Box::new(self.asked(row))),
            finally: Box::new(finally),
        }
    }

    fn asked(&self, row: &ByConsent) -> ConsentAsked {
        let asks = self.run.input.named(&row.asks).and_then(Json::as_list);
        let asks = asks.unwrap_or_default().iter().filter_map(Json::as_text);
        ConsentAsked {
            asks: asks.map(str::to_owned).collect(),
            redirect: self
                .run
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
    fn flow_change(&self, answer: &'a Answer) -> Option<FlowChange> {
        let StepOf { flow, step } = self.rules.steps[self.run.operation]?;
        let row = &self.rules.contract.flows[flow].steps[step];
        if let Some(member) = &row.done_when
            && answer.member(self.sources, member) != Json::Bool(true)
        {
            return None;
        }
        let carried = || self.run.input.text(row.takes.as_deref()?).map(Box::from);
        match &row.issues {
            None => Some(FlowChange::Done {
                flow,
                key: carried()?,
                step,
            }),
            Some(issues) => {
                let keys = match issues {
                    FlowKey::Member(name) => answer
                        .member(self.sources, name)
                        .as_text()
                        .map(Box::from)
                        .into_iter()
                        .collect(),
                    FlowKey::Verification => {
                        let id = self.sources.verification.to_string().into_boxed_str();
                        [Some(id), self.reference.map(Box::from)]
                            .into_iter()
                            .flatten()
                            .collect()
                    }
                };
                let value = |name: &String| {
                    let sent = self.run.input.named(name).cloned();
                    let value = sent.unwrap_or_else(|| answer.member(self.sources, name));
                    (name.clone(), value.into_owned())
                };
                let memory = Memory {
                    subject: self.run.input.subject().to_owned(),
                    values: row.remembers.iter().map(value).collect(),
                };
                Some(FlowChange::Begin { flow, keys, memory })
            }
        }
    }
}

/// What a scenario gives beside the outcome itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extras {
    /// How long the answer is held back, in real milliseconds.
    pub delay_ms: u64,
    /// `meta.provider`.
    pub provider: Option<Arc<str>>,
    /// What goes wrong on the way of the first answer.
    pub wire: Option<WireFault>,
    /// What goes wrong with the webhook that brings the result.
    pub webhook: WebhookFault,
}
