//! What was spent and what is reserved: a pure sum of entries. Decides, then applies; the entries
//! applied again give the same ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;

use super::bill::Bill;
use super::settled::SettledFinding;

/// The number of a reservation, unique within a journal.
pub type ReservationId = u64;

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum LedgerEntry {
    /// A run begins; what stands before it is another run's.
    Began {
        /// Its budget.
        budget_paise: i64,
        /// What makes its keys and references its own.
        seed: String,
    },
    /// A run goes on where another was broken off. What is open then counts as spent.
    Resumed {
        /// Its budget from here on.
        budget_paise: i64,
        /// What makes its keys and references its own from here on.
        seed: String,
    },
    /// A call may be sent.
    Reserved {
        /// The reservation.
        call: ReservationId,
        /// What it can cost at most.
        paise: i64,
        /// What it is, for people.
        what: String,
    },
    /// Its answer is pending: a later answer with this id ends it.
    Pending {
        /// The reservation.
        call: ReservationId,
        /// The `verificationId`.
        verification: String,
    },
    /// It is over.
    Settled {
        /// The reservation.
        call: ReservationId,
        /// What it cost.
        paise: i64,
    },
    /// What the wallet held after the first answer that says it.
    Wallet {
        /// What it held.
        paise: i64,
    },
    /// The wallet fell by more than is counted.
    Unexplained {
        /// By how much more, since it was first seen.
        paise: i64,
        /// What may have been taken alike before it was first seen.
        earlier: i64,
    },
    /// Every call of a case was answered: a run that goes on does not send it again.
    Done {
        /// The check.
        check: String,
        /// The case.
        case: String,
        /// What was found of it: a run that goes on counts it.
        findings: Vec<SettledFinding>,
    },
    /// The run came to its own end.
    Ended,
}

impl LedgerEntry {
    pub(super) fn began(budget: Paise, seed: &str) -> Self {
        LedgerEntry::Began {
            budget_paise: budget.0,
            seed: seed.to_owned(),
        }
    }

    pub(super) fn resumed(budget: Paise, seed: &str) -> Self {
        LedgerEntry::Resumed {
            budget_paise: budget.0,
            seed: seed.to_owned(),
        }
    }
}

/// A call that the rest of the budget does not cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the next call can cost {most} INR, and {left} INR of the budget of {budget} INR is left")]
pub struct OverBudget {
    /// What it can cost at most.
    pub most: Paise,
    /// What is left.
    pub left: Paise,
    /// The whole budget.
    pub budget: Paise,
}

/// The money of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    budget: Paise,
    spent: Paise,
    open: BTreeMap<ReservationId, OpenReservation>,
    next: ReservationId,
    /// What the wallet held when it was first seen, and what was spent before.
    wallet: Option<WalletReading>,
    unexplained: Paise,
    done: BTreeMap<(String, String), Vec<SettledFinding>>,
}

/// The wallet as a journal first saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalletReading {
    /// What it held.
    pub balance: Paise,
    /// What is counted as spent before.
    pub before: Paise,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenReservation {
    most: Paise,
    verification: Option<String>,
}

impl Ledger {
    /// The ledger that these entries make.
    #[must_use]
    pub fn of(entries: &[LedgerEntry]) -> Self {
        let mut ledger = Ledger::default();
        for entry in entries {
            ledger.apply(entry);
        }
        ledger
    }

    /// What may be spent.
    #[must_use]
    pub fn budget(&self) -> Paise {
        self.budget
    }

    /// What was found of a case, where all of it was answered: in this run or in one that it goes on with.
    #[must_use]
    pub fn settled(&self, check: &str, case: &str) -> Option<&[SettledFinding]> {
        let name = (check.to_owned(), case.to_owned());
        self.done.get(&name).map(Vec::as_slice)
    }

    /// The wallet as it was first seen.
    #[must_use]
    pub fn wallet(&self) -> Option<WalletReading> {
        self.wallet
    }

    /// What the wallet fell by and no call explains, as far as it is counted.
    #[must_use]
    pub fn unexplained(&self) -> Paise {
        self.unexplained
    }

    /// What is spent or reserved.
    #[must_use]
    pub fn counted(&self) -> Paise {
        self.total(self.reserved())
    }

    /// What was spent, or may have been: each answered call counts as what was reserved for it, or
    /// as more where its answer says so.
    #[must_use]
    pub fn spent(&self) -> Paise {
        self.spent
    }

    /// What the calls that are not over can cost at most.
    #[must_use]
    pub fn reserved(&self) -> Paise {
        self.open.values().map(|open| open.most).sum()
    }

    /// What may still be reserved; never below zero.
    #[must_use]
    pub fn left(&self) -> Paise {
        let used = self.spent.checked_add(self.reserved());
        let left = used.and_then(|used| self.budget.checked_sub(used));
        left.unwrap_or_default().max(Paise::ZERO)
    }

    /// A reservation of this amount.
    ///
    /// # Errors
    /// Where the budget does not cover it.
    pub fn reserve(
        &self,
        most: Paise,
        what: &str,
    ) -> Result<(ReservationId, LedgerEntry), OverBudget> {
        let left = self.left();
        if most > left {
            let budget = self.budget;
            return Err(OverBudget { most, left, budget });
        }
        let entry = LedgerEntry::Reserved {
            call: self.next,
            paise: most.0,
            what: what.to_owned(),
        };
        Ok((self.next, entry))
    }

    /// What a bill does to the reservation of its call. It never gives any of it back: all that an
    /// answer says of money is the word of the service that takes it, and so are its wallet and its
    /// usage. A bill can only show that a call cost more.
    #[must_use]
    pub fn settle(&self, call: ReservationId, bill: &Bill) -> Vec<LedgerEntry> {
        let settled = |call, amount: Paise| LedgerEntry::Settled {
            call,
            paise: amount.0,
        };
        match bill {
            Bill::Unknown => Vec::new(),
            Bill::NotSent => vec![settled(call, Paise::ZERO)],
            Bill::Pending { verification, .. } => {
                let pending = verification
                    .clone()
                    .map(|verification| LedgerEntry::Pending { call, verification });
                pending.into_iter().collect()
            }
            Bill::Final { amount, .. } => {
                let open = self.open.get(&call);
                let reserved = open.map_or(Paise::ZERO, |open| open.most);
                vec![settled(call, reserved.max(*amount))]
            }
        }
    }

    /// What the bill of a looked-up verification does to the pending calls that wait for it.
    #[must_use]
    pub fn settle_looked_up(&self, bill: &Bill) -> Vec<LedgerEntry> {
        let Bill::Final { verification, .. } = bill else {
            return Vec::new();
        };
        match self.waiting(verification.as_deref()).next() {
            Some(first) => self.settle(first, bill),
            None => Vec::new(),
        }
    }

    /// A charge that nothing was reserved for.
    #[must_use]
    pub fn unforeseen(&self, amount: Paise, what: &str) -> Vec<LedgerEntry> {
        let (call, paise) = (self.next, amount.0);
        let what = what.to_owned();
        vec![
            LedgerEntry::Reserved { call, paise, what },
            LedgerEntry::Settled { call, paise },
        ]
    }

    fn waiting(&self, verification: Option<&str>) -> impl Iterator<Item = ReservationId> {
        let waits = move |open: &OpenReservation| {
            verification.is_some() && open.verification.as_deref() == verification
        };
        let open = self.open.iter();
        open.filter(move |(_, open)| waits(open))
            .map(|(call, _)| *call)
    }

    /// Takes an entry in.
    pub fn apply(&mut self, entry: &LedgerEntry) {
        match entry {
            LedgerEntry::Began { budget_paise, .. } => {
                *self = Ledger {
                    budget: Paise(*budget_paise),
                    ..Ledger::default()
                };
            }
            LedgerEntry::Resumed { budget_paise, .. } => {
                self.spent = self.total(self.reserved());
                self.open.clear();
                self.budget = Paise(*budget_paise);
            }
            LedgerEntry::Reserved { call, paise, .. } => {
                let open = OpenReservation {
                    most: Paise(*paise),
                    verification: None,
                };
                self.open.insert(*call, open);
                self.next = self.next.max(call.saturating_add(1));
            }
            LedgerEntry::Pending { call, verification } => {
                if let Some(open) = self.open.get_mut(call) {
                    open.verification = Some(verification.clone());
                }
            }
            LedgerEntry::Settled { call, paise } => {
                if self.open.remove(call).is_some() {
                    self.spent = self.total(Paise(*paise));
                }
            }
            LedgerEntry::Wallet { paise } => {
                let (balance, before) = (Paise(*paise), self.spent);
                let reading = WalletReading { balance, before };
                self.wallet = self.wallet.or(Some(reading));
            }
            LedgerEntry::Unexplained { paise, earlier } => {
                let both = Paise(paise.saturating_add(*earlier));
                self.spent = self.total(both);
                self.unexplained = Paise(self.unexplained.0.saturating_add(both.0));
                if let Some(reading) = &mut self.wallet {
                    reading.before.0 = reading.before.0.saturating_add(*earlier);
                }
            }
            LedgerEntry::Done {
                check,
                case,
                findings,
            } => {
                let name = (check.clone(), case.clone());
                self.done.insert(name, findings.clone());
            }
            LedgerEntry::Ended => {}
        }
    }

    /// A sum that overflows is the largest amount there is, so that no reservation fits any more.
    fn total(&self, more: Paise) -> Paise {
        self.spent.checked_add(more).unwrap_or(Paise(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spend::SettledVerdict;

    fn began(budget: i64) -> Ledger {
        Ledger::of(&[LedgerEntry::Began {
            budget_paise: budget,
            seed: "s".to_owned(),
        }])
    }

    fn reserve(ledger: &mut Ledger, most: i64) -> ReservationId {
        let (call, entry) = ledger.reserve(Paise(most), "a call").expect("it fits");
        ledger.apply(&entry);
        call
    }

    fn settle(ledger: &mut Ledger, call: ReservationId, bill: &Bill) {
        for entry in ledger.settle(call, bill) {
            ledger.apply(&entry);
        }
    }

    fn ended(amount: i64, verification: &str) -> Bill {
        Bill::Final {
            amount: Paise(amount),
            verification: Some(verification.to_owned()),
        }
    }

    fn pending(verification: &str) -> Bill {
        Bill::Pending {
            amount: Paise::ZERO,
            verification: Some(verification.to_owned()),
        }
    }

    fn sums(ledger: &Ledger) -> (i64, i64, i64) {
        (ledger.spent().0, ledger.reserved().0, ledger.left().0)
    }

    #[test]
    fn the_last_paisa_can_be_reserved_and_one_more_cannot() {
        let mut ledger = began(500);
        reserve(&mut ledger, 200);
        assert!(ledger.reserve(Paise(300), "").is_ok());
        let refused = ledger.reserve(Paise(301), "").expect_err("too much");
        assert_eq!((refused.most, refused.left), (Paise(301), Paise(300)));
    }

    #[test]
    fn an_answer_that_says_less_than_was_reserved_gives_nothing_back() {
        let mut ledger = began(1000);
        for amount in [0, 150] {
            let call = reserve(&mut ledger, 400);
            settle(&mut ledger, call, &ended(amount, "svcv_a"));
        }
        assert_eq!(sums(&ledger), (800, 0, 200));
    }

    #[test]
    fn what_is_unknown_stays_reserved_and_counts_as_spent_after_a_break() {
        let mut ledger = began(500);
        let call = reserve(&mut ledger, 400);
        settle(&mut ledger, call, &Bill::Unknown);
        assert_eq!(sums(&ledger), (0, 400, 100));
        ledger.apply(&LedgerEntry::Resumed {
            budget_paise: 450,
            seed: "s".to_owned(),
        });
        assert_eq!(sums(&ledger), (400, 0, 50));
    }

    #[test]
    fn a_call_that_claims_the_id_of_a_pending_one_counts_beside_it() {
        let mut ledger = began(1000);
        let first = reserve(&mut ledger, 400);
        settle(&mut ledger, first, &pending("svcv_a"));
        assert_eq!(sums(&ledger), (0, 400, 600));
        for entry in ledger.settle_looked_up(&ended(300, "svcv_b")) {
            ledger.apply(&entry);
        }
        assert_eq!(sums(&ledger), (0, 400, 600), "another id");
        let second = reserve(&mut ledger, 400);
        settle(&mut ledger, second, &ended(300, "svcv_a"));
        assert_eq!(sums(&ledger), (400, 400, 200));
    }

    #[test]
    fn a_look_up_settles_a_pending_call_once() {
        let mut ledger = began(1000);
        let call = reserve(&mut ledger, 400);
        settle(&mut ledger, call, &pending("svcv_a"));
        for _ in 0..2 {
            for entry in ledger.settle_looked_up(&ended(400, "svcv_a")) {
                ledger.apply(&entry);
            }
        }
        assert_eq!(sums(&ledger), (400, 0, 600));
    }

    #[test]
    fn a_run_that_begins_forgets_the_one_before_and_its_calls_are_numbered_anew() {
        let mut ledger = began(500);
        reserve(&mut ledger, 400);
        ledger.apply(&LedgerEntry::Began {
            budget_paise: 300,
            seed: "t".to_owned(),
        });
        assert_eq!(sums(&ledger), (0, 0, 300));
        assert_eq!(reserve(&mut ledger, 1), 0);
    }

    #[test]
    fn what_was_done_is_known_to_a_run_that_goes_on_and_forgotten_by_a_new_one() {
        let mut ledger = began(500);
        let (check, case) = ("a.check".to_owned(), "a case".to_owned());
        let verdict = SettledVerdict::Held("a.clause".to_owned());
        let findings = vec![SettledFinding { step: 0, verdict }];
        ledger.apply(&LedgerEntry::Done {
            check,
            case,
            findings: findings.clone(),
        });
        let (budget_paise, seed) = (500, "t".to_owned());
        ledger.apply(&LedgerEntry::Resumed { budget_paise, seed });
        assert_eq!(ledger.settled("a.check", "a case"), Some(&findings[..]));
        assert_eq!(ledger.settled("a.check", "another"), None);
        let seed = "u".to_owned();
        ledger.apply(&LedgerEntry::Began { budget_paise, seed });
        assert_eq!(ledger.settled("a.check", "a case"), None);
    }

    #[test]
    fn a_charge_over_the_budget_leaves_nothing_and_never_less() {
        let mut ledger = began(500);
        let call = reserve(&mut ledger, 500);
        settle(&mut ledger, call, &ended(900, "svcv_a"));
        assert_eq!(sums(&ledger), (900, 0, 0));
        assert!(ledger.reserve(Paise(1), "").is_err());
    }
}
