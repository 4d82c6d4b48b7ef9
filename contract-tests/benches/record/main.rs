//! What the recording proxy costs, beside a proxy of the same library that only passes on: time on the way of one request
//! after another, and processor time. `cargo bench -p svc-contract-tests --bench record`
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

mod plain;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use svc_test_support::{Behaviour, Folder, Server};
use tokio::time::Instant;

const ROUNDS: usize = 5;
const REQUESTS: usize = 2000;

/// An answer of the sandbox, as it is on the wire.
const ANSWER: &[u8] = concat!(
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 486\r\n\r\n",
    r#"{"success":true,"verificationId":"svcv_01jv8m3k9x2q4r6t8w0y2a4c6e","referenceId":null,"endpoint":"verify.identity.pan","status":"completed","data":{"pan":"AAAAA0000A","name":"","nameMatchScore":0,"nameOnPan":"ANITA SAMPLE","category":"Individual or person","panStatus":"VALID","lastUpdated":"2026-01-05"},"billing":{"charged":false,"amount":0,"currency":"INR"},"meta":{"createdAt":"2027-01-15T08:00:00Z","environment":"test","latencyMs":250,"provider":"sample","padding":"0123456789"}}"#
)
.as_bytes();

const REQUEST: &[u8] = b"POST /v1/verify/identity/pan HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer svc_test_bench_key\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"pan\":\"AAAAA0000A\"}";

fn main() {
    let mut arguments = std::env::args().skip(1);
    if let (Some("plain"), Some(to)) = (arguments.next().as_deref(), arguments.next()) {
        return plain::serve(&to);
    }
    let body = ANSWER.len()
        - 4
        - ANSWER
            .windows(4)
            .position(|it| it == b"\r\n\r\n")
            .expect("a head");
    assert_eq!(body, 486, "the content-length above");
    let server = Server::behaving(Behaviour::Forgets(ANSWER));
    let folder = Folder::new("bench-record");
    let out = folder.path().join("run.capture");
    let own = std::env::current_exe().expect("a program");
    let mut plain = Command::new(own);
    plain.args(["plain", &server.address.to_string()]);
    let mut recording = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    recording.args([
        "record",
        "--listen",
        "127.0.0.1:0",
        "--forward",
        &server.url,
        "--out",
    ]);
    recording.arg(&out);
    let mut proxies = [Proxy::start(&mut plain), Proxy::start(&mut recording)];
    let mut rounds: Vec<[Cost; 2]> = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push([proxies[0].measure(), proxies[1].measure()]);
    }
    // The first one warms up.
    rounds.remove(0);
    let median = |of: &dyn Fn(&[Cost; 2]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    println!(
        "way            plain {:.0} us, recording {:.0} us a request",
        median(&|it| it[0].way_us),
        median(&|it| it[1].way_us)
    );
    println!(
        "processor      plain {:.0} us, recording {:.0} us a request",
        median(&|it| it[0].cpu_us),
        median(&|it| it[1].cpu_us)
    );
    println!(
        "more on the way      {:+.3} ms",
        median(&|it| it[1].way_us - it[0].way_us) / 1000.0
    );
    println!(
        "processor time       {:.2} times",
        median(&|it| it[1].cpu_us / it[0].cpu_us)
    );
}

/// What a request costs.
struct Cost {
    way_us: f64,
    cpu_us: f64,
}

/// A proxy as a process of its own.
struct Proxy {
    process: Child,
    stream: TcpStream,
}

impl Proxy {
    fn start(command: &mut Command) -> Self {
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that starts");
        let lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let mut lines = lines.map_while(Result::ok);
        let address = lines.find_map(|line| {
            let (_, rest) = line.split_once("http://")?;
            Some(rest.split(' ').next()?.to_owned())
        });
        // Nobody may wait for a reader of what else it says.
        std::thread::spawn(move || lines.count());
        let stream = TcpStream::connect(address.expect("an address")).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        Proxy { process, stream }
    }

    fn measure(&mut self) -> Cost {
        let (before, begin) = (self.cpu(), Instant::now());
        let mut answer = vec![0; 4096];
        for _ in 0..REQUESTS {
            self.stream.write_all(REQUEST).expect("it reads");
            let mut read = 0;
            while read < ANSWER.len() {
                let more = self.stream.read(&mut answer[read..]).expect("it answers");
                assert!(more > 0, "it broke off");
                read += more;
            }
        }
        let took = begin.elapsed();
        // What is written later is a part of the cost.
        let mut last = self.cpu();
        loop {
            std::thread::park_timeout(Duration::from_millis(100));
            let now = self.cpu();
            if now == last {
                break;
            }
            last = now;
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / REQUESTS as f64;
        Cost {
            way_us: each(took),
            cpu_us: each(last - before),
        }
    }

    /// The processor time that it took so far, as Linux counts it.
    fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.expect("Linux");
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let ticks: u64 = fields
            .skip(11)
            .take(2)
            .map(|it| it.parse().unwrap_or(0))
            .sum();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
