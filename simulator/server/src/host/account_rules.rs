//! The scenarios that were added for one account while the simulator runs, and the rules that they make
//! together with those of all accounts.

use std::sync::Arc;

use svc_fixtures::reading::{Problem, Problems};

use crate::engine::call::rules::Rules;
use crate::engine::state::account::Account;
use crate::engine::state::scenarios::{AddedFile, AddedScenarios};

/// The most files that are added for one account, and the most bytes they have together.
const MAX_FILES: usize = 32;
const MAX_BYTES: usize = 1 << 20;

/// The most sets of scenarios that accounts have: each makes rules of its own, which take a megabyte or two. Copies of an
/// account have its set until something is added to one of them.
const MAX_SETS: usize = 256;

/// The scenarios of one account, and the rules they make as soon as a call needs them: what is read at the start is
/// compiled when it is asked for.
pub(super) struct OwnScenarios {
    pub(super) scenarios: Arc<AddedScenarios>,
    pub(super) rules: Option<Arc<AccountRules>>,
}

impl OwnScenarios {
    /// Those of an account; none where it has no file.
    pub(super) fn of(account: &Account) -> Option<Self> {
        let scenarios = account.scenarios.as_ref();
        let scenarios = scenarios.filter(|own| !own.files.is_empty())?;
        Some(OwnScenarios {
            scenarios: Arc::clone(scenarios),
            rules: None,
        })
    }
}

/// The rules that scenarios of single accounts make together with those of all accounts.
pub(super) struct AccountRules {
    /// What they are made of.
    scenarios: Arc<AddedScenarios>,
    shared: Arc<Rules>,
    pub(super) rules: Arc<Rules>,
    /// The files that decide nothing, because they do not fit.
    pub(super) left_out: Vec<LeftOut>,
}

/// A file of scenarios that was accepted and decides nothing now: it does not fit the scenarios of all accounts, or this
/// version reads it in another way than that which accepted it.
#[derive(Debug, Clone)]
pub struct LeftOut {
    /// The name it was given when it was added.
    pub name: String,
    /// What is wrong with it.
    pub mistakes: Problems,
}

fn refused(file: &AddedFile, reason: String, hint: &str) -> Problems {
    let mut problems = Problems::default();
    problems.push(Problem::new(&file.source(), 0..0, reason).hint(hint));
    problems
}

/// Refuses more than one account may have; `new` is what is new of it.
pub(super) fn refuse_too_much(scenarios: &AddedScenarios, new: &AddedFile) -> Result<(), Problems> {
    let bytes: usize = scenarios.files.iter().map(|file| file.toml.len()).sum();
    let reason = if scenarios.files.len() > MAX_FILES {
        format!("{MAX_FILES} files were added for this account, and no more may be")
    } else if bytes > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        format!("with this the files that were added for this account are over {most} MiB")
    } else {
        return Ok(());
    };
    let hint = "take some away: DELETE /control/scenarios/{id}?account=, or reset the account";
    Err(refused(new, reason, hint))
}

/// Refuses one more set where accounts have so many already.
pub(super) fn refuse_too_many_sets(others: usize, newest: &AddedFile) -> Result<(), Problems> {
    match others < MAX_SETS {
        true => Ok(()),
        false => Err(refused(
            newest,
            format!(
                "accounts have {others} sets of scenarios of their own, and no further one may be"
            ),
            "take those of other accounts away, or put these into a folder for --scenarios",
        )),
    }
}

/// Refuses scenarios that nearly all memory is taken for.
pub(super) fn no_room(newest: &AddedFile) -> Problems {
    let reason = "there is no room for these beside what is pending".to_owned();
    let hint = "raise --keep-total, or reset accounts that have much pending";
    refused(newest, reason, hint)
}

/// Refuses files that no account can have been given.
pub(super) fn refuse_unknown(scenarios: &AddedScenarios) -> Result<(), Problems> {
    let Some(unknown) = scenarios.unknown() else {
        return Ok(());
    };
    let reason = "this is no name of a file that was added for an account".to_owned();
    let hint = "write each once, as added-1/scenarios.toml, added-2/scenarios.toml";
    Err(refused(unknown, reason, hint))
}

impl AccountRules {
    /// These before all others.
    pub(super) fn strict(
        scenarios: &Arc<AddedScenarios>,
        shared: &Arc<Rules>,
    ) -> Result<Self, Problems> {
        let files: Vec<_> = scenarios.files.iter().map(AddedFile::source).collect();
        let rules = shared.with_scenarios(&files)?;
        Ok(AccountRules::new(scenarios, shared, rules, Vec::new()))
    }

    /// These before all others, as many of them as fit. All were accepted once, beside other scenarios or by another
    /// version: what became wrong with one must not take the others away.
    pub(super) fn lenient(scenarios: &Arc<AddedScenarios>, shared: &Arc<Rules>) -> Self {
        if let Ok(all) = AccountRules::strict(scenarios, shared) {
            return all;
        }
        let (mut rules, mut fitting, mut left_out) = (Rules::clone(shared), Vec::new(), Vec::new());
        for file in scenarios.files.iter().rev() {
            let with = [file.source()].into_iter().chain(fitting.iter().cloned());
            let with: Vec<_> = with.collect();
            match shared.with_scenarios(&with) {
                Ok(more) => (rules, fitting) = (more, with),
                Err(mistakes) => left_out.push(LeftOut {
                    name: file.name().to_owned(),
                    mistakes,
                }),
            }
        }
        AccountRules::new(scenarios, shared, rules, left_out)
    }

    fn new(
        scenarios: &Arc<AddedScenarios>,
        shared: &Arc<Rules>,
        rules: Rules,
        left_out: Vec<LeftOut>,
    ) -> Self {
        AccountRules {
            scenarios: Arc::clone(scenarios),
            shared: Arc::clone(shared),
            rules: Arc::new(rules),
            left_out,
        }
    }

    /// Whether these files make just these rules.
    pub(super) fn are_of(&self, scenarios: &AddedScenarios, shared: &Arc<Rules>) -> bool {
        Arc::ptr_eq(&self.shared, shared) && self.scenarios.files == scenarios.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_scenarios_too_many_is_refused_with_what_to_do() {
        let newest = AddedScenarios::default().next("");
        let refuse = |others| refuse_too_many_sets(others, &newest);
        assert!(refuse(MAX_SETS - 1).is_ok());
        let refused = refuse(MAX_SETS).unwrap_err().to_string();
        for part in ["256 sets of scenarios of their own", "--scenarios"] {
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn the_book_says_the_bounds() {
        let page = include_str!("../../../../docs/src/reference/limits.md");
        for row in [
            format!("| {MAX_FILES} files, {} MiB together |", MAX_BYTES >> 20),
            format!("| sets of such scenarios; copies of an account have its set | {MAX_SETS} |"),
        ] {
            assert!(page.contains(&row), "{row}");
        }
    }
}
