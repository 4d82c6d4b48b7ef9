//! HTTP servers for these tests: one that gives the answers it was made with, and a simulator behind it that
//! counts what it charges.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use svc_contract_tests::capture::{Channel, Request};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::Target as _;
use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::json::Json;
pub(crate) use svc_test_support::{Reply, Server, ended};

use crate::support::{self, InProcess};

/// A key that no simulator is known by.
pub(crate) const LIVE_KEY: &str = "svc_live_0123456789abcdef";

/// A simulator that knows [`LIVE_KEY`] and counts what it charges.
pub(crate) struct Bank {
    simulator: InProcess,
    charged: AtomicI64,
}

impl Bank {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Bank {
            simulator: InProcess::new(support::accounts()),
            charged: AtomicI64::new(0),
        })
    }

    /// What it charged in all, in paise.
    pub(crate) fn charged(&self) -> i64 {
        self.charged.load(Ordering::SeqCst)
    }

    pub(crate) fn answer(
        &self,
        environment: Environment,
        sent: &svc_test_support::Request,
    ) -> Reply {
        let (path, query) = sent.path.split_once('?').unwrap_or((&sent.path, ""));
        let header = |name: &str| {
            let found = sent.headers.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.replace(LIVE_KEY, "svc_live_local_bank"))
        };
        let request = Request {
            channel: Channel::Api,
            environment,
            method: sent.method.clone(),
            path: path.to_owned(),
            query: query.to_owned(),
            authorization: header("authorization").map(Secret::new),
            headers: sent.headers.clone(),
            body: sent.body.clone(),
            padded_to: None,
        };
        let response = support::block_on(self.simulator.send(&request)).expect("it answers");
        let json = Json::parse(&response.body).expect("an envelope");
        let amount = json
            .get("billing")
            .and_then(|billing| billing.get("amount"));
        let amount = amount.and_then(Json::as_num).and_then(Paise::from_rupees);
        let replay = response.header("idempotent-replay").is_some();
        if sent.method == "POST" && !replay {
            let amount = amount.expect("every envelope has an amount");
            self.charged.fetch_add(amount.0, Ordering::SeqCst);
        }
        let mut headers = response.headers;
        if response.status == 401 {
            headers.push(("www-authenticate".to_owned(), "Bearer".to_owned()));
        }
        Reply::Says(response.status, headers, response.body)
    }
}

/// A sandbox and a live service of one bank.
pub(crate) fn both(bank: &Arc<Bank>) -> (Server, Server) {
    let [sandbox, live] = Environment::ALL.map(|environment| {
        let bank = Arc::clone(bank);
        Server::start(move |sent| bank.answer(environment, sent))
    });
    (sandbox, live)
}

/// The same answer with other texts in its body.
pub(crate) fn retold(answer: Reply, changes: &[(&str, &str)]) -> Reply {
    match answer {
        Reply::Says(status, headers, body) => {
            let body = String::from_utf8(body).expect("JSON is text");
            let change = |body: String, (from, to): &(&str, &str)| body.replace(from, to);
            let body = changes.iter().fold(body, change);
            Reply::Says(status, headers, body.into_bytes())
        }
        other => other,
    }
}

/// The same answer with another status, and another claim of what was charged.
pub(crate) fn lying(answer: Reply, status: Option<&str>, charged: bool, amount: &str) -> Reply {
    let Reply::Says(code, headers, body) = answer else {
        return answer;
    };
    let text = String::from_utf8(body).expect("JSON is text");
    let (before, billing) = text.split_once("\"billing\":{").expect("an envelope");
    let (_, after) = billing.split_once("\"currency\"").expect("a currency");
    let claim = format!("\"charged\":{charged},\"amount\":{amount},\"currency\"");
    let mut text = format!("{before}\"billing\":{{{claim}{after}");
    if let Some(status) = status {
        for known in ["completed", "failed"] {
            let (from, to) = (
                format!("\"status\":\"{known}\""),
                format!("\"status\":\"{status}\""),
            );
            text = text.replacen(&from, &to, 1);
        }
    }
    Reply::Says(code, headers, text.into_bytes())
}

/// `run` against these two, with a real key.
pub(crate) fn run(sandbox: &Server, live: &Server) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    for name in [
        "SVC_BASE_URL",
        "SVC_LIVE_URL",
        "SVC_API_KEY",
        "SVC_LIVE_KEY",
        "SVC_CONSOLE_URL",
    ] {
        command.env_remove(name);
    }
    command.args(["run", "--base-url", &sandbox.url, "--live-url", &live.url]);
    command.args(["--live-key", LIVE_KEY]);
    command.current_dir(env!("CARGO_TARGET_TMPDIR"));
    command.env("XDG_DATA_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// How many calls came in so many runs, but for the one by which each asks whether its key is taken.
pub(crate) fn calls(server: &Server, runs: usize) -> usize {
    server.sent().len() - runs
}

/// A file that no other test and no earlier run of this one has.
pub(crate) fn fresh_file(name: &str) -> String {
    let path = format!("{}/{name}.jsonl", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_file(&path);
    path
}
