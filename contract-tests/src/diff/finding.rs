//! What a comparison finds: differences, each once, with all that it touches.

use std::collections::BTreeSet;
use std::fmt;

use crate::capture::Exchange;

/// What a look-up of a call is called, in the place of an operation.
pub(super) const LOOK_UP: &str = "look-up";

/// What is different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// How a call ends: its HTTP status, or whether it succeeds at all.
    Status,
    /// Which error it ends in, or whether that may be tried again.
    Code,
    /// A member that only one side has, or that has another name.
    Member,
    /// The JSON type of a value.
    Type,
    /// The layout of a text or a number.
    Format,
    /// Whether a value may be null.
    Nullability,
    /// A value that is none of those it is chosen from.
    Enumeration,
    /// A header of the answer.
    Header,
    /// What a call costs, or whether it is charged.
    Price,
    /// How long calls take.
    Latency,
    /// Which of several mistakes is said first.
    Order,
    /// What becomes of a call that is made again under its key.
    Idempotency,
    /// What is sent when a result comes later.
    Webhook,
    /// Anything else that one side does and the other does not.
    Behaviour,
}

impl Kind {
    /// Every kind, in the order of reports.
    pub const ALL: [Kind; 14] = [
        Kind::Status,
        Kind::Code,
        Kind::Order,
        Kind::Member,
        Kind::Type,
        Kind::Format,
        Kind::Nullability,
        Kind::Enumeration,
        Kind::Header,
        Kind::Price,
        Kind::Latency,
        Kind::Idempotency,
        Kind::Webhook,
        Kind::Behaviour,
    ];

    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Status => "status",
            Kind::Code => "code",
            Kind::Member => "member",
            Kind::Type => "type",
            Kind::Format => "format",
            Kind::Nullability => "nullability",
            Kind::Enumeration => "enumeration",
            Kind::Header => "header",
            Kind::Price => "price",
            Kind::Latency => "latency",
            Kind::Order => "order",
            Kind::Idempotency => "idempotency",
            Kind::Webhook => "webhook",
            Kind::Behaviour => "behaviour",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// One difference, with everything it touches.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Its kind.
    pub kind: Kind,
    /// What is different, such as `data.pan`.
    pub what: String,
    /// What the left side does.
    pub left: String,
    /// What the right side does.
    pub right: String,
    /// The operations whose answers show it.
    pub operations: BTreeSet<String>,
    /// The places that show it, where it is the same at several.
    pub places: BTreeSet<String>,
    /// The clauses of the contract that are told apart by it.
    pub clauses: BTreeSet<String>,
    /// The cases that show it: check and name.
    pub cases: BTreeSet<(String, String)>,
    /// One of the calls that show it.
    pub example: Option<Example>,
    /// Why it is known, where it is.
    pub known: Option<String>,
}

/// A call that shows a difference, as both sides answered it.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The check.
    pub check: String,
    /// Its case.
    pub case: String,
    /// Which call of the case, from 0.
    pub step: usize,
    /// On the left.
    pub left: Exchange,
    /// On the right.
    pub right: Exchange,
}

impl Difference {
    /// A difference that nothing shows yet.
    pub(super) fn new(
        kind: Kind,
        what: impl Into<String>,
        left: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        Difference {
            kind,
            what: what.into(),
            left: left.into(),
            right: right.into(),
            operations: BTreeSet::new(),
            places: BTreeSet::new(),
            clauses: BTreeSet::new(),
            cases: BTreeSet::new(),
            example: None,
            known: None,
        }
    }

    /// Takes in what another one touches.
    pub(super) fn absorb(&mut self, other: Difference) {
        self.operations.extend(other.operations);
        self.places.extend(other.places);
        self.clauses.extend(other.clauses);
        self.cases.extend(other.cases);
        self.example = self.example.take().or(other.example);
    }

    /// In a line: what each side does.
    #[must_use]
    pub fn headline(&self) -> String {
        let (kind, what) = (self.kind, &self.what);
        format!("{kind}: {what}: left {}, right {}", self.left, self.right)
    }
}

/// What was not compared, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotCompared {
    /// Why.
    pub why: String,
    /// How many cases.
    pub cases: usize,
    /// The first of them.
    pub first: String,
}

/// Two services beside each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The differences, by kind.
    pub differences: Vec<Difference>,
    /// How many cases were compared.
    pub cases: usize,
    /// How many answers of each side.
    pub answers: usize,
    /// Of how many operations.
    pub operations: usize,
    /// What was not compared.
    pub not_compared: Vec<NotCompared>,
}

impl Comparison {
    /// The differences that nobody knows.
    pub fn news(&self) -> impl Iterator<Item = &Difference> {
        let differences = self.differences.iter();
        differences.filter(|difference| difference.known.is_none())
    }
}
