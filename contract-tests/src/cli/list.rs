//! `list`: which check proves which clause, and which clauses none does yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use clap::Args;
use svc_fixtures::contract::{Clause, Contract};

use super::exit::{CommandError, Exit};
use crate::check::{self, Check};
use crate::plan::{Setting, inputs};
use crate::verdict::EVERY_ANSWER;

/// What to show, and how.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Show the clauses with their checks in place of the checks with their clauses
    #[arg(long)]
    clauses: bool,
    /// Print the page `contract-tests/CHECKS.md`: all checks and all clauses
    #[arg(long, conflicts_with_all = ["clauses", "check", "clause", "unproven"])]
    markdown: bool,
    /// Only the checks whose id begins so, and the clauses they prove
    #[arg(long, value_name = "CHECK")]
    check: Option<String>,
    /// Only the clauses whose id begins so, and the checks that prove them
    #[arg(long, value_name = "CLAUSE")]
    clause: Option<String>,
    /// Only the clauses that no check proves
    #[arg(long, requires = "clauses")]
    unproven: bool,
}

/// Which check proves what.
struct Proofs<'c> {
    contract: &'c Contract,
    by_check: Vec<(Check, BTreeSet<String>)>,
    by_clause: BTreeMap<String, BTreeSet<&'static str>>,
}

impl<'c> Proofs<'c> {
    fn of(contract: &'c Contract) -> Self {
        let setting = Setting::new(contract, inputs::built_in(), "list").everything();
        let mut proofs = Proofs {
            contract,
            by_check: Vec::new(),
            by_clause: BTreeMap::new(),
        };
        for check in check::all() {
            let proves = check.proves(&setting);
            for clause in &proves {
                proofs.prove(clause, check.id);
            }
            proofs.by_check.push((check, proves));
        }
        for clause in EVERY_ANSWER {
            proofs.prove(clause, "every answer");
        }
        proofs
    }

    fn prove(&mut self, clause: &str, by: &'static str) {
        let provers = self.by_clause.entry(clause.to_owned());
        provers.or_default().insert(by);
    }

    /// The checks that prove a clause, or why none can.
    fn provers(&self, clause: &Clause) -> String {
        let checks = self.by_clause.get(&clause.id);
        let checks = checks.map(|checks| checks.iter().copied().collect::<Vec<_>>().join(", "));
        let why = clause.excluded.as_ref().map(|why| format!("- ({why})"));
        checks.or(why).unwrap_or_else(|| "-".to_owned())
    }

    fn sum(&self) -> String {
        let clauses = self.contract.clauses.iter();
        let proven = clauses
            .clone()
            .filter(|it| self.by_clause.contains_key(&it.id));
        let (proven, all) = (proven.count(), clauses.len());
        format!("{proven} of {all} clauses are proven by a check")
    }
}

impl List {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let contract = Contract::built_in();
        let proofs = Proofs::of(&contract);
        let text = match (self.markdown, self.clauses) {
            (true, _) => markdown(&proofs),
            (false, true) => self.clauses(&proofs),
            (false, false) => self.checks(&proofs),
        };
        if text.is_empty() {
            let nothing = "nothing is listed: no id begins so; `list` without filters shows them";
            return Err(CommandError::usage(nothing));
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(Exit::Held)
    }

    fn clauses(&self, proofs: &Proofs<'_>) -> String {
        let mut out = String::new();
        for clause in &proofs.contract.clauses {
            let provers = proofs.by_clause.get(&clause.id);
            let by = |id: &&str| begins(self.check.as_ref(), id);
            let proven = provers.is_some_and(|checks| checks.iter().any(by));
            let wanted = begins(self.clause.as_ref(), &clause.id)
                && (self.check.is_none() || proven)
                && !(self.unproven && provers.is_some());
            if wanted {
                let _ = writeln!(out, "{}: {}", clause.id, proofs.provers(clause));
            }
        }
        self.with_sum(out, proofs)
    }

    fn checks(&self, proofs: &Proofs<'_>) -> String {
        let mut out = String::new();
        for (check, proves) in &proofs.by_check {
            let wanted = |clause: &&String| begins(self.clause.as_ref(), clause);
            let mut clauses = proves.iter().filter(wanted).peekable();
            if !begins(self.check.as_ref(), check.id) || clauses.peek().is_none() {
                continue;
            }
            let _ = writeln!(out, "{}: {}", check.id, check.title);
            for clause in clauses {
                let _ = writeln!(out, "    {clause}");
            }
        }
        self.with_sum(out, proofs)
    }

    /// The sum belongs to the whole list.
    fn with_sum(&self, mut out: String, proofs: &Proofs<'_>) -> String {
        if self.check.is_none() && self.clause.is_none() && !self.unproven {
            let _ = writeln!(out, "\n{}", proofs.sum());
        }
        out
    }
}

fn begins(wanted: Option<&String>, id: &str) -> bool {
    wanted.is_none_or(|wanted| id.starts_with(wanted.as_str()))
}

/// The page `CHECKS.md`.
fn markdown(proofs: &Proofs<'_>) -> String {
    let mut out = String::from(
        "# Checks and clauses\n\nPrinted by `svc-contract-tests list --markdown`; a test keeps it true.\n\n\
         ## Checks\n\n| check | what it shows | clauses |\n|---|---|---|\n",
    );
    for (check, proves) in &proofs.by_check {
        let clauses: Vec<_> = proves.iter().map(|clause| format!("`{clause}`")).collect();
        let (title, clauses) = (cell(check.title), clauses.join(" "));
        let _ = writeln!(out, "| `{}` | {title} | {clauses} |", check.id);
    }
    let head = "| clause | wording | proven by |\n|---|---|---|";
    let _ = writeln!(out, "\n## Clauses\n\n{}.\n\n{head}", proofs.sum());
    for clause in &proofs.contract.clauses {
        let (text, provers) = (cell(&clause.text), cell(&proofs.provers(clause)));
        let _ = writeln!(out, "| `{}` | {text} | {provers} |", clause.id);
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_what_the_registry_says() {
        let contract = Contract::built_in();
        let same = markdown(&Proofs::of(&contract)) == include_str!("../../CHECKS.md");
        assert!(
            same,
            "svc-contract-tests list --markdown > contract-tests/CHECKS.md"
        );
    }

    #[test]
    fn filters_leave_only_what_begins_so() {
        let contract = Contract::built_in();
        let proofs = Proofs::of(&contract);
        let list = |check: &str, clause: &str| List {
            clauses: false,
            markdown: false,
            check: Some(check.to_owned()),
            clause: Some(clause.to_owned()),
            unproven: false,
        };
        let text = list("envelope.success", "envelope.").checks(&proofs);
        assert!(text.starts_with("envelope.success: "), "{text}");
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.starts_with("    envelope.")),
            "{text}"
        );
        assert_eq!(list("envelope", "no.such").checks(&proofs), "");
        let unproven = List {
            clauses: true,
            unproven: true,
            ..list("", "")
        };
        let open = List {
            check: None,
            clause: None,
            ..unproven
        };
        assert!(
            open.clauses(&proofs)
                .lines()
                .all(|line| line.contains(": -"))
        );
    }
}
