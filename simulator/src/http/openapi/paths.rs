//! The paths of the document: one for each operation and bundle, and the two look-ups. The specification
//! names the bundles but shows no paths for them, so that they are extensions.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, Contract, LatencyRange, Operation, Tries};

use super::components::{by_status, call_headers};
use super::describe;
use super::envelope::{RECORD, reference};
use super::links::{LOOK_UP, links};
use super::names::{SchemaRole, error_name, schema_name};
use super::schema::plain;
use super::webhooks::{bundle_id, may_wait};
use crate::http::examples::{Examples, Exchange, OperationExamples};

/// The tag of the bundles.
pub(super) const BUNDLES: &str = "Bundles";

/// The tag of the look-ups.
pub(super) const RECORDS: &str = "Records";

/// The operation that tells what was spent.
pub(super) const USAGE: &str = "usage.get";

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
        let shown = examples.bundles.get(index).map_or(&[][..], Vec::as_slice);
        let post = bundle_post(contract, bundle, shown);
        (bundle.path.clone(), json!({ "post": post }))
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
    let mut parameters = call_headers(&operation.id);
    if operation.path.ends_with('*') {
        parameters.push(json!({
            "name": "step", "in": "path", "required": true,
            "description": "Any one part, usually `start`.",
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]+$", "examples": ["start"] },
        }));
    }
    let request = reference("schemas", &schema_name(&operation.id, SchemaRole::Input));
    let successes = statuses(operation).into_iter();
    let successes =
        successes.map(|status| (status, success(contract, operation, status, examples)));
    let mut post = json!({
        "operationId": operation.id,
        "summary": operation.title,
        "description": describe::operation(contract, operation),
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

fn bundle_post(contract: &Contract, bundle: &Bundle, shown: &[Exchange]) -> Value {
    let id = bundle_id(bundle);
    let request = reference("schemas", &schema_name(&id, SchemaRole::Input));
    let success = bundle_success(contract, bundle, shown);
    let (low, high) = bundle.typical_price;
    json!({
        "operationId": id,
        "summary": bundle.title,
        "description": describe::bundle(contract, bundle),
        "tags": [BUNDLES],
        "parameters": call_headers(&id),
        "requestBody": {
            "required": true,
            "content": content(&request, requests(shown)),
        },
        "responses": responses(contract, [(200, success)], |_| true),
        "x-simulator-extension": true,
        "x-steps": bundle.steps,
        "x-typical-price-inr": [low, high],
        "x-typical-latency-ms": latency(bundle.typical_latency),
        "x-clause": bundle.clause,
    })
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
    let errors = errors.map(|status| (status, reference("responses", &error_name(status))));
    let all = successes.into_iter().chain(errors);
    all.map(|(status, answer)| (status.to_string(), answer))
        .collect()
}

fn bundle_success(contract: &Contract, bundle: &Bundle, shown: &[Exchange]) -> Value {
    let id = bundle_id(bundle);
    let schema = reference("schemas", &schema_name(&id, SchemaRole::Answer));
    let about = match may_wait(contract, bundle) {
        true => "What the steps came to, or the promise of it.",
        false => "What the steps came to.",
    };
    replayable(about, &schema, answers(shown, 200), links(contract, &id))
}

/// An answer that is given again under the same idempotency key.
fn replayable(about: &str, schema: &Value, examples: Value, links: Value) -> Value {
    json!({
        "description": about,
        "headers": { "Idempotent-Replay": reference("headers", "Idempotent-Replay") },
        "content": content(schema, examples),
        "links": links,
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

/// A success. Whatever its status, it has the operation's one schema, so that a client has one type.
fn success(
    contract: &Contract,
    operation: &Operation,
    status: u16,
    examples: &OperationExamples,
) -> Value {
    let pending = operation.pending.as_ref().filter(|it| it.status == status);
    let completed = status == 200 && !operation.pending.as_ref().is_some_and(|it| it.always);
    let about = match (completed, pending) {
        (true, None) => "The result.",
        (true, Some(_)) => "The result, or the promise of one that comes by webhook.",
        (false, _) => "The promise of a result that comes by webhook.",
    };
    let schema = reference("schemas", &schema_name(&operation.id, SchemaRole::Answer));
    let shown = with_expected(answers(&examples.answered, status), examples, Some(status));
    replayable(about, &schema, shown, links(contract, &operation.id))
}

fn verification(contract: &Contract, examples: &Examples) -> Value {
    let example = examples.verification.as_ref();
    let lookup = LookUp {
        id: LOOK_UP,
        summary: "Look a verification up",
        description: "The newest envelope of an earlier call, with HTTP 200 whatever its own status was. Ask here \
                      for the end of a pending verification where you take no webhooks.",
        parameters: json!([{
            "name": "verificationId", "in": "path", "required": true,
            "description": "The `verificationId` of any answer.",
            "schema": { "type": "string", "examples": example.map(|it| vec![&it["verificationId"]]) },
        }]),
        schema: reference("schemas", RECORD),
        success: "The newest envelope.",
        example,
        errors: &[401, 403, 404, 429, 500],
    };
    look_up(contract, &lookup)
}

fn usage(contract: &Contract, examples: &Examples) -> Value {
    let day = |name: &str, about: &str, example: &str| {
        let schema = json!({ "type": "string", "format": "date", "examples": [example] });
        json!({ "name": name, "in": "query", "required": false, "description": about, "schema": schema })
    };
    let lookup = LookUp {
        id: USAGE,
        summary: "What the account spent",
        description: "How often each operation was called from one day to another, what came of it and what it cost. \
                      On live also what is left in the wallet.",
        parameters: json!([
            day("from", "The first day, counted.", "2026-01-01"),
            day("to", "The last day, counted.", "2026-01-31")
        ]),
        schema: reference("schemas", &schema_name(USAGE, SchemaRole::Answer)),
        success: "The account's spending.",
        example: examples.usage.as_ref(),
        errors: &[400, 401, 403, 429, 500],
    };
    look_up(contract, &lookup)
}

struct LookUp<'e> {
    id: &'e str,
    summary: &'e str,
    description: &'e str,
    success: &'e str,
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
        "description": lookup.success,
        "content": content(&lookup.schema, shown.into_iter().collect()),
    });
    let wanted = |status| lookup.errors.contains(&status);
    json!({
        "operationId": lookup.id,
        "summary": lookup.summary,
        "description": lookup.description,
        "tags": [RECORDS],
        "parameters": lookup.parameters,
        "responses": responses(contract, [(200, success)], wanted),
        "x-simulator-extension": true,
    })
}
