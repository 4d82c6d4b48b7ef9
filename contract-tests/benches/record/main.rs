//! What the recording proxy costs, beside nginx and beside a proxy of its own library that only pass on: time on the way
//! and processor time of a request, under three loads. `cargo bench -p svc-contract-tests --bench record`; without nginx
//! it is left out, which is said.
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

mod load;
mod plain;
mod proxy;

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use load::{LOADS, Load};
use proxy::Proxy;
use svc_test_support::{Behaviour, Folder, Server};

/// How often everything is measured; the middle one counts.
const ROUNDS: usize = 5;

/// An answer of the sandbox, as it is on the wire, with an id of its own and the time: nothing in it is broken, for what is
/// broken is reported, too.
fn answer() -> Vec<u8> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let nth = MADE.fetch_add(1, Ordering::Relaxed);
    #[expect(clippy::disallowed_methods, reason = "a bench measures real time")]
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    let body = format!(
        r#"{{"success":true,"verificationId":"svcv_{nth:026}","referenceId":null,"endpoint":"verify.identity.pan","status":"completed","data":{{"pan":"AAAAA0000A","name":"","nameMatchScore":0,"nameOnPan":"ANITA SAMPLE","category":"Individual or person","panStatus":"VALID","lastUpdated":"2026-01-05"}},"billing":{{"charged":false,"amount":0,"currency":"INR"}},"meta":{{"createdAt":"{now}","environment":"test","latencyMs":250,"provider":"sample"}}}}"#
    );
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

const REQUEST: &[u8] = b"POST /v1/verify/identity/pan HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer svc_test_bench_key\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"pan\":\"AAAAA0000A\"}";

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["plain", to] = words[..] {
        return plain::serve(to);
    }
    let named = |load: &&Load| {
        let mut parts = words.iter().filter(|word| !word.starts_with("--"));
        parts.clone().next().is_none() || parts.any(|part| load.name.contains(part))
    };
    let server = Server::behaving(Behaviour::Makes(answer));
    let folder = Folder::new("bench-record");
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
    ]);
    recording
        .arg("--out")
        .arg(folder.path().join("run.capture"));
    let mut all = vec![Proxy::none(server.address)];
    match Proxy::nginx(folder.path(), server.address) {
        Some(nginx) => all.push(nginx),
        None => println!("nginx is not installed: it is left out"),
    }
    all.push(Proxy::start("hyper alone", &mut plain));
    all.push(Proxy::start("recording", &mut recording));
    for load in LOADS.iter().filter(named) {
        report(load, &all);
    }
}

/// What one way of sending costs.
struct Row {
    p50_us: f64,
    p99_us: f64,
    cpu_us: f64,
    a_second: f64,
}

fn report(load: &Load, all: &[Proxy]) {
    println!("{}", load.name);
    let mut rounds: Vec<Vec<Row>> = Vec::new();
    // The first round warms up.
    for _ in 0..=ROUNDS {
        rounds.push(all.iter().map(|proxy| row(load, proxy)).collect());
    }
    rounds.remove(0);
    let middle = |at: usize, of: fn(&Row) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(|rows| of(&rows[at])).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let (p50, p99) = (middle(0, |it| it.p50_us), middle(0, |it| it.p99_us));
    for (at, proxy) in all.iter().enumerate() {
        println!(
            "  {:<12} p50 {:>6.0} us ({:>+6.0})   p99 {:>6.0} us ({:>+6.0})   processor {:>5.0} us   {:>6.0} a second",
            proxy.name,
            middle(at, |it| it.p50_us),
            middle(at, |it| it.p50_us) - p50,
            middle(at, |it| it.p99_us),
            middle(at, |it| it.p99_us) - p99,
            middle(at, |it| it.cpu_us),
            middle(at, |it| it.a_second),
        );
    }
}

fn row(load: &Load, proxy: &Proxy) -> Row {
    let before = proxy.cpu();
    let sent = load.send(proxy.address, REQUEST, answer().len());
    let cpu = proxy.cpu_when_quiet() - before;
    let at = |part: f64| {
        let last = sent.waited.len() - 1;
        sent.waited[(last as f64 * part) as usize].as_secs_f64() * 1e6
    };
    let count = sent.waited.len() as f64;
    Row {
        p50_us: at(0.5),
        p99_us: at(0.99),
        cpu_us: cpu.as_secs_f64() * 1e6 / count,
        a_second: count / sent.took.as_secs_f64(),
    }
}
