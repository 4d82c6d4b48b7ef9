//! Reads the scenario files again when they change, and hands them to the host.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use svc_fixtures::reading::Source;
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior, timeout};
use tokio_util::sync::CancellationToken;

use super::Host;
use crate::scenario::is_built_in;
use crate::scenario_analysis::{find_contradictions, find_contrary_letters, find_unreachable};

/// An editor has finished saving a file after this time.
const SETTLED: Duration = Duration::from_millis(50);

/// How many reports are waited out before the files are read although they still change.
const MOST_REPORTS: usize = 20;

/// How often one looks whether a folder was made anew: of a folder that is gone nothing is reported.
const LOOKS_AT_FOLDERS: Duration = Duration::from_secs(1);

/// Why the files could not be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableFiles(pub String);

/// The scenario files, or why they could not be read.
pub type ReadFiles = Result<Vec<Arc<Source>>, UnreadableFiles>;

/// Says when the files below some folders may have changed.
pub enum FileWatcher {
    /// The file system reports changes.
    Notified(FolderWatcher),
    /// Nobody reports changes: the files are read again each time.
    Polling(Interval),
}

/// Says when the file system reports a change in one of the folders that are read, and when one of them was made anew.
pub struct FolderWatcher {
    /// Woken by each change.
    changed: Arc<Notify>,
    /// Reports as long as it lives.
    watcher: RecommendedWatcher,
    /// The folders that were given, and which ones they were when they were read.
    roots: Vec<(PathBuf, Option<FolderId>)>,
    /// A folder can't be watched, or is not there: all are read with each look.
    is_blind: bool,
    /// It was said that a folder can't be watched.
    has_warned: bool,
}

/// A folder that is removed and made anew has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderId(u64, u64);

impl FolderId {
    #[cfg(unix)]
    fn of(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let folder = std::fs::metadata(folder).ok()?;
        Some(FolderId(folder.dev(), folder.ino()))
    }

    #[cfg(not(unix))]
    fn of(folder: &Path) -> Option<Self> {
        let made = std::fs::metadata(folder).ok()?.created().ok()?;
        let made = made.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(FolderId(made.as_secs(), made.subsec_nanos().into()))
    }
}

impl FileWatcher {
    /// A watcher that the file system notifies of changes in the folders that are read.
    ///
    /// # Errors
    /// Where the file system reports no changes.
    pub fn notified(roots: &[PathBuf]) -> Result<Self, notify::Error> {
        let changed = Arc::new(Notify::new());
        // Nothing is followed before the files are read once more.
        changed.notify_one();
        let notify = Arc::clone(&changed);
        let report = move |event: notify::Result<Event>| match event {
            // Reading the files is an event, too: following it would never end.
            Ok(event) if event.kind.is_access() => {}
            Ok(_) => notify.notify_one(),
            Err(error) => {
                tracing::warn!(%error, "a change of the scenario files may have been missed");
                notify.notify_one();
            }
        };
        Ok(FileWatcher::Notified(FolderWatcher {
            changed,
            watcher: notify::recommended_watcher(report)?,
            roots: roots.iter().map(|root| (root.clone(), None)).collect(),
            is_blind: false,
            has_warned: false,
        }))
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
            FileWatcher::Notified(folders) => folders.changed().await,
            FileWatcher::Polling(interval) => {
                interval.tick().await;
            }
        }
    }

    /// Reads the files, and follows each folder that they are read from before it is listed: nothing that changes
    /// later is missed.
    fn read(&mut self, read: &impl Fn(&mut dyn FnMut(&Path)) -> ReadFiles) -> ReadFiles {
        match self {
            FileWatcher::Polling(_) => read(&mut |_| {}),
            FileWatcher::Notified(folders) => {
                for (root, id) in &mut folders.roots {
                    *id = FolderId::of(root);
                }
                folders.is_blind = false;
                read(&mut |folder| folders.follow(folder))
            }
        }
    }
}

impl FolderWatcher {
    /// Follows what happens in a folder, not in those in it. One of another inode is followed although the one before
    /// was, too.
    fn follow(&mut self, folder: &Path) {
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {}
            // Whoever reads it says so. It may have gone after it was known which one it is, and the next one may be
            // given its number: by that alone it would not be found.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => self.is_blind = true,
            Err(error) => {
                if !self.has_warned {
                    tracing::warn!(%error, "a scenario folder is not watched: looking every second");
                }
                (self.is_blind, self.has_warned) = (true, true);
            }
        }
    }

    async fn changed(&mut self) {
        while timeout(LOOKS_AT_FOLDERS, self.changed.notified())
            .await
            .is_err()
        {
            if self.is_blind || self.has_other_roots().await {
                return;
            }
        }
        // Saving a file is several changes.
        for _ in 0..MOST_REPORTS {
            if timeout(SETTLED, self.changed.notified()).await.is_err() {
                return;
            }
        }
    }

    /// Whether one of the folders that were given is another one than that which was read.
    async fn has_other_roots(&self) -> bool {
        let roots = self.roots.clone();
        // A file system that does not answer must hold up no thread that others wait for.
        let looked = tokio::task::spawn_blocking(move || {
            let mut roots = roots.iter();
            roots.any(|(root, id)| FolderId::of(root) != *id)
        });
        looked.await.unwrap_or(true)
    }
}

/// Reads the files again whenever they may have changed, until the stop: who looks in intervals does so after the first
/// of them. `first` are the files in force; `read` says of each folder that it is about to read it.
pub async fn reload_on_change(
    host: Arc<Host>,
    mut watcher: FileWatcher,
    first: Vec<Arc<Source>>,
    read: impl Fn(&mut dyn FnMut(&Path)) -> ReadFiles + Clone + Send + 'static,
    stop: CancellationToken,
) {
    let mut last = Ok(first);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = watcher.changed() => {}
        }
        let (host, read) = (Arc::clone(&host), read.clone());
        // Compiling takes too long for a thread that other tasks wait for.
        let reading = tokio::task::spawn_blocking(move || {
            let files = watcher.read(&read);
            if files != last {
                reload(&host, &files);
            }
            (files, watcher)
        });
        let reloaded = tokio::select! {
            () = stop.cancelled() => return,
            reloaded = reading => reloaded,
        };
        match reloaded {
            Ok((files, reader)) => (last, watcher) = (files, reader),
            Err(error) => {
                tracing::error!(%error, "scenario files are no longer followed");
                return;
            }
        }
    }
}

/// Says of files that are in force what `check` calls a mistake although they can be followed: rules that never win,
/// and answers that contradict themselves. Takes long where there are many.
pub fn warn_of_contradictions(host: &Host, files: &[Arc<Source>]) {
    let rules = host.rules();
    let own = files.iter().filter(|file| !is_built_in(&file.path));
    let own: Vec<Arc<Source>> = own.cloned().collect();
    let mut found = find_unreachable(&rules.contract, &rules.scenarios, &own);
    found.extend(find_contradictions(&rules, &own));
    found.extend(find_contrary_letters(&rules, &own));
    let found = Arc::new(found.sorted());
    host.rules.note_warnings(&rules, Arc::clone(&found));
    if !found.is_empty() {
        tracing::warn!(
            "`svc-simulator check` calls these scenarios mistaken, and they are used:\n{found}"
        );
    }
}

fn reload(host: &Host, files: &ReadFiles) {
    match files {
        Ok(files) => match host.replace_scenarios(files) {
            Ok(version) => {
                let rules = host.rules().scenarios.all().len();
                tracing::info!(version, rules, "the scenarios were read again");
                warn_of_contradictions(host, files);
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
