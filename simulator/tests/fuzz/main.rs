//! Runs the fuzz targets without a nightly compiler: committed seeds, changed at random but the same way
//! in every run, as many as fit a short time. `SVC_FUZZ_SECONDS=300` goes on for so long on each target,
//! `SVC_FUZZ_SEED=7` changes the seeds in another way.

mod mutator;
mod targets;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mutator::Mutator;

/// The seeds of a target, by the name of their file.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/seeds")
        .join(target);
    let entries = std::fs::read_dir(&folder).expect("the seeds of the target");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    paths.sort();
    let read = |path| std::fs::read(path).expect("a seed");
    let seeds: Vec<_> = paths.into_iter().map(read).collect();
    assert!(!seeds.is_empty(), "no seeds in {}", folder.display());
    seeds
}

fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {text}")),
    )
}

/// Runs a target on its seeds and on so many changed ones, or as long as it was asked for.
#[expect(clippy::print_stdout, reason = "a long run says how far it came")]
fn fuzz(name: &str, rounds: u64, seeds: &[Vec<u8>], run: impl Fn(&[u8])) {
    let over = Arc::new(AtomicBool::new(false));
    let seconds = setting("SVC_FUZZ_SECONDS");
    if let Some(seconds) = seconds {
        let over = Arc::clone(&over);
        let (never, wait) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            // Nobody sends: it ends when the time is over.
            let _time_is_over = wait.recv_timeout(Duration::from_secs(seconds));
            over.store(true, Ordering::Relaxed);
            drop(never);
        });
    }
    for seed in seeds {
        attempt(name, seed, &run);
    }
    let mut mutator = Mutator::new(setting("SVC_FUZZ_SEED").unwrap_or(1), seeds);
    let mut round = 0;
    while match seconds {
        Some(_) => !over.load(Ordering::Relaxed),
        None => round < rounds,
    } {
        attempt(name, &mutator.next(), &run);
        round += 1;
    }
    println!("{name}: {round} changed inputs, no defect");
}

/// One input. One that finds a defect is kept for the crate `fuzz/`, and to be made a seed.
#[expect(clippy::print_stderr, reason = "shown where the test fails")]
fn attempt(name: &str, input: &[u8], run: &impl Fn(&[u8])) {
    let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(input)));
    if let Err(panic) = tried {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}"));
        std::fs::write(&file, input).expect("a place for the input");
        eprintln!(
            "{name} fails on {} ({})",
            input.escape_ascii(),
            file.display()
        );
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn any_bytes_to_the_engine_are_answered_with_an_envelope() {
    fuzz("engine", 4000, &seeds("engine"), targets::engine);
}

#[test]
fn any_text_is_scenarios_or_a_list_of_mistakes() {
    fuzz("scenarios", 400, &seeds("scenarios"), targets::scenarios);
}

#[test]
fn any_header_is_a_signature_or_a_diagnosis() {
    fuzz("signature", 120, &seeds("signature"), targets::signature);
}

#[test]
fn any_number_is_whole_paise_or_no_amount() {
    fuzz("amount", 20_000, &seeds("amount"), targets::amount);
}

#[test]
fn any_bytes_are_strict_json_or_refused() {
    fuzz("json", 20_000, &seeds("json"), targets::json);
}

#[test]
fn any_bytes_on_the_wire_are_answered_with_envelopes_or_not_at_all() {
    let listener = wire::Listener::new();
    fuzz("wire", 800, &seeds("wire"), |bytes| listener.answers(bytes));
}
