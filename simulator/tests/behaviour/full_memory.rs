//! What accounts keep that fill the memory of all together, each with a little.

use svc_simulator::host::memory::MemoryLimits;

use crate::scene::Scene;

#[test]
fn accounts_that_fill_all_memory_in_turn_keep_their_latest_call_and_are_rarely_shrunk_at_once() {
    const ACCOUNTS: usize = 40;
    let limits = MemoryLimits {
        total_bytes: 4096 * ACCOUNTS + 2600 * ACCOUNTS,
        ..MemoryLimits::DEFAULT
    };
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
