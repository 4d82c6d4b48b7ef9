//! Properties: what must hold of every request of a kind, generated from the contract's rows.
//!
//! ```text
//! rows → strategy → Script → sent to a service made for it → capture → judge → shrink → Failure
//! ```
//! A strategy makes scripts: the calls of one account, and what is known of their answers because of
//! how they were made. The judge adds what a model of the account foresees from the exchanges alone,
//! so that a saved capture judged again has the same verdicts. Properties are tried only on services that
//! are [`ServiceFactory`]: made for one try and thrown away. Nothing that talks to a host somewhere on the
//! net is: a law sends hundreds of calls, and shrinking repeats them.

mod counterexample;
mod definition;
mod history;
mod hostile;
mod model;
mod near;
mod oracle;
mod replay;
mod runner;
mod valid;

pub use counterexample::{Counterexample, render};
pub use definition::{Generator, Property, Script};
pub use replay::{ServiceFactory, judge_again, send_again};
pub use runner::{Effort, Trials, check_property};

/// Every law.
pub const PROPERTIES: &[Property] = &[
    Property {
        id: "property.valid",
        title: "A call that obeys the rows ends as its identifiers say",
        generator: Generator::PerOperation(valid::call),
        tries: 12,
    },
    Property {
        id: "property.near-valid",
        title: "A call that breaks a rule of one field or of two is refused with the ruled code",
        generator: Generator::PerOperation(near::call),
        tries: 24,
    },
    Property {
        id: "property.hostile",
        title: "A body that is no JSON object is invalid input, whatever else it is",
        generator: Generator::PerOperation(hostile::refused),
        tries: 16,
    },
    Property {
        id: "property.ignored",
        title: "What no field names changes nothing, however strange it is",
        generator: Generator::PerOperation(hostile::ignored),
        tries: 6,
    },
    Property {
        id: "property.histories",
        title: "Money, idempotency keys, flows, look-ups and usage follow the model of the account",
        generator: Generator::Histories(history::one_account),
        tries: 300,
    },
    Property {
        id: "property.same-bytes",
        title: "The same calls have the same answers, byte for byte, whoever calls in between",
        generator: Generator::Histories(history::two_accounts),
        tries: 80,
    },
];

/// The law of that name.
#[must_use]
pub fn property(id: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|property| property.id == id)
}
