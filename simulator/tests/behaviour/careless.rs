//! Hosts that are careless with their store, played by what stands between them: what a host must not do is done to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, Stored, Version,
};

use crate::journals::faulty::{Faulty, said};

/// What a host does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Careless {
    /// It answers before the store has said what became of an entry.
    AnswersBefore,
    /// It goes on as if what was refused had been taken.
    IgnoresRefusals,
    /// Of what was not written it believes what it had decided.
    NeverReadsAgain,
}

/// How far an account was thought to be, and by which entries.
type Decided = (Version, Vec<Entry>);

/// A store as such a host sees it.
pub(crate) struct CarelessHost {
    store: Arc<Faulty>,
    careless: Careless,
    /// All that was decided, written or not.
    decided: Mutex<BTreeMap<Arc<str>, Decided>>,
}

impl CarelessHost {
    /// The store itself, where the host is not careless.
    pub(crate) fn before(store: Arc<Faulty>, careless: Option<Careless>) -> Arc<dyn Journal> {
        match careless {
            None => store,
            Some(careless) => Arc::new(CarelessHost {
                store,
                careless,
                decided: Mutex::default(),
            }),
        }
    }
}

impl Journal for CarelessHost {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let appended = self.store.append(account, after, entries);
        let appended = match self.careless {
            Careless::AnswersBefore => Appended {
                commit: Commit::WRITTEN,
                ..appended?
            },
            Careless::IgnoresRefusals => {
                appended.unwrap_or_else(|_| said(after, entries, Commit::WRITTEN))
            }
            Careless::NeverReadsAgain => appended?,
        };
        let mut decided = self.decided.lock();
        let (version, all) = decided.entry(Arc::clone(account)).or_default();
        *version = appended.version;
        all.extend(entries.iter().cloned());
        Ok(appended)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        if self.careless != Careless::NeverReadsAgain {
            return self.store.load(account);
        }
        let decided = self.decided.lock();
        let stored = decided.get(account).map(|(version, entries)| Stored {
            account: Arc::clone(account),
            version: *version,
            entries: entries.clone(),
            bytes: [0; 2],
        });
        Box::pin(std::future::ready(Ok(stored)))
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.store.load_all()
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        self.store.close(account, after)
    }
}
