//! Mixes: what somebody says will be called.

use svc_simulator::forecast::ForecastSettings;

use crate::{mix, rupees, settings};

/// Calls of one rupee each.
const RUPEES: &str = "[[calls]]\nendpoint = \"verify.identity.mobile-otp.start\"\nper_month = 30\n";

fn with(more: &str) -> String {
    mix(&format!("{RUPEES}{more}"), &settings())
}

fn first(told: &str) -> &str {
    told.lines().nth(1).expect("a row")
}

fn wallet(mixed: &str, balance: i64) -> String {
    let settings = ForecastSettings {
        wallet: rupees(balance),
        ..settings()
    };
    let told = mix(mixed, &settings);
    let line = told
        .lines()
        .find(|line| line.contains("INR run dry") || line.contains("INR last"));
    line.expect("a line of the wallet").to_owned()
}

#[test]
fn a_mix_says_rupees_percentiles_and_what_would_be_saved() {
    let text = r#"
[[calls]]
endpoint = "verify.identity.pan"
per_day = 1200
no_record = 0.04
failed = 0.02
retries = 0.03
asked_again = 0.3

[[calls]]
endpoint = "/v1/bundles/fraud-check"
per_month = 900
retries = 0.05
idempotency_keys = true

[[flow]]
name = "Sign-up"
per_day = 10
no_record = 0.1
steps = [
    "verify.identity.mobile-otp.start",
    { endpoint = "verify.identity.mobile-otp.verify", share = 0.9, refused = 0.1, no_record = 0 },
    { endpoint = "verify.identity.dl", share = 0.8 },
]
"#;
    insta::assert_snapshot!(mix(text, &settings()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.pan | 37080 | 36338 | 1483 | 742 | 90846 | 250 | 250 | documented
    bundles.fraud-check | 945 | 900 | 0 | 45 | 18000 | 5000 | 5000 | documented
    verify.identity.dl | 240 | 240 | 24 | 0 | 18000 | 9000 | 14400 | documented
    verify.identity.mobile-otp.start | 300 | 300 | 30 | 0 | 300 | 500 | 500 | documented
    verify.identity.mobile-otp.verify | 270 | 243 | 0 | 27 | 243 | 500 | 500 | documented
    total | 38835 | 38021 | 1537 | 814 | 127389
    calls | why
    742 | failed at the source or the service, never billed
    27 | refused before anything was executed
    45 | answered again under an idempotency key
    flow | runs | p50 ms | p95 ms | times | note
    Sign-up | 300 | 8450 | 15200 | documented
    - verify.identity.mobile-otp.start |  | 500 | 500 | documented
    - verify.identity.mobile-otp.verify |  | 500 | 500 | documented
    - verify.identity.dl |  | 9000 | 14400 | documented
    bundles.fraud-check | 900 | 5000 | 5000 | documented | its steps run at once
    - screen.mobile-silent |  | 5000 | 5000 | documented
    - screen.email-fraud |  | 3000 | 3000 | documented
    - screen.mobile-mnrl |  | 1200 | 1200 | documented
    - screen.negative-diligence |  | 5000 | 5000 | documented
    by | calls | INR
    an idempotency key on every repetition | 1058 | 2646
    remembering that there is no record | 445 | 1112.4
    both | 1490 | 3726
    ");
}

#[test]
fn what_is_conclusive_on_live_is_charged_and_nothing_else() {
    let line = |more: &str| {
        first(&with(more))
            .split(" | ")
            .take(6)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line(""), "verify.identity.mobile-otp.start 30 30 0 0 30");
    assert_eq!(
        line("no_record = 0.5"),
        "verify.identity.mobile-otp.start 30 30 15 0 30"
    );
    assert_eq!(
        line("failed = 0.5"),
        "verify.identity.mobile-otp.start 30 15 0 15 15"
    );
    assert_eq!(
        line("refused = 0.5"),
        "verify.identity.mobile-otp.start 30 15 0 15 15"
    );
    assert_eq!(
        line("environment = \"sandbox\""),
        "verify.identity.mobile-otp.start (sandbox) 30 0 0 30 0"
    );
    assert_eq!(
        line("retries = 0.5"),
        "verify.identity.mobile-otp.start 45 45 0 0 45"
    );
    assert_eq!(
        line("retries = 0.5\nidempotency_keys = true"),
        "verify.identity.mobile-otp.start 45 30 0 15 30"
    );
}

#[test]
fn a_repetition_of_a_call_without_a_record_is_saved_once() {
    let saved = with("no_record = 0.5\nasked_again = 0.4\nretries = 0.5");
    let saved: Vec<&str> = saved
        .lines()
        .skip_while(|line| !line.starts_with("by |"))
        .take(4)
        .collect();
    insta::assert_snapshot!(saved.join("\n"), @"
    by | calls | INR
    an idempotency key on every repetition | 15 | 15
    remembering that there is no record | 9 | 9
    both | 21 | 21
    ");
}

#[test]
fn a_wallet_runs_dry_on_the_last_day_on_the_next_or_never() {
    // The thirtieth call of a rupee comes at the end of the thirtieth day.
    assert_eq!(
        wallet(RUPEES, 28),
        "28 INR run dry on day 30: call 29 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left"
    );
    assert_eq!(
        wallet(RUPEES, 29),
        "29 INR run dry on day 31: call 30 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left"
    );
    let failing = format!("{RUPEES}failed = 1");
    assert_eq!(wallet(&failing, 1), "1 INR last: no call finds too little");
    assert_eq!(
        wallet(&failing, 0),
        "0 INR run dry on day 2: call 1 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left"
    );
    let sandbox = format!("{RUPEES}environment = \"test\"");
    assert_eq!(wallet(&sandbox, 0), "0 INR last: no call finds too little");
}

#[test]
fn growth_brings_the_day_nearer_and_a_month_is_as_long_as_is_said() {
    let steady = wallet(RUPEES, 100);
    let growing = wallet(&format!("growth = 1\n{RUPEES}"), 100);
    let shrinking = wallet(&format!("growth = -0.5\n{RUPEES}"), 100);
    let short = wallet(&format!("days = 15\nfrom = \"2028-02-28\"\n{RUPEES}"), 100);
    insta::assert_snapshot!([steady, growing, shrinking, short].join("\n"), @"
    100 INR run dry on day 102: call 101 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left
    100 INR run dry on day 63: call 101 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left
    100 INR last: no call finds too little
    100 INR run dry on 2028-04-18 at 12:00 UTC (day 51): call 101 is refused, verify.identity.mobile-otp.start for 1 INR where 0 INR are left
    ");
}

#[test]
fn a_pending_result_is_waited_for_and_a_person_is_not() {
    let text = r#"
[[calls]]
endpoint = "verify.employment.uan"
per_month = 100
pending = 0.3

[[calls]]
endpoint = "verify.document.digilocker"
per_month = 10
"#;
    let told = mix(text, &settings());
    let flows: Vec<&str> = told
        .lines()
        .skip_while(|line| !line.starts_with("flow |"))
        .collect();
    insta::assert_snapshot!(flows.join("\n"), @"
    flow | runs | p50 ms | p95 ms | times | note
    verify.employment.uan until its result | 100 | 15700 | 45000 | documented | the wait for the result is the simulator's: the specification gives none
    - verify.employment.uan |  | 15700 | 20000 | documented
    - the result, where it comes later |  | 25000 | 25000 | documented
    verify.document.digilocker until its result | 10 | 500 | 500 | documented | the time a person takes is not in it
    - verify.document.digilocker |  | 500 | 500 | documented
    ");
}

#[test]
fn every_mistake_is_told_with_its_line() {
    let text = r#"wallet = -1
from = "tomorrow"
days = 0
growth = 11

[[calls]]
endpoint = "verify.identity.pann"
per_day = 1
no_record = 0.7
failed = 0.4

[[calls]]
endpoint = "verify.identity.pan"
per_day = 1
per_month = 2
no_record = 0.00001
faild = 0.1
environment = "prod"

[[flow]]
name = "Nothing"
per_day = -1
"#;
    insta::assert_snapshot!(mix(text, &settings()), @r#"
    error: a wallet holds rupees, 0 or more, with at most two decimals
     --> mix.toml:1:10
      |
    1 | wallet = -1
      |          ^^

    error: a day or an instant, such as "2026-12-01" or "2026-12-01T09:00:00Z"
     --> mix.toml:2:8
      |
    2 | from = "tomorrow"
      |        ^^^^^^^^^^

    error: a month has 1 to 366 days
     --> mix.toml:3:8
      |
    3 | days = 0
      |        ^

    error: a growth from one month to the next: 0.05 for five of a hundred, over -1 and at most 10, with at most four decimals
     --> mix.toml:4:10
      |
    4 | growth = 11
      |          ^^

    error: `no_record`, `failed` and `refused` are shares of all calls: together at most 1
     --> mix.toml:6:1
      |
    6 | [[calls]]
      | ^^^^^^^^^

    error: there is no operation or bundle `verify.identity.pann`
     --> mix.toml:7:12
      |
    7 | endpoint = "verify.identity.pann"
      |            ^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `verify.identity.pan`?

    error: write `per_day` or `per_month`, not both
      --> mix.toml:15:13
       |
    15 | per_month = 2
       |             ^

    error: a share from 0 to 1 with at most four decimals, such as 0.04
      --> mix.toml:16:13
       |
    16 | no_record = 0.00001
       |             ^^^^^^^

    error: `faild` is not known here
      --> mix.toml:17:1
       |
    17 | faild = 0.1
       | ^^^^^
       |
       = help: did you mean `failed`?

    error: environment `prod` is not known
      --> mix.toml:18:15
       |
    18 | environment = "prod"
       |               ^^^^^^
       |
       = help: known here: live, sandbox, test

    error: `steps` says what is called, one after the other
      --> mix.toml:20:1
       |
    20 | [[flow]]
       | ^^^^^^^^

    error: a number from 0 to 100000000, with at most four decimals
      --> mix.toml:22:11
       |
    22 | per_day = -1
       |           ^^

    12 mistakes found
    "#);
    insta::assert_snapshot!(mix("days = 30\n", &settings()), @"
    error: nothing is called: write a [[calls]] or a [[flow]]
     --> mix.toml:1:1
      |
    1 | days = 30
      | ^

    1 mistake found
    ");
}

#[test]
fn the_largest_numbers_that_are_read_are_reckoned() {
    let text = r#"
growth = 10
days = 366
wallet = 100000000000

[[calls]]
endpoint = "verify.identity.dl"
per_day = 99999999.9999
no_record = 0.3333
failed = 0.3333
refused = 0.3333
retries = 0.9999
asked_again = 0.7777
pending = 0.1111

[[flow]]
name = "All"
per_day = 99999999.9999
retries = 0.9999
steps = [
    { endpoint = "verify.identity.dl", share = 0.9999, no_record = 0.3331, asked_again = 0.3333 },
    { endpoint = "bundles.full-business-verification", share = 0.0001, failed = 0.7777 },
    "verify.employment.uan", "verify.employment.uan", "verify.employment.uan", "verify.employment.uan",
    "verify.employment.uan", "verify.employment.uan", "verify.employment.uan", "verify.employment.uan",
]
"#;
    let told = mix(text, &settings());
    let total = told.lines().find(|line| line.starts_with("total"));
    let dry = told.lines().find(|line| line.contains("run dry"));
    insta::assert_snapshot!([total, dry].map(Option::unwrap_or_default).join("\n"), @"
    total | 731963399999 | 683165027276 | 48775602806 | 48798372723 | 30742556425407.75
    100000000000 INR run dry on day 2: call 2301588235 is refused, verify.identity.dl for 75 INR where 0 INR are left
    ");
}
