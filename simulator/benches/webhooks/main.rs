//! Measures the courier: 10,000 failing deliveries through all their attempts on a clock that is
//! moved, with a transport in memory, and over sockets against a bare client that posts the same
//! bytes to the same receiver. Every instant and every signature is checked.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

mod bare;

use std::io::Write as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::delivery::{Delivery, DeliveryState};
use svc_simulator::engine::state::environment::RetentionLimits;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::clock_move::ClockTarget;
use svc_simulator::host::memory::MemoryLimits;
use svc_simulator::host::transport::{
    HttpTransport, MemoryTransport, TargetPolicy, Transport, TransportLimits, WebhookRequest,
};
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::scenario::read_accounts;
use svc_test_support::{Behaviour, Server};

const DELIVERIES: usize = 10_000;
const ROUNDS: usize = 5;
const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
const SECRET: &str = "whsec_sample";
/// What the receiver answers to each attempt.
const REFUSED: &[u8] = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n";
/// When attempts are due after the terminal state, in seconds; the contract's figures once more, so
/// that a changed row is noticed here.
const SCHEDULE_S: [i64; 6] = [0, 30, 120, 600, 3600, 21600];

fn main() {
    let short = std::env::args().any(|arg| arg == "--short");
    let (deliveries, rounds) = if short {
        (1000, 1)
    } else {
        (DELIVERIES, ROUNDS)
    };
    let mut out = std::io::stdout().lock();
    let mut print = |line: String| writeln!(out, "{line}").expect("somebody reads");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    print(format!(
        "{deliveries} failing deliveries, six attempts each, median of {rounds}\n"
    ));

    let mut in_memory = Vec::new();
    for _ in 0..rounds {
        let transport = Arc::new(MemoryTransport::new(|_, _| 500));
        let url = "http://127.0.0.1:9/".to_owned();
        let round = run(&runtime, round(deliveries, url, transport.clone()));
        let postings = transport.requests();
        round.check(deliveries, &postings);
        in_memory.push(round.took);
    }
    let attempts = deliveries * SCHEDULE_S.len();
    let took = median(&mut in_memory);
    print(format!(
        "in memory    {:>8.3} s   {:>8.0} attempts/s   every instant as ruled, {attempts} of {attempts} signatures valid",
        took.as_secs_f64(),
        per_second(attempts, took),
    ));

    let receiver = Server::behaving(Behaviour::Forgets(REFUSED));
    let url = format!("{}/", receiver.url);
    let (mut courier, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let limits = TransportLimits::within(Duration::from_secs(10));
        let transport = HttpTransport::new(limits, TargetPolicy::loopback_only());
        let transport = Arc::new(transport.expect("a client"));
        let round = run(&runtime, round(deliveries, url.clone(), transport));
        let body = round.deliveries[0].0.clone();
        round.check(deliveries, &[]);
        courier.push(round.took);
        bare.push(run(&runtime, bare::post(url.clone(), body, attempts)));
    }
    print_over_sockets(&mut print, attempts, &mut courier, &mut bare);
}

fn print_over_sockets(
    print: &mut impl FnMut(String),
    attempts: usize,
    courier: &mut [Duration],
    bare: &mut [Duration],
) {
    // Side by side: what the machine does to one round it does to both halves of it.
    let mut ratios: Vec<_> = bare
        .iter()
        .zip(&*courier)
        .map(|(b, c)| b.div_duration_f64(*c))
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let (courier, bare) = (median(courier), median(bare));
    print(format!(
        "over sockets {:>8.3} s   {:>8.0} attempts/s   one after the other on one connection",
        courier.as_secs_f64(),
        per_second(attempts, courier),
    ));
    print(format!(
        "bare client  {:>8.3} s   {:>8.0} posts/s      the same bytes to the same receiver",
        bare.as_secs_f64(),
        per_second(attempts, bare),
    ));
    print(format!(
        "ratio        {:>8.2}     median of the rounds, {:.2} to {:.2}",
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
    ));
}

/// Runs as a request of the control API would: on one of the runtime's own threads.
fn run<T: Send + 'static>(
    runtime: &tokio::runtime::Runtime,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let done = runtime.spawn(work);
    runtime.block_on(done).expect("it does not panic")
}

/// What one move of the clock came to.
struct Round {
    took: Duration,
    deliveries: Vec<(Bytes, Delivery)>,
}

async fn round(deliveries: usize, url: String, transport: Arc<dyn Transport>) -> Round {
    // All are pending at once, and all that comes of them is looked at: nothing may be forgotten.
    let memory_limits = MemoryLimits {
        retention: RetentionLimits {
            bytes: 1 << 30,
            ..RetentionLimits::DEFAULT
        },
        total_bytes: 1 << 30,
        ..MemoryLimits::DEFAULT
    };
    let config = HostConfig {
        transport,
        memory_limits,
        freeze_at: Some(START),
        ..HostConfig::new(Clock::manual(START))
    };
    let account = format!(
        "[[account]]\nid = \"bench\"\nlive_wallet_inr = 0\n\
         webhook = {{ url = \"{url}\", secret = \"{SECRET}\" }}\n"
    );
    let accounts = read_accounts(&[Source::new("bench.toml", account)]).expect("good accounts");
    let rules = Rules::read(&Files::built_in(), Seed::new("bench")).expect("good files");
    let host = Host::new(rules, accounts, config).expect("no journal fails");
    for number in 0..deliveries {
        ask(&host, &number.to_string()).await;
    }
    let cell = host.account("bench").expect("no journal fails");
    let cell = cell.expect("it was just opened");
    let target = ClockTarget::By(SignedDuration::from_hours(7));
    let began = Instant::now();
    let moved = host.move_clock(&cell, target).await;
    let took = began.elapsed();
    moved.expect("a clock moves forward");
    let deliveries = cell.read(|account| {
        let verifications = &account.environment(Environment::Test).verifications;
        let deliveries = verifications.deliveries();
        deliveries
            .map(|(of, it)| (of.envelope(), it.clone()))
            .collect()
    });
    Round { took, deliveries }
}

/// A slow employment history: its result comes by webhook.
async fn ask(host: &Arc<Host>, reference: &str) {
    let call = Call {
        environment: Environment::Test,
        peer: IpAddr::from([127, 0, 0, 1]),
        method: "POST",
        path: "/v1/verify/employment/uan",
        query: "",
        headers: Headers {
            authorization: Header::One(b"Bearer svc_test_bench"),
            content_type: Header::One(b"application/json"),
            reference_id: Header::One(reference.as_bytes()),
            ..Headers::default()
        },
        body: Body::Whole(br#"{"uan":"100000000202"}"#),
    };
    assert_eq!(host.answer(&call).await.status, 202);
}

impl Round {
    /// Asserts that all deliveries are dead after just the attempts of the schedule, each signed.
    fn check(&self, deliveries: usize, postings: &[WebhookRequest]) {
        assert_eq!(self.deliveries.len(), deliveries);
        for (body, delivery) in &self.deliveries {
            assert_eq!(delivery.state(), DeliveryState::Dead);
            let due = delivery.attempts.iter().map(|attempt| attempt.due);
            let seconds = due.map(|due| due.duration_since(delivery.since).as_secs());
            assert!(seconds.eq(SCHEDULE_S), "{:?}", delivery.attempts);
            for attempt in &delivery.attempts {
                let sent = attempt.sent.as_ref().and_then(|sent| sent.signature);
                let signature = sent.expect("every attempt is signed");
                assert!(signature.verify(SECRET, body));
            }
        }
        for posting in postings {
            let header = posting
                .signature
                .as_deref()
                .expect("every posting is signed");
            let signature = svc_simulator::engine::state::signature::Signature::parse(header);
            let signature = signature.expect("as the contract says");
            assert!(signature.verify(SECRET, &posting.body));
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}
