//! What a case can expect of an answer, met and not met.

use std::collections::BTreeMap;

use svc_fixtures::contract::{Environment, ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::{CALLED, clauses, exchange, live, one_call, setting};
use crate::capture::{Arrived, Channel, Exchange, TransportError};
use crate::plan::{
    EarlierValue, Ending, Expectation, Place, RequestTemplate, Rule, Step, UsageFigures, UsageRow,
};
use crate::verdict::{Verdict, judge, judge_tries, wallet};

/// Whether the last answer meets a rule; None where it is skipped.
fn meets(rule: Rule, answers: Vec<Exchange>) -> Option<bool> {
    let clause = "the.rule".to_owned();
    let (mut case, captured) = one_call(Vec::new(), answers);
    let request = RequestTemplate::get(&CALLED.path);
    case.steps = vec![
        Step {
            request,
            expect: Vec::new(),
        };
        captured.exchanges.len()
    ];
    let expect = vec![Expectation {
        clause: clause.clone(),
        rule,
    }];
    case.steps.last_mut().expect("a case has steps").expect = expect;
    let found = judge(&setting(), &case, &captured);
    let about = found.iter().filter(|finding| match &finding.verdict {
        Verdict::Held { clause: of } | Verdict::Broken { clause: of, .. } => *of == clause,
        Verdict::Noted { .. } | Verdict::NotJudged { .. } => false,
    });
    match about.count() {
        0 => None,
        _ => Some(!clauses(found).contains(&clause)),
    }
}

fn answer(status: u16, body: &str) -> Exchange {
    // The receiver's door: nothing else is judged of it.
    exchange(Environment::Test, Channel::Sink, status, body)
}

fn with_header(mut exchange: Exchange, name: &str, value: &str) -> Exchange {
    if let Ok(response) = &mut exchange.response {
        response.headers.push((name.to_owned(), value.to_owned()));
    }
    exchange
}

fn lost() -> Exchange {
    Exchange {
        response: Err(TransportError::TimedOut(Arrived::default())),
        ..answer(200, "")
    }
}

#[test]
fn endings_are_status_word_and_code_together() {
    let completed = r#"{"status":"completed"}"#;
    let pending = r#"{"status":"pending"}"#;
    let failed = r#"{"status":"failed","error":{"code":"SVC_RATE_LIMITED"}}"#;
    let no_record = r#"{"status":"failed","error":{"code":"SVC_NO_RECORD_FOUND"}}"#;
    let limited = Ending::Error(ErrorCode::RateLimited);
    let refused = Ending::Refused(405, ErrorCode::RateLimited);
    for (ending, status, body, fits) in [
        (Ending::Completed, 200, completed, true),
        (Ending::Completed, 202, completed, false),
        (Ending::Completed, 200, pending, false),
        (Ending::Pending, 200, pending, true),
        (Ending::Pending, 202, pending, true),
        (Ending::Pending, 201, pending, false),
        (Ending::Pending, 202, completed, false),
        (Ending::Accepted, 202, pending, true),
        (Ending::Accepted, 200, pending, false),
        (Ending::Accepted, 202, completed, false),
        (Ending::CompletedOrPending, 200, completed, true),
        (Ending::CompletedOrPending, 202, pending, true),
        (Ending::CompletedOrPending, 202, completed, false),
        (Ending::CompletedOrPending, 422, no_record, false),
        (limited, 429, failed, true),
        (limited, 400, failed, false),
        (limited, 429, completed, false),
        (
            limited,
            429,
            r#"{"status":"failed","error":{"code":"SVC_AUTH_INVALID"}}"#,
            false,
        ),
        (
            limited,
            429,
            r#"{"status":"odd","error":{"code":"SVC_RATE_LIMITED"}}"#,
            false,
        ),
        (refused, 405, failed, true),
        (refused, 429, failed, false),
    ] {
        let met = meets(Rule::Ends(ending), vec![answer(status, body)]);
        assert_eq!(met, Some(fits), "{ending} {status} {body}");
        let both = vec![answer(500, "{}"), answer(status, body)];
        assert_eq!(meets(Rule::SomeEnds(ending), both), Some(fits));
    }
}

#[test]
fn where_an_answer_was_lost_nobody_knows_whether_it_ended_so() {
    let limited = || Ending::Error(ErrorCode::RateLimited);
    let refused = r#"{"status":"failed","error":{"code":"SVC_RATE_LIMITED"}}"#;
    let fine = r#"{"status":"completed"}"#;
    let known = || with_header(answer(200, fine), "idempotent-replay", "true");
    for (rule, second, holds) in [
        (Rule::SomeEnds(limited()), answer(429, refused), Some(true)),
        (Rule::SomeEnds(limited()), answer(200, fine), None),
        (Rule::NoneEnds(limited()), answer(429, refused), Some(false)),
        (Rule::NoneEnds(limited()), answer(200, fine), None),
        (Rule::OneWithout("idempotent-replay"), known(), None),
        (
            Rule::OneWithout("idempotent-replay"),
            answer(200, fine),
            Some(true),
        ),
    ] {
        assert_eq!(meets(rule, vec![lost(), second]), holds);
    }
}

#[test]
fn what_holds_where_something_was_said_is_asked_only_there() {
    let said = EarlierValue {
        step: 0,
        place: Place::of(["data", "valid"]),
    };
    let rule = Rule::Ends(Ending::Completed);
    let rule = Rule::Where(said, Json::Bool(false), Box::new(rule));
    let denied = r#"{"data":{"valid":false}}"#;
    let (fine, other) = (r#"{"data":{"valid":true}}"#, r#"{"status":"odd"}"#);
    for (before, second, fits) in [
        (denied, r#"{"status":"completed"}"#, Some(true)),
        (denied, other, Some(false)),
        (fine, other, None),
    ] {
        let answers = vec![answer(200, before), answer(200, second)];
        assert_eq!(meets(rule.clone(), answers), fits, "{before} {second}");
    }
}

#[test]
fn two_answers_are_compared_by_what_the_rule_names() {
    let one = r#"{"verificationId":"a","status":"completed","data":1,"meta":1}"#;
    let again = r#"{"verificationId":"a","status":"completed","data":1,"meta":2}"#;
    let other = r#"{"verificationId":"b","status":"completed","data":1,"meta":1}"#;
    for (rule, second, fits) in [
        (Rule::SameBytes(0), one, true),
        (Rule::SameBytes(0), again, false),
        (Rule::SameResult(0), again, true),
        (Rule::SameResult(0), other, false),
        (Rule::SameEnding(0), other, true),
        (Rule::SameEnding(0), r#"{"status":"pending"}"#, false),
        (Rule::OtherId(0), other, true),
        (Rule::OtherId(0), again, false),
    ] {
        let answers = vec![answer(200, one), answer(200, second)];
        assert_eq!(
            meets(rule.clone(), answers),
            Some(fits),
            "{rule:?} {second}"
        );
        assert_eq!(meets(rule, vec![lost(), answer(200, second)]), None);
    }
}

#[test]
fn headers_messages_statuses_and_prices_are_looked_at() {
    let plain = || answer(200, r#"{"error":{"message":"pan: is missing"}}"#);
    let marked = || with_header(plain(), "Idempotent-Replay", "true");
    let priced = |charged: bool| {
        let body = format!(r#"{{"billing":{{"charged":{charged},"amount":2.5}}}}"#);
        answer(200, &body)
    };
    for (rule, answer, fits) in [
        (Rule::Status(200), plain(), true),
        (Rule::Status(201), plain(), false),
        (Rule::Exists, answer(400, "{}"), true),
        (Rule::Exists, answer(404, "{}"), false),
        (Rule::Mentions("pan".to_owned()), plain(), true),
        (Rule::Mentions("tan".to_owned()), plain(), false),
        (Rule::Header("idempotent-replay", None), marked(), true),
        (Rule::Header("idempotent-replay", None), plain(), false),
        (
            Rule::Header("idempotent-replay", Some("true")),
            marked(),
            true,
        ),
        (
            Rule::Header("idempotent-replay", Some("false")),
            marked(),
            false,
        ),
        (Rule::NoHeader("idempotent-replay"), plain(), true),
        (Rule::NoHeader("idempotent-replay"), marked(), false),
        (Rule::Charged(true), priced(true), true),
        (Rule::Charged(true), priced(false), false),
        (Rule::Charged(false), priced(false), true),
        (Rule::Price(Paise(250)), priced(true), true),
        (Rule::Price(Paise(251)), priced(true), false),
    ] {
        assert_eq!(meets(rule.clone(), vec![answer]), Some(fits), "{rule:?}");
    }
}

#[test]
fn of_answers_given_together_one_is_the_first_and_all_are_the_same() {
    let plain = || answer(200, "{}");
    let marked = |body: &str| with_header(answer(200, body), "Idempotent-Replay", "true");
    let rule = || Rule::OneWithout("idempotent-replay");
    for (answers, fits) in [
        (vec![marked("{}"), plain()], true),
        (vec![plain(), plain()], false),
        (vec![marked("{}"), marked("{}")], false),
        (vec![marked("[]"), plain()], false),
    ] {
        assert_eq!(meets(rule(), answers), Some(fits));
    }
}

#[test]
fn a_balance_falls_by_what_was_charged() {
    let balance = |balance: &str, amount: &str| {
        let body = format!(
            r#"{{"billing":{{"charged":true,"amount":{amount},"walletBalanceAfter":{balance}}}}}"#
        );
        answer(200, &body)
    };
    for (second, fits) in [("97.5", true), ("97.4", false), ("100", false)] {
        let answers = vec![balance("100", "1"), balance(second, "2.5")];
        assert_eq!(meets(Rule::BalanceFell(0), answers), Some(fits), "{second}");
    }
    let unknown = vec![answer(200, "{}"), answer(200, "{}")];
    assert_eq!(meets(Rule::BalanceFell(0), unknown), Some(false));
}

#[test]
fn what_came_with_later_results_may_have_been_taken_by_others() {
    let later = |balance: &str| {
        let body = format!(
            r#"{{"status":"completed","verificationId":"svcv_{balance}","billing":{{"charged":true,"amount":7,"walletBalanceAfter":{balance}}}}}"#
        );
        Exchange {
            result: answer(200, &body).response.ok(),
            ..answer(202, r#"{"status":"pending","billing":{"charged":false}}"#)
        }
    };
    for (second, moved) in [("93", None), ("86", Some(1))] {
        let answers = vec![later("100"), later(second)];
        let (mut case, captured) = one_call(Vec::new(), answers);
        let first = case.steps[0].clone();
        case.steps.push(first);
        case = case.expecting("the.rule", Rule::BalanceFell(0));
        assert_eq!(wallet::moved(&case, &captured), moved, "{second}");
    }
}

/// A usage answer: calls, completed, noRecord, failed; and what the totals say of calls.
fn usage(figures: [i64; 4], billed: i64, amount: &str, totals: i64) -> Exchange {
    let [calls, completed, no_record, failed] = figures;
    let row = |calls: i64| {
        format!(
            r#""calls":{calls},"completed":{completed},"noRecord":{no_record},"failed":{failed},"billed":{billed},"amount":{amount}"#
        )
    };
    let body = format!(
        r#"{{"data":{{"endpoints":[{{"endpoint":"an.endpoint",{}}}],"totals":{{{}}}}}}}"#,
        row(calls),
        row(totals)
    );
    answer(200, &body)
}

#[test]
fn a_usage_has_just_these_rows_and_totals_that_are_their_sum() {
    let row = UsageRow {
        calls: 6,
        completed: 3,
        no_record: 2,
        failed: 1,
    };
    let figures = UsageFigures {
        row,
        billed: 2,
        amount: Paise(500),
    };
    let rows = BTreeMap::from([("an.endpoint".to_owned(), figures)]);
    for (found, fits) in [
        (usage([6, 3, 2, 1], 2, "5", 6), true),
        (usage([7, 3, 2, 1], 2, "5", 6), false),
        (usage([6, 4, 2, 1], 2, "5", 6), false),
        (usage([6, 3, 1, 1], 2, "5", 6), false),
        (usage([6, 3, 2, 2], 2, "5", 6), false),
        (usage([6, 3, 2, 1], 2, "5", 7), false),
        (usage([6, 3, 2, 1], 1, "5", 6), false),
        (usage([6, 3, 2, 1], 2, "5.01", 6), false),
        (answer(200, "{}"), false),
    ] {
        assert_eq!(meets(Rule::Usage(rows.clone()), vec![found]), Some(fits));
    }
    let more = usage([6, 3, 2, 1], 2, "5", 6);
    assert_eq!(meets(Rule::Usage(BTreeMap::new()), vec![more]), Some(false));
}

#[test]
fn a_usage_grows_by_the_calls_and_by_what_they_were_charged() {
    let charged = |endpoint: &str| {
        let billing = r#"{"charged":true,"amount":2.5,"walletBalanceAfter":1}"#;
        let body = format!(r#"{{"endpoint":"{endpoint}","billing":{billing}}}"#);
        answer(200, &body)
    };
    let free = r#"{"endpoint":"an.endpoint","billing":{"charged":false,"amount":0}}"#;
    let grew = |calls: i64| Rule::UsageGrew {
        since: 0,
        endpoint: "an.endpoint".to_owned(),
        by: UsageRow {
            calls,
            completed: 2,
            no_record: 1,
            failed: 3,
        },
    };
    let story = |after: Exchange| {
        let others = [charged("another.endpoint"), charged("another.endpoint")];
        let mut story = vec![usage([3, 3, 0, 1], 2, "5", 3), charged("an.endpoint")];
        story.extend(others);
        story.extend([answer(200, free), after]);
        story
    };
    for (after, calls, fits) in [
        (usage([9, 5, 1, 4], 3, "7.5", 9), 6, true),
        (usage([9, 5, 1, 4], 3, "7.5", 9), 5, false),
        (usage([9, 4, 1, 4], 3, "7.5", 9), 6, false),
        (usage([9, 5, 2, 4], 3, "7.5", 9), 6, false),
        (usage([9, 5, 1, 3], 3, "7.5", 9), 6, false),
        (usage([9, 5, 1, 4], 4, "7.5", 9), 6, false),
        (usage([9, 5, 1, 4], 3, "10", 9), 6, false),
        (answer(200, "{}"), 6, false),
    ] {
        assert_eq!(meets(grew(calls), story(after)), Some(fits));
    }
    // Who has no row yet has used nothing.
    let none = answer(200, r#"{"data":{"endpoints":[]}}"#);
    let first = vec![none, usage([6, 2, 1, 3], 0, "0", 6)];
    assert_eq!(meets(grew(6), first), Some(true));
}

#[test]
fn a_live_call_that_charges_more_than_it_can_cost_is_a_breach() {
    let charged = r#"{"status":"completed","billing":{"charged":true,"amount":99999,"walletBalanceAfter":1}}"#;
    let (mut case, captured) = one_call(Vec::new(), vec![live(200, charged)]);
    case.environment = Environment::Live;
    let found = clauses(judge(&setting(), &case, &captured));
    assert!(
        found.contains(&"billing.failures-are-free".to_owned()),
        "{found:?}"
    );
    let (mut case, mut captured) = (case, captured);
    captured.exchanges[0].request.path = "/v1/verifications/svcv_x".to_owned();
    case.steps[0].request.path = "/v1/verifications/svcv_x".to_owned();
    let found = clauses(judge(&setting(), &case, &captured));
    assert!(
        !found.contains(&"billing.failures-are-free".to_owned()),
        "{found:?}"
    );
}

#[test]
fn bytes_that_are_no_http_in_every_try_are_a_breach_and_not_the_nets() {
    let cut = |garbage: bool| Exchange {
        response: Err(TransportError::Cut {
            why: "invalid HTTP status-code parsed".to_owned(),
            arrived: Arrived {
                garbage,
                ..Arrived::default()
            },
        }),
        ..answer(200, "")
    };
    let broken = |tries: &[bool]| {
        let (case, _) = one_call(Vec::new(), vec![cut(true)]);
        let tries = tries
            .iter()
            .map(|garbage| one_call(Vec::new(), vec![cut(*garbage)]).1);
        let tries: Vec<_> = tries.collect();
        let tries: Vec<_> = tries.iter().collect();
        clauses(judge_tries(&setting(), &case, &tries))
    };
    assert_eq!(broken(&[true, true, true]), ["envelope.same-shape"]);
    assert!(broken(&[true, false, true]).is_empty());
    assert!(broken(&[true, true]).is_empty());
}
