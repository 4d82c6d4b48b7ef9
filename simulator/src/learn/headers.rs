//! Which headers of a call are played with it.

use crate::scenario::{MoreHeaders, names_a_secret};

/// The header that makes one call of several.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The headers that mean something to the service.
pub(super) const COUNTED: [&str; 4] = [
    "content-type",
    "content-encoding",
    IDEMPOTENCY_KEY,
    "x-reference-id",
];

/// How a value begins that a recorder has taken out.
const TAKEN_OUT: [&str; 2] = ["[redacted", "[not recorded"];

/// What else was sent: no secret, and nothing that a recorder put in the place of something.
pub(super) fn more_headers(sent: &[(String, String)]) -> MoreHeaders {
    let counts = |(name, value): &&(String, String)| {
        let out = TAKEN_OUT.iter().any(|begins| value.contains(begins));
        let own = name.starts_with("x-recorded-");
        !COUNTED.contains(&name.as_str()) && !names_a_secret(name) && !own && !out
    };
    MoreHeaders(sent.iter().filter(counts).cloned().collect())
}
