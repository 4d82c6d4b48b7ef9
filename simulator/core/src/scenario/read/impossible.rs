//! Conditions that no call can meet that gets so far: each is a mistake, and reported where it stands.

use svc_fixtures::contract::{Environment, Field, Kind, Operation, Presence, Rule as FormatRule};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Item;

use super::fitting::TextDemand;
use super::predicates::Sort;
use super::when::When;
use crate::scenario::range::NumberRange;
use crate::scenario::{Condition, Predicate, Scenario, Selector, is_key_name};

impl When<'_> {
    /// Reports what no account is called: a key in the place of its account, above all.
    pub(super) fn report_no_account(&self, predicate: &Predicate, item: &Item<'_>) {
        let Predicate::OneOf(values) = predicate else {
            return;
        };
        for text in values.iter().filter_map(Json::as_text) {
            if self.has_cases && text.contains("{case}") {
                continue;
            }
            let mut environments = Environment::ALL.into_iter();
            let of_key = environments.find_map(|it| text.strip_prefix(it.key_prefix()));
            match of_key {
                Some(account) => item.problem_with_hint(
                    "this never holds: it is a key, and rules ask for the account that calls",
                    format!("write \"{account}\": an account is called what its key has behind the prefix"),
                ),
                None if !is_key_name(text) => item.problem_with_hint(
                    format!("this never holds: no account is called {text:?}"),
                    "an account's name has letters, digits, `-`, `_` and `.`, as `local_worker7`",
                ),
                None => {}
            }
        }
    }

    /// Reports a predicate that no call can meet that gets so far.
    pub(super) fn report_impossible(
        &self,
        selector: &Selector,
        predicate: &Predicate,
        sort: Sort,
        item: &Item<'_>,
    ) {
        if matches!(predicate, Predicate::Number(range) if range.is_empty()) {
            item.problem("this never holds: no number is in this range");
            return;
        }
        if matches!(predicate, Predicate::Query(text) if text.starts_with('?')) {
            item.problem_with_hint(
                "the query of a URL begins behind its `?`",
                "leave the `?` out",
            );
            return;
        }
        self.report_sentinel(selector, predicate, item);
        let Selector::Field(name) = selector else {
            return;
        };
        let fields: Vec<&Field> = self.places(selector).map(|(field, _)| field).collect();
        if fields.is_empty() {
            return;
        }
        match predicate {
            Predicate::Present(false)
                if fields
                    .iter()
                    .all(|field| field.presence != Presence::Optional) =>
            {
                let required = fields.iter().any(|it| it.presence == Presence::Required);
                item.problem(match required {
                    true => format!("this never holds: `{name}` must be sent"),
                    false => {
                        format!("this never holds: `{name}` has a default and is always there")
                    }
                });
            }
            Predicate::OneOf(values) => {
                // A value of the wrong type was reported already.
                for value in values.iter().filter(|value| sort.takes(value)) {
                    self.report_refused(name, value, item);
                }
            }
            Predicate::Number(range) => self.report_outside(name, range, &fields, item),
            predicate => self.report_unfitting(name, predicate, &fields, item),
        }
    }

    /// Reports the tests of one field where no value that is listed meets the others.
    pub(super) fn report_disagreeing(&self, tests: &[Condition], item: &Item<'_>) {
        let listed = tests
            .iter()
            .find_map(|it| match (&it.selector, &it.predicate) {
                (Selector::Field(name), Predicate::OneOf(values)) => Some((name, values)),
                _ => None,
            });
        let Some((name, values)) = listed.filter(|_| tests.len() > 1 && !self.has_cases) else {
            return;
        };
        // Of a list, one item may meet this test and another that.
        let mut rows = self
            .rows()
            .filter(|row| row.field(name).is_some())
            .peekable();
        let meets = |row: &Operation, value: &Json<'static>| {
            let mut tests = tests.iter();
            tests.all(|test| Scenario::allows(test, row, name, Some(value)))
        };
        let can_be = |row: &Operation| {
            !self.has_one(row, name) || values.iter().any(|value| meets(row, value))
        };
        if rows.peek().is_some() && !rows.any(can_be) {
            item.problem("this never holds: no value that is listed meets the other tests");
        }
    }

    /// Reports somebody whom a call asks for by one field, and by that field for another.
    pub(super) fn report_another(&self, conditions: &[Condition], who: &Item<'_>) {
        let is_who = |it: &&Condition| it.selector == Selector::AnyIdentifier;
        let Some(person) = conditions.iter().find(is_who) else {
            return;
        };
        let is_another = |row: &Operation| {
            let mut identifiers = row.identifiers();
            let (Some((_, only)), None) = (identifiers.next(), identifiers.next()) else {
                return false;
            };
            let mut tests = conditions.iter();
            self.has_one(row, &only.name)
                && tests.any(|test| match (&test.selector, &test.predicate) {
                    (Selector::Field(name), Predicate::OneOf(values)) if *name == only.name => {
                        let mut values = values.iter();
                        !values.any(|it| Scenario::allows(person, row, name, Some(it)))
                    }
                    _ => false,
                })
        };
        let mut rows = self.rows().peekable();
        if rows.peek().is_some() && rows.all(is_another) && !self.has_cases {
            who.problem_with_hint(
                "this never holds: the call asks for somebody else",
                "leave out `who`, or the field that names another",
            );
        }
    }

    /// Whether an operation has such a field, and in it one value.
    fn has_one(&self, row: &Operation, name: &str) -> bool {
        let field = row.field(name).map(|at| &row.request[at]);
        field.is_some_and(|field| !matches!(field.kind, Kind::List { .. }))
    }

    /// Reports a range in which there is no number that the field may have.
    fn report_outside(&self, name: &str, range: &NumberRange, fields: &[&Field], item: &Item<'_>) {
        let known = fields.iter().map(|field| self.allowed(field));
        let known: Option<Vec<NumberRange>> = known.collect();
        let Some(known) = known.filter(|_| !self.before_format) else {
            return;
        };
        if let Some(first) = known.first()
            && known.iter().all(|it| it.within(range).is_empty())
        {
            let bounds = [("at least", first.at_least), ("at most", first.at_most)];
            let bounds = bounds
                .into_iter()
                .filter_map(|(word, bound)| Some(format!("{word} {}", bound?)));
            let bounds: Vec<String> = bounds.collect();
            item.problem_with_hint(
                "this never holds: a call with such a number is refused before any scenario is asked",
                format!("`{name}` must be {}", bounds.join(" and ")),
            );
        }
    }

    /// The numbers that a field may have, where that is known.
    fn allowed(&self, field: &Field) -> Option<NumberRange> {
        let (at_least, at_most) = match &field.kind {
            Kind::Int { min, max } => (min.map(|it| it as f64), max.map(|it| it as f64)),
            Kind::Num { min, max } => (*min, *max),
            Kind::Text {
                format: Some(at), ..
            } => match self.contract.format(*at).rule {
                FormatRule::Decimal { min, max } => (Some(min), Some(max)),
                _ => return None,
            },
            _ => return None,
        };
        Some(NumberRange {
            at_least,
            at_most,
            ..NumberRange::default()
        })
    }

    /// Reports a test of a text that no value of the field's format can meet.
    fn report_unfitting(
        &self,
        name: &str,
        predicate: &Predicate,
        fields: &[&Field],
        item: &Item<'_>,
    ) {
        let asked = match predicate {
            Predicate::StartsWith(text) => TextDemand::Start(text),
            Predicate::EndsWith(text) => TextDemand::End(text),
            Predicate::Contains(text) => TextDemand::Part(text),
            Predicate::Matches(expression) => TextDemand::Expression(expression.as_str()),
            Predicate::PathEnds(_) | Predicate::Query(_) => TextDemand::Part("://"),
            _ => return,
        };
        if self.has_cases || self.before_format || !item.is_intact() {
            return;
        }
        let automata = &mut *self.formats.borrow_mut();
        let mut can_be = |field: &&Field| match field.kind {
            // Names are compared without regard to case, and what may be empty has no format then.
            Kind::Text {
                format: Some(at), ..
            } if !field.folds && !field.may_be_empty => {
                automata.can_be(at, self.contract.format(at), asked)
            }
            _ => true,
        };
        if fields.iter().any(&mut can_be) {
            return;
        }
        if let Some(Field {
            kind: Kind::Text {
                format: Some(at), ..
            },
            ..
        }) = fields.first()
        {
            let about = &self.contract.format(*at).about;
            item.problem_with_hint(
                "this never holds: no value like this is let through to any scenario",
                format!("`{name}` must be {about}"),
            );
        }
    }

    /// Reports an identifier that is answered before any scenario is asked.
    fn report_sentinel(&self, selector: &Selector, predicate: &Predicate, item: &Item<'_>) {
        if self.before_format || matches!(selector, Selector::Inside { .. }) {
            return;
        }
        let text = self.contract.service.sentinel.text.as_str();
        let own = self.rows().filter_map(|row| row.sentinel.as_deref());
        let is_asked = |sentinel: &&str| {
            let everywhere = self
                .rows()
                .all(|row| row.sentinel.as_deref() == Some(sentinel));
            *sentinel == text || everywhere
        };
        let mut sentinels = std::iter::once(text).chain(own).filter(is_asked);
        let of_all = |holds: fn(&Field) -> bool| {
            let mut places = self.places(selector).map(|(field, _)| field).peekable();
            places.peek().is_some() && places.all(holds)
        };
        // A field that folds its case has such a part in small letters, too, and that is no sentinel.
        let is_forced = match predicate {
            Predicate::OneOf(_) => of_all(|field| field.identifies),
            _ => of_all(|field| field.identifies && !field.folds),
        };
        let forced = |sentinel: &&str| match predicate {
            Predicate::OneOf(values) => {
                let mut texts = values.iter().filter_map(Json::as_text);
                *sentinel == text && texts.any(|text| text.contains(sentinel))
            }
            Predicate::Contains(part)
            | Predicate::StartsWith(part)
            | Predicate::EndsWith(part)
            | Predicate::PathEnds(part)
            | Predicate::Query(part) => part.contains(sentinel),
            Predicate::Matches(_) | Predicate::Number(_) | Predicate::Present(_) => false,
        };
        if let Some(sentinel) = sentinels.find(forced).filter(|_| is_forced) {
            item.problem(format!(
                "this never holds: what contains {sentinel} is answered before any scenario is asked"
            ));
        }
    }

    /// Reports a value that every operation refuses before any scenario is asked.
    fn report_refused(&self, name: &str, value: &Json<'static>, item: &Item<'_>) {
        if self.has_cases && value.as_text().is_some_and(|text| text.contains("{case}")) {
            return;
        }
        let formats = &self.contract.formats;
        let check = |row: &Operation| {
            let field = &row.request[row.field(name)?];
            let all = self.contract.service.sentinel.text.clone();
            let marks: Vec<String> = row.sentinel.iter().cloned().chain([all]).collect();
            let refused = |value: &Json<'static>| {
                let mistake = field.check(value, formats, &marks).err();
                mistake.map(|mistake| mistake.to_string())
            };
            // An item stands for the list it is sent in.
            Some(match (&field.kind, value) {
                (Kind::List { .. }, Json::List(_)) | (Kind::Object { .. }, _) => refused(value),
                // Which of a call's items it would be nobody knows.
                (Kind::List { .. }, _) => refused(&Json::List(vec![value.clone()]))
                    .map(|mistake| mistake.replacen("[0]", "[]", 1)),
                _ => refused(value),
            })
        };
        let mistakes: Vec<_> = self.rows().filter_map(check).collect();
        if let Some(Some(first)) = mistakes.first()
            && mistakes.iter().all(Option::is_some)
        {
            let names_case = value.as_text().is_some_and(|text| text.contains("{case}"));
            item.problem_with_hint(
                "this never holds: a call with this value is refused before any scenario is asked",
                match names_case {
                    true => "`{case}` stands for something where `cases` are given".to_owned(),
                    false => first.clone(),
                },
            );
        }
    }
}
