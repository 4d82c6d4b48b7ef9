//! A rule to be written, and an input as people write it.

use std::collections::BTreeSet;

use svc_fixtures::json::Json;

use super::inputs::{SeenInput, compact};
use super::outcome::LearnedOutcome;
use super::traffic::Provenance;

/// What must hold of a call: fields, each with its test.
pub(super) type FieldTests = Vec<(String, Test)>;

/// A rule to be written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearnedRule {
    /// Its name.
    pub name: String,
    /// The operation, or the beginning of several.
    pub operation: String,
    /// What must hold.
    pub when: FieldTests,
    /// Whether it is for inputs that no other rule names.
    pub otherwise: bool,
    /// What happens, call by call.
    pub then: Vec<LearnedOutcome>,
    /// Whether that begins again.
    pub start_over: bool,
    /// The exchanges that say so.
    pub origins: BTreeSet<Provenance>,
}

/// What a field must be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// This.
    Is(Json<'static>),
    /// One of these.
    OneOf(Vec<Json<'static>>),
    /// A text that begins so.
    StartsWith(String),
    /// A text that ends so.
    EndsWith(String),
    /// It was not sent.
    Absent,
    /// It was sent.
    Present,
}

/// An input with what it comes to, as people write it.
pub(super) struct Said<'i> {
    pub(super) input: &'i SeenInput,
    pub(super) then: Vec<LearnedOutcome>,
    pub(super) start_over: bool,
}

impl<'i> Said<'i> {
    pub(super) fn of(input: &'i SeenInput) -> Self {
        let (mut then, start_over) = compact(&input.steps);
        // What broke once and was heard when it was asked for again is not broken for good.
        if let Some(last) = then.last().filter(|it| it.wire.is_some() && input.is_heard) {
            let heard = LearnedOutcome {
                wire: None,
                ..last.clone()
            };
            then.push(heard);
        }
        // What nothing is said of, and ends so anyway, needs no rule.
        let ends_so = input.ends_alike && !input.is_decided;
        if ends_so && then.iter().all(LearnedOutcome::is_plain) {
            then.clear();
        }
        Said {
            input,
            then,
            start_over,
        }
    }
}
