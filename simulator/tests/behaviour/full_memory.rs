//! What accounts keep that fill the memory of all together, each with a little, and what is looked for among many.

use std::time::Duration;

use jiff::SignedDuration;
use svc_simulator::host::memory::MemoryLimits;

use crate::scene::{Scene, UAN};

/// So many accounts of one call each fill this.
fn filled_by(accounts: usize) -> MemoryLimits {
    MemoryLimits {
        total_bytes: 4096 * accounts + 2600 * accounts,
        ..MemoryLimits::DEFAULT
    }
}

#[test]
fn where_many_light_accounts_fill_all_memory_those_idle_longest_forget_and_a_busy_one_keeps_its_calls()
 {
    const ACCOUNTS: usize = 500;
    let limits = filled_by(ACCOUNTS);
    let scene = Scene::bounded(limits);
    let call = |account: &str, number: usize| {
        let body = format!(r#"{{"pan": "AAAAA{number:04}B"}}"#);
        scene.pan(&body).by(account).send().id()
    };
    for number in 0..2 {
        for account in 0..ACCOUNTS {
            call(&format!("local_{account}"), number);
        }
    }
    scene.machine_goes_on(SignedDuration::from_mins(2));
    let ids: Vec<_> = (0..8).map(|number| call("local_busy", number)).collect();
    for id in ids {
        let path = format!("/v1/verifications/{id}");
        let found = scene.get(&path).by("local_busy").send();
        assert_eq!(found.0.status, 200, "{id}");
    }
    let memory = scene.host.memory_usage();
    assert!(memory.bytes <= limits.total_bytes, "{memory:?}");
}

#[test]
fn accounts_that_fill_all_memory_in_turn_keep_their_latest_call_and_are_rarely_shrunk_at_once() {
    const ACCOUNTS: usize = 40;
    let limits = filled_by(ACCOUNTS);
    let scene = Scene::bounded(limits);
    let call = |turn: usize, account: usize| {
        let account = format!("local_{account}");
        scene
            .pan(&format!(r#"{{"pan": "AAAAA{turn:04}B"}}"#))
            .by(&account)
            .send()
            .id()
    };
    let mut latest = Vec::new();
    for turn in 0..50 {
        latest = (0..ACCOUNTS).map(|account| call(turn, account)).collect();
    }
    let memory = scene.host.memory_usage();
    assert!(memory.bytes <= limits.total_bytes, "{memory:?}");
    // The first time to learn how much each may have, then only as what they keep grows unevenly.
    assert!((1..30).contains(&memory.evictions), "{memory:?}");
    for (id, account) in latest.iter().zip(0..) {
        let path = format!("/v1/verifications/{id}");
        let found = scene.get(&path).by(&format!("local_{account}")).send();
        assert_eq!(found.0.status, 200, "of account {account}");
    }
}

#[test]
fn accounts_are_used_while_those_idle_longest_are_looked_for() {
    let scene = Scene::bounded(MemoryLimits {
        account_idle: Duration::ZERO,
        ..MemoryLimits::DEFAULT
    });
    let names: Vec<String> = (0..900).map(|at| format!("local_{at}")).collect();
    for name in &names {
        scene
            .post(UAN, r#"{"uan": "100000000202"}"#)
            .by(name)
            .send();
    }
    std::thread::scope(|threads| {
        let calls = threads.spawn(|| {
            for at in 0..9_000 {
                scene.machine_goes_on(SignedDuration::from_millis(1));
                scene.get("/v1/wallet").by(&names[at * 7 % 900]).send();
            }
        });
        while !calls.is_finished() {
            assert_eq!(scene.host.close_idle(), 0, "each has a pending call");
        }
    });
}
