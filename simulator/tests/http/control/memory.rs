//! What is kept, and how much of it.

use super::{ASHA, PAN, Ruled, SLOW, UAN, refused};

#[test]
fn what_an_account_keeps_is_shown_by_kind_and_adds_up() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local_m", PAN, ASHA);
    ruled.call("svc_test_local_m", UAN, SLOW);
    let memory = ruled.get("/control/accounts/local_m/memory").json();
    let test = &memory["test"];
    assert_eq!(
        (
            &test["verifications"]["ended"],
            &test["verifications"]["open"]
        ),
        (&1.into(), &1.into())
    );
    assert_eq!(test["calls"], 2);
    assert_eq!(test["counters"]["ended"], 2);
    let kinds = ["verifications", "sequences", "counters", "audit", "wallet"];
    let ended = kinds
        .iter()
        .map(|kind| test[kind]["endedBytes"].as_u64().unwrap());
    assert_eq!(test["endedBytes"], ended.sum::<u64>());
    assert!(test["openBytes"].as_u64() > test["verifications"]["openBytes"].as_u64());
    assert_eq!(&test["forgotten"]["calls"], &0);
    // What the wallet began with, and nothing else.
    let live = &memory["live"];
    assert_eq!(
        (&live["wallet"]["ended"], &live["endedBytes"]),
        (&1.into(), &live["wallet"]["endedBytes"])
    );
}

#[test]
fn what_all_accounts_take_is_shown_with_how_much_they_may() {
    let ruled = Ruled::new();
    let before = ruled.get("/control/memory").json();
    ruled.call("svc_test_local_m", PAN, ASHA);
    let after = ruled.get("/control/memory").json();
    assert!(after["bytes"].as_u64() > before["bytes"].as_u64());
    let opened = |memory: &serde_json::Value| memory["accounts"]["openedByKeys"].clone();
    assert_eq!((opened(&before), opened(&after)), (0.into(), 1.into()));
    insta::assert_snapshot!(format!("{} {}", after["keeps"], after["atMost"]), @r#"{"calls":10000,"deliveries":10000,"bytes":16777216} 50331648"#);
    ruled.delete("/control/accounts/local_m");
    assert_eq!(
        ruled.get("/control/memory").json()["bytes"],
        before["bytes"]
    );
}

#[test]
fn an_account_that_is_none_has_no_memory() {
    let ruled = Ruled::new();
    let memory = ruled.get("/control/accounts/nobody/memory");
    assert_eq!(refused(&memory), "404 ACCOUNT_NOT_FOUND");
}
