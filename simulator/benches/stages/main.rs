//! Measures the stages of a call one by one, in process: no sockets, no tasks, a clock that stands still.
//! Dropping what a stage gives is not measured. `--short` takes a tenth of the time; else the arguments are
//! divan's: parts of names, `--list`, `--min-time`.

mod asking;
mod deciding;
mod given;
mod printing;
mod whole;

use std::time::Duration;

use divan::Divan;

/// Each stage is measured for so long.
const TIME: Duration = Duration::from_millis(500);

fn main() {
    let divan = Divan::default();
    match std::env::args().any(|arg| arg == "--short") {
        true => divan.min_time(TIME / 10).run_benches(),
        false => divan.min_time(TIME).config_with_args().main(),
    }
}
