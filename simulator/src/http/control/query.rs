//! Queries: `name=value` pairs, each name once, none that the route does not know.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use svc_fixtures::json::Json;

use super::json::{self, Wrong};

/// The twin of a query: its values are texts and what is read from texts.
pub(super) trait Query: DeserializeOwned + JsonSchema + Send + 'static {}

/// No query.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

impl Query for NoQuery {}

/// What a query says.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn read<Q: Query>(query: &str) -> Result<Q, Wrong> {
    let mut members: Vec<(Cow<'_, str>, Json<'_>)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if members.iter().any(|(known, _)| *known == name) {
            let name: String = name.chars().take(64).collect();
            return Err(Wrong::at(&name, "must be given once"));
        }
        members.push((name, Json::Text(value)));
    }
    json::read(&Json::Object(members))
}
