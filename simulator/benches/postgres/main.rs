//! Measures simulators that share a PostgreSQL server, which is started for it: calls per second, processor time of
//! the simulators and of the server for each call, commits per second and how many entries each has; one replica
//! against the memory store; three against one, with the same load for all of them and with as much for each; and three
//! that are asked in turn for the same accounts. All share the machine. `--short` takes a tenth of the time, `--program PATH` measures that simulator.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/program.rs"]
mod program;

use std::io::{Error, Result, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use process::{Cpu, Ports, Process};
use svc_test_support::{Connection, Folder, PostgresServer};

/// So many connections call at once, each an account of its own; three times as many where each of three replicas
/// has what one had.
const CONNECTIONS: usize = 32;

/// By so much more processor time a call may take where three replicas share what one did.
const GOAL: f64 = 1.3;

/// Simulators that are called.
struct Fleet {
    replicas: Vec<(Process, Ports, Folder)>,
    /// Whether each account is called on all replicas in turn, and not on one.
    in_turn: bool,
    connections: usize,
}

/// What came of one round.
struct Sample {
    rate: f64,
    p50_us: f64,
    p99_us: f64,
    /// Processor time for each call: of the simulators, of the server.
    cpu_us: f64,
    server_us: f64,
    rss_mb: f64,
    commits: f64,
    entries: f64,
}

/// What the server has done so far.
#[derive(Clone, Copy)]
struct ServerCounts {
    cpu: Duration,
    commits: f64,
    rows: f64,
}

fn main() -> Result<()> {
    let mut out = std::io::stdout().lock();
    if PostgresServer::installed().is_none() {
        return writeln!(out, "PostgreSQL is not installed: nothing is measured");
    }
    let program = program::find()?;
    let short = std::env::args().any(|it| it == "--short");
    let time = Duration::from_millis(if short { 1000 } else { 10_000 });
    let server = PostgresServer::start();
    writeln!(
        out,
        "{CONNECTIONS} connections, {} s each\n\n{:<34} {:>8} {:>7} {:>7} {:>7} {:>10} {:>7} {:>9} {:>8}",
        time.as_secs_f64(),
        "",
        "calls/s",
        "p50 µs",
        "p99 µs",
        "cpu µs",
        "PG cpu µs",
        "RSS MB",
        "commits/s",
        "entries"
    )?;
    let memory = Fleet::start(&program, 1, "memory")?.measure(&server, time)?;
    row(&mut out, "one, in memory", &memory)?;
    let mut samples = Vec::new();
    for (name, count, times, in_turn) in [
        ("one replica", 1, 1, false),
        ("three replicas", 3, 1, false),
        ("three, as much for each", 3, 3, false),
        ("three, each account on all", 3, 1, true),
    ] {
        let fleet = Fleet {
            in_turn,
            connections: CONNECTIONS * times,
            ..Fleet::start(&program, count, &server.fresh_url())?
        };
        // Accounts are opened, statements prepared.
        fleet.measure(&server, time / 10)?;
        let sample = fleet.measure(&server, time)?;
        row(&mut out, name, &sample)?;
        samples.push(sample);
    }
    writeln!(out)?;
    for (at, load) in [(1, "the same load for all"), (2, "as much for each")] {
        let ratio = samples[at].cpu_us / samples[0].cpu_us;
        let verdict = if ratio <= GOAL { "reached" } else { "MISSED" };
        writeln!(
            out,
            "processor time of a call, three replicas against one, {load}: {ratio:.2}, at most {GOAL}: {verdict}"
        )?;
    }
    Ok(())
}

fn row(out: &mut impl std::io::Write, name: &str, sample: &Sample) -> Result<()> {
    let Sample {
        rate,
        p50_us,
        p99_us,
        cpu_us,
        server_us,
        rss_mb,
        commits,
        entries,
    } = sample;
    writeln!(
        out,
        "{name:<34} {rate:>8.0} {p50_us:>7.0} {p99_us:>7.0} {cpu_us:>7.1} {server_us:>10.1} {rss_mb:>7.1} {commits:>9.0} {entries:>8.1}"
    )
}

impl Fleet {
    fn start(program: &Path, count: usize, store: &str) -> Result<Self> {
        let replica = |_| {
            let folder = Folder::new("postgres-bench");
            let (process, ports) = Process::simulator(program, &folder, &["--store", store])?;
            Ok((process, ports, folder))
        };
        Ok(Fleet {
            replicas: (0..count).map(replica).collect::<Result<_>>()?,
            in_turn: false,
            connections: CONNECTIONS,
        })
    }

    fn measure(&self, server: &PostgresServer, time: Duration) -> Result<Sample> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let before = (self.cpu()?, ServerCounts::of(server)?);
        let began = Instant::now();
        let mut took = runtime.block_on(async {
            let tasks = (0..self.connections).map(|number| {
                let addresses = self.addresses(number)?;
                Ok(tokio::spawn(connection(addresses, number, began + time)))
            });
            let tasks: Vec<_> = tasks.collect::<Result<_>>()?;
            let mut took = Vec::new();
            for task in tasks {
                took.extend(task.await.map_err(Error::other)??);
            }
            Ok::<_, Error>(took)
        })?;
        let elapsed = began.elapsed().as_secs_f64();
        let (after, counts) = (self.cpu()?, ServerCounts::of(server)?);
        let cpu = after.into_iter().zip(before.0);
        let cpu = cpu.map(|(after, before)| after.since(before).total()).sum();
        let resident = self
            .replicas
            .iter()
            .map(|(process, ..)| process.resident_mb());
        let calls = took.len() as f64;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / calls;
        took.sort_unstable();
        let percentile = |share: f64| took[((calls - 1.0) * share) as usize].as_secs_f64() * 1e6;
        let commits = counts.commits - before.1.commits;
        Ok(Sample {
            rate: calls / elapsed,
            p50_us: percentile(0.5),
            p99_us: percentile(0.99),
            cpu_us: each(cpu),
            server_us: each(counts.cpu - before.1.cpu),
            rss_mb: resident.sum::<Result<_>>()?,
            commits: commits / elapsed,
            entries: (counts.rows - before.1.rows) / commits.max(1.0),
        })
    }

    fn cpu(&self) -> Result<Vec<Cpu>> {
        let each = self.replicas.iter();
        each.map(|(process, ..)| process.cpu()).collect()
    }

    /// Where a connection calls: one replica, or all in turn.
    fn addresses(&self, number: usize) -> Result<Vec<String>> {
        let all = self
            .replicas
            .iter()
            .map(|(_, ports, _)| ports.of("sandbox"));
        let all: Vec<_> = all.collect::<Result<_>>()?;
        Ok(match self.in_turn {
            true => all,
            false => vec![all[number % all.len()].clone()],
        })
    }
}

impl ServerCounts {
    fn of(server: &PostgresServer) -> Result<Self> {
        let counts = "SELECT pg_stat_clear_snapshot(), xact_commit, tup_inserted
            FROM pg_stat_database WHERE datname = 'postgres'";
        let counts = server.query(counts);
        let counts: Vec<f64> = counts
            .split('|')
            .filter_map(|count| count.parse().ok())
            .collect();
        let mut cpu = Duration::ZERO;
        for process in server.processes() {
            // One that has just ended used next to nothing.
            cpu += Cpu::of(&process).map_or(Duration::ZERO, Cpu::total);
        }
        match counts[..] {
            [commits, rows] => Ok(ServerCounts { cpu, commits, rows }),
            _ => Err(Error::other("the server counts nothing")),
        }
    }
}

/// Calls until the time is up; how long each call took.
async fn connection(
    addresses: Vec<String>,
    number: usize,
    until: Instant,
) -> Result<Vec<Duration>> {
    let body = r#"{"pan":"AAAAA0000A","name":"Asha Rao"}"#;
    let mut connections = Vec::new();
    for address in &addresses {
        let request = format!(
            "POST /v1/verify/identity/pan HTTP/1.1\r\nHost: {address}\r\n\
             Authorization: Bearer svc_test_local_bench{number}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        connections.push((Connection::open(address).await?, request.into_bytes()));
    }
    let mut took = Vec::new();
    for turn in 0.. {
        let began = Instant::now();
        if began >= until {
            break;
        }
        let (connection, request) = &mut connections[turn % addresses.len()];
        if connection.exchange(request).await? != 200 {
            return Err(Error::other(connection.text().to_owned()));
        }
        took.push(began.elapsed());
    }
    Ok(took)
}
