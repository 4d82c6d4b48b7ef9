//! Millions of calls against a started simulator on its defaults: what it takes when idle, at every tenth
//! of the way, and whether that is flat. `--short` makes fewer calls. Prints nothing of what is answered.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

mod calls;
mod connection;
mod receiver;
mod simulator;

use std::io::{Error, Result, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use connection::Connection;
use simulator::Simulator;

const CALLS: u64 = 5_000_000;
const SHORT: u64 = 200_000;
/// So many clients call at once.
const CONNECTIONS: usize = 16;
/// The last tenth may take so much more than the middle one and still be called flat.
const FLAT: f64 = 1.1;

fn main() -> Result<()> {
    let short = std::env::args().any(|arg| arg == "--short");
    let all = if short { SHORT } else { CALLS };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(soak(all))
}

async fn soak(all: u64) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let simulator = Simulator::start()?;
    let idle = simulator.resident_mb()?;
    let receiver = receiver::listen().await?;
    simulator.register(&receiver).await?;
    writeln!(out, "{all} calls over {CONNECTIONS} connections\n")?;
    writeln!(
        out,
        "{:>10} {:>10} {:>12} {:>12} {:>10}",
        "calls", "calls/s", "resident MB", "accounted MB", "accounts"
    )?;
    writeln!(out, "{:>10} {:>10} {idle:>12.1}", 0, "")?;
    let simulator = Arc::new(simulator);
    let next = Arc::new(AtomicU64::new(0));
    let mut resident = Vec::new();
    for tenth in 1..=10 {
        let (began, from, to) = (Instant::now(), all * (tenth - 1) / 10, all * tenth / 10);
        let callers: Vec<_> = (0..CONNECTIONS)
            .map(|_| tokio::spawn(call_until(Arc::clone(&simulator), Arc::clone(&next), to)))
            .collect();
        for caller in callers {
            caller.await.map_err(Error::other)??;
        }
        next.store(to, Ordering::Relaxed);
        let rate = (to - from) as f64 / began.elapsed().as_secs_f64();
        let (megabytes, memory) = (simulator.resident_mb()?, simulator.memory().await?);
        let accounted = memory["bytes"].as_f64().unwrap_or_default() / f64::from(1 << 20);
        let accounts = &memory["accounts"]["openedByKeys"];
        writeln!(
            out,
            "{to:>10} {rate:>10.0} {megabytes:>12.1} {accounted:>12.1} {accounts:>10}"
        )?;
        resident.push(megabytes);
    }
    let most = resident.iter().copied().fold(0.0, f64::max);
    let ratio = resident[9] / resident[4];
    let flat = if ratio <= FLAT { "flat" } else { "NOT FLAT" };
    writeln!(
        out,
        "\nidle {idle:.1} MB, at most {most:.1} MB; last to middle {ratio:.2}: {flat}"
    )?;
    writeln!(out, "{:#}", simulator.memory().await?)
}

/// Makes one call after the other until so many are made by all.
async fn call_until(simulator: Arc<Simulator>, next: Arc<AtomicU64>, until: u64) -> Result<()> {
    let mut sandbox = Connection::open(&simulator.sandbox).await?;
    let mut live = Connection::open(&simulator.live).await?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= until {
            return Ok(());
        }
        let call = calls::number(number);
        let connection = if call.live { &mut live } else { &mut sandbox };
        let status = connection
            .exchange(&call.request(&simulator.sandbox))
            .await?;
        if !call.may_be_answered(status) {
            let request = call.request("");
            return Err(Error::other(format!("answered {status}:\n{request}")));
        }
    }
}
