//! Registers a receiver at a running simulator, through its control API.

use std::time::Duration;

use anyhow::{anyhow, bail};
use reqwest::{Client, Url};
use serde_json::{Value, json};

use super::forward::deepest;

/// What is registered, and where.
pub(super) struct Registration<'a> {
    pub(super) console: &'a Url,
    pub(super) account: &'a str,
    /// One environment only; else both.
    pub(super) environment: Option<&'a str>,
    pub(super) url: &'a str,
    pub(super) secret: &'a str,
}

/// More of an answer is not read.
const MOST_BYTES: usize = 64 * 1024;

/// Registers the receiver.
///
/// # Errors
/// What went wrong and what to do.
pub(super) async fn register(
    client: &Client,
    registration: &Registration<'_>,
    timeout: Duration,
) -> anyhow::Result<()> {
    let Registration {
        console, account, ..
    } = registration;
    let place = format!(
        "{}/control/accounts/{account}/webhook",
        console.as_str().trim_end_matches('/')
    );
    let mut body = json!({"url": registration.url, "secret": registration.secret});
    if let Some(environment) = registration.environment {
        body["environment"] = environment.into();
    }
    let put = client
        .put(&place)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(body.to_string())
        .timeout(timeout);
    let answer = put.send().await.map_err(|error| {
        anyhow!(
            "the simulator's console at {console} can't be reached ({}): start it with `svc-simulator serve`, or \
             give its address as --console",
            deepest(&error)
        )
    })?;
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let said = said(answer).await;
    bail!("the simulator did not register the receiver: PUT {place} was answered {status}{said}");
}

/// The error of an answer in its own words, where it has some.
async fn said(mut answer: reqwest::Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = answer.chunk().await {
        if body.len() + piece.len() > MOST_BYTES {
            return String::new();
        }
        body.extend_from_slice(&piece);
    }
    let json: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |name| json["error"][name].as_str();
    match (text("code"), text("message")) {
        (Some(code), Some(message)) => format!(": {code}: {message}"),
        (None, Some(only)) | (Some(only), None) => format!(": {only}"),
        (None, None) => String::new(),
    }
}
