//! Forms: read as a browser sends them, and answered by leading on to a page that says what became of it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use data_encoding::BASE64URL_NOPAD;
use http::header::{COOKIE, LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::Pages;
use super::api::Refusal;
use crate::http::control::guard::cookie;

/// The cookie that carries what a form came to, to the next page.
const CAME_TO: &str = "svc_console_message";

/// The longest message that a cookie carries, in bytes.
const LONGEST: usize = 2000;

/// The fields of a form or of a query.
#[derive(Debug, Default, Clone)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn of(text: &[u8]) -> Self {
        let fields = form_urlencoded::parse(text).into_owned();
        // Browsers end the lines of a text area in two characters, whatever they were given.
        let fields = fields.map(|(name, value)| (name, value.replace("\r\n", "\n")));
        Fields(fields.collect())
    }

    pub(super) fn form(bytes: &Bytes) -> Self {
        Fields::of(bytes)
    }

    /// Fields that were read in another way.
    pub(super) fn pairs<'n>(fields: impl IntoIterator<Item = (&'n str, String)>) -> Self {
        let fields = fields.into_iter();
        Fields(
            fields
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// One field alone.
    pub(super) fn one(name: &str, value: &str) -> Self {
        Fields(vec![(name.to_owned(), value.to_owned())])
    }

    /// The name of each field, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// All values of a field.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let found = self.0.iter().filter(move |(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of a field; empty where it was not sent.
    pub(super) fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.trim())
    }

    /// The value of a field where there is something in it.
    pub(super) fn filled(&self, name: &str) -> Option<&str> {
        Some(self.get(name)).filter(|value| !value.is_empty())
    }

    /// A value as it was sent, with its spaces and lines.
    pub(super) fn raw(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
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

/// Leads on to a page that says this. It is for that address alone: whatever else is open says nothing of it.
pub(super) fn lead_to(url: &str, message: &Message) -> Response {
    let (kind, text) = match message {
        Message::Done(text) => ('d', text),
        Message::Refused(text) => ('r', text),
    };
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let [text, address] =
        [&text.as_bytes()[..end], address(url).as_bytes()].map(|it| BASE64URL_NOPAD.encode(it));
    let cookie = set(url, &format!("{kind}{text}.{address}"), 30);
    let url = HeaderValue::from_str(url).unwrap_or(HeaderValue::from_static("/"));
    (
        StatusCode::SEE_OTHER,
        [(LOCATION, url), (SET_COOKIE, cookie)],
    )
        .into_response()
}

/// Path and query of a URL of the console.
fn address(url: &str) -> &str {
    let after_host = url.split_once("://").map_or(url, |(_, rest)| {
        rest.find('/').map_or("/", |at| &rest[at..])
    });
    after_host.split('#').next().unwrap_or(after_host)
}

/// The header that gives the cookie this value, for as many seconds, where this URL is asked for.
fn set(url: &str, value: &str, seconds: u32) -> HeaderValue {
    let address = address(url);
    let path = address.split('?').next().unwrap_or(address);
    // What a path may have and a cookie's may not would end it there.
    let path = path.split(';').next().unwrap_or(path);
    let cookie =
        format!("{CAME_TO}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&cookie).unwrap_or(HeaderValue::from_static(""))
}

/// What the last form came to, and the address that it led to with that.
pub(super) fn message(headers: &HeaderMap) -> Option<(String, Message)> {
    read(cookie(headers, CAME_TO)?)
}

fn read(value: &str) -> Option<(String, Message)> {
    let (kind, rest) = value.split_at_checked(1)?;
    let (text, address) = rest.split_once('.')?;
    let decoded = |it: &str| String::from_utf8(BASE64URL_NOPAD.decode(it.as_bytes()).ok()?).ok();
    let (text, address) = (decoded(text)?, decoded(address)?);
    match kind {
        "d" => Some((address, Message::Done(text))),
        "r" => Some((address, Message::Refused(text))),
        _ => None,
    }
}

/// The header that ends the message: it is said once.
pub(super) fn said(address: &str) -> HeaderValue {
    set(address, "", 0)
}

/// Takes out of a request what forms came to that led elsewhere: browsers send it to all pages below that one, too.
pub(super) async fn only_what_led_here(
    State(pages): State<Arc<Pages>>,
    mut request: Request,
    next: Next,
) -> Response {
    let here = request.uri().path_and_query().map_or("/", |it| it.as_str());
    let here = pages.to(here);
    let lines = request.headers().get_all(COOKIE).iter();
    let pairs = lines.filter_map(|line| line.to_str().ok());
    let pairs = pairs.flat_map(|line| line.split(';')).map(str::trim);
    let kept = pairs.filter(|pair| match pair.split_once('=') {
        Some((CAME_TO, value)) => read(value).is_some_and(|(led_to, _)| led_to == address(&here)),
        _ => true,
    });
    let kept = HeaderValue::from_str(&kept.collect::<Vec<_>>().join("; "));
    if request.headers().contains_key(COOKIE) {
        let kept = kept.unwrap_or(HeaderValue::from_static(""));
        request.headers_mut().insert(COOKIE, kept);
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use http::header::COOKIE;

    use super::*;

    #[test]
    fn a_message_of_any_text_comes_through_its_cookie() {
        for text in ["done", "ä; \"x\"\r\nSet-Cookie: y=1", &"ü".repeat(3000)] {
            let response = lead_to(
                "http://a.example/calls?a=b#c",
                &Message::Refused(text.to_owned()),
            );
            let set = response.headers()[SET_COOKIE].to_str().unwrap();
            let pair = set.split(';').next().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, format!("a=b; {pair}").parse().unwrap());
            let Some((address, Message::Refused(read))) = message(&headers) else {
                panic!("{set}")
            };
            assert_eq!(address, "/calls?a=b");
            assert!(set.contains("; Path=/calls; "), "{set}");
            assert!(
                text.starts_with(&read) && read.len() >= text.len().min(1990),
                "{read}"
            );
        }
    }
}
