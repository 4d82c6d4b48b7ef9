//! The report for CI servers: JUnit. A check is a suite, a case a test; what was not reached is an
//! error, what was not judged is skipped, what is known is skipped with its reason.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::escape::visible;
use super::run_summary::{Breach, RunSummary};
use crate::event::{CheckResult, Outcome};
use crate::verdict::Finding;

/// The document.
#[must_use]
pub fn print(summary: &RunSummary<'_>) -> String {
    let mut report = Report::new("svc-contract-tests");
    report.set_time(Duration::from_millis(summary.totals.took_ms));
    let notes = summary.notes();
    for result in &summary.results {
        report.add_test_suite(suite(result));
    }
    if let Some(spending) = summary.totals.spending {
        let mut suite = TestSuite::new("spending");
        suite.set_system_out(spending.to_string());
        let status = TestCaseStatus::success();
        suite.add_test_case(test_case("spending", "what the run cost", status));
        report.add_test_suite(suite);
    }
    if !notes.is_empty() {
        let mut suite = TestSuite::new("noted");
        let lines: Vec<_> = notes.iter().map(|note| visible(&note.message())).collect();
        suite.set_system_out(lines.join("\n"));
        suite.add_test_case(test_case(
            "noted",
            "noted, and not broken",
            TestCaseStatus::success(),
        ));
        report.add_test_suite(suite);
    }
    if !summary.stale.is_empty() {
        let mut suite = TestSuite::new("known deviations");
        for stale in &summary.stale {
            let message = "a known deviation is none any more";
            let status = failure(NonSuccessKind::Failure, message, &stale.message);
            let name = format!("{}: {}", stale.check, stale.clause);
            suite.add_test_case(test_case("known deviations", &name, status));
        }
        report.add_test_suite(suite);
    }
    let text = report.to_string();
    text.expect("memory takes all, and what XML can't hold is left out")
}

fn suite(result: &CheckResult) -> TestSuite {
    let mut suite = TestSuite::new(result.check);
    suite.set_time(Duration::from_millis(result.took_ms()));
    for (name, findings) in result.by_case() {
        let mut case = test_case(result.check, name, status(result, &findings));
        case.set_assertions(findings.len());
        let time = result.time(name).map_or(0, |time| time.took_ms);
        case.set_time(Duration::from_millis(time));
        suite.add_test_case(case);
    }
    // A check without anything to judge is no green suite.
    if suite.test_cases.is_empty() {
        let outcome = result.outcome();
        let status = skipped(outcome.why().unwrap_or("it has no case here"));
        suite.add_test_case(test_case(result.check, result.check, status));
    }
    suite
}

fn status(result: &CheckResult, findings: &[&Finding]) -> TestCaseStatus {
    let breaches = || {
        let findings = findings.iter();
        findings.filter_map(|finding| Breach::of(result, finding))
    };
    match Outcome::of(findings.iter().copied()) {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => {
            let news: Vec<_> = breaches().filter(|breach| breach.known.is_none()).collect();
            let details = news.iter().map(|breach| {
                let (place, message) = (breach.place(), breach.message());
                let seen = breach
                    .seen
                    .map_or(String::new(), |seen| format!(" ({seen})"));
                format!("{}: {place}: {message}{seen}", breach.clause)
            });
            let details = details.collect::<Vec<_>>().join("\n\n");
            let first = news.first().map_or("", |breach| breach.clause);
            let message = format!("{first} is broken");
            let mut status = failure(NonSuccessKind::Failure, &message, &details);
            status.set_type(first);
            status
        }
        Outcome::Skipped { why } if result.unreachable.is_some() => {
            failure(NonSuccessKind::Error, "the service did not answer", &why)
        }
        Outcome::Skipped { why } | Outcome::NotAsked { why } => skipped(&why),
        Outcome::Known => {
            let why = breaches().find_map(|breach| breach.known);
            skipped(&format!("known: {}", why.unwrap_or_default()))
        }
    }
}

fn test_case(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(visible(name), status);
    case.set_classname(class);
    case
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(visible(why));
    status
}

fn failure(kind: NonSuccessKind, message: &str, details: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(visible(message));
    status.set_description(visible(details));
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn a_run_is_suites_of_tests() {
        let events = sample::events();
        insta::assert_snapshot!(print(&RunSummary::of(&events)));
    }
}
