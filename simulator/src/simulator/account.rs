//! What a test does with one account of a running simulator. Every method is one thing that the host does.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::{Environment, Paise};
use tokio::runtime::Handle;

use crate::engine::state::clock::AccountClock;
use crate::engine::state::delivery::Delivery;
use crate::engine::state::manage;
use crate::engine::state::received::ReceivedRequest;
use crate::engine::state::wallet::Wallet;
use crate::host::clock_move::{ClockMove, ClockMoveError, ClockTarget};
use crate::host::journal::JournalError;
use crate::host::transport::TargetPolicy;
use crate::host::{AccountCell, ChangeError, Host, ScenariosError};
use crate::scenario::WebhookConfig;

/// An account of a running [`Simulator`](super::Simulator).
///
/// ```
/// use std::time::Duration;
///
/// use svc_simulator::{Environment, Simulator};
///
/// let simulator = Simulator::start_blocking();
/// let account = simulator.account("worker7");
/// assert_eq!(account.test_key(), "svc_test_local_worker7");
///
/// account.freeze_clock()?;
/// let before = account.now();
/// simulator.block_on(account.advance(Duration::from_secs(3600)))?;
/// assert_eq!(account.now().duration_since(before).as_secs(), 3600);
/// assert!(account.calls(Environment::Test).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct AccountHandle {
    host: Arc<Host>,
    cell: Arc<AccountCell>,
    targets: TargetPolicy,
    runtime: Handle,
}

/// A call as the call log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSummary {
    /// Its id.
    pub verification_id: String,
    /// What was called, dotted.
    pub endpoint: String,
    /// When it came in, by the account's clock.
    pub at: Timestamp,
    /// The HTTP status of its newest answer.
    pub status: u16,
    /// Its newest envelope.
    pub envelope: Bytes,
    /// What was charged.
    pub charged: Paise,
    /// The request as it came in, credentials blacked out; none of the step of a bundle.
    pub request: Option<ReceivedRequest>,
}

/// Why a receiver was not registered.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// No webhook may go to this URL.
    #[error("{0}")]
    TargetRefused(String),
    /// The account was not changed.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl AccountHandle {
    pub(super) fn new(
        host: &Arc<Host>,
        cell: Arc<AccountCell>,
        targets: TargetPolicy,
        runtime: Handle,
    ) -> Self {
        let host = Arc::clone(host);
        AccountHandle {
            runtime,
            host,
            cell,
            targets,
        }
    }

    /// Its id, as the control API has it.
    #[must_use]
    pub fn id(&self) -> &str {
        self.cell.id()
    }

    /// Its first key of the sandbox.
    #[must_use]
    pub fn test_key(&self) -> String {
        self.key(Environment::Test)
    }

    /// Its first key of live.
    #[must_use]
    pub fn live_key(&self) -> String {
        self.key(Environment::Live)
    }

    fn key(&self, environment: Environment) -> String {
        format!("{}{}", environment.key_prefix(), self.id())
    }

    /// What its clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let machine = self.host.now();
        self.cell.read(|account| account.clock.read(machine))
    }

    /// Moves its clock forward. All that falls due on the way has been done when this comes back:
    /// results, keys and limits that end, webhooks and their retries.
    ///
    /// # Errors
    /// [`ClockMoveError`].
    pub async fn advance(&self, by: Duration) -> Result<ClockMove, ClockMoveError> {
        let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
        self.host.move_clock(&self.cell, ClockTarget::By(by)).await
    }

    /// Moves its clock forward to an instant, as [`AccountHandle::advance`] does.
    ///
    /// # Errors
    /// [`ClockMoveError`], such as where it already shows a later one.
    pub async fn set_clock(&self, at: Timestamp) -> Result<ClockMove, ClockMoveError> {
        self.host.move_clock(&self.cell, ClockTarget::At(at)).await
    }

    /// Lets its clock stand still until it is moved. Gives what it shows.
    ///
    /// # Errors
    /// Where the entry is not written.
    pub fn freeze_clock(&self) -> Result<Timestamp, JournalError> {
        self.durably(|| self.host.set_clock(&self.cell, AccountClock::frozen))
    }

    /// Lets its clock run on from what it shows. Gives what that is.
    ///
    /// # Errors
    /// Where the entry is not written.
    pub fn run_clock(&self) -> Result<Timestamp, JournalError> {
        self.durably(|| self.host.set_clock(&self.cell, AccountClock::running))
    }

    /// Its live wallet: balance, what is held for calls that run, and what was charged.
    #[must_use]
    pub fn wallet(&self) -> Wallet {
        self.cell
            .read(|account| account.environment(Environment::Live).wallet)
    }

    /// Lets its live wallet hold just so much.
    ///
    /// # Errors
    /// [`ChangeError`], such as where more than that is held for calls that run.
    pub fn set_balance(&self, balance: Paise) -> Result<(), ChangeError> {
        const LIVE: Environment = Environment::Live;
        self.durably(|| {
            self.host.change(&self.cell, LIVE, |account, _| {
                manage::set_balance(account, LIVE, balance)
            })
        })
    }

    /// Registers where its webhooks go, of sandbox and live, and what they are signed with.
    ///
    /// # Errors
    /// [`WebhookError`].
    pub fn set_webhook(&self, url: &str, secret: &str) -> Result<(), WebhookError> {
        let checked = self.targets.check_url(url);
        checked.map_err(WebhookError::TargetRefused)?;
        let webhook = WebhookConfig {
            url: url.into(),
            secret: secret.into(),
        };
        for environment in Environment::ALL {
            let set = || Ok(manage::set_webhook(Some(webhook.clone())));
            self.durably(|| self.host.change(&self.cell, environment, |_, _| set()))?;
        }
        Ok(())
    }

    /// Adds scenarios for this account alone, before all others.
    ///
    /// # Errors
    /// Every mistake in them; then nothing is added.
    pub fn add_scenarios(&self, toml: &str) -> Result<(), ScenariosError> {
        let add = || self.host.add_scenarios(&self.cell, toml);
        self.durably(add).map(drop)
    }

    /// Its calls of an environment, in the order in which they came.
    #[must_use]
    pub fn calls(&self, environment: Environment) -> Vec<CallSummary> {
        self.cell.read(|account| {
            let log = account.environment(environment).verifications.log();
            let summaries = log.map(|(call, answer)| CallSummary {
                verification_id: call.id.to_string(),
                endpoint: call.endpoint.to_string(),
                at: call.created_at,
                status: answer.status,
                envelope: answer.sent(),
                charged: call.charged,
                request: call.request.clone(),
            });
            summaries.collect()
        })
    }

    /// Its webhook deliveries of an environment with their attempts, the oldest first.
    #[must_use]
    pub fn deliveries(&self, environment: Environment) -> Vec<Delivery> {
        let deliveries = |account: &crate::engine::state::account::Account| {
            let deliveries = account.environment(environment).verifications.deliveries();
            deliveries.map(|(_, delivery)| delivery.clone()).collect()
        };
        self.cell.read(deliveries)
    }

    /// Makes a change and waits, on this thread, until it is written: a store in memory has written it at once,
    /// any other writes on threads of its own.
    fn durably<T: Send, E: From<JournalError> + Send>(
        &self,
        change: impl FnMut() -> Result<T, E> + Send,
    ) -> Result<T, E> {
        let mut changed = std::pin::pin!(self.host.durably(&self.cell, change));
        if let Some(changed) = changed.as_mut().now_or_never() {
            return changed;
        }
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| self.runtime.block_on(changed));
            waiting.join().expect("a change does not panic")
        })
    }

    /// Sets it back to what it was when it came into being; only its clock goes on.
    ///
    /// # Errors
    /// Where the entry is not written.
    pub fn reset(&self) -> Result<(), JournalError> {
        self.durably(|| self.host.reset(&self.cell))
    }
}

impl std::fmt::Debug for AccountHandle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("AccountHandle").field(&self.id()).finish()
    }
}
