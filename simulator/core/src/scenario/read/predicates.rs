//! Reading one entry of `when`: a value, a list of values, or a table of tests.

use std::cell::RefCell;

use svc_fixtures::contract::{Contract, Field, Kind};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};
use svc_fixtures::sample;

use crate::scenario::expression::{self, ExpressionCompiler, ExpressionError};
use crate::scenario::range::{self, NumberRange};
use crate::scenario::{Condition, Predicate};

/// What a value can be, as far as tests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A text.
    Text,
    /// A text that says a number.
    NumberText,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// One or the other, or what nobody knows.
    Any,
}

/// The tests of texts.
pub(crate) const TEXT_PREDICATES: [&str; 6] = [
    "contains",
    "starts_with",
    "ends_with",
    "path_ends",
    "query",
    "matches",
];

/// The tests of numbers.
pub(crate) const NUMBER_PREDICATES: [&str; 4] = ["at_least", "at_most", "above", "below"];

impl Sort {
    /// What all of these are.
    pub(super) fn of<'c>(
        places: impl Iterator<Item = (&'c Field, &'c Kind)>,
        contract: &Contract,
    ) -> Self {
        let sort = |(field, kind): (&Field, &Kind)| Sort::of_one(field, kind, contract);
        let same = |a: Sort, b: Sort| match (a, b) {
            (a, b) if a == b => a,
            (Sort::Text | Sort::NumberText, Sort::Text | Sort::NumberText) => Sort::NumberText,
            _ => Sort::Any,
        };
        places.map(sort).reduce(same).unwrap_or(Sort::Any)
    }

    fn of_one(field: &Field, kind: &Kind, contract: &Contract) -> Self {
        match kind {
            Kind::Text { .. } => {
                let sample = sample::value(contract, field);
                let says_number = range::number(first(&sample)).is_some();
                if says_number {
                    Sort::NumberText
                } else {
                    Sort::Text
                }
            }
            Kind::Int { .. } | Kind::Num { .. } => Sort::Number,
            Kind::Bool => Sort::Bool,
            Kind::List { items, .. } => Sort::of_one(field, items, contract),
            Kind::Object { .. } => Sort::Any,
        }
    }

    /// What a mistake says it is; none where anything goes.
    fn said(self) -> Option<&'static str> {
        match self {
            Sort::Text | Sort::NumberText => Some("a string"),
            Sort::Number => Some("a number"),
            Sort::Bool => Some("true or false"),
            Sort::Any => None,
        }
    }

    /// Whether a value is of this sort.
    pub(super) fn takes(self, value: &Json<'_>) -> bool {
        match self {
            Sort::Text | Sort::NumberText => value.as_text().is_some(),
            Sort::Number => value.as_num().is_some(),
            Sort::Bool => value.as_bool().is_some(),
            Sort::Any => true,
        }
    }
}

fn first<'j, 'a>(value: &'j Json<'a>) -> &'j Json<'a> {
    value.as_list().and_then(<[_]>::first).unwrap_or(value)
}

/// What one entry of `when` asks.
pub(super) fn predicates(
    item: &Item<'_>,
    sort: Sort,
    compiler: &RefCell<ExpressionCompiler>,
) -> Vec<Predicate> {
    if item.is_list() {
        return vec![Predicate::OneOf(values(item, sort))];
    }
    let Some(table) = item.if_table() else {
        let value = value(item, sort).map(|value| Predicate::OneOf(vec![value]));
        return value.into_iter().collect();
    };
    let mut found = Vec::new();
    let one_of = table.optional("one_of");
    found.extend(one_of.map(|item| Predicate::OneOf(values(&item, sort))));
    text_predicates(&table, sort, compiler, &mut found);
    found.extend(number_range(&table, sort).map(Predicate::Number));
    found.extend(presence(&table));
    table.done();
    // A test with a mistake was reported already.
    if table.entries().is_empty() {
        table.problem(
            "no test is named here: use one_of, contains, starts_with, ends_with, path_ends, query, \
             matches, at_least, at_most, above, below, present or absent",
        );
    }
    found
}

fn value(item: &Item<'_>, sort: Sort) -> Option<Json<'static>> {
    let json = item.json_or_problem()?;
    if let Some(said) = sort.said().filter(|_| !sort.takes(&json)) {
        item.problem(format!("this field is {said}, and this is {}", json.kind()));
    }
    Some(json)
}

fn values(item: &Item<'_>, sort: Sort) -> Vec<Json<'static>> {
    let items = item.list().unwrap_or_default();
    if items.is_empty() {
        item.problem("a list without values never holds");
    }
    items.iter().filter_map(|item| value(item, sort)).collect()
}

fn text_predicates(
    table: &Table<'_>,
    sort: Sort,
    compiler: &RefCell<ExpressionCompiler>,
    found: &mut Vec<Predicate>,
) {
    for name in TEXT_PREDICATES {
        let Some(item) = table.optional(name) else {
            continue;
        };
        if let Some(said) = sort
            .said()
            .filter(|_| matches!(sort, Sort::Number | Sort::Bool))
        {
            item.problem(format!(
                "`{name}` is a test of texts, and this field is {said}"
            ));
        }
        let Some(text) = item.text() else { continue };
        let own = || text.to_owned();
        found.extend(match name {
            "contains" => Some(Predicate::Contains(own())),
            "starts_with" => Some(Predicate::StartsWith(own())),
            "ends_with" => Some(Predicate::EndsWith(own())),
            "path_ends" => Some(Predicate::PathEnds(own())),
            "query" => Some(Predicate::Query(own())),
            _ => expression(&item, text, compiler),
        });
    }
}

/// None where there is none, which is a problem; that there are too many is one problem, not one of each.
fn expression(
    item: &Item<'_>,
    text: &str,
    compiler: &RefCell<ExpressionCompiler>,
) -> Option<Predicate> {
    match compiler.borrow_mut().compile(text) {
        Ok(expression) => return Some(Predicate::Matches(expression)),
        Err(ExpressionError::Mistake(mistake)) => {
            item.problem(format!("this is no regular expression: {mistake}"));
        }
        Err(ExpressionError::TooLarge) => item.problem_with_hint(
            format!(
                "this regular expression takes over {} MiB when it is compiled",
                expression::MAX_BYTES >> 20
            ),
            SMALLER,
        ),
        Err(ExpressionError::TooMany { is_first: true }) => item.problem_with_hint(
            format!(
                "the regular expressions of all rules up to this one take over {} MiB when they are compiled",
                expression::MAX_TOTAL_BYTES >> 20
            ),
            SMALLER,
        ),
        Err(ExpressionError::TooMany { is_first: false }) => {}
    }
    None
}

/// What makes an expression smaller.
const SMALLER: &str = "repeat less, and name the characters: `[A-Za-z0-9_]` takes a hundredth of `\\w`, \
                       `[0-9]` of `\\d`";

fn number_range(table: &Table<'_>, sort: Sort) -> Option<NumberRange> {
    let bounds = NUMBER_PREDICATES.map(|name| table.optional(name));
    let first = bounds.iter().flatten().next()?;
    if matches!(sort, Sort::Text | Sort::Bool) {
        let said = sort.said().unwrap_or_default();
        first.problem(format!(
            "a range is a test of numbers, and this field is {said}"
        ));
    }
    let [at_least, at_most, above, below] = bounds.map(|bound| bound.and_then(|item| item.num()));
    Some(NumberRange {
        at_least,
        at_most,
        above,
        below,
    })
}

fn presence(table: &Table<'_>) -> Option<Predicate> {
    let present = table.optional("present").and_then(|item| item.bool());
    let absent = table.optional("absent");
    match (present, absent) {
        (Some(present), Some(absent)) => {
            let said = absent.bool()?;
            absent.problem(match present == said {
                true => "`present` and `absent` contradict each other: leave out the one that is not meant",
                false => "`present` and `absent` say the same: one of them is enough",
            });
            None
        }
        (Some(present), None) => Some(Predicate::Present(present)),
        (None, absent) => Some(Predicate::Present(!absent?.bool()?)),
    }
}

/// Whether `{case}` stands in a text that is replaced.
pub(super) fn names_case(condition: &Condition) -> bool {
    let named = |text: &str| text.contains("{case}");
    match &condition.predicate {
        Predicate::OneOf(values) => values.iter().filter_map(Json::as_text).any(named),
        Predicate::Contains(text)
        | Predicate::StartsWith(text)
        | Predicate::EndsWith(text)
        | Predicate::PathEnds(text)
        | Predicate::Query(text) => named(text),
        Predicate::Matches(_) | Predicate::Number(_) | Predicate::Present(_) => false,
    }
}

/// A condition with `{case}` in its texts replaced.
pub(super) fn for_case(condition: &Condition, case: Option<&str>) -> Condition {
    let Some(case) = case else {
        return condition.clone();
    };
    let put = |text: &str| text.replace("{case}", case);
    let value = |value: &Json<'static>| match value.as_text() {
        Some(text) => Json::from(put(text)),
        None => value.clone(),
    };
    let predicate = match &condition.predicate {
        Predicate::OneOf(values) => Predicate::OneOf(values.iter().map(value).collect()),
        Predicate::Contains(text) => Predicate::Contains(put(text)),
        Predicate::StartsWith(text) => Predicate::StartsWith(put(text)),
        Predicate::EndsWith(text) => Predicate::EndsWith(put(text)),
        Predicate::PathEnds(text) => Predicate::PathEnds(put(text)),
        Predicate::Query(text) => Predicate::Query(put(text)),
        other @ (Predicate::Matches(_) | Predicate::Number(_) | Predicate::Present(_)) => {
            other.clone()
        }
    };
    Condition {
        selector: condition.selector.clone(),
        predicate,
    }
}
