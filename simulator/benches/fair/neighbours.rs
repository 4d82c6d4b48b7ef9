//! Accounts that take all they can get, over and over, in a process of their own.

use std::io::{Result, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use svc_test_support::Connection;

/// Starts them: their name, the address of the console, that of the sandbox.
pub(crate) const FLAG: &str = "--neighbours";

/// What neighbours do, each on a connection of its own.
pub(crate) struct Neighbours {
    pub(crate) name: &'static str,
    /// How many.
    count: usize,
    /// Whether they ask the console.
    console: bool,
    /// The request of the neighbour of this number, who asked so often before; of a host.
    request: fn(usize, usize, &str) -> String,
}

pub(crate) const ALL: &[Neighbours] = &[
    Neighbours {
        name: "flood",
        count: 32,
        console: false,
        request: |_, _, _| call("greedy", "identity/pan", r#"{"pan": "AAAAA0000A"}"#),
    },
    Neighbours {
        name: "delay",
        count: 1000,
        console: false,
        request: |_, _, _| call("slow", "identity/pan", r#"{"pan": "AAAAA0000A"}"#),
    },
    Neighbours {
        name: "poll",
        count: 1000,
        console: true,
        request: |_, _, host| {
            format!(
                "GET /control/events?account=local&from=1000000&wait=60s HTTP/1.1\r\nHost: {host}\r\n\r\n"
            )
        },
    },
    Neighbours {
        name: "fill their room",
        count: 8,
        console: false,
        request: |who, nth, _| {
            let body = format!(r#"{{"uan": "100000000202", "who": {who}, "nth": {nth}}}"#);
            call(&format!("full{}", who % 4), "employment/uan", &body)
        },
    },
    Neighbours {
        name: "open accounts",
        count: 8,
        console: false,
        request: |who, nth, _| {
            call(
                &format!("opened{who}_{nth}"),
                "identity/pan",
                r#"{"pan": "AAAAA0000A"}"#,
            )
        },
    },
    Neighbours {
        name: "move clocks",
        count: 8,
        console: true,
        request: |who, _, host| {
            let body = r#"{"advance": "1h"}"#;
            format!(
                "POST /control/accounts/local_clock{who}/clock HTTP/1.1\r\nHost: {host}\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
        },
    },
];

/// What answers the slow one after an hour.
pub(crate) const SLOW: &str = r#"
[[scenario]]
name = "slow"
operation = "verify.identity.pan"
when = { account = "local_slow" }
then = { success = {}, delay = "1h" }
"#;

/// A call on the sandbox.
pub(crate) fn call(account: &str, path: &str, body: &str) -> String {
    format!(
        "POST /v1/verify/{path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local_{account}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Lives beside the innocent until the process is killed.
pub(crate) async fn live(name: &str, console: &str, sandbox: &str) -> Result<ExitCode> {
    let Some(row) = ALL.iter().find(|row| row.name == name) else {
        return Ok(ExitCode::FAILURE);
    };
    let address = if row.console { console } else { sandbox };
    let tasks: Vec<_> = (0..row.count)
        .map(|who| tokio::spawn(ask_for_ever(row, who, address.to_owned())))
        .collect();
    // Whoever started this waits for a line.
    writeln!(std::io::stdout(), "{name}")?;
    for task in tasks {
        let _ = task.await;
    }
    Ok(ExitCode::SUCCESS)
}

async fn ask_for_ever(row: &'static Neighbours, who: usize, address: String) {
    let mut nth = 0;
    loop {
        let Ok(mut connection) = Connection::open(&address).await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let mut status = Ok(200);
        while let Ok(answered) = status {
            if answered == 429 {
                // Who is refused asks again soon, not all at the same moment, and is no flood.
                let pause = 100 + (who * 37 % 100) as u64;
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
            let request = (row.request)(who, nth, &address);
            nth += 1;
            status = connection.exchange(request.as_bytes()).await;
        }
    }
}
