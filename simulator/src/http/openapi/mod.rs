//! The OpenAPI 3.1 document, made from the contract's rows. Says nothing a row does not say, and
//! shows no answer that was not given.

mod bodies;
mod bundles;
mod components;
mod examples;
mod paths;
mod schema;

use serde_json::{Value, json};
use svc_fixtures::contract::Operation;

use super::{Addresses, url};
use crate::engine::rules::Rules;
use crate::scenario::AccountTerms;

pub use bodies::asking_order;
pub use examples::ASKED_AT;

/// The document. Blocks while the examples are asked for: not to be called from async code.
///
/// # Panics
/// Where the machine has nothing left to make a runtime of.
#[must_use]
pub fn document(rules: &Rules, accounts: &[AccountTerms], addresses: &Addresses) -> Value {
    // A runtime of its own: what the examples leave waiting ends with it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime without threads and sockets needs next to nothing");
    let examples = runtime
        .block_on(examples::ask(rules, accounts))
        .unwrap_or_default();
    let contract = &rules.contract;
    let mut categories: Vec<&str> = Vec::new();
    for operation in &contract.operations {
        if !categories.contains(&operation.category.as_str()) {
            categories.push(&operation.category);
        }
    }
    let tags = categories
        .into_iter()
        .chain([bundles::BUNDLES, paths::RECORDS]);
    let tags: Vec<Value> = tags.map(|name| json!({ "name": name })).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Verification Service",
            "version": env!("CARGO_PKG_VERSION"),
            "description": components::about(contract),
        },
        "servers": [
            { "url": url(addresses.sandbox), "description": "Sandbox: keys that begin with svc_test_" },
            { "url": url(addresses.live), "description": "Live: keys that begin with svc_live_" },
        ],
        "security": [{ "bearer": [] }],
        "tags": tags,
        "paths": paths::paths(contract, &examples),
        "components": components::components(contract, &examples),
    })
}

/// The document as text, for people too.
#[must_use]
pub fn print(document: &Value) -> String {
    format!("{document:#}\n")
}

/// The path at which an operation is shown: one that leaves its last part open is shown as a start.
#[must_use]
pub fn sample_path(operation: &Operation) -> String {
    operation.path.replace('*', "start")
}

#[cfg(test)]
mod tests;
