//! For every outcome of an operation an input that gives it. Each was tried: what a recipe says is what
//! was answered.

use svc_fixtures::contract::{ErrorCode, Field, Operation, OperationIndex, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::callers::meeting;
use super::inputs::{CALLER, InputSearch};
use super::{CallSpec, CallTarget, Rehearsal};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::{AccountConfig, Caller, Condition, Outcome, OutcomeKind, find_account};

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

    /// What an outcome ends in; none where it leaves that to others.
    pub(crate) fn of(then: &Outcome) -> Option<Goal> {
        Some(match &then.kind {
            OutcomeKind::Success(_) => Goal::Completed,
            OutcomeKind::Pending { .. } => Goal::Pending,
            OutcomeKind::Error { code, .. } => Goal::Error(*code),
            OutcomeKind::AsUsual => return None,
        })
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
    /// Who makes it, and how.
    pub caller: Caller,
    /// The key it presents.
    pub key: String,
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
        let by_sample = match goal {
            Goal::Completed | Goal::Pending => self.try_input(goal, Vec::new()),
            Goal::Error(_) => None,
        };
        by_sample
            .or_else(|| self.by_scenario(goal))
            .or_else(|| self.by_refusal(goal))
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
            let mut steps = steps.filter(|(_, then)| Goal::of(then) == Some(goal));
            if let Some((step, then)) = steps.next() {
                found.push((then.wire.is_some(), step, number));
            }
        }
        found.sort_unstable();
        found.into_iter().find_map(|(_, step, number)| {
            let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
            let sample = rehearsal.body(self.environment, self.operation, &[]);
            let plain = self.caller();
            let conditions = &self.rules.scenarios.get(number).conditions;
            let conditions: Vec<&Condition> = conditions.iter().collect();
            let callers = meeting(&plain, &conditions, self.accounts);
            let search = InputSearch::new(self.rules, self.operation);
            let named = search.decided_by(number, &callers, &sample);
            // A rule without conditions names no input: any will do.
            let ((set, _), caller) = named.unwrap_or(((Vec::new(), sample), plain));
            let times = u32::try_from(step).ok()? + 1;
            let config = match *self.base.id == caller.account {
                true => self.base.clone(),
                false => find_account(self.accounts, &caller.account)?,
            };
            self.attempt(goal, &config, caller, set, times)
        })
    }

    /// The field with what an earlier step of its flow issued.
    fn takes(&self) -> Option<&str> {
        let step = self.rules.steps[self.operation.0]?;
        let step = &self.rules.contract.flows[step.flow].steps[step.step];
        step.takes.as_deref()
    }

    /// A later step whose first call this account can't pay: it needs none where what it carries is
    /// itself a fixed input.
    fn by_fixed_input(&self, goal: Goal, config: &AccountConfig) -> Option<Recipe> {
        let takes = self.takes()?;
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
        named.find_map(|((set, _), _)| {
            let live = Caller::plain(&config.id, Environment::Live);
            self.attempt(goal, config, live, set, 1)
        })
    }

    fn by_refusal(&self, goal: Goal) -> Option<Recipe> {
        let Goal::Error(code) = goal else {
            return None;
        };
        let set = |field: &Field, value| self.try_input(goal, vec![(field.name.clone(), value)]);
        let account = |is_usable: &dyn Fn(&AccountConfig) -> bool| {
            let mut accounts = self.accounts.iter();
            accounts.find(|config| is_usable(config))
        };
        let of_account = |config: &AccountConfig, times| {
            let caller = Caller::plain(&config.id, self.environment);
            self.attempt(goal, config, caller, Vec::new(), times)
        };
        let works = |config: &AccountConfig| config.keys.first().is_some_and(|key| !key.revoked);
        match code {
            ErrorCode::InvalidInput => set(self.row.request.first()?, Json::Null),
            ErrorCode::InvalidIdentifier => self.row.identifiers().find_map(|(_, field)| {
                set(field, sample::with_text(&self.rules.contract, field, "?"))
            }),
            ErrorCode::NotFound => {
                let field = self.row.field(self.takes()?)?;
                set(&self.row.request[field], Json::from("unknown"))
            }
            ErrorCode::AuthInvalid => of_account(account(&|it| !works(it))?, 1),
            ErrorCode::IpNotAllowed => {
                of_account(account(&|it| works(it) && !it.allowlist.is_empty())?, 1)
            }
            ErrorCode::RateLimited => {
                let config = account(&|it| works(it) && it.rate_limit.is_some())?;
                of_account(config, config.rate_limit?.burst.checked_add(1)?)
            }
            ErrorCode::InsufficientBalance => {
                let config = account(&|it| works(it) && it.live_wallet == Paise::ZERO)?;
                let live = Caller::plain(&config.id, Environment::Live);
                self.attempt(goal, config, live, Vec::new(), 1)
                    .or_else(|| self.by_fixed_input(goal, config))
            }
            ErrorCode::KeyEnvironmentMismatch => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut call = self.prepare(&mut rehearsal, self.caller(), Vec::new(), 1);
                call.key = rehearsal.key(self.environment.other());
                self.play(rehearsal, goal, vec![call])
            }
            ErrorCode::IdempotencyConflict => {
                let mut rehearsal = Rehearsal::new(self.rules, self.base.clone());
                let mut first = self.prepare(&mut rehearsal, self.caller(), Vec::new(), 1);
                first.caller.idempotency_key = Some("order-1042".to_owned());
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

    /// Who calls where nothing else is needed.
    fn caller(&self) -> Caller {
        Caller::plain(&self.base.id, self.environment)
    }

    fn try_input(&self, goal: Goal, set: Vec<(String, Json<'static>)>) -> Option<Recipe> {
        self.attempt(goal, self.base, self.caller(), set, 1)
    }

    fn attempt(
        &self,
        goal: Goal,
        config: &AccountConfig,
        caller: Caller,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> Option<Recipe> {
        let mut rehearsal = Rehearsal::new(self.rules, config.clone());
        let call = self.prepare(&mut rehearsal, caller, set, times);
        self.play(rehearsal, goal, vec![call])
    }

    fn prepare(
        &self,
        rehearsal: &mut Rehearsal<'_>,
        caller: Caller,
        set: Vec<(String, Json<'static>)>,
        times: u32,
    ) -> RecipeCall {
        RecipeCall {
            key: rehearsal.key(caller.environment),
            body: rehearsal.body(caller.environment, self.operation, &set),
            caller,
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
            let target = CallTarget::Operation(self.operation);
            let spec = CallSpec::by(&call.caller, &call.key, target, &call.body);
            for _ in 0..call.times {
                last = Some(rehearsal.call(&spec));
            }
        }
        let observed = last.filter(|observed| observed.outcome() == goal.as_str())?;
        Some(Recipe {
            calls,
            status: observed.status,
            because: observed.because.to_string(),
        })
    }
}
