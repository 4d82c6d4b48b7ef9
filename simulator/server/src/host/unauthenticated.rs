//! Calls that no account keeps, because they present no key that works, or are no calls at all (ruling 35): the
//! newest of them, in memory. Whoever floods a listener with them gets no more room than this.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;

use super::Host;
use super::call_execution::CallError;
use super::call_span::{note_answer, note_caller, verification};
use super::clock::Stopwatch;
use super::lock_order::{Mutex, Rank};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::{Call, Environment};
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::Verification;
use crate::engine::{self, UnauthenticatedCall};

/// So many of these calls are kept.
pub const MOST_CALLS: usize = 1000;

/// So many bytes of them are kept.
pub const MOST_BYTES: usize = 2 << 20;

/// One of these calls.
#[derive(Debug)]
pub struct UnauthenticatedRecord {
    /// When it came in, by the machine's clock.
    pub at: Timestamp,
    /// Where it came in.
    pub environment: Environment,
    /// The account whose key it presents, where the key is known and does not work.
    pub account: Option<Arc<str>>,
    /// Its record.
    pub verification: Box<Verification>,
}

/// The newest of these calls.
pub(super) struct UnauthenticatedCalls {
    list: Mutex<List>,
}

#[derive(Default)]
struct List {
    calls: VecDeque<Arc<UnauthenticatedRecord>>,
    bytes: usize,
    forgotten: u64,
}

/// What is kept of these calls.
#[derive(Debug, Clone)]
pub struct KeptUnauthenticated {
    /// The calls, the oldest first.
    pub calls: Vec<Arc<UnauthenticatedRecord>>,
    /// What they take, in bytes.
    pub bytes: usize,
    /// How many older ones were forgotten.
    pub forgotten: u64,
}

impl Default for UnauthenticatedCalls {
    fn default() -> Self {
        UnauthenticatedCalls {
            list: Mutex::new(Rank::Record, List::default()),
        }
    }
}

impl UnauthenticatedRecord {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<Verification>() + self.verification.heap_bytes()
    }
}

impl UnauthenticatedCalls {
    pub(super) fn note(&self, call: UnauthenticatedRecord) {
        let call = Arc::new(call);
        let mut list = self.list.lock();
        list.bytes += call.bytes();
        list.calls.push_back(call);
        while list.calls.len() > MOST_CALLS || list.bytes > MOST_BYTES {
            let Some(oldest) = list.calls.pop_front() else {
                return;
            };
            list.bytes -= oldest.bytes();
            list.forgotten += 1;
        }
    }

    fn kept(&self) -> KeptUnauthenticated {
        let list = self.list.lock();
        KeptUnauthenticated {
            calls: list.calls.iter().cloned().collect(),
            bytes: list.bytes,
            forgotten: list.forgotten,
        }
    }
}

impl Host {
    /// The newest calls that no account keeps.
    #[must_use]
    pub fn unauthenticated_calls(&self) -> KeptUnauthenticated {
        self.unauthenticated.kept()
    }

    /// The reply to a call that made the service fail.
    #[must_use]
    pub fn internal_error_reply(&self, call: &Call<'_>) -> Reply {
        self.internal_reply(call, &Rejection::Internal, Stopwatch::start())
    }

    fn internal_reply(&self, call: &Call<'_>, failed: &Rejection, watch: Stopwatch) -> Reply {
        let refused = self.without_account(call, failed);
        self.count(call.environment, &refused, watch);
        refused.reply
    }

    fn count(&self, environment: Environment, refused: &UnauthenticatedCall, watch: Stopwatch) {
        let (contract, endpoint) = (&self.rules().contract, &refused.verification.endpoint);
        self.metrics()
            .answered_nobody(contract, environment, endpoint, &refused.reply, watch);
    }

    /// The reply to a request that no call can be made of: nothing is executed.
    #[must_use]
    pub fn malformed_request_reply(&self, call: &Call<'_>, reason: &str) -> Reply {
        self.unauthenticated_reply(call, &Rejection::input(reason), Stopwatch::start())
    }

    pub(super) fn unauthenticated_reply(
        &self,
        call: &Call<'_>,
        rejection: &Rejection,
        watch: Stopwatch,
    ) -> Reply {
        let refused = self.without_account(call, rejection);
        self.count(call.environment, &refused, watch);
        note_caller("", || self.called(call.path));
        note_answer(&refused.reply, watch);
        self.note_unauthenticated(call.environment, None, refused)
    }

    /// Keeps a call that no account keeps. Gives its reply.
    pub(super) fn note_unauthenticated(
        &self,
        environment: Environment,
        account: Option<&Arc<str>>,
        call: UnauthenticatedCall,
    ) -> Reply {
        let UnauthenticatedCall {
            reply,
            verification,
        } = call;
        self.unauthenticated.note(UnauthenticatedRecord {
            at: self.clock.now(),
            environment,
            account: account.map(Arc::clone),
            verification,
        });
        reply
    }

    pub(super) fn internal_error(
        &self,
        call: &Call<'_>,
        account: Option<&str>,
        error: &CallError,
        watch: Stopwatch,
    ) -> Reply {
        let reply = self.internal_reply(call, &error.rejection(), watch);
        let operation = self.called(call.path);
        let verification = verification(&reply);
        tracing::error!(account, operation, verification, %error, "a call was answered with an internal error");
        reply
    }

    fn without_account(&self, call: &Call<'_>, rejection: &Rejection) -> UnauthenticatedCall {
        engine::unauthenticated_reply(&self.rules(), call, rejection, self.clock.now())
    }
}
