//! What all pages look like, and the parts that they are made of. What callers sent is shown as text.

use axum::response::{IntoResponse as _, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, StatusCode};
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use super::Pages;
use super::api::Refusal;
use super::form::{self, Fields, Message};
use crate::http::invisible::write_out_invisible;

/// The parts of the console: path and name.
const PARTS: [(&str, &str); 11] = [
    ("/", "Start"),
    ("/calls", "Calls"),
    ("/webhooks", "Webhooks"),
    ("/time", "Time"),
    ("/accounts", "Accounts"),
    ("/scenarios", "Scenarios"),
    ("/world", "World"),
    ("/try", "Try it"),
    ("/consents", "Consents"),
    ("/operations", "Reference"),
    ("/guide", "Guide"),
];

/// Nothing but the console's own files runs or is loaded, and no page frames it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// htmx without what the policy forbids.
const HTMX: &str = r#"{"allowEval":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyEnabled":false}"#;

/// What a page says above all else: what was done, or why nothing was.
#[derive(Debug, Default)]
pub(super) struct Notice {
    pub(super) done: Option<String>,
    pub(super) refused: Option<String>,
    /// What was typed into the form that was refused.
    pub(super) typed: Fields,
    /// The address that an earlier form led to, to say this: it is said once.
    pub(super) led_to: Option<String>,
}

impl Notice {
    /// What the form came to that led here.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let Some((address, message)) = form::message(headers) else {
            return Notice::default();
        };
        let (done, refused) = match message {
            Message::Done(text) => (Some(text), None),
            Message::Refused(text) => (None, Some(text)),
        };
        Notice {
            done,
            refused,
            led_to: Some(address),
            ..Notice::default()
        }
    }

    /// A refusal, with what was typed.
    pub(super) fn refused(refusal: &Refusal, typed: Fields) -> Self {
        Notice {
            refused: Some(refusal.message.clone()),
            typed,
            ..Notice::default()
        }
    }
}

impl Pages {
    /// A link to a path of the console.
    pub(super) fn to(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// A whole page.
    pub(super) fn page(
        &self,
        status: StatusCode,
        (part, title): (&str, &str),
        notice: &Notice,
        content: &Markup,
    ) -> Response {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="htmx-config" content=(HTMX);
                    title { (text(title)) " · Verification Service simulator" }
                    link rel="icon" type="image/svg+xml" href=(self.to("/assets/icon.svg"));
                    link rel="stylesheet" href=(self.to("/assets/console.css"));
                    script src=(self.to("/assets/htmx.min.js")) defer {}
                    script src=(self.to("/assets/live.js")) defer {}
                    script src=(self.to("/assets/htmx-sse.min.js")) defer {}
                    script src=(self.to("/assets/copy.js")) defer {}
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header.top {
                        strong { a href=(self.to("/")) { img src=(self.to("/assets/icon.svg")) alt=""; "Verification Service simulator" } }
                        nav aria-label="Parts of the console" {
                            ul {
                                @for (path, name) in PARTS {
                                    li {
                                        a href=(self.to(path)) aria-current=[(path == part).then_some("page")] { (name) }
                                    }
                                }
                            }
                        }
                    }
                    main id="content" {
                        h1 { (text(title)) }
                        div id="status" role="status" aria-live="polite" {
                            @if let Some(done) = &notice.done { p.message { (lines(done)) } }
                        }
                        @if let Some(refused) = &notice.refused {
                            div.message.bad role="alert" { pre tabindex="0" { (lines(refused)) } }
                        }
                        (content)
                    }
                }
            }
        };
        let headers = [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "no-store"),
            (REFERRER_POLICY, "same-origin"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CONTENT_SECURITY_POLICY, POLICY),
        ];
        let mut response = (status, headers, page.into_string()).into_response();
        if let Some(address) = &notice.led_to {
            response
                .headers_mut()
                .insert(SET_COOKIE, form::said(address));
        }
        response
    }

    /// A page that only says what the control API refuses.
    pub(super) fn refusal(&self, part: &str, refusal: &Refusal) -> Response {
        let notice = Notice::refused(refusal, Fields::default());
        let content = html! { p { a href=(self.to(part)) { "Back" } } };
        self.page(
            refusal.status,
            (part, "This can't be shown"),
            &notice,
            &content,
        )
    }

    /// Back to a page, which says what was done.
    pub(super) fn back(&self, path: &str, done: &str) -> Response {
        form::lead_to(&self.to(path), &Message::Done(done.to_owned()))
    }
}

/// A text of anybody, on one line.
pub(super) fn text(text: &str) -> String {
    write_out_invisible(text, &[])
}

/// A text of anybody, with its lines.
pub(super) fn lines(text: &str) -> String {
    write_out_invisible(text, &['\n'])
}

/// A member as text: as it is where it is one, else as JSON.
pub(super) fn member(of: &Value, name: &str) -> String {
    match &of[name] {
        Value::Null => String::new(),
        Value::String(it) => text(it),
        other => text(&other.to_string()),
    }
}

/// The members of a list; none where there is no such list.
pub(super) fn items<'v>(of: &'v Value, name: &str) -> &'v [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

/// An amount as people write it.
pub(super) fn rupees(of: &Value, name: &str) -> String {
    of[name]
        .as_f64()
        .map_or_else(String::new, |it| format!("{it:.2}"))
}

/// JSON as people read it.
pub(super) fn pretty(value: &Value) -> String {
    lines(&format!("{value:#}"))
}

/// A table in a box that scrolls by itself, reached by the keyboard.
pub(super) fn table(name: &str, columns: &[&str], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.region tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr { @for column in columns { th scope="col" { (column) } } } }
                tbody {
                    @for row in rows { tr { @for (column, cell) in columns.iter().zip(row) { td data-label=(column) { (cell) } } } }
                }
            }
        }
    }
}

/// A cell that is an instant; empty where there is none.
pub(super) fn instant(of: &Value, name: &str) -> Markup {
    let at = member(of, name);
    html! { @if !at.is_empty() { time.mono datetime=(at) { (at) } } }
}

/// A cell that is text.
pub(super) fn cell(of: &Value, name: &str) -> Markup {
    html! { (member(of, name)) }
}
