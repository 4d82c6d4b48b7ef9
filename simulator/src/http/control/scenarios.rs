//! Scenarios: those in force, and those of one account alone, added while the simulator runs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::OperationIndex;

use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode, MistakeDto};
use super::route::{ControlRequest, ControlResult};
use super::values::TimestampDto;
use crate::host::{AccountCell, Host, added_name};
use crate::scenario::Scenario;

/// Whose scenarios.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenariosQuery {
    /// With those of this account alone; without it only everybody's.
    account: Option<String>,
}

/// Scenarios in the order in which they are tried.
#[derive(Serialize, JsonSchema)]
pub(super) struct ScenarioListDto {
    /// Which set of everybody's scenarios is in force: 1 from the start, one more with each edit of
    /// the files that was taken.
    version: u64,
    /// The last edit of the files, where it was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedEditDto>,
    scenarios: Vec<ScenarioDto>,
}

#[derive(Serialize, JsonSchema)]
struct RefusedEditDto {
    /// When it was read, by the machine's clock.
    at: TimestampDto,
    /// Every mistake, with file, line and snippet.
    message: String,
}

#[derive(Serialize, JsonSchema)]
struct ScenarioDto {
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

pub(super) async fn list(
    request: ControlRequest<NoBody, ScenariosQuery>,
) -> ControlResult<ScenarioListDto> {
    let (rules, own) = match &request.query.account {
        None => (request.api.host.rules(), Vec::new()),
        Some(id) => {
            let cell = request.account_of(id)?;
            (request.api.host.rules_of(&cell), cell.added_files())
        }
    };
    let added = |scenario: &Scenario| {
        let file = own.iter().find(|file| *file.path == *scenario.file)?;
        Some(added_name(file).to_owned())
    };
    let id = |&operation: &OperationIndex| rules.contract.operations[operation].id.clone();
    let rows = rules.scenarios.all().iter().map(|scenario| ScenarioDto {
        name: scenario.name.to_string(),
        operations: scenario.operations.iter().map(id).collect(),
        file: scenario.file.to_string(),
        line: scenario.line,
        order: scenario.order,
        added: added(scenario),
    });
    let status = request.api.host.reload_status();
    Ok(ScenarioListDto {
        version: status.version,
        refused: status.failure.map(|failure| RefusedEditDto {
            at: TimestampDto(failure.at),
            message: failure.message,
        }),
        scenarios: rows.collect(),
    })
}

/// Scenarios for an account.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewScenariosDto {
    account: String,
    /// As they stand in a file.
    toml: String,
}

/// What was added.
#[derive(Serialize, JsonSchema)]
pub(super) struct AddedScenariosDto {
    /// What takes them away again.
    id: String,
    /// Their names.
    scenarios: Vec<String>,
}

pub(super) async fn add(
    request: ControlRequest<NewScenariosDto>,
) -> ControlResult<AddedScenariosDto> {
    let cell = request.account_of(&request.body.account)?;
    let NewScenariosDto { toml, .. } = request.body;
    // All scenarios are read anew: too long for a task that others wait behind.
    let adding = tokio::task::spawn_blocking(move || {
        let id = request.api.host.add_scenarios(&cell, &toml);
        let id = id.map_err(|problems| ControlError::mistakes(&problems))?;
        Ok(added_under(&request.api.host, &cell, id))
    });
    adding
        .await
        .unwrap_or_else(|_| Err(ControlError::internal()))
}

/// What an added file of an account has.
fn added_under(host: &Host, cell: &AccountCell, id: String) -> AddedScenariosDto {
    let mut files = cell.added_files().into_iter();
    let file = files.find(|file| added_name(file) == id);
    let rules = host.rules_of(cell);
    let added = rules.scenarios.all().iter();
    let added = added.filter(|it| file.as_ref().is_some_and(|file| *file.path == *it.file));
    let scenarios = added.map(|scenario| scenario.name.to_string()).collect();
    AddedScenariosDto { id, scenarios }
}

/// The text that is to stand in the place of another.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RewrittenScenariosDto {
    account: String,
    /// As it stands in a file.
    toml: String,
}

pub(super) async fn rewrite(
    request: ControlRequest<RewrittenScenariosDto>,
) -> ControlResult<AddedScenariosDto> {
    let cell = request.account_of(&request.body.account)?;
    let RewrittenScenariosDto { toml, .. } = request.body;
    // All scenarios are read anew: too long for a task that others wait behind.
    let rewriting = tokio::task::spawn_blocking(move || {
        let (host, id) = (&request.api.host, request.id);
        let rewritten = host.rewrite_scenarios(&cell, &id, &toml);
        match rewritten.map_err(|problems| ControlError::mistakes(&problems))? {
            true => Ok(added_under(host, &cell, id)),
            false => Err(nothing_added()),
        }
    });
    rewriting
        .await
        .unwrap_or_else(|_| Err(ControlError::internal()))
}

/// A text of scenarios that may have mistakes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckedTextDto {
    /// For whom they would be added, beside those that were; beside everybody's alone where it is left out.
    account: Option<String>,
    /// As it stands in a file.
    toml: String,
}

/// What `check` says of a text. Nothing was added.
#[derive(Serialize, JsonSchema)]
pub(super) struct CheckDto {
    /// The names of the scenarios; none where there are mistakes.
    scenarios: Vec<String>,
    /// Every mistake, in order.
    mistakes: Vec<MistakeDto>,
}

pub(super) async fn check(request: ControlRequest<CheckedTextDto>) -> ControlResult<CheckDto> {
    let CheckedTextDto { account, toml } = &request.body;
    let cell = account
        .as_deref()
        .map(|id| request.known_account(id))
        .transpose()?;
    let (host, toml) = (Arc::clone(&request.api.host), toml.clone());
    // All scenarios are read anew: too long for a task that others wait behind.
    let checking = tokio::task::spawn_blocking(move || {
        let (scenarios, mistakes) = match host.check_scenarios(cell.as_deref(), &toml) {
            Ok(names) => (names.iter().map(ToString::to_string).collect(), Vec::new()),
            Err(problems) => (Vec::new(), problems.iter().map(MistakeDto::of).collect()),
        };
        CheckDto {
            scenarios,
            mistakes,
        }
    });
    checking.await.map_err(|_| ControlError::internal())
}

fn nothing_added() -> ControlError {
    ControlError::new(
        ControlErrorCode::ScenarioNotFound,
        "nothing was added to this account under this id; GET /control/scenarios?account= lists \
         what was",
    )
}

/// Whose added scenarios.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountQuery {
    account: String,
}

pub(super) async fn remove(request: ControlRequest<NoBody, AccountQuery>) -> ControlResult<()> {
    let cell = request.account_of(&request.query.account)?;
    // What is left is read anew: too long for a task that others wait behind.
    let removing = tokio::task::spawn_blocking(move || {
        request.api.host.remove_scenarios(&cell, Some(&request.id))
    });
    match removing.await {
        Ok(true) => Ok(()),
        Err(_) => Err(ControlError::internal()),
        Ok(false) => Err(nothing_added()),
    }
}
