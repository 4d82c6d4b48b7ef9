//! What a run would send and could cost at most, without sending anything.

use svc_fixtures::contract::{Environment, Paise};

use super::price::most;
use crate::plan::{Case, Setting};

/// The calls of one check in one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EstimateRow {
    /// The check.
    pub check: &'static str,
    /// Where they are sent.
    pub environment: Environment,
    /// How many there are.
    pub calls: usize,
    /// How many of them can cost something.
    pub paid: usize,
    /// What all of them can cost at most.
    pub most: Paise,
    /// What the dearest of them can cost.
    pub dearest: Paise,
}

/// The calls of a run, check by check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Estimate {
    /// A row for every check and environment in which it has calls.
    pub rows: Vec<EstimateRow>,
}

impl Estimate {
    /// Adds the cases of a check. Each call counts once, whatever would be repeated.
    pub fn add(&mut self, setting: &Setting<'_>, check: &'static str, cases: &[Case]) {
        for environment in Environment::ALL {
            let mine = cases.iter().filter(|case| case.environment == environment);
            let prices: Vec<Paise> = mine
                .flat_map(|case| &case.steps)
                .map(|step| most(setting, environment, step))
                .collect();
            if prices.is_empty() {
                continue;
            }
            self.rows.push(EstimateRow {
                check,
                environment,
                calls: prices.len(),
                paid: prices.iter().filter(|price| **price > Paise::ZERO).count(),
                most: prices.iter().copied().sum(),
                dearest: prices.iter().copied().max().unwrap_or_default(),
            });
        }
    }

    /// How many calls go to an environment, how many of them can cost something, and what all of
    /// them can cost at most.
    #[must_use]
    pub fn total(&self, environment: Environment) -> (usize, usize, Paise) {
        let rows = || {
            let rows = self.rows.iter();
            rows.filter(move |row| row.environment == environment)
        };
        let calls = rows().map(|row| row.calls).sum();
        let paid = rows().map(|row| row.paid).sum();
        (calls, paid, rows().map(|row| row.most).sum())
    }
}
