//! Measures the simulator against a bare axum server, side by side in one run: requests per second,
//! latency, processor time per request and memory, and the ratios. Generator and server share the machine.

mod bare;
mod load;
mod server;

use std::io::Write as _;

use load::{Load, Sample};
use server::Server;

/// How the two servers are measured: in turn, so that a drifting machine hits both.
const ROUNDS: usize = 5;
const CONNECTIONS: usize = 32;

const PAN: &str = "/v1/verify/identity/pan";
const BODY: &str = r#"{"pan":"AAAAA0000A","name":"Asha Rao"}"#;

fn main() -> std::io::Result<()> {
    if std::env::args().any(|arg| arg == bare::FLAG) {
        return bare::serve();
    }
    let seconds = if std::env::args().any(|arg| arg == "--short") {
        1
    } else {
        3
    };
    let mut out = std::io::stdout().lock();
    let simulator = Server::simulator()?;
    let bare = Server::bare()?;
    let load = |address: &str, key: &str, headers: &str| {
        Load::new(address, PAN, key, headers, BODY, CONNECTIONS, seconds)
    };
    let cases = [
        (
            "sandbox call",
            load(&simulator.sandbox, "svc_test_local_bench", ""),
        ),
        (
            "live call",
            load(&simulator.live, "svc_live_local_bench-#", ""),
        ),
        (
            "idempotent replay",
            load(
                &simulator.sandbox,
                "svc_test_local_bench",
                "Idempotency-Key: bench\r\n",
            ),
        ),
    ];
    let peer = load(&bare.sandbox, "svc_test_local_bench", "");
    writeln!(
        out,
        "{CONNECTIONS} connections, keep-alive, {ROUNDS} rounds of {seconds} s each in turn; medians\n"
    )?;
    writeln!(
        out,
        "{:<20} {:>10} {:>9} {:>9} {:>14} {:>9}",
        "", "req/s", "p50 µs", "p99 µs", "cpu µs/request", "RSS MB"
    )?;
    for (name, case) in cases {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(case.run(&simulator)?);
            theirs.push(peer.run(&bare)?);
        }
        let (ours, theirs) = (Sample::median(&mut ours), Sample::median(&mut theirs));
        print(&mut out, name, &ours)?;
        print(&mut out, "bare axum", &theirs)?;
        writeln!(
            out,
            "{:<20} {:>10.2} {:>9.2} {:>9.2} {:>14.2}\n",
            "ratio",
            ours.rate / theirs.rate,
            ours.p50_us / theirs.p50_us,
            ours.p99_us / theirs.p99_us,
            ours.cpu_us / theirs.cpu_us
        )?;
    }
    Ok(())
}

fn print(out: &mut impl std::io::Write, name: &str, sample: &Sample) -> std::io::Result<()> {
    writeln!(
        out,
        "{name:<20} {:>10.0} {:>9.0} {:>9.0} {:>14.1} {:>9.1}",
        sample.rate, sample.p50_us, sample.p99_us, sample.cpu_us, sample.rss_mb
    )
}
