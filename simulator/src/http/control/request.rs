//! Reads the bodies and queries of the control API. A body is a JSON object that is sent as JSON, so
//! that no form of another site's page passes for one; a query has each name once, and no unknown ones.

use std::borrow::Cow;

use axum::body::Body;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, Uri};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use svc_fixtures::json::Json;

use super::json::{self, JsonError};
use super::response::{ControlError, ControlErrorCode};
use crate::host::shares::TakenRoom;
use crate::http::edge::{EdgeLimits, ReadBody, media_type, read_body};

/// The longest body of nearly all requests. No clause bounds it: a large file of scenarios fits.
const MAX_BYTES: usize = 1024 * 1024;

/// Whether a route takes a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum BodyPresence {
    /// It must be sent.
    Required,
    /// It may be left out, which means `{}`.
    Optional,
    /// There must be none.
    Never,
}

/// The type of a body. All but [`NoBody`] and [`EmptyBody`] must be sent.
pub(super) trait BodyDto: DeserializeOwned + Send + 'static {
    /// Whether it must be sent.
    const PRESENCE: BodyPresence;
    /// The longest there may be.
    const MAX_BYTES: usize = MAX_BYTES;

    /// Its schema.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> BodyDto for T {
    const PRESENCE: BodyPresence = BodyPresence::Required;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

/// No body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoBody {}

/// No body, or `{}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmptyBody {}

impl BodyDto for NoBody {
    const PRESENCE: BodyPresence = BodyPresence::Never;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(false)
    }
}

impl BodyDto for EmptyBody {
    const PRESENCE: BodyPresence = BodyPresence::Optional;

    fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "maxProperties": 0 })
    }
}

/// The type of a query. Its values are texts.
pub(in crate::http) trait QueryDto:
    DeserializeOwned + JsonSchema + Send + 'static
{
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> QueryDto for T {}

/// No query.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

/// Reads a query.
///
/// # Errors
/// The first mistake in it.
pub(super) fn read_query<Q: QueryDto>(query: &str) -> Result<Q, JsonError> {
    json::read(&members(query)?)
}

/// Reads the query of a request to what is beside the control API.
///
/// # Errors
/// The first mistake in it.
pub(in crate::http) fn query_of<Q: QueryDto>(uri: &Uri) -> Result<Q, ControlError> {
    read_query(uri.query().unwrap_or_default()).map_err(ControlError::from)
}

fn members(query: &str) -> Result<Json<'_>, JsonError> {
    let mut members: Vec<(Cow<'_, str>, Json<'_>)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if members.iter().any(|(known, _)| *known == name) {
            let name: String = name.chars().take(64).collect();
            return Err(JsonError::at(&name, "must be given once"));
        }
        members.push((name, Json::Text(value)));
    }
    Ok(Json::Object(members))
}

/// Which bodies a route takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyRule {
    presence: BodyPresence,
    max_bytes: usize,
}

impl BodyRule {
    /// The rule of this type.
    pub(super) fn of<B: BodyDto>() -> Self {
        BodyRule {
            presence: B::PRESENCE,
            max_bytes: B::MAX_BYTES,
        }
    }

    /// Reads the body of a request, which may be left out where the route says so.
    ///
    /// # Errors
    /// What is wrong with it as a whole.
    pub(super) async fn read(
        self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Option<Bytes>, ControlError> {
        // Who may use the console sends what it likes.
        let mut room = TakenRoom::default();
        let time = EdgeLimits::default().body;
        let bytes = match read_body(body, self.max_bytes, time, &mut room).await {
            ReadBody::Whole(bytes) => bytes,
            ReadBody::TooLarge => {
                let most = self.max_bytes >> 20;
                let message = format!("the body is over {most} MiB; send less at once");
                return Err(ControlError::new(ControlErrorCode::BodyTooLarge, message));
            }
            ReadBody::Incomplete => {
                let message = "the body did not arrive whole in time; send it again";
                return Err(ControlError::new(ControlErrorCode::BodyTimeout, message));
            }
        };
        let is_sent = !bytes.is_empty();
        // A form has a content type even if it is empty.
        if (is_sent || headers.contains_key(CONTENT_TYPE)) && !is_json(headers) {
            let message =
                "send the body with `Content-Type: application/json`, without an encoding";
            return Err(ControlError::new(ControlErrorCode::NotJson, message));
        }
        match (is_sent, self.presence) {
            (true, BodyPresence::Never) => {
                Err(ControlError::invalid_input("this takes no body; send none"))
            }
            (false, BodyPresence::Required) => {
                let message = "a JSON object is missing as the body";
                Err(ControlError::invalid_input(message))
            }
            (false, _) => Ok(None),
            (true, _) => Ok(Some(bytes)),
        }
    }
}

/// Reads the JSON object of a body; one that was left out is empty.
///
/// # Errors
/// The first mistake in it, with the name of the member.
pub(super) fn read_object<B: BodyDto>(bytes: Option<&[u8]>) -> Result<B, ControlError> {
    Ok(json::read(&object(bytes)?)?)
}

fn object(bytes: Option<&[u8]>) -> Result<Json<'_>, ControlError> {
    let Some(bytes) = bytes else {
        return Ok(Json::Object(Vec::new()));
    };
    let object = Json::parse(bytes).map_err(|mistake| {
        ControlError::invalid_input(format!("the body can't be read as JSON: {mistake}"))
    })?;
    if object.as_object().is_none() {
        let message = format!("the body must be an object, not {}", object.kind());
        return Err(ControlError::invalid_input(message));
    }
    Ok(object)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = media_type(headers).unwrap_or_default();
    kind.eq_ignore_ascii_case("application/json") && !headers.contains_key(CONTENT_ENCODING)
}
