//! Entries: all that ever changes in an account. Applying them in order rebuilds it.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;

use super::account::Account;
use super::allowlist::Allowlist;
use super::audit::Access;
use super::calls::{Record, State};
use super::clock::AccountClock;
use super::delivery::{Attempt, Delivery};
use super::flow::FlowChange;
use super::ids::{BodyDigest, Content, VerificationId};
use super::kept::{Heap, Keepable, Standing};
use super::rate_limit::{RateLimit, Window};
use super::ticket::Ticket;
use super::usage::Counted;
use super::wallet::Money;
use crate::engine::call::authenticate::{Key, KeyState};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::scenario::{AccountConfig, WebhookConfig};

/// What one step did to an account.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// When, by the account's clock.
    pub at: Timestamp,
    /// In which of its environments.
    pub environment: Environment,
    /// What changed, in order.
    pub changes: Vec<Change>,
}

impl Entry {
    /// Whether it completes a verification.
    #[must_use]
    pub fn completed(&self, verification: VerificationId) -> bool {
        self.changes.iter().any(|change| {
            matches!(change, Change::Concluded(concluded)
                if concluded.record.verification == verification
                    && concluded.record.state == State::Completed)
        })
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The account came into being. This or the next is the first change of every account, and never
    /// a later one.
    Opened(Box<Opening>),
    /// The account came into being as a copy of another.
    Forked(Box<Account>),
    /// It was set back to its beginning; only its clock goes on.
    Reset,
    /// A call used a part of its key's rate limit.
    RateLimitConsumed {
        /// Which key.
        key: usize,
        /// Its window now.
        window: Window,
    },
    /// A call got its id; one that is executed holds its price and claims its idempotency key.
    Began(Box<Began>),
    /// A result was put off.
    PutOff(Box<Ticket>),
    /// A call was answered, or a pending one got its result.
    Concluded(Box<Concluded>),
    /// An attempt to deliver was made.
    Attempted {
        /// Of which verification's delivery.
        verification: VerificationId,
        /// What came of it.
        attempt: Attempt,
    },
    /// An answer that must be retained was accessed.
    Accessed(Access),
    /// One more attempt to deliver is due now, whatever the schedule says.
    RedeliveryRequested {
        /// Of which verification.
        verification: VerificationId,
    },
    /// The wallet was topped up, or, with less than nothing, something was taken out.
    ToppedUp(Paise),
    /// The account has one more key.
    KeyAdded(Key),
    /// A key works longer, shorter or not at all.
    KeyChanged {
        /// Which one.
        key: usize,
        /// Whether it works.
        state: KeyState,
    },
    /// The keys may be used from elsewhere.
    AllowlistSet(Allowlist),
    /// The keys may be used more or less often. What was used before does not count any more.
    RateLimitSet(Option<RateLimit>),
    /// Webhooks go elsewhere, or nowhere.
    WebhookSet(Option<WebhookConfig>),
    /// The account's clock was set.
    ClockSet(AccountClock),
    /// All accounts together took too much room: of what has ended the oldest was forgotten, until
    /// it took no more than so many bytes.
    Forgot {
        /// How many.
        down_to: usize,
    },
}

/// The beginning of an account.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// What it is when it begins.
    pub config: AccountConfig,
    /// How its time follows the machine's.
    pub clock: AccountClock,
}

/// The beginning of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Began {
    /// Its id.
    pub verification: VerificationId,
    /// What the id was made from.
    pub content: Content,
    /// The idempotency key it runs under, and what says whether another body is the same.
    pub claim: Option<(Arc<str>, BodyDigest)>,
    /// The sequences it is a step of.
    pub sequences: Vec<SequenceKey>,
    /// What was put aside for it.
    pub hold: Paise,
}

/// The end of a call, or its pending answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Concluded {
    /// For the call log.
    pub record: Record,
    /// The idempotency key and the answer to keep under it: the one first given.
    pub claim: Option<(Arc<str>, Option<Reply>)>,
    /// What happens to its hold.
    pub money: Money,
    /// What happens to the account's flows.
    pub flow: Option<FlowChange>,
    /// What happens to the ticket of this verification.
    pub ticket: TicketChange,
    /// The delivery that begins.
    pub delivery: Option<Delivery>,
    /// What is added to the usage.
    pub counted: Option<Counted>,
    /// Of a bundle: its steps, as calls of their own.
    pub steps: Vec<StepConcluded>,
    /// The idempotency key of an earlier call of the same verification, which may lapse now.
    pub lapses: Option<Arc<str>>,
}

/// How a step of a bundle stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StepConcluded {
    /// For the call log.
    pub record: Record,
    /// What is added to the usage.
    pub counted: Option<Counted>,
}

/// What happens to the ticket of a verification.
#[derive(Debug, Clone, PartialEq)]
pub enum TicketChange {
    /// It had none, or the one it had is used up.
    Closed,
    /// It has this one from now on.
    Opened(Box<Ticket>),
}

/// What tells the sequences of an account apart: the scenario and the identifying fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SequenceKey(pub u128);

impl Heap for SequenceKey {
    fn heap(&self) -> usize {
        0
    }
}

/// How many calls a sequence has decided. What is forgotten starts over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decided(pub u32);

impl Heap for Decided {
    fn heap(&self) -> usize {
        0
    }
}

impl Keepable for Decided {
    fn standing(&self) -> Standing {
        Standing::Over
    }
}
