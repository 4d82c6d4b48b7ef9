//! What can be done with a service beside calling it: learned from its console, or declared.

use std::time::Duration;

use reqwest::{Client, Url};
use serde::{Deserialize, Serialize};

use super::TransportError;

/// What can be done with a service beside calling it. By default nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// The address of its control API, where it has one.
    pub control: Option<String>,
    /// Whether the clocks of its accounts can be moved there.
    pub movable_clock: bool,
    /// The address at which its webhooks reach this run, where they do.
    pub webhook_sink: Option<String>,
}

/// Why a console that was named cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It does not answer.
    #[error("{url}: {cause}")]
    NoAnswer {
        /// The address that was asked.
        url: String,
        /// Why.
        cause: TransportError,
    },
    /// It answers otherwise than a console that takes calls.
    #[error("{url} answers {status}; a console that is ready answers 200")]
    NotReady {
        /// The address that was asked.
        url: String,
        /// What it answered.
        status: u16,
    },
}

impl Capabilities {
    /// Asks a console what it can do. Changes nothing there.
    ///
    /// # Errors
    /// Where it does not answer as one that takes calls.
    pub async fn of_console(console: &Url, wait: Duration) -> Result<Self, ProbeError> {
        let base = console.as_str().trim_end_matches('/');
        for path in ["/control/health", "/control/ready"] {
            let url = format!("{base}{path}");
            let status = get(&url, wait).await;
            match status.map_err(|cause| no_answer(&url, cause))? {
                (200, _) => {}
                (status, _) => return Err(ProbeError::NotReady { url, status }),
            }
        }
        // Every simulator has this account.
        let url = format!("{base}/control/accounts/local/clock");
        let clock = get(&url, wait).await;
        let (status, body) = clock.map_err(|cause| no_answer(&url, cause))?;
        let body: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
        let shows = body.is_some_and(|body| body["now"].is_string());
        Ok(Capabilities {
            control: Some(base.to_owned()),
            movable_clock: status == 200 && shows,
            webhook_sink: None,
        })
    }
}

fn no_answer(url: &str, cause: TransportError) -> ProbeError {
    let url = url.to_owned();
    ProbeError::NoAnswer { url, cause }
}

async fn get(url: &str, wait: Duration) -> Result<(u16, Vec<u8>), TransportError> {
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(wait)
        .build()
        .map_err(|error| TransportError::NotSendable(super::http::causes(&error)))?;
    let answer = client.get(url).send().await;
    let answer = answer.map_err(|error| super::http::failure(&error))?;
    let status = answer.status().as_u16();
    let body = answer.bytes().await;
    let body = body.map_err(|error| super::http::failure(&error))?;
    Ok((status, body.to_vec()))
}
