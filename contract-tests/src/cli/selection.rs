//! Which checks are run: the arguments, and the filter they make.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Source, nearest};

use super::exit::CommandError;
use crate::check;
use crate::plan::inputs::{self, Input};
use crate::plan::{Setting, clause_ids};
use crate::run::{Filter, Tag};

/// Which checks are run, and with which inputs. Every filter that is given narrows the run.
#[derive(Debug, Args)]
pub(super) struct SelectionArgs {
    /// Run only what is about this operation, or about those below it
    #[arg(long, value_name = "OPERATION")]
    operation: Option<String>,
    /// Run only the checks whose id begins so
    #[arg(long, value_name = "CHECK")]
    check: Option<String>,
    /// Run only what proves this clause; `list --clauses` shows them
    #[arg(long, value_name = "CLAUSE")]
    clause: Option<String>,
    /// Run only the checks that have this tag, and every other one that is given: a stage
    /// (refused: nothing is executed; sandbox; live: may be charged), or a kind of clause it proves
    #[arg(long, value_name = "TAG", value_parser = PossibleValuesParser::new(Tag::ALL.map(|(name, _)| name)))]
    tag: Vec<String>,
    /// Inputs whose outcome this sandbox fixes, beside those of the specification: a TOML file like
    /// inputs.toml
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
}

impl SelectionArgs {
    /// What `--check` says.
    pub(super) fn check(&self) -> Option<&str> {
        self.check.as_deref()
    }

    /// The inputs whose outcome is fixed.
    pub(super) fn inputs(&self, contract: &Contract) -> Result<Vec<Input>, CommandError> {
        let mut known = inputs::built_in();
        if let Some(path) = &self.inputs {
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

    /// A filter that allows no check is a mistake of the caller: a run of nothing is never meant.
    pub(super) fn filter(&self, setting: &Setting<'_>) -> Result<Filter, CommandError> {
        let tag = |name: &String| Tag::ALL.iter().find(|(known, _)| known == name);
        let filter = Filter {
            operation: self.operation.clone(),
            check: self.check.clone(),
            clause: self.clause.clone(),
            tags: self
                .tag
                .iter()
                .filter_map(tag)
                .map(|(_, tag)| *tag)
                .collect(),
            only: None,
        };
        let contract = setting.contract;
        let mut ids = clause_ids(contract);
        if let Some(clause) = &self.clause
            && !ids.any(|id| id == clause)
        {
            let hint = nearest(clause, clause_ids(contract));
            let unknown = format!("--clause: there is no clause `{clause}`; {hint}");
            return Err(CommandError::usage(unknown));
        }
        let checks = check::all();
        let begins = |wanted: &String, id: &str| id.starts_with(wanted.as_str());
        let of_check = |wanted: &String| checks.iter().any(|check| begins(wanted, check.id));
        let of_operation =
            |wanted: &String| contract.operations.iter().any(|it| begins(wanted, &it.id));
        let no_check = self.check.as_ref().filter(|wanted| !of_check(wanted));
        let no_operation = self
            .operation
            .as_ref()
            .filter(|wanted| !of_operation(wanted));
        if let Some(wanted) = no_check {
            let hint = nearest(wanted, checks.iter().map(|check| check.id));
            let unknown =
                format!("--check: no check's id begins with `{wanted}`; {hint} `list` shows them");
            return Err(CommandError::usage(unknown));
        }
        if let Some(wanted) = no_operation {
            let hint = nearest(wanted, contract.operations.iter().map(|it| it.id.as_str()));
            let unknown = format!("--operation: there is no operation `{wanted}`; {hint}");
            return Err(CommandError::usage(unknown));
        }
        let mistake = if !checks.iter().any(|it| filter.allows_check(it, setting)) {
            "--check, --clause and --tag together let no check through; `list` shows which proves what"
        } else {
            return Ok(filter);
        };
        Err(CommandError::usage(mistake))
    }
}
