//! Asks the control API in process, as a client asks it over the net.

use axum::Router;
use axum::body::Body;
use http::header::CONTENT_TYPE;
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt as _;

/// The way to the control API.
#[derive(Clone)]
pub(super) struct InProcessControl {
    router: Router,
}

/// What the control API refuses.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    /// What is wrong, and what to do.
    pub(super) message: String,
    /// The whole answer.
    pub(super) answer: Value,
}

impl Refusal {
    /// The page and the control API don't speak alike.
    pub(super) fn unreadable() -> Self {
        Refusal {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            message: "the page can't read what the control API answers".to_owned(),
            answer: Value::Null,
        }
    }
}

impl InProcessControl {
    pub(super) fn new(router: Router) -> Self {
        InProcessControl { router }
    }

    /// What a path answers.
    ///
    /// # Errors
    /// What it refuses.
    pub(super) async fn get(&self, path: &str) -> Result<Value, Refusal> {
        self.ask(Method::GET, path, None).await
    }

    /// What a path answers, in a type that has what a page needs of it.
    ///
    /// # Errors
    /// What it refuses.
    pub(super) async fn read<T: DeserializeOwned>(&self, path: &str) -> Result<T, Refusal> {
        let answer = self.get(path).await?;
        serde_json::from_value(answer).map_err(|error| {
            tracing::error!(%error, path, "a page can't read what the control API answers");
            Refusal::unreadable()
        })
    }

    /// What a path answers to a body.
    ///
    /// # Errors
    /// What it refuses.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        self.ask(Method::POST, path, Some(body)).await
    }

    /// What a path answers to any request.
    ///
    /// # Errors
    /// What it refuses.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, Refusal> {
        let failed = |message: String| Refusal {
            status: StatusCode::BAD_REQUEST,
            message,
            answer: Value::Null,
        };
        let mut request = Request::builder().method(method).uri(path);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body);
        let request = request.map_err(|error| failed(error.to_string()))?;
        let Ok(response) = self.router.clone().oneshot(request).await;
        let status = response.status();
        let bytes = response.into_body().collect().await;
        let bytes = bytes.map_err(|error| failed(error.to_string()))?.to_bytes();
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if status.is_success() {
            return Ok(answer);
        }
        let message = answer["error"]["message"].as_str();
        Err(Refusal {
            status,
            message: message.unwrap_or("the control API refused").to_owned(),
            answer,
        })
    }
}

/// A text as a part of a path or a query.
pub(super) fn encoded(text: &str) -> String {
    let bytes = form_urlencoded::byte_serialize(text.as_bytes());
    bytes.collect::<String>().replace('+', "%20")
}
