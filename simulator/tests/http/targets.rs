//! What posts webhooks, against receivers of every kind: each posting ends as ruled, and whatever
//! came before, the next good receiver gets its posting.

use std::future::{pending, ready};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_simulator::host::transport::{
    AddressLookup, EXCERPT_BYTES, HttpTransport, NameResolver, TargetPolicy, Transport,
    TransportLimits, WebhookRequest, WebhookResponse,
};
use svc_test_support::{Behaviour, Server, free_address};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const METADATA: IpAddr = IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254));
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn limits() -> TransportLimits {
    TransportLimits::within(Duration::from_secs(10))
}

fn transport() -> HttpTransport {
    HttpTransport::new(limits(), TargetPolicy::loopback_only()).expect("a client")
}

fn posting(url: &str) -> WebhookRequest {
    WebhookRequest {
        url: url.to_owned(),
        signature: Some("t=1800000000,v1=00ff".to_owned()),
        body: Bytes::from_static(br#"{"success":true}"#),
    }
}

async fn post(transport: &HttpTransport, url: &str) -> WebhookResponse {
    transport.post(posting(url)).await
}

/// What came of a posting, in a line.
fn line(posted: &WebhookResponse) -> String {
    match &posted.answered {
        AttemptOutcome::Status(status) => status.to_string(),
        AttemptOutcome::Nothing(reason) => reason.clone(),
    }
}

/// Posts to all at once and says where an outcome is another.
async fn each_ends_as_ruled(transport: &HttpTransport, rows: &[(&str, Behaviour, &str)]) {
    let ended = join_all(rows.iter().map(async |(_, behaviour, _)| {
        let receiver = Server::behaving(*behaviour);
        line(&post(transport, &hook(&receiver)).await)
    }));
    for ((name, _, ruled), ended) in rows.iter().zip(ended.await) {
        assert_eq!(ended, *ruled, "{name}");
    }
}

/// Where a receiver takes webhooks.
fn hook(receiver: &Server) -> String {
    format!("{}/webhooks", receiver.url)
}

/// The connections that the postings came over.
fn connections(receiver: &Server) -> Vec<usize> {
    receiver.sent().iter().map(|it| it.connection).collect()
}

async fn a_good_receiver_gets_its_posting(transport: &HttpTransport) {
    let receiver = Server::behaving(Behaviour::Answers(GOOD));
    assert_eq!(line(&post(transport, &hook(&receiver)).await), "200");
    assert_eq!(receiver.sent().len(), 1);
}

#[tokio::test]
async fn a_posting_arrives_as_one_post_with_its_signature() {
    let receiver = Server::behaving(Behaviour::Answers(GOOD));
    let posted = post(&transport(), &hook(&receiver)).await;
    assert_eq!(posted.answered, AttemptOutcome::Status(200));
    assert_eq!(posted.excerpt, "ok");
    let heard: Vec<_> = receiver.sent().into_iter().map(|it| it.text).collect();
    let heard = heard.join("\n---\n");
    let heard = heard.replace(&receiver.address.to_string(), "{receiver}");
    insta::assert_snapshot!(heard.replace(env!("CARGO_PKG_VERSION"), "{version}"), @r#"
    POST /webhooks HTTP/1.1
    Content-Type: application/json
    X-Service-Signature: t=1800000000,v1=00ff
    Accept: */*
    User-Agent: svc-simulator/{version}
    Host: {receiver}
    Content-Length: 16

    {"success":true}
    "#);
}

#[tokio::test]
async fn without_a_signature_the_header_is_not_sent() {
    let receiver = Server::behaving(Behaviour::Answers(GOOD));
    let unsigned = WebhookRequest {
        signature: None,
        ..posting(&hook(&receiver))
    };
    assert_eq!(line(&transport().post(unsigned).await), "200");
    assert!(
        !receiver.sent()[0]
            .text
            .to_ascii_lowercase()
            .contains("x-service-signature")
    );
}

/// What a receiver does, and what is noted of it.
const ANSWERS: [(&str, Behaviour, &str); 28] = {
    use Behaviour::{AnswersOnce, Endless, ResetsAfterReading, ResetsAtOnce, Speaks};
    [
        ("200", AnswersOnce(GOOD), "200"),
        (
            "204",
            AnswersOnce(b"HTTP/1.1 204 No Content\r\n\r\n"),
            "204",
        ),
        ("299", AnswersOnce(b"HTTP/1.1 299 Fine\r\n\r\n"), "299"),
        (
            "300",
            AnswersOnce(b"HTTP/1.1 300 Many\r\nLocation: /\r\n\r\n"),
            "300",
        ),
        ("304", AnswersOnce(b"HTTP/1.1 304 Same\r\n\r\n"), "304"),
        (
            "500",
            AnswersOnce(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
            "500",
        ),
        ("999", AnswersOnce(b"HTTP/1.1 999 Odd\r\n\r\n"), "999"),
        (
            "HTTP/1.0",
            AnswersOnce(b"HTTP/1.0 201 Made\r\n\r\nmade"),
            "201",
        ),
        (
            "interim answers first",
            AnswersOnce(
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            ),
            "200",
        ),
        (
            "switches protocols",
            AnswersOnce(b"HTTP/1.1 101 Switch\r\nUpgrade: x\r\n\r\n"),
            "101",
        ),
        (
            "cut body",
            AnswersOnce(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"),
            "200",
        ),
        (
            "broken chunks",
            AnswersOnce(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            "200",
        ),
        (
            "endless body",
            Endless(b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
            "200",
        ),
        (
            "endless error",
            Endless(b"HTTP/1.1 503 No\r\n\r\n", b"a"),
            "503",
        ),
        (
            "endless header fields",
            Endless(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
            "the answer's header section is too long",
        ),
        (
            "endless header field",
            Endless(b"HTTP/1.1 200 OK\r\nX-A: ", b"b"),
            "the answer's header section is too long",
        ),
        (
            "endless status line",
            Endless(b"HTTP/1.1 200 ", b"O"),
            "the answer's header section is too long",
        ),
        (
            "garbage",
            AnswersOnce(b"\x16\x03\x01\x00\xff\xfe\r\n\r\n"),
            "not HTTP",
        ),
        ("endless garbage", Endless(b"", b"\xff"), "not HTTP"),
        (
            "speaks first",
            Speaks(b"220 mail.example ready\r\n"),
            "not HTTP",
        ),
        ("HTTP/0.9", AnswersOnce(b"<html>taken</html>"), "not HTTP"),
        ("HTTP/2", AnswersOnce(b"HTTP/2 200 OK\r\n\r\n"), "not HTTP"),
        (
            "no such status",
            AnswersOnce(b"HTTP/1.1 99 Low\r\n\r\n"),
            "not HTTP",
        ),
        (
            "two lengths",
            AnswersOnce(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
            "not HTTP",
        ),
        (
            "no answer",
            AnswersOnce(b""),
            "connection closed without an answer",
        ),
        (
            "half a head",
            AnswersOnce(b"HTTP/1.1 200 OK\r\nX-A"),
            "connection closed without an answer",
        ),
        ("reset at once", ResetsAtOnce, "connection reset"),
        (
            "reset after reading",
            ResetsAfterReading,
            "connection reset",
        ),
    ]
};

#[tokio::test]
async fn answers_of_every_kind_end_as_ruled() {
    let transport = transport();
    each_ends_as_ruled(&transport, &ANSWERS).await;
    a_good_receiver_gets_its_posting(&transport).await;
}

#[tokio::test]
async fn what_takes_too_long_ends_at_the_limit_and_a_status_in_time_counts() {
    use Behaviour::{Endless, Stalls};
    let limits = TransportLimits::within(Duration::from_secs(1));
    let transport = HttpTransport::new(limits, TargetPolicy::loopback_only()).expect("a client");
    let late = "no answer within 1 s";
    let rows = [
        ("silence", Stalls(b""), late),
        ("half a status line", Stalls(b"HTTP/1.1 2"), late),
        (
            "half a head",
            Stalls(b"HTTP/1.1 200 OK\r\nContent-Le"),
            late,
        ),
        (
            "interim only",
            Stalls(b"HTTP/1.1 100 Continue\r\n\r\n"),
            late,
        ),
        (
            "interim for ever",
            Endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            late,
        ),
        (
            "slow body",
            Stalls(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"),
            "200",
        ),
        (
            "slow error",
            Stalls(b"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\n"),
            "500",
        ),
    ];
    each_ends_as_ruled(&transport, &rows).await;
    a_good_receiver_gets_its_posting(&transport).await;
}

#[tokio::test]
async fn a_body_is_kept_up_to_the_excerpt() {
    let transport = transport();
    let endless = Server::behaving(Behaviour::Endless(b"HTTP/1.1 200 OK\r\n\r\n", b"a"));
    let posted = post(&transport, &hook(&endless)).await;
    assert_eq!(posted.excerpt, "a".repeat(EXCERPT_BYTES));
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab";
    let cut = Server::behaving(Behaviour::AnswersOnce(cut));
    assert_eq!(post(&transport, &hook(&cut)).await.excerpt, "ab");
    // Dropped long before the time limit; what was taken beyond the limit lay in buffers.
    assert!(endless.closed(1).await < 64 * 1024 * 1024);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let transport = transport();
    for status in ["301", "302", "303", "307", "308"] {
        let answer =
            format!("HTTP/1.1 {status} Go\r\nLocation: /webhooks\r\nContent-Length: 0\r\n\r\n");
        let receiver = Server::behaving(Behaviour::Answers(answer.leak().as_bytes()));
        assert_eq!(line(&post(&transport, &hook(&receiver)).await), status);
        assert_eq!(receiver.sent().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn nobody_at_the_port_is_connection_refused() {
    let url = format!("http://{}/", free_address());
    let transport = transport();
    assert_eq!(line(&post(&transport, &url).await), "connection refused");
    a_good_receiver_gets_its_posting(&transport).await;
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let (transport, receiver) = (transport(), Server::behaving(Behaviour::Answers(GOOD)));
    for _ in 0..3 {
        assert_eq!(line(&post(&transport, &hook(&receiver)).await), "200");
    }
    assert_eq!(connections(&receiver), [0, 0, 0]);
}

#[tokio::test]
async fn a_kept_connection_that_the_receiver_closed_fails_no_posting() {
    let (transport, receiver) = (transport(), Server::behaving(Behaviour::AnswersOnce(GOOD)));
    for sent in 1..=20 {
        assert_eq!(line(&post(&transport, &hook(&receiver)).await), "200");
        receiver.closed(sent).await;
        // The receiver runs on a thread of its own: this one has to look at its sockets before it can know
        // of the end, which it does at the latest each time it has polled some sixty tasks.
        for _ in 0..256 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(connections(&receiver), (0..20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_posting_that_was_read_is_not_sent_again() {
    let (transport, receiver) = (
        transport(),
        Server::behaving(Behaviour::AnswersThenResets(GOOD)),
    );
    assert_eq!(line(&post(&transport, &hook(&receiver)).await), "200");
    assert_eq!(
        line(&post(&transport, &hook(&receiver)).await),
        "connection reset"
    );
    assert_eq!(connections(&receiver), [0, 0]);
    assert_eq!(line(&post(&transport, &hook(&receiver)).await), "200");
}

#[tokio::test]
async fn an_answer_sent_ahead_answers_no_later_posting() {
    let ahead =
        b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let (transport, receiver) = (transport(), Server::behaving(Behaviour::Answers(ahead)));
    for _ in 0..3 {
        assert_eq!(line(&post(&transport, &hook(&receiver)).await), "500");
    }
    assert_eq!(connections(&receiver), [0, 1, 2]);
}

/// NameResolver with fixed addresses; `turns.example` leads elsewhere each time it is looked up.
#[derive(Default)]
struct FixedNames {
    asked: AtomicUsize,
}

impl NameResolver for FixedNames {
    fn addresses(&self, name: &str) -> AddressLookup {
        let nth = self.asked.fetch_add(1, Ordering::SeqCst);
        let found = match name {
            "good.example" => vec![LOOPBACK],
            "metadata.example" => vec![METADATA],
            "private.example" => vec![PRIVATE],
            "mixed.example" => vec![METADATA, PRIVATE, LOOPBACK],
            "turns.example" => vec![[LOOPBACK, METADATA][nth % 2]],
            "empty.example" => Vec::new(),
            "silent.example" => return Box::pin(pending()),
            _ => return Box::pin(ready(Err(io::ErrorKind::NotFound.into()))),
        };
        Box::pin(ready(Ok(found)))
    }
}

fn with_resolver(limits: TransportLimits, names: &Arc<FixedNames>) -> HttpTransport {
    let names = Arc::clone(names) as Arc<dyn NameResolver>;
    HttpTransport::with_resolver(limits, TargetPolicy::loopback_only(), names).expect("a client")
}

#[tokio::test]
async fn names_lead_only_to_allowed_addresses() {
    let receiver = Server::behaving(Behaviour::Answers(GOOD));
    let transport = with_resolver(limits(), &Arc::default());
    let never = "refused by policy: 169.254.169.254 is never a webhook target";
    let private =
        "refused by policy: 10.0.0.7 is not loopback; `--webhook-target 10.0.0.7/32` allows it";
    for (host, ruled) in [
        ("good.example", "200"),
        ("metadata.example", never),
        ("metadata.example.", "no such host"),
        ("private.example", private),
        ("mixed.example", "200"),
        ("empty.example", "no such host"),
        ("nobody.example", "no such host"),
        ("169.254.169.254", never),
        ("[::ffff:169.254.169.254]", never),
        ("2852039166", never),
        ("10.0.0.7", private),
        ("127.0.0.1.", "200"),
        ("2130706433", "200"),
    ] {
        let url = format!("http://{host}:{}/", receiver.address.port());
        assert_eq!(line(&post(&transport, &url).await), ruled, "{host}");
    }
    assert_eq!(receiver.sent().len(), 4);
}

#[tokio::test]
async fn a_name_is_looked_up_once_a_connection_and_ruled_each_time() {
    let receiver = Server::behaving(Behaviour::AnswersOnce(GOOD));
    let names = Arc::default();
    let transport = with_resolver(limits(), &names);
    let url = format!("http://turns.example:{}/", receiver.address.port());
    assert_eq!(line(&post(&transport, &url).await), "200");
    receiver.closed(1).await;
    let never = "refused by policy: 169.254.169.254 is never a webhook target";
    assert_eq!(line(&post(&transport, &url).await), never);
    assert_eq!(names.asked.load(Ordering::SeqCst), 2);
    assert_eq!(receiver.sent().len(), 1);
}

#[tokio::test]
async fn a_look_up_that_hangs_ends_at_the_limit() {
    let limits = TransportLimits::within(Duration::from_millis(200));
    let transport = with_resolver(limits, &Arc::default());
    let posted = post(&transport, "http://silent.example/").await;
    assert_eq!(line(&posted), "no answer within 200 ms");
}

#[tokio::test]
async fn requests_that_nobody_answers_take_no_more_connections_than_there_are() {
    let limits = TransportLimits {
        connections: 1,
        ..TransportLimits::within(Duration::from_millis(200))
    };
    let transport = with_resolver(limits, &Arc::default());
    let begin = tokio::time::Instant::now();
    let post = || post(&transport, "http://silent.example/");
    let (first, second) = tokio::join!(post(), post());
    for posted in [first, second] {
        assert_eq!(line(&posted), "no answer within 200 ms");
    }
    assert!(begin.elapsed() >= Duration::from_millis(400));
}

#[tokio::test]
async fn the_machines_own_names_are_looked_up() {
    let receiver = Server::behaving(Behaviour::Answers(GOOD));
    let url = format!("http://localhost:{}/", receiver.address.port());
    assert_eq!(line(&post(&transport(), &url).await), "200");
}

#[tokio::test]
async fn a_url_that_was_never_checked_is_refused_here_too() {
    let answer = post(&transport(), "ftp://127.0.0.1/").await;
    assert_eq!(
        line(&answer),
        "the URL begins with `ftp:`; begin it with `https://` or `http://`"
    );
    let broken = WebhookRequest {
        signature: Some("t=1\r\nX: y".to_owned()),
        ..posting("http://127.0.0.1/")
    };
    let answer = transport().post(broken).await;
    assert_eq!(
        line(&answer),
        "the posting cannot be put into an HTTP request"
    );
}
