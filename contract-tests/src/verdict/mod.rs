//! The judge: exchanges in, verdicts out. Pure: no clock, no network, so that judging again gives
//! the same verdicts.

mod answer;
mod billing;
mod delivered;
mod ending;
mod envelope;
mod price;
mod rule;
pub(crate) mod usage;
mod value;

#[cfg(test)]
mod tests;

use std::fmt::Display;

use crate::capture::{CapturedCase, Exchange};
use crate::plan::{Case, Setting};
use crate::target::Door;
use answer::Answer;
pub(crate) use answer::VERIFICATIONS;

/// What was found out about one clause, in one answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Held {
        /// The clause.
        clause: String,
    },
    /// It does not.
    Broken {
        /// The clause.
        clause: String,
        /// What was looked at.
        what: String,
        /// What must be.
        expected: String,
        /// What is.
        found: String,
        /// Why that is known and does not fail the run, where it is.
        known: Option<String>,
    },
    /// Nobody knows.
    Skipped {
        /// Why.
        why: String,
    },
}

/// A verdict and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the case.
    pub case: String,
    /// The step, counting from 0.
    pub step: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// Judges what was captured of a case: every answer by what must hold of every answer, then by what
/// the case expects of it.
#[must_use]
pub fn judge(setting: &Setting<'_>, case: &Case, captured: &CapturedCase) -> Vec<Finding> {
    let mut findings = Findings {
        setting,
        case: &case.name,
        step: 0,
        found: Vec::new(),
    };
    let answers: Vec<_> = captured.exchanges.iter().map(Answer::of).collect();
    for (at, step) in case.steps.iter().enumerate() {
        findings.step = at;
        // What was sent again was answered, too.
        for answer in captured.repeated_at(at).filter_map(|e| Answer::of(e).ok()) {
            every_answer(&mut findings, &answer);
            price::judge(&mut findings, case.environment, step, &answer);
        }
        match answers.get(at) {
            Some(Ok(answer)) => {
                if answer.request.door == Door::Api {
                    every_answer(&mut findings, answer);
                    price::judge(&mut findings, case.environment, step, answer);
                }
                for expectation in &step.expect {
                    rule::judge(&mut findings, &answers, at, expectation);
                }
            }
            Some(Err(why)) => findings.skip(why),
            None => {
                findings.skip(captured.stopped.as_deref().unwrap_or("it was not captured"));
                break;
            }
        }
    }
    findings.found
}

/// How an exchange ended, in a few words.
#[must_use]
pub fn ending(exchange: &Exchange) -> String {
    match Answer::of(exchange) {
        Ok(answer) if answer.response.header("idempotent-replay").is_some() => {
            format!("{}, replayed", answer.ending())
        }
        Ok(answer) => answer.ending(),
        Err(why) => why,
    }
}

/// What must hold of every answer, whatever was asked.
fn every_answer(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    if envelope::judge(findings, answer) {
        ending::judge(findings, answer);
        billing::judge(findings, answer);
    }
}

/// Verdicts being found.
struct Findings<'s> {
    setting: &'s Setting<'s>,
    case: &'s str,
    step: usize,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Notes whether a clause holds, where it is asked at all.
    fn must(
        &mut self,
        clause: &str,
        holds: bool,
        what: &str,
        expected: impl Display,
        found: impl Display,
    ) {
        if !self.setting.asks(clause) {
            return;
        }
        let clause = clause.to_owned();
        self.note(match holds {
            true => Verdict::Held { clause },
            false => Verdict::Broken {
                clause,
                what: what.to_owned(),
                expected: expected.to_string(),
                found: found.to_string(),
                known: None,
            },
        });
    }

    fn skip(&mut self, why: &str) {
        self.note(Verdict::Skipped {
            why: why.to_owned(),
        });
    }

    fn note(&mut self, verdict: Verdict) {
        self.found.push(Finding {
            case: self.case.to_owned(),
            step: self.step,
            verdict,
        });
    }
}

/// The clauses that every answer is judged by.
pub const EVERY_ANSWER: &[&str] = &[
    "envelope.same-shape",
    "envelope.success",
    "envelope.verification-id",
    "envelope.reference-id",
    "envelope.endpoint",
    "envelope.status",
    "envelope.data",
    "envelope.error",
    "envelope.billing",
    "envelope.wallet-balance",
    "envelope.meta",
    "envelope.environment",
    "errors.envelope",
    "errors.stable-codes",
    "errors.status-and-retryable",
    "states.completed",
    "states.pending",
    "billing.sandbox-free",
    "billing.conclusive",
    "billing.no-record-is-billed",
    "billing.failures-are-free",
    "ruling.01-reference-id-always",
    "ruling.02-ids-from-content",
    "ruling.03-pending-answer",
    "ruling.04-balance-after",
    "ruling.04-latency-figure",
    "ruling.05-paise",
    "ruling.06-message",
    "ruling.17-retry-after",
    "ruling.22-hold-while-pending",
];
