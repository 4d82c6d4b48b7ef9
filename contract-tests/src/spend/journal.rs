//! The journal: one JSON line an entry, on disk before the call it is about goes out. Reads what a
//! broken run left; decides nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use svc_fixtures::contract::Paise;

use super::ledger::{Ledger, LedgerEntry};

/// The journal of a run, locked for it.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another run uses it.
    #[error("{}: another run is using it; wait for its end, or name another file with --spend-file", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// It has a line that no run wrote.
    #[error("{}, line {line}: no line of a journal; what was spent cannot be told from it", path.display())]
    NoEntry {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The run before was broken off.
    #[error(
        "{}: the run before was broken off with up to {spent} INR spent; \
         go on with --resume, or name another file with --spend-file",
        path.display()
    )]
    BrokenOff {
        /// The file.
        path: PathBuf,
        /// What it may have spent.
        spent: Paise,
    },
    /// There is nothing to go on with.
    #[error("{}: there is no journal of an earlier run to go on with; leave out --resume, or name its file with --spend-file", path.display())]
    NothingToResume {
        /// The file.
        path: PathBuf,
    },
}

impl Journal {
    /// A journal for a run that begins.
    ///
    /// # Errors
    /// Where the file cannot be used, or the run before it was broken off after it sent something.
    pub fn begin(path: &Path, budget: Paise, seed: &str) -> Result<(Self, Ledger), JournalError> {
        let (journal, entries) = Journal::open(path)?;
        let before = over(path, &entries)?;
        journal.begin_with(LedgerEntry::began(budget, seed), before)
    }

    /// The ledger that a run would begin or go on with; nothing is written.
    ///
    /// # Errors
    /// As that run would be refused.
    pub fn peek(path: &Path, budget: Paise, resume: bool) -> Result<Ledger, JournalError> {
        is_file_or_nothing(path)?;
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !resume => Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = path.to_owned();
                return Err(JournalError::NothingToResume { path });
            }
            Err(source) => return Err(failed(path, source)),
        };
        let entries = entries(path, &bytes)?.0;
        let (mut ledger, first) = match resume && is_broken_off(&entries) {
            true => (Ledger::of(&entries), LedgerEntry::resumed(budget, "")),
            false => (over(path, &entries)?, LedgerEntry::began(budget, "")),
        };
        ledger.apply(&first);
        Ok(ledger)
    }

    /// A journal for a run that goes on: all that the run before spent or reserved is spent. One that came to its own end has
    /// said what there was to say: after that a run begins anew.
    ///
    /// # Errors
    /// Where the file cannot be used, or there was no run.
    pub fn resume(path: &Path, budget: Paise, seed: &str) -> Result<(Self, Ledger), JournalError> {
        if !path.exists() {
            let path = path.to_owned();
            return Err(JournalError::NothingToResume { path });
        }
        let (journal, entries) = Journal::open(path)?;
        let first = match is_broken_off(&entries) {
            true => LedgerEntry::resumed(budget, seed),
            false => LedgerEntry::began(budget, seed),
        };
        journal.begin_with(first, Ledger::of(&entries))
    }

    fn begin_with(
        mut self,
        first: LedgerEntry,
        mut ledger: Ledger,
    ) -> Result<(Self, Ledger), JournalError> {
        ledger.apply(&first);
        self.append(&[first])?;
        self.sync()?;
        Ok((self, ledger))
    }

    /// Adds entries, all or, at worst, some of them and a torn one.
    ///
    /// # Errors
    /// Where they cannot be written.
    pub fn append(&mut self, entries: &[LedgerEntry]) -> Result<(), JournalError> {
        let lines: String = entries.iter().map(line).collect();
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|source| failed(&self.path, source))
    }

    /// Waits until all of it is on disk.
    ///
    /// # Errors
    /// Where it does not get there.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        let synced = self.file.sync_data();
        synced.map_err(|source| failed(&self.path, source))
    }

    /// Opens and locks the file; cuts off a torn last line, whose call was never sent.
    fn open(path: &Path) -> Result<(Self, Vec<LedgerEntry>), JournalError> {
        let io = |source| failed(path, source);
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(io)?;
        is_file_or_nothing(path)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(JournalError::Busy { path });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let (entries, length) = entries(path, &bytes)?;
        if length < bytes.len() {
            file.set_len(length as u64).map_err(io)?;
        }
        // Else a crash of the machine could forget the file itself.
        #[cfg(unix)]
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(io)?;
        let path = path.to_owned();
        Ok((Journal { file, path }, entries))
    }
}

/// Whether the run before did not come to its own end.
fn is_broken_off(entries: &[LedgerEntry]) -> bool {
    entries.last() != Some(&LedgerEntry::Ended)
}

/// A device has no end, and nothing that is read from a pipe is there again.
fn is_file_or_nothing(path: &Path) -> Result<(), JournalError> {
    match fs::metadata(path) {
        Ok(known) if !known.is_file() => {
            let why = "is no regular file: what was spent can't be kept there";
            Err(failed(path, io::Error::other(why)))
        }
        _ => Ok(()),
    }
}

/// The ledger of the run before, where it came to its own end or sent nothing.
fn over(path: &Path, entries: &[LedgerEntry]) -> Result<Ledger, JournalError> {
    let before = Ledger::of(entries);
    let touched = before.spent() > Paise::ZERO || before.reserved() > Paise::ZERO;
    if touched && is_broken_off(entries) {
        let spent = before.budget().checked_sub(before.left());
        return Err(JournalError::BrokenOff {
            path: path.to_owned(),
            spent: spent.unwrap_or(before.budget()),
        });
    }
    Ok(before)
}

fn entries(path: &Path, bytes: &[u8]) -> Result<(Vec<LedgerEntry>, usize), JournalError> {
    read(bytes).map_err(|line| JournalError::NoEntry {
        path: path.to_owned(),
        line,
    })
}

fn failed(path: &Path, source: io::Error) -> JournalError {
    let path = path.to_owned();
    JournalError::File { path, source }
}

/// An entry as it stands in the file.
pub(super) fn line(entry: &LedgerEntry) -> String {
    let json = serde_json::to_string(entry).expect("numbers and texts have a JSON form");
    format!("{json}\n")
}

/// The entries of a file, and how many bytes they take. A last line that was not finished is none:
/// the call it is about goes out only after it.
///
/// # Errors
/// The first other line that is no entry.
pub(super) fn read(bytes: &[u8]) -> Result<(Vec<LedgerEntry>, usize), usize> {
    let mut entries = Vec::new();
    let mut length = 0;
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.last() != Some(&b'\n') {
            break;
        }
        let entry = serde_json::from_slice(line).map_err(|_| at + 1)?;
        entries.push(entry);
        length += line.len();
    }
    Ok((entries, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserved(call: u64, paise: i64) -> LedgerEntry {
        let what = "a call".to_owned();
        LedgerEntry::Reserved { call, paise, what }
    }

    #[test]
    fn a_torn_last_line_is_understood_wherever_it_is_torn() {
        let whole = [reserved(0, 300), reserved(1, 200)];
        let text: String = whole.iter().map(line).collect();
        let first = line(&whole[0]).len();
        for end in first..text.len() {
            let (entries, length) = read(&text.as_bytes()[..end]).expect("it reads");
            assert_eq!((entries.as_slice(), length), (&whole[..1], first));
        }
        assert_eq!(read(text.as_bytes()), Ok((whole.to_vec(), text.len())));
    }

    #[test]
    fn a_line_that_no_run_wrote_is_reported() {
        let text = format!(
            "{}{{\"reserved\":7}}\n{}",
            line(&reserved(0, 1)),
            line(&LedgerEntry::Ended)
        );
        assert_eq!(read(text.as_bytes()), Err(2));
        assert_eq!(read(b"\n"), Err(1));
    }
}
