//! The body of a call as the fields of its operation: parsed once, checked once, then proof.

use std::borrow::Cow;

use svc_fixtures::contract::{Contract, Field, FieldIndex, Operation, Presence, check_request};
use svc_fixtures::json::Json;

use super::request::{Body, Header};
use crate::engine::state::rejection::Rejection;
use crate::scenario::as_subject;

/// The fields of a call, all of them valid.
#[derive(Debug)]
pub struct Input<'a> {
    operation: &'a Operation,
    body: Json<'a>,
    /// The subject as subjects are compared, where that is not as it was sent.
    compared: Option<Box<str>>,
}

/// Bodies over this many bytes are refused (ruling 6).
pub const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// Bodies of more values are refused. No clause bounds them: no operation takes a hundred; a value takes up to fifty times the memory of
/// its text.
pub const MAX_VALUES: usize = 100_000;

/// Lists of more items are refused. No clause bounds them: an answer has as many.
pub const MAX_ITEMS: usize = 1_000;

/// The JSON object of a request's body.
///
/// # Errors
/// `SVC_INVALID_INPUT` for a body that is not one, or headers that say it is something else.
pub fn parse<'a>(
    content_type: Header<'_>,
    content_encoding: Header<'_>,
    body: Body<'a>,
) -> Result<Json<'a>, Rejection> {
    let bytes = match body {
        Body::Whole(bytes) => bytes,
        Body::TooLarge => return Err(Rejection::input("the body is over 10 MiB")),
        Body::Incomplete => return Err(Rejection::input("the body did not arrive completely")),
    };
    if !is_json(content_type) {
        return Err(Rejection::input(
            "Content-Type: must be sent once and be application/json",
        ));
    }
    if content_encoding != Header::Absent {
        return Err(Rejection::input(
            "Content-Encoding: is not supported; send the body as it is",
        ));
    }
    let json = Json::parse_within(bytes, MAX_VALUES);
    let json = json.map_err(|mistake| match mistake.is_of_size() {
        true => Rejection::input(format!(
            "the body has over {MAX_VALUES} values; send fewer at once"
        )),
        false => Rejection::input(format!("the body is not valid JSON: {mistake}")),
    })?;
    match json {
        Json::Object(_) => Ok(json),
        other => Err(Rejection::input(format!(
            "the body must be a JSON object, not {}",
            other.kind()
        ))),
    }
}

/// No list is longer than an answer can be.
pub(super) fn check_lists(
    fields: &[Field],
    members: &[(Cow<'_, str>, Json<'_>)],
) -> Result<(), Rejection> {
    for (name, value) in members {
        let count = value.as_list().map_or(0, <[_]>::len);
        if count > MAX_ITEMS && fields.iter().any(|field| field.name == *name) {
            return Err(Rejection::input(format!(
                "`{name}` has {count} items, and {MAX_ITEMS} is the most; send several calls"
            )));
        }
    }
    Ok(())
}

/// `application/json`, in any case, without parameters or with UTF-8 named as the charset.
fn is_json(content_type: Header<'_>) -> bool {
    let Some(text) = content_type.text() else {
        return false;
    };
    if text == "application/json" {
        return true;
    }
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let utf8 = |parameter: &str| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        !name.eq_ignore_ascii_case("charset")
            || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
    };
    essence.eq_ignore_ascii_case("application/json") && parts.all(utf8)
}

impl<'a> Input<'a> {
    /// Checks a body against the fields of its operation (ruling 7). An identifier that contains one of
    /// the `exempt` texts need not have its format (ruling 9).
    ///
    /// # Errors
    /// The first mistake, `SVC_INVALID_INPUT` before `SVC_INVALID_IDENTIFIER`, naming the field.
    pub fn check(
        contract: &Contract,
        operation: &'a Operation,
        exempt: &[String],
        body: Json<'a>,
    ) -> Result<Self, Rejection> {
        let members = body.as_object().unwrap_or_default();
        check_lists(&operation.request, members)?;
        check_request(&operation.request, &contract.formats, members, exempt).map_err(
            |mistake| Rejection::Invalid {
                blame: mistake.blame,
                message: mistake.message,
            },
        )?;
        let mut input = Input {
            operation,
            body,
            compared: None,
        };
        let subject = input.subject_field();
        let compared = subject.map(|(field, text)| (as_subject(field.spelling, text), text));
        input.compared =
            compared.and_then(|(subject, text)| (subject != text).then(|| subject.into()));
        Ok(input)
    }

    /// The operation this is the input of.
    #[must_use]
    pub fn operation(&self) -> &'a Operation {
        self.operation
    }

    /// The whole body.
    #[must_use]
    pub fn body(&self) -> &Json<'a> {
        &self.body
    }

    /// The field at this place of the contract: as sent, else its default, else none.
    #[must_use]
    pub fn field(&self, index: FieldIndex) -> Option<&Json<'a>> {
        let field = self.operation.request.get(index.0)?;
        match (self.body.get(&field.name), &field.presence) {
            (Some(value), _) => Some(value),
            (None, Presence::Default(value)) => Some(value),
            (None, Presence::Required | Presence::Optional) => None,
        }
    }

    /// The field of this name, as sent or by default.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Json<'a>> {
        self.field(self.operation.field(name)?)
    }

    /// The text of the field of this name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.named(name)?.as_text()
    }

    /// What identifies the subject: the text of the field that the row names, else of the first
    /// identifying field that was sent. For a list, its first item. As subjects are compared.
    #[must_use]
    pub fn subject(&self) -> &str {
        let text = || self.subject_field().map(|(_, text)| text);
        self.compared.as_deref().or_else(text).unwrap_or_default()
    }

    /// The place of the field that identifies the subject.
    #[must_use]
    pub fn subject_index(&self) -> Option<FieldIndex> {
        let operation = self.operation;
        let named = operation.subject.into_iter();
        let identifiers = operation.identifiers().map(|(index, _)| index);
        let has_text = |index: &FieldIndex| {
            self.field(*index)
                .is_some_and(|it| first_text(it).is_some())
        };
        named.chain(identifiers).find(has_text)
    }

    fn subject_field(&self) -> Option<(&'a Field, &str)> {
        let index = self.subject_index()?;
        let text = first_text(self.field(index)?)?;
        Some((&self.operation.request[index], text))
    }

    /// The identifying texts with the place of their field, in the contract's order.
    pub fn identifiers(&self) -> impl Iterator<Item = (FieldIndex, &str)> {
        let texts = |(index, _)| self.field(index).map(|value| (index, value));
        self.operation
            .identifiers()
            .filter_map(texts)
            .flat_map(|(index, value)| {
                let items = value.as_list().unwrap_or(std::slice::from_ref(value));
                items
                    .iter()
                    .filter_map(move |item| Some((index, item.as_text()?)))
            })
    }
}

fn first_text<'v>(value: &'v Json<'_>) -> Option<&'v str> {
    value.as_list().map_or(Some(value), <[_]>::first)?.as_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_content_types_pass() {
        for (text, passes) in [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true),
            ("application/json; charset=utf-16", false),
            ("text/json", false),
            ("application/jsonp", false),
            ("", false),
        ] {
            assert_eq!(is_json(Header::One(text.as_bytes())), passes, "{text}");
        }
        assert!(!is_json(Header::Absent));
        assert!(!is_json(Header::Many));
    }
}
