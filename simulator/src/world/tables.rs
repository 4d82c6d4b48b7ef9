//! The tables that fields choose rows from, made of the rows of `fixtures/world/`.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::world::{PlaceRow, StateRow, TextRow, WorldRows};

use super::table::{Column, Table};

/// How many numbers a registering authority can have.
const OFFICES: usize = 99;

/// Towns as often as they weigh, each with its state.
struct Places<'r>(Vec<(&'r PlaceRow, &'r StateRow)>);

/// All tables, by name.
pub(super) fn tables(rows: &WorldRows) -> BTreeMap<String, Arc<Table>> {
    let places = Places::new(rows);
    let banks = rows.banks.iter();
    let (codes, names): (Vec<_>, Vec<_>) = banks.unzip();
    let banks = [column("code", codes), column("name", names)];
    let tables = [
        ("places", Table::new(places.columns(0..places.0.len()))),
        ("homes", places.homes(rows)),
        ("offices", places.offices(rows)),
        ("words", words(rows)),
        ("industries", of_texts(&rows.industry)),
        ("classes", of_texts(&rows.class)),
        ("banks", Table::new(banks)),
    ];
    let named = |(name, table): (&str, Table)| (name.to_owned(), Arc::new(table));
    tables.into_iter().map(named).collect()
}

fn column<T: AsRef<str>>(name: &str, texts: Vec<T>) -> (String, Column) {
    (
        name.to_owned(),
        Column::new(texts.iter().map(AsRef::as_ref)),
    )
}

fn of_texts(rows: &[TextRow]) -> Table {
    let names = rows.iter().flat_map(TextRow::keys);
    let mut names: Vec<&String> = names.collect();
    names.sort_unstable();
    names.dedup();
    let text = |row: &TextRow, name: &String| row.get(name).cloned().unwrap_or_default();
    let texts = |name: &String| rows.iter().map(|row| text(row, name)).collect();
    Table::new(names.into_iter().map(|name| column(name, texts(name))))
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
    let initials = words.iter().map(|word| word[..1].to_owned()).collect();
    Table::new([column("initial", initials), column("word", words)])
}

impl<'r> Places<'r> {
    fn new(rows: &'r WorldRows) -> Self {
        let state = |place: &PlaceRow| rows.state.iter().find(|state| state.code == place.state);
        let places = rows
            .place
            .iter()
            .filter_map(|place| Some((place, state(place)?)));
        Places(
            places
                .flat_map(|pair| std::iter::repeat_n(pair, pair.0.weight))
                .collect(),
        )
    }

    /// What is known of these places, a row each.
    fn columns(&self, at: impl IntoIterator<Item = usize>) -> Vec<(String, Column)> {
        let at: Vec<usize> = at.into_iter().collect();
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
            let all = self
                .0
                .iter()
                .map(|(place, state)| text(place, state))
                .collect();
            let (name, all) = column(name, all);
            (name, all.through(at.iter().copied()))
        };
        let mut columns: Vec<_> = texts.into_iter().map(column).collect();
        let slots: Vec<String> = (0..self.0.len()).map(|slot| slot.to_string()).collect();
        let (name, slots) = self::column("slot", slots);
        columns.push((name, slots.through(at)));
        columns
    }

    /// A row for each place and each of the names that people there have.
    fn homes(&self, rows: &WorldRows) -> Table {
        let (mut slots, mut surnames, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, (_, state)) in self.0.iter().enumerate() {
            for (group, share) in &state.names {
                let known: Vec<&str> = rows.group[group].surnames.keys().map(|it| &**it).collect();
                // Five names for each of 24 shares; the same surname several times where there are few.
                for at in 0..share * 5 {
                    slots.push(slot);
                    surnames.push(known[(at + slot) % known.len()]);
                    groups.push(group.as_str());
                }
            }
        }
        let initials = surnames
            .iter()
            .map(|surname| surname[..1].to_owned())
            .collect();
        let mut columns = self.columns(slots);
        columns.extend([
            column("initial", initials),
            column("surname", surnames),
            column("group", groups),
        ]);
        Table::new(columns)
    }

    /// A row for each number that a registering authority of a state can have: the town that has
    /// it, else one of the others.
    fn offices(&self, rows: &WorldRows) -> Table {
        let (mut at, mut codes) = (Vec::new(), Vec::new());
        for state in &rows.state {
            let here = |slot: &usize| self.0[*slot].1.code == state.code;
            let slots: Vec<usize> = (0..self.0.len()).filter(here).collect();
            for number in 1..=OFFICES {
                let number = format!("{number:02}");
                let named = slots.iter().find(|slot| self.0[**slot].0.rto == number);
                at.push(*named.unwrap_or(&slots[codes.len() % slots.len()]));
                codes.push(format!("{}{number}", state.code));
            }
        }
        let mut columns = self.columns(at);
        columns.push(column("code", codes));
        Table::new(columns)
    }
}
