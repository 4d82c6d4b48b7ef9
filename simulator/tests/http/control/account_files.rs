//! Accounts as files: what is written is read as it was, here or elsewhere, and goes on.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use svc_simulator::http::{PublicUrl, PublicUrls};

use super::{ASHA, LOCAL, LOCAL_JSON, PAN, Ruled, SLOW, UAN, raw, refused};

const HOOK: &str = r#"{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}"#;
const ADDED: &str = r#"
[[scenario]]
name = "every second one fails"
operation = "verify.identity.pan"
when = { pan = "BBBBB1111B" }
then = [ { success = {} }, { error = "SVC_SOURCE_TIMEOUT" } ]
"#;

/// One thing that is done to an account.
#[derive(Debug, Clone)]
enum Step {
    /// A call: on live or not, what of [`CALLS`], and whether with one of three idempotency keys.
    Call(bool, usize, Option<u8>),
    /// A request to the control API: one of [`CHANGES`].
    Change(usize),
}

/// Paths and bodies of calls.
const CALLS: [(&str, &str); 9] = [
    (PAN, ASHA),
    (PAN, r#"{"pan": "AAAAA9999A"}"#),
    (PAN, r#"{"pan": "BBBBB1111B"}"#),
    (PAN, r#"{"pan": 7}"#),
    (UAN, SLOW),
    (
        "/v1/verify/identity/mobile-otp/start",
        r#"{"mobile": "9000000001"}"#,
    ),
    (
        "/v1/verify/document/digilocker/start",
        r#"{"redirectUrl": "https://app.example/back", "requestedDocs": ["PAN"]}"#,
    ),
    (
        "/v1/bundles/fraud-check",
        r#"{"mobile": "9811122233", "email": "asha.rao@example.com", "name": "CLEAN PERSON"}"#,
    ),
    (
        "/v1/verify/financial/credit-report",
        r#"{"pan": "AAAAA0000A", "mobile": "9000000001", "name": "ASHA RAO", "dateOfBirth": "15/08/1990",
            "consentArtifact": {"timestamp": "2026-01-05T06:30:00Z", "ip": "203.0.113.1", "messageId": "msg-0001"}}"#,
    ),
];

/// Methods, what follows the account in the path, and bodies.
const CHANGES: [(&str, &str, &str); 9] = [
    ("POST", "/clock", r#"{"advance": "40s"}"#),
    ("POST", "/clock", r#"{"advance": "3h"}"#),
    ("PUT", "/webhook", HOOK),
    ("DELETE", "/webhook", ""),
    ("POST", "/wallet", r#"{"topUp": 12.50}"#),
    ("POST", "/keys/rotate", r#"{"environment": "test"}"#),
    (
        "PUT",
        "/rate-limit",
        r#"{"perSecond": 1000, "burst": 1000}"#,
    ),
    ("DELETE", "/rate-limit", ""),
    ("POST", "/clock", r#"{"freeze": true}"#),
];

/// Does it, and gives what was answered.
fn act(ruled: &Ruled, account: &str, step: &Step) -> (u16, String) {
    let answer = match step {
        Step::Call(live, call, key) => {
            let (path, body) = CALLS[*call];
            let (prefix, address) = match live {
                true => ("svc_live_", ruled.served.addresses.live),
                false => ("svc_test_", ruled.served.addresses.sandbox),
            };
            let key = key.map_or_else(String::new, |key| format!("Idempotency-Key: key-{key}\r\n"));
            let headers = format!(
                "Host: a\r\nAuthorization: Bearer {prefix}{account}\r\nContent-Type: application/json\r\n{key}"
            );
            raw(address, "POST", path, &headers, body)
        }
        Step::Change(change) => {
            let (method, rest, body) = CHANGES[*change];
            let headers = if body.is_empty() { LOCAL } else { LOCAL_JSON };
            ruled.raw(
                method,
                &format!("/control/accounts/{account}{rest}"),
                headers,
                body,
            )
        }
    };
    (answer.status, answer.body)
}

/// The account as a file, once all that is under way has ended.
fn export(ruled: &Ruled, account: &str) -> Value {
    let settled = ruled.post(
        &format!("/control/accounts/{account}/clock"),
        r#"{"advance": "1ms"}"#,
    );
    assert_eq!(settled.status, 200, "{settled:?}");
    let answer = ruled.get(&format!("/control/accounts/{account}/export"));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn import(ruled: &Ruled, id: &str, query: &str, file: &Value) -> crate::client::Answer {
    ruled.post(
        &format!("/control/accounts/{id}/import{query}"),
        &file.to_string(),
    )
}

fn step() -> impl Strategy<Value = Step> {
    let call = (any::<bool>(), 0..CALLS.len(), proptest::option::of(0..3_u8));
    let call = call.prop_map(|(live, call, key)| Step::Call(live, call, key));
    prop_oneof![3 => call, 1 => (0..CHANGES.len()).prop_map(Step::Change)]
}

#[test]
fn a_random_life_goes_on_elsewhere_as_it_would_have_here() {
    // Links say the same on both, whatever their ports.
    let url = |listener: &str| PublicUrl::parse(&format!("https://host.example/{listener}")).ok();
    let named = || {
        Ruled::with(|builder| {
            builder.public_urls(PublicUrls {
                console: None,
                sandbox: url("sandbox"),
                live: url("live"),
            })
        })
    };
    let (here, there) = (named(), named());
    let some = |most| proptest::collection::vec(step(), 1..most);
    let config = Config {
        cases: 24,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let lives = std::cell::Cell::new(0);
    let ran =
        TestRunner::new_with_rng(config, rng).run(&(some(25), some(12)), |(before, after)| {
            lives.set(lives.get() + 1);
            let account = format!("local_life{}", lives.get());
            let added = json!({ "account": account, "toml": ADDED }).to_string();
            prop_assert_eq!(here.post("/control/scenarios", &added).status, 201);
            for step in &before {
                act(&here, &account, step);
            }
            let file = export(&here, &account);
            let imported = import(&there, &account, "", &file);
            prop_assert_eq!(imported.status, 201, "{:?}", imported);
            prop_assert_eq!(export_now(&there, &account), file);
            for step in &after {
                let (here, there) = (act(&here, &account, step), act(&there, &account, step));
                prop_assert_eq!(here, there, "{:?}", step);
            }
            prop_assert_eq!(export(&here, &account), export(&there, &account));
            Ok(())
        });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

/// The account as a file at this instant.
fn export_now(ruled: &Ruled, account: &str) -> Value {
    let path = format!("/control/accounts/{account}/export");
    ruled.get(&path).json()
}

#[test]
fn what_was_pending_and_due_goes_on_and_replays_are_the_same_bytes() {
    let (here, there) = (Ruled::new(), Ruled::new());
    here.put("/control/accounts/local_a/webhook", HOOK);
    *here.receiver.lock() = 503;
    let keyed = |ruled: &Ruled| {
        let headers = "Host: a\r\nAuthorization: Bearer svc_live_local_a\r\nContent-Type: application/json\r\n\
                       Idempotency-Key: once\r\n";
        raw(ruled.served.addresses.live, "POST", PAN, headers, ASHA)
    };
    let first = keyed(&here);
    let waiting = here.call("svc_test_local_a", UAN, SLOW).json();
    let refused_once = here.call("svc_live_local_a", UAN, SLOW).json();
    here.post(
        "/control/accounts/local_a/clock",
        r#"{"freeze": true, "advance": "26s"}"#,
    );
    let file = export(&here, "local_a");
    assert_eq!(import(&there, "local_a", "", &file).status, 201);
    let again = keyed(&there);
    assert_eq!(again.header("idempotent-replay"), Some("true"));
    assert_eq!(again.body, first.body);
    for (key, call) in [
        ("svc_test_local_a", &waiting),
        ("svc_live_local_a", &refused_once),
    ] {
        let id = call["verificationId"].as_str().expect("an id");
        let address = match key.starts_with("svc_live") {
            true => there.served.addresses.live,
            false => there.served.addresses.sandbox,
        };
        let headers = format!("Host: a\r\nAuthorization: Bearer {key}\r\n");
        let found = raw(
            address,
            "GET",
            &format!("/v1/verifications/{id}"),
            &headers,
            "",
        );
        assert_eq!(found.json()["status"], "completed", "{found:?}");
    }
    // The first attempt was refused there; the second is made here, 30 seconds after the end.
    let moved = there.post("/control/accounts/local_a/clock", r#"{"advance": "40s"}"#);
    let happened = moved.json()["happened"].to_string();
    assert_eq!(
        happened.matches("deliveryAttempted").count(),
        2,
        "{happened}"
    );
    let deliveries = there.get("/control/deliveries?account=local_a").json();
    for delivery in deliveries["deliveries"].as_array().expect("a list") {
        assert_eq!(delivery["state"], "delivered", "{delivery}");
        assert_eq!(
            delivery["attempts"].as_array().map(Vec::len),
            Some(2),
            "{delivery}"
        );
    }
}

#[test]
fn a_name_that_is_taken_is_refused_unless_it_is_to_be_replaced() {
    let ruled = Ruled::new();
    ruled.call("svc_live_local_a", PAN, ASHA);
    let file = export(&ruled, "local_a");
    ruled.call("svc_live_local_a", PAN, ASHA);
    let refusal = import(&ruled, "local_a", "", &file);
    assert_eq!(refused(&refusal), "409 ACCOUNT_EXISTS", "{refusal:?}");
    assert_ne!(export_now(&ruled, "local_a"), file);
    assert_eq!(
        import(&ruled, "local_a", "?replace=true", &file).status,
        201
    );
    assert_eq!(export_now(&ruled, "local_a"), file);
    // Under another name it is a copy with keys of its own.
    assert_eq!(import(&ruled, "second", "", &file).status, 201);
    let second = export_now(&ruled, "second");
    assert_eq!(
        second["account"]["live"]["wallet"],
        file["account"]["live"]["wallet"]
    );
    assert_eq!(second["account"]["keys"][0]["text"], "svc_test_second");
    assert_eq!(ruled.call("svc_live_second", PAN, ASHA).status, 200);
    // A key that another account has by now is nobody else's.
    let rotate = r#"{"environment": "test"}"#;
    ruled.post("/control/accounts/second/keys/rotate", rotate);
    let rotated = export_now(&ruled, "second");
    assert_eq!(ruled.delete("/control/accounts/second").status, 204);
    let taken = r#"{"id": "second.2"}"#;
    assert_eq!(ruled.post("/control/accounts", taken).status, 201);
    let refusal = import(&ruled, "second", "?replace=true", &rotated);
    assert_eq!(refused(&refusal), "409 ACCOUNT_EXISTS", "{refusal:?}");
}

#[test]
fn what_is_no_account_is_refused_with_its_place_and_nothing_is_made() {
    let ruled = Ruled::new();
    ruled.put("/control/accounts/local_a/webhook", HOOK);
    let file = export(&ruled, "local_a");
    ruled.delete("/control/accounts/local_a");
    type Change = fn(&mut Value);
    let changes: [(Change, &str, &str); 7] = [
        (
            |it| it["format"] = json!(99),
            "400 NEWER_FORMAT",
            "in format 99; this is ",
        ),
        (
            |it| it["product"] = json!(""),
            "400 INVALID_INPUT",
            "this is no account of svc-simulator",
        ),
        (
            |it| it["account"]["live"]["walet"] = json!({}),
            "400 INVALID_INPUT",
            "account.live.walet: there is no such member here",
        ),
        (
            |it| it["account"]["clock"] = json!(7),
            "400 INVALID_INPUT",
            "account.clock: ",
        ),
        (
            |it| it["account"]["live"]["wallet"]["charged"] = json!(1),
            "400 INVALID_INPUT",
            "account.live.wallet: does not add up",
        ),
        (
            |it| it["account"]["test"]["webhook"]["url"] = json!("http://203.0.113.9/hook"),
            "400 TARGET_REFUSED",
            "--webhook-target",
        ),
        (
            |it| {
                let toml = "[[scenario]]\nname = 7\n";
                it["scenarios"] = json!({"added": 1, "files": [{"path": "added-1/scenarios.toml", "toml": toml}]});
            },
            "400 SCENARIO_MISTAKES",
            "added-1/scenarios.toml:2",
        ),
    ];
    for (change, code, said) in changes {
        let mut wrong = file.clone();
        change(&mut wrong);
        let refusal = import(&ruled, "local_a", "", &wrong);
        assert_eq!(refused(&refusal), code, "{refusal:?}");
        assert!(refusal.body.contains(said), "{said} is not in {refusal:?}");
        assert_eq!(ruled.get("/control/accounts/local_a").status, 404);
    }
}

#[test]
fn without_secrets_no_receiver_is_in_the_file() {
    let ruled = Ruled::new();
    ruled.put("/control/accounts/local_a/webhook", HOOK);
    let with = ruled.get("/control/accounts/local_a/export").body;
    assert!(with.contains("whsec_sample") && with.contains("svc_live_local_a"));
    let without = ruled.get("/control/accounts/local_a/export?withoutSecrets=true");
    assert!(!without.body.contains("whsec_sample"), "{without:?}");
    assert_eq!(import(&ruled, "other", "", &without.json()).status, 201);
    let read = ruled.get("/control/accounts/nobody/export");
    assert_eq!(refused(&read), "404 ACCOUNT_NOT_FOUND");
}

#[test]
fn a_file_longer_than_other_bodies_is_taken() {
    let ruled = Ruled::new();
    let long = "x".repeat(8000);
    for number in 0..200 {
        let body = format!(r#"{{"pan": "AAAAA0000A", "name": "Asha Rao", "x": "{number}{long}"}}"#);
        ruled.call("svc_test_local_a", PAN, &body);
    }
    let file = export(&ruled, "local_a");
    assert!(file.to_string().len() > 1 << 20);
    assert_eq!(
        import(&ruled, "local_a", "?replace=true", &file).status,
        201
    );
    assert_eq!(export_now(&ruled, "local_a"), file);
}
