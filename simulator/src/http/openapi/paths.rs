//! The paths of the document: one for each operation and bundle, and the two look-ups. The specification
//! names the bundles but shows no paths for them, so that they are extensions.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, BundleMode, Contract, LatencyRange, Operation, Tries};

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
    let operations = contract.operations.iter().enumerate();
    let operations = operations.map(|(index, operation)| {
        let examples = examples.operations.get(index).unwrap_or(&none);
        let path = operation.path.replace('*', "{step}");
        (path, json!({ "post": post(contract, operation, examples) }))
    });
    let bundles = contract.bundles.iter().enumerate();
    let bundles = bundles.map(|(index, bundle)| {
        let post = bundle_post(contract, bundle, examples.bundles.get(index));
        (bundle.path(), json!({ "post": post }))
    });
    let look_ups = [
        (
            "/v1/verifications/{verificationId}".to_owned(),
            json!({ "get": verification(contract, examples) }),
        ),
        (
            "/v1/usage".to_owned(),
            json!({ "get": usage(contract, examples) }),
        ),
    ];
    operations.chain(bundles).chain(look_ups).collect()
}

fn post(contract: &Contract, operation: &Operation, examples: &OperationExamples) -> Value {
    let mut parameters = headers();
    if operation.path.ends_with('*') {
        parameters.push(json!({
            "name": "step", "in": "path", "required": true,
            "description": "Any one part, usually `start`.",
            "schema": { "type": "string" }, "example": "start",
        }));
    }
    let request = reference("schemas", &format!("{}.request", operation.id));
    let successes = statuses(operation).into_iter();
    let successes = successes.map(|status| (status, success(operation, status, examples)));
    let mut post = json!({
        "operationId": operation.id,
        "summary": operation.title,
        "tags": [operation.category],
        "parameters": parameters,
        "requestBody": {
            "required": true,
            "content": content(&request, with_expected(requests(&examples.answered), examples, None)),
        },
        "responses": responses(contract, successes, |_| true),
        "x-list-price-inr": operation.price,
        "x-typical-latency-ms": latency(operation.latency),
        "x-clause": operation.clause,
    });
    if let Some(apart) = operation.sandbox_latency {
        post["x-typical-latency-ms-sandbox"] = latency(apart);
    }
    if operation.extension {
        post["x-simulator-extension"] = json!(true);
    }
    if let Some(tries) = tries(contract, &operation.id) {
        post["x-tries"] = json!({
            "field": tries.field,
            "most": tries.most,
            "withinMs": tries.within_ms,
            "x-simulator-extension": true,
        });
    }
    if !examples.failing.is_empty() {
        let code = |it: &Exchange| text(&it.answer["error"]["code"]);
        let inputs = examples.failing.iter();
        post["x-fixed-inputs"] = inputs.map(|it| (code(it), plain(&it.body))).collect();
    }
    post
}

/// How often and how long a secret may be tried in this step of a flow.
fn tries<'c>(contract: &'c Contract, id: &str) -> Option<&'c Tries> {
    let mut steps = contract.flows.iter().flat_map(|flow| &flow.steps);
    let step = steps.find(|step| step.operation == id && step.tries.is_some())?;
    step.tries.as_ref()
}

fn bundle_post(contract: &Contract, bundle: &Bundle, example: Option<&Exchange>) -> Value {
    let request = schema::request(contract, &contract.bundle_fields(bundle));
    let success = bundle_success(bundle, example);
    let (low, high) = bundle.typical_price;
    json!({
        "operationId": format!("bundles.{}", bundle.slug),
        "summary": bundle.title,
        "description": bundle_description(bundle),
        "tags": [BUNDLES],
        "parameters": headers(),
        "requestBody": {
            "required": true,
            "content": content(&request, requests(example)),
        },
        "responses": responses(contract, [(200, success)], |_| true),
        "x-simulator-extension": true,
        "x-steps": bundle.steps,
        "x-typical-price-inr": [low, high],
        "x-typical-latency-ms": latency(bundle.typical_latency),
        "x-clause": bundle.clause,
    })
}

/// The headers of every call.
fn headers() -> Vec<Value> {
    ["IdempotencyKey", "ReferenceId"]
        .map(|name| reference("parameters", name))
        .into()
}

/// A JSON body with its examples.
fn content(schema: &Value, examples: Value) -> Value {
    json!({ "application/json": { "schema": schema, "examples": examples } })
}

/// The bodies that were sent, each under the status of its answer.
fn requests<'e>(examples: impl IntoIterator<Item = &'e Exchange>) -> Value {
    let named = |it: &Exchange| {
        (
            text(&it.answer["status"]),
            json!({ "value": plain(&it.body) }),
        )
    };
    examples.into_iter().map(named).collect()
}

/// The answers with this HTTP status, each under its own status.
fn answers<'e>(examples: impl IntoIterator<Item = &'e Exchange>, status: u16) -> Value {
    let examples = examples.into_iter().filter(|it| it.status == status);
    let named = |it: &Exchange| (text(&it.answer["status"]), json!({ "value": it.answer }));
    examples.map(named).collect()
}

/// The same examples and those that scenario files expect: what was sent, or the answers with this status.
fn with_expected(mut shown: Value, examples: &OperationExamples, answers: Option<u16>) -> Value {
    for (name, exchange) in &examples.expected {
        let value = match answers {
            None => plain(&exchange.body),
            Some(status) if status == exchange.status => exchange.answer.clone(),
            Some(_) => continue,
        };
        shown[name.replace(' ', "-")] = json!({ "summary": name, "value": value });
    }
    shown
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The answers of a path by their HTTP status: these, and the errors with the wanted ones.
fn responses(
    contract: &Contract,
    successes: impl IntoIterator<Item = (u16, Value)>,
    wanted: impl Fn(u16) -> bool,
) -> Value {
    let errors = by_status(contract).into_iter().map(|(status, _)| status);
    let errors = errors.filter(|status| wanted(*status));
    let errors = errors.map(|status| (status, reference("responses", &error_answer(status))));
    let all = successes.into_iter().chain(errors);
    all.map(|(status, answer)| (status.to_string(), answer))
        .collect()
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
    if let Some(risk) = &bundle.risk {
        let levels: Vec<&str> = risk.levels.iter().map(|(name, _)| name.as_str()).collect();
        data["properties"]["riskScore"] = json!({
            "type": "integer", "minimum": 0, "maximum": 100, "description": risk.to_string(),
            "x-simulator-extension": true,
        });
        data["properties"]["riskLevel"] = json!({ "enum": levels, "x-simulator-extension": true });
        data["required"] = json!(["bundle", "steps", "riskScore", "riskLevel"]);
    }
    let schema = json!({
        "allOf": [reference("schemas", "Envelope")],
        "properties": { "success": { "const": true }, "data": data },
        "required": ["data"],
    });
    replayable("What the steps came to.", &schema, answers(example, 200))
}

/// An answer that is given again under the same idempotency key.
fn replayable(about: &str, schema: &Value, examples: Value) -> Value {
    json!({
        "description": about,
        "headers": { "Idempotent-Replay": reference("headers", "Idempotent-Replay") },
        "content": content(schema, examples),
    })
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
        let data = reference("schemas", &format!("{}.data", operation.id));
        forms.push(form(operation, "completed", data));
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
    let shown = answers(&examples.answered, status);
    replayable(about, &schema, with_expected(shown, examples, Some(status)))
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

fn verification(contract: &Contract, examples: &Examples) -> Value {
    let example = examples.verification.as_ref();
    let lookup = LookUp {
        id: "verifications.get",
        summary: "The newest envelope of an earlier call, with HTTP 200 whatever its own status was",
        parameters: json!([{
            "name": "verificationId", "in": "path", "required": true,
            "schema": { "type": "string" }, "example": example.map(|it| &it["verificationId"]),
        }]),
        schema: reference("schemas", "Envelope"),
        example,
        errors: &[401, 403, 404, 429, 500],
    };
    look_up(contract, &lookup)
}

fn usage(contract: &Contract, examples: &Examples) -> Value {
    let day = |name: &str, about: &str| {
        let schema = json!({ "type": "string", "format": "date" });
        json!({ "name": name, "in": "query", "description": about, "schema": schema })
    };
    let count = json!({ "type": "integer", "minimum": 0 });
    let row = json!({
        "calls": count, "completed": count, "noRecord": count, "failed": count, "billed": count,
        "amount": { "type": "number", "minimum": 0 },
    });
    let mut endpoint = row.clone();
    endpoint["endpoint"] = json!({ "type": "string" });
    let data = json!({
        "type": "object",
        "properties": {
            "endpoints": { "type": "array", "items": { "type": "object", "properties": endpoint } },
            "totals": { "type": "object", "properties": row },
            "walletBalance": { "type": "number", "description": "On live only." },
        },
        "required": ["endpoints", "totals"],
    });
    let lookup = LookUp {
        id: "usage.get",
        summary: "What the account spent, by endpoint",
        parameters: json!([
            day("from", "The first day, counted."),
            day("to", "The last day, counted.")
        ]),
        schema: json!({ "allOf": [reference("schemas", "Envelope")], "properties": { "data": data } }),
        example: examples.usage.as_ref(),
        errors: &[400, 401, 403, 429, 500],
    };
    look_up(contract, &lookup)
}

struct LookUp<'e> {
    id: &'e str,
    summary: &'e str,
    parameters: Value,
    schema: Value,
    example: Option<&'e Value>,
    errors: &'e [u16],
}

fn look_up(contract: &Contract, lookup: &LookUp<'_>) -> Value {
    let shown = lookup
        .example
        .map(|answer| ("completed".to_owned(), json!({ "value": answer })));
    let success = json!({
        "description": lookup.summary,
        "content": content(&lookup.schema, shown.into_iter().collect()),
    });
    let wanted = |status| lookup.errors.contains(&status);
    json!({
        "operationId": lookup.id,
        "summary": lookup.summary,
        "tags": [RECORDS],
        "parameters": lookup.parameters,
        "responses": responses(contract, [(200, success)], wanted),
        "x-simulator-extension": true,
    })
}
