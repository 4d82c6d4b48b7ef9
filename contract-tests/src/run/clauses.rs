//! Which clauses a run asks, and why it does not ask the others. Made from the plan before anything
//! is sent.

use std::collections::BTreeSet;

use super::filter::Filter;
use crate::check::Check;
use crate::event::{ClauseRow, Coverage};
use crate::plan::{Case, Setting};
use crate::profile::Profile;
use crate::verdict::EVERY_ANSWER;
use svc_fixtures::contract::{Clause, Environment};
use svc_fixtures::embedded;

/// Every clause of the contract, and whether a run of these checks asks it.
#[must_use]
pub fn clauses(setting: &Setting<'_>, checks: &[Check], filter: &Filter) -> Vec<ClauseRow> {
    let chosen = checks
        .iter()
        .filter(|check| filter.allows_check(check, setting));
    let cases = chosen.flat_map(|check| filter.cases(check, setting));
    rows(setting, checks, &cases.collect::<Vec<Case>>())
}

/// The same, where the cases are known.
#[must_use]
pub fn rows(setting: &Setting<'_>, checks: &[Check], cases: &[Case]) -> Vec<ClauseRow> {
    let mut on_live = setting.clone();
    on_live.environments = Environment::ALL.to_vec();
    let mut extended = on_live.clone();
    extended.profile = Profile::Simulator;
    let coverage = PlannedClauses {
        setting,
        here: expected(cases),
        unfiltered: expected(&all(setting, checks)),
        on_live: expected(&all(&on_live, checks)),
        extended: expected(&all(&extended, checks)),
        anywhere: expected(&all(&setting.clone().everything(), checks)),
        any: !cases.is_empty(),
    };
    let clauses = &setting.contract.clauses;
    clauses.iter().map(|clause| coverage.row(clause)).collect()
}

/// Everything that could be asked, to say why something is not.
struct PlannedClauses<'s> {
    setting: &'s Setting<'s>,
    here: BTreeSet<String>,
    unfiltered: BTreeSet<String>,
    on_live: BTreeSet<String>,
    extended: BTreeSet<String>,
    anywhere: BTreeSet<String>,
    any: bool,
}

impl PlannedClauses<'_> {
    fn row(&self, clause: &Clause) -> ClauseRow {
        let (file, line) = place(&clause.id);
        ClauseRow {
            id: clause.id.clone(),
            section: clause.section.clone(),
            text: clause.text.clone(),
            file,
            line,
            coverage: self.coverage(clause),
        }
    }

    fn coverage(&self, row: &Clause) -> Coverage {
        let clause = row.id.as_str();
        let excluded = |why: &str| Coverage::Excluded {
            why: why.to_owned(),
        };
        let of_every_answer = EVERY_ANSWER.contains(&clause);
        if self.here.contains(clause) {
            Coverage::ByCase
        } else if !self.setting.covers(clause)
            && (of_every_answer || self.anywhere.contains(clause))
        {
            excluded("only a ruling says it: asked with --profile simulator")
        } else if of_every_answer && self.any {
            Coverage::ByEveryAnswer
        } else if self.unfiltered.contains(clause) {
            excluded("the filter leaves it out")
        } else if self.on_live.contains(clause) {
            excluded("it is asked on live only, and no live address was given")
        } else if self.extended.contains(clause) {
            excluded("its cases are asked with --profile simulator")
        } else if self.anywhere.contains(clause) {
            excluded(
                "it needs the console or a receiver of webhooks: --console-url, --webhook-sink",
            )
        } else if let Some(why) = &row.excluded {
            excluded(why)
        } else {
            Coverage::Uncovered
        }
    }
}

fn all(setting: &Setting<'_>, checks: &[Check]) -> Vec<Case> {
    checks
        .iter()
        .flat_map(|check| check.cases(setting))
        .collect()
}

/// The clauses that cases expect.
pub(super) fn expected<'c>(cases: impl IntoIterator<Item = &'c Case>) -> BTreeSet<String> {
    cases.into_iter().flat_map(Case::clauses).collect()
}

/// Where a clause stands, for annotations of its breach.
fn place(clause: &str) -> (String, usize) {
    let written = format!("id = \"{clause}\"");
    let found = embedded::contract().into_iter().find_map(|source| {
        let mut lines = source.text.lines();
        let at = lines.position(|line| line.trim() == written)?;
        source
            .path
            .contains("clauses")
            .then(|| (source.path.clone(), at + 1))
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::inputs;
    use svc_fixtures::contract::Contract;

    fn coverage(setting: &Setting<'_>, filter: &Filter, clause: &str) -> Coverage {
        let rows = clauses(setting, &check::all(), filter);
        let row = rows.into_iter().find(|row| row.id == clause);
        row.expect("a clause of the contract").coverage
    }

    #[test]
    fn what_is_not_asked_says_why() {
        let contract = Contract::built_in();
        let real = Setting::new(&contract, inputs::built_in(), "s");
        let all = Filter::default();
        let one = Filter {
            check: Some("envelope".to_owned()),
            ..Filter::default()
        };
        let why = |coverage: Coverage| match coverage {
            Coverage::Excluded { why } => why,
            other => format!("{other:?}"),
        };
        assert_eq!(
            coverage(&real, &all, "errors.invalid-input"),
            Coverage::ByCase
        );
        assert_eq!(
            coverage(&real, &one, "envelope.meta"),
            Coverage::ByEveryAnswer
        );
        assert!(why(coverage(&real, &one, "errors.invalid-input")).contains("filter"));
        assert!(why(coverage(&real, &all, "ruling.11-carried-ids")).contains("--profile"));
    }

    #[test]
    fn every_clause_stands_in_a_file() {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "s");
        let rows = clauses(&setting, &check::all(), &Filter::default());
        let lost: Vec<_> = rows.iter().filter(|row| row.line == 0).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}
