//! Scenarios: those in force, and those of one account alone, added while the simulator runs.

use std::sync::Arc;

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::{Given, Nothing};
use super::query::{NoQuery, Query};
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, delete, get, post};
use super::values::When;
use crate::engine::call::rules::Rules;
use crate::host::own_rules::name_of;
use crate::scenario::Scenario;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/control/scenarios",
            "scenarios.list",
            "The scenarios in force, the first wins",
        )
        .by(list)
        .refusing(&[Code::AccountNotFound]),
        post(
            "/control/scenarios",
            "scenarios.add",
            "Add scenarios for one account, before all others",
        )
        .by(add)
        .with(StatusCode::CREATED)
        .refusing(&[Code::AccountNotFound, Code::ScenarioMistakes]),
        delete(
            "/control/scenarios/{id}",
            "scenarios.remove",
            "Take added scenarios away",
        )
        .by(remove)
        .with(StatusCode::NO_CONTENT)
        .refusing(&[Code::AccountNotFound, Code::ScenarioNotFound]),
    ]
}

/// Whose scenarios.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScenariosQuery {
    /// With those of this account alone; without it only everybody's.
    account: Option<String>,
}

impl Query for ScenariosQuery {}

/// Scenarios in the order in which they are asked.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlScenarios", deny_unknown_fields)]
struct Scenarios {
    /// Which set of everybody's scenarios is in force: 1 from the start, one more with each edit of
    /// the files that was taken.
    version: u64,
    /// The last edit of the files, where it was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<Refused>,
    scenarios: Vec<ScenarioRow>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Refused {
    /// When it was read, by the machine's clock.
    at: When,
    /// Every mistake, with file, line and snippet.
    message: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct ScenarioRow {
    name: String,
    operations: Vec<String>,
    file: String,
    line: usize,
    /// The lower one wins. The cases of one scenario share it.
    order: usize,
    /// Of one that was added: the id it was added under.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<String>,
}

async fn list(
    control: Arc<Control>,
    asked: Asked<Nothing, ScenariosQuery>,
) -> Result<Scenarios, Refusal> {
    let (rules, own) = match &asked.query.account {
        None => (control.host.rules(), Vec::new()),
        Some(id) => {
            let cell = control.account(id)?;
            (control.host.rules_of(&cell), cell.own_files())
        }
    };
    let added = |scenario: &Scenario| {
        let file = own.iter().find(|file| *file.path == *scenario.file)?;
        Some(name_of(file).to_owned())
    };
    let rows = rules.scenarios.all().iter();
    let rows = rows.map(|scenario| row(&rules, scenario, added(scenario)));
    let status = control.host.reload_status();
    Ok(Scenarios {
        version: status.version,
        refused: status.failure.map(|failure| Refused {
            at: When(failure.at),
            message: failure.message,
        }),
        scenarios: rows.collect(),
    })
}

fn row(rules: &Rules, scenario: &Scenario, added: Option<String>) -> ScenarioRow {
    let operations = scenario.operations.iter();
    let operations = operations.map(|&operation| rules.contract.operations[operation].id.clone());
    ScenarioRow {
        name: scenario.name.to_string(),
        operations: operations.collect(),
        file: scenario.file.to_string(),
        line: scenario.line,
        order: scenario.order,
        added,
    }
}

/// Scenarios for an account.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlNewScenarios")]
struct NewScenarios {
    account: String,
    /// As they stand in a file.
    toml: String,
}

impl Given for NewScenarios {}

/// What was added.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlAddedScenarios", deny_unknown_fields)]
struct Added {
    /// What takes them away again.
    id: String,
    /// Their names.
    scenarios: Vec<String>,
}

async fn add(control: Arc<Control>, asked: Asked<NewScenarios, NoQuery>) -> Result<Added, Refusal> {
    let NewScenarios { account, toml } = asked.body;
    let cell = control.account(&account)?;
    // All scenarios are read anew: too long for a task that others wait behind.
    let adding = tokio::task::spawn_blocking(move || {
        let id = control.host.add_scenarios(&cell, &toml);
        let id = id.map_err(|problems| Refusal::mistakes(&problems))?;
        let file = cell
            .own_files()
            .into_iter()
            .find(|file| name_of(file) == id);
        let rules = control.host.rules_of(&cell);
        let mut scenarios: Vec<String> = Vec::new();
        for scenario in rules.scenarios.all() {
            let added = file
                .as_ref()
                .is_some_and(|file| *file.path == *scenario.file);
            if added {
                scenarios.push(scenario.name.to_string());
            }
        }
        Ok(Added { id, scenarios })
    });
    match adding.await {
        Ok(added) => added,
        Err(_) => Err(Refusal::new(
            Code::InternalError,
            Code::InternalError.meaning(),
        )),
    }
}

/// Whose added scenarios.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfAccount {
    account: String,
}

impl Query for OfAccount {}

async fn remove(control: Arc<Control>, asked: Asked<Nothing, OfAccount>) -> Result<(), Refusal> {
    let cell = control.account(&asked.query.account)?;
    // What is left is read anew: too long for a task that others wait behind.
    let removing = tokio::task::spawn_blocking(move || {
        control.host.remove_scenarios(&cell, Some(&asked.part))
    });
    match removing.await {
        Ok(true) => Ok(()),
        Err(_) => Err(Refusal::new(
            Code::InternalError,
            Code::InternalError.meaning(),
        )),
        Ok(false) => Err(Refusal::new(
            Code::ScenarioNotFound,
            "nothing was added to this account under this id; GET /control/scenarios?account= \
             lists what was",
        )),
    }
}
