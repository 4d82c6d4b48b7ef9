//! What the control API tells of accounts is in the store; and it is ready as long as the store takes entries.

use std::sync::Arc;

use rusqlite::Connection;
use svc_simulator::engine::state::entry::{Change, Entry};
use svc_test_support::Folder;

use super::{ASHA, PAN, Ruled};
use crate::journals::faulty::{Fault, Faulty};
use crate::journals::store;

const KEY: &str = "svc_test_local";

/// A simulator whose store fails so with each call that is recorded.
fn ruled(fault: Fault) -> (Ruled, Arc<Faulty>) {
    let store = Faulty::on(store());
    store.fails(move |entries: &[Entry]| {
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        let is_call = changes.any(|change| matches!(change, Change::Recorded(_)));
        is_call.then_some(fault)
    });
    let journal = Arc::clone(&store);
    (Ruled::with(|builder| builder.journal(journal)), store)
}

/// How many calls the control API tells of that are asked for while the store has not said what became of one.
fn read_meanwhile(fault: Fault) -> usize {
    let (ruled, store) = ruled(fault);
    std::thread::scope(|scope| {
        let calling = scope.spawn(|| ruled.call(KEY, PAN, ASHA));
        while store.faults() == 0 {
            assert_eq!(ruled.get("/control/ready").status, 200);
        }
        let reading = scope.spawn(|| ruled.get("/control/calls?account=local").json());
        // Whoever told of it would have done so by now.
        for _ in 0..50 {
            assert_eq!(ruled.get("/control/health").status, 200);
        }
        assert!(!reading.is_finished(), "it is not written yet");
        store.speak();
        drop(calling.join());
        let read = reading.join().expect("it is read");
        read["calls"].as_array().expect("a list").len()
    })
}

#[test]
fn a_call_is_told_of_once_it_is_written() {
    assert_eq!(read_meanwhile(Fault::Slow), 1);
}

#[test]
fn a_call_that_was_not_written_is_never_told_of() {
    assert_eq!(read_meanwhile(Fault::SlowlyFails), 0);
}

/// Nobody calls in between: who asks before each call whether it is ready would never see it ready again.
#[test]
fn a_store_that_failed_and_writes_again_is_ready_without_a_call() {
    let folder = Folder::new("kept");
    let file = folder.path().join("kept.db");
    let store = format!("sqlite:{}", file.display());
    let ruled = Ruled::with(|builder| builder.store(store.parse().expect("a store")));
    let ready = || ruled.get("/control/ready");
    assert_eq!(
        (ready().status, ruled.call(KEY, PAN, ASHA).status),
        (200, 200)
    );
    // Whoever writes fails, as on a disk that is full.
    let other = Connection::open(&file).expect("it opens");
    let full = "CREATE TRIGGER full BEFORE INSERT ON entries BEGIN SELECT raise(ABORT, 'the disk is full'); END;
        CREATE TRIGGER full_too BEFORE UPDATE ON settings BEGIN SELECT raise(ABORT, 'the disk is full'); END";
    other.execute_batch(full).expect("it may");
    assert_eq!(ruled.call(KEY, PAN, ASHA).status, 500);
    let refused = ready();
    assert_eq!(refused.status, 503);
    let why = &refused.json()["error"]["message"];
    assert_eq!(why, "calls are not executed: the store: the disk is full");
    // What is kept can be read.
    let read = ruled.get("/control/calls?account=local").json();
    assert_eq!(read["calls"].as_array().map(Vec::len), Some(1));
    other
        .execute_batch("DROP TRIGGER full; DROP TRIGGER full_too")
        .expect("it may");
    let again = (0..100_000).any(|_| ready().status == 200);
    assert!(again, "it writes again");
    assert_eq!(ruled.call(KEY, PAN, ASHA).status, 200);
}
