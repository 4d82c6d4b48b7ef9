//! Any interleaving of reserving, settling and crashing, with a service that lies about charges and ids: what
//! it really charged is never more than the ledger counts, and never more than the budget.

use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::Paise;

use super::bill::Bill;
use super::journal::{line, read};
use super::ledger::{Ledger, LedgerEntry, ReservationId};

const BUDGET: i64 = 1_000;

/// Something that happens in a run.
#[derive(Debug, Clone)]
enum Action {
    /// A call that can cost so much wants to go out; the service charges this part of it, in percent.
    Send { most: i64, part: i64 },
    /// One of the calls under way is answered so; of what was charged the answer owns up to this
    /// part, in percent, and it has one of a few ids, whoever else has it.
    Answer {
        which: usize,
        kind: AnswerKind,
        told: i64,
        id: u8,
    },
    /// The process dies; of the bytes that were not waited for, this part in percent is on disk.
    Crash { kept: usize },
}

#[derive(Debug, Clone, Copy)]
enum AnswerKind {
    Ends,
    Pends,
    GetsLost,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let send = (1..400_i64, 0..=100_i64).prop_map(|(most, part)| Action::Send { most, part });
    let kind = proptest::sample::select(vec![
        AnswerKind::Ends,
        AnswerKind::Pends,
        AnswerKind::GetsLost,
    ]);
    let answer = (any::<usize>(), kind, 0..=100_i64, 0..3_u8);
    let answer = answer.prop_map(|(which, kind, told, id)| Action::Answer {
        which,
        kind,
        told,
        id,
    });
    let crash = (0..=100_usize).prop_map(|kept| Action::Crash { kept });
    let action = proptest::prop_oneof![4 => send, 4 => answer, 1 => crash];
    proptest::collection::vec(action, 1..60)
}

/// A call that went out: the service knows what it charges for it.
struct UnderWay {
    call: ReservationId,
    charge: i64,
}

struct World {
    ledger: Ledger,
    disk: Vec<u8>,
    /// How much of it a crash cannot take.
    safe: usize,
    under_way: Vec<UnderWay>,
    pending: Vec<UnderWay>,
    charged: i64,
}

impl World {
    fn new() -> Self {
        let began = LedgerEntry::Began {
            budget_paise: BUDGET,
            seed: "s".to_owned(),
        };
        let disk = line(&began).into_bytes();
        World {
            ledger: Ledger::of(&[began]),
            safe: disk.len(),
            disk,
            under_way: Vec::new(),
            pending: Vec::new(),
            charged: 0,
        }
    }

    fn note(&mut self, entries: &[LedgerEntry]) {
        for entry in entries {
            self.disk.extend(line(entry).into_bytes());
            self.ledger.apply(entry);
        }
    }

    fn action(&mut self, action: &Action) {
        match *action {
            Action::Send { most, part } => {
                let Ok((call, entry)) = self.ledger.reserve(Paise(most), "a call") else {
                    return;
                };
                self.note(&[entry]);
                self.safe = self.disk.len();
                let charge = most * part / 100;
                self.under_way.push(UnderWay { call, charge });
            }
            Action::Answer {
                which,
                kind,
                told,
                id,
            } if !self.under_way.is_empty() => {
                let at = which % self.under_way.len();
                let sent = self.under_way.swap_remove(at);
                self.answer(sent, kind, told, id);
            }
            Action::Answer {
                which, told, id, ..
            } if !self.pending.is_empty() => {
                let at = which % self.pending.len();
                let sent = self.pending.swap_remove(at);
                self.charged += sent.charge;
                let bill = ended(&sent, told, id);
                let entries = self.ledger.settle_looked_up(&bill);
                self.note(&entries);
            }
            Action::Answer { .. } => {}
            Action::Crash { kept } => self.crash(kept),
        }
    }

    fn answer(&mut self, sent: UnderWay, kind: AnswerKind, told: i64, id: u8) {
        let bill = match kind {
            AnswerKind::Ends => ended(&sent, told, id),
            AnswerKind::GetsLost => Bill::Unknown,
            AnswerKind::Pends => Bill::Pending {
                amount: Paise::ZERO,
                verification: Some(format!("svcv_{id}")),
            },
        };
        let entries = self.ledger.settle(sent.call, &bill);
        self.note(&entries);
        match kind {
            AnswerKind::Pends => self.pending.push(sent),
            AnswerKind::Ends | AnswerKind::GetsLost => self.charged += sent.charge,
        }
    }

    /// What was under way was executed all the same; what was pending ends without us.
    fn crash(&mut self, kept: usize) {
        let lost = self.under_way.drain(..).chain(self.pending.drain(..));
        self.charged += lost.map(|sent| sent.charge).sum::<i64>();
        let kept = self.safe + (self.disk.len() - self.safe) * kept / 100;
        self.disk.truncate(kept);
        let (mut entries, length) = read(&self.disk).expect("only the last line is torn");
        self.disk.truncate(length);
        entries.push(LedgerEntry::Resumed {
            budget_paise: BUDGET,
            seed: "s".to_owned(),
        });
        self.ledger = Ledger::of(&entries);
        let resumed = line(&entries[entries.len() - 1]);
        self.disk.extend(resumed.into_bytes());
        self.safe = self.disk.len();
    }

    fn holds(&self) {
        let counted = self.ledger.spent().0 + self.ledger.reserved().0;
        let out = self.under_way.iter().chain(&self.pending);
        let really = self.charged + out.map(|sent| sent.charge).sum::<i64>();
        assert!(really <= BUDGET, "{really} paise are charged");
        assert!(really <= counted, "{really} charged, {counted} counted");
    }
}

fn ended(sent: &UnderWay, told: i64, id: u8) -> Bill {
    Bill::Final {
        amount: Paise(sent.charge * told / 100),
        verification: Some(format!("svcv_{id}")),
    }
}

#[test]
fn what_is_spent_and_reserved_never_exceeds_the_budget() {
    let config = Config {
        cases: 2_000,
        max_shrink_iters: 2_000,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let ran = runner.run(&actions(), |actions| {
        let mut world = World::new();
        for action in &actions {
            world.action(action);
            world.holds();
        }
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
}
