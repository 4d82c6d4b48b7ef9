//! What passes goes on while it comes: the first byte before the last was sent, without end, and without being kept.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::recording::{Recording, raw};

/// Longer than anything takes here: what waits longer waits for ever.
const LONG: Duration = Duration::from_secs(20);

/// A part of a body that is longer than what the proxy keeps of it.
const PART: usize = 1 << 20;

/// A service that a test plays itself.
fn service() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, url)
}

fn accepted(service: &TcpListener) -> TcpStream {
    let (stream, _) = service.accept().expect("a connection");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    stream
}

fn client(recording: &Recording, sends: &str) -> TcpStream {
    let mut stream = TcpStream::connect(recording.address()).expect("it listens");
    stream.set_read_timeout(Some(LONG)).expect("a socket");
    stream.write_all(sends.as_bytes()).expect("it reads");
    stream
}

/// Reads until these bytes came.
fn until(stream: &mut TcpStream, end: &str) -> String {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(end.as_bytes()) {
        let read = stream.read(&mut byte).expect("it comes in time");
        assert_eq!(read, 1, "{}", String::from_utf8_lossy(&text));
        text.push(byte[0]);
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn the_first_byte_passes_before_the_last_was_sent_either_way() {
    let (service, url) = service();
    let recording = Recording::of(&url, &[]);
    let head = "POST /v1/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n";
    let mut asks = client(&recording, &format!("{head}<"));
    let mut answers = accepted(&service);
    until(&mut answers, "\r\n\r\n<");
    asks.write_all(b">").expect("it reads");
    until(&mut answers, ">");
    answers
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
        .expect("it reads");
    until(&mut asks, "\r\n\r\n{");
    answers.write_all(b"}").expect("it reads");
    until(&mut asks, "}");
    assert_eq!(recording.end().endings(), ["/v1/x: 200"]);
}

#[test]
fn a_client_that_asks_first_is_told_to_go_on_and_trailers_end_a_body() {
    let (service, url) = service();
    let recording = Recording::of(&url, &[]);
    let head = "POST /v1/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    let mut asks = client(&recording, head);
    let mut answers = accepted(&service);
    until(&mut answers, "\r\n\r\n");
    until(&mut asks, "HTTP/1.1 100 Continue\r\n\r\n");
    asks.write_all(b"{}").expect("it reads");
    until(&mut answers, "{}");
    let chunks = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n";
    answers.write_all(chunks.as_bytes()).expect("it reads");
    let came = until(&mut asks, "\r\n0\r\n");
    assert!(came.starts_with("HTTP/1.1 200 OK\r\n"), "{came}");
    assert!(came.contains("\r\n2\r\n{}"), "{came}");
    assert_eq!(recording.end().endings(), ["/v1/x: 200"]);
}

const ASKS: &str = "GET /v1/usage HTTP/1.1\r\nHost: h\r\n\r\n";
const ANSWERS: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

/// Answers what comes next on a connection.
fn answer(stream: &mut TcpStream) {
    until(stream, "\r\n\r\n");
    stream.write_all(ANSWERS.as_bytes()).expect("it reads");
}

#[test]
fn a_connection_that_the_service_closed_meanwhile_is_made_anew() {
    let (service, url) = service();
    let recording = Recording::of(&url, &[]);
    let mut asks = client(&recording, ASKS);
    let mut first = accepted(&service);
    answer(&mut first);
    until(&mut asks, "{}");
    drop(first);
    asks.write_all(ASKS.as_bytes()).expect("it reads");
    answer(&mut accepted(&service));
    until(&mut asks, "{}");
    assert_eq!(recording.end().endings(), ["usage: 200"; 2]);
}

#[test]
fn a_connection_that_still_takes_a_request_is_nobody_elses() {
    let (service, url) = service();
    let recording = Recording::of(&url, &[]);
    let head = "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n<";
    let mut slow = client(&recording, head);
    let mut first = accepted(&service);
    answer(&mut first);
    until(&mut slow, "{}");
    let mut asks = client(&recording, ASKS);
    // Nobody waits for it: where it is not asked the client says so.
    thread::spawn(move || answer(&mut accepted(&service)));
    until(&mut asks, "{}");
    slow.write_all(b">").expect("it reads");
    until(&mut first, "<>");
    let mut endings = recording.end().endings();
    endings.sort();
    assert_eq!(endings, ["/v1/x: 200", "usage: 200"]);
}

#[test]
fn a_service_that_says_nothing_more_is_waited_for_no_longer_than_the_drain() {
    let (service, url) = service();
    let recording = Recording::of(&url, &["--drain", "500ms"]);
    let mut asks = client(&recording, "GET /v1/usage HTTP/1.1\r\nHost: h\r\n\r\n");
    let mut answers = accepted(&service);
    until(&mut answers, "\r\n\r\n");
    answers
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
        .expect("it reads");
    until(&mut asks, "{");
    let endings = recording.end().endings();
    assert!(
        endings.len() == 1 && endings[0].contains("status 200 and 1 bytes"),
        "{endings:?}"
    );
}

#[test]
fn a_service_that_takes_no_more_of_a_request_does_not_keep_the_recording() {
    let (service, url) = service();
    let recording = Recording::of(&url, &["--drain", "500ms"]);
    let head = format!(
        "POST /v1/x HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n",
        64 * PART
    );
    let mut asks = client(&recording, &head);
    let sends = thread::spawn(move || {
        let part = vec![b'x'; PART];
        // It is cut in the middle.
        (0..64).try_for_each(|_| asks.write_all(&part)).is_err()
    });
    let mut answers = accepted(&service);
    until(&mut answers, "\r\n\r\nx");
    let endings = recording.end().endings();
    assert!(
        endings.len() == 1
            && endings[0].contains("the recording ended before the answer was whole"),
        "{endings:?}"
    );
    assert!(sends.join().expect("it ended"), "it was not cut");
}

#[test]
#[cfg(target_os = "linux")]
fn bodies_of_sixty_four_megabytes_pass_without_being_kept() {
    let (service, url) = service();
    let recording = Recording::of(&url, &[]);
    let before = recording.most_memory_kb();
    let answers = thread::spawn(move || {
        let mut stream = accepted(&service);
        until(&mut stream, "\r\n\r\n");
        let mut part = vec![0; PART];
        for _ in 0..64 {
            stream.read_exact(&mut part).expect("all of it comes");
        }
        let head = format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            64 * PART
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        (0..64).for_each(|_| stream.write_all(&part).expect("it reads"));
    });
    let body = "x".repeat(64 * PART);
    let request = super::recording::request("POST", "/v1/x", "", &body);
    let came = raw(recording.address(), &request);
    assert!(came.len() > 64 * PART, "{}", came.len());
    answers.join().expect("it answered");
    let more = recording.most_memory_kb() - before;
    // Pieces of what passes, and what the allocator has not given back yet: less than one of the two.
    assert!(more < 60 * 1024, "{more} KiB more");
    recording.end();
}
