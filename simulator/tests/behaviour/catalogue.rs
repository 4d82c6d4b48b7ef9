//! Every operation of the contract, in every outcome it can have, in the exact form of its row.

use std::sync::Arc;
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::http::{ListenerAddresses, openapi, operations};
use svc_simulator::scenario;

use jiff::SignedDuration;
use svc_fixtures::contract::Shape;
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_fixtures::sample;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::Files;
use svc_simulator::engine::state::verification::Resolved;

use crate::samples::Catalogue;
use crate::scene::Scene;

const ERRORS: [(u16, &str); 5] = [
    (422, "SVC_NO_RECORD_FOUND"),
    (500, "SVC_INTERNAL_ERROR"),
    (502, "SVC_PROVIDER_ERROR"),
    (503, "SVC_SOURCE_UNAVAILABLE"),
    (504, "SVC_SOURCE_TIMEOUT"),
];

#[track_caller]
fn assert_shape(what: &str, shape: &Shape, data: &Json<'_>) {
    let mistakes = shape.mistakes(data);
    assert!(mistakes.is_empty(), "{what}: {mistakes:?} in {data}");
    let asked = shape.mistakes_as_specified(data);
    assert!(asked.is_empty(), "{what}: {asked:?} in {data}");
}

#[test]
fn every_operation_answers_its_sample_in_the_exact_form_of_its_row() {
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        for environment in Environment::ALL {
            let answer = catalogue.walk(operation, environment);
            let always = operation.pending.as_ref().filter(|pending| pending.always);
            let (outcome, shape) = match always {
                Some(pending) => (
                    format!("{} pending", pending.status),
                    operation.pending_shape().expect("it is pending"),
                ),
                None => ("200 completed".to_owned(), operation.response.clone()),
            };
            assert_eq!(answer.outcome(), outcome, "{}: {answer}", operation.id);
            let json = answer.json();
            let data = json.get("data").expect("data");
            assert_shape(&operation.id, &shape, data);
            let order = data.as_object().expect("an object").iter();
            let order: Vec<_> = order.map(|(name, _)| shape.member(name)).collect();
            assert!(order.iter().all(Option::is_some), "{}", operation.id);
        }
    }
}

#[test]
fn every_identifier_has_a_fixed_input_for_every_error() {
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        for (_, field) in operation.identifiers() {
            for (status, code) in ERRORS {
                let values = catalogue.fixed(operation, field, status);
                let values = values.iter();
                let asked =
                    values.flat_map(|it| Environment::ALL.map(|environment| (it, environment)));
                for (value, environment) in asked {
                    let mut body = catalogue.unbound(operation);
                    body.set(field.name.clone(), value.clone());
                    let answer = catalogue.send(operation, &body, environment);
                    let what = format!("{} {}", operation.id, field.name);
                    assert_eq!(
                        answer.outcome(),
                        format!("{status} {code}"),
                        "{what}: {body}"
                    );
                    let charged = environment == Environment::Live && status == 422;
                    assert_eq!(answer.at("billing.charged"), charged.to_string(), "{what}");
                    assert_eq!(answer.at("data"), "", "{what}");
                }
            }
        }
    }
}

#[test]
fn the_sentinel_in_any_identifier_makes_its_source_unavailable() {
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        for (_, field) in operation.identifiers() {
            let mut body = catalogue.unbound(operation);
            let value = sample::with_text(catalogue.contract(), field, "x ZZZZZ0000Z x");
            body.set(field.name.clone(), value);
            let outcome = catalogue
                .send(operation, &body, Environment::Test)
                .outcome();
            let what = format!("{} {}", operation.id, field.name);
            assert_eq!(outcome, "503 SVC_SOURCE_UNAVAILABLE", "{what}");
        }
    }
}

#[test]
fn what_can_be_pending_is_and_ends_in_the_form_of_its_row() {
    let catalogue = Catalogue::new();
    let rules = Arc::clone(&catalogue.rules);
    let pending = rules
        .contract
        .operations
        .iter()
        .filter(|row| row.pending.is_some());
    for operation in pending {
        let row = operation.pending.as_ref().expect("just asked for");
        for environment in Environment::ALL {
            let (_, field) = operation.identifiers().next().expect("an identifier");
            let mut body = catalogue.sample(operation);
            let mut values = catalogue.fixed(operation, field, 202);
            body.set(field.name.clone(), values.pop().expect("a spelling"));
            let first = catalogue.send(operation, &body, environment);
            let id = first.id();
            assert_eq!(
                first.outcome(),
                format!("{} pending", row.status),
                "{}",
                operation.id
            );
            let shape = operation.pending_shape().expect("it is pending");
            assert_shape(
                &operation.id,
                &shape,
                first.json().get("data").expect("data"),
            );
            let after = i64::try_from(row.after_ms).expect("a time");
            catalogue
                .scene
                .advance("local", SignedDuration::from_millis(after));
            if row.by_consent.is_some() {
                let data = waiting(&catalogue, &id, environment);
                let data = Json::parse(&data).expect("JSON");
                assert_shape(&operation.id, &operation.response, &data);
                continue;
            }
            let path = format!("/v1/verifications/{id}");
            let asked = catalogue.scene.get(&path);
            let last = match environment {
                Environment::Test => asked.send(),
                Environment::Live => asked.live().send(),
            };
            assert_eq!(last.outcome(), "200 completed", "{}", operation.id);
            assert_shape(
                &operation.id,
                &operation.response,
                last.json().get("data").expect("data"),
            );
        }
    }
}

/// What a call that waits for a person will end in.
fn waiting(catalogue: &Catalogue, id: &str, environment: Environment) -> Vec<u8> {
    catalogue.scene.account("local").read(|account| {
        let mut open = account.environment(environment).verifications.open();
        let open = open.find(|verification| verification.id.to_string() == id);
        let steps = &open.expect("nothing is abandoned by itself").steps;
        match steps[0].outcome.clone().ended() {
            Resolved::Completed { data, .. } => data,
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn an_answer_repeats_the_identifiers_it_was_asked_for() {
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        let answer = catalogue.walk(operation, Environment::Test);
        for (name, value) in catalogue.sample(operation).as_object().expect("an object") {
            let index = operation.field(name).expect("a field");
            let echoed = operation.request[index].identifies
                && operation.response.member(name).is_some()
                && operation
                    .pending
                    .as_ref()
                    .is_none_or(|pending| !pending.always);
            if echoed {
                let wanted = value
                    .as_text()
                    .map_or_else(|| value.to_string(), str::to_owned);
                assert_eq!(
                    answer.at(&format!("data.{name}")),
                    wanted,
                    "{}",
                    operation.id
                );
            }
        }
    }
}

#[test]
fn of_several_fixed_inputs_the_first_field_decides() {
    let scene = Scene::new();
    let png = |status: u16| format!("https://assets.example/status-{status}.png");
    let two_images = |a: u16, b: u16| {
        format!(
            r#"{{"imageUrl2": "{}", "imageUrl1": "{}"}}"#,
            png(b),
            png(a)
        )
    };
    let bank = r#"{"accountNumber": "100000000422", "ifsc": "TEST0000504"}"#;
    let reversed = r#"{"ifsc": "TEST0000422", "accountNumber": "100000000504"}"#;
    let cases = [
        (
            "identity/face-match",
            two_images(503, 422),
            "503 SVC_SOURCE_UNAVAILABLE",
        ),
        (
            "identity/face-match",
            two_images(422, 503),
            "422 SVC_NO_RECORD_FOUND",
        ),
        (
            "financial/bank-account",
            bank.to_owned(),
            "422 SVC_NO_RECORD_FOUND",
        ),
        (
            "financial/bank-account",
            reversed.to_owned(),
            "504 SVC_SOURCE_TIMEOUT",
        ),
        (
            "financial/bank-account-v1",
            bank.to_owned(),
            "504 SVC_SOURCE_TIMEOUT",
        ),
        (
            "document/kyc-ocr-s",
            format!(
                r#"{{"urls": ["https://a.example/", "{}", "{}"]}}"#,
                png(504),
                png(422)
            ),
            "504 SVC_SOURCE_TIMEOUT",
        ),
        (
            "identity/face-match",
            two_images(422, 504).replace("status-504", "ZZZZZ0000Z"),
            "503 SVC_SOURCE_UNAVAILABLE",
        ),
    ];
    let carried = r#"{"mobile": "9000000504", "referenceId": "status-422", "otp": "000000"}"#;
    let path = "/v1/verify/identity/mobile-otp-s/fetch";
    assert_eq!(
        scene.post(path, carried).outcome(),
        "504 SVC_SOURCE_TIMEOUT"
    );
    for (path, body, outcome) in cases {
        let path = format!("/v1/verify/{path}");
        assert_eq!(scene.post(&path, &body).outcome(), outcome, "{body}");
    }
}

const ONE_MORE: &str = r#"
[[operation]]
id = "verify.tests.one-more"
title = "One more"
category = "Tests"
latency_ms = 100
price_inr = 1
clause = "identity.pan"

[operation.request]
ticket = { type = "string", required = true, format = "din", identifies = true, about = "A number" }
count = { type = "int", default = 2, min = 1, max = 3, about = "How many" }

[operation.response]
ticket = "string"
holder = "string"
months = ["string"]
"#;

const ITS_ANSWER: &str = r#"
["verify.tests.one-more"]
ticket = "{request.ticket}"
holder = "{person.name}"
months = { for_each = "{months_before('2026-01', request.count)}", item = "{item} {this.ticket}" }
"#;

#[test]
fn an_operation_added_by_rows_alone_is_routed_validated_and_answered() {
    let mut files = Files::built_in();
    files
        .contract
        .push(Source::new("operations/tests.toml", ONE_MORE));
    files
        .answers
        .push(Source::new("answers/tests.toml", ITS_ANSWER));
    let catalogue = Catalogue::of(Scene::of_files(&files));
    let scene = &catalogue.scene;
    let ask = |body: &'static str| scene.post("/v1/verify/tests/one-more", body).send();
    let answer = ask(r#"{"ticket": "00000001"}"#);
    let data = r#"{"ticket":"00000001","holder":"ASHA RAO","months":["2025-12 00000001","2025-11 00000001"]}"#;
    assert_eq!(
        (answer.outcome().as_str(), answer.at("data").as_str()),
        ("200 completed", data)
    );
    assert_eq!(
        ask(r#"{"ticket": "1"}"#).outcome(),
        "400 SVC_INVALID_IDENTIFIER"
    );
    assert_eq!(
        ask(r#"{"ticket": "00000001", "count": 9}"#).outcome(),
        "400 SVC_INVALID_INPUT"
    );
    assert_eq!(
        ask(r#"{"ticket": "00000504"}"#).outcome(),
        "504 SVC_SOURCE_TIMEOUT"
    );
}

#[test]
fn an_operation_added_by_rows_alone_is_documented_and_listed() {
    let mut files = Files::built_in();
    let (row, answer) = (ONE_MORE, ITS_ANSWER);
    files
        .contract
        .push(Source::new("operations/tests.toml", row));
    files
        .answers
        .push(Source::new("answers/tests.toml", answer));
    let rules = Rules::read(&files, Seed::new("")).unwrap_or_else(|problems| panic!("{problems}"));
    let accounts = scenario::read_accounts(&scenario::accounts()).expect("accounts");
    let document = openapi::document(&rules, &accounts, &ListenerAddresses::DEFAULT.urls());
    let post = &document["paths"]["/v1/verify/tests/one-more"]["post"];
    let shown = &post["responses"]["200"]["content"]["application/json"]["examples"]["completed"];
    assert_eq!(shown["value"]["data"]["holder"], "ASHA RAO");
    assert_eq!(
        post["x-fixed-inputs"]["SVC_SOURCE_TIMEOUT"]["ticket"],
        "00000504"
    );
    let listing = operations::list(&rules, &accounts);
    assert!(listing.markdown().contains("`verify.tests.one-more`"));
}
