//! Reads the scenario files again when they change, and hands them to the host.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use notify_debouncer_full::notify::{Error, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use svc_fixtures::reading::Source;
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::Host;

/// An editor has finished saving a file after this time.
const SETTLED: Duration = Duration::from_millis(50);

/// Why the files could not be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableFiles(pub String);

/// The scenario files, or why they could not be read.
pub type ReadFiles = Result<Vec<Arc<Source>>, UnreadableFiles>;

/// Says when the files below some folders may have changed.
pub enum FileWatcher {
    /// The file system reports changes.
    Notified {
        /// Woken by each change.
        changed: Arc<Notify>,
        /// Reports as long as it lives.
        debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
    },
    /// Nobody reports changes: the files are read again each time.
    Polling(Interval),
}

impl FileWatcher {
    /// A watcher that the file system notifies.
    ///
    /// # Errors
    /// Where the file system reports no changes.
    pub fn notified(folders: &[PathBuf]) -> Result<Self, Error> {
        let changed = Arc::new(Notify::new());
        let notify = Arc::clone(&changed);
        let report = move |events: DebounceEventResult| match events {
            // Reading the files is an event, too: following it would never end.
            Ok(events) if events.iter().all(|event| event.kind.is_access()) => {}
            Ok(_) => notify.notify_one(),
            Err(errors) => {
                for error in errors {
                    tracing::warn!(%error, "a change of the scenario files may have been missed");
                }
                notify.notify_one();
            }
        };
        let mut debouncer = new_debouncer(SETTLED, None, report)?;
        for folder in folders {
            debouncer.watch(folder, RecursiveMode::Recursive)?;
        }
        Ok(FileWatcher::Notified { changed, debouncer })
    }

    /// A watcher for file systems that report nothing.
    #[must_use]
    pub fn polling(time: Duration) -> Self {
        let mut interval = tokio::time::interval(time.max(Duration::from_millis(1)));
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        interval.reset();
        FileWatcher::Polling(interval)
    }

    async fn changed(&mut self) {
        match self {
            FileWatcher::Notified { changed, .. } => changed.notified().await,
            FileWatcher::Polling(interval) => {
                interval.tick().await;
            }
        }
    }
}

/// Reads the files again whenever they may have changed, until the stop. `first` are the files in force.
pub async fn reload_on_change(
    host: Arc<Host>,
    mut watcher: FileWatcher,
    first: Vec<Arc<Source>>,
    read: impl Fn() -> ReadFiles + Clone + Send + 'static,
    stop: CancellationToken,
) {
    let mut last = Ok(first);
    loop {
        let (host, read) = (Arc::clone(&host), read.clone());
        // Compiling takes too long for a thread that other tasks wait for.
        let reloaded = tokio::task::spawn_blocking(move || {
            let files = read();
            if files != last {
                reload(&host, &files);
            }
            files
        });
        match reloaded.await {
            Ok(files) => last = files,
            Err(error) => {
                tracing::error!(%error, "scenario files are no longer followed");
                return;
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = watcher.changed() => {}
        }
    }
}

fn reload(host: &Host, files: &ReadFiles) {
    match files {
        Ok(files) => match host.replace_scenarios(files) {
            Ok(version) => {
                let rules = host.rules().scenarios.all().len();
                tracing::info!(version, rules, "the scenarios were read again");
            }
            Err(problems) => {
                tracing::warn!("the edited scenarios are not used, those before stay:\n{problems}")
            }
        },
        Err(unreadable) => {
            tracing::warn!("the scenarios can't be read again, those before stay: {unreadable}");
            host.rules
                .reject(host.clock.real(), 1, unreadable.to_string());
        }
    }
}
