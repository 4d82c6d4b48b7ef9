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
        insta::assert_snapshot!(print(&RunSummary::of(&events)), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="svc-contract-tests" tests="7" skipped="2" failures="3" errors="1">
            <testsuite name="one.holds" tests="1" skipped="0" errors="0" failures="0">
                <testcase name="an.operation" classname="one.holds" assertions="1"/>
            </testsuite>
            <testsuite name="one.is-broken" tests="2" skipped="0" errors="0" failures="2">
                <testcase name="an.operation" classname="one.is-broken" assertions="6">
                    <failure message="b.broken is broken" type="b.broken">b.broken: one.is-broken: an.operation, step 1: the body differs
        --- expected
        +++ found
        @@ -1,4 +1,4 @@
         {
           &quot;a&quot;: 1,
        -  &quot;b&quot;: 2
        +  &quot;b&quot;: 3
         }

        b.broken: one.is-broken: an.operation, step 2: the status
        expected 200
           found 404

        b.broken: one.is-broken: an.operation, step 3: the status
        expected 200
           found 404

        b.broken: one.is-broken: an.operation, step 4: the status
        expected 200
           found 404

        b.broken: one.is-broken: an.operation, step 5: the status
        expected 200
           found 404</failure>
                </testcase>
                <testcase name="hostile" classname="one.is-broken" assertions="1">
                    <failure message="b.broken is broken" type="b.broken">b.broken: one.is-broken: hostile, step 1: `error.message`
        expected a text
           found &lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; ```
        ::error::x, 100%</failure>
                </testcase>
            </testsuite>
            <testsuite name="one.is-known" tests="1" skipped="1" errors="0" failures="0">
                <testcase name="an.operation" classname="one.is-known" assertions="1">
                    <skipped message="known: told to the vendor, ticket 12"/>
                </testcase>
            </testsuite>
            <testsuite name="one.is-skipped" tests="1" skipped="1" errors="0" failures="0">
                <testcase name="an.operation (live)" classname="one.is-skipped" assertions="1">
                    <skipped message="there is no live key for this run"/>
                </testcase>
            </testsuite>
            <testsuite name="one.is-lost" tests="1" skipped="0" errors="1" failures="0">
                <testcase name="an.operation" classname="one.is-lost" assertions="1">
                    <error message="the service did not answer">no answer: no connection: refused</error>
                </testcase>
            </testsuite>
            <testsuite name="known deviations" tests="1" skipped="0" errors="0" failures="1">
                <testcase name="one.holds: a.held" classname="known deviations">
                    <failure message="a known deviation is none any more">it holds now: take the entry out</failure>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }
}
