//! What is done under an account's lock: a call is decided, and what changes is applied.

use std::cell::RefCell;
use std::hint::black_box;

use divan::Bencher;
use svc_simulator::engine;

use super::given::{Kind, Person, START, answered, prepared, rules, seasoned};

/// On an account that already keeps as many calls as it may.
#[divan::bench(args = Kind::ALL)]
fn decide(bencher: Bencher<'_, '_>, kind: Kind) {
    let mut account = seasoned(kind);
    // One that the account has not answered yet, but for the replay.
    let asked = kind.asked(Person::Sample);
    if kind == Kind::Replay {
        let (_, entry) = answered(&account, &asked);
        account.apply(entry.expect("it is executed once"));
    }
    kind.assert_is(&answered(&account, &asked).0);
    let call = asked.call();
    let prepared = prepared(&call);
    bencher.bench(|| engine::decide(rules(), black_box(&account), black_box(&prepared), START));
}

/// Each makes the account forget one call.
#[divan::bench(args = [Kind::Sandbox, Kind::Live])]
fn apply(bencher: Bencher<'_, '_>, kind: Kind) {
    let account = RefCell::new(seasoned(kind));
    let forgotten = || {
        account
            .borrow()
            .environment(kind.environment())
            .evictions()
            .calls
    };
    let mut number =
        usize::try_from(forgotten()).expect("one") + account.borrow().settings.limits.calls;
    let (before, first) = (forgotten(), number);
    let entry = || {
        number += 1;
        let (reply, entry) = answered(&account.borrow(), &kind.asked(Person::Other(number)));
        kind.assert_is(&reply);
        entry.expect("it is executed")
    };
    bencher
        .with_inputs(entry)
        .bench_local_values(|entry| account.borrow_mut().apply(entry));
    assert_eq!(forgotten() - before, (number - first) as u64);
}
