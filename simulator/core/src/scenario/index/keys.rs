//! What a condition can be found by, and which of a rule's conditions tells it best from others.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{FieldIndex, Operation, Spelling};
use svc_fixtures::json::Json;

use super::tables::scalar;
use crate::scenario::matching::{as_compared, fields};
use crate::scenario::{Condition, Predicate, as_subject};

/// The table that a text is looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TableKind {
    Whole,
    Scalar,
    LastPart,
    Query,
    Prefix,
    Suffix,
    PathSuffix,
    Substring,
    Expression,
}

impl TableKind {
    /// Whether one look finds it, whatever else is in the table.
    pub(super) fn is_hashed(self) -> bool {
        self <= TableKind::Query
    }
}

/// One text that finds a condition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LookupKey {
    /// The field of the operation.
    pub(crate) field: FieldIndex,
    pub(crate) kind: TableKind,
    pub(crate) text: Box<str>,
}

/// The texts that find a condition: whenever it holds, one of them is found, and what is found so
/// holds. None where there is no such text; then its rule is tried in turn.
pub(crate) fn keys(operation: &Operation, condition: &Condition) -> Option<Vec<LookupKey>> {
    let fields = fields(&condition.selector, operation);
    if fields.is_empty() {
        return None;
    }
    let mut keys = Vec::new();
    for field in fields {
        let compared = |text: &str| -> Box<str> { as_compared(operation, field, text).into() };
        let whole = |text: &str| -> Box<str> {
            let row = &operation.request[field];
            match condition.spelling(row) {
                Spelling::Sent | Spelling::Folded => compared(text),
                spelling => of_subject(&as_subject(spelling, text)).into(),
            }
        };
        let mut add = |kind, text: Box<str>| keys.push(LookupKey { field, kind, text });
        match &condition.predicate {
            Predicate::OneOf(values) => {
                for value in values {
                    match value {
                        Json::Text(text) => add(TableKind::Whole, whole(text)),
                        _ => add(TableKind::Scalar, scalar(value)?.into()),
                    }
                }
            }
            Predicate::Contains(part) => add(TableKind::Substring, not_empty(compared(part))?),
            Predicate::StartsWith(start) => add(TableKind::Prefix, compared(start)),
            Predicate::EndsWith(end) => add(TableKind::Suffix, compared(end)),
            Predicate::PathEnds(end) if end.rfind('/') == Some(0) => {
                add(TableKind::LastPart, end.as_str().into());
            }
            Predicate::PathEnds(end) => add(TableKind::PathSuffix, end.as_str().into()),
            Predicate::Query(pair) => add(TableKind::Query, pair.as_str().into()),
            Predicate::Matches(pattern) => add(TableKind::Expression, pattern.as_str().into()),
            Predicate::Number(_) | Predicate::Present(_) => return None,
        }
    }
    Some(keys)
}

/// What a subject is found by in the table of whole texts: no text that was sent is like it.
pub(super) fn of_subject(text: &str) -> String {
    format!("\0{text}")
}

/// What is in every text is found at each of its places: such a rule is better tried in turn.
fn not_empty(text: Box<str>) -> Option<Box<str>> {
    (!text.is_empty()).then_some(text)
}

/// How many rules each text finds.
#[derive(Debug, Default)]
pub(super) struct Uses(HashMap<LookupKey, u32, FixedState>);

/// So many rules under one text cost no more than one.
const FEW: u32 = 8;

impl Uses {
    pub(super) fn count(&mut self, operation: &Operation, condition: &Condition) {
        for key in keys(operation, condition).unwrap_or_default() {
            *self.0.entry(key).or_default() += 1;
        }
    }

    /// The condition a rule is filed under, by its place, and its keys. A thousand rules may share
    /// their first value and differ in the second: then they are found by the second.
    pub(super) fn best(
        &self,
        operation: &Operation,
        conditions: &[Condition],
    ) -> Option<(usize, Vec<LookupKey>)> {
        let keyed = conditions
            .iter()
            .enumerate()
            .filter_map(|(place, condition)| Some((place, keys(operation, condition)?)));
        keyed.min_by_key(|(_, keys)| {
            let uses = keys.iter().map(|key| self.0.get(key).copied().unwrap_or(0));
            let uses = uses.max().unwrap_or(0);
            let kind = keys.iter().map(|key| key.kind).max();
            (uses / FEW, kind, uses)
        })
    }
}
