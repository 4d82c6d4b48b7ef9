//! What to send and what must hold, as data: cases of steps. Made by the checks from the contract's
//! rows; sends nothing and judges nothing.

mod ask;
mod case;
pub mod expect;
pub mod inputs;
pub mod lead;
pub mod place;
pub mod setting;
pub mod value;

pub use ask::{Ask, Carry, Credential, Payload, VERIFICATIONS};
pub use case::{Case, Step};
pub use expect::{Ending, Expectation, Rule, UsageFigures, UsageRow};
pub use place::Place;
pub use setting::Setting;
pub use value::{Earlier, JsonType, Pattern, Test};
