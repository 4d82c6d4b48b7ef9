//! The console's pages for people. They know what the control API answers and nothing else: each of them asks its
//! router in process, and what they change they change by it. Without scripts; every page has an address of its
//! own, and every change is a form that leads back to its page.

mod account;
mod account_forms;
mod accounts;
mod api;
mod consents;
mod layout;
mod scenarios;
mod time;
mod try_it;
mod world;

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse as _;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};

use api::InProcessControl;

/// What every page works with.
pub(crate) struct Pages {
    api: InProcessControl,
    /// What the paths of links come after: the public URL, where there is one.
    base: String,
}

/// The pages over this control API, with links below this URL.
pub fn router(control: Router, base: String) -> Router {
    let pages = Arc::new(Pages {
        api: InProcessControl::new(control),
        base,
    });
    Router::new()
        .route("/console.css", get(style))
        .route("/accounts", get(accounts::list).post(accounts::open))
        .route(
            "/accounts/{id}",
            get(account::show).post(account_forms::change),
        )
        .route("/time", get(time::list))
        .route("/time/{id}", get(time::show).post(time::change))
        .route("/scenarios", get(scenarios::list).post(scenarios::add))
        .route(
            "/scenarios/file",
            get(scenarios::file).post(scenarios::change),
        )
        .route("/world", get(world::show))
        .route("/try", get(try_it::list))
        .route("/try/{id}", get(try_it::show).post(try_it::send))
        .route("/consents", get(consents::list).post(consents::decide))
        .with_state(pages)
}

async fn style() -> axum::response::Response {
    let headers = [
        (CONTENT_TYPE, "text/css; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, include_str!("console.css")).into_response()
}
