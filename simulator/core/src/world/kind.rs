//! Kinds of subjects: which numbers there are, and what each digit of a number stands for.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::world::FieldRow;

use super::permutation::Permutation;
use super::table::Table;

/// A digit of a subject's number.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its name.
    pub name: String,
    /// What it can be.
    pub domain: Domain,
    size: u64,
}

/// What a digit can be.
#[derive(Debug, Clone)]
pub(super) enum Domain {
    /// A row of a table.
    Rows(Arc<Table>),
    /// A whole number: the first, and how many there are.
    Numbers {
        /// The smallest.
        from: u64,
        /// How many.
        count: u64,
    },
}

impl Field {
    /// The field of a row.
    ///
    /// # Errors
    /// That there is no such table.
    pub(super) fn of(
        row: &FieldRow,
        tables: &BTreeMap<String, Arc<Table>>,
    ) -> Result<Self, String> {
        let domain = match &row.rows {
            Some(rows) => tables.get(rows).cloned().map(Domain::Rows),
            None => Some(Domain::Numbers {
                from: row.from,
                count: row.count,
            }),
        };
        let domain = domain.ok_or_else(|| format!("{}: there is no such table", row.name))?;
        Ok(Field::new(&row.name, domain))
    }

    #[must_use]
    pub(super) fn new(name: &str, domain: Domain) -> Self {
        let size = match &domain {
            Domain::Rows(table) => table.rows(),
            Domain::Numbers { count, .. } => *count,
        };
        Field {
            name: name.to_owned(),
            domain,
            size,
        }
    }

    /// How many values it has.
    #[must_use]
    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

/// How many fields a kind has at most.
pub(super) const MOST_FIELDS: usize = 8;

/// The digits of a subject's number, as many as it has fields; the others are zero.
pub(super) type Digits = [u64; MOST_FIELDS];

/// Ranges of digits by the name of the field, the second number not included.
pub(super) type Ranges = BTreeMap<String, (u64, u64)>;

/// A kind of subject: its fields, the first the most significant digit.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    /// Its name.
    pub name: String,
    own: Vec<Field>,
    /// How many subjects differ only in what follows a field, by field.
    below: Vec<u64>,
    /// The first fields once more, as others see them.
    alias: Option<Alias>,
    /// Whom identifiers mean that are nobody's own.
    common: Vec<(u64, u64)>,
}

/// Fields that stand for others: together they know as much, each alone nothing of them.
#[derive(Debug, Clone)]
struct Alias {
    /// How many of the first fields it stands for, and how many others stand for them.
    of: usize,
    by: usize,
    /// The fields of the alias, then the rest of the kind's own.
    seen: Vec<Field>,
    parts: Vec<AliasPart>,
}

/// Subjects that the alias shows among themselves: the ranges of their first digits, and of those that
/// stand for these.
#[derive(Debug, Clone)]
struct AliasPart {
    own: Vec<(u64, u64)>,
    seen: Vec<(u64, u64)>,
    /// How many combinations of own digits there are, and of those that stand for them.
    size: u64,
    room: u64,
}

/// Which fields of a kind are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// Its own.
    Own,
    /// Those of the alias, and the rest of its own.
    Alias,
}

impl Kind {
    /// A kind with these fields.
    #[must_use]
    pub(super) fn new(name: &str, fields: Vec<Field>, common: &Ranges) -> Self {
        assert!(fields.len() <= MOST_FIELDS);
        let after = |at: usize| fields[at + 1..].iter().map(Field::size).product();
        let mut kind = Kind {
            name: name.to_owned(),
            below: (0..fields.len()).map(after).collect(),
            own: fields,
            alias: None,
            common: Vec::new(),
        };
        if !common.is_empty() {
            kind.common = ranges(&kind, View::Own, common);
        }
        kind
    }

    /// With other fields that stand for the first ones, in one part or in two.
    #[must_use]
    pub(super) fn with_alias(
        mut self,
        of: usize,
        fields: Vec<Field>,
        parts: Option<(u64, u64)>,
    ) -> Self {
        let by = fields.len();
        let seen = [&fields, &self.own[of..]].concat();
        assert!(seen.len() <= MOST_FIELDS);
        let all = |fields: &[Field]| fields.iter().map(|field| (0, field.size())).collect();
        let (own, shown): (Vec<_>, Vec<_>) = (all(&self.own[..of]), all(&fields));
        let parted = |ranges: &[(u64, u64)], at: u64| {
            let (mut below, mut above) = (ranges.to_vec(), ranges.to_vec());
            below[ranges.len() - 1].1 = at;
            above[ranges.len() - 1].0 = at;
            [below, above]
        };
        let part = |(own, seen): (Vec<_>, Vec<_>)| {
            let (size, room) = (count(&own), count(&seen));
            assert!(size <= room, "{}: {size} do not fit into {room}", self.name);
            AliasPart {
                own,
                seen,
                size,
                room,
            }
        };
        let parts: Vec<AliasPart> = match parts {
            None => vec![part((own, shown))],
            Some((at, seen_at)) => {
                let pairs = parted(&own, at).into_iter().zip(parted(&shown, seen_at));
                pairs.map(part).collect()
            }
        };
        self.alias = Some(Alias {
            of,
            by,
            seen,
            parts,
        });
        self
    }

    /// How many subjects there are.
    #[must_use]
    pub(super) fn size(&self) -> u64 {
        product(&self.own)
    }

    /// The fields that a view shows.
    #[must_use]
    pub(super) fn fields(&self, view: View) -> &[Field] {
        match (&self.alias, view) {
            (Some(alias), View::Alias) => &alias.seen,
            _ => &self.own,
        }
    }

    /// The digits of the alias that whoever identifiers mean can have which are nobody's own.
    #[must_use]
    pub(super) fn common_as_seen(&self) -> Vec<(u64, u64)> {
        let own = |name: &str| {
            let at = self.own.iter().position(|field| field.name == name)?;
            self.common.get(at).copied()
        };
        let seen = self.fields(View::Alias).iter();
        seen.map(|field| own(&field.name).unwrap_or((0, field.size())))
            .collect()
    }

    /// Whether an identifier that is nobody's own may mean a subject.
    #[must_use]
    pub(super) fn is_common(&self, number: u64) -> bool {
        self.common.is_empty() || within(&self.common, &self.digits(number, View::Own, 0))
    }

    /// One of a subject's own digits, without the others.
    #[must_use]
    pub(super) fn digit(&self, number: u64, field: usize) -> u64 {
        number / self.below[field] % self.own[field].size
    }

    /// The digits of a subject's number.
    #[must_use]
    pub(super) fn digits(&self, number: u64, view: View, seed: u64) -> Digits {
        let own = split(&self.own, number);
        let alias = match (&self.alias, view) {
            (Some(alias), View::Alias) => alias,
            _ => return own,
        };
        let mut parts = alias.parts.iter();
        let part = parts.find(|part| within(&part.own, &own));
        let part = part.expect("each digit is in one of the parts");
        let mixed = Permutation::new(seed, part.room).apply(packed(&part.own, &own));
        let mut seen = unpacked(&part.seen, mixed);
        let rest = self.own.len() - alias.of;
        seen[alias.by..][..rest].copy_from_slice(&own[alias.of..][..rest]);
        seen
    }

    /// The number of a subject with these digits. Digits of an alias that stand for nobody's are
    /// taken for somebody else's.
    #[must_use]
    pub(super) fn number(&self, digits: &Digits, view: View, seed: u64) -> u64 {
        let (alias, part, first) = match self.first(digits, view, seed) {
            None => return joined(&self.own, digits),
            Some(found) => found,
        };
        self.joined_rest(alias, digits, unpacked(&part.own, first % part.size))
    }

    /// The number of the subject that has just these digits; none where nobody has them.
    #[must_use]
    pub(super) fn holder(&self, digits: &Digits, view: View, seed: u64) -> Option<u64> {
        let mut pairs = self.fields(view).iter().zip(digits);
        if !pairs.all(|(field, digit)| *digit < field.size) {
            return None;
        }
        match self.first(digits, view, seed) {
            None => Some(joined(&self.own, digits)),
            Some((alias, part, first)) => (first < part.size)
                .then(|| self.joined_rest(alias, digits, unpacked(&part.own, first))),
        }
    }

    /// What an alias stands for: the part that its digits are in, and the number of the own ones there, which is too
    /// large where they are nobody's. None where the digits are the kind's own.
    fn first(&self, digits: &Digits, view: View, seed: u64) -> Option<(&Alias, &AliasPart, u64)> {
        let alias = self.alias.as_ref().filter(|_| view == View::Alias)?;
        let mut parts = alias.parts.iter();
        let part = parts.find(|part| within(&part.seen, digits));
        let part = part.expect("each digit is in one of the parts");
        let first = Permutation::new(seed, part.room).undo(packed(&part.seen, digits));
        Some((alias, part, first))
    }

    /// The number of these first own digits and the others that an alias shows as they are.
    fn joined_rest(&self, alias: &Alias, digits: &Digits, mut own: Digits) -> u64 {
        let rest = self.own.len() - alias.of;
        own[alias.of..][..rest].copy_from_slice(&digits[alias.by..][..rest]);
        joined(&self.own, &own)
    }
}

/// The digits that subjects of a kind can have, where some are bounded.
pub(super) fn ranges(kind: &Kind, view: View, only: &Ranges) -> Vec<(u64, u64)> {
    let range = |field: &Field| only.get(&field.name).copied().unwrap_or((0, field.size()));
    kind.fields(view).iter().map(range).collect()
}

/// How many combinations of digits there are in these ranges.
pub(super) fn count(ranges: &[(u64, u64)]) -> u64 {
    ranges.iter().map(|(from, to)| to - from).product()
}

/// Whether the first digits are in these ranges.
pub(super) fn within(ranges: &[(u64, u64)], digits: &Digits) -> bool {
    let mut pairs = ranges.iter().zip(digits);
    pairs.all(|((from, to), digit)| (from..to).contains(&digit))
}

/// The number of digits among those in these ranges.
pub(super) fn packed(ranges: &[(u64, u64)], digits: &Digits) -> u64 {
    let pairs = ranges.iter().zip(digits);
    pairs.fold(0, |number, ((from, to), digit)| {
        number * (to - from) + digit.saturating_sub(*from) % (to - from)
    })
}

/// The digits of a number among those in these ranges.
pub(super) fn unpacked(ranges: &[(u64, u64)], number: u64) -> Digits {
    let (mut digits, mut left) = (Digits::default(), number);
    for ((from, to), digit) in ranges.iter().zip(&mut digits).rev() {
        *digit = from + left % (to - from);
        left /= to - from;
    }
    digits
}

/// How many combinations these fields have.
fn product(fields: &[Field]) -> u64 {
    fields.iter().map(Field::size).product()
}

fn joined(fields: &[Field], digits: &Digits) -> u64 {
    let pairs = fields.iter().zip(digits);
    pairs.fold(0, |number, (field, digit)| number * field.size() + digit)
}

fn split(fields: &[Field], number: u64) -> Digits {
    let (mut digits, mut left) = (Digits::default(), number);
    for (field, digit) in fields.iter().zip(&mut digits).rev() {
        *digit = left % field.size();
        left /= field.size();
    }
    digits
}
