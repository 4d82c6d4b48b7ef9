//! What a scenario file is beside its rules: the calls it expects, its layout, and its JSON Schema. No
//! call runs any of it.

mod expectations;
mod expected_answer;
mod expected_later;
mod layout;
mod schema;

pub use expectations::{Expectation, read_expectations};
pub use expected_answer::{Expected, OnTheWire};
pub use expected_later::{DeliveryEnd, ExpectedLater, ExpectedWebhook};
pub use layout::format_toml;
pub use schema::{accounts_schema, reference, schema};
