//! What was to be judged and was not, put together: equal reasons once, and what has no case here by its reason.

use std::collections::BTreeMap;

use super::block::{effort, kind_of_words};
use super::counted;
use super::curl;
use super::run_summary::{RunSummary, call, place};
use crate::capture::Exchange;
use crate::event::{CheckResult, Outcome};
use crate::verdict::{Finding, Verdict};

/// A reason without how often the case was tried.
fn without_tries(why: &str) -> &str {
    let rest = why.split_once(" tries: ").or(why.split_once(" try: "));
    rest.map_or(why, |(_, rest)| rest)
}

/// What is said of the cases that were not sent because the service was silent.
pub(super) const SILENCE: &str = "not sent: the service did not answer";

/// One reason why something was not judged.
#[derive(Debug, Clone)]
pub struct Unjudged<'e> {
    /// The reason, as it was the first time: later cases like it are tried less often.
    pub why: &'e str,
    /// How many cases it was in the way of.
    pub cases: usize,
    kind: String,
    result: &'e CheckResult,
    finding: &'e Finding,
}

/// The reasons why something was not judged: what had no whole answer first.
#[must_use]
pub fn unjudged<'e>(summary: &RunSummary<'e>) -> Vec<Unjudged<'e>> {
    let mut reasons: Vec<Unjudged<'e>> = Vec::new();
    for &result in &summary.results {
        if matches!(result.outcome(), Outcome::NotAsked { .. }) {
            continue;
        }
        for (_, findings) in result.by_case() {
            let mut why = findings.into_iter().filter_map(|finding| {
                let Verdict::NotJudged { why } = &finding.verdict else {
                    return None;
                };
                Some((why.as_str(), finding))
            });
            // What comes behind the first is not judged because of it.
            let Some((why, finding)) = why.next() else {
                continue;
            };
            // The last line of every report says so.
            if why.starts_with(SILENCE) {
                continue;
            }
            let kind = kind_of_words(without_tries(why));
            match reasons.iter_mut().find(|known| known.kind == kind) {
                Some(known) => {
                    known.cases += 1;
                    if effort(result, finding) < effort(known.result, known.finding) {
                        (known.result, known.finding) = (result, finding);
                    }
                }
                None => reasons.push(Unjudged {
                    why,
                    cases: 1,
                    kind,
                    result,
                    finding,
                }),
            }
        }
    }
    reasons.sort_by_key(|reason| reason.unanswered().is_none());
    reasons
}

impl<'e> Unjudged<'e> {
    /// In one line.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("not judged: {}", self.why)
    }

    /// The call that had no whole answer, in one line.
    #[must_use]
    pub fn call(&self) -> Option<String> {
        self.unanswered().map(call)
    }

    /// Where it was met.
    #[must_use]
    pub fn place(&self) -> String {
        let more = match self.cases {
            1 => String::new(),
            2 => "; the same in 1 other case".to_owned(),
            all => format!("; the same in {} other cases", all - 1),
        };
        format!("{}{more}", place(self.result, self.finding))
    }

    /// The call that had no whole answer, where that is the reason.
    fn unanswered(&self) -> Option<&'e Exchange> {
        let case = self.result.evidence(&self.finding.case)?;
        let exchange = case.exchanges.get(self.finding.step)?;
        exchange.response.is_err().then_some(exchange)
    }

    /// The line that sends that call again.
    #[must_use]
    pub fn curl(&self, summary: &RunSummary<'_>) -> Option<String> {
        curl::line(self.unanswered()?, summary.started?)
    }
}

/// Why checks have no case here, each reason with the families of the checks, a line each.
#[must_use]
pub fn not_asked(summary: &RunSummary<'_>) -> Vec<String> {
    let mut reasons: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for result in &summary.results {
        let Outcome::NotAsked { why } = result.outcome() else {
            continue;
        };
        let (family, _) = result.check.split_once('.').unwrap_or((result.check, ""));
        *reasons.entry(why).or_default().entry(family).or_default() += 1;
    }
    let line = |(why, families): (String, BTreeMap<&str, usize>)| {
        let all = counted(families.values().sum(), "check");
        let named = families
            .iter()
            .map(|(family, checks)| format!("{family} {checks}"));
        format!("{all}: {why} ({})", named.collect::<Vec<_>>().join(", "))
    };
    reasons.into_iter().map(line).collect()
}
