//! What one account can take of that which all use, and what others are answered meanwhile.

use svc_simulator::host::shares::ShareLimits;
use svc_simulator::http::edge::EdgeLimits;

use super::client::{Answer, Client, Served};
use crate::control::{LOCAL, LOCAL_JSON, raw};

/// Accounts whose names begin with `greedy` get no answer in time.
fn served(connections: usize, shares: ShareLimits, then: &str) -> Served {
    let scenario = format!(
        "[[scenario]]\nname = \"slow\"\noperation = \"verify.identity.pan\"\n\
         when = {{ account = {{ starts_with = \"local_greedy\" }} }}\nthen = {then}\n"
    );
    let limits = EdgeLimits {
        connections,
        ..EdgeLimits::default()
    };
    Served::with(|builder| builder.limits(limits).shares(shares).scenarios(&scenario))
}

const LATE: &str = r#"{ success = {}, delay = "1h" }"#;

/// A call that is not waited for.
fn sent(served: &Served, account: &str, more_headers: &str) -> Client {
    let mut client = served.connect();
    client.write(served.call(&format!("svc_test_local_{account}"), more_headers));
    client
}

fn answered(served: &Served, account: &str) -> Answer {
    sent(served, account, "").answer(true)
}

fn get(served: &Served, path: &str) -> Answer {
    raw(served.addresses.console, "GET", path, LOCAL, "")
}

/// Waits until so much is taken of a share.
fn wait_until_taken(served: &Served, share: &str, count: u64) {
    let taken = || get(served, "/control/memory").json()["shares"][share]["taken"].as_u64();
    while taken().expect("it is shown") != count {
        std::thread::yield_now();
    }
}

fn assert_refused(answer: &Answer, flag: &str) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (429, "SVC_RATE_LIMITED"),
        "{answer:?}"
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.body.contains(flag), "{}", answer.body);
}

const TWO: ShareLimits = ShareLimits {
    delayed_calls: 2,
    waits: 2,
    ..ShareLimits::DEFAULT
};

#[test]
fn an_account_with_its_share_of_delayed_calls_is_refused_more_and_nobody_else_is() {
    let served = served(1024, TWO, LATE);
    let _held = [sent(&served, "greedy", ""), sent(&served, "greedy", "")];
    wait_until_taken(&served, "delayedCalls", 2);
    assert_refused(&answered(&served, "greedy"), "--max-delayed");
    // What is answered at once is not held back, whoever asks.
    let usage =
        "GET /v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local_greedy\r\n\r\n";
    assert_eq!(served.connect().ask(usage).status, 200);
    assert_eq!(answered(&served, "innocent").status, 200);
    let _other = sent(&served, "greedy2", "");
    wait_until_taken(&served, "delayedCalls", 3);
}

#[test]
fn duplicates_that_wait_and_answers_that_never_come_count_as_held_back() {
    let late = served(1024, TWO, LATE);
    let key = "Idempotency-Key: k\r\n";
    let _first = sent(&late, "greedy", key);
    wait_until_taken(&late, "delayedCalls", 1);
    let second = sent(&late, "greedy", key);
    wait_until_taken(&late, "delayedCalls", 2);
    let refused = sent(&late, "greedy", key).answer(true);
    assert_refused(&refused, "--max-delayed");
    // Who does not wait any more makes room.
    drop(second);
    wait_until_taken(&late, "delayedCalls", 1);

    let never = served(1024, TWO, r#"{ success = {}, wire = "never" }"#);
    let held = [sent(&never, "greedy", ""), sent(&never, "greedy", "")];
    wait_until_taken(&never, "delayedCalls", 2);
    assert_refused(&answered(&never, "greedy"), "--max-delayed");
    drop(held);
    wait_until_taken(&never, "delayedCalls", 0);
}

#[test]
fn calls_that_are_held_back_leave_connections_to_those_who_hold_none() {
    let served = served(8, ShareLimits::DEFAULT, LATE);
    let mut held = Vec::new();
    for (account, most) in [("greedy1", 4), ("greedy2", 2)] {
        for _ in 0..most {
            held.push(sent(&served, account, ""));
            wait_until_taken(&served, "delayedCalls", held.len() as u64);
        }
        assert_refused(&answered(&served, account), "--max-connections");
    }
    let _third = sent(&served, "greedy3", "");
    wait_until_taken(&served, "delayedCalls", 7);
    for _ in 0..20 {
        assert_eq!(answered(&served, "innocent").status, 200);
    }
}

/// A request that waits for what does not happen.
fn poll(served: &Served, account: &str) -> Client {
    let mut client = Client::to(served.addresses.console);
    let path = format!("/control/events?account={account}&wait=60s");
    client.write(format!("GET {path} HTTP/1.1\r\n{LOCAL}\r\n"));
    client
}

#[test]
fn requests_that_wait_leave_the_console_to_others_and_health_is_always_told() {
    let served = served(8, TWO, LATE);
    let mut waiting = Vec::new();
    let assert_refused = |account: &str, flag: &str| {
        let refused = poll(&served, account).answer(true);
        assert_eq!(refused.status, 429, "{refused:?}");
        for part in ["TOO_MANY_WAITS", flag] {
            assert!(refused.body.contains(part), "{refused:?}");
        }
    };
    for account in ["local", "local", "broke"] {
        waiting.push(poll(&served, account));
        wait_until_taken(&served, "waits", waiting.len() as u64);
    }
    assert_refused("local", "--max-waits");
    // Of all accounts together half of the console's connections wait at most.
    assert_refused("broke", "--max-connections");
    waiting.push(poll(&served, "throttled"));
    wait_until_taken(&served, "waits", 4);
    assert_refused("blocked", "--max-connections");
    let idle: Vec<_> = (0..40)
        .map(|_| Client::to(served.addresses.console))
        .collect();
    for path in ["/control/health", "/control/ready"] {
        assert_eq!(get(&served, path).status, 200);
    }
    // Who waits can't keep a clock from being moved, which ends the waiting.
    let clock = "/control/accounts/local/clock";
    let moved = raw(
        served.addresses.console,
        "POST",
        clock,
        LOCAL_JSON,
        r#"{"freeze": true}"#,
    );
    assert_eq!(moved.status, 200);
    assert_eq!(waiting[0].answer(true).status, 200);
    drop(idle);
}
