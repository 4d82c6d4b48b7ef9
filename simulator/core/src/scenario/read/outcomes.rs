//! Reading what a scenario makes of a call: `then` and `cases`.

use svc_fixtures::contract::Contract;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use super::faults::{webhook_fault, wire_fault};
use super::patches::patch;
use super::{Scope, error_code, one_or_more};
use crate::scenario::{Delay, Outcome, OutcomeKind, ResponsePatch, WebhookFault, duration_ms};

/// What says more of an ending, and stands beside it alone.
pub(crate) const BESIDE: [(&str, &str); 7] = [
    ("remove", "success"),
    ("null", "success"),
    ("length", "success"),
    ("breaks_contract", "success"),
    ("message", "error"),
    ("after", "pending"),
    ("finally", "pending"),
];

/// What stands beside a first ending, and not in `finally`.
pub(crate) const BESIDE_PENDING: [&str; 4] = ["delay", "provider", "wire", "webhook"];

/// One outcome, or a sequence of them.
pub(super) fn outcomes(
    scope: &Scope<'_>,
    item: &Item<'_>,
    patches: &mut Vec<ResponsePatch>,
) -> Vec<Outcome> {
    let steps = one_or_more(item);
    if steps.is_empty() {
        item.problem("a sequence needs at least one outcome");
    }
    steps
        .iter()
        .filter_map(|step| outcome(scope, &step.table()?, patches, true))
        .collect()
}

fn outcome(
    scope: &Scope<'_>,
    table: &Table<'_>,
    patches: &mut Vec<ResponsePatch>,
    may_wait: bool,
) -> Option<Outcome> {
    let named = ["success", "error", "pending"].map(|name| table.optional(name));
    let ending = match named {
        [Some(success), None, None] => {
            Some(OutcomeKind::Success(patch(scope, table, &success, patches)))
        }
        [None, Some(error), None] => {
            failure(scope.contract, &error, table.optional_text("message"))
        }
        [None, None, Some(pending)] => self::pending(scope, table, &pending, patches, may_wait),
        [None, None, None] if may_wait && adds(table) => Some(OutcomeKind::AsUsual),
        [None, None, None] => {
            table.problem(
                "an outcome has one of `success`, `error` and `pending`, or `delay`, `provider`, `wire` or `webhook` \
                 alone, which is added to what a call gets otherwise",
            );
            None
        }
        _ => {
            table.problem("an outcome has exactly one of `success`, `error` and `pending`");
            None
        }
    };
    if !may_wait {
        for name in BESIDE_PENDING {
            if let Some(item) = table.optional(name) {
                item.problem(format!(
                    "`{name}` stands beside `pending`, not in `finally`"
                ));
            }
        }
    }
    report_strays(table);
    let delay = table.optional("delay").and_then(|item| delay(&item));
    let provider = table.optional_text("provider").map(Into::into);
    // In `finally` they are refused as a whole already.
    let beside = |name: &str| table.optional(name).filter(|_| may_wait);
    let wire = beside("wire").and_then(|item| wire_fault(&item));
    let webhook = beside("webhook").and_then(|item| webhook_fault(scope, &item, ending.as_ref()));
    table.done();
    Some(Outcome {
        kind: ending?,
        delay: delay.unwrap_or_default(),
        provider,
        wire,
        webhook: webhook.unwrap_or_default(),
    })
}

/// Whether something stands beside an ending, which may be left to others then.
fn adds(table: &Table<'_>) -> bool {
    let mut beside = BESIDE_PENDING.iter();
    beside.any(|name| table.optional(name).is_some())
}

/// Reports what says more of an ending that is not there.
fn report_strays(table: &Table<'_>) {
    let is_pending = table.optional("pending").is_some();
    for (name, ending) in BESIDE {
        if let (None, Some(item)) = (table.optional(ending), table.optional(name)) {
            item.problem_with_hint(
                format!("`{name}` stands beside `{ending}`, and there is none here"),
                match is_pending && ending == "success" {
                    true => "write it in `finally`",
                    false => "leave it out",
                },
            );
        }
    }
}

const DELAY_FORMS: &str = "write \"3s\", \"typical\" or { from = \"1s\", to = \"3s\" }";

/// How long an answer is held back; none, and a problem, where it is not written as it should be.
fn delay(item: &Item<'_>) -> Option<Delay> {
    if item.if_text() == Some("typical") {
        return Some(Delay::Typical);
    }
    let Some(table) = item.if_table() else {
        if item.if_text().is_none() {
            item.problem_with_hint("a delay is a text or a table", DELAY_FORMS);
            return None;
        }
        // Whatever begins with a letter is a word, and there is one.
        let text = item.if_text().unwrap_or_default();
        if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            item.problem_with_hint(format!("\"{text}\" is no delay"), DELAY_FORMS);
            return None;
        }
        return duration_ms(item).map(|ms| Delay::Fixed { ms });
    };
    let ends = (table.required("from"), table.required("to"));
    table.done();
    let (Some(from), Some(to)) = ends else {
        return None;
    };
    let (from_ms, to_ms) = (duration_ms(&from)?, duration_ms(&to)?);
    if from_ms >= to_ms {
        to.problem_with_hint("a range ends after it begins", DELAY_FORMS);
    }
    Some(Delay::Between { from_ms, to_ms })
}

fn failure(contract: &Contract, item: &Item<'_>, message: Option<&str>) -> Option<OutcomeKind> {
    if let Some(hint) = unlike_a_code(contract, item) {
        item.problem_with_hint("an error is the code of one, a text", hint);
        return None;
    }
    Some(OutcomeKind::Error {
        code: error_code(item)?,
        message: message.map(Into::into),
    })
}

/// Where an error is no text, or the status that it comes with: how it is written.
fn unlike_a_code(contract: &Contract, item: &Item<'_>) -> Option<String> {
    let text = item.if_text().unwrap_or_default();
    let is_status = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if item.if_text().is_some() && !is_status {
        return None;
    }
    let outcomes = || contract.errors.iter().filter(|row| row.outcome);
    let status = match item.json_if_any() {
        Some(Json::Int(status)) => status.to_string(),
        _ => text.to_owned(),
    };
    let meant = outcomes().find(|row| row.status.to_string() == status);
    let code = meant.or_else(|| outcomes().next())?.code;
    Some(format!("write `error = \"{code}\"`, or another code"))
}

fn pending(
    scope: &Scope<'_>,
    table: &Table<'_>,
    item: &Item<'_>,
    patches: &mut Vec<ResponsePatch>,
    may_wait: bool,
) -> Option<OutcomeKind> {
    let unable = scope
        .operations
        .iter()
        .map(|&index| &scope.contract.operations[index]);
    if let Some(operation) = unable
        .into_iter()
        .find(|operation| operation.pending.is_none())
    {
        item.problem(format!("{} is never pending", operation.id));
    }
    if !may_wait {
        item.problem("what comes after pending can't be pending again");
    }
    if item.if_table().is_none() {
        item.problem_with_hint("this is no table", "write `pending = {}`");
    } else if item
        .table()
        .is_some_and(|table| !table.entries().is_empty())
    {
        item.problem(
            "`pending` is written as an empty table; what comes after it stands in `finally`",
        );
    }
    let after_ms = table.optional("after").and_then(|item| duration_ms(&item));
    let finally = match table.optional("finally") {
        Some(item) => outcome(scope, &item.table()?, patches, false)?,
        None => Outcome {
            kind: OutcomeKind::Success(None),
            delay: Delay::None,
            provider: None,
            wire: None,
            webhook: WebhookFault::default(),
        },
    };
    Some(OutcomeKind::Pending {
        after_ms,
        finally: Box::new(finally),
    })
}
