//! Keys: added, rotated, revoked.

use std::sync::Arc;

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::Given;
use super::detail::KeyWord;
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, post};
use super::values::{In, Name, When};
use crate::engine::call::request::Environment;
use crate::engine::state::manage;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/control/accounts/{id}/keys",
            "keys.add",
            "Give an account one more key",
        )
        .by(add)
        .with(StatusCode::CREATED)
        .refusing(&[Code::AccountNotFound, Code::KeyExists]),
        post(
            "/control/accounts/{id}/keys/rotate",
            "keys.rotate",
            "Put a new key in the place of the newest that works; that one works on for a while",
        )
        .by(rotate)
        .refusing(&[Code::AccountNotFound, Code::NoActiveKey]),
        post(
            "/control/accounts/{id}/keys/revoke",
            "keys.revoke",
            "End a key",
        )
        .by(revoke)
        .refusing(&[Code::AccountNotFound, Code::KeyNotFound]),
    ]
}

/// A key to be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlKeyToAdd")]
struct ToAdd {
    environment: In,
    /// What it says after `svc_test_` or `svc_live_`.
    name: Name,
}

impl Given for ToAdd {}

/// A key.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlKey", deny_unknown_fields)]
struct NewKey {
    key: String,
    environment: In,
}

async fn add(control: Arc<Control>, asked: Asked<ToAdd, NoQuery>) -> Result<NewKey, Refusal> {
    let cell = control.account(&asked.part)?;
    let ToAdd { environment, name } = asked.body;
    let key = control.host.add_key(&cell, environment.into(), &name.0)?;
    Ok(NewKey {
        key: key.text.to_string(),
        environment,
    })
}

/// Where the newest key is rotated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlKeyRotation")]
struct Rotation {
    environment: In,
}

impl Given for Rotation {}

/// A new key, and the one it replaces.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlRotatedKey", deny_unknown_fields)]
struct Rotated {
    key: String,
    environment: In,
    replaces: Replaced,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Replaced {
    key: String,
    /// When it stops working, by the account's clock.
    until: When,
}

async fn rotate(
    control: Arc<Control>,
    asked: Asked<Rotation, NoQuery>,
) -> Result<Rotated, Refusal> {
    let cell = control.account(&asked.part)?;
    let environment = Environment::from(asked.body.environment);
    let rotation = control.host.rotate_key(&cell, environment)?;
    Ok(Rotated {
        key: rotation.key.text.to_string(),
        environment: environment.into(),
        replaces: Replaced {
            key: rotation.replaces.to_string(),
            until: When(rotation.until),
        },
    })
}

/// A key to end.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlKeyToRevoke")]
struct ToRevoke {
    /// The whole key.
    key: String,
}

impl Given for ToRevoke {}

/// A key that works no more.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlRevokedKey", deny_unknown_fields)]
struct Revoked {
    key: String,
    state: KeyWord,
}

async fn revoke(
    control: Arc<Control>,
    asked: Asked<ToRevoke, NoQuery>,
) -> Result<Revoked, Refusal> {
    let cell = control.account(&asked.part)?;
    let key = asked.body.key;
    control
        .host
        .change(&cell, Environment::Test, |account, _| {
            manage::revoke_key(account, &key)
        })?;
    Ok(Revoked {
        key,
        state: KeyWord::Revoked,
    })
}
