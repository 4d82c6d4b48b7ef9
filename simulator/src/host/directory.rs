//! Which account a key belongs to. Sharded, so that finding one account never waits for another.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use jiff::Timestamp;
use parking_lot::RwLock;

use super::AccountCell;
use super::journal::{Journal, JournalError};
use crate::engine::account::{Account, Settings};
use crate::engine::call::Environment;
use crate::scenario::{AccountTerms, KeyTerms};

type Shard = RwLock<HashMap<Box<str>, Arc<AccountCell>, FixedState>>;

/// All accounts, by the names of their keys: what follows `svc_test_` or `svc_live_`.
pub struct Directory {
    shards: Vec<Shard>,
    /// The accounts that keys of a certain form open copies of.
    copied: Vec<AccountTerms>,
    settings: Settings,
    journal: Arc<dyn Journal>,
}

const SHARDS: usize = 64;

/// What may follow the name of an account that is copied, and its underscore.
const COPY_NAME_LENGTH: std::ops::RangeInclusive<usize> = 1..=64;

impl Directory {
    /// A directory with these accounts, opened now.
    ///
    /// # Errors
    /// Where the journal does not take their opening.
    pub fn new(
        accounts: Vec<AccountTerms>,
        settings: Settings,
        journal: Arc<dyn Journal>,
        now: Timestamp,
    ) -> Result<Self, JournalError> {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        let copied = accounts
            .iter()
            .filter(|terms| terms.copies)
            .cloned()
            .collect();
        let directory = Directory {
            shards,
            copied,
            settings,
            journal,
        };
        for terms in &accounts {
            let cell = directory.cell(terms.clone(), now)?;
            for key in &terms.keys {
                directory
                    .shard(&key.name)
                    .write()
                    .insert(key.name.as_str().into(), Arc::clone(&cell));
            }
        }
        Ok(directory)
    }

    /// The account a key belongs to. Keys that are known are looked up first, in any state; only
    /// then may a key's form open a fresh account.
    ///
    /// # Errors
    /// Where the journal does not take the opening of a fresh account.
    pub fn by_key(
        &self,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, JournalError> {
        let mut prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
        match prefixes.find_map(|prefix| key.strip_prefix(prefix)) {
            Some(name) => self.by_name(name, now),
            None => Ok(None),
        }
    }

    /// The account with a key of this name, opened where its form allows it.
    ///
    /// # Errors
    /// Where the journal does not take the opening of a fresh account.
    pub fn by_name(
        &self,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, JournalError> {
        let shard = self.shard(name);
        if let Some(cell) = shard.read().get(name) {
            return Ok(Some(Arc::clone(cell)));
        }
        let Some(terms) = self.copied.iter().find(|terms| is_copy(name, &terms.id)) else {
            return Ok(None);
        };
        let terms = AccountTerms {
            id: name.into(),
            keys: vec![KeyTerms {
                name: name.to_owned(),
                revoked: false,
                rotated_for_ms: None,
            }],
            copies: false,
            ..terms.clone()
        };
        let mut shard = shard.write();
        // Somebody else may have opened it in between.
        if let Some(cell) = shard.get(name) {
            return Ok(Some(Arc::clone(cell)));
        }
        let cell = self.cell(terms, now)?;
        shard.insert(name.into(), Arc::clone(&cell));
        Ok(Some(cell))
    }

    /// Every account, by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<AccountCell>> {
        let cells = self
            .shards
            .iter()
            .flat_map(|shard| shard.read().values().cloned().collect::<Vec<_>>());
        let mut cells: Vec<_> = cells.collect();
        cells.sort_by(|a, b| a.id.cmp(&b.id));
        cells.dedup_by(|a, b| a.id == b.id);
        cells
    }

    fn cell(&self, terms: AccountTerms, now: Timestamp) -> Result<Arc<AccountCell>, JournalError> {
        let id = Arc::clone(&terms.id);
        let opening = Account::opening(terms, now);
        self.journal.append(&id, std::slice::from_ref(&opening))?;
        let account = Account::rebuild(self.settings.clone(), [opening]);
        Ok(Arc::new(AccountCell::new(
            account.expect("an opening makes an account"),
        )))
    }

    fn shard(&self, name: &str) -> &Shard {
        let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
        &self.shards[(hash % SHARDS as u64) as usize]
    }
}

/// Whether a key of this name opens a copy of that account: `local_worker7` of `local`.
fn is_copy(name: &str, of: &str) -> bool {
    let rest = name
        .strip_prefix(of)
        .and_then(|rest| rest.strip_prefix('_'));
    let plain = |rest: &str| {
        rest.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    rest.is_some_and(|rest| COPY_NAME_LENGTH.contains(&rest.len()) && plain(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_1_to_64_plain_characters_open_a_copy() {
        let long = |length| format!("local_{}", "w".repeat(length));
        for (name, opens) in [
            (long(0), false),
            (long(1), true),
            (long(64), true),
            (long(65), false),
            ("local_a-B_9".to_owned(), true),
            ("local_a.2".to_owned(), false),
            ("local".to_owned(), false),
            ("localw".to_owned(), false),
            ("broke_w".to_owned(), false),
        ] {
            assert_eq!(is_copy(&name, "local"), opens, "{name}");
        }
    }
}
