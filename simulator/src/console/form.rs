//! Forms: read as a browser sends them, and answered by leading on to a page that says what became of it.

use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64URL_NOPAD;
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::api::Refusal;
use crate::http::control::guard::cookie;

/// The cookie that carries what a form came to, to the next page.
const CAME_TO: &str = "svc_console_message";

/// The longest message that a cookie carries, in bytes.
const LONGEST: usize = 2000;

/// The fields of a form.
pub(super) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads a form.
    pub(super) fn read(body: &[u8]) -> Self {
        FormFields(form_urlencoded::parse(body).into_owned().collect())
    }

    /// The value of a field; empty where there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        let mut fields = self.0.iter();
        fields
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// The value of a field without spaces around it, where there is one.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        Some(self.get(name).trim()).filter(|value| !value.is_empty())
    }
}

/// What a form came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    Done(String),
    Refused(String),
}

impl Message {
    /// What was done, or why it was refused.
    pub(super) fn of(done: Result<String, Refusal>) -> Self {
        match done {
            Ok(text) => Message::Done(text),
            Err(refusal) => Message::Refused(refusal.message),
        }
    }
}

/// Leads on to a page that says this.
pub(super) fn lead_to(url: &str, message: &Message) -> Response {
    let (kind, text) = match message {
        Message::Done(text) => ('d', text),
        Message::Refused(text) => ('r', text),
    };
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let value = BASE64URL_NOPAD.encode(&text.as_bytes()[..end]);
    let cookie = format!("{CAME_TO}={kind}{value}; Path=/; Max-Age=30; HttpOnly; SameSite=Strict");
    let url = HeaderValue::from_str(url).unwrap_or(HeaderValue::from_static("/"));
    let headers = [
        (LOCATION, url),
        (
            SET_COOKIE,
            HeaderValue::from_str(&cookie).expect("base 64 is a header's value"),
        ),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// What the last form came to, where it leads to this page.
pub(super) fn message(headers: &HeaderMap) -> Option<Message> {
    let value = cookie(headers, CAME_TO)?;
    let (kind, text) = value.split_at_checked(1)?;
    let text = String::from_utf8(BASE64URL_NOPAD.decode(text.as_bytes()).ok()?).ok()?;
    match kind {
        "d" => Some(Message::Done(text)),
        "r" => Some(Message::Refused(text)),
        _ => None,
    }
}

/// The header that ends the message: it is shown once.
pub(super) fn shown_once() -> (HeaderName, HeaderValue) {
    let ended = "svc_console_message=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    (SET_COOKIE, HeaderValue::from_static(ended))
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    #[test]
    fn a_message_of_any_text_comes_through_its_cookie() {
        for text in ["done", "ä; \"x\"\r\nSet-Cookie: y=1", &"ü".repeat(3000)] {
            let response = lead_to("/calls", &Message::Refused(text.to_owned()));
            let set = response.headers()[SET_COOKIE].to_str().unwrap();
            let pair = set.split(';').next().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, format!("a=b; {pair}").parse().unwrap());
            let Some(Message::Refused(read)) = message(&headers) else {
                panic!("{set}")
            };
            assert!(
                text.starts_with(&read) && read.len() >= text.len().min(1990),
                "{read}"
            );
        }
    }
}
