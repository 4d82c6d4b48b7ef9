//! What several clients saw of one wallet, explained by one order.

use std::collections::HashMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::FixedState;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::ids::VerificationId;
use svc_simulator::engine::state::manage;
use tokio::runtime::Handle;

use super::{
    Ask, CLIENTS, DOWN, GOOD, OTHER, PAN, PAN_PRICE, SLOW_HISTORY, UAN, UAN_PRICE, runtime, top_up,
    wallet, world,
};
use crate::dice::Dice;
use crate::head::{Head, paise};
use crate::linear::{Act, Timed, Wallet, order};
use crate::number;
use crate::reference::OPENING;
use crate::world::{Stage, World};

/// What one client does in a history.
#[derive(Debug, Clone, Copy)]
enum Doing {
    Call {
        body: &'static str,
        key: Option<usize>,
    },
    Begin,
    EndLatest,
    Report,
    LookUp,
    TopUp,
    Reset,
}

fn draw(dice: &mut Dice) -> Doing {
    match dice.below(20) {
        0..8 => Doing::Call {
            body: dice.pick(&[GOOD, GOOD, OTHER, DOWN]),
            key: dice.percent(40).then(|| dice.below(3)),
        },
        8..11 => Doing::Begin,
        11..14 => Doing::EndLatest,
        14..16 => Doing::Report,
        16 => Doing::LookUp,
        17 | 18 => Doing::TopUp,
        _ => Doing::Reset,
    }
}

/// What all clients of a history share.
struct Table<'w> {
    world: &'w World,
    handle: Handle,
    /// Moments, in the order they really came.
    moments: AtomicU64,
    /// The calls that are or were pending, by number.
    begun: parking_lot::Mutex<Vec<VerificationId>>,
    /// What each idempotency key was first answered with.
    first: parking_lot::Mutex<HashMap<(String, String), Reply, FixedState>>,
    resets: bool,
}

impl Table<'_> {
    fn moment(&self) -> u64 {
        self.moments.fetch_add(1, Ordering::SeqCst)
    }

    fn ask(&self, ask: Ask<'_>) -> Reply {
        self.handle.block_on(ask.of(&self.world.host))
    }

    /// A call with a result at once, under one of a few keys or none.
    fn call(&self, body: &str, key: Option<usize>, reference: &str) -> Option<Act> {
        // After a reset a key means nothing any more: not both in one history.
        let key = key
            .filter(|_| !self.resets)
            .map(|key| format!("{key} {body}"));
        let ask = Ask {
            key: key.as_deref(),
            reference: key.is_none().then_some(reference),
            ..Ask::post(PAN, body)
        };
        let reply = self.ask(ask);
        if let Some(key) = key.filter(|_| reply.status != 402) {
            let mut first = self.first.lock();
            let known = first.entry((key, body.to_owned()));
            let known = known.or_insert_with(|| reply.clone());
            assert_eq!(known.body, reply.body, "a key has one answer");
        }
        (!reply.replay).then(|| act_of(&reply))
    }

    /// Does one thing and gives what became of it, where the wallet had to do with it.
    fn act(&self, doing: Doing, reference: &str) -> Option<Act> {
        let (host, cell) = (&self.world.host, &self.world.cell);
        let _in_runtime = self.handle.enter();
        match doing {
            Doing::Call { body, key } => self.call(body, key, reference),
            Doing::Begin => {
                let ask = Ask {
                    reference: Some(reference),
                    ..Ask::post(UAN, SLOW_HISTORY)
                };
                let reply = self.ask(ask);
                if reply.status == 402 {
                    return Some(Act::Refused { price: UAN_PRICE });
                }
                assert_eq!(reply.status, 202);
                let head = Head::of(&reply.body).expect("an envelope");
                let mut begun = self.begun.lock();
                begun.push(VerificationId::parse(&head.id).expect("an id"));
                let id = u32::try_from(begun.len() - 1).expect("few");
                Some(Act::Held {
                    price: UAN_PRICE,
                    id,
                })
            }
            Doing::EndLatest => {
                let (id, verification) = {
                    let begun = self.begun.lock();
                    let id = begun.len().checked_sub(1)?;
                    (u32::try_from(id).expect("few"), begun[id])
                };
                let ended = host.end_now(cell, Environment::Live, verification);
                let was_open = ended.expect("the journal takes all");
                Some(Act::Ended { id, was_open })
            }
            Doing::Report => {
                let reply = self.ask(Ask::get("/v1/usage"));
                let text = String::from_utf8_lossy(&reply.body);
                let balance = text.split_once("\"walletBalance\":").expect("a balance").1;
                let balance = balance.split(['}', ',']).next().and_then(paise);
                Some(Act::Read {
                    balance: balance.expect("an amount"),
                })
            }
            Doing::LookUp => {
                let latest = self.begun.lock().last().copied()?;
                let reply = self.ask(Ask::get(&format!("/v1/verifications/{latest}")));
                assert!(reply.status == 200 || self.resets, "{reply:?}");
                None
            }
            Doing::TopUp => {
                top_up(host, self.world, 500);
                Some(Act::ToppedUp { amount: 500 })
            }
            Doing::Reset if self.resets => {
                host.reset(cell).expect("the journal takes all");
                Some(Act::Reset)
            }
            Doing::Reset => None,
        }
    }
}

/// What a first answer to a PAN call means for the wallet.
fn act_of(reply: &Reply) -> Act {
    let head = Head::of(&reply.body).expect("an envelope");
    let price = PAN_PRICE;
    match (reply.status, head.balance_after) {
        (402, _) => Act::Refused { price },
        (503, None) => Act::Free { price },
        (200 | 422, Some(balance)) => Act::Paid { price, balance },
        other => panic!("foreseen was something else than {other:?}"),
    }
}

const ACTS: usize = 10;

/// In a runtime of its own: what waits for a later due time would keep its world, and the store's connections.
fn history_is_explained(stage: &Stage, seed: u64) -> Vec<Act> {
    let runtime = runtime();
    let world = world(stage, &runtime);
    let table = Table {
        world: &world,
        handle: runtime.handle().clone(),
        moments: AtomicU64::new(0),
        begun: parking_lot::Mutex::default(),
        first: parking_lot::Mutex::default(),
        resets: seed.is_multiple_of(2),
    };
    // Nearly empty, so that what is refused depends on what came before.
    let opening = if table.resets { OPENING } else { 9000 };
    if !table.resets {
        let set = world
            .host
            .change(&world.cell, Environment::Live, |account, _| {
                manage::set_balance(account, Environment::Live, Paise(opening))
            });
        let _in_runtime = runtime.enter();
        set.expect("a wallet takes this");
    }
    let barrier = Barrier::new(CLIENTS);
    let history: Vec<Timed> = std::thread::scope(|scope| {
        let client = |client: usize| {
            let (table, barrier) = (&table, &barrier);
            scope.spawn(move || {
                let mut dice = Dice::new(seed.wrapping_mul(1000) + client as u64);
                barrier.wait();
                let acts = (0..ACTS).filter_map(|nth| {
                    let doing = draw(&mut dice);
                    let begun = table.moment();
                    let act = table.act(doing, &format!("{client}-{nth}"));
                    let answered = table.moment();
                    act.map(|act| Timed {
                        begun,
                        answered,
                        act,
                    })
                });
                acts.collect::<Vec<_>>()
            })
        };
        let clients: Vec<_> = (0..CLIENTS).map(client).collect();
        let joined = clients.into_iter().map(|client| client.join());
        joined
            .flat_map(|acts| acts.expect("a client ends"))
            .collect()
    });
    let (balance, held, _) = wallet(&world);
    let explained = order(&history, Wallet::opened(opening), (balance, held));
    assert!(
        explained.is_some(),
        "seed {seed}: no order explains how {balance} and {held} came about: {history:#?}"
    );
    history.into_iter().map(|timed| timed.act).collect()
}

#[test]
fn schedules_of_a_wallet_are_explained_by_one_order_of_the_calls() {
    let rounds = number("SVC_SCHEDULES", 30) * 5;
    let stage = Stage::new();
    let all = (0..rounds).flat_map(|seed| history_is_explained(&stage, seed));
    let all: Vec<_> = all.collect();
    let kinds: [fn(&Act) -> bool; 8] = [
        |act| matches!(act, Act::Paid { .. }),
        |act| matches!(act, Act::Free { .. }),
        |act| matches!(act, Act::Refused { .. }),
        |act| matches!(act, Act::Held { .. }),
        |act| matches!(act, Act::Ended { was_open: true, .. }),
        |act| {
            matches!(
                act,
                Act::Ended {
                    was_open: false,
                    ..
                }
            )
        },
        |act| matches!(act, Act::Read { .. }),
        |act| matches!(act, Act::Reset),
    ];
    for (at, kind) in kinds.into_iter().enumerate() {
        assert!(all.iter().any(kind), "kind {at} never happened");
    }
}
