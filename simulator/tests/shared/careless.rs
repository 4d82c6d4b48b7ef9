//! What the storm's judge is worth: replicas whose store is careless are found out.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use svc_simulator::Simulator;
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, PostgresJournal, SharedStore, Stored, Version,
};

use crate::clients::{Clients, Target};
use crate::fleet::{Address, Addresses};
use crate::history::judge;
use crate::storm::executions;
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "replicas_that_do_not_ask_whether_they_are_up_to_date_are_found_out",
        |server| {
            found_out(
                server,
                Fault::StaleReads,
                &["was not that", "before it can"],
            )
        },
    ),
    (
        "replicas_that_do_not_notice_each_other_are_found_out",
        |server| found_out(server, Fault::NoConflicts, &["executed", "lost", "several"]),
    ),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// What adds nothing is answered without a look at the store.
    StaleReads,
    /// Two that decide at once are both told that it is written.
    NoConflicts,
}

struct Careless(PostgresJournal, Fault);

impl Journal for Careless {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let mut appended = match (self.1, entries) {
            (Fault::StaleReads, []) => return Ok(Appended::at_once(after, entries)),
            _ => self.0.append(account, after, entries)?,
        };
        if self.1 == Fault::NoConflicts {
            appended.commit = Commit::WRITTEN;
        }
        Ok(appended)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        self.0.load(account)
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.0.load_all()
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        self.0.close(account, after)
    }

    fn shared(&self) -> Option<&dyn SharedStore> {
        self.0.shared()
    }
}

fn found_out(server: &Server, fault: Fault, how: &[&str]) {
    let store = server.fresh_store();
    let replicas = [(); 2].map(|()| {
        let journal = PostgresJournal::open(&store).expect("it opens");
        let simulator = Simulator::builder().journal(Arc::new(Careless(journal, fault)));
        simulator.start_blocking().expect("it starts")
    });
    let address = |simulator: &Simulator| Address {
        live: host(&simulator.live_url()),
        console: host(&simulator.console_url()),
    };
    let addresses = Addresses::of(replicas.iter().map(address).collect());
    // Some moments are enough; how many depends on the machine.
    let found = (0..40).find_map(|round| replicas[0].block_on(round_of(&addresses, round)).err());
    let found = found.expect("it is found out");
    assert!(how.iter().any(|how| found.contains(how)), "{found}");
}

async fn round_of(addresses: &Addresses, round: usize) -> Result<(), String> {
    let target = Target {
        name: format!("local_c{round}"),
        slow: false,
    };
    let name = target.name.clone();
    let clients = Clients::of(addresses, vec![target]);
    let end = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        clients.over.store(true, Ordering::Relaxed);
    };
    tokio::join!(clients.run(8), end);
    let executions = executions(&clients, &name).await?;
    let seen = clients.seen[0].lock().clone();
    judge(&seen, &executions)
}

fn host(url: &str) -> String {
    url.trim_start_matches("http://").to_owned()
}
