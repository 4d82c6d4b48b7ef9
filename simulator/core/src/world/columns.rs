//! Who of a kind fits what is said of somebody who is declared, as far as the letters of what they are asked for by leave
//! it open.

use std::cmp::Reverse;
use std::sync::Arc;

use svc_fixtures::world::{Fit, SaidRow};

use super::kind::{Digits, Domain, Kind, View};
use super::table::{Column, Table};
use super::{AskedIndex, Subject, World};

impl World {
    /// Whether each row of what is said names a field that there is, and a column of it.
    pub(super) fn check_said(&self) -> Result<(), String> {
        for row in &self.said {
            let kind = self.known_kind(&row.of)?;
            let known = self.known(kind, &row.field, row.column.as_deref());
            let plus = row.plus.as_ref();
            let plus = plus.is_none_or(|plus| self.known(kind, plus, None).is_some());
            if known.is_none() || !plus {
                let SaidRow { of, attribute, .. } = row;
                return Err(format!(
                    "said of a {of}, {attribute}: there is no such field or column"
                ));
            }
        }
        Ok(())
    }

    /// The same subject with fields that fit as much of what is said as one can, by attribute, and else are its own. What
    /// stands in the clear in the identifier that it was found by stays.
    #[must_use]
    pub fn having<'t>(
        &self,
        subject: Subject,
        by: Option<AskedIndex>,
        said: impl Fn(&str) -> Option<&'t str>,
    ) -> Subject {
        let kind = &self.kinds[subject.kind.0];
        let rows = self.said.iter().filter(|row| row.of == kind.name);
        let said: Vec<_> = rows
            .filter_map(|row| Some((row, said(&row.attribute)?.to_uppercase())))
            .collect();
        if said.is_empty() {
            return subject;
        }
        let identifiers = by.map(|by| self.asked[by.0].identifiers.iter());
        let of_kind = identifiers.into_iter().flatten();
        let mut of_kind = of_kind.map(|at| &self.identifiers[*at]);
        let form = of_kind
            .find(|it| it.of == subject.kind)
            .and_then(|it| it.forms.first());
        let mut digits = kind.digits(subject.number, View::Own, 0);
        for (at, field) in kind.fields(View::Own).iter().enumerate() {
            let here = said.iter().filter(|(row, _)| row.field == field.name);
            let here: Vec<_> = here.collect();
            let own = digits[at];
            let keeps = |digit: u64| form.is_none_or(|form| form.shows_alike(kind, at, own, digit));
            let found = match &field.domain {
                _ if here.is_empty() => None,
                Domain::Rows(table) => fitting_row(table, &here, own, keeps, subject.number),
                Domain::Numbers { from, count } => {
                    let mut numbers = here.iter().filter_map(|(row, text)| {
                        let year = year(text)? + row.years + plus(kind, row, &digits);
                        let digit = (year - from.cast_signed()).clamp(0, count.cast_signed() - 1);
                        let digit = digit.cast_unsigned();
                        Some(if row.at_most { digit.min(own) } else { digit })
                    });
                    // What is said last counts most.
                    numbers.next_back().filter(|digit| keeps(*digit))
                }
            };
            digits[at] = found.unwrap_or(digits[at]);
        }
        Subject {
            number: kind.number(&digits, View::Own, 0),
            ..subject
        }
    }
}

/// A row that fits more of what is said than the subject's own, of those that its identifier leaves.
fn fitting_row(
    table: &Table,
    said: &[&(&SaidRow, String)],
    own: u64,
    keeps: impl Fn(u64) -> bool,
    draw: u64,
) -> Option<u64> {
    let columns = said.iter().filter_map(|(row, text)| {
        let column = table.column(row.column.as_ref()?)?;
        // The longer what fits, the more it says: a road may be called like another town.
        let fit = |known: &str| match has(text, known, row.fits) {
            true => known.len(),
            false => 0,
        };
        let fits = column.each(fit);
        let most = fits.iter().copied().max().unwrap_or_default();
        Some((column, fits, most))
    });
    let mut columns: Vec<_> = columns.collect();
    columns.sort_by_key(|(.., most)| Reverse(*most));
    let fit_in = |columns: &[(_, Vec<usize>, usize)], row: u64| -> usize {
        let fits = columns.iter();
        fits.map(|(column, fits, _): &(&Arc<Column>, _, _)| fits[column.place(row)])
            .sum()
    };
    let (mut most, mut rows) = (fit_in(&columns, own), Vec::new());
    for (at, (column, fits, _)) in columns.iter().enumerate() {
        // What fits none of the columns before: there are thousands of rows, and thousands who are declared.
        let left: usize = columns[at..].iter().map(|(.., most)| most).sum();
        if left < most || rows.is_empty() && left == most {
            break;
        }
        let texts = fits.iter().enumerate().filter(|(_, fit)| **fit > 0);
        let having = texts.flat_map(|(place, _)| column.rows_with(place));
        for row in having.map(|row| u64::from(*row)) {
            let fit = fit_in(&columns, row);
            let is_worse = fit < most || rows.is_empty() && fit == most;
            if is_worse || fit_in(&columns[..at], row) > 0 || !keeps(row) {
                continue;
            }
            if fit > most {
                rows.clear();
            }
            most = fit;
            rows.push(row);
        }
    }
    rows.sort_unstable();
    let nth = draw % u64::max(rows.len() as u64, 1);
    rows.get(nth as usize).copied()
}

/// The field that says how many years more, where one does.
fn plus(kind: &Kind, row: &SaidRow, digits: &Digits) -> i64 {
    let fields = kind.fields(View::Own);
    let at = fields
        .iter()
        .position(|field| Some(&field.name) == row.plus.as_ref());
    at.map_or(0, |at| digits[at].cast_signed())
}

/// The year of a day, whichever way that is written.
fn year(day: &str) -> Option<i64> {
    let mut parts = day.split(|c: char| !c.is_ascii_digit());
    parts.find(|part| part.len() == 4)?.parse().ok()
}

fn has(text: &str, known: &str, fits: Fit) -> bool {
    let is_word = |(at, _): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + known.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let has = match fits {
        Fit::Begins => text.starts_with(known),
        Fit::Ends => {
            let before = text.strip_suffix(known);
            before.is_some_and(|before| before.ends_with(' '))
        }
        Fit::LastWord => {
            let last = text.split_whitespace().next_back();
            last.is_some_and(|last| last.starts_with(known))
        }
        Fit::Has => text.match_indices(known).any(is_word),
    };
    has && !known.is_empty()
}

#[cfg(test)]
mod tests {
    use svc_fixtures::world::WorldRows;

    use super::*;
    use crate::world::Fact;

    #[test]
    fn a_row_of_what_is_said_names_a_field_and_a_column_that_there_are() {
        let with = |edit: fn(&mut SaidRow)| {
            let mut rows = WorldRows::built_in().clone();
            edit(&mut rows.said[0]);
            World::new(&rows).unwrap_err()
        };
        for said in [
            with(|row| row.field = "hut".to_owned()),
            with(|row| row.column = Some("roof".to_owned())),
            with(|row| row.column = None),
            with(|row| row.plus = Some("more".to_owned())),
        ] {
            let expected = "said of a person, address: there is no such field or column";
            assert_eq!(said, expected);
        }
        assert_eq!(
            with(|row| row.of = "ghost".to_owned()),
            "there is no kind ghost"
        );
    }

    #[test]
    fn a_text_has_another_one_in_whole_words_where_it_is_to() {
        for (text, known, fits, expected) in [
            ("1, DELHI ROAD, PUNE", "PUNE", Fit::Has, true),
            ("1, DELHI ROAD, PUNEKAR", "PUNE", Fit::Has, false),
            ("ACME PRIVATE LIMITED", "LIMITED", Fit::Ends, true),
            ("ACME UNLIMITED", "LIMITED", Fit::Ends, false),
            ("ANIL KAPOOR", "K", Fit::LastWord, true),
            ("KAPIL RAO", "K", Fit::LastWord, false),
            ("1995-03-03", "1995", Fit::Begins, true),
            ("1995-03-03", "", Fit::Begins, false),
        ] {
            assert_eq!(has(text, known, fits), expected, "{text}: {known}");
        }
        assert_eq!(
            (year("15/08/1990"), year("1990-08-15"), year("soon")),
            (Some(1990), Some(1990), None)
        );
    }

    #[test]
    fn letters_of_an_identifier_stay_whatever_is_said() {
        let world = World::built_in();
        let by = world.asked(&["pan"]);
        let subject = world.subject_of(by, "ABCPR1234F", 0);
        let said = |name: &str| (name == "address").then_some("1, PARK STREET, PUNE, MAHARASHTRA");
        let found = world.having(subject, by, said);
        for (column, text) in [("city", "PUNE"), ("initial", "R")] {
            let known = world.known(subject.kind, "home", Some(column)).unwrap();
            assert_eq!(world.fact(&known, found, 0), Fact::Text(text));
        }
        // Who is said to be where they are stays who they are.
        assert_eq!(world.having(found, by, said), found);
    }
}
