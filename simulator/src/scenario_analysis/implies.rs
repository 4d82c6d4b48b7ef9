//! Whether one condition holds of every input that another one holds of. Says so only where it is
//! certain: of expressions it knows no more than that they are the same.

use svc_fixtures::contract::Operation;

use crate::scenario::set::{as_compared, compared_holds, fields, folds_at};
use crate::scenario::{Condition, NumberRange, Subject, Test, folded};

/// Whether `wanted` holds of every input of this operation that `known` holds of.
pub(super) fn implies(row: &Operation, known: &Condition, wanted: &Condition) -> bool {
    let of_known = fields(&known.on, row);
    if of_known.is_empty() {
        let folds = match &known.on {
            Subject::Inside { field, steps } => folds_at(row, field, steps),
            _ => false,
        };
        let compare = |text: &str| match folds {
            true => folded(text),
            false => text.to_owned(),
        };
        let is_asked = !matches!(known.on, Subject::Field(_) | Subject::AnyIdentifier);
        return is_asked
            && known.on == wanted.on
            && test_implies(&compare, &known.test, &wanted.test);
    }
    let of_wanted = fields(&wanted.on, row);
    let in_field = |&field: &usize| {
        let compare = |text: &str| as_compared(row, field, text).into_owned();
        of_wanted.contains(&field) && test_implies(&compare, &known.test, &wanted.test)
    };
    of_known.iter().all(in_field)
}

fn test_implies(compare: &dyn Fn(&str) -> String, known: &Test, wanted: &Test) -> bool {
    match (known, wanted) {
        (Test::OneOf(values), _) => {
            let mut values = values.iter();
            values.all(|value| compared_holds(wanted, compare, Some(value)))
        }
        (Test::Present(known), Test::Present(wanted)) => known == wanted,
        (_, Test::Present(wanted)) => *wanted,
        (
            Test::Contains(known) | Test::StartsWith(known) | Test::EndsWith(known),
            Test::Contains(wanted),
        ) => compare(known).contains(&compare(wanted)),
        (Test::PathEnds(known) | Test::Query(known), Test::Contains(wanted)) => {
            // Only a text that is compared as it was sent has its path as it stands there.
            let as_sent = compare(known) == *known && compare("a  a") == "a  a";
            as_sent && known.contains(wanted.as_str())
        }
        (Test::StartsWith(known), Test::StartsWith(wanted)) => {
            compare(known).starts_with(&compare(wanted))
        }
        (Test::EndsWith(known), Test::EndsWith(wanted)) => {
            compare(known).ends_with(&compare(wanted))
        }
        (Test::PathEnds(known), Test::PathEnds(wanted)) => known.ends_with(wanted.as_str()),
        (Test::Query(known), Test::Query(wanted)) => known == wanted,
        (Test::Matches(known), Test::Matches(wanted)) => known.as_str() == wanted.as_str(),
        (Test::Number(known), Test::Number(wanted)) => known.is_within(wanted),
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
