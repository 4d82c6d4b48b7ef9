//! What to send and what must hold, as data: cases of steps. Made by the checks from the contract's
//! rows; sends nothing and judges nothing.

mod case;
pub mod expect;
pub mod inputs;
mod known;
pub mod law;
pub mod lead;
pub mod learn;
pub mod place;
pub mod predicate;
mod request;
pub mod samples;
pub mod setting;
pub mod webhook;

pub use case::{Access, Case, Step};
pub use expect::{Ending, Expectation, Rule, UsageFigures, UsageRow};
pub(crate) use known::{clause_ids, known};
pub use place::Place;
pub use predicate::{EarlierValue, JsonType, Pattern, Predicate};
pub use request::{CarriedPart, Carry, Payload, RequestTemplate, USAGE, VERIFICATIONS};
pub use setting::Setting;
pub(crate) use setting::{of_path, of_try};
pub use webhook::WebhookRule;
