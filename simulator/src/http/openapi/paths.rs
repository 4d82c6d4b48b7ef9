//! The paths of the document: one for each operation and bundle, and the two look-ups. The specification
//! names the bundles but shows no paths for them, so that they are extensions.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, BundleMode, Contract, LatencyRange, Operation};

use super::components::{by_status, error_answer, reference};
use super::schema::{self, plain};
use crate::http::examples::{Examples, Exchange, OperationExamples};

/// The tag of the bundles.
pub(super) const BUNDLES: &str = "Bundles";

/// The tag of the look-ups.
pub(super) const RECORDS: &str = "Records";

/// All paths.
pub(super) fn paths(contract: &Contract, examples: &Examples) -> Map<String, Value> {
    let none = OperationExamples::default();
    let mut paths = Map::new();
    for (index, operation) in contract.operations.iter().enumerate() {
        let of_operation = examples.operations.get(index).unwrap_or(&none);
        let path = operation.path.replace('*', "{step}");
        paths.insert(
            path,
            json!({ "post": post(contract, operation, of_operation) }),
        );
    }
    for (index, bundle) in contract.bundles.iter().enumerate() {
        let post = bundle_post(contract, bundle, examples.bundles.get(index));
        paths.insert(bundle.path(), json!({ "post": post }));
    }
    paths.insert(
        "/v1/verifications/{verificationId}".to_owned(),
        json!({ "get": verification(contract, examples) }),
    );
    paths.insert(
        "/v1/usage".to_owned(),
        json!({ "get": usage(contract, examples) }),
    );
    paths
}

fn post(contract: &Contract, operation: &Operation, examples: &OperationExamples) -> Value {
    let mut parameters = vec![
        reference("parameters", "IdempotencyKey"),
        reference("parameters", "ReferenceId"),
    ];
    if operation.path.ends_with('*') {
        parameters.push(json!({
            "name": "step", "in": "path", "required": true,
            "description": "Any one part, usually `start`.",
            "schema": { "type": "string" }, "example": "start",
        }));
    }
    let requests = |it: &Exchange| (name_of(it), json!({ "value": plain(&it.body) }));
    let requests: Map<String, Value> = examples.answered.iter().map(requests).collect();
    let mut responses = Map::new();
    for status in statuses(operation) {
        responses.insert(status.to_string(), success(operation, status, examples));
    }
    add_errors(contract, &mut responses, |_| true);
    let mut post = json!({
        "operationId": operation.id,
        "summary": operation.title,
        "tags": [operation.category],
        "parameters": parameters,
        "requestBody": {
            "required": true,
            "content": { "application/json": {
                "schema": reference("schemas", &format!("{}.request", operation.id)),
                "examples": requests,
            } },
        },
        "responses": responses,
        "x-list-price-inr": operation.price,
        "x-typical-latency-ms": latency(operation.latency),
        "x-clause": operation.clause,
    });
    if operation.extension {
        post["x-simulator-extension"] = json!(true);
    }
    if !examples.failing.is_empty() {
        let input = |it: &Exchange| {
            (
                it.answer["error"]["code"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                plain(&it.body),
            )
        };
        post["x-fixed-inputs"] = Value::Object(examples.failing.iter().map(input).collect());
    }
    post
}

fn bundle_post(contract: &Contract, bundle: &Bundle, example: Option<&Exchange>) -> Value {
    let request = example.map(|it| (name_of(it), json!({ "value": plain(&it.body) })));
    let request: Map<String, Value> = request.into_iter().collect();
    let mut responses = Map::new();
    responses.insert("200".to_owned(), bundle_success(bundle, example));
    add_errors(contract, &mut responses, |_| true);
    let (low, high) = bundle.typical_price;
    json!({
        "operationId": format!("bundles.{}", bundle.slug),
        "summary": bundle.title,
        "description": bundle_description(bundle),
        "tags": [BUNDLES],
        "parameters": [
            reference("parameters", "IdempotencyKey"),
            reference("parameters", "ReferenceId"),
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": {
                "schema": schema::request(contract, &contract.bundle_fields(bundle)),
                "examples": request,
            } },
        },
        "responses": responses,
        "x-simulator-extension": true,
        "x-steps": bundle.steps,
        "x-typical-price-inr": [low, high],
        "x-typical-latency-ms": latency(bundle.typical_latency),
        "x-clause": bundle.clause,
    })
}

/// How the steps run, and which field of the body is for which step.
fn bundle_description(bundle: &Bundle) -> String {
    let how = match &bundle.mode {
        BundleMode::Sequence => "Runs its steps in order.",
        BundleMode::Parallel => "Runs its steps at once.",
        BundleMode::Choice { .. } => "Runs the one step that the request chooses.",
        BundleMode::TwoCalls => {
            "Is answered as pending with what a second call carries; that call ends it under the \
             same verificationId."
        }
    };
    format!(
        "{how} A field of one step alone may be written as the last part of the step's name, a dot \
         and the field's name. The full price is held first; a bundle that fails charges nothing."
    )
}

fn bundle_success(bundle: &Bundle, example: Option<&Exchange>) -> Value {
    let step = json!({
        "type": "object",
        "properties": {
            "endpoint": { "enum": bundle.steps },
            "verificationId": { "type": "string" },
            "status": { "enum": ["completed", "pending", "failed"] },
            "data": { "type": "object" },
            "error": { "type": "object" },
            "billing": { "type": "object" },
        },
        "required": ["endpoint", "verificationId", "status", "billing"],
    });
    let mut data = json!({
        "type": "object",
        "properties": {
            "bundle": { "const": bundle.slug },
            "steps": { "type": "array", "items": step },
        },
        "required": ["bundle", "steps"],
    });
    if !bundle.risk.is_empty() {
        data["properties"]["riskScore"] =
            json!({ "type": "integer", "minimum": 0, "maximum": 100 });
        data["properties"]["riskLevel"] = json!({ "enum": ["LOW", "MEDIUM", "HIGH"] });
        data["required"] = json!(["bundle", "steps", "riskScore", "riskLevel"]);
    }
    let shown = example.filter(|it| it.status == 200);
    let shown = shown.map(|it| (name_of(it), json!({ "value": it.answer })));
    let shown: Map<String, Value> = shown.into_iter().collect();
    json!({
        "description": "What the steps came to.",
        "headers": { "Idempotent-Replay": reference("headers", "Idempotent-Replay") },
        "content": { "application/json": {
            "schema": {
                "allOf": [reference("schemas", "Envelope")],
                "properties": { "success": { "const": true }, "data": data },
                "required": ["data"],
            },
            "examples": shown,
        } },
    })
}

/// The name of an example: `completed` or `pending`.
fn name_of(exchange: &Exchange) -> String {
    exchange.answer["status"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn latency(range: LatencyRange) -> Value {
    match range.min_ms == range.max_ms {
        true => json!(range.min_ms),
        false => json!([range.min_ms, range.max_ms]),
    }
}

/// The HTTP statuses of an operation's successes.
fn statuses(operation: &Operation) -> Vec<u16> {
    match &operation.pending {
        None => vec![200],
        Some(pending) if pending.always || pending.status == 200 => vec![pending.status],
        Some(pending) => vec![200, pending.status],
    }
}

fn success(operation: &Operation, status: u16, examples: &OperationExamples) -> Value {
    let pending = operation.pending.as_ref().filter(|it| it.status == status);
    let completed = status == 200 && !operation.pending.as_ref().is_some_and(|it| it.always);
    let mut forms = Vec::new();
    if completed {
        forms.push(form(
            operation,
            "completed",
            reference("schemas", &format!("{}.data", operation.id)),
        ));
    }
    if let (Some(_), Some(shape)) = (pending, operation.pending_shape()) {
        forms.push(form(operation, "pending", schema::answer(&shape)));
    }
    let schema = match forms.len() {
        1 => forms.remove(0),
        _ => json!({ "oneOf": forms }),
    };
    let about = match (completed, pending) {
        (true, None) => "The result.",
        (true, Some(_)) => "The result, or the promise of one that comes by webhook.",
        (false, _) => "The result comes by webhook.",
    };
    let shown = examples.answered.iter().filter(|it| it.status == status);
    let shown: Map<String, Value> = shown
        .map(|it| (name_of(it), json!({ "value": it.answer })))
        .collect();
    json!({
        "description": about,
        "headers": { "Idempotent-Replay": reference("headers", "Idempotent-Replay") },
        "content": { "application/json": { "schema": schema, "examples": shown } },
    })
}

fn form(operation: &Operation, status: &str, data: Value) -> Value {
    json!({
        "allOf": [reference("schemas", "Envelope")],
        "properties": {
            "success": { "const": true },
            "endpoint": { "const": operation.id },
            "status": { "const": status },
            "data": data,
        },
        "required": ["data"],
    })
}

fn add_errors(
    contract: &Contract,
    responses: &mut Map<String, Value>,
    wanted: impl Fn(u16) -> bool,
) {
    for (status, _) in by_status(contract)
        .into_iter()
        .filter(|(status, _)| wanted(*status))
    {
        responses.insert(
            status.to_string(),
            reference("responses", &error_answer(status)),
        );
    }
}

fn verification(contract: &Contract, examples: &Examples) -> Value {
    let id = examples
        .verification
        .as_ref()
        .map(|it| it["verificationId"].clone());
    look_up(
        contract,
        LookUp {
            id: "verifications.get",
            summary: "The newest envelope of an earlier call, with HTTP 200 whatever its own status was",
            parameters: json!([{
                "name": "verificationId", "in": "path", "required": true,
                "schema": { "type": "string" }, "example": id,
            }]),
            schema: reference("schemas", "Envelope"),
            example: examples.verification.as_ref(),
            errors: &[401, 403, 404, 429, 500],
        },
    )
}

fn usage(contract: &Contract, examples: &Examples) -> Value {
    let day = |name: &str, about: &str| {
        let schema = json!({ "type": "string", "format": "date" });
        json!({ "name": name, "in": "query", "description": about, "schema": schema })
    };
    let counts = ["calls", "completed", "noRecord", "failed", "billed"];
    let mut row: Map<String, Value> = counts
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({ "type": "integer", "minimum": 0 }),
            )
        })
        .collect();
    row.insert(
        "amount".to_owned(),
        json!({ "type": "number", "minimum": 0 }),
    );
    let mut endpoint = row.clone();
    endpoint.insert("endpoint".to_owned(), json!({ "type": "string" }));
    let data = json!({
        "type": "object",
        "properties": {
            "endpoints": { "type": "array", "items": { "type": "object", "properties": endpoint } },
            "totals": { "type": "object", "properties": row },
            "walletBalance": { "type": "number", "description": "On live only." },
        },
        "required": ["endpoints", "totals"],
    });
    look_up(
        contract,
        LookUp {
            id: "usage.get",
            summary: "What the account spent, by endpoint",
            parameters: json!([
                day("from", "The first day, counted."),
                day("to", "The last day, counted.")
            ]),
            schema: json!({ "allOf": [reference("schemas", "Envelope")], "properties": { "data": data } }),
            example: examples.usage.as_ref(),
            errors: &[400, 401, 403, 429, 500],
        },
    )
}

struct LookUp<'e> {
    id: &'e str,
    summary: &'e str,
    parameters: Value,
    schema: Value,
    example: Option<&'e Value>,
    errors: &'e [u16],
}

fn look_up(contract: &Contract, lookup: LookUp<'_>) -> Value {
    let shown = lookup
        .example
        .map(|answer| json!({ "completed": { "value": answer } }));
    let mut responses = Map::new();
    responses.insert(
        "200".to_owned(),
        json!({
            "description": lookup.summary,
            "content": { "application/json": { "schema": lookup.schema, "examples": shown.unwrap_or(json!({})) } },
        }),
    );
    add_errors(contract, &mut responses, |status| {
        lookup.errors.contains(&status)
    });
    json!({
        "operationId": lookup.id,
        "summary": lookup.summary,
        "tags": [RECORDS],
        "parameters": lookup.parameters,
        "responses": responses,
        "x-simulator-extension": true,
    })
}
