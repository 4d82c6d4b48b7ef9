//! Why a call got its outcome, as the call log says it.

use std::sync::Arc;

use super::set::{Choice, ScenarioSet};
use serde::{Deserialize, Serialize};

impl Choice {
    /// Why, for the call log. `subject` is whom the answer speaks of, as it was asked for.
    #[must_use]
    pub fn because(&self, scenarios: &ScenarioSet, subject: &str) -> Because {
        match self {
            Choice::Sentinel { field, .. } => Because::Sentinel(field.clone()),
            Choice::Scenario(number) => {
                Because::Scenario(Arc::clone(&scenarios.get(*number).because))
            }
            Choice::NoMatch => match scenarios.people.asked_for_by(subject) {
                Some(profile) => Because::Declared(Arc::clone(&profile.because)),
                None => Because::NoMatch,
            },
        }
    }
}

/// Why a call got its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Because {
    /// This identifying field contains a text that forces an error.
    Sentinel(String),
    /// The scenario of this name and place.
    Scenario(Arc<str>),
    /// No scenario names the input; the answer speaks of somebody who is declared, of this name and at
    /// this place.
    Declared(Arc<str>),
    /// No scenario names the input.
    NoMatch,
    /// The call was refused before its operation ran.
    Refused,
    /// It is a bundle: each of its steps has a reason of its own.
    Bundle,
    /// The account itself was asked, not an operation.
    Account,
}

impl std::fmt::Display for Because {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Because::Sentinel(field) => write!(out, "{field} contains the sentinel"),
            Because::Scenario(text) => out.write_str(text),
            Because::Declared(text) => {
                write!(out, "no scenario names this input; it is about {text}")
            }
            Because::NoMatch => out.write_str("no scenario names this input"),
            Because::Bundle => out.write_str("each step has a reason of its own"),
            Because::Account => out.write_str("answered from the account's books"),
            Because::Refused => out.write_str("refused before the operation ran"),
        }
    }
}
