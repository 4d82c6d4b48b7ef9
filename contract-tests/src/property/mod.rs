//! Laws: what must hold of every request one can think of, made from the contract's rows.
//!
//! ```text
//! rows → strategy → Script → sent to a service made for it → capture → judge → shrink → Failure
//! ```
//! A strategy makes scripts: the calls of one account, and what is known of their answers because of
//! how they were made. The judge adds what a model of the account foresees from the exchanges alone,
//! so that a saved capture judged again has the same verdicts. Laws are tried only on services that
//! are [`Disposable`]: made for one try and thrown away. Nothing that talks to a host somewhere on the
//! net is: a law sends hundreds of calls, and shrinking repeats them.

mod curl;
mod failure;
mod foresee;
mod hostile;
mod life;
mod model;
mod near;
mod replay;
mod runner;
mod valid;
mod values;

use proptest::strategy::BoxedStrategy;
use svc_fixtures::contract::Operation;

use crate::plan::{Case, Setting};

pub use failure::{Failure, told};
pub use replay::{judge_again, send_again};
pub use runner::{Disposable, Effort, Tried, try_law};

/// What a law sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The calls of one account.
    pub case: Case,
    /// Calls of another account. Where there are such, the script is played twice: once alone, and
    /// once with each of these before one of its own. Nothing of its answers may differ.
    pub beside: Option<Case>,
}

impl Script {
    fn new(case: Case) -> Self {
        Script { case, beside: None }
    }
}

/// A statement about all requests of some kind.
#[derive(Debug, Clone, Copy)]
pub struct Law {
    /// Its name.
    pub id: &'static str,
    /// What it says, for people.
    pub title: &'static str,
    /// What it is tried with.
    pub over: Over,
    /// How many scripts are tried where nobody asks for more, for each operation or in all.
    pub tries: u32,
}

/// What a law is tried with.
#[derive(Debug, Clone, Copy)]
pub enum Over {
    /// Calls of each operation.
    EachOperation(fn(&Setting<'_>, &Operation) -> BoxedStrategy<Script>),
    /// Lives of an account.
    Lives(fn(&Setting<'_>) -> BoxedStrategy<Script>),
}

/// Every law.
pub const LAWS: &[Law] = &[
    Law {
        id: "property.valid",
        title: "A call that obeys the rows ends as its identifiers say",
        over: Over::EachOperation(valid::call),
        tries: 12,
    },
    Law {
        id: "property.near-valid",
        title: "A call that breaks a rule of one field or of two is refused with the ruled code",
        over: Over::EachOperation(near::call),
        tries: 24,
    },
    Law {
        id: "property.hostile",
        title: "A body that is no JSON object is invalid input, whatever else it is",
        over: Over::EachOperation(hostile::refused),
        tries: 16,
    },
    Law {
        id: "property.ignored",
        title: "What no field names changes nothing, however strange it is",
        over: Over::EachOperation(hostile::ignored),
        tries: 6,
    },
    Law {
        id: "property.lives",
        title: "Money, idempotency keys, flows, look-ups and usage follow the model of the account",
        over: Over::Lives(life::alone),
        tries: 300,
    },
    Law {
        id: "property.same-bytes",
        title: "The same calls have the same answers, byte for byte, whoever calls in between",
        over: Over::Lives(life::beside),
        tries: 80,
    },
];

/// The law of that name.
#[must_use]
pub fn law(id: &str) -> Option<&'static Law> {
    LAWS.iter().find(|law| law.id == id)
}
