//! The transport over real HTTP/1.1. It trusts no receiver: it follows no redirect, waits only so
//! long, reads only so much, keeps no cookies, and connects only where [`TargetPolicy`] allows.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::future::BoxFuture;
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, Url};
use svc_tls::Tls;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::sleep;

use super::failure;
use super::resolver::{self, FilteringResolver, NameResolver, SystemResolver};
use super::target::TargetPolicy;
use super::webhook::{EXCERPT_BYTES, SIGNATURE_HEADER, Transport, WebhookRequest, WebhookResponse};
use crate::engine::state::delivery::AttemptOutcome;

/// Header fields a receiver may answer with. No clause bounds them; hyper's buffer of some 400 kB
/// bounds the whole section besides.
const MAX_ANSWER_HEADERS: usize = 100;

/// How long an answer is waited for, how much of it is read, and how many connections are kept.
#[derive(Debug, Clone, Copy)]
pub struct TransportLimits {
    /// From looking up the name to the end of the answer. What counts is the status: where it came
    /// in time, an answer whose body is still running then is answered all the same.
    pub timeout: Duration,
    /// How many bytes of an answer's body are read before the connection is dropped. A body within
    /// the limit leaves the connection open for the next request.
    pub body_bytes: usize,
    /// How many requests are under way at once, to all receivers. Those that do not answer leave files for callers.
    pub connections: usize,
    /// How many connections are kept open to one receiver.
    pub idle_connections: usize,
    /// How long a connection is kept open for the next request.
    pub idle: Duration,
}

impl TransportLimits {
    /// The usual limits, and this time for an exchange, which is 10 seconds by ruling 25.
    #[must_use]
    pub fn within(timeout: Duration) -> Self {
        TransportLimits {
            timeout,
            body_bytes: 64 * 1024,
            connections: 1024,
            idle_connections: 8,
            idle: Duration::from_secs(30),
        }
    }
}

/// Why there is no transport.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The HTTP client cannot be made on this machine.
    #[error("webhooks cannot be posted from this machine: {0}")]
    NoClient(#[source] reqwest::Error),
}

/// The transport over real HTTP.
///
/// An idle connection that the receiver has closed is noticed before anything is written to it, and the
/// request is sent on a new one. A request that was written is never sent again by the transport,
/// whatever happens to the connection.
pub struct HttpTransport {
    plain: Client,
    /// Made at the first `https://` receiver: what the machine trusts takes time and memory to read.
    secure: OnceCell<Client>,
    limits: TransportLimits,
    /// Room for requests: a permit for each that may be under way.
    room: Semaphore,
    targets: TargetPolicy,
    resolver: Arc<dyn NameResolver>,
    tls: Tls,
}

impl HttpTransport {
    /// A transport that looks names up as the machine does.
    ///
    /// # Errors
    /// Where no HTTP client can be made.
    pub fn new(limits: TransportLimits, targets: TargetPolicy) -> Result<Self, TransportError> {
        HttpTransport::with_resolver(limits, targets, Arc::new(SystemResolver))
    }

    /// A transport that looks names up elsewhere.
    ///
    /// # Errors
    /// Where no HTTP client can be made.
    pub fn with_resolver(
        limits: TransportLimits,
        targets: TargetPolicy,
        resolver: Arc<dyn NameResolver>,
    ) -> Result<Self, TransportError> {
        let plain = configured(svc_tls::plain_client(), limits, &targets, &resolver, None);
        Ok(HttpTransport {
            plain: plain.build().map_err(TransportError::NoClient)?,
            secure: OnceCell::new(),
            room: Semaphore::new(limits.connections),
            limits,
            targets,
            resolver,
            tls: Tls::default(),
        })
    }

    /// The same, which speaks so to receivers whose addresses begin with `https://`.
    #[must_use]
    pub fn with_tls(self, tls: Tls) -> Self {
        HttpTransport { tls, ..self }
    }

    /// The client of a receiver's address.
    async fn client(&self, url: &Url) -> reqwest::Result<&Client> {
        if url.scheme() == "http" {
            return Ok(&self.plain);
        }
        let make = async || {
            let proxy = self.tls.proxy_host();
            let client = self.tls.client();
            configured(client, self.limits, &self.targets, &self.resolver, proxy).build()
        };
        self.secure.get_or_try_init(make).await
    }

    async fn exchange(&self, request: WebhookRequest) -> WebhookResponse {
        // Addresses that stand in the URL are never resolved, so they are looked at here.
        let url = match self.targets.url(&request.url) {
            Ok(url) => url,
            Err(refused) => return WebhookResponse::nothing(refused.to_string()),
        };
        // Nobody closes it. The time of an exchange begins when there is room.
        let _room = self.room.acquire().await;
        let mut out_of_time = pin!(sleep(self.limits.timeout));
        let head = tokio::select! {
            biased;
            head = self.send(url, request) => head,
            () = &mut out_of_time => return WebhookResponse::nothing(failure::timed_out(self.limits.timeout)),
        };
        let answer = match head {
            Ok(answer) => answer,
            Err(reason) => return WebhookResponse::nothing(reason),
        };
        let answered = AttemptOutcome::Status(answer.status().as_u16());
        let mut excerpt = BytesMut::new();
        tokio::select! {
            biased;
            () = read(answer, self.limits.body_bytes, &mut excerpt) => {}
            () = &mut out_of_time => {}
        }
        WebhookResponse {
            answered,
            excerpt: excerpt.freeze(),
        }
    }

    /// A proxy looks names up by itself, so where they lead is looked at before it is asked.
    async fn looked_up(&self, url: &Url) -> Result<(), String> {
        let proxied = url.scheme() == "https" && self.tls.proxy_host().is_some();
        let Some(name) = url.domain().filter(|_| proxied) else {
            return Ok(());
        };
        let found = self.resolver.addresses(name);
        let found = resolver::allowed(found, &self.targets).await;
        found.map(drop).map_err(|refused| refused.to_string())
    }

    async fn send(&self, url: Url, request: WebhookRequest) -> Result<Response, String> {
        self.looked_up(&url).await?;
        let reason = |error| failure::reason(&error, self.limits.timeout);
        self.posted(url, request).await.map_err(reason)
    }

    async fn posted(&self, url: Url, request: WebhookRequest) -> reqwest::Result<Response> {
        let client = self.client(&url).await?;
        let mut post = client.post(url).body(request.body);
        post = post.header(CONTENT_TYPE, "application/json");
        if let Some(signature) = request.signature {
            post = post.header(SIGNATURE_HEADER, signature);
        }
        post.send().await
    }
}

impl Transport for HttpTransport {
    fn post(&self, request: WebhookRequest) -> BoxFuture<'_, WebhookResponse> {
        Box::pin(self.exchange(request))
    }
}

/// A client as it posts to receivers.
fn configured(
    client: ClientBuilder,
    limits: TransportLimits,
    targets: &TargetPolicy,
    resolver: &Arc<dyn NameResolver>,
    proxy: Option<&str>,
) -> ClientBuilder {
    let resolver = FilteringResolver {
        resolver: Arc::clone(resolver),
        targets: targets.clone(),
        proxy: proxy.map(str::to_owned),
    };
    // The `no_` of the encodings matter where another crate of the build turns their features on.
    client
        .user_agent(concat!("svc-simulator/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        .dns_resolver(resolver)
        .http1_only()
        .http1_max_headers(MAX_ANSWER_HEADERS)
        // As the specification spells them, for people who look at the wire.
        .http1_title_case_headers()
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        // Divided among the addresses of a name, so that one that drops everything does not
        // use up the time of the others.
        .connect_timeout(limits.timeout)
        .pool_max_idle_per_host(limits.idle_connections)
        .pool_idle_timeout(limits.idle)
}

/// Reads a body to its end or to the limit, and keeps how it begins. A body that breaks off ends
/// there: the status has been given.
async fn read(mut answer: Response, limit: usize, excerpt: &mut BytesMut) {
    let mut seen = 0;
    while let Ok(Some(part)) = answer.chunk().await {
        seen += part.len();
        let room = EXCERPT_BYTES - excerpt.len();
        excerpt.extend_from_slice(&part[..part.len().min(room)]);
        if seen > limit {
            return;
        }
    }
}
