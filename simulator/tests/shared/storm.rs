//! Three processes with one store, clients at random, processes and connections killed: every history is one that a
//! single simulator could have had, wallets are exact, and every webhook came, in time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::{Value, json};
use svc_test_support::{Reply, Server as Receiver};
use tokio::runtime::Runtime;

use crate::clients::{Clients, Dice, SLOW, Target, paise};
use crate::fleet::Fleet;
use crate::history::{Execution, What, can_fail, judge};
use crate::replica::Answer;
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "a_storm_over_three_processes_loses_doubles_and_reorders_nothing",
        storm,
    ),
    ("a_history_that_can_not_be_is_found", |_| can_fail()),
];

/// How long it lasts, in seconds, where nothing else is said.
const SECONDS: u64 = 5;

/// What is seen in so long is judged together, and forgotten.
const ROUND: Duration = Duration::from_secs(15);

const CLIENTS: usize = 12;

/// Accounts of each round whose results come at once.
const PLAIN: usize = 3;

/// How late an attempt may be: a replica that has died is noticed, its work claimed, its calls ended.
const LATE: SignedDuration = SignedDuration::from_secs(15);

/// When attempts are due, in seconds after the result.
const SCHEDULE: [i64; 6] = [0, 30, 120, 600, 3600, 21_600];

/// When each verification came to the receiver, by the machine's clock.
type Arrivals = Arc<Mutex<BTreeMap<String, Vec<Timestamp>>>>;

/// What was done, and what came of it.
#[derive(Debug, Default)]
struct Tally {
    answered: usize,
    failed: usize,
    executed: usize,
    delivered: usize,
    kills: usize,
    stops: usize,
    cuts: usize,
    moves: usize,
}

struct Storm<'a> {
    server: &'a Server,
    fleet: Fleet,
    runtime: Runtime,
    receiver: Receiver,
    arrivals: Arrivals,
    dice: Dice,
    tally: Tally,
}

fn storm(server: &Server) {
    let seconds = std::env::var("SVC_SHARED_SECONDS")
        .ok()
        .and_then(|it| it.parse().ok());
    let lasts = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let arrivals = Arrivals::default();
    let store = server.own_database("storm");
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let mut storm = Storm {
        server,
        fleet: Fleet::start(&store, 3, SLOW),
        runtime: runtime.enable_all().build().expect("a runtime"),
        receiver: receiver(&arrivals),
        arrivals,
        dice: Dice(7),
        tally: Tally::default(),
    };
    let began = tokio::time::Instant::now();
    for round in 0.. {
        let left = lasts.saturating_sub(began.elapsed());
        if left.is_zero() {
            break;
        }
        storm.round(round, left.min(ROUND));
    }
    let Tally {
        kills, answered, ..
    } = storm.tally;
    assert!(kills > 0 && answered > 100, "{:?}", storm.tally);
    drop(writeln!(std::io::stderr(), "{:?}", storm.tally));
}

/// Refuses the first attempts of some results.
fn receiver(arrivals: &Arrivals) -> Receiver {
    let arrivals = Arc::clone(arrivals);
    Receiver::start(move |request| {
        let body = request.json();
        let id = body["verificationId"].as_str().expect("an id").to_owned();
        let refused = usize::from(id.as_bytes()[id.len() - 1] % 3);
        let mut arrivals = arrivals.lock();
        let of_it = arrivals.entry(id).or_default();
        of_it.push(now());
        let status = if of_it.len() > refused { 200 } else { 500 };
        Reply::Says(status, Vec::new(), Vec::new())
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "it is compared with the machine's clock, which the accounts follow"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

impl Storm<'_> {
    /// Some accounts, called while all goes wrong; then what was seen of them is judged.
    fn round(&mut self, round: usize, lasts: Duration) {
        let name = |at: usize| format!("local_r{round}x{at}");
        let targets = (0..PLAIN + 2).map(|at| Target {
            name: name(at),
            slow: at >= PLAIN,
        });
        let (fleet, runtime, server) = (&self.fleet, &self.runtime, self.server);
        let clients = Clients::of(&fleet.addresses, targets.collect());
        let webhook = json!({ "url": self.receiver.url, "secret": "s".repeat(32) });
        for target in clients.targets.iter().filter(|it| it.slow) {
            let path = format!("/accounts/{}/webhook", target.name);
            let put = runtime.block_on(clients.control("PUT", &path, Some(&webhook)));
            assert_eq!(put.status, 200, "{put:?}");
        }
        let (dice, tally) = (&mut self.dice, &mut self.tally);
        std::thread::scope(|scope| {
            scope.spawn(|| runtime.block_on(clients.run(CLIENTS)));
            for step in 0.. {
                if clients.began.elapsed() >= lasts {
                    break;
                }
                std::thread::park_timeout(Duration::from_millis(200 + dice.below(800)));
                let some = dice.below(3) as usize;
                match step % 6 {
                    1 | 4 => cut(server, tally),
                    0 | 3 => {
                        fleet.restart(some, true);
                        tally.kills += 1;
                    }
                    2 => {
                        fleet.restart(some, false);
                        tally.stops += 1;
                    }
                    _ => {
                        runtime.block_on(advance(&clients, &name(PLAIN + 1), "40s"));
                        tally.moves += 1;
                    }
                }
            }
            clients.over.store(true, Ordering::Relaxed);
        });
        for at in 0..clients.targets.len() {
            let judged = runtime.block_on(judged(&clients, at));
            tally.executed += judged;
        }
        for at in PLAIN..PLAIN + 2 {
            let arrivals = &self.arrivals;
            let unmoved = at == PLAIN;
            let delivered = delivered(&clients, at, unmoved, arrivals);
            tally.delivered += runtime.block_on(delivered);
        }
        for target in &clients.targets {
            let path = format!("/accounts/{}", target.name);
            let gone = runtime.block_on(clients.control("DELETE", &path, None));
            assert!([204, 404].contains(&gone.status), "{gone:?}");
        }
        tally.answered += clients.answered.load(Ordering::Relaxed);
        tally.failed += clients.failed.load(Ordering::Relaxed);
        self.arrivals.lock().clear();
    }
}

/// Ends some connections of the replicas.
fn cut(server: &Server, tally: &mut Tally) {
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = 'storm' AND random() < 0.3";
    drop(server.query(end));
    tally.cuts += 1;
}

async fn advance(clients: &Clients<'_>, account: &str, by: &str) {
    let path = format!("/accounts/{account}/clock");
    let moved = clients
        .control("POST", &path, Some(&json!({ "advance": by })))
        .await;
    assert_eq!(moved.status, 200, "{moved:?}");
}

/// Judges what was seen of an account. Says how many calls it executed.
pub(crate) async fn judged(clients: &Clients<'_>, at: usize) -> usize {
    let target = &clients.targets[at];
    let executions = executions(clients, &target.name).await;
    let executions = executions.expect("the account is there");
    let seen = clients.seen[at].lock().clone();
    if let Err(why) = judge(&seen, &executions) {
        panic!("{}: {why}", target.name);
    }
    if !target.slow {
        exact(clients, &target.name, &executions).await;
    }
    executions.len()
}

/// What an account executed, in order.
pub(crate) async fn executions(
    clients: &Clients<'_>,
    account: &str,
) -> Result<Vec<Execution>, String> {
    let (mut executions, mut before) = (Vec::new(), String::new());
    let mut pages = BTreeSet::new();
    loop {
        // Each page may be another replica's: where they do not know the same calls there is no end of them.
        if !pages.insert(before.clone()) {
            return Err(format!("{account}: a call is lost on some replica{before}"));
        }
        let path = format!("/calls?account={account}&environment=live&limit=10000{before}");
        let page = clients.control("GET", &path, None).await;
        let Some(calls) = page.body["calls"].as_array() else {
            return Err(format!("{account} is lost: {page:?}"));
        };
        let Some(last) = calls.last() else {
            executions.reverse();
            return Ok(executions);
        };
        before = format!(
            "&before={}",
            last["verificationId"].as_str().expect("an id")
        );
        // Asking for usage is a call, too, and a look-up that finds nothing.
        let verifies = |call: &&Value| {
            let endpoint = call["endpoint"].as_str();
            endpoint.is_some_and(|endpoint| endpoint.starts_with("verify."))
        };
        let calls = calls.iter().filter(verifies);
        executions.extend(calls.map(|call| Execution {
            id: call["verificationId"].as_str().expect("an id").to_owned(),
            paise: paise(&call["charged"]),
        }));
    }
}

/// Every replica has of the account what it executed, no more and no less.
async fn exact(clients: &Clients<'_>, account: &str, executions: &[Execution]) {
    let sum: i64 = executions.iter().map(|it| it.paise).sum();
    let path = format!("/accounts/{account}");
    for _ in clients.addresses.all() {
        let found = clients.control("GET", &path, None).await;
        let live = &found.body["live"];
        assert_eq!(paise(&live["charged"]), sum, "{account}: {live}");
        assert_eq!(paise(&live["held"]), 0, "{account}: {live}");
    }
}

/// Every result that came later was delivered, and every attempt made when it was due. Says how many were.
async fn delivered(clients: &Clients<'_>, at: usize, unmoved: bool, arrivals: &Arrivals) -> usize {
    let account = &clients.targets[at].name;
    let seen = clients.seen[at].lock().clone();
    let still_pending = seen.into_iter().filter_map(|seen| match seen.what {
        What::Called { id, pending, .. } => pending.then_some(id),
        _ => None,
    });
    let mut pending: Vec<_> = still_pending.collect();
    pending.sort();
    pending.dedup();
    let path = format!("/deliveries?account={account}&environment=live&limit=10000");
    let begun = |answer: &Answer| {
        let all = answer.body["deliveries"].as_array().expect("a list");
        let begun = |it: &&Value| it["attempts"].as_array().is_some_and(|it| !it.is_empty());
        let begun: Vec<_> = all
            .iter()
            .filter(begun)
            .map(|it| &it["verificationId"])
            .collect();
        pending.iter().all(|id| begun.iter().any(|it| *it == id))
    };
    // Nobody moves a clock or calls: all is done by itself.
    let since = clients.began.elapsed();
    while !begun(&clients.control("GET", &path, None).await) {
        let waited = clients.began.elapsed() - since;
        assert!(waited < Duration::from_secs(30), "{account}: not delivered");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let first = arrivals.lock().clone();
    advance(clients, account, "12h").await;
    let listed = clients.control("GET", &path, None).await;
    let deliveries = listed.body["deliveries"].as_array().expect("a list");
    for delivery in deliveries {
        let id = delivery["verificationId"].as_str().expect("an id");
        assert_eq!(delivery["state"], "delivered", "{delivery}");
        let arrived = arrivals.lock()[id].len();
        let attempts = delivery["attempts"].as_array().expect("a list");
        assert!(arrived >= attempts.len(), "{arrived} of {delivery}");
        for (attempt, seconds) in attempts.iter().zip(SCHEDULE) {
            let after = time(&attempt["due"]).duration_since(time(&delivery["since"]));
            assert_eq!(after, SignedDuration::from_secs(seconds), "{delivery}");
        }
        if unmoved {
            let due = time(&attempts[0]["due"]);
            let late = first[id][0].duration_since(due);
            assert!(
                late >= SignedDuration::ZERO && late < LATE,
                "{late}: {delivery}"
            );
        }
    }
    deliveries.len()
}

fn time(text: &Value) -> Timestamp {
    let text = text.as_str().expect("a time");
    text.parse().expect("a time")
}
