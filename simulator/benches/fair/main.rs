//! How long an innocent account waits while others flood, delay, poll, fill their room, open accounts or move
//! clocks, against how long it waits alone; and how long `/control/health` takes meanwhile. The neighbours are a
//! process of their own, the simulator is what `cargo build --release` makes, or the program of `--program PATH`.
//! `--seconds N` measures each for so long. Fails where the innocent is refused anything; prints all else.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

mod neighbours;
#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/program.rs"]
mod program;

use std::io::{Error, Result, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use neighbours::{ALL, Neighbours, SLOW};
use process::Process;
use svc_test_support::{Connection, Folder};

/// Room for little that is pending, so that it is filled while one looks.
const ROOM: &[&str] = &[
    "--keep-total",
    "16MiB",
    "--scenarios",
    "rules",
    "--no-reload",
];

/// The innocent asks once in so long: it is no flood itself.
const EVERY: Duration = Duration::from_millis(2);

/// From where it asks: neighbours share another address.
const INNOCENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Neighbours take what they can get before anybody looks.
const BEFORE: Duration = Duration::from_secs(1);

/// Its p99 may be so much of what it is alone.
const AT_MOST: f64 = 3.0;

/// How long answers took, the longest last.
struct Waited {
    calls: Vec<Duration>,
    health: Vec<Duration>,
    refused: usize,
    /// What the simulator took meanwhile: processors, and memory at the end.
    processors: f64,
    resident_mb: f64,
}

impl Waited {
    fn millis(of: &[Duration], part: f64) -> f64 {
        let place = (of.len().saturating_sub(1)) as f64 * part;
        of.get(place as usize)
            .map_or(f64::NAN, |it| it.as_secs_f64() * 1000.0)
    }
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if let [flag, name, console, sandbox] = arguments.as_slice()
        && flag == neighbours::FLAG
    {
        return runtime.block_on(neighbours::live(name, console, sandbox));
    }
    let seconds = arguments.iter().skip_while(|it| *it != "--seconds").nth(1);
    let seconds = seconds.and_then(|it| it.parse().ok()).unwrap_or(5);
    let program = program::find()?;
    let out = &mut std::io::stdout().lock();
    let time = Duration::from_secs(seconds);
    writeln!(
        out,
        "{:<20} {:>8} {:>8} {:>8} {:>7} {:>8} {:>5} {:>7} {:>7}",
        "while others", "p50 ms", "p99 ms", "max ms", "p99", "health", "cpu", "MB", "refused"
    )?;
    let alone = runtime.block_on(measure(&program, None, time))?;
    let quiet = Waited::millis(&alone.calls, 0.99);
    row(out, "are quiet", &alone, quiet)?;
    let mut refused = alone.refused;
    for neighbours in ALL {
        let waited = runtime.block_on(measure(&program, Some(neighbours), time))?;
        row(out, neighbours.name, &waited, quiet)?;
        refused += waited.refused;
    }
    writeln!(
        out,
        "the innocent was refused {refused} calls; goal: none, and a p99 of at most {AT_MOST} times its quiet one"
    )?;
    Ok(match refused {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn row(out: &mut impl Write, name: &str, waited: &Waited, quiet: f64) -> Result<()> {
    let at = |part| Waited::millis(&waited.calls, part);
    writeln!(
        out,
        "{name:<20} {:>8.2} {:>8.2} {:>8.2} {:>6.1}x {:>8.2} {:>5.2} {:>7.1} {:>7}",
        at(0.5),
        at(0.99),
        at(1.0),
        at(0.99) / quiet,
        Waited::millis(&waited.health, 1.0),
        waited.processors,
        waited.resident_mb,
        waited.refused,
    )
}

/// A simulator of its own, and what the innocent waits beside these neighbours.
async fn measure(
    program: &Path,
    neighbours: Option<&Neighbours>,
    time: Duration,
) -> Result<Waited> {
    let folder = Folder::new("fair");
    std::fs::create_dir_all(folder.path().join("rules"))?;
    folder.write("rules/slow.toml", SLOW);
    let (simulator, ports) = Process::simulator(program, &folder, ROOM)?;
    let (console, sandbox) = (ports.of("console")?, ports.of("sandbox")?);
    let _neighbours = match neighbours {
        None => None,
        Some(neighbours) => {
            // In life they are other machines: they must not take the processor from who is measured.
            let mut command = Command::new("nice");
            command.args(["-n", "19"]).arg(std::env::current_exe()?);
            command.args([neighbours::FLAG, neighbours.name, &console, &sandbox]);
            Some(Process::start(&mut command)?)
        }
    };
    tokio::time::sleep(BEFORE).await;
    let before = simulator.cpu()?;
    let mut waited = ask(&console, &sandbox, time).await?;
    let taken = simulator.cpu()?.since(before).total();
    waited.processors = taken.as_secs_f64() / time.as_secs_f64();
    waited.resident_mb = simulator.resident_mb()?;
    Ok(waited)
}

async fn ask(console: &str, sandbox: &str, time: Duration) -> Result<Waited> {
    let call = neighbours::call("innocent", "identity/pan", r#"{"pan": "AAAAA0000A"}"#);
    let health =
        format!("GET /control/health HTTP/1.1\r\nHost: {console}\r\nConnection: close\r\n\r\n");
    let mut connection = Connection::open_from(INNOCENT, sandbox).await?;
    let mut waited = Waited {
        calls: Vec::new(),
        health: Vec::new(),
        refused: 0,
        processors: 0.0,
        resident_mb: 0.0,
    };
    let (began, mut turns) = (Instant::now(), tokio::time::interval(EVERY));
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    while began.elapsed() < time {
        turns.tick().await;
        let asked = Instant::now();
        let status = connection.exchange(call.as_bytes()).await;
        waited.calls.push(asked.elapsed());
        match status {
            Ok(200) => {}
            Ok(_) => waited.refused += 1,
            // Whose connection is closed to make room for a neighbour's is refused as well.
            Err(_) => {
                waited.refused += 1;
                connection = Connection::open_from(INNOCENT, sandbox).await?;
            }
        }
        if waited.calls.len().is_multiple_of(100) {
            let asked = Instant::now();
            let status = Connection::open(console)
                .await?
                .exchange(health.as_bytes())
                .await?;
            if status != 200 {
                return Err(Error::other(format!("/control/health answered {status}")));
            }
            waited.health.push(asked.elapsed());
        }
    }
    waited.calls.sort_unstable();
    waited.health.sort_unstable();
    Ok(waited)
}
