//! What a rule says of an answer: how the call ends, and what differs from the answer that the simulator gives anyway.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::leaves::leaves;
use super::leaves::same;
use super::traffic::{Came, Enveloped, TrafficCall};
use crate::scenario::WireFault;

/// What one call comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearnedOutcome {
    /// How it ends.
    pub ends: LearnedEnd,
    /// Between which times the answer was held back, in milliseconds, where that was no documented latency.
    pub delay_ms: Option<(u64, u64)>,
    /// `meta.provider`, where the simulator would not say so.
    pub provider: Option<String>,
    /// What goes wrong on the wire.
    pub wire: Option<WireFault>,
}

/// How a call ends.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LearnedEnd {
    /// With a result, which differs so from the simulator's own.
    Success(Changes),
    /// With an error.
    Error {
        /// Its code.
        code: ErrorCode,
        /// Its message, where it is not the simulator's own.
        message: Option<String>,
    },
    /// With nothing yet.
    Pending {
        /// When the result comes, where that is not when the operation's usually does.
        after_ms: Option<u64>,
        /// The result.
        finally: Box<LearnedOutcome>,
    },
}

/// What differs in an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changes {
    /// By path.
    pub edits: BTreeMap<String, LearnedEdit>,
    /// Whether the answer loses its form by it.
    pub breaks_contract: bool,
}

/// What is done at one place of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LearnedEdit {
    /// This stands there.
    Put(Json<'static>),
    /// Nothing stands there.
    Remove,
    /// `null` stands there.
    Null,
}

/// Half a second more than a quarter over what is documented is no latency any more.
const LATE_MS: u64 = 500;

impl LearnedOutcome {
    /// An outcome of which nothing else is said.
    #[must_use]
    pub(super) fn plain(ends: LearnedEnd) -> Self {
        LearnedOutcome {
            ends,
            delay_ms: None,
            provider: None,
            wire: None,
        }
    }

    /// What the service did with a call; none where no rule says such a thing.
    #[must_use]
    pub(super) fn of(row: &Operation, call: &TrafficCall) -> Option<LearnedOutcome> {
        let outcome = match &call.came {
            // What it came to the answer given again says, where there is one.
            Came::Fault(fault) => {
                let told = call.result.as_ref();
                let told = told.and_then(|result| ended(row, result, call));
                let success = || LearnedOutcome::plain(LearnedEnd::Success(Changes::default()));
                LearnedOutcome {
                    wire: Some(*fault),
                    ..told.unwrap_or_else(success)
                }
            }
            Came::Answer(answer) => LearnedOutcome {
                delay_ms: late(row, call, answer),
                ..ended(row, answer, call)?
            },
        };
        Some(outcome)
    }

    /// What is changed of the answer that says most.
    #[must_use]
    pub(super) fn changes(&self) -> Option<&Changes> {
        match &self.ends {
            LearnedEnd::Success(changes) => Some(changes),
            LearnedEnd::Pending { finally, .. } => finally.changes(),
            LearnedEnd::Error { .. } => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn changes_mut(&mut self) -> Option<&mut Changes> {
        match &mut self.ends {
            LearnedEnd::Success(changes) => Some(changes),
            LearnedEnd::Pending { finally, .. } => finally.changes_mut(),
            LearnedEnd::Error { .. } => None,
        }
    }

    /// Notes what an error says.
    pub(super) fn set_message(&mut self, text: &str) {
        match &mut self.ends {
            LearnedEnd::Error { message, .. } => *message = Some(text.to_owned()),
            LearnedEnd::Pending { finally, .. } => finally.set_message(text),
            LearnedEnd::Success(_) => {}
        }
    }

    /// Whether it says to come again.
    #[must_use]
    pub(super) fn is_limit(&self) -> bool {
        let of = |end: &LearnedEnd| matches!(end, LearnedEnd::Error { code, .. } if *code == ErrorCode::RateLimited);
        of(&self.ends)
    }

    /// Whether it is a success of which nothing is said.
    #[must_use]
    pub(super) fn is_plain(&self) -> bool {
        *self == LearnedOutcome::plain(LearnedEnd::Success(Changes::default()))
    }

    /// Whether both are the same but for how long their answers are held back.
    #[must_use]
    pub(super) fn is_like(&self, other: &LearnedOutcome) -> bool {
        let LearnedOutcome {
            ends,
            delay_ms,
            provider,
            wire,
        } = self;
        delay_ms.is_some() == other.delay_ms.is_some()
            && *wire == other.wire
            && *provider == other.provider
            && *ends == other.ends
    }

    /// A text that is the same of those that are like each other, and of no others.
    #[must_use]
    pub(super) fn likeness(&self) -> String {
        let LearnedOutcome {
            ends,
            delay_ms,
            provider,
            wire,
        } = self;
        format!("{ends:?} {} {provider:?} {wire:?}", delay_ms.is_some())
    }

    /// Holds answers back as long as either.
    pub(super) fn widen(&mut self, other: &LearnedOutcome) {
        if let (Some((from, to)), Some((other_from, other_to))) = (self.delay_ms, other.delay_ms) {
            self.delay_ms = Some((from.min(other_from), to.max(other_to)));
        }
    }
}

fn ended(row: &Operation, answer: &Enveloped, call: &TrafficCall) -> Option<LearnedOutcome> {
    if answer.text("status") == "pending" {
        let pending = row.pending.as_ref()?;
        let finally = match &call.result {
            Some(result) => ended(row, result, call)?,
            None => LearnedOutcome::plain(LearnedEnd::Success(Changes::default())),
        };
        // What always comes later is said of its result.
        // When a person consents is up to them.
        let after_ms = call
            .after_ms
            .filter(|after| pending.by_consent.is_none() && is_unusual(*after, pending.after_ms));
        if pending.always && after_ms.is_none() && pending.by_consent.is_none() {
            return Some(finally);
        }
        return Some(LearnedOutcome::plain(LearnedEnd::Pending {
            after_ms,
            finally: Box::new(finally),
        }));
    }
    let ends = match answer.code() {
        None => LearnedEnd::Success(Changes::default()),
        Some(code) => {
            let code = ErrorCode::parse(code)?;
            let about_input =
                matches!(code, ErrorCode::InvalidInput | ErrorCode::InvalidIdentifier);
            let may_be_said = about_input || code == ErrorCode::RateLimited;
            if !may_be_said && !super::refusals::is_executed(code.as_str()) {
                return None;
            }
            LearnedEnd::Error {
                code,
                message: None,
            }
        }
    };
    Some(LearnedOutcome::plain(ends))
}

/// Whether a time is clearly another one than the usual: webhooks are measured in whole seconds.
fn is_unusual(measured_ms: u64, usual_ms: u64) -> bool {
    measured_ms.abs_diff(usual_ms) > (usual_ms / 5).max(2000)
}

/// How long the answer took, in tenths of a second, where that is over what is documented.
fn late(row: &Operation, call: &TrafficCall, answer: &Enveloped) -> Option<(u64, u64)> {
    let documented = row.latency_of(call.environment, answer.text("status") == "pending");
    let most = u64::from(documented.max_ms.max(row.latency.max_ms));
    let is_late = call.took_ms > most + most / 4 + LATE_MS;
    let tenths = call.took_ms / 100 * 100;
    is_late.then_some((tenths, tenths))
}

/// Makes of one value the other: the changes that do it.
pub(super) fn differ(
    recorded: &Json<'static>,
    simulated: &Json<'static>,
    path: &str,
    edits: &mut BTreeMap<String, LearnedEdit>,
) {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        }
    };
    match (recorded, simulated) {
        (Json::Object(there), Json::Object(own)) => {
            for (name, value) in there {
                match simulated.get(name) {
                    Some(own) => differ(value, own, &below(name), edits),
                    None => put(value, below(name), edits),
                }
            }
            for (name, _) in own.iter().filter(|(name, _)| recorded.get(name).is_none()) {
                edits.insert(below(name), LearnedEdit::Remove);
            }
        }
        (Json::List(there), Json::List(own)) if there.len() == own.len() => {
            let mut inside = BTreeMap::new();
            for (at, (value, own)) in there.iter().zip(own).enumerate() {
                differ(value, own, &format!("{path}[{at}]"), &mut inside);
            }
            // Where most of it differs people write it anew.
            let all: usize = there.iter().map(|item| leaves(item).len()).sum();
            match inside.len() * 2 > all.max(3) {
                true => put(recorded, path.to_owned(), edits),
                false => edits.extend(inside),
            }
        }
        _ if same(recorded, simulated) => {}
        _ => put(recorded, path.to_owned(), edits),
    }
}

/// A value as a rule puts it somewhere, without what is null in it.
#[must_use]
pub(super) fn without_nulls(value: &Json<'static>) -> Json<'static> {
    let mut value = value.clone();
    nulls(&mut value, "", &mut BTreeMap::new());
    value
}

/// TOML has no `null`: what is null in a value is said beside it.
fn put(value: &Json<'static>, path: String, edits: &mut BTreeMap<String, LearnedEdit>) {
    if *value == Json::Null {
        edits.insert(path, LearnedEdit::Null);
        return;
    }
    let mut value = value.clone();
    nulls(&mut value, &path, edits);
    edits.insert(path, LearnedEdit::Put(value));
}

fn nulls(value: &mut Json<'static>, path: &str, edits: &mut BTreeMap<String, LearnedEdit>) {
    match value {
        Json::Object(members) => {
            members.retain(|(name, value)| {
                let is_null = *value == Json::Null;
                if is_null {
                    edits.insert(format!("{path}.{name}"), LearnedEdit::Null);
                }
                !is_null
            });
            members
                .iter_mut()
                .for_each(|(name, value)| nulls(value, &format!("{path}.{name}"), edits));
        }
        Json::List(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                let path = format!("{path}[{at}]");
                if *item == Json::Null {
                    // Something keeps its place, and becomes null.
                    *item = Json::from("");
                    edits.insert(path, LearnedEdit::Null);
                } else {
                    nulls(item, &path, edits);
                }
            }
        }
        _ => {}
    }
}
