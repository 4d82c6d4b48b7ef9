//! What is compared with what, and what the ratio should reach.

use std::io::{Error, Result};
use std::path::Path;

use super::load::{Load, Request};
use super::rules::{Inputs, Kind, body, file};
use super::server::Server;

pub(crate) const PAN: &str = "/v1/verify/identity/pan";
const BODY: &str = r#"{"pan":"AAAAA0000A","name":"Asha Rao"}"#;
const SANDBOX_KEY: &str = "svc_test_local_bench";
/// So many different inputs are sent where many rules are compared with few.
const INPUTS: usize = 4096;
const ACCOUNTS: usize = 10_000;

/// All servers, each a process of its own. Those that wait for their turn cost no time.
pub(crate) struct Servers {
    echo: Server,
    bare: Server,
    plain: Server,
    kept: Server,
    many_accounts: Server,
    exact: [(usize, Server); 2],
    patterns: [(usize, Server); 2],
}

/// Two sides that are measured in turn.
pub(crate) struct Pair<'s> {
    pub(crate) name: &'static str,
    pub(crate) ours: (&'s Server, Load),
    pub(crate) peer_name: &'static str,
    pub(crate) peer: (&'s Server, Load),
    pub(crate) goals: &'static [Goal],
}

/// What a ratio should reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    /// Requests per second, at least.
    Rate(f64),
    /// The 99th percentile of latency, at most.
    P99(f64),
    /// Processor time per request, at most.
    Cpu(f64),
}

/// Room for all accounts, and for as many by one address: it is the generator's.
const MANY: &[&str] = &[
    "--max-accounts",
    "40000",
    "--max-accounts-per-address",
    "20000",
];

impl Servers {
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let ruled = |kind, count| {
            let server = Server::simulator(program, Some(&file(kind, count)), &[])?;
            Ok::<_, Error>((count, server))
        };
        Ok(Servers {
            echo: Server::echo()?,
            bare: Server::bare()?,
            plain: Server::simulator(program, None, &[])?,
            kept: Server::simulator(program, None, &["--store", "sqlite:kept.db"])?,
            many_accounts: Server::simulator(program, None, MANY)?,
            exact: [ruled(Kind::Exact, 10)?, ruled(Kind::Exact, 100_000)?],
            patterns: [ruled(Kind::Pattern, 10)?, ruled(Kind::Pattern, 1_000)?],
        })
    }

    /// The server that costs nothing, and the load that is compared.
    pub(crate) fn limit(&self) -> (&Server, Load) {
        (&self.echo, Load::new(&self.echo.sandbox, 1, sandbox_call))
    }

    pub(crate) fn pairs(&self) -> Vec<Pair<'_>> {
        let bare = self.against_bare().into_iter();
        bare.chain(self.against_few()).collect()
    }

    fn against_bare(&self) -> [Pair<'_>; 3] {
        let bare = || (&self.bare, Load::new(&self.bare.sandbox, 1, sandbox_call));
        let pair = |name, ours, goals| Pair {
            name,
            ours: (&self.plain, ours),
            peer_name: "bare axum",
            peer: bare(),
            goals,
        };
        let (sandbox, live) = (&self.plain.sandbox, &self.plain.live);
        [
            pair(
                "sandbox call",
                Load::new(sandbox, 1, sandbox_call),
                &[Goal::Rate(0.8), Goal::P99(1.3), Goal::Cpu(1.3)],
            ),
            pair(
                "live call, hold and commit",
                Load::new(live, super::CONNECTIONS, |number| Request {
                    key: format!("svc_live_bench_{number}"),
                    ..sandbox_call(number)
                }),
                &[Goal::Rate(0.7)],
            ),
            pair(
                "idempotent replay",
                Load::new(sandbox, 1, |number| Request {
                    headers: "Idempotency-Key: bench\r\n",
                    ..sandbox_call(number)
                }),
                &[Goal::Rate(0.9)],
            ),
        ]
    }

    fn against_few(&self) -> [Pair<'_>; 5] {
        let [few, many] = &self.exact;
        let [few_patterns, many_patterns] = &self.patterns;
        let asked = |kind, inputs, (count, server): &'_ (usize, Server)| {
            let request = |number: usize| Request {
                // A step that has no factor with the count visits every rule.
                body: body(kind, number * 7_919 % count, number, inputs),
                ..sandbox_call(number)
            };
            Load::new(&server.sandbox, INPUTS, request)
        };
        let with_keys = |server: &Server, count| {
            let key = |number| format!("svc_test_local_{number}");
            Load::new(&server.sandbox, count, |number| Request {
                key: key(number),
                ..sandbox_call(number)
            })
        };
        [
            Pair {
                name: "100,000 exact rules",
                ours: (&many.1, asked(Kind::Exact, Inputs::Named, many)),
                peer_name: "10 exact rules",
                peer: (&few.1, asked(Kind::Exact, Inputs::Named, few)),
                goals: &[Goal::Rate(0.95), Goal::P99(1.1)],
            },
            Pair {
                name: "1,000 patterns",
                ours: (
                    &many_patterns.1,
                    asked(Kind::Pattern, Inputs::Named, many_patterns),
                ),
                peer_name: "10 patterns",
                peer: (
                    &few_patterns.1,
                    asked(Kind::Pattern, Inputs::Named, few_patterns),
                ),
                goals: &[Goal::Rate(0.9)],
            },
            Pair {
                name: "an input no rule names",
                ours: (&many.1, asked(Kind::Exact, Inputs::Unnamed, many)),
                peer_name: "an input a rule names",
                peer: (&many.1, asked(Kind::Exact, Inputs::Canned, many)),
                goals: &[Goal::Rate(0.9)],
            },
            Pair {
                name: "kept in SQLite",
                ours: (&self.kept, Load::new(&self.kept.sandbox, 1, sandbox_call)),
                peer_name: "in memory",
                peer: (&self.plain, Load::new(&self.plain.sandbox, 1, sandbox_call)),
                goals: &[Goal::Rate(0.4)],
            },
            Pair {
                name: "10,000 accounts",
                ours: (
                    &self.many_accounts,
                    with_keys(&self.many_accounts, ACCOUNTS),
                ),
                peer_name: "1 account",
                peer: (
                    &self.plain,
                    // As many requests lie in the generator's memory.
                    Load::new(&self.plain.sandbox, ACCOUNTS, sandbox_call),
                ),
                goals: &[Goal::Rate(0.9)],
            },
        ]
    }
}

fn sandbox_call(_: usize) -> Request {
    Request {
        path: PAN,
        key: SANDBOX_KEY.to_owned(),
        headers: "",
        body: BODY.to_owned(),
    }
}
