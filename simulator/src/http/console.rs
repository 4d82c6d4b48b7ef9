//! The console's listener: the first page, the operations, the reference page, the OpenAPI document and
//! the control API. The guard decides who may use it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_SECURITY_POLICY};
use http::{HeaderMap, HeaderValue};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use utoipa_swagger_ui::Config;

use super::control::guard::{ConsoleAccess, ConsoleGuard, guard_request};
use super::control::{self, ControlApi, ControlError, ControlErrorCode, content};
use super::metrics::{ListenerCounts, MetricsPage};
use super::page::Links;
use super::{BaseUrls, ListenerAddresses, PublicUrls, openapi, operations, page, people};
use crate::host::Host;
use crate::host::transport::TargetPolicy;
use crate::scenario::AccountConfig;

/// The console of a simulator.
pub struct Console {
    /// The simulator.
    pub host: Arc<Host>,
    /// The accounts it started with.
    pub accounts: Vec<AccountConfig>,
    /// Where its listeners are.
    pub addresses: ListenerAddresses,
    /// What those behind a proxy are called.
    pub public: PublicUrls,
    /// How many connections they have.
    pub connections: ListenerCounts,
    /// Where webhooks may go.
    pub targets: TargetPolicy,
    /// Who may use it.
    pub access: ConsoleAccess,
    /// Cancelled when it stops.
    pub stop: CancellationToken,
    /// Makes the pages for people, over the router of the control API and below the public URL.
    pub pages: fn(Router, String) -> Router,
}

struct ConsoleState {
    console: Console,
    urls: BaseUrls,
    links: Links,
    metrics: MetricsPage,
    reference: Arc<Config<'static>>,
    /// Rendered at the first request, so that the start does not wait for it.
    document: OnceCell<Bytes>,
    operations: OnceCell<Bytes>,
}

impl Console {
    /// What the listener serves.
    pub fn router(self) -> Router {
        // A browser does not let a page of this listener call the other two, which are other sites.
        let config = Config::from("../openapi.json")
            .supported_submit_methods([""; 0])
            .validator_url("none")
            .doc_expansion("none")
            .filter(true)
            .show_extensions(true)
            .use_base_layout();
        let control = Arc::new(ControlApi {
            host: Arc::clone(&self.host),
            targets: self.targets.clone(),
            stop: self.stop.clone(),
        });
        let base = self.public.console.as_ref();
        let base = base.map_or_else(String::new, |public| public.base().to_owned());
        let control = control::router(&control);
        let pages = (self.pages)(control.clone(), base);
        let guard = ConsoleGuard::new(self.access.clone(), self.addresses.console);
        let guard = guard.behind(self.public.console.as_ref());
        let state = ConsoleState {
            urls: self.public.or_at(&self.addresses),
            links: Links::of(self.public.console.as_ref()),
            metrics: MetricsPage::new(&self.host, &self.connections),
            console: self,
            reference: Arc::new(config),
            document: OnceCell::new(),
            operations: OnceCell::new(),
        };
        Router::new()
            .route("/", get(home))
            .route("/openapi.json", get(document))
            .route("/operations", get(operations))
            .route("/metrics", get(metrics))
            .route("/docs", get(|| async { Redirect::permanent("docs/") }))
            .route(
                "/docs/",
                get(|state| reference(state, Path("index.html".to_owned()))),
            )
            .route("/docs/{*file}", get(reference))
            .with_state(Arc::new(state))
            .merge(control)
            .merge(pages)
            .method_not_allowed_fallback(method_not_allowed)
            .fallback(not_found)
            .layer(from_fn_with_state(Arc::new(guard), guard_request))
    }
}

async fn home(State(state): State<Arc<ConsoleState>>) -> Response {
    let Console { host, accounts, .. } = &state.console;
    let page = page::home(&host.rules(), accounts, &state.urls, &state.links);
    html(page.into_string().into())
}

async fn operations(State(state): State<Arc<ConsoleState>>) -> Response {
    let make = |state: &ConsoleState| {
        let rules = state.console.host.rules();
        let list = operations::list(&rules, &state.console.accounts);
        let people = people::list(&rules);
        page::operations(&list, &people, &state.links)
            .into_string()
            .into()
    };
    let page = render_once(&state, &state.operations, make).await;
    page.map_or_else(ControlError::into_response, html)
}

async fn metrics(State(state): State<Arc<ConsoleState>>, headers: HeaderMap) -> Response {
    state.metrics.respond(&headers)
}

/// A page without scripts.
fn html(page: Bytes) -> Response {
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let page = content("text/html; charset=utf-8", page);
    ([(CONTENT_SECURITY_POLICY, policy)], page).into_response()
}

async fn document(State(state): State<Arc<ConsoleState>>) -> Response {
    let make = |it: &ConsoleState| {
        let document = openapi::document(&it.console.host.rules(), &it.console.accounts, &it.urls);
        openapi::print(&document).into()
    };
    let document = render_once(&state, &state.document, make).await;
    document.map_or_else(ControlError::into_response, |document| {
        content("application/json", document)
    })
}

/// Renders a slow document at the first request for it, on a thread that may block.
async fn render_once(
    state: &Arc<ConsoleState>,
    cell: &OnceCell<Bytes>,
    make: fn(&ConsoleState) -> Bytes,
) -> Result<Bytes, ControlError> {
    let from = Arc::clone(state);
    let made = cell.get_or_try_init(|| tokio::task::spawn_blocking(move || make(&from)));
    let message = "the document could not be made";
    let failed = |_| ControlError::new(ControlErrorCode::InternalError, message);
    made.await.cloned().map_err(failed)
}

async fn reference(State(state): State<Arc<ConsoleState>>, Path(file): Path<String>) -> Response {
    let Ok(Some(file)) = utoipa_swagger_ui::serve(&file, Arc::clone(&state.reference)) else {
        return not_found().await;
    };
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
    let content = content(&file.content_type, Bytes::from(file.bytes.into_owned()));
    let mut response = ([(CONTENT_SECURITY_POLICY, policy)], content).into_response();
    if file.gzpipped {
        let gzip = HeaderValue::from_static("gzip");
        response.headers_mut().insert(CONTENT_ENCODING, gzip);
    }
    response
}

async fn not_found() -> Response {
    let message = "the console has nothing at this path; /openapi.json lists what it has";
    ControlError::new(ControlErrorCode::NotFound, message).into_response()
}

async fn method_not_allowed() -> Response {
    let message = "this path does not take this method";
    ControlError::new(ControlErrorCode::MethodNotAllowed, message).into_response()
}
