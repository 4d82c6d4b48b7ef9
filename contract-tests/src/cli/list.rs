//! `list`: which check asks which clause, which planted defects show that it finds a breach, and which
//! clauses none does yet.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};
use svc_fixtures::contract::{Clause, Contract};

use super::exit::{CommandError, Exit};
use crate::check::{self, Check};
use crate::plan::{Setting, inputs};
use crate::proofs::{self, Proof};
use crate::verdict::EVERY_ANSWER;

/// What to show, and how.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Show the clauses with their checks in place of the checks with their clauses
    #[arg(long)]
    clauses: bool,
    /// Print the page `contract-tests/CHECKS.md`: all checks and all clauses
    #[arg(long, conflicts_with_all = ["clauses", "check", "clause", "unproven", "json"])]
    markdown: bool,
    /// Print the clauses as JSON, each with its checks and the planted defects that prove it
    #[arg(long, requires = "clauses")]
    json: bool,
    /// Only the checks whose id begins so, and the clauses they ask
    #[arg(long, value_name = "CHECK")]
    check: Option<String>,
    /// Only the clauses whose id begins so, and the checks that ask them
    #[arg(long, value_name = "CLAUSE")]
    clause: Option<String>,
    /// Only the clauses that no planted defect proves: those that are only asked, and those that can't be
    #[arg(long, requires = "clauses")]
    unproven: bool,
}

/// Which check asks what.
struct Registry<'c> {
    contract: &'c Contract,
    by_check: Vec<(Check, BTreeSet<String>)>,
    by_clause: BTreeMap<String, BTreeSet<&'static str>>,
}

/// What is known of a clause before any run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A planted defect dies by its name.
    Proven,
    /// A check asks it.
    Asked,
    /// No check can ask it; the clause says why.
    Excluded,
}

impl Standing {
    const ALL: [(Standing, &'static str); 3] = [
        (Standing::Proven, "proven"),
        (Standing::Asked, "asked"),
        (Standing::Excluded, "excluded"),
    ];

    fn word(self) -> &'static str {
        let mut all = Standing::ALL.into_iter();
        all.find(|(standing, _)| *standing == self)
            .map_or("", |(_, word)| word)
    }
}

impl<'c> Registry<'c> {
    fn of(contract: &'c Contract) -> Self {
        let setting = Setting::new(contract, inputs::built_in(), "list").anywhere();
        let mut registry = Registry {
            contract,
            by_check: Vec::new(),
            by_clause: BTreeMap::new(),
        };
        for check in check::all() {
            let asks = check.asks(&setting);
            for clause in &asks {
                registry.ask(clause, check.id);
            }
            registry.by_check.push((check, asks));
        }
        for clause in EVERY_ANSWER {
            registry.ask(clause, "every answer");
        }
        registry
    }

    fn ask(&mut self, clause: &str, by: &'static str) {
        let checks = self.by_clause.entry(clause.to_owned());
        checks.or_default().insert(by);
    }

    fn checks(&self, clause: &Clause) -> impl Iterator<Item = &'static str> {
        self.by_clause
            .get(&clause.id)
            .into_iter()
            .flatten()
            .copied()
    }

    fn standing(&self, clause: &Clause) -> Standing {
        let asked = self.by_clause.contains_key(&clause.id);
        match (asked, proofs::of(&clause.id).next()) {
            (true, Some(_)) => Standing::Proven,
            (true, None) => Standing::Asked,
            (false, _) => Standing::Excluded,
        }
    }

    /// Who asks a clause, or why nobody does.
    fn asked_by(&self, clause: &Clause) -> String {
        let why = clause.excluded.as_deref().unwrap_or_default();
        match self.standing(clause) {
            Standing::Excluded => why.to_owned(),
            Standing::Proven | Standing::Asked => {
                self.checks(clause).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn sum(&self) -> String {
        let clauses = &self.contract.clauses;
        let of = |wanted: Standing| {
            let number = clauses.iter().filter(|it| self.standing(it) == wanted);
            format!("{} {}", number.count(), wanted.word())
        };
        let of = Standing::ALL.map(|(standing, _)| of(standing)).join(", ");
        let planted: BTreeSet<_> = proofs::all()
            .iter()
            .map(|it| (it.service, it.defect))
            .collect();
        let (all, planted) = (clauses.len(), planted.len());
        format!("{all} clauses: {of}; {planted} planted defects are found by name")
    }
}

/// A defect and where it is planted.
fn planted(proof: &Proof) -> String {
    format!("{}: {}", proof.service.name(), proof.defect)
}

impl List {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let contract = Contract::built_in();
        let registry = Registry::of(&contract);
        let text = match (self.markdown, self.clauses, self.json) {
            (true, ..) => markdown(&registry),
            (false, true, true) => self.json(&registry),
            (false, true, false) => self.clauses(&registry),
            (false, false, _) => self.checks(&registry),
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

    /// The clauses that are wanted.
    fn wanted<'c>(&self, registry: &Registry<'c>) -> Vec<&'c Clause> {
        let wanted = |clause: &&Clause| {
            let mut checks = registry.checks(clause);
            let asked = self.check.is_none() || checks.any(|id| begins(self.check.as_ref(), id));
            let unproven = registry.standing(clause) != Standing::Proven;
            begins(self.clause.as_ref(), &clause.id) && asked && (!self.unproven || unproven)
        };
        registry.contract.clauses.iter().filter(wanted).collect()
    }

    fn clauses(&self, registry: &Registry<'_>) -> String {
        let mut out = String::new();
        for clause in self.wanted(registry) {
            let (standing, by) = (registry.standing(clause), registry.asked_by(clause));
            let _ = write!(out, "{}: {}: {by}", clause.id, standing.word());
            let mut defects = proofs::of(&clause.id);
            if let Some(first) = defects.next() {
                let _ = write!(out, "; {} finds {}", first.check, planted(first));
            }
            let _ = match defects.count() {
                0 => writeln!(out),
                more => writeln!(out, " (and {more} more)"),
            };
        }
        self.with_sum(out, registry)
    }

    fn json(&self, registry: &Registry<'_>) -> String {
        let of = |clause: &Clause| {
            let proof = |it: &Proof| json!({ "check": it.check, "service": it.service.name(), "defect": it.defect });
            json!({
                "clause": clause.id,
                "section": clause.section,
                "text": clause.text,
                "standing": registry.standing(clause).word(),
                "why": clause.excluded,
                "checks": registry.checks(clause).collect::<Vec<_>>(),
                "provenBy": proofs::of(&clause.id).map(proof).collect::<Vec<_>>(),
            })
        };
        let clauses: Vec<Value> = self.wanted(registry).into_iter().map(of).collect();
        match clauses.is_empty() {
            true => String::new(),
            false => format!("{:#}\n", Value::Array(clauses)),
        }
    }

    fn checks(&self, registry: &Registry<'_>) -> String {
        let mut out = String::new();
        for (check, asks) in &registry.by_check {
            let wanted = |clause: &&String| begins(self.clause.as_ref(), clause);
            let mut clauses = asks.iter().filter(wanted).peekable();
            if !begins(self.check.as_ref(), check.id) || clauses.peek().is_none() {
                continue;
            }
            let _ = writeln!(out, "{}: {}", check.id, check.title);
            for clause in clauses {
                let _ = writeln!(out, "    {clause}");
            }
        }
        self.with_sum(out, registry)
    }

    /// The sum belongs to the whole list.
    fn with_sum(&self, mut out: String, registry: &Registry<'_>) -> String {
        if self.check.is_none() && self.clause.is_none() && !self.unproven {
            let _ = writeln!(out, "\n{}", registry.sum());
        }
        out
    }
}

fn begins(wanted: Option<&String>, id: &str) -> bool {
    wanted.is_none_or(|wanted| id.starts_with(wanted.as_str()))
}

/// The page `CHECKS.md`.
fn markdown(registry: &Registry<'_>) -> String {
    let mut out = String::from(
        "# Checks and clauses\n\nPrinted by `svc-contract-tests list --markdown`; a test keeps it true.\n\n\
         ## Checks\n\n| check | what it shows | clauses |\n|---|---|---|\n",
    );
    for (check, asks) in &registry.by_check {
        let clauses: Vec<_> = asks.iter().map(|clause| format!("`{clause}`")).collect();
        let (title, clauses) = (cell(check.title), clauses.join(" "));
        let _ = writeln!(out, "| `{}` | {title} | {clauses} |", check.id);
    }
    let told = "A clause is *proven* where a check finds a planted defect by its name (`proofs.txt`), \
                *asked* where checks ask it and no defect shows that they would find its breach.";
    let head =
        "| clause | wording | standing | asked by | found by its name |\n|---|---|---|---|---|";
    let _ = writeln!(
        out,
        "\n## Clauses\n\n{told}\n\n{}.\n\n{head}",
        registry.sum()
    );
    for clause in &registry.contract.clauses {
        let (text, by) = (cell(&clause.text), cell(&registry.asked_by(clause)));
        let standing = registry.standing(clause).word();
        let defects: Vec<_> = proofs::of(&clause.id).map(planted).collect();
        let defects = cell(&defects.join(", "));
        let _ = writeln!(
            out,
            "| `{}` | {text} | {standing} | {by} | {defects} |",
            clause.id
        );
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
        let same = markdown(&Registry::of(&contract)) == include_str!("../../CHECKS.md");
        assert!(
            same,
            "svc-contract-tests list --markdown > contract-tests/CHECKS.md"
        );
    }

    #[test]
    fn filters_leave_only_what_begins_so() {
        let contract = Contract::built_in();
        let registry = Registry::of(&contract);
        let list = |check: &str, clause: &str| List {
            clauses: false,
            markdown: false,
            check: Some(check.to_owned()),
            clause: Some(clause.to_owned()),
            unproven: false,
            json: false,
        };
        let text = list("envelope.success", "envelope.").checks(&registry);
        assert!(text.starts_with("envelope.success: "), "{text}");
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.starts_with("    envelope.")),
            "{text}"
        );
        assert_eq!(list("envelope", "no.such").checks(&registry), "");
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
        let text = open.clauses(&registry);
        let unproven = |line: &str| line.contains(": asked: ") || line.contains(": excluded: ");
        assert!(text.lines().all(unproven), "{text}");
        assert!(text.contains("wire.latency-guidance: excluded: It demands nothing"));
    }

    #[test]
    fn a_proven_clause_says_what_proves_it() {
        let contract = Contract::built_in();
        let registry = Registry::of(&contract);
        let list = |json| List {
            clauses: true,
            markdown: false,
            json,
            check: None,
            clause: Some("auth.bad-key".to_owned()),
            unproven: false,
        };
        let text = list(false).clauses(&registry);
        assert!(
            text.starts_with("auth.bad-key: proven: authentication."),
            "{text}"
        );
        let first = proofs::of("auth.bad-key").next().expect("it is proven");
        let found = format!("; {} finds {}", first.check, planted(first));
        assert!(text.contains(&found), "{text}");
        let read: Value = serde_json::from_str(&list(true).json(&registry)).expect("JSON");
        assert_eq!(read[0]["standing"], "proven");
        assert_eq!(read[0]["provenBy"][0]["defect"], first.defect);
    }
}
