//! Connections to whom is passed on to: one for each exchange under way, kept for a next one when it is over.
//!
//! A client for any host keeps connections by host, and waits in a task of its own until one is free again. Here there is one
//! host, and the end of an answer says when that is: a tenth of what an exchange costs.

use std::error::Error as StdError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::service::Service as _;
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::service::TowerToHyperService;
use svc_tls::{ServerTrust, TlsFileError};
use tokio::time::Instant;

use super::RecordPlan;
use super::heads::Forward;
use crate::target::{causes, is_no_http};

/// How long a connection to the service may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How long an idle connection to the service is kept. Services close theirs after a minute or more.
const IDLE: Duration = Duration::from_secs(20);

/// The most headers of an answer.
const HEADERS: usize = 1000;

/// What makes connections.
pub(super) type Connector = TowerToHyperService<HttpsConnector<HttpConnector>>;

/// Whether the plan's certificates can be read.
///
/// # Errors
/// Where a file of the plan is none of certificates.
pub fn check_tls(plan: &RecordPlan) -> Result<(), TlsFileError> {
    connector(plan).map(drop)
}

/// What makes connections, with or without TLS.
///
/// # Errors
/// Where a file of the plan is none of certificates.
pub(super) fn connector(plan: &RecordPlan) -> Result<Connector, TlsFileError> {
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
    Ok(TowerToHyperService::new(connector))
}

/// Whom requests with such bodies are passed on to.
#[derive(Debug)]
pub(super) struct Upstream<B> {
    pub(super) to: Forward,
    connector: Connector,
    idle: Mutex<Vec<(SendRequest<B>, Instant)>>,
}

/// A connection that an answer comes on.
#[derive(Debug)]
pub(super) struct Busy<B> {
    sender: SendRequest<B>,
    of: Arc<Upstream<B>>,
}

/// Why there is no answer.
pub(super) enum Unanswered {
    /// There is no connection.
    Unreachable(String),
    /// It broke; whether by bytes that are no HTTP.
    Broke { why: String, garbage: bool },
}

impl Unanswered {
    pub(super) fn why(&self) -> &str {
        match self {
            Unanswered::Unreachable(why) | Unanswered::Broke { why, .. } => why,
        }
    }
}

impl<B> Upstream<B>
where
    B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static,
{
    pub(super) fn new(to: Forward, connector: Connector) -> Self {
        let idle = Mutex::default();
        Upstream {
            to,
            connector,
            idle,
        }
    }

    /// Sends a request, which began now, and answers what begins to come back, with the connection on which it does.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<B>,
        now: Instant,
    ) -> Result<(Response<Incoming>, Busy<B>), Unanswered> {
        loop {
            let kept = self.kept(now);
            let is_kept = kept.is_some();
            let mut sender = match kept {
                Some(kept) => kept,
                None => self
                    .connect()
                    .await
                    .map_err(|error| Unanswered::Unreachable(causes(&*error)))?,
            };
            // One whose answer is over is ready at once, or closed.
            if sender.ready().await.is_err() && is_kept {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(answer) => {
                    let of = Arc::clone(self);
                    return Ok((answer, Busy { sender, of }));
                }
                Err(mut error) => match error.take_message() {
                    // The service closed it before anything was sent: it was idle for as long as the service likes.
                    Some(unsent) if is_kept => request = unsent,
                    _ => {
                        let error = error.into_error();
                        let (why, garbage) = (causes(&error), is_no_http(&error));
                        return Err(Unanswered::Broke { why, garbage });
                    }
                },
            }
        }
    }

    /// The one that was used last: the others may be too old soon.
    fn kept(&self, now: Instant) -> Option<SendRequest<B>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |(sender, since): &(SendRequest<B>, Instant)| {
            !sender.is_closed() && now.duration_since(*since) < IDLE
        };
        let last = idle.pop()?;
        if fresh(&last) {
            return Some(last.0);
        }
        // All others are older.
        idle.retain(fresh);
        idle.pop().map(|(sender, _)| sender)
    }

    async fn connect(&self) -> Result<SendRequest<B>, Box<dyn StdError + Send + Sync>> {
        let io = self.connector.call(self.to.address()).await?;
        let mut http = Builder::new();
        http.preserve_header_case(true)
            .writev(false)
            .max_headers(HEADERS)
            .ignore_invalid_headers_in_responses(true);
        let (sender, connection) = http.handshake(io).await?;
        // Whoever sends on it is told how it ends.
        tokio::spawn(async move { drop(connection.await) });
        Ok(sender)
    }
}

impl<B> Busy<B> {
    /// Keeps it for a next exchange: both bodies of its own are over now.
    pub(super) fn keep(self, now: Instant) {
        let mut idle = self.of.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((self.sender, now));
    }
}
