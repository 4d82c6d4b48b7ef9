//! Measures the simulator over sockets, side by side in one run: against a bare axum server, and
//! against itself with fewer rules or accounts. Requests per second, latency, processor time per request,
//! memory, and the ratios with what they should reach; before that, start-up. Generator and server share the
//! machine. `--short` takes a tenth of the time; any other argument chooses comparisons by their name.

mod bare;
mod load;
mod pairs;
#[path = "../shared/process.rs"]
mod process;
mod rules;
mod server;
mod start;

use std::io::Write as _;
use std::time::Duration;

use load::{CONNECTIONS, Sample};
use pairs::{Goal, Pair, Servers};

/// How two sides are measured: in turn, so that a drifting machine hits both.
const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    if std::env::args().any(|arg| arg == bare::FLAG) {
        return bare::serve();
    }
    let short = std::env::args().any(|arg| arg == "--short");
    let (rounds, time) = match short {
        true => (3, Duration::from_millis(500)),
        false => (ROUNDS, Duration::from_secs(3)),
    };
    let wanted = std::env::args()
        .skip(1)
        .find(|arg| !arg.starts_with('-'))
        .unwrap_or_default();
    let mut out = std::io::stdout().lock();
    if wanted.is_empty() {
        start::measure(&mut out, if short { 5 } else { 21 })?;
    }
    writeln!(
        out,
        "{CONNECTIONS} connections, keep-alive, {rounds} rounds of {} s each in turn; medians\n",
        time.as_secs_f64()
    )?;
    writeln!(
        out,
        "{:<30} {:>9} {:>8} {:>8} {:>8} {:>7}",
        "", "req/s", "p50 µs", "p99 µs", "cpu µs", "RSS MB"
    )?;
    let servers = Servers::start()?;
    let pairs = servers.pairs().into_iter();
    for pair in pairs.filter(|pair| pair.name.contains(&wanted)) {
        measure(&mut out, &pair, rounds, time)?;
    }
    Ok(())
}

/// Measures both sides of a pair in turn and prints them.
fn measure(
    out: &mut impl std::io::Write,
    pair: &Pair<'_>,
    rounds: usize,
    time: Duration,
) -> std::io::Result<()> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round only warms up: accounts are opened, rules compiled.
    for round in 0..=rounds {
        let ((server, load), (peer, peer_load)) = (&pair.ours, &pair.peer);
        let samples = (load.run(server, time)?, peer_load.run(peer, time)?);
        if round > 0 {
            ours.push(samples.0);
            theirs.push(samples.1);
        }
    }
    let ratios = ours.iter().zip(&theirs);
    let mut ratios: Vec<Sample> = ratios.map(|(ours, theirs)| ours.against(theirs)).collect();
    row(out, pair.name, &Sample::median(&mut ours), 0)?;
    row(out, pair.peer_name, &Sample::median(&mut theirs), 0)?;
    let ratio = Sample::median(&mut ratios);
    row(out, "ratio", &ratio, 2)?;
    for goal in pair.goals {
        writeln!(out, "{:<30} {}", "", verdict(goal, &ratio))?;
    }
    writeln!(out)
}

/// A figure beside what it should be.
fn verdict(goal: &Goal, ratio: &Sample) -> String {
    let (what, figure, bound, reached) = match *goal {
        Goal::Rate(bound) => (
            "requests per second",
            ratio.rate,
            bound,
            ratio.rate >= bound,
        ),
        Goal::P99(bound) => ("p99", ratio.p99_us, bound, ratio.p99_us <= bound),
        Goal::Cpu(bound) => ("processor time", ratio.cpu_us, bound, ratio.cpu_us <= bound),
    };
    let side = if matches!(goal, Goal::Rate(_)) {
        "at least"
    } else {
        "at most"
    };
    let verdict = if reached { "reached" } else { "MISSED" };
    format!("{what} {figure:.2}, {side} {bound:.2}: {verdict}")
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
        rss_mb,
    } = sample;
    let cpu_decimals = decimals.max(1);
    writeln!(
        out,
        "{name:<30} {rate:>9.decimals$} {p50_us:>8.decimals$} {p99_us:>8.decimals$} \
         {cpu_us:>8.cpu_decimals$} {rss_mb:>7.cpu_decimals$}"
    )
}
