//! Clients that begin and do not go on: they are closed in time, and nobody else notices them.
//! `SVC_STALLED=5000` sends so many of them instead of some hundred.

use std::time::Duration;

use svc_simulator::http::edge::EdgeLimits;

use super::client::{Client, Served};

const HOUR: Duration = Duration::from_secs(3600);

fn how_many() -> usize {
    let wanted = std::env::var("SVC_STALLED").ok();
    wanted.map_or(300, |count| count.parse().expect("SVC_STALLED is a number"))
}

/// A client that stalls in one of the ways there are.
fn stalled(served: &Served, number: usize) -> Client {
    let mut client = served.connect();
    match number % 4 {
        0 => {}
        1 => client.write("POST /v1/verify"),
        2 => client.write("POST /v1/usage HTTP/1.1\r\nHost: a\r\nX-Never-"),
        _ => client.write(format!("{}{{\"pan\"", served.head("Content-Length: 100"))),
    }
    client
}

/// Waits for the end. Who stalled in a body may have been answered so.
fn ended(mut client: Client) {
    let answer = client.rest();
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 400 "),
        "{answer}"
    );
}

#[test]
fn stalled_clients_are_closed_in_time_while_others_are_answered() {
    let limits = EdgeLimits {
        head: Duration::from_millis(400),
        body: Duration::from_millis(400),
        linger: Duration::from_millis(50),
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let call = served.call("svc_test_local", "");
    let mut good = served.connect();
    let mut all = Vec::new();
    for number in 0..how_many() {
        all.push(stalled(&served, number));
        if number % 10 == 0 {
            assert_eq!(served.connect().ask(&call).status, 200);
        }
        if number % 50 == 0 {
            good = served.connect();
        }
        assert_eq!(good.ask(&call).status, 200);
    }
    for client in all {
        client.wait_up_to(Duration::from_secs(5));
        ended(client);
    }
    assert_eq!(served.connect().ask(&call).status, 200);
}

#[test]
fn more_stalled_clients_than_places_keep_nobody_out() {
    let limits = EdgeLimits {
        connections: 50,
        head: HOUR,
        body: HOUR,
        ..EdgeLimits::default()
    };
    let served = Served::with_limits(limits);
    let call = served.call("svc_test_local", "");
    let mut good = served.connect();
    let all: Vec<Client> = (0..how_many())
        .map(|number| {
            // Who goes on in between is not the one that has waited longest.
            assert_eq!(good.ask(&call).status, 200);
            stalled(&served, number)
        })
        .collect();
    for client in all.into_iter().rev().skip(50) {
        ended(client);
    }
    assert_eq!(served.connect().ask(&call).status, 200);
    assert_eq!(good.ask(&call).status, 200);
}
