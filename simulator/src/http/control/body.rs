//! Bodies: JSON objects, sent as JSON, strictly read. A form of another site's page is none.

use axum::body::Body as RequestBody;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use svc_fixtures::json::Json;

use super::json;
use super::refusal::{Code, Refusal};
use crate::http::edge::{EdgeLimits, ReadBody, read_body};

/// No body is longer: enough for a large file of scenarios.
pub(super) const MAX_BYTES: usize = 1024 * 1024;

/// Whether a route takes a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Presence {
    /// It must be sent.
    Required,
    /// It may be left out; then it is `{}`.
    Optional,
    /// There must be none.
    Never,
}

/// The twin of a body.
pub(super) trait Body: DeserializeOwned + Send + 'static {
    /// Whether it must be sent.
    const PRESENCE: Presence;

    /// Its schema.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema;
}

/// Of a body that must be sent.
pub(super) trait Given: DeserializeOwned + JsonSchema + Send + 'static {}

impl<T: Given> Body for T {
    const PRESENCE: Presence = Presence::Required;

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

/// No body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// No body, or `{}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bare {}

impl Body for Nothing {
    const PRESENCE: Presence = Presence::Never;

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(false)
    }
}

impl Body for Bare {
    const PRESENCE: Presence = Presence::Optional;

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "maxProperties": 0 })
    }
}

/// The body of a request.
///
/// # Errors
/// What is wrong with it, named by its member.
pub(super) async fn read<B: Body>(headers: &HeaderMap, body: RequestBody) -> Result<B, Refusal> {
    let bytes = match read_body(body, MAX_BYTES, EdgeLimits::default().body).await {
        ReadBody::Whole(bytes) => bytes,
        ReadBody::TooLarge => {
            let message = "the body is over 1 MiB; send less at once";
            return Err(Refusal::new(Code::BodyTooLarge, message));
        }
        ReadBody::Incomplete => {
            let message = "the body did not arrive whole in time; send it again";
            return Err(Refusal::new(Code::BodyTimeout, message));
        }
    };
    let sent = !bytes.is_empty();
    // A form has a content type even where nothing is in it.
    if (sent || headers.contains_key(CONTENT_TYPE)) && !is_json(headers) {
        let message = "send the body with `Content-Type: application/json`, without an encoding";
        return Err(Refusal::new(Code::NotJson, message));
    }
    match (sent, B::PRESENCE) {
        (true, Presence::Never) => {
            let message = "this takes no body; send none";
            return Err(Refusal::new(Code::InvalidInput, message));
        }
        (false, Presence::Required) => {
            let message = "a JSON object is missing as the body";
            return Err(Refusal::new(Code::InvalidInput, message));
        }
        (false, _) => return Ok(json::read(&Json::Object(Vec::new()))?),
        (true, _) => {}
    }
    let object = Json::parse(&bytes);
    let object = object.map_err(|mistake| {
        Refusal::new(
            Code::InvalidInput,
            format!("the body can't be read as JSON: {mistake}"),
        )
    })?;
    if object.as_object().is_none() {
        let message = format!("the body must be an object, not {}", object.kind());
        return Err(Refusal::new(Code::InvalidInput, message));
    }
    Ok(json::read(&object)?)
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next(), kinds.next()) else {
        return false;
    };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json") && !headers.contains_key(CONTENT_ENCODING)
}
