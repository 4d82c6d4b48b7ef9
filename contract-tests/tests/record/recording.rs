//! A proxy that records, and raw exchanges through it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use svc_contract_tests::capture::Capture;
use svc_test_support::{Folder, Program};

/// A running proxy and the folder of its capture.
pub(crate) struct Recording {
    program: Program,
    pub(crate) folder: Folder,
    /// Where it listens, in the order in which it says so.
    pub(crate) addresses: Vec<String>,
    said: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
    /// Has what it says behind that read.
    hears: Sender<()>,
}

/// What became of a recording.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) report: String,
    pub(crate) said: String,
    pub(crate) text: String,
    pub(crate) capture: Capture,
    pub(crate) folder: Folder,
}

impl Recording {
    /// Records what goes to the sandbox at this URL.
    pub(crate) fn of(url: &str, more: &[&str]) -> Self {
        let listen = ["--listen", "127.0.0.1:0", "--forward", url];
        Recording::start(&[&listen[..], more].concat())
    }

    pub(crate) fn start(arguments: &[&str]) -> Self {
        let recording = Recording::unheard(arguments);
        recording.hears.send(()).expect("it waits");
        recording
    }

    /// Nobody reads what it says but where it listens, before it is to end.
    pub(crate) fn unheard(arguments: &[&str]) -> Self {
        let folder = Folder::new("record");
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command.env_clear().arg("record").args(arguments);
        command.arg("--out").arg(folder.path().join("run.capture"));
        let mut program = Program::start(command.stderr(Stdio::piped()));
        let mut lines = BufReader::new(program.stderr()).lines();
        let mut addresses = Vec::new();
        for line in lines.by_ref() {
            let line = line.expect("text");
            match line.split_once(": http://") {
                Some((_, rest)) => {
                    let address = rest.split(' ').next().expect("an address");
                    addresses.push(address.to_owned());
                }
                None if line.starts_with("recording to") => break,
                None => panic!("{line}"),
            }
        }
        let said = Arc::new(Mutex::new(String::new()));
        let all = Arc::clone(&said);
        let (hears, heard) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            heard.recv().expect("it is to be read at the end");
            for line in lines.map_while(Result::ok) {
                *all.lock().expect("nobody panics") += &format!("{line}\n");
            }
        });
        Recording {
            program,
            folder,
            addresses,
            said,
            reader,
            hears,
        }
    }

    pub(crate) fn address(&self) -> &str {
        &self.addresses[0]
    }

    /// The most memory that it had at once.
    #[cfg(target_os = "linux")]
    pub(crate) fn most_memory_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id()));
        let status = status.expect("Linux");
        let mut lines = status.lines();
        let line = lines.find_map(|line| line.strip_prefix("VmHWM:"));
        let line = line.expect("it is there").trim().trim_end_matches(" kB");
        line.parse().expect("a number")
    }

    /// Ends it as Ctrl-C does, where there is no file any more: the exit code, and what was said.
    pub(crate) fn end_without_file(self) -> (Option<i32>, String) {
        self.program.interrupt();
        let (code, _) = self.program.ended();
        self.reader.join().expect("it ends with its pipe");
        let said = self.said.lock().expect("nobody panics").clone();
        (code, said)
    }

    /// Ends it as Ctrl-C does.
    pub(crate) fn end(self) -> Ended {
        // It may be read already.
        let _ = self.hears.send(());
        self.program.interrupt();
        let (code, report) = self.program.ended();
        self.reader.join().expect("it ends with its pipe");
        let text = std::fs::read_to_string(self.folder.path().join("run.capture"));
        let text = text.expect("a capture");
        let said = self.said.lock().expect("nobody panics").clone();
        let capture = Capture::from_json(&text);
        let capture = capture.unwrap_or_else(|error| panic!("{error}\n{said}\n{text}"));
        Ended {
            code,
            report,
            said,
            text,
            capture,
            folder: self.folder,
        }
    }
}

impl Ended {
    /// What `judge` says of the file.
    pub(crate) fn judged(&self) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command.env_clear().arg("judge");
        command.arg(self.folder.path().join("run.capture"));
        let (code, report, _) = svc_test_support::ended(&mut command);
        (code, report)
    }

    /// How each exchange ended, by its name.
    pub(crate) fn endings(&self) -> Vec<String> {
        let ending = |case: &svc_contract_tests::capture::CapturedCase| {
            let how = case
                .exchanges
                .first()
                .map(|exchange| match &exchange.response {
                    Ok(response) => response.status.to_string(),
                    Err(error) => error.to_string(),
                });
            let how = how.or(case.stopped.clone()).unwrap_or_default();
            let name = case.case.split_once(' ').map_or("", |(_, name)| name);
            format!(
                "{name}: {}",
                how.split(" came in").next().unwrap_or_default()
            )
        };
        let mut endings: Vec<_> = self.capture.cases.iter().map(ending).collect();
        endings.sort();
        endings
    }
}

/// Sends these bytes and answers all that comes until the other side closes.
pub(crate) fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    // It may close before it has read all.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends the beginning of something and goes away.
pub(crate) fn leave(address: &str, bytes: &[u8]) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(bytes).expect("it reads");
    stream.shutdown(Shutdown::Both).expect("it is open");
}

/// A request that closes its connection.
pub(crate) fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A call of the PAN operation by the local account, with more headers.
pub(crate) fn pan(headers: &str) -> Vec<u8> {
    let headers = format!(
        "Authorization: Bearer svc_test_local\r\nContent-Type: application/json\r\n{headers}"
    );
    request(
        "POST",
        "/v1/verify/identity/pan",
        &headers,
        r#"{"pan":"AAAAA0000A"}"#,
    )
}

/// The body of an answer.
pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
}
