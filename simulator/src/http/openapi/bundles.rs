//! The paths of the bundles. The specification names them and shows no path: all are extensions.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, BundleMode, Contract};

use super::components::reference;
use super::paths::{add_errors, latency, name_of};
use super::schema::{self, plain};
use crate::http::examples::{Examples, Exchange};
use crate::http::sample::bundle_path;

/// The tag of the bundles.
pub(super) const BUNDLES: &str = "Bundles";

/// One path a bundle.
pub(super) fn paths<'d>(
    contract: &'d Contract,
    examples: &'d Examples,
) -> impl Iterator<Item = (String, Value)> + 'd {
    let bundles = contract.bundles.iter().enumerate();
    bundles.map(|(index, bundle)| {
        let example = examples.bundles.get(index);
        let post = post(contract, bundle, example);
        (bundle_path(bundle), json!({ "post": post }))
    })
}

fn post(contract: &Contract, bundle: &Bundle, example: Option<&Exchange>) -> Value {
    let request = example.map(|it| (name_of(it), json!({ "value": plain(&it.body) })));
    let request: Map<String, Value> = request.into_iter().collect();
    let mut responses = Map::new();
    responses.insert("200".to_owned(), success(bundle, example));
    add_errors(contract, &mut responses, |_| true);
    let (low, high) = bundle.typical_price;
    json!({
        "operationId": format!("bundles.{}", bundle.slug),
        "summary": bundle.title,
        "description": about(bundle),
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

/// How the steps are run, and what of the body is whose.
fn about(bundle: &Bundle) -> String {
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

fn success(bundle: &Bundle, example: Option<&Exchange>) -> Value {
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
