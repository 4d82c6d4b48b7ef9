//! Bodies nobody should send: whatever comes, the answer is an envelope and no internal error.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::{Json, MAX_DEPTH};
use svc_fixtures::sample;
use svc_fixtures::sample::any::{free_text, json, runner};
use svc_simulator::engine::call::request::{Body, Environment};

use crate::samples::Catalogue;
use crate::scene::Answer;

/// Sends bytes to an operation and judges the form of the answer.
fn envelope(
    catalogue: &Catalogue,
    operation: &Operation,
    bytes: &[u8],
) -> Result<Answer, TestCaseError> {
    let path = sample::path(operation);
    let answer = catalogue
        .scene
        .post(&path, "")
        .body(Body::Whole(bytes))
        .send();
    let contract = catalogue.contract();
    let mistakes = contract.service.envelope.mistakes(&answer.json());
    prop_assert!(mistakes.is_empty(), "{:?} in {}", mistakes, answer);
    prop_assert_eq!(answer.at("endpoint"), &*operation.id);
    match ErrorCode::parse(&answer.at("error.code")) {
        Some(ErrorCode::InternalError) => prop_assert!(false, "{}", answer),
        Some(code) => prop_assert_eq!(answer.0.status, contract.error(code).status),
        None => prop_assert!(answer.0.status < 300, "{}", answer),
    }
    Ok(answer)
}

/// Tries bodies made for each operation; `refused` where none of them may get past the reader.
fn attack<S>(refused: bool, cases: u32, bodies: impl Fn(&Operation) -> S)
where
    S: Strategy<Value = Vec<u8>>,
{
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        let outcome = runner(cases).run(&bodies(operation), |bytes| {
            let answer = envelope(&catalogue, operation, &bytes)?;
            if refused {
                let text = String::from_utf8_lossy(&bytes);
                prop_assert_eq!(answer.outcome(), "400 SVC_INVALID_INPUT", "{}", text);
            }
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}

fn sample(operation: &Operation, catalogue: &Catalogue) -> String {
    catalogue.sample(operation).to_string()
}

/// The sample body with text put in before its end.
fn with_more(sample: &str, more: &str) -> Vec<u8> {
    let inside = sample.strip_suffix('}').expect("an object");
    format!("{inside}, {more}}}").into_bytes()
}

#[test]
fn random_bytes_and_pieces_of_json_are_answered_with_an_envelope() {
    let bytes = |_: &Operation| prop::collection::vec(any::<u8>(), 0..60);
    attack(true, 12, bytes);
    let piece = prop::sample::select(vec![
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "d800", "null", "true", "-", "1e999", "0",
        "\"a\"", " ", "\n", "\u{feff}", "\0", "//", "NaN",
    ]);
    let pieces = prop::collection::vec(piece, 0..24);
    let pieces = pieces.prop_map(|pieces| pieces.concat().into_bytes());
    attack(false, 12, |_| pieces.clone());
}

#[test]
fn a_body_cut_short_or_with_one_byte_changed_is_answered_with_an_envelope() {
    let catalogue = Catalogue::new();
    let changed = |operation: &Operation| {
        let sample = sample(operation, &catalogue).into_bytes();
        (any::<prop::sample::Index>(), any::<u8>(), any::<bool>()).prop_map(
            move |(at, byte, cut)| {
                let mut bytes = sample.clone();
                let at = at.index(bytes.len());
                match cut {
                    true => bytes.truncate(at),
                    false => bytes[at] = byte,
                }
                bytes
            },
        )
    };
    attack(false, 24, changed);
}

#[test]
fn nesting_is_ignored_to_the_limit_and_refused_beyond() {
    let catalogue = Catalogue::new();
    for operation in &catalogue.contract().operations {
        let sample = sample(operation, &catalogue);
        for (open, middle, close) in [("[", "", "]"), ("{\"a\":", "1", "}")] {
            let nested = |depth: usize| {
                let value = [open.repeat(depth), middle.to_owned(), close.repeat(depth)].concat();
                with_more(&sample, &format!("\"x_deep\": {value}"))
            };
            let answer_at = |depth: usize| {
                let answer = envelope(&catalogue, operation, &nested(depth));
                answer.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id))
            };
            let as_sample =
                catalogue.send(operation, &catalogue.sample(operation), Environment::Test);
            assert_eq!(answer_at(MAX_DEPTH - 1).outcome(), as_sample.outcome());
            for depth in [MAX_DEPTH, MAX_DEPTH + 1, 5_000] {
                let outcome = answer_at(depth).outcome();
                assert_eq!(outcome, "400 SVC_INVALID_INPUT", "{} {depth}", operation.id);
            }
        }
    }
}

#[test]
fn a_name_given_twice_is_refused_whatever_its_values() {
    let catalogue = Catalogue::new();
    attack(true, 8, |operation| {
        let sample = sample(operation, &catalogue);
        let first = operation.request[0].name.clone();
        json().prop_map(move |value| with_more(&sample, &format!("\"{first}\": {value}")))
    });
}

#[test]
fn lone_surrogates_are_refused_wherever_they_stand() {
    let catalogue = Catalogue::new();
    attack(true, 8, |operation| {
        let sample = sample(operation, &catalogue);
        let first = operation.request[0].name.clone();
        let lone = prop_oneof!["\\\\u[dD][89abAB][0-9a-f]{2}", "\\\\u[dD][c-f][0-9a-f]{2}"];
        (lone, any::<bool>()).prop_map(move |(lone, in_name)| match in_name {
            true => with_more(&sample, &format!("\"x_{lone}\": 1")),
            false => format!("{{\"{first}\": \"a{lone}b\"}}").into_bytes(),
        })
    });
}

#[test]
fn huge_numbers_and_strange_values_in_any_field_are_answered_with_an_envelope() {
    let catalogue = Catalogue::new();
    attack(false, 24, |operation| {
        let sample = catalogue.sample(operation);
        let names: Vec<String> = operation
            .request
            .iter()
            .map(|field| field.name.clone())
            .collect();
        let number = prop_oneof![
            "-?[1-9][0-9]{15,60}",
            "-?[1-9](\\.[0-9]{1,30})?[eE][-+]?[0-9]{1,4}",
            "-?0\\.[0-9]{1,40}",
        ];
        let value = prop_oneof![
            2 => number,
            2 => free_text().prop_map(|text| Json::from(text).to_string()),
            1 => json().prop_map(|value| value.to_string()),
            1 => "[a-z]{2000,4000}".prop_map(|text| Json::from(text).to_string()),
        ];
        (prop::sample::select(names), value).prop_map(move |(name, value)| {
            let members = sample.as_object().unwrap_or_default().iter();
            let others = members.filter(|(known, _)| *known != name);
            let others = others.map(|(name, value)| format!("\"{name}\": {value}"));
            let members: Vec<String> = others.chain([format!("\"{name}\": {value}")]).collect();
            format!("{{{}}}", members.join(", ")).into_bytes()
        })
    });
}
