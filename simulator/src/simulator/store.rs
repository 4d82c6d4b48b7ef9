//! Where a simulator keeps its accounts, and what it must have in common with the one that kept them before
//! (ruling 36).

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::start_error::StartError;
use crate::host::HostConfig;
use crate::host::clock::{Clock, ClockPace};
use crate::host::journal::{Journal, SqliteJournal};

/// Where accounts are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Store {
    /// In memory: a restart begins anew.
    #[default]
    Memory,
    /// In one SQLite file: a restart goes on where the last one ended.
    Sqlite(PathBuf),
    /// In the PostgreSQL server of this URL, which other simulators may use at the same time.
    Postgres(String),
}

/// Why a text names no store.
#[derive(Debug, thiserror::Error)]
#[error("a store is `memory`, `sqlite:FILE` or `postgres://…`, such as sqlite:accounts.db")]
pub struct NoSuchStore;

impl FromStr for Store {
    type Err = NoSuchStore;

    fn from_str(text: &str) -> Result<Self, NoSuchStore> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Store::Memory),
            Some(("sqlite", file)) if !file.is_empty() => Ok(Store::Sqlite(file.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Store::Postgres(text.to_owned())),
            _ => Err(NoSuchStore),
        }
    }
}

impl Store {
    /// Opens it; none where nothing is kept.
    pub(super) fn open(&self, config: &HostConfig) -> Result<Option<Arc<dyn Journal>>, StartError> {
        Ok(match self {
            Store::Memory => None,
            Store::Sqlite(file) => {
                let metrics = Arc::clone(&config.store_metrics);
                let readiness = Arc::clone(&config.readiness);
                Some(Arc::new(SqliteJournal::open_watched(
                    file, metrics, readiness,
                )?))
            }
            #[cfg(feature = "postgres")]
            Store::Postgres(url) => {
                let metrics = Arc::clone(&config.store_metrics);
                let readiness = Arc::clone(&config.readiness);
                let opened =
                    crate::host::journal::PostgresJournal::open_watched(url, metrics, readiness);
                Some(Arc::new(
                    opened.map_err(|error| StartError::Postgres(error.to_string()))?,
                ))
            }
            #[cfg(not(feature = "postgres"))]
            Store::Postgres(_) => return Err(StartError::WithoutPostgres),
        })
    }
}

/// The seed that a store's ids are made with: that of its beginning. Another one is refused, because what was
/// handed out before would not be found any more.
pub(super) fn seed(journal: &dyn Journal, given: &str) -> Result<String, StartError> {
    let kept = journal.remember("seed", given)?;
    match given.is_empty() || kept == given {
        true => Ok(kept),
        false => Err(StartError::OtherSeed {
            given: given.to_owned(),
            kept,
        }),
    }
}

/// The clock that a store's accounts follow: that of its beginning, which went on while nothing ran.
pub(super) fn clock(journal: &dyn Journal, given: &Clock) -> Result<Clock, StartError> {
    let Some(pace) = given.pace() else {
        return Ok(given.clone());
    };
    let text = serde_json::to_string(&pace).expect("numbers print into memory");
    let kept = journal.remember("clock", &text)?;
    let kept: ClockPace =
        serde_json::from_str(&kept).map_err(|_| StartError::NoClock { text: kept })?;
    let (scale, resumed) = (pace.scale, Clock::resumed(kept));
    if pace.showed != pace.began && pace.showed != kept.showed {
        tracing::warn!(shows = %resumed.now(), "the store's clock goes on; --clock is for a new store");
    }
    match scale == 1 || scale == kept.scale {
        true => Ok(resumed),
        false => Err(StartError::OtherTimeScale {
            given: scale,
            kept: kept.scale,
        }),
    }
}
