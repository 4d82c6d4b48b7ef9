//! The prepaid wallet of an account on live: balance, holds, charges. All in paise.

use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;

use super::rejection::Rejection;

/// The money of an account (ruling 22). Always: balance + charged = topped up, and 0 ≤ held ≤ balance.
/// The balance is the wallet's own; what was charged is the sum of what the verifications say, so that each
/// checks the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wallet {
    topped_up: Paise,
    balance: Paise,
    held: Paise,
    charged: Paise,
}

/// Proof that a wallet covers a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Hold {
    /// How much.
    pub amount: Paise,
}

impl Wallet {
    /// A wallet with this much in it.
    #[must_use]
    pub fn with(balance: Paise) -> Self {
        Wallet {
            topped_up: balance,
            balance,
            ..Wallet::default()
        }
    }

    /// Top-ups less charges; open holds are not deducted.
    #[must_use]
    pub fn balance(&self) -> Paise {
        self.balance
    }

    /// What is put aside for calls that have not ended.
    #[must_use]
    pub fn held(&self) -> Paise {
        self.held
    }

    /// All that was ever charged.
    #[must_use]
    pub fn charged(&self) -> Paise {
        self.charged
    }

    /// All that was ever put in.
    #[must_use]
    pub fn topped_up(&self) -> Paise {
        self.topped_up
    }

    /// Puts a price aside.
    ///
    /// # Errors
    /// [`Rejection::InsufficientBalance`] where the balance less open holds is below the price.
    pub fn hold(&self, price: Paise) -> Result<Hold, Rejection> {
        let free = self.balance().0 - self.held.0;
        match free >= price.0 {
            true => Ok(Hold { amount: price }),
            false => Err(Rejection::InsufficientBalance { price }),
        }
    }

    /// Opens a hold.
    pub fn open(&mut self, hold: Paise) {
        self.held.0 += hold.0;
    }

    /// Ends a hold: commits it where something is charged, else releases it.
    pub fn settle(&mut self, hold: Paise, charge: Paise) {
        self.held.0 -= hold.0;
        self.balance.0 -= charge.0;
    }

    /// Notes what a verification says it was charged.
    pub fn note_charged(&mut self, charge: Paise) {
        self.charged.0 += charge.0;
    }

    /// Puts money in, or takes some out where it is less than nothing.
    pub fn top_up(&mut self, amount: Paise) {
        self.topped_up.0 = self.topped_up.0.saturating_add(amount.0);
        self.balance.0 = self.balance.0.saturating_add(amount.0);
    }

    /// Whether the wallet's law holds.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        let balance = self.balance.0;
        balance + self.charged.0 == self.topped_up.0 && 0 <= self.held.0 && self.held.0 <= balance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_needs_the_balance_less_open_holds() {
        let mut wallet = Wallet::with(Paise(500));
        assert!(wallet.hold(Paise(500)).is_ok());
        assert!(wallet.hold(Paise(501)).is_err());
        wallet.open(Paise(300));
        assert!(wallet.hold(Paise(200)).is_ok());
        assert!(wallet.hold(Paise(201)).is_err());
    }

    #[test]
    fn a_settled_hold_is_committed_or_released() {
        for (charge, balance) in [(300, 200), (0, 500)] {
            let mut wallet = Wallet::with(Paise(500));
            wallet.open(Paise(300));
            wallet.settle(Paise(300), Paise(charge));
            let found = (wallet.balance(), wallet.held());
            assert_eq!(found, (Paise(balance), Paise::ZERO));
        }
    }

    #[test]
    fn a_wallet_that_was_charged_otherwise_than_its_verifications_say_does_not_add_up() {
        let mut wallet = Wallet::with(Paise(500));
        wallet.open(Paise(300));
        assert!(wallet.adds_up());
        wallet.settle(Paise(300), Paise(300));
        assert!(!wallet.adds_up(), "nobody says what it was charged for");
        wallet.note_charged(Paise(300));
        assert!(wallet.adds_up());
        wallet.settle(Paise(1), Paise::ZERO);
        assert!(!wallet.adds_up(), "a hold was released that nobody opened");
        wallet.open(Paise(202));
        assert!(!wallet.adds_up(), "more is held than there is");
    }
}
