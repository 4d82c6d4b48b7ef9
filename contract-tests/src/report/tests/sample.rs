//! The one stream of events that every reporter is tested on: something proven, broken with and
//! without a difference, known, skipped, not reached, left out, and texts that want escaping.

use crate::capture::{
    CapturedCase, Channel, Credential, Exchange, Request, Response, TransportError,
};
use crate::event::{
    CaseTime, CheckResult, ClauseRow, Coverage, Event, RunStarted, StaleDeviation, Totals,
};
use crate::profile::Profile;
use crate::redact::{REDACTED, Secret};
use crate::spend::Spending;
use crate::verdict::{Finding, SeenIn, Verdict};
use svc_fixtures::contract::{Environment, Paise};

/// Every reporter's sample.
pub(crate) fn events() -> Vec<Event> {
    let mut events = vec![Event::RunStarted(started())];
    let results = [
        holds(),
        breaks(),
        is_known(),
        is_skipped(),
        is_lost(),
        is_not_asked(),
    ];
    for result in results {
        let (check, cases) = (result.check, result.cases);
        events.push(Event::CheckStarted { check, cases });
        events.extend(result.times.iter().map(|time| one_case(&result, time)));
        events.push(Event::CheckFinished(result));
    }
    events.push(Event::StaleDeviation(StaleDeviation {
        place: "known.toml:7".to_owned(),
        check: "one.holds".to_owned(),
        clause: "a.held".to_owned(),
        message: "it holds now: take the entry out".to_owned(),
    }));
    events.push(Event::RunFinished(Totals {
        passed: 1,
        failed: 1,
        known: 1,
        skipped: 2,
        not_asked: 1,
        unreachable: 1,
        stale: 1,
        held: 3,
        took_ms: 83_400,
        spending: Some(Spending {
            budget: Paise(5000),
            spent: Paise(3000),
            unknown: Paise(250),
            stated: Paise(2750),
        }),
    }));
    events
}

fn started() -> RunStarted {
    let excluded = Coverage::Excluded {
        why: "the filter leaves it out".to_owned(),
    };
    RunStarted {
        checks: 6,
        cases: 7,
        seed: "s".to_owned(),
        profile: Profile::Provider,
        addresses: vec![(Environment::Test, "http://127.0.0.1:8801".to_owned())],
        console: None,
        clauses: vec![
            row("a.held", "Something holds.", Coverage::ByCase),
            row("a.asked", "Something holds, too.", Coverage::ByCase),
            row(
                "b.broken",
                "Two bodies are the same & <b>equal</b> | always.",
                Coverage::ByCase,
            ),
            row("c.known", "Something else holds.", Coverage::ByCase),
            row("d.skipped", "Nobody knows.", Coverage::ByCase),
            row("e.not-asked", "Nobody asks.", Coverage::Uncovered),
            row("f.excluded", "Left out.", excluded),
        ],
    }
}

fn row(id: &str, text: &str, coverage: Coverage) -> ClauseRow {
    ClauseRow {
        id: id.to_owned(),
        section: "A section".to_owned(),
        text: text.to_owned(),
        file: "fixtures/contract/clauses.toml".to_owned(),
        line: 4,
        coverage,
        defects: usize::from(id == "a.held"),
    }
}

fn holds() -> CheckResult {
    let note = || Verdict::Noted {
        clause: "a.held".to_owned(),
        what: "`data.new`".to_owned(),
        found: "a member the specification does not name \u{1b}[31m\u{202e}".to_owned(),
    };
    let clauses = ["a.held", "a.asked"].into_iter();
    let mut findings: Vec<_> = clauses
        .map(|clause| finding("an.operation", 0, held(clause)))
        .collect();
    findings.extend((1..4).map(|step| finding("an.operation", step, note())));
    result("one.holds", findings)
}

fn breaks() -> CheckResult {
    let (expected, found) = (r#"{"a":1,"b":2}"#, r#"{"a":1,"b":3}"#);
    let hostile = "</script><img src=x onerror=alert(1)> ```\n::error::x, 100%";
    let mut findings = vec![
        finding("an.operation", 0, held("a.held")),
        finding(
            "an.operation",
            0,
            broken("b.broken", "the body", expected, found),
        ),
    ];
    findings.extend((1..5).map(|step| {
        finding(
            "an.operation",
            step,
            broken("b.broken", "the status", "200", "404"),
        )
    }));
    findings.push(finding(
        "hostile",
        0,
        broken("b.broken", "`error.message`", "a text", hostile),
    ));
    CheckResult {
        console: [("POST /control/accounts/{account}/clock".to_owned(), 2)].into(),
        evidence: vec![
            case(
                "an.operation",
                &[exchange(r#"{"pan":"AAAAA0000A"}"#, found)],
            ),
            case("hostile", &[exchange("{}", hostile)]),
        ],
        ..result("one.is-broken", findings)
    }
}

fn is_known() -> CheckResult {
    let verdict = Verdict::Broken {
        clause: "c.known".to_owned(),
        what: "the status".to_owned(),
        expected: "202".to_owned(),
        found: "200".to_owned(),
        known: Some("reported to the vendor, ticket 12".to_owned()),
        seen: Some(SeenIn { tries: 1, of: 3 }),
    };
    CheckResult {
        evidence: vec![case("an.operation", &[exchange("{}", "{}")])],
        ..result("one.is-known", vec![finding("an.operation", 0, verdict)])
    }
}

fn is_skipped() -> CheckResult {
    let why = "there is no live key for this run".to_owned();
    CheckResult {
        open: ["d.skipped".to_owned()].into(),
        ..result(
            "one.is-skipped",
            vec![finding(
                "an.operation (live)",
                0,
                Verdict::NotJudged { why },
            )],
        )
    }
}

fn is_lost() -> CheckResult {
    let why = "no answer: no connection: refused".to_owned();
    let lost = Exchange {
        response: Err(TransportError::Unreachable("refused".to_owned())),
        ..exchange("{}", "")
    };
    CheckResult {
        unreachable: Some("no connection: refused".to_owned()),
        evidence: vec![case("an.operation", &[lost])],
        ..result(
            "one.is-lost",
            vec![finding("an.operation", 0, Verdict::NotJudged { why })],
        )
    }
}

fn is_not_asked() -> CheckResult {
    let why = "it needs the console: --console-url".to_owned();
    CheckResult {
        not_asked: Some(why),
        ..result("other.is-not-asked", Vec::new())
    }
}

/// The event of one of a result's cases.
fn one_case(result: &CheckResult, time: &CaseTime) -> Event {
    let findings = result.findings.iter();
    let mine = findings.filter(|finding| finding.case == time.case);
    Event::CaseFinished(CheckResult {
        cases: 1,
        findings: mine.cloned().collect(),
        times: vec![time.clone()],
        ..result.clone()
    })
}

fn result(check: &'static str, findings: Vec<Finding>) -> CheckResult {
    let requests = findings.len();
    let mut result = CheckResult {
        check,
        title: "A title",
        requests,
        findings,
        ..CheckResult::default()
    };
    let names = result
        .by_case()
        .into_iter()
        .map(|(name, _)| name.to_owned());
    let mut times: Vec<_> = names
        .map(|case| time(case, 110 * requests as u64))
        .collect();
    if check == "one.is-broken" {
        let late = ["no answer in time", "a broken connection"];
        times[0].tried_again = late.map(str::to_owned).to_vec();
    }
    result.cases = times.len();
    result.times = times;
    result
}

fn time(case: String, took_ms: u64) -> CaseTime {
    CaseTime {
        case,
        took_ms,
        tried_again: Vec::new(),
    }
}

fn finding(case: &str, step: usize, verdict: Verdict) -> Finding {
    let case = case.to_owned();
    Finding {
        case,
        step,
        verdict,
    }
}

fn held(clause: &str) -> Verdict {
    let clause = clause.to_owned();
    Verdict::Held { clause }
}

fn broken(clause: &str, what: &str, expected: &str, found: &str) -> Verdict {
    Verdict::Broken {
        clause: clause.to_owned(),
        what: what.to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
        known: None,
        seen: None,
    }
}

fn case(case: &str, exchanges: &[Exchange]) -> CapturedCase {
    CapturedCase {
        exchanges: exchanges.to_vec(),
        ..CapturedCase::new("one.is-broken", case)
    }
}

/// A call with this body that was answered with that one.
pub(crate) fn exchange(sent: &str, answered: &str) -> Exchange {
    Exchange {
        request: Request {
            channel: Channel::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: "/v1/an/operation".to_owned(),
            query: String::new(),
            authorization: Some(Secret::new(REDACTED)),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: sent.as_bytes().to_vec(),
            padded_to: None,
        },
        credential: Credential::Own,
        at_s: None,
        response: Ok(Response {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: answered.as_bytes().to_vec(),
        }),
        took_ms: 12,
        result: None,
    }
}

/// What was captured of a case of the check `a.check`.
pub(crate) fn captured(case: &str, exchanges: Vec<Exchange>) -> CapturedCase {
    CapturedCase {
        check: "a.check".to_owned(),
        case: case.to_owned(),
        exchanges,
        try_: 0,
        took_ms: 0,
        given_up: false,
        disturbed: false,
        stopped: None,
    }
}
