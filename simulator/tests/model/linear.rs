//! Whether what concurrent clients saw of a wallet can be explained by one order of their calls that
//! keeps to what came before what: Wing and Gong's search, with the states that led nowhere kept.

use std::collections::HashSet;

use foldhash::fast::FixedState;

/// What was done, and what its client was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    /// A call with a result at once: what it costs, and the balance after it.
    Paid {
        price: i64,
        balance: i64,
    },
    /// A call that ended in an error nobody pays for.
    Free {
        price: i64,
    },
    /// A call the wallet did not cover.
    Refused {
        price: i64,
    },
    /// A call that is pending.
    Held {
        price: i64,
        id: u32,
    },
    /// A pending call was brought to its end by hand, where it was open.
    Ended {
        id: u32,
        was_open: bool,
    },
    /// A report of the balance.
    Read {
        balance: i64,
    },
    ToppedUp {
        amount: i64,
    },
    Reset,
}

/// An act with the moments it was begun and answered at.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    pub(crate) begun: u64,
    pub(crate) answered: u64,
    pub(crate) act: Act,
}

/// The wallet as a sequence of acts sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wallet {
    opening: i64,
    balance: i64,
    /// What is held, by call.
    open: Vec<(u32, i64)>,
}

impl Wallet {
    pub(crate) fn opened(opening: i64) -> Self {
        Wallet {
            opening,
            balance: opening,
            open: Vec::new(),
        }
    }

    fn covers(&self, price: i64) -> bool {
        let held: i64 = self.open.iter().map(|(_, price)| price).sum();
        self.balance - held >= price
    }

    /// The wallet after an act, where its client could be answered so now.
    fn after(&self, act: &Act) -> Option<Wallet> {
        let mut after = self.clone();
        let fits = match *act {
            Act::Paid { price, balance } => {
                after.balance -= price;
                self.covers(price) && after.balance == balance
            }
            Act::Free { price } => self.covers(price),
            Act::Refused { price } => !self.covers(price),
            Act::Held { price, id } => {
                after.open.push((id, price));
                after.open.sort_unstable();
                self.covers(price)
            }
            Act::Ended { id, was_open } => {
                let at = self.open.iter().position(|(open, _)| *open == id);
                if let Some(at) = at {
                    after.balance -= after.open.remove(at).1;
                }
                at.is_some() == was_open
            }
            Act::Read { balance } => self.balance == balance,
            Act::ToppedUp { amount } => {
                after.balance += amount;
                true
            }
            Act::Reset => {
                after = Wallet::opened(self.opening);
                true
            }
        };
        fits.then_some(after)
    }
}

/// An order of the acts that explains them all and ends in this wallet, as their places.
pub(crate) fn order(history: &[Timed], from: Wallet, to: (i64, i64)) -> Option<Vec<usize>> {
    assert!(history.len() <= 128, "a history fits into the search");
    let mut dead = HashSet::<(u128, Wallet), FixedState>::default();
    let mut order = Vec::new();
    search(history, 0, &from, to, &mut order, &mut dead).then_some(order)
}

fn search(
    history: &[Timed],
    done: u128,
    wallet: &Wallet,
    to: (i64, i64),
    order: &mut Vec<usize>,
    dead: &mut HashSet<(u128, Wallet), FixedState>,
) -> bool {
    let open = |at: &usize| done & (1 << at) == 0;
    let left: Vec<_> = (0..history.len()).filter(open).collect();
    let Some(first_answer) = left.iter().map(|&at| history[at].answered).min() else {
        let held = wallet.open.iter().map(|(_, price)| price).sum();
        return (wallet.balance, held) == to;
    };
    if dead.contains(&(done, wallet.clone())) {
        return false;
    }
    // What began after another one was answered did not come before it.
    for at in left {
        if history[at].begun > first_answer {
            continue;
        }
        let Some(after) = wallet.after(&history[at].act) else {
            continue;
        };
        order.push(at);
        if search(history, done | (1 << at), &after, to, order, dead) {
            return true;
        }
        order.pop();
    }
    dead.insert((done, wallet.clone()));
    false
}

/// Acts as (begun, answered, act).
#[cfg(test)]
fn history(acts: &[(u64, u64, Act)]) -> Vec<Timed> {
    let timed = |(begun, answered, act): &(u64, u64, Act)| Timed {
        begun: *begun,
        answered: *answered,
        act: act.clone(),
    };
    acts.iter().map(timed).collect()
}

#[test]
fn two_payments_at_once_are_explained_in_either_order() {
    let paid = |balance| Act::Paid { price: 10, balance };
    let acts = history(&[(0, 3, paid(80)), (1, 2, paid(90))]);
    assert_eq!(order(&acts, Wallet::opened(100), (80, 0)), Some(vec![1, 0]));
}

#[test]
fn a_lost_payment_a_stale_balance_and_a_hold_too_many_are_not_explained() {
    let paid = |balance| Act::Paid { price: 10, balance };
    let wallet = || Wallet::opened(100);
    let lost = history(&[(0, 3, paid(90)), (1, 2, paid(90))]);
    assert_eq!(order(&lost, wallet(), (90, 0)), None);
    let stale = history(&[(0, 1, paid(90)), (2, 3, Act::Read { balance: 100 })]);
    assert_eq!(order(&stale, wallet(), (90, 0)), None);
    let fresh = history(&[(0, 2, paid(90)), (1, 3, Act::Read { balance: 100 })]);
    assert!(order(&fresh, wallet(), (90, 0)).is_some());
    let held = |id| Act::Held { price: 60, id };
    let too_many = history(&[(0, 3, held(1)), (1, 2, held(2))]);
    assert_eq!(order(&too_many, wallet(), (100, 120)), None);
    let twice = history(&[
        (0, 1, held(1)),
        (
            2,
            5,
            Act::Ended {
                id: 1,
                was_open: true,
            },
        ),
        (
            3,
            4,
            Act::Ended {
                id: 1,
                was_open: true,
            },
        ),
    ]);
    assert_eq!(order(&twice, wallet(), (40, 0)), None);
}

#[test]
fn an_end_state_that_no_order_leads_to_is_not_explained() {
    let acts = history(&[(0, 1, Act::ToppedUp { amount: 5 })]);
    assert_eq!(order(&acts, Wallet::opened(100), (100, 0)), None);
    assert!(order(&acts, Wallet::opened(100), (105, 0)).is_some());
}
