//! The same key at once, from hundreds of tasks.

use std::sync::Arc;

use svc_simulator::engine::call::request::Environment;

use super::{
    Ask, GOOD, OTHER, PAN, PAN_PRICE, SLOW_HISTORY, UAN, UAN_PRICE, runtime, top_up, wallet,
};
use crate::number;
use crate::world::{Stage, World};

/// A reference for which the answer is held back for a moment.
const BRIEF: &str = r#"
    [[scenario]]
    name = "takes a moment"
    operation = "*"
    when = { header."X-Reference-Id" = "brief" }
    then = { success = {}, delay = "2ms" }
"#;

/// What the duplicates of a round ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    AtOnce,
    HeldBack,
    Pending,
    /// Every other one has another body.
    Conflict,
}

const DUPLICATES: usize = 512;

/// 512 calls under one key at once: one is executed and pays, the others get its very bytes.
async fn duplicates(world: &World, round: Round, key: &str) {
    let before = wallet(world);
    let started = executions(world);
    let calls = (0..DUPLICATES).map(|nth| {
        let (host, key) = (Arc::clone(&world.host), key.to_owned());
        tokio::spawn(async move {
            let (path, body) = match round {
                Round::Pending => (UAN, SLOW_HISTORY),
                Round::Conflict if nth % 2 == 1 => (PAN, OTHER),
                _ => (PAN, GOOD),
            };
            let ask = Ask {
                key: Some(&key),
                reference: (round == Round::HeldBack).then_some("brief"),
                ..Ask::post(path, body)
            };
            (nth % 2, ask.of(&host).await)
        })
    });
    let mut replies = Vec::with_capacity(DUPLICATES);
    for call in calls.collect::<Vec<_>>() {
        replies.push(call.await.expect("a call is answered"));
    }
    let (refused, answered): (Vec<_>, Vec<_>) =
        replies.iter().partition(|(_, reply)| reply.status == 409);
    let executed: Vec<_> = answered.iter().filter(|(_, reply)| !reply.replay).collect();
    assert_eq!(executed.len(), 1, "{round:?}");
    let (winner, first) = executed[0];
    for (side, reply) in &answered {
        assert_eq!(
            (reply.status, &reply.body),
            (first.status, &first.body),
            "{round:?}"
        );
        assert!(
            round != Round::Conflict || side == winner,
            "another body was replayed"
        );
    }
    let conflicts = if round == Round::Conflict {
        DUPLICATES / 2
    } else {
        0
    };
    assert_eq!(refused.len(), conflicts, "{round:?}");
    assert!(refused.iter().all(|(side, _)| side != winner));
    assert_eq!(executions(world) - started, 1, "{round:?}");
    let (balance, held, charged) = wallet(world);
    let (price, hold) = match round {
        Round::Pending => (0, UAN_PRICE),
        _ => (PAN_PRICE, 0),
    };
    let paid = (before.0 - balance, held - before.1, charged - before.2);
    assert_eq!(paid, (price, hold, price), "{round:?}");
}

/// How many calls completed or wait for their result: conflicts and replays are none.
fn executions(world: &World) -> u64 {
    world.cell.read(|account| {
        let state = account.environment(Environment::Live);
        let usage = state.usage.totals();
        usage.calls - usage.failed
    })
}

#[test]
fn schedules_of_512_duplicates_are_one_execution_and_one_charge() {
    let rounds = number("SVC_SCHEDULES", 30);
    let (stage, runtime) = (Stage::with(BRIEF), runtime());
    let mut world = super::world(&stage, &runtime);
    for number in 0..rounds {
        // A fresh account now and then, so that it stays small.
        if number % 50 == 49 {
            world = super::world(&stage, &runtime);
        }
        let round = [
            Round::AtOnce,
            Round::HeldBack,
            Round::Pending,
            Round::Conflict,
        ];
        let round = round[number as usize % round.len()];
        let _in_runtime = runtime.enter();
        top_up(&world.host, &world, PAN_PRICE + UAN_PRICE);
        runtime.block_on(duplicates(&world, round, &format!("key-{number}")));
    }
}
