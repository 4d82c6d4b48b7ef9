//! Scenarios: those in force, and those of one account alone, added while the simulator runs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::OperationIndex;
use tokio::runtime::Handle;

use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode, MistakeDto};
use super::route::{ControlRequest, ControlResult};
use super::values::TimestampDto;
use crate::engine::state::scenarios::AddedFile;
use crate::host::{AccountCell, Host, ScenariosError};
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
#[serde(rename_all = "camelCase")]
pub(super) struct ScenarioListDto {
    /// Which set of everybody's scenarios is in force: 1 from the start, one more with each edit of
    /// the files that was taken.
    version: u64,
    /// The last edit of the files, where it was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedEditDto>,
    /// What `check` calls a mistake of the files in force, which are used: rules that never win, answers that contradict
    /// themselves. It is looked for behind the start and behind each edit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<MistakeDto>,
    scenarios: Vec<ScenarioDto>,
    /// What was added for the account and decides nothing, because it does not fit what is in force now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOutDto>,
}

#[derive(Serialize, JsonSchema)]
struct LeftOutDto {
    /// The id it was added under.
    added: String,
    /// Every mistake, with file, line and snippet.
    message: String,
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
    let mut left_out = Vec::new();
    let (rules, own) = match &request.query.account {
        None => (request.api.host.rules(), Vec::new()),
        Some(id) => {
            let cell = request.account_of(id)?;
            left_out = request.api.host.left_out(&cell);
            let own = cell.read(|account| account.scenarios.clone());
            let own = own.map_or_else(Vec::new, |own| own.files.clone());
            (request.api.host.rules_of(&cell), own)
        }
    };
    let added = |scenario: &Scenario| {
        let file = own.iter().find(|file| *file.path == *scenario.file)?;
        Some(file.name().to_owned())
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
        warnings: status.warnings.iter().map(MistakeDto::of).collect(),
        scenarios: rows.collect(),
        left_out: left_out
            .into_iter()
            .map(|file| LeftOutDto {
                added: file.name,
                message: file.mistakes.to_string(),
            })
            .collect(),
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
        let host = &request.api.host;
        let add = || host.add_scenarios(&cell, &toml);
        let id = Handle::current().block_on(host.durably(&cell, add))?;
        Ok(added_under(host, &cell, id))
    });
    adding
        .await
        .unwrap_or_else(|_| Err(ControlError::internal()))
}

/// What an added file of an account has.
fn added_under(host: &Host, cell: &AccountCell, id: String) -> AddedScenariosDto {
    let own = cell.read(|account| account.scenarios.clone());
    let is_it = |file: &&AddedFile| file.name() == id;
    let file = own.as_ref().and_then(|own| own.files.iter().find(is_it));
    let rules = host.rules_of(cell);
    let added = rules.scenarios.all().iter();
    let added = added.filter(|it| file.is_some_and(|file| *file.path == *it.file));
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
        let rewrite = || host.rewrite_scenarios(&cell, &id, &toml);
        match Handle::current().block_on(host.durably(&cell, rewrite))? {
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
        let host = &request.api.host;
        let remove = || host.remove_scenarios(&cell, Some(&request.id));
        Handle::current().block_on(host.durably(&cell, remove))
    });
    match removing.await.map_err(|_| ControlError::internal())?? {
        true => Ok(()),
        false => Err(nothing_added()),
    }
}

impl From<ScenariosError> for ControlError {
    fn from(error: ScenariosError) -> Self {
        match error {
            ScenariosError::Mistakes(problems) => ControlError::mistakes(&problems),
            ScenariosError::Journal(error) => error.into(),
        }
    }
}
