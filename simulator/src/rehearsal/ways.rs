//! For every outcome of an operation an input that gives it. Each was tried: what is told is what was
//! answered.

use std::sync::Arc;

use svc_fixtures::contract::{ErrorCode, Field, Kind, Operation, Paise};
use svc_fixtures::json::Json;

use super::bodies::with_member;
use super::callers::Caller;
use super::inputs::{named_call, named_input_by};
use super::{Asked, Called, Heard, Rehearsal};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::{AccountConfig, Outcome as Then, OutcomeKind, find_account};

/// What a call can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A result.
    Completed,
    /// Nothing yet.
    Pending,
    /// An error of this code.
    Error(ErrorCode),
}

impl Outcome {
    /// As the envelope says it: the status, or the error's code.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Completed => "completed",
            Outcome::Pending => "pending",
            Outcome::Error(code) => code.as_str(),
        }
    }

    fn is_of(self, heard: &Heard) -> bool {
        match self {
            Outcome::Completed | Outcome::Pending => heard.text("status") == self.as_str(),
            Outcome::Error(code) => heard.code() == Some(code.as_str()),
        }
    }

    fn of(then: &Then) -> Outcome {
        match &then.kind {
            OutcomeKind::Success(_) => Outcome::Completed,
            OutcomeKind::Pending { .. } => Outcome::Pending,
            OutcomeKind::Error { code, .. } => Outcome::Error(*code),
        }
    }
}

/// How an outcome is brought about: calls to make, the last of which is answered so.
#[derive(Debug, Clone)]
pub struct Way {
    /// The calls.
    pub asks: Vec<Asks>,
    /// The HTTP status of the last answer.
    pub status: u16,
    /// Why it is answered so.
    pub because: String,
}

/// A call to make, one or more times.
#[derive(Debug, Clone)]
pub struct Asks {
    /// Whose key it presents.
    pub account: Arc<str>,
    /// The listener.
    pub environment: Environment,
    /// The key.
    pub key: String,
    /// Its `Idempotency-Key`, where it sends one.
    pub idempotency_key: Option<String>,
    /// Its `X-Reference-Id`, where it sends one.
    pub reference_id: Option<String>,
    /// What was set in the sample body.
    pub set: Vec<(String, Json<'static>)>,
    /// The body.
    pub body: Json<'static>,
    /// How many times it is made.
    pub times: u32,
}

/// Every outcome that a call of an operation may have, with a way to it where there is one. What
/// depends on the input alone is asked by `base`.
#[must_use]
pub fn ways(
    rules: &Rules,
    accounts: &[AccountConfig],
    base: &AccountConfig,
    environment: Environment,
    operation: usize,
) -> Vec<(Outcome, Option<Way>)> {
    let search = Search {
        rules,
        accounts,
        base,
        environment,
        operation,
        row: &rules.contract.operations[operation],
    };
    let pending = search.row.pending.as_ref();
    let completes = !pending.is_some_and(|pending| pending.always);
    let answers = [
        completes.then_some(Outcome::Completed),
        pending.is_some().then_some(Outcome::Pending),
    ];
    let errors = ErrorCode::ALL.into_iter().map(Outcome::Error);
    let outcomes = answers.into_iter().flatten().chain(errors);
    outcomes
        .map(|outcome| (outcome, search.way(outcome)))
        .collect()
}

struct Search<'s> {
    rules: &'s Rules,
    accounts: &'s [AccountConfig],
    base: &'s AccountConfig,
    environment: Environment,
    operation: usize,
    row: &'s Operation,
}

impl Search<'_> {
    fn way(&self, outcome: Outcome) -> Option<Way> {
        self.by_sample(outcome)
            .or_else(|| self.by_scenario(outcome))
            .or_else(|| self.by_sentinel(outcome))
            .or_else(|| self.by_refusal(outcome))
    }

    fn by_sample(&self, outcome: Outcome) -> Option<Way> {
        match outcome {
            Outcome::Completed | Outcome::Pending => self.tried(outcome, Vec::new(), 1),
            Outcome::Error(_) => None,
        }
    }

    /// The first scenario that ends so at the first call, or else at a later one; rather one whose
    /// answer arrives.
    fn by_scenario(&self, outcome: Outcome) -> Option<Way> {
        let mut found = Vec::new();
        for (number, scenario) in self.rules.scenarios.iter() {
            if !scenario.operations.contains(&self.operation) {
                continue;
            }
            let steps = scenario.then.iter().enumerate();
            let mut steps = steps.filter(|(_, then)| Outcome::of(then) == outcome);
            if let Some((step, then)) = steps.next() {
                found.push((then.wire.is_some(), step, number));
            }
        }
        found.sort_unstable();
        found.into_iter().find_map(|(_, step, number)| {
            let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
            let sample = rehearsal.body(self.environment, self.operation, &[]);
            let plain = Caller::plain(&self.base.id, self.environment);
            let from = (&plain, &sample);
            let named = named_call(self.rules, self.accounts, self.operation, number, from);
            // A rule without conditions names no input: any will do.
            let ((set, _), caller) = named.unwrap_or(((Vec::new(), sample), plain));
            self.tried_by(&caller, outcome, set, u32::try_from(step).ok()? + 1)
        })
    }

    /// The call as this caller makes it.
    fn tried_by(
        &self,
        caller: &Caller,
        outcome: Outcome,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Option<Way> {
        let config = match *self.base.id == caller.account {
            true => self.base.clone(),
            false => find_account(self.accounts, &caller.account)?,
        };
        let by = Search {
            base: &config,
            environment: caller.environment,
            ..*self
        };
        let mut rehearsal = Rehearsal::new(self.rules, config.clone());
        let mut asks = by.asks(&mut rehearsal, set, times);
        asks.idempotency_key.clone_from(&caller.idempotency_key);
        asks.reference_id.clone_from(&caller.reference_id);
        by.played(rehearsal, outcome, vec![asks])
    }

    /// A later step whose first call this account can't pay: it needs none where what it carries is
    /// itself a fixed input.
    fn by_fixed(&self, outcome: Outcome, config: &AccountConfig) -> Option<Way> {
        let other = Search {
            base: config,
            ..*self
        };
        let step = self.rules.steps[self.operation]?;
        let step = &self.rules.contract.flows[step.flow].steps[step.step];
        let (takes, sample) = (
            step.takes.as_ref()?,
            self.row.sample_body(&self.rules.contract.formats),
        );
        let scenarios = self.rules.scenarios.iter();
        let mut named = scenarios
            .filter(|(_, scenario)| scenario.operations.contains(&self.operation))
            .filter_map(|(at, _)| named_input_by(self.rules, self.operation, at, &sample, takes));
        named.find_map(|(set, _)| other.tried(outcome, set, 1))
    }

    fn by_sentinel(&self, outcome: Outcome) -> Option<Way> {
        let sentinel = &self.rules.contract.service.sentinel;
        if outcome != Outcome::Error(sentinel.error) {
            return None;
        }
        self.row.identifiers().find_map(|(_, field)| {
            let text = Json::from(sentinel.text.as_str());
            let set = (field.name.clone(), self.as_of(field, text));
            self.tried(outcome, vec![set], 1)
        })
    }

    fn by_refusal(&self, outcome: Outcome) -> Option<Way> {
        let Outcome::Error(code) = outcome else {
            return None;
        };
        let set = |field: &Field, value| self.tried(outcome, vec![(field.name.clone(), value)], 1);
        let account = |wanted: &dyn Fn(&AccountConfig) -> bool| {
            let usable = |config: &&AccountConfig| wanted(config);
            self.accounts.iter().find(usable).cloned()
        };
        let works = |config: &AccountConfig| config.keys.first().is_some_and(|key| !key.revoked);
        match code {
            ErrorCode::InvalidInput => set(self.row.request.first()?, Json::Null),
            ErrorCode::InvalidIdentifier => self
                .row
                .identifiers()
                .find_map(|(_, field)| set(field, self.as_of(field, Json::from("?")))),
            ErrorCode::NotFound => {
                let step = self.rules.steps[self.operation]?;
                let step = &self.rules.contract.flows[step.flow].steps[step.step];
                let field = self.row.field(step.takes.as_ref()?)?;
                set(&self.row.request[field], Json::from("unknown"))
            }
            ErrorCode::AuthInvalid => self.asked_by(outcome, account(&|it| !works(it))?, 1),
            ErrorCode::IpNotAllowed => {
                let config = account(&|it| works(it) && !it.allowlist.is_empty())?;
                self.asked_by(outcome, config, 1)
            }
            ErrorCode::RateLimited => {
                let config = account(&|it| works(it) && it.rate_limit.is_some())?;
                let burst = config.rate_limit?.burst;
                self.asked_by(outcome, config, burst.checked_add(1)?)
            }
            ErrorCode::InsufficientBalance => {
                let config = account(&|it| works(it) && it.live_wallet == Paise::ZERO)?;
                let live = Search {
                    environment: Environment::Live,
                    ..*self
                };
                live.asked_by(outcome, config.clone(), 1)
                    .or_else(|| live.by_fixed(outcome, &config))
            }
            ErrorCode::KeyEnvironmentMismatch => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut asks = self.asks(&mut rehearsal, Vec::new(), 1);
                asks.key = rehearsal.key(self.environment.other());
                self.played(rehearsal, outcome, vec![asks])
            }
            ErrorCode::IdempotencyConflict => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut first = self.asks(&mut rehearsal, Vec::new(), 1);
                first.idempotency_key = Some("order-1042".to_owned());
                let mut second = first.clone();
                let note = ("note".to_owned(), Json::from("another body"));
                second.body = with_member(&second.body, &note.0, note.1.clone());
                second.set.push(note);
                self.played(rehearsal, outcome, vec![first, second])
            }
            ErrorCode::NoRecordFound
            | ErrorCode::ProviderError
            | ErrorCode::SourceUnavailable
            | ErrorCode::SourceTimeout
            | ErrorCode::InternalError => None,
        }
    }

    /// A value in the form of its field: a list where that is one.
    fn as_of(&self, field: &Field, value: Json<'static>) -> Json<'static> {
        match field.kind {
            Kind::List { .. } => Json::List(vec![value]),
            _ => value,
        }
    }

    fn tried(
        &self,
        outcome: Outcome,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Option<Way> {
        let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
        let asks = self.asks(&mut rehearsal, set, times);
        self.played(rehearsal, outcome, vec![asks])
    }

    /// The sample, asked by another account.
    fn asked_by(&self, outcome: Outcome, config: AccountConfig, times: u32) -> Option<Way> {
        let other = Search {
            base: &config,
            ..*self
        };
        other.tried(outcome, Vec::new(), times)
    }

    fn asks(
        &self,
        rehearsal: &mut Rehearsal<'_>,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Asks {
        Asks {
            account: Arc::clone(&self.base.id),
            environment: self.environment,
            key: rehearsal.key(self.environment),
            idempotency_key: None,
            reference_id: None,
            body: rehearsal.body(self.environment, self.operation, &set),
            set,
            times,
        }
    }

    /// The way, where the last answer is this outcome.
    fn played(
        &self,
        mut rehearsal: Rehearsal<'_>,
        outcome: Outcome,
        asks: Vec<Asks>,
    ) -> Option<Way> {
        let mut last = None;
        for ask in &asks {
            let asked = Asked {
                environment: ask.environment,
                key: &ask.key,
                called: Called::Operation(self.operation),
                body: &ask.body,
                idempotency_key: ask.idempotency_key.as_deref(),
                reference_id: ask.reference_id.as_deref(),
            };
            for _ in 0..ask.times {
                last = Some(rehearsal.ask(&asked));
            }
        }
        let heard = last.filter(|heard| outcome.is_of(heard))?;
        Some(Way {
            asks,
            status: heard.status,
            because: heard.because.to_string(),
        })
    }
}
