//! The report for people: what is broken, by clause, and a plain last line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::diff;
use crate::run::{Event, Judged, Outcome};
use crate::verdict::{Finding, Verdict};

/// How many places of one breach are shown; a service that breaks one rule everywhere is told once.
const SHOWN: usize = 3;

/// Prints a line a check while the run goes on, and in the end what is broken, by clause.
#[derive(Debug)]
pub struct Human<W> {
    out: W,
    broken: BTreeMap<String, Vec<String>>,
    held: BTreeMap<String, usize>,
}

impl<W: Write> Human<W> {
    /// A report that goes there.
    pub fn new(out: W) -> Self {
        Human {
            out,
            broken: BTreeMap::new(),
            held: BTreeMap::new(),
        }
    }

    /// Takes in what happened.
    ///
    /// # Errors
    /// Where it cannot be printed.
    pub fn take(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Began { checks, seed } => {
                writeln!(self.out, "{}, seed {seed}", counted(*checks, "check"))
            }
            Event::Judged(judged) => self.judged(judged),
            Event::Ended(summary) => {
                self.clauses()?;
                writeln!(self.out)?;
                let (passed, failed, skipped) = (summary.passed, summary.failed, summary.skipped);
                writeln!(
                    self.out,
                    "{passed} passed, {failed} failed, {skipped} skipped"
                )
            }
        }
    }

    fn judged(&mut self, judged: &Judged) -> io::Result<()> {
        for finding in &judged.findings {
            match &finding.verdict {
                Verdict::Held { clause } => *self.held.entry(clause.clone()).or_default() += 1,
                Verdict::Broken { clause, .. } => {
                    let told = format!("{}: {}", judged.check, told(finding));
                    self.broken.entry(clause.clone()).or_default().push(told);
                }
                Verdict::Skipped { .. } => {}
            }
        }
        let (word, why) = match judged.outcome() {
            Outcome::Passed => ("passed", String::new()),
            Outcome::Failed => ("FAILED", String::new()),
            Outcome::Skipped { why } => ("skipped", format!(": {why}")),
        };
        let requests = counted(judged.requests, "request");
        writeln!(self.out, "{word:>7}  {} ({requests}){why}", judged.check)
    }

    fn clauses(&mut self) -> io::Result<()> {
        let held = self
            .held
            .keys()
            .filter(|clause| !self.broken.contains_key(*clause))
            .count();
        writeln!(
            self.out,
            "\n{} held, {} broken",
            counted(held, "clause"),
            self.broken.len()
        )?;
        for (clause, places) in &self.broken {
            writeln!(
                self.out,
                "\n{clause}: broken {}",
                counted(places.len(), "time")
            )?;
            for place in places.iter().take(SHOWN) {
                writeln!(self.out, "  {}", place.trim_end().replace('\n', "\n  "))?;
            }
            if places.len() > SHOWN {
                writeln!(self.out, "  and {} more", places.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}

/// All that a check found broken.
#[must_use]
pub fn broken(judged: &Judged) -> String {
    broken_in(&judged.findings)
}

/// All that is broken of what was found.
#[must_use]
pub fn broken_in(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        if let Verdict::Broken { clause, .. } = &finding.verdict {
            let _ = writeln!(out, "{clause}: {}", told(finding).trim_end());
        }
    }
    out
}

/// Where it is and what is broken.
fn told(finding: &Finding) -> String {
    let Verdict::Broken {
        what,
        expected,
        found,
        ..
    } = &finding.verdict
    else {
        return String::new();
    };
    let place = format!("{}, step {}: {what}", finding.case, finding.step + 1);
    match diff::between(expected, found) {
        Some(diff) => format!("{place} differs\n{diff}"),
        None => format!("{place}\nexpected {expected}\n   found {found}\n"),
    }
}

fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Summary;

    fn finding(step: usize, verdict: Verdict) -> Finding {
        Finding {
            case: "an.operation".to_owned(),
            step,
            verdict,
        }
    }

    fn broken_at(step: usize, expected: &str, found: &str) -> Finding {
        let verdict = Verdict::Broken {
            clause: "b.clause".to_owned(),
            what: "the body".to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        };
        finding(step, verdict)
    }

    fn judged(check: &'static str, findings: Vec<Finding>) -> Event {
        let title = "A title";
        Event::Judged(Judged {
            check,
            title,
            cases: 1,
            requests: findings.len(),
            findings,
            unreachable: None,
        })
    }

    #[test]
    fn a_run_is_told_by_check_and_then_by_clause() {
        let held = || {
            finding(
                0,
                Verdict::Held {
                    clause: "a.clause".to_owned(),
                },
            )
        };
        let skipped = finding(
            0,
            Verdict::Skipped {
                why: "no answer".to_owned(),
            },
        );
        let different = broken_at(0, r#"{"a":1,"b":2}"#, r#"{"a":1,"b":3}"#);
        let many = (1..4).map(|step| broken_at(step, "200", "404"));
        let broken = [held(), different].into_iter().chain(many).collect();
        let mut human = Human::new(Vec::new());
        for event in [
            Event::Began {
                checks: 3,
                seed: "s".to_owned(),
            },
            judged("one.holds", vec![held()]),
            judged("one.is-skipped", vec![skipped]),
            judged("one.is-broken", broken),
            Event::Ended(Summary {
                passed: 1,
                failed: 1,
                skipped: 1,
                unreachable: 0,
            }),
        ] {
            human.take(&event).expect("memory takes all");
        }
        let told = String::from_utf8(human.out).expect("a report is text");
        insta::assert_snapshot!(told, @r#"
        3 checks, seed s
         passed  one.holds (1 request)
        skipped  one.is-skipped (1 request): no answer
         FAILED  one.is-broken (5 requests)

        1 clause held, 1 broken

        b.clause: broken 4 times
          one.is-broken: an.operation, step 1: the body differs
           {
             "a": 1,
          -  "b": 2
          +  "b": 3
           }
          one.is-broken: an.operation, step 2: the body
          expected 200
             found 404
          one.is-broken: an.operation, step 3: the body
          expected 200
             found 404
          and 1 more

        1 passed, 1 failed, 1 skipped
        "#);
    }
}
