//! A path that leads nowhere: a page for whoever typed it, the control API's error for programs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Method, StatusCode, Uri};
use maud::html;

use super::Pages;
use super::page::Page;
use super::text::shown;
use crate::http::control::guard::asks_for_a_page;

/// Says that nothing is there, and where to begin.
pub(super) async fn here(
    State(pages): State<Arc<Pages>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let nothing = (pages.settings.nothing)(&uri);
    if !asks_for_a_page(&headers) {
        return nothing.answer;
    }
    if let Some(path) = without_slash(&uri).filter(|_| method.is_safe()) {
        return Redirect::permanent(&pages.to(&path)).into_response();
    }
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "",
        title: "Nothing is here",
    };
    let content = html! {
        p.message.bad role="alert" { (shown(&nothing.message)) }
        p { a href=(pages.to("/")) { "The first page" } }
    };
    page.answer(StatusCode::NOT_FOUND, &content)
}

/// The path of a page that was asked for as a folder.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().strip_suffix('/')?;
    // What begins with two slashes, or what browsers take for them, would lead to another host.
    let is_ours =
        path[1.min(path.len())..].starts_with(|first: char| first.is_ascii_alphanumeric());
    let query = uri.query().map(|query| format!("?{query}"));
    is_ours.then(|| format!("{path}{}", query.unwrap_or_default()))
}
