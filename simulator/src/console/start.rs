//! The first page, and the reference of operations.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use maud::PreEscaped;

use super::Pages;
use super::page::Page;

/// The first page: from nothing to a signed webhook.
pub(super) async fn show(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "/",
        title: "From nothing to a signed webhook",
    };
    page.show(&(pages.settings.start)())
}

/// Every operation with its fixed inputs, and whoever has a story.
pub(super) async fn operations(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "/operations",
        title: "Operations",
    };
    let make = Arc::clone(&pages.settings.operations);
    let made = pages.operations.get_or_try_init(|| async {
        // Slow: on a thread that may block.
        tokio::task::spawn_blocking(move || make().into_string()).await
    });
    match made.await {
        Ok(made) => page.show(&PreEscaped(made.clone())),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
