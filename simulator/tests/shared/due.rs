//! What falls due by itself: one replica does it, and another one when that has died.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use svc_test_support::{Reply, Server as Receiver};

use crate::replica::{Replica, UAN};
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "a_result_of_three_replicas_is_delivered_once",
        delivered_once,
    ),
    ("the_work_of_a_replica_that_died_is_taken_over", taken_over),
    (
        "a_clock_moved_on_another_replica_makes_each_attempt_once",
        clock_moved,
    ),
    (
        "an_attempt_that_two_replicas_made_is_one_of_the_schedule",
        made_by_two,
    ),
    (
        "what_a_replica_that_was_stopped_had_to_do_is_free_at_once",
        stopped,
    ),
    (
        "a_delayed_call_of_a_replica_that_died_is_ended_by_another",
        delayed_and_died,
    ),
    (
        "what_a_replica_did_before_it_knew_of_another_one_is_done_by_that_one",
        unannounced,
    ),
];

const SOON: &str = r#"
    [[scenario]]
    name = "pending for a moment"
    operation = "verify.employment.uan"
    when = { uan = "100000000909" }
    then = { pending = {}, after = "2s", finally = { success = {} } }

    [[scenario]]
    name = "takes its time"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = { success = {}, delay = "1s" }
"#;

fn soon() -> Value {
    json!({ "uan": "100000000909" })
}

fn answering(status: u16) -> Receiver {
    Receiver::start(move |_| Reply::Says(status, Vec::new(), Vec::new()))
}

fn register(replica: &Replica, account: &str, url: &str) {
    let webhook = json!({ "url": url, "secret": "s".repeat(32) });
    let put = replica.control(
        "PUT",
        &format!("/accounts/{account}/webhook"),
        Some(webhook),
    );
    assert_eq!(put.status, 200, "{put:?}");
}

/// How many posts each verification came with.
fn posts(receiver: &Receiver) -> BTreeMap<String, usize> {
    let mut posts = BTreeMap::new();
    for request in receiver.sent() {
        let body = request.json();
        let id = body["verificationId"].as_str().expect("an id");
        *posts.entry(id.to_owned()).or_default() += 1;
    }
    posts
}

fn delivered_once(server: &Server) {
    let store = server.fresh_store();
    let receiver = answering(200);
    let replicas: [_; 3] = Replica::start_all(&store, SOON);
    let mut ids = Vec::new();
    for at in 0..12 {
        let account = format!("local_p{}", at % 4);
        register(&replicas[at % 3], &account, &receiver.url);
        let pending = replicas[(at + 1) % 3].call(&account, UAN, soon(), None);
        assert_eq!(pending.status, 202, "{pending:?}");
        ids.push(pending.id());
    }
    replicas[0].until(|| (posts(&receiver).len() == 12).then_some(()));
    // Nobody makes one of them again.
    let again = replicas[0].simulator().block_on(async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        posts(&receiver)
    });
    assert!(ids.iter().all(|id| again.get(id) == Some(&1)), "{again:?}");
}

fn taken_over(server: &Server) {
    let store = server.fresh_store();
    let receiver = answering(200);
    let [a, b] = Replica::start_all(&store, SOON);
    register(&a, "local_w", &receiver.url);
    let pending = a.call("local_w", UAN, soon(), None);
    drop(a);
    b.until(|| posts(&receiver).get(&pending.id()).copied());
    assert_eq!(posts(&receiver)[&pending.id()], 1);
    let found = b.get("local_w", &format!("/v1/verifications/{}", pending.id()));
    assert_eq!(found.body["success"], true, "{found:?}");
}

fn made_by_two(server: &Server) {
    let store = server.fresh_store();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (released, came) = (Mutex::new(released), AtomicUsize::new(0));
    // The first attempt is answered when the second has been written.
    let receiver = Receiver::start(move |_| {
        if came.fetch_add(1, Ordering::Relaxed) == 0 {
            let _ = released.lock().recv();
        }
        Reply::Says(500, Vec::new(), Vec::new())
    });
    let [a, b] = Replica::start_all(&store, SOON);
    register(&a, "local_t", &receiver.url);
    let pending = a.call("local_t", UAN, soon(), None);
    a.until(|| (!receiver.sent().is_empty()).then_some(()));
    let accounts = format!("{}.accounts", schema(&store));
    // As if the one that makes it had been silent for too long.
    let free = format!("UPDATE {accounts} SET worker = NULL");
    b.until(|| {
        drop(server.query(&free));
        (receiver.sent().len() == 2).then_some(())
    });
    let path = "/deliveries?account=local_t&environment=live";
    let attempts = |replica: &Replica| {
        let listed = replica.control("GET", path, None).body;
        let attempts = listed["deliveries"][0]["attempts"].as_array().cloned();
        attempts.unwrap_or_default().len()
    };
    b.until(|| (attempts(&b) == 1).then_some(()));
    drop(release);
    a.simulator().block_on(a.simulator().host().drained());
    assert_eq!((attempts(&a), attempts(&b)), (1, 1));
    assert_eq!(posts(&receiver)[&pending.id()], 2);
}

fn stopped(server: &Server) {
    let store = server.fresh_store();
    let receiver = answering(200);
    let [a, b] = Replica::start_all(&store, SOON);
    register(&a, "local_v", &receiver.url);
    let pending = a.call("local_v", UAN, soon(), None);
    a.stop();
    let schema = schema(&store);
    let alive = server.query(&format!("SELECT count(*) FROM {schema}.replicas"));
    assert_eq!(alive, "1");
    let dead = format!(
        "SELECT count(*) FROM {schema}.accounts WHERE worker NOT IN (SELECT id FROM {schema}.replicas)"
    );
    assert_eq!(server.query(&dead), "0");
    b.until(|| b.simulator().host().peers().is_empty().then_some(()));
    b.until(|| posts(&receiver).get(&pending.id()).copied());
}

fn unannounced(server: &Server) {
    let store = server.fresh_store();
    let receiver = answering(200);
    let a = Replica::with(&store, SOON);
    register(&a, "local_u", &receiver.url);
    // It knows the account from now on, and the first replica tells nobody yet what it does.
    let b = Replica::with(&store, SOON);
    let pending = a.call("local_u", UAN, soon(), None);
    a.stop();
    b.until(|| posts(&receiver).get(&pending.id()).copied());
}

/// The schema of a store's tables.
fn schema(store: &str) -> &str {
    store.rsplit_once('=').expect("a schema").1
}

fn clock_moved(server: &Server) {
    let once = [("10s", 1), ("1m", 2), ("10m", 4), ("1h", 5), ("12h", 6)];
    // On a busy machine a replica may be silent for so long that another one takes its work over, and makes an attempt
    // once more: not three times in a row.
    let mut tries = std::iter::repeat_with(|| attempts_by_clock(server)).take(3);
    let last = tries.find(|made| *made == once);
    assert!(last.is_some(), "no try of three made each attempt once");
}

/// How many attempts came after each move of a clock, by one replica or another.
fn attempts_by_clock(server: &Server) -> Vec<(&'static str, usize)> {
    let store = server.fresh_store();
    let receiver = answering(500);
    let replicas: [_; 3] = Replica::start_all(&store, SOON);
    for replica in &replicas {
        replica.get("local_c", "/v1/usage");
    }
    register(&replicas[0], "local_c", &receiver.url);
    // The first replica does what falls due of the account.
    let pending = replicas[0].call("local_c", UAN, soon(), None);
    let mut now = Vec::new();
    for (replica, advance) in [(1, "10s"), (2, "1m"), (0, "10m"), (1, "1h"), (2, "12h")] {
        let moved = replicas[replica].control(
            "POST",
            "/accounts/local_c/clock",
            Some(json!({ "advance": advance })),
        );
        assert_eq!(moved.status, 200, "{moved:?}");
        now.push((advance, posts(&receiver)[&pending.id()]));
    }
    now
}

fn delayed_and_died(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, SOON);
    let body = json!({ "pan": "AAAAA1111A" });
    let call = a.post("local_y", crate::replica::PAN, &body, Some("k"));
    a.simulator().block_on(async { drop(tokio::spawn(call)) });
    let held = || {
        b.wallet("local_y")["held"]
            .as_f64()
            .filter(|held| *held > 0.0)
    };
    b.until(held);
    drop(a);
    // Who asks again gets the answer of the call that the dead replica began.
    let again = b.call("local_y", crate::replica::PAN, body, Some("k"));
    assert_eq!((again.status, again.replay), (200, true), "{again:?}");
    assert_eq!(b.wallet("local_y")["held"].as_f64(), Some(0.0));
    assert_eq!(
        b.get("local_y", "/v1/usage").body["data"]["totals"]["calls"],
        1
    );
}
