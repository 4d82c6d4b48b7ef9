//! The OpenAPI 3.1 document, made from the contract's rows. Says nothing a row does not say, and
//! shows no answer that was not given.

mod components;
mod control;
mod describe;
mod envelope;
mod illustrate;
mod links;
mod names;
mod parts;
mod paths;
mod patterns;
mod postman;
mod records;
mod schema;
mod version30;
mod webhooks;
mod yaml;

use serde_json::{Value, json};
use svc_fixtures::contract::Contract;

use super::first_call::{newest_key, working_account};
use super::{BaseUrls, examples};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::AccountConfig;
pub use parts::DocumentPart;

/// The document. Blocks while the examples are asked for: not to be called from async code.
///
/// # Panics
/// Where the machine has nothing left to make a runtime of.
#[must_use]
pub fn document(rules: &Rules, accounts: &[AccountConfig], urls: &BaseUrls) -> Value {
    let examples = examples::examples(rules, accounts);
    let contract = &rules.contract;
    let control = control::document(&urls.console, &examples.control);
    let mut paths = paths::paths(contract, &examples);
    paths.extend(control.paths);
    let mut components = components::components(contract, &examples);
    let records = records::schemas(contract, examples.usage.as_ref());
    for (name, schema) in records.into_iter().chain(control.schemas) {
        components["schemas"][name] = schema;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Verification Service",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Identity, employment, company, financial and document verifications in one envelope",
            "description": describe::service(contract),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [
            { "url": urls.sandbox, "description": "Sandbox: keys that begin with svc_test_" },
            { "url": urls.live, "description": "Live: keys that begin with svc_live_" },
        ],
        "security": [{ "bearer": [] }],
        "tags": tags(contract),
        "paths": paths,
        "webhooks": webhooks::webhooks(contract, &examples),
        "components": components,
    })
}

/// What the operations are listed under, with what each is for.
fn tags(contract: &Contract) -> Vec<Value> {
    let categories = contract.categories.iter();
    let mut tags: Vec<(&str, &str)> = categories
        .map(|it| (it.name.as_str(), it.about.as_str()))
        .collect();
    // A row may name a category that no file describes.
    for operation in &contract.operations {
        let name = operation.category.as_str();
        if !tags.iter().any(|(known, _)| *known == name) {
            tags.push((name, name));
        }
    }
    tags.extend([
        (paths::BUNDLES, "Several verifications in one call, with one answer and one price."),
        (paths::RECORDS, "What was called before, and what it cost."),
        (webhooks::WEBHOOKS, "What the service sends when a pending verification ends."),
        (
            control::CONTROL,
            "The simulator itself: accounts, clocks, wallets, webhooks and scenarios. Served by the console, not by \
             the listeners of the API; no other host has it.",
        ),
    ]);
    let tags = tags.into_iter();
    tags.map(|(name, about)| json!({ "name": name, "description": about }))
        .collect()
}

/// What the document is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// OpenAPI 3.1 as JSON.
    Json,
    /// OpenAPI 3.1 as YAML.
    Yaml,
    /// OpenAPI 3.0 as JSON, for tools that do not read 3.1.
    Version30,
    /// A Postman collection.
    Postman,
}

/// What of the document is asked for, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct DocumentForm {
    /// What it is written as.
    pub format: DocumentFormat,
    /// The environment whose URL alone is named.
    pub environment: Option<Environment>,
    /// The part that alone is there.
    pub part: Option<DocumentPart>,
}

impl From<DocumentFormat> for DocumentForm {
    /// All of it.
    fn from(format: DocumentFormat) -> Self {
        DocumentForm {
            format,
            environment: None,
            part: None,
        }
    }
}

/// The document as text, for people, too.
#[must_use]
pub fn print(
    rules: &Rules,
    accounts: &[AccountConfig],
    urls: &BaseUrls,
    form: DocumentForm,
) -> String {
    let DocumentForm {
        format,
        environment,
        part,
    } = form;
    let mut document = document(rules, accounts, urls);
    if let Some(environment) = environment {
        let url = urls.of(environment);
        let servers = document["servers"].as_array_mut();
        servers
            .into_iter()
            .for_each(|servers| servers.retain(|it| it["url"] == *url));
    }
    if let Some(part) = part {
        parts::keep(&mut document, part);
    }
    match format {
        DocumentFormat::Json => format!("{document:#}\n"),
        DocumentFormat::Yaml => yaml::print(&document),
        DocumentFormat::Version30 => format!("{:#}\n", version30::lowered(document)),
        DocumentFormat::Postman => {
            let environment = environment.unwrap_or(Environment::Test);
            let account = working_account(accounts);
            let key = account.map(|account| newest_key(account, environment));
            let key = key.unwrap_or_default();
            let url = urls.of(environment);
            format!(
                "{:#}\n",
                postman::collection(&document, &rules.contract, url, &key)
            )
        }
    }
}

#[cfg(test)]
mod client_tests;
#[cfg(test)]
mod control_tests;
#[cfg(test)]
mod tests;
