//! The schemas of what was spent. The specification names the query but shows no form of it.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::Contract;

use super::envelope::{EnvelopeSchema, reference};
use super::illustrate::illustrate;
use super::names::{SchemaRole, schema_name};
use super::paths::USAGE;

/// A row of what was spent, and its sums.
const ROW: &str = "UsageRow";
const TOTALS: &str = "UsageTotals";

/// The schemas by name, illustrated by an answer.
pub(super) fn schemas(contract: &Contract, example: Option<&Value>) -> Map<String, Value> {
    let (row, totals) = sums();
    let result = json!({
        "type": "object",
        "description": "What the account spent.",
        "properties": {
            "endpoints": { "type": "array", "items": reference("schemas", ROW) },
            "totals": reference("schemas", TOTALS),
            "walletBalance": {
                "type": "number", "description": "What is in the wallet, in INR. On live only.",
                "examples": [100_000],
            },
        },
        "required": ["endpoints", "totals"],
    });
    let result_name = schema_name(USAGE, SchemaRole::Result);
    let answer = EnvelopeSchema {
        about: "What the account spent, in the envelope.".to_owned(),
        statuses: &["completed"],
        data: Some(reference("schemas", &result_name)),
        required: &["data"],
        ..EnvelopeSchema::default()
    };
    let answer = (
        schema_name(USAGE, SchemaRole::Answer),
        answer.schema(contract),
    );
    let data = example.map(|it| &it["data"]);
    let rows = data
        .and_then(|it| it["endpoints"].as_array())
        .into_iter()
        .flatten();
    let of = |it: Option<&'_ Value>| it.cloned().into_iter().collect::<Vec<Value>>();
    let shown = [
        (ROW.to_owned(), row, rows.cloned().collect()),
        (TOTALS.to_owned(), totals, of(data.map(|it| &it["totals"]))),
        (result_name, result, of(data)),
        (answer.0, answer.1, of(example)),
    ];
    let shown = shown.into_iter().map(|(name, mut schema, values)| {
        illustrate(&mut schema, &values.iter().collect::<Vec<_>>());
        (name, schema)
    });
    shown.collect()
}

/// A row of one operation, and the sums over all.
fn sums() -> (Value, Value) {
    let counts = [
        ("calls", "How often it was called."),
        ("completed", "Calls that gave a result."),
        (
            "noRecord",
            "Calls whose answer was that there is no record.",
        ),
        ("failed", "Calls that failed otherwise."),
        ("billed", "Calls that were charged."),
    ];
    let count = |(name, about): (&str, &str)| {
        (
            name.to_owned(),
            json!({ "type": "integer", "minimum": 0, "description": about }),
        )
    };
    let mut sums: Map<String, Value> = counts.into_iter().map(count).collect();
    let amount =
        json!({ "type": "number", "minimum": 0, "description": "What was charged, in INR." });
    sums.insert("amount".to_owned(), amount);
    let names: Vec<String> = sums.keys().cloned().collect();
    let totals = json!({
        "type": "object", "description": "The sums over all operations.",
        "properties": sums, "required": names,
    });
    let mut row = totals.clone();
    row["description"] = json!("What was spent on one operation.");
    row["properties"]["endpoint"] =
        json!({ "type": "string", "description": "The operation or the bundle." });
    (row, totals)
}
