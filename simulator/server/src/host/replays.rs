//! Replays of answers (ruling 19): the newest of all accounts, in memory. A replay executes nothing and changes no account,
//! so that it waits for no store; whoever looks why a retry did nothing still wants to see that it came.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::Host;
use super::call_span::verification;
use super::cell::AccountCell;
use super::lock_order::{Mutex, Rank};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Call;
use crate::engine::state::ids::VerificationId;

/// So many replays are kept.
const MOST_REPLAYS: usize = 1000;

/// An answer that was given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayRecord {
    /// When the call came that got it, by the account's clock.
    pub at: Timestamp,
    /// The address of its caller.
    pub peer: IpAddr,
    account: Arc<str>,
    verification: VerificationId,
}

/// The newest replays.
pub(super) struct ReplayLog {
    list: Mutex<VecDeque<ReplayRecord>>,
}

impl Default for ReplayLog {
    fn default() -> Self {
        ReplayLog {
            list: Mutex::new(Rank::Record, VecDeque::new()),
        }
    }
}

impl ReplayLog {
    fn note(&self, replay: ReplayRecord) {
        let mut list = self.list.lock();
        if list.len() == MOST_REPLAYS {
            list.pop_front();
        }
        list.push_back(replay);
    }

    /// Forgets those of an account: after a reset its ids come again.
    pub(super) fn forget(&self, account: &str) {
        self.list.lock().retain(|it| *it.account != *account);
    }
}

impl Host {
    /// When the answer of a verification was given again, the first first: as far as this replica did it, since its
    /// start.
    #[must_use]
    pub fn replays(&self, account: &str, id: VerificationId) -> Vec<ReplayRecord> {
        let list = self.replays.list.lock();
        let is_of = |it: &&ReplayRecord| it.verification == id && *it.account == *account;
        list.iter().filter(is_of).cloned().collect()
    }

    pub(super) fn note_replay(&self, cell: &AccountCell, call: &Call<'_>, reply: &Reply) {
        let Some(id) = verification(reply).and_then(VerificationId::parse) else {
            return;
        };
        let machine = self.now();
        self.replays.note(ReplayRecord {
            at: cell.read(|account| account.clock.read(machine)),
            peer: call.peer,
            account: Arc::clone(cell.id()),
            verification: id,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(account: &str, second: i64) -> ReplayRecord {
        ReplayRecord {
            at: Timestamp::constant(second, 0),
            peer: IpAddr::from([127, 0, 0, 1]),
            account: account.into(),
            verification: VerificationId::NONE,
        }
    }

    #[test]
    fn the_newest_are_kept_and_those_of_an_account_forgotten() {
        let log = ReplayLog::default();
        for second in 0..MOST_REPLAYS as i64 + 5 {
            log.note(replay(if second % 2 == 0 { "a" } else { "b" }, second));
        }
        let first = log.list.lock().front().map(|it| it.at.as_second());
        assert_eq!((log.list.lock().len(), first), (MOST_REPLAYS, Some(5)));
        log.forget("a");
        assert!(log.list.lock().iter().all(|it| &*it.account == "b"));
    }
}
