//! What happened to a wallet, movement by movement: what was put in, held, taken for good and given back, and for
//! which verification. What the wallet holds says the wallet itself; the history only tells how it came to that.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;

use super::ids::VerificationId;
use super::sizes::Sum;
use super::wallet::Wallet;

/// The newest movements of a wallet, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WalletHistory {
    movements: VecDeque<Movement>,
    evicted: u64,
}

/// One movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// When, by the account's clock.
    pub at: Timestamp,
    /// What.
    pub kind: MovementKind,
    /// For which verification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationId>,
}

/// What happened to the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MovementKind {
    /// It was put in, or taken out by hand where it is less than nothing.
    ToppedUp {
        /// How much.
        amount: Paise,
    },
    /// It was put aside for a call that goes on.
    Held {
        /// How much.
        amount: Paise,
    },
    /// What had been put aside was taken for good, or given back where nothing is charged.
    Settled {
        /// How much had been put aside.
        amount: Paise,
        /// What of it was taken.
        charged: Paise,
    },
    /// Both at once, as with nearly every call.
    HeldAndSettled {
        /// How much was put aside.
        amount: Paise,
        /// What of it was taken.
        charged: Paise,
    },
}

/// A movement, and what was in the wallet after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// What happened.
    pub movement: Movement,
    /// Top-ups less charges, after it.
    pub balance: Paise,
    /// What was put aside, after it.
    pub held: Paise,
}

impl Movement {
    /// What it adds to the balance and to what is held.
    fn adds(&self) -> (i64, i64) {
        match self.kind {
            MovementKind::ToppedUp { amount } => (amount.0, 0),
            MovementKind::Held { amount } => (0, amount.0),
            MovementKind::Settled { amount, charged } => (-charged.0, -amount.0),
            MovementKind::HeldAndSettled { charged, .. } => (-charged.0, 0),
        }
    }
}

impl WalletHistory {
    /// That of a wallet that begins with so much.
    #[must_use]
    pub fn beginning(at: Timestamp, amount: Paise) -> Self {
        let mut history = WalletHistory::default();
        if amount > Paise::ZERO {
            history.note(Movement {
                at,
                kind: MovementKind::ToppedUp { amount },
                verification: None,
            });
        }
        history
    }

    /// Whether there never was anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.movements.is_empty() && self.evicted == 0
    }

    /// One more movement.
    pub fn note(&mut self, movement: Movement) {
        self.movements.push_back(movement);
    }

    /// What was held for a call that was rolled back, as if it had never been.
    pub fn forget_hold(&mut self, verification: VerificationId) {
        let is_hold = |it: &Movement| {
            it.verification == Some(verification) && matches!(it.kind, MovementKind::Held { .. })
        };
        if let Some(at) = self.movements.iter().rposition(is_hold) {
            self.movements.remove(at);
        }
    }

    /// The movements, newest first, each with what was in this wallet after it.
    pub fn lines(&self, wallet: &Wallet) -> impl Iterator<Item = Line> {
        let mut after = (wallet.balance().0, wallet.held().0);
        self.movements.iter().rev().map(move |movement| {
            let (balance, held) = after;
            let (more, more_held) = movement.adds();
            after = (balance - more, held - more_held);
            Line {
                movement: *movement,
                balance: Paise(balance),
                held: Paise(held),
            }
        })
    }

    /// How many were evicted.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// All of it may be evicted.
    #[must_use]
    pub fn evictable(&self) -> Sum {
        let count = self.movements.len();
        Sum {
            count,
            // A queue grows by doubling.
            bytes: count * size_of::<Movement>() * 4 / 3,
        }
    }

    /// Evicts the oldest. False where there is none.
    pub fn evict_oldest(&mut self) -> bool {
        let evicted = self.movements.pop_front().is_some();
        self.evicted += u64::from(evicted);
        evicted
    }

    /// Evicts the oldest until no more than so many are left.
    pub fn trim(&mut self, at_most: usize) {
        while self.movements.len() > at_most && self.evict_oldest() {}
    }

    /// Gives back memory that nothing needs any more.
    pub fn shrink(&mut self) {
        if self.movements.capacity() > 2 * self.movements.len() {
            self.movements.shrink_to_fit();
        }
    }
}
