//! A route of the control API: how it is served and what the document says of it, made from the same
//! types, so that neither can say what the other does not.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use futures_util::FutureExt as _;
use http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::Control;
use super::answer::{json, nothing};
use super::body::{self, Body, Presence};
use super::query::{self, Query};
use super::refusal::{Code, ErrorBody, Refusal};

/// What a schema is made by.
pub(in crate::http) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One route.
pub(in crate::http) struct Route {
    pub(in crate::http) method: Method,
    /// With at most one part left open, in braces.
    pub(in crate::http) path: &'static str,
    /// Its name in the document.
    pub(in crate::http) id: &'static str,
    pub(in crate::http) summary: &'static str,
    pub(in crate::http) query: SchemaOf,
    pub(in crate::http) body: (Presence, SchemaOf),
    /// The status of an answer that does not refuse.
    pub(in crate::http) status: StatusCode,
    pub(in crate::http) answer: SchemaOf,
    /// The codes of its own; the others can come of any route.
    pub(in crate::http) refuses: &'static [Code],
    serve: Serve,
}

type Serve = Box<dyn FnOnce(Arc<Control>, StatusCode) -> MethodRouter>;

/// What a route was asked.
pub(super) struct Asked<B, Q> {
    /// What stands where the path is left open.
    pub(super) part: String,
    pub(super) query: Q,
    pub(super) body: B,
}

/// A route's name and place.
pub(super) struct Place {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
}

/// A route that is read.
pub(super) fn get(path: &'static str, id: &'static str, summary: &'static str) -> Place {
    place(Method::GET, path, id, summary)
}

/// A route that does something.
pub(super) fn post(path: &'static str, id: &'static str, summary: &'static str) -> Place {
    place(Method::POST, path, id, summary)
}

/// A route that sets something.
pub(super) fn put(path: &'static str, id: &'static str, summary: &'static str) -> Place {
    place(Method::PUT, path, id, summary)
}

/// A route that takes something away.
pub(super) fn delete(path: &'static str, id: &'static str, summary: &'static str) -> Place {
    place(Method::DELETE, path, id, summary)
}

fn place(method: Method, path: &'static str, id: &'static str, summary: &'static str) -> Place {
    Place {
        method,
        path,
        id,
        summary,
    }
}

impl Place {
    /// The route that this function serves.
    pub(super) fn by<B, Q, A, F>(self, serve: fn(Arc<Control>, Asked<B, Q>) -> F) -> Route
    where
        B: Body,
        Q: Query,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refusal>> + Send + 'static,
    {
        let method = filter(&self.method);
        Route {
            method: self.method,
            path: self.path,
            id: self.id,
            summary: self.summary,
            query: <Q as JsonSchema>::json_schema,
            body: (B::PRESENCE, B::json_schema),
            status: StatusCode::OK,
            answer: SchemaGenerator::subschema_for::<A>,
            refuses: &[],
            serve: Box::new(move |control, status| {
                let handle = move |part: Result<RawPathParams, RawPathParamsRejection>,
                                   request: Request| {
                    let answer = answer(Arc::clone(&control), serve, part.ok(), request);
                    // An entry is written whole or not at all: a panic leaves nothing half done.
                    let answer = AssertUnwindSafe(answer).catch_unwind();
                    answer.map(move |answer| match answer {
                        Ok(Ok(_)) if status == StatusCode::NO_CONTENT => nothing(status),
                        Ok(Ok(answer)) => json(status, &answer),
                        Ok(Err(refusal)) => refusal.into_response(),
                        Err(_) => failed(),
                    })
                };
                on(method, handle)
            }),
        }
    }
}

impl Route {
    /// The same, answering with another status than 200.
    pub(super) fn with(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same, with what only it may be refused with.
    pub(super) fn refusing(mut self, codes: &'static [Code]) -> Self {
        self.refuses = codes;
        self
    }

    /// How it is served.
    pub(super) fn served(self, control: &Arc<Control>) -> MethodRouter {
        (self.serve)(Arc::clone(control), self.status)
    }

    /// The schema of what refuses.
    pub(in crate::http) fn refusal_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<ErrorBody<'static>>()
    }
}

fn filter(method: &Method) -> MethodFilter {
    MethodFilter::try_from(method.clone()).expect("the four methods of the routes are known")
}

async fn answer<B: Body, Q: Query, A, F>(
    control: Arc<Control>,
    serve: fn(Arc<Control>, Asked<B, Q>) -> F,
    part: Option<RawPathParams>,
    request: Request,
) -> Result<A, Refusal>
where
    F: Future<Output = Result<A, Refusal>>,
{
    let part = part
        .ok_or_else(|| Refusal::new(Code::InvalidInput, "the path is not percent-encoded UTF-8"))?;
    let part = part.iter().next().map(|(_, value)| value.to_owned());
    let (head, body) = request.into_parts();
    let query = query::read(head.uri.query().unwrap_or_default())?;
    let body = body::read(&head.headers, body).await?;
    let asked = Asked {
        part: part.unwrap_or_default(),
        query,
        body,
    };
    serve(control, asked).await
}

fn failed() -> Response {
    tracing::error!("a request made the control API panic");
    Refusal::new(Code::InternalError, Code::InternalError.meaning()).into_response()
}
