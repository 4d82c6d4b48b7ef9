//! A route of the control API. Serving and the OpenAPI document are made from the same types, so that
//! neither can say what the other does not.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::response::IntoResponse as _;
use axum::routing::{MethodFilter, MethodRouter, on};
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::request::{self, BodyDto, BodyPresence, BodyRule, NoBody, NoQuery, QueryDto};
use super::response::{self, ControlError, ControlErrorCode};
use crate::host::transport::TargetPolicy;
use crate::host::{AccountCell, Host};

/// What the control API works with.
pub(in crate::http) struct ControlApi {
    pub(in crate::http) host: Arc<Host>,
    /// Where webhooks may go.
    pub(in crate::http) targets: TargetPolicy,
    /// Cancelled when the simulator stops.
    pub(in crate::http) stop: CancellationToken,
}

/// What a handler answers.
pub(super) type ControlResult<T> = Result<T, ControlError>;

/// A request to a route.
pub(super) struct ControlRequest<B = NoBody, Q = NoQuery> {
    pub(super) api: Arc<ControlApi>,
    /// Whether it brings nothing into being: a GET or a DELETE.
    pub(super) reads: bool,
    /// The value of the path's parameter, where it has one.
    pub(super) id: String,
    pub(super) query: Q,
    pub(super) body: B,
}

impl<B, Q> ControlRequest<B, Q> {
    /// The account that the path names.
    pub(super) fn account(&self) -> ControlResult<Arc<AccountCell>> {
        self.account_of(&self.id)
    }

    /// The account of this id. One whose id allows it comes into being where it is to be changed; who only
    /// reads or deletes one that is not there is told so (ruling 34).
    pub(super) fn account_of(&self, id: &str) -> ControlResult<Arc<AccountCell>> {
        match self.reads {
            true => self.known_account(id),
            false => {
                let found = self.api.host.account(id)?;
                found.ok_or_else(|| self.no_account(id))
            }
        }
    }

    /// The account of this id, where there is one.
    pub(super) fn known_account(&self, id: &str) -> ControlResult<Arc<AccountCell>> {
        let host = &self.api.host;
        let known = host.directory().known(id, host.now());
        let known = known.filter(|cell| **cell.id() == *id);
        known.ok_or_else(|| self.no_account(id))
    }

    fn no_account(&self, id: &str) -> ControlError {
        let all = self.api.host.directory().all();
        ControlError::no_account(id, all.iter().map(|cell| &**cell.id()))
    }
}

/// Makes the schema of a type.
pub(in crate::http) type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// One route.
pub(in crate::http) struct Route {
    pub(in crate::http) method: Method,
    /// With at most one parameter, in braces.
    pub(in crate::http) path: &'static str,
    /// Its name in the document.
    pub(in crate::http) id: &'static str,
    pub(in crate::http) summary: &'static str,
    pub(in crate::http) query: SchemaFn,
    pub(in crate::http) body: (BodyPresence, SchemaFn),
    /// The status of a success.
    pub(in crate::http) status: StatusCode,
    pub(in crate::http) answer: SchemaFn,
    /// The errors of this route beside those that any route can answer.
    pub(in crate::http) errors: &'static [ControlErrorCode],
    body_rule: BodyRule,
    handle: Handle,
}

/// A request whose body and query nobody has read yet.
struct RawRequest {
    api: Arc<ControlApi>,
    reads: bool,
    id: String,
    query: String,
    body: Option<Bytes>,
}

/// Reads a request, has it handled and prints the answer. What is done for every request is not generic, so that it is
/// compiled once and not for each route.
type Handle = Arc<
    dyn Fn(RawRequest) -> ControlResult<BoxFuture<'static, ControlResult<Bytes>>> + Send + Sync,
>;

impl Route {
    /// A route that answers a success with 200: path, id in the document, handler and summary.
    pub(super) fn new<B, Q, A, F>(
        method: Method,
        path: &'static str,
        id: &'static str,
        handler: fn(ControlRequest<B, Q>) -> F,
        summary: &'static str,
    ) -> Route
    where
        B: BodyDto,
        Q: QueryDto,
        A: Serialize + JsonSchema + Send + 'static,
        F: Future<Output = ControlResult<A>> + Send + 'static,
    {
        Route {
            method,
            path,
            id,
            summary,
            query: <Q as JsonSchema>::json_schema,
            body: (B::PRESENCE, B::schema),
            status: StatusCode::OK,
            answer: SchemaGenerator::subschema_for::<A>,
            errors: &[],
            body_rule: BodyRule::of::<B>(),
            handle: Arc::new(move |request| {
                let body = request::read_object(request.body.as_deref())?;
                let answer = handler(ControlRequest {
                    query: request::read_query(&request.query)?,
                    body,
                    api: request.api,
                    reads: request.reads,
                    id: request.id,
                });
                Ok(answer
                    .map(|it| it.map(|answer| response::printed(&answer)))
                    .boxed())
            }),
        }
    }

    /// The same route with another status of success than 200.
    pub(super) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same route with errors of its own.
    pub(super) fn errors(mut self, codes: &'static [ControlErrorCode]) -> Self {
        self.errors = codes;
        self
    }

    /// The router of this route.
    pub(super) fn router(self, api: &Arc<ControlApi>) -> MethodRouter {
        let filter = MethodFilter::try_from(self.method);
        let filter = filter.expect("the methods of the routes are known");
        let (api, handle) = (Arc::clone(api), self.handle);
        let (rule, status) = (self.body_rule, self.status);
        let serve = move |id: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            let answer = answer(
                Arc::clone(&api),
                Arc::clone(&handle),
                rule,
                id.ok(),
                request,
            );
            // An entry is applied whole or not at all, so that a panic leaves no state half
            // changed.
            let answer = AssertUnwindSafe(answer).catch_unwind();
            answer.map(move |answer| match answer {
                Ok(Ok(_)) if status == StatusCode::NO_CONTENT => status.into_response(),
                Ok(Ok(answer)) => response::json(status, answer),
                Ok(Err(error)) => error.into_response(),
                Err(_) => {
                    tracing::error!("a request made the control API panic");
                    ControlError::internal().into_response()
                }
            })
        };
        on(filter, serve)
    }
}

/// What says how it is even where the store can't be read.
const ALWAYS_ANSWERED: [&str; 2] = ["/control/health", "/control/ready"];

/// So often one looks again at what was not written after all: replicas that change the same accounts at once undo
/// each other's changes now and then.
const LOOKS_AT_MOST: usize = 16;

/// Reads a request and begins to handle it. A long body is read where nobody waits behind it.
async fn begin(
    handle: Handle,
    request: RawRequest,
) -> ControlResult<BoxFuture<'static, ControlResult<Bytes>>> {
    match request.body.as_ref().map_or(0, Bytes::len) {
        ..LONG_BODY => handle(request),
        _ => {
            let begun = tokio::task::spawn_blocking(move || handle(request)).await;
            begun.unwrap_or_else(|_| Err(ControlError::internal()))
        }
    }
}

/// A body of so many bytes takes some milliseconds to be read.
const LONG_BODY: usize = 1 << 20;

async fn answer(
    api: Arc<ControlApi>,
    handle: Handle,
    rule: BodyRule,
    id: Option<RawPathParams>,
    request: Request,
) -> ControlResult<Bytes> {
    let invalid = || ControlError::invalid_input("the path is not percent-encoded UTF-8");
    let parameters = id.ok_or_else(invalid)?;
    let id = parameters.iter().next().map(|(_, value)| value.to_owned());
    let (head, body) = request.into_parts();
    let body = rule.read(&head.headers, body).await?;
    let (host, id) = (Arc::clone(&api.host), id.unwrap_or_default());
    let handle = || {
        let request = RawRequest {
            api: Arc::clone(&api),
            reads: matches!(head.method, Method::GET | Method::DELETE),
            id: id.clone(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            body: body.clone(),
        };
        begin(Arc::clone(&handle), request)
    };
    if ALWAYS_ANSWERED.contains(&head.uri.path()) {
        return handle().await?.await;
    }
    // What was done by another replica is seen here, too.
    host.catch_up().await?;
    if head.method != Method::GET {
        return handle().await?.await;
    }
    // Nobody is told of what the store may lose, as no caller of the API is (ruling 36).
    let mut answer = handle().await?.await;
    for _ in 0..LOOKS_AT_MOST {
        if host.all_written().await? {
            return answer;
        }
        answer = handle().await?.await;
    }
    Err(ControlError::internal())
}
