//! Millions of calls against a started simulator: what it takes when idle, at every tenth of the way, and
//! whether that stays below a bound and flat; where it does not, the bench fails. `--short` makes fewer calls of
//! one that keeps less. `--program PATH` measures that simulator and not the one that `cargo build --release` gives. Other
//! arguments are given to the simulator in place of what it keeps: `--keep-total 1GiB`.
//! Prints nothing of what is answered.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

mod calls;
mod connection;
#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/program.rs"]
mod program;
mod simulator;

use std::io::{Error, Result, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use connection::Reconnecting;
use simulator::Simulator;
use svc_test_support::{Behaviour, Server};

/// So many clients call at once.
const CONNECTIONS: usize = 16;
/// The last tenth may take so much more than the middle one and still be called flat.
const FLAT: f64 = 1.1;

/// What the receiver of webhooks answers.
const TAKEN: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// How far a run goes.
struct Form {
    calls: u64,
    /// What the simulator keeps; as much as by default where nothing is said.
    keeps: &'static [&'static str],
    /// What it may take at most, in MB.
    at_most: f64,
}

const WHOLE: Form = Form {
    calls: 5_000_000,
    keeps: &[],
    at_most: 100.0,
};

/// Of so few calls most would be kept: where nothing is forgotten, nothing can be flat. Beside what is kept, 65 MB are the
/// program's own pages, as `release` makes it, and pieces of 2 MB, of which more or fewer are begun from run to run.
const SHORT: Form = Form {
    calls: 200_000,
    keeps: &["--keep-total", "6MiB", "--keep-bytes", "2MiB"],
    at_most: 100.0,
};

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_short = |argument: &String| argument == "--short";
    let form = match arguments.iter().any(is_short) {
        true => SHORT,
        false => WHOLE,
    };
    let own = |it: &str| !["--short", "--bench", program::FLAG].contains(&it);
    let of_flag = |at: usize| at > 0 && arguments[at - 1] == program::FLAG;
    let given = arguments.iter().map(String::as_str).enumerate();
    let given = given.filter(|(at, argument)| own(argument) && !of_flag(*at));
    let given: Vec<&str> = given.map(|(_, argument)| argument).collect();
    let keeps = match given.is_empty() {
        true => form.keeps,
        false => &given,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut out = std::io::stdout().lock();
    let took = runtime.block_on(soak(&mut out, &program::find()?, form.calls, keeps))?;
    judge(&mut out, &took, form.at_most)
}

/// Makes so many calls. Gives the resident memory after each tenth, in MB.
async fn soak(out: &mut impl Write, program: &Path, all: u64, keeps: &[&str]) -> Result<[f64; 10]> {
    let simulator = Simulator::start(program, keeps)?;
    let idle = simulator.process.resident_mb()?;
    let receiver = Server::behaving(Behaviour::Forgets(TAKEN));
    simulator.register(&receiver.url).await?;
    writeln!(
        out,
        "{all} calls over {CONNECTIONS} connections {keeps:?}\n"
    )?;
    writeln!(
        out,
        "{:>10} {:>10} {:>8} {:>12} {:>12} {:>10}",
        "calls", "calls/s", "cpu µs", "resident MB", "accounted MB", "accounts"
    )?;
    writeln!(out, "{:>10} {:>10} {:>8} {idle:>12.1}", 0, "", "")?;
    let simulator = Arc::new(simulator);
    let next = Arc::new(AtomicU64::new(0));
    let (mut resident, mut lost) = ([0.0; 10], 0);
    for (tenth, resident) in (1..).zip(&mut resident) {
        let (from, to) = (all * (tenth - 1) / 10, all * tenth / 10);
        let (began, cpu_before) = (Instant::now(), simulator.process.cpu()?);
        let callers: Vec<_> = (0..CONNECTIONS)
            .map(|_| tokio::spawn(call_until(Arc::clone(&simulator), Arc::clone(&next), to)))
            .collect();
        for caller in callers {
            lost += caller.await.map_err(Error::other)??;
        }
        next.store(to, Ordering::Relaxed);
        let calls = (to - from) as f64;
        let rate = calls / began.elapsed().as_secs_f64();
        let cpu_us = simulator
            .process
            .cpu()?
            .since(cpu_before)
            .total()
            .as_secs_f64()
            * 1e6
            / calls;
        *resident = simulator.process.resident_mb()?;
        let memory = simulator.memory().await?;
        let bytes = memory["bytes"].as_f64();
        let bytes = bytes.ok_or_else(|| Error::other("it does not say how much it keeps"))?;
        let accounted = bytes / f64::from(1 << 20);
        let accounts = &memory["accounts"]["openedByKeys"];
        writeln!(
            out,
            "{to:>10} {rate:>10.0} {cpu_us:>8.1} {resident:>12.1} {accounted:>12.1} {accounts:>10}"
        )?;
    }
    writeln!(out, "\n{lost} connections were closed and opened anew")?;
    writeln!(out, "{:#}\n", simulator.memory().await?)?;
    Ok(resident)
}

/// Says whether what was taken is within its bounds.
fn judge(out: &mut impl Write, resident: &[f64; 10], at_most: f64) -> Result<ExitCode> {
    let most = resident.iter().copied().fold(0.0, f64::max);
    let mut all_reached = true;
    let mut row = |what: &str, figure: f64, bound: f64| {
        let reached = figure <= bound;
        all_reached &= reached;
        let verdict = if reached { "reached" } else { "MISSED" };
        writeln!(out, "{what:<30} {figure:>9.2}, at most {bound}: {verdict}")
    };
    row("resident memory, MB", most, at_most)?;
    row(
        "last tenth to the middle one",
        resident[9] / resident[4],
        FLAT,
    )?;
    Ok(match all_reached {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Makes one call after the other until so many are made by all. Gives how many connections were lost.
async fn call_until(simulator: Arc<Simulator>, next: Arc<AtomicU64>, until: u64) -> Result<u64> {
    let mut sandbox = Reconnecting::open(&simulator.sandbox).await?;
    let mut live = Reconnecting::open(&simulator.live).await?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= until {
            return Ok(sandbox.lost + live.lost);
        }
        let call = calls::number(number);
        let connection = if call.live { &mut live } else { &mut sandbox };
        let status = connection
            .exchange(call.request(&simulator.sandbox).as_bytes())
            .await?;
        if !call.may_be_answered(status) {
            let request = call.request("");
            return Err(Error::other(format!("answered {status}:\n{request}")));
        }
    }
}
