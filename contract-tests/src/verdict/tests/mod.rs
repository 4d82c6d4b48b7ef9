//! The judge by single answers: what it finds, and what it says of it. What whole runs find is shown by
//! the defects.

mod endings;
mod envelope;
mod rules;
mod webhooks;

use std::sync::LazyLock;

use svc_fixtures::contract::{Contract, Environment, Operation};

use super::{Finding, Findings, Verdict, billing, complaints, delivered, ending, judge};
use crate::capture::{
    CapturedCase, Channel, Credential, Exchange, Request, Response, TransportError,
};
use crate::plan::{Case, Expectation, RequestTemplate, Rule, Setting, Step};
use crate::verdict::answer::Answer;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// The operation that is called: any that answers at once.
static CALLED: LazyLock<&Operation> = LazyLock::new(|| {
    let mut rows = CONTRACT.operations.iter();
    let row = rows.find(|row| row.pending.is_none());
    row.expect("most operations answer at once")
});

fn setting() -> Setting<'static> {
    Setting::new(&CONTRACT, Vec::new(), "sample").everything()
}

fn exchange(environment: Environment, channel: Channel, status: u16, body: &str) -> Exchange {
    Exchange {
        request: Request {
            channel,
            environment,
            method: "POST".to_owned(),
            path: CALLED.path.clone(),
            query: String::new(),
            authorization: None,
            headers: Vec::new(),
            body: Vec::new(),
            padded_to: None,
        },
        credential: Credential::Own,
        at_s: None,
        response: Ok(Response {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        }),
        took_ms: 0,
        result: None,
    }
}

fn live(status: u16, body: &str) -> Exchange {
    exchange(Environment::Live, Channel::Api, status, body)
}

/// The clauses that one part of the judge finds broken, and how often.
fn broken_by(exchange: &Exchange, part: impl FnMut(&mut Findings<'_>, &Answer<'_>)) -> Vec<String> {
    broken_in(&setting(), exchange, part)
}

fn broken_in(
    setting: &Setting<'_>,
    exchange: &Exchange,
    mut part: impl FnMut(&mut Findings<'_>, &Answer<'_>),
) -> Vec<String> {
    let case = Case::new("a case");
    let mut findings = Findings::of(setting, &case);
    part(&mut findings, &Answer::of(exchange).unwrap());
    assert!(!findings.found.is_empty(), "nothing was judged");
    clauses(findings.found)
}

fn clauses(found: Vec<Finding>) -> Vec<String> {
    let broken = found
        .into_iter()
        .filter_map(|finding| match finding.verdict {
            Verdict::Broken { clause, .. } => Some(clause),
            _ => None,
        });
    broken.collect()
}

#[test]
fn the_price_of_a_live_call_fits_how_it_ended() {
    let no_record = r#""failed","error":{"code":"SVC_NO_RECORD_FOUND"}"#;
    let timeout = r#""failed","error":{"code":"SVC_SOURCE_TIMEOUT"}"#;
    let free = r#"{"charged":false,"amount":0}"#;
    let costs = r#"{"charged":true,"amount":2.5,"walletBalanceAfter":1}"#;
    for (ends, billing, expected) in [
        (r#""completed""#, costs, ""),
        (r#""completed""#, free, "billing.conclusive"),
        (r#""pending""#, free, ""),
        (r#""pending""#, costs, "ruling.22-hold-while-pending"),
        (no_record, costs, ""),
        (no_record, free, "billing.no-record-is-billed"),
        (timeout, free, ""),
        (timeout, costs, "billing.failures-are-free"),
    ] {
        let body = format!(r#"{{"status":{ends},"billing":{billing}}}"#);
        let found = broken_by(&live(200, &body), billing::judge);
        assert_eq!(found.concat(), expected, "{body}");
    }
}

#[test]
fn a_charge_is_a_flag_an_amount_and_a_balance_together() {
    let charged = r#"{"charged":true,"amount":0,"walletBalanceAfter":1}"#;
    let uncharged = r#"{"charged":false,"amount":2}"#;
    let unbalanced = r#"{"charged":true,"amount":2}"#;
    for (billing, expected) in [
        (charged, vec!["billing.conclusive"]),
        (uncharged, vec!["billing.conclusive"]),
        (
            unbalanced,
            vec!["ruling.04-balance-after", "envelope.wallet-balance"],
        ),
        (
            r#"{"charged":false,"amount":-1}"#,
            vec!["ruling.05-paise", "billing.conclusive"],
        ),
    ] {
        let body = format!(r#"{{"status":"completed","billing":{billing}}}"#);
        assert_eq!(
            broken_by(&live(200, &body), billing::judge),
            expected,
            "{body}"
        );
    }
}

#[test]
fn an_ending_is_put_in_a_few_words() {
    let mut replayed = live(200, r#"{"status":"completed"}"#);
    if let Ok(response) = &mut replayed.response {
        response
            .headers
            .push(("Idempotent-Replay".to_owned(), "true".to_owned()));
    }
    let lost = Exchange {
        response: Err(TransportError::Unreachable("reset".to_owned())),
        ..live(200, "")
    };
    let failed = r#"{"status":"failed","error":{"code":"SVC_RATE_LIMITED"}}"#;
    for (exchange, verdict) in [
        (live(200, r#"{"status":"completed"}"#), "200 completed"),
        (replayed, "200 completed, replayed"),
        (live(429, failed), "429 SVC_RATE_LIMITED"),
        (live(502, "<html>"), "502 and no JSON"),
        (lost, "no answer: no connection: reset"),
    ] {
        assert_eq!(ending(&exchange), verdict);
    }
}

/// A case of one call, and what was captured of it.
fn one_call(expect: Vec<Expectation>, exchanges: Vec<Exchange>) -> (Case, CapturedCase) {
    let mut case = Case::new("a case");
    let request = RequestTemplate::get(&CALLED.path);
    case.steps.push(Step { request, expect });
    let mut captured = CapturedCase::new("a check", "a case");
    captured.exchanges = exchanges;
    (case, captured)
}

#[test]
fn what_has_no_answer_is_skipped_and_says_why() {
    let lost = Exchange {
        response: Err(TransportError::Unreachable("reset".to_owned())),
        ..live(200, "")
    };
    let (case, lost) = one_call(Vec::new(), vec![lost]);
    let (_, unsent) = one_call(Vec::new(), Vec::new());
    let mut stopped = unsent.clone();
    stopped.stopped = Some("the budget is spent".to_owned());
    for (captured, verdict) in [
        (lost, "no answer: no connection: reset"),
        (unsent, "it was not captured"),
        (stopped, "the budget is spent"),
    ] {
        let why = verdict.to_owned();
        let skipped = Finding {
            case: "a case".to_owned(),
            step: 0,
            verdict: Verdict::NotJudged { why },
        };
        assert_eq!(judge(&setting(), &case, &captured), [skipped]);
    }
}

/// What came to the receiver: one delivery of these bytes, signed so.
fn delivery(body: &str, signature: &str, at_s: i64) -> Exchange {
    let delivery = serde_json::json!({"body": body, "signature": signature, "atS": at_s});
    let came = serde_json::json!({"deliveries": [delivery]}).to_string();
    exchange(Environment::Test, Channel::Sink, 200, &came)
}

#[test]
fn deliveries_are_counted_signed_and_compared() {
    /// What `openssl dgst -sha256 -hmac whsec_sample` says of `1800000000.{}`.
    const MAC: &str = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";
    let signature = format!("t=1800000000,v1={MAC}");
    let good = delivery("{}", &signature, 1_800_000_000);
    let late = delivery("{}", &signature, 1_800_001_000);
    let bad = delivery("[]", &signature, 1_800_000_000);
    let envelope = exchange(Environment::Test, Channel::Api, 200, "{}");
    let envelope = Answer::of(&envelope).unwrap();
    for (came, expected) in [
        (good, vec![]),
        (late, vec!["signed"]),
        (bad, vec!["signed", "bodies"]),
    ] {
        let signed = |findings: &mut Findings<'_>, answer: &Answer<'_>| {
            delivered::signed(findings, "signed", answer);
            delivered::bodies_are(findings, "bodies", answer, &envelope);
        };
        assert_eq!(broken_by(&came, signed), expected);
        for (count, expected) in [(0, 1), (1, 0), (2, 1)] {
            let found = broken_by(&came, |findings, answer| {
                delivered::received(findings, "received", answer, count);
            });
            assert_eq!(found.len(), expected, "{count}");
        }
    }
}

#[test]
fn a_breach_is_reported_with_what_must_be_and_what_is() {
    let verdict = |exchange: &Exchange, part: fn(&mut Findings<'_>, &Answer<'_>)| {
        let (setting, case) = (setting(), Case::new("a case"));
        let mut findings = Findings::of(&setting, &case);
        part(&mut findings, &Answer::of(exchange).unwrap());
        let broken = findings.found.into_iter();
        let broken = broken.filter_map(|finding| match finding.verdict {
            Verdict::Broken {
                what,
                expected,
                found,
                ..
            } => Some(format!("{what}: {expected}, not {found}")),
            _ => None,
        });
        broken.collect::<Vec<_>>()
    };
    let amount = "`billing.amount`: an amount with at most two decimals, not negative, not";
    for (billing, found) in [("{}", "nothing"), (r#"{"amount":0.001}"#, "0.001")] {
        let body = format!(r#"{{"status":"odd","billing":{billing}}}"#);
        let first = verdict(&live(200, &body), billing::judge).swap_remove(0);
        assert_eq!(first, format!("{amount} {found}"));
    }
    let judged = |findings: &mut Findings<'_>, answer: &Answer<'_>| {
        super::envelope::judge(findings, answer);
    };
    let bare = verdict(&live(200, r#"{"status":"completed"}"#), judged);
    let data = "`data`: is there, not it is not there".to_owned();
    assert!(bare.contains(&data), "{bare:#?}");
    let (mut case, captured) = one_call(Vec::new(), vec![live(200, "[1]"), live(200, "[2]")]);
    case.steps.push(case.steps[0].clone());
    case.steps[1].expect.push(Expectation {
        clause: "the.rule".to_owned(),
        rule: Rule::SameBytes(0),
    });
    let verdict = judge(&setting(), &case, &captured).pop().unwrap().verdict;
    let Verdict::Broken {
        what,
        expected,
        found,
        ..
    } = verdict
    else {
        panic!("{verdict:?}");
    };
    assert_eq!([what, expected, found], ["the body", "[1]", "[2]"]);
}

#[test]
fn complaints_are_what_is_found_less_what_holds() {
    let body = r#"{"success":true,"status":"completed","billing":{"charged":true,"amount":0}}"#;
    let (case, captured) = one_call(Vec::new(), vec![live(200, body)]);
    let mut found = judge(&setting(), &case, &captured);
    let all = found.len();
    found.retain(|it| !matches!(it.verdict, Verdict::Held { .. }));
    assert!(!found.is_empty() && found.len() < all);
    assert_eq!(complaints(&setting(), &case, &captured), found);
}
