//! The report for machines: one JSON document.

use serde_json::{Value, json};

use super::curl;
use super::run_summary::{Breach, ClauseState, RunSummary};
use crate::event::{CheckResult, Outcome, StaleDeviation};
use crate::verdict::Verdict;

/// The document.
#[must_use]
pub fn print(summary: &RunSummary<'_>) -> String {
    let sum = summary.totals;
    let clause = |(row, state, why): (&crate::event::ClauseRow, ClauseState, &str)| json!({ "clause": row.id, "section": row.section, "text": row.text, "state": state.word(), "why": some(why) });
    let clauses: Vec<Value> = summary.clauses().into_iter().map(clause).collect();
    let checks: Vec<Value> = summary
        .results
        .iter()
        .map(|result| check(summary, result))
        .collect();
    let stale: Vec<Value> = summary.stale.iter().copied().map(stale).collect();
    let document = json!({
        "seed": summary.seed(),
        "summary": {
            "passed": sum.passed,
            "failed": sum.failed,
            "known": sum.known,
            "skipped": sum.skipped,
            "unreachable": sum.unreachable,
            "stale": sum.stale,
        },
        "checks": checks,
        "stale": stale,
        "clauses": clauses,
    });
    format!("{document:#}\n")
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

fn stale(stale: &StaleDeviation) -> Value {
    json!({ "place": stale.place, "check": stale.check, "clause": stale.clause, "message": stale.message })
}

fn check(summary: &RunSummary<'_>, result: &CheckResult) -> Value {
    let outcome = result.outcome();
    let why = match &outcome {
        Outcome::Skipped { why } => Some(why),
        Outcome::Passed | Outcome::Failed | Outcome::Known => None,
    };
    let breaches = result
        .findings
        .iter()
        .filter_map(|finding| Breach::of(result, finding));
    let broken: Vec<Value> = breaches
        .map(|breach| self::breach(summary, &breach))
        .collect();
    let count = |wanted: fn(&Verdict) -> bool| {
        let findings = result.findings.iter();
        findings.filter(|finding| wanted(&finding.verdict)).count()
    };
    let cases = result.by_case().into_iter();
    let cases: Vec<Value> = cases
        .map(|(name, findings)| json!({ "case": name, "outcome": Outcome::of(findings).word() }))
        .collect();
    json!({
        "check": result.check,
        "title": result.title,
        "outcome": outcome.word(),
        "why": why,
        "unreachable": result.unreachable,
        "requests": result.requests,
        "held": count(|verdict| matches!(verdict, Verdict::Held { .. })),
        "skipped": count(|verdict| matches!(verdict, Verdict::Skipped { .. })),
        "broken": broken,
        "cases": cases,
    })
}

fn breach(summary: &RunSummary<'_>, breach: &Breach<'_>) -> Value {
    let exchange = breach.exchange();
    let answered = exchange.map(|exchange| &exchange.response);
    json!({
        "clause": breach.clause,
        "case": breach.finding.case,
        "step": breach.finding.step + 1,
        "what": breach.what,
        "expected": breach.expected,
        "found": breach.found,
        "known": breach.known,
        "request": exchange.map(|exchange| &exchange.request),
        "response": answered.and_then(|answered| answered.as_ref().ok()),
        "unanswered": answered.and_then(|answered| answered.as_ref().err()).map(ToString::to_string),
        "diff": breach.diff(),
        "curl": curl::of_breach(summary, breach),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_run_is_one_document() {
        let events = sample::events();
        insta::assert_snapshot!(print(&RunSummary::of(&events)));
    }
}
