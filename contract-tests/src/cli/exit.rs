//! Exit codes: documented, and never green where nothing was judged.

use std::io;

use crate::event::{RunEnd, Totals};
use crate::run::EarlyEnd;
use crate::spend::Stop;

/// What the process ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All that was judged held.
    Held = 0,
    /// The contract is broken.
    Broken = 1,
    /// The command was not given as it must be; nothing was sent.
    Usage = 2,
    /// The service did not answer.
    Unreachable = 3,
    /// Nothing was judged.
    Nothing = 4,
    /// The budget did not cover all that was planned, or what is spent could not be written down.
    Budget = 5,
    /// A signal or the time limit ended the run; all that was judged by then held.
    Early = 6,
}

pub(super) const HELP: &str = "\
With every command --contract FOLDER (or SVC_CONTRACT) lays the rows of a folder over the built-in ones:
its contract/, answers/ and world/, as fixtures/ has them.

Exit codes:
  0  all that was judged held
  1  the contract is broken, or a known deviation is none any more
  2  usage, also a key or an address that is not the service's: nothing was judged
  3  the service did not answer
  4  nothing was judged, or what was to be said of it could not be written, or a check was skipped and
     --fail-on-skipped was given
  5  the budget did not cover all that was planned, or more was spent, since calls cost more than was
     known, or what is spent can't be written down; what is left out beforehand as too dear is not planned
  6  ended by a signal or --time-limit; all that was judged held
  129, 130, 143  ended at once by a second SIGHUP, SIGINT or SIGTERM: nothing was written";

impl Exit {
    /// What a run ends with.
    #[must_use]
    pub fn of(totals: Totals) -> Self {
        match totals.end() {
            RunEnd::Broken => Exit::Broken,
            RunEnd::Unreachable => Exit::Unreachable,
            RunEnd::Nothing => Exit::Nothing,
            RunEnd::Held => Exit::Held,
        }
    }

    /// What a run ends with that the guard may have stopped, or somebody ended early. A breach that was
    /// found before outranks both.
    #[must_use]
    pub fn of_run(totals: Totals, stop: Option<&Stop>, early: Option<EarlyEnd>) -> Self {
        match (stop, early, Exit::of(totals)) {
            (Some(Stop::Charged { .. }), ..) => Exit::Broken,
            (
                Some(Stop::Budget(_) | Stop::Overspent { .. } | Stop::Journal(_)),
                _,
                Exit::Held | Exit::Nothing,
            ) => Exit::Budget,
            (None, Some(_), Exit::Held | Exit::Nothing) => Exit::Early,
            (_, _, exit) => exit,
        }
    }
}

/// Why a command could not do its work.
pub(super) struct CommandError {
    pub(super) exit: Exit,
    pub(super) cause: anyhow::Error,
}

impl CommandError {
    pub(super) fn usage(text: impl Into<String>) -> Self {
        CommandError {
            exit: Exit::Usage,
            cause: anyhow::Error::msg(text.into()),
        }
    }
}

/// A report that could not be written is never a success.
impl From<anyhow::Error> for CommandError {
    fn from(cause: anyhow::Error) -> Self {
        let exit = Exit::Nothing;
        CommandError { exit, cause }
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        anyhow::Error::new(error)
            .context("the report was not written")
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_run_that_judged_something_and_broke_nothing_is_green() {
        let exit = |passed, failed, unreachable| {
            Exit::of(Totals {
                passed,
                failed,
                skipped: 1,
                unreachable,
                ..Totals::default()
            })
        };
        assert_eq!(exit(1, 0, 0), Exit::Held);
        assert_eq!(exit(1, 1, 1), Exit::Broken);
        assert_eq!(exit(1, 0, 1), Exit::Unreachable);
        assert_eq!(exit(0, 0, 0), Exit::Nothing);
        let known = Totals {
            known: 1,
            ..Totals::default()
        };
        assert_eq!(Exit::of(known), Exit::Held);
        assert_eq!(Exit::of(Totals { stale: 1, ..known }), Exit::Broken);
    }

    #[test]
    fn a_run_the_guard_stopped_is_never_green() {
        let totals = |failed| Totals {
            passed: 3,
            failed,
            ..Totals::default()
        };
        let full = Stop::Journal("no space".to_owned());
        assert_eq!(Exit::of_run(totals(0), Some(&full), None), Exit::Budget);
        assert_eq!(Exit::of_run(totals(1), Some(&full), None), Exit::Broken);
        assert_eq!(Exit::of_run(totals(0), None, None), Exit::Held);
        let early = Some(EarlyEnd::Signal("SIGINT"));
        assert_eq!(Exit::of_run(totals(0), None, early), Exit::Early);
        assert_eq!(Exit::of_run(totals(1), None, early), Exit::Broken);
        let charged = Stop::Charged {
            what: "a call".to_owned(),
            environment: svc_fixtures::contract::Environment::Test,
            stated: "charged true, amount 3".to_owned(),
            most: svc_fixtures::contract::Paise::ZERO,
        };
        assert_eq!(Exit::of_run(totals(0), Some(&charged), None), Exit::Broken);
    }
}
