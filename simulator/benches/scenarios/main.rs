//! Measures what many rules cost: how long they take to load, and how much longer the engine takes
//! for one answer than with ten rules. The two sides answer in turn, so that a drifting machine hits
//! both; the inputs of a side are spread over all its rules.
#![expect(clippy::disallowed_methods, reason = "a bench measures real time")]

mod measure;
mod rules;

use std::io::Write as _;
use std::time::Instant;

use measure::{Compared, Side, compare};
use rules::{Inputs, Shape, file};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;

/// What every figure is compared with.
const BASE: usize = 10;
const ROUNDS: usize = 21;

fn main() {
    let short = std::env::args().any(|arg| arg == "--short");
    let rounds = if short { 3 } else { ROUNDS };
    let mut out = std::io::stdout().lock();
    let mut print = |line: String| writeln!(out, "{line}").expect("somebody reads");
    let built_in = Rules::read(&Files::built_in(), Seed::new(""));
    let built_in = built_in.expect("the built-in files have no mistake");

    print(format!(
        "rules of one operation against {BASE} of them; {rounds} rounds in turn, medians\n"
    ));
    print(format!(
        "{:<34} {:>9} {:>10} {:>10} {:>8} {:>8}",
        "", "load ms", "median µs", "p99 µs", "median", "p99"
    ));
    for shape in Shape::ALL {
        let (base, load_ms) = load(&built_in, shape, BASE);
        row(&mut print, &title(shape, BASE, "named"), load_ms, None);
        for &count in shape.counts() {
            let (many, load_ms) = load(&built_in, shape, count);
            for (inputs, what) in [(Inputs::Named, "named"), (Inputs::Unnamed, "unnamed")] {
                let compared = compare(
                    &Side::new(&base, shape, BASE, inputs),
                    &Side::new(&many, shape, count, inputs),
                    rounds,
                );
                row(
                    &mut print,
                    &title(shape, count, what),
                    load_ms,
                    Some(&compared),
                );
            }
            if count == *shape.counts().last().expect("every shape is measured") {
                let unnamed = compare(
                    &Side::new(&many, shape, count, Inputs::Canned),
                    &Side::new(&many, shape, count, Inputs::Unnamed),
                    rounds,
                );
                let title = format!("{} {count}, unnamed/named", shape.name());
                row(&mut print, &title, load_ms, Some(&unnamed));
            }
        }
        print(String::new());
    }
}

fn title(shape: Shape, count: usize, inputs: &str) -> String {
    format!("{} {count}, {inputs}", shape.name())
}

/// Rules with so many of a shape before the built-in ones, and how long they took from text.
fn load(built_in: &Rules, shape: Shape, count: usize) -> (Rules, f64) {
    let file = file(shape, count);
    let began = Instant::now();
    let rules = built_in.with_scenarios(&[file]);
    let load_ms = began.elapsed().as_secs_f64() * 1e3;
    let rules = rules.unwrap_or_else(|problems| panic!("{problems}"));
    (rules, load_ms)
}

fn row(print: &mut impl FnMut(String), title: &str, load_ms: f64, compared: Option<&Compared>) {
    let figures = compared.map_or_else(String::new, |compared| {
        format!(
            " {:>10.2} {:>10.2} {:>8.2} {:>8.2}",
            compared.median_us, compared.p99_us, compared.median_ratio, compared.p99_ratio
        )
    });
    print(format!("{title:<34} {load_ms:>9.1}{figures}"));
}
