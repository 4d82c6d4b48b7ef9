//! Clients at random that try again until they have an answer, and remember what they saw.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fleet::{Address, Addresses};
use crate::history::{Seen, What};
use crate::replica::{Answer, PAN, UAN, answer, with_json};

/// So long a call may be tried again: a replica that died is replaced by then.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one waits before one tries again.
const AGAIN: Duration = Duration::from_millis(20);

/// An input that takes its time, and one whose result comes later: [`SLOW`] has their rules.
const DELAYED: &str = "AAAAA1111A";
const PENDING: &str = "100000000909";

/// The scenarios of slow accounts.
pub(crate) const SLOW: &str = r#"
    [[scenario]]
    name = "takes its time"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = { success = {}, delay = "150ms" }

    [[scenario]]
    name = "pending for a moment"
    operation = "verify.employment.uan"
    when = { uan = "100000000909" }
    then = { pending = {}, after = "1s", finally = { success = {} } }
"#;

/// An account that is called.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// Whether results come later: then usage counts calls when they end, and is not in order.
    pub(crate) slow: bool,
}

/// What all clients share.
pub(crate) struct Clients<'a> {
    pub(crate) addresses: &'a Addresses,
    pub(crate) targets: Vec<Target>,
    pub(crate) began: Instant,
    pub(crate) over: AtomicBool,
    /// How many answers there were, and how many tries had none.
    pub(crate) answered: AtomicUsize,
    pub(crate) failed: AtomicUsize,
    /// What was seen of each account.
    pub(crate) seen: Vec<Mutex<Vec<Seen>>>,
    http: reqwest::Client,
}

/// One of them.
struct One<'a> {
    all: &'a Clients<'a>,
    dice: Dice,
    number: usize,
    turn: usize,
    /// Calls it made, with what they asked for.
    made: Vec<Made>,
}

#[derive(Clone)]
struct Made {
    target: usize,
    key: String,
    id: String,
    path: &'static str,
    body: Value,
}

impl<'a> Clients<'a> {
    pub(crate) fn of(addresses: &'a Addresses, targets: Vec<Target>) -> Self {
        let http = svc_tls::plain_client().timeout(Duration::from_secs(30));
        Clients {
            addresses,
            seen: targets.iter().map(|_| Mutex::default()).collect(),
            targets,
            began: Instant::now(),
            over: AtomicBool::new(false),
            answered: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            http: http.build().expect("a client"),
        }
    }

    /// So many at once, until they are told that it is over.
    pub(crate) async fn run(&self, clients: usize) {
        let one = |number| One {
            all: self,
            dice: Dice(number as u64 + 1000),
            number,
            turn: 0,
            made: Vec::new(),
        };
        futures_util::future::join_all((0..clients).map(|number| one(number).run())).await;
    }

    /// A request of the control API, made until it is answered.
    pub(crate) async fn control(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let (.., answer) = self
            .ask(|address, http| {
                let url = format!("http://{}/control{path}", address.console);
                let request = http.request(method.parse().expect("a method"), url);
                match body {
                    Some(body) => with_json(request, body),
                    None => request,
                }
            })
            .await;
        answer
    }

    /// Asks until there is an answer. Gives when it was first asked for, when for the last time, and when it came.
    async fn ask(
        &self,
        request: impl Fn(&Address, &reqwest::Client) -> reqwest::RequestBuilder,
    ) -> (Duration, Duration, Duration, Answer) {
        let first = self.began.elapsed();
        loop {
            let last = self.began.elapsed();
            let asked = request(&self.addresses.next(), &self.http);
            match answer(asked).await {
                Ok(answer) if ![500, 503].contains(&answer.status) => {
                    self.answered.fetch_add(1, Ordering::Relaxed);
                    return (first, last, self.began.elapsed(), answer);
                }
                asked => {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    assert!(self.began.elapsed() - first < PATIENCE, "{asked:?}");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }
}

impl One<'_> {
    async fn run(mut self) {
        while !self.all.over.load(Ordering::Relaxed) {
            self.turn += 1;
            let target = self.target();
            let slow = self.all.targets[target].slow;
            let known = self.dice.below(self.made.len().max(1) as u64) as usize;
            let known = self.made.get(known).cloned();
            // What it has just made is what others may not have heard of.
            let known = match self.dice.below(3) {
                0..=1 => self.made.last().cloned(),
                _ => known,
            };
            match (self.dice.below(10), known) {
                (0..=1, _) if !slow => self.usage(target).await,
                (2..=4, Some(known)) => self.look_up(&known).await,
                (5, Some(known)) => self.call(known).await,
                _ => {
                    let made = self.something_new(target, slow);
                    self.call(made).await;
                }
            }
        }
    }

    /// Slow accounts are rare: else all would wait for them.
    fn target(&mut self) -> usize {
        let targets = &self.all.targets;
        let of_a_kind = targets.iter().filter(|it| !it.slow).count();
        let slow = of_a_kind < targets.len() && self.dice.below(6) == 0;
        let (from, to) = match slow {
            false => (0, of_a_kind),
            true => (of_a_kind, targets.len()),
        };
        from + self.dice.below((to - from) as u64) as usize
    }

    fn something_new(&mut self, target: usize, slow: bool) -> Made {
        // Now and then a key that others use, too.
        let key = match self.dice.below(4) {
            0 => format!("shared{}", self.turn / 4),
            _ => format!("own{}-{}", self.number, self.turn),
        };
        // All who use a key ask for the same.
        let second = key.ends_with(['1', '4', '7']);
        let (path, body) = match (slow, second) {
            (false, false) => (PAN, json!({ "pan": "AAAAA0000A" })),
            (false, true) => (UAN, json!({ "uan": "101112131415" })),
            (true, false) => (PAN, json!({ "pan": DELAYED })),
            (true, true) => (UAN, json!({ "uan": PENDING })),
        };
        let id = String::new();
        Made {
            target,
            key,
            id,
            path,
            body,
        }
    }

    async fn call(&mut self, mut call: Made) {
        let bearer = self.bearer(call.target);
        let (first, last, to, answer) = self
            .all
            .ask(|address, http| {
                let request = http.post(format!("http://{}{}", address.live, call.path));
                let request = request.bearer_auth(&bearer);
                with_json(request.header("Idempotency-Key", &call.key), &call.body)
            })
            .await;
        assert!([200, 202].contains(&answer.status), "{answer:?}");
        call.id = answer.id();
        let what = What::Called {
            key: call.key.clone(),
            id: answer.id(),
            replay: answer.replay,
            pending: answer.body["status"] == "pending",
        };
        self.saw(call.target, first, last, to, what);
        self.made.push(call);
    }

    async fn look_up(&mut self, made: &Made) {
        let bearer = self.bearer(made.target);
        let (_, last, to, answer) = self
            .all
            .ask(|address, http| {
                let url = format!("http://{}/v1/verifications/{}", address.live, made.id);
                http.get(url).bearer_auth(&bearer)
            })
            .await;
        assert!([200, 202, 404].contains(&answer.status), "{answer:?}");
        let pending = (answer.status != 404).then(|| answer.body["status"] == "pending");
        let id = made.id.clone();
        self.saw(made.target, last, last, to, What::LookedUp { id, pending });
    }

    async fn usage(&mut self, target: usize) {
        let bearer = self.bearer(target);
        let (_, last, to, answer) = self
            .all
            .ask(|address, http| {
                let url = format!("http://{}/v1/usage", address.live);
                http.get(url).bearer_auth(&bearer)
            })
            .await;
        let totals = &answer.body["data"]["totals"];
        let what = What::Usage {
            calls: totals["calls"].as_u64().expect("a number") as usize,
            paise: paise(&totals["amount"]),
        };
        self.saw(target, last, last, to, what);
    }

    fn bearer(&self, target: usize) -> String {
        format!("svc_live_{}", self.all.targets[target].name)
    }

    fn saw(&self, target: usize, first: Duration, last: Duration, to: Duration, what: What) {
        self.all.seen[target].lock().push(Seen {
            first,
            last,
            to,
            what,
        });
    }
}

/// An amount in rupees.
pub(crate) fn paise(amount: &Value) -> i64 {
    (amount.as_f64().expect("an amount") * 100.0).round() as i64
}

/// Numbers that are the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
