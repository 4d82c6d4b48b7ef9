//! One account beside a reference that was written on its own: random lives, every answer foreseen,
//! everything that can be seen compared after each step.
//!
//! `SVC_MODEL_STEPS=1000000 cargo test --release -p svc-simulator --test model` goes further;
//! `SVC_MODEL_SEED=7` lives other lives; `SVC_TEST_STORE=sqlite` lives them on a store. A life that fails is cut down to the steps that matter.

mod catalogue;
mod dice;
mod head;
mod instruct;
#[expect(
    dead_code,
    reason = "a storm needs one kind of fault; the others are tried each by itself"
)]
#[path = "../journals/mod.rs"]
mod journals;
mod linear;
mod player;
mod reference;
mod schedules;
mod shrink;
mod step;
mod world;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use svc_fixtures::contract::ErrorCode;

use player::{KINDS, Player};
use step::Step;
use world::Stage;

/// How many steps a life has: enough for anything to happen, and few to look through.
const LIFE: usize = 300;
const STEPS: u64 = 100_000;
const THREADS: u64 = 2;

/// What happened in some lives.
#[derive(Default)]
struct Seen {
    tally: BTreeMap<&'static str, u64>,
    answers: BTreeMap<(u16, Option<ErrorCode>, bool), u64>,
    executed: Vec<u64>,
}

impl Seen {
    fn add(&mut self, player: &Player<'_>) {
        for (what, count) in &player.tally {
            *self.tally.entry(what).or_default() += count;
        }
        for (answer, count) in &player.answers {
            *self.answers.entry(*answer).or_default() += count;
        }
        self.executed.resize(player.executed.len(), 0);
        let all = self.executed.iter_mut().zip(&player.executed);
        all.for_each(|(sum, count)| *sum += count);
    }

    fn merge(mut self, other: Seen) -> Seen {
        for (what, count) in other.tally {
            *self.tally.entry(what).or_default() += count;
        }
        for (answer, count) in other.answers {
            *self.answers.entry(answer).or_default() += count;
        }
        self.executed.resize(other.executed.len(), 0);
        let all = self.executed.iter_mut().zip(other.executed);
        all.for_each(|(sum, count)| *sum += count);
        self
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(otherwise, |text| {
        let number = text.parse();
        number.unwrap_or_else(|_| panic!("{name}={text}: must be a whole number"))
    })
}

/// At which step a life failed, and why.
type Fault = (usize, String);

/// Lives a life; where it fails, the step it fails at and why.
fn live<'c>(stage: &'c Stage, steps: &[Step]) -> Result<Player<'c>, Fault> {
    let lived = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut player = Player::new(stage);
        for (at, step) in steps.iter().enumerate() {
            player.play(step).map_err(|why| (at, why))?;
        }
        player.ends().map_err(|why| (steps.len() - 1, why))?;
        Ok(player)
    }));
    lived.unwrap_or_else(|_| Err((steps.len() - 1, "it panicked".to_owned())))
}

fn lives(stage: &Stage, next: &AtomicU64, count: u64, seed: u64) -> Seen {
    let mut seen = Seen::default();
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= count {
            return seen;
        }
        let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
        let steps = step::life(&stage.catalogue, own, LIFE);
        match live(stage, &steps) {
            Ok(player) => seen.add(&player),
            Err((at, why)) => {
                let before = number * LIFE as u64 + at as u64 + 1;
                let shortest = shrink::shortest(&steps[..=at], |steps| live(stage, steps).err());
                panic!(
                    "life {number} of seed {seed}, after about {before} steps: {why}\n{shortest}"
                );
            }
        }
    }
}

#[test]
fn an_account_does_what_its_reference_foresees() {
    let stage = Stage::new();
    let steps = number("SVC_MODEL_STEPS", STEPS);
    let seed = number("SVC_MODEL_SEED", 1);
    let (next, count) = (AtomicU64::new(0), steps.div_ceil(LIFE as u64));
    let seen = std::thread::scope(|scope| {
        let all = (0..THREADS).map(|_| scope.spawn(|| lives(&stage, &next, count, seed)));
        let all: Vec<_> = all.collect();
        let joined = all.into_iter().map(|one| match one.join() {
            Ok(seen) => seen,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.fold(Seen::default(), Seen::merge)
    });
    // Fewer steps than usual, as on a store, are too few for all of it.
    if steps >= STEPS {
        everything_happened(&stage, &seen);
    }
}

/// Things that must have happened beside the steps themselves.
const HAPPENED: [&str; 29] = [
    "a bundle was audited",
    "a call in flight at a reset was answered",
    "a call that waited at a reset was answered",
    "a call that waited was answered",
    "a call waits for one with its key",
    "a call was not written",
    "a change was refused",
    "a client went away",
    "a clock did not go back",
    "a delivery was asked for again",
    "a key that lapsed is used anew",
    "a link led nowhere",
    "a look-up found something",
    "a look-up was audited",
    "a person said no",
    "a person said yes",
    "a replay was audited",
    "a result came when it was due",
    "a result was brought by hand",
    "a second call ends a bundle",
    "an answer broke on the wire",
    "an answer by an edited rule",
    "an answer is held back",
    "an answer that was held back was given",
    "an answer without an edited rule",
    "an attempt failed",
    "an attempt had nowhere to go",
    "an attempt met silence",
    "an attempt was taken",
];

/// A kind of step that was always in vain, an answer or an operation that never occurred was never checked.
fn everything_happened(stage: &Stage, seen: &Seen) {
    let never = |what: &&&str| !seen.tally.contains_key(**what);
    let mut missing: Vec<String> = HAPPENED
        .iter()
        .chain(&KINDS)
        .filter(never)
        .map(ToString::to_string)
        .collect();
    let codes = ErrorCode::ALL.into_iter();
    let unseen = codes.filter(|code| {
        seen.answers
            .keys()
            .all(|(_, known, _)| *known != Some(*code))
    });
    missing.extend(unseen.map(|code| code.to_string()));
    let contract = &stage.catalogue.contract;
    let operations = contract.operations.iter().map(|row| &row.id);
    let names = operations.chain(contract.bundles.iter().map(|row| &row.slug));
    let never = names.zip(&seen.executed).filter(|(_, count)| **count == 0);
    missing.extend(never.map(|(name, _)| name.clone()));
    assert!(
        missing.is_empty(),
        "never happened: {missing:?}\n{:#?}",
        seen.tally
    );
}
