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

/// Why a text names no store, and what to write instead where that can be told.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a store is `memory`, `sqlite:FILE` or `postgres://…`, such as sqlite:accounts.db{hint}")]
pub struct NoSuchStore {
    hint: String,
}

impl NoSuchStore {
    fn of(text: &str) -> Self {
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        let hint = match (path, path.trim_start_matches('/')) {
            (":memory:", _) => "; what is kept nowhere is `memory`".to_owned(),
            (_, "") => String::new(),
            (_, name) if path.starts_with("//") => {
                format!(
                    "; no host is asked for: sqlite:{name} is in this folder, sqlite:/{name} is not"
                )
            }
            _ if path.contains(':') => String::new(),
            _ => format!("; the file {path} is sqlite:{path}"),
        };
        NoSuchStore { hint }
    }
}

impl FromStr for Store {
    type Err = NoSuchStore;

    fn from_str(text: &str) -> Result<Self, NoSuchStore> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Store::Memory),
            // Elsewhere `sqlite://FILE` and `sqlite::memory:` are known; here they would be files of these names.
            Some(("sqlite", file)) if file.starts_with("//") || file == ":memory:" => {
                Err(NoSuchStore::of(text))
            }
            Some(("sqlite", file)) if !file.is_empty() => Ok(Store::Sqlite(file.into())),
            Some(("postgres" | "postgresql", _)) => Ok(Store::Postgres(text.to_owned())),
            _ => Err(NoSuchStore::of(text)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_store_is_refused_with_what_to_write() {
        assert_eq!("sqlite:a.db".parse(), Ok(Store::Sqlite("a.db".into())));
        assert_eq!("sqlite:/a.db".parse(), Ok(Store::Sqlite("/a.db".into())));
        for (text, hint) in [
            ("a.db", "; the file a.db is sqlite:a.db"),
            (
                "sqlite://a.db",
                "; no host is asked for: sqlite:a.db is in this folder, sqlite:/a.db is not",
            ),
            (
                "sqlite:///data/a.db",
                "; no host is asked for: sqlite:data/a.db is in this folder, sqlite:/data/a.db is not",
            ),
            ("sqlite::memory:", "; what is kept nowhere is `memory`"),
            ("sqlite:", ""),
            ("sqlite://", ""),
            ("mysql://host/accounts", ""),
            ("", ""),
        ] {
            let refused = text.parse::<Store>();
            assert_eq!(
                refused,
                Err(NoSuchStore {
                    hint: hint.to_owned()
                }),
                "{text}"
            );
        }
    }
}
