//! The program ended before its time, by a signal or by its time limit: what was judged is reported.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender};

use serde_json::Value;
use svc_simulator::Simulator;
use svc_test_support::{Client, Folder, Reply, Server, request};

/// How many calls are answered at once; the one after them waits until it is released.
const AT_ONCE: usize = 90;

/// A sandbox that answers nobody from some call on until it is released.
struct Sandbox {
    server: Server,
    release: Sender<()>,
    simulator: Simulator,
}

impl Sandbox {
    fn start() -> Self {
        let simulator = Simulator::start_blocking();
        let address = simulator.addresses().sandbox;
        let (release, released) = mpsc::channel();
        let (released, counted) = (Mutex::new(released), Mutex::new(0));
        let server = Server::start(move |sent| {
            let mut count = counted.lock().expect("nobody panicked");
            *count += 1;
            if *count > AT_ONCE {
                wait(&released);
            }
            drop(count);
            let line = format!("{} {} HTTP/1.1", sent.method, sent.path);
            let names = ["authorization", "idempotency-key", "x-reference-id"];
            let headers = names.map(|name| match sent.header(name) {
                Some(value) => format!("{name}: {value}\r\n"),
                None => String::new(),
            });
            let headers = format!("host: sandbox\r\n{}", headers.concat());
            let body = String::from_utf8_lossy(&sent.body);
            let answer = Client::to(address).ask(request(&line, &headers, &body));
            let kept = ["www-authenticate", "idempotent-replay", "content-type"];
            let headers = kept.iter().filter_map(|name| {
                let value = answer.header(name)?;
                Some(((*name).to_owned(), value.to_owned()))
            });
            Reply::Says(answer.status, headers.collect(), answer.body.into_bytes())
        });
        Sandbox {
            server,
            release,
            simulator,
        }
    }

    /// `run` against it, whose next call waits; stderr line by line.
    fn run(&self, arguments: &[&str]) -> (Child, impl Iterator<Item = String> + use<>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command
            .env_clear()
            .args(["run", "--base-url", &self.server.url]);
        command.args(["--profile", "provider", "--check", "envelope."]);
        let command = command.args(arguments).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let said = BufReader::new(child.stderr.take().expect("it is piped"));
        drop(self.server.sent_when(AT_ONCE + 1));
        (child, said.lines().map_while(Result::ok))
    }

    fn stop(self) {
        // Whatever waits still is not waited for.
        drop(self.release);
        drop(self.server);
        self.simulator.stop_blocking();
    }
}

/// Until it is released for good; a test that is over releases it, too.
fn wait(released: &Mutex<Receiver<()>>) {
    let released = released.lock().expect("nobody panicked");
    let _ = released.recv();
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.is_ok_and(|it| it.success()), "no signal was sent");
}

/// The exit code of a run that is ended so, and the reasons in its JSON report for what is not judged.
fn ended(arguments: &[&str], end: impl FnOnce(&Child), said: &str) -> (Option<i32>, Vec<String>) {
    let (sandbox, folder) = (Sandbox::start(), Folder::new(&format!("end-{said}")));
    let [json, junit, html, capture] = ["a.json", "a.xml", "a.html", "c.json"]
        .map(|it| folder.path().join(it).display().to_string());
    let reports = [
        "--report-json",
        &json,
        "--report-junit",
        &junit,
        "--report-html",
        &html,
    ];
    let all = [&reports[..], &["--capture", &capture], arguments].concat();
    let (mut child, mut lines) = sandbox.run(&all);
    end(&child);
    assert!(lines.any(|line| line.contains(said)), "it says {said}");
    for _ in 0..1000 {
        // The one call that waits, and those that had begun beside it.
        let _ = sandbox.release.send(());
    }
    let rest: Vec<_> = lines.collect();
    assert!(
        rest.iter().any(|line| line.starts_with("ended early: ")),
        "{rest:?}"
    );
    let code = child.wait().expect("it ends").code();
    sandbox.stop();
    for report in [&junit, &html, &capture] {
        assert!(
            std::fs::metadata(report).is_ok_and(|it| it.len() > 0),
            "{report}"
        );
    }
    let report = std::fs::read(&json).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let checks = report["checks"].as_array().expect("checks");
    let judged = checks.iter().filter(|it| it["outcome"] == "passed");
    assert!(judged.count() > 0, "what was judged is reported: {report}");
    let why = checks.iter().filter_map(|it| it["why"].as_str());
    (code, why.map(str::to_owned).collect())
}

#[test]
fn a_signal_ends_a_run_softly() {
    for (name, said) in [("-INT", "SIGINT"), ("-TERM", "SIGTERM")] {
        let (code, why) = ended(&[], |child| signal(child, name), said);
        assert_eq!(code, Some(6));
        let told = format!("not sent: {said} has ended the run");
        assert!(why.contains(&told), "{why:?}");
    }
}

#[test]
fn a_time_limit_ends_a_run_softly() {
    let (code, why) = ended(&["--time-limit", "2s"], |_| (), "time limit");
    assert_eq!(code, Some(6));
    let told = "not sent: the time limit of 2s is over".to_owned();
    assert!(why.contains(&told), "{why:?}");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let sandbox = Sandbox::start();
    let (mut child, mut lines) = sandbox.run(&[]);
    signal(&child, "-INT");
    assert!(lines.any(|line| line.contains("once more ends it at once")));
    signal(&child, "-INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    sandbox.stop();
}
