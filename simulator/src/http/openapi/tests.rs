//! The document as a whole: it hangs together, misses no operation, and tells the truth.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use svc_fixtures::contract::ErrorCode;
use svc_fixtures::sample;

use super::{DocumentFormat, DocumentPart, document, parts, print};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::{Files, Rules};
use crate::engine::state::ids::Seed;
use crate::host::clock::Clock;
use crate::host::{Host, HostConfig};
use crate::http::ListenerAddresses;
use crate::http::examples::{EXAMPLE_TIME, call_order};
use crate::http::first_call::{newest_key, working_account};
use crate::http::in_process_call::InProcessCall;
use crate::scenario::{self, AccountConfig, read_accounts};

fn rules() -> Rules {
    Rules::read(&Files::built_in(), Seed::new("")).unwrap()
}

fn accounts() -> Vec<AccountConfig> {
    read_accounts(&scenario::accounts()).unwrap()
}

pub(super) fn made() -> (Rules, Value) {
    let rules = rules();
    let document = document(&rules, &accounts(), &ListenerAddresses::DEFAULT.urls());
    (rules, document)
}

/// Every value of the document with its place.
pub(super) fn walk<'v>(value: &'v Value, place: &str, visit: &mut impl FnMut(&str, &'v Value)) {
    visit(place, value);
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                walk(value, &format!("{place}/{name}"), visit);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                walk(value, &format!("{place}/{at}"), visit);
            }
        }
        _ => {}
    }
}

/// The methods of the paths of the service; those of the control API have tests of their own.
pub(super) fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let paths = paths.iter().filter(|(path, _)| path.starts_with("/v1/"));
    let methods = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, it)| (path.as_str(), method.as_str(), it))
    });
    methods.collect()
}

/// Asserts it of all of them, and gives how often each place is referred to.
fn references_lead_somewhere(document: &Value) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    walk(document, "", &mut |place, value| {
        if let Some(target) = value.get("$ref").and_then(Value::as_str) {
            let found = target
                .strip_prefix('#')
                .and_then(|target| document.pointer(target));
            assert!(found.is_some(), "{place} refers to {target}");
            *counts.entry(target).or_default() += 1;
        }
    });
    counts
}

#[test]
fn every_reference_leads_somewhere() {
    let (_, document) = made();
    let count: usize = references_lead_somewhere(&document).values().sum();
    assert!(count > 100, "{count} references");
}

#[test]
fn a_part_has_its_operations_with_all_that_they_refer_to_and_nothing_else() {
    let (_, whole) = made();
    let ids = |document: &Value| -> BTreeSet<String> {
        let paths = document["paths"].as_object().unwrap().values();
        let methods = paths.flat_map(|item| item.as_object().unwrap().values());
        let ids = methods.map(|it| it["operationId"].as_str().unwrap().to_owned());
        ids.collect()
    };
    let part = |part| {
        let mut document = whole.clone();
        parts::keep(&mut document, part);
        document
    };
    let (api, control) = (part(DocumentPart::Api), part(DocumentPart::Control));
    assert!(ids(&api).is_disjoint(&ids(&control)));
    assert_eq!(&ids(&api) | &ids(&control), ids(&whole));
    for document in [&api, &control] {
        let referred = references_lead_somewhere(document);
        for (kind, named) in document["components"].as_object().unwrap() {
            for name in named.as_object().unwrap().keys() {
                let place = format!("#/components/{kind}/{name}");
                let by_name = kind == "securitySchemes";
                assert!(by_name || referred.contains_key(&*place), "{place}");
            }
        }
    }
    let schemes = |document: &Value| {
        let schemes = document["components"]["securitySchemes"]
            .as_object()
            .unwrap();
        schemes.keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(schemes(&api), "bearer");
    assert_eq!(schemes(&control), "consoleToken consolePassword");
    assert_eq!(control["servers"][0]["url"], "http://127.0.0.1:8800");
    assert_eq!(
        (&control["webhooks"], &control["security"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn every_operation_of_the_contract_is_there_with_what_openapi_demands() {
    let (rules, document) = made();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{id} comes twice");
        let responses = operation["responses"].as_object().unwrap();
        for (status, answer) in responses.iter().filter(|(_, it)| it.get("$ref").is_none()) {
            assert!(answer["description"].is_string(), "{id} {status}");
        }
        let declared = operation["parameters"].as_array().unwrap();
        let declared = declared.iter().filter(|it| it["in"] == "path").count();
        assert_eq!(path.matches('{').count(), declared, "{id}");
        assert_eq!(
            method == "post",
            operation.get("requestBody").is_some(),
            "{id}"
        );
    }
    for operation in &rules.contract.operations {
        assert!(ids.contains(operation.id.as_str()), "{}", operation.id);
    }
    let look_ups = 2;
    let known = rules.contract.operations.len() + rules.contract.bundles.len();
    assert_eq!(ids.len(), known + look_ups);
}

#[test]
fn every_error_code_has_an_example_with_its_status() {
    let (rules, document) = made();
    for code in ErrorCode::ALL {
        let status = rules.contract.error(code).status;
        let examples = format!(
            "/components/responses/Error{status}/content/application~1json/examples/{code}/$ref"
        );
        assert!(document.pointer(&examples).is_some(), "{code}");
        let example = &document["components"]["examples"][code.as_str()]["value"];
        assert_eq!(example["error"]["code"], code.as_str());
    }
}

#[test]
fn every_operation_shows_an_answer_that_is_no_failure() {
    let (_, document) = made();
    for (_, _, operation) in operations(&document) {
        let answers = operation["responses"].as_object().unwrap().iter();
        let mut shown = answers
            .filter(|(status, _)| status.starts_with('2'))
            .flat_map(|(_, it)| {
                it["content"]["application/json"]["examples"]
                    .as_object()
                    .unwrap()
                    .values()
            });
        let succeeds = shown.any(|example| example["value"]["success"] == true);
        assert!(succeeds, "{}", operation["operationId"]);
    }
}

/// The requests of a collection, out of all its folders.
fn requests<'v>(item: &'v Value, found: &mut Vec<&'v Value>) {
    match item["item"].as_array() {
        Some(items) => items.iter().for_each(|it| requests(it, found)),
        None => found.push(item),
    }
}

#[test]
fn every_request_of_the_postman_collection_has_answers_of_the_document_saved_beside_it() {
    let (rules, document) = made();
    let urls = ListenerAddresses::DEFAULT.urls();
    let collection = print(&rules, &accounts(), &urls, DocumentFormat::Postman.into());
    let collection = serde_json::from_str(&collection).unwrap();
    let (mut found, mut examples) = (Vec::new(), BTreeSet::new());
    requests(&collection, &mut found);
    walk(&document, "", &mut |place, value| {
        if place.contains("/examples/") && place.ends_with("/value") {
            examples.insert(value.to_string());
        }
    });
    assert!(found.len() > 70, "{}", found.len());
    for item in found {
        let saved = item["response"].as_array().unwrap();
        let codes: BTreeSet<u64> = saved.iter().filter_map(|it| it["code"].as_u64()).collect();
        let has = |least, below| codes.range(least..below).next().is_some();
        assert!(
            has(200, 300) && has(401, 500) && has(500, 600),
            "{}: {codes:?}",
            item["name"]
        );
        for answer in saved {
            let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
            assert!(
                examples.contains(&body.to_string()),
                "{}: {body}",
                item["name"]
            );
            let is_success = answer["code"].as_u64().unwrap() < 300;
            assert_eq!(body["success"], is_success, "{}", item["name"]);
            assert_eq!(answer["originalRequest"]["url"], item["request"]["url"]);
        }
    }
}

#[test]
fn the_document_is_the_same_every_time() {
    let urls = ListenerAddresses::DEFAULT.urls();
    for format in [
        DocumentFormat::Json,
        DocumentFormat::Yaml,
        DocumentFormat::Version30,
        DocumentFormat::Postman,
    ] {
        let made = || print(&rules(), &accounts(), &urls, format.into());
        assert_eq!(made(), made(), "{format:?}");
    }
}

/// Executes the request examples of the document on a fresh host.
#[tokio::test]
async fn every_example_request_gets_its_example_answer() {
    let (rules, document) = tokio::task::spawn_blocking(made).await.unwrap();
    let means = HostConfig::new(Clock::manual(EXAMPLE_TIME));
    let host = Host::new(rules.clone(), accounts(), means).unwrap();
    for index in call_order(&rules.contract) {
        let row = &rules.contract.operations[index];
        let shown = &document["paths"][row.path.replace('*', "{step}")]["post"];
        let requests = &shown["requestBody"]["content"]["application/json"]["examples"];
        for (name, request) in requests.as_object().unwrap() {
            let (status, answer) = post(&host, &sample::path(row), &request["value"]).await;
            let answers = &shown["responses"][status.to_string()]["content"]["application/json"];
            assert_eq!(
                answers["examples"][name]["value"], answer,
                "{} {name}",
                row.id
            );
        }
        let fixed = shown["x-fixed-inputs"].as_object();
        for (code, body) in fixed.into_iter().flatten() {
            let (status, answer) = post(&host, &sample::path(row), body).await;
            let wanted = ErrorCode::parse(code).unwrap();
            assert_eq!(answer["error"]["code"], code.as_str(), "{}", row.id);
            assert_eq!(status, rules.contract.error(wanted).status, "{}", row.id);
        }
    }
    for bundle in &rules.contract.bundles {
        let path = &bundle.path;
        let shown = &document["paths"][path]["post"];
        let requests = &shown["requestBody"]["content"]["application/json"]["examples"];
        let (name, request) = requests.as_object().unwrap().iter().next().unwrap();
        let (status, answer) = post(&host, path, &request["value"]).await;
        let answers = &shown["responses"][status.to_string()]["content"]["application/json"];
        assert_eq!(answers["examples"][name]["value"], answer, "{path}");
    }
}

async fn post(host: &Arc<Host>, path: &str, body: &Value) -> (u16, Value) {
    let key = newest_key(working_account(&accounts()).unwrap(), Environment::Test);
    let body = body.to_string();
    let post = InProcessCall::post(Environment::Test, &key, path, &body);
    let reply = post.answer(host).await;
    (reply.status, serde_json::from_slice(&reply.body).unwrap())
}
