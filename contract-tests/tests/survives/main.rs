//! A run survives: what the net and a busy service do to it is no breach.

mod chaos;
#[path = "../support/mod.rs"]
mod support;

use std::num::NonZeroUsize;

use chaos::{Chaos, Mischief};
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{CheckResult, Event, Totals};
use svc_contract_tests::profile::Profile;
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::Contract;

struct Ran {
    names: Vec<String>,
    results: Vec<CheckResult>,
    totals: Totals,
    again: usize,
}

/// A whole run through this mischief.
fn run_through(mischief: Mischief, seed: u64, family: &str) -> Ran {
    let contract = Contract::built_in();
    let mut setting = support::setting(&contract);
    // What a net in between makes up is no answer of our simulator.
    setting.profile = Profile::Provider;
    let simulator = support::InProcess::new(support::accounts());
    let target = Chaos::new(simulator, mischief, seed);
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let limits = RunLimits {
        jobs: NonZeroUsize::new(4).expect("four"),
        ..RunLimits::default()
    };
    let mut results = Vec::new();
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(judged) = event {
            results.push(judged.clone());
        }
    };
    let (mut checks, filter) = (check::all(), Filter::default());
    checks.retain(|check| check.id.starts_with(family));
    let run = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    let (capture, totals) = support::block_on(run);
    let again = capture.cases.iter().filter(|case| case.try_ > 0);
    let names: Vec<_> = again
        .map(|case| format!("{}: {}", case.check, case.case))
        .collect();
    Ran {
        again: names.len(),
        names,
        results,
        totals,
    }
}

fn broken(ran: &Ran) -> String {
    ran.results.iter().map(human::broken).collect()
}

#[test]
fn a_sound_service_is_asked_everything_once() {
    let ran = run_through(Mischief::default(), 0, "");
    assert_eq!(broken(&ran), "");
    let again = format!("not taken for trouble: {:?}", ran.names);
    assert_eq!(ran.again, 0, "{again}");
}

#[test]
fn cut_connections_and_honest_refusals_break_nothing() {
    let mischief = Mischief {
        cut_percent: 2,
        refuse_percent: 1,
        delay_ms: 300,
    };
    let ran = run_through(mischief, 1, "");
    assert_eq!(broken(&ran), "");
    assert_eq!((ran.totals.failed, ran.totals.unreachable), (0, 0));
    assert!(ran.again > 10, "{} cases were tried again", ran.again);
    let findings = ran.results.iter().flat_map(|result| &result.findings);
    let noted = findings.filter(|it| matches!(it.verdict, Verdict::Noted { .. }));
    assert!(noted.count() >= ran.again);
}

#[test]
fn a_service_that_only_refuses_is_broken_and_always() {
    let mischief = Mischief {
        refuse_percent: 100,
        ..Mischief::default()
    };
    let ran = run_through(mischief, 1, "identifiers.");
    assert!(ran.totals.failed >= 2, "{:?}", ran.totals);
    assert!(broken(&ran).contains("(always, in 3 tries)"));
}

#[test]
fn a_service_that_is_silent_from_some_time_on_is_unreachable() {
    let mischief = Mischief {
        cut_percent: 100,
        ..Mischief::default()
    };
    let ran = run_through(mischief, 1, "identifiers.");
    assert_eq!(broken(&ran), "");
    assert!(ran.totals.unreachable > 0, "{:?}", ran.totals);
}
