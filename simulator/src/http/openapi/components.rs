//! What the operations of the document share: schemas, answers of failures, headers, parameters.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, Contract, ErrorRow, MemberPresence, Operation, Shape};
use svc_fixtures::sample::{self, Extent};

use super::envelope::{self, EnvelopeSchema, reference};
use super::illustrate::illustrate;
use super::names::{SchemaRole, error_name, schema_name, type_name};
use super::schema::{self, plain};
use super::webhooks::{SIGNATURE, bundle_id, may_wait};
use crate::http::examples::{EXAMPLE_TIME, Examples, Exchange, OperationExamples};

/// The schema of a bundle's step.
const STEP: &str = "BundleStep";

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
    let responses = by_status(contract).into_iter();
    let responses: Value = responses
        .map(|(status, rows)| (error_name(status), failure(status, &rows, examples)))
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
        "schemas": schemas(contract, examples),
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

fn schemas(contract: &Contract, examples: &Examples) -> Map<String, Value> {
    let answers = examples.operations.iter().flat_map(|it| &it.answered);
    let mut envelopes: Vec<&Value> = answers.map(|it| &it.answer).collect();
    envelopes.extend(examples.live.as_ref());
    let failures: Vec<&Value> = examples.errors.iter().map(|(_, answer)| answer).collect();
    let mut schemas = envelope::parts(contract);
    // Only a scenario gives a provider.
    let seldom = json!({ "provider": "registry-1" });
    for (name, schema) in &mut schemas {
        let members = envelopes.iter().filter_map(|it| it.as_object()).flatten();
        let members = members.filter(|(member, _)| type_name(member) == *name);
        let errors = failures.iter().map(|it| &it["error"]);
        let mut found: Vec<&Value> = match schema["properties"].get("code").is_some() {
            true => errors.collect(),
            false => members.map(|(_, value)| value).collect(),
        };
        found.push(&seldom);
        // The record is the envelope itself; values to choose from illustrate themselves.
        match schema["properties"].get("verificationId").is_some() {
            true => illustrate(schema, &envelopes),
            false if schema.get("enum").is_some() => illustrate(schema, &[]),
            false => illustrate(schema, &found),
        }
    }
    for (name, mut schema) in envelope::failures(contract, by_status(contract)) {
        let fits = |answer: &&&Value| {
            let code = answer["error"]["code"].as_str().unwrap_or_default();
            let mut rows = contract
                .errors
                .iter()
                .filter(|row| error_name(row.status) == name);
            rows.any(|row| row.code.as_str() == code)
        };
        let found: Vec<&Value> = failures.iter().filter(fits).copied().collect();
        illustrate(&mut schema, &found);
        schemas.insert(name, schema);
    }
    let none = OperationExamples::default();
    for (index, operation) in contract.operations.iter().enumerate() {
        let ends = ends_of(examples, &operation.id);
        let examples = examples.operations.get(index).unwrap_or(&none);
        operation_schemas(contract, operation, examples, &ends, &mut schemas);
    }
    let step = step();
    schemas.insert(STEP.to_owned(), step);
    let mut steps: Vec<&Value> = Vec::new();
    for (index, bundle) in contract.bundles.iter().enumerate() {
        let shown = examples.bundles.get(index).map_or(&[][..], Vec::as_slice);
        steps.extend(
            shown
                .iter()
                .filter_map(|it| it.answer["data"]["steps"].as_array())
                .flatten(),
        );
        let ends = ends_of(examples, &bundle_id(bundle));
        bundle_schemas(contract, bundle, shown, &ends, &mut schemas);
    }
    illustrate(&mut schemas[STEP], &steps);
    schemas
}

/// How the pending examples of an operation or a bundle ended.
fn ends_of<'e>(examples: &'e Examples, id: &str) -> Vec<&'e Value> {
    let ends = examples.ends.iter().filter(|end| end.endpoint == id);
    ends.map(|end| &end.envelope).collect()
}

/// What one operation takes, gives and sends.
fn operation_schemas(
    contract: &Contract,
    operation: &Operation,
    examples: &OperationExamples,
    ends: &[&Value],
    schemas: &mut Map<String, Value>,
) {
    let id = operation.id.as_str();
    let all = examples
        .answered
        .iter()
        .chain(&examples.named)
        .chain(&examples.full);
    let all: Vec<&Exchange> = all
        .chain(examples.expected.iter().map(|(_, it)| it))
        .collect();
    let answers: Vec<&Value> = all.iter().map(|it| &it.answer).collect();
    let data = answers.iter().chain(ends).filter_map(|it| it.get("data"));
    let data: Vec<&Value> = data.collect();

    schemas.insert(
        schema_name(id, SchemaRole::Input),
        input(contract, operation, &all),
    );

    let mut result = schema::data(operation);
    let pending = operation.pending.as_ref();
    let promised = operation.pending_shape();
    let mut role = SchemaRole::Result;
    if let (Some(row), Some(shape)) = (pending, &promised) {
        if row.always {
            let mut promise = schema::answer(shape);
            illustrate(&mut promise, &data);
            promise["description"] = json!(format!("What `{id}` answers until the result comes."));
            schemas.insert(schema_name(id, SchemaRole::Promise), promise);
            role = SchemaRole::Promise;
        } else {
            result["required"] = json!(always_there(shape));
        }
    }
    illustrate(&mut result, &data);
    result["description"] = json!(match role {
        SchemaRole::Result if promised.is_some() =>
            format!("The result of `{id}`. Of a pending one there is only what is always there."),
        _ => format!("The result of `{id}`."),
    });
    schemas.insert(schema_name(id, SchemaRole::Result), result);

    let statuses: &[&str] = match pending {
        None => &["completed"],
        Some(row) if row.always => &["pending"],
        Some(_) => &["completed", "pending"],
    };
    let mut answer = EnvelopeSchema {
        about: format!("The answer of `{id}`."),
        endpoint: Some(id),
        statuses,
        data: Some(reference("schemas", &schema_name(id, role))),
        required: &["data"],
        ..EnvelopeSchema::default()
    }
    .schema(contract);
    illustrate(&mut answer, &answers);
    schemas.insert(schema_name(id, SchemaRole::Answer), answer);
    if pending.is_some() {
        let mut event = event(contract, id);
        illustrate(&mut event, ends);
        schemas.insert(schema_name(id, SchemaRole::Event), event);
    }
}

/// What an operation takes, illustrated by the first example and by the sample of all fields.
fn input(contract: &Contract, operation: &Operation, shown: &[&Exchange]) -> Value {
    let mut input = schema::request(contract, &operation.request);
    let bodies = shown.iter().map(|it| plain(&it.body));
    let full = plain(&sample::body(contract, operation, Extent::All));
    let bodies: Vec<Value> = bodies.take(1).chain([full]).collect();
    illustrate(&mut input, &bodies.iter().collect::<Vec<_>>());
    input["description"] = json!(format!("What `{}` takes.", operation.id));
    input
}

/// The members that a pending answer has, too.
fn always_there(promise: &Shape) -> Vec<&str> {
    let Shape::Object(members) = promise else {
        return Vec::new();
    };
    let always = members
        .iter()
        .filter(|member| member.presence == MemberPresence::Always);
    always.map(|member| member.name.as_str()).collect()
}

/// The envelope that a webhook brings.
fn event(contract: &Contract, id: &str) -> Value {
    let envelope = EnvelopeSchema {
        about: format!("How `{id}` ended: with `data`, or with an `error`."),
        endpoint: Some(id),
        statuses: &["completed", "failed"],
        data: Some(reference("schemas", &schema_name(id, SchemaRole::Result))),
        error: true,
        ..EnvelopeSchema::default()
    };
    envelope.schema(contract)
}

/// What a bundle takes, gives and sends.
fn bundle_schemas(
    contract: &Contract,
    bundle: &Bundle,
    shown: &[Exchange],
    ends: &[&Value],
    schemas: &mut Map<String, Value>,
) {
    let id = bundle_id(bundle);
    let fields = contract.bundle_fields(bundle);
    let mut input = schema::request(contract, &fields);
    let known = fields
        .iter()
        .map(|field| (field.name.clone(), plain(&sample::value(contract, field))));
    let known: Value = known.collect();
    let mut bodies: Vec<Value> = shown.iter().map(|it| plain(&it.body)).collect();
    bodies.push(known);
    illustrate(&mut input, &bodies.iter().collect::<Vec<_>>());
    input["description"] = json!(format!(
        "What `{id}` takes: the fields of its steps, each once."
    ));
    schemas.insert(schema_name(&id, SchemaRole::Input), input);

    let answers: Vec<&Value> = shown.iter().map(|it| &it.answer).collect();
    let data: Vec<&Value> = answers.iter().map(|it| &it["data"]).collect();
    let mut result = bundle_result(bundle);
    illustrate(&mut result, &data);
    result["description"] = json!(format!("What the steps of `{id}` came to."));
    schemas.insert(schema_name(&id, SchemaRole::Result), result);

    let waits = may_wait(contract, bundle);
    let statuses: &[&str] = if waits {
        &["completed", "pending"]
    } else {
        &["completed"]
    };
    let mut answer = EnvelopeSchema {
        about: format!("The answer of `{id}`."),
        endpoint: Some(&id),
        statuses,
        data: Some(reference("schemas", &schema_name(&id, SchemaRole::Result))),
        required: &["data"],
        ..EnvelopeSchema::default()
    }
    .schema(contract);
    illustrate(&mut answer, &answers);
    schemas.insert(schema_name(&id, SchemaRole::Answer), answer);
    if waits {
        let mut event = event(contract, &id);
        let completed = answers.iter().filter(|it| it["status"] == "completed");
        let ends: Vec<&Value> = ends.iter().chain(completed).copied().collect();
        illustrate(&mut event, &ends);
        schemas.insert(schema_name(&id, SchemaRole::Event), event);
    }
}

/// A step of any bundle.
fn step() -> Value {
    json!({
        "type": "object",
        "description": "What one step of a bundle came to: the envelope's members of its own.",
        "properties": {
            "endpoint": { "type": "string", "description": "The operation that was run." },
            "verificationId": { "type": "string", "description": "The step can be looked up by it." },
            "status": { "type": "string", "enum": ["completed", "pending", "failed"] },
            "data": {
                "type": "object", "additionalProperties": true,
                "description": "The result, as the operation alone gives it.",
            },
            "error": reference("schemas", "ErrorDetail"),
            "billing": reference("schemas", "Billing"),
        },
        "required": ["endpoint", "verificationId", "status", "billing"],
    })
}

fn bundle_result(bundle: &Bundle) -> Value {
    let mut data = json!({
        "type": "object",
        "properties": {
            "bundle": { "type": "string", "const": bundle.slug },
            "steps": { "type": "array", "items": reference("schemas", STEP) },
        },
        "required": ["bundle", "steps"],
    });
    if bundle.mode == svc_fixtures::contract::BundleMode::TwoCalls {
        for carry in &bundle.carries {
            data["properties"][&carry.field] = json!({
                "type": "string",
                "description": format!("What the second call carries as `{}`.", carry.field),
            });
        }
    }
    if let Some(risk) = &bundle.risk {
        let levels: Vec<&str> = risk.levels.iter().map(|(name, _)| name.as_str()).collect();
        data["properties"]["riskScore"] = json!({
            "type": "integer", "minimum": 0, "maximum": 100, "description": risk.to_string(),
            "x-simulator-extension": true,
        });
        data["properties"]["riskLevel"] =
            json!({ "type": "string", "enum": levels, "x-simulator-extension": true });
        data["required"] = json!(["bundle", "steps", "riskScore", "riskLevel"]);
    }
    data
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
            "schema": reference("schemas", &error_name(status)),
            "examples": shown,
        } },
        "x-codes": codes,
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

/// The headers that a call may have. Their examples are the operation's own: an idempotency key that is copied
/// into the call of another operation would be a conflict.
pub(super) fn call_headers(id: &str) -> Vec<Value> {
    let name = id.replace('.', "-");
    vec![
        json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description":
                "A new one for each thing you want done. A retry with the same key and body gets the original answer \
                 and is not charged again; with another body it is a conflict.",
            "schema": {
                "type": "string", "minLength": 1, "maxLength": 255,
                // A recipient trims the blanks at both ends of a header.
                "pattern": "^[!-~]([ -~]*[!-~])?$",
                "examples": [format!("{name}-1")],
            },
        }),
        json!({
            "name": "X-Reference-Id",
            "in": "header",
            "description": "The caller's own reference; the envelope's `referenceId` repeats it.",
            "schema": { "type": "string", "pattern": "^[ -~]*$", "examples": [format!("case-{name}")] },
        }),
    ]
}

fn parameters() -> Value {
    json!({
        SIGNATURE: {
            "name": "X-Service-Signature",
            "in": "header",
            "required": true,
            "description":
                "`t` is the second of the attempt, `v1` the HMAC-SHA256 of `t`, a dot and the raw body under the \
                 webhook's secret, in small hexadecimal digits.",
            "schema": {
                "type": "string",
                "pattern": "^t=[0-9]+,v1=[0-9a-f]{64}$",
                "examples": [format!("t={},v1={}", EXAMPLE_TIME.as_second(), "0123456789abcdef".repeat(4))],
            },
        },
    })
}

fn headers() -> Value {
    let text = |about: &str, example: &str| json!({ "description": about, "schema": { "type": "string", "examples": [example] } });
    json!({
        "Retry-After": {
            "description": "After how many seconds the call may be tried again.",
            "schema": { "type": "integer", "minimum": 0, "examples": [1] },
        },
        "WWW-Authenticate": text("How to authenticate.", "Bearer"),
        "ConsoleAuthenticate": text("How to show the console's token.", "Basic realm=\"svc-simulator\""),
        "Idempotent-Replay":
            text("There, and `true`, where this answer was given before to the same Idempotency-Key.", "true"),
    })
}
