//! A simulator with a SQLite store is killed under load and started again: all that it acknowledged is there,
//! and nothing twice. `SVC_KILLS` says how often; a few times unless told.

mod clients;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use svc_test_support::{Addresses, Client, Folder, Program, Server, request};

use clients::{ACCOUNTS, Acknowledged, Asked, Load};

/// A simulator on a store. Dropped, it is killed (SIGKILL): it has no time to say anything.
struct Simulator {
    _program: Program,
    addresses: Addresses,
}

impl Simulator {
    fn start(folder: &Folder) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command.env_clear();
        let arguments = [
            ["--store", "sqlite:kept.db"],
            ["--log", "error"],
            // A slow history comes in less than a second.
            ["--time-scale", "60"],
            // Nothing is forgotten, so that all can be asked for.
            ["--keep-calls", "1000000"],
            ["--keep-bytes", "1GiB"],
            ["--keep-total", "4GiB"],
        ];
        let (program, addresses) =
            Program::serve(&mut command, folder.path(), arguments.as_flattened());
        Simulator {
            _program: program,
            addresses,
        }
    }

    fn control(&self, line: &str, body: &str) -> Value {
        let console = self.addresses.of("console");
        let host = format!("Host: {console}\r\n");
        let line = format!("{line} HTTP/1.1");
        let answer = Client::to(&console).ask(request(&line, &host, body));
        assert!(answer.status < 300, "{line}: {answer:?}");
        answer.json()
    }
}

fn kills() -> usize {
    std::env::var("SVC_KILLS").map_or(3, |kills| kills.parse().expect("a number"))
}

/// A store that was killed more often is read for longer, and begins nothing new.
const KILLS_OF_ONE_STORE: usize = 50;

#[test]
fn what_was_acknowledged_outlives_every_kill_and_nothing_is_there_twice() {
    let mut left = kills();
    while left > 0 {
        let kills = left.min(KILLS_OF_ONE_STORE);
        one_store(kills);
        left -= kills;
    }
}

fn one_store(kills: usize) {
    let folder = Folder::new("killed");
    let receiver = Server::start(|_| svc_test_support::Reply::Says(200, Vec::new(), Vec::new()));
    let mut known = Known::default();
    for round in 0..kills {
        let simulator = Simulator::start(&folder);
        if round == 0 {
            for account in ACCOUNTS {
                let line = format!("PUT /control/accounts/{account}/webhook");
                let url = format!("{}/hook", receiver.url);
                simulator.control(
                    &line,
                    &format!(r#"{{"url": "{url}", "secret": "whsec_sample"}}"#),
                );
            }
        }
        known.check(&simulator, round);
        let live = simulator.addresses.of("live");
        // Some more each time, from the first moments to some groups of commits.
        let load = Load::begin(&live, round);
        load.wait_for(20 + round * 37 % 400);
        drop(simulator);
        known.learn(load.end());
    }
    let simulator = Simulator::start(&folder);
    known.check(&simulator, usize::MAX);
    known.check_ends(&simulator, &receiver);
}

/// What the clients were told, by key.
#[derive(Default)]
struct Known {
    told: BTreeMap<String, Acknowledged>,
    /// What was asked and not answered.
    open: Vec<Asked>,
    /// How many of those told were checked.
    checked_rounds: usize,
}

impl Known {
    fn learn(&mut self, (told, open): (Vec<Acknowledged>, Vec<Asked>)) {
        for told in told {
            let before = self.told.insert(told.asked.key.clone(), told);
            assert!(before.is_none(), "a key is told once: {before:?}");
        }
        self.open.extend(open);
    }

    /// Asks again under every key: what was told is told again, byte for byte. What was not answered is
    /// answered now, whether or not it was executed before.
    fn check(&mut self, simulator: &Simulator, round: usize) {
        let live = simulator.addresses.of("live");
        let mut client = clients::Connection::to(&live);
        self.checked_rounds += 1;
        for (at, told) in self.told.values().enumerate() {
            // All at the end, some of them at each start.
            let every = self.told.len() / 300 + 1;
            if round != usize::MAX && at % every != self.checked_rounds % every {
                continue;
            }
            let again = client.ask(&told.asked).expect("it answers");
            assert_eq!(again.body, told.answer.body, "{told:?}");
            assert_eq!(again.header("idempotent-replay"), Some("true"), "{told:?}");
        }
        for asked in std::mem::take(&mut self.open) {
            let answer = client.ask(&asked).expect("it answers");
            assert!(matches!(answer.status, 200 | 202), "{asked:?}: {answer:?}");
            let told = Acknowledged { asked, answer };
            self.told.insert(told.asked.key.clone(), told);
        }
    }

    /// Each key was executed once and charged once, what was pending has ended, and its webhook came.
    fn check_ends(&self, simulator: &Simulator, receiver: &Server) {
        let live = simulator.addresses.of("live");
        let mut client = clients::Connection::to(&live);
        for account in ACCOUNTS {
            simulator.control(
                &format!("POST /control/accounts/{account}/clock"),
                r#"{"advance": "12h"}"#,
            );
            let sent = receiver.sent().into_iter();
            let id =
                |webhook: svc_test_support::Request| webhook.json()["verificationId"].to_string();
            let received: BTreeSet<_> = sent.map(id).collect();
            let of_it = self
                .told
                .values()
                .filter(|told| told.asked.account == account);
            let (mut calls, mut paise) = (0, 0);
            for told in of_it {
                let id = told.answer.json()["verificationId"]
                    .as_str()
                    .expect("an id")
                    .to_owned();
                let found = client.look_up(account, &id).expect("it answers").json();
                assert_eq!(found["status"], "completed", "{told:?}: {found}");
                let amount = found["billing"]["amount"].as_f64().expect("an amount");
                assert!(amount > 0.0, "{found}");
                paise += (amount * 100.0).round() as i64;
                calls += 1;
                assert!(
                    !told.asked.slow || received.contains(&format!("\"{id}\"")),
                    "no webhook of {told:?}"
                );
            }
            assert!(calls > 0, "nobody asked {account}");
            let usage = client.usage(account).expect("it answers").json();
            let totals = &usage["data"]["totals"];
            assert_eq!(totals["calls"], calls, "{usage}");
            let charged = totals["amount"].as_f64().expect("an amount");
            assert_eq!((charged * 100.0).round() as i64, paise, "{usage}");
            let balance = usage["data"]["walletBalance"].as_f64().expect("a balance");
            let left = 10_000_000 - (balance * 100.0).round() as i64;
            assert_eq!(left, paise, "{usage}");
        }
    }
}
