//! What is done to a SQLite store beside writing to it: it is copied, checked and brought into today's form.

use std::path::Path;

use super::super::JournalError;
use super::file::{FORM, StoreError, StoreFile, check_place, failed, make_private};
use crate::engine::state::account::Settings;

/// What a check found.
#[derive(Debug, Default)]
pub struct StoreReport {
    /// How many accounts it has.
    pub accounts: usize,
    /// How many entries they have since their snapshots.
    pub entries: usize,
    /// How many bytes these and the snapshots take.
    pub bytes: usize,
    /// What is wrong.
    pub damage: Vec<String>,
}

/// Copies a store into a new file, all of it as it is at one instant. A simulator may be writing to it.
///
/// # Errors
/// [`StoreError`], such as where there already is a file.
pub fn backup(from: &Path, to: &Path) -> Result<(), StoreError> {
    let file = StoreFile::open_to_read(from)?;
    if to.exists() {
        return Err(StoreError::Exists {
            path: to.to_owned(),
        });
    }
    check_place(to)?;
    let made = make_private(to);
    made.map_err(|source| StoreError::Unmade {
        path: to.to_owned(),
        source,
    })?;
    let target = to.to_string_lossy();
    let copied = file.connection.execute("VACUUM INTO ?1", [&target]);
    copied.map(drop).map_err(|source| {
        // What was begun is no backup.
        let _ = std::fs::remove_file(to);
        failed(to, source)
    })
}

/// Reads all of a store, and makes every account of it. A simulator may be writing to it.
///
/// # Errors
/// [`StoreError`] where it can't be opened; what is damaged stands in the report.
pub fn check(path: &Path, settings: &Settings) -> Result<StoreReport, StoreError> {
    let file = StoreFile::open_to_read(path)?;
    let unreadable = |source| failed(path, source);
    // One instant of it, whatever is written meanwhile.
    file.connection.execute_batch("BEGIN").map_err(unreadable)?;
    let mut report = StoreReport::default();
    let pages = file.damaged_pages().map_err(unreadable)?;
    report.damage.extend(pages);
    let places = file.places().map_err(unreadable)?;
    for account in file.accounts().map_err(unreadable)? {
        report.accounts += 1;
        let read = file.read(&account, &places);
        let read = read.and_then(|stored| {
            let Some(stored) = stored else {
                return Ok(());
            };
            report.entries += stored.entries.len();
            report.bytes += stored.bytes.iter().sum::<usize>();
            let made = stored.rebuild(settings.clone())?;
            made.check()
                .map_err(|what| JournalError::new(format!("{account}: {what}")))
        });
        report
            .damage
            .extend(read.err().map(JournalError::into_text));
    }
    Ok(report)
}

/// Brings a store into today's form. Says the form it was in, and today's.
///
/// # Errors
/// [`StoreError`], such as where a simulator has it.
pub fn migrate(path: &Path) -> Result<(i32, i32), StoreError> {
    let before = StoreFile::open_to_read(path)?.form()?;
    StoreFile::open(path)?;
    Ok((before, FORM))
}
