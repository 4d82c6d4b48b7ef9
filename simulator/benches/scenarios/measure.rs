//! How long the engine takes for one answer: parse, route, validate, choose, decide, print.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

use jiff::Timestamp;
use svc_simulator::engine::call::request::credential;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::clock::AccountClock;
use svc_simulator::engine::{self, Decision};
use svc_simulator::scenario::{accounts, read_accounts};

use super::rules::{Inputs, Shape, body};

const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
/// So many different inputs, spread over all rules.
const INPUTS: usize = 4096;
/// So many answers of one side, then so many of the other.
const TURN: usize = 128;

/// Rules, and what they are asked.
pub(crate) struct Side<'r> {
    rules: &'r Rules,
    account: Account,
    bodies: Vec<String>,
}

/// How one side compares with another.
pub(crate) struct Compared {
    pub(crate) median_us: f64,
    pub(crate) p99_us: f64,
    /// Against the other side; the median of all rounds.
    pub(crate) median_ratio: f64,
    pub(crate) p99_ratio: f64,
}

impl<'r> Side<'r> {
    pub(crate) fn new(rules: &'r Rules, shape: Shape, count: usize, inputs: Inputs) -> Self {
        let config = read_accounts(&accounts()).expect("the built-in accounts have no mistake");
        let config = config.into_iter().find(|config| &*config.id == "local");
        let config = config.expect("there is an account for everybody");
        let opening = Account::opening(config, AccountClock::default(), START);
        let settings = Settings::of(&rules.contract.service);
        // A step that has no factor with the count visits every rule, none soon after its like.
        let number = |at: usize| at * 7_919 % count;
        Side {
            rules,
            account: Account::rebuild(settings, [opening]).expect("it begins with its opening"),
            bodies: (0..INPUTS)
                .map(|at| body(shape, number(at), inputs))
                .collect(),
        }
    }

    /// Nanoseconds for each of some answers.
    fn answer(&self, from: usize, took: &mut Vec<u64>) {
        for body in &self.bodies[from..from + TURN] {
            let call = Call {
                environment: Environment::Test,
                peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
                method: "POST",
                path: "/v1/verify/identity/pan",
                query: "",
                headers: Headers {
                    authorization: Header::One(b"Bearer svc_test_local"),
                    content_type: Header::One(b"application/json"),
                    ..Headers::default()
                },
                body: Body::Whole(body.as_bytes()),
            };
            let began = Instant::now();
            let credential = credential(&call).expect("a key is presented");
            let prepared = engine::prepare(
                self.rules,
                "local",
                credential,
                &call,
                Timestamp::UNIX_EPOCH,
            );
            let decision = engine::decide(self.rules, &self.account, &prepared, START);
            took.push(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
            assert!(matches!(decision, Decision::Answered { .. }));
            black_box(decision);
        }
    }
}

/// What the second side takes, and the ratio to what the first takes.
pub(crate) fn compare(base: &Side<'_>, many: &Side<'_>, rounds: usize) -> Compared {
    let (mut medians, mut p99s) = (Vec::new(), Vec::new());
    let (mut median_ratios, mut p99_ratios) = (Vec::new(), Vec::new());
    // The first round only warms up.
    for round in 0..=rounds {
        let (mut of_base, mut of_many) = (Vec::new(), Vec::new());
        for from in (0..INPUTS).step_by(TURN) {
            base.answer(from, &mut of_base);
            many.answer(from, &mut of_many);
        }
        if round == 0 {
            continue;
        }
        let [(base_median, base_p99), (median, p99)] = [of_base, of_many].map(figures);
        medians.push(median);
        p99s.push(p99);
        median_ratios.push(median / base_median);
        p99_ratios.push(p99 / base_p99);
    }
    Compared {
        median_us: middle(medians),
        p99_us: middle(p99s),
        median_ratio: middle(median_ratios),
        p99_ratio: middle(p99_ratios),
    }
}

/// Median and 99th percentile in microseconds.
fn figures(mut took: Vec<u64>) -> (f64, f64) {
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100] as f64 / 1e3;
    (at(50), at(99))
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
