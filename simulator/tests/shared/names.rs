//! Accounts, keys and clocks that several replicas are asked for at once: together they answer as one would.

use serde_json::json;

use crate::replica::{Answer, Replica};
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "an_account_made_on_all_replicas_at_once_is_one_replicas_and_exists_for_the_others",
        made_at_once,
    ),
    (
        "a_name_is_given_once_to_a_key_or_to_an_account_and_works_on_all_replicas",
        account_or_key,
    ),
    (
        "a_clock_moved_on_all_replicas_at_once_goes_on_by_all_of_it",
        clocks,
    ),
    (
        "what_happened_before_a_replica_met_an_account_is_told_there_too",
        events,
    ),
];

/// What came back, sorted: a status each.
fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

fn made_at_once(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    let rupees = [10, 20, 30];
    for rupees in rupees {
        let source = json!({ "id": format!("source{rupees}"), "walletInr": rupees });
        let opened = replicas[0].control("POST", "/accounts", Some(source));
        assert_eq!(opened.status, 201, "{opened:?}");
    }
    for round in 0..5 {
        let opened = format!("opened{round}");
        let each = replicas.iter().zip(rupees);
        let opening = each.clone().map(|(replica, rupees)| {
            let body = json!({ "id": opened, "walletInr": rupees });
            replica.asked("POST", "/accounts", &body)
        });
        one_is_there(&replicas, &opened, &replicas[0].at_once(opening));
        let copied = format!("copied{round}");
        let copying = each.map(|(replica, rupees)| {
            let path = format!("/accounts/source{rupees}/fork");
            replica.asked("POST", &path, &json!({ "id": copied }))
        });
        one_is_there(&replicas, &copied, &replicas[0].at_once(copying));
    }
}

/// One of three made it, the others were told so, and all have what that one was given.
fn one_is_there(replicas: &[Replica; 3], account: &str, answers: &[Answer]) {
    assert_eq!(statuses(answers), [201, 409, 409], "{answers:?}");
    let made = answers.iter().find(|it| it.status == 201).expect("one");
    for replica in replicas {
        let balance = &replica.wallet(account)["balance"];
        assert_eq!(balance, &made.body["live"]["balance"], "{account}");
    }
}

fn account_or_key(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, "");
    let other = json!({ "id": "other", "walletInr": 100 });
    assert_eq!(a.control("POST", "/accounts", Some(other)).status, 201);
    for round in 0..10 {
        let name = format!("wanted{round}");
        let account = json!({ "id": name, "walletInr": 100 });
        let key = json!({ "environment": "live", "name": name });
        let answers = a.at_once(
            [
                a.asked("POST", "/accounts", &account),
                b.asked("POST", "/accounts/other/keys", &key),
            ]
            .into_iter(),
        );
        assert_eq!(statuses(&answers), [201, 409], "{answers:?}");
        for replica in [&a, &b] {
            let called = replica.pan(&name, "AAAAA0000A", None);
            assert_eq!(called.status, 200, "{name}: {called:?}");
        }
    }
}

fn clocks(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    let path = "/accounts/local_moved/clock";
    let at = json!({ "set": "2031-01-01T00:00:00Z", "freeze": true });
    assert_eq!(replicas[0].control("POST", path, Some(at)).status, 200);
    let moved = (0..12).map(|it| replicas[it % 3].asked("POST", path, &json!({ "advance": "1h" })));
    let answers = replicas[0].at_once(moved);
    assert_eq!(statuses(&answers), [200; 12], "{answers:?}");
    for replica in &replicas {
        let now = replica.control("GET", path, None).body["now"].clone();
        assert_eq!(now, "2031-01-01T12:00:00.000Z");
    }
}

fn events(server: &Server) {
    let store = server.fresh_store();
    let [a, b] = Replica::start_all(&store, "");
    let called = a.pan("local_told", "AAAAA0000A", None);
    let path = format!("/events?account=local_told&verificationId={}", called.id());
    let told = |replica: &Replica| {
        let events = replica.control("GET", &path, None).body["events"].clone();
        let kinds = events.as_array().expect("a list").iter();
        let kinds: Vec<_> = kinds.map(|event| event["kind"].clone()).collect();
        kinds
    };
    let here = told(&a);
    assert!(!here.is_empty());
    assert_eq!(told(&b), here);
}
