//! `list`: which check proves which clause, and which clauses none does yet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use clap::Args;
use svc_fixtures::contract::Contract;

use super::{Exit, Mistake};
use crate::check;
use crate::plan::{Setting, inputs};
use crate::verdict::EVERY_ANSWER;

/// How to show it.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Show the clauses with their checks in place of the checks with their clauses
    #[arg(long)]
    clauses: bool,
}

impl List {
    pub(super) fn execute(&self) -> Result<Exit, Mistake> {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "list").everything();
        let mut by_clause: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for check in check::all() {
            for clause in check.proves(&setting) {
                by_clause.entry(clause).or_default().insert(check.id);
            }
        }
        for clause in EVERY_ANSWER {
            by_clause
                .entry((*clause).to_owned())
                .or_default()
                .insert("every answer");
        }
        let mut out = io::stdout().lock();
        if self.clauses {
            for clause in &contract.clauses {
                let checks = by_clause
                    .get(&clause.id)
                    .map(|checks| checks.iter().copied().collect::<Vec<_>>().join(", "));
                let why = clause.excluded.as_ref().map(|why| format!("- ({why})"));
                let shown = checks.or(why).unwrap_or_else(|| "-".to_owned());
                writeln!(out, "{}: {shown}", clause.id)?;
            }
        } else {
            for check in check::all() {
                writeln!(out, "{}: {}", check.id, check.title)?;
                for clause in check.proves(&setting) {
                    writeln!(out, "    {clause}")?;
                }
            }
        }
        let proven = contract
            .clauses
            .iter()
            .filter(|clause| by_clause.contains_key(&clause.id))
            .count();
        writeln!(
            out,
            "\n{proven} of {} clauses are proven by a check",
            contract.clauses.len()
        )?;
        Ok(Exit::Held)
    }
}
