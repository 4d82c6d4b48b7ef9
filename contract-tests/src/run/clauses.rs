//! Which clauses a run asks, and why it does not ask the others. Made from the plan before anything
//! is sent.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::asked::wider;
use super::filter::Filter;
use crate::check::Check;
use crate::event::{ClauseRow, Coverage};
use crate::plan::{Case, Setting};
use crate::proofs;
use crate::verdict::EVERY_ANSWER;
use svc_fixtures::contract::Clause;
use svc_fixtures::embedded;

/// Every clause of the contract, and whether a run of these checks asks it.
#[must_use]
pub fn clauses(setting: &Setting<'_>, checks: &[Check], filter: &Filter) -> Vec<ClauseRow> {
    rows(setting, checks, |setting| {
        let chosen = checks
            .iter()
            .filter(|check| filter.allows_check(check, setting));
        chosen
            .flat_map(|check| filter.cases(check, setting))
            .collect()
    })
}

/// The same, where it is known which cases of a setting were asked for.
#[must_use]
pub fn rows(
    setting: &Setting<'_>,
    checks: &[Check],
    asked_for: impl Fn(&Setting<'_>) -> Vec<Case>,
) -> Vec<ClauseRow> {
    let cases = asked_for(setting);
    let asked_for = &asked_for;
    let elsewhere = wider(setting).into_iter().map(|(wider, why)| {
        let clauses: Box<dyn FnOnce() -> _> = Box::new(move || expected(&asked_for(&wider)));
        (LazyCell::new(clauses), why)
    });
    let some = cases.len();
    let narrowed: Box<dyn FnOnce() -> _> = Box::new(move || some < all(setting, checks));
    let coverage = PlannedClauses {
        setting,
        here: expected(&cases),
        elsewhere: elsewhere.collect(),
        any: !cases.is_empty(),
        narrowed: LazyCell::new(narrowed),
    };
    let clauses = setting.contract.clauses.iter();
    clauses.map(|clause| coverage.row(clause)).collect()
}

/// What is found out once somebody asks: to plan all cases of a setting takes a while.
type Lazy<'s, T> = LazyCell<T, Box<dyn FnOnce() -> T + 's>>;

/// Everything that could be asked, to say why something is not.
struct PlannedClauses<'s> {
    setting: &'s Setting<'s>,
    here: BTreeSet<String>,
    /// What a run with more at hand would ask, and why this one does not.
    elsewhere: Vec<(Lazy<'s, BTreeSet<String>>, &'static str)>,
    any: bool,
    /// Whether only some cases were asked for: of all others nothing is said.
    narrowed: Lazy<'s, bool>,
}

impl PlannedClauses<'_> {
    fn row(&self, clause: &Clause) -> ClauseRow {
        let (file, line) = PLACES.get(&clause.id).cloned().unwrap_or_default();
        ClauseRow {
            id: clause.id.clone(),
            section: clause.section.clone(),
            text: clause.text.clone(),
            file,
            line,
            coverage: self.coverage(clause),
            defects: proofs::of(&clause.id).count(),
        }
    }

    fn coverage(&self, row: &Clause) -> Coverage {
        let clause = row.id.as_str();
        let excluded = |why: &str| Coverage::Excluded {
            why: why.to_owned(),
        };
        if self.here.contains(clause) {
            return Coverage::ByCase;
        }
        let of_every_answer = EVERY_ANSWER.contains(&clause);
        let mut elsewhere = self.elsewhere.iter();
        // Nothing asks what a row excludes, wherever: no other plan need be made to know it.
        let elsewhere = match row.excluded {
            Some(_) => None,
            None => elsewhere.find(|(clauses, _)| clauses.contains(clause)),
        };
        if !self.setting.covers(clause) && (of_every_answer || elsewhere.is_some()) {
            match elsewhere.is_none() && *self.narrowed {
                true => Coverage::NotAskedFor,
                false => excluded("only a ruling says it: asked with --profile simulator"),
            }
        } else if of_every_answer && self.any {
            Coverage::ByEveryAnswer
        } else if let Some((_, why)) = elsewhere {
            excluded(why)
        } else if *self.narrowed {
            Coverage::NotAskedFor
        } else if let Some(why) = &row.excluded {
            excluded(why)
        } else {
            Coverage::Uncovered
        }
    }
}

fn all(setting: &Setting<'_>, checks: &[Check]) -> usize {
    checks.iter().map(|check| check.cases(setting).len()).sum()
}

/// The clauses that cases expect.
pub(super) fn expected<'c>(cases: impl IntoIterator<Item = &'c Case>) -> BTreeSet<String> {
    cases.into_iter().flat_map(Case::clauses).collect()
}

/// Where every clause stands, for annotations of its breach: file and line.
static PLACES: LazyLock<BTreeMap<String, (String, usize)>> = LazyLock::new(|| {
    let mut places = BTreeMap::new();
    let sources = embedded::contract();
    for source in sources.iter().filter(|it| it.path.contains("clauses")) {
        for (at, line) in source.text.lines().enumerate() {
            let id = line.trim().strip_prefix("id = \"");
            if let Some(id) = id.and_then(|id| id.strip_suffix('"')) {
                places.insert(id.to_owned(), (source.path.clone(), at + 1));
            }
        }
    }
    places
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::plan::inputs;
    use svc_fixtures::contract::Contract;

    fn coverage(setting: &Setting<'_>, filter: &Filter, clause: &str) -> Option<Coverage> {
        let rows = clauses(setting, &check::all(), filter);
        let row = rows.into_iter().find(|row| row.id == clause);
        row.map(|row| row.coverage)
    }

    #[test]
    fn what_is_not_asked_says_why() {
        let contract = Contract::built_in();
        let real = Setting::new(&contract, inputs::built_in(), "s");
        let all = Filter::default();
        let one = Filter {
            checks: vec!["envelope".to_owned()],
            ..Filter::default()
        };
        let why = |coverage: Option<Coverage>| match coverage {
            Some(Coverage::Excluded { why }) => why,
            other => format!("{other:?}"),
        };
        assert_eq!(
            coverage(&real, &all, "errors.invalid-input"),
            Some(Coverage::ByCase)
        );
        assert_eq!(
            coverage(&real, &one, "envelope.meta"),
            Some(Coverage::ByEveryAnswer)
        );
        let left_out = "errors.invalid-input";
        assert_eq!(coverage(&real, &one, left_out), Some(Coverage::NotAskedFor));
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
