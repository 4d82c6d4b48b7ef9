//! The strong check from outside: what a simulator charged for a script is what the forecast of its call list says.

use serde_json::Value;
use svc_simulator::Simulator;
use svc_test_support::{Client, request};

use crate::{a_month, foretold};

/// Numbers that look like chance and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// What is called: results, no records, failures, refusals, bundles whole and in part, and pending ones.
const CALLS: [(&str, &str); 16] = [
    ("verify/identity/pan", r#"{"pan":"AAAAA0000A"}"#),
    ("verify/identity/pan", r#"{"pan":"AAAAA9999A"}"#),
    ("verify/identity/pan", r#"{"pan":"ZZZZZ0000Z"}"#),
    ("verify/identity/pan", r#"{"pan":"short"}"#),
    ("verify/identity/pan", r#"{"pan":"AAAAA0504A"}"#),
    ("verify/financial/ifsc", r#"{"ifsc":"TEST0000001"}"#),
    ("verify/financial/ifsc", r#"{"ifsc":"TEST0000422"}"#),
    ("screen/mobile-mnrl", r#"{"mobile":"9000000001"}"#),
    (
        "bundles/fraud-check",
        r#"{"mobile":"9000000001","email":"asha.rao@example.com","name":"ASHA RAO"}"#,
    ),
    (
        "bundles/fraud-check",
        r#"{"mobile":"9000000503","email":"asha.rao@example.com","name":"ASHA RAO"}"#,
    ),
    (
        "bundles/fraud-check",
        r#"{"mobile":"9000000422","email":"asha.rao@example.com","name":"ASHA RAO"}"#,
    ),
    (
        "bundles/professional-router",
        r#"{"body_type":"CMA","membershipNumber":"100001"}"#,
    ),
    (
        "bundles/professional-router",
        r#"{"body_type":"CA","membershipNumber":"100001"}"#,
    ),
    (
        "bundles/employment-claim-verification",
        r#"{"mobile":"9000000422"}"#,
    ),
    ("verify/employment/uan", r#"{"uan":"100000000202"}"#),
    ("verify/nothing", "{}"),
];

/// The bundle whose later steps find nothing to take: they are not run, and not billed.
const LEAVES_OUT: &str = "bundles.employment-claim-verification";

fn console(simulator: &Simulator) -> Client {
    Client::to(simulator.addresses().console)
}

fn get(simulator: &Simulator, path: &str) -> Value {
    let line = format!("GET {path} HTTP/1.1");
    console(simulator)
        .ask(request(&line, "Host: localhost\r\n", ""))
        .json()
}

/// Plays a script on an account, with keys that come again and a clock that moves; gives what it was charged, what
/// `usage` says and what the forecast does.
fn played(simulator: &Simulator, seed: u64) -> (String, String, String) {
    let mut dice = Dice(seed * 2_654_435_761 + 1);
    let name = format!("script{seed}");
    let account = simulator.account(&name);
    account.freeze_clock().expect("a clock");
    // Some wallets are too small for all of it.
    if seed.is_multiple_of(2) {
        let balance = i64::try_from(dice.below(40_000)).expect("small");
        account
            .set_balance(svc_fixtures::contract::Paise(balance))
            .expect("a balance");
    }
    let addresses = simulator.addresses();
    let topped_up = account.wallet().balance();
    for _ in 0..40 {
        let (path, body) = CALLS[usize::try_from(dice.below(16)).expect("small")];
        let (address, key) = match dice.below(5) {
            0 => (addresses.sandbox, account.test_key()),
            _ => (addresses.live, account.live_key()),
        };
        let again = match dice.below(3) {
            0 => format!("Idempotency-Key: k{}\r\n", dice.below(12)),
            _ => String::new(),
        };
        let headers = format!("Host: a\r\nAuthorization: Bearer {key}\r\n{again}");
        let line = format!("POST /v1/{path} HTTP/1.1");
        let answer = Client::to(address).ask(request(&line, &headers, body));
        assert!(answer.status != 500, "{answer:?}");
        let passed = std::time::Duration::from_secs(dice.below(3 * 60 * 60));
        simulator
            .block_on(account.advance(passed))
            .expect("a clock");
    }
    let calls = get(
        simulator,
        &format!("/control/calls?account={}&limit=1000", account.id()),
    );
    let usage = get(
        simulator,
        &format!("/control/accounts/{}/usage?environment=live", account.id()),
    );
    let forecast = foretold(&calls.to_string(), "", &a_month()).expect("a forecast");
    // Nothing else is left out: a path that is nowhere, and steps, whose price stands in their bundle's line.
    let known = [
        "no operation or bundle is called so",
        "it is a step of a bundle",
    ];
    for why in forecast.left_out.reasons.keys() {
        assert!(known.iter().any(|it| why.starts_with(it)), "{why}");
    }
    // The law says the same of calls that do not say what was charged, but for a bundle that left steps out.
    let mut silent = calls;
    for call in silent["calls"].as_array_mut().expect("a list") {
        if call["endpoint"] != LEAVES_OUT {
            call.as_object_mut().expect("a call").remove("charged");
        }
    }
    let by_law = foretold(&silent.to_string(), "", &a_month()).expect("a forecast");
    assert_eq!(by_law.total, forecast.total, "script {seed}");
    let charged = topped_up.0 - account.wallet().balance().0;
    let charged = svc_fixtures::contract::Paise(charged);
    (
        charged.to_string(),
        usage["totals"]["amount"].to_string(),
        forecast.total.amount.to_string(),
    )
}

#[test]
fn what_a_script_was_charged_is_what_its_calls_are_foretold_to_cost() {
    let simulator = Simulator::start_blocking();
    let mut all = Vec::new();
    for seed in 1..=12 {
        let (charged, usage, forecast) = played(&simulator, seed);
        let as_text = |amount: &str| amount.trim_end_matches(".0").to_owned();
        assert_eq!(as_text(&usage), charged, "script {seed}");
        assert_eq!(forecast, charged, "script {seed}");
        all.push(charged);
    }
    assert!(
        all.iter().filter(|charged| *charged != "0").count() > 6,
        "{all:?}"
    );
}
