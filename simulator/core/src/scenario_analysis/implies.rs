//! Whether one condition holds of every input that another one holds of. Says so only where it is
//! certain: of expressions it knows no more than that they are the same.

use svc_fixtures::contract::{FieldIndex, Operation, Spelling};

use crate::scenario::matching::{compared_holds, fields, folds_at};
use crate::scenario::{Condition, NumberRange, Predicate, Selector, as_subject, folded};

/// Whether `wanted` holds of every input of this operation that `known` holds of.
pub(super) fn implies(row: &Operation, known: &Condition, wanted: &Condition) -> bool {
    let of_known = fields(&known.selector, row);
    if of_known.is_empty() {
        let folds = match &known.selector {
            Selector::Inside { field, steps } => folds_at(row, field, steps),
            _ => false,
        };
        let compare = |text: &str| match folds {
            true => folded(text),
            false => text.to_owned(),
        };
        let is_asked = !matches!(known.selector, Selector::Field(_) | Selector::AnyIdentifier);
        return is_asked
            && known.selector == wanted.selector
            && predicate_implies(&compare, &known.predicate, &wanted.predicate);
    }
    let of_wanted = fields(&wanted.selector, row);
    let in_field = |&field: &FieldIndex| {
        let (from, to) = (
            known.spelling(&row.request[field]),
            wanted.spelling(&row.request[field]),
        );
        let compare = |text: &str| as_subject(to, text).into_owned();
        // Who is asked for has other spellings than the one that is named.
        of_wanted.contains(&field)
            && (from == to || from == Spelling::Sent)
            && predicate_implies(&compare, &known.predicate, &wanted.predicate)
    };
    of_known.iter().all(in_field)
}

fn predicate_implies(
    compare: &dyn Fn(&str) -> String,
    known: &Predicate,
    wanted: &Predicate,
) -> bool {
    match (known, wanted) {
        (Predicate::OneOf(values), _) => {
            let mut values = values.iter();
            values.all(|value| compared_holds(wanted, compare, Some(value)))
        }
        (Predicate::Present(known), Predicate::Present(wanted)) => known == wanted,
        (_, Predicate::Present(wanted)) => *wanted,
        (
            Predicate::Contains(known) | Predicate::StartsWith(known) | Predicate::EndsWith(known),
            Predicate::Contains(wanted),
        ) => compare(known).contains(&compare(wanted)),
        (Predicate::PathEnds(known) | Predicate::Query(known), Predicate::Contains(wanted)) => {
            // Only a text that is compared as it was sent has its path as it stands there.
            let as_sent = compare(known) == *known && compare("a  a") == "a  a";
            as_sent && known.contains(wanted.as_str())
        }
        (Predicate::StartsWith(known), Predicate::StartsWith(wanted)) => {
            compare(known).starts_with(&compare(wanted))
        }
        (Predicate::EndsWith(known), Predicate::EndsWith(wanted)) => {
            compare(known).ends_with(&compare(wanted))
        }
        (Predicate::PathEnds(known), Predicate::PathEnds(wanted)) => {
            known.ends_with(wanted.as_str())
        }
        (Predicate::Query(known), Predicate::Query(wanted)) => known == wanted,
        (Predicate::Matches(known), Predicate::Matches(wanted)) => {
            known.as_str() == wanted.as_str()
        }
        (Predicate::Number(known), Predicate::Number(wanted)) => known.is_within(wanted),
        _ => false,
    }
}

impl NumberRange {
    /// Whether every number of this range is one of the other, too.
    fn is_within(&self, other: &NumberRange) -> bool {
        let low = |least: f64, above: f64| {
            self.at_least.is_some_and(|it| it >= least) || self.above.is_some_and(|it| it >= above)
        };
        let high = |most: f64, below: f64| {
            self.at_most.is_some_and(|it| it <= most) || self.below.is_some_and(|it| it <= below)
        };
        // Over a bound is what is over it, or begins over it.
        let over = |bound: f64| low(bound.next_up(), bound);
        let under = |bound: f64| high(bound.next_down(), bound);
        other.at_least.is_none_or(|bound| low(bound, bound))
            && other.at_most.is_none_or(|bound| high(bound, bound))
            && other.above.is_none_or(over)
            && other.below.is_none_or(under)
    }
}
