//! Stores on one PostgreSQL server, which is started for all tests of a process. None of them is the
//! last: it ends because the process does.

use std::sync::LazyLock;

use svc_simulator::host::journal::PostgresJournal;
use svc_test_support::PostgresServer;

static SERVER: LazyLock<PostgresServer> = LazyLock::new(PostgresServer::start_forgetful);

/// A store that no other test has.
pub(super) fn fresh() -> PostgresJournal {
    PostgresJournal::open(&SERVER.fresh_url()).expect("a new store")
}
