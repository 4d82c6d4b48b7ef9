//! A path that leads nowhere: a page for whoever typed it, the control API's error for programs.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use maud::html;

use super::Pages;
use super::page::Page;
use super::text::shown;
use crate::http::control::guard::asks_for_a_page;

/// Says that nothing is there, and where to begin.
pub(super) async fn here(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let nothing = (pages.settings.nothing)(&uri);
    if !asks_for_a_page(&headers) {
        return nothing.answer;
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
