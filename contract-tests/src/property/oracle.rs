//! What a single request must come to, from the rows alone: refused, or run with which outcome.
//! Knows no account: idempotency keys, flows and money are the model's.

use std::borrow::Cow;

use svc_fixtures::contract::{
    Blame, Contract, ErrorCode, Field, FieldIndex, Operation, Presence, check_request,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use crate::capture::Request;
use crate::model::Refusal;
use crate::plan::{Ending, Setting};

/// The members of a body, as they were sent.
pub(crate) type Body<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// How a request that is not refused must end, its flow and its money left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpectedOutcome {
    /// The ending.
    pub(crate) ending: Ending,
    /// The identifying field that fixed it, where one did.
    pub(crate) by: Option<FieldIndex>,
}

/// The body of a request, where it is a JSON object that says so.
pub(crate) fn body(request: &Request) -> Result<Body<'_>, Refusal> {
    if !is_json(request.header("content-type")) || request.header("content-encoding").is_some() {
        return Err(Refusal::input());
    }
    match Json::parse(&request.body) {
        Ok(Json::Object(members)) => Ok(members),
        _ => Err(Refusal::input()),
    }
}

/// Whether a content type is JSON in UTF-8.
fn is_json(content_type: Option<&str>) -> bool {
    let mut parts = content_type.unwrap_or_default().split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    kind.eq_ignore_ascii_case("application/json")
        && parts.all(|part| part.eq_ignore_ascii_case("charset=utf-8"))
}

/// Whether a body breaks the rules of these fields, and as what.
pub(crate) fn refusal(
    contract: &Contract,
    operation: &Operation,
    fields: &[Field],
    body: &Body<'_>,
) -> Option<Refusal> {
    let sentinels = sentinels(contract, operation);
    let broken = |field: &Field| {
        let alone = std::slice::from_ref(field);
        let checked = check_request(alone, &contract.formats, body, &sentinels);
        Some((checked.err()?.blame, field.name.clone()))
    };
    let broken: Vec<_> = fields.iter().filter_map(broken).collect();
    refused_for(&broken)
}

/// The refusal of a request that breaks rules of these fields.
pub(crate) fn refused_for(broken: &[(Blame, String)]) -> Option<Refusal> {
    let of = |blame: Blame| broken.iter().filter(move |(known, _)| *known == blame);
    let (code, mut named) = match of(Blame::Input).next() {
        Some(_) => (ErrorCode::InvalidInput, of(Blame::Input)),
        None => (ErrorCode::InvalidIdentifier, of(Blame::Identifier)),
    };
    let (_, first) = named.next()?;
    let names = named.next().is_none().then(|| first.clone());
    Some(Refusal { code, names })
}

fn sentinels(contract: &Contract, operation: &Operation) -> Vec<String> {
    let own = operation.sentinel.iter().cloned();
    let all = contract.service.sentinel.text.clone();
    std::iter::once(all).chain(own).collect()
}

/// The statuses that fixed inputs ask for, with the ending of each. Pending only where an operation
/// can be.
pub(crate) fn statuses(setting: &Setting<'_>, operation: &Operation) -> Vec<(u16, Ending)> {
    let rows = setting.contract.errors.iter();
    let outcomes = rows.filter(|row| row.outcome && row.code != ErrorCode::RateLimited);
    let pending = operation.pending.as_ref().map(|_| (202, Ending::Pending));
    let outcomes = outcomes.map(|row| (row.status, Ending::Error(row.code)));
    outcomes.chain(pending).collect()
}

/// How an operation must end with a valid body.
pub(crate) fn outcome(
    setting: &Setting<'_>,
    operation: &Operation,
    body: &Body<'_>,
) -> ExpectedOutcome {
    let contract = setting.contract;
    let sentinels = sentinels(contract, operation);
    let texts = |field: &Field| texts(value(field, body));
    for (index, field) in operation.identifiers() {
        let hit = |text: &String| sentinels.iter().any(|part| text.contains(part));
        if texts(field).iter().any(hit) {
            let (ending, by) = (Ending::Error(contract.service.sentinel.error), Some(index));
            return ExpectedOutcome { ending, by };
        }
    }
    for (index, field) in operation.identifiers() {
        if let Some(ending) = fixed_ending(setting, operation, field, &texts(field)) {
            let by = Some(index);
            return ExpectedOutcome { ending, by };
        }
    }
    ExpectedOutcome {
        ending: Ending::success(operation),
        by: None,
    }
}

/// The ending that the texts of a field fix.
fn fixed_ending(
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    texts: &[String],
) -> Option<Ending> {
    let covers = |(status, ending): (u16, Ending)| {
        let text = sample::status_text(setting.contract, operation, field, status);
        texts.contains(&text).then_some(ending)
    };
    let of_status = statuses(setting, operation).into_iter().find_map(covers);
    let inputs = setting.inputs.iter().filter(|input| {
        let own = input.field(setting.contract, operation);
        own.is_some_and(|own| own.name == field.name) && texts.contains(&input.value)
    });
    of_status.or_else(|| {
        inputs
            .filter_map(|input| input.ending(operation))
            .find(|ending| matches!(ending, Ending::Error(_)))
    })
}

/// The value a field has, its default where it is not sent.
fn value<'b>(field: &'b Field, body: &'b Body<'_>) -> Option<&'b Json<'b>> {
    let sent = body.iter().find(|(name, _)| *name == field.name);
    match (sent, &field.presence) {
        (Some((_, value)), _) | (None, Presence::Default(value)) => Some(value),
        (None, _) => None,
    }
}

/// Every text of a value.
fn texts(value: Option<&Json<'_>>) -> Vec<String> {
    match value {
        Some(Json::Text(text)) => vec![text.to_string()],
        Some(Json::List(items)) => items.iter().flat_map(|item| texts(Some(item))).collect(),
        _ => Vec::new(),
    }
}
