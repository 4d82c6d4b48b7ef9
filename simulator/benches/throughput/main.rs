//! Measures the simulator over sockets, side by side in one run: against a bare axum server, and
//! against itself with fewer rules or accounts. Requests per second, latency, processor time per request,
//! memory, and the ratios with what they should reach; before that, start-up, and how fast the generator is where
//! nothing is served. Generator and server share the machine.
//!
//! `--short` takes a tenth of the time, `--program PATH` measures that simulator and not the one that
//! `cargo build --release` gives; any other argument chooses comparisons by their name. Where wrk is installed it
//! measures the same, as a second witness.

mod bare;
mod echo;
mod load;
mod pairs;
#[path = "../shared/process.rs"]
mod process;
#[path = "../shared/program.rs"]
mod program;
mod rules;
mod server;
mod start;
mod wrk;

use std::io::Write as _;
use std::time::Duration;

use load::{CONNECTIONS, Load, Sample};
use pairs::{Goal, Pair, Servers};
use server::Server;

/// How two sides are measured: in turn, so that a drifting machine hits both.
const ROUNDS: usize = 5;

/// By so much wrk may say something else.
const TOLERANCE: f64 = 0.1;

/// What measures a load.
type Generator = fn(&Load, &Server, Duration) -> std::io::Result<Sample>;

fn main() -> std::io::Result<()> {
    let has = |flag: &str| std::env::args().any(|arg| arg == flag);
    if has(bare::FLAG) {
        return bare::serve();
    }
    if has(echo::FLAG) {
        return echo::serve();
    }
    if let Some(unknown) = unknown_flag() {
        return Err(std::io::Error::other(format!(
            "{unknown} is no flag here. {USAGE}"
        )));
    }
    let program = program::find()?;
    let (rounds, time) = match has("--short") {
        true => (3, Duration::from_millis(500)),
        false => (ROUNDS, Duration::from_secs(3)),
    };
    let wanted = wanted();
    let mut out = std::io::stdout().lock();
    if wanted.is_empty() {
        start::measure(&mut out, &program, if has("--short") { 5 } else { 21 })?;
    }
    writeln!(
        out,
        "{CONNECTIONS} connections, keep-alive, {rounds} rounds of {} s each in turn; medians",
        time.as_secs_f64()
    )?;
    writeln!(
        out,
        "\n{:<30} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>7}",
        "", "req/s", "p50 µs", "p99 µs", "cpu µs", "user", "system", "gen µs", "RSS MB"
    )?;
    let servers = Servers::start(&program)?;
    limit(&mut out, &servers, rounds, time)?;
    let pairs = servers.pairs().into_iter();
    for pair in pairs.filter(|pair| pair.name.contains(&wanted)) {
        measure(&mut out, &pair, rounds, time)?;
    }
    Ok(())
}

const USAGE: &str =
    "Say --short, --program PATH, or a part of the name of the comparisons to make.";

/// An argument that means nothing. Cargo adds one of its own.
fn unknown_flag() -> Option<String> {
    let known = |arg: &String| ["--bench", "--short", program::FLAG].contains(&arg.as_str());
    let mut flags = std::env::args().skip(1).filter(|arg| arg.starts_with('-'));
    flags.find(|arg| !known(arg))
}

/// The argument that chooses comparisons; empty where all are wanted.
fn wanted() -> String {
    let arguments: Vec<String> = std::env::args().collect();
    let chooses = |pair: &&[String]| !pair[1].starts_with('-') && pair[0] != program::FLAG;
    let chosen = arguments.windows(2).find(chooses);
    chosen.map(|pair| pair[1].clone()).unwrap_or_default()
}

/// How fast each generator is against a server that only echoes.
fn limit(
    out: &mut impl std::io::Write,
    servers: &Servers,
    rounds: usize,
    time: Duration,
) -> std::io::Result<()> {
    let (server, load) = servers.limit();
    for (name, generator) in generators() {
        let samples = (0..rounds).map(|_| generator(&load, server, time));
        let mut samples = samples.collect::<std::io::Result<Vec<_>>>()?;
        row(
            out,
            &format!("echo limit{name}"),
            &Sample::median(&mut samples),
            0,
        )?;
    }
    writeln!(out)
}

/// Ours, and wrk where it is installed.
fn generators() -> Vec<(&'static str, Generator)> {
    let ours: (&str, Generator) = ("", Load::run);
    let wrk: (&str, Generator) = (", by wrk", wrk::run);
    let installed = wrk::is_installed();
    [ours, wrk]
        .into_iter()
        .take(1 + usize::from(installed))
        .collect()
}

/// Measures both sides of a pair in turn and prints them.
fn measure(
    out: &mut impl std::io::Write,
    pair: &Pair<'_>,
    rounds: usize,
    time: Duration,
) -> std::io::Result<()> {
    let ((server, load), (peer, peer_load)) = (&pair.ours, &pair.peer);
    let mut ratio_of_ours = None;
    for (name, generator) in generators() {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first round only warms up: accounts are opened, rules compiled.
        let warm_up = usize::from(ratio_of_ours.is_none());
        for round in 0..rounds + warm_up {
            let samples = (
                generator(load, server, time)?,
                generator(peer_load, peer, time)?,
            );
            if round >= warm_up {
                ours.push(samples.0);
                theirs.push(samples.1);
            }
        }
        let ratios = ours.iter().zip(&theirs);
        let mut ratios: Vec<Sample> = ratios.map(|(ours, theirs)| ours.against(theirs)).collect();
        row(
            out,
            &format!("{}{name}", pair.name),
            &Sample::median(&mut ours),
            0,
        )?;
        row(
            out,
            &format!("{}{name}", pair.peer_name),
            &Sample::median(&mut theirs),
            0,
        )?;
        let ratio = Sample::median(&mut ratios);
        row(out, "ratio", &ratio, 2)?;
        for goal in pair.goals {
            writeln!(
                out,
                "{:<30} {}",
                "",
                verdict(goal, &ratio, ratio_of_ours.as_ref())
            )?;
        }
        ratio_of_ours.get_or_insert(ratio);
    }
    writeln!(out)
}

/// A figure beside what it should be, and beside what the other generator says.
fn verdict(goal: &Goal, ratio: &Sample, other: Option<&Sample>) -> String {
    let (what, of, bound): (_, fn(&Sample) -> f64, _) = match *goal {
        Goal::Rate(bound) => ("requests per second", |it| it.rate, bound),
        Goal::P99(bound) => ("p99", |it| it.p99_us, bound),
        Goal::Cpu(bound) => ("processor time", |it| it.cpu_us, bound),
    };
    let figure = of(ratio);
    let (side, reached) = match goal {
        Goal::Rate(_) => ("at least", figure >= bound),
        Goal::P99(_) | Goal::Cpu(_) => ("at most", figure <= bound),
    };
    let reached = if reached { "reached" } else { "MISSED" };
    let agrees = |other: &Sample| (figure / of(other) - 1.0).abs() <= TOLERANCE;
    let agrees = match other.map(agrees) {
        None => "",
        Some(true) => "; both generators agree",
        Some(false) => "; the generators DIFFER",
    };
    format!("{what} {figure:.2}, {side} {bound:.2}: {reached}{agrees}")
}

fn row(
    out: &mut impl std::io::Write,
    name: &str,
    sample: &Sample,
    decimals: usize,
) -> std::io::Result<()> {
    let Sample {
        rate,
        p50_us,
        p99_us,
        cpu_us,
        user_us,
        system_us,
        generator_us,
        rss_mb,
    } = sample;
    let cpu = decimals.max(1);
    let generator = match generator_us.is_nan() {
        true => "-".to_owned(),
        false => format!("{generator_us:.cpu$}"),
    };
    writeln!(
        out,
        "{name:<30} {rate:>8.decimals$} {p50_us:>7.decimals$} {p99_us:>7.decimals$} {cpu_us:>7.cpu$} \
         {user_us:>6.cpu$} {system_us:>6.cpu$} {generator:>6} {rss_mb:>7.cpu$}"
    )
}
