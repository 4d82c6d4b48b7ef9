//! The same calls in any interleaving get the same answers.

use std::sync::Barrier;

use svc_simulator::engine::call::request::Environment;

use super::{Ask, CLIENTS, DOWN, GOOD, OTHER, PAN, SLOW_HISTORY, UAN, runtime, world};
use crate::number;
use crate::world::Stage;

/// The calls of one client: some are everybody's, some are its own.
fn calls_of(client: usize) -> Vec<(Environment, &'static str, &'static str, Option<String>)> {
    let bodies = [
        (PAN, GOOD),
        (PAN, OTHER),
        (PAN, DOWN),
        (UAN, SLOW_HISTORY),
        (PAN, "{}"),
    ];
    let one = |nth: usize| {
        let (path, body) = bodies[(nth + client) % bodies.len()];
        let own = (nth.is_multiple_of(3)).then(|| format!("{client}-{nth}"));
        (Environment::ALL[nth % 2], path, body, own)
    };
    (0..12).map(one).collect()
}

/// Every answer, in order, but for the balance that each client finds.
fn answers(stage: &Stage, at_once: bool) -> Vec<String> {
    let runtime = runtime();
    let world = world(stage, &runtime);
    let barrier = Barrier::new(if at_once { CLIENTS } else { 1 });
    let client = |client: usize| {
        barrier.wait();
        let calls = calls_of(client).into_iter();
        let calls = calls.map(|(environment, path, body, own)| {
            let ask = Ask {
                environment,
                reference: own.as_deref(),
                ..Ask::post(path, body)
            };
            let reply = runtime.block_on(ask.of(&world.host));
            let text = String::from_utf8_lossy(&reply.body).into_owned();
            let mut parts = text.split(",\"walletBalanceAfter\":");
            let before = parts.next().unwrap_or_default().to_owned();
            let after = parts.next().and_then(|rest| rest.split_once('}'));
            format!(
                "{} {before}{}",
                reply.status,
                after.map_or("", |(_, rest)| rest)
            )
        });
        calls.collect::<Vec<_>>()
    };
    let mut all: Vec<String> = match at_once {
        false => (0..CLIENTS).rev().flat_map(client).collect(),
        true => std::thread::scope(|scope| {
            let client = &client;
            let clients = (0..CLIENTS).map(|at| scope.spawn(move || client(at)));
            let clients: Vec<_> = clients.collect();
            let joined = clients.into_iter().map(|client| client.join());
            joined.flat_map(|all| all.expect("a client ends")).collect()
        }),
    };
    all.sort();
    all
}

#[test]
fn schedules_change_no_answer() {
    let rounds = number("SVC_SCHEDULES", 30);
    let stage = Stage::new();
    let alone = answers(&stage, false);
    for _ in 0..rounds {
        assert_eq!(answers(&stage, true), alone);
    }
}
