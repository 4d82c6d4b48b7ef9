//! What a client can hold on to, and for how long.

use std::io::Read as _;
use std::net::TcpStream;
use std::time::Duration;

use svc_simulator::http::edge::EdgeLimits;

use super::client::Served;

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
fn a_head_over_the_buffer_is_refused() {
    let served = Served::new();
    let mut client = served.connect();
    let long = "x".repeat(64 * 1024);
    let answer = client.ask(format!(
        "GET / HTTP/1.1\r\nHost: a\r\nX-Long: {long}\r\n\r\n"
    ));
    assert_eq!(answer.status, 431);
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
    let mut idle = served.connect();
    assert_eq!(idle.ask(served.call("svc_test_local", "")).status, 200);
    idle.closed();
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

#[test]
fn a_connection_over_the_cap_waits_for_a_place() {
    let limits = EdgeLimits {
        connections: 1,
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let call = served.call("svc_test_local", "");
    let mut first = served.connect();
    assert_eq!(first.ask(&call).status, 200);
    let mut second = served.connect();
    second.write(&call);
    second
        .0
        .set_read_timeout(Some(Duration::from_millis(100)))
        .unwrap();
    assert!(second.0.read(&mut [0]).is_err(), "answered without a place");
    second
        .0
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    drop(first);
    assert_eq!(second.answer(true).status, 200);
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
    served.stop.cancel();
    idle.closed();
    let answer = running.ask(body);
    assert_eq!(
        (answer.status, answer.header("connection")),
        (200, Some("close"))
    );
    running.closed();
    let address = served.addresses.sandbox;
    served.ended();
    assert!(TcpStream::connect(address).is_err());
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
    served.stop.cancel();
    stuck.closed();
    served.ended();
}
