//! When memory comes in pieces of 2 MB, which make a call a fifth cheaper (simulator/benches/README.md). What is read at the
//! start would lie on a dozen of them with little on each: 24 MB that whoever starts a simulator to ask it a few times would
//! pay for nothing. So it starts without them.

use crate::host::Host;

/// How often it is looked whether the simulator is used by now.
#[cfg(target_os = "linux")]
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);

/// What accounts take, in bytes, when a simulator is used: some hundred calls.
#[cfg(target_os = "linux")]
const USED: usize = 512 << 10;

/// Pieces of 2 MB that are not given to this process yet.
pub(super) struct LargePages {
    #[cfg(target_os = "linux")]
    kept_back: bool,
}

#[cfg(target_os = "linux")]
impl LargePages {
    /// Keeps them back. Where somebody turned them off for the process (`MIMALLOC_ALLOW_THP=0`), they stay off.
    pub(super) fn keep_back() -> Self {
        use rustix::thread::{disable_transparent_huge_pages, transparent_huge_pages_are_disabled};
        let are_off = transparent_huge_pages_are_disabled().unwrap_or(true);
        LargePages {
            kept_back: !are_off && disable_transparent_huge_pages(true).is_ok(),
        }
    }

    /// Allows them once the simulator is used.
    pub(super) async fn allow_when_used(self, host: &Host) {
        if !self.kept_back {
            return;
        }
        let mut looks = tokio::time::interval(LOOK);
        let is_used = || {
            let usage = host.memory_usage();
            usage.bytes >= USED || usage.evictions > 0
        };
        while !is_used() {
            looks.tick().await;
        }
        if let Err(error) = rustix::thread::disable_transparent_huge_pages(false) {
            tracing::debug!(%error, "memory in pieces of 2 MB can't be allowed again");
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl LargePages {
    pub(super) fn keep_back() -> Self {
        LargePages {}
    }

    pub(super) async fn allow_when_used(self, _host: &Host) {}
}
