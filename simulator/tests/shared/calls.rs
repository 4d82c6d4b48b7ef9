//! Calls of one account that different replicas take.

use std::collections::BTreeSet;

use serde_json::json;

use crate::replica::{Answer, PAN, Replica};
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "what_one_replica_answered_another_replays_and_knows",
        what_one_replica_answered,
    ),
    (
        "an_account_opened_by_all_replicas_at_once_is_one",
        opened_at_once,
    ),
    ("duplicates_on_all_replicas_are_executed_once", duplicates),
    ("a_rate_limit_is_one_for_all", rate_limit),
    (
        "a_key_made_by_one_replica_works_on_all_at_once",
        rotated_key,
    ),
    ("an_account_deleted_by_one_replica_is_gone_on_all", deleted),
    (
        "a_call_delayed_on_one_replica_survives_a_reset_by_another_and_leaves_no_trace",
        reset_meanwhile,
    ),
    (
        "a_history_is_the_same_whichever_replica_takes_which_call",
        any_replica,
    ),
    (
        "calls_that_come_to_replicas_in_turn_are_hardly_ever_decided_twice",
        in_turn,
    ),
    (
        "a_scenario_added_to_an_account_on_one_replica_decides_on_all",
        own_scenarios,
    ),
];

const DELAYED: &str = r#"
    [[scenario]]
    name = "takes its time"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = { success = {}, delay = "700ms" }
"#;

fn what_one_replica_answered(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, "");
    let first = a.pan("local_x", "AAAAA0000A", Some("k"));
    assert_eq!(first.status, 200, "{first:?}");
    let again = b.pan("local_x", "AAAAA0000A", Some("k"));
    assert!(again.replay, "{again:?}");
    assert_eq!(again.body, first.body);
    let found = b.get("local_x", &format!("/v1/verifications/{}", first.id()));
    assert_eq!(found.body, first.body);
    // A look-up adds nothing to the account, and still is not stale.
    for round in 1..20 {
        a.pan("local_x", "AAAAA0000A", None);
        let usage = b.get("local_x", "/v1/usage");
        assert_eq!(
            usage.body["data"]["totals"]["calls"],
            round + 1,
            "{usage:?}"
        );
    }
    assert_eq!(a.wallet("local_x"), b.wallet("local_x"));
}

fn opened_at_once(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    for round in 0..10 {
        let account = format!("local_new{round}");
        let body = json!({ "pan": "AAAAA0000A" });
        let calls = (0..9).map(|at| replicas[at % 3].post(&account, PAN, &body, None));
        let answers = replicas[0].at_once(calls);
        let ids: BTreeSet<_> = answers.iter().map(Answer::id).collect();
        assert_eq!(ids.len(), 9);
        for replica in &replicas {
            let usage = replica.get(&account, "/v1/usage");
            assert_eq!(usage.body["data"]["totals"]["calls"], 9, "{usage:?}");
        }
    }
}

fn duplicates(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, DELAYED);
    for pan in ["AAAAA1111A", "AAAAA0000A"] {
        let body = json!({ "pan": pan });
        let calls = (0..24).map(|at| replicas[at % 3].post("local_d", PAN, &body, Some(pan)));
        let answers = replicas[0].at_once(calls);
        assert!(
            answers.iter().all(|it| it.body == answers[0].body),
            "{answers:#?}"
        );
        assert_eq!(answers.iter().filter(|it| !it.replay).count(), 1);
    }
    for replica in &replicas {
        let usage = replica.get("local_d", "/v1/usage");
        assert_eq!(usage.body["data"]["totals"]["calls"], 2, "{usage:?}");
    }
}

fn rate_limit(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    let frozen = replicas[0].control(
        "POST",
        "/accounts/throttled/clock",
        Some(json!({ "freeze": true })),
    );
    assert_eq!(frozen.status, 200, "{frozen:?}");
    let answers: Vec<_> = (0..6)
        .map(|at| replicas[at % 3].pan("throttled", "AAAAA0000A", None).status)
        .collect();
    assert_eq!(answers[..2], [200, 200]);
    assert!(
        answers[2..].iter().filter(|status| **status == 429).count() >= 3,
        "{answers:?}"
    );
}

fn rotated_key(server: &Server) {
    let store = server.fresh_store();
    let [a, b, c] = Replica::start_all(&store, "");
    a.pan("local_r", "AAAAA0000A", None);
    let rotate = json!({ "environment": "live" });
    let one = a.control(
        "POST",
        "/accounts/local_r/keys/rotate",
        Some(rotate.clone()),
    );
    assert_eq!(one.status, 200, "{one:?}");
    assert_eq!(b.pan("local_r.2", "AAAAA0000A", None).status, 200);
    let two = b.control("POST", "/accounts/local_r/keys/rotate", Some(rotate));
    assert_ne!(one.body, two.body);
    assert_eq!(c.pan("local_r.3", "AAAAA0000A", None).status, 200);
    assert_eq!(c.pan("local_r.4", "AAAAA0000A", None).status, 401);
    assert_eq!(
        a.get("local_r", "/v1/usage").body["data"]["totals"]["calls"],
        3
    );
}

fn deleted(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, "");
    a.pan("local_gone", "AAAAA0000A", None);
    b.pan("local_gone", "AAAAA0000A", None);
    let deleted = a.control("DELETE", "/accounts/local_gone", None);
    assert_eq!(deleted.status, 204, "{deleted:?}");
    assert_eq!(b.control("GET", "/accounts/local_gone", None).status, 404);
    // It begins anew.
    b.pan("local_gone", "AAAAA0000A", None);
    assert_eq!(
        a.get("local_gone", "/v1/usage").body["data"]["totals"]["calls"],
        1
    );
}

fn reset_meanwhile(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, DELAYED);
    let call = a.post("local_z", PAN, &json!({ "pan": "AAAAA1111A" }), Some("k"));
    let (a_client, b) = (a.simulator(), &b);
    let (answer, wallet) = std::thread::scope(|scope| {
        let called = scope.spawn(move || a_client.block_on(call).expect("an answer"));
        // The hold shows that it has begun.
        let held = |_| {
            b.wallet("local_z")["held"]
                .as_f64()
                .is_some_and(|held| held > 0.0)
        };
        assert!((0..500).any(held), "{}", b.wallet("local_z"));
        let reset = b.control("POST", "/accounts/local_z/reset", None);
        assert_eq!(reset.status, 200, "{reset:?}");
        let answer = called.join().expect("it ends");
        (answer, b.wallet("local_z"))
    });
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(wallet["held"].as_f64(), Some(0.0), "{wallet}");
    assert_eq!(wallet["charged"].as_f64(), Some(0.0), "{wallet}");
    assert_eq!(
        b.get("local_z", "/v1/usage").body["data"]["totals"]["calls"],
        0
    );
}

fn any_replica(server: &Server) {
    let (alone, shared) = (server.fresh_store(), server.fresh_store());
    let one = Replica::start(&alone);
    let replicas: [_; 3] = Replica::start_all(&shared, "");
    let pans = ["AAAAA0000A", "AAAAA9999A", "ZZZZZ0000Z", "ABCPE1234F"];
    for at in 0..40 {
        let (pan, key) = (pans[at % 4], format!("k{}", at / 3));
        let key = (at % 5 < 3).then_some(key.as_str());
        let alone = one.pan("local_h", pan, key);
        let shared = replicas[at * 7 % 3].pan("local_h", pan, key);
        assert_eq!(
            (alone.status, alone.replay),
            (shared.status, shared.replay),
            "{at}"
        );
        assert_eq!(alone.body["verificationId"], shared.body["verificationId"]);
        assert_eq!(alone.body["billing"], shared.body["billing"]);
    }
}

fn in_turn(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 2] = Replica::start_all(&store, "");
    for at in 0..200 {
        let answer = replicas[at % 2].pan("local_t", "AAAAA0000A", None);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let twice: u64 = replicas.iter().map(Replica::conflicts).sum();
    assert!(twice <= 10, "{twice} of 200 calls were decided twice");
}

/// Where a sequence stands is known to all, too; and it is taken away on another replica than it was added on.
fn own_scenarios(server: &Server) {
    let [a, b] = Replica::start_all(&server.fresh_store(), "");
    // Both know the account before.
    assert_eq!(
        [&a, &b].map(|it| it.pan("local_own", "AAAAA0000A", None).status),
        [200; 2]
    );
    let toml = "[[scenario]]\nname = \"in turn\"\noperation = \"verify.identity.pan\"\n\
                then = [ { success = {} }, { error = \"SVC_PROVIDER_ERROR\" }, { error = \"SVC_SOURCE_TIMEOUT\" } ]\n";
    let added = json!({ "account": "local_own", "toml": toml });
    let added = b.control("POST", "/scenarios", Some(added));
    assert_eq!(added.status, 201, "{added:?}");
    let statuses = [&a, &b, &a].map(|it| it.pan("local_own", "AAAAA0000A", None).status);
    assert_eq!(statuses, [200, 502, 504]);
    assert_eq!(a.pan("local_else", "AAAAA0000A", None).status, 200);
    let removed = a.control("DELETE", "/scenarios/added-1?account=local_own", None);
    assert!(removed.status < 300, "{removed:?}");
    assert_eq!(
        [&b, &a].map(|it| it.pan("local_own", "AAAAA0000A", None).status),
        [200; 2]
    );
}
