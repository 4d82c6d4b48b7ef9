//! The envelope as flat schemas of its own for each use: an answer, a failure, a webhook, a record. Nothing is
//! composed, because generators of clients lose what is.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, ErrorCode, ErrorRow, Member, MemberPresence, Shape};

use super::names::{error_name, type_name};
use super::schema;

/// What the members of the envelope mean.
const ABOUT: [(&str, &str); 9] = [
    (
        "success",
        "Whether there is a result, or the promise of one. False: `error` says why not.",
    ),
    (
        "verificationId",
        "The id of this verification: it can be looked up by it, and its webhook repeats it.",
    ),
    (
        "referenceId",
        "The caller's `X-Reference-Id`; null where none was sent.",
    ),
    ("endpoint", "The dotted name of the operation."),
    (
        "status",
        "How far the verification is. `pending`: its end comes by webhook.",
    ),
    ("data", "What the operation answers."),
    ("error", "Why there is no result."),
    ("billing", "What this call costs."),
    ("meta", "When and where it was answered."),
];

/// A reference to a shared part.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// The schema of what went wrong.
const ERROR: &str = "ErrorDetail";

/// The schema of the envelope whatever became of the verification.
pub(super) const RECORD: &str = "VerificationRecord";

fn rows(contract: &Contract) -> &[Member] {
    match &contract.service.envelope {
        Shape::Object(members) => members,
        _ => &[],
    }
}

/// The shared parts of all envelopes, by name: its described objects, the error, and the record.
pub(super) fn parts(contract: &Contract) -> Map<String, Value> {
    let mut parts = Map::new();
    for row in rows(contract) {
        if let Shape::Object(_) = row.shape {
            let mut part = schema::answer(&row.shape);
            // A row that was laid over may name an object that nothing is said of here.
            if let description @ Value::String(_) = about(&row.name) {
                part["description"] = description;
            }
            parts.insert(type_name(&row.name), part);
        }
    }
    let codes = ErrorCode::ALL.map(ErrorCode::as_str);
    let code = json!({
        "type": "string",
        "enum": codes,
        "description": "What went wrong. Codes are stable: key a retry on this and on `retryable`.",
    });
    parts.insert("ErrorCode".to_owned(), code);
    let error = json!({
        "type": "object",
        "description": about("error"),
        "properties": {
            "code": reference("schemas", "ErrorCode"),
            "message": { "type": "string", "description": "What went wrong, for people." },
            "retryable": { "type": "boolean", "description": "Whether the same call may succeed later." },
        },
        "required": ["code", "message", "retryable"],
    });
    parts.insert(ERROR.to_owned(), error);
    let record = EnvelopeSchema {
        about: "The newest envelope of a verification.".to_owned(),
        statuses: &["completed", "pending", "failed"],
        data: Some(
            json!({ "type": "object", "description": about("data"), "additionalProperties": true }),
        ),
        error: true,
        ..EnvelopeSchema::default()
    };
    parts.insert(RECORD.to_owned(), record.schema(contract));
    parts
}

fn about(name: &str) -> Value {
    let mut known = ABOUT.iter();
    json!(
        known
            .find(|(known, _)| *known == name)
            .map(|(_, about)| *about)
    )
}

/// One use of the envelope.
#[derive(Default)]
pub(super) struct EnvelopeSchema<'a> {
    pub(super) about: String,
    /// The only operation that answers it.
    pub(super) endpoint: Option<&'a str>,
    pub(super) statuses: &'a [&'a str],
    /// Its `data`, where it has any.
    pub(super) data: Option<Value>,
    /// Whether it may have an `error`.
    pub(super) error: bool,
    /// Members that are always there beside those that always are.
    pub(super) required: &'a [&'a str],
}

impl EnvelopeSchema<'_> {
    pub(super) fn schema(self, contract: &Contract) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for row in rows(contract) {
            let name = row.name.as_str();
            let mut member = match name {
                "data" => match &self.data {
                    Some(data) => data.clone(),
                    None => continue,
                },
                "error" if self.error => reference("schemas", ERROR),
                "error" => continue,
                "status" => json!({ "type": "string", "enum": self.statuses }),
                _ => match row.shape {
                    Shape::Object(_) => reference("schemas", &type_name(name)),
                    _ => schema::answer(&row.shape),
                },
            };
            if let ("endpoint", Some(endpoint)) = (name, self.endpoint) {
                member["const"] = json!(endpoint);
            }
            if member.get("$ref").is_none() {
                member["description"] = about(name);
            }
            properties.insert(name.to_owned(), member);
            if row.presence == MemberPresence::Always || self.required.contains(&name) {
                required.push(name);
            }
        }
        json!({
            "type": "object",
            "description": self.about,
            "properties": properties,
            "required": required,
        })
    }
}

/// The envelopes of failures: one for each status, by name.
pub(super) fn failures<'c>(
    contract: &Contract,
    by_status: impl IntoIterator<Item = (u16, Vec<&'c ErrorRow>)>,
) -> Vec<(String, Value)> {
    let failure = |(status, rows): (u16, Vec<&ErrorRow>)| {
        let codes: Vec<String> = rows.iter().map(|row| format!("`{}`", row.code)).collect();
        let envelope = EnvelopeSchema {
            about: format!(
                "A failure with HTTP status {status}: {}.",
                codes.join(" or ")
            ),
            statuses: &["failed"],
            error: true,
            required: &["error"],
            ..EnvelopeSchema::default()
        };
        (error_name(status), envelope.schema(contract))
    };
    by_status.into_iter().map(failure).collect()
}
