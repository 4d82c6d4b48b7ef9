//! What must hold of an answer, as data. How it is judged is in `verdict/`.

use std::collections::BTreeMap;
use std::fmt;

use svc_fixtures::contract::{ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use super::law::LawRule;
use super::place::Place;
use super::predicate::{EarlierValue, Predicate};
use super::webhook::WebhookRule;

/// A rule and the clause it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// The clause.
    pub clause: String,
    /// The rule.
    pub rule: Rule,
}

/// What must hold of the answer to one step. Places are those of steps in the same case.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// The call ends so.
    Ends(Ending),
    /// Some call of the case ends so.
    SomeEnds(Ending),
    /// No call of the case ends so.
    NoneEnds(Ending),
    /// `error.message` has this text in it.
    Mentions(String),
    /// The member of `data` repeats the field of the request that has its name, however its letters are set.
    Echoes(String),
    /// This holds of what stands at this place.
    Value(Place, Predicate),
    /// The body is, byte for byte, the one of the answer to that step.
    SameBytes(usize),
    /// Id, `status`, `data` and `error` are those of the answer to that step.
    SameResult(usize),
    /// Status, `status` and `error.code` are those of the answer to that step.
    SameEnding(usize),
    /// `data` is that of the answer to that step, but for what a service makes up for each call.
    SameData(usize),
    /// It is the log of the call of this step, where there is such a look-up: it says how that failed, and what it was
    /// charged.
    Logs(usize),
    /// What the answers to the steps of each side say alike is the same on both sides: to calls that give a field
    /// its default, and to calls that leave it out; to flows alone, and to flows with another begun meanwhile.
    Alike {
        /// The steps that give it, or are alone.
        given: [usize; 2],
        /// The steps that leave it out, or are not.
        left_out: [usize; 2],
    },
    /// The `verificationId` is another than that of that step.
    OtherId(usize),
    /// The HTTP status, of an answer that is no envelope.
    Status(u16),
    /// There is something at the path that takes this method and does not fail, whatever it answers.
    Exists,
    /// Of what came to the run's receiver: just so many deliveries.
    Received(usize),
    /// Of what came to the run's receiver: each is signed as the contract says.
    Signed,
    /// Of what came to the run's receiver: each has the bytes of the answer to that step.
    BodiesAre(usize),
    /// Of what came to a receiver that the provider has registered.
    Webhook(WebhookRule),
    /// The header has this value; with none, any value.
    Header(&'static str, Option<&'static str>),
    /// There is no such header.
    NoHeader(&'static str),
    /// Of all answers of the case just one lacks this header, and all have the same bytes.
    OneWithout(&'static str),
    /// `billing.charged` is this.
    Charged(bool),
    /// The price that was charged.
    Price(Paise),
    /// `walletBalanceAfter` is what it was at that step less what was charged here.
    BalanceFell(usize),
    /// `walletBalanceAfter` is what it was at that step less what all calls since were charged.
    BalanceAddsUp(usize),
    /// Of all answers of the case those with a result have one `verificationId`.
    OneId,
    /// The usage has grown by so much since that step.
    UsageGrew {
        /// The step that asked for the usage before.
        since: usize,
        /// The endpoint.
        endpoint: String,
        /// By how much.
        by: UsageRow,
    },
    /// What the usage tells of an endpoint grew by what was charged, between these steps and since the second.
    Spend {
        /// The steps that asked for the usage before.
        steps: [usize; 2],
        /// The endpoint.
        endpoint: String,
    },
    /// What the usage tells of an endpoint did not grow over two calls of the other environment, or of another account,
    /// which were made since the second of these steps, as it did over one here between them.
    UsageApart {
        /// The steps that asked for the usage before.
        steps: [usize; 2],
        /// The endpoint.
        endpoint: String,
    },
    /// The usage has just these rows, by endpoint.
    Usage(BTreeMap<String, UsageFigures>),
    /// A law holds of the answers up to this one.
    Law(Box<LawRule>),
    /// Where the answer to an earlier step says this, this holds.
    Where(EarlierValue, Json<'static>, Box<Rule>),
}

impl Rule {
    /// The call ends in this error, with the status of the table.
    #[must_use]
    pub fn fails(code: ErrorCode) -> Self {
        Rule::Ends(Ending::Error(code))
    }

    /// Whether it looks at what all calls of an account have made of it: its wallet, its usage, its
    /// limits, its webhooks.
    #[must_use]
    pub fn measures_account(&self) -> bool {
        let limits = [ErrorCode::RateLimited, ErrorCode::InsufficientBalance];
        let limit = |ending: &Ending| ending.code().is_some_and(|code| limits.contains(&code));
        match self {
            Rule::BalanceFell(_)
            | Rule::BalanceAddsUp(_)
            | Rule::UsageGrew { .. }
            | Rule::Spend { .. }
            | Rule::UsageApart { .. }
            | Rule::Usage(_)
            | Rule::Received(_) => true,
            Rule::Ends(ending) | Rule::SomeEnds(ending) | Rule::NoneEnds(ending) => limit(ending),
            Rule::Value(place, _) => *place == Place::of(["billing", "walletBalanceAfter"]),
            Rule::Where(_, _, rule) => rule.measures_account(),
            Rule::Mentions(_)
            | Rule::Echoes(_)
            | Rule::SameBytes(_)
            | Rule::SameResult(_)
            | Rule::SameEnding(_)
            | Rule::SameData(_)
            | Rule::Logs(_)
            | Rule::OtherId(_)
            | Rule::Status(_)
            | Rule::Exists
            | Rule::Signed
            | Rule::BodiesAre(_)
            | Rule::Webhook(_)
            | Rule::Header(..)
            | Rule::NoHeader(_)
            | Rule::OneWithout(_)
            | Rule::OneId
            | Rule::Law(_)
            | Rule::Alike { .. }
            | Rule::Charged(_)
            | Rule::Price(_) => false,
        }
    }

    /// Whether it is only remarkable that it does not hold, so that it may be asked of anybody.
    #[must_use]
    pub fn is_only_noted(&self) -> bool {
        matches!(self, Rule::Law(rule) if rule.only_noted)
    }

    /// The call ends as an operation's success is first answered.
    #[must_use]
    pub fn succeeds(operation: &Operation) -> Self {
        Rule::Ends(Ending::success(operation))
    }

    /// What stands at this place is this value.
    #[must_use]
    pub fn is<const N: usize>(place: [&str; N], value: impl Into<Json<'static>>) -> Self {
        Rule::Value(Place::of(place), Predicate::Is(value.into()))
    }
}

/// How a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a result.
    Completed,
    /// Without a result yet.
    Pending,
    /// Without a result yet, and HTTP 202 says so, too.
    Accepted,
    /// With an error, and the status of the table.
    Error(ErrorCode),
    /// With an error whose status is another than that of the table.
    Refused(u16, ErrorCode),
    /// Refused as malformed, whether as an identifier or as input.
    Malformed,
    /// Refused for its key, whichever of the two codes says so.
    Unauthorized,
    /// Whatever it is, not refused for its key.
    Admitted,
    /// With a result, or without one yet.
    CompletedOrPending,
    /// Not refused for what was sent: with a result, without one yet, or without a record.
    Understood,
    /// Refused for what was sent, with any status of 400 to 499: not that there is no record of it.
    Rejected,
    /// Understood or rejected: what was sent is no fault of the service.
    NoFault,
    /// The same, or this error.
    NoFaultBut(ErrorCode),
}

/// What a call adds to the usage. The amount is what the calls since were charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageRow {
    /// Calls.
    pub calls: i64,
    /// Those that completed.
    pub completed: i64,
    /// Those that found no record.
    pub no_record: i64,
    /// Those that failed otherwise.
    pub failed: i64,
}

/// A row of the usage, in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageFigures {
    /// Calls and how they ended.
    pub row: UsageRow,
    /// Those that were charged.
    pub billed: i64,
    /// What they were charged.
    pub amount: Paise,
}

impl Ending {
    /// How an operation's success is first answered.
    #[must_use]
    pub fn success(operation: &Operation) -> Self {
        match operation.pending.as_ref().is_some_and(|row| row.always) {
            true => Ending::Pending,
            false => Ending::Completed,
        }
    }

    /// The error that it names, where it names one.
    #[must_use]
    pub fn code(self) -> Option<ErrorCode> {
        match self {
            Ending::Error(code) | Ending::Refused(_, code) | Ending::NoFaultBut(code) => Some(code),
            Ending::Completed
            | Ending::Pending
            | Ending::Accepted
            | Ending::Malformed
            | Ending::Unauthorized
            | Ending::Admitted
            | Ending::CompletedOrPending
            | Ending::Understood
            | Ending::Rejected
            | Ending::NoFault => None,
        }
    }
}

impl UsageFigures {
    /// Adds another row to this one.
    pub fn add(&mut self, other: &UsageFigures) {
        self.row.calls += other.row.calls;
        self.row.completed += other.row.completed;
        self.row.no_record += other.row.no_record;
        self.row.failed += other.row.failed;
        self.billed += other.billed;
        self.amount.0 += other.amount.0;
    }
}

impl fmt::Display for UsageFigures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UsageFigures {
            row,
            billed,
            amount,
        } = self;
        write!(
            out,
            "calls {}, completed {}, noRecord {}, failed {}, billed {billed}, amount {amount}",
            row.calls, row.completed, row.no_record, row.failed
        )
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Completed => out.write_str("200 completed"),
            Ending::Pending => out.write_str("pending"),
            Ending::Accepted => out.write_str("202 pending"),
            Ending::Error(code) => write!(out, "{code} with its status"),
            Ending::Refused(status, code) => write!(out, "{status} {code}"),
            Ending::Malformed => {
                let (one, other) = (ErrorCode::InvalidIdentifier, ErrorCode::InvalidInput);
                write!(out, "400 {one} or {other}")
            }
            Ending::Unauthorized => {
                let (one, other) = (ErrorCode::AuthInvalid, ErrorCode::KeyEnvironmentMismatch);
                write!(out, "401 {one} or {other}")
            }
            Ending::Admitted => out.write_str("anything but a refusal of its key"),
            Ending::CompletedOrPending => out.write_str("completed or pending"),
            Ending::Understood => out.write_str("a result, pending, or no record"),
            Ending::Rejected => out.write_str("a refusal with a status of 400 to 499"),
            Ending::NoFaultBut(code) => write!(out, "no fault of the service but {code}"),
            Ending::NoFault => out.write_str("anything but a fault of the service"),
        }
    }
}
