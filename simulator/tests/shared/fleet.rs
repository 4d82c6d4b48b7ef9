//! Simulators as clients know them: a list of addresses that are tried in turn. Those of a [`Fleet`] are processes,
//! which can be killed.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use svc_test_support::{Folder, Program};

/// Where one of them listens.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) live: String,
    pub(crate) console: String,
}

/// All of them. One that is down is still tried: nobody tells a client.
#[derive(Default)]
pub(crate) struct Addresses {
    list: RwLock<Vec<Address>>,
    turn: AtomicUsize,
}

impl Addresses {
    pub(crate) fn of(list: Vec<Address>) -> Self {
        Addresses {
            list: RwLock::new(list),
            turn: AtomicUsize::new(0),
        }
    }

    /// The next one's.
    pub(crate) fn next(&self) -> Address {
        let list = self.list.read();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        list[turn % list.len()].clone()
    }

    pub(crate) fn all(&self) -> Vec<Address> {
        self.list.read().clone()
    }
}

/// Processes with one store.
pub(crate) struct Fleet {
    store: String,
    scenarios: &'static str,
    folders: Vec<Folder>,
    programs: Mutex<Vec<Option<Program>>>,
    pub(crate) addresses: Addresses,
}

impl Fleet {
    pub(crate) fn start(store: &str, size: usize, scenarios: &'static str) -> Self {
        let fleet = Fleet {
            store: store.to_owned(),
            scenarios,
            folders: (0..size).map(|_| Folder::new("fleet")).collect(),
            programs: Mutex::new((0..size).map(|_| None).collect()),
            addresses: Addresses::default(),
        };
        for at in 0..size {
            let address = fleet.up(at);
            fleet.addresses.list.write().push(address);
        }
        fleet
    }

    /// Ends one and starts it again, elsewhere: killed, so that it says nothing to anybody, or as Ctrl-C ends it.
    pub(crate) fn restart(&self, at: usize, killed: bool) {
        let program = self.programs.lock()[at].take();
        if let Some(program) = program.filter(|_| !killed) {
            program.interrupt();
            let (code, _) = program.ended();
            assert_eq!(code, Some(0), "a clean stop");
        }
        let address = self.up(at);
        self.addresses.list.write()[at] = address;
    }

    fn up(&self, at: usize) -> Address {
        let folder = &self.folders[at];
        folder.write("rules/rules.toml", self.scenarios);
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command.env_clear();
        let arguments = [
            ["--store", &self.store],
            ["--log", "off"],
            ["--scenarios", "rules"],
            // Nothing is forgotten, so that all can be asked for.
            ["--keep-calls", "1000000"],
            ["--keep-bytes", "1GiB"],
            ["--keep-total", "4GiB"],
        ];
        let arguments = [arguments.as_flattened(), &["--no-reload"]].concat();
        let (program, addresses) = Program::serve(&mut command, folder.path(), &arguments);
        self.programs.lock()[at] = Some(program);
        Address {
            live: addresses.of("live"),
            console: addresses.of("console"),
        }
    }
}
