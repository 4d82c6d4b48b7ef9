//! Whole accounts as JSON files: written, and read again here or elsewhere.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::account_dto::AccountDto;
use super::request::{BodyDto, BodyPresence, NoBody};
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::values::{NameDto, TrueDto};
use crate::engine::call::request::Environment;
use crate::engine::state::account_file::{AccountFile, AccountFileError};
use crate::host::account_file::{IfTaken, ImportError};

/// A file of an account.
#[derive(Serialize)]
pub(super) struct ExportedAccountDto(Box<RawValue>);

/// A file of an account that is read.
#[derive(Deserialize)]
pub(super) struct ImportedAccountDto(Value);

/// What every file of an account says; all of the account is read by this simulator only.
fn schema() -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "format": { "type": "integer", "minimum": 1, "description": "The form of the file." },
            "product": { "type": "string", "enum": ["svc-simulator"] },
            "version": { "type": "string", "description": "The version that wrote it." },
            "account": {
                "type": "object",
                "description": "All of the account, as this product reads it.",
            },
            "scenarios": {
                "type": "object",
                "description": "The scenarios that were added for it alone.",
            },
        },
        "required": ["format", "product", "version", "account", "scenarios"],
    })
}

impl JsonSchema for ExportedAccountDto {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AccountFileDto".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema()
    }
}

impl BodyDto for ImportedAccountDto {
    const PRESENCE: BodyPresence = BodyPresence::Required;
    /// No clause bounds it: an account that keeps all that it may by default, written as text.
    const MAX_BYTES: usize = 256 << 20;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        schema()
    }
}

/// What is exported.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ExportQuery {
    /// `true` leaves the secrets of webhooks out, and the receivers with them.
    without_secrets: Option<TrueDto>,
}

pub(super) async fn export(
    request: ControlRequest<NoBody, ExportQuery>,
) -> ControlResult<ExportedAccountDto> {
    let cell = request.account()?;
    let without_secrets = request.query.without_secrets.is_some();
    // It may be large: too long for a task that others wait behind.
    let printing = tokio::task::spawn_blocking(move || {
        let file = request.api.host.export(&cell);
        let file = match without_secrets {
            true => file.without_secrets(),
            false => file,
        };
        RawValue::from_string(file.to_text())
    });
    let printed = printing.await.map_err(|_| ControlError::internal())?;
    let text = printed.map_err(|_| ControlError::internal())?;
    Ok(ExportedAccountDto(text))
}

/// How it is imported.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ImportQuery {
    /// `true` deletes an account of this id first.
    replace: Option<TrueDto>,
}

pub(super) async fn import(
    request: ControlRequest<ImportedAccountDto, ImportQuery>,
) -> ControlResult<AccountDto> {
    let id = NameDto::try_from(request.id).map_err(ControlError::invalid_input)?;
    let (api, body) = (request.api, request.body.0);
    // It may be large: too long for a task that others wait behind.
    let read = tokio::task::spawn_blocking(move || AccountFile::from_json(&body));
    let file = read.await.map_err(|_| ControlError::internal())?;
    let file = file.map_err(|error| match error {
        AccountFileError::Newer { .. } => {
            ControlError::new(ControlErrorCode::NewerFormat, error.to_string())
        }
        error => ControlError::invalid_input(error.to_string()),
    })?;
    for environment in Environment::ALL {
        let webhook = file.account.environment(environment).webhook.as_ref();
        webhook.map_or(Ok(()), |webhook| api.check_url(&webhook.url))?;
    }
    let if_taken = match request.query.replace {
        Some(TrueDto::True) => IfTaken::Replace,
        None => IfTaken::Refuse,
    };
    let cell = api.host.import(file, &id.0, if_taken).await?;
    Ok(api.show(&cell))
}

impl From<ImportError> for ControlError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Open(error) => error.into(),
            ImportError::Scenarios(problems) => ControlError::mistakes(&problems),
            ImportError::Journal(error) => error.into(),
        }
    }
}
