//! What a run cost, as its reports say it.

use std::fmt;

use svc_fixtures::contract::Paise;

/// What a run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spending {
    /// What it was to cost at most.
    pub budget: Paise,
    /// What was spent, or may have been: each answered call counts as what it could cost, or as more where its answer says so.
    pub spent: Paise,
    /// What calls can cost besides whose outcome is unknown.
    pub unknown: Paise,
    /// What the answers say was charged, of those that say it plainly.
    pub stated: Paise,
}

impl fmt::Display for Spending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "spent {} INR of {} INR", self.spent, self.budget)?;
        if self.unknown > Paise::ZERO {
            let unknown = self.unknown;
            write!(
                out,
                ", and up to {unknown} INR for calls whose outcome is unknown"
            )?;
        }
        match self.spent == self.stated {
            true => Ok(()),
            false => write!(
                out,
                "; the answers say {} INR, the rest is what calls could have cost",
                self.stated
            ),
        }
    }
}
