//! Several simulators with one PostgreSQL server: whatever replica takes a call, the answers are those that one
//! alone would give (ruling 36). These tests need PostgreSQL, and `SVC_REQUIRE_TOOLS=1`, as CI sets it: else they are ignored
//! with that word.

mod calls;
mod careless;
mod clients;
mod due;
mod fleet;
mod history;
mod names;
mod replica;
mod store;
mod storm;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use parking_lot::Mutex;
use svc_test_support::PostgresServer;

/// One server for all tests, started by the first of them.
#[derive(Clone, Default)]
pub(crate) struct Server(Arc<Mutex<Option<PostgresServer>>>);

impl Server {
    /// The URL of a store that no other test has.
    pub(crate) fn fresh_store(&self) -> String {
        let mut server = self.0.lock();
        server.get_or_insert_with(PostgresServer::start).fresh_url()
    }

    /// The URL of a store in a database of this name: who ends connections ends those of no other test.
    pub(crate) fn own_database(&self, name: &str) -> String {
        drop(self.query(&format!("CREATE DATABASE {name}")));
        self.fresh_store()
            .replace("/postgres?", &format!("/{name}?"))
    }

    /// Runs statements.
    pub(crate) fn query(&self, statements: &str) -> String {
        let mut server = self.0.lock();
        server
            .get_or_insert_with(PostgresServer::start)
            .query(statements)
    }
}

type Test = fn(&Server);

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let server = Server::default();
    // Most of the time they wait.
    arguments.test_threads.get_or_insert(8);
    // The longest first.
    let tests = [
        due::TESTS,
        storm::TESTS,
        careless::TESTS,
        calls::TESTS,
        names::TESTS,
        store::TESTS,
    ]
    .concat();
    let trials = tests
        .into_iter()
        .map(|(name, test)| trial(name, test, &server));
    let trials = trials.collect();
    let ended = libtest_mimic::run(&arguments, trials);
    // The server ends with it.
    server.0.lock().take();
    ended.exit_code()
}

fn trial(name: &str, test: Test, server: &Server) -> Trial {
    let server = server.clone();
    Trial::ignorable_test(name, move || {
        if std::env::var_os("SVC_REQUIRE_TOOLS").is_none_or(|it| it != "1") {
            return Ok(Completion::ignored_with(
                "PostgreSQL, and SVC_REQUIRE_TOOLS=1",
            ));
        }
        if PostgresServer::installed().is_none() {
            return Err(Failed::from("PostgreSQL is not installed"));
        }
        test(&server);
        Ok(Completion::Completed)
    })
}
