//! The tables that fields choose rows from, made of the rows of `fixtures/world/`.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::world::{PlaceRow, StateRow, TextRow, WorldRows, YearsRow};

use super::table::{Column, Table};

/// How many numbers a registering authority can have.
const OFFICES: usize = 99;

/// Towns as often as they weigh.
struct Places<'r> {
    /// Each with its state.
    all: Vec<(&'r PlaceRow, &'r StateRow)>,
    /// What is known of them, a row each.
    columns: Vec<(String, Column)>,
}

/// All tables, by name.
pub(super) fn tables(rows: &WorldRows) -> BTreeMap<String, Arc<Table>> {
    let places = Places::new(rows);
    let banks = rows.banks.iter();
    let (codes, names) = (banks.clone().map(|it| &**it.0), banks.map(|it| &**it.1));
    let banks = [column("code", codes), column("name", names)];
    let tables = [
        ("homes", places.homes(rows)),
        ("offices", places.offices(rows)),
        ("places", Table::new(places.columns)),
        ("words", words(rows)),
        ("industries", of_texts(&rows.industry)),
        ("classes", of_texts(&rows.class)),
        ("ages", years(&rows.age)),
        ("banks", Table::new(banks)),
    ];
    let named = |(name, table): (&str, Table)| (name.to_owned(), Arc::new(table));
    tables.into_iter().map(named).collect()
}

fn column<'t>(name: &str, texts: impl IntoIterator<Item = &'t str>) -> (String, Column) {
    (name.to_owned(), Column::new(texts))
}

fn of_texts(rows: &[TextRow]) -> Table {
    let names = rows.iter().flat_map(TextRow::keys);
    let mut names: Vec<&String> = names.filter(|name| !name.ends_with(ALSO)).collect();
    names.sort_unstable();
    names.dedup();
    let text = |row, name| TextRow::get(row, name).map_or("", String::as_str);
    let texts = |name| rows.iter().map(move |row| text(row, name));
    Table::new(names.into_iter().map(|name| {
        let also = format!("{name}{ALSO}");
        let also = rows.iter().flat_map(|row| {
            let others = row.get(&also).map_or("", String::as_str);
            let others = others.split_ascii_whitespace();
            others.map(|other| (other, text(row, name)))
        });
        let (name, own) = column(name, texts(name));
        (name, own.with_also(also))
    }))
}

/// What the name of a column ends in that has what is read for another one's texts.
const ALSO: &str = "_also";

/// A row for each company of a year.
fn years(rows: &[YearsRow]) -> Table {
    let years = rows.iter().flat_map(|row| {
        let each = row.from..=row.to;
        each.flat_map(|year| std::iter::repeat_n(year.to_string(), row.each))
    });
    let years: Vec<String> = years.collect();
    Table::new([column("year", years.iter().map(String::as_str))])
}

/// Every first half before every second half.
fn words(rows: &WorldRows) -> Table {
    let second = |first| {
        rows.words
            .second
            .iter()
            .map(move |second| format!("{first}{second}"))
    };
    let words: Vec<String> = rows.words.first.iter().flat_map(second).collect();
    let initials = words.iter().map(|word| &word[..1]);
    let words = words.iter().map(String::as_str);
    Table::new([column("initial", initials), column("word", words)])
}

/// A state as it would be with each of the other letters and digits that are written for its own.
fn written_also(state: &StateRow) -> impl Iterator<Item = StateRow> {
    let with = |change: fn(&mut StateRow, &str), also: &Vec<String>| {
        let changed = also.iter().map(|other| {
            let mut state = state.clone();
            change(&mut state, other);
            state
        });
        changed.collect::<Vec<_>>()
    };
    let code = with(
        |state, other| state.code = other.to_owned(),
        &state.code_also,
    );
    let gst = with(|state, other| state.gst = other.to_owned(), &state.gst_also);
    let register = with(
        |state, other| state.register = other.to_owned(),
        &state.register_also,
    );
    [code, gst, register].into_iter().flatten()
}

impl<'r> Places<'r> {
    fn new(rows: &'r WorldRows) -> Self {
        let state = |place: &PlaceRow| rows.state.iter().find(|state| state.code == place.state);
        let known = rows.place.iter();
        let known = known.filter_map(|place| Some((place, state(place)?)));
        let known: Vec<(&PlaceRow, &StateRow)> = known.collect();
        let weights = || (0..).zip(known.iter().map(|(place, _)| place.weight));
        let at = || weights().flat_map(|(at, weight)| std::iter::repeat_n(at, weight));
        type Text = fn(&PlaceRow, &StateRow) -> String;
        let texts: [(&str, Text); 12] = [
            ("city", |place, _| place.city.clone()),
            ("district", |place, _| place.district.clone()),
            ("state", |_, state| state.code.clone()),
            ("state_name", |_, state| state.name.clone()),
            ("gst", |_, state| state.gst.clone()),
            ("register", |_, state| state.register.clone()),
            ("circle", |_, state| state.circle.clone()),
            ("pin", |place, _| place.pin.clone()),
            ("rto", |place, state| format!("{}{}", state.code, place.rto)),
            ("epfo", |place, state| {
                format!("{}{}", state.code, place.office)
            }),
            ("latitude", |place, _| place.latitude.to_string()),
            ("longitude", |place, _| place.longitude.to_string()),
        ];
        let column = |(name, text): (&str, Text)| {
            let texts: Vec<String> = known.iter().map(|it| text(it.0, it.1)).collect();
            let also = known.iter().zip(&texts).flat_map(|((place, state), own)| {
                let others = written_also(state);
                others.map(move |other| (text(place, &other), own.as_str()))
            });
            let also: Vec<_> = also.collect();
            let also = also.iter().map(|(other, own)| (other.as_str(), *own));
            let (name, each) = column(name, texts.iter().map(String::as_str));
            (name, each.with_also(also).through(at()))
        };
        let mut columns: Vec<_> = texts.into_iter().map(column).collect();
        let slots: Vec<String> = (0..at().count()).map(|slot| slot.to_string()).collect();
        columns.push(self::column("slot", slots.iter().map(String::as_str)));
        let all = at().map(|at: usize| known[at]).collect();
        Places { all, columns }
    }

    /// What is known of these places, a row each.
    fn columns(&self, at: &[usize]) -> Vec<(String, Column)> {
        let columns = self.columns.iter();
        let through = |column: &Column| column.through(at.iter().copied());
        columns
            .map(|(name, column)| (name.clone(), through(column)))
            .collect()
    }

    /// A row for each place and each of the names that people there have.
    fn homes(&self, rows: &WorldRows) -> Table {
        // Every name of every group once, and where the names of a group begin.
        let named = rows.group.iter();
        let named = named.flat_map(|(group, row)| row.surnames.keys().map(move |it| (group, it)));
        let named: Vec<(&String, &String)> = named.collect();
        let groups = named.chunk_by(|one, other| one.0 == other.0);
        let begins = groups.scan(0, |next, names| {
            let first = std::mem::replace(next, *next + names.len());
            Some((names[0].0, (first, names.len())))
        });
        let begins: BTreeMap<&String, (usize, usize)> = begins.collect();
        let (mut slots, mut names) = (Vec::new(), Vec::new());
        for (slot, (_, state)) in self.all.iter().enumerate() {
            for (group, share) in &state.names {
                let (first, known) = begins[group];
                // Five names for each of 24 shares; the same surname several times where there are few.
                for at in 0..share * 5 {
                    slots.push(slot);
                    names.push(first + (at + slot) % known);
                }
            }
        }
        let mut columns = self.columns(&slots);
        let initials = named.iter().map(|(_, surname)| &surname[..1]);
        let each = [
            column("initial", initials),
            column("surname", named.iter().map(|(_, surname)| surname.as_str())),
            column("group", named.iter().map(|(group, _)| group.as_str())),
        ];
        let each = each.into_iter();
        columns.extend(each.map(|(name, column)| (name, column.through(names.iter().copied()))));
        Table::new(columns)
    }

    /// A row for each number that a registering authority of a state can have: the town that has
    /// it, else one of the others.
    fn offices(&self, rows: &WorldRows) -> Table {
        let (mut at, mut codes) = (Vec::new(), Vec::new());
        for state in &rows.state {
            let here = |slot: &usize| self.all[*slot].1.code == state.code;
            let slots: Vec<usize> = (0..self.all.len()).filter(here).collect();
            for number in 1..=OFFICES {
                let number = format!("{number:02}");
                let named = slots.iter().find(|slot| self.all[**slot].0.rto == number);
                at.push(*named.unwrap_or(&slots[codes.len() % slots.len()]));
                codes.push(format!("{}{number}", state.code));
            }
        }
        let also = rows.state.iter().flat_map(|state| {
            state.code_also.iter().flat_map(move |other| {
                let numbers = (1..=OFFICES).map(|number| format!("{number:02}"));
                numbers.map(move |it| (format!("{other}{it}"), format!("{}{it}", state.code)))
            })
        });
        // A number below ten is written with one digit, too.
        let short = codes.iter().filter_map(|code| {
            let (state, number) = code.split_at(2);
            let digit = number.strip_prefix('0')?;
            Some((format!("{state}{digit}"), code.clone()))
        });
        let also: Vec<_> = also.chain(short).collect();
        let also = also.iter().map(|(other, own)| (&**other, &**own));
        let mut columns = self.columns(&at);
        let (name, code) = column("code", codes.iter().map(String::as_str));
        columns.push((name, code.with_also(also)));
        Table::new(columns)
    }
}
