//! The locks of the host and the order in which a thread takes them. Debug builds check the order; in
//! release builds nothing of the check is left.
//!
//! | rank | lock | guards | held while |
//! |---|---|---|---|
//! | [`Rank::Edit`] | `RulesStore::editing` | nothing: one edit of scenarios at a time | files are compiled, rules put in place |
//! | [`Rank::Open`] | `Directory::opening` | nothing: one account is opened at a time | names are compared, idle accounts closed |
//! | [`Rank::Evict`] | `MemoryGovernor::evicting` | nothing: one eviction at a time | all accounts are measured and shrunk |
//! | [`Rank::Account`] | `AccountCell::state` | one account; never two at once | a call is decided, written and applied |
//! | [`Rank::Sets`] | `RulesStore::sets` | the rules of single accounts that there are | one is found or added |
//! | [`Rank::AccountRules`] | `AccountCell::own` | the scenarios added for one account | an `Arc` is read or replaced |
//! | [`Rank::Reserved`] | `ReservedNames` | names that are about to be given to an account | a name is compared, added or removed |
//! | [`Rank::Names`] | `Directory::shards` | which account a key's name belongs to | a name is looked up, added or removed |
//! | [`Rank::Openers`] | `Directory::openers` | how many accounts each address opened | one is counted |
//! | [`Rank::Rules`] | `RulesStore::current` | the rules of all accounts | an `Arc` is read or replaced |
//! | [`Rank::Record`] | the lists of the in-memory journal and transport, of calls that no account keeps, and of replays; `Readiness::obstacle` | what was appended, sent, refused or given again; what the store says of itself | one entry is pushed or the list is copied |
//!
//! A thread takes locks from the top of this table down, and each rank once. No lock is held across an
//! `.await`: the guards are not `Send`, so that a task that tried would not compile.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// The place of a lock in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Edit,
    Open,
    Evict,
    Account,
    Sets,
    AccountRules,
    Reserved,
    Names,
    Openers,
    Rules,
    Record,
}

/// A lock with a place in the order.
pub(super) struct Ranked<L> {
    rank: Rank,
    lock: L,
}

pub(super) type Mutex<T> = Ranked<parking_lot::Mutex<T>>;
pub(super) type RwLock<T> = Ranked<parking_lot::RwLock<T>>;
pub(super) type MutexGuard<'a, T> = RankedGuard<parking_lot::MutexGuard<'a, T>>;

/// The access to what a lock guards, until it is dropped.
pub(super) struct RankedGuard<G> {
    guard: G,
    _held: HeldRank,
}

impl<T> Mutex<T> {
    pub(super) fn new(rank: Rank, value: T) -> Self {
        let lock = parking_lot::Mutex::new(value);
        Ranked { rank, lock }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        let _held = HeldRank::enter(self.rank);
        let guard = self.lock.lock();
        RankedGuard { guard, _held }
    }

    /// The guard, unless somebody else has it.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let _held = HeldRank::enter(self.rank);
        let guard = self.lock.try_lock()?;
        Some(RankedGuard { guard, _held })
    }

    pub(super) fn is_locked(&self) -> bool {
        self.lock.is_locked()
    }
}

impl<T> RwLock<T> {
    pub(super) fn new(rank: Rank, value: T) -> Self {
        let lock = parking_lot::RwLock::new(value);
        Ranked { rank, lock }
    }

    pub(super) fn read(&self) -> RankedGuard<parking_lot::RwLockReadGuard<'_, T>> {
        let _held = HeldRank::enter(self.rank);
        let guard = self.lock.read();
        RankedGuard { guard, _held }
    }

    pub(super) fn write(&self) -> RankedGuard<parking_lot::RwLockWriteGuard<'_, T>> {
        let _held = HeldRank::enter(self.rank);
        let guard = self.lock.write();
        RankedGuard { guard, _held }
    }
}

impl<G: Deref> Deref for RankedGuard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for RankedGuard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

thread_local! {
    /// The ranks of the locks that this thread holds, in the order in which it took them.
    static HELD: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) };
}

/// The note that this thread holds a lock of a rank. Release builds note nothing.
struct HeldRank(Rank);

impl HeldRank {
    fn enter(rank: Rank) -> Self {
        if cfg!(debug_assertions) {
            HELD.with_borrow_mut(|held| {
                if let Some(last) = held.last().filter(|&&last| last >= rank) {
                    panic!("the lock {rank:?} must not be taken while {last:?} is held");
                }
                held.push(rank);
            });
        }
        HeldRank(rank)
    }
}

impl Drop for HeldRank {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            HELD.with_borrow_mut(|held| held.retain(|rank| *rank != self.0));
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn locks_taken_from_the_top_down_are_let_go_in_any_order() {
        let account = Mutex::new(Rank::Account, 1);
        let (names, rules) = (RwLock::new(Rank::Names, 2), RwLock::new(Rank::Rules, 3));
        for _ in 0..2 {
            let (first, second, third) = (account.lock(), names.read(), rules.write());
            assert_eq!(*first + *second + *third, 6);
            drop(first);
            drop(third);
            drop(second);
        }
    }

    #[test]
    #[should_panic(expected = "the lock Account must not be taken while Names is held")]
    fn a_lock_taken_after_a_later_one_panics_with_both_names() {
        let (account, names) = (Mutex::new(Rank::Account, ()), RwLock::new(Rank::Names, ()));
        let _names = names.read();
        let _account = account.lock();
    }

    #[test]
    #[should_panic(expected = "the lock Account must not be taken while Account is held")]
    fn a_second_account_locked_at_once_panics() {
        let accounts = [(); 2].map(|()| Mutex::new(Rank::Account, ()));
        let _both = accounts.each_ref().map(Mutex::lock);
    }
}
