//! The one stream of events that every reporter is tested on: something proven, broken with and
//! without a difference, known, skipped, not reached, left out, and texts that want escaping.

use crate::capture::{CapturedCase, Door, Exchange, Presented, Request, Response};
use crate::event::{Asked, Began, ClauseRow, Event, Judged, Stale, Summary};
use crate::redact::{MARK, Secret};
use crate::verdict::{Finding, Verdict};
use svc_fixtures::contract::Environment;

/// Every reporter's sample.
pub(crate) fn events() -> Vec<Event> {
    let mut events = vec![Event::Began(began())];
    for judged in [holds(), breaks(), is_known(), is_skipped(), is_lost()] {
        let (check, cases) = (judged.check, judged.cases);
        events.extend([Event::Checking { check, cases }, Event::Judged(judged)]);
    }
    events.push(Event::Stale(Stale {
        place: "known.toml:7".to_owned(),
        check: "one.holds".to_owned(),
        clause: "a.held".to_owned(),
        told: "it holds now: take the entry out".to_owned(),
    }));
    events.push(Event::Ended(Summary {
        passed: 1,
        failed: 1,
        known: 1,
        skipped: 2,
        unreachable: 1,
        stale: 1,
    }));
    events
}

fn began() -> Began {
    let excluded = Asked::Excluded {
        why: "the filter leaves it out".to_owned(),
    };
    Began {
        checks: 5,
        seed: "s".to_owned(),
        addresses: vec![(Environment::Test, "http://127.0.0.1:8801".to_owned())],
        console: None,
        clauses: vec![
            row("a.held", "Something holds.", Asked::Here),
            row(
                "b.broken",
                "Two bodies are the same & <b>equal</b> | always.",
                Asked::Here,
            ),
            row("c.known", "Something else holds.", Asked::Here),
            row("d.skipped", "Nobody knows.", Asked::Here),
            row("e.not-asked", "Nobody asks.", Asked::Nowhere),
            row("f.excluded", "Left out.", excluded),
        ],
    }
}

fn row(id: &str, text: &str, asked: Asked) -> ClauseRow {
    ClauseRow {
        id: id.to_owned(),
        section: "A section".to_owned(),
        text: text.to_owned(),
        file: "fixtures/contract/clauses.toml".to_owned(),
        line: 4,
        asked,
    }
}

fn holds() -> Judged {
    judged(
        "one.holds",
        vec![finding("an.operation", 0, held("a.held"))],
    )
}

fn breaks() -> Judged {
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
    Judged {
        evidence: vec![
            case(
                "an.operation",
                &[exchange(r#"{"pan":"AAAAA0000A"}"#, found)],
            ),
            case("hostile", &[exchange("{}", hostile)]),
        ],
        ..judged("one.is-broken", findings)
    }
}

fn is_known() -> Judged {
    let verdict = Verdict::Broken {
        clause: "c.known".to_owned(),
        what: "the status".to_owned(),
        expected: "202".to_owned(),
        found: "200".to_owned(),
        known: Some("told to the vendor, ticket 12".to_owned()),
    };
    Judged {
        evidence: vec![case("an.operation", &[exchange("{}", "{}")])],
        ..judged("one.is-known", vec![finding("an.operation", 0, verdict)])
    }
}

fn is_skipped() -> Judged {
    let why = "there is no live key for this run".to_owned();
    Judged {
        open: ["d.skipped".to_owned()].into(),
        ..judged(
            "one.is-skipped",
            vec![finding("an.operation (live)", 0, Verdict::Skipped { why })],
        )
    }
}

fn is_lost() -> Judged {
    let why = "no answer: no connection: refused".to_owned();
    Judged {
        unreachable: Some("no connection: refused".to_owned()),
        ..judged(
            "one.is-lost",
            vec![finding("an.operation", 0, Verdict::Skipped { why })],
        )
    }
}

fn judged(check: &'static str, findings: Vec<Finding>) -> Judged {
    Judged {
        check,
        title: "A title",
        cases: 1,
        requests: findings.len(),
        findings,
        ..Judged::default()
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
    }
}

fn case(case: &str, exchanges: &[Exchange]) -> CapturedCase {
    CapturedCase {
        check: "one.is-broken".to_owned(),
        case: case.to_owned(),
        exchanges: exchanges.to_vec(),
        repeated: Vec::new(),
        stopped: None,
    }
}

/// A call with this body that was answered with that one.
pub(crate) fn exchange(sent: &str, answered: &str) -> Exchange {
    Exchange {
        request: Request {
            door: Door::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: "/v1/an/operation".to_owned(),
            query: String::new(),
            authorization: Some(Secret::new(MARK)),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: sent.as_bytes().to_vec(),
        },
        presented: Presented::Own,
        response: Ok(Response {
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: answered.as_bytes().to_vec(),
        }),
    }
}
