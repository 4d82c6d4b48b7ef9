//! Whole runs in an order that is drawn: a sound service has no failure in any of them.

mod support;

use std::num::NonZeroUsize;
use std::thread;

use svc_contract_tests::check::{self, Check};
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{Event, Outcome};
use svc_contract_tests::plan::Setting;
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter, Order, RunLimits};
use svc_fixtures::contract::Contract;

/// How many runs, where the environment does not say.
const RUNS: u32 = 2;

fn runs() -> u32 {
    let said = std::env::var("SVC_CLEAN_RUNS").ok();
    said.map_or(RUNS, |runs| {
        runs.parse().expect("SVC_CLEAN_RUNS is a number")
    })
}

/// The checks that have something to ask of a simulator.
fn asked(setting: &Setting<'_>) -> Vec<Check> {
    let mut checks = check::all();
    checks.retain(|check| !check.cases(setting).is_empty());
    checks
}

/// The checks in the order they were run, and what was broken.
fn run_in_any_order(contract: &Contract, seed: &str) -> (Vec<&'static str>, String) {
    let mut setting = support::setting(contract);
    setting.seed = seed.to_owned();
    let target = support::InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let limits = RunLimits {
        jobs: NonZeroUsize::new(4).expect("four"),
        order: Order::Random,
        ..RunLimits::default()
    };
    let (mut ran, mut broken) = (Vec::new(), String::new());
    let mut emit = |event: &mut Event| {
        let Event::CheckFinished(judged) = event else {
            return;
        };
        ran.push(judged.check);
        if judged.outcome() != Outcome::Passed {
            broken += &format!(
                "{}: {:?}\n{}",
                judged.check,
                judged.outcome(),
                human::broken(judged)
            );
        }
    };
    let (checks, filter) = (asked(&setting), Filter::default());
    let run = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    support::block_on(run);
    (ran, broken)
}

#[test]
fn in_whatever_order_checks_and_cases_run_none_fails() {
    let contract = Contract::built_in();
    let run = |number| {
        let seed = format!("order-{number}");
        let (ran, broken) = run_in_any_order(&contract, &seed);
        assert_eq!(broken, "", "seed {seed}");
        assert_eq!(ran.len(), asked(&support::setting(&contract)).len());
        ran
    };
    // As many at once as are run here by default; what fails in one fails here.
    let numbers: Vec<u32> = (0..runs()).collect();
    let mut orders = Vec::new();
    for some in numbers.chunks(RUNS as usize) {
        thread::scope(|scope| {
            let threads = some.iter().map(|number| scope.spawn(|| run(*number)));
            let threads: Vec<_> = threads.collect();
            let ran = threads
                .into_iter()
                .map(|thread| thread.join().expect("it passes"));
            orders.extend(ran);
        });
    }
    let drawn = orders.len();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), drawn, "each seed draws an order of its own");
}
