//! Values replaced wherever they stand: in bodies, headers, queries and what is said of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::capture::{CapturedCase, Exchange};

/// A shorter value is replaced only where it is a whole value: inside a text it may be a word.
pub(super) const SHORTEST: usize = 4;

pub(super) fn replace_in_case(pseudonyms: &[(String, String)], case: &mut CapturedCase) {
    let clean = |text: &mut String| *text = in_text(pseudonyms, text);
    let message = |headers: &mut [(String, String)], body: &mut Vec<u8>| {
        headers.iter_mut().for_each(|(_, value)| clean(value));
        if let Ok(text) = std::str::from_utf8(body) {
            *body = in_text(pseudonyms, &with_plain_escapes(text)).into_bytes();
        }
    };
    for Exchange {
        request,
        response,
        result,
        ..
    } in &mut case.exchanges
    {
        clean(&mut request.query);
        message(&mut request.headers, &mut request.body);
        for response in response.iter_mut().chain(result) {
            message(&mut response.headers, &mut response.body);
        }
    }
    case.stopped.iter_mut().for_each(clean);
}

/// JSON that has no character in another form than JSON needs: `\u00e9` is `é`, and found where `é` is looked for. What is
/// no JSON stays as it is.
fn with_plain_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return text.into();
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('"') {
        let mut escaped = false;
        let ends = |byte: u8| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        };
        let Some(length) = rest.bytes().skip(at + 1).position(ends) else {
            break;
        };
        let end = at + 1 + length + 1;
        let quoted = &rest[at..end];
        out.push_str(&rest[..at]);
        // Half of a pair stands for no character.
        match serde_json::from_str::<String>(quoted) {
            Ok(plain) => out += &Value::from(plain).to_string(),
            Err(_) => out.push_str(quoted),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.into()
}

/// A text without these values: as they are, as JSON writes them, as a query does.
pub(super) fn in_text(pseudonyms: &[(String, String)], text: &str) -> String {
    let mut out = text.to_owned();
    for (value, pseudonym) in pseudonyms {
        let quoted = Value::from(value.as_str()).to_string();
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        if value.chars().count() < SHORTEST {
            out = out.replace(&quoted, &Value::from(pseudonym.as_str()).to_string());
            continue;
        }
        let spaced = value.replace(' ', "+");
        let percent = value.replace(' ', "%20");
        for form in BTreeSet::from([value.clone(), escaped, spaced, percent]) {
            out = whole_words(&out, &form, pseudonym);
        }
    }
    out
}

/// Replaces a value where no letter or digit stands beside it: elsewhere it is part of something
/// else, such as an id.
fn whole_words(text: &str, value: &str, pseudonym: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(value) {
        let end = at + value.len();
        let before = rest[..at].chars().next_back();
        let before = before.or_else(|| out.chars().next_back());
        let after = rest[end..].chars().next();
        let free = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        out.push_str(&rest[..at]);
        out.push_str(match free(before) && free(after) {
            true => pseudonym,
            false => value,
        });
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}
