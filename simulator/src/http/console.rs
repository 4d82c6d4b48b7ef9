//! The console's listener: the first page, the operations, the reference page, the OpenAPI document,
//! health. Must
//! not answer requests that another site's page makes: `Host` has to be the console's own address.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use http::uri::Authority;
use http::{HeaderValue, StatusCode};
use serde_json::json;
use tokio::sync::OnceCell;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use utoipa_swagger_ui::Config;

use super::{Addresses, openapi, operations, page};
use crate::host::Host;
use crate::scenario::AccountTerms;

/// The console of a simulator.
pub struct Console {
    /// The simulator.
    pub host: Arc<Host>,
    /// The accounts it started with.
    pub accounts: Vec<AccountTerms>,
    /// Where its listeners are.
    pub addresses: Addresses,
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
            .route("/control/health", get(health))
            .route("/control/ready", get(ready))
            .method_not_allowed_fallback(wrong_method)
            .fallback(nothing_here)
            .layer(from_fn_with_state(Arc::clone(&served), only_own_host))
            .with_state(served)
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
    error(
        StatusCode::INTERNAL_SERVER_ERROR,
        "INTERNAL_ERROR",
        "the document could not be made",
    )
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

async fn health() -> Response {
    json_answer(StatusCode::OK, &json!({"status": "ok"}))
}

/// All listeners are bound before the first of them serves: only the stop makes this false.
async fn ready(State(served): State<Arc<Served>>) -> Response {
    match served.console.stop.is_cancelled() {
        false => json_answer(StatusCode::OK, &json!({"status": "ready"})),
        true => json_answer(
            StatusCode::SERVICE_UNAVAILABLE,
            &json!({"status": "stopping"}),
        ),
    }
}

async fn nothing_here() -> Response {
    error(
        StatusCode::NOT_FOUND,
        "NOT_FOUND",
        "the console has nothing at this path",
    )
}

async fn wrong_method() -> Response {
    error(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "this path does not take this method",
    )
}

/// A name that was made to point at this machine must not open the console to a stranger's page.
async fn only_own_host(
    State(served): State<Arc<Served>>,
    request: Request,
    next: Next,
) -> Response {
    let mut hosts = request.headers().get_all(HOST).iter();
    let sent = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    let target = request.uri().authority().map(Authority::as_str);
    let own = |host: &str| is_own(host, served.console.addresses.console);
    if sent.is_some_and(own) && target.is_none_or(own) {
        return next.run(request).await;
    }
    let message = "the Host header must be the console's own address, such as localhost";
    error(StatusCode::FORBIDDEN, "HOST_NOT_ALLOWED", message)
}

/// Whether a host is loopback or the address the console listens on. A console that listens on
/// every address takes every address, but no name.
fn is_own(host: &str, console: SocketAddr) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    let name = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    match name.parse::<IpAddr>() {
        Ok(ip) => ip.is_loopback() || ip == console.ip() || console.ip().is_unspecified(),
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    json_answer(
        status,
        &json!({"error": {"code": code, "message": message}}),
    )
}

fn json_answer(status: StatusCode, json: &serde_json::Value) -> Response {
    (status, content("application/json", json.to_string().into())).into_response()
}

fn content(kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(axum::body::Body::from(body));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_str(kind);
    headers.insert(
        CONTENT_TYPE,
        kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        "x-content-type-options",
        HeaderValue::from_static("nosniff"),
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_and_the_own_address_are_own_hosts() {
        let local = SocketAddr::from(([127, 0, 0, 1], 8800));
        let everywhere = SocketAddr::from(([0, 0, 0, 0], 8800));
        for (host, on_local, on_everywhere) in [
            ("localhost", true, true),
            ("LOCALHOST:9000", true, true),
            ("127.0.0.1:8800", true, true),
            ("[::1]:8800", true, true),
            ("192.0.2.7", false, true),
            ("rebound.example", false, false),
            ("127.0.0.1.example", false, false),
            ("localhost.example", false, false),
            ("", false, false),
            ("user@rebound.example", false, false),
        ] {
            assert_eq!(is_own(host, local), on_local, "{host}");
            assert_eq!(is_own(host, everywhere), on_everywhere, "{host}");
        }
    }
}
