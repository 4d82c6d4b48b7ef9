//! Whether something below some folders may have changed. Says only that one should look; what is
//! there is for others to read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use notify_debouncer_full::notify::{Error, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior};

/// What an editor does when it saves is over after this time.
const SETTLED: Duration = Duration::from_millis(50);

/// A watch over folders.
pub struct FileWatcher(Source);

enum Source {
    Notifications {
        changed: Arc<Notify>,
        /// It tells as long as it is there.
        _teller: Debouncer<RecommendedWatcher, RecommendedCache>,
    },
    Polling(Interval),
}

impl FileWatcher {
    /// The file system tells what changed.
    ///
    /// # Errors
    /// Where it can't be asked to.
    pub fn notified(folders: &[PathBuf]) -> Result<Self, Error> {
        let changed = Arc::new(Notify::new());
        let tell = Arc::clone(&changed);
        let told = move |events: DebounceEventResult| match events {
            // Our own reading is an event, too: who followed it would read for ever.
            Ok(events) if events.iter().all(|event| event.kind.is_access()) => {}
            Ok(_) => tell.notify_one(),
            Err(errors) => {
                for error in errors {
                    tracing::warn!(%error, "a change of the scenario files may have been missed");
                }
                tell.notify_one();
            }
        };
        let mut teller = new_debouncer(SETTLED, None, told)?;
        for folder in folders {
            teller.watch(folder, RecursiveMode::Recursive)?;
        }
        Ok(FileWatcher(Source::Notifications {
            changed,
            _teller: teller,
        }))
    }

    /// One looks again and again: for file systems that tell nothing.
    #[must_use]
    pub fn polling(time: Duration) -> Self {
        let mut interval = tokio::time::interval(time.max(Duration::from_millis(1)));
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        interval.reset();
        FileWatcher(Source::Polling(interval))
    }

    /// Waits until one should look.
    pub async fn changed(&mut self) {
        match &mut self.0 {
            Source::Notifications { changed, .. } => changed.notified().await,
            Source::Polling(interval) => {
                interval.tick().await;
            }
        }
    }
}
