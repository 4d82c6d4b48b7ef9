//! One request passed on, and its answer passed back.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use svc_tls::{ServerTrust, TlsFileError};
use tokio::sync::Semaphore;

use super::flight::{Flight, PLACES, Passing, Side, ToDesk, UnderWay};
use super::heads::{Forward, passed_on};
use super::seen::{Seen, SeenBody, SeenHeaders};
use super::{RecordPlan, RouteKind};
use crate::capture::TransportError;
use crate::target::{causes, is_no_http};

/// How long a connection to the service may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an idle connection to the service is kept. Services close theirs after a minute or more.
const IDLE: Duration = Duration::from_secs(20);

/// What is answered: what came, or that nothing did.
pub(super) type PassedBack = Response<Either<Passing, Full<Bytes>>>;

type Upstream = Client<HttpsConnector<HttpConnector>, Passing>;

/// What all ways through the proxy have in common.
#[derive(Debug)]
pub(super) struct Proxy {
    upstream: Upstream,
    pub(super) under_way: Arc<UnderWay>,
    places: Arc<Semaphore>,
    numbers: AtomicU64,
    most_bytes: usize,
}

impl Proxy {
    pub(super) fn new(plan: &RecordPlan, desk: ToDesk) -> Result<Self, TlsFileError> {
        let tls = svc_tls::client_config(
            ServerTrust::AuthorityAndName,
            plan.ca_file.as_deref(),
            plan.client_certificate.as_deref(),
        )?;
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT));
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls);
        let connector = connector
            .https_or_http()
            .enable_http1()
            .wrap_connector(http);
        let mut client = Client::builder(TokioExecutor::new());
        client
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .http1_preserve_header_case(true)
            .http1_max_headers(1000)
            .http1_ignore_invalid_headers_in_responses(true)
            .set_host(false);
        Ok(Proxy {
            upstream: client.build(connector),
            under_way: Arc::new(UnderWay::new(desk)),
            places: Arc::new(Semaphore::new(PLACES)),
            numbers: AtomicU64::new(0),
            most_bytes: plan.most_bytes,
        })
    }

    /// Passes a request on. There is always an answer: where none comes, the proxy's own.
    pub(super) async fn pass(
        &self,
        kind: RouteKind,
        to: &Forward,
        request: Request<Incoming>,
    ) -> Result<PassedBack, Infallible> {
        if request.method() == Method::CONNECT {
            return Ok(own(
                StatusCode::METHOD_NOT_ALLOWED,
                "this is no proxy for CONNECT",
            ));
        }
        // It is never closed.
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return Ok(own(
                StatusCode::SERVICE_UNAVAILABLE,
                "the recording is over",
            ));
        };
        let (mut head, body) = request.into_parts();
        let seen = Seen {
            number: self.numbers.fetch_add(1, Ordering::Relaxed) + 1,
            kind,
            method: head.method.clone(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            headers: SeenHeaders::of(&head.headers),
            sent: SeenBody::default(),
            answer: None,
            came: SeenBody::default(),
            error: None,
            unread: None,
            took: Duration::ZERO,
            at_s: 0,
        };
        let flight = self.under_way.begin(seen, place, self.most_bytes);
        passed_on(&mut head.headers, Some(&to.host));
        head.version = Version::HTTP_11;
        let Some(uri) = to.target(&head.uri) else {
            let why = "its target is none of an address".to_owned();
            flight.note(|seen| seen.error = Some(TransportError::NotSendable(why)));
            return Ok(own(
                StatusCode::BAD_REQUEST,
                "this target can't be passed on",
            ));
        };
        head.uri = uri;
        let body = Passing::new(body, Side::Sent, Arc::clone(&flight));
        let sent = self.upstream.request(Request::from_parts(head, body)).await;
        Ok(match sent {
            Ok(answer) => back(answer, flight),
            Err(error) => {
                let why = causes(&error);
                match error.is_connect() {
                    true => {
                        let error = TransportError::Unreachable(why.clone());
                        flight.note(|seen| seen.error = Some(error));
                    }
                    false => flight.broke(why.clone(), is_no_http(&error)),
                }
                own(StatusCode::BAD_GATEWAY, &format!("no answer: {why}"))
            }
        })
    }
}

/// An answer on its way back.
fn back(answer: Response<Incoming>, flight: Arc<Flight>) -> PassedBack {
    let (mut head, body) = answer.into_parts();
    let came = SeenHeaders::of(&head.headers);
    flight.note(|seen| seen.answer = Some((head.status, came)));
    passed_on(&mut head.headers, None);
    let body = Passing::new(body, Side::Came, flight);
    Response::from_parts(head, Either::Left(body))
}

/// An answer of the proxy's own.
fn own(status: StatusCode, text: &str) -> PassedBack {
    let text = format!("svc-contract-tests record: {text}\n");
    let mut answer = Response::new(Either::Right(Full::new(Bytes::from(text))));
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, plain);
    answer
}
