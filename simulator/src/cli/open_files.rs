//! How many files the system lets the program have open, connections among them.

use super::failure::Failure;

/// What the program itself has open: listeners, signals, scenario folders, files while they are read.
const OWN: u64 = 64;

/// The connections of three listeners, and as many again to receivers of webhooks.
const SHARES: u64 = 4;

/// Fewer connections for each listener serve nobody.
const FEWEST: u64 = 4;

/// Raises the limit as far as it may be raised, and says how many of the wanted connections each listener takes. What the system's
/// limit takes away is logged.
///
/// # Errors
/// Where the limit is too low to serve anybody.
pub(super) fn connections(wanted: usize) -> Result<usize, Failure> {
    let Some(limit) = raised() else {
        return Ok(wanted);
    };
    let share = limit.saturating_sub(OWN) / SHARES;
    if share < FEWEST {
        let least = OWN + SHARES * FEWEST;
        return Err(Failure::Usage(format!(
            "the system lets this program open {limit} files, and {least} is the least; raise it: \
             `ulimit -n {least}` or more, `--ulimit nofile` of a container, `LimitNOFILE` of a service"
        )));
    }
    let share = usize::try_from(share).unwrap_or(wanted);
    if share < wanted {
        tracing::warn!(
            open_files = limit,
            "each listener takes at most {share} connections at once, not {wanted}: the system lets this program \
             open no more files; `ulimit -n`, `--ulimit nofile` or `LimitNOFILE` raise it"
        );
    }
    Ok(share.min(wanted))
}

/// The limit after it was raised; none where there is none.
#[cfg(unix)]
fn raised() -> Option<u64> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let mut raised = limit;
    raised.current = limit.maximum;
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        // Some systems say that there is no limit, and do not let it be set.
        Err(_) => limit.current,
    }
}

#[cfg(not(unix))]
fn raised() -> Option<u64> {
    None
}
