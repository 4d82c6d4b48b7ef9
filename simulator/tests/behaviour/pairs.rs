//! What one operation hands out, every other says the same of (ruling 37), and nothing is later than
//! now (ruling 38): the laws of `fixtures/laws.toml` over random strangers, seeds and instants. Calls go the
//! whole way, so that flows and times are those of a client.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use svc_fixtures::contract::Contract;
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{Ask, Claim, Compared, Exchange, Law};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::rehearsal::{CallSpec, CallTarget, Rehearsal};
use svc_simulator::scenario::{AccountConfig, MoreHeaders, accounts, find_account, read_accounts};

const SEEDS: [&str; 3] = ["", "one", "another"];

/// Instants, each at the end or the beginning of a month, where that is another day somewhere.
const INSTANTS: [&str; 3] = [
    "2026-11-22T09:30:00Z",
    "2028-02-29T23:59:59Z",
    "2031-01-01T00:00:01Z",
];

/// How many subjects for a law, over all seeds and instants, where `SVC_PAIRS` does not say; CI asks for 1,000.
const SUBJECTS: usize = 200;

/// Where nothing is optimised a search takes as long as fifty other calls: laws with one are played over a quarter as
/// many.
fn subjects(law: &Law) -> usize {
    let wanted = std::env::var("SVC_PAIRS").ok();
    let wanted = wanted.map_or(SUBJECTS, |wanted| {
        wanted.parse().expect("SVC_PAIRS is a number")
    });
    let searches = |ask: &Ask| ask.gives("companyName") || ask.operation.ends_with("-search");
    match law.asks.iter().any(searches) {
        true => wanted.div_ceil(4),
        false => wanted,
    }
}

pub(super) struct World {
    rules: Rules,
    account: AccountConfig,
}

pub(super) static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| {
    let world = |seed: &&str| {
        let rules = Rules::read(&Files::built_in(), Seed::new(seed));
        let rules = rules.expect("the built-in files read");
        let accounts = read_accounts(&accounts()).unwrap_or_else(|mistake| panic!("{mistake}"));
        World {
            rules,
            account: find_account(&accounts, "local").expect("it is built in"),
        }
    };
    SEEDS.iter().map(world).collect()
});

pub(super) static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// Asks all that a law asks, of a fresh account.
///
/// # Errors
/// What was not answered.
pub(super) fn asked(
    law: &Law,
    world: &World,
    begins: &str,
    draw: &mut dyn FnMut() -> u64,
) -> Result<Exchange<'static>, String> {
    let rules = &world.rules;
    let begins: Timestamp = begins.parse().expect("an instant");
    let mut rehearsal = Rehearsal::at(rules, world.account.clone(), begins);
    let key = rehearsal.key(Environment::Test);
    let mut exchange = Exchange {
        item: draw() as usize % 7,
        ..Exchange::default()
    };
    for ask in &law.asks {
        let Some(body) = ask.body(&CONTRACT, &exchange, draw) else {
            // A list may be empty, and then it leads nowhere.
            exchange.answers.push(Cow::Owned(Json::Null));
            continue;
        };
        let index = rules.contract.operation_index(&ask.operation);
        let spec = CallSpec {
            environment: Environment::Test,
            key: &key,
            target: CallTarget::Operation(index.expect("an operation")),
            body: &body,
            idempotency_key: None,
            reference_id: None,
            headers: MoreHeaders::NONE,
        };
        let mut observed = rehearsal.call(&spec);
        if observed.is_pending() {
            observed = rehearsal.result(&observed, None).expect("it ends");
        }
        if observed.outcome() != "completed" {
            let (operation, outcome) = (&ask.operation, observed.outcome());
            return Err(format!("{operation} is {outcome}: {body}"));
        }
        exchange.first.get_or_insert(body);
        exchange.answers.push(Cow::Owned(observed.envelope));
    }
    Ok(exchange)
}

pub(super) fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

/// Plays every law whose place in the list leaves this remainder: a part each for several threads.
fn play(part: usize) {
    let mut broken = BTreeMap::new();
    for (at, law) in Law::built_in().iter().enumerate() {
        if at % PARTS != part {
            continue;
        }
        let laws = law.of_operations(&CONTRACT);
        let mut draw = numbers(at as u64 + 1);
        for subject in 0..subjects(&laws[0]) {
            let law = &laws[subject % laws.len()];
            let (world, instant) = (&WORLDS[subject % 3], INSTANTS[subject / 3 % 3]);
            let found = match asked(law, world, instant, &mut draw) {
                Ok(exchange) => {
                    let broken = law.claims.iter().filter_map(|claim| {
                        let found = claim.broken(&exchange)?;
                        Some(format!("{}: {found}", claim.text))
                    });
                    broken.collect()
                }
                Err(refused) => vec![refused],
            };
            for found in found {
                let (operation, claim) = (&law.asks[0].operation, found.split(": ").next());
                let claim = claim.unwrap_or_default();
                let key = format!("{} ({operation}): {claim}", law.name);
                broken.entry(key).or_insert_with(Vec::new).push(found);
            }
        }
    }
    let lines = broken.iter();
    let lines = lines.map(|(claim, found)| format!("{claim}: {} times, {}", found.len(), found[0]));
    let lines: Vec<_> = lines.collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

const PARTS: usize = 4;

#[test]
fn the_first_quarter_of_the_laws_holds_of_random_strangers() {
    play(0);
}

#[test]
fn the_second_quarter_of_the_laws_holds_of_random_strangers() {
    play(1);
}

#[test]
fn the_third_quarter_of_the_laws_holds_of_random_strangers() {
    play(2);
}

#[test]
fn the_last_quarter_of_the_laws_holds_of_random_strangers() {
    play(3);
}

/// What a claim compares of some subjects, at the first instant and at the last.
fn seen(law: &Law) -> Vec<Exchange<'static>> {
    let mut draw = numbers(7);
    let instants = [INSTANTS[0], INSTANTS[2]];
    let laws = law.of_operations(&CONTRACT);
    let subjects = (0..laws.len().max(16)).flat_map(|at| instants.map(|instant| (at, instant)));
    let subjects = subjects.map(|(at, instant)| {
        let law = &laws[at % laws.len()];
        asked(law, &WORLDS[0], instant, &mut draw)
    });
    subjects.filter_map(Result::ok).collect()
}

/// Whether a claim is broken of somebody whose left side says something else.
fn heeds_its_left(claim: &Claim, seen: &[Exchange<'_>]) -> bool {
    let mut compared = seen.iter().map(|exchange| claim.compared(exchange));
    let said = |it: &Compared| !it.left.is_empty() && it.right.iter().any(|text| !text.is_empty());
    compared.any(|compared| {
        let other = |text: &String| format!("9999-{text}~");
        let changed = Compared {
            left: compared.left.iter().map(other).collect(),
            right: compared.right.clone(),
        };
        said(&compared) && claim.holds(&compared) && !claim.holds(&changed)
    })
}

#[test]
fn every_claim_of_a_law_compares_something_and_can_fail() {
    let mut idle = Vec::new();
    for law in Law::built_in() {
        let seen = seen(law);
        let claims = law.claims.iter();
        let claims = claims.filter(|claim| !heeds_its_left(claim, &seen));
        idle.extend(claims.map(|claim| format!("{}: {}", law.name, claim.text)));
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

/// The laws about what all answers of a kind have alike.
const OF_EVERYBODY: [&str; 3] = ["llpin", "returns-of-two-years", "state-of-city"];

#[test]
fn a_law_is_broken_where_the_answers_are_of_two_subjects() {
    let whoever = Law::built_in().iter().filter(|law| {
        let seen = seen(law);
        law.claims.iter().all(|claim| {
            let all = seen.iter().map(|exchange| claim.compared(exchange));
            let all: Vec<_> = all.collect();
            let mixed = |one: &Compared| {
                all.iter().all(|other| {
                    claim.holds(&Compared {
                        left: one.left.clone(),
                        right: other.right.clone(),
                    })
                })
            };
            all.iter().all(mixed)
        })
    });
    let whoever: Vec<_> = whoever.map(|law| law.name.as_str()).collect();
    assert_eq!(whoever, OF_EVERYBODY);
}
