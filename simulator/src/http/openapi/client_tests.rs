//! What generators of clients need of the whole document: flat schemas with names and types, no alternatives,
//! an example at every member that fits, headers to copy that never collide.

use std::collections::BTreeSet;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use super::tests::{made, operations, walk};

/// Every schema of the document with its place: shared ones, those of headers and parameters, and their parts.
fn schemas(document: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    walk(document, "", &mut |place, value| {
        let mut parts = place.rsplit('/');
        let (name, parent) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let is_schema =
            name == "schema" || name == "items" || matches!(parent, "schemas" | "properties");
        let is_data = ["/example", "/value/", "/x-fixed-inputs", "/default"];
        if is_schema && value.is_object() && !is_data.iter().any(|data| place.contains(data)) {
            found.push((place.to_owned(), value));
        }
    });
    assert!(found.len() > 1000, "{} schemas", found.len());
    found
}

#[test]
fn no_schema_is_composed_of_others() {
    let (_, document) = made();
    for (place, schema) in schemas(&document) {
        for composed in ["allOf", "anyOf", "oneOf", "not", "if"] {
            assert!(schema.get(composed).is_none(), "{place} has {composed}");
        }
    }
}

#[test]
fn every_schema_has_one_type_and_no_truth_value_has_a_list() {
    let (_, document) = made();
    for (place, schema) in schemas(&document) {
        let kind = &schema["type"];
        let any = schema.as_object().is_some_and(|it| {
            it.keys()
                .all(|key| key == "description" || key == "examples")
        });
        assert!(
            schema.get("$ref").is_some() || kind.is_string() || kind.is_array() || any,
            "{place}: {schema}"
        );
        let listed = schema.get("enum").is_some() || schema.get("const").is_some();
        assert!(!listed || *kind != "boolean", "{place}");
    }
}

#[test]
fn every_failure_has_a_flat_schema_with_what_a_client_reads() {
    let (_, document) = made();
    let shared = &document["components"];
    let detail = &shared["schemas"]["ErrorDetail"];
    assert_eq!(detail["required"], json!(["code", "message", "retryable"]));
    assert_eq!(detail["properties"]["message"]["type"], "string");
    assert_eq!(detail["properties"]["retryable"]["type"], "boolean");
    for (name, answer) in shared["responses"].as_object().unwrap() {
        let schema = &answer["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], format!("#/components/schemas/{name}"));
        let schema = &shared["schemas"][name];
        assert_eq!(
            schema["properties"]["error"]["$ref"],
            "#/components/schemas/ErrorDetail"
        );
        assert!(
            schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!("error")),
            "{name}"
        );
    }
    assert_eq!(shared["responses"].as_object().unwrap().len(), 12);
}

#[test]
fn every_body_is_a_named_schema_and_all_successes_of_an_operation_share_one() {
    let (_, document) = made();
    for (_, _, operation) in operations(&document) {
        let id = &operation["operationId"];
        let schema = |body: &Value| body["content"]["application/json"]["schema"]["$ref"].clone();
        let answers = operation["responses"].as_object().unwrap().iter();
        let successes = answers.filter(|(status, _)| status.starts_with('2'));
        let named: BTreeSet<String> = successes
            .map(|(_, answer)| schema(answer).to_string())
            .collect();
        assert!(
            named.len() == 1 && !named.contains("null"),
            "{id}: {named:?}"
        );
        if let Some(body) = operation.get("requestBody") {
            assert!(schema(body).is_string(), "{id}");
        }
    }
}

/// Generators make types of their own for a call, named by the operation; a schema of that name would be lost.
#[test]
fn no_schema_has_the_name_of_another_or_of_a_type_that_generators_make() {
    let (_, document) = made();
    let mut names = BTreeSet::new();
    for name in document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
    {
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric()), "{name}");
        assert!(names.insert(name.to_lowercase()), "{name} comes twice");
    }
    for (_, _, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        let id: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
        for suffix in [
            "request",
            "response",
            "responses",
            "data",
            "error",
            "errors",
            "params",
            "body",
            "headers",
        ] {
            assert!(
                !names.contains(&format!("{}{suffix}", id.to_lowercase())),
                "{id}{suffix}"
            );
        }
    }
}

#[test]
fn no_two_calls_show_the_same_idempotency_key_or_reference() {
    let (_, document) = made();
    let mut seen = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().unwrap().iter();
        let headers = parameters.filter(|it| it["in"] == "header");
        let shown: Vec<&str> = headers
            .map(|it| it["schema"]["examples"][0].as_str().unwrap())
            .collect();
        assert_eq!(shown.len(), if method == "post" { 2 } else { 0 }, "{path}");
        assert!(
            shown.iter().all(|it| seen.insert((*it).to_owned())),
            "{path}: {shown:?}"
        );
    }
}

#[test]
fn operations_tags_and_webhooks_are_described_for_people() {
    let (rules, document) = made();
    for operation in &rules.contract.operations {
        assert!(operation.about.is_some(), "{} has no `about`", operation.id);
        let known = rules
            .contract
            .categories
            .iter()
            .any(|it| it.name == operation.category);
        assert!(known, "no `[[category]]` is named {}", operation.category);
    }
    assert!(rules.contract.bundles.iter().all(|it| it.about.is_some()));
    let paths = document["paths"].as_object().unwrap().values();
    let all = paths.chain(document["webhooks"].as_object().unwrap().values());
    for operation in all.flat_map(|item| item.as_object().unwrap().values()) {
        let about = operation["description"].as_str().unwrap_or_default();
        assert!(about.len() > 10, "{}", operation["operationId"]);
        let tag = &operation["tags"][0];
        let mut tags = document["tags"].as_array().unwrap().iter();
        assert!(
            tags.any(|it| it["name"] == *tag && it["description"].is_string()),
            "{tag}"
        );
    }
}

#[test]
fn what_may_be_pending_has_a_signed_webhook_that_shows_its_end() {
    let (rules, document) = made();
    let webhooks = document["webhooks"].as_object().unwrap();
    for operation in rules
        .contract
        .operations
        .iter()
        .filter(|it| it.pending.is_some())
    {
        let post = &webhooks[&operation.id]["post"];
        assert_eq!(
            post["parameters"][0]["$ref"],
            "#/components/parameters/ServiceSignature"
        );
        assert_eq!(post["x-internal"], true, "{}", operation.id);
        let examples = &post["requestBody"]["content"]["application/json"]["examples"];
        let end = &examples["completed"]["value"];
        assert_eq!(end["endpoint"], operation.id, "{}", operation.id);
        assert!(end["data"].is_object(), "{}", operation.id);
    }
    assert!(webhooks.contains_key("bundles.dynamic-bank-validation"));
}

#[test]
fn every_step_of_a_flow_is_linked_to_from_the_first() {
    let (rules, document) = made();
    let mut linked = BTreeSet::new();
    for (_, _, operation) in operations(&document) {
        let links = operation["responses"]["200"]["links"].as_object();
        for (name, link) in links.into_iter().flatten() {
            // What is no text is refused by generators of clients.
            assert!(
                link.get("requestBody").is_none_or(Value::is_string),
                "{name}"
            );
            linked.insert(link["operationId"].as_str().unwrap().to_owned());
        }
    }
    for flow in rules.contract.flows.iter().filter(|flow| !flow.advisory) {
        for step in &flow.steps[1..] {
            assert!(linked.contains(&step.operation), "{}", step.operation);
        }
    }
    assert!(linked.contains("verifications.get"));
}

/// A validator of any schema of the document.
fn validator(registry: &Registry<'static>, schema: &Value) -> Validator {
    let schema = Value::from(schema.to_string().replace("\"#/", "\"urn:document#/"));
    let schema: Value = serde_json::from_str(schema.as_str().unwrap()).unwrap();
    let options = jsonschema::options().with_registry(registry);
    options
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

#[test]
fn every_member_of_the_service_has_an_example() {
    let (_, document) = made();
    for (place, schema) in schemas(&document) {
        let control = place.contains("Control") || place.contains("control");
        let holds_others = ["$ref", "properties", "examples"]
            .iter()
            .any(|key| schema.get(key).is_some())
            || ["$ref", "properties"]
                .iter()
                .any(|key| schema["items"].get(key).is_some());
        // Items are shown by the list they stand in.
        let is_item = place.ends_with("/items");
        let any_object = schema["type"] == "object";
        assert!(
            control || holds_others || is_item || any_object,
            "{place} has no example"
        );
    }
}

#[test]
fn every_example_fits_its_schema() {
    let (_, document) = made();
    let registry = Registry::new().add("urn:document", document.clone());
    let registry = registry
        .and_then(jsonschema::RegistryBuilder::prepare)
        .unwrap();
    let mut count = 0;
    let mut judge = |place: &str, schema: &Value, example: &Value| {
        let fits = validator(&registry, schema)
            .validate(example)
            .map_err(|error| error.to_string());
        assert_eq!(fits, Ok(()), "{place}: {example}");
        count += 1;
    };
    for (place, schema) in schemas(&document) {
        for example in schema["examples"].as_array().into_iter().flatten() {
            judge(&place, schema, example);
        }
    }
    walk(&document, "", &mut |place, value| {
        if !place.ends_with("/application~1json") {
            return;
        }
        let shown = value["examples"].as_object().into_iter().flatten();
        for (name, example) in shown.filter(|(_, example)| example.get("value").is_some()) {
            judge(
                &format!("{place}/{name}"),
                &value["schema"],
                &example["value"],
            );
        }
    });
    assert!(count > 1500, "{count} examples");
}
