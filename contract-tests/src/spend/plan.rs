//! Which paid cases a budget covers, decided before anything is sent: cheapest first, the first case of every
//! operation before the second of any. Knows prices and names; sends nothing.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::Paise;

use super::price::most_of_case;
use crate::plan::{Case, Setting};

/// A case with what all of its calls can cost at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedCase {
    /// The check.
    pub check: String,
    /// The case.
    pub case: String,
    /// The operation it is about, where it is about one.
    pub operation: Option<String>,
    /// What all of its calls can cost at most.
    pub most: Paise,
}

impl PricedCase {
    /// A case of a check.
    #[must_use]
    pub fn of(setting: &Setting<'_>, check: &str, case: &Case) -> Self {
        PricedCase {
            check: check.to_owned(),
            case: case.name.clone(),
            operation: case.operation.clone(),
            most: most_of_case(setting, case),
        }
    }

    fn name(&self) -> (String, String) {
        (self.check.clone(), self.case.clone())
    }
}

/// What a budget covers of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpendPlan {
    budget: Paise,
    ceiling: Paise,
    left_out: BTreeMap<(String, String), Paise>,
    /// What was chosen and is not begun yet.
    waiting: BTreeMap<(String, String), Paise>,
    /// What was paid for before the run was broken off.
    settled: BTreeSet<(String, String)>,
}

impl SpendPlan {
    /// Chooses among cases; those that cost nothing are always chosen. As each call counts as what it
    /// can cost at most, whatever its answer says, what is chosen here fits when it is sent.
    #[must_use]
    pub fn choose(budget: Paise, cases: impl IntoIterator<Item = PricedCase>) -> Self {
        let cases = cases.into_iter().filter(|case| case.most > Paise::ZERO);
        let mut cases: Vec<_> = cases.collect();
        cases.sort_by_key(|case| case.most);
        let mut before: BTreeMap<Option<String>, usize> = BTreeMap::new();
        let mut ranked = Vec::new();
        for case in cases {
            let rank = before.entry(case.operation.clone()).or_default();
            ranked.push((*rank, case));
            *rank += 1;
        }
        ranked.sort_by_key(|(rank, case)| (*rank, case.most));
        let mut plan = SpendPlan {
            budget,
            ..SpendPlan::default()
        };
        for (_, case) in ranked {
            let sum = plan.ceiling.checked_add(case.most);
            match sum.filter(|sum| *sum <= budget) {
                Some(sum) => {
                    plan.ceiling = sum;
                    plan.waiting.insert(case.name(), case.most);
                }
                None => {
                    plan.left_out.insert(case.name(), case.most);
                }
            }
        }
        plan
    }

    /// The same, with cases that were paid for before.
    #[must_use]
    pub fn after(self, settled: Vec<PricedCase>) -> Self {
        let settled = settled.iter().map(PricedCase::name).collect();
        SpendPlan { settled, ..self }
    }

    /// How many cases were paid for before.
    #[must_use]
    pub fn settled(&self) -> usize {
        self.settled.len()
    }

    /// Whether a case is sent.
    #[must_use]
    pub fn sends(&self, check: &str, case: &str) -> bool {
        let name = (check.to_owned(), case.to_owned());
        !self.left_out.contains_key(&name) && !self.settled.contains(&name)
    }

    /// Takes a case out of those that are not begun yet.
    pub fn begin(&mut self, check: &str, case: &str) {
        self.waiting.remove(&(check.to_owned(), case.to_owned()));
    }

    /// What the cases that are not begun yet can cost at most: nobody else may use it.
    #[must_use]
    pub fn waiting(&self) -> Paise {
        self.waiting.values().copied().sum()
    }

    /// What all that was chosen can cost at most.
    #[must_use]
    pub fn ceiling(&self) -> Paise {
        self.ceiling
    }

    /// How many cases were left out.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// Why a case is left out, where it is.
    #[must_use]
    pub fn why_not(&self, check: &str, case: &str) -> Option<String> {
        let most = self.left_out.get(&(check.to_owned(), case.to_owned()))?;
        let budget = self.budget;
        Some(format!(
            "left out: its calls can cost {most} INR, and cheaper cases come first in what is left of the budget, {budget} INR"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(operation: &str, name: &str, most: i64) -> PricedCase {
        PricedCase {
            check: "a.check".to_owned(),
            case: name.to_owned(),
            operation: Some(operation.to_owned()),
            most: Paise(most),
        }
    }

    #[test]
    fn every_operation_comes_before_the_second_case_of_any_and_the_cheapest_first() {
        let cases = || {
            [
                case("one", "1a", 100),
                case("one", "1b", 110),
                case("two", "2a", 300),
                case("three", "3a", 250),
                case("three", "free", 0),
            ]
        };
        let out = |budget| {
            let plan = SpendPlan::choose(Paise(budget), cases());
            let names = cases().map(|case| case.case).into_iter();
            let out = names.filter(|name| plan.why_not("a.check", name).is_some());
            (plan.ceiling().0, out.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(out(99), (0, "1a 1b 2a 3a".to_owned()));
        assert_eq!(out(350), (350, "1b 2a".to_owned()));
        assert_eq!(out(649), (460, "2a".to_owned()));
        assert_eq!(out(650), (650, "1b".to_owned()));
        assert_eq!(out(760), (760, String::new()));
    }
}
