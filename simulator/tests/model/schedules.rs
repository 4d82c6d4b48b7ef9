//! Clients that call at once, on real threads: the wallet's history is explained by one order of the
//! calls, a key is executed once, and answers do not depend on who came first.
//!
//! `SVC_SCHEDULES=1000 cargo test --release -p svc-simulator --test model schedules` goes further.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

use foldhash::fast::FixedState;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::ids::VerificationId;
use svc_simulator::engine::manage;
use svc_simulator::engine::reply::Reply;
use svc_simulator::host::Host;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::dice::Dice;
use crate::head::{Head, paise};
use crate::linear::{Act, Timed, Wallet, order};
use crate::number;
use crate::reference::OPENING;
use crate::world::{ACCOUNT, Stage, World};

const PAN: &str = "/v1/verify/identity/pan";
const UAN: &str = "/v1/verify/employment/uan";
const GOOD: &str = r#"{"pan": "AAAAA0000A"}"#;
const OTHER: &str = r#"{"pan": "AAAAA9999A"}"#;
const DOWN: &str = r#"{"pan": "AAAAA0503A"}"#;
const SLOW_HISTORY: &str = r#"{"uan": "100000000202"}"#;
const PAN_PRICE: i64 = 250;
const UAN_PRICE: i64 = 4000;

/// A reference for which the answer is held back for a moment.
const BRIEF: &str = r#"
    [[scenario]]
    name = "takes a moment"
    operation = "*"
    when = { header."X-Reference-Id" = "brief" }
    then = { success = {}, delay = "2ms" }
"#;

/// One call, on live until it says otherwise.
#[derive(Clone, Copy)]
struct Ask<'a> {
    environment: Environment,
    method: &'a str,
    path: &'a str,
    body: &'a str,
    key: Option<&'a str>,
    reference: Option<&'a str>,
}

impl<'a> Ask<'a> {
    fn post(path: &'a str, body: &'a str) -> Self {
        Ask {
            environment: Environment::Live,
            method: "POST",
            path,
            body,
            key: None,
            reference: None,
        }
    }

    fn get(path: &'a str) -> Self {
        Ask {
            method: "GET",
            ..Ask::post(path, "")
        }
    }

    async fn of(self, host: &Arc<Host>) -> Reply {
        let header = |text: Option<&'a str>| match text {
            Some(text) => Header::One(text.as_bytes()),
            None => Header::Absent,
        };
        let bearer = format!("Bearer {}{ACCOUNT}", self.environment.key_prefix());
        let call = Call {
            environment: self.environment,
            peer: [127, 0, 0, 1].into(),
            method: self.method,
            path: self.path,
            query: "",
            headers: Headers {
                authorization: Header::One(bearer.as_bytes()),
                content_type: Header::One(b"application/json"),
                idempotency_key: header(self.key),
                reference_id: header(self.reference),
                ..Headers::default()
            },
            body: Body::Whole(self.body.as_bytes()),
        };
        host.answer(&call).await
    }
}

/// Threads of which more run than there are cores.
fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_time().build();
    runtime.expect("a runtime")
}

fn world(stage: &Stage, runtime: &Runtime) -> World {
    let _in_runtime = runtime.enter();
    World::new(stage)
}

/// Balance, held and charged on live.
fn wallet(world: &World) -> (i64, i64, i64) {
    world.cell.read(|account| {
        let wallet = &account.books(Environment::Live).wallet;
        (wallet.balance().0, wallet.held().0, wallet.charged().0)
    })
}

fn top_up(host: &Arc<Host>, world: &World, amount: i64) {
    let live = Environment::Live;
    let changed = host.change(&world.cell, live, |account, _| {
        manage::top_up(account, live, Paise(amount))
    });
    changed.expect("a wallet takes this");
}

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
        let books = account.books(Environment::Live);
        let usage = books.usage.totals();
        usage.calls - usage.failed
    })
}

#[test]
fn schedules_of_512_duplicates_are_one_execution_and_one_charge() {
    let rounds = number("SVC_SCHEDULES", 30);
    let (stage, runtime) = (Stage::with(BRIEF), runtime());
    let mut world = world(&stage, &runtime);
    for number in 0..rounds {
        // A fresh account now and then, so that it stays small.
        if number % 50 == 49 {
            world = self::world(&stage, &runtime);
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

    /// Does one thing and tells what became of it, where the wallet had to do with it.
    fn act(&self, doing: Doing, reference: &str) -> Option<Act> {
        let (host, cell) = (&self.world.host, &self.world.cell);
        let _in_runtime = self.handle.enter();
        match doing {
            Doing::Call { body, key } => {
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
                (!reply.replay).then(|| told(&reply))
            }
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
fn told(reply: &Reply) -> Act {
    let head = Head::of(&reply.body).expect("an envelope");
    let price = PAN_PRICE;
    match (reply.status, head.balance_after) {
        (402, _) => Act::Refused { price },
        (503, None) => Act::Free { price },
        (200 | 422, Some(balance)) => Act::Paid { price, balance },
        other => panic!("foreseen was something else than {other:?}"),
    }
}

const CLIENTS: usize = 4;
const ACTS: usize = 10;

fn history_is_explained(stage: &Stage, runtime: &Runtime, seed: u64) -> Vec<Act> {
    let world = world(stage, runtime);
    let table = Table {
        world: &world,
        handle: runtime.handle().clone(),
        moments: AtomicU64::new(0),
        begun: parking_lot::Mutex::default(),
        first: parking_lot::Mutex::default(),
        resets: seed % 2 == 0,
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
    let (stage, runtime) = (Stage::new(), runtime());
    let _in_runtime = runtime.enter();
    let all = (0..rounds).flat_map(|seed| history_is_explained(&stage, &runtime, seed));
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
        let own = (nth % 3 == 0).then(|| format!("{client}-{nth}"));
        (Environment::ALL[nth % 2], path, body, own)
    };
    (0..12).map(one).collect()
}

/// Every answer, in order, but for the balance that each client finds.
fn answers(stage: &Stage, runtime: &Runtime, at_once: bool) -> Vec<String> {
    let world = world(stage, runtime);
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
    let (stage, runtime) = (Stage::new(), runtime());
    let alone = answers(&stage, &runtime, false);
    for _ in 0..rounds {
        assert_eq!(answers(&stage, &runtime, true), alone);
    }
}
