//! The consent page over sockets: what it shows, what it takes, where it sends a person.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use svc_simulator::engine::state::entry::{Change, Entry};
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, Stored, Version,
};
use svc_simulator::http::edge::EdgeLimits;

use super::client::{Answer, Client, Served};

const ALLOW: &str = "decision=allow";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const BACK: &str = "https://app.example/return?a=b#c";

/// A pending call of the sandbox's or live's `local`. Gives the path of its link.
fn start(address: SocketAddr, key: &str, redirect: &str) -> String {
    let body = serde_json::json!({"redirectUrl": redirect, "requestedDocs": ["PAN", "<script>"]});
    let body = body.to_string();
    let answer = Client::to(address).ask(format!(
        "POST /v1/verify/document/digilocker/start HTTP/1.1\r\nHost: a\r\n\
         Authorization: Bearer {key}\r\nContent-Type: {JSON}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    let url = answer.json()["data"]["consentUrl"].take();
    let url = url.as_str().expect("the answer is pending");
    let path = url.strip_prefix(&format!("http://{address}"));
    path.expect("a link of the same listener").to_owned()
}

fn on_sandbox(served: &Served) -> String {
    start(served.addresses.sandbox, "svc_test_local", BACK)
}

fn post(served: &Served, path: &str, kind: &str, body: &str) -> Answer {
    served.connect().ask(format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn get(served: &Served, path: &str) -> Answer {
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    served.connect().ask(request)
}

fn title(answer: &Answer) -> &str {
    let from = answer.body.find("<h1>").expect("a page") + 4;
    &answer.body[from..answer.body.find("</h1>").expect("a page")]
}

fn looked_up(served: &Served, path: &str) -> serde_json::Value {
    let id = path.strip_prefix("/consent/").expect("a link");
    let answer = served.connect().ask(format!(
        "GET /v1/verifications/{id} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local\r\n\r\n"
    ));
    answer.json()
}

#[test]
fn the_page_asks_and_may_do_nothing_else() {
    let served = Served::new();
    let path = on_sandbox(&served);
    let page = get(&served, &path);
    assert_eq!(page.status, 200);
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' http: https:; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
    ] {
        assert_eq!(page.header(name), Some(value));
    }
    for shown in ["local", "PAN", "&lt;script&gt;", "sandbox", BACK] {
        assert!(page.body.contains(shown), "{shown} is not on {}", page.body);
    }
    assert!(!page.body.contains("<script"));
    let mut client = served.connect();
    client.write(format!("HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
    let head = client.answer(false);
    let length = page.body.len().to_string();
    assert_eq!(head.header("content-length"), Some(length.as_str()));
    assert_eq!(head.status, 200);
}

#[test]
fn a_decision_ends_the_call_and_sends_the_person_back() {
    for (kind, body, status, ending) in [
        (FORM, ALLOW, "completed", "completed"),
        (FORM, "decision=refuse", "failed", "failed"),
        (
            "Application/X-WWW-Form-Urlencoded; charset=utf-8",
            "decision=%61llow",
            "completed",
            "completed",
        ),
        (JSON, r#"{"decision": "allow"}"#, "completed", "completed"),
        (JSON, r#"{"decision": "refuse"}"#, "failed", "failed"),
    ] {
        let served = Served::new();
        let path = on_sandbox(&served);
        let id = path.strip_prefix("/consent/").unwrap();
        let answer = post(&served, &path, kind, body);
        let back = format!("https://app.example/return?a=b&verificationId={id}&status={status}#c");
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(back.as_str()))
        );
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(looked_up(&served, &path)["status"], ending);
        assert_eq!(get(&served, &path).status, 410);
        assert_eq!(post(&served, &path, FORM, ALLOW).status, 410);
        assert_eq!(looked_up(&served, &path)["status"], ending);
    }
}

#[test]
fn a_person_may_be_sent_back_into_an_app() {
    let served = Served::new();
    let path = start(
        served.addresses.sandbox,
        "svc_test_local",
        "MyApp://callback",
    );
    let page = get(&served, &path);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("form-action 'self' http: https: myapp:;"));
    let id = path.strip_prefix("/consent/").unwrap();
    let answer = post(&served, &path, FORM, ALLOW);
    let back = format!("MyApp://callback?verificationId={id}&status=completed");
    assert_eq!(answer.header("location"), Some(back.as_str()));
}

#[test]
fn what_is_no_decision_decides_nothing() {
    let served = Served::new();
    let path = on_sandbox(&served);
    for (kind, body, status) in [
        (FORM, "", 400),
        (FORM, "decision=", 400),
        (FORM, "decision=Allow", 400),
        (FORM, "decision=allow&decision=refuse", 400),
        (FORM, "decision=allow&x=y", 400),
        (FORM, "descision=allow", 400),
        (FORM, "decision=allow%00", 400),
        (JSON, "", 400),
        (JSON, "{", 400),
        (JSON, "\"allow\"", 400),
        (JSON, r#"{"decision": true}"#, 400),
        (JSON, r#"{"decision": "allow", "decision": "refuse"}"#, 400),
        (JSON, r#"{"decision": "allow", "x": 1}"#, 400),
        (FORM, r#"{"decision": "allow"}"#, 400),
        (JSON, ALLOW, 400),
        ("text/plain", ALLOW, 415),
        ("multipart/form-data; boundary=x", ALLOW, 415),
        (&format!("{FORM}\r\nContent-Type: {FORM}"), ALLOW, 415),
        (FORM, &format!("{ALLOW}{}", " ".repeat(4096)), 413),
    ] {
        let answer = post(&served, &path, kind, body);
        assert_eq!(answer.status, status, "{kind} {body}");
        for value in ["decision=allow", "decision=refuse"] {
            assert!(answer.body.contains(value), "{}", answer.body);
        }
    }
    let query = format!("{path}?{ALLOW}");
    assert_eq!(post(&served, &query, FORM, "").status, 400);
    assert_eq!(looked_up(&served, &path)["status"], "pending");
}

#[test]
fn a_body_of_just_the_limit_is_read() {
    let served = Served::new();
    let path = on_sandbox(&served);
    let pad = 4096 - ALLOW.len();
    let answer = post(&served, &path, FORM, &format!("{ALLOW}{}", "&".repeat(pad)));
    assert_eq!(answer.status, 303);
}

#[test]
fn a_decision_that_never_arrives_is_not_waited_for_for_ever() {
    let limits = EdgeLimits {
        body: Duration::from_millis(50),
        linger: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let path = on_sandbox(&served);
    let mut client = served.connect();
    let answer = client.ask(format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {FORM}\r\nContent-Length: 14\r\n\r\ndecision"
    ));
    assert_eq!(
        (answer.status, answer.header("connection")),
        (408, Some("close"))
    );
    client.closed();
    assert_eq!(looked_up(&served, &path)["status"], "pending");
}

#[test]
fn a_link_that_nobody_gave_leads_nowhere() {
    let served = Served::new();
    let on_live = start(served.addresses.live, "svc_live_local", BACK);
    let nobodys = format!("/consent/svcv_{}", "0".repeat(26));
    let call = served.connect().ask(served.call("svc_test_local", ""));
    let call = call.json()["verificationId"].take();
    let of_a_call = format!("/consent/{}", call.as_str().unwrap());
    let on_sandbox = on_sandbox(&served);
    let below = format!("{on_sandbox}/more");
    let paths = [
        &on_live,
        &nobodys,
        &of_a_call,
        &below,
        "/consent/",
        "/consent/%00",
    ];
    for path in paths {
        for answer in [get(&served, path), post(&served, path, FORM, ALLOW)] {
            assert_eq!(
                (answer.status, title(&answer)),
                (404, "There is no such link"),
                "{path}"
            );
        }
    }
    // On its own listener it is open still.
    let page = format!("GET {on_live} HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(Client::to(served.addresses.live).ask(page).status, 200);
}

#[test]
fn other_methods_are_answered_with_those_there_are() {
    let served = Served::new();
    let path = on_sandbox(&served);
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "X"] {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n");
        let answer = served.connect().ask(request);
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("GET, HEAD, POST"))
        );
    }
    assert_eq!(looked_up(&served, &path)["status"], "pending");
}

#[test]
fn of_many_decisions_at_once_one_is_taken() {
    let served = Served::new();
    let path = on_sandbox(&served);
    let bodies = [ALLOW, "decision=refuse"].into_iter().cycle().take(8);
    let statuses = std::thread::scope(|threads| {
        let sides: Vec<_> = bodies
            .map(|body| threads.spawn(|| post(&served, &path, FORM, body).status))
            .collect();
        let statuses = sides.into_iter().map(|side| side.join().unwrap());
        statuses.collect::<Vec<_>>()
    });
    let count = |wanted| statuses.iter().filter(|&&status| status == wanted).count();
    assert_eq!((count(303), count(410)), (1, 7), "{statuses:?}");
}

#[test]
fn a_url_in_other_letters_and_of_any_length_is_gone_back_to() {
    let served = Served::new();
    let long = format!("https://app.example/{}", "x".repeat(10_000));
    for (redirect, begins) in [
        (
            "https://app.example/\u{202e}मार्ग",
            "https://app.example/%E2%80%AE%E0%A4%AE",
        ),
        (
            "https://app.example/\"><script>'&",
            "https://app.example/\"><script>'&?verificationId=",
        ),
        (long.as_str(), long.as_str()),
    ] {
        let path = start(served.addresses.sandbox, "svc_test_local", redirect);
        let page = get(&served, &path);
        assert!(!page.body.contains("<script") && !page.body.contains('\u{202e}'));
        let answer = post(&served, &path, FORM, ALLOW);
        let location = answer.header("location").unwrap();
        assert!(location.starts_with(begins), "{location}");
        assert!(location.ends_with("&status=completed"), "{location}");
    }
}

/// Whether a change ends a pending verification.
fn ends(change: &Change) -> bool {
    matches!(change, Change::Recorded(verification) if !verification.is_open())
}

/// Writes everything down but the end of what waits for a person.
struct NoEnds;

impl Journal for NoEnds {
    fn append(
        &self,
        _: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        match entries.iter().flat_map(|entry| &entry.changes).any(ends) {
            true => Err(JournalError::new("full")),
            false => Ok(Appended::at_once(after, entries)),
        }
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
fn a_decision_that_is_not_written_down_is_not_taken() {
    let served = Served::with(|builder| builder.journal(Arc::new(NoEnds)));
    let path = on_sandbox(&served);
    let answer = post(&served, &path, FORM, ALLOW);
    assert_eq!((answer.status, answer.header("location")), (500, None));
    assert_eq!(get(&served, &path).status, 200);
}

/// Panics at the decision.
struct Panicking;

impl Journal for Panicking {
    fn append(
        &self,
        _: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        assert!(!changes.any(ends), "the journal is broken");
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
fn a_panic_at_the_decision_is_answered_with_the_envelope() {
    let served = Served::with(|builder| builder.journal(Arc::new(Panicking)));
    let path = on_sandbox(&served);
    let answer = post(&served, &path, FORM, ALLOW);
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (500, "SVC_INTERNAL_ERROR")
    );
}
