//! `check`: reads everything a simulator is made from and tells every mistake. Starts nothing.

use std::path::PathBuf;

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::Problems;
use svc_fixtures::template::Answers;

use super::{Failure, files, terminal};
use crate::engine::compute;
use crate::scenario::{read_accounts, read_scenarios, unreachable};

/// Runs the command.
pub(super) fn run(folders: &[PathBuf]) -> Result<(), Failure> {
    let files = files::read(folders)?;
    let mut problems = Problems::default();
    let accounts = kept(read_accounts(&files.accounts), &mut problems);
    let contract = kept(Contract::read(&files.rules.contract), &mut problems);
    let mut counts = Vec::new();
    // Without the contract nobody can say what is wrong with the rest.
    if let Some(contract) = &contract {
        let answers = Answers::read(&files.rules.answers, contract, &compute::signatures());
        let answers = kept(answers, &mut problems);
        counts.push((contract.operations.len(), "operations"));
        // Nor, without the answers, what scenarios may say of the people in them.
        if let Some(answers) = &answers {
            let scenarios = read_scenarios(contract, &answers.cast, &files.rules.scenarios);
            let scenarios = kept(scenarios, &mut problems);
            if let Some(set) = &scenarios {
                problems.extend(unreachable(contract, set, &files.rules.scenarios));
            }
            counts.push((answers.by_operation.len(), "answers"));
            counts.push((scenarios.map_or(0, |it| it.all().len()), "scenarios"));
        }
    }
    counts.push((accounts.map_or(0, |it| it.len()), "accounts"));
    problems.or(())?;
    let counts: Vec<String> = counts
        .iter()
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    terminal::print(&format!("{}: no mistake found\n", counts.join(", ")));
    Ok(())
}

fn kept<T>(read: Result<T, Problems>, problems: &mut Problems) -> Option<T> {
    read.map_err(|found| problems.extend(found)).ok()
}
