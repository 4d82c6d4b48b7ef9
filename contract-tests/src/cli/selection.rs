//! Which checks are run: the arguments, and the filter they make.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Source, nearest};

use super::exit::CommandError;
use crate::check::{self, Check};
use crate::plan::inputs::{self, Input};
use crate::plan::samples::with_samples;
use crate::plan::{Setting, clause_ids};
use crate::run::{Filter, Tag, is_or_below};

/// Which checks are run, and with which inputs. Every filter that is given narrows the run.
#[derive(Debug, Args)]
pub(super) struct SelectionArgs {
    /// Run only what is about this operation, or about those below it; can be given several times
    #[arg(long, value_name = "OPERATION")]
    operation: Vec<String>,
    /// Run only the checks whose id begins so; can be given several times
    #[arg(long, value_name = "CHECK")]
    check: Vec<String>,
    /// Run only what asks this clause, as `list --clauses` names it; can be given several times
    #[arg(long, value_name = "CLAUSE")]
    clause: Vec<String>,
    /// Run only the checks that have this tag, or one of those that are given: a stage (refused: nothing
    /// is executed; sandbox; live: may be charged), or a kind of clause it asks
    #[arg(long, value_name = "TAG", value_parser = PossibleValuesParser::new(Tag::ALL.map(|(name, _)| name)))]
    tag: Vec<String>,
    /// Inputs that this service knows, and how they end: a TOML file as `svc-contract-tests inputs` prints one. The first
    /// of each field that completes takes the place of the sample
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
}

/// The inputs that the specification fixes, and those of a file of `--inputs`.
fn known_inputs(file: Option<&Path>, contract: &Contract) -> Result<Vec<Input>, CommandError> {
    let mut known = inputs::built_in();
    if let Some(path) = file {
        let shown = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| CommandError::usage(format!("--inputs {shown}: {error}")))?;
        let source = Source::new(shown.to_string(), text);
        let own = inputs::read(contract, &source, &known)
            .map_err(|problems| CommandError::usage(format!("--inputs\n{problems}")))?;
        known.extend(own);
    }
    Ok(known)
}

/// The same, and the contract with samples of theirs.
pub(super) fn known_to_service(
    file: Option<&Path>,
    contract: Contract,
) -> Result<(Contract, Vec<Input>), CommandError> {
    let inputs = known_inputs(file, &contract)?;
    Ok((with_samples(contract, &inputs), inputs))
}

impl SelectionArgs {
    /// What `--check` says.
    pub(super) fn checks(&self) -> &[String] {
        &self.check
    }

    /// Whether anything is left out by it.
    pub(super) fn narrows(&self) -> bool {
        let given = [&self.operation, &self.check, &self.clause, &self.tag];
        given.iter().any(|names| !names.is_empty())
    }

    /// The inputs whose outcome is fixed.
    pub(super) fn inputs(&self, contract: &Contract) -> Result<Vec<Input>, CommandError> {
        known_inputs(self.inputs.as_deref(), contract)
    }

    /// The same, and the contract with samples of theirs.
    pub(super) fn known_to_service(
        &self,
        contract: Contract,
    ) -> Result<(Contract, Vec<Input>), CommandError> {
        known_to_service(self.inputs.as_deref(), contract)
    }

    /// A name that nothing has, and a filter that nothing can pass, are mistakes of the caller: a run of
    /// nothing is never meant.
    pub(super) fn filter(&self, setting: &Setting<'_>) -> Result<Filter, CommandError> {
        if !self.narrows() {
            return Ok(Filter::default());
        }
        let (checks, contract) = (check::all(), setting.contract);
        let everything = setting.clone().anywhere();
        let ids = || checks.iter().map(|check| check.id);
        let of_checks = |wanted: &str| ids().any(|id| id.starts_with(wanted));
        let shown = "`list` shows them";
        no_other("--check", "check", &self.check, ids(), of_checks, shown)?;
        let clauses: BTreeSet<_> = clause_ids(contract).collect();
        let of_clauses = |wanted: &str| clauses.contains(wanted);
        let (names, shown) = (clauses.iter().copied(), "`list --clauses` shows them");
        no_other("--clause", "clause", &self.clause, names, of_clauses, shown)?;
        let all = Filter::default();
        let cases = |filter: &Filter| {
            let allowed = |check: &&Check| filter.allows_check(check, &everything);
            let allowed = checks.iter().filter(allowed);
            let cases = allowed.flat_map(|check| filter.cases(check, &everything));
            cases.collect::<Vec<_>>()
        };
        if !self.operation.is_empty() {
            let planned = cases(&all);
            let about = planned.iter().filter_map(|case| case.operation.as_deref());
            let names: BTreeSet<_> = about.collect();
            let of_operations = |wanted: &str| names.iter().any(|id| is_or_below(id, wanted));
            let (given, ids) = (&self.operation, names.iter().copied());
            let shown = "`svc-simulator operations`, CHECKS.md and the specification name them";
            no_other("--operation", "operation", given, ids, of_operations, shown)?;
        }
        let tag = |name: &String| Tag::ALL.iter().find(|(known, _)| known == name);
        let tags = self.tag.iter().filter_map(tag);
        let filter = Filter {
            operations: self.operation.clone(),
            checks: self.check.clone(),
            clauses: self.clause.clone(),
            tags: tags.map(|(_, tag)| *tag).collect(),
            only: None,
        };
        match cases(&filter).is_empty() {
            false => Ok(filter),
            true => Err(CommandError::usage(
                "--operation, --check, --clause and --tag together leave nothing to run: no case fits them all; \
                 `list` shows which check asks what",
            )),
        }
    }
}

/// Refuses a name that nothing has, with the one that is nearest.
fn no_other<'k>(
    flag: &str,
    thing: &str,
    given: &[String],
    known: impl Iterator<Item = &'k str> + Clone,
    is_known: impl Fn(&str) -> bool,
    shown: &str,
) -> Result<(), CommandError> {
    let Some(wrong) = given.iter().find(|name| !is_known(name)) else {
        return Ok(());
    };
    let hint = nearest(wrong, known);
    let text = format!("{flag}: there is no {thing} `{wrong}`; {hint} ({shown}). Nothing was sent");
    Err(CommandError::usage(text))
}
