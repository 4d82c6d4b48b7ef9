//! What a client can hold on to, and for how long.

use std::time::Duration;

use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::http::edge::EdgeLimits;

use super::client::{Client, Served};

#[test]
fn a_content_length_over_the_limit_is_answered_without_reading() {
    let served = Served::new();
    let mut client = served.connect();
    let answer = client.ask(served.head("Content-Length: 10485761"));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "SVC_INVALID_INPUT")
    );
    assert_eq!(answer.header("connection"), Some("close"));
}

#[test]
fn a_client_that_sends_too_much_still_reads_its_answer() {
    let served = Served::new();
    let mut client = served.connect();
    client.write(served.head("Transfer-Encoding: chunked"));
    let chunk = [b"100000\r\n", " ".repeat(0x10_0000).as_bytes(), b"\r\n"].concat();
    for _ in 0..11 {
        client.write(&chunk);
    }
    let answer = client.answer(true);
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "SVC_INVALID_INPUT")
    );
    assert!(answer.body.contains("over 10 MiB"));
}

#[test]
fn a_body_in_many_pieces_is_put_together() {
    let served = Served::new();
    let mut client = served.connect();
    let call = served.call("svc_test_local", "");
    let body = call.split_once("\r\n\r\n").unwrap().1;
    client.write(served.head("Transfer-Encoding: chunked"));
    for byte in body.chars() {
        client.write(format!("1\r\n{byte}\r\n"));
    }
    assert_eq!(client.ask("0\r\n\r\n").status, 200);
}

#[test]
fn a_head_of_the_limit_is_answered_and_a_longer_one_refused() {
    let served = Served::new();
    let head = |length: usize| {
        let head =
            "GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local\r\nX: ";
        let value = "x".repeat(length - head.len() - 4);
        format!("{head}{value}\r\n\r\n")
    };
    let mut client = served.connect();
    for _ in 0..2 {
        assert_eq!(client.ask(head(64 * 1024)).status, 200);
    }
    let answer = client.ask(head(64 * 1024 + 1));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "SVC_INVALID_INPUT")
    );
    assert_eq!(answer.json()["endpoint"], "usage");
    client.closed();
}

#[test]
fn a_hundred_header_lines_are_answered_and_more_refused() {
    let served = Served::new();
    let head = |lines: usize| {
        let head = "GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local\r\n";
        format!("{head}{}\r\n", "X: x\r\n".repeat(lines - 2))
    };
    let mut client = served.connect();
    assert_eq!(client.ask(head(100)).status, 200);
    let answer = client.ask(head(101));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "SVC_INVALID_INPUT")
    );
    client.closed();
}

#[test]
fn a_client_that_stalls_in_the_head_is_closed() {
    let limits = EdgeLimits {
        head: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    served.connect().closed();
    let mut client = served.connect();
    client.write("POST /v1/usage HTTP/1.1\r\nHost: a\r\nX-Never-");
    client.closed();
    let call = served.call("svc_test_local", "");
    let answered_and_closed = || {
        let mut idle = served.connect();
        let all = idle.try_write(&call).and_then(|()| idle.try_rest());
        all.is_ok_and(|all| all.starts_with(b"HTTP/1.1 200 "))
    };
    // On a busy machine a client may come too late with its call, too.
    assert!((0..100).any(|_| answered_and_closed()));
}

#[test]
fn a_client_that_stalls_in_the_body_is_answered_and_closed() {
    let limits = EdgeLimits {
        body: Duration::from_millis(50),
        linger: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let mut client = served.connect();
    let answer = client.ask(format!("{}{{", served.head("Content-Length: 100")));
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "SVC_INVALID_INPUT")
    );
    assert_eq!(answer.header("connection"), Some("close"));
    client.closed();
}

/// One place only, and the first call is answered after this long.
fn with_one_place(delay: &str) -> Served {
    let limits = EdgeLimits {
        connections: 1,
        ..EdgeLimits::default()
    };
    let then = format!("[{{ success = {{}}, delay = \"{delay}\" }}, {{ success = {{}} }}]");
    let scenario = "[[scenario]]\nname = \"slow\"\noperation = \"verify.identity.pan\"\nthen = ";
    Served::with(|builder| {
        builder
            .limits(limits)
            .scenarios(&format!("{scenario}{then}\n"))
    })
}

/// Whether a call is being executed.
fn holds(served: &Served) -> bool {
    let cells = served.host().directory().all();
    cells.iter().any(|cell| {
        cell.read(|account| account.environment(Environment::Live).wallet.held() > Paise::ZERO)
    })
}

#[test]
fn over_the_cap_whoever_waits_longest_for_its_client_makes_room() {
    let served = with_one_place("1ms");
    let call = served.call("svc_test_local", "");
    let silent = served.connect();
    let mut stalled = served.connect();
    stalled.write("POST /v1/usage HTTP/1.1\r\n");
    silent.closed();
    let mut half = served.connect();
    half.write(format!("{}{{", served.head("Content-Length: 100")));
    stalled.closed();
    let mut idle = served.connect();
    half.closed();
    assert_eq!(idle.ask(&call).status, 200);
    let mut new = served.connect();
    idle.closed();
    assert_eq!(new.ask(&call).status, 200);
}

#[test]
fn over_the_cap_a_new_connection_waits_while_all_are_busy_and_is_next() {
    let served = with_one_place("100ms");
    let call = served.call("svc_live_local", "");
    let mut busy = Client::to(served.addresses.live);
    busy.write(&call);
    while !holds(&served) {
        std::thread::yield_now();
    }
    let mut next = Client::to(served.addresses.live);
    next.write(&call);
    let answer = busy.answer(true);
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    assert_eq!(next.answer(true).status, 200);
}

#[test]
fn a_stop_lets_running_calls_end() {
    let served = Served::new();
    let mut running = served.connect();
    let call = served.call("svc_test_local", "Expect: 100-continue\r\n");
    let (head, body) = call.split_once("\r\n\r\n").unwrap();
    let asked_for_the_body = running.ask(format!("{head}\r\n\r\n"));
    assert_eq!(asked_for_the_body.status, 100);
    let mut idle = served.connect();
    assert_eq!(idle.ask(served.call("svc_test_local", "")).status, 200);
    served.close();
    idle.closed();
    let answer = running.ask(body);
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    running.closed();
    let address = served.addresses.sandbox;
    served.ended();
    assert!(!Client::reaches(address));
}

#[test]
fn a_stop_does_not_wait_for_those_who_asked_nothing() {
    let served = Served::new();
    let (silent, mut begun) = (served.connect(), served.connect());
    begun.write("POST /v1/usage HTTP/1.1\r\n");
    // Both have a place when one that came after them is answered.
    let mut last = served.connect();
    assert_eq!(last.ask(served.call("svc_test_local", "")).status, 200);
    served.close();
    for client in [silent, begun, last] {
        client.wait_up_to(Duration::from_secs(5));
        client.closed();
    }
    served.ended();
}

#[test]
fn after_the_drain_deadline_everything_is_closed() {
    let limits = EdgeLimits {
        drain: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let mut stuck = served.connect();
    let head = served.head("Content-Length: 9\r\nExpect: 100-continue");
    assert_eq!(stuck.ask(head).status, 100);
    served.close();
    stuck.closed();
    served.ended();
}
