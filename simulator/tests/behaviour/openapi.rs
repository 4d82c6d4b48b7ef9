//! The OpenAPI document against a strict reader of such documents, and every answer against it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use proptest::prelude::*;
use serde_json::{Value, json};
use svc_fixtures::contract::{Contract, Kind, Operation, Rule};
use svc_fixtures::json::Json;
use svc_fixtures::sample::any::runner;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::http::ListenerAddresses;
use svc_simulator::http::openapi::document;
use svc_simulator::scenario;

use crate::broken::broken;
use crate::samples::Catalogue;
use crate::scene::{Answer, Asked, Scene};

const ERRORS: [u16; 5] = [422, 500, 502, 503, 504];

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let accounts = scenario::read_accounts(&scenario::accounts());
    let accounts = accounts.unwrap_or_else(|problems| panic!("{problems}"));
    document(
        &Scene::new().host.rules(),
        &accounts,
        &ListenerAddresses::DEFAULT.urls(),
    )
});

/// Every schema of the document that is no part of another, with its place.
fn schemas<'v>(value: &'v Value, place: &str, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let place = format!("{place}/{name}");
                match name.as_str() {
                    "schema" => found.push((place, value)),
                    "examples" | "example" | "x-fixed-inputs" => {}
                    _ => schemas(value, &place, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| schemas(item, place, found)),
        _ => {}
    }
}

/// What OpenAPI lets an operation say, as far as this document says it.
const KNOWN: [&str; 9] = [
    "operationId",
    "summary",
    "description",
    "tags",
    "parameters",
    "requestBody",
    "responses",
    "security",
    "servers",
];

#[test]
fn the_document_is_read_by_others_and_its_schemas_are_schemas() {
    let read = oas3::from_json(DOCUMENT.to_string());
    let read = read.unwrap_or_else(|error| panic!("a reader of OpenAPI refuses it: {error}"));
    let paths = DOCUMENT["paths"].as_object().expect("there are paths");
    let service = paths.iter().filter(|(path, _)| path.starts_with("/v1/"));
    for (path, item) in service {
        let methods = item.as_object().expect("methods");
        assert_eq!(methods.len(), 1, "{path}: one operation a path");
    }
    let methods = paths.values().filter_map(Value::as_object);
    let methods: usize = methods.map(serde_json::Map::len).sum();
    assert_eq!(read.operations().count(), methods);
    let unknown = paths
        .values()
        .flat_map(|item| item.as_object().into_iter().flatten());
    for (method, operation) in unknown {
        let methods = ["get", "post", "put", "delete"];
        assert!(methods.contains(&method.as_str()), "{method}");
        let known = |key: &&String| KNOWN.contains(&key.as_str()) || key.starts_with("x-");
        let strange: Vec<&String> = operation
            .as_object()
            .expect("an operation")
            .keys()
            .filter(|key| !known(key))
            .collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
    let mut found = Vec::new();
    schemas(&DOCUMENT["paths"], "paths", &mut found);
    schemas(&DOCUMENT["components"], "components", &mut found);
    let shared = DOCUMENT["components"]["schemas"].as_object();
    for (name, schema) in shared.expect("there are schemas") {
        found.push((name.clone(), schema));
    }
    assert!(found.len() > 100);
    for (place, schema) in found {
        let valid = jsonschema::draft202012::meta::validate(schema);
        valid.unwrap_or_else(|error| panic!("{place}: {error}"));
    }
}

/// Readers in other languages know the expressions of ECMA 262, which have no inline flags.
#[test]
fn the_expressions_of_the_document_are_those_every_reader_knows() {
    fn patterns<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("pattern").and_then(Value::as_str));
                members.values().for_each(|value| patterns(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| patterns(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    patterns(&DOCUMENT["components"]["schemas"], &mut found);
    assert!(!found.is_empty());
    for pattern in found {
        let foreign = pattern.replace("(?:", "(").contains("(?");
        let anchors = pattern.contains("\\A") || pattern.contains("\\z");
        assert!(!foreign && !anchors, "{pattern}");
    }
}

/// The document with every described object closed, so that what it does not name is a mistake.
fn closed(mut document: Value) -> Value {
    fn close(value: &mut Value) {
        if let Value::Array(items) = value {
            items.iter_mut().for_each(close);
            return;
        }
        let Some(members) = value.as_object_mut() else {
            return;
        };
        let described =
            members.contains_key("properties") && members.get("type") == Some(&json!("object"));
        if described && !members.contains_key("additionalProperties") {
            members.insert("additionalProperties".to_owned(), json!(false));
        }
        let parts = members.iter_mut().filter(|(name, _)| *name != "examples");
        parts.for_each(|(_, value)| close(value));
    }
    close(&mut document);
    document
}

/// Checks answers and bodies against the closed document; a schema is compiled once.
struct Judge {
    registry: Registry<'static>,
    compiled: BTreeMap<String, Validator>,
    seen: BTreeSet<u16>,
}

impl Judge {
    fn new() -> Self {
        let registry = Registry::new()
            .add("urn:document", closed(DOCUMENT.clone()))
            .and_then(jsonschema::RegistryBuilder::prepare)
            .expect("the document refers to itself alone");
        Judge {
            registry,
            compiled: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    fn schema(&mut self, pointer: &str) -> &Validator {
        let registry = &self.registry;
        self.compiled.entry(pointer.to_owned()).or_insert_with(|| {
            let escaped = pointer.replace('{', "%7B").replace('}', "%7D");
            let schema = json!({ "$ref": format!("urn:document#{escaped}") });
            let options = jsonschema::options()
                .with_registry(registry)
                .should_validate_formats(true);
            options
                .build(&schema)
                .unwrap_or_else(|error| panic!("{pointer}: {error}"))
        })
    }

    /// Judges an answer to the method of a path by what the document says of its status.
    fn answer(&mut self, path: &str, method: &str, answer: &Answer) {
        self.seen.insert(answer.0.status);
        let escaped = path.replace('~', "~0").replace('/', "~1");
        let place = format!("/paths/{escaped}/{method}/responses/{}", answer.0.status);
        let documented = DOCUMENT.pointer(&place);
        let documented =
            documented.unwrap_or_else(|| panic!("{place} is not documented: {answer}"));
        let shared = documented.get("$ref").and_then(Value::as_str);
        let place = shared.map_or(place, |shared| shared.trim_start_matches('#').to_owned());
        let body: Value = serde_json::from_slice(&answer.0.body).expect("JSON");
        let schema = self.schema(&format!("{place}/content/application~1json/schema"));
        let mistakes: Vec<String> = schema
            .iter_errors(&body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(mistakes.is_empty(), "{place}: {mistakes:?}\n{answer}");
        // The schema of a failure has all codes, so that clients have one type of error.
        if let Some(codes) = DOCUMENT.pointer(&place).and_then(|it| it.get("x-codes")) {
            let codes = codes.as_array().expect("a list");
            assert!(codes.contains(&body["error"]["code"]), "{place}: {answer}");
            assert_eq!(body["success"], false, "{place}: {answer}");
        }
    }
}

fn documented(operation: &Operation) -> String {
    operation.path.replace('*', "{step}")
}

#[test]
fn every_outcome_of_every_operation_is_as_the_document_says() {
    let catalogue = Catalogue::new();
    let mut judge = Judge::new();
    for operation in &catalogue.contract().operations {
        let path = documented(operation);
        for environment in Environment::ALL {
            judge.answer(&path, "post", &catalogue.walk(operation, environment));
            let pending = operation.pending.is_some().then_some(202);
            for status in ERRORS.into_iter().chain(pending) {
                let (_, field) = operation.identifiers().next().expect("an identifier");
                let mut body = catalogue.unbound(operation);
                for value in catalogue.fixed(operation, field, status) {
                    body.set(field.name.clone(), value);
                    let answer = catalogue.send(operation, &body, environment);
                    judge.answer(&path, "post", &answer);
                }
            }
        }
    }
}

#[test]
fn every_refusal_of_every_operation_is_as_the_document_says() {
    let catalogue = Catalogue::new();
    let mut judge = Judge::new();
    let scene = &catalogue.scene;
    for operation in &catalogue.contract().operations {
        let path = documented(operation);
        let url = operation.path.replace('*', "start");
        let mut body = catalogue.unbound(operation);
        let text = body.to_string();
        body.set("other", true.into());
        let (body, other) = (text, body.to_string());
        for environment in Environment::ALL {
            let ask = |body| {
                let asked = scene.post(&url, body);
                match environment {
                    Environment::Test => asked,
                    Environment::Live => asked.live(),
                }
            };
            let wrong = match environment {
                Environment::Test => "svc_live_local",
                Environment::Live => "svc_test_local",
            };
            let asked = [
                ask("{}"),
                ask(&body).by("nobody"),
                ask(&body).key(wrong),
                ask(&body).by("revoked"),
                ask(&body).by("blocked"),
                ask(&body).by("broke"),
                ask(&body).by("throttled"),
                ask(&body).idempotency(&operation.id),
                ask(&body).idempotency(&operation.id),
                ask(&other).idempotency(&operation.id),
            ];
            for asked in asked {
                judge.answer(&path, "post", &asked.send());
            }
        }
    }
    let seen = &judge.seen;
    let wanted = [400, 401, 402, 403, 409, 429];
    assert!(
        wanted.iter().all(|status| seen.contains(status)),
        "{seen:?}"
    );
}

#[test]
fn look_ups_are_as_the_document_says() {
    let scene = Scene::new();
    let mut judge = Judge::new();
    for live in [false, true] {
        let of = |asked: Asked<'_>| {
            if live {
                asked.live().send()
            } else {
                asked.send()
            }
        };
        let id = of(scene.pan(r#"{"pan": "AAAAA0000A"}"#)).id();
        let path = "/v1/verifications/{verificationId}";
        for id in [id.as_str(), "svcv_of_nobody"] {
            let found = of(scene.get(&format!("/v1/verifications/{id}")));
            judge.answer(path, "get", &found);
        }
        for query in ["", "?from=2027-01-01", "?from=never"] {
            let usage = of(scene.get(&format!("/v1/usage{query}")));
            judge.answer("/v1/usage", "get", &usage);
        }
    }
}

/// Whether the document can say the whole rule of a format: days, bounds and hosts it cannot.
fn is_said_whole(contract: &Contract, kind: &Kind) -> bool {
    match kind {
        Kind::Text {
            format: Some(id),
            one_of,
        } if one_of.is_empty() => matches!(contract.format(*id).rule, Rule::Pattern(_)),
        Kind::List { items, .. } => is_said_whole(contract, items),
        // A whole number with a fraction of zero is an integer to JSON Schema.
        Kind::Int { .. } => false,
        _ => true,
    }
}

/// Where the document says what an operation takes.
fn input_of(operation: &Operation) -> &'static str {
    let content = &DOCUMENT["paths"][documented(operation)]["post"]["requestBody"]["content"];
    let reference = content["application/json"]["schema"]["$ref"].as_str();
    reference.expect("what an operation takes has a name")
}

#[test]
fn the_document_takes_valid_requests_and_refuses_broken_ones() {
    let catalogue = Catalogue::new();
    let (contract, inputs) = (catalogue.contract(), catalogue.inputs());
    let sentinel = contract.service.sentinel.text.as_str();
    for operation in &contract.operations {
        let schema = json!({
            "$ref": input_of(operation),
            "components": { "schemas": DOCUMENT["components"]["schemas"] },
        });
        let schema = jsonschema::draft202012::new(&schema).expect("a schema");
        let fits = |body: &Json<'_>| {
            let value: Value = serde_json::from_str(&body.to_string()).expect("JSON");
            schema.is_valid(&value)
        };
        let cases = (inputs.body(&operation.request), any::<usize>());
        let outcome = runner(6).run(&cases, |(body, seed)| {
            let text = body.to_string();
            // The sentinel wins over formats, and this is white space to ECMA 262 alone.
            let exempt = text.contains(sentinel) || text.contains('\u{feff}');
            prop_assert!(exempt || fits(&body));
            for field in &operation.request {
                if !is_said_whole(contract, &field.kind) {
                    continue;
                }
                for violation in broken(contract, field, &body, seed) {
                    let mut broken = body.clone();
                    violation.put_in(&mut broken);
                    prop_assert!(!fits(&broken), "{} {}", violation.name(), broken);
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}

#[test]
fn bounds_and_points_of_our_own_are_marked_as_such() {
    let paths = &DOCUMENT["paths"];
    let limited = ["identity/mobile-otp/verify", "identity/mobile-otp-s/fetch"];
    for path in limited {
        let tries = &paths[format!("/v1/verify/{path}")]["post"]["x-tries"];
        let said = json!({ "field": "otp", "most": 5, "withinMs": 600_000, "x-simulator-extension": true });
        assert_eq!(*tries, said, "{path}");
    }
    let data = &DOCUMENT["components"]["schemas"]["BundlesFraudCheckResult"]["properties"];
    for member in ["riskScore", "riskLevel"] {
        assert_eq!(data[member]["x-simulator-extension"], true, "{member}");
    }
}
