//! Keys: added, rotated, revoked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::KeyStateDto;
use super::route::{ControlRequest, ControlResult};
use super::values::{EnvironmentDto, NameDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::access::Key;
use crate::engine::state::manage::{self, Rotation};

/// A key to be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewKeyDto {
    environment: EnvironmentDto,
    /// What it says after `svc_test_` or `svc_live_`.
    name: NameDto,
}

/// A key.
#[derive(Serialize, JsonSchema)]
pub(super) struct AddedKeyDto {
    key: String,
    environment: EnvironmentDto,
}

pub(super) async fn add(request: ControlRequest<NewKeyDto>) -> ControlResult<AddedKeyDto> {
    let cell = request.account()?;
    let NewKeyDto { environment, name } = request.body;
    let host = &request.api.host;
    let add = || host.add_key(&cell, environment.0, &name.0);
    let key = host.named_durably(&cell, Key::name, add).await?;
    Ok(AddedKeyDto {
        key: key.text.to_string(),
        environment,
    })
}

/// Where the newest key is rotated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyRotationDto {
    environment: EnvironmentDto,
}

/// A new key, and the one it replaces.
#[derive(Serialize, JsonSchema)]
pub(super) struct RotatedKeyDto {
    key: String,
    environment: EnvironmentDto,
    replaces: ReplacedKeyDto,
}

#[derive(Serialize, JsonSchema)]
struct ReplacedKeyDto {
    key: String,
    /// When it stops working, by the account's clock.
    until: TimestampDto,
}

pub(super) async fn rotate(
    request: ControlRequest<KeyRotationDto>,
) -> ControlResult<RotatedKeyDto> {
    let cell = request.account()?;
    let environment = request.body.environment.0;
    let host = &request.api.host;
    let rotate = || host.rotate_key(&cell, environment);
    let rotated = host.named_durably(&cell, |it: &Rotation| it.key.name(), rotate);
    let rotation = rotated.await?;
    Ok(RotatedKeyDto {
        key: rotation.key.text.to_string(),
        environment: EnvironmentDto(environment),
        replaces: ReplacedKeyDto {
            key: rotation.replaces.to_string(),
            until: TimestampDto(rotation.until),
        },
    })
}

/// A key to end.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyToRevokeDto {
    /// The whole key.
    key: String,
}

/// A key that works no more.
#[derive(Serialize, JsonSchema)]
pub(super) struct RevokedKeyDto {
    key: String,
    state: KeyStateDto,
}

pub(super) async fn revoke(
    request: ControlRequest<KeyToRevokeDto>,
) -> ControlResult<RevokedKeyDto> {
    let cell = request.account()?;
    let key = request.body.key;
    let host = &request.api.host;
    let revoke = || {
        host.change(&cell, Environment::Test, |account, _| {
            manage::revoke_key(account, &key)
        })
    };
    host.durably(&cell, revoke).await?;
    Ok(RevokedKeyDto {
        key,
        state: KeyStateDto::Revoked,
    })
}
