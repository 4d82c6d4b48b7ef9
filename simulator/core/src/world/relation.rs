//! Who leads to whom.

use std::sync::Arc;

use svc_fixtures::world::RelationRow;
use xxhash_rust::xxh3::xxh3_64;

use super::KindIndex;
use super::kind::{Digits, Domain, Kind, View, count, packed, ranges, unpacked, within};
use super::permutation::{Permutation, mixed};
use super::table::{Column, RowIndex, Table};

/// From each subject of a kind to one of another.
#[derive(Debug)]
pub(super) struct Relation {
    name: String,
    of: KindIndex,
    to: KindIndex,
    how: How,
    sample: bool,
    back: bool,
    salt: u64,
}

#[derive(Debug)]
enum How {
    /// Two who are neighbours in this field belong together.
    Neighbour(usize),
    /// Anybody with these digits: each is the subject's own, drawn within a range, or any.
    Drawn(Vec<Digit>),
    /// Everybody who can sit in such a seat sits in some, for there are more seats than people.
    Seat {
        seat: u64,
        /// Whoever has such a seat, in one set of ranges or another.
        seats: Vec<Vec<(u64, u64)>>,
        people: Vec<(u64, u64)>,
    },
}

#[derive(Debug)]
enum Digit {
    /// A row in whose column the same stands as in a column of the subject.
    Same {
        field: usize,
        column: Arc<Column>,
        rows: Arc<RowIndex>,
    },
    Within {
        from: u64,
        to: u64,
    },
}

impl Relation {
    pub(super) fn new(
        row: &RelationRow,
        (of, from): (KindIndex, &Kind),
        (to, target): (KindIndex, &Kind),
    ) -> Result<Self, String> {
        let wrong = |what: &str| format!("{}.{}: {what}", row.of, row.name);
        let place = |kind: &Kind, name: &str| {
            let at = kind
                .fields(View::Own)
                .iter()
                .position(|field| field.name == name);
            at.ok_or_else(|| wrong(&format!("there is no field {name}")))
        };
        let how = match (&row.flip, row.seat) {
            (Some(field), _) if of == to => How::Neighbour(place(from, field)?),
            (Some(_), _) => return Err(wrong("neighbours are of one kind")),
            (None, Some(seat)) => {
                let seats = row.only.iter().map(|only| ranges(from, View::Own, only));
                let seats: Vec<_> = seats.collect();
                let people = ranges(target, View::Own, &row.sitting);
                match count_all(&seats) >= count(&people) {
                    true => How::Seat {
                        seat,
                        seats,
                        people,
                    },
                    false => return Err(wrong("there are more people than seats")),
                }
            }
            (None, None) => {
                let digit = |field: &super::Field| match row.same.get(&field.name) {
                    Some((column, path)) => {
                        let (name, own) = path.split_once('.').unwrap_or((path, ""));
                        let at = place(from, name)?;
                        let own = rows_of(&from.fields(View::Own)[at])
                            .and_then(|table| table.column(own));
                        let rows = rows_of(field).and_then(|table| table.index(&[column.as_str()]));
                        let pair = own.cloned().zip(rows);
                        let (column, rows) =
                            pair.ok_or_else(|| wrong("there is no such column"))?;
                        Ok(Digit::Same {
                            field: at,
                            column,
                            rows,
                        })
                    }
                    None => {
                        let all = (0, field.size());
                        let (from, to) = row.within.get(&field.name).copied().unwrap_or(all);
                        Ok(Digit::Within { from, to })
                    }
                };
                let digits = target.fields(View::Own).iter().map(digit);
                How::Drawn(digits.collect::<Result<_, String>>()?)
            }
        };
        let salt = xxh3_64(format!("{}.{}", row.of, row.name).as_bytes());
        Ok(Relation {
            name: row.name.clone(),
            of,
            to,
            how,
            sample: row.sample,
            back: row.back,
            salt,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn of(&self) -> KindIndex {
        self.of
    }

    pub(super) fn sample(&self) -> bool {
        self.sample
    }

    pub(super) fn back(&self) -> bool {
        self.back
    }

    pub(super) fn to(&self) -> KindIndex {
        self.to
    }

    /// The number of whom a subject leads to.
    pub(super) fn follow(&self, (from, to): (&Kind, &Kind), number: u64, seed: u64) -> u64 {
        let own = from.digits(number, View::Own, seed);
        match &self.how {
            How::Neighbour(field) => {
                let mut digits = own;
                digits[*field] ^= 1;
                to.number(&digits, View::Own, seed)
            }
            How::Drawn(rows) => {
                let mut draw = mixed(seed ^ self.salt ^ mixed(number));
                let mut digits = Digits::default();
                for (digit, row) in digits.iter_mut().zip(rows) {
                    *digit = match row {
                        Digit::Same {
                            field,
                            column,
                            rows,
                        } => rows
                            .drawn(column.text(own[*field]), draw)
                            .unwrap_or_default(),
                        Digit::Within { from, to } => from + draw % (to - from),
                    };
                    draw = mixed(draw);
                }
                to.number(&digits, View::Own, seed)
            }
            How::Seat { seats, people, .. } => {
                let at =
                    Permutation::new(self.seed(seed), count_all(seats)).apply(place(seats, &own));
                to.number(&unpacked(people, at % count(people)), View::Own, seed)
            }
        }
    }

    /// The numbers of those who lead to a subject. Only seats are known from both sides.
    pub(super) fn leading(&self, (from, to): (&Kind, &Kind), number: u64, seed: u64) -> Vec<u64> {
        let How::Seat { seats, people, .. } = &self.how else {
            return Vec::new();
        };
        let digits = to.digits(number, View::Own, seed);
        if !within(people, &digits) {
            return Vec::new();
        }
        let all = count_all(seats);
        let permutation = Permutation::new(self.seed(seed), all);
        let places = (packed(people, &digits)..all).step_by(count(people) as usize);
        let seat = |place| from.number(&at(seats, permutation.undo(place)), View::Own, seed);
        places.map(seat).collect()
    }

    fn seed(&self, seed: u64) -> u64 {
        let seat = match self.how {
            How::Seat { seat, .. } => seat,
            _ => 0,
        };
        seed ^ self.salt.wrapping_add(seat)
    }
}

/// How many seats there are.
fn count_all(seats: &[Vec<(u64, u64)>]) -> u64 {
    seats.iter().map(|of| count(of)).sum()
}

/// The place of a subject's seat among all. One without such a seat has another's.
fn place(seats: &[Vec<(u64, u64)>], digits: &Digits) -> u64 {
    let mut before = 0;
    for of in seats {
        if within(of, digits) {
            return before + packed(of, digits);
        }
        before += count(of);
    }
    seats.first().map_or(0, |of| packed(of, digits))
}

/// Whose seat is at a place.
fn at(seats: &[Vec<(u64, u64)>], mut place: u64) -> Digits {
    for of in seats {
        match place.checked_sub(count(of)) {
            Some(left) => place = left,
            None => return unpacked(of, place),
        }
    }
    Digits::default()
}

fn rows_of(field: &super::Field) -> Option<&Table> {
    match &field.domain {
        Domain::Rows(table) => Some(table),
        Domain::Numbers { .. } => None,
    }
}
