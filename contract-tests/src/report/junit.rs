//! The report for CI servers: JUnit. A check is a suite, a case a test; what was not reached is an
//! error, what was not judged is skipped, what is known is skipped with its reason.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::picture::{Breach, Picture};
use crate::event::{Judged, Outcome};
use crate::verdict::Finding;

/// The document.
#[must_use]
pub fn print(picture: &Picture<'_>) -> String {
    let mut report = Report::new("svc-contract-tests");
    for judged in &picture.judged {
        report.add_test_suite(suite(judged));
    }
    if !picture.stale.is_empty() {
        let mut suite = TestSuite::new("known deviations");
        for stale in &picture.stale {
            let status = failure(
                NonSuccessKind::Failure,
                "a known deviation is none any more",
                &stale.told,
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

fn suite(judged: &Judged) -> TestSuite {
    let mut suite = TestSuite::new(judged.check);
    for (name, findings) in judged.by_case() {
        let mut case = TestCase::new(name, status(judged, &findings));
        case.set_classname(judged.check);
        case.set_assertions(findings.len());
        suite.add_test_case(case);
    }
    // A check without anything to judge is no green suite.
    if suite.test_cases.is_empty() {
        let mut status = TestCaseStatus::skipped();
        status.set_message("none of it is asked here");
        let mut case = TestCase::new(judged.check, status);
        case.set_classname(judged.check);
        suite.add_test_case(case);
    }
    suite
}

fn status(judged: &Judged, findings: &[&Finding]) -> TestCaseStatus {
    let breaches = || {
        let all = findings
            .iter()
            .filter_map(|finding| Breach::of(judged, finding));
        all.filter(|breach| breach.known.is_none())
    };
    let told = || {
        let told = breaches()
            .map(|breach| format!("{}: {}: {}", breach.clause, breach.place(), breach.told()));
        told.collect::<Vec<_>>().join("\n\n")
    };
    match Outcome::of(findings.iter().copied()) {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Failed => {
            let first = breaches().next().map_or("", |breach| breach.clause);
            let mut status = failure(
                NonSuccessKind::Failure,
                &format!("{first} is broken"),
                &told(),
            );
            status.set_type(first);
            status
        }
        Outcome::Skipped { why } if judged.unreachable.is_some() => {
            failure(NonSuccessKind::Error, "the service did not answer", &why)
        }
        Outcome::Skipped { why } => skipped(&why),
        Outcome::Known => {
            let known = findings
                .iter()
                .filter_map(|finding| Breach::of(judged, finding));
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

fn failure(kind: NonSuccessKind, message: &str, told: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(message);
    status.set_description(told);
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_run_is_suites_of_tests() {
        let events = sample::events();
        insta::assert_snapshot!(print(&Picture::of(&events)), @r#"
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
