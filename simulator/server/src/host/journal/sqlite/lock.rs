//! Keeps other processes away from a SQLite store: a file beside it, because SQLite keeps a file of its own locked
//! in ways of its own, and others may read it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Why a store is not locked.
pub(super) enum LockError {
    /// Another process has it.
    Held,
    /// This file can't be made.
    File(PathBuf, std::io::Error),
}

/// The lock of a store. Given back, and nothing left of it, when this is dropped.
pub(super) struct StoreLock {
    file: File,
    path: PathBuf,
}

impl StoreLock {
    /// Takes the lock of a store.
    ///
    /// # Errors
    /// [`LockError`].
    pub(super) fn take(store: &Path) -> Result<Self, LockError> {
        // Whatever it is called by: a link to it is the same store.
        let store = std::fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
        let mut name = store.into_os_string();
        name.push("-lock");
        let path = PathBuf::from(name);
        let failed = |source| LockError::File(path.clone(), source);
        loop {
            let mut options = File::options();
            let options = options.create(true).truncate(false).write(true);
            let file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Held),
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            let lock = StoreLock {
                file,
                path: path.clone(),
            };
            if lock.is_there() {
                return Ok(lock);
            }
            // Whoever had it has removed it in between: it keeps nobody away any more.
        }
    }

    /// Whether the file that is locked is the one that others would lock.
    #[cfg(unix)]
    fn is_there(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let id = |it: std::fs::Metadata| (it.dev(), it.ino());
        let (own, there) = (self.file.metadata(), std::fs::metadata(&self.path));
        matches!((own.map(id), there.map(id)), (Ok(own), Ok(there)) if own == there)
    }

    /// Where files have no number none is removed.
    #[cfg(not(unix))]
    fn is_there(&self) -> bool {
        true
    }
}

#[cfg(unix)]
impl Drop for StoreLock {
    /// As long as it is held nobody else holds what is removed here.
    fn drop(&mut self) {
        if self.is_there()
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::debug!(%error, "the lock of the store was left behind");
        }
    }
}
