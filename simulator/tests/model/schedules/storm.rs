//! Two hundred threads that do everything at once to a few accounts: calls with shared keys, resets, deletions, copies,
//! rotations, clocks, edited rules; while the journal and the receivers fail now and then. What must hold of every account
//! afterwards, and of every answer on the way.
//!
//! `SVC_STORM=1000` lets each thread do so many things; `SVC_MODEL_SEED=7` is another one.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::clock::AccountClock;
use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::engine::state::manage;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::clock_move::ClockTarget;
use svc_simulator::host::journal::Journal as _;
use svc_simulator::host::transport::{Transport, WebhookRequest, WebhookResponse};
use svc_simulator::host::{AccountCell, Host, HostConfig};
use svc_simulator::scenario::{self, WebhookConfig, read_accounts};
use tokio::runtime::{Builder, Runtime};

use super::{GOOD, OTHER, PAN, SLOW_HISTORY, UAN};
use crate::dice::Dice;
use crate::journals;
use crate::journals::faulty::{Fault, Faulty};
use crate::number;
use crate::world::{SECRET, START_MS, instant};

const THREADS: u64 = 200;
const ACCOUNTS: usize = 6;
const DELAYED: &str = r#"{"pan": "AAAAA7777A"}"#;
const RULES: &str = r#"
    [[scenario]]
    name = "held back"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA7777A" }
    then = { success = {}, delay = "15ms" }
"#;
const REPORT: &str = "/v1/verify/financial/credit-report";
const AUDITED: &str = r#"{"pan": "AAAAA0000A", "mobile": "9000000001", "name": "Asha Rao", "dateOfBirth": "15/08/1990", "consentArtifact": {"timestamp": "2027-01-15T07:59:00Z", "ip": "203.0.113.7", "messageId": "m-1"}}"#;
const EDITED: &str = r#"
    [[scenario]]
    name = "of one account"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA0000A" }
    then = { error = "SVC_PROVIDER_ERROR" }
"#;

/// Receivers that take some deliveries, and break off, send elsewhere, refuse or let wait others.
#[derive(Default)]
struct FaultyTransport(AtomicU64);

impl Transport for FaultyTransport {
    fn post(
        &self,
        _: WebhookRequest,
    ) -> Pin<Box<dyn Future<Output = WebhookResponse> + Send + '_>> {
        let nth = self.0.fetch_add(1, Ordering::Relaxed);
        let nothing = |reason: &str| AttemptOutcome::Nothing(reason.to_owned());
        Box::pin(async move {
            let answered = match nth % 7 {
                0 => AttemptOutcome::Status(500),
                1 => nothing("connection refused"),
                2 => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    nothing("no answer within 10 s")
                }
                3 => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    nothing("connection closed without an answer")
                }
                4 => AttemptOutcome::Status(307),
                _ => AttemptOutcome::Status(200),
            };
            WebhookResponse {
                answered,
                excerpt: bytes::Bytes::new(),
            }
        })
    }
}

/// The simulator in the storm.
struct Storm {
    host: Arc<Host>,
    journal: Arc<Faulty>,
    runtime: Runtime,
    /// A thread failed: the others need not go on.
    over: AtomicBool,
    sources: [Arc<Source>; 2],
}

impl Storm {
    fn new(every: u64) -> Self {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(4).enable_time().build();
        let runtime = runtime.expect("a runtime");
        let sources = ["then-reloaded", "held-back"];
        let sources = sources.map(|name| Source::new(format!("{name}.toml"), RULES));
        let mut files = Files::built_in();
        files.scenarios.insert(0, Arc::clone(&sources[0]));
        let rules = Rules::read(&files, Seed::new("storm"));
        let rules = rules.unwrap_or_else(|problems| panic!("{problems}"));
        let journal = Faulty::on(journals::store());
        let config = HostConfig {
            journal: journal.clone(),
            transport: Arc::new(FaultyTransport::default()),
            ..HostConfig::new(Clock::manual(instant(START_MS)))
        };
        let accounts = read_accounts(&scenario::accounts()).expect("the built-in accounts");
        let host = {
            let _in_runtime = runtime.enter();
            Host::new(rules, accounts, config).expect("the journal takes all")
        };
        let mut written = 0;
        journal.fails(move |_| {
            written += 1;
            (every > 0 && written % every == 0).then_some(Fault::Refuses)
        });
        Storm {
            host,
            journal,
            runtime,
            over: AtomicBool::new(false),
            sources,
        }
    }

    /// One of the accounts, which comes into being where it is none.
    fn account(&self, dice: &mut Dice) -> Option<Arc<AccountCell>> {
        let id = format!("local_storm{}", dice.below(ACCOUNTS));
        self.host.account(&id).ok().flatten()
    }

    /// What one thread does. Rules are compiled one after the other, so that only a few threads edit them.
    fn thread(&self, seed: u64, acts: u64) -> BTreeMap<&'static str, u64> {
        let mut dice = Dice::new(seed);
        let mut done = BTreeMap::new();
        let _in_runtime = self.runtime.enter();
        for _ in 0..acts {
            if self.over.load(Ordering::Relaxed) {
                break;
            }
            *done
                .entry(self.act(&mut dice, seed.is_multiple_of(67)))
                .or_default() += 1;
        }
        done
    }

    /// Does one thing. What fails because the journal did has changed nothing.
    fn act(&self, dice: &mut Dice, edits: bool) -> &'static str {
        let kind = dice.below(100);
        if kind < 70 || !edits && (92..95).contains(&kind) {
            return self.call(dice);
        }
        let Some(cell) = self.account(dice) else {
            return "no account";
        };
        let (host, environment) = (&self.host, Environment::ALL[dice.below(2)]);
        let refused = match kind {
            70..74 => host.reset(&cell).is_err(),
            74..77 => host.delete(&cell).is_err(),
            77..79 => {
                let copy = format!("storm-copy{}", dice.below(4));
                host.fork(&cell, &copy.into()).is_err()
            }
            79..81 => {
                let copies = host.directory().all().into_iter();
                let mut copies = copies.filter(|cell| cell.id().starts_with("storm-copy"));
                let copy = copies.next();
                copy.is_none_or(|copy| host.delete(&copy).is_err())
            }
            81..84 => host.rotate_key(&cell, environment).is_err(),
            84..88 => {
                let by = SignedDuration::from_secs(dice.pick(&[0, 1, 26, 3600, 90_000]));
                let moved = host.move_clock(&cell, ClockTarget::By(by));
                self.runtime.block_on(moved).is_err()
            }
            88..90 => host.set_clock(&cell, AccountClock::frozen).is_err(),
            90..92 => host.set_clock(&cell, AccountClock::running).is_err(),
            92 => {
                let source = &self.sources[dice.below(2)];
                let built_in = Files::built_in().scenarios;
                let files: Vec<_> = [source].into_iter().chain(&built_in).cloned().collect();
                host.replace_scenarios(&files).is_err()
            }
            93 => host.add_scenarios(&cell, EDITED).is_err(),
            94 => !matches!(host.remove_scenarios(&cell, None), Ok(true)),
            95..97 => {
                let amount = Paise(dice.pick(&[1, 5000, 100_000]));
                let topped = host.change(&cell, Environment::Live, |account, _| {
                    manage::top_up(account, Environment::Live, amount)
                });
                topped.is_err()
            }
            _ => {
                let webhook = dice.percent(80).then(|| WebhookConfig {
                    url: "http://127.0.0.1:9/storm".into(),
                    secret: SECRET.into(),
                });
                let set = host.change(&cell, environment, |_, _| Ok(manage::set_webhook(webhook)));
                set.is_err()
            }
        };
        match (kind, refused) {
            (_, true) => "refused",
            (70..74, _) => "reset",
            (74..77, _) => "deleted",
            (77..79, _) => "copied",
            (79..81, _) => "copy deleted",
            (81..84, _) => "rotated",
            (84..92, _) => "clock",
            (92..95, _) => "rules edited",
            _ => "changed",
        }
    }

    /// A call by a key that many use, under one of few idempotency keys or none.
    fn call(&self, dice: &mut Dice) -> &'static str {
        let environment = Environment::ALL[dice.below(2)];
        let name = match dice.below(10) {
            0 => format!("storm-copy{}", dice.below(4)),
            1 => format!("local_storm{}.2", dice.below(ACCOUNTS)),
            _ => format!("local_storm{}", dice.below(ACCOUNTS)),
        };
        let bearer = format!("Bearer {}{name}", environment.key_prefix());
        let (path, body) = dice.pick(&[
            (PAN, GOOD),
            (PAN, OTHER),
            (PAN, DELAYED),
            (UAN, SLOW_HISTORY),
            (PAN, "{}"),
            (REPORT, AUDITED),
            ("/v1/usage", ""),
        ]);
        let key = dice
            .percent(60)
            .then(|| format!("{} of {body}", dice.below(5)));
        let call = Call {
            environment,
            peer: [127, 0, 0, 1].into(),
            method: if body.is_empty() { "GET" } else { "POST" },
            path,
            query: "",
            headers: Headers {
                authorization: Header::One(bearer.as_bytes()),
                content_type: Header::One(b"application/json"),
                idempotency_key: key
                    .as_deref()
                    .map_or(Header::Absent, |key| Header::One(key.as_bytes())),
                ..Headers::default()
            },
            body: Body::Whole(body.as_bytes()),
        };
        let reply = self.runtime.block_on(self.host.answer(&call));
        let envelope: serde_json::Value =
            serde_json::from_slice(&reply.body).expect("every answer is an envelope");
        assert_eq!(envelope["success"], reply.status < 300, "{envelope}");
        match (reply.status, reply.replay) {
            (_, true) => "replayed",
            (200 | 202 | 422 | 502, _) => "executed",
            (400 | 401 | 402 | 409 | 429, _) => "refused",
            (500, _) => {
                assert!(self.journal.faults() > 0, "{envelope}");
                "failed"
            }
            (status, _) => panic!("{status}: {envelope}"),
        }
    }

    /// What must hold of every account, once nothing is under way any more.
    fn holds(&self) {
        let settings = Settings::of(&self.host.rules().contract.service);
        for cell in self.host.directory().all() {
            let stored = self.runtime.block_on(self.journal.load(cell.id()));
            let stored = stored.expect("entries are read").expect("it is written");
            cell.read(|account| {
                for environment in Environment::ALL {
                    let state = account.environment(environment);
                    state.assert_money_adds_up();
                    assert!(state.sums_hold(), "{}: the sums are not true", account.id);
                    let delayed = state.verifications.delayed().count();
                    assert_eq!(
                        delayed, 0,
                        "{}: an answer is held back for ever",
                        account.id
                    );
                }
                let rebuilt = Account::rebuild(settings.clone(), stored.entries);
                let same = rebuilt.as_ref() == Some(account);
                assert!(same, "{}: its entries make another account", account.id);
            });
        }
    }
}

/// A storm in which each thread does so many things.
fn storm(every: u64, acts: u64, seed: u64) -> BTreeMap<&'static str, u64> {
    let storm = Storm::new(every);
    let mut all = BTreeMap::new();
    std::thread::scope(|scope| {
        let storm = &storm;
        let threads = (0..THREADS).map(|at| {
            scope.spawn(move || {
                let own = std::panic::AssertUnwindSafe(|| storm.thread(seed * THREADS + at, acts));
                let done = std::panic::catch_unwind(own);
                storm.over.fetch_or(done.is_err(), Ordering::Relaxed);
                done
            })
        });
        for thread in threads.collect::<Vec<_>>() {
            let done = thread.join().expect("panics are caught");
            let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for (what, count) in done {
                *all.entry(what).or_default() += count;
            }
        }
    });
    storm.journal.fails(|_| None);
    storm.runtime.block_on(storm.host.drained());
    storm.holds();
    all
}

#[test]
fn accounts_outlive_a_storm_of_two_hundred_threads() {
    let acts = number("SVC_STORM", 30);
    let seed = number("SVC_MODEL_SEED", 1);
    for every in [0, 40] {
        let done = storm(every, acts, seed);
        for what in [
            "executed",
            "replayed",
            "refused",
            "reset",
            "deleted",
            "copied",
            "copy deleted",
            "rotated",
            "clock",
            "rules edited",
            "changed",
        ] {
            assert!(done.contains_key(what), "never {what}: {done:?}");
        }
        assert_eq!(done.contains_key("failed"), every > 0, "{done:?}");
    }
}
