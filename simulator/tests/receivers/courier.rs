//! A real simulator in process: a call with a pending result, whose envelope the courier signs and
//! posts over HTTP.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::delivery::{AttemptOutcome, DeliveryState};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::clock_move::ClockTarget;
use svc_simulator::host::transport::{HttpTransport, TargetPolicy, TransportLimits};
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::scenario::read_accounts;
use tokio::runtime::Runtime;

/// Its result comes 25 seconds later by the account's clock.
const SLOW: &str = r#"{"uan": "100000000202"}"#;

/// Long after the last attempt.
const HALF_A_DAY: SignedDuration = SignedDuration::from_hours(12);

/// Makes the slow call of an account with this webhook and lets half a day of the account's time
/// pass. Gives back the verification and the statuses of the attempts.
pub(crate) fn delivered_to(url: &str, secret: &str) -> (String, Vec<AttemptOutcome>) {
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let accounts = format!(
            "[[account]]\nid = \"hooked\"\nlive_wallet_inr = 0\nwebhook = {{ url = \"{url}\", secret = \"{secret}\" }}\n"
        );
        let accounts =
            read_accounts(&[Source::new("accounts.toml", accounts)]).expect("an account");
        let rules = Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files");
        let limits = TransportLimits::within(Duration::from_secs(10));
        let transport = HttpTransport::new(limits, TargetPolicy::loopback_only()).expect("a client");
        let config = HostConfig {
            // The account's time stands in another year; signatures say the machine's.
            freeze_at: Some(Timestamp::constant(1_900_000_000, 0)),
            transport: Arc::new(transport),
            ..HostConfig::new(Clock::machine())
        };
        let host = Host::new(rules, accounts, config).expect("a host");
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
        let moved = host.move_clock(&cell, ClockTarget::By(HALF_A_DAY)).await;
        moved.expect("a clock that moves forward");
        let attempts = cell.read(|account| {
            let verifications = &account.environment(Environment::Test).verifications;
            let (_, delivery) = verifications.deliveries().next().expect("a delivery");
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
