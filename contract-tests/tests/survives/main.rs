//! A run survives: what the net and a busy service do to it is no breach.

mod chaos;
#[path = "../support/mod.rs"]
mod support;

use std::num::NonZeroUsize;

use chaos::{Chaos, Mischief, Retold};
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring, RunKey};
use svc_contract_tests::event::{CheckResult, Event, Totals};
use svc_contract_tests::profile::Profile;
use svc_contract_tests::redact::Secret;
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter, Order, RunLimits};
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::Contract;

struct Ran {
    names: Vec<String>,
    results: Vec<CheckResult>,
    totals: Totals,
    again: usize,
}

/// A run: by which rules, with which keys, how many cases at once, and which checks.
struct Kind {
    profile: Profile,
    keys: Keyring,
    jobs: usize,
    checks: fn(&str) -> bool,
}

/// What a net in between makes up is no answer of our simulator.
fn provider(checks: fn(&str) -> bool) -> Kind {
    Kind {
        profile: Profile::Provider,
        keys: Keyring::of_simulator(),
        jobs: 4,
        checks,
    }
}

/// A run through this mischief.
fn run_through(kind: Kind, mischief: Mischief, seed: u64) -> Ran {
    let Kind {
        profile,
        keys,
        jobs,
        checks: wanted,
    } = kind;
    let contract = Contract::built_in();
    let mut setting = support::setting(&contract);
    setting.profile = profile;
    setting.seed = format!("survives{seed}");
    let simulator = support::InProcess::new(support::accounts());
    let target = Chaos::new(simulator, mischief, seed);
    let client = Client::new(&target, keys, &setting);
    let limits = RunLimits {
        jobs: NonZeroUsize::new(jobs).expect("more than none"),
        order: Order::Random,
        ..RunLimits::default()
    };
    let mut results = Vec::new();
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(judged) = event {
            results.push(judged.clone());
        }
    };
    let (mut checks, filter) = (check::all(), Filter::default());
    checks.retain(|check| wanted(check.id));
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

/// Keys that somebody gave, of one account.
fn own_keys() -> Keyring {
    let key = |text: &str| Some(RunKey::new(Secret::new(text)));
    Keyring {
        test: key("svc_test_local_own"),
        live: key("svc_live_local_own"),
        ..Keyring::default()
    }
}

/// All checks but those that send one call a case, hundreds of times.
fn most(check: &str) -> bool {
    !check.starts_with("validation.") && !check.starts_with("body.")
}

/// What changes or measures accounts, and some that don't.
fn of_accounts(check: &str) -> bool {
    let families = [
        "accounts.",
        "billing.",
        "clocks.",
        "idempotency.replay",
        "lookup.",
        "usage.",
        "webhooks.",
    ];
    families.iter().any(|family| check.starts_with(family))
}

#[test]
fn a_sound_service_far_away_is_asked_everything_once_in_four_minutes() {
    let far = Mischief {
        latency_ms: 300,
        ..Mischief::default()
    };
    let kind = Kind {
        keys: own_keys(),
        jobs: 16,
        ..provider(|_| true)
    };
    let ran = run_through(kind, far, 0);
    assert_eq!(broken(&ran), "");
    let again = format!("not taken for trouble: {:?}", ran.names);
    assert_eq!(ran.again, 0, "{again}");
    assert!(ran.totals.took_ms <= 240_000, "{}", ran.totals.took_ms);
}

#[test]
fn cut_connections_and_honest_refusals_break_nothing() {
    let mischief = Mischief {
        cut_percent: 2,
        refuse_percent: 1,
        delay_ms: 300,
        ..Mischief::default()
    };
    let ran = run_through(provider(most), mischief, 1);
    assert_eq!(broken(&ran), "");
    assert_eq!((ran.totals.failed, ran.totals.unreachable), (0, 0));
    assert!(ran.again > 10, "{} cases were tried again", ran.again);
    let findings = ran.results.iter().flat_map(|result| &result.findings);
    let noted = findings.filter(|it| matches!(it.verdict, Verdict::Noted { .. }));
    assert!(noted.count() >= ran.again);
}

#[test]
fn many_cases_at_once_on_one_account_break_nothing() {
    let late = Mischief {
        delay_ms: 300,
        ..Mischief::default()
    };
    for profile in [Profile::Provider, Profile::Simulator] {
        let kind = Kind {
            profile,
            keys: own_keys(),
            jobs: 16,
            checks: of_accounts,
        };
        let ran = run_through(kind, late, 1);
        assert_eq!(broken(&ran), "");
        assert_eq!(ran.again, 0, "{:?}", ran.names);
    }
}

/// Behind each of these nets a sound service is sound: one check in so many by each, in any order, with any
/// keys and any number of cases at once. Whole runs, so many times, with `SVC_CLEAN_RUNS`.
#[test]
fn behind_any_net_nothing_is_broken() {
    let runs = std::env::var("SVC_CLEAN_RUNS").ok();
    let runs: Option<u64> = runs.map(|runs| runs.parse().expect("SVC_CLEAN_RUNS is a number"));
    let clean = Mischief::default;
    let nets = [
        Mischief {
            retold: Retold::WithMore,
            ..clean()
        },
        Mischief {
            retold: Retold::InAnotherOrder,
            ..clean()
        },
        Mischief {
            delay_ms: 300,
            ..clean()
        },
        Mischief {
            cut_percent: 2,
            ..clean()
        },
        Mischief {
            refuse_percent: 1,
            ..clean()
        },
    ];
    for (net, at) in nets.into_iter().zip(0..) {
        for number in 0..runs.unwrap_or(1) {
            let seed = number * 5 + at;
            let kind = Kind {
                profile: Profile::Provider,
                keys: [own_keys, Keyring::of_simulator][usize::from(seed % 2 == 0)](),
                jobs: [16, 1, 4][usize::try_from(seed % 3).expect("a small number")],
                checks: if runs.is_some() { |_| true } else { some },
            };
            let ran = run_through(kind, net, seed);
            assert_eq!(broken(&ran), "", "{net:?}, seed {seed}");
            assert_eq!(
                (ran.totals.failed, ran.totals.unreachable),
                (0, 0),
                "{net:?}"
            );
        }
    }
}

/// Some that look at single answers, at several of them, and at the account.
fn some(check: &str) -> bool {
    let families = [
        "billing.replay",
        "examples.",
        "idempotency.replay",
        "envelope.success",
    ];
    families.iter().any(|family| check.starts_with(family))
}

#[test]
fn what_stays_in_the_way_of_several_cases_is_not_waited_for_in_all() {
    let refuses = Mischief {
        refuse_percent: 100,
        ..Mischief::default()
    };
    let kind = provider(|check| check.starts_with("envelope."));
    let ran = run_through(Kind { jobs: 1, ..kind }, refuses, 1);
    let cases: usize = ran.results.iter().map(|result| result.cases).sum();
    assert!(cases > 100 && ran.again < 50, "{} of {cases}", ran.again);
    let findings = ran.results.iter().flat_map(|result| &result.findings);
    let noted = findings.filter(|it| {
        matches!(&it.verdict, Verdict::Noted { what, .. } if what == "a case was not tried again")
    });
    assert!(noted.count() > 50);
}

#[test]
fn a_service_that_only_refuses_is_broken_and_always() {
    let mischief = Mischief {
        refuse_percent: 100,
        ..Mischief::default()
    };
    let ran = run_through(
        provider(|check| check.starts_with("identifiers.")),
        mischief,
        1,
    );
    assert!(ran.totals.failed >= 2, "{:?}", ran.totals);
    assert!(broken(&ran).contains("(always, in 3 tries)"));
}

#[test]
fn a_service_that_is_silent_from_some_time_on_is_unreachable() {
    let mischief = Mischief {
        cut_percent: 100,
        ..Mischief::default()
    };
    let ran = run_through(
        provider(|check| check.starts_with("identifiers.")),
        mischief,
        1,
    );
    assert_eq!(broken(&ran), "");
    assert!(ran.totals.unreachable > 0, "{:?}", ran.totals);
}
