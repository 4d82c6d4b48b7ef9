//! The receiver over HTTP, on this machine.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;

use super::{Receipt, Sink};

const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");

/// Receives until it is dropped.
///
/// # Errors
/// Where the listener breaks.
pub async fn serve(listener: TcpListener, sink: Sink) -> std::io::Result<()> {
    let router = Router::new().fallback(take).with_state(sink);
    axum::serve(listener, router).await
}

async fn take(State(sink): State<Sink>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &HeaderName| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let status = sink.take(Receipt {
        path: uri.path().to_owned(),
        at_s: Some(now_s()),
        signature: text(&SIGNATURE),
        content_type: text(&CONTENT_TYPE),
        body: String::from_utf8_lossy(&body).into_owned(),
        status: 0,
    });
    let mut response = StatusCode::from_u16(status)
        .unwrap_or(StatusCode::NO_CONTENT)
        .into_response();
    if response.status().is_redirection() {
        let elsewhere = HeaderValue::from_static("/redirected/ok");
        response.headers_mut().insert(LOCATION, elsewhere);
    }
    response
}

#[expect(
    clippy::disallowed_methods,
    reason = "whether a signature is fresh can only be said by the receiver's own clock"
)]
fn now_s() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
