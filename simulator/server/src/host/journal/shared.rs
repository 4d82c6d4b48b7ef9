//! What a store offers beside [`super::Journal`] where several simulators work with the same accounts: each
//! of them may change any account, and learns what the others did.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{Commit, JournalError, StoreFuture, Version};
use crate::engine::state::entry::Entry;

/// A store that other simulators use at the same time.
pub trait SharedStore: Send + Sync {
    /// Says who this replica is.
    fn introduce(&self, identity: Identity);

    /// The account that a name belongs to.
    fn find(&self, name: &str) -> StoreFuture<Option<Arc<str>>>;

    /// What was written of an account after a version.
    fn load_since(&self, account: &Arc<str>, after: Version) -> StoreFuture<Since>;

    /// How far every account has come.
    fn versions(&self) -> StoreFuture<Vec<(Arc<str>, Version)>>;

    /// Closes an account that no replica used for so long.
    ///
    /// # Errors
    /// [`JournalError`] where that is not even taken.
    fn close_idle(
        &self,
        account: &Arc<str>,
        after: Version,
        idle: Duration,
    ) -> Result<Commit, JournalError>;

    /// Notes in what time something of an account falls due by itself; never, where none is given. One
    /// replica does it, and another one where that one has died by then.
    fn note_due(&self, account: &Arc<str>, at: Version, due: Option<Duration>);

    /// Whether this replica does what falls due of an account.
    fn works_on(&self, account: &str) -> bool;

    /// Waits until this replica does what falls due of an account, and no other one.
    fn take_work(&self, account: &Arc<str>) -> StoreFuture<()>;

    /// This replica has ended what it did of an account: from now on another one does it.
    fn hand_over(&self, account: &Arc<str>, to: i64) -> StoreFuture<()>;

    /// This replica does nothing more: what it did is others' at once.
    fn leave(&self) -> StoreFuture<()>;

    /// What happens in the store, for whoever asks first.
    fn events(&self) -> Option<mpsc::UnboundedReceiver<StoreEvent>>;

    /// The other replicas that are alive.
    fn peers(&self) -> Vec<Peer>;
}

/// Who a replica is. Replicas that differ here answer differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// A digest of its contract and its scenarios.
    pub rules: String,
    /// A digest of its seed.
    pub seed: String,
}

/// Another replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Which one.
    pub id: i64,
    /// The version of its program.
    pub version: String,
    /// In what it differs from this one: `version`, `rules`, `seed`.
    pub differs_in: Vec<&'static str>,
}

/// What was written of an account since it was read.
#[derive(Debug)]
pub enum Since {
    /// These entries; the version is the last one's.
    Entries(Version, Vec<Entry>),
    /// The account is another one, or there is none any more: it has to be read anew.
    Other,
}

/// Something that happened in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreEvent {
    /// Another replica brought an account so far; 0 where it ended.
    Changed {
        /// Which one.
        account: Arc<str>,
        /// How many entries it has.
        number: u64,
    },
    /// This replica does from now on what falls due of this account.
    WorkTaken {
        /// Which one.
        account: Arc<str>,
    },
    /// Another replica wants to do what falls due of this account.
    WorkWanted {
        /// Which one.
        account: Arc<str>,
        /// Who.
        by: i64,
    },
    /// Something may have happened that was not heard.
    Missed,
    /// The store can't be reached, because of this.
    Lost(String),
    /// It can be reached again.
    Restored,
}
