//! A clock that is moved past attempts to a receiver that does not answer. Time is tokio's, which passes at
//! once while everybody waits.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::delivery::{AttemptOutcome, Delivery, DeliveryState};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::clock_move::{ClockMoveError, ClockTarget};
use svc_simulator::host::shares::ShareLimits;
use svc_simulator::host::transport::{Transport, WebhookRequest, WebhookResponse};
use svc_simulator::host::{AccountCell, Host, HostConfig};
use svc_simulator::scenario::read_accounts;
use tokio::time::Instant;

/// What a receiver may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// More than the courier makes at once.
const CALLS: usize = 16;

/// Past the last attempt.
const LONG: ClockTarget = ClockTarget::By(SignedDuration::from_hours(8));

const HOOKED: &str = r#"
[[account]]
id = "hooked"
live_wallet_inr = 0
webhook = { url = "http://127.0.0.1:9/", secret = "whsec_sample" }
"#;

/// A receiver that does not answer. It knows how many attempts were made at once at most.
#[derive(Default)]
struct Silent {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Transport for Silent {
    fn post(&self, _: WebhookRequest) -> BoxFuture<'_, WebhookResponse> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            tokio::time::sleep(TIMEOUT).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            WebhookResponse {
                answered: AttemptOutcome::Nothing("it is silent".to_owned()),
                excerpt: bytes::Bytes::new(),
            }
        })
    }
}

/// An account with results that come one second after the other.
async fn hooked(within: Duration) -> (Arc<Host>, Arc<AccountCell>, Arc<Silent>) {
    let receiver = Arc::new(Silent::default());
    let machine = Arc::new(AtomicI64::new(1_800_000_000_000));
    let config = HostConfig {
        transport: Arc::clone(&receiver) as Arc<dyn Transport>,
        shares: ShareLimits {
            clock_move_time: within,
            ..ShareLimits::DEFAULT
        },
        ..HostConfig::new(Clock::Manual(Arc::clone(&machine)))
    };
    let accounts = read_accounts(&[Source::new("accounts.toml", HOOKED)]).expect("an account");
    let rules = Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files");
    let host = Host::new(rules, accounts, config).expect("a host");
    for number in 0..CALLS {
        let body = format!(r#"{{"uan": "100000000202", "n": {number}}}"#);
        assert_eq!(status(&host, "/v1/verify/employment/uan", &body).await, 202);
        machine.fetch_add(1000, Ordering::SeqCst);
    }
    let cell = host.account("hooked").expect("no journal");
    (host, cell.expect("the account"), receiver)
}

async fn status(host: &Host, path: &str, body: &str) -> u16 {
    let call = Call {
        environment: Environment::Test,
        peer: IpAddr::from([127, 0, 0, 1]),
        method: "POST",
        path,
        query: "",
        headers: Headers {
            authorization: Header::One(b"Bearer svc_test_hooked"),
            content_type: Header::One(b"application/json"),
            ..Headers::default()
        },
        body: Body::Whole(body.as_bytes()),
    };
    host.answer(&call).await.status
}

fn deliveries(cell: &AccountCell) -> Vec<Delivery> {
    cell.read(|account| {
        let verifications = &account.environment(Environment::Test).verifications;
        let all = verifications.deliveries();
        all.map(|(_, delivery)| delivery.clone()).collect()
    })
}

/// Every delivery is dead after six attempts, each due when the schedule says.
fn assert_all_dead(cell: &AccountCell) {
    let all = deliveries(cell);
    assert_eq!(all.len(), CALLS);
    for delivery in all {
        assert_eq!(delivery.state(), DeliveryState::Dead);
        let since = |at: Timestamp| at.duration_since(delivery.since).as_secs();
        let due: Vec<_> = delivery.attempts.iter().map(|it| since(it.due)).collect();
        assert_eq!(due, [0, 30, 120, 600, 3600, 21_600]);
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_to_a_silent_receiver_are_made_several_at_once() {
    let (host, cell, receiver) = hooked(Duration::from_hours(1)).await;
    let began = Instant::now();
    let moved = host.move_clock(&cell, LONG).await.expect("it moves");
    assert_eq!(moved.now, cell.read(|it| it.clock.read(host.now())));
    assert_all_dead(&cell);
    assert_eq!(receiver.most.load(Ordering::SeqCst), 8);
    // One after the other they would take sixteen minutes.
    let rounds = u32::try_from(6 * CALLS / 8).unwrap();
    let took = began.elapsed();
    assert!(took < (rounds + 1) * TIMEOUT, "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_else_waits_while_a_receiver_is_silent() {
    let (host, cell, _) = hooked(Duration::from_hours(1)).await;
    let began = Instant::now();
    let meanwhile = async {
        tokio::time::sleep(Duration::from_secs(15)).await;
        let called = Instant::now();
        let pan = r#"{"pan": "AAAAA0000A"}"#;
        assert_eq!(status(&host, "/v1/verify/identity/pan", pan).await, 200);
        called.elapsed()
    };
    let (moved, waited) = tokio::join!(host.move_clock(&cell, LONG), meanwhile);
    assert!(moved.is_ok() && waited.is_zero(), "{waited:?}");
    assert!(began.elapsed() > Duration::from_secs(60));
}

#[tokio::test(start_paused = true)]
async fn a_move_that_takes_too_long_ends_where_it_came_to_and_goes_on_when_asked_again() {
    let within = Duration::from_secs(25);
    let (host, cell, _) = hooked(within).await;
    let mut shown = Timestamp::MIN;
    let began = Instant::now();
    let mut moves = 1;
    while let Err(error) = host.move_clock(&cell, LONG).await {
        assert!(began.elapsed() <= moves * (within + TIMEOUT));
        let ClockMoveError::TookTooLong { now } = error else {
            panic!("{error}");
        };
        assert!(now >= shown, "it never goes back");
        (shown, moves) = (now, moves + 1);
        assert!(moves < 50, "it comes to an end");
    }
    assert!(moves > 2, "it took {moves} moves");
    assert_all_dead(&cell);
}
