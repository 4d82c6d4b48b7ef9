//! The schema of `[[expect]]`: a call, and the parts of its answer that count.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use svc_fixtures::contract::Contract;

use super::conditions::environments;
use super::outcomes::wire;
use super::{about, error_codes, ids, or_named, refer, some, text};
use crate::scenario_format::expected_answer::{INTACT, MEMBERS, STATUSES};
use crate::scenario_format::expected_later::{DeliveryEnd, ENDS, SIGNED, TIMES};

pub(super) fn define(contract: &Contract, definitions: &mut Map<String, Value>) {
    definitions.insert("expect".to_owned(), expect(contract));
    definitions.insert("answer".to_owned(), answer());
}

fn expect(contract: &Contract) -> Value {
    let ids: Vec<String> = ids(contract).collect();
    let fields = contract.operations.iter().flat_map(|row| &row.request);
    let fields: BTreeSet<&str> = fields.map(|field| field.name.as_str()).collect();
    json!({
        "type": "object",
        "properties": {
            "name": text("Its name, unique in its folder."),
            "operation": about("The operation that is called.", or_named(json!({ "enum": ids }))),
            "call": about(
                "The fields that are sent; required ones that are not given are filled from the sample.",
                or_named(json!({ "type": "object", "propertyNames": { "enum": fields } })),
            ),
            "who": text("One of those declared in this folder is asked for: the field that identifies them is filled in."),
            "account": about(
                "The id of the account that calls.",
                or_named(json!({ "type": "string", "pattern": "^[A-Za-z0-9_.-]+$" })),
            ),
            "environment": about("Where it calls; test, where it is not given.", environments()),
            "idempotency_key": text("The Idempotency-Key it sends."),
            "reference_id": text("The X-Reference-Id it sends."),
            "answer": about("What it is answered.", or_named(refer("answer"))),
            "answers": about(
                "What the same call is answered when it is made again and again.",
                or_named(some(&or_named(refer("answer")))),
            ),
            "still_pending": about(
                "It is still pending once the account's clock was moved on by so much.",
                or_named(refer("duration")),
            ),
            "after": about(
                "By how much, since the call, the account's clock is moved before the result is looked at.",
                or_named(refer("duration")),
            ),
            "finally": about("The result of a call that was pending.", or_named(refer("answer"))),
            "webhook": about("How the webhook that brings the result arrives.", or_named(webhook())),
        },
        "required": ["name", "operation"],
        "oneOf": [{ "required": ["answer"] }, { "required": ["answers"] }],
        "dependencies": { "after": { "anyOf": [{ "required": ["finally"] }, { "required": ["webhook"] }] } },
        "additionalProperties": false,
    })
}

fn webhook() -> Value {
    let times = json!({ "type": "integer", "minimum": TIMES.start(), "maximum": TIMES.end() });
    let status = or_named(json!({ "type": "integer", "minimum": 100, "maximum": 599 }));
    let ends = json!({ "enum": ENDS.map(DeliveryEnd::as_str) });
    let signature = json!({ "enum": SIGNED.map(|(word, _)| word) });
    json!({
        "type": "object",
        "properties": {
            "times": about("How many times it comes in all.", or_named(times)),
            "ends": about("How its delivery ends: whether the receiver took it.", or_named(ends)),
            "signature": about("What its signature is.", or_named(signature)),
            "receiver": about(
                "The HTTP status the receiver answers, or one after the other; the last again and again. 200 without it.",
                or_named(json!({ "anyOf": [status, some(&status)] })),
            ),
        },
        "anyOf": [{ "required": ["times"] }, { "required": ["ends"] }, { "required": ["signature"] }],
        "additionalProperties": false,
    })
}

fn answer() -> Value {
    let mut properties = Map::new();
    let status = json!({ "type": "integer", "minimum": 100, "maximum": 599 });
    let paths = json!({ "type": "array", "items": { "type": "string" } });
    let error = json!({ "anyOf": [error_codes(), { "not": { "type": "string" } }] });
    for (name, is) in [
        ("http", about("The HTTP status.", or_named(status))),
        (
            "wire",
            about(
                "What goes wrong on its way, as a rule writes it; \"none\" where nothing does.",
                or_named(json!({ "anyOf": [{ "enum": [INTACT] }, wire()] })),
            ),
        ),
        ("because", text("The name of the scenario that decides.")),
        (
            "absent",
            about("What must not be there, as paths.", or_named(paths)),
        ),
    ] {
        properties.insert(name.to_owned(), is);
    }
    for name in MEMBERS {
        let is = match name {
            "status" => or_named(
                json!({ "anyOf": [{ "enum": STATUSES }, { "not": { "type": "string" } }] }),
            ),
            "error" => or_named(error.clone()),
            _ => json!({}),
        };
        properties.insert(name.to_owned(), about("This member of the envelope.", is));
    }
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "minProperties": 1,
    })
}
