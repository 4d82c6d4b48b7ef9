//! Scenarios that are edited while the simulator runs. A good set takes the place of the old one at
//! once; a bad one changes nothing, and what is wrong with it is kept for those who ask.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::reading::{Problems, Source};
use tokio_util::sync::CancellationToken;

use super::Host;
use super::watch::FileWatcher;

/// Which edit is in force, and what came of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadStatus {
    /// Which set of scenarios is in force: 1 from the start, one more with each that replaced it.
    pub version: u64,
    /// The last edit, where it was not taken.
    pub failure: Option<ReloadFailure>,
}

/// An edit that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadFailure {
    /// When it was read, by the machine's clock.
    pub at: Timestamp,
    /// How many mistakes it has.
    pub mistakes: usize,
    /// Each of them, as `check` tells it.
    pub message: String,
}

impl Default for ReloadStatus {
    fn default() -> Self {
        ReloadStatus {
            version: 1,
            failure: None,
        }
    }
}

/// Why the files could not even be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableFiles(pub String);

impl Host {
    /// Which edit is in force, and what came of the last one.
    #[must_use]
    pub fn reload_status(&self) -> ReloadStatus {
        self.reload_status.read().clone()
    }

    /// Puts these scenarios in the place of everybody's; what was added for one account stays before
    /// them. Calls on their way end by the rules they began with. Gives the new version.
    ///
    /// # Errors
    /// Every mistake of these files; then all stays as it was.
    pub fn replace_scenarios(&self, files: &[Arc<Source>]) -> Result<u64, Problems> {
        let _only = self.editing.lock();
        let read = self.rules().with_scenarios_replaced(files);
        let rules = Arc::new(read.inspect_err(|problems| {
            self.refuse_edit(problems.len(), problems.to_string());
        })?);
        *self.rules.write() = Arc::clone(&rules);
        self.renew_own_rules(&rules);
        let mut status = self.reload_status.write();
        *status = ReloadStatus {
            version: status.version + 1,
            failure: None,
        };
        Ok(status.version)
    }

    fn refuse_edit(&self, mistakes: usize, message: String) {
        let at = self.clock.real();
        self.reload_status.write().failure = Some(ReloadFailure {
            at,
            mistakes,
            message,
        });
    }

    /// Reads the files again whenever something may have changed, until the stop. `first` are those
    /// in force; `read` gives all files anew.
    pub async fn reload_on_change(
        self: Arc<Self>,
        mut watch: FileWatcher,
        first: Vec<Arc<Source>>,
        read: impl Fn() -> Result<Vec<Arc<Source>>, UnreadableFiles> + Clone + Send + 'static,
        stop: CancellationToken,
    ) {
        let mut last = Ok(first);
        loop {
            let (host, read) = (Arc::clone(&self), read.clone());
            // Too long for a task that others wait behind.
            let looked = tokio::task::spawn_blocking(move || host.look(last, read()));
            match looked.await {
                Ok(read) => last = read,
                Err(error) => {
                    tracing::error!(%error, "scenario files are no longer followed");
                    return;
                }
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = watch.changed() => {}
            }
        }
    }

    /// Takes what was read where it is not what was read last. Gives what was read.
    fn look(
        &self,
        last: Result<Vec<Arc<Source>>, UnreadableFiles>,
        read: Result<Vec<Arc<Source>>, UnreadableFiles>,
    ) -> Result<Vec<Arc<Source>>, UnreadableFiles> {
        if read == last {
            return read;
        }
        match &read {
            Ok(files) => match self.replace_scenarios(files) {
                Ok(version) => {
                    let rules = self.rules().scenarios.all().len();
                    tracing::info!(version, rules, "the scenarios were read again");
                }
                Err(problems) => tracing::warn!(
                    "the edited scenarios are not used, those before stay:\n{problems}"
                ),
            },
            Err(unreadable) => {
                tracing::warn!(
                    "the scenarios can't be read again, those before stay: {unreadable}"
                );
                self.refuse_edit(1, unreadable.to_string());
            }
        }
        read
    }
}
