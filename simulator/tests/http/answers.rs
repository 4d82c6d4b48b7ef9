//! What leaves the listeners: envelopes, headers, pages.

use std::sync::Arc;

use serde_json::Value;
use svc_simulator::engine::state::entry::{Change, Entry};
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, Stored, Version,
};

use super::client::{Client, Served};

#[test]
fn the_first_call_is_answered_on_sandbox_and_live() {
    let served = Served::new();
    for (address, key, charged) in [
        (served.addresses.sandbox, "svc_test_local", false),
        (served.addresses.live, "svc_live_local", true),
    ] {
        let answer = Client::to(address).ask(served.call(key, ""));
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.json()["billing"]["charged"], charged);
    }
}

#[test]
fn one_connection_carries_many_calls() {
    let served = Served::new();
    let mut client = served.connect();
    let call = served.call("svc_test_local", "");
    client.write(call.repeat(3));
    let ids: Vec<Value> = (0..3)
        .map(|_| client.answer(true).json()["verificationId"].take())
        .collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    assert_eq!(client.ask(&call).status, 200);
}

#[test]
fn a_bad_body_or_content_type_is_an_invalid_input() {
    let served = Served::new();
    let call = served.call("svc_test_local", "");
    let (head, body) = call.split_once("\r\n\r\n").unwrap();
    let with_body = |body: &str| {
        let head = served.head(&format!("Content-Length: {}", body.len()));
        format!("{head}{body}")
    };
    let json = "Content-Type: application/json";
    for request in [
        with_body("{"),
        with_body("[]"),
        with_body(""),
        call.replace(json, "Content-Type: text/plain"),
        call.replace(json, "X-Nothing: x"),
        call.replace(json, &format!("{json}\r\n{json}")),
        format!("{head}\r\nContent-Encoding: gzip\r\n\r\n{body}"),
    ] {
        let answer = served.connect().ask(&request);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "SVC_INVALID_INPUT"),
            "{request}"
        );
    }
}

#[test]
fn refusals_carry_their_headers() {
    let served = Served::new();
    let mut client = served.connect();
    let get = |path: &str, key: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n")
    };
    let unauthorized = client.ask(get("/v1/usage", "nobody"));
    assert_eq!(unauthorized.status, 401);
    assert_eq!(unauthorized.header("www-authenticate"), Some("Bearer"));
    let unknown = client.ask(get("/v1/no/such/path", "svc_test_local"));
    assert_eq!(
        (unknown.status, unknown.code().as_str()),
        (404, "SVC_NOT_FOUND")
    );
    assert_eq!(unknown.json()["endpoint"], "no.such.path");
    let call = served.call("svc_test_local", "").replace("POST", "PUT");
    let wrong_method = client.ask(call);
    assert_eq!(
        (wrong_method.status, wrong_method.header("allow")),
        (405, Some("POST"))
    );
    let throttled = (0..3).map(|_| client.ask(get("/v1/usage", "svc_test_throttled")));
    let throttled = throttled.last().unwrap();
    assert_eq!(throttled.status, 429);
    assert_eq!(throttled.header("retry-after"), Some("1"));
}

#[test]
fn a_replay_says_so() {
    let served = Served::new();
    let mut client = served.connect();
    let call = served.call("svc_test_local", "Idempotency-Key: order-1\r\n");
    let first = client.ask(&call);
    let second = client.ask(&call);
    assert_eq!(first.header("idempotent-replay"), None);
    assert_eq!(second.header("idempotent-replay"), Some("true"));
    assert_eq!(first.body, second.body);
}

#[test]
fn odd_methods_and_targets_get_the_envelope() {
    let served = Served::new();
    let auth = "Host: a\r\nAuthorization: Bearer svc_test_local\r\n\r\n";
    for (line, status) in [
        ("OPTIONS *", 404),
        ("OPTIONS /v1/usage", 405),
        ("CONNECT a", 404),
        ("CONNECT example.com:443", 400),
        ("BREW /v1/usage", 405),
        ("GET http://a/v1/usage?page=1", 200),
        ("GET http://elsewhere.example/v1/usage?page=1", 400),
        ("GET /v1/usage?from=never", 400),
        ("GET //", 404),
        ("GET /%00%ff", 404),
    ] {
        let answer = served.connect().ask(format!("{line} HTTP/1.1\r\n{auth}"));
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        assert!(answer.json()["verificationId"].is_string(), "{line}");
    }
    let mut client = served.connect();
    client.write(format!("HEAD /v1/usage HTTP/1.1\r\n{auth}"));
    let head = client.answer(false);
    assert_eq!(
        (head.status, head.header("content-type")),
        (405, Some("application/json"))
    );
    assert_eq!(
        client
            .ask(format!("GET /v1/usage HTTP/1.1\r\n{auth}"))
            .status,
        200
    );
}

#[test]
fn a_forwarded_address_counts_only_behind_a_trusted_proxy() {
    let loopback = "127.0.0.0/8".parse().unwrap();
    for (trusted, status) in [(vec![], 403), (vec![loopback], 200)] {
        let served = Served::with(|builder| builder.trusted_proxies(trusted.clone()));
        let call = served.call("svc_test_blocked", "X-Forwarded-For: 203.0.113.9\r\n");
        assert_eq!(served.connect().ask(call).status, status, "{trusted:?}");
    }
}

/// Takes the opening of accounts, and panics at everything else.
struct Panicking;

impl Journal for Panicking {
    fn append(
        &self,
        _: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let opening = |entry: &Entry| matches!(entry.changes.as_slice(), [Change::Opened(_)]);
        assert!(entries.iter().all(opening), "the journal is broken");
        Ok(Appended::at_once(after, entries))
    }

    fn load(&self, _: &Arc<str>) -> Loading {
        Box::pin(async { Ok(None) })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        Ok(Vec::new())
    }

    fn close(&self, _: &Arc<str>, _: Version) -> Result<Commit, JournalError> {
        Ok(Commit::WRITTEN)
    }
}

#[test]
fn a_panic_is_answered_with_the_envelope() {
    let served = Served::with(|builder| builder.journal(Arc::new(Panicking)));
    let mut client = served.connect();
    for _ in 0..2 {
        let answer = client.ask(served.call("svc_test_local", ""));
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (500, "SVC_INTERNAL_ERROR")
        );
    }
}

#[test]
fn the_console_answers_to_its_own_address_only() {
    let served = Served::new();
    let mut client = Client::to(served.addresses.console);
    let mut get = |path: &str, host: &str| client.ask(format!("GET {path} HTTP/1.1\r\n{host}\r\n"));
    let own = "Host: localhost:8800\r\n";
    let health = get("/control/health", own).body;
    assert!(
        health.starts_with(r#"{"status":"ok","product":"svc-simulator","version":"#),
        "{health}"
    );
    assert!(
        get("/control/ready", own)
            .body
            .starts_with(r#"{"status":"ready","product":"svc-simulator""#)
    );
    let page = get("/", own);
    assert!(page.body.contains("svc_test_local") && page.body.contains("/docs/"));
    let operations = get("/inputs", own).body;
    assert!(operations.contains("<code>AAAAA9999A</code>") && operations.contains("…/spoof.jpg"));
    assert!(get("/docs/", own).body.contains("swagger-ui"));
    assert!(
        get("/docs/initializer.js", own)
            .body
            .contains("/openapi.json")
    );
    assert_eq!(get("/openapi.json", own).json()["openapi"], "3.1.0");
    assert_eq!(get("/nowhere", own).json()["error"]["code"], "NOT_FOUND");
    for host in [
        "Host: rebound.example\r\n",
        "Host: localhost\r\nHost: localhost\r\n",
    ] {
        let answer = get("/", host);
        assert_eq!(answer.status, 403, "{host}");
        assert_eq!(answer.json()["error"]["code"], "HOST_NOT_ALLOWED");
    }
}
