//! What the judge finds: a verdict on one clause in one answer, and the list of them.

use std::fmt::{self, Display};

use crate::plan::{Case, Setting};

/// What was found out about one clause, in one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Held {
        /// The clause.
        clause: String,
    },
    /// It does not.
    Broken {
        /// The clause.
        clause: String,
        /// What was looked at.
        what: String,
        /// What must be.
        expected: String,
        /// What is.
        found: String,
        /// Why that is known and does not fail the run, where it is.
        known: Option<String>,
        /// In how many tries it was seen, where the case was tried again.
        seen: Option<SeenIn>,
    },
    /// It is remarkable, and nothing forbids it.
    Noted {
        /// The clause it is about.
        clause: String,
        /// What was looked at.
        what: String,
        /// What is.
        found: String,
    },
    /// Nobody knows.
    NotJudged {
        /// Why.
        why: String,
    },
}

/// In how many of a case's tries something was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenIn {
    /// In so many.
    pub tries: usize,
    /// Of so many.
    pub of: usize,
}

impl Display for SeenIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = self.of;
        match self.tries {
            all if all == of => write!(out, "always, in {of} tries"),
            1 => write!(out, "once in {of} tries"),
            some => write!(out, "in {some} of {of} tries"),
        }
    }
}

/// A verdict and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the case.
    pub case: String,
    /// The step, counting from 0.
    pub step: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// The longest text of what is expected and found. Answers are shorter, but for those that no report can
/// show anyway.
const LONGEST: usize = 32 << 10;

/// A text, or its beginning where it is longer than anybody reads.
fn bounded(text: &impl Display) -> String {
    let mut text = text.to_string();
    if text.len() > LONGEST {
        let bytes = text.len();
        text.truncate(text.floor_char_boundary(LONGEST));
        text.shrink_to_fit();
        text += &format!("… ({bytes} bytes)");
    }
    text
}

/// Verdicts being found.
pub(super) struct Findings<'s> {
    pub(super) setting: &'s Setting<'s>,
    pub(super) case: &'s str,
    pub(super) step: usize,
    /// Whether it is noted, too, what holds.
    pub(super) held: bool,
    pub(super) found: Vec<Finding>,
}

impl<'s> Findings<'s> {
    /// Nothing yet, of a case.
    pub(super) fn of(setting: &'s Setting<'s>, case: &'s Case) -> Self {
        Findings {
            setting,
            case: &case.name,
            step: 0,
            held: true,
            found: Vec::new(),
        }
    }
}

impl Findings<'_> {
    /// Notes whether a clause holds, where it is asked at all.
    pub(super) fn must(
        &mut self,
        clause: &str,
        holds: bool,
        what: impl Display,
        expected: impl Display,
        found: impl Display,
    ) {
        if holds && !self.held || !self.setting.covers(clause) {
            return;
        }
        let clause = clause.to_owned();
        self.note(match holds {
            true => Verdict::Held { clause },
            false => Verdict::Broken {
                clause,
                what: what.to_string(),
                expected: bounded(&expected),
                found: bounded(&found),
                known: None,
                seen: None,
            },
        });
    }

    /// Notes whether what is found is what is expected.
    pub(super) fn equal<E: Display + PartialEq<F>, F: Display>(
        &mut self,
        clause: &str,
        what: impl Display,
        expected: E,
        found: F,
    ) {
        let holds = expected == found;
        self.must(clause, holds, what, expected, found);
    }

    /// Notes the members that the specification does not name, in the lenient profile.
    pub(super) fn unknown_members(
        &mut self,
        clause: &str,
        places: impl IntoIterator<Item = String>,
    ) {
        for place in places {
            self.note(Verdict::Noted {
                clause: clause.to_owned(),
                what: "a member that the specification does not name".to_owned(),
                found: format!("`{place}`"),
            });
        }
    }

    pub(super) fn skip(&mut self, why: &str) {
        self.note(Verdict::NotJudged {
            why: why.to_owned(),
        });
    }

    pub(super) fn note(&mut self, verdict: Verdict) {
        self.found.push(Finding {
            case: self.case.to_owned(),
            step: self.step,
            verdict,
        });
    }
}
