//! Three replicas with one store, clients at random, replicas and connections killed: no answer is lost, and no
//! key is executed twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};

use crate::replica::{PAN, Replica};
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[(
    "a_storm_over_three_replicas_loses_and_doubles_nothing",
    storm,
)];

/// How long it lasts, in seconds, where nothing else is said.
const SECONDS: u64 = 5;

const CLIENTS: usize = 12;
const ACCOUNTS: usize = 4;

/// The answer of each account's key: the first that came, and how many were no replays.
type Answers = BTreeMap<(usize, String), (Value, usize)>;

fn storm(server: &Server) {
    let seconds = std::env::var("SVC_SHARED_SECONDS")
        .ok()
        .and_then(|it| it.parse().ok());
    let lasts = Duration::from_secs(seconds.unwrap_or(SECONDS));
    let store = server.fresh_store();
    let replicas: [_; 3] = Replica::start_all(&store, "");
    let replicas = Arc::new(replicas.map(|it| RwLock::new(Some(it))));
    let answers = Arc::new(Mutex::new(Answers::new()));
    let over = Arc::new(AtomicBool::new(false));
    let failed = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (replicas, answers, over) = (&replicas, &answers, &over);
            let failed = &failed;
            scope.spawn(move || calls(client, replicas, answers, over, failed));
        }
        let (mut dice, mut passed) = (Dice(7), Duration::ZERO);
        while passed < lasts {
            let pause = Duration::from_millis(300 + dice.below(1500));
            std::thread::park_timeout(pause);
            passed += pause;
            match dice.below(3) {
                0 => {
                    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                        WHERE application_name = 'svc-simulator' AND random() < 0.3";
                    drop(server.query(end));
                }
                _ => {
                    let mut replica = replicas[dice.below(3) as usize].write();
                    drop(replica.take());
                    *replica = Some(Replica::start(&store));
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    let answers = answers.lock();
    let unanswered = failed.load(Ordering::Relaxed);
    assert!(unanswered < answers.len(), "{unanswered} calls failed");
    judge(&answers, &replicas[0].read());
}

fn calls(
    client: usize,
    replicas: &[RwLock<Option<Replica>>; 3],
    answers: &Mutex<Answers>,
    over: &AtomicBool,
    failed: &AtomicUsize,
) {
    let mut dice = Dice(client as u64 + 1000);
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        number += 1;
        let account = dice.below(ACCOUNTS as u64) as usize;
        // Now and then a key that others use, too.
        let key = match dice.below(4) {
            0 => format!("shared{}", number / 8),
            _ => format!("own{client}-{number}"),
        };
        // Until it has an answer.
        loop {
            let replica = replicas[dice.below(3) as usize].read();
            let Some(replica) = &*replica else {
                continue;
            };
            let body = json!({ "pan": "AAAAA0000A" });
            let call = replica.post(&format!("local_s{account}"), PAN, &body, Some(&key));
            match replica.simulator().block_on(call) {
                Ok(answer) if answer.status == 200 => {
                    let mut answers = answers.lock();
                    let (first, executed) = answers
                        .entry((account, key.clone()))
                        .or_insert_with(|| (answer.body.clone(), 0));
                    assert_eq!(*first, answer.body, "two answers for {key}");
                    *executed += usize::from(!answer.replay);
                    break;
                }
                Ok(answer) => {
                    assert_eq!(answer.status, 500, "{answer:?}");
                    failed.fetch_add(1, Ordering::Relaxed);
                }
                Err(_) => drop(failed.fetch_add(1, Ordering::Relaxed)),
            }
        }
    }
}

fn judge(answers: &Answers, replica: &Option<Replica>) {
    let replica = replica.as_ref().expect("it runs");
    for account in 0..ACCOUNTS {
        let name = format!("local_s{account}");
        let of_it: Vec<_> = answers
            .iter()
            .filter(|((of, _), _)| *of == account)
            .collect();
        for ((_, key), (_, executed)) in &of_it {
            assert!(*executed <= 1, "{key} was executed {executed} times");
        }
        let usage = replica.get(&name, "/v1/usage").body["data"]["totals"].clone();
        assert_eq!(usage["calls"], of_it.len(), "{name}: {usage}");
        let wallet = replica.wallet(&name);
        assert_eq!(wallet["charged"], usage["amount"], "{wallet}");
        assert_eq!(wallet["held"].as_f64(), Some(0.0), "{wallet}");
        let mut ids: Vec<_> = of_it
            .iter()
            .map(|(_, (body, _))| body["verificationId"].to_string())
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), of_it.len(), "an id came twice");
    }
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
