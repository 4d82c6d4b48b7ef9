//! The prepaid wallet of an account on live: balance, holds, charges. All in paise.

use svc_fixtures::contract::Paise;

use super::rejection::Rejection;

/// The money of an account. Always: balance + charged = topped up, and 0 ≤ held ≤ balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wallet {
    topped_up: Paise,
    charged: Paise,
    held: Paise,
}

/// What one entry does to a wallet: opens a hold, closes one, charges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Money {
    /// Put aside.
    pub hold: Paise,
    /// No longer put aside.
    pub release: Paise,
    /// Taken for good.
    pub charge: Paise,
}

/// Money put aside for a call: proof that the wallet covers it.
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
            ..Wallet::default()
        }
    }

    /// Top-ups less charges; open holds are not deducted.
    #[must_use]
    pub fn balance(&self) -> Paise {
        Paise(self.topped_up.0 - self.charged.0)
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

    /// EnvironmentState what an entry says.
    pub fn apply(&mut self, money: Money) {
        self.held.0 += money.hold.0 - money.release.0;
        self.charged.0 += money.charge.0;
        debug_assert!(
            self.adds_up(),
            "an entry broke the wallet: {self:?} after {money:?}"
        );
    }

    /// Puts money in, or takes some out where it is less than nothing.
    pub fn top_up(&mut self, amount: Paise) {
        self.topped_up.0 = self.topped_up.0.saturating_add(amount.0);
    }

    /// Whether the wallet's law holds.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        let balance = self.balance().0;
        balance + self.charged.0 == self.topped_up.0 && 0 <= self.held.0 && self.held.0 <= balance
    }
}

impl Hold {
    /// What the ledger is told when the hold ends: charged where the result is billed.
    #[must_use]
    pub fn settle(self, billed: bool) -> Money {
        let charge = if billed { self.amount } else { Paise::ZERO };
        Money {
            release: self.amount,
            charge,
            ..Money::default()
        }
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
        wallet.apply(Money {
            hold: Paise(300),
            ..Money::default()
        });
        assert!(wallet.hold(Paise(200)).is_ok());
        assert!(wallet.hold(Paise(201)).is_err());
    }

    #[test]
    fn a_settled_hold_is_charged_or_released() {
        for (billed, balance) in [(true, 200), (false, 500)] {
            let mut wallet = Wallet::with(Paise(500));
            let hold = wallet.hold(Paise(300)).expect("covered");
            wallet.apply(Money {
                hold: hold.amount,
                ..Money::default()
            });
            wallet.apply(hold.settle(billed));
            assert_eq!(
                (wallet.balance(), wallet.held()),
                (Paise(balance), Paise::ZERO)
            );
        }
    }
}
