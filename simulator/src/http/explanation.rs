//! Why an input gets what it gets, as it is told to people and programs: the command line and the
//! control API say the same.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use svc_fixtures::contract::OperationIndex;
use svc_fixtures::json::Json;

use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::rehearsal::{
    CallSpec, Goal, Inspection, Observed, Recipe, RecipeCall, inspect, recipes,
};
use crate::scenario::{AccountConfig, Because, Choice, Scenario};

/// Why a call gets what it gets, and what else it could get.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlExplanation", deny_unknown_fields)]
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
    /// The body.
    #[schemars(with = "Map<String, Value>")]
    pub body: Json<'static>,
    /// What it is answered where the account is fresh.
    pub answer: AnswerDto,
    /// Why the call is refused, where it is: then no scenario counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The identifying field with the text that comes before all scenarios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentinel: Option<String>,
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
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
pub struct AnswerDto {
    /// The HTTP status.
    pub status: u16,
    /// `completed`, `pending` or the error's code.
    pub outcome: String,
    /// Why.
    pub because: String,
}

/// A scenario.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
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
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
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
#[schemars(inline, deny_unknown_fields)]
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
    let mut explanation = ExplanationDto {
        operation: row.id.clone(),
        account: config.id.to_string(),
        environment: spec.environment.to_string(),
        reference_id: spec.reference_id.map(str::to_owned),
        idempotency_key: spec.idempotency_key.map(str::to_owned),
        body: spec.body.clone().into_owned(),
        answer: AnswerDto {
            status: observed.status,
            outcome: observed
                .code()
                .unwrap_or(observed.text("status"))
                .to_owned(),
            because: observed.because.to_string(),
        },
        refused: None,
        sentinel: None,
        decides: None,
        later: Vec::new(),
        near: Vec::new(),
        elsewhere: Vec::new(),
        outcomes: recipes.into_iter().map(reachable).collect(),
    };
    if observed.because == Because::Refused {
        let error = observed
            .envelope
            .get("error")
            .and_then(|it| it.get("message"));
        let message = error.and_then(Json::as_text).unwrap_or_default();
        explanation.refused = Some(message.to_owned());
    }
    // Of a call that can't be read nobody can say more.
    if let Ok(inspection) = inspection {
        explanation.tell(rules, inspection);
    }
    explanation
}

impl ExplanationDto {
    fn tell(&mut self, rules: &Rules, inspection: Inspection) {
        let scenarios = &rules.scenarios;
        let Inspection { explanation, met } = inspection;
        match &explanation.choice {
            Choice::Sentinel { field, .. } => self.sentinel = Some(field.clone()),
            Choice::Scenario(number) => self.decides = Some(rule(scenarios.get(*number), met)),
            Choice::NoMatch => {}
        }
        let later = explanation.later.iter();
        self.later = later
            .map(|&number| rule(scenarios.get(number), Vec::new()))
            .collect();
        let near = explanation.near.into_iter();
        self.near = near
            .map(|miss| rule(scenarios.get(miss.scenario), miss.because))
            .collect();
        let elsewhere = explanation.elsewhere.iter().map(|&number| {
            let scenario = scenarios.get(number);
            let operations = scenario.operations.iter().take(NAMED_OPERATIONS);
            let operations = operations.map(|&at| rules.contract.operations[at].id.clone());
            ScenarioMatchDto {
                operations: operations.collect(),
                ..rule(scenario, Vec::new())
            }
        });
        self.elsewhere = elsewhere.collect();
    }
}

fn rule(scenario: &Scenario, because: Vec<String>) -> ScenarioMatchDto {
    ScenarioMatchDto {
        name: scenario.name.to_string(),
        file: scenario.file.to_string(),
        line: scenario.line,
        because,
        operations: Vec::new(),
    }
}

fn reachable((outcome, recipe): (Goal, Option<Recipe>)) -> OutcomeDto {
    let outcome = outcome.as_str().to_owned();
    match recipe {
        None => OutcomeDto {
            outcome,
            status: None,
            because: None,
            calls: Vec::new(),
        },
        Some(recipe) => OutcomeDto {
            outcome,
            status: Some(recipe.status),
            because: Some(recipe.because),
            calls: recipe.calls.into_iter().map(ask).collect(),
        },
    }
}

fn ask(calls: RecipeCall) -> ExplainedCallDto {
    let mut of_key = Environment::ALL.into_iter();
    let of_key = of_key.find(|it| calls.key.starts_with(it.key_prefix()));
    ExplainedCallDto {
        account: calls.account.to_string(),
        environment: calls.environment.to_string(),
        key: of_key.unwrap_or(calls.environment).to_string(),
        idempotency_key: calls.idempotency_key,
        reference_id: calls.reference_id,
        set: calls.set.into_iter().collect(),
        body: calls.body,
        times: calls.times,
    }
}
