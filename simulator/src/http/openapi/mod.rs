//! The OpenAPI 3.1 document, made from the contract's rows. Says nothing a row does not say, and
//! shows no answer that was not given.

mod components;
mod control;
mod paths;
mod schema;

use serde_json::{Value, json};

use super::{BaseUrls, examples};
use crate::engine::call::rules::Rules;
use crate::scenario::AccountConfig;

/// The document. Blocks while the examples are asked for: not to be called from async code.
///
/// # Panics
/// Where the machine has nothing left to make a runtime of.
#[must_use]
pub fn document(rules: &Rules, accounts: &[AccountConfig], urls: &BaseUrls) -> Value {
    let examples = examples::examples(rules, accounts);
    let contract = &rules.contract;
    let mut categories: Vec<&str> = Vec::new();
    for operation in &contract.operations {
        if !categories.contains(&operation.category.as_str()) {
            categories.push(&operation.category);
        }
    }
    let tags = categories
        .into_iter()
        .chain([paths::BUNDLES, paths::RECORDS, control::CONTROL]);
    let tags: Vec<Value> = tags.map(|name| json!({ "name": name })).collect();
    let control = control::document(&urls.console, &examples.control);
    let mut paths = paths::paths(contract, &examples);
    paths.extend(control.paths);
    let mut components = components::components(contract, &examples);
    for (name, schema) in control.schemas {
        components["schemas"][name] = schema;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Verification Service",
            "version": env!("CARGO_PKG_VERSION"),
            "description": components::about(contract),
        },
        "servers": [
            { "url": urls.sandbox, "description": "Sandbox: keys that begin with svc_test_" },
            { "url": urls.live, "description": "Live: keys that begin with svc_live_" },
        ],
        "security": [{ "bearer": [] }],
        "tags": tags,
        "paths": paths,
        "components": components,
    })
}

/// The document as text, for people too.
#[must_use]
pub fn print(document: &Value) -> String {
    format!("{document:#}\n")
}

#[cfg(test)]
mod control_tests;
#[cfg(test)]
mod tests;
