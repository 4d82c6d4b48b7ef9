//! Exit codes, and why a command fails.

use std::io::ErrorKind;

use anyhow::anyhow;
use svc_fixtures::reading::Problems;

use crate::host::journal::StoreError;
use crate::simulator::files::ReadError;

/// Everything went well.
pub const EXIT_OK: u8 = 0;
/// Something failed while running: an address in use, a file or a pipe that can't be written.
pub const EXIT_FAILURE: u8 = 1;
/// The command line or a file is wrong. The same code the argument parser uses.
pub const EXIT_USAGE: u8 = 2;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The arguments are wrong, or ask for help.
    #[error("{0}")]
    Arguments(#[from] clap::Error),
    /// The command line is wrong, or a file can't be read; the text says what to do.
    #[error("error: {0}")]
    Usage(String),
    /// Files have mistakes; each has its place.
    #[error("{0}")]
    Files(#[from] Problems),
    /// Something failed while running.
    #[error("error: {0:#}")]
    Running(#[from] anyhow::Error),
    /// What was printed could not be written.
    #[error("error: {0} can't be written: {1}; make room, or write elsewhere")]
    Output(&'static str, std::io::Error),
    /// The answer is no; it is printed already.
    #[error("")]
    Answered,
    /// Files have mistakes, which are printed already.
    #[error("")]
    Refused,
}

/// What is wrong with the file a person can mend; the rest failed.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error.is_usage() {
            true => Failure::Usage(error.to_string()),
            // What SQLite says stands in it already.
            false => Failure::Running(anyhow!("{error}")),
        }
    }
}

impl Failure {
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Failure::Arguments(_) | Failure::Usage(_) | Failure::Files(_) | Failure::Refused => {
                EXIT_USAGE
            }
            Failure::Running(_) | Failure::Output(..) | Failure::Answered => EXIT_FAILURE,
        }
    }

    /// Whether nothing is to be said of it. Whoever closes a pipe, as `head` does, knows that it has not read all.
    pub(super) fn is_silent(&self) -> bool {
        match self {
            Failure::Answered | Failure::Refused => true,
            Failure::Output(_, error) => error.kind() == ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure::Usage(error.to_string())
    }
}
