//! The two API listeners: every request but those for test assets and the consent page goes to the
//! engine, and its answer is the envelope. Decides nothing; only how much of a body is read, and for
//! how long, is decided here.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::{
    ALLOW, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, DATE, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use ipnet::IpNet;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;

use super::arriving::{Arrived, arrive};
use super::edge::{Answers, Asked};
use super::head::Flaw;
use super::{assets, consent, forwarded};
use crate::engine::call::input::MAX_BODY_BYTES;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::{Body, Call, Environment, Header, Headers};
use crate::host::Host;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");
const REFERENCE_ID: HeaderName = HeaderName::from_static("x-reference-id");

/// One of the two API listeners.
pub struct Api {
    /// Who answers.
    pub host: Arc<Host>,
    /// Which of the two.
    pub environment: Environment,
    /// The proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
}

impl Answers for Arc<Api> {
    async fn answer(self, asked: Asked) -> Response {
        Api::answer(&self, asked).await
    }
}

impl Api {
    /// The answer to a request.
    pub async fn answer<B>(&self, asked: Asked<B>) -> Response
    where
        B: hyper::body::Body<Data = Bytes> + Unpin,
    {
        let Asked {
            request,
            flaw,
            peer,
        } = asked;
        let path = request.uri().path();
        if let Some(flaw) = flaw {
            return refused(self, peer, &request.into_parts().0, flaw);
        }
        if let Some(asset) = assets::at(path) {
            return assets::serve(request.method(), asset);
        }
        if let Some(link) = consent::link_in(path) {
            let (parts, body) = request.into_parts();
            let page = AssertUnwindSafe(consent::serve(self, link, &parts, body));
            let page = page.catch_unwind().await;
            return page.unwrap_or_else(|_| {
                respond(failed(self, &call(self, peer, &parts, Body::Incomplete)))
            });
        }
        let (parts, body) = request.into_parts();
        let body = arrive(body, MAX_BODY_BYTES, self.body_timeout).await;
        let arrived = match &body {
            Arrived::Whole(bytes) => Body::Whole(bytes),
            Arrived::TooLarge => Body::TooLarge,
            Arrived::Incomplete => Body::Incomplete,
        };
        let call = call(self, peer, &parts, arrived);
        // The engine holds no lock across a wait and books an answer as one entry, so that a panic
        // leaves nothing half done behind.
        let reply = AssertUnwindSafe(self.host.answer(&call))
            .catch_unwind()
            .await;
        let reply = reply.unwrap_or_else(|_| failed(self, &call));
        let fault = reply.wire;
        let mut response = respond(reply);
        if let Some(fault) = fault {
            // The edge lets it happen, without hyper, which dates sound answers.
            response.headers_mut().insert(DATE, date(self.host.now()));
            response.extensions_mut().insert(fault);
        }
        if !matches!(body, Arrived::Whole(_)) {
            // What is left of the body would be taken for the next request.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        response
    }
}

/// The answer to a request that could be understood in several ways, or in none.
fn refused(api: &Api, peer: SocketAddr, parts: &Parts, flaw: Flaw) -> Response {
    let call = call(api, peer, parts, Body::Incomplete);
    respond(api.host.refused(&call, &flaw.to_string()))
}

fn call<'a>(api: &Api, peer: SocketAddr, parts: &'a Parts, body: Body<'a>) -> Call<'a> {
    Call {
        environment: api.environment,
        peer: forwarded::caller(peer.ip(), &parts.headers, &api.trusted_proxies),
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        headers: headers(&parts.headers),
        body,
    }
}

fn date(now: Timestamp) -> HeaderValue {
    let text = DateTimePrinter::new().timestamp_to_rfc9110_string(&now);
    let text = text.expect("HTTP can write every day of the machine's clock");
    HeaderValue::try_from(text).expect("a date is letters, digits, spaces and a few signs")
}

fn failed(api: &Api, call: &Call<'_>) -> Reply {
    tracing::error!(method = ?call.method, path = ?call.path, "a call made the service panic");
    // Without the body: it may be what made the service panic, and would do so again.
    api.host.failed(&Call {
        body: Body::Incomplete,
        ..call.clone()
    })
}

/// In one way through the headers, which are few: five look-ups would cost more.
fn headers(map: &HeaderMap) -> Headers<'_> {
    let mut headers = Headers::default();
    for (name, value) in map {
        let header = match name {
            name if name == AUTHORIZATION => &mut headers.authorization,
            name if name == CONTENT_TYPE => &mut headers.content_type,
            name if name == CONTENT_ENCODING => &mut headers.content_encoding,
            name if name == IDEMPOTENCY_KEY => &mut headers.idempotency_key,
            name if name == REFERENCE_ID => &mut headers.reference_id,
            _ => continue,
        };
        *header = match header {
            Header::Absent => Header::One(value.as_bytes()),
            Header::One(_) | Header::Many => Header::Many,
        };
    }
    headers
}

fn respond(reply: Reply) -> Response {
    let mut response = Response::new(axum::body::Body::from(reply.body));
    let status = StatusCode::from_u16(reply.status);
    *response.status_mut() = status.expect("the contract's statuses are HTTP's");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(seconds) = reply.retry_after_s {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(methods) = reply.allow {
        headers.insert(ALLOW, HeaderValue::from_static(methods));
    }
    if reply.status == StatusCode::UNAUTHORIZED.as_u16() {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if reply.replay {
        headers.insert(IDEMPOTENT_REPLAY, HeaderValue::from_static("true"));
    }
    response
}
