//! What the operations of the document share: envelope, errors, headers, parameters.

use serde_json::{Value, json};
use svc_fixtures::contract::{Contract, ErrorCode, ErrorRow, Member, Shape};

use super::schema;
use crate::http::examples::{EXAMPLE_TIME, Examples};

/// A reference to a shared part.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

/// The name of the shared answer of a failure with this status.
pub(super) fn error_answer(status: u16) -> String {
    format!("Error{status}")
}

/// What a reader should know first.
pub(super) fn about(contract: &Contract) -> String {
    let sentinel = &contract.service.sentinel;
    let mut about = format!(
        "Every answer is an envelope. A call with another method than the path takes is answered \
         with 405 and `Allow`. An identifier that contains `{}` ends in `{}`, whatever its format. \
         The examples were given by a simulator whose clock stood at {}.\n",
        sentinel.text, sentinel.error, EXAMPLE_TIME,
    );
    for limit in &contract.service.limits {
        about += &format!("\n- {}: {} ({})", limit.name, limit.value, limit.applies_to);
    }
    about
}

/// The statuses that errors come with, each with its rows, in order.
pub(super) fn by_status(contract: &Contract) -> Vec<(u16, Vec<&ErrorRow>)> {
    let mut found: Vec<(u16, Vec<&ErrorRow>)> = Vec::new();
    for row in &contract.errors {
        match found.iter_mut().find(|(status, _)| *status == row.status) {
            Some((_, rows)) => rows.push(row),
            None => found.push((row.status, vec![row])),
        }
    }
    found.sort_by_key(|(status, _)| *status);
    found
}

/// The shared parts.
pub(super) fn components(contract: &Contract, examples: &Examples) -> Value {
    let mut schemas = json!({
        "Envelope": envelope(contract),
        "Error": {
            "type": "object",
            "properties": {
                "code": reference("schemas", "ErrorCode"),
                "message": { "type": "string" },
                "retryable": { "type": "boolean", "description": "Whether the same call may succeed later." },
            },
            "required": ["code", "message", "retryable"],
        },
        "ErrorCode": { "type": "string", "enum": ErrorCode::ALL.map(ErrorCode::as_str) },
    });
    for operation in &contract.operations {
        let request = schema::request(contract, &operation.request);
        schemas[format!("{}.request", operation.id)] = request;
        schemas[format!("{}.data", operation.id)] = schema::data(operation);
    }
    let responses = by_status(contract).into_iter();
    let responses: Value = responses
        .map(|(status, rows)| (error_answer(status), failure(status, &rows, examples)))
        .collect();
    let shown = examples.errors.iter().map(|(code, answer)| {
        let meaning = &contract.error(*code).meaning;
        (
            code.to_string(),
            json!({ "summary": meaning, "value": answer }),
        )
    });
    let shown: Value = shown.collect();
    json!({
        "schemas": schemas,
        "responses": responses,
        "examples": shown,
        "parameters": parameters(),
        "headers": headers(),
        "securitySchemes": {
            "bearer": { "type": "http", "scheme": "bearer", "description": "An API key of the listener's environment." },
            "consoleToken": { "type": "http", "scheme": "bearer", "description": "The console's token, where it has one." },
            "consolePassword": { "type": "http", "scheme": "basic", "description": "The console's token as the password." },
        },
    })
}

/// The envelope with its `error` described once for all.
fn envelope(contract: &Contract) -> Value {
    let members: &[Member] = match &contract.service.envelope {
        Shape::Object(members) => members,
        _ => &[],
    };
    let mut schema = schema::object(members);
    schema["properties"]["error"] = reference("schemas", "Error");
    schema
}

fn failure(status: u16, rows: &[&ErrorRow], examples: &Examples) -> Value {
    let about = rows.iter();
    let about = about.map(|row| format!("`{}`: {}", row.code, row.meaning));
    let about: Vec<String> = about.collect();
    let codes: Vec<&str> = rows.iter().map(|row| row.code.as_str()).collect();
    let is_shown = |code: &&str| examples.errors.iter().any(|(it, _)| it.as_str() == *code);
    let shown = codes.iter().copied().filter(is_shown);
    let shown: Value = shown
        .map(|code| (code.to_owned(), reference("examples", code)))
        .collect();
    let mut answer = json!({
        "description": about.join(" "),
        "content": { "application/json": {
            "schema": {
                "allOf": [reference("schemas", "Envelope")],
                "properties": {
                    "success": { "const": false },
                    "status": { "const": "failed" },
                    "error": { "properties": { "code": { "enum": codes } } },
                },
                "required": ["error"],
            },
            "examples": shown,
        } },
        "x-clause": rows.iter().map(|row| row.clause.as_str()).collect::<Vec<_>>(),
    });
    let header = match status {
        401 => Some("WWW-Authenticate"),
        429 | 503 => Some("Retry-After"),
        _ => None,
    };
    if let Some(header) = header {
        answer["headers"] = json!({ header: reference("headers", header) });
    }
    answer
}

fn parameters() -> Value {
    json!({
        "IdempotencyKey": {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A retry with the same key and body gets the original answer and is not charged again.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
        },
        "ReferenceId": {
            "name": "X-Reference-Id",
            "in": "header",
            "description": "The caller's own reference; the envelope's `referenceId` repeats it.",
            "schema": { "type": "string" },
        },
    })
}

fn headers() -> Value {
    json!({
        "Retry-After": {
            "description": "After how many seconds the call may be tried again.",
            "schema": { "type": "integer", "minimum": 0 },
        },
        "WWW-Authenticate": {
            "description": "How to authenticate.",
            "schema": { "type": "string", "const": "Bearer" },
        },
        "ConsoleAuthenticate": {
            "description": "How to show the console's token.",
            "schema": { "type": "string", "const": "Basic realm=\"svc-simulator\"" },
        },
        "Idempotent-Replay": {
            "description": "There where this answer was given before to the same Idempotency-Key.",
            "schema": { "type": "string", "const": "true" },
        },
    })
}
