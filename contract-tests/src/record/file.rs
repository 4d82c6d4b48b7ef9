//! The capture as it is written: a whole file after each write, so that whatever ends the program loses at most what
//! passed in the moment before.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::capture::{Capture, CapturedCase, END_OF_CASES};

/// A file that can be made shorter.
pub trait Storage: Write + Seek {
    /// Makes it this long.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Storage for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A capture that grows.
#[derive(Debug)]
pub struct CaptureFile<S = File> {
    storage: S,
    /// Where the end of the cases begins.
    end: u64,
    /// Whether there is any case.
    any: bool,
    /// What is added at once, kept for a next time: of a size that is asked of the system each time otherwise.
    added: Vec<u8>,
}

/// What stands between two cases.
const BETWEEN: &[u8] = b",\n";

/// Begins a capture in a new file; one that is there is only taken where it is empty or somebody says so.
///
/// # Errors
/// Where there is one already, or it can't be written.
pub fn create(path: &Path, empty: &Capture, replace: bool) -> anyhow::Result<CaptureFile> {
    let shown = path.display();
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    let file = options
        .open(path)
        .with_context(|| format!("{shown}: can't be written"))?;
    let about = file
        .metadata()
        .with_context(|| format!("{shown}: can't be read"))?;
    if !about.is_file() {
        bail!("{shown}: is no plain file; a recording goes back in it to stay whole");
    }
    if about.len() > 0 && !replace {
        bail!("{shown}: is there already; name another file, or say --replace");
    }
    // Elsewhere who holds it keeps others from reading it.
    if cfg!(unix) && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        bail!("{shown}: another recording writes it; name another file");
    }
    file.set_len(0)
        .with_context(|| format!("{shown}: can't be written over"))?;
    CaptureFile::begin(file, empty).with_context(|| format!("{shown}: was not written"))
}

impl<S: Storage> CaptureFile<S> {
    fn begin(mut storage: S, empty: &Capture) -> io::Result<Self> {
        let text = serde_json::to_string(empty)?;
        let head = text.trim_end_matches("]}");
        storage.write_all(format!("{head}{END_OF_CASES}").as_bytes())?;
        storage.flush()?;
        Ok(CaptureFile {
            storage,
            end: head.len() as u64,
            any: false,
            added: Vec::new(),
        })
    }

    /// Adds exchanges, all at once where there is room for all, else those that there is room for. Answers why others are
    /// not in the file, each.
    pub(super) fn add(&mut self, cases: &[CapturedCase]) -> Vec<io::Error> {
        let mut text = std::mem::take(&mut self.added);
        text.clear();
        let (mut ends, mut failed) = (Vec::with_capacity(cases.len()), Vec::new());
        for case in cases {
            let begin = text.len();
            text.extend_from_slice(BETWEEN);
            match serde_json::to_writer(&mut text, case) {
                Ok(()) => ends.push(text.len()),
                Err(error) => {
                    text.truncate(begin);
                    failed.push(error.into());
                }
            }
        }
        let end = END_OF_CASES.as_bytes();
        text.extend_from_slice(end);
        if self.append(&text).is_err() {
            let mut begin = 0;
            for case_end in ends {
                let one = [&text[begin..case_end], end].concat();
                failed.extend(self.append(&one).err());
                begin = case_end;
            }
        }
        self.added = text;
        failed
    }

    /// Adds cases, each behind what stands between two, and the end behind them. Where there is no room for them the file is
    /// what it was.
    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        // Nothing stands before the first one.
        let text = match self.any {
            true => text,
            false => text.strip_prefix(b",").unwrap_or(text),
        };
        match self.write(text) {
            Ok(()) => {
                let cases = text.len() - END_OF_CASES.len();
                self.end += cases as u64;
                self.any |= cases > 0;
                Ok(())
            }
            Err(error) => {
                // The room of the old end is still there. Where even that fails a reader takes what is whole.
                let _ = self.storage.cut(self.end + END_OF_CASES.len() as u64);
                let _ = self.write(END_OF_CASES.as_bytes());
                Err(error)
            }
        }
    }

    /// Writes cases and the end in the place of the end: two writes could leave the first without the second.
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.storage.seek(SeekFrom::Start(self.end))?;
        self.storage.write_all(text)?;
        self.storage.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capabilities;
    use crate::prices::PriceList;
    use crate::profile::Profile;
    use std::io::Cursor;

    /// A disk with so much room.
    struct Disk(Cursor<Vec<u8>>, usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let at = usize::try_from(self.0.position()).unwrap();
            match self.1.saturating_sub(at).min(bytes.len()) {
                0 => Err(io::ErrorKind::StorageFull.into()),
                room => self.0.write(&bytes[..room]),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    impl Storage for Disk {
        fn cut(&mut self, length: u64) -> io::Result<()> {
            self.0.get_mut().truncate(usize::try_from(length).unwrap());
            Ok(())
        }
    }

    fn empty() -> Capture {
        Capture {
            seed: "s".to_owned(),
            environments: Vec::new(),
            profile: Profile::Provider,
            prices: PriceList::default(),
            http: true,
            capabilities: Capabilities::default(),
            local: true,
            cases: Vec::new(),
        }
    }

    fn names(text: &[u8]) -> Vec<String> {
        let text = std::str::from_utf8(text).unwrap();
        let read = Capture::from_json(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        read.cases.into_iter().map(|case| case.case).collect()
    }

    #[test]
    fn the_file_is_whole_after_each_exchange_and_on_a_full_disk_what_it_was() {
        let disk = Disk(Cursor::default(), 560);
        let mut file = CaptureFile::begin(disk, &empty()).unwrap();
        assert_eq!(names(file.storage.0.get_ref()), [""; 0]);
        let case = |name: &str| CapturedCase::new("c", name);
        assert_eq!(file.add(&[case("one"), case("two")]).len(), 0);
        let long = case(&"x".repeat(400));
        assert_eq!(file.add(&[case("three"), long, case("four")]).len(), 1);
        let written = ["one", "two", "three", "four"];
        assert_eq!(names(file.storage.0.get_ref()), written);
    }

    #[test]
    fn wherever_a_file_breaks_off_behind_its_head_the_lines_before_are_read() {
        let mut file = CaptureFile::begin(Disk(Cursor::default(), 10_000), &empty()).unwrap();
        for name in ["one", "two"] {
            assert_eq!(file.add(&[CapturedCase::new("c", name)]).len(), 0);
        }
        let whole = file.storage.0.get_ref();
        let text = String::from_utf8(whole.clone()).unwrap();
        let second = text.find("two").unwrap();
        for end in text.find("\"one\"").unwrap()..text.len() - 4 {
            let read = names(&whole[..end]).len();
            let least = usize::from(end > second);
            assert!(read >= least, "{end}: {read}");
        }
    }
}
