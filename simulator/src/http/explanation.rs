//! Why an input gets what it gets, for people and programs: the command line and the control API say
//! the same.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use svc_fixtures::contract::OperationIndex;
use svc_fixtures::json::Json;

use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::rehearsal::{CallSpec, Goal, Observed, Recipe, RecipeCall, inspect, recipes};
use crate::scenario::{AccountConfig, Because, Choice, Scenario};
use crate::scenario_analysis::Explanation;

/// Why a call gets what it gets, and what else it could get.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplanationDto {
    /// The operation's dotted name.
    pub operation: String,
    /// Who calls.
    pub account: String,
    /// Where: `test` or `live`.
    pub environment: String,
    /// Its `X-Reference-Id`, where it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<String>,
    /// Its `Idempotency-Key`, where it sends one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Other headers that it sends.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[schemars(with = "Map<String, Value>")]
    pub body: Json<'static>,
    /// What it is answered where the account is fresh.
    pub answer: AnswerDto,
    /// Why the call is refused, where it is: then no scenario counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The scenario that decides, or would if the call were not refused; without one the operation's
    /// own success answer is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decides: Option<ScenarioMatchDto>,
    /// Scenarios that hold, too, and come later.
    pub later: Vec<ScenarioMatchDto>,
    /// Scenarios that came close, the nearest first, with what does not hold.
    pub near: Vec<ScenarioMatchDto>,
    /// Scenarios that would hold, and are for other operations.
    pub elsewhere: Vec<ScenarioMatchDto>,
    /// Every outcome of the operation, with an input that gives it where there is one.
    pub outcomes: Vec<OutcomeDto>,
}

/// An answer in short.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerDto {
    /// The HTTP status.
    pub status: u16,
    /// `completed`, `pending` or the error's code.
    pub outcome: String,
    /// Why.
    pub because: String,
    /// How long it is held back, in milliseconds, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// What a client sees in its place, where the scenario breaks it on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_the_wire: Option<String>,
}

/// A scenario.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScenarioMatchDto {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// What the input has where it looks, or what does not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Of one for other operations: some of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<String>,
}

/// An outcome.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutcomeDto {
    /// `completed`, `pending` or the error's code.
    pub outcome: String,
    /// The HTTP status it comes with, where there is a way to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why the last call is answered so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The calls that lead to it, the last of which is answered so. None where no call of this
    /// operation is.
    pub calls: Vec<ExplainedCallDto>,
}

/// A call to make.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedCallDto {
    /// Whose key it presents.
    pub account: String,
    /// The listener: `test` or `live`.
    pub environment: String,
    /// The environment its key is of.
    pub key: String,
    /// Its `Idempotency-Key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Its `X-Reference-Id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<String>,
    /// Other headers that it sends.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// What is set in the sample body.
    #[schemars(with = "Map<String, Value>")]
    pub set: BTreeMap<String, Json<'static>>,
    /// The body.
    #[schemars(with = "Map<String, Value>")]
    pub body: Json<'static>,
    /// How many times it is made.
    pub times: u32,
}

/// So many operations of a scenario for others are named.
const NAMED_OPERATIONS: usize = 3;

/// Explains a call of a fresh account with this configuration, which was answered so.
#[must_use]
pub fn explain(
    rules: &Rules,
    accounts: &[AccountConfig],
    config: &AccountConfig,
    operation: OperationIndex,
    spec: &CallSpec<'_>,
    observed: &Observed,
) -> ExplanationDto {
    let inspection = inspect(rules, &config.id, spec);
    let row = &rules.contract.operations[operation];
    let recipes = recipes(rules, accounts, config, spec.environment, operation);
    let is_refused = observed.because == Because::Refused;
    let mut explanation = ExplanationDto {
        operation: row.id.clone(),
        account: config.id.to_string(),
        environment: spec.environment.to_string(),
        reference_id: spec.reference_id.map(str::to_owned),
        idempotency_key: spec.idempotency_key.map(str::to_owned),
        headers: spec.headers.0.iter().cloned().collect(),
        body: spec.body.clone().into_owned(),
        answer: AnswerDto {
            status: observed.status,
            outcome: observed.outcome().to_owned(),
            because: observed.because.to_string(),
            delay_ms: Some(observed.delay_ms).filter(|it| *it > 0),
            on_the_wire: observed.wire.map(|fault| fault.to_string()),
        },
        refused: is_refused.then(|| observed.error_message().to_owned()),
        decides: None,
        later: Vec::new(),
        near: Vec::new(),
        elsewhere: Vec::new(),
        outcomes: recipes.into_iter().map(OutcomeDto::of).collect(),
    };
    // Of a call that can't be read nobody can say more.
    if let Ok(found) = inspection {
        explanation.add(rules, found);
    }
    explanation
}

impl ExplanationDto {
    /// Adds what was found about scenarios.
    fn add(&mut self, rules: &Rules, explanation: Explanation) {
        let scenario = |number, because| {
            let scenario: &Scenario = rules.scenarios.get(number);
            ScenarioMatchDto {
                name: scenario.name.to_string(),
                file: scenario.file.to_string(),
                line: scenario.line,
                because,
                operations: Vec::new(),
            }
        };
        match explanation.choice {
            Choice::Scenario(number) => self.decides = Some(scenario(number, explanation.met)),
            Choice::NoMatch => {}
        }
        let later = explanation.later.iter();
        self.later = later.map(|&it| scenario(it, Vec::new())).collect();
        let near = explanation.near.into_iter();
        self.near = near.map(|it| scenario(it.scenario, it.because)).collect();
        let elsewhere = explanation.elsewhere.iter().map(|&number| {
            let operations = rules.scenarios.get(number).operations.iter();
            let ids = operations.map(|&at| rules.contract.operations[at].id.clone());
            ScenarioMatchDto {
                operations: ids.take(NAMED_OPERATIONS).collect(),
                ..scenario(number, Vec::new())
            }
        });
        self.elsewhere = elsewhere.collect();
    }
}

impl OutcomeDto {
    fn of((goal, recipe): (Goal, Option<Recipe>)) -> Self {
        let (status, because, calls) = match recipe {
            None => (None, None, Vec::new()),
            Some(it) => (Some(it.status), Some(it.because), it.calls),
        };
        OutcomeDto {
            outcome: goal.as_str().to_owned(),
            status,
            because,
            calls: calls.into_iter().map(ExplainedCallDto::of).collect(),
        }
    }
}

impl ExplainedCallDto {
    fn of(call: RecipeCall) -> Self {
        let mut of_key = Environment::ALL.into_iter();
        let of_key = of_key.find(|it| call.key.starts_with(it.key_prefix()));
        ExplainedCallDto {
            account: call.caller.account,
            environment: call.caller.environment.to_string(),
            key: of_key.unwrap_or(call.caller.environment).to_string(),
            idempotency_key: call.caller.idempotency_key,
            reference_id: call.caller.reference_id,
            headers: call.caller.headers.0.into_iter().collect(),
            set: call.set.into_iter().collect(),
            body: call.body,
            times: call.times,
        }
    }
}
