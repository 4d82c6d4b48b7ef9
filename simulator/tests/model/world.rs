//! The simulator beside the reference: one account of a host, a receiver, a journal that rebuilds the
//! account as it is written.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU16, Ordering};

use bytes::Bytes;
use jiff::Timestamp;
use parking_lot::Mutex;
use svc_fixtures::contract::Paise;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, SharedStore, Stored, Version,
};
use svc_simulator::host::transport::{Transport, WebhookRequest, WebhookResponse};
use svc_simulator::host::{AccountCell, Host, HostConfig};
use svc_simulator::scenario::{AccountConfig, KeyConfig};

use crate::catalogue::Catalogue;
use crate::journals;
use crate::reference::{self, BREAKS_OFF, OPENING, REFUSED, TIMED_OUT};

/// Where every life begins: 2027-01-15T08:00:00Z, in milliseconds.
pub(crate) const START_MS: i64 = 1_800_000_000_000;
pub(crate) const ACCOUNT: &str = "model";
pub(crate) const SECRET: &str = "whsec_sample";

/// What every life is decided by.
pub(crate) struct Stage {
    pub(crate) catalogue: Catalogue,
    /// The scenarios of these tests.
    instructions: String,
    rules: Arc<Rules>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Stage::with("")
    }

    /// With more scenarios.
    pub(crate) fn with(more: &str) -> Self {
        let catalogue = Catalogue::new();
        let instructions = crate::instruct::scenarios(catalogue.contract.operations.iter()) + more;
        let mut files = Files::built_in();
        files.scenarios = scenarios(&instructions, "");
        let rules = Rules::read(&files, Seed::new("seed"));
        let rules = rules.unwrap_or_else(|problems| panic!("{problems}"));
        Stage {
            catalogue,
            instructions,
            rules: Arc::new(rules),
        }
    }

    /// The files of scenarios, with more of them.
    pub(crate) fn scenarios(&self, more: &str) -> Vec<Arc<Source>> {
        scenarios(&self.instructions, more)
    }
}

fn scenarios(instructions: &str, more: &str) -> Vec<Arc<Source>> {
    let own = Source::new("instructions.toml", format!("{more}{instructions}"));
    let built_in = Files::built_in().scenarios;
    std::iter::once(own).chain(built_in).collect()
}

/// The simulator.
pub(crate) struct World {
    pub(crate) host: Arc<Host>,
    pub(crate) cell: Arc<AccountCell>,
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) receiver: Arc<Receiver>,
    pub(crate) journal: Arc<Shadow>,
    machine: Arc<AtomicI64>,
}

impl World {
    pub(crate) fn new(stage: &Stage) -> Self {
        let settings = Settings::of(&stage.catalogue.contract.service);
        let journal = Arc::new(Shadow {
            kept: journals::named(),
            settings,
            accounts: Mutex::default(),
            refusal: AtomicU8::new(Shadow::NONE),
        });
        let receiver = Arc::new(Receiver {
            status: AtomicU16::new(200),
            postings: Mutex::default(),
        });
        let machine = Arc::new(AtomicI64::new(START_MS));
        let host_config = HostConfig {
            journal: journal.clone(),
            transport: receiver.clone(),
            ..HostConfig::new(Clock::Manual(Arc::clone(&machine)))
        };
        let config = AccountConfig {
            id: ACCOUNT.into(),
            live_wallet: Paise(OPENING),
            keys: vec![KeyConfig {
                name: ACCOUNT.to_owned(),
                revoked: false,
                rotated_for_ms: None,
            }],
            allowlist: Vec::new(),
            rate_limit: None,
            webhook: None,
            copies: false,
        };
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build();
        let runtime = runtime.expect("a runtime");
        let host = {
            let _in_runtime = runtime.enter();
            Host::new(Arc::clone(&stage.rules), vec![config], host_config)
                .expect("the journal takes all")
        };
        let cell = host.directory().by_name(ACCOUNT, instant(START_MS));
        let cell = cell.expect("the journal takes all").expect("it was opened");
        World {
            host,
            cell,
            runtime,
            receiver,
            journal,
            machine,
        }
    }

    pub(crate) fn machine_goes_on(&self, ms: i64) {
        self.machine.fetch_add(ms, Ordering::SeqCst);
    }
}

pub(crate) fn instant(ms: i64) -> Timestamp {
    Timestamp::from_millisecond(ms).expect("an instant")
}

/// Rebuilds the accounts from their entries as they are written, and refuses one where it is told to.
pub(crate) struct Shadow {
    /// The store that is named, where one is.
    kept: Option<Arc<dyn Journal>>,
    settings: Settings,
    accounts: Mutex<BTreeMap<String, Account>>,
    refusal: AtomicU8,
}

impl Shadow {
    const NONE: u8 = 0;
    const TO_COME: u8 = 1;
    const MADE: u8 = 2;

    /// Whether the entries so far make this account.
    pub(crate) fn makes(&self, account: &Account) -> bool {
        let kept = self.kept.as_ref().is_none_or(|kept| {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let stored = runtime.expect("a runtime").block_on(kept.load(&account.id));
            let stored = stored.expect("the store gives all");
            let made = stored.and_then(|it| it.rebuild(self.settings.clone()).ok());
            made.as_ref() == Some(account)
        });
        kept && self.accounts.lock().get(&*account.id) == Some(account)
    }

    /// Refuses what is to be written next.
    pub(crate) fn refuse_next(&self) {
        self.refusal.store(Shadow::TO_COME, Ordering::SeqCst);
    }

    /// Whether it refused something since it was told to. It refuses nothing more.
    pub(crate) fn has_refused(&self) -> bool {
        self.refusal.swap(Shadow::NONE, Ordering::SeqCst) == Shadow::MADE
    }
}

impl Journal for Shadow {
    fn append(
        &self,
        id: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let (to_come, made) = (Shadow::TO_COME, Shadow::MADE);
        let order = Ordering::SeqCst;
        // Without entries it only asks.
        if !entries.is_empty()
            && self
                .refusal
                .compare_exchange(to_come, made, order, order)
                .is_ok()
        {
            return Err(JournalError::new("the disk is full".to_owned()));
        }
        let mut accounts = self.accounts.lock();
        for entry in entries.iter().cloned() {
            if let Some(account) = accounts.get_mut(&**id) {
                account.apply(entry);
            } else if let Some(account) = Account::rebuild(self.settings.clone(), [entry]) {
                accounts.insert(id.to_string(), account);
            }
        }
        drop(accounts);
        match &self.kept {
            Some(kept) => kept.append(id, after, entries),
            None => Ok(Appended::at_once(after, entries)),
        }
    }

    fn load(&self, id: &Arc<str>) -> Loading {
        match &self.kept {
            Some(kept) => kept.load(id),
            None => Box::pin(async { Ok(None) }),
        }
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        let kept = self.kept.as_ref();
        kept.map_or_else(|| Ok(Vec::new()), |kept| kept.load_all())
    }

    fn snapshot(&self, id: &Arc<str>, at: Version, snapshot: String) {
        if let Some(kept) = &self.kept {
            kept.snapshot(id, at, snapshot);
        }
    }

    fn close(&self, id: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        self.accounts.lock().remove(&**id);
        match &self.kept {
            Some(kept) => kept.close(id, after),
            None => Ok(Commit::WRITTEN),
        }
    }

    fn shared(&self) -> Option<&dyn SharedStore> {
        self.kept.as_ref()?.shared()
    }
}

/// The receiver of all webhooks.
pub(crate) struct Receiver {
    status: AtomicU16,
    postings: Mutex<Vec<WebhookRequest>>,
}

impl Receiver {
    pub(crate) fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// What came since the last time.
    pub(crate) fn take(&self) -> Vec<WebhookRequest> {
        std::mem::take(&mut self.postings.lock())
    }
}

impl Transport for Receiver {
    fn post(
        &self,
        posting: WebhookRequest,
    ) -> std::pin::Pin<Box<dyn Future<Output = WebhookResponse> + Send + '_>> {
        let id = reference::ids(&posting.body).swap_remove(0);
        let mood = self.status.load(Ordering::SeqCst);
        let status = reference::status_of(mood, &id);
        self.postings.lock().push(posting);
        let reason = match mood {
            REFUSED => "connection refused",
            BREAKS_OFF => "connection closed without an answer",
            TIMED_OUT => "no answer within 10 s",
            _ => "it was silent",
        };
        Box::pin(async move {
            // Only who refuses a connection does so at once.
            for _ in 0..usize::from(mood).min(8) * usize::from(mood != REFUSED) {
                tokio::task::yield_now().await;
            }
            WebhookResponse {
                answered: match status {
                    Some(status) => AttemptOutcome::Status(status),
                    None => AttemptOutcome::Nothing(reason.to_owned()),
                },
                excerpt: Bytes::new(),
            }
        })
    }
}
