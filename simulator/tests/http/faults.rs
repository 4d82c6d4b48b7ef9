//! Faults on the wire as a client sees them: the answer is lost or spoilt, the call is not.

use std::io::ErrorKind;
use std::time::Duration;

use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::http::edge::EdgeLimits;

use super::client::{Answer, Client, Served};

const HOUR: Duration = Duration::from_secs(3600);

/// A simulator whose first call ends so.
fn served(then: &str) -> Served {
    with_limits(EdgeLimits::default(), then)
}

fn with_limits(limits: EdgeLimits, then: &str) -> Served {
    let scenario = format!(
        "[[scenario]]\nname = \"faulty\"\noperation = \"verify.identity.pan\"\nthen = {then}\n"
    );
    Served::with(|builder| builder.limits(limits).scenarios(&scenario))
}

/// A connection to the live listener, with a call sent.
fn called(served: &Served, more_headers: &str) -> Client {
    let mut client = Client::to(served.addresses.live);
    client.write(served.call("svc_live_local", more_headers));
    client
}

/// All that comes until the end of the connection, which is an end and not a reset.
fn rest(client: &mut Client) -> Vec<u8> {
    client.wait_up_to(Duration::from_secs(10));
    client.try_rest().expect("an orderly end")
}

/// What the wallet was charged, and how many calls were counted.
fn spent(served: &Served) -> (Paise, u64) {
    let cell = served.host().directory().all();
    let cell = cell
        .iter()
        .find(|cell| &**cell.id() == "local")
        .expect("it is built in");
    cell.read(|account| {
        let state = account.environment(Environment::Live);
        (state.wallet.charged(), state.usage.totals().calls)
    })
}

/// Nothing comes, and the connection stays open, until the call is booked and for a while after.
fn silent(served: &Served, client: &mut Client) {
    client.wait_up_to(Duration::from_millis(50));
    for _ in 0..200 {
        let booked = spent(served).1 > 0;
        let error = client
            .try_read(&mut [0])
            .expect_err("a byte or an end came");
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        if booked {
            return;
        }
    }
    panic!("the call was never booked");
}

fn looked_up(served: &Served, answer: &Answer) -> String {
    let id = answer.json()["verificationId"].take();
    let path = format!("/v1/verifications/{}", id.as_str().expect("a text"));
    let head = "Host: a\r\nAuthorization: Bearer svc_live_local";
    let look_up = format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n");
    Client::to(served.addresses.live).ask(look_up).body
}

#[test]
fn a_reset_comes_before_any_byte() {
    let served = served(r#"{ success = {}, wire = "reset" }"#);
    let mut client = called(&served, "");
    let error = client.try_read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn an_answer_that_never_comes_leaves_the_connection_open() {
    let served = served(r#"{ success = {}, wire = "never" }"#);
    let mut client = called(&served, "");
    silent(&served, &mut client);
    client.write("what nobody reads");
    silent(&served, &mut client);
}

#[test]
fn a_client_that_gives_up_on_its_answer_frees_its_place() {
    let limits = EdgeLimits {
        connections: 1,
        ..EdgeLimits::default()
    };
    for (wire, starts) in [(r#""never""#, false), (r#"{ slow = "1h" }"#, true)] {
        let then = format!("[{{ success = {{}}, wire = {wire} }}, {{ success = {{}} }}]");
        let served = with_limits(limits, &then);
        let mut first = called(&served, "");
        if starts {
            assert_eq!(first.answer(false).status, 200);
        }
        silent(&served, &mut first);
        // What was sent ahead must not hide that the client is gone.
        first.write("POST / HTTP/1.1\r\n");
        let mut second = called(&served, "");
        silent(&served, &mut second);
        drop(first);
        second.wait_up_to(Duration::from_secs(10));
        assert_eq!(second.answer(true).status, 200);
    }
}

#[test]
fn a_stop_ends_an_answer_that_never_comes() {
    let limits = EdgeLimits {
        drain: HOUR,
        ..EdgeLimits::default()
    };
    let served = with_limits(limits, r#"{ success = {}, wire = "never" }"#);
    let mut client = called(&served, "");
    silent(&served, &mut client);
    served.close();
    assert!(rest(&mut client).is_empty());
    served.ended();
}

#[test]
fn garbage_is_no_answer_and_then_the_connection_ends() {
    let served = served(r#"{ success = {}, wire = "garbage" }"#);
    let bytes = rest(&mut called(&served, ""));
    assert!(!bytes.is_empty() && !bytes.starts_with(b"HTTP/"));
    assert!(std::str::from_utf8(&bytes).is_err());
}

#[test]
fn a_cut_answer_promises_the_whole_body_and_gives_a_part() {
    for (cut_after, wanted) in [(0, 0), (1, 1), (120, 120), (u32::MAX, u32::MAX)] {
        let served = served(&format!(
            "{{ success = {{}}, wire = {{ cut_after = {cut_after} }} }}"
        ));
        let mut client = called(&served, "Idempotency-Key: k\r\n");
        let head = client.answer(false);
        let body = rest(&mut client);
        let whole = called(&served, "Idempotency-Key: k\r\n").answer(true);
        let length = whole.body.len();
        assert_eq!(head.status, 200);
        assert_eq!(
            head.header("content-length"),
            Some(length.to_string().as_str())
        );
        assert_eq!(head.header("content-type"), Some("application/json"));
        assert!(
            head.header("date")
                .is_some_and(|date| date.ends_with("GMT"))
        );
        // Even of a body that is shorter the last byte is missing.
        assert_eq!(body.len(), (wanted as usize).min(length - 1));
        assert!(whole.body.as_bytes().starts_with(&body));
    }
}

#[test]
fn a_slow_answer_comes_in_pieces_and_whole() {
    let served = served(r#"{ success = {}, wire = { slow = "300ms" } }"#);
    let mut client = called(&served, "");
    let head = client.answer(false);
    assert_eq!(head.header("connection"), Some("close"));
    let (mut body, mut pieces) = (Vec::new(), 0);
    let mut space = [0; 4096];
    loop {
        match client.try_read(&mut space).unwrap() {
            0 => break,
            read => body.extend_from_slice(&space[..read]),
        }
        pieces += 1;
    }
    let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(answer["status"], "completed");
    assert!(pieces > 1, "it came in one piece");
    assert_eq!(
        head.header("content-length"),
        Some(body.len().to_string().as_str())
    );
}

#[test]
fn a_slow_answer_takes_its_time_but_no_more_than_the_drain_deadline() {
    let limits = EdgeLimits {
        drain: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = with_limits(limits, r#"{ success = {}, wire = { slow = "1h" } }"#);
    let mut client = called(&served, "");
    assert_eq!(client.answer(false).status, 200);
    silent(&served, &mut client);
    served.close();
    assert!(rest(&mut client).is_empty());
    served.ended();
}

#[test]
fn a_call_repeated_after_a_fault_gets_the_intact_envelope_and_one_charge() {
    for wire in [
        r#"wire = "reset""#,
        r#"wire = "never""#,
        r#"wire = "garbage""#,
        "wire = { cut_after = 9 }",
        r#"wire = { slow = "20ms" }"#,
        r#"wire = "reset", delay = "20ms""#,
    ] {
        let served = served(&format!("{{ success = {{}}, {wire} }}"));
        let mut faulty = called(&served, "Idempotency-Key: k\r\n");
        if wire.contains("never") {
            silent(&served, &mut faulty);
        } else {
            // Reset or not, the end of the connection comes after the call was booked.
            let _ended = faulty.try_rest();
        }
        let once = spent(&served);
        assert!(once.0 > Paise::ZERO && once.1 == 1, "{wire}: {once:?}");
        let replay = called(&served, "Idempotency-Key: k\r\n").answer(true);
        assert_eq!(replay.header("idempotent-replay"), Some("true"), "{wire}");
        assert_eq!(replay.json()["billing"]["charged"], true, "{wire}");
        assert_eq!(replay.body, looked_up(&served, &replay), "{wire}");
        assert_eq!(spent(&served), once, "{wire}");
    }
}

#[test]
fn answers_before_a_fault_arrive_and_calls_after_it_are_not_executed() {
    let served = served(r#"[{ success = {} }, { success = {}, wire = "garbage" }]"#);
    let call = served.call("svc_live_local", "");
    let mut client = Client::to(served.addresses.live);
    assert_eq!(client.ask(call.repeat(3)).status, 200);
    assert!(!rest(&mut client).starts_with(b"HTTP/"));
    assert_eq!(spent(&served).1, 2);
}
