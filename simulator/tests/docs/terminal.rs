//! Where the commands of a page run: an empty folder, a shell, and programs that go on running beside it. The ports
//! that a page names stand for free ones.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, PipeReader, Read as _, pipe};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use svc_test_support::{Folder, free_address};

use super::WORKS;

/// Longer than any command of a page takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The ports of a simulator on its defaults, by the names of its ports file.
const DEFAULT_PORTS: [(&str, u16); 3] = [("console", 8800), ("sandbox", 8801), ("live", 8802)];

/// `cargo run --release` is the program that was built for the tests.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
  "run --release -p svc-contract-tests -- "*) shift 5; exec svc-contract-tests "$@" ;;
  "run --release") exec svc-simulator ;;
  "run --release -- "*) shift 3; exec svc-simulator "$@" ;;
esac
echo "no page may call cargo $*" >&2
exit 1
"#;

/// A shell in a folder of a page.
pub(crate) struct Terminal {
    programs: Folder,
    folder: Folder,
    /// The port that a page names, and the one that stands for it.
    ports: BTreeMap<u16, u16>,
    running: Vec<Running>,
}

/// A command that ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    /// Both of its outputs as they came.
    pub(crate) printed: String,
}

struct Running {
    command: String,
    child: Child,
    lines: Arc<(Mutex<Printed>, Condvar)>,
    read: usize,
}

/// What a program has printed so far, and whether that is all.
#[derive(Default)]
struct Printed {
    lines: Vec<String>,
    ended: bool,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let (programs, folder) = (Folder::new("docs-programs"), Folder::new("docs"));
        let link = |to: &Path, name| symlink(to, programs.path().join(name)).expect(WORKS);
        link(
            Path::new(env!("CARGO_BIN_EXE_svc-simulator")),
            "svc-simulator",
        );
        link(
            &std::env::current_exe().expect(WORKS),
            super::CONTRACT_TESTS,
        );
        programs.write("cargo", CARGO);
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(programs.path().join("cargo"), executable).expect(WORKS);
        Terminal {
            programs,
            folder,
            ports: BTreeMap::new(),
            running: Vec::new(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file that a page shows.
    pub(crate) fn write(&mut self, name: &str, text: &str) {
        let text = self.with_free_ports(text);
        self.folder.write(name, &text);
    }

    /// Runs commands to their end.
    pub(crate) fn run(&mut self, text: &str) -> Result<Ended, String> {
        if self.needs_a_simulator(text) {
            self.start("svc-simulator serve", 1)?;
        }
        let text = self.with_free_ports(text);
        let mut command = self.shell(&text);
        if let Some(console) = self.ports.get(&8800).filter(|_| !text.contains("--help")) {
            let url = format!("http://127.0.0.1:{console}");
            command.env("SVC_SIMULATOR_CONSOLE_URL", url);
        }
        let (reader, writer) = pipe().expect(WORKS);
        command
            .stderr(writer.try_clone().expect(WORKS))
            .stdout(writer);
        let mut child = command.spawn().expect(WORKS);
        // Else this process would keep the pipe open.
        drop(command);
        let read = rest_of(reader);
        let printed = read.recv_timeout(PATIENCE);
        kill(&child, Signal::KILL);
        let code = child.wait().expect(WORKS).code();
        let printed = printed.map_err(|_| format!("still runs after {PATIENCE:?}:\n{text}"))?;
        Ok(Ended {
            code,
            printed: self.with_the_pages_ports(&printed),
        })
    }

    /// Starts a program that goes on running; it has started when it has printed so many lines, which come back.
    pub(crate) fn start(&mut self, text: &str, lines: usize) -> Result<String, String> {
        let serves = is_simulator(text);
        if !serves && self.needs_a_simulator(text) {
            self.start("svc-simulator serve", 1)?;
        }
        let takes_free_ports = serves && !text.contains("--console ");
        if takes_free_ports {
            self.stop_simulator();
        }
        let real = self.with_free_ports(text);
        let mut command = self.shell(&real);
        let ports_file = self.programs.path().join("ports.json");
        if takes_free_ports {
            for (listener, _) in DEFAULT_PORTS {
                let name = format!("SVC_SIMULATOR_{}", listener.to_uppercase());
                command.env(name, "127.0.0.1:0");
            }
            command.env("SVC_SIMULATOR_PORTS_FILE", &ports_file);
        } else if let Some(console) = self.ports.get(&8800) {
            let url = format!("http://127.0.0.1:{console}");
            command.env("SVC_SIMULATOR_CONSOLE_URL", url);
        }
        let log = self.programs.path().join("log");
        let file = std::fs::File::create(&log).expect(WORKS);
        command.stdout(Stdio::piped()).stderr(file);
        self.running.push(Running::start(text, &mut command));
        let Some(running) = self.running.last_mut() else {
            unreachable!("it was put there");
        };
        let Some(printed) = running.next(lines) else {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            return Err(format!("did not start: {text}\n{said}"));
        };
        if takes_free_ports {
            self.takes_ports_of(&ports_file);
        }
        Ok(self.with_the_pages_ports(&printed))
    }

    /// What a program that was started printed next; so many lines of it.
    pub(crate) fn next_of(&mut self, name: &str, lines: usize) -> Result<String, String> {
        let mut named = self.running.iter_mut().rev();
        let running = named.find(|it| it.command.contains(name));
        let running = running.ok_or_else(|| format!("no {name} was started"))?;
        let printed = running.next(lines);
        let printed = printed.ok_or_else(|| {
            let printed = running.lines.0.lock().lines[running.read..].join("\n");
            format!("{name} did not print {lines} lines, but:\n{printed}")
        })?;
        Ok(self.with_the_pages_ports(&printed))
    }

    fn needs_a_simulator(&self, text: &str) -> bool {
        let known = self.ports.contains_key(&8800);
        let named = DEFAULT_PORTS
            .iter()
            .any(|(_, port)| text.contains(&format!(":{port}")));
        let talks = ["account", "clock", "deliveries", "trigger", "listen"];
        let talks = talks
            .iter()
            .any(|it| text.contains(&format!("svc-simulator {it}")));
        !known && (named || talks) && !text.contains("--help")
    }

    fn takes_ports_of(&mut self, file: &Path) {
        let ports = std::fs::read(file).expect("the ports file is there with the first line");
        let ports: Value = serde_json::from_slice(&ports).expect(WORKS);
        for (listener, port) in DEFAULT_PORTS {
            let address = ports[listener].as_str().and_then(|it| it.rsplit_once(':'));
            let free = address.and_then(|(_, port)| port.parse().ok());
            self.ports.insert(port, free.expect("an address"));
        }
    }

    /// As Ctrl-C does it.
    fn stop_simulator(&mut self) {
        let is_it = |it: &Running| is_simulator(&it.command) && !it.command.contains("--console ");
        for mut running in self.running.extract_if(.., |it| is_it(it)) {
            kill(&running.child, Signal::INT);
            let _ = running.child.wait();
        }
    }

    fn shell(&self, text: &str) -> Command {
        let mut command = Command::new("sh");
        let path = format!(
            "{}:/usr/local/bin:/usr/bin:/bin",
            self.programs.path().display()
        );
        command
            .args(["-e", "-c", text])
            .current_dir(self.folder.path());
        command.env_clear().env("PATH", path).env("LANG", "C.UTF-8");
        command
            .env("HOME", self.programs.path())
            .stdin(Stdio::null());
        command.process_group(0);
        command
    }

    fn with_free_ports(&mut self, text: &str) -> String {
        for port in named_ports(text) {
            self.ports
                .entry(port)
                .or_insert_with(|| free_address().port());
        }
        let ports: Vec<_> = self
            .ports
            .iter()
            .map(|(named, free)| (*named, *free))
            .collect();
        replaced(text, &ports)
    }

    fn with_the_pages_ports(&self, text: &str) -> String {
        let ports: Vec<_> = self
            .ports
            .iter()
            .map(|(named, free)| (*free, *named))
            .collect();
        let folder = format!("{}/", self.folder.path().display());
        replaced(text, &ports).replace(&folder, "")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        for running in &mut self.running {
            kill(&running.child, Signal::KILL);
            let _ = running.child.wait();
        }
    }
}

impl Running {
    fn start(text: &str, command: &mut Command) -> Self {
        let mut child = command.spawn().expect(WORKS);
        let out = child.stdout.take().expect(WORKS);
        let lines = Arc::new((Mutex::new(Printed::default()), Condvar::new()));
        let shared = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                shared.0.lock().lines.push(line);
                shared.1.notify_all();
            }
            shared.0.lock().ended = true;
            shared.1.notify_all();
        });
        Running {
            command: text.to_owned(),
            child,
            lines,
            read: 0,
        }
    }

    /// The next so many lines; none where they do not come.
    fn next(&mut self, count: usize) -> Option<String> {
        let until = self.read + count;
        let mut printed = self.lines.0.lock();
        while printed.lines.len() < until {
            if printed.ended
                || self
                    .lines
                    .1
                    .wait_for(&mut printed, PATIENCE / 4)
                    .timed_out()
            {
                return None;
            }
        }
        let next = printed.lines[self.read..until].join("\n");
        self.read = until;
        Some(next)
    }
}

fn is_simulator(command: &str) -> bool {
    let runs = ["svc-simulator serve", "cargo run --release"];
    runs.iter().any(|it| command.contains(it))
}

fn rest_of(mut reader: PipeReader) -> std::sync::mpsc::Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        // Nobody waits for it any more after a while.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn kill(child: &Child, signal: Signal) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // It may have ended.
        let _ = kill_process_group(group, signal);
    }
}

/// The ports behind `127.0.0.1:` and `--port `.
fn named_ports(text: &str) -> Vec<u16> {
    let before = ["127.0.0.1:", "localhost:", "--port "];
    let rests = before.iter().flat_map(|before| text.split(before).skip(1));
    let digits = rests.map(|rest| {
        let end = rest.find(|it: char| !it.is_ascii_digit());
        &rest[..end.unwrap_or(rest.len())]
    });
    let ports = digits.filter_map(|digits| digits.parse().ok());
    ports.filter(|port| *port >= 1024).collect()
}

/// Whole numbers replaced by others.
fn replaced(text: &str, ports: &[(u16, u16)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|it: char| it.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let end = number.find(|it: char| !it.is_ascii_digit());
        let (number, after) = number.split_at(end.unwrap_or(number.len()));
        let is_port = before.ends_with([':', ' ', '"']) || out.ends_with([':']);
        let found = ports
            .iter()
            .find(|(old, _)| is_port && number == old.to_string());
        out.push_str(before);
        match found {
            Some((_, new)) => out.push_str(&new.to_string()),
            None => out.push_str(number),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
