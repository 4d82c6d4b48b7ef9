//! Why the store can't be used, in words for people.

use svc_tls::TlsFlags;
use tokio_postgres::error::SqlState;

use super::super::JournalError;

/// Why the store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The URL says something that can't be.
    #[error("the URL of the store: {0}")]
    Url(String),
    /// A newer program wrote it.
    #[error(
        "the store is of version {found}, written by svc-simulator {by}; this is svc-simulator {} and knows versions up to {known}",
        env!("CARGO_PKG_VERSION")
    )]
    Newer {
        /// The store's version.
        found: i32,
        /// Who wrote it.
        by: String,
        /// The newest that this program knows.
        known: i32,
    },
    /// The server refused something, or was lost.
    #[error("PostgreSQL: {}", described(.0))]
    Database(#[from] tokio_postgres::Error),
    /// Nobody takes a connection there.
    #[error("PostgreSQL at {at}: {reason}: is it running, and is that its address?")]
    Unreachable {
        /// Host and port, or the folder of the socket.
        at: String,
        /// What the system says.
        reason: String,
    },
    /// The role is not allowed to.
    #[error(
        "the role of the URL may not use the schema `{0}`; it needs one that is its own, or USAGE on it and SELECT, \
         INSERT, UPDATE and DELETE on its tables"
    )]
    Privilege(String),
    /// The database does not hold every text.
    #[error(
        "the database is {0}, which does not hold every text; it needs one that is UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding(String),
    /// There is no connection.
    #[error("no connection to PostgreSQL: {0}")]
    Pool(String),
    /// It does not answer.
    #[error("PostgreSQL does not answer")]
    Silent,
    /// There is no thread for it.
    #[error("the store did not start: {0}")]
    Thread(#[from] std::io::Error),
}

impl PostgresError {
    /// What the server said.
    fn code(&self) -> Option<&SqlState> {
        match self {
            PostgresError::Database(error) => error.code(),
            _ => None,
        }
    }

    /// Whether the server said that it did nothing. What it says when a connection ends says nothing of what it was at.
    pub(super) fn is_answer(&self) -> bool {
        let of_connection = |code: &SqlState| ["08", "57"].contains(&&code.code()[..2]);
        self.code().is_some_and(|code| !of_connection(code))
    }

    /// Whether it lies with the sessions that there are: those that only read stay so, and of those whose packets are
    /// dropped each would be found out by itself.
    pub(super) fn is_of_sessions(&self) -> bool {
        let only_reads = self.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION);
        only_reads || matches!(self, PostgresError::Silent)
    }

    /// What keeps the store from writing, for probes. What the server says may name a user: that is in the log alone.
    pub(super) fn obstacle(&self) -> &'static str {
        match self.code().filter(|_| self.is_answer()) {
            Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => "PostgreSQL is read-only",
            Some(code) if *code == SqlState::DISK_FULL => "the disk of PostgreSQL is full",
            Some(_) => "PostgreSQL does not write",
            None => "PostgreSQL does not answer",
        }
    }
}

/// What of the URL says more about TLS.
pub(super) const FLAGS: TlsFlags = TlsFlags {
    ca_file: "sslrootcert=",
    client_certificate: "sslcert=",
};

/// The library's own text leaves out what the server said.
pub(super) fn described(error: &tokio_postgres::Error) -> String {
    if let Some(reason) = svc_tls::reason(error, FLAGS) {
        return reason;
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl From<deadpool_postgres::PoolError> for PostgresError {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            deadpool_postgres::PoolError::Backend(error) => PostgresError::Database(error),
            other => PostgresError::Pool(other.to_string()),
        }
    }
}

impl From<PostgresError> for JournalError {
    fn from(error: PostgresError) -> Self {
        JournalError::new(error.to_string())
    }
}
