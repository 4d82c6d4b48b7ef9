//! `check`: reads everything a simulator is made from, reports every mistake, and tries what the
//! scenario files expect. Starts nothing.

use std::path::PathBuf;

use clap::Args;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::Problems;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;

use super::check_report::{CheckFormat, CheckReport};
use super::failure::Failure;
use crate::engine::call::rules::Rules;
use crate::engine::compute;
use crate::engine::state::ids::Seed;
use crate::http::ListenerAddresses;
use crate::rehearsal::{check_expectations, report_overlaps};
use crate::scenario::is_built_in;
use crate::scenario::{read_accounts, read_scenarios};
use crate::scenario_analysis::{find_contradictions, find_contrary_letters, find_unreachable};
use crate::scenario_format::{Expectation, read_expectations};
use crate::simulator::files::{self, AllFiles};

/// The arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Folders of scenario files, read before the built-in ones
    folders: Vec<PathBuf>,
    /// The same, as other commands take them
    #[arg(long, value_name = "FOLDER", hide = true)]
    scenarios: Vec<PathBuf>,
    /// How mistakes are printed
    #[arg(long, default_value = "human")]
    format: CheckFormat,
}

/// Runs the command.
pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let folders = [args.folders.as_slice(), &args.scenarios].concat();
    refuse_empty(&folders)?;
    let (files, unread) = files::read_what_can_be(&folders)?;
    let mut report = CheckReport {
        mistakes: unread,
        ..CheckReport::default()
    };
    let accounts = ok_or_collect(read_accounts(&files.accounts), &mut report.mistakes);
    let contract = ok_or_collect(Contract::read(&files.rules.contract), &mut report.mistakes);
    // Without the contract nobody can say what is wrong with the rest.
    let mut expectations = contract.and_then(|contract| read(&contract, &files, &mut report));
    if let (Some(expectations), false) = (&mut expectations, folders.is_empty()) {
        // A folder may well decide what the built-in files say otherwise.
        expectations.retain(|expectation| !is_built_in(&expectation.place.source.path));
    }
    let accounts = accounts.unwrap_or_default();
    report.counts.push((accounts.len(), "accounts"));
    report.mistakes = std::mem::take(&mut report.mistakes).sorted();
    if let (true, Some(expectations)) = (report.mistakes.is_empty(), expectations) {
        let mut rules = Rules::read(&files.rules, Seed::new(""))?;
        rules.addresses = ListenerAddresses::DEFAULT.urls().in_answers();
        let sources = &files.rules.scenarios;
        let mut contradictions = find_contradictions(&rules, sources);
        contradictions.extend(find_contrary_letters(&rules, sources));
        report.mistakes = contradictions.sorted();
        if report.mistakes.is_empty() {
            report.notes = report_overlaps(&rules, &accounts, &files.rules.scenarios);
            report.expectations = Some(check_expectations(&rules, &accounts, &expectations));
        }
    }
    report.print(args.format)
}

/// Nothing that is checked is never good: a folder without a file is a slip in its name, more often than not.
fn refuse_empty(folders: &[PathBuf]) -> Result<(), Failure> {
    for folder in folders {
        if files::toml_files_of(folder)?.is_empty() {
            let name = folder.display();
            return Err(Failure::Usage(format!(
                "{name} has no TOML file, so that there is nothing to check; `svc-simulator init` writes a first one"
            )));
        }
    }
    Ok(())
}

/// What there is in the files, and what of it is expected.
fn read(
    contract: &Contract,
    files: &AllFiles,
    report: &mut CheckReport,
) -> Option<Vec<Expectation>> {
    let mistakes = &mut report.mistakes;
    let answers = Answers::read(
        &files.rules.answers,
        contract,
        &compute::signatures(),
        WorldRows::built_in(),
    );
    let answers = ok_or_collect(answers, mistakes);
    // Without the answers nobody can say what scenarios may say of the people in them.
    let sources = &files.rules.scenarios;
    let scenarios = answers
        .as_ref()
        .and_then(|answers| ok_or_collect(read_scenarios(contract, answers, sources), mistakes));
    if let Some(set) = &scenarios {
        mistakes.extend(find_unreachable(contract, set, sources));
    }
    let expectations = answers.as_ref().and_then(|answers| {
        ok_or_collect(
            read_expectations(contract, &answers.cast, sources),
            mistakes,
        )
    });
    report.counts = vec![
        (contract.operations.len(), "operations"),
        (answers.map_or(0, |it| it.by_operation.len()), "answers"),
        (scenarios.map_or(0, |it| it.all().len()), "scenarios"),
    ];
    expectations
}

fn ok_or_collect<T>(read: Result<T, Problems>, problems: &mut Problems) -> Option<T> {
    read.map_err(|found| problems.extend(found)).ok()
}
