//! Answers of the console: bytes with the headers that every one of them has.

use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, StatusCode};
use serde::Serialize;

/// A file or a page.
pub(in crate::http) fn content(kind: &str, body: Bytes) -> Response {
    let mut response = Response::new(axum::body::Body::from(body));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_str(kind);
    headers.insert(
        CONTENT_TYPE,
        kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// What an account is at this moment: nobody may keep it, and keys are in it.
pub(super) fn json(status: StatusCode, answer: &impl Serialize) -> Response {
    let body = serde_json::to_vec(answer).expect("the twins have no maps with strange keys");
    let mut response = content("application/json", body.into());
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *response.status_mut() = status;
    response
}

/// Nothing but a status.
pub(super) fn nothing(status: StatusCode) -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = status;
    response
}
