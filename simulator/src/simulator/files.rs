//! Scenario folders: which of their files are read, and in what order. The only files a simulator reads. Whatever lies
//! in a folder, reading it ends: pipes and devices are refused, links lead to a folder once, and sizes are bounded.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::sync::Arc;

use svc_fixtures::reading::{Problem, Problems, Source};

use crate::engine::call::rules::Files;
use crate::learn::learned_until;
use crate::scenario;

/// What a file of accounts is called; every other TOML file of a folder holds scenarios.
const ACCOUNTS: &str = "accounts.toml";

/// The largest file: a hundred thousand rules fit.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// The most bytes that all files together have.
pub(crate) const MAX_TOTAL_BYTES: usize = 32 << 20;

/// The most files. A folder with more is hardly one of scenarios.
pub(crate) const MAX_FILES: usize = 10_000;

/// The files a simulator is made from.
pub(crate) struct AllFiles {
    /// Contract, answers and scenarios.
    pub(crate) rules: Files,
    /// The accounts.
    pub(crate) accounts: Vec<Arc<Source>>,
}

/// A file or a folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{} {reason}", path.display())]
pub struct ReadError {
    /// Which one.
    path: PathBuf,
    /// Why.
    reason: Reason,
}

#[derive(Debug, thiserror::Error)]
enum Reason {
    #[error("can't be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error(
        "is {0}, and only files are read: move it elsewhere, or begin its name with a dot, and it is left out"
    )]
    NoFile(&'static str),
    #[error(
        "can't be read: line {line}, column {column} is not UTF-8 (byte {at} of the file is 0x{byte:02X}): save it as UTF-8"
    )]
    NotText {
        line: usize,
        column: usize,
        /// From 1, as editors count.
        at: usize,
        byte: u8,
    },
    #[error("is a file, and a folder of scenario files is wanted: name the folder that it is in")]
    NoFolder,
    #[error("is over {} MiB: split it into several files", MAX_FILE_BYTES >> 20)]
    TooLarge,
    #[error(
        "and the files before it are over {} MiB together: name the folder of the scenarios alone, or leave some out",
        MAX_TOTAL_BYTES >> 20
    )]
    TooMuch,
    #[error("comes after {MAX_FILES} other TOML files: name the folder of the scenarios alone")]
    TooMany,
}

impl ReadError {
    /// Whether there is nothing of that name.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(&self.reason, Reason::Unreadable(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The built-in files with those of these folders before them: the first rule that holds wins.
pub(crate) fn read(folders: &[PathBuf]) -> Result<AllFiles, ReadError> {
    read_noting(folders, &mut |_| {})
}

/// The same; says of each folder that it is about to be listed.
pub(crate) fn read_noting(
    folders: &[PathBuf],
    note: &mut dyn FnMut(&Path),
) -> Result<AllFiles, ReadError> {
    read_or(folders, note, &mut Err)
}

/// The same, with what is no text as a mistake among others: all else that is wrong can be told, too.
pub(crate) fn read_what_can_be(folders: &[PathBuf]) -> Result<(AllFiles, Problems), ReadError> {
    let mut problems = Problems::default();
    let files = read_or(folders, &mut |_| {}, &mut |error| {
        let Reason::NotText { at, byte, .. } = error.reason else {
            return Err(error);
        };
        let text = fs::read(&error.path).unwrap_or_default();
        let source = Source::new(
            error.path.display().to_string(),
            String::from_utf8_lossy(&text),
        );
        let span = at - 1..at - 1 + char::REPLACEMENT_CHARACTER.len_utf8();
        let problem = Problem::new(&source, span, format!("this is not UTF-8: 0x{byte:02X}"));
        problems.push(problem.hint("save the file as UTF-8"));
        Ok(Some(source))
    })?;
    Ok((files, problems))
}

/// Reads them; `refused` says what is there in the place of a file that can't be read, or that nothing is read then.
fn read_or(
    folders: &[PathBuf],
    note: &mut dyn FnMut(&Path),
    refused: &mut dyn FnMut(ReadError) -> Result<Option<Arc<Source>>, ReadError>,
) -> Result<AllFiles, ReadError> {
    let mut search = Search {
        seen: BTreeSet::new(),
        files: Vec::new(),
        note,
    };
    for folder in folders {
        if folder.is_file() {
            return Err(because(folder, Reason::NoFolder));
        }
        search.folder(folder)?;
    }
    let (mut scenarios, mut accounts, mut bytes) = (Vec::new(), Vec::new(), 0);
    for path in search.files {
        let Some(source) = source(&path).map(Some).or_else(&mut *refused)? else {
            continue;
        };
        bytes += source.text.len();
        if bytes > MAX_TOTAL_BYTES {
            return Err(because(&path, Reason::TooMuch));
        }
        let is_accounts = path.file_name().is_some_and(|name| name == ACCOUNTS);
        let into = if is_accounts {
            &mut accounts
        } else {
            &mut scenarios
        };
        into.push(source);
    }
    put_newest_first(&mut scenarios);
    let built_in = Files::built_in();
    scenarios.extend(built_in.scenarios);
    accounts.extend(scenario::accounts());
    Ok(AllFiles {
        rules: Files {
            scenarios,
            ..built_in
        },
        accounts,
    })
}

/// Of files of one folder that were learned from captures, and follow each other, the newest comes first: what was seen
/// last holds.
fn put_newest_first(scenarios: &mut [Arc<Source>]) {
    let run = |one: &Arc<Source>, next: &Arc<Source>| {
        let folder = |it: &Arc<Source>| Path::new(&it.path).parent().map(Path::to_owned);
        learned_until(&one.text).is_some()
            && learned_until(&next.text).is_some()
            && folder(one) == folder(next)
    };
    for learned in scenarios.chunk_by_mut(run) {
        learned.sort_by_key(|it| Reverse(learned_until(&it.text)));
    }
}

/// A file as it is read.
pub(crate) fn source(path: &Path) -> Result<Arc<Source>, ReadError> {
    let text = text(path).map_err(|reason| because(path, reason))?;
    Ok(Source::new(path.display().to_string(), text))
}

/// The file itself, or the TOML files of a folder.
pub(crate) fn toml_files_of(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut search = Search {
        seen: BTreeSet::new(),
        files: Vec::new(),
        note: &mut |_| {},
    };
    search.folder(path)?;
    Ok(search.files)
}

/// The search for the TOML files of folders and of the folders in them, by path.
struct Search<'n> {
    /// The folders that were listed. A link that leads to one of them, or back to where it stands, adds nothing.
    seen: BTreeSet<PathBuf>,
    files: Vec<PathBuf>,
    note: &'n mut dyn FnMut(&Path),
}

impl Search<'_> {
    fn folder(&mut self, folder: &Path) -> Result<(), ReadError> {
        let unreadable = |error| because(folder, Reason::Unreadable(error));
        if !self.seen.insert(folder.canonicalize().map_err(unreadable)?) {
            return Ok(());
        }
        (self.note)(folder);
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(unreadable)?.into_iter();
        // Editors and version control keep their own files under such names.
        let shown = entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
        let mut paths: Vec<PathBuf> = shown.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.folder(&path)?;
            } else if path.extension().is_some_and(|it| it == "toml") {
                if self.files.len() == MAX_FILES {
                    return Err(because(&path, Reason::TooMany));
                }
                self.files.push(path);
            }
        }
        Ok(())
    }
}

/// All of a file. Nothing else is opened: some devices do something then.
fn text(path: &Path) -> Result<String, Reason> {
    is_file(fs::metadata(path)?.file_type())?;
    let file = open(path)?;
    let metadata = file.metadata()?;
    // It may have been put in another's place in between.
    is_file(metadata.file_type())?;
    let mut bytes = Vec::new();
    if metadata.len() <= MAX_FILE_BYTES {
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    }
    match metadata.len().max(bytes.len() as u64) > MAX_FILE_BYTES {
        true => Err(Reason::TooLarge),
        false => String::from_utf8(bytes).map_err(|error| not_text(&error)),
    }
}

/// Where a file stops being text.
fn not_text(error: &FromUtf8Error) -> Reason {
    let (bytes, at) = (error.as_bytes(), error.utf8_error().valid_up_to());
    let line_begins = bytes[..at].iter().rposition(|byte| *byte == b'\n');
    let line = &bytes[line_begins.map_or(0, |it| it + 1)..at];
    Reason::NotText {
        line: bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1,
        column: String::from_utf8_lossy(line).chars().count() + 1,
        at: at + 1,
        byte: bytes[at],
    }
}

/// Opens a file, without waiting for whoever would write into a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

fn is_file(found: FileType) -> Result<(), Reason> {
    match found.is_file() {
        true => Ok(()),
        false => Err(Reason::NoFile(kind(found))),
    }
}

/// What it is that is no file.
pub(crate) fn kind(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_block_device() || found.is_char_device() {
            return "a device";
        }
    }
    match (found.is_dir(), found.is_symlink()) {
        (true, _) => "a folder",
        (_, true) => "a link",
        _ => "no file",
    }
}

fn because(path: &Path, reason: Reason) -> ReadError {
    ReadError {
        path: path.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_named_with_its_place() {
        let bytes = b"a = 1\nb = \"\xff\"\n".to_vec();
        let reason = not_text(&String::from_utf8(bytes).expect_err("no text"));
        insta::assert_snapshot!(reason, @"can't be read: line 2, column 6 is not UTF-8 (byte 12 of the file is 0xFF): save it as UTF-8");
    }

    #[test]
    fn the_book_says_the_bounds() {
        let page = include_str!("../../../docs/src/reference/limits.md");
        let (one, all) = (MAX_FILE_BYTES >> 20, MAX_TOTAL_BYTES >> 20);
        for row in [
            format!("| a scenario file | {one} MiB |"),
            format!("| all scenario files together | {all} MiB, {MAX_FILES} files |"),
        ] {
            assert!(page.contains(&row), "{row}");
        }
    }
}
