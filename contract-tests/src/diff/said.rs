//! What counts by what it says and not by its form: members that speak of the call itself, and signatures.

use svc_fixtures::json::Json;

use super::form::Form;
use crate::capture::Request;

/// A text that counts itself.
pub(super) fn said_text(text: &str) -> Form {
    Form::said(&Json::from(text))
}

/// A media type without its parameters.
pub(super) fn media_type(value: &str) -> String {
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Members of the envelope that say something of the call itself: compared by whether they do.
pub(super) fn special(
    operation: &str,
    request: Option<&Request>,
    name: &str,
    value: &Json<'_>,
) -> Option<Form> {
    if let ("referenceId", Json::Null) = (name, value) {
        let sent = request?.header("x-reference-id");
        return Some(said_text(match sent {
            Some(_) => "null although a reference was sent",
            None => "null where no reference was sent",
        }));
    }
    let text = value.as_text()?;
    match name {
        "endpoint" if operation.contains('.') => Some(said_text(match text {
            own if own == operation => "the name of what was called",
            _ => "another name",
        })),
        "verificationId" => Some(match text.split_once('_') {
            Some((prefix, "")) => said_text(&format!("{prefix}_ and nothing behind it")),
            Some((prefix, _)) => said_text(&format!("{prefix}_…")),
            None => said_text("a text without a prefix"),
        }),
        "referenceId" => {
            let sent = request?.header("x-reference-id");
            Some(said_text(match sent {
                Some(sent) if sent == text => "the reference that was sent",
                Some(_) => "another text than the reference that was sent",
                None => "a text although no reference was sent",
            }))
        }
        _ => None,
    }
}

/// What the header of a signature looks like, without what is another each time.
pub(super) fn signature_form(header: Option<&str>) -> String {
    let Some(header) = header else {
        return "none".to_owned();
    };
    let parts = header.split([',', ';']).map(|part| {
        let (name, value) = part.split_once('=').unwrap_or(("", part));
        let hex = |upper: bool| {
            let letter = if upper { b'A'..=b'F' } else { b'a'..=b'f' };
            let mut bytes = value.bytes();
            bytes.all(|b| b.is_ascii_digit() || letter.contains(&b))
        };
        let form = match value {
            _ if value.bytes().all(|b| b.is_ascii_digit()) => "a number".to_owned(),
            _ if hex(false) => format!("{} hex digits", value.len()),
            _ if hex(true) => format!("{} capital hex digits", value.len()),
            _ => "a text".to_owned(),
        };
        format!("{name}={form}")
    });
    parts.collect::<Vec<_>>().join(", ")
}
