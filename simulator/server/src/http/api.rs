//! The two API listeners. Test assets and the consent page have handlers of their own; every other
//! request goes to the engine, which answers with an envelope (ruling 1). Decides nothing but who the
//! caller is behind trusted proxies.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, DATE,
    RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use ipnet::IpNet;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use svc_fixtures::embedded::{TestAsset, test_asset};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::consent::{self, ConsentLinks};
use super::edge::{
    ConnectionCounts, EdgeLimits, Handler, IncomingRequest, MalformedRequest, ReadBody, read_body,
    serve,
};
use super::workers::Workers;
use crate::engine::call::input::MAX_BODY_BYTES;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::{Body, Call, Environment, Header, Headers};
use crate::host::Host;
use crate::host::call_span::{call_span, verification};
use crate::host::shares::TakenRoom;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");
const REFERENCE_ID: HeaderName = HeaderName::from_static("x-reference-id");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// One of the two API listeners.
pub struct Api {
    /// What answers the calls.
    pub host: Arc<Host>,
    /// The environment of the listener.
    pub environment: Environment,
    /// The proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
}

impl Handler for Arc<Api> {
    fn handle(self, incoming: IncomingRequest) -> impl Future<Output = Response> + Send {
        Api::answer(self, incoming)
    }
}

/// Serves a listener of the API until `stop` is cancelled, as [`serve`] does.
///
/// What is generic is compiled by the crate that uses it: boxed here, all that every call runs is compiled together.
#[must_use]
pub fn serve_api(
    listener: TcpListener,
    api: Arc<Api>,
    limits: EdgeLimits,
    counts: Arc<ConnectionCounts>,
    workers: Arc<Workers>,
    stop: CancellationToken,
) -> BoxFuture<'static, ()> {
    serve(listener, api, limits, counts, workers, stop).boxed()
}

impl Api {
    /// The answer to a request.
    pub async fn answer<B>(self: Arc<Self>, incoming: IncomingRequest<B>) -> Response
    where
        B: hyper::body::Body<Data = Bytes> + Unpin,
    {
        let IncomingRequest {
            request,
            malformed,
            peer,
        } = incoming;
        let (parts, body) = request.into_parts();
        if let Some(malformed) = malformed {
            return self.refuse(peer, &parts, malformed);
        }
        let path = parts.uri.path();
        if let Some(asset) = path.strip_prefix("/test-assets/").and_then(test_asset) {
            return serve_asset(&parts.method, asset);
        }
        if let Some(link) = path.strip_prefix("/consent/") {
            let links = ConsentLinks {
                host: &self.host,
                environment: self.environment,
                body_timeout: self.body_timeout,
            };
            let page = AssertUnwindSafe(consent::serve(&links, link, &parts, body));
            let page = page.catch_unwind().await;
            return page.unwrap_or_else(|_| {
                respond(self.panicked(&self.call(peer, &parts, Body::Incomplete)))
            });
        }
        let mut room = TakenRoom::of(self.host.shares().bodies());
        let body = read_body(body, MAX_BODY_BYTES, self.body_timeout, &mut room).await;
        let of_call = match &body {
            ReadBody::Whole(bytes) => Body::Whole(bytes),
            ReadBody::TooLarge => Body::TooLarge,
            ReadBody::Incomplete => Body::Incomplete,
        };
        let call = self.call(peer, &parts, of_call);
        // The engine holds no lock across a wait and applies an answer as one entry, so that a panic
        // leaves no state half changed.
        let reply = {
            let span = call_span(self.environment);
            let mut answer = pin!(self.host.answer(&call));
            // As adapters of the future this would move it, some thousand bytes, once for each.
            poll_fn(|context| {
                let _entered = span.enter();
                let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
                polled.map_or(Poll::Ready(None), |answer| answer.map(Some))
            })
            .await
        };
        let reply = reply.unwrap_or_else(|| self.panicked(&call));
        let fault = reply.wire;
        let mut response = respond(reply);
        if let Some(fault) = fault {
            // Hyper, which would set the date, does not write answers with a fault.
            response.headers_mut().insert(DATE, date(self.host.now()));
            response.extensions_mut().insert(fault);
            if let Some(part) = self.host.hold_back(&call) {
                response.extensions_mut().insert(Arc::new(part));
            }
        }
        if !matches!(body, ReadBody::Whole(_)) {
            // The rest of the body would be read as the next request.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        response
    }

    /// The answer to a malformed request.
    fn refuse(&self, peer: SocketAddr, parts: &Parts, malformed: MalformedRequest) -> Response {
        let call = self.call(peer, parts, Body::Incomplete);
        let reason = malformed.to_string();
        respond(self.host.malformed_request_reply(&call, &reason))
    }

    fn call<'a>(&self, peer: SocketAddr, parts: &'a Parts, body: Body<'a>) -> Call<'a> {
        Call {
            environment: self.environment,
            peer: caller(peer.ip(), &parts.headers, &self.trusted_proxies),
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query().unwrap_or_default(),
            headers: headers(&parts.headers),
            body,
        }
    }

    fn panicked(&self, call: &Call<'_>) -> Reply {
        // Without the body, which may have caused the panic and would cause it again.
        let reply = self.host.internal_error_reply(&Call {
            body: Body::Incomplete,
            ..call.clone()
        });
        let operation = self.host.called(call.path);
        let verification = verification(&reply);
        tracing::error!(operation, verification, "a call made the service panic");
        reply
    }
}

fn date(now: Timestamp) -> HeaderValue {
    let text = DateTimePrinter::new().timestamp_to_rfc9110_string(&now);
    let text = text.expect("HTTP can write every day of the machine's clock");
    HeaderValue::try_from(text).expect("a date is letters, digits, spaces and a few signs")
}

/// The headers that the engine reads. One pass over the few headers costs less than five look-ups.
fn headers(map: &HeaderMap) -> Headers<'_> {
    let mut headers = Headers {
        all: Some(map),
        ..Headers::default()
    };
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

/// Serves a test asset to anybody: it needs no key and is not recorded.
fn serve_asset(method: &Method, asset: TestAsset) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response();
    }
    let headers = [
        (CONTENT_TYPE, asset.content_type),
        // An asset changes with the binary only.
        (CACHE_CONTROL, "public, max-age=3600"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    // Hyper answers HEAD with the length alone.
    (headers, asset.bytes).into_response()
}

/// The caller's address (ruling 16): the peer's own, or, behind trusted proxies, the rightmost address of
/// `X-Forwarded-For` that is no trusted proxy. A hop that is no address ends the search, because no
/// trusted proxy vouches for the hops before it.
fn caller(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut caller = peer.to_canonical();
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&caller) {
        return caller;
    }
    for line in headers.get_all(X_FORWARDED_FOR).iter().rev() {
        for hop in line.to_str().unwrap_or_default().rsplit(',') {
            let Some(address) = address(hop.trim()) else {
                return caller;
            };
            caller = address;
            if !is_trusted(&caller) {
                return caller;
            }
        }
    }
    caller
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[');
    let bare = bare.and_then(|text| text.strip_suffix(']'));
    let alone = bare.unwrap_or(text).parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    alone.or_else(with_port).map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller_of(peer: &str, lines: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_str(line).unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|net| net.parse().unwrap()).collect();
        caller(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn without_a_trusted_proxy_the_header_is_ignored() {
        let caller = caller_of("198.51.100.1", &["203.0.113.7"], &["127.0.0.0/8"]);
        assert_eq!(caller, "198.51.100.1");
        assert_eq!(caller_of("127.0.0.1", &["203.0.113.7"], &[]), "127.0.0.1");
    }

    #[test]
    fn behind_trusted_proxies_the_rightmost_untrusted_address_calls() {
        let trusted = ["127.0.0.0/8", "10.0.0.0/8"];
        for (lines, caller) in [
            (&["203.0.113.7"][..], "203.0.113.7"),
            (&["192.0.2.1, 203.0.113.7, 10.1.1.1"], "203.0.113.7"),
            (&["192.0.2.1", "203.0.113.7", "10.1.1.1"], "203.0.113.7"),
            (&["203.0.113.7:4711"], "203.0.113.7"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["::ffff:203.0.113.7"], "203.0.113.7"),
            (&["192.0.2.1, unknown, 10.1.1.1"], "10.1.1.1"),
            (&["10.2.2.2"], "10.2.2.2"),
            (&[], "127.0.0.1"),
        ] {
            assert_eq!(caller_of("127.0.0.1", lines, &trusted), caller, "{lines:?}");
        }
    }
}
