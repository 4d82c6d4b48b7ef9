//! Reading what a scenario makes of a call: `then` and `cases`.

use svc_fixtures::contract::{Contract, ErrorCode, Shape};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use super::read_faults::{webhook_fault, wire_fault};
use super::{Ending, Outcome, Over, WebhookFault, duration_ms};

/// What an outcome must fit.
pub(super) struct Scope<'c> {
    pub(super) contract: &'c Contract,
    pub(super) operations: &'c [usize],
}

/// One outcome, or a sequence of them.
pub(super) fn outcomes(
    scope: &Scope<'_>,
    item: &Item<'_>,
    changes: &mut Vec<Json<'static>>,
) -> Vec<Outcome> {
    if !item.is_list() {
        return item
            .table()
            .and_then(|table| outcome(scope, &table, changes, true))
            .into_iter()
            .collect();
    }
    let steps = item.list().unwrap_or_default();
    if steps.is_empty() {
        item.problem("a sequence needs at least one outcome");
    }
    steps
        .iter()
        .filter_map(|step| outcome(scope, &step.table()?, changes, true))
        .collect()
}

fn outcome(
    scope: &Scope<'_>,
    table: &Table<'_>,
    changes: &mut Vec<Json<'static>>,
    may_wait: bool,
) -> Option<Outcome> {
    let named = ["success", "error", "pending"].map(|name| table.optional(name));
    let ending = match named {
        [Some(success), None, None] => Some(Ending::Success(over(scope, &success, changes))),
        [None, Some(error), None] => failure(&error, table.optional_text("message")),
        [None, None, Some(pending)] => self::pending(scope, table, &pending, changes, may_wait),
        _ => {
            table.problem("an outcome has exactly one of `success`, `error` and `pending`");
            None
        }
    };
    if !may_wait {
        for name in ["delay", "provider", "wire", "webhook"] {
            if let Some(item) = table.optional(name) {
                item.problem(format!(
                    "`{name}` stands beside `pending`, not in `finally`"
                ));
            }
        }
    }
    let delay_ms = table
        .optional("delay")
        .and_then(|item| duration_ms(&item))
        .unwrap_or(0);
    let provider = table.optional_text("provider").map(Into::into);
    // In `finally` they are refused as a whole already.
    let beside = |name: &str| table.optional(name).filter(|_| may_wait);
    let wire = beside("wire").and_then(|item| wire_fault(&item));
    let webhook = beside("webhook").and_then(|item| webhook_fault(scope, &item, ending.as_ref()));
    table.done();
    Some(Outcome {
        result: ending?,
        delay_ms,
        provider,
        wire,
        webhook: webhook.unwrap_or_default(),
    })
}

fn over(scope: &Scope<'_>, item: &Item<'_>, changes: &mut Vec<Json<'static>>) -> Over {
    let Some(table) = item.table() else {
        return Over::Nothing;
    };
    let shapes = || {
        let operations = scope.operations.iter();
        operations.map(|&index| &scope.contract.operations[index].response)
    };
    for (name, value) in table.entries() {
        let mut members = shapes().filter_map(|shape| shape.member(name)).peekable();
        if members.peek().is_none() && !scope.operations.is_empty() {
            value.unknown_key(
                "the answer's member",
                name,
                shapes().flat_map(Shape::member_names),
            );
            continue;
        }
        let Some(json) = value.json_or_problem() else {
            continue;
        };
        if let Some(mistake) = members.find_map(|member| member.shape.partial_mistake(&json)) {
            value.problem(format!("this does not fit the answer: {mistake}"));
        }
    }
    match item.json_or_problem() {
        Some(json) if json.as_object().is_some_and(|members| !members.is_empty()) => {
            changes.push(json);
            Over::Changes(changes.len() - 1)
        }
        _ => Over::Nothing,
    }
}

fn failure(item: &Item<'_>, message: Option<&str>) -> Option<Ending> {
    let text = item.text()?;
    let Some(code) = ErrorCode::parse(text) else {
        item.unknown(
            "the error code",
            text,
            ErrorCode::ALL.into_iter().map(ErrorCode::as_str),
        );
        return None;
    };
    Some(Ending::Error {
        code,
        message: message.map(Into::into),
    })
}

fn pending(
    scope: &Scope<'_>,
    table: &Table<'_>,
    item: &Item<'_>,
    changes: &mut Vec<Json<'static>>,
    may_wait: bool,
) -> Option<Ending> {
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
    if item
        .table()
        .is_some_and(|table| !table.entries().is_empty())
    {
        item.problem(
            "`pending` is written as an empty table; what comes after it stands in `finally`",
        );
    }
    let after_ms = table.optional("after").and_then(|item| duration_ms(&item));
    let finally = match table.optional("finally") {
        Some(item) => outcome(scope, &item.table()?, changes, false)?,
        None => Outcome {
            result: Ending::Success(Over::Nothing),
            delay_ms: 0,
            provider: None,
            wire: None,
            webhook: WebhookFault::default(),
        },
    };
    Some(Ending::Pending {
        after_ms,
        finally: Box::new(finally),
    })
}
