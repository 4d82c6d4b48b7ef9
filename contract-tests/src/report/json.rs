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
        insta::assert_snapshot!(print(&RunSummary::of(&events)), @r#"
        {
          "seed": "s",
          "summary": {
            "passed": 1,
            "failed": 1,
            "known": 1,
            "skipped": 2,
            "unreachable": 1,
            "stale": 1
          },
          "checks": [
            {
              "check": "one.holds",
              "title": "A title",
              "outcome": "passed",
              "why": null,
              "unreachable": null,
              "requests": 1,
              "held": 1,
              "skipped": 0,
              "broken": [],
              "cases": [
                {
                  "case": "an.operation",
                  "outcome": "passed"
                }
              ]
            },
            {
              "check": "one.is-broken",
              "title": "A title",
              "outcome": "failed",
              "why": null,
              "unreachable": null,
              "requests": 7,
              "held": 1,
              "skipped": 0,
              "broken": [
                {
                  "clause": "b.broken",
                  "case": "an.operation",
                  "step": 1,
                  "what": "the body",
                  "expected": "{\"a\":1,\"b\":2}",
                  "found": "{\"a\":1,\"b\":3}",
                  "known": null,
                  "request": {
                    "channel": "api",
                    "environment": "test",
                    "method": "POST",
                    "path": "/v1/an/operation",
                    "query": "",
                    "authorization": "[redacted key]",
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "{\"pan\":\"AAAAA0000A\"}"
                    }
                  },
                  "response": {
                    "status": 200,
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "{\"a\":1,\"b\":3}"
                    }
                  },
                  "unanswered": null,
                  "diff": "--- expected\n+++ found\n@@ -1,4 +1,4 @@\n {\n   \"a\": 1,\n-  \"b\": 2\n+  \"b\": 3\n }\n",
                  "curl": "curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H \"Authorization: Bearer $SVC_API_KEY\" -H 'content-type: application/json' --data-binary '{\"pan\":\"AAAAA0000A\"}'"
                },
                {
                  "clause": "b.broken",
                  "case": "an.operation",
                  "step": 2,
                  "what": "the status",
                  "expected": "200",
                  "found": "404",
                  "known": null,
                  "request": null,
                  "response": null,
                  "unanswered": null,
                  "diff": null,
                  "curl": null
                },
                {
                  "clause": "b.broken",
                  "case": "an.operation",
                  "step": 3,
                  "what": "the status",
                  "expected": "200",
                  "found": "404",
                  "known": null,
                  "request": null,
                  "response": null,
                  "unanswered": null,
                  "diff": null,
                  "curl": null
                },
                {
                  "clause": "b.broken",
                  "case": "an.operation",
                  "step": 4,
                  "what": "the status",
                  "expected": "200",
                  "found": "404",
                  "known": null,
                  "request": null,
                  "response": null,
                  "unanswered": null,
                  "diff": null,
                  "curl": null
                },
                {
                  "clause": "b.broken",
                  "case": "an.operation",
                  "step": 5,
                  "what": "the status",
                  "expected": "200",
                  "found": "404",
                  "known": null,
                  "request": null,
                  "response": null,
                  "unanswered": null,
                  "diff": null,
                  "curl": null
                },
                {
                  "clause": "b.broken",
                  "case": "hostile",
                  "step": 1,
                  "what": "`error.message`",
                  "expected": "a text",
                  "found": "</script><img src=x onerror=alert(1)> ```\n::error::x, 100%",
                  "known": null,
                  "request": {
                    "channel": "api",
                    "environment": "test",
                    "method": "POST",
                    "path": "/v1/an/operation",
                    "query": "",
                    "authorization": "[redacted key]",
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "{}"
                    }
                  },
                  "response": {
                    "status": 200,
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "</script><img src=x onerror=alert(1)> ```\n::error::x, 100%"
                    }
                  },
                  "unanswered": null,
                  "diff": null,
                  "curl": "curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H \"Authorization: Bearer $SVC_API_KEY\" -H 'content-type: application/json' --data-binary '{}'"
                }
              ],
              "cases": [
                {
                  "case": "an.operation",
                  "outcome": "failed"
                },
                {
                  "case": "hostile",
                  "outcome": "failed"
                }
              ]
            },
            {
              "check": "one.is-known",
              "title": "A title",
              "outcome": "known",
              "why": null,
              "unreachable": null,
              "requests": 1,
              "held": 0,
              "skipped": 0,
              "broken": [
                {
                  "clause": "c.known",
                  "case": "an.operation",
                  "step": 1,
                  "what": "the status",
                  "expected": "202",
                  "found": "200",
                  "known": "told to the vendor, ticket 12",
                  "request": {
                    "channel": "api",
                    "environment": "test",
                    "method": "POST",
                    "path": "/v1/an/operation",
                    "query": "",
                    "authorization": "[redacted key]",
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "{}"
                    }
                  },
                  "response": {
                    "status": 200,
                    "headers": [
                      [
                        "content-type",
                        "application/json"
                      ]
                    ],
                    "body": {
                      "text": "{}"
                    }
                  },
                  "unanswered": null,
                  "diff": null,
                  "curl": "curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H \"Authorization: Bearer $SVC_API_KEY\" -H 'content-type: application/json' --data-binary '{}'"
                }
              ],
              "cases": [
                {
                  "case": "an.operation",
                  "outcome": "known"
                }
              ]
            },
            {
              "check": "one.is-skipped",
              "title": "A title",
              "outcome": "skipped",
              "why": "there is no live key for this run",
              "unreachable": null,
              "requests": 1,
              "held": 0,
              "skipped": 1,
              "broken": [],
              "cases": [
                {
                  "case": "an.operation (live)",
                  "outcome": "skipped"
                }
              ]
            },
            {
              "check": "one.is-lost",
              "title": "A title",
              "outcome": "skipped",
              "why": "no answer: no connection: refused",
              "unreachable": "no connection: refused",
              "requests": 1,
              "held": 0,
              "skipped": 1,
              "broken": [],
              "cases": [
                {
                  "case": "an.operation",
                  "outcome": "skipped"
                }
              ]
            }
          ],
          "stale": [
            {
              "place": "known.toml:7",
              "check": "one.holds",
              "clause": "a.held",
              "message": "it holds now: take the entry out"
            }
          ],
          "clauses": [
            {
              "clause": "a.held",
              "section": "A section",
              "text": "Something holds.",
              "state": "proven",
              "why": null
            },
            {
              "clause": "b.broken",
              "section": "A section",
              "text": "Two bodies are the same & <b>equal</b> | always.",
              "state": "broken",
              "why": null
            },
            {
              "clause": "c.known",
              "section": "A section",
              "text": "Something else holds.",
              "state": "known",
              "why": null
            },
            {
              "clause": "d.skipped",
              "section": "A section",
              "text": "Nobody knows.",
              "state": "skipped",
              "why": "some of it was not judged"
            },
            {
              "clause": "e.not-asked",
              "section": "A section",
              "text": "Nobody asks.",
              "state": "not asked",
              "why": "no check proves it yet"
            },
            {
              "clause": "f.excluded",
              "section": "A section",
              "text": "Left out.",
              "state": "excluded",
              "why": "the filter leaves it out"
            }
          ]
        }
        "#);
    }
}
