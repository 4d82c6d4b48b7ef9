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
mod law;
mod life;
mod model;
mod near;
mod replay;
mod runner;
mod valid;

pub use failure::{Failure, told};
pub use law::{Law, Over, Script};
pub use replay::{Disposable, judge_again, send_again};
pub use runner::{Effort, Tried, try_law};

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
