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
];

/// What came back, sorted: a status each.
fn statuses(answers: &[Answer]) -> Vec<u16> {
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

/// A balance in rupees, as the replica shows it.
fn balance(replica: &Replica, account: &str) -> f64 {
    let balance = replica.wallet(account)["balance"].clone();
    balance.as_f64().expect("an account with a balance")
}

fn made_at_once(server: &Server) {
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    for round in 0..5 {
        let made = |how: &str, at: usize| {
            let id = format!("{how}{round}");
            match how {
                "opened" => {
                    let body = json!({ "id": id, "walletInr": 10 * (at + 1) });
                    replicas[at].asked("POST", "/accounts", &body)
                }
                _ => {
                    let path = format!("/accounts/copied{at}/fork");
                    replicas[at].asked("POST", &path, &json!({ "id": id }))
                }
            }
        };
        for how in ["opened", "forked"] {
            if how == "forked" && round == 0 {
                for at in 0..3 {
                    let body = json!({ "id": format!("copied{at}"), "walletInr": 10 * (at + 1) });
                    assert_eq!(
                        replicas[at].control("POST", "/accounts", Some(body)).status,
                        201
                    );
                }
            }
            let answers = replicas[0].at_once((0..3).map(|at| made(how, at)));
            assert_eq!(statuses(&answers), [201, 409, 409], "{answers:?}");
            let winner = answers.iter().position(|it| it.status == 201).expect("one");
            for replica in &replicas {
                #[expect(clippy::cast_precision_loss, reason = "it is a small number")]
                let own = 10.0 * (winner + 1) as f64;
                assert_eq!(
                    balance(replica, &format!("{how}{round}")).to_bits(),
                    own.to_bits()
                );
            }
        }
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
