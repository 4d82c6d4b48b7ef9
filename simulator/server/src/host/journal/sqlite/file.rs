//! The file of a SQLite store: who may open it, which form it has, and what is in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, params};

use super::super::{JournalError, Stored, Version};
use super::lock::{LockError, StoreLock};
use super::places::Places;
use crate::engine::state::entry::Entry;

/// What SQLite says a file is, so that no other database is taken for a store.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"SVCS");

/// What makes each form of the store out of the one before it; the first out of an empty file.
const FORMS: [&str; FORM as usize] = [
    include_str!("schema.sql"),
    include_str!("schema-2.sql"),
    include_str!("schema-3.sql"),
    include_str!("schema-4.sql"),
];

/// The newest form.
pub(super) const FORM: i32 = 4;

/// Larger pages than SQLite's own: an entry takes two to four kilobytes.
const PAGE_BYTES: u32 = 16 << 10;

/// Why a store was not opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has it.
    #[error(
        "the store {} is in use by another simulator: stop that one, or share a PostgreSQL store",
        path.display()
    )]
    InUse {
        /// The store.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{} is no store of this simulator: choose another file", path.display())]
    NoStore {
        /// The file.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{0} is a folder: name a file in it, such as {0}/accounts.db", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder that it would stand in is missing.
    #[error("there is no folder for {}: make it first, or choose another file", path.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// What SQLite wrote was changed by something else, or is not all there.
    #[error("the store {} is damaged: {source}: restore a backup", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// There is none to be read.
    #[error("there is no store {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is in the way.
    #[error("there already is a file {}: a backup replaces nothing", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A newer simulator wrote it (ruling 36).
    #[error(
        "the store {} was written by svc-simulator {written_by} in form {found}; this is version {own}, which reads up to \
         form {FORM}: use the newer version, or another store",
        path.display(), own = env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its form.
        found: i32,
        /// The version that wrote it last.
        written_by: String,
    },
    /// SQLite can't read or write it.
    #[error("the store {} can't be used: {source}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The thread that writes to it can't be started.
    #[error("the thread of the store can't be started: {source}")]
    Thread {
        /// Why.
        source: std::io::Error,
    },
    /// The file itself can't be made.
    #[error("{} can't be made: {source}", path.display())]
    Unmade {
        /// The store.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file that keeps others out can't be made.
    #[error("{} can't be written: {source}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl StoreError {
    /// Whether another file, or another simulator's end, mends it; the rest failed.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        !matches!(
            self,
            StoreError::Sqlite { .. }
                | StoreError::Damaged { .. }
                | StoreError::Lock { .. }
                | StoreError::Unmade { .. }
                | StoreError::Thread { .. }
        )
    }
}

/// Makes an empty file where there is none. Keys and secrets stand in a store: it is its owner's alone, and so is what
/// SQLite makes beside it.
pub(super) fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// An open store.
pub(super) struct StoreFile {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Keeps other processes out for as long as it is open; none where the store is only read.
    _lock: Option<StoreLock>,
}

impl StoreFile {
    /// Opens a store to write to it: makes it where there is none, and brings it into the newest form.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        check_place(path)?;
        if path.exists() {
            // Nothing is left beside what is no store.
            StoreFile::open_unlocked(path)?.form()?;
        }
        let lock = StoreLock::take(path).map_err(|error| match error {
            LockError::Held => StoreError::InUse {
                path: path.to_owned(),
            },
            LockError::File(path, source) => StoreError::Lock { path, source },
        })?;
        let made = make_private(path);
        made.map_err(|source| StoreError::Unmade {
            path: path.to_owned(),
            source,
        })?;
        let connection = Connection::open(path).map_err(|source| failed(path, source))?;
        let mut file = StoreFile {
            connection,
            path: path.to_owned(),
            _lock: Some(lock),
        };
        let found = file.form()?;
        let prepared = file.prepare(found);
        prepared.map_err(|source| failed(path, source))?;
        Ok(file)
    }

    /// Opens a store to read it; a simulator may be writing to it.
    pub(super) fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            let path = path.to_owned();
            return Err(StoreError::Missing { path });
        }
        check_place(path)?;
        let file = StoreFile::open_unlocked(path)?;
        match file.form()? {
            0 => return Err(StoreError::NoStore { path: file.path }),
            // In an older one all that is there of an account that has ended goes: it is asked all the same.
            form @ 1..=3 => {
                let all = match form {
                    3 => "SELECT account, 9223372036854775807 AS last_place FROM main.ended",
                    _ => "SELECT '' AS account, 0 AS last_place WHERE false",
                };
                let made = file
                    .connection
                    .execute_batch(&format!("CREATE TEMP VIEW ended AS {all}"));
                made.map_err(|source| failed(path, source))?;
            }
            _ => {}
        }
        Ok(file)
    }

    fn open_unlocked(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags);
        let connection = connection.map_err(|source| failed(path, source))?;
        let patience = connection.busy_timeout(Duration::from_secs(10));
        patience.map_err(|source| failed(path, source))?;
        Ok(StoreFile {
            connection,
            path: path.to_owned(),
            _lock: None,
        })
    }

    /// The form it is in; 0 where it is empty.
    pub(super) fn form(&self) -> Result<i32, StoreError> {
        let path = || self.path.clone();
        let pragma = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, i32>(0))
        };
        let failed = |source| failed(&self.path, source);
        let (application, form) = (pragma("application_id"), pragma("user_version"));
        let (application, form) = (application.map_err(failed)?, form.map_err(failed)?);
        let tables = "SELECT count(*) FROM sqlite_schema";
        let tables: i64 = self
            .connection
            .query_row(tables, [], |row| row.get(0))
            .map_err(failed)?;
        let found = match (application, form) {
            (0, 0) if tables == 0 => 0,
            (APPLICATION_ID, form) if form > 0 => form,
            _ => return Err(StoreError::NoStore { path: path() }),
        };
        if found <= FORM {
            return Ok(found);
        }
        let written_by = self.setting("writtenBy").ok().flatten();
        Err(StoreError::Newer {
            path: path(),
            found,
            written_by: written_by.unwrap_or_else(|| "of a newer version".to_owned()),
        })
    }

    fn prepare(&mut self, found: i32) -> rusqlite::Result<()> {
        let connection = &mut self.connection;
        if found == 0 {
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        }
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        let transaction = connection.transaction()?;
        for (form, statements) in (1..).zip(FORMS).filter(|(form, _)| *form > found) {
            transaction.execute_batch(statements)?;
            transaction.pragma_update(None, "user_version", form)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        let own = env!("CARGO_PKG_VERSION");
        transaction.execute(
            "INSERT INTO settings VALUES ('writtenBy', ?1) ON CONFLICT DO UPDATE SET value = ?1",
            params![own],
        )?;
        transaction.commit()
    }

    /// What is known of the store under a name.
    pub(super) fn setting(&self, name: &str) -> rusqlite::Result<Option<String>> {
        let query = "SELECT value FROM settings WHERE name = ?1";
        self.connection
            .query_row(query, [name], |row| row.get(0))
            .optional()
    }

    /// What is known of the store under a name: what was given first.
    pub(super) fn remember(&self, name: &str, value: &str) -> rusqlite::Result<String> {
        let insert = "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.connection.execute(insert, [name, value])?;
        Ok(self.setting(name)?.unwrap_or_else(|| value.to_owned()))
    }

    /// Writes some pages, and takes them back: a disk that is full has room for what is there already.
    pub(super) fn writes_again(&self) -> rusqlite::Result<()> {
        let pages =
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('room', hex(zeroblob(32768)))";
        self.connection.execute(pages, [])?;
        let none = "DELETE FROM settings WHERE name = 'room'";
        self.connection.execute(none, []).map(drop)
    }

    /// What SQLite finds wrong with the file.
    pub(super) fn damaged_pages(&self) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check(20)")?;
        let found = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found = found.filter(|line| !matches!(line, Ok(line) if line == "ok"));
        found.collect()
    }

    /// Every account, by id.
    pub(super) fn accounts(&self) -> rusqlite::Result<Vec<Arc<str>>> {
        let query = "SELECT account FROM snapshots UNION SELECT account FROM entries WHERE rowid > \
             coalesce((SELECT last_place FROM ended WHERE ended.account = entries.account), 0) ORDER BY 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let ids = statement.query_map([], |row| row.get::<_, Arc<str>>(0))?;
        ids.collect()
    }

    /// Where its entries stand.
    pub(super) fn places(&self) -> rusqlite::Result<Places> {
        Places::of(&self.connection)
    }

    /// All that is written of an account; none where there is none.
    pub(super) fn read(
        &self,
        account: &Arc<str>,
        places: &Places,
    ) -> Result<Option<Stored>, JournalError> {
        let unreadable = |error: rusqlite::Error| JournalError::new(format!("{account}: {error}"));
        let query = "SELECT number, digest, snapshot, checksum FROM snapshots WHERE account = ?1";
        let mut statement = self.connection.prepare_cached(query).map_err(unreadable)?;
        let checked = |row: &Row<'_>| Ok((written(row)?, row.get::<_, i64>(3)?));
        let snapshot = statement
            .query_row([account], checked)
            .optional()
            .map_err(unreadable)?;
        let query = "SELECT number, digest, entry FROM entries WHERE rowid = ?1 AND account = ?2";
        let mut statement = self.connection.prepare_cached(query).map_err(unreadable)?;
        let after = snapshot
            .as_ref()
            .map_or(0, |((version, _), _)| version.number);
        let mut stored = Stored {
            account: Arc::clone(account),
            version: Version::NONE,
            entries: Vec::new(),
            bytes: [0, 0],
        };
        if let Some(((version, text), sum)) = snapshot {
            if checksum(&text) != sum {
                return Err(JournalError::new(format!(
                    "the snapshot of {account} was changed: restore a backup"
                )));
            }
            stored.entries.push(parsed(account, version, &text)?);
            stored.version = version;
            stored.bytes[0] = text.len();
        }
        for row in places.after(account, after) {
            let entry = statement.query_row(params![row, account], written);
            let (version, text) = entry.map_err(unreadable)?;
            if stored.version.after(&text) != version {
                return Err(JournalError::new(format!(
                    "entry {} of {account} was changed or one before it is missing: restore a backup",
                    version.number
                )));
            }
            stored.entries.push(parsed(account, version, &text)?);
            stored.version = version;
            let rest = stored.entries.len() > 1;
            stored.bytes[usize::from(rest)] += text.len();
        }
        Ok((!stored.entries.is_empty()).then_some(stored))
    }
}

/// By which a text is known to be the one that was written.
pub(super) fn checksum(text: &str) -> i64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes()).cast_signed()
}

/// A version, and the text that led to it.
fn written(row: &Row<'_>) -> rusqlite::Result<(Version, String)> {
    let version = Version {
        number: row.get::<_, i64>(0)?.cast_unsigned(),
        digest: row.get::<_, i64>(1)?.cast_unsigned(),
    };
    Ok((version, row.get(2)?))
}

fn parsed(account: &str, at: Version, text: &str) -> Result<Entry, JournalError> {
    let number = at.number;
    let unreadable = |error| JournalError::new(format!("entry {number} of {account}: {error}"));
    Entry::from_json(text).map_err(unreadable)
}

pub(super) fn failed(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NoStore { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, source },
        _ => StoreError::Sqlite { path, source },
    }
}

/// Refuses what SQLite would have few words for.
pub(super) fn check_place(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        let path = path.to_owned();
        return Err(StoreError::Folder { path });
    }
    // Of a mere name the folder is empty: the one that the program is in.
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    match folder.is_none_or(Path::is_dir) {
        true => Ok(()),
        false => Err(StoreError::NoFolder {
            path: path.to_owned(),
        }),
    }
}
