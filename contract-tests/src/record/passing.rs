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
use tokio::sync::Semaphore;

use super::RouteKind;
use super::flight::{Flight, PLACES, Passing, ToDesk, UnderWay};
use super::heads::passed_on;
use super::seen::{Seen, SeenBody, SeenHeaders};
use super::upstream::{Busy, Unanswered, Upstream};
use crate::capture::TransportError;

/// What is answered: what came, or that nothing did.
pub(super) type PassedBack = Response<Either<Passing, Full<Bytes>>>;

/// What all ways through the proxy have in common.
#[derive(Debug)]
pub(super) struct Proxy {
    pub(super) under_way: Arc<UnderWay>,
    places: Arc<Semaphore>,
    numbers: AtomicU64,
    most_bytes: usize,
}

impl Proxy {
    /// Of bodies so many bytes are written down.
    pub(super) fn new(most_bytes: usize, desk: ToDesk) -> Self {
        Proxy {
            under_way: Arc::new(UnderWay::new(desk)),
            places: Arc::new(Semaphore::new(PLACES)),
            numbers: AtomicU64::new(0),
            most_bytes,
        }
    }

    /// Passes a request on. There is always an answer: where none comes, the proxy's own.
    pub(super) async fn pass(
        &self,
        kind: RouteKind,
        upstream: &Arc<Upstream<Passing>>,
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
        passed_on(&mut head.headers, Some(&upstream.to.host));
        head.version = Version::HTTP_11;
        let Some(uri) = upstream.to.target(&head.uri) else {
            let why = "its target is none of an address".to_owned();
            flight.note(|seen| seen.error = Some(TransportError::NotSendable(why)));
            return Ok(own(
                StatusCode::BAD_REQUEST,
                "this target can't be passed on",
            ));
        };
        head.uri = uri;
        let body = Passing::on(body, Arc::clone(&flight));
        let request = Request::from_parts(head, body);
        let sent = upstream.send(request, flight.began).await;
        Ok(match sent {
            Ok((answer, busy)) => back(answer, busy, flight),
            Err(unanswered) => {
                let why = unanswered.why().to_owned();
                match unanswered {
                    Unanswered::Unreachable(why) => {
                        let error = TransportError::Unreachable(why);
                        flight.note(|seen| seen.error = Some(error));
                    }
                    Unanswered::Broke { why, garbage } => flight.broke(why, garbage),
                }
                own(StatusCode::BAD_GATEWAY, &format!("no answer: {why}"))
            }
        })
    }
}

/// An answer on its way back.
fn back(answer: Response<Incoming>, busy: Busy<Passing>, flight: Arc<Flight>) -> PassedBack {
    let (mut head, body) = answer.into_parts();
    let came = SeenHeaders::of(&head.headers);
    flight.note(|seen| seen.answer = Some((head.status, came)));
    passed_on(&mut head.headers, None);
    let body = Passing::back(body, busy, flight);
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
