//! Reading what a scenario lets go wrong: `wire` and `webhook` of an outcome. Knows how a fault is
//! written and where it can act, not how it acts.

use svc_fixtures::contract::Operation;
use svc_fixtures::reading::{Item, nearest};

use super::Scope;
use crate::scenario::{
    OutOfOrder, OutcomeKind, SignatureFault, WebhookFault, WireFault, duration_ms,
};

/// The wire faults that are written as a word.
pub(crate) const WORDS: [(&str, WireFault); 3] = [
    ("reset", WireFault::Reset),
    ("never", WireFault::Never),
    ("garbage", WireFault::Garbage),
];

/// The wire faults that are written as a table, each with an example.
const TABLES: [(&str, &str); 2] = [
    ("cut_after", "{ cut_after = 120 }"),
    ("slow", "{ slow = \"5s\" }"),
];

const WIRE_FORMS: &str =
    "write \"reset\", \"never\", \"garbage\", { cut_after = 120 } or { slow = \"5s\" }";

const WEBHOOK_FORM: &str =
    "write at least one of copies = 2, delay = \"90s\", signature = \"wrong\", out_of_order = true";

/// How often a webhook that comes more than once can come.
pub(crate) const COPIES: std::ops::RangeInclusive<u32> = 2..=10;

/// What can be wrong with a signature, as it is written.
pub(crate) const SIGNATURES: [(&str, SignatureFault); 2] = [
    ("wrong", SignatureFault::Wrong),
    ("none", SignatureFault::None),
];

/// What goes wrong on the wire; none, and a problem, where it is not written as it should be.
pub(crate) fn wire_fault(item: &Item<'_>) -> Option<WireFault> {
    if let Some(word) = item.if_text() {
        // Whoever knows the name of a fault that takes a number knows it by its key.
        if let Some((_, form)) = TABLES.into_iter().find(|(name, _)| *name == word) {
            item.problem_with_hint(
                format!("the wire fault `{word}` is a table"),
                format!("write wire = {form}"),
            );
            return None;
        }
        let known = WORDS.into_iter().find(|(known, _)| *known == word);
        if known.is_none() {
            // All forms, not only the words: else who looks for one of the others believes that there is none.
            let names = WORDS.map(|(name, _)| name).into_iter();
            let near = nearest(word, names.chain(TABLES.map(|(name, _)| name)));
            let hint = match near.starts_with("did you mean") {
                true => near,
                false => WIRE_FORMS.to_owned(),
            };
            item.problem_with_hint(format!("the wire fault `{word}` is not known"), hint);
        }
        return known.map(|(_, fault)| fault);
    }
    let Some(table) = item.if_table() else {
        item.problem_with_hint("a wire fault is a word or a table", WIRE_FORMS);
        return None;
    };
    let named = (table.optional("cut_after"), table.optional("slow"));
    table.done();
    match named {
        (Some(cut), None) => cut_after(&cut),
        (None, Some(slow)) => {
            let over_ms = some_time_ms(&slow)?;
            Some(WireFault::Slow { over_ms })
        }
        // A key that is not known was reported already, with the nearest that is.
        (None, None) if !table.entries().is_empty() => None,
        _ => {
            let message = "a wire fault has exactly one of `cut_after` and `slow`";
            item.problem_with_hint(message, WIRE_FORMS);
            None
        }
    }
}

impl WireFault {
    /// As it is written in a file.
    #[must_use]
    pub fn written(self) -> String {
        match self {
            WireFault::CutAfter(bytes) => format!("{{ cut_after = {bytes} }}"),
            WireFault::Slow { over_ms } => format!("{{ slow = \"{over_ms}ms\" }}"),
            fault => format!("\"{}\"", super::written(&WORDS, fault)),
        }
    }
}

fn cut_after(item: &Item<'_>) -> Option<WireFault> {
    let bytes = u64::try_from(item.int()?).ok();
    if bytes.is_none() {
        item.problem_with_hint(
            "the body is cut after a number of bytes, and this is below 0",
            "0 cuts it right after the head",
        );
    }
    bytes.map(WireFault::CutAfter)
}

/// What goes wrong with the webhook of an outcome that ends so; none, and a problem, where it is not
/// written as it should be.
pub(super) fn webhook_fault(
    scope: &Scope<'_>,
    item: &Item<'_>,
    ending: Option<&OutcomeKind>,
) -> Option<WebhookFault> {
    if item.if_table().is_none() {
        item.problem_with_hint("this is no table", WEBHOOK_FORM);
        return None;
    }
    let table = item.table()?;
    if table.entries().is_empty() {
        item.problem_with_hint("nothing goes wrong here", WEBHOOK_FORM);
    }
    // Asking for every entry made all of them known.
    let table = item.table()?;
    let mut fault = WebhookFault::default();
    let copies = table.optional("copies").and_then(|item| copies(&item));
    fault.copies = copies.unwrap_or(fault.copies);
    let delay_ms = table.optional("delay").and_then(|item| some_time_ms(&item));
    fault.delay_ms = delay_ms.unwrap_or_default();
    let signature = table.optional("signature");
    let signature = signature.and_then(|item| item.one_of("the signature", SIGNATURES));
    fault.signature = signature.unwrap_or_default();
    if let Some(item) = table.optional("out_of_order") {
        match item.bool() {
            Some(true) => fault.out_of_order = OutOfOrder::Yes,
            Some(false) => item.problem_with_hint(
                "webhooks come in order unless this is true",
                "leave `out_of_order` out",
            ),
            None => {}
        }
    }
    table.done();
    brought_by_webhook(scope, item, ending);
    Some(fault)
}

fn copies(item: &Item<'_>) -> Option<u32> {
    let copies = u32::try_from(item.int()?).ok();
    let copies = copies.filter(|copies| COPIES.contains(copies));
    if copies.is_none() {
        item.problem_with_hint(
            format!("copies are {} to {}", COPIES.start(), COPIES.end()),
            "a webhook comes once without `copies`",
        );
    }
    copies
}

/// A span of time that is not empty: with an empty one nothing would go wrong.
fn some_time_ms(item: &Item<'_>) -> Option<u64> {
    let span_ms = duration_ms(item)?;
    if span_ms == 0 {
        item.problem_with_hint("this takes no time at all", "write `1ms` or more");
    }
    (span_ms > 0).then_some(span_ms)
}

/// Reports a webhook fault where no webhook brings the result.
fn brought_by_webhook(scope: &Scope<'_>, item: &Item<'_>, ending: Option<&OutcomeKind>) {
    let rows = || {
        let operations = scope.operations.iter();
        operations.map(|&index| &scope.contract.operations[index])
    };
    let waits = |row: &Operation| row.pending.as_ref().is_some_and(|pending| pending.always);
    let hint = "a webhook brings the result of a pending call: write \
                `pending = {}, finally = { … }` for this outcome";
    match ending {
        // What ends how nobody knows has a problem of its own.
        None | Some(OutcomeKind::Pending { .. }) => {}
        Some(OutcomeKind::AsUsual) => {
            if rows().all(|row| row.pending.is_none()) {
                item.problem_with_hint(
                    "none of these operations is ever pending, and no webhook brings a result",
                    "leave `webhook` out",
                );
            }
        }
        Some(OutcomeKind::Error { .. }) => {
            item.problem_with_hint("this error is answered at once, without a webhook", hint);
        }
        Some(OutcomeKind::Success(_)) => {
            if let Some(row) = rows().find(|row| !waits(row)) {
                let message = format!("{} answers this at once, without a webhook", row.id);
                let never = row.pending.is_none();
                item.problem_with_hint(
                    message,
                    if never {
                        "leave `webhook` out: this operation is never pending"
                    } else {
                        hint
                    },
                );
            }
        }
    }
}
