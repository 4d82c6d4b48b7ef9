//! HTTP servers for these tests: one that answers as it is told, and a simulator behind it that
//! counts what it charges.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use svc_contract_tests::capture::{Channel, Request};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::Target as _;
use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::json::Json;

use crate::support::{self, InProcess};

/// A key that no simulator is known by.
pub(crate) const LIVE_KEY: &str = "svc_live_0123456789abcdef";

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// What a server does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Says(u16, Vec<(String, String)>, Vec<u8>),
    HangsUp,
    /// Until the other side is gone.
    IsSilent,
}

/// A server, and what it was sent.
pub(crate) struct Server {
    pub(crate) url: String,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Sent) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address: SocketAddr = listener.local_addr().expect("an address");
        let sent = Arc::new(Mutex::new(Vec::new()));
        let (noted, answer) = (Arc::clone(&sent), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &noted, &*answer));
            }
        });
        let url = format!("http://{address}");
        Server { url, sent }
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().expect("nobody panicked").clone()
    }
}

fn serve(mut stream: TcpStream, noted: &Mutex<Vec<Sent>>, answer: &dyn Fn(&Sent) -> Answer) {
    let Some(sent) = read(&stream) else { return };
    noted.lock().expect("nobody panicked").push(sent.clone());
    match answer(&sent) {
        Answer::Says(status, headers, body) => {
            let mut head = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head += &format!("{name}: {value}\r\n");
            }
            let _ = stream.write_all(format!("{head}\r\n").as_bytes());
            let _ = stream.write_all(&body);
        }
        Answer::HangsUp => {}
        Answer::IsSilent => {
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
}

fn read(stream: &TcpStream) -> Option<Sent> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let mut first = lines.first()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let pairs = lines[1..].iter().filter_map(|line| line.split_once(':'));
    let headers: Vec<_> = pairs
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, text)| text.parse().expect("a length"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Sent {
        method,
        path,
        headers,
        body,
    })
}

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

    pub(crate) fn answer(&self, environment: Environment, sent: &Sent) -> Answer {
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
        Answer::Says(response.status, headers, response.body)
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
pub(crate) fn retold(answer: Answer, changes: &[(&str, &str)]) -> Answer {
    match answer {
        Answer::Says(status, headers, body) => {
            let body = String::from_utf8(body).expect("JSON is text");
            let change = |body: String, (from, to): &(&str, &str)| body.replace(from, to);
            let body = changes.iter().fold(body, change);
            Answer::Says(status, headers, body.into_bytes())
        }
        other => other,
    }
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
    command
}

/// A file that no other test and no earlier run of this one has.
pub(crate) fn fresh_file(name: &str) -> String {
    let path = format!("{}/{name}.jsonl", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_file(&path);
    path
}

/// The exit code and both outputs of a command.
pub(crate) fn ended(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}
