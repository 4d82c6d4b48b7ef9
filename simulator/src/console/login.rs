//! Asks for the console's token once. The browser then shows a cookie that is made of it, and that nobody can make it from.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{Markup, html};

use super::Pages;
use super::filter::Filter;
use super::form::Fields;
use super::page::Page;
use crate::http::control::guard::COOKIE_NAME;

/// The page that asks.
pub(super) async fn ask(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let to = Filter::read(query.as_deref());
    page(&pages, &headers).show(&form(
        &pages,
        own_path(to.get("to").unwrap_or_default()),
        false,
    ))
}

/// Checks what was given.
pub(super) async fn check(
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let given = Fields::form(&body);
    let to = own_path(given.get("to"));
    let Some(token) = &pages.settings.token else {
        return lead_on(&pages, to, None);
    };
    if !token.matches(given.raw("token").as_bytes()) {
        let again = form(&pages, to, true);
        return page(&pages, &headers).answer(StatusCode::UNAUTHORIZED, &again);
    }
    let secure = if pages.settings.secure {
        "; Secure"
    } else {
        ""
    };
    let value = token.cookie();
    let cookie = format!("{COOKIE_NAME}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    lead_on(&pages, to, HeaderValue::from_str(&cookie).ok())
}

/// A path of the console, whatever was asked for: nobody is led elsewhere.
fn own_path(to: &str) -> &str {
    let own = to.starts_with('/')
        && !to.starts_with("//")
        && to
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if own { to } else { "/" }
}

fn lead_on(pages: &Pages, to: &str, cookie: Option<HeaderValue>) -> Response {
    let url = HeaderValue::from_str(&pages.to(to)).unwrap_or(HeaderValue::from_static("/"));
    let mut response = (StatusCode::SEE_OTHER, [(LOCATION, url)]).into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn page<'p>(pages: &'p Pages, headers: &'p HeaderMap) -> Page<'p> {
    Page {
        pages,
        headers,
        part: "/login",
        title: "The console's token",
    }
}

fn form(pages: &Pages, to: &str, wrong: bool) -> Markup {
    html! {
        @if wrong { p.message.bad role="alert" { "This is not the console's token." } }
        p { "This simulator is shared. Whoever started it has the token of its console." }
        form.row method="post" action=(pages.to("/login")) {
            input type="hidden" name="to" value=(to);
            label { "Token" input name="token" type="password" autocomplete="current-password" required autofocus; }
            button { "Go on" }
        }
    }
}
