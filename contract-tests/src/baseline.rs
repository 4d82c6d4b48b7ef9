//! The baseline: a list of deviations that are known and do not fail a run. Reads the list and marks
//! findings by it; prints nothing.

use std::sync::Arc;

use crate::check::Check;
use crate::event::{CheckResult, StaleDeviation};
use crate::plan::{Setting, clause_ids, known};
use crate::verdict::{Finding, Verdict};
use svc_fixtures::reading::{Location, Problems, Source, Table};

/// The known deviations, and what a run has shown of each.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    entries: Vec<KnownDeviation>,
}

#[derive(Debug, Clone)]
struct KnownDeviation {
    check: String,
    case: Option<String>,
    clause: String,
    reason: String,
    place: Location,
    /// How many cases of the check this run has.
    planned: usize,
    observed: Observation,
}

/// What a run has shown of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Observation {
    /// Nothing: not all that the entry names was judged.
    Nothing,
    /// It is broken, as the entry says.
    Broken,
    /// It holds in every case that the entry names.
    Held,
}

impl Baseline {
    /// Reads a list. Checks, cases and clauses must be known.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub fn read(
        source: &Arc<Source>,
        setting: &Setting<'_>,
        checks: &[Check],
    ) -> Result<Self, Problems> {
        let (baseline, problems) = Table::of_source(source, |root| {
            let mut baseline = Baseline::default();
            for table in root.tables("known") {
                if let Some(entry) = entry(&table, setting, checks) {
                    baseline.add(&table, entry);
                }
                table.done();
            }
            baseline
        });
        problems.or(baseline)
    }

    fn add(&mut self, table: &Table<'_>, entry: KnownDeviation) {
        let same = |known: &KnownDeviation| {
            known.check == entry.check && known.case == entry.case && known.clause == entry.clause
        };
        match self.entries.iter().any(same) {
            true => table.problem("the same deviation is there twice"),
            false => self.entries.push(entry),
        }
    }

    /// Marks what is known among what was found.
    pub fn mark(&mut self, result: &mut CheckResult) {
        let (check, cases) = (result.check, result.cases);
        for entry in self.entries.iter_mut().filter(|entry| entry.check == check) {
            let mut held = false;
            for finding in &mut result.findings {
                if !entry.applies_to(finding) {
                    continue;
                }
                match &mut finding.verdict {
                    Verdict::Broken { clause, known, .. } if *clause == entry.clause => {
                        *known = Some(entry.reason.clone());
                        entry.observed = Observation::Broken;
                    }
                    Verdict::Held { clause } => held |= *clause == entry.clause,
                    Verdict::Broken { .. } | Verdict::Noted { .. } | Verdict::NotJudged { .. } => {}
                }
            }
            // Where only some cases were run, or some of it was skipped, the others may break it.
            let whole = entry.case.is_some() || cases == entry.planned;
            let open = result.open.contains(&entry.clause);
            if held && whole && !open && entry.observed == Observation::Nothing {
                entry.observed = Observation::Held;
            }
        }
    }

    /// The entries that say what is no longer so.
    #[must_use]
    pub fn stale(&self) -> Vec<StaleDeviation> {
        let entries = self.entries.iter();
        let stale = entries.filter(|entry| entry.observed == Observation::Held);
        stale.map(KnownDeviation::stale).collect()
    }
}

impl KnownDeviation {
    fn applies_to(&self, finding: &Finding) -> bool {
        self.case.as_ref().is_none_or(|case| *case == finding.case)
    }

    fn stale(&self) -> StaleDeviation {
        let problem = self
            .place
            .problem("this deviation is known, but it was judged and holds")
            .hint("take the entry out");
        StaleDeviation {
            place: format!("{}:{}", problem.path(), problem.line()),
            check: self.check.clone(),
            clause: self.clause.clone(),
            message: problem.to_string(),
        }
    }
}

/// One entry; none where something in it is not known.
fn entry(table: &Table<'_>, setting: &Setting<'_>, checks: &[Check]) -> Option<KnownDeviation> {
    let check = table.required("check");
    let case = table.optional("case");
    let clause = table.required("clause");
    let reason = table.text("reason");
    let found = check.as_ref().and_then(|item| {
        let name = known(item, "check", checks.iter().map(|check| check.id))?;
        checks.iter().find(|check| check.id == name)
    });
    let clauses = clause_ids(setting.contract);
    let clause = clause.and_then(|item| known(&item, "clause", clauses));
    let named = case.as_ref().and_then(|item| Some((item, item.text()?)));
    if let (Some((item, _)), Some(check)) = (named, found) {
        let cases = check.cases(&setting.clone().anywhere());
        known(item, "case", cases.iter().map(|case| case.name.as_str()))?;
    }
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        table.problem("`reason` is empty: say why it is known");
    }
    let check = found?;
    Some(KnownDeviation {
        check: check.id.to_owned(),
        case: named.map(|(_, name)| name.to_owned()),
        clause: clause?.to_owned(),
        reason: reason?.to_owned(),
        place: table.location(),
        planned: check.cases(setting).len(),
        observed: Observation::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::event::Outcome;
    use crate::plan::inputs;
    use svc_fixtures::contract::Contract;

    const CHECK: &str = "errors.no-record";

    fn read(text: &str) -> Result<Baseline, Problems> {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "s");
        Baseline::read(&Source::new("known.toml", text), &setting, &check::all())
    }

    fn mistakes(text: &str) -> String {
        read(text)
            .err()
            .map(|problems| problems.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_list_with_mistakes_says_where_and_what_to_do() {
        insta::assert_snapshot!(mistakes("[[known]]\ncheck = \"errors.tabel\"\nclause = \"envelope.mta\"\nreson = \"x\"\n"), @r#"
        error: `reason` is missing
         --> known.toml:1:1
          |
        1 | [[known]]
          | ^^^^^^^^^

        error: check `errors.tabel` is not known
         --> known.toml:2:9
          |
        2 | check = "errors.tabel"
          |         ^^^^^^^^^^^^^^
          |
          = help: did you mean `errors.failures`?

        error: clause `envelope.mta` is not known
         --> known.toml:3:10
          |
        3 | clause = "envelope.mta"
          |          ^^^^^^^^^^^^^^
          |
          = help: did you mean `envelope.meta`?

        error: `reson` is not known here
         --> known.toml:4:1
          |
        4 | reson = "x"
          | ^^^^^
          |
          = help: did you mean `reason`?

        4 mistakes found
        "#);
    }

    #[test]
    fn a_case_that_is_not_there_and_an_entry_given_twice_are_mistakes() {
        let entry = format!(
            "[[known]]\ncheck = \"{CHECK}\"\nclause = \"errors.no-record-found\"\nreason = \"r\"\n"
        );
        assert!(
            mistakes(&format!("{entry}case = \"no such\"\n"))
                .contains("case `no such` is not known")
        );
        assert!(mistakes(&entry.repeat(2)).contains("the same deviation is there twice"));
        assert!(mistakes(&entry.replace("\"r\"", "\" \"")).contains("`reason` is empty"));
        assert_eq!(mistakes(&entry), "");
    }

    /// A check of which every planned case was judged, with these verdicts of one clause.
    fn judged(verdicts: Vec<Verdict>) -> CheckResult {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "s");
        let check = check::all().into_iter().find(|check| check.id == CHECK);
        let finding = |verdict| Finding {
            case: "a case".to_owned(),
            step: 0,
            verdict,
        };
        CheckResult {
            check: CHECK,
            cases: check.expect("it is there").cases(&setting).len(),
            findings: verdicts.into_iter().map(finding).collect(),
            ..CheckResult::default()
        }
    }

    fn held() -> Verdict {
        let clause = "errors.no-record-found".to_owned();
        Verdict::Held { clause }
    }

    fn broken(clause: &str) -> Verdict {
        Verdict::Broken {
            clause: clause.to_owned(),
            what: "the status".to_owned(),
            expected: "422".to_owned(),
            found: "404".to_owned(),
            known: None,
            seen: None,
        }
    }

    fn marked(mut result: CheckResult) -> (Outcome, usize) {
        let entry = format!(
            "[[known]]\ncheck = \"{CHECK}\"\nclause = \"errors.no-record-found\"\nreason = \"r\"\n"
        );
        let mut baseline = read(&entry).expect("a list without mistakes");
        baseline.mark(&mut result);
        (result.outcome(), baseline.stale().len())
    }

    #[test]
    fn what_is_known_does_not_fail_and_what_is_not_still_does() {
        let known = || broken("errors.no-record-found");
        assert_eq!(marked(judged(vec![known(), held()])), (Outcome::Known, 0));
        let other = judged(vec![known(), broken("envelope.meta")]);
        assert_eq!(marked(other), (Outcome::Failed, 0));
    }

    #[test]
    fn an_entry_is_stale_only_where_all_of_it_was_judged_and_held() {
        assert_eq!(marked(judged(vec![held()])), (Outcome::Passed, 1));
        let part = CheckResult {
            cases: 1,
            ..judged(vec![held()])
        };
        assert_eq!(marked(part).1, 0);
        let open = ["errors.no-record-found".to_owned()].into();
        assert_eq!(
            marked(CheckResult {
                open,
                ..judged(vec![held()])
            })
            .1,
            0
        );
        let why = "no answer".to_owned();
        assert_eq!(marked(judged(vec![Verdict::NotJudged { why }])).1, 0);
    }
}
