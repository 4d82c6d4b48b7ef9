//! The state of an account in one environment, and how much of it is kept. What is evicted follows from
//! the account's own entries alone, so that applying them again makes the same account.

use foldhash::fast::FixedState;
use hashlink::LinkedHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{ErrorCode, Paise};

use super::audit::Audit;
use super::counters::Counters;
use super::form;
use super::ids::SequenceKey;
use super::rejection::Rejection;
use super::sizes::{ALLOCATED, Sum, map_place};
use super::usage::{Counted, Row, Usage, day};
use super::verification::{Phase, State, Verification};
use super::verifications::{Expiry, Verifications};
use super::wallet::Wallet;
use super::wallet_history::WalletHistory;
use crate::scenario::WebhookConfig;

/// The state of an account in one environment. Nothing is seen across the two (ruling 14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentState {
    /// Its money; on the sandbox always empty.
    pub wallet: Wallet,
    /// How it came to that; on the sandbox always empty.
    #[serde(default, skip_serializing_if = "WalletHistory::is_empty")]
    pub wallet_history: WalletHistory,
    /// Its verifications.
    pub verifications: Verifications,
    /// How often each thing was asked.
    pub counters: Counters,
    /// How many calls each sequence of a scenario has decided, the one used last at the back.
    #[serde(with = "form::pairs")]
    pub sequences: LinkedHashMap<SequenceKey, u32, FixedState>,
    /// How many sequences were evicted.
    pub sequences_evicted: u64,
    /// What it spent.
    pub usage: Usage,
    /// Who looked at answers that must be retained.
    pub audit: Audit,
    /// Where its webhooks go.
    pub webhook: Option<WebhookConfig>,
}

/// How much is kept for each account and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct RetentionLimits {
    /// So many calls in the call log (`--keep-calls`); pending ones count, and are kept in any case.
    pub calls: usize,
    /// So many webhooks that have ended: `--keep-deliveries`.
    pub deliveries: usize,
    /// So many bytes of what may be evicted, and at most as many of what may not: `--keep-bytes`.
    pub bytes: usize,
}

impl RetentionLimits {
    /// What is kept by default.
    pub const DEFAULT: RetentionLimits = RetentionLimits {
        calls: 10_000,
        deliveries: 10_000,
        bytes: 16 << 20,
    };
}

impl Default for RetentionLimits {
    fn default() -> Self {
        RetentionLimits::DEFAULT
    }
}

/// What was evicted to bound memory, by what it was kept for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evictions {
    /// Calls that left the call log.
    pub calls: u64,
    /// Webhooks with their attempts.
    pub deliveries: u64,
    /// Idempotency keys before their time.
    pub idempotency_keys: u64,
    /// What later steps of a flow carry on.
    pub flows: u64,
    /// How often a sequence has decided: it starts over.
    pub sequences: u64,
    /// How often something was asked: the floor of all counts rises.
    pub counters: u64,
    /// Accesses to answers that must be retained.
    pub audit: u64,
    /// Movements of the wallet.
    pub wallet: u64,
}

impl Evictions {
    /// Each kind with its name where people read it.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("deliveries", self.deliveries),
            ("calls", self.calls),
            ("flows", self.flows),
            ("sequences", self.sequences),
            ("counters", self.counters),
            ("idempotencyKeys", self.idempotency_keys),
            ("audit", self.audit),
            ("wallet", self.wallet),
        ]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }
}

/// A store of what may be evicted, oldest first. Where several weigh the same, the first gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evictable {
    /// Verifications that have ended.
    Verifications,
    /// How often sequences have decided.
    Sequences,
    /// How often each thing was asked.
    Counters,
    /// The audit.
    Audit,
    /// What happened to the wallet.
    Wallet,
}

impl Evictable {
    /// All of them.
    pub const ALL: [Evictable; 5] = [
        Evictable::Verifications,
        Evictable::Sequences,
        Evictable::Counters,
        Evictable::Audit,
        Evictable::Wallet,
    ];
}

/// What a sequence takes: a node of its own and its place in the hash table.
const SEQUENCE_BYTES: usize =
    size_of::<(SequenceKey, u32)>() + 2 * size_of::<usize>() + ALLOCATED + map_place::<usize, ()>();

/// What an answer of this verification adds to the usage, as far as it has come.
fn usage_of(of: &Verification) -> Row {
    let Some(answer) = of.answer.as_ref().filter(|_| of.counted) else {
        return Row::default();
    };
    let mut row = Row {
        calls: 1,
        ..Row::default()
    };
    if of.phase == Phase::Ended {
        match answer.state {
            State::Completed => row.completed = 1,
            State::Failed(ErrorCode::NoRecordFound) => row.no_record = 1,
            State::Failed(_) => row.failed = 1,
            State::Pending => {}
        }
        row.billed = u64::from(of.charged > Paise::ZERO);
        row.amount = of.charged;
    }
    row
}

impl EnvironmentState {
    /// Puts a verification in the place of what was known of it. Usage and charges follow.
    pub(super) fn record(&mut self, verification: Box<Verification>) {
        let (day, endpoint) = (day(verification.created_at), verification.endpoint.clone());
        let (after, charged) = (usage_of(&verification), verification.charged);
        let is_step = verification.bundle.is_some();
        let of = match is_step {
            true => Counted::Step,
            false if verification.is_bundle() => Counted::Bundle,
            false => Counted::Call,
        };
        let counted = verification.counted && verification.answer.is_some();
        let before = self.verifications.put(verification);
        let (row, charged_before) = before.map_or((Row::default(), Paise::ZERO), |before| {
            (usage_of(&before), before.charged)
        });
        if counted {
            self.usage.count(day, endpoint, after.minus(&row), of);
        }
        if !is_step {
            self.wallet
                .note_charged(Paise(charged.0 - charged_before.0));
        }
    }

    /// Checks what must always hold of money: what the wallet did itself against what the
    /// verifications say (ruling 22). In release builds, too: a wrong balance is worse than none.
    ///
    /// # Panics
    /// Where it does not hold.
    pub fn assert_money_adds_up(&self) {
        let (wallet, held) = (&self.wallet, self.verifications.totals().held);
        assert!(
            self.money_adds_up(),
            "the wallet does not add up: {wallet:?}, and the verifications hold {held}"
        );
    }

    /// Whether it does.
    #[must_use]
    pub fn money_adds_up(&self) -> bool {
        self.wallet.adds_up() && self.wallet.held() == self.verifications.totals().held
    }

    /// How many calls of a sequence were decided.
    #[must_use]
    pub fn decided(&self, sequence: SequenceKey) -> u32 {
        self.sequences.get(&sequence).copied().unwrap_or(0)
    }

    /// One more call of a sequence was decided.
    pub(super) fn advance_sequence(&mut self, sequence: SequenceKey) {
        let decided = self.decided(sequence) + 1;
        self.sequences.insert(sequence, decided);
    }

    /// Takes back the calls whose answer is delayed, as if they had never been made.
    pub(super) fn roll_back_delayed(&mut self) {
        let delayed: Vec<_> = self.verifications.delayed().map(|it| it.id).collect();
        for id in delayed {
            let released = self.verifications.roll_back(id);
            self.wallet.settle(released, Paise::ZERO);
            self.wallet_history.forget_hold(id);
        }
    }

    /// What may be evicted of a store.
    #[must_use]
    pub fn evictable(&self, of: Evictable) -> Sum {
        match of {
            Evictable::Verifications => self.verifications.totals().evictable,
            Evictable::Sequences => Sum {
                count: self.sequences.len(),
                bytes: self.sequences.len() * SEQUENCE_BYTES,
            },
            Evictable::Counters => self.counters.evictable(),
            Evictable::Audit => self.audit.evictable(),
            Evictable::Wallet => self.wallet_history.evictable(),
        }
    }

    /// What is never evicted now of a store, because something is still to come of it.
    #[must_use]
    pub fn pinned(&self, of: Evictable) -> Sum {
        match of {
            Evictable::Verifications => self.verifications.totals().pinned,
            Evictable::Sequences | Evictable::Counters | Evictable::Audit | Evictable::Wallet => {
                Sum::default()
            }
        }
    }

    /// The bytes of all that may be evicted.
    #[must_use]
    pub fn evictable_bytes(&self) -> usize {
        let all = Evictable::ALL.into_iter();
        all.map(|of| self.evictable(of).bytes).sum()
    }

    /// The bytes of all that is never evicted now: what is pending, due or delayed, and the usage.
    #[must_use]
    pub fn pinned_bytes(&self) -> usize {
        self.verifications.totals().pinned.bytes + self.usage.rows().bytes
    }

    /// What was evicted to bound memory.
    #[must_use]
    pub fn evictions(&self) -> Evictions {
        let of = self.verifications.evicted();
        Evictions {
            calls: of.calls,
            deliveries: of.deliveries,
            idempotency_keys: of.keys,
            flows: of.flows,
            sequences: self.sequences_evicted,
            counters: self.counters.evicted(),
            audit: self.audit.evicted(),
            wallet: self.wallet_history.evicted(),
        }
    }

    /// Whether all sums that run along are what counting anew gives: for tests.
    #[must_use]
    pub fn sums_hold(&self) -> bool {
        self.verifications.totals() == self.verifications.recount()
    }

    /// Whether one more call may be executed: what is pending is never evicted, so that there must be an
    /// end to it.
    ///
    /// # Errors
    /// [`Rejection::TooMuchPending`].
    pub fn check_room(&self, limits: &RetentionLimits) -> Result<(), Rejection> {
        match self.pinned_bytes() < limits.bytes {
            true => Ok(()),
            false => Err(Rejection::TooMuchPending),
        }
    }

    /// Evicts what is too much.
    pub(super) fn evict_beyond(&mut self, limits: &RetentionLimits, expiry: Expiry) {
        self.verifications
            .evict_beyond(limits.calls, limits.deliveries, expiry);
        self.wallet_history.trim(limits.calls);
        while self.evictable_bytes() > limits.bytes && self.evict_heaviest(expiry) {}
    }

    /// Evicts until no more than so many bytes are left of what may be evicted.
    pub(super) fn evict_down_to(&mut self, bytes: usize, expiry: Expiry) {
        while self.evictable_bytes() > bytes && self.evict_heaviest(expiry) {}
        self.verifications.shrink();
        self.audit.shrink();
        self.wallet_history.shrink();
        if self.sequences.capacity() > 2 * self.sequences.len() {
            self.sequences.shrink_to_fit();
        }
    }

    /// The store that takes most gives its oldest: so each keeps what it needs as long as another one
    /// needs more.
    fn evict_heaviest(&mut self, expiry: Expiry) -> bool {
        let all = Evictable::ALL.into_iter().rev();
        match all.max_by_key(|of| self.evictable(*of).bytes) {
            Some(Evictable::Verifications) => self.verifications.evict_oldest(expiry),
            Some(Evictable::Sequences) => {
                let evicted = self.sequences.pop_front().is_some();
                self.sequences_evicted += u64::from(evicted);
                evicted
            }
            Some(Evictable::Counters) => self.counters.evict_oldest(),
            Some(Evictable::Audit) => self.audit.evict_oldest(),
            Some(Evictable::Wallet) => self.wallet_history.evict_oldest(),
            None => false,
        }
    }
}
