//! Reading what an `[[expect]]` block says of the time after the answer: how long nothing comes, what
//! comes then, and how its webhook arrives.

use svc_fixtures::contract::Operation;
use svc_fixtures::reading::{Item, Location, Table};

use super::expected_answer::{Expected, expected, http_status};
use crate::scenario::read::{one_or_more, written};
use crate::scenario::{SignatureFault, duration_ms};

/// What is expected after the answer to a call that is pending.
#[derive(Debug, Clone, Default)]
pub struct ExpectedLater {
    /// When it is still pending: once the account's clock was moved on by so much, and where this stands.
    pub still_pending: Option<(u64, Location)>,
    /// By how much the clock is moved, since the call, before the result is looked at; where it is not said,
    /// to when the result is due.
    pub after_ms: Option<u64>,
    /// The result.
    pub result: Option<Expected>,
    /// The webhook that brings it.
    pub webhook: Option<ExpectedWebhook>,
}

/// How the webhook that brings a result must arrive.
#[derive(Debug, Clone)]
pub struct ExpectedWebhook {
    /// Where it stands.
    pub place: Location,
    /// The HTTP statuses the receiver answers, in order; the last one again and again.
    pub receiver: Vec<u16>,
    /// How many times it comes in all.
    pub times: Option<u32>,
    /// How its delivery ends.
    pub ends: Option<DeliveryEnd>,
    /// What is wrong with its signature.
    pub signature: Option<SignatureFault>,
}

/// How a delivery ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryEnd {
    /// The receiver took it.
    Delivered,
    /// The receiver never did.
    Dead,
}

/// How a delivery can end, as it is written.
pub(super) const ENDS: [(&str, DeliveryEnd); 2] = [
    ("delivered", DeliveryEnd::Delivered),
    ("dead", DeliveryEnd::Dead),
];

/// What can be said of a signature.
pub(super) const SIGNED: [(&str, SignatureFault); 3] = [
    ("right", SignatureFault::Genuine),
    ("wrong", SignatureFault::Wrong),
    ("none", SignatureFault::None),
];

/// How often a webhook can come: far more often than the schedule and its copies let it.
pub(super) const TIMES: std::ops::RangeInclusive<u32> = 1..=100;

const FORM: &str = "write at least one of times = 3, ends = \"delivered\", signature = \"wrong\", receiver = [500, 200]";

impl DeliveryEnd {
    /// As an expectation writes it.
    #[must_use]
    pub fn as_expected(self) -> &'static str {
        written(&ENDS, self)
    }
}

impl SignatureFault {
    /// As an expectation writes it.
    #[must_use]
    pub fn as_expected(self) -> &'static str {
        written(&SIGNED, self)
    }
}

/// What is expected after the answer.
pub(super) fn later(row: Option<&Operation>, table: &Table<'_>) -> ExpectedLater {
    let after = table.optional("after");
    let after_ms = after.as_ref().and_then(duration_ms);
    let finally = table.optional("finally");
    let result = finally.as_ref().and_then(|item| result(item));
    let hook = table.optional("webhook");
    let webhook = hook.as_ref().and_then(webhook);
    let still = table.optional("still_pending");
    let still_pending = still.as_ref().and_then(|item| {
        let ms = duration_ms(item)?;
        Some((ms, item.location()))
    });
    if let (Some(after), None, None) = (&after, &finally, &hook) {
        after.problem_with_hint(
            "`after` moves the clock to look at a result, and no result is expected",
            "add `finally = { … }` with parts of the result's envelope",
        );
    }
    if let (Some(item), Some((still, _)), Some(after)) = (&still, &still_pending, after_ms)
        && *still >= after
    {
        item.problem_with_hint(
            "the result is looked at no later than it is still pending",
            "both count from the call: `still_pending` must be shorter than `after`",
        );
    }
    let never = row.filter(|row| row.pending.is_none());
    for item in [&still, &hook]
        .into_iter()
        .flatten()
        .filter(|_| never.is_some())
    {
        item.problem_with_hint(
            "this never is so: the operation is never pending, and no webhook brings its result",
            "leave this out",
        );
    }
    ExpectedLater {
        still_pending,
        after_ms,
        result,
        webhook,
    }
}

/// A result comes by webhook or is looked up: nothing goes wrong on its way.
fn result(item: &Item<'_>) -> Option<Expected> {
    if let Some(wire) = item.if_table().and_then(|table| table.optional("wire")) {
        wire.problem_with_hint(
            "nothing goes wrong on the wire of a result: it is brought, or looked up",
            "say it of the `answer`, or what goes wrong with the `webhook`",
        );
    }
    expected(item)
}

fn webhook(item: &Item<'_>) -> Option<ExpectedWebhook> {
    let table = item.table()?;
    let times = table.optional("times").and_then(|item| times(&item));
    let ends = table
        .optional("ends")
        .and_then(|item| item.one_of("the end", ENDS));
    let signature = table
        .optional("signature")
        .and_then(|item| item.one_of("the signature", SIGNED));
    let receiver = table.optional("receiver").map(|item| receiver(&item));
    table.done();
    if times.is_none() && ends.is_none() && signature.is_none() {
        // A part with a mistake was reported already.
        let mut entries = table.entries().into_iter().map(|(name, _)| name);
        if entries.all(|name| name == "receiver") {
            item.problem_with_hint("this expects nothing of the webhook", FORM);
        }
    }
    Some(ExpectedWebhook {
        place: item.location(),
        receiver: receiver.flatten().unwrap_or_else(|| vec![200]),
        times,
        ends,
        signature,
    })
}

fn times(item: &Item<'_>) -> Option<u32> {
    let times = u32::try_from(item.int()?).ok();
    let times = times.filter(|times| TIMES.contains(times));
    if times.is_none() {
        item.problem(format!(
            "a webhook comes {} to {} times",
            TIMES.start(),
            TIMES.end()
        ));
    }
    times
}

/// What the receiver answers: a status, or one after the other.
fn receiver(item: &Item<'_>) -> Option<Vec<u16>> {
    let items = one_or_more(item);
    if items.is_empty() {
        item.problem("a receiver without answers takes nothing: write a status, such as 200");
        return None;
    }
    items.iter().map(http_status).collect()
}
