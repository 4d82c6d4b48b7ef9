//! Lines that are said while a recording is made, on a thread of their own: whoever reads them slowly, or not at all, as a
//! terminal that is held, keeps nobody waiting whose exchange passes.

use std::io;
use std::sync::mpsc::{self, SyncSender};
use std::thread::{self, JoinHandle};

use super::desk::Say;

/// So many lines wait to be said; further ones are left out, and counted. The report at the end has all of them.
const WAITING: usize = 256;

/// Takes lines.
#[derive(Debug)]
pub(super) struct LineQueue {
    waiting: SyncSender<String>,
    left_out: u64,
}

impl LineQueue {
    /// With the thread that says them: it ends when nobody takes any more and all that wait are said.
    pub(super) fn start(mut say: Say) -> io::Result<(Self, JoinHandle<()>)> {
        let (waiting, lines) = mpsc::sync_channel::<String>(WAITING);
        let thread = thread::Builder::new().name("lines".to_owned());
        let thread = thread.spawn(move || lines.into_iter().for_each(|line| say(&line)))?;
        let left_out = 0;
        Ok((LineQueue { waiting, left_out }, thread))
    }

    /// Says a line soon, and before it how many were left out.
    pub(super) fn say(&mut self, line: &str) {
        if self.left_out > 0 && self.waiting.try_send(self.missing()).is_ok() {
            self.left_out = 0;
        }
        if self.left_out > 0 || self.waiting.try_send(line.to_owned()).is_err() {
            self.left_out += 1;
        }
    }

    fn missing(&self) -> String {
        format!("{} lines left out, since nobody read them", self.left_out)
    }
}

impl Drop for LineQueue {
    /// Says what was left out at the very end, too. Nobody's exchange passes any more, so this may wait.
    fn drop(&mut self) {
        if self.left_out > 0 {
            // Whoever said the lines may be gone.
            let _ = self.waiting.send(self.missing());
        }
    }
}
