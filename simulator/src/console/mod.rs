//! The console's pages for people. They know what the control API answers and nothing else: each of them asks its
//! router in process, and what they change they change by it. Every page has an address of its own and works without
//! scripts but for live lists, and every change is a form that leads back to its page.

mod account;
mod account_forms;
mod accounts;
mod api;
mod assets;
mod body_form;
mod call;
mod call_actions;
mod call_story;
mod call_view;
mod calls;
mod consents;
mod delivery;
mod explain;
mod filter;
mod forecast;
mod forecast_view;
mod form;
mod guide;
mod import;
mod layout;
mod live;
mod login;
mod nothing;
mod page;
mod reference;
mod reset;
mod scenarios;
mod schedule;
mod start;
mod text;
mod time;
mod try_it;
mod upload;
mod webhooks;
mod why;
mod world;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::sync::{OnceCell, Semaphore};

use crate::http::console::PageSettings;
use api::InProcessControl;

/// The longest file of an account that a page reads: as long as the control API reads one.
const LONGEST_FILE: usize = 256 << 20;

/// What every page works with.
pub(crate) struct Pages {
    api: InProcessControl,
    /// What the paths of links come after: the public URL, where there is one.
    base: String,
    settings: PageSettings,
    /// Places for pages that follow a list.
    live: Arc<Semaphore>,
    /// Rendered at the first request, so that the start does not wait for it.
    inputs: OnceCell<String>,
}

/// The pages over this control API.
pub fn router(control: Router, settings: PageSettings) -> Router {
    let pages = Arc::new(Pages {
        api: InProcessControl::new(control),
        base: settings.base.clone(),
        settings,
        live: Arc::new(Semaphore::new(live::MOST)),
        inputs: OnceCell::new(),
    });
    Router::new()
        .route("/", get(start::show))
        .route("/operations", get(reference::operations))
        .route("/errors", get(reference::errors))
        .route("/inputs", get(reference::inputs))
        .route("/assets/{name}", get(assets::serve))
        .route("/favicon.ico", get(assets::icon))
        .route(guide::GUIDE, get(guide::first))
        .route("/guide/{*path}", get(guide::one))
        .route("/login", get(login::ask).post(login::check))
        .route("/calls", get(calls::list))
        .route("/calls/live", get(calls::live))
        .route("/calls/{id}", get(call::show))
        .route("/calls/{id}/again", post(call_actions::again))
        .route("/calls/{id}/next", post(call_actions::next))
        .route("/webhooks", get(webhooks::list))
        .route("/webhooks/receiver", post(webhooks::receiver))
        .route("/webhooks/test", post(webhooks::test))
        .route("/webhooks/live", get(webhooks::live))
        .route("/webhooks/{id}", get(webhooks::one))
        .route("/webhooks/{id}/live", get(webhooks::live_one))
        .route("/webhooks/{id}/redeliver", post(webhooks::redeliver))
        .route("/accounts", get(accounts::list).post(accounts::open))
        .route(
            "/import",
            get(import::ask)
                .post(import::read)
                .layer(DefaultBodyLimit::max(LONGEST_FILE)),
        )
        .route(
            "/accounts/{id}",
            get(account::show).post(account_forms::change),
        )
        .route("/time", get(time::list))
        .route("/time/{id}", get(time::show).post(time::change))
        .route("/time/{id}/live", get(time::live))
        .route("/scenarios", get(scenarios::list).post(scenarios::add))
        .route(
            "/scenarios/file",
            get(scenarios::file).post(scenarios::change),
        )
        .route("/scenarios/explain", get(explain::show))
        .route(
            "/forecast",
            get(forecast::show)
                .post(forecast::read)
                .layer(DefaultBodyLimit::max(forecast::LONGEST_FILE)),
        )
        .route("/world", get(world::show))
        .route("/try", get(try_it::list))
        .route("/try/{id}", get(try_it::show).post(try_it::send))
        .route("/consents", get(consents::list).post(consents::decide))
        .route("/reset", get(reset::ask).post(reset::reset))
        .fallback(nothing::here)
        .layer(from_fn_with_state(
            Arc::clone(&pages),
            form::only_what_led_here,
        ))
        .with_state(pages)
}
