//! Measures a simulator with a SQLite store: calls per second and how long they take, second by second, commits per
//! second and how many entries each has; then a bare loop that commits the same bytes in the same groups to a file of
//! its own, with an index of them and without. `--short` takes a tenth of the time, `--seconds N` that long,
//! `--program PATH` measures that simulator.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/program.rs"]
mod program;

use std::io::{Error, Result, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use process::{Ports, Process};
use rusqlite::{Connection as Database, params};
use svc_test_support::{Connection, Folder};

/// So many connections call at once, each an account of its own.
const CONNECTIONS: usize = 32;

/// So much of what the bare loop writes is to be written by the simulator.
const GOAL: f64 = 0.8;

/// What finds an account's entries in the file alone.
const INDEX: &str = "CREATE UNIQUE INDEX entries_in_order ON entries (account, number);";

/// A call: when it ended, after the beginning, and how long it took.
type Call = (Duration, Duration);

/// What the store has counted so far.
#[derive(Clone, Copy)]
struct Counts {
    commits: f64,
    entries: f64,
}

fn main() -> Result<()> {
    let mut out = std::io::stdout().lock();
    let program = program::find()?;
    let time = Duration::from_secs(seconds());
    let folder = Folder::new("sqlite-bench");
    let arguments = ["--store", "sqlite:kept.db"];
    let (process, ports) = Process::simulator(&program, &folder, &arguments)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Accounts are opened, and the first snapshots made.
    runtime.block_on(load(&ports, time / 10))?;
    let before = (process.cpu()?, runtime.block_on(counts(&ports))?);
    let calls = runtime.block_on(load(&ports, time))?;
    let after = (process.cpu()?, runtime.block_on(counts(&ports))?);
    let cpu = after.0.since(before.0).total().as_secs_f64() * 1e6 / calls.len() as f64;
    writeln!(
        out,
        "{CONNECTIONS} connections, {} s: {:.0} calls/s, {cpu:.1} µs of processor time each, {:.1} MB resident",
        time.as_secs(),
        calls.len() as f64 / time.as_secs_f64(),
        process.resident_mb()?
    )?;
    latencies(&mut out, &calls)?;
    let commits = after.1.commits - before.1.commits;
    let entries = after.1.entries - before.1.entries;
    let (rate, group) = (entries / time.as_secs_f64(), entries / commits.max(1.0));
    drop(process);
    let file = folder.path().join("kept.db");
    let texts = texts(&file)?;
    let bytes = texts.iter().map(String::len).sum::<usize>() / texts.len().max(1);
    writeln!(
        out,
        "commits: {:.0} a second of {group:.1} entries of {bytes} bytes; the file has {:.1} MB",
        commits / time.as_secs_f64(),
        std::fs::metadata(&file)?.len() as f64 / 1e6
    )?;
    // With a unique index, as whoever wants to read an account's entries writes them, and without one.
    for (name, index) in [("with an index", INDEX), ("without one", "")] {
        let file = folder.path().join(name);
        let bare = bare(&file, &texts, group, time / 2, index)?;
        let ratio = rate / bare;
        let verdict = if ratio >= GOAL { "reached" } else { "MISSED" };
        writeln!(
            out,
            "entries a second: {rate:.0}, a bare loop in the same groups {name} {bare:.0}: {ratio:.2}, at least {GOAL}: {verdict}"
        )?;
    }
    Ok(())
}

fn seconds() -> u64 {
    let arguments: Vec<String> = std::env::args().collect();
    let given = arguments.iter().skip_while(|it| *it != "--seconds").nth(1);
    let short = arguments.iter().any(|it| it == "--short");
    given
        .and_then(|it| it.parse().ok())
        .unwrap_or(if short { 3 } else { 30 })
}

/// Of all calls, and of the worst second: an average hides a store that stands still now and then.
fn latencies(out: &mut impl std::io::Write, calls: &[Call]) -> Result<()> {
    let percentile = |mut took: Vec<Duration>, share: f64| {
        took.sort_unstable();
        let at = ((took.len().saturating_sub(1)) as f64 * share) as usize;
        took.get(at).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    let all = || calls.iter().map(|(_, took)| *took).collect::<Vec<_>>();
    let last = calls.iter().map(|(at, _)| at.as_secs()).max().unwrap_or(0);
    let of_second = |second: u64| {
        let of = calls.iter().filter(|(at, _)| at.as_secs() == second);
        percentile(of.map(|(_, took)| *took).collect(), 0.99)
    };
    let worst = (0..last.max(1)).map(of_second).fold(0.0, f64::max);
    writeln!(
        out,
        "ms: p50 {:.2}, p99 {:.2}, p99.9 {:.2}, longest {:.2}; p99 of the worst second {worst:.2}",
        percentile(all(), 0.5),
        percentile(all(), 0.99),
        percentile(all(), 0.999),
        percentile(all(), 1.0)
    )
}

async fn load(ports: &Ports, time: Duration) -> Result<Vec<Call>> {
    let (address, began) = (ports.of("sandbox")?, Instant::now());
    let mut tasks = Vec::new();
    for number in 0..CONNECTIONS {
        tasks.push(tokio::spawn(connection(
            address.clone(),
            number,
            began,
            time,
        )));
    }
    let mut calls = Vec::new();
    for task in tasks {
        calls.extend(task.await.map_err(Error::other)??);
    }
    Ok(calls)
}

async fn connection(
    address: String,
    number: usize,
    since: Instant,
    time: Duration,
) -> Result<Vec<Call>> {
    let body = r#"{"pan":"AAAAA0000A","name":"Asha Rao"}"#;
    let request = format!(
        "POST /v1/verify/identity/pan HTTP/1.1\r\nHost: {address}\r\n\
         Authorization: Bearer svc_test_local_bench{number}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = Connection::open(&address).await?;
    let mut calls = Vec::new();
    loop {
        let began = Instant::now();
        if began - since >= time {
            return Ok(calls);
        }
        if connection.exchange(request.as_bytes()).await? != 200 {
            return Err(Error::other(connection.text()));
        }
        calls.push((since.elapsed(), began.elapsed()));
    }
}

async fn counts(ports: &Ports) -> Result<Counts> {
    let mut connection = Connection::open(&ports.of("console")?).await?;
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    connection.exchange(request.as_bytes()).await?;
    let text = connection.text();
    let of = |name: &str| {
        let name = format!("svc_simulator_store_commit_entries_{name} ");
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(&name)?.trim().parse().ok());
        value.ok_or_else(|| Error::other(format!("no {name}")))
    };
    Ok(Counts {
        commits: of("count")?,
        entries: of("sum")?,
    })
}

/// Some entries as they were written.
fn texts(file: &Path) -> Result<Vec<String>> {
    let read = || {
        let database = Database::open(file)?;
        let newest = "SELECT entry FROM entries ORDER BY rowid DESC LIMIT 1000";
        let mut newest = database.prepare(newest)?;
        let texts = newest.query_map([], |row| row.get(0))?;
        texts.collect::<rusqlite::Result<Vec<String>>>()
    };
    read().map_err(Error::other)
}

/// How many entries a second a loop commits that does nothing else.
fn bare(file: &Path, texts: &[String], group: f64, time: Duration, index: &str) -> Result<f64> {
    let run = || {
        let mut database = Database::open(file)?;
        database.pragma_update(None, "page_size", 16 << 10)?;
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "synchronous", "full")?;
        database.execute_batch(
            "CREATE TABLE entries (place INTEGER PRIMARY KEY, account TEXT NOT NULL, number INTEGER NOT NULL,
                 digest INTEGER NOT NULL, entry TEXT NOT NULL) STRICT;",
        )?;
        database.execute_batch(index)?;
        let began = Instant::now();
        let (mut written, mut commits) = (0_usize, 0_usize);
        while began.elapsed() < time {
            commits += 1;
            let transaction = database.transaction()?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO entries (account, number, digest, entry) VALUES (?1, ?2, ?3, ?4)",
            )?;
            while (written as f64) < commits as f64 * group {
                let account = format!("local_bench{}", written % CONNECTIONS);
                let number = i64::try_from(written).unwrap_or(i64::MAX);
                insert.execute(params![
                    account,
                    number,
                    number,
                    texts[written % texts.len()]
                ])?;
                written += 1;
            }
            drop(insert);
            transaction.commit()?;
        }
        Ok(written as f64 / began.elapsed().as_secs_f64())
    };
    let rate: rusqlite::Result<f64> = run();
    rate.map_err(Error::other)
}
