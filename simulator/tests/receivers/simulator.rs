//! Each sample and `listen` against a real simulator in process: a call with a pending result, whose
//! envelope the courier signs and posts over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::delivery::{Answered, DeliveryState};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::time::Target;
use svc_simulator::host::transport::{HttpTransport, Targets, TransportLimits};
use svc_simulator::host::{Host, Means};
use svc_simulator::scenario::read_accounts;
use tokio::runtime::Runtime;

use super::listen::listen;
use super::program::{Delivery, SECRET};
use super::sample::Language;
use super::shell::{Folder, ready};

/// Its result comes 25 seconds later by the account's clock.
const SLOW: &str = r#"{"uan": "100000000202"}"#;

/// Long after the last attempt.
const HALF_A_DAY: SignedDuration = SignedDuration::from_hours(12);

/// Makes the slow call of an account with this webhook and lets half a day of the account's time
/// pass. Gives back the verification and the statuses of the attempts.
fn delivered_to(url: &str, secret: &str) -> (String, Vec<Answered>) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let accounts = format!(
            "[[account]]\nid = \"hooked\"\nlive_wallet_inr = 0\nwebhook = {{ url = \"{url}\", secret = \"{secret}\" }}\n"
        );
        let accounts =
            read_accounts(&[Source::new("accounts.toml", accounts)]).expect("an account");
        let rules = Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files");
        let limits = TransportLimits::within(Duration::from_secs(10));
        let transport = HttpTransport::new(limits, Targets::loopback_only()).expect("a client");
        let means = Means {
            // The account's time stands in another year; signatures say the machine's.
            freeze_at: Some(Timestamp::constant(1_900_000_000, 0)),
            transport: Arc::new(transport),
            ..Means::of(Clock::machine())
        };
        let host = Host::new(rules, accounts, means).expect("a host");
        let reply = host.answer(&slow_call()).await;
        let id = Json::parse(&reply.body).expect("an envelope");
        let id = id
            .get("verificationId")
            .and_then(Json::as_text)
            .expect("an id")
            .to_owned();
        let cell = host
            .account("hooked")
            .expect("no journal")
            .expect("the account");
        let moved = host.move_clock(&cell, Target::By(HALF_A_DAY)).await;
        moved.expect("a clock that moves forward");
        let attempts = cell.read(|account| {
            let delivery = account.books(Environment::Test).deliveries.iter().next();
            let delivery = delivery.expect("a delivery");
            assert!(matches!(
                delivery.state(),
                DeliveryState::Delivered | DeliveryState::Dead
            ));
            delivery
                .attempts
                .iter()
                .map(|attempt| attempt.answer.clone())
                .collect()
        });
        (id, attempts)
    })
}

fn slow_call() -> Call<'static> {
    Call {
        environment: Environment::Test,
        peer: IpAddr::from([127, 0, 0, 1]),
        method: "POST",
        path: "/v1/verify/employment/uan",
        query: "",
        headers: Headers {
            authorization: Header::One(b"Bearer svc_test_hooked"),
            content_type: Header::One(b"application/json"),
            ..Headers::default()
        },
        body: Body::Whole(SLOW.as_bytes()),
    }
}

/// The real thing is taken; signed with another secret it is refused until the courier gives up.
fn takes_the_couriers(language: Language) {
    let Some(mut sample) = language.start(300) else {
        return;
    };
    let url = format!("http://{}/webhooks", sample.address);
    let (_, attempts) = delivered_to(&url, "whsec_other");
    assert_eq!(attempts, vec![Answered::Status(400); 6]);
    let (id, attempts) = delivered_to(&url, SECRET);
    assert_eq!(attempts, [Answered::Status(204)]);
    assert_eq!(sample.program.line(), format!("accepted {id} completed"));
}

#[test]
fn the_python_sample_takes_what_the_simulator_delivers() {
    takes_the_couriers(Language::Python);
}

#[test]
fn the_node_sample_takes_what_the_simulator_delivers() {
    takes_the_couriers(Language::Node);
}

#[test]
fn the_java_sample_takes_what_the_simulator_delivers() {
    takes_the_couriers(Language::Java);
}

#[test]
fn the_rust_sample_takes_what_the_simulator_delivers() {
    takes_the_couriers(Language::Rust);
}

/// A receiver that keeps one delivery as it came.
fn keep(listener: &TcpListener) -> Delivery {
    let (mut stream, _) = listener.accept().expect("a delivery");
    let mut reader = BufReader::new(&stream);
    let (mut headers, mut length, mut line) = (Vec::new(), 0, String::new());
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).expect("a head");
        if let Some((name, value)) = line.split_once(": ") {
            match name.to_ascii_lowercase().as_str() {
                "x-service-signature" => headers.push(value.trim_end().to_owned()),
                "content-length" => length = value.trim_end().parse().expect("a length"),
                _ => {}
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
    stream.write_all(answer).expect("a courier that reads");
    Delivery { headers, body }
}

#[test]
fn the_shell_sample_takes_what_the_simulator_delivers() {
    if !ready() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let receiver = std::thread::spawn(move || keep(&listener));
    let (id, attempts) = delivered_to(&url, SECRET);
    assert_eq!(attempts, [Answered::Status(204)]);
    let delivery = receiver.join().expect("a delivery");
    let folder = Folder::new("shell-simulator");
    assert_eq!(folder.run(&delivery), (0, format!("accepted {id}\n")));
    assert_eq!(folder.run(&delivery), (0, String::new()));
}

#[test]
fn listen_shows_each_attempt_of_a_delivery_until_it_is_taken() {
    let mut listening = listen(&["--secret", SECRET, "--fail", "2"]);
    let (id, attempts) = delivered_to(&format!("http://{}/", listening.address), SECRET);
    let statuses = [500, 500, 204];
    assert_eq!(attempts, statuses.map(Answered::Status));
    for (number, status) in statuses.into_iter().enumerate() {
        let shown = listening.next();
        assert_eq!(shown["verificationId"], id);
        assert_eq!(shown["attempt"], number + 1);
        assert_eq!(shown["answered"], status);
        assert_eq!(shown["signature"]["valid"], true);
    }
}
