//! Programs that are started for a test and end with it, and what is posted to them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use svc_simulator::engine::state::signature::Signature;
use svc_simulator::host::clock::Clock;

pub(crate) const SECRET: &str = "whsec_sample";

/// A running program.
pub(crate) struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a program that starts");
        let out = child.stdout.take().expect("a pipe");
        Program {
            child,
            out: BufReader::new(out),
        }
    }

    /// The next line it prints.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.out.read_line(&mut line).expect("text");
        assert!(read > 0, "the program ended");
        line.trim_end().to_owned()
    }

    /// Interrupts it as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "no signal was sent"
        );
    }

    /// The exit code of a program that ends by itself, and what else it printed.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("text");
        let status = self.child.wait().expect("a child");
        (status.code(), rest)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that is signed rightly, to be spoilt.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn now_s() -> i64 {
    Clock::machine().real().as_second()
}

/// An envelope that another print would change.
pub(crate) fn envelope(id: &str) -> Vec<u8> {
    format!(
        "{{\"success\":true,\"verificationId\":\"{id}\",\"status\":\"completed\",\"data\":{{\"verificationId\":\"no\",\
         \"name\":\"ZO\u{cb} \\u0052AO\\n\",\"url\":\"http:\\/\\/a\", \"score\":1.0,\"list\":[{{}},[\"}}\"],null]}}}}\n"
    )
    .into_bytes()
}

/// A genuine delivery of this verification.
pub(crate) fn genuine(id: &str) -> Delivery {
    signed(SECRET, now_s(), envelope(id))
}

pub(crate) fn signed(secret: &str, at_s: i64, body: Vec<u8>) -> Delivery {
    Delivery {
        headers: vec![Signature::sign(secret, at_s, &body).to_string()],
        body,
    }
}

/// Posts it and gives back the status.
pub(crate) fn post(to: SocketAddr, delivery: &Delivery) -> u16 {
    ask(to, &request(to, delivery))
}

/// Posts it so many times, all of which end at the same moment, and gives back the statuses.
pub(crate) fn post_at_once(to: SocketAddr, delivery: &Delivery, times: usize) -> Vec<u16> {
    let request = request(to, delivery);
    let (last, most) = request.split_last().expect("a request");
    let streams: Vec<TcpStream> = (0..times).map(|_| write(to, most)).collect();
    for mut stream in &streams {
        stream.write_all(&[*last]).expect("a receiver that reads");
    }
    streams.into_iter().map(status).collect()
}

/// Writes a request and gives back the status of the answer.
pub(crate) fn ask(to: SocketAddr, request: &[u8]) -> u16 {
    status(write(to, request))
}

fn request(to: SocketAddr, delivery: &Delivery) -> Vec<u8> {
    let mut request = format!(
        "POST /webhooks HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n",
        delivery.body.len()
    )
    .into_bytes();
    for header in &delivery.headers {
        request.extend(format!("x-service-signature: {header}\r\n").bytes());
    }
    request.extend(b"\r\n");
    request.extend(&delivery.body);
    request
}

fn write(to: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(to).expect("a receiver");
    stream.set_nodelay(true).expect("a socket");
    // Only a failing test waits so long.
    let patience = Some(Duration::from_secs(20));
    stream.set_read_timeout(patience).expect("a socket");
    stream.write_all(bytes).expect("a receiver that reads");
    stream
}

fn status(mut stream: TcpStream) -> u16 {
    let mut line = [0; 12];
    stream.read_exact(&mut line).expect("an answer");
    let line = std::str::from_utf8(&line).expect("a status line");
    line[9..].parse().expect("a status")
}
