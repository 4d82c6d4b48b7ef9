//! Inputs with a fixed outcome: the sample identifier with its last digits replaced by an HTTP
//! status, and the sentinel. Made from the rows.

use svc_fixtures::contract::{Contract, Field, Kind, Operation, Rule};
use svc_fixtures::json::Json;

use super::ask::{Ask, Members, set};
use super::case::Case;
use super::sample;
use super::setting::Setting;

/// Adds the call of an operation whose first identifying field asks for this status, and what leads
/// to it; answers its place, or none where no field identifies anything.
pub fn lead_to(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    status: u16,
) -> Option<usize> {
    let (_, field) = operation.identifiers().next()?;
    let text = text(setting, operation, field, status);
    Some(lead_with(case, setting, operation, field, text))
}

/// The text of an identifying field that asks for this status.
#[must_use]
pub fn text(setting: &Setting<'_>, operation: &Operation, field: &Field, status: u16) -> String {
    match carries(setting, operation, field) {
        true => format!("status-{status}"),
        false => value(setting.contract, field, status),
    }
}

/// Adds the call of an operation with this text in a field, and what leads to it; answers its place.
/// Nothing leads to a call whose carried identifier is the text.
pub fn lead_with(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    text: String,
) -> usize {
    let body = with(setting.contract, operation, field, text);
    let carries = match carries(setting, operation, field) {
        true => Vec::new(),
        false => sample::lead(case, setting, operation).0,
    };
    case.push(Ask {
        carries,
        ..Ask::post(operation, body)
    })
}

/// Whether a field carries what an earlier step issued.
#[must_use]
pub fn carries(setting: &Setting<'_>, operation: &Operation, field: &Field) -> bool {
    let takes = setting
        .step_of(&operation.id)
        .and_then(|(flow, at)| flow.steps[at].takes.as_deref());
    takes == Some(field.name.as_str())
}

/// The sample body with another text in a field; in a list, as its first item.
#[must_use]
pub fn with(contract: &Contract, operation: &Operation, field: &Field, text: String) -> Members {
    let mut body = sample::body(contract, operation, sample::Extent::Full);
    let value = with_text(sample::value(contract, field), text);
    set(&mut body, &field.name, value);
    body
}

/// A value with another text; in a list, as its first item.
#[must_use]
pub fn with_text(value: Json<'static>, text: String) -> Json<'static> {
    match value {
        Json::List(mut items) if !items.is_empty() => {
            items[0] = Json::from(text);
            Json::List(items)
        }
        Json::List(_) => Json::List(vec![Json::from(text)]),
        _ => Json::from(text),
    }
}

/// The sample text of a field: of a list, its first item.
#[must_use]
pub fn sample_text(contract: &Contract, field: &Field) -> String {
    let value = sample::value(contract, field);
    let first = value.as_list().and_then(<[_]>::first).unwrap_or(&value);
    first.as_text().unwrap_or_default().to_owned()
}

fn value(contract: &Contract, field: &Field, status: u16) -> String {
    let sample = sample_text(contract, field);
    // Names and addresses, in which digits mean something else.
    if field.folds || (rule(contract, &field.kind).is_none() && sample.contains(' ')) {
        return format!("STATUS {status}");
    }
    match rule(contract, &field.kind) {
        Some(Rule::Url) => return url(&sample, status),
        Some(Rule::Ip) => return format!("2001:db8::{status}"),
        _ => {}
    }
    match sample.split_once('@') {
        Some((_, host)) => format!("status-{status}@{host}"),
        None => last_digits(&sample, status).unwrap_or_else(|| format!("STATUS {status}")),
    }
}

fn rule<'c>(contract: &'c Contract, kind: &Kind) -> Option<&'c Rule> {
    match kind {
        Kind::Text { format, .. } => format.map(|id| &contract.format(id).rule),
        Kind::List { items, .. } => rule(contract, items),
        _ => None,
    }
}

/// A file's last part is replaced; an address without one gets a query.
fn url(sample: &str, status: u16) -> String {
    let path_begins = sample.find("://").map_or(0, |at| at + 3);
    match sample[path_begins..].rfind('/') {
        Some(at) if sample[path_begins + at..].contains('.') => {
            let end = path_begins + at;
            let dot = sample.rfind('.').unwrap_or(sample.len());
            format!("{}/status-{status}{}", &sample[..end], &sample[dot..])
        }
        _ => format!("{sample}?status={status}"),
    }
}

/// The last run of at least three digits ends in the status.
fn last_digits(sample: &str, status: u16) -> Option<String> {
    let bytes = sample.as_bytes();
    let end = (3..=bytes.len())
        .rev()
        .find(|&end| bytes[end - 3..end].iter().all(u8::is_ascii_digit))?;
    Some(format!("{}{status}{}", &sample[..end - 3], &sample[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digits_of_a_sample_become_the_status() {
        for (sample, expected) in [
            ("AAAAA0000A", Some("AAAAA0422A")),
            ("100000000001", Some("100000000422")),
            ("27AAAAA0000A1Z5", Some("27AAAAA0422A1Z5")),
            ("UDYAM-KA-01-0000001", Some("UDYAM-KA-01-0000422")),
            ("12.000001", Some("12.000422")),
            ("sample", None),
        ] {
            assert_eq!(last_digits(sample, 422).as_deref(), expected, "{sample}");
        }
        assert_eq!(
            url("https://a.example/x/y.png", 503),
            "https://a.example/x/status-503.png"
        );
        assert_eq!(
            url("https://a.example/done", 503),
            "https://a.example/done?status=503"
        );
    }
}
