//! What every envelope says of itself.

use svc_fixtures::contract::Environment;

use super::{CALLED, CONTRACT, broken_by, exchange};
use crate::capture::Channel;
use crate::verdict::envelope;

/// The clauses broken by an envelope of a call on the sandbox, without those about its shape: the
/// bodies here have only the members that are asked for.
fn broken(path: &str, members: &str, asked: &[&str]) -> Vec<String> {
    let mut sent = exchange(
        Environment::Test,
        Channel::Api,
        200,
        &format!("{{{members}}}"),
    );
    path.clone_into(&mut sent.request.path);
    let found = broken_by(&sent, |findings, answer| {
        envelope::judge(findings, answer);
    });
    found
        .into_iter()
        .filter(|clause| asked.contains(&clause.as_str()))
        .collect()
}

#[test]
fn an_id_has_a_prefix_and_26_characters_of_base_32() {
    let (specified, ruled) = ("envelope.verification-id", "ruling.02-ids-from-content");
    let good = "0123456789abcdefghjkmnpqrs";
    for (id, expected) in [
        (format!("svcv_{good}"), vec![]),
        (format!("svcv_{}", &good[1..]), vec![ruled]),
        (format!("svcv_{good}0"), vec![ruled]),
        (format!("svcv_{}l", &good[1..]), vec![ruled]),
        (format!("svcv_{}A", &good[1..]), vec![ruled]),
        (format!("svcv_{}-", &good[1..]), vec![ruled]),
        ("svcv_".to_owned(), vec![specified, ruled]),
        (good.to_owned(), vec![specified, ruled]),
    ] {
        let member = format!(r#""verificationId":"{id}""#);
        let found = broken(&CALLED.path, &member, &[specified, ruled]);
        // What is no text at all, or an empty one, is also a matter of shape.
        let found: Vec<_> = found.iter().map(String::as_str).collect();
        assert!(
            expected.iter().all(|clause| found.contains(clause)),
            "{id} {found:?}"
        );
        assert_eq!(expected.contains(&ruled), found.contains(&ruled), "{id}");
        assert_eq!(expected.is_empty(), found.is_empty(), "{id} {found:?}");
    }
}

#[test]
fn the_reference_and_the_endpoint_are_those_of_the_call_unless_it_is_looked_up() {
    let (reference, endpoint) = ("ruling.01-reference-id-always", "envelope.endpoint");
    let asked = ["envelope.reference-id", reference, endpoint];
    let called = format!(r#""endpoint":"{}""#, CALLED.id);
    let good = &format!(r#""referenceId":null,{called}"#);
    let other = r#""referenceId":"x","endpoint":"another.endpoint""#;
    assert!(broken(&CALLED.path, good, &asked).is_empty());
    assert_eq!(
        broken(&CALLED.path, other, &asked),
        ["envelope.reference-id", endpoint]
    );
    assert_eq!(broken(&CALLED.path, &called, &asked[1..]), [reference]);
    assert!(broken("/v1/verifications/svcv_x", other, &asked).is_empty());
    let nowhere = r#""referenceId":null,"endpoint":"nowhere.at.all""#;
    assert!(broken("/v1/nowhere/at/all", nowhere, &asked).is_empty());
    assert!(broken("/nowhere/at/all", nowhere, &asked).is_empty());
}

#[test]
fn the_latency_is_within_the_row_where_the_operation_ran() {
    let mut rows = CONTRACT.operations.iter();
    let row = rows.find(|row| row.latency.min_ms < row.latency.max_ms);
    let row = row.expect("some operation has a range");
    let (min, max) = (row.latency.min_ms, row.latency.max_ms);
    let (clause, meta) = ("ruling.04-latency-figure", "envelope.meta");
    let completed = r#""status":"completed""#;
    let refused = r#""status":"failed","error":{"code":"SVC_INVALID_INPUT"}"#;
    let ran = r#""status":"failed","error":{"code":"SVC_SOURCE_TIMEOUT"}"#;
    for (ending, latency, fits) in [
        (completed, i64::from(min) - 1, false),
        (completed, i64::from(min), true),
        (completed, i64::from(max), true),
        (completed, i64::from(max) + 1, false),
        (ran, i64::from(max) + 1, false),
        (refused, i64::from(max) + 1, true),
    ] {
        let members = format!(r#"{ending},"meta":{{"latencyMs":{latency}}}"#);
        let found = broken(&row.path, &members, &[clause]);
        assert_eq!(found.is_empty(), fits, "{members}");
    }
    // The shape of `meta` is judged, too: it lacks an instant here.
    let often = |members: &str| broken(&CALLED.path, members, &[meta]).len();
    let sound =
        often(r#""meta":{"environment":"test","latencyMs":0,"createdAt":"2027-01-15T08:00:00Z"}"#);
    let zone = |zone: &str| {
        let instant = format!("2027-01-15T08:00:00{zone}");
        often(&format!(
            r#""meta":{{"environment":"test","latencyMs":0,"createdAt":"{instant}"}}"#
        ))
    };
    assert_eq!((sound, zone("Z"), zone("+00:00")), (0, 0, 0));
    assert!(zone("+05:30") > 0);
    let negative =
        r#""meta":{"environment":"test","latencyMs":-1,"createdAt":"2027-01-15T08:00:00Z"}"#;
    assert!(often(negative) > 0);
}

#[test]
fn the_environment_is_the_one_that_was_called() {
    let clause = "envelope.environment";
    for (said, fits) in [("test", true), ("live", false)] {
        let members = format!(r#""meta":{{"environment":"{said}"}}"#);
        assert_eq!(broken(&CALLED.path, &members, &[clause]).is_empty(), fits);
    }
}

#[test]
fn an_answer_says_once_whether_it_succeeded() {
    let asked = ["envelope.success", "envelope.data", "envelope.error"];
    let error = r#""error":{"code":"SVC_INVALID_INPUT","message":"why","retryable":false}"#;
    let good = r#""success":true,"status":"completed","data":{}"#;
    assert!(broken(&CALLED.path, good, &asked).is_empty());
    let failed = format!(r#""success":false,"status":"failed",{error}"#);
    assert!(broken(&CALLED.path, &failed, &asked).is_empty());
    let both = format!(r#""success":false,"status":"completed","data":{{}},{error}"#);
    assert_eq!(
        broken(&CALLED.path, &both, &asked),
        ["envelope.success", "envelope.error"]
    );
    let neither = r#""success":true,"status":"failed""#;
    assert_eq!(
        broken(&CALLED.path, neither, &asked),
        ["envelope.success", "envelope.error"]
    );
    let data = format!(r#""success":false,"status":"failed","data":{{}},{error}"#);
    assert_eq!(broken(&CALLED.path, &data, &asked), ["envelope.data"]);
}

#[test]
fn an_error_has_three_members_and_no_other() {
    let asked = ["envelope.error"];
    for (error, fits) in [
        (
            r#""code":"SVC_INVALID_INPUT","message":"why","retryable":false"#,
            true,
        ),
        (
            r#""code":"SVC_INVALID_INPUT","message":" ","retryable":false"#,
            false,
        ),
        (
            r#""code":"SVC_INVALID_INPUT","message":"why","retryable":"no""#,
            false,
        ),
        (
            r#""code":"SVC_INVALID_INPUT","message":"why","again":false"#,
            false,
        ),
        (r#""code":"SVC_INVALID_INPUT","message":"why""#, false),
        (
            r#""code":"SVC_INVALID_INPUT","message":"why","retryable":false,"more":1"#,
            false,
        ),
    ] {
        let members = format!(r#""success":false,"status":"failed","error":{{{error}}}"#);
        assert_eq!(
            broken(&CALLED.path, &members, &asked).is_empty(),
            fits,
            "{error}"
        );
    }
}

#[test]
fn what_is_no_object_is_judged_no_further() {
    for body in ["[]", "7", "<html>", ""] {
        let sent = exchange(Environment::Test, Channel::Api, 200, body);
        let mut further = true;
        let found = broken_by(&sent, |findings, answer| {
            further = envelope::judge(findings, answer);
        });
        assert_eq!(
            (found, further),
            (vec!["envelope.same-shape".to_owned()], false)
        );
    }
}

#[test]
fn a_replay_may_repeat_the_reference_of_a_call_that_nobody_saw() {
    let body = r#"{"verificationId":"svcv_1","referenceId":"order-1"}"#;
    let broken = |key: bool, replays: bool| {
        let mut exchange = super::live(200, body);
        let sent = &mut exchange.request.headers;
        sent.push(("x-reference-id".to_owned(), "order-2".to_owned()));
        if key {
            sent.push(("idempotency-key".to_owned(), "k".to_owned()));
        }
        let response = exchange.response.as_mut().unwrap();
        if replays {
            let marked = ("idempotent-replay".to_owned(), "true".to_owned());
            response.headers.push(marked);
        }
        let found = broken_by(&exchange, |findings, answer| {
            envelope::judge(findings, answer);
        });
        found.contains(&"envelope.reference-id".to_owned())
    };
    assert!(!broken(true, true));
    assert!(broken(true, false) && broken(false, true));
}

#[test]
fn an_answer_to_head_has_no_body() {
    let mut exchange = super::live(405, "");
    let broken = |exchange: &_| {
        broken_by(exchange, |findings, answer| {
            envelope::judge(findings, answer);
        })
    };
    assert_eq!(broken(&exchange), ["envelope.same-shape"]);
    exchange.request.method = "HEAD".to_owned();
    assert_eq!(broken(&exchange), [""; 0]);
}

#[test]
fn what_was_asked_for_compressed_may_be_and_the_answer_to_an_earlier_key_may_be_old() {
    let mut setting = super::setting();
    setting.profile = crate::profile::Profile::Provider;
    let judged = |headers: &[(&str, &str)], created: &str, coding: &str| {
        let body = format!(r#"{{"meta":{{"createdAt":"{created}"}}}}"#);
        let mut sent = exchange(Environment::Test, Channel::Api, 200, &body);
        let pairs = |of: &[(&str, &str)]| {
            let of = of.iter();
            of.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect()
        };
        sent.request.headers = pairs(headers);
        sent.at_s = Some(1_800_000_000);
        if let Ok(response) = &mut sent.response {
            response.headers = pairs(&[("content-encoding", coding)]);
        }
        let mut told = Vec::new();
        super::broken_in(&setting, &sent, |findings, answer| {
            envelope::judge(findings, answer);
            for finding in &findings.found {
                if let crate::verdict::Verdict::Broken { what, .. } = &finding.verdict {
                    told.push(what.clone());
                }
            }
        });
        ["the header content-encoding", "`meta.createdAt`"]
            .map(|what| told.iter().any(|it| it == what))
    };
    let now = "2027-01-15T08:00:00Z";
    for (accepted, told) in [
        ("", true),
        ("identity", true),
        ("br, gzip;q=0", true),
        ("br, gzip;q=0.5", false),
        ("*", false),
    ] {
        assert_eq!(
            judged(&[("accept-encoding", accepted)], now, "gzip"),
            [told, false],
            "{accepted}"
        );
    }
    let key = [("idempotency-key", "k")];
    for (headers, created, told) in [
        (&[][..], "2027-01-15T05:00:00Z", true),
        (&key[..], "2027-01-15T05:00:00Z", false),
        (&key[..], "2027-01-15T11:00:00Z", true),
    ] {
        assert_eq!(judged(headers, created, ""), [false, told], "{created}");
    }
}
