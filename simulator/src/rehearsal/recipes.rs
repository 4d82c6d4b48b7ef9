//! For every outcome of an operation an input that gives it. Each was tried: what a recipe says is what
//! was answered.

use std::sync::Arc;

use svc_fixtures::contract::{ErrorCode, Field, Operation, OperationIndex, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::callers::Caller;
use super::inputs::{CALLER, InputSearch};
use super::{CallSpec, CallTarget, Observed, Rehearsal};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::{AccountConfig, Condition, Outcome, OutcomeKind, find_account};

/// What a call can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A result.
    Completed,
    /// Nothing yet.
    Pending,
    /// An error of this code.
    Error(ErrorCode),
}

impl Goal {
    /// As the envelope says it: the status, or the error's code.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Goal::Completed => "completed",
            Goal::Pending => "pending",
            Goal::Error(code) => code.as_str(),
        }
    }

    fn is_met_by(self, observed: &Observed) -> bool {
        match self {
            Goal::Completed | Goal::Pending => observed.text("status") == self.as_str(),
            Goal::Error(code) => observed.code() == Some(code.as_str()),
        }
    }

    fn of(then: &Outcome) -> Goal {
        match &then.kind {
            OutcomeKind::Success(_) => Goal::Completed,
            OutcomeKind::Pending { .. } => Goal::Pending,
            OutcomeKind::Error { code, .. } => Goal::Error(*code),
        }
    }
}

/// How an outcome is brought about: calls to make, the last of which is answered so.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The calls.
    pub calls: Vec<RecipeCall>,
    /// The HTTP status of the last answer.
    pub status: u16,
    /// Why it is answered so.
    pub because: String,
}

/// A call to make, one or more times.
#[derive(Debug, Clone)]
pub struct RecipeCall {
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

/// Every outcome that a call of an operation may have, with a recipe where there is one. What
/// depends on the input alone is asked by `base`.
#[must_use]
pub fn recipes(
    rules: &Rules,
    accounts: &[AccountConfig],
    base: &AccountConfig,
    environment: Environment,
    operation: OperationIndex,
) -> Vec<(Goal, Option<Recipe>)> {
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
        completes.then_some(Goal::Completed),
        pending.is_some().then_some(Goal::Pending),
    ];
    let errors = ErrorCode::ALL.into_iter().map(Goal::Error);
    let outcomes = answers.into_iter().flatten().chain(errors);
    outcomes.map(|goal| (goal, search.recipe(goal))).collect()
}

struct Search<'s> {
    rules: &'s Rules,
    accounts: &'s [AccountConfig],
    base: &'s AccountConfig,
    environment: Environment,
    operation: OperationIndex,
    row: &'s Operation,
}

impl Search<'_> {
    fn recipe(&self, goal: Goal) -> Option<Recipe> {
        self.by_sample(goal)
            .or_else(|| self.by_scenario(goal))
            .or_else(|| self.by_sentinel(goal))
            .or_else(|| self.by_refusal(goal))
    }

    fn by_sample(&self, goal: Goal) -> Option<Recipe> {
        match goal {
            Goal::Completed | Goal::Pending => self.try_input(goal, Vec::new(), 1),
            Goal::Error(_) => None,
        }
    }

    /// The first scenario that ends so at the first call, or else at a later one; rather one whose
    /// answer arrives.
    fn by_scenario(&self, goal: Goal) -> Option<Recipe> {
        let mut found = Vec::new();
        for (number, scenario) in self.rules.scenarios.iter() {
            if !scenario.operations.contains(&self.operation) {
                continue;
            }
            let steps = scenario.then.iter().enumerate();
            let mut steps = steps.filter(|(_, then)| Goal::of(then) == goal);
            if let Some((step, then)) = steps.next() {
                found.push((then.wire.is_some(), step, number));
            }
        }
        found.sort_unstable();
        found.into_iter().find_map(|(_, step, number)| {
            let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
            let sample = rehearsal.body(self.environment, self.operation, &[]);
            let plain = Caller::plain(&self.base.id, self.environment);
            let conditions = &self.rules.scenarios.get(number).conditions;
            let conditions: Vec<&Condition> = conditions.iter().collect();
            let callers = plain.meeting(&conditions, self.accounts);
            let search = InputSearch::new(self.rules, self.operation);
            let named = search.decided_by(number, &callers, &sample);
            // A rule without conditions names no input: any will do.
            let ((set, _), caller) = named.unwrap_or(((Vec::new(), sample), plain));
            self.try_as(&caller, goal, set, u32::try_from(step).ok()? + 1)
        })
    }

    /// The call as this caller makes it.
    fn try_as(
        &self,
        caller: &Caller,
        goal: Goal,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Option<Recipe> {
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
        let mut call = by.prepare(&mut rehearsal, set, times);
        call.idempotency_key.clone_from(&caller.idempotency_key);
        call.reference_id.clone_from(&caller.reference_id);
        by.play(rehearsal, goal, vec![call])
    }

    /// A later step whose first call this account can't pay: it needs none where what it carries is
    /// itself a fixed input.
    fn by_fixed_input(&self, goal: Goal, config: &AccountConfig) -> Option<Recipe> {
        let other = Search {
            base: config,
            ..*self
        };
        let step = self.rules.steps[self.operation.0]?;
        let step = &self.rules.contract.flows[step.flow].steps[step.step];
        let takes = step.takes.as_ref()?;
        let sample = sample::body(&self.rules.contract, self.row, Extent::Required);
        let caller = [Caller::plain(CALLER, Environment::Test)];
        let search = InputSearch {
            identifier: Some(takes),
            ..InputSearch::new(self.rules, self.operation)
        };
        let scenarios = self.rules.scenarios.iter();
        let mut named = scenarios
            .filter(|(_, scenario)| scenario.operations.contains(&self.operation))
            .filter_map(|(at, _)| search.decided_by(at, &caller, &sample));
        named.find_map(|((set, _), _)| other.try_input(goal, set, 1))
    }

    fn by_sentinel(&self, goal: Goal) -> Option<Recipe> {
        let sentinel = &self.rules.contract.service.sentinel;
        if goal != Goal::Error(sentinel.error) {
            return None;
        }
        self.row.identifiers().find_map(|(_, field)| {
            let value = sample::with_text(&self.rules.contract, field, &sentinel.text);
            let set = (field.name.clone(), value);
            self.try_input(goal, vec![set], 1)
        })
    }

    fn by_refusal(&self, goal: Goal) -> Option<Recipe> {
        let Goal::Error(code) = goal else {
            return None;
        };
        let set = |field: &Field, value| self.try_input(goal, vec![(field.name.clone(), value)], 1);
        let account = |is_usable: &dyn Fn(&AccountConfig) -> bool| {
            let mut accounts = self.accounts.iter();
            accounts.find(|config| is_usable(config)).cloned()
        };
        let works = |config: &AccountConfig| config.keys.first().is_some_and(|key| !key.revoked);
        match code {
            ErrorCode::InvalidInput => set(self.row.request.first()?, Json::Null),
            ErrorCode::InvalidIdentifier => self.row.identifiers().find_map(|(_, field)| {
                set(field, sample::with_text(&self.rules.contract, field, "?"))
            }),
            ErrorCode::NotFound => {
                let step = self.rules.steps[self.operation.0]?;
                let step = &self.rules.contract.flows[step.flow].steps[step.step];
                let field = self.row.field(step.takes.as_ref()?)?;
                set(&self.row.request[field], Json::from("unknown"))
            }
            ErrorCode::AuthInvalid => self.try_account(goal, account(&|it| !works(it))?, 1),
            ErrorCode::IpNotAllowed => {
                let config = account(&|it| works(it) && !it.allowlist.is_empty())?;
                self.try_account(goal, config, 1)
            }
            ErrorCode::RateLimited => {
                let config = account(&|it| works(it) && it.rate_limit.is_some())?;
                let burst = config.rate_limit?.burst;
                self.try_account(goal, config, burst.checked_add(1)?)
            }
            ErrorCode::InsufficientBalance => {
                let config = account(&|it| works(it) && it.live_wallet == Paise::ZERO)?;
                let live = Search {
                    environment: Environment::Live,
                    ..*self
                };
                live.try_account(goal, config.clone(), 1)
                    .or_else(|| live.by_fixed_input(goal, &config))
            }
            ErrorCode::KeyEnvironmentMismatch => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut call = self.prepare(&mut rehearsal, Vec::new(), 1);
                call.key = rehearsal.key(self.environment.other());
                self.play(rehearsal, goal, vec![call])
            }
            ErrorCode::IdempotencyConflict => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut first = self.prepare(&mut rehearsal, Vec::new(), 1);
                first.idempotency_key = Some("order-1042".to_owned());
                let mut second = first.clone();
                let note = ("note".to_owned(), Json::from("another body"));
                second.body.set(note.0.clone(), note.1.clone());
                second.set.push(note);
                self.play(rehearsal, goal, vec![first, second])
            }
            ErrorCode::NoRecordFound
            | ErrorCode::ProviderError
            | ErrorCode::SourceUnavailable
            | ErrorCode::SourceTimeout
            | ErrorCode::InternalError => None,
        }
    }

    fn try_input(
        &self,
        goal: Goal,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Option<Recipe> {
        let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
        let call = self.prepare(&mut rehearsal, set, times);
        self.play(rehearsal, goal, vec![call])
    }

    /// The sample, asked by another account.
    fn try_account(&self, goal: Goal, config: AccountConfig, times: u32) -> Option<Recipe> {
        let other = Search {
            base: &config,
            ..*self
        };
        other.try_input(goal, Vec::new(), times)
    }

    fn prepare(
        &self,
        rehearsal: &mut Rehearsal<'_>,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> RecipeCall {
        RecipeCall {
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

    /// The recipe, where the last answer is this outcome.
    fn play(
        &self,
        mut rehearsal: Rehearsal<'_>,
        goal: Goal,
        calls: Vec<RecipeCall>,
    ) -> Option<Recipe> {
        let mut last = None;
        for call in &calls {
            let spec = CallSpec {
                environment: call.environment,
                key: &call.key,
                target: CallTarget::Operation(self.operation),
                body: &call.body,
                idempotency_key: call.idempotency_key.as_deref(),
                reference_id: call.reference_id.as_deref(),
            };
            for _ in 0..call.times {
                last = Some(rehearsal.call(&spec));
            }
        }
        let observed = last.filter(|observed| goal.is_met_by(observed))?;
        Some(Recipe {
            calls,
            status: observed.status,
            because: observed.because.to_string(),
        })
    }
}
