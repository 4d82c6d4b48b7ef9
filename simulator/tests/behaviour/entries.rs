//! The JSON form of entries: every kind of change is written, shown and read back.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::Value;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::access::RateLimit;
use svc_simulator::engine::state::entry::{Change, Entry};
use svc_simulator::engine::state::form::EntryError;
use svc_simulator::engine::state::manage;
use svc_simulator::scenario::WebhookConfig;

use crate::audit;
use crate::scene::{Scene, UAN};

const TEST: Environment = Environment::Test;
const LIVE: Environment = Environment::Live;
const TWICE: &str = r#"{"pan": "AAAAA1111A"}"#;
const BANK: &str =
    r#"{"accountNumber": "100000000001", "ifsc": "TEST0000001", "name": "ASHA RAO"}"#;
const SLOW: &str = r#"{"uan": "100000000202"}"#;
const RULES: &str = r#"
    [[scenario]]
    name = "takes its time, twice"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = [ { success = {}, delay = "5s" }, { error = "SVC_PROVIDER_ERROR" } ]
"#;

/// What a change is called in its JSON form. Without an arm for others: a new kind must be shown, too.
fn name(change: &Change) -> &'static str {
    match change {
        Change::Opened(_) => "opened",
        Change::Forked(_) => "forked",
        Change::Reset => "reset",
        Change::RateLimitConsumed { .. } => "rateLimitConsumed",
        Change::CallCounted { .. } => "callCounted",
        Change::SequenceAdvanced { .. } => "sequenceAdvanced",
        Change::HoldOpened { .. } => "holdOpened",
        Change::HoldSettled { .. } => "holdSettled",
        Change::Recorded(_) => "recorded",
        Change::FlowAdvanced(_) => "flowAdvanced",
        Change::Attempted { .. } => "attempted",
        Change::Accessed(_) => "accessed",
        Change::RedeliveryRequested { .. } => "redeliveryRequested",
        Change::ToppedUp { .. } => "toppedUp",
        Change::KeyAdded { .. } => "keyAdded",
        Change::KeyChanged { .. } => "keyChanged",
        Change::AllowlistSet { .. } => "allowlistSet",
        Change::RateLimitSet { .. } => "rateLimitSet",
        Change::WebhookSet { .. } => "webhookSet",
        Change::ScenariosAdded { .. } => "scenariosAdded",
        Change::ScenariosRewritten { .. } => "scenariosRewritten",
        Change::ScenariosRemoved { .. } => "scenariosRemoved",
        Change::ClockSet { .. } => "clockSet",
        Change::Evicted { .. } => "evicted",
    }
}

const KINDS: usize = 24;

/// A life in which every kind of change happens. Gives the entries of the account and of its copy.
fn eventful() -> Vec<Entry> {
    let scene = Scene::with(RULES);
    set_all(&scene);
    scene.runtime.block_on(async {
        let slow = scene.pan(TWICE).idempotency("k");
        drop(tokio::time::timeout(Duration::from_secs(6), slow.ask()).await);
    });
    scene.pan(TWICE).live().reference("r").send();
    be_pending_and_delivered(&scene);
    go_through_a_flow(&scene);
    let report = scene.post(audit::REPORT, audit::BODY).live().outcome();
    assert_eq!(report, "200 completed");
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account("local");
    let copy = scene.host.fork(&cell, &"copy".into());
    let copy = copy.expect("the name is free");
    let host = &scene.host;
    host.add_scenarios(&cell, RULES).expect("they fit");
    let rewritten = host.rewrite_scenarios(&cell, "added-1", RULES);
    assert!(rewritten.expect("they fit"));
    let removed = scene.host.remove_scenarios(&cell, None);
    assert!(removed.expect("a memory journal takes all"));
    set(&scene, TEST, vec![Change::Evicted { down_to: 0 }]);
    scene.host.reset(&cell).expect("a memory journal takes all");
    [scene.entries(cell.id()), scene.entries(copy.id())].concat()
}

fn set(scene: &Scene, environment: Environment, changes: Vec<Change>) {
    scene.change("local", environment, |_, _| Ok(changes.clone()));
}

fn set_all(scene: &Scene) {
    let webhook = WebhookConfig {
        url: "http://127.0.0.1:9/".into(),
        secret: "whsec_sample".into(),
    };
    let limit = RateLimit {
        per_second: 100,
        burst: 100,
    };
    let networks = vec!["127.0.0.0/8".parse().expect("a network")];
    let amount = Paise(12_345);
    set(scene, TEST, manage::set_webhook(Some(webhook)));
    set(scene, TEST, manage::set_allowlist(networks));
    set(scene, TEST, manage::set_rate_limit(Some(limit)));
    set(scene, LIVE, vec![Change::ToppedUp { amount }]);
    set(scene, LIVE, manage::add_key(LIVE, "another"));
    scene.change("local", TEST, |account, now| {
        let day = SignedDuration::from_hours(24);
        manage::rotate_key(account, TEST, day, now, |_| false).map(|(_, changes)| changes)
    });
}

fn be_pending_and_delivered(scene: &Scene) {
    let pending = scene.post(UAN, SLOW).idempotency("p").send();
    scene.receiver_answers(|_, _| 500);
    scene.advance("local", SignedDuration::from_secs(26));
    scene.change("local", TEST, |account, _| {
        let verifications = &account.environment(TEST).verifications;
        let (of, _) = verifications.deliveries().next().expect("there is one");
        assert_eq!(of.id.to_string(), pending.id());
        manage::redeliver(account, TEST, of.id)
    });
}

fn go_through_a_flow(scene: &Scene) {
    let start = r#"{"mobile": "9000000001"}"#;
    let begun = scene
        .post("/v1/verify/identity/mobile-otp/start", start)
        .send();
    let issued = begun.at("data.request_id");
    let otp = format!(r#"{{"request_id": "{issued}", "otp": "000000"}}"#);
    let verified = scene.post("/v1/verify/identity/mobile-otp/verify", &otp);
    assert_eq!(verified.outcome(), "200 completed");
    let bundle = scene
        .post("/v1/bundles/dynamic-bank-validation", BANK)
        .live();
    assert_eq!(bundle.idempotency("b").outcome(), "200 pending");
}

#[test]
fn every_kind_of_change_is_written_in_its_own_form_and_read_back() {
    let entries = eventful();
    let mut shown = BTreeMap::new();
    for entry in &entries {
        let written = entry.to_json();
        let read = Entry::from_json(&written).expect("what was written is read");
        assert_eq!((&read, &read.to_json()), (entry, &written));
        let json: Value = serde_json::from_str(&written).expect("an entry is JSON");
        let forms = json["changes"].as_array().expect("changes are a list");
        for (change, form) in entry.changes.iter().zip(forms) {
            shown
                .entry(name(change))
                .or_insert_with(|| form.to_string());
        }
    }
    assert_eq!(shown.len(), KINDS, "{:?}", shown.keys());
    for (name, form) in &shown {
        assert!(
            form.starts_with(&format!(r#"{{"change":"{name}""#)),
            "{form}"
        );
    }
    let page: Vec<String> = shown.values().map(|form| cut(form)).collect();
    insta::assert_snapshot!(page.join("\n"));
}

/// A form without the middle of what is long.
fn cut(form: &str) -> String {
    match form.char_indices().nth(900) {
        Some((at, _)) => format!("{} …", &form[..at]),
        None => form.to_owned(),
    }
}

#[test]
fn an_entry_of_a_newer_form_is_refused_with_both_forms_named() {
    let entry = &eventful()[0];
    let newer = entry.to_json().replacen(r#""form":1"#, r#""form":2"#, 1);
    let refused = Entry::from_json(&newer).expect_err("it is newer");
    assert!(matches!(refused, EntryError::Newer { found: 2, known: 1 }));
    assert_eq!(
        refused.to_string(),
        "written in form 2, and this version reads up to 1"
    );
    assert!(matches!(
        Entry::from_json("{}"),
        Err(EntryError::Malformed(_))
    ));
}
