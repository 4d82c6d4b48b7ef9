//! Kinds of subjects: which numbers there are, and what each digit of a number stands for.

use std::sync::Arc;

use super::permutation::Permutation;
use super::table::Table;

/// A digit of a subject's number.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its name.
    pub name: String,
    /// What it can be.
    pub domain: Domain,
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
    /// How many values it has.
    #[must_use]
    pub(super) fn size(&self) -> u64 {
        match &self.domain {
            Domain::Rows(table) => table.rows(),
            Domain::Numbers { count, .. } => *count,
        }
    }
}

/// How many fields a kind has at most.
pub(super) const MOST_FIELDS: usize = 8;

/// The digits of a subject's number, as many as it has fields; the others are zero.
pub(super) type Digits = [u64; MOST_FIELDS];

/// A kind of subject: its fields, the first the most significant digit.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    /// Its name.
    pub name: String,
    own: Vec<Field>,
    /// The first fields once more, as others see them.
    alias: Option<Alias>,
}

/// Fields that stand for others: together they know as much, each alone nothing of them.
#[derive(Debug, Clone)]
struct Alias {
    /// How many of the first fields it stands for, and how many combinations these have.
    of: usize,
    size: u64,
    fields: Vec<Field>,
    /// The fields of the alias, then the rest of the kind's own.
    seen: Vec<Field>,
    /// How many combinations these have.
    room: u64,
}

/// Which fields a form speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// The kind's own.
    Own,
    /// Those of the alias, and the rest of its own.
    Alias,
}

impl Kind {
    /// A kind with these fields.
    #[must_use]
    pub(super) fn new(name: &str, fields: Vec<Field>) -> Self {
        Kind {
            name: name.to_owned(),
            own: fields,
            alias: None,
        }
    }

    /// With other fields that stand for the first ones.
    #[must_use]
    pub(super) fn with_alias(mut self, of: usize, fields: Vec<Field>) -> Self {
        let (size, room) = (product(&self.own[..of]), product(&fields));
        assert!(size <= room, "{}: {size} do not fit into {room}", self.name);
        let seen = [&fields, &self.own[of..]].concat();
        assert!(seen.len() <= MOST_FIELDS && self.own.len() <= MOST_FIELDS);
        self.alias = Some(Alias {
            of,
            size,
            fields,
            seen,
            room,
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

    /// The digits of a subject's number.
    #[must_use]
    pub(super) fn digits(&self, number: u64, view: View, seed: u64) -> Digits {
        let own = unpacked(&self.own, number);
        match (&self.alias, view) {
            (Some(alias), View::Alias) => {
                let mixed =
                    Permutation::new(seed, alias.room).apply(packed(&self.own[..alias.of], &own));
                let mut seen = unpacked(&alias.fields, mixed);
                let rest = self.own.len() - alias.of;
                seen[alias.fields.len()..][..rest].copy_from_slice(&own[alias.of..][..rest]);
                seen
            }
            _ => own,
        }
    }

    /// The number of a subject with these digits. Digits of an alias that stand for nobody's are
    /// taken for somebody else's.
    #[must_use]
    pub(super) fn number(&self, digits: &Digits, view: View, seed: u64) -> u64 {
        match (&self.alias, view) {
            (Some(alias), View::Alias) => {
                let first = Permutation::new(seed, alias.room).undo(packed(&alias.fields, digits))
                    % alias.size;
                let mut own = unpacked(&self.own[..alias.of], first);
                let rest = self.own.len() - alias.of;
                own[alias.of..][..rest].copy_from_slice(&digits[alias.fields.len()..][..rest]);
                packed(&self.own, &own)
            }
            _ => packed(&self.own, digits),
        }
    }
}

/// How many combinations these fields have.
fn product(fields: &[Field]) -> u64 {
    fields.iter().map(Field::size).product()
}

fn packed(fields: &[Field], digits: &Digits) -> u64 {
    let pairs = fields.iter().zip(digits);
    pairs.fold(0, |number, (field, digit)| number * field.size() + digit)
}

fn unpacked(fields: &[Field], number: u64) -> Digits {
    let (mut digits, mut left) = (Digits::default(), number);
    for (field, digit) in fields.iter().zip(&mut digits).rev() {
        *digit = left % field.size();
        left /= field.size();
    }
    digits
}
