//! Entries: all that ever changes in an account. Applying them in order rebuilds it.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use svc_fixtures::contract::{Environment, Paise};

use super::access::{Allowlist, Key, KeyState, RateLimit, Window};
use super::account::Account;
use super::audit::Access;
use super::clock::AccountClock;
use super::delivery::Attempt;
use super::flow::FlowAdvance;
use super::form::EntryError;
use super::ids::{CounterKey, SequenceKey, VerificationId};
use super::scenarios::AddedFile;
use super::verification::{Phase, State, Verification};
use super::wallet_history::{Movement, MovementKind};
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

/// One change. Money and counters are changes of their own beside the record of a verification, so that
/// each can be checked against the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Change {
    /// The account came into being (rulings 14 and 15). This or the next is the first change of every
    /// account, and never a later one.
    Opened(Box<Opening>),
    /// The account came into being as a copy of another (ruling 15).
    Forked(Box<Account>),
    /// It was set back to its beginning; only its clock goes on (ruling 34).
    Reset,
    /// A call used a part of its key's rate limit (ruling 17).
    RateLimitConsumed {
        /// Which key.
        key: usize,
        /// Its window now.
        window: Window,
    },
    /// Something was asked once more, so that its next id differs (ruling 2).
    CallCounted {
        /// What was asked.
        content: CounterKey,
    },
    /// A sequence of a scenario decided one more call (ruling 33).
    SequenceAdvanced {
        /// Which one.
        sequence: SequenceKey,
    },
    /// A price was put aside (ruling 22).
    HoldOpened {
        /// How much.
        amount: Paise,
    },
    /// A hold was committed, or released where nothing is charged (ruling 22).
    HoldSettled {
        /// What was put aside.
        amount: Paise,
        /// What was taken for good.
        charged: Paise,
    },
    /// A verification was made, or has come further: this is all of it now (rulings 19 and 24).
    Recorded(Box<Verification>),
    /// A step of a flow is done (ruling 11).
    FlowAdvanced(FlowAdvance),
    /// An attempt to deliver was made (ruling 25).
    Attempted {
        /// Of which verification's webhook.
        verification: VerificationId,
        /// What came of it. It is by far the largest change, and the lists of changes are of one size.
        attempt: Box<Attempt>,
    },
    /// An answer that must be retained was accessed (ruling 23).
    Accessed(Access),
    /// One more attempt to deliver is due now, whatever the schedule says (ruling 25).
    RedeliveryRequested {
        /// Of which verification.
        verification: VerificationId,
    },
    /// The wallet was topped up, or, with less than nothing, something was taken out (ruling 34).
    ToppedUp {
        /// How much.
        amount: Paise,
    },
    /// The account has one more key (ruling 15).
    KeyAdded {
        /// The key.
        key: Key,
    },
    /// A key works longer, shorter or not at all (ruling 15).
    KeyChanged {
        /// Which one.
        key: usize,
        /// Whether it works.
        state: KeyState,
    },
    /// The keys may be used from elsewhere (ruling 14).
    AllowlistSet {
        /// From where.
        networks: Allowlist,
    },
    /// The keys may be used more or less often (ruling 14). What was used before does not count any more.
    RateLimitSet {
        /// How often; without end where there is none.
        limit: Option<RateLimit>,
    },
    /// Webhooks go elsewhere, or nowhere (ruling 26).
    WebhookSet {
        /// Where, and what they are signed with.
        webhook: Option<WebhookConfig>,
    },
    /// Scenarios were added for this account alone, before all others (ruling 36).
    ScenariosAdded {
        /// Their file.
        file: AddedFile,
    },
    /// Scenarios that were added say something else now (ruling 36).
    ScenariosRewritten {
        /// Their file, with another text.
        file: AddedFile,
    },
    /// Scenarios that were added were taken away again (ruling 36).
    ScenariosRemoved {
        /// The path of their file.
        path: Arc<str>,
    },
    /// The account's clock was set (ruling 24).
    ClockSet {
        /// How it stands.
        clock: AccountClock,
    },
    /// All accounts together took too much memory: what ended first was evicted, never what is pending,
    /// until no more than so many bytes were left that may be (rulings 2 and 18).
    Evicted {
        /// How many.
        down_to: usize,
    },
}

impl Change {
    fn may_fall_due(&self) -> bool {
        match self {
            Change::Recorded(made) => made.phase != Phase::Ended || made.delivery.is_some(),
            Change::Opened(_)
            | Change::Forked(_)
            | Change::Reset
            | Change::Attempted { .. }
            | Change::RedeliveryRequested { .. }
            | Change::WebhookSet { .. }
            | Change::ClockSet { .. } => true,
            Change::RateLimitConsumed { .. }
            | Change::CallCounted { .. }
            | Change::SequenceAdvanced { .. }
            | Change::HoldOpened { .. }
            | Change::HoldSettled { .. }
            | Change::FlowAdvanced(_)
            | Change::Accessed(_)
            | Change::ToppedUp { .. }
            | Change::KeyAdded { .. }
            | Change::KeyChanged { .. }
            | Change::AllowlistSet { .. }
            | Change::RateLimitSet { .. }
            | Change::ScenariosAdded { .. }
            | Change::ScenariosRewritten { .. }
            | Change::ScenariosRemoved { .. }
            | Change::Evicted { .. } => false,
        }
    }
}

/// The beginning of an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opening {
    /// What it is when it begins.
    pub config: AccountConfig,
    /// How its time follows the machine's.
    pub clock: AccountClock,
}

/// The form in which entries are written. A version that writes another one reads this one, too.
const FORM: u32 = 1;

/// An entry as it is read: each change still as the text it was written as.
#[derive(Deserialize)]
struct Written<'t> {
    at: Timestamp,
    environment: Environment,
    #[serde(borrow)]
    changes: Vec<&'t RawValue>,
}

/// Just the form.
#[derive(Deserialize)]
struct Form {
    form: u32,
}

/// A change is written as one object, its name first: `{"change":"name","member":…}`. `serde` would read that by holding
/// all of it in memory first, and compile a second reader of every type in it; `{"name":{"member":…}}` it reads as it comes.
impl Change {
    fn write(&self, out: &mut String) {
        let text = json(self);
        out.push_str("{\"change\":");
        match text.strip_prefix('{').and_then(|it| it.split_once(":{")) {
            Some((name, members)) => {
                out.push_str(name);
                out.push(',');
                out.push_str(&members[..members.len() - 1]);
            }
            None => {
                out.push_str(&text);
                out.push('}');
            }
        }
    }

    fn read(text: &str) -> serde_json::Result<Self> {
        let named = text.strip_prefix("{\"change\":").unwrap_or(text);
        match named.split_once(',') {
            Some((name, members)) => serde_json::from_str(&format!("{{{name}:{{{members}}}")),
            None => serde_json::from_str(named.trim_end_matches('}')),
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts, numbers and lists print into memory")
}

impl Entry {
    /// Whether something may fall due after it that did not before.
    #[must_use]
    pub fn may_fall_due(&self) -> bool {
        self.changes.iter().any(Change::may_fall_due)
    }

    /// Its JSON form, in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Entry {
            at,
            environment,
            changes,
        } = self;
        let (at, environment) = (json(at), json(environment));
        let mut out =
            format!("{{\"form\":{FORM},\"at\":{at},\"environment\":{environment},\"changes\":[");
        for (number, change) in changes.iter().enumerate() {
            if number > 0 {
                out.push(',');
            }
            change.write(&mut out);
        }
        out.push_str("]}");
        out
    }

    /// Reads its JSON form.
    ///
    /// # Errors
    /// [`EntryError`] where it is no entry, or one that a newer version wrote.
    pub fn from_json(text: &str) -> Result<Self, EntryError> {
        let Form { form } = serde_json::from_str(text)?;
        if form > FORM {
            return Err(EntryError::Newer {
                found: form,
                known: FORM,
            });
        }
        let written: Written<'_> = serde_json::from_str(text)?;
        let changes = written.changes.iter();
        Ok(Entry {
            at: written.at,
            environment: written.environment,
            changes: changes
                .map(|it| Change::read(it.get()))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The verifications that it records.
    pub fn recorded(&self) -> impl Iterator<Item = &Verification> {
        self.changes.iter().filter_map(|change| match change {
            Change::Recorded(verification) => Some(&**verification),
            _ => None,
        })
    }

    /// What it does to the wallet.
    #[must_use]
    pub fn movement(&self) -> Option<Movement> {
        let (mut topped_up, mut held, mut settled) = (None, None, None);
        for change in &self.changes {
            match change {
                Change::ToppedUp { amount } => topped_up = Some(*amount),
                Change::HoldOpened { amount } => held = Some(*amount),
                Change::HoldSettled { amount, charged } => settled = Some((*amount, *charged)),
                _ => {}
            }
        }
        let kind = match (topped_up, held, settled) {
            (Some(amount), ..) => MovementKind::ToppedUp { amount },
            (None, Some(_), Some((amount, charged))) => {
                MovementKind::HeldAndSettled { amount, charged }
            }
            (None, Some(amount), None) => MovementKind::Held { amount },
            (None, None, Some((amount, charged))) => MovementKind::Settled { amount, charged },
            (None, None, None) => return None,
        };
        // The steps of a bundle are recorded, too: the bundle pays.
        let mut whole = self.recorded().filter(|it| it.bundle.is_none());
        Some(Movement {
            at: self.at,
            kind,
            verification: whole.next().map(|it| it.id),
        })
    }

    /// Whether it completes a verification.
    #[must_use]
    pub fn completes(&self, id: VerificationId) -> bool {
        self.recorded().any(|verification| {
            let answer = verification.answer.as_ref();
            verification.id == id && answer.is_some_and(|it| it.state == State::Completed)
        })
    }
}
