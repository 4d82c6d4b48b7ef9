//! The console's listener: the first page, the operations, the reference page, the OpenAPI document,
//! the control API. Who may use it is the guard's to say.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, CONTENT_SECURITY_POLICY};
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use utoipa_swagger_ui::Config;

use super::control::guard::{Access, Guard, guarded};
use super::control::{self, Code, Control, Refusal, content};
use super::{Addresses, openapi, operations, page};
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
    pub addresses: Addresses,
    /// Where webhooks may go.
    pub targets: TargetPolicy,
    /// Who may use it.
    pub access: Access,
    /// Cancelled when it stops.
    pub stop: CancellationToken,
}

struct Served {
    console: Console,
    reference: Arc<Config<'static>>,
    /// Made at the first request: starting must not wait for it.
    document: OnceCell<Bytes>,
    operations: OnceCell<Bytes>,
}

impl Console {
    /// What the listener serves.
    pub fn router(self) -> Router {
        // A page on this listener can't call the other two: to the browser they are other sites.
        let config = Config::from("/openapi.json")
            .supported_submit_methods([""; 0])
            .validator_url("none")
            .doc_expansion("none")
            .filter(true)
            .show_extensions(true)
            .use_base_layout();
        let control = Arc::new(Control {
            host: Arc::clone(&self.host),
            targets: self.targets.clone(),
            stop: self.stop.clone(),
        });
        let guard = Arc::new(Guard::new(self.access.clone(), self.addresses.console));
        let served = Served {
            console: self,
            reference: Arc::new(config),
            document: OnceCell::new(),
            operations: OnceCell::new(),
        };
        let served = Arc::new(served);
        Router::new()
            .route("/", get(home))
            .route("/openapi.json", get(document))
            .route("/operations", get(operations))
            .route("/docs", get(|| async { Redirect::permanent("/docs/") }))
            .route(
                "/docs/",
                get(|state| reference(state, Path("index.html".to_owned()))),
            )
            .route("/docs/{*file}", get(reference))
            .with_state(served)
            .merge(control::router(&control))
            .method_not_allowed_fallback(wrong_method)
            .fallback(nothing_here)
            .layer(from_fn_with_state(guard, guarded))
    }
}

async fn home(State(served): State<Arc<Served>>) -> Response {
    let Console {
        host,
        accounts,
        addresses,
        ..
    } = &served.console;
    html(page::home(&host.rules(), accounts, addresses).into())
}

async fn operations(State(served): State<Arc<Served>>) -> Response {
    let make = |console: &Console| {
        let rules = console.host.rules();
        page::operations(&operations::list(&rules, &console.accounts)).into()
    };
    match made_once(&served, &served.operations, make).await {
        Ok(page) => html(page),
        Err(_) => not_made(),
    }
}

/// A page without scripts.
fn html(page: Bytes) -> Response {
    let mut response = content("text/html; charset=utf-8", page);
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, policy);
    response
}

async fn document(State(served): State<Arc<Served>>) -> Response {
    let make = |it: &Console| {
        let document = openapi::document(&it.host.rules(), &it.accounts, &it.addresses);
        openapi::print(&document).into()
    };
    match made_once(&served, &served.document, make).await {
        Ok(document) => content("application/json", document),
        Err(_) => not_made(),
    }
}

/// What takes long to make, made at the first request for it where nothing else waits.
async fn made_once(
    served: &Arc<Served>,
    kept: &OnceCell<Bytes>,
    make: fn(&Console) -> Bytes,
) -> Result<Bytes, JoinError> {
    let from = Arc::clone(served);
    let made = kept.get_or_try_init(|| tokio::task::spawn_blocking(move || make(&from.console)));
    made.await.cloned()
}

fn not_made() -> Response {
    Refusal::new(Code::InternalError, "the document could not be made").into_response()
}

async fn reference(State(served): State<Arc<Served>>, Path(file): Path<String>) -> Response {
    let Ok(Some(file)) = utoipa_swagger_ui::serve(&file, Arc::clone(&served.reference)) else {
        return nothing_here().await;
    };
    let mut response = content(&file.content_type, Bytes::from(file.bytes.into_owned()));
    let headers = response.headers_mut();
    if file.gzpipped {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

async fn nothing_here() -> Response {
    let message = "the console has nothing at this path; /openapi.json lists what it has";
    Refusal::new(Code::NotFound, message).into_response()
}

async fn wrong_method() -> Response {
    let message = "this path does not take this method";
    Refusal::new(Code::MethodNotAllowed, message).into_response()
}
