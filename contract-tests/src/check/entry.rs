//! An entry of the registry: what a check is called, what it asks, when it is run, and its cases.

use std::collections::BTreeSet;

use svc_fixtures::contract::{ClauseKind, Environment, Operation};

use super::control;
use crate::capture::Capture;
use crate::plan::{Case, Expectation, Setting};
use crate::verdict::EVERY_ANSWER;

/// One contract test.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name: the family and what it is about.
    pub id: &'static str,
    /// What it shows, for people.
    pub title: &'static str,
    /// The clauses it asks itself. Others come from the contract's rows: see [`Check::asks`].
    pub clauses: &'static [&'static str],
    /// What its calls do.
    pub stage: Stage,
    /// What it runs.
    pub cases: Cases,
}

/// What makes the cases of a check. A function answers none where there is nothing to ask.
#[derive(Debug, Clone, Copy)]
pub enum Cases {
    /// They are about no operation, or about one of many.
    Once(fn(&Setting<'_>) -> Option<Vec<Case>>),
    /// They are about an operation, and made for each.
    PerOperation(fn(&Setting<'_>, &Operation) -> Option<Vec<Case>>),
    /// They are about an operation, and made for each in each environment.
    Everywhere(fn(&Setting<'_>, &Operation, Environment) -> Option<Vec<Case>>),
    /// They are about the law at this place of the list of laws.
    OfLaw(usize, fn(&Setting<'_>, usize) -> Vec<Case>),
}

impl Cases {
    fn of(self, setting: &Setting<'_>) -> Vec<Case> {
        let operations = || setting.operations();
        match self {
            Cases::Once(make) => make(setting).unwrap_or_default(),
            Cases::OfLaw(at, make) => make(setting, at),
            Cases::PerOperation(make) => {
                let made = operations().filter_map(|operation| make(setting, operation));
                made.flatten().collect()
            }
            Cases::Everywhere(make) => {
                let made = |environment: &Environment| {
                    let environment = *environment;
                    operations().filter_map(move |of| make(setting, of, environment))
                };
                setting
                    .environments
                    .iter()
                    .flat_map(made)
                    .flatten()
                    .collect()
            }
        }
    }
}

/// What the calls of a check do, and so when they are made: the harmless ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// They are refused before anything is executed: free everywhere.
    Refused,
    /// They are executed on the sandbox: free.
    Sandbox,
    /// They are executed on live, and may be charged.
    Live,
}

impl Check {
    /// Its cases in a setting: none where everything in it is asked only elsewhere.
    #[must_use]
    pub fn cases(&self, setting: &Setting<'_>) -> Vec<Case> {
        let mut cases = self.cases.of(setting);
        cases.iter_mut().for_each(control::leave_as_found);
        cases.retain(|case| {
            let mut steps = case.steps.iter();
            setting.environments.contains(&case.environment)
                && (setting.by_rulings() || !case.extension)
                && steps.all(|step| setting.can_use(step.request.channel))
        });
        for step in cases.iter_mut().flat_map(|case| &mut case.steps) {
            let asked = |it: &Expectation| setting.covers(&it.clause) || it.rule.is_only_noted();
            step.expect.retain(asked);
        }
        // A case of which nothing is left to expect is only sent for what holds of every answer.
        let mut own = self.clauses.iter();
        let envelope_only = own.any(|clause| EVERY_ANSWER.contains(clause));
        cases.retain(|case| envelope_only || case.steps.iter().any(|step| !step.expect.is_empty()));
        cases
    }

    /// Every clause its cases ask in a setting, its own and those of the rows.
    #[must_use]
    pub fn asks(&self, setting: &Setting<'_>) -> BTreeSet<String> {
        let cases = self.cases(setting);
        let own = self.clauses.iter().map(|clause| (*clause).to_owned());
        cases.iter().flat_map(Case::clauses).chain(own).collect()
    }
}

/// Those of which a capture has cases. A recording has none, and to plan what nobody asked takes a while.
#[must_use]
pub fn asked_in<'c>(checks: &'c [Check], capture: &Capture) -> Vec<&'c Check> {
    let asked: BTreeSet<_> = capture
        .cases
        .iter()
        .map(|case| case.check.as_str())
        .collect();
    checks
        .iter()
        .filter(|check| asked.contains(check.id))
        .collect()
}

/// The clause below an operation's own that says this of it, where it has one.
pub(super) fn clause_below(
    setting: &Setting<'_>,
    operation: &Operation,
    what: &str,
) -> Option<String> {
    let id = format!("{}.{what}", operation.clause);
    let mut clauses = setting.contract.clauses.iter();
    clauses.any(|clause| clause.id == id).then_some(id)
}

/// The clauses below an operation's own that speak of its webhooks.
pub(super) fn webhook_clauses<'c>(
    setting: &Setting<'c>,
    operation: &Operation,
) -> impl Iterator<Item = &'c str> {
    let below = format!("{}.", operation.clause);
    let clauses = setting.contract.clauses.iter();
    let own = clauses
        .filter(move |clause| clause.kind == ClauseKind::Webhook && clause.id.starts_with(&below));
    own.map(|clause| clause.id.as_str())
}
