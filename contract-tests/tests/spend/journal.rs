//! The journal as a file, and the guard over it: locked, resumed, and shared by threads.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use svc_contract_tests::capture::{Arrived, Response, TransportError};
use svc_contract_tests::spend::{Journal, JournalError, Price, PricedCall, SpendGuard, Stop};
use svc_fixtures::contract::{Environment, Paise};

use crate::server::fresh_file;

fn call(most: i64) -> PricedCall {
    PricedCall {
        what: "a call".to_owned(),
        environment: Environment::Live,
        path: "/v1/a".to_owned(),
        price: Price::AtMost(Paise(most)),
        executed: Paise(most),
        looks_up: false,
        elsewhere: false,
    }
}

fn answer(rupees: &str) -> Result<Response, TransportError> {
    let charged = rupees != "0";
    let body =
        format!(r#"{{"status":"completed","billing":{{"charged":{charged},"amount":{rupees}}}}}"#);
    Ok(Response {
        status: 200,
        headers: Vec::new(),
        body: body.into_bytes(),
    })
}

fn begun(file: &str, budget: i64) -> SpendGuard {
    let begun = Journal::begin(Path::new(file), Paise(budget), "seed");
    let (journal, ledger) = begun.expect("a fresh file");
    SpendGuard::budget(ledger, journal)
}

fn left_after_resuming(file: &str, budget: i64) -> i64 {
    let resumed = Journal::resume(Path::new(file), Paise(budget), "seed");
    resumed.expect("it can go on").1.left().0
}

#[test]
fn a_reservation_is_in_the_file_before_the_call_goes_out() {
    let file = fresh_file("before");
    let guard = begun(&file, 500);
    let _permit = guard.admit(call(300)).expect("it fits");
    let text = fs::read_to_string(&file).expect("the journal");
    insta::assert_snapshot!(text, @r#"
    {"began":{"budget_paise":500,"seed":"seed"}}
    {"reserved":{"call":0,"paise":300,"what":"a call"}}
    "#);
}

#[test]
fn what_was_not_settled_counts_as_spent_when_a_run_goes_on() {
    let file = fresh_file("goes-on");
    {
        let guard = begun(&file, 1000);
        let settled = guard.admit(call(300)).expect("it fits");
        guard.settle(settled, &answer("1.50"));
        let lost = guard.admit(call(400)).expect("it fits");
        guard.settle(lost, &Err(TransportError::TimedOut(Arrived::default())));
    }
    // The answer says 1.50; what was reserved counts all the same.
    assert_eq!(left_after_resuming(&file, 1000), 1000 - 300 - 400);
    assert_eq!(left_after_resuming(&file, 800), 800 - 300 - 400);
    assert_eq!(left_after_resuming(&file, 100), 0);
}

#[test]
fn a_run_that_was_broken_off_is_not_forgotten_by_beginning_anew() {
    let file = fresh_file("broken-off");
    let permit = begun(&file, 1000).admit(call(300));
    assert!(permit.is_ok());
    let refused = Journal::begin(Path::new(&file), Paise(1000), "seed").expect_err("refused");
    assert!(
        refused.to_string().contains("up to 3 INR spent"),
        "{refused}"
    );
    assert!(refused.to_string().contains("--resume"), "{refused}");
}

#[test]
fn a_run_that_ended_or_sent_nothing_is_followed_by_a_new_one() {
    let file = fresh_file("ended");
    drop(begun(&file, 1000));
    {
        let guard = begun(&file, 1000);
        let permit = guard.admit(call(300)).expect("it fits");
        guard.settle(permit, &answer("3"));
        guard.end().expect("it is written");
    }
    let guard = begun(&file, 1000);
    assert_eq!(guard.sums().map(|ledger| ledger.left()), Some(Paise(1000)));
}

#[test]
fn a_torn_last_line_is_cut_off_and_the_journal_goes_on_after_it() {
    let file = fresh_file("torn");
    drop(begun(&file, 1000).admit(call(300)));
    let mut text = fs::read_to_string(&file).expect("the journal");
    text.push_str("{\"reserved\":{\"call\":1,\"pai");
    fs::write(&file, text).expect("it can be written");
    assert_eq!(left_after_resuming(&file, 1000), 700);
    assert_eq!(
        left_after_resuming(&file, 1000),
        700,
        "what follows is whole"
    );
}

#[test]
fn a_journal_is_used_by_one_run_at_a_time_and_must_be_one() {
    let file = fresh_file("busy");
    let guard = begun(&file, 1000);
    let busy = Journal::resume(Path::new(&file), Paise(1000), "seed");
    assert!(matches!(busy, Err(JournalError::Busy { .. })));
    drop(guard);
    fs::write(&file, "{}\n").expect("it can be written");
    let odd = Journal::resume(Path::new(&file), Paise(1000), "seed");
    assert!(matches!(odd, Err(JournalError::NoEntry { line: 1, .. })));
    let none = fresh_file("none");
    let none = Journal::resume(Path::new(&none), Paise(1000), "seed");
    assert!(matches!(none, Err(JournalError::NothingToResume { .. })));
}

#[test]
fn threads_that_reserve_at_once_never_reserve_more_than_the_budget() {
    let guard = begun(&fresh_file("threads"), 1000);
    let admitted = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for most in [70, 110, 130, 90] {
            let (guard, admitted) = (&guard, &admitted);
            scope.spawn(move || {
                while let Ok(permit) = guard.admit(call(most)) {
                    admitted.fetch_add(most, Ordering::SeqCst);
                    guard.settle(permit, &Err(TransportError::TimedOut(Arrived::default())));
                }
            });
        }
    });
    let admitted = admitted.into_inner();
    assert!((870..=1000).contains(&admitted), "{admitted}");
    assert!(matches!(guard.stopped(), Some(Stop::Budget(_))));
    assert!(guard.admit(call(1)).is_err(), "it stays stopped");
}

fn answered(status: &str, id: &str, rupees: &str) -> Result<Response, TransportError> {
    let charged = rupees != "0";
    let body = format!(
        r#"{{"verificationId":"{id}","status":"{status}","billing":{{"charged":{charged},"amount":{rupees}}}}}"#
    );
    Ok(Response {
        status: 200,
        headers: Vec::new(),
        body: body.into_bytes(),
    })
}

#[test]
fn a_pending_call_stays_reserved_until_its_own_id_is_looked_up() {
    let file = fresh_file("pending");
    let guard = begun(&file, 1000);
    let left = || guard.sums().map(|ledger| ledger.left().0);
    let pending = guard.admit(call(300)).expect("it fits");
    guard.settle(pending, &answered("pending", "svcv_a", "0"));
    let look_up = |id, rupees| {
        let request = PricedCall {
            looks_up: true,
            ..call(0)
        };
        let permit = guard.admit(request).expect("it is free");
        guard.settle(permit, &answered("completed", id, rupees));
    };
    look_up("svcv_b", "9");
    assert_eq!((left(), guard.stopped()), (Some(700), None));
    look_up("svcv_a", "2.50");
    let spent = guard.sums().map(|ledger| ledger.spent().0);
    assert_eq!(
        (spent, left(), guard.stopped()),
        (Some(300), Some(700), None)
    );
    drop(guard);
    assert_eq!(left_after_resuming(&file, 1000), 700);
}

#[test]
fn the_wallet_of_another_account_is_not_that_of_the_run() {
    let unexplained = |elsewhere: bool| {
        let guard = begun(&fresh_file("elsewhere"), 1000);
        let with_balance = |rupees: i64| {
            let body = format!(
                r#"{{"status":"failed","billing":{{"charged":false,"amount":0,"walletBalanceAfter":{rupees}}}}}"#
            );
            Ok(Response {
                status: 402,
                headers: Vec::new(),
                body: body.into_bytes(),
            })
        };
        let permit = guard.admit(call(300)).expect("it fits");
        guard.settle(permit, &with_balance(900));
        let poor = PricedCall {
            elsewhere,
            price: Price::Free,
            ..call(300)
        };
        let permit = guard.admit(poor).expect("it is free");
        guard.settle(permit, &with_balance(0));
        guard.sums().map(|ledger| ledger.unexplained().0)
    };
    assert_eq!(unexplained(true), Some(0));
    assert!(unexplained(false) > Some(0));
}

#[test]
fn a_charge_for_a_free_call_stops_the_run_and_is_written_down() {
    let file = fresh_file("unforeseen");
    let guard = begun(&file, 1000);
    let permit = guard.admit(call(0)).expect("it is free");
    guard.settle(permit, &answered("failed", "svcv_a", "4"));
    assert!(matches!(guard.stopped(), Some(Stop::Charged { .. })));
    assert!(guard.admit(call(0)).is_err(), "nothing goes out any more");
    drop(guard);
    assert_eq!(left_after_resuming(&file, 1000), 600);
}
