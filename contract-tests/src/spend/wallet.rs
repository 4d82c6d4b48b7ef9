//! The wallet, watched: what it falls by beyond what is counted counts as spent, too. A service can charge for
//! what it says was free; others who use the wallet look the same, so no more is counted than the run's own
//! calls could have cost once more. Decides; sends and writes nothing.

use svc_fixtures::contract::Paise;

use super::bill::Bill;
use super::ledger::{Ledger, LedgerEntry};

/// What was seen of the wallet.
#[derive(Debug, Default)]
pub(super) struct WalletWatch {
    lowest: Option<Paise>,
    /// What the answers said was charged since it was first seen.
    stated: Paise,
    /// What the calls would cost that must be refused, if each were charged at its price.
    refused: Paise,
    /// Whether the service speaks of the wallet in paise.
    in_paise: bool,
}

impl WalletWatch {
    /// Takes in a settled call: what it would cost if it were charged although it must be refused, what its
    /// answer says it cost, and what that says the wallet holds now.
    pub(super) fn take(
        &mut self,
        ledger: &Ledger,
        refused: Paise,
        bill: &Bill,
        balance: Option<Paise>,
    ) -> Option<LedgerEntry> {
        self.refused = Paise(self.refused.0.saturating_add(refused.0));
        let balance = balance?;
        let Some(first) = ledger.wallet() else {
            return Some(LedgerEntry::Wallet { paise: balance.0 });
        };
        // Answers can overtake each other, and a replay shows an old balance.
        let lowest = self.lowest.map_or(balance, |lowest| lowest.min(balance));
        self.lowest = Some(lowest);
        let stated = bill.amount().unwrap_or_default();
        self.stated = Paise(self.stated.0.saturating_add(stated.0));
        let mut fall = first.balance.checked_sub(lowest).unwrap_or_default().0;
        let counted = ledger.counted().0 - first.before.0;
        self.in_paise |= fall > counted && fall == self.stated.0.saturating_mul(100);
        if self.in_paise {
            fall /= 100;
        }
        if fall <= counted {
            return None;
        }
        let known = ledger.unexplained().0;
        let calls = ledger.counted().0 - known + self.refused.0;
        let mut left = (calls - known).max(0);
        // What is seen for the first time may have been so from the beginning.
        let earlier = if known == 0 {
            first.before.0.min(left)
        } else {
            0
        };
        left -= earlier;
        let paise = (fall - counted).min(left);
        (paise > 0).then_some(LedgerEntry::Unexplained { paise, earlier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charged(amount: i64) -> Bill {
        Bill::Final {
            amount: Paise(amount),
            verification: None,
        }
    }

    /// Calls at this price, each with what its answer says was charged and what the wallet holds then; what
    /// is counted in the end.
    fn counted(price: i64, answers: &[(i64, Option<i64>)]) -> (i64, i64) {
        let mut ledger = Ledger::of(&[LedgerEntry::began(Paise(100_000), "s")]);
        let mut watch = WalletWatch::default();
        for (amount, balance) in answers {
            let (call, entry) = ledger.reserve(Paise(price), "a call").expect("it fits");
            ledger.apply(&entry);
            let entries = ledger.settle(call, &charged(*amount));
            entries.iter().for_each(|entry| ledger.apply(entry));
            let balance = balance.map(Paise);
            let entry = watch.take(&ledger, Paise::ZERO, &charged(*amount), balance);
            entry.iter().for_each(|entry| ledger.apply(entry));
        }
        (ledger.spent().0, ledger.unexplained().0)
    }

    #[test]
    fn a_wallet_that_falls_by_what_is_counted_adds_nothing() {
        let answers = [(300, Some(9700)), (300, Some(9400)), (0, None)];
        assert_eq!(counted(300, &answers), (900, 0));
    }

    #[test]
    fn what_it_falls_by_more_counts_up_to_what_the_calls_cost_once_more() {
        let twice = [(300, Some(9400)), (300, Some(8800)), (300, Some(8200))];
        assert_eq!(counted(300, &twice), (1800, 900));
        let others = [(300, Some(9700)), (300, Some(0))];
        assert_eq!(counted(300, &others), (1200, 600));
    }

    #[test]
    fn an_answer_that_was_overtaken_and_a_replay_add_nothing() {
        let answers = [(300, Some(9700)), (300, Some(9100)), (300, Some(9400))];
        assert_eq!(counted(300, &answers), (1500, 600), "9100 came too early");
        let replays = [(300, Some(9700)), (300, Some(9700)), (300, Some(9700))];
        assert_eq!(counted(300, &replays), (900, 0));
    }

    #[test]
    fn a_wallet_in_paise_is_one() {
        let answers = [
            (300, Some(970_000)),
            (300, Some(940_000)),
            (300, Some(910_000)),
        ];
        assert_eq!(counted(300, &answers), (900, 0));
    }
}
