//! The schema of outcomes: what a call ends in, and what goes wrong with its answer.

use serde_json::{Map, Value, json};
use svc_fixtures::path::MAX_POSITION;

use super::{about, error_codes, or_named, refer, some, text};
use crate::scenario::read::faults::{COPIES, SIGNATURES, WORDS};
use crate::scenario::read::outcomes::BESIDE_PENDING;
use crate::scenario::read::patches::BESIDE_SUCCESS;

/// Each is an outcome.
const ENDINGS: [&str; 3] = ["success", "error", "pending"];

pub(super) fn define(definitions: &mut Map<String, Value>) {
    let mut last = endings();
    last.remove("pending");
    let mut all = endings();
    all.insert(
        "after".to_owned(),
        about(
            "When the result of what is pending comes, by the account's clock.",
            or_named(refer("duration")),
        ),
    );
    all.insert(
        "finally".to_owned(),
        about(
            "What is pending comes to this; a success, where it is not given.",
            or_named(refer("final_outcome")),
        ),
    );
    for (name, is) in BESIDE_PENDING.into_iter().zip(beside()) {
        all.insert(name.to_owned(), is);
    }
    definitions.insert("outcome".to_owned(), outcome(&all));
    definitions.insert("final_outcome".to_owned(), outcome(&last));
}

/// An object with exactly one ending, and beside it what belongs to this ending.
fn outcome(properties: &Map<String, Value>) -> Value {
    let mut needs = Map::new();
    let mut need = |name: &str, ending: &str| {
        if properties.contains_key(name) {
            needs.insert(name.to_owned(), json!([ending]));
        }
    };
    for name in BESIDE_SUCCESS {
        need(name, "success");
    }
    need("message", "error");
    need("after", "pending");
    need("finally", "pending");
    let known = ENDINGS
        .into_iter()
        .filter(|name| properties.contains_key(*name));
    let one: Vec<Value> = known.map(|name| json!({ "required": [name] })).collect();
    or_named(json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "oneOf": one,
        "dependencies": needs,
    }))
}

fn endings() -> Map<String, Value> {
    let paths = or_named(some(&json!({ "type": "string" })));
    let length = json!({ "type": "integer", "minimum": 0, "maximum": MAX_POSITION });
    let all = [
        (
            "success",
            about(
                "The canned answer with these members laid over it.",
                or_named(json!({ "type": "object" })),
            ),
        ),
        (
            "error",
            about("An error of this code.", or_named(error_codes())),
        ),
        ("message", text("The error's message, instead of its own.")),
        (
            "pending",
            about(
                "Nothing yet; always written `{}`.",
                or_named(json!({ "type": "object", "maxProperties": 0 })),
            ),
        ),
        (
            "remove",
            about("What is taken from the answer, as paths.", paths.clone()),
        ),
        (
            "null",
            about("What becomes null in the answer, as paths.", paths),
        ),
        (
            "length",
            about(
                "How many items the lists at these paths get.",
                or_named(json!({ "type": "object", "additionalProperties": or_named(length) })),
            ),
        ),
        (
            "breaks_contract",
            about(
                "That the answer is to lose its form.",
                or_named(json!({ "type": "boolean" })),
            ),
        ),
    ];
    all.into_iter()
        .map(|(name, is)| (name.to_owned(), is))
        .collect()
}

/// In the order of [`BESIDE_PENDING`].
fn beside() -> [Value; BESIDE_PENDING.len()] {
    let span = || or_named(refer("duration"));
    let range = json!({
        "type": "object",
        "properties": {
            "from": about("The shortest.", span()),
            "to": about("The longest; operation and body decide, the same for the same input.", span()),
        },
        "required": ["from", "to"],
        "additionalProperties": false,
    });
    let delay = json!({ "anyOf": [{ "enum": ["typical"] }, range, refer("duration")] });
    [
        about(
            "How long the answer is held back, in real time: \"3s\", \"typical\" or a range.",
            or_named(delay),
        ),
        text("What meta.provider says."),
        about(
            "What goes wrong on the way of the answer.",
            or_named(wire()),
        ),
        about(
            "What goes wrong with the webhook that brings the result.",
            or_named(webhook()),
        ),
    ]
}

pub(super) fn wire() -> Value {
    let cut = or_named(json!({ "type": "integer", "minimum": 0 }));
    let table = json!({
        "type": "object",
        "properties": {
            "cut_after": about("So many bytes of the body come, never its last one.", cut),
            "slow": about("The body comes over so much real time.", or_named(refer("duration"))),
        },
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    });
    json!({ "anyOf": [{ "enum": WORDS.map(|(word, _)| word) }, table] })
}

fn webhook() -> Value {
    let copies = json!({ "type": "integer", "minimum": COPIES.start(), "maximum": COPIES.end() });
    json!({
        "type": "object",
        "properties": {
            "copies": about("How many times it comes.", or_named(copies)),
            "delay": about("How much later it comes, by the account's clock.", or_named(refer("duration"))),
            "signature": about("What is wrong with its signature.", or_named(json!({ "enum": SIGNATURES.map(|(word, _)| word) }))),
            "out_of_order": about("That it leaves its place among the others.", or_named(json!({ "enum": [true] }))),
        },
        "minProperties": 1,
        "additionalProperties": false,
    })
}
