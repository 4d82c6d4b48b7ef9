//! The first page.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use super::Pages;
use super::page::Page;

/// From nothing to a signed webhook.
pub(super) async fn show(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "/",
        title: "From nothing to a signed webhook",
    };
    page.show(&(pages.settings.start)())
}
