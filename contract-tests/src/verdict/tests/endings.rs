//! How a call ended: what status, code and headers say of it.

use svc_fixtures::contract::Environment;

use super::{CALLED, CONTRACT, broken_by, broken_in, exchange, setting};
use crate::capture::{Channel, Exchange};
use crate::verdict::ending;

fn ended(path: &str, status: u16, body: &str) -> Exchange {
    let mut ended = exchange(Environment::Test, Channel::Api, status, body);
    path.clone_into(&mut ended.request.path);
    ended
}

fn failed(status: u16, code: &str, retryable: bool) -> Exchange {
    let body = format!(
        r#"{{"status":"failed","error":{{"code":"{code}","message":"why","retryable":{retryable}}}}}"#
    );
    ended(&CALLED.path, status, &body)
}

#[test]
fn an_error_has_the_status_and_the_flag_of_its_code() {
    let clause = "errors.status-and-retryable";
    for (status, code, retryable, expected) in [
        (400, "SVC_INVALID_INPUT", false, vec![]),
        (400, "SVC_INVALID_INPUT", true, vec![clause]),
        (422, "SVC_INVALID_INPUT", false, vec![clause]),
        // A wrong method is 405 with the code for input, and with no other.
        (405, "SVC_INVALID_INPUT", false, vec![]),
        (405, "SVC_IDEMPOTENCY_CONFLICT", false, vec![clause]),
        (418, "SVC_NO_SUCH_CODE", false, vec!["errors.stable-codes"]),
    ] {
        let found = broken_by(&failed(status, code, retryable), ending::judge);
        assert_eq!(found, expected, "{status} {code} {retryable}");
    }
}

#[test]
fn what_is_looked_up_is_200_however_it_ended() {
    let mut looked_up = failed(200, "SVC_SOURCE_TIMEOUT", true);
    looked_up.request.path = "/v1/verifications/svcv_x".to_owned();
    assert!(broken_by(&looked_up, ending::judge).is_empty());
    looked_up.request.path = CALLED.path.clone();
    let found = broken_by(&looked_up, ending::judge);
    assert_eq!(found, ["errors.status-and-retryable"]);
}

#[test]
fn a_message_has_no_secret_in_it_and_an_error_is_there() {
    let mut verdict = failed(400, "SVC_INVALID_INPUT", false);
    let body = format!(
        r#"{{"status":"failed","error":{{"code":"SVC_INVALID_INPUT","message":"{}","retryable":false}}}}"#,
        crate::redact::REDACTED
    );
    if let Ok(response) = &mut verdict.response {
        response.body = body.into_bytes();
    }
    assert_eq!(broken_by(&verdict, ending::judge), ["ruling.06-message"]);
    let bare = ended(&CALLED.path, 400, r#"{"status":"failed"}"#);
    let found = broken_by(&bare, ending::judge);
    assert_eq!(found, ["errors.envelope", "errors.stable-codes"]);
}

#[test]
fn the_wait_is_given_in_whole_seconds() {
    for (status, code) in [(429, "SVC_RATE_LIMITED"), (503, "SVC_SOURCE_UNAVAILABLE")] {
        for (header, fits) in [(Some("1"), true), (Some("soon"), false), (None, false)] {
            let mut limited = failed(status, code, true);
            if let (Ok(response), Some(value)) = (&mut limited.response, header) {
                let header = ("Retry-After".to_owned(), value.to_owned());
                response.headers.push(header);
            }
            let found = broken_by(&limited, ending::judge);
            let verdict = !found.contains(&"ruling.17-retry-after".to_owned());
            assert_eq!(verdict, fits, "{status} {header:?}");
        }
    }
}

#[test]
fn an_unknown_key_is_asked_for_a_bearer_where_http_is_spoken() {
    for (header, http, fits) in [
        (Some("Bearer"), true, true),
        (Some("Basic"), true, false),
        (None, true, false),
        (None, false, true),
    ] {
        let mut refused = failed(401, "SVC_AUTH_INVALID", false);
        if let (Ok(response), Some(value)) = (&mut refused.response, header) {
            let header = ("WWW-Authenticate".to_owned(), value.to_owned());
            response.headers.push(header);
        }
        let setting = match http {
            true => setting(),
            false => setting().in_process(),
        };
        let found = broken_in(&setting, &refused, ending::judge);
        assert_eq!(found.is_empty(), fits, "{header:?} {http} {found:?}");
    }
}

#[test]
fn a_result_is_200_and_one_to_come_has_the_status_of_its_row() {
    let completed = r#"{"status":"completed"}"#;
    let pending = r#"{"status":"pending"}"#;
    for (status, expected) in [(200, None), (201, Some("states.completed"))] {
        let found = broken_by(&ended(&CALLED.path, status, completed), ending::judge);
        assert_eq!(found.first().map(String::as_str), expected);
        let found = broken_by(&ended("/v1/nowhere", status, completed), ending::judge);
        assert_eq!(found.first().map(String::as_str), expected);
    }
    let mut rows = CONTRACT.operations.iter();
    let later = rows.find(|row| row.pending.as_ref().is_some_and(|row| row.status == 202));
    let later = later.expect("some operation is accepted");
    let ruled = "ruling.03-pending-answer";
    let broken = |status| broken_by(&ended(&later.path, status, pending), ending::judge);
    let members = later.pending.as_ref().map_or(0, |row| row.data.len());
    let ruled_times = |found: &[String]| found.iter().filter(|clause| *clause == ruled).count();
    // Its members are missing in each of these.
    assert_eq!(ruled_times(&broken(202)), members);
    assert_eq!(ruled_times(&broken(200)), members + 1);
    assert!(!broken(200).contains(&"states.pending".to_owned()));
    assert!(broken(201).contains(&"states.pending".to_owned()));
    // An operation that always answers at once cannot be pending.
    let at_once = CONTRACT.operations.iter().find(|row| row.pending.is_none());
    let at_once = at_once.expect("most operations answer at once");
    let found = broken_by(&ended(&at_once.path, 200, pending), ending::judge);
    assert_eq!(found, ["states.pending"]);
}
