//! The report for machines: one JSON document.

use serde_json::{Value, json};

use super::curl;
use super::escape::visible_json;
use super::run_summary::{Breach, ClauseState, RunSummary};
use crate::event::{CheckResult, ClauseRow, Outcome};
use crate::spend::Spending;
use crate::verdict::Verdict;
use svc_fixtures::contract::Paise;

/// The document.
#[must_use]
pub fn print(summary: &RunSummary<'_>) -> String {
    let clause = |(row, state, why): &(&ClauseRow, ClauseState, &str)| {
        json!({
            "clause": row.id,
            "section": row.section,
            "text": row.text,
            "state": state.word(),
            "why": Some(why).filter(|why| !why.is_empty()),
        })
    };
    let checks = summary.results.iter().map(|result| check(summary, result));
    let document = json!({
        "seed": summary.seed(),
        "profile": summary.started.map(|started| started.profile.to_string()),
        "asked_of_console": summary.console(),
        "addresses": summary.addresses(),
        "version": env!("CARGO_PKG_VERSION"),
        "spending": summary.totals.spending.map(spending),
        "summary": summary.totals,
        "checks": checks.collect::<Vec<_>>(),
        "noted": summary.notes(),
        "stale": summary.stale,
        "clauses": summary.clauses().iter().map(clause).collect::<Vec<_>>(),
    });
    visible_json(&format!("{document:#}\n"))
}

/// In INR.
fn spending(of: Spending) -> Value {
    json!({
        "budget_inr": rupees(of.budget),
        "spent_inr": rupees(of.spent),
        "unknown_inr": rupees(of.unknown),
        "stated_by_answers_inr": rupees(of.stated),
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sums are far below what a double holds exactly"
)]
fn rupees(amount: Paise) -> f64 {
    amount.0 as f64 / 100.0
}

fn check(summary: &RunSummary<'_>, result: &CheckResult) -> Value {
    let outcome = result.outcome();
    let broken = Breach::all(result).map(|breach| self::breach(summary, &breach));
    let count = |wanted: fn(&Verdict) -> bool| {
        let findings = result.findings.iter();
        findings.filter(|finding| wanted(&finding.verdict)).count()
    };
    let cases = result.by_case().into_iter();
    let cases: Vec<Value> = cases
        .map(|(name, findings)| {
            let time = result.time(name);
            json!({
                "case": name,
                "outcome": Outcome::of(findings).word(),
                "took_ms": time.map(|time| time.took_ms),
                "tried_again": time.map(|time| &time.tried_again),
            })
        })
        .collect();
    json!({
        "check": result.check,
        "title": result.title,
        "outcome": outcome.word(),
        "why": outcome.why(),
        "unreachable": result.unreachable,
        "requests": result.requests,
        "took_ms": result.took_ms(),
        "held": count(|verdict| matches!(verdict, Verdict::Held { .. })),
        "noted": count(|verdict| matches!(verdict, Verdict::Noted { .. })),
        "skipped": count(|verdict| matches!(verdict, Verdict::NotJudged { .. })),
        "broken": broken.collect::<Vec<_>>(),
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
        "seen": breach.seen.map(|seen| seen.to_string()),
        "took_ms": exchange.map(|exchange| exchange.took_ms),
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
    use crate::report::tests::sample;

    #[test]
    fn a_run_is_one_document() {
        let events = sample::events();
        insta::assert_snapshot!(print(&RunSummary::of(&events)));
    }
}
