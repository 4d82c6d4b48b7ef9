//! An entry of the registry: what a check is called, what it proves, when it is run, and its cases.

use std::collections::BTreeSet;

use svc_fixtures::contract::Environment;

use super::control;
use crate::plan::{Case, Setting};
use crate::verdict::EVERY_ANSWER;

/// One contract test.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its name: the family and what it is about.
    pub id: &'static str,
    /// What it shows, for people.
    pub title: &'static str,
    /// The clauses it proves itself. Others come from the contract's rows: see [`Check::proves`].
    pub clauses: &'static [&'static str],
    /// What its calls do.
    pub stage: Stage,
    /// What it runs.
    pub run: fn(&Setting<'_>) -> Vec<Case>,
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
        let mut cases = (self.run)(setting);
        cases.iter_mut().for_each(control::leave_as_found);
        cases.retain(|case| {
            setting.environments.contains(&case.environment)
                && (setting.extensions || !case.extension)
                && case
                    .steps
                    .iter()
                    .all(|step| setting.can_use(step.request.channel))
        });
        for case in &mut cases {
            for step in &mut case.steps {
                step.expect
                    .retain(|expectation| setting.covers(&expectation.clause));
            }
        }
        // A case of which nothing is left to expect is only sent for what holds of every answer.
        let envelope_only = self
            .clauses
            .iter()
            .any(|clause| EVERY_ANSWER.contains(clause));
        cases.retain(|case| envelope_only || case.steps.iter().any(|step| !step.expect.is_empty()));
        cases
    }

    /// Every clause its cases prove in a setting, its own and those of the rows.
    #[must_use]
    pub fn proves(&self, setting: &Setting<'_>) -> BTreeSet<String> {
        let expected = self
            .cases(setting)
            .into_iter()
            .flat_map(|case| case.steps)
            .flat_map(|step| step.expect);
        let own = self.clauses.iter().map(|clause| (*clause).to_owned());
        expected
            .map(|expectation| expectation.clause)
            .chain(own)
            .collect()
    }
}

/// The environments of a setting in which calls that cost nothing are made.
pub(super) fn everywhere(setting: &Setting<'_>) -> impl Iterator<Item = Environment> {
    setting.environments.clone().into_iter()
}
