//! Forms of identifiers: how the number of a subject is written, and read again.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use crate::world::kind::{Digits, Domain, Field, Kind, MOST_FIELDS, Ranges, View};
use crate::world::permutation::Permutation;
use crate::world::table::{RowIndex, RowKey};

/// How one kind of identifier is written: `{home.licence}{licensed}{9999999}`.
///
/// What stands in braces is a column of a field's table, a field that is a number, or free
/// characters: `9` a digit, `A` a letter, `X` either, `[6-9]` a range. All that the columns and numbers do
/// not say of a subject is mixed into the free characters.
#[derive(Debug, Clone)]
pub(super) struct Form {
    parts: Vec<Part>,
    view: View,
    /// How each field of the view shows.
    shown: Vec<Shown>,
    free: u64,
    /// Only subjects whose digits are in these ranges have such an identifier, by field.
    only: Vec<Option<(u64, u64)>>,
    /// Whether spaces, hyphens and slashes say nothing.
    compact: bool,
    /// Whether there is a text for every subject.
    writes: bool,
    salt: u64,
}

#[derive(Debug, Clone)]
enum Part {
    Literal(String),
    /// A column of the field's index, by its position there.
    Column {
        field: usize,
        column: usize,
    },
    Number {
        field: usize,
        width: usize,
    },
    /// A character of these.
    Free(Vec<u8>),
}

#[derive(Debug, Clone)]
enum Shown {
    /// All of it is among the free characters.
    Free { from: u64, count: u64 },
    /// Columns of it stand in the clear; which of the rows with these texts is free.
    Columns(Arc<RowIndex>),
    /// It stands in the clear.
    Whole { from: u64, count: u64 },
}

/// The digits that a field can have.
#[derive(Debug, Clone, Copy)]
enum Left<'f> {
    /// These rows.
    Rows(&'f [u32]),
    /// So many that follow each other.
    Digits { from: u64, count: u64 },
}

/// How many are tried where a text is nobody's own.
const MOST_TRIES: u64 = 64;

/// What stands in the clear, a field each: the texts of its columns, or its digit.
type Clear = [RowKey; MOST_FIELDS];

/// Whose identifier a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Holder {
    /// The number of the subject.
    pub number: u64,
    /// Whether this is the subject's own identifier; where not, another text is.
    pub own: bool,
}

impl Form {
    /// Reads a form of a kind's identifiers: whether it has spaces, and whether identifiers are
    /// written so or only read.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(super) fn new(
        kind: &Kind,
        text: &str,
        only: &Ranges,
        (spaced, writes): (bool, bool),
    ) -> Result<Self, String> {
        let named = |view, name: &str| {
            kind.fields(view)
                .iter()
                .position(|field| field.name == name)
        };
        let only_alias =
            |name: &str| named(View::Own, name).is_none() && named(View::Alias, name).is_some();
        let view = match names(text).any(|(name, _)| only_alias(name)) {
            true => View::Alias,
            false => View::Own,
        };
        let fields = kind.fields(view);
        let shown = fields
            .iter()
            .map(|field| shown(field, text, only.get(&field.name).copied()));
        let shown = shown
            .collect::<Result<Vec<_>, _>>()
            .map_err(|why| format!("{text}: {why}"))?;
        let only = fields
            .iter()
            .map(|field| only.get(&field.name).copied())
            .collect();
        let salt = xxh3_64(text.as_bytes());
        let mut form = Form {
            parts: Vec::new(),
            view,
            shown,
            free: 1,
            only,
            compact: !spaced,
            writes,
            salt,
        };
        let mut columns = vec![0; fields.len()];
        let mut rest = text;
        while !rest.is_empty() {
            rest = form
                .part(fields, rest, &mut columns)
                .map_err(|why| format!("{text}: {why}"))?;
        }
        let needed = form.shown.iter().map(Shown::most).product::<u64>();
        form.writes = needed <= form.free;
        match form.writes || !writes {
            true => Ok(form),
            false => Err(format!(
                "{text}: {needed} subjects do not fit into {} texts",
                form.free
            )),
        }
    }

    fn part<'t>(
        &mut self,
        fields: &[Field],
        text: &'t str,
        columns: &mut [usize],
    ) -> Result<&'t str, String> {
        let Some(inside) = text.strip_prefix('{') else {
            let end = text.find('{').unwrap_or(text.len());
            self.parts.push(Part::Literal(text[..end].to_owned()));
            return Ok(&text[end..]);
        };
        let (inside, rest) = inside.split_once('}').ok_or("a brace is open")?;
        let (name, column) = inside
            .split_once('.')
            .map_or((inside, None), |(name, column)| (name, Some(column)));
        let field = fields.iter().position(|field| field.name == name);
        match (field.map(|field| (field, &self.shown[field])), column) {
            (Some((field, Shown::Columns(_))), Some(_)) => {
                self.parts.push(Part::Column {
                    field,
                    column: columns[field],
                });
                columns[field] += 1;
            }
            (Some((field, Shown::Whole { from, count })), None) => {
                let width = (from + count - 1).to_string().len();
                self.parts.push(Part::Number { field, width });
            }
            (None, None) => self.alphabets(inside)?,
            _ => return Err(format!("there is no field {name}")),
        }
        Ok(rest)
    }

    fn alphabets(&mut self, classes: &str) -> Result<(), String> {
        let mut bytes = classes.bytes();
        while let Some(class) = bytes.next() {
            let letters: Vec<u8> = match class {
                b'9' => (b'0'..=b'9').collect(),
                b'A' => (b'A'..=b'Z').collect(),
                b'X' => (b'0'..=b'9').chain(b'A'..=b'Z').collect(),
                b'[' => match (bytes.next(), bytes.next(), bytes.next(), bytes.next()) {
                    (Some(from), Some(b'-'), Some(to), Some(b']')) => (from..=to).collect(),
                    _ => return Err(format!("{classes} is no range")),
                },
                _ => return Err(format!("there is no field {classes}")),
            };
            self.free *= letters.len() as u64;
            self.parts.push(Part::Free(letters));
        }
        Ok(())
    }

    /// How many parts stand in the clear.
    #[must_use]
    pub(super) fn clarity(&self) -> usize {
        let clear = |part: &&Part| matches!(part, Part::Column { .. } | Part::Number { .. });
        self.parts.iter().filter(clear).count()
    }

    /// Whether two digits of one of the kind's own fields look alike in what is written.
    #[must_use]
    pub(super) fn shows_alike(&self, kind: &Kind, own: usize, one: u64, other: u64) -> bool {
        let name = &kind.fields(View::Own)[own].name;
        let mut fields = kind.fields(self.view).iter();
        match fields
            .position(|field| field.name == *name)
            .map(|at| &self.shown[at])
        {
            None | Some(Shown::Free { .. }) => true,
            Some(Shown::Whole { .. }) => one == other,
            Some(Shown::Columns(index)) => index.are_alike(one, other),
        }
    }

    /// A number that this form and what stands in the clear decide.
    fn seed_of(&self, clear: &Clear, seed: u64) -> u64 {
        let mix = |seed: u64, number: u64| {
            (seed ^ number)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(29)
        };
        clear
            .iter()
            .map(|key| key.number())
            .fold(self.salt ^ seed, mix)
    }

    /// What is left open by what stands in the clear, field by field.
    fn left(&self, clear: &Clear) -> SmallVec<[Left<'_>; MOST_FIELDS]> {
        let pairs = self.shown.iter().zip(clear);
        pairs.map(|(shown, key)| shown.left(*key)).collect()
    }

    /// What the free characters say of one of so many subjects, as a number. All that are the same
    /// modulo their count mean the same one, so that identifiers that follow each other mean different ones.
    fn mixed(&self, seed: u64, alike: u64, residue: u64) -> u64 {
        let first = Permutation::new(seed, alike).apply(residue);
        self.among(seed, alike, (residue, first))
    }

    /// Which of the numbers that mean one of so many subjects is their own, by the first of them.
    fn among(&self, seed: u64, alike: u64, (residue, first): (u64, u64)) -> u64 {
        let others = (self.free - 1 - first) / alike + 1;
        first + alike * (Permutation::new(!seed, alike).apply(residue) % others)
    }

    /// The identifier of a subject; none where subjects like it have none of this kind.
    #[must_use]
    pub(super) fn write(&self, kind: &Kind, number: u64, seed: u64) -> Option<String> {
        let digits = kind.digits(number, self.view, seed);
        if !self.writes || !self.has(&digits) {
            return None;
        }
        let mut clear = Clear::default();
        let (mut residue, mut alike) = (0, 1);
        for (at, shown) in self.shown.iter().enumerate() {
            let digit = digits[at];
            let place = match shown {
                Shown::Columns(index) => {
                    clear[at] = index.key(digit);
                    index.place(digit)
                }
                Shown::Whole { .. } => {
                    clear[at] = RowKey::of(digit);
                    0
                }
                Shown::Free { from, .. } => digit - from,
            };
            let left = shown.left(clear[at]).count();
            residue = residue * left + place;
            alike *= left;
        }
        let mut mixed = self.mixed(self.seed_of(&clear, seed), alike, residue);
        // The last free character is the least significant one.
        let mut free = [0; 24];
        let letters = self.parts.iter().rev().filter_map(|part| match part {
            Part::Free(letters) => Some(letters),
            _ => None,
        });
        let mut count = 0;
        for (at, letters) in free.iter_mut().zip(letters) {
            *at = letters[(mixed % letters.len() as u64) as usize];
            mixed /= letters.len() as u64;
            count += 1;
        }
        Some(self.text(&digits, &clear, &free[..count]))
    }

    /// The text, with the free characters from the last to the first.
    fn text(&self, digits: &Digits, clear: &Clear, free: &[u8]) -> String {
        let (mut text, mut free) = (String::with_capacity(32), free.iter().rev());
        for part in &self.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Column { field, column } => {
                    if let Shown::Columns(index) = &self.shown[*field] {
                        text.push_str(index.text(clear[*field], *column));
                    }
                }
                Part::Number { field, width } => {
                    if let Shown::Whole { from, .. } = self.shown[*field] {
                        let _ = write!(text, "{:0>width$}", from + digits[*field]);
                    }
                }
                Part::Free(_) => text.extend(free.next().map(|letter| char::from(*letter))),
            }
        }
        text
    }

    /// Whose identifier a text is; none where it is not written so.
    #[must_use]
    pub(super) fn read(&self, kind: &Kind, text: &str, seed: u64) -> Option<Holder> {
        let text = self.plain(text);
        let mut clear = Clear::default();
        let (mut rest, mut mixed) = (&*text, 0);
        for part in &self.parts {
            rest = match part {
                Part::Literal(literal) => rest.strip_prefix(&*self.plain(literal))?,
                Part::Column { field, column } => {
                    let Shown::Columns(index) = &self.shown[*field] else {
                        return None;
                    };
                    index.take(&mut clear[*field], *column, rest)?
                }
                Part::Number { field, width } => {
                    let Shown::Whole { from, count } = self.shown[*field] else {
                        return None;
                    };
                    let (number, rest) = rest.split_at_checked(*width)?;
                    let digit = number.parse::<u64>().ok()?.checked_sub(from)?;
                    clear[*field] = RowKey::of(Some(digit).filter(|digit| *digit < count)?);
                    rest
                }
                Part::Free(letters) => {
                    let (letter, rest) = rest.split_at_checked(1)?;
                    let at = letters
                        .iter()
                        .position(|known| *known == letter.as_bytes()[0])?;
                    mixed = mixed * letters.len() as u64 + at as u64;
                    rest
                }
            };
        }
        let clear_seed = self.seed_of(&clear, seed);
        let left = self.left(&clear);
        let alike = left.iter().map(Left::count).product::<u64>();
        if !rest.is_empty() || alike == 0 {
            return None;
        }
        let first = mixed % alike;
        let residue = Permutation::new(clear_seed, alike).undo(first);
        let own = self.writes && self.among(clear_seed, alike, (residue, first)) == mixed;
        // What an alias stands for may be nobody's: then it is the next one's with the same letters, of
        // those whom everybody meets.
        let found = (0..alike.min(MOST_TRIES)).filter_map(|at| {
            let place = (residue + at * (alike / MOST_TRIES + 1)) % alike;
            let digits = digits(&left, place);
            let holder = || kind.holder(&digits, self.view, seed);
            let number = self.has(&digits).then(holder).flatten()?;
            Some((at, number))
        });
        let mut otherwise = None;
        for (tries, number) in found {
            let own = own && tries == 0;
            if own || kind.is_common(number) {
                return Some(Holder { number, own });
            }
            otherwise.get_or_insert(Holder { number, own });
        }
        otherwise
    }

    /// Whether a subject with these digits has such an identifier.
    fn has(&self, digits: &Digits) -> bool {
        let mut ranges = self.only.iter().zip(digits);
        ranges.all(|(range, digit)| range.is_none_or(|(from, to)| (from..to).contains(digit)))
    }

    /// A text as it is compared.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_between = |c: char| self.compact && matches!(c, ' ' | '-' | '/');
        match text
            .chars()
            .any(|c| is_between(c) || c.is_ascii_lowercase())
        {
            true => text
                .chars()
                .filter(|c| !is_between(*c))
                .map(|c| c.to_ascii_uppercase())
                .collect(),
            false => text.into(),
        }
    }
}

impl Shown {
    /// What is left open where this stands in the clear.
    fn left(&self, clear: RowKey) -> Left<'_> {
        match *self {
            Shown::Columns(ref index) => Left::Rows(index.alike(clear)),
            Shown::Free { from, count } => Left::Digits { from, count },
            Shown::Whole { .. } => Left::Digits {
                from: clear.number(),
                count: 1,
            },
        }
    }

    /// How many values are left at most.
    fn most(&self) -> u64 {
        match self {
            Shown::Columns(index) => index.most(),
            other => other.left(RowKey::default()).count(),
        }
    }
}

impl Left<'_> {
    /// How many digits.
    fn count(&self) -> u64 {
        match self {
            Left::Rows(rows) => rows.len() as u64,
            Left::Digits { count, .. } => *count,
        }
    }

    /// One of them.
    fn digit(&self, place: u64) -> u64 {
        match self {
            Left::Rows(rows) => u64::from(rows[place as usize]),
            Left::Digits { from, .. } => from + place,
        }
    }
}

/// The digits of one of those who share what stands in the clear.
fn digits(left: &[Left<'_>], mut residue: u64) -> Digits {
    let mut digits = Digits::default();
    for (digit, left) in digits.iter_mut().zip(left).rev() {
        let count = left.count();
        *digit = left.digit(residue % count);
        residue /= count;
    }
    digits
}

/// The fields and columns that a form names.
fn names(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let inside = text
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    inside.map(|(inside, _)| match inside.split_once('.') {
        Some((name, column)) => (name, Some(column)),
        None => (inside, None),
    })
}

/// How a field shows in a form.
fn shown(field: &Field, text: &str, only: Option<(u64, u64)>) -> Result<Shown, String> {
    let name = &field.name;
    let mine: Vec<_> = names(text)
        .filter(|(named, _)| named == name)
        .map(|(_, column)| column)
        .collect();
    match (mine.first(), &field.domain) {
        (None, _) => {
            let (from, to) = only.unwrap_or((0, field.size()));
            Ok(Shown::Free {
                from,
                count: to - from,
            })
        }
        (Some(None), Domain::Numbers { from, count }) => Ok(Shown::Whole {
            from: *from,
            count: *count,
        }),
        (Some(_), Domain::Numbers { .. }) => Err(format!("{name} has no columns")),
        (Some(_), Domain::Rows(table)) => {
            let columns: Option<Vec<_>> = mine.into_iter().collect();
            let rows = only.unwrap_or((0, table.rows()));
            let index = columns.and_then(|columns| table.index_of(&columns, rows));
            index
                .map(Shown::Columns)
                .ok_or_else(|| format!("{name} has no such columns"))
        }
    }
}

#[cfg(test)]
mod tests;
