//! The test assets: images to call operations with, served to anybody. No call of the service, so
//! nothing of it is recorded and nothing asks for a key.

use axum::response::Response;
use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Method, StatusCode};
use svc_fixtures::embedded::{TestAsset, test_asset};

/// The image at a path.
pub(super) fn at(path: &str) -> Option<TestAsset> {
    test_asset(path.strip_prefix("/test-assets/")?)
}

/// The image, or that this method is not for images.
pub(super) fn serve(method: &Method, asset: TestAsset) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let mut response = Response::new(axum::body::Body::empty());
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    // To a HEAD request the edge sends the length without the bytes.
    let mut response = Response::new(Bytes::from_static(asset.bytes).into());
    for (name, value) in [
        (CONTENT_TYPE, asset.content_type),
        // It changes with the binary only.
        (CACHE_CONTROL, "public, max-age=3600"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
