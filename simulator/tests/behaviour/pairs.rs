//! What one operation hands out, every other says the same of (ruling 37): the laws of
//! `fixtures/world/laws.toml` over random strangers, seeds and months.

use jiff::civil::{Date, date};
use svc_fixtures::contract::Contract;
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{Exchange, Law};
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::call::input::Input;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::response::Sources;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::{Seed, VerificationId};

const MONTHS: [Date; 3] = [date(2026, 11, 1), date(2028, 2, 1), date(2031, 1, 1)];

/// How many subjects for each law.
fn subjects() -> usize {
    let wanted = std::env::var("SVC_PAIRS").ok();
    wanted.map_or(60, |wanted| wanted.parse().expect("SVC_PAIRS is a number"))
}

fn laws() -> Vec<Law> {
    let laws = WorldRows::built_in().law.iter().map(Law::read);
    laws.collect::<Result<_, _>>().expect("the laws read")
}

/// The `data` that an operation answers; none where the request is refused.
fn answer(
    rules: &Rules,
    operation: &str,
    body: Json<'static>,
    today: Date,
) -> Option<Json<'static>> {
    let index = rules.contract.operation_index(operation);
    let index = index.unwrap_or_else(|| panic!("{operation} is no operation"));
    let row = &rules.contract.operations[index];
    let input = Input::check(&rules.contract, row, &[], body).ok()?;
    let mut data = Vec::new();
    let sources = Sources {
        story: &rules.story,
        input: &input,
        flow: None,
        verification: VerificationId::NONE,
        addresses: rules.addresses.of(Environment::Test),
        people: &rules.scenarios.people,
        declared: &rules.declared,
        population: rules.population,
        today,
    };
    rules.answer(index, None).print(sources, &mut data);
    Some(Json::parse(&data).expect("an answer is JSON").into_owned())
}

/// Asks all that a law asks.
fn asked(law: &Law, rules: &Rules, draw: &mut dyn FnMut() -> u64, today: Date) -> Exchange {
    let states: Vec<&str> = WorldRows::built_in()
        .state
        .iter()
        .map(|state| &*state.code)
        .collect();
    let mut exchange = Exchange {
        item: draw() as usize % 7,
        ..Exchange::default()
    };
    for ask in &law.asks {
        let body = ask.body(&exchange, draw, &states);
        let Some(body) = body else {
            // A list may be empty, and then it leads nowhere.
            exchange.answers.push(Json::Null);
            continue;
        };
        if exchange.first.is_none() {
            exchange.first = Some(body.clone());
        }
        let shown = body.to_string();
        let data = answer(rules, &ask.operation, body, today);
        let data =
            data.unwrap_or_else(|| panic!("{}: {} refuses {shown}", law.says, ask.operation));
        exchange.answers.push(data);
    }
    exchange
}

fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

#[test]
fn every_law_holds_of_random_strangers() {
    let codes = &WorldRows::built_in().tables()["state_codes"];
    let (mut claims, mut broken) = (0, Vec::new());
    for seed in ["", "one", "another"] {
        let rules =
            Rules::read(&Files::built_in(), Seed::new(seed)).expect("the built-in files read");
        for (at, law) in laws().iter().enumerate() {
            let mut draw = numbers(at as u64 + 1);
            claims += law.claims.len();
            for subject in 0..subjects().div_ceil(3) {
                let exchange = asked(law, &rules, &mut draw, MONTHS[subject % 3]);
                let found = law
                    .claims
                    .iter()
                    .filter_map(|claim| claim.broken(&exchange, codes));
                broken.extend(found.map(|found| format!("{seed} {}: {found}", law.says)));
            }
        }
    }
    broken.sort_unstable();
    let count = broken.len();
    broken.dedup_by_key(|line| line.split(": ").take(2).collect::<String>());
    assert!(
        broken.is_empty(),
        "{count} of {claims}\n{}",
        broken.join("\n")
    );
    assert!(claims / 3 >= 40, "{claims}");
}

#[test]
fn a_law_that_is_broken_is_found() {
    let codes = &WorldRows::built_in().tables()["state_codes"];
    let contract = Contract::built_in();
    for law in laws() {
        for ask in &law.asks {
            assert!(
                contract.operation(&ask.operation).is_some(),
                "{}",
                ask.operation
            );
        }
        let rules =
            Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files read");
        let mut draw = numbers(7);
        let found = (0..40).any(|_| {
            let mut exchange = || asked(&law, &rules, &mut draw, MONTHS[0]);
            let (one, other) = (exchange(), exchange());
            // Answers of two subjects, each in the other's place.
            let swapped = (0..law.asks.len()).map(|at| match at % 2 {
                0 => one.answers[at].clone(),
                _ => other.answers[at].clone(),
            });
            let mixed = Exchange {
                first: other.first.clone(),
                answers: swapped.collect(),
                item: one.item,
            };
            law.claims
                .iter()
                .any(|claim| claim.broken(&mixed, codes).is_some())
        });
        assert!(found, "{}", law.says);
    }
}
