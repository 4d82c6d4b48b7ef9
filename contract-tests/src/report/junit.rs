//! The report for CI servers: JUnit. A check is a suite, a case a test; what was not reached is an
//! error, what was not judged is skipped, what is known is skipped with its reason.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::run_summary::{Breach, RunSummary};
use crate::event::{CheckResult, Outcome};
use crate::verdict::Finding;

/// The document.
#[must_use]
pub fn print(summary: &RunSummary<'_>) -> String {
    let mut report = Report::new("svc-contract-tests");
    for result in &summary.results {
        report.add_test_suite(suite(result));
    }
    if !summary.stale.is_empty() {
        let mut suite = TestSuite::new("known deviations");
        for stale in &summary.stale {
            let status = failure(
                NonSuccessKind::Failure,
                "a known deviation is none any more",
                &stale.message,
            );
            let name = format!("{}: {}", stale.check, stale.clause);
            let mut case = TestCase::new(name, status);
            case.set_classname("known deviations");
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    let text = report.to_string();
    text.expect("memory takes all, and what XML can't hold is left out")
}

fn suite(result: &CheckResult) -> TestSuite {
    let mut suite = TestSuite::new(result.check);
    for (name, findings) in result.by_case() {
        let mut case = TestCase::new(name, status(result, &findings));
        case.set_classname(result.check);
        case.set_assertions(findings.len());
        suite.add_test_case(case);
    }
    // A check without anything to judge is no green suite.
    if suite.test_cases.is_empty() {
        let mut status = TestCaseStatus::skipped();
        status.set_message("none of it is asked here");
        let mut case = TestCase::new(result.check, status);
        case.set_classname(result.check);
        suite.add_test_case(case);
    }
    suite
}

fn status(result: &CheckResult, findings: &[&Finding]) -> TestCaseStatus {
    let breaches = || {
        let all = findings
            .iter()
            .filter_map(|finding| Breach::of(result, finding));
        all.filter(|breach| breach.known.is_none())
    };
    let details = || {
        let details = breaches().map(|breach| {
            format!(
                "{}: {}: {}",
                breach.clause,
                breach.place(),
                breach.message()
            )
        });
        details.collect::<Vec<_>>().join("\n\n")
    };
    match Outcome::of(findings.iter().copied()) {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => {
            let first = breaches().next().map_or("", |breach| breach.clause);
            let mut status = failure(
                NonSuccessKind::Failure,
                &format!("{first} is broken"),
                &details(),
            );
            status.set_type(first);
            status
        }
        Outcome::Skipped { why } if result.unreachable.is_some() => {
            failure(NonSuccessKind::Error, "the service did not answer", &why)
        }
        Outcome::Skipped { why } => skipped(&why),
        Outcome::Known => {
            let known = findings
                .iter()
                .filter_map(|finding| Breach::of(result, finding));
            let why = known.filter_map(|breach| breach.known).next();
            skipped(&format!("known: {}", why.unwrap_or_default()))
        }
    }
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

fn failure(kind: NonSuccessKind, message: &str, details: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message);
    status.set_description(details);
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_run_is_suites_of_tests() {
        let events = sample::events();
        insta::assert_snapshot!(print(&RunSummary::of(&events)));
    }
}
