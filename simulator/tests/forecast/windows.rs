//! What lies close together in traffic: repetitions, what a cache would know, flows, and the wallet's last call.

use svc_capture::{
    Capabilities, Capture, CapturedCase, Channel, Credential, Exchange, Request, Response,
};
use svc_fixtures::contract::Environment;
use svc_simulator::forecast::ForecastSettings;

use crate::{a_month, foretold, rupees, traffic};

/// A charged call about a PAN, at a time of the first day, or of the second where it is 24 or later.
fn pan(at: &str, pan: &str, outcome: &str, key: &str) -> String {
    let (hour, rest) = at.split_once(':').expect("a time");
    let hour: u32 = hour.parse().expect("an hour");
    let at = format!("2026-11-{:02}T{:02}:{rest}Z", 1 + hour / 24, hour % 24);
    let key = match key {
        "" => String::new(),
        key => format!(",\"idempotencyKey\":\"{key}\""),
    };
    format!(
        "{{\"path\":\"/v1/verify/identity/pan\",\"at\":\"{at}\",\"environment\":\"live\",{outcome}{key},\"body\":{{\"pan\":\"{pan}\"}}}}"
    )
}

const COMPLETED: &str = r#""status":"completed""#;
const NO_RECORD: &str = r#""code":"SVC_NO_RECORD_FOUND""#;
const FAILED: &str = r#""code":"SVC_SOURCE_TIMEOUT""#;

/// Calls that keys, a cache and both would have saved.
fn saved(lines: &[String]) -> (i64, i64, i64) {
    let forecast = foretold(&lines.join("\n"), "", &a_month()).expect("a forecast");
    let saved = forecast.savings;
    (
        saved.idempotency_keys.calls,
        saved.no_record_cache.calls,
        saved.both.calls,
    )
}

#[test]
fn the_same_input_charged_again_soon_and_without_its_key_is_a_repetition() {
    let first = pan("10:00:00", "A", COMPLETED, "");
    let then = |second: String| saved(&[first.clone(), second]);
    assert_eq!(then(pan("10:05:00", "A", COMPLETED, "")), (1, 0, 1));
    assert_eq!(then(pan("10:05:01", "A", COMPLETED, "")), (0, 0, 0));
    assert_eq!(then(pan("10:05:00", "B", COMPLETED, "")), (0, 0, 0));
    assert_eq!(then(pan("10:05:00", "A", FAILED, "")), (0, 0, 0));
    let keyed = |key: &str| {
        saved(&[
            pan("10:00:00", "A", COMPLETED, "k"),
            pan("10:00:01", "A", COMPLETED, key),
        ])
    };
    assert_eq!(keyed("k"), (0, 0, 0));
    assert_eq!(keyed("l"), (1, 0, 1));
    // What was not charged was not paid twice.
    let after_failure = [
        pan("10:00:00", "A", FAILED, ""),
        pan("10:00:01", "A", COMPLETED, ""),
    ];
    assert_eq!(saved(&after_failure), (0, 0, 0));
}

#[test]
fn an_input_without_a_record_asked_again_within_a_day_is_known() {
    let first = pan("10:00:00", "A", NO_RECORD, "");
    let then = |second: String| saved(&[first.clone(), second]);
    assert_eq!(then(pan("34:00:00", "A", NO_RECORD, "")), (0, 1, 1));
    assert_eq!(then(pan("34:00:01", "A", NO_RECORD, "")), (0, 0, 0));
    assert_eq!(then(pan("11:00:00", "B", NO_RECORD, "")), (0, 0, 0));
    assert_eq!(then(pan("10:00:01", "A", NO_RECORD, "")), (1, 1, 1));
    // A cache that is full is not filled again by what it answers itself.
    let thrice = [
        first.clone(),
        pan("33:00:00", "A", NO_RECORD, ""),
        pan("35:00:00", "A", NO_RECORD, ""),
    ];
    assert_eq!(saved(&thrice), (0, 1, 1));
    let found = [first, pan("11:00:00", "A", COMPLETED, "")];
    let told = traffic(&found.join("\n"), &a_month());
    let note = told
        .lines()
        .find(|line| line.contains("which a cache would not have seen"));
    assert_eq!(
        note,
        Some(
            "Calls about an input without a record that had another outcome within that time, which a cache would not have seen: 1."
        )
    );
}

#[test]
fn a_wallet_runs_dry_at_the_first_call_that_it_does_not_cover() {
    let dry = |lines: &[String], wallet: i64| {
        let settings = ForecastSettings {
            wallet: rupees(wallet),
            from: Some("2026-12-01T00:00:00Z".parse().expect("an instant")),
            ..a_month()
        };
        let forecast = foretold(&lines.join("\n"), "", &settings).expect("a forecast");
        forecast.wallet.expect("a wallet").words
    };
    // Two calls of 2.5 a month, ten hours apart.
    let lines = [
        pan("00:00:00", "A", COMPLETED, ""),
        pan("10:00:00", "B", COMPLETED, ""),
    ];
    let told = [
        dry(&lines, 0),
        dry(&lines, 3),
        dry(&lines, 5),
        dry(&lines, 1000),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    0 INR run dry on 2026-12-01 at 00:00 UTC (day 1): call 1 is refused, verify.identity.pan for 2.5 INR where 0 INR are left
    3 INR run dry on 2026-12-01 at 10:00 UTC (day 1): call 2 is refused, verify.identity.pan for 2.5 INR where 0.5 INR are left
    5 INR run dry on 2026-12-31 at 00:00 UTC (day 31): call 3 is refused, verify.identity.pan for 2.5 INR where 0 INR are left
    1000 INR run dry on 2043-05-06 at 00:00 UTC (day 6001): call 401 is refused, verify.identity.pan for 2.5 INR where 0 INR are left
    ");
    // A call that fails needs the price all the same, and is never charged.
    let failing = [pan("00:00:00", "A", FAILED, "")];
    assert_eq!(dry(&failing, 3), "3 INR last: no call finds too little");
    assert!(
        dry(&failing, 2)
            .starts_with("2 INR run dry on 2026-12-01 at 00:00 UTC (day 1): call 1 is refused")
    );
}

fn exchange(
    channel: Channel,
    path: &str,
    body: &str,
    answer: &str,
    took_ms: u64,
    at_s: i64,
) -> Exchange {
    Exchange {
        request: Request {
            channel,
            environment: Environment::Live,
            method: "POST".to_owned(),
            path: path.to_owned(),
            query: String::new(),
            authorization: None,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
            padded_to: None,
        },
        credential: Credential::Own,
        at_s: Some(at_s),
        response: Ok(Response {
            status: 200,
            headers: Vec::new(),
            body: answer.as_bytes().to_vec(),
        }),
        took_ms,
        result: None,
    }
}

fn envelope(id: &str, endpoint: &str, status: &str, data: &str, charged: &str) -> String {
    format!(
        "{{\"success\":true,\"verificationId\":\"{id}\",\"endpoint\":\"{endpoint}\",\"status\":\"{status}\",\"data\":{data},\
         \"billing\":{{\"charged\":{},\"amount\":{charged},\"currency\":\"INR\"}},\"meta\":{{\"environment\":\"live\",\"latencyMs\":1}}}}",
        charged != "0"
    )
}

fn capture(exchanges: Vec<Exchange>) -> String {
    let mut case = CapturedCase::new("traffic", "day");
    case.exchanges = exchanges;
    let capture = Capture {
        seed: "day".to_owned(),
        environments: vec![Environment::Live],
        profile: svc_capture::profile::Profile::Provider,
        prices: svc_capture::prices::PriceList::default(),
        http: true,
        capabilities: Capabilities::default(),
        local: false,
        cases: vec![case],
    };
    capture.to_json().expect("JSON")
}

#[test]
fn the_runs_of_a_flow_are_told_apart_by_what_they_carry_and_take_what_was_measured() {
    let run = |number: i64, took: [u64; 3]| {
        let id = |step: &str| format!("svcv_{number}{step}");
        let carried = format!("{{\"request_id\":\"r{number}\",\"otp\":\"000000\"}}");
        let step = |name: &str, body: &str, data: &str, took_ms, at| {
            let endpoint = format!("verify.identity.mobile-otp.{name}");
            let answer = envelope(&id(name), &endpoint, "completed", data, "1");
            let path = format!("/v1/verify/identity/mobile-otp/{name}");
            exchange(
                Channel::Api,
                &path,
                body,
                &answer,
                took_ms,
                number * 100 + at,
            )
        };
        let issued = format!("{{\"request_id\":\"r{number}\"}}");
        [
            step("start", "{\"mobile\":\"9000000001\"}", &issued, took[0], 0),
            step("verify", &carried, "{\"otp_validated\":true}", took[1], 1),
            step("fetch", &carried, "{}", took[2], 2),
        ]
    };
    // The slowest steps are not those of one run: the sum of percentiles would be 300.
    let mut all = [
        run(1, [100, 10, 10]),
        run(2, [10, 100, 10]),
        run(3, [10, 10, 100]),
    ]
    .concat();
    // One that nobody ended is no run.
    all.push(run(4, [500, 500, 500])[0].clone());
    insta::assert_snapshot!(traffic(&capture(all), &a_month()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.mobile-otp.start | 4 | 4 | 0 | 0 | 4 | 10 | 500 | measured: 4
    verify.identity.mobile-otp.verify | 3 | 3 | 0 | 0 | 3 | 10 | 100 | measured: 3
    verify.identity.mobile-otp.fetch | 3 | 3 | 0 | 0 | 3 | 10 | 100 | measured: 3
    total | 10 | 10 | 0 | 0 | 10
    flow | runs | p50 ms | p95 ms | times | note
    flows.mobile-otp | 3 | 120 | 120 | measured: 3 | measured as a whole, without what lies between its calls; the time a person takes is not in it
    - verify.identity.mobile-otp.start |  | 10 | 500 | measured: 4
    - verify.identity.mobile-otp.verify |  | 10 | 100 | measured: 3
    - verify.identity.mobile-otp.fetch |  | 10 | 100 | measured: 3
    by | calls | INR
    an idempotency key on every repetition | 3 | 3
    remembering that there is no record | 0 | 0
    both | 3 | 3
    Calls: 10, which stand for 30 d as stated; a month is 1 times that.
    ");
}

#[test]
fn a_webhook_brings_the_charge_and_the_time_of_what_was_pending() {
    let endpoint = "verify.employment.uan";
    let pending = envelope(
        "svcv_1",
        endpoint,
        "pending",
        "{\"uan\":\"100000000202\"}",
        "0",
    );
    let result = envelope("svcv_1", endpoint, "completed", "{}", "40");
    let call = exchange(
        Channel::Api,
        "/v1/verify/employment/uan",
        "{\"uan\":\"100000000202\"}",
        &pending,
        20_000,
        1000,
    );
    let webhook = exchange(Channel::Webhook, "/hook", &result, "", 5, 1600);
    insta::assert_snapshot!(traffic(&capture(vec![call.clone(), webhook]), &a_month()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.employment.uan | 1 | 1 | 0 | 0 | 40 | 20000 | 20000 | measured: 1
    total | 1 | 1 | 0 | 0 | 40
    flow | runs | p50 ms | p95 ms | times | note
    verify.employment.uan until its result | 1 | 620000 | 620000 | measured: 1 | with results that came later, as measured
    - verify.employment.uan |  | 20000 | 20000 | measured: 1
    - the result, where it comes later |  | 600000 | 600000 | measured: 1
    Calls: 1, which stand for 30 d as stated; a month is 1 times that.
    ");
    insta::assert_snapshot!(traffic(&capture(vec![call]), &a_month()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.employment.uan | 1 | 0 | 0 | 1 | 0 | 20000 | 20000 | measured: 1
    total | 1 | 0 | 0 | 1 | 0
    calls | why
    1 | still pending: billed if the result is conclusive
    flow | runs | p50 ms | p95 ms | times | note
    verify.employment.uan until its result | 1 | 45000 | 45000 | partly measured | the wait for the result is the simulator's: the specification gives none
    - verify.employment.uan |  | 20000 | 20000 | measured: 1
    - the result, where it comes later |  | 25000 | 25000 | documented
    Calls: 1, which stand for 30 d as stated; a month is 1 times that.
    ");
}

#[test]
fn the_sandbox_takes_its_own_time() {
    let line = |environment: &str, took: u64| {
        pan("10:00:00", "A", COMPLETED, "")
            .replace("\"live\"", &format!("\"{environment}\",\"tookMs\":{took}"))
    };
    let lines = [
        line("live", 300),
        line("test", 2),
        line("live", 310),
        line("test", 3),
    ];
    let told = traffic(&lines.join("\n"), &a_month());
    let rows: Vec<&str> = told.lines().skip(1).take(2).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    verify.identity.pan | 2 | 2 | 0 | 0 | 5 | 300 | 310 | measured: 2
    verify.identity.pan (sandbox) | 2 | 0 | 0 | 2 | 0 | 2 | 3 | measured: 2
    ");
}
