//! How long a started process takes until it is ready, and what it then holds in memory.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

use std::io::{Result, Write};
use std::path::Path;
use std::time::Instant;

use super::server::Server;

/// What the figures should be.
const READY_MS: f64 = 30.0;
const IDLE_MB: f64 = 15.0;

/// Starts the simulator so often, one after the other, and prints the medians.
pub(crate) fn measure(out: &mut impl Write, program: &Path, times: usize) -> Result<()> {
    let (mut ready, mut idle) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let began = Instant::now();
        let server = Server::simulator(program, None, &[])?;
        ready.push(began.elapsed().as_secs_f64() * 1e3);
        idle.push(server.process.resident_mb()?);
    }
    let size_mb = std::fs::metadata(program)?.len() as f64 / 1e6;
    let mut row = |what: &str, figure: f64, bound: f64| {
        let verdict = if figure <= bound { "reached" } else { "MISSED" };
        writeln!(out, "{what:<30} {figure:>9.1}, at most {bound}: {verdict}")
    };
    row("ready after start, ms", middle(ready), READY_MS)?;
    row("resident memory idle, MB", middle(idle), IDLE_MB)?;
    writeln!(out, "{:<30} {size_mb:>9.1}\n", "size of the program, MB")
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
