//! What people do with the console.

mod accounts;
mod beginnings;
mod calls;
mod guests;
mod live;
mod rules;
mod webhooks;

use serde_json::{Value, json};

use super::Test;

/// All of them.
pub(super) fn all() -> Vec<Test> {
    [
        live::TESTS,
        beginnings::TESTS,
        calls::TESTS,
        webhooks::TESTS,
        accounts::TESTS,
        rules::TESTS,
        guests::TESTS,
    ]
    .concat()
}

/// An operation that needs little.
const PAN: &str = "/v1/verify/identity/pan";
/// One whose result may come later.
const UAN: &str = "/v1/verify/employment/uan";

/// Whose card is good.
fn asha() -> Value {
    json!({ "pan": "AAAAA0000A", "name": "Asha Rao" })
}

/// Its result comes 25 seconds later.
fn slow() -> Value {
    json!({ "uan": "100000000202" })
}
