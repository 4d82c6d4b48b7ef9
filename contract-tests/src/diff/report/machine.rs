//! The reports for programs: one JSON document, and JUnit for CI servers, where a kind is a suite and a difference a
//! test that fails.

use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json as document};

use super::{Report, place};
use crate::diff::finding::{Difference, Kind};
use crate::report::escape::{visible, visible_json};

/// The JSON document.
#[must_use]
pub fn json(report: &Report<'_>) -> String {
    let comparison = report.comparison;
    let [left, right] = &report.sides;
    let not_compared = comparison.not_compared.iter();
    let not_compared: Vec<_> = not_compared
        .map(|one| document!({ "why": one.why, "cases": one.cases, "first": one.first }))
        .collect();
    let differences = comparison.differences.iter();
    let differences: Vec<_> = differences.map(|one| difference(report, one)).collect();
    let all = document!({
        "left": left.name,
        "right": right.name,
        "summary": {
            "differences": comparison.news().count(),
            "known": comparison.differences.len() - comparison.news().count(),
            "cases": comparison.cases,
            "answers": comparison.answers,
            "operations": comparison.operations,
        },
        "differences": differences,
        "not_compared": not_compared,
        "notes": report.notes,
    });
    visible_json(&format!("{all:#}\n"))
}

fn difference(report: &Report<'_>, difference: &Difference) -> Value {
    let calls = report.calls(difference);
    let call = |name: &str| {
        let found = calls.iter().find(|(side, ..)| *side == name);
        found.map(|(_, curl, answered)| document!({ "curl": curl, "answered": answered }))
    };
    document!({
        "kind": difference.kind.word(),
        "what": difference.what,
        "left": difference.left,
        "right": difference.right,
        "operations": difference.operations,
        "places": difference.places,
        "clauses": difference.clauses,
        "cases": difference.cases.iter().map(|(check, case)| document!({ "check": check, "case": case })).collect::<Vec<_>>(),
        "known": difference.known,
        "example": { "seen": place(difference), "left": call("left"), "right": call("right") },
    })
}

/// The JUnit document.
#[must_use]
pub fn junit(report: &Report<'_>) -> String {
    let mut document = JunitReport::new("svc-contract-tests diff");
    for kind in Kind::ALL {
        let mut suite = TestSuite::new(kind.word());
        let all = report.comparison.differences.iter();
        for difference in all.filter(|one| one.kind == kind) {
            suite.add_test_case(test_case(report, difference));
        }
        if suite.test_cases.is_empty() {
            let status = match report.comparison.cases {
                0 => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_message("nothing was compared");
                    status
                }
                _ => TestCaseStatus::success(),
            };
            let mut case = TestCase::new(format!("no difference of {kind}"), status);
            case.set_classname(kind.word());
            suite.add_test_case(case);
        }
        document.add_test_suite(suite);
    }
    let text = document.to_string();
    text.expect("memory takes all, and what XML can't hold is left out")
}

fn test_case(report: &Report<'_>, difference: &Difference) -> TestCase {
    let status = match &difference.known {
        Some(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(visible(&format!("known: {why}")));
            status
        }
        None => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(visible(&difference.headline()));
            status.set_type(difference.kind.word());
            let operations: Vec<_> = difference.operations.iter().map(String::as_str).collect();
            let mut text = format!("in {}\n", operations.join(", "));
            for (side, curl, answered) in report.calls(difference) {
                text += &format!("{side}: {answered}\n{}\n", curl.unwrap_or_default());
            }
            status.set_description(visible(&text));
            status
        }
    };
    let (what, left, right) = (&difference.what, &difference.left, &difference.right);
    let mut case = TestCase::new(visible(&format!("{what}: {left}, {right}")), status);
    case.set_classname(difference.kind.word());
    case
}
