//! Names that are about to be given to accounts. They are not in the directory, because nobody finds an account
//! by a key before the entry that adds it is written; and no other account may take them meanwhile.

use std::sync::Arc;

use crate::engine::call::request::Environment;
use crate::host::lock_order::{Mutex, Rank};

/// The names, each with the id of its account.
pub(super) struct ReservedNames(Mutex<Vec<(Box<str>, Arc<str>)>>);

impl Default for ReservedNames {
    fn default() -> Self {
        ReservedNames(Mutex::new(Rank::Reserved, Vec::new()))
    }
}

/// A name that is kept for an account until this is dropped.
pub(in crate::host) struct ReservedName<'a> {
    names: &'a ReservedNames,
    name: Box<str>,
}

impl ReservedNames {
    /// Keeps a name for an account. None where another one has it already, or is about to.
    pub(super) fn reserve(
        &self,
        name: &str,
        id: &Arc<str>,
        is_of_another: impl FnOnce() -> bool,
    ) -> Option<ReservedName<'_>> {
        let mut names = self.0.lock();
        // Whoever gives up a name is in the directory by then: looked at under this lock, nobody is missed.
        let reserved = |(it, of): &(Box<str>, Arc<str>)| **it == *name && of != id;
        if is_of_another() || names.iter().any(reserved) {
            return None;
        }
        names.push((name.into(), Arc::clone(id)));
        Some(ReservedName {
            names: self,
            name: name.into(),
        })
    }
}

impl Drop for ReservedName<'_> {
    fn drop(&mut self) {
        let mut names = self.names.0.lock();
        // An account may have reserved it twice, once for each environment: one is as good as the other.
        if let Some(at) = names.iter().position(|(name, _)| *name == self.name) {
            names.swap_remove(at);
        }
    }
}

/// What follows `svc_test_` or `svc_live_` in a key.
pub(in crate::host) fn name_of(key: &str) -> Option<&str> {
    let mut prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
    prefixes.find_map(|prefix| key.strip_prefix(prefix))
}
