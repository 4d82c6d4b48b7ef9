//! What is judged, behind one interface: it takes a request and gives an answer, or says why not. And
//! a service somewhere on the net: follows no redirect, uses a proxy only for https:// and only the one
//! that `HTTPS_PROXY` names, waits only so long and reads only so much.

use std::future::Future;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use svc_tls::{Tls, TlsFlags};
use tokio::time::Instant;

use crate::capture::{Arrived, Capabilities, Channel, Request, Response, TransportError};
use crate::sink::RunSink;
use svc_fixtures::contract::Environment;

/// A service under test.
pub trait Target: Sync {
    /// Sends one request and waits for its answer. Never retries and follows nothing: what the
    /// service said is what is judged.
    fn send(
        &self,
        request: &Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + Send;

    /// Where it sends to, for people: no user, no password, no query. None where there is no address.
    fn address(&self, environment: Environment) -> Option<String> {
        let _ = environment;
        None
    }

    /// The address of the console it sends to, likewise.
    fn console(&self) -> Option<String> {
        None
    }

    /// Whether the sandbox and live are on one host: who runs one of them can see the keys of both.
    fn is_one_host(&self) -> bool {
        false
    }

    /// The receiver that its webhooks reach without anybody's doing, where it has one.
    fn sink(&self) -> Option<RunSink> {
        None
    }
}

/// The flags of `run` that say more about TLS.
const FLAGS: TlsFlags = TlsFlags {
    ca_file: "--ca-file",
    client_certificate: "--client-cert",
};

/// No answer of the service is longer.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// How long to wait.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// For a whole answer; an employment history takes up to 20 s before it is pending.
    pub answer: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(60),
        }
    }
}

/// A service somewhere on the net.
#[derive(Debug)]
pub struct HttpTarget {
    client: Client,
    /// The same, which sends the names of headers with capitals.
    capitals: Client,
    sandbox: Url,
    live: Option<Url>,
    console: Option<Url>,
}

impl HttpTarget {
    /// A service at these addresses.
    ///
    /// # Errors
    /// Where no client can be made: this machine trusts no authority, say, and none was given.
    pub fn new(
        sandbox: Url,
        live: Option<Url>,
        timeouts: Timeouts,
        tls: &Tls,
    ) -> Result<Self, TransportError> {
        let secure = [Some(&sandbox), live.as_ref()].into_iter().flatten();
        let secure = secure.filter(|url| url.scheme() == "https").count() > 0;
        let client = |capitals| client(secure.then_some(tls), timeouts, capitals);
        Ok(HttpTarget {
            client: client(false)?,
            capitals: client(true)?,
            sandbox,
            live,
            console: None,
        })
    }

    /// The same with the console of a simulator.
    #[must_use]
    pub fn with_console(self, console: Option<Url>) -> Self {
        HttpTarget { console, ..self }
    }

    fn url(&self, request: &Request) -> Result<Url, TransportError> {
        let none = |what| TransportError::NotSendable(format!("no {what} address was given"));
        let base = match (request.channel, request.environment) {
            (Channel::Console, _) => self.console.as_ref().ok_or_else(|| none("console"))?,
            (_, Environment::Test) => &self.sandbox,
            (_, Environment::Live) => self.live.as_ref().ok_or_else(|| none("live"))?,
        };
        let text = request.url_at(base.as_str());
        Url::parse(&text).map_err(|error| TransportError::NotSendable(error.to_string()))
    }
}

impl Target for HttpTarget {
    fn is_one_host(&self) -> bool {
        let live = self.live.as_ref();
        live.is_some_and(|live| is_same_host(live, &self.sandbox))
    }

    fn address(&self, environment: Environment) -> Option<String> {
        let url = match environment {
            Environment::Test => &self.sandbox,
            Environment::Live => self.live.as_ref()?,
        };
        Some(shown(url))
    }

    fn console(&self) -> Option<String> {
        self.console.as_ref().map(shown)
    }

    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|error| TransportError::NotSendable(error.to_string()))?;
        let begin = Instant::now();
        let mut arrived = Arrived::default();
        let failed = |arrived: Arrived, error: &reqwest::Error| {
            let waited_ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
            failure(
                error,
                Arrived {
                    waited_ms,
                    ..arrived
                },
            )
        };
        let client = match request.has_capitals() {
            true => &self.capitals,
            false => &self.client,
        };
        let sent = client
            .request(method, self.url(request)?)
            .headers(headers(request)?)
            .body(request.sent_body())
            .send();
        let mut answer = sent.await.map_err(|error| failed(arrived, &error))?;
        arrived.status = Some(answer.status().as_u16());
        let mut body = Vec::new();
        loop {
            arrived.bytes = body.len();
            let part = answer.chunk().await;
            let Some(part) = part.map_err(|error| failed(arrived, &error))? else {
                break;
            };
            if body.len() + part.len() > MAX_ANSWER_BYTES {
                return Err(TransportError::TooLong {
                    limit: MAX_ANSWER_BYTES,
                });
            }
            body.extend_from_slice(&part);
        }
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = answer.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_string(), text(value)));
        Ok(Response {
            status: answer.status().as_u16(),
            headers: headers.collect(),
            body,
        })
    }
}

/// What sends and waits so; where an address begins with `https://`, with what it speaks TLS by.
fn client(tls: Option<&Tls>, timeouts: Timeouts, capitals: bool) -> Result<Client, TransportError> {
    let mut client = tls.map_or_else(svc_tls::plain_client, Tls::client);
    if capitals {
        client = client.http1_title_case_headers();
    }
    let client = client
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(timeouts.connect)
        .timeout(timeouts.answer)
        .build();
    client.map_err(|error| TransportError::NotSendable(causes(&error)))
}

/// An address without user, password and query.
fn shown(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    format!("{origin}{}", url.path().trim_end_matches('/'))
}

fn headers(request: &Request) -> Result<HeaderMap, TransportError> {
    let wrong = |error: &dyn std::fmt::Display| TransportError::NotSendable(error.to_string());
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| wrong(&error))?;
        let value = HeaderValue::from_str(value).map_err(|error| wrong(&error))?;
        headers.append(name, value);
    }
    if let Some(secret) = &request.authorization {
        let value = HeaderValue::from_bytes(secret.expose().as_bytes());
        let mut value = value.map_err(|error| wrong(&error))?;
        value.set_sensitive(true);
        headers.append(reqwest::header::AUTHORIZATION, value);
    }
    Ok(headers)
}

fn failure(error: &reqwest::Error, arrived: Arrived) -> TransportError {
    match (error.is_connect(), error.is_timeout()) {
        (true, _) => TransportError::Unreachable(causes(error)),
        (false, true) => TransportError::TimedOut(arrived),
        (false, false) => TransportError::Cut {
            why: causes(error),
            arrived: Arrived {
                garbage: arrived.status.is_none() && is_no_http(error),
                ..arrived
            },
        },
    }
}

/// What caused an error, without the address: an address may hold a secret.
pub(crate) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    if let Some(reason) = svc_tls::reason(error, FLAGS) {
        return reason;
    }
    let mut deepest = error as &dyn std::error::Error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    deepest.to_string()
}

/// Whether an answer could not be read because it was none of HTTP.
pub(crate) fn is_no_http(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.any(|cause| {
        let cause = cause.downcast_ref::<hyper::Error>();
        cause.is_some_and(hyper::Error::is_parse)
    })
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

/// What a console says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Console {
    /// Where it is.
    pub url: Url,
    /// What can be done with it.
    pub capabilities: Capabilities,
    /// Where the simulator is called that it belongs to, the sandbox first. Empty where it does not say that it belongs
    /// to one.
    pub simulated: Vec<Url>,
}

impl Console {
    /// Whether it says that it is a simulator's, and the service at this address can be that one: it is stated so, or
    /// both are on one host.
    #[must_use]
    pub fn simulates(&self, base: &Url) -> bool {
        let stated = |own: &Url| {
            let port = |url: &Url| url.port_or_known_default();
            is_same_host(own, base) && port(own) == port(base)
        };
        let here = is_same_host(&self.url, base);
        !self.simulated.is_empty() && (here || self.simulated.iter().any(stated))
    }
}

/// Whether two addresses are of one host. This machine has many names.
fn is_same_host(one: &Url, other: &Url) -> bool {
    let host = |url: &Url| url.host_str().map(str::to_ascii_lowercase);
    host(one) == host(other) || (is_loopback(one) && is_loopback(other))
}

/// Whether an address is this machine's own.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let address: Option<std::net::IpAddr> = host.parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

/// Asks a console what it can do. Changes nothing there.
///
/// # Errors
/// Where it does not answer as one that takes calls.
pub async fn probe_console(url: &Url, wait: Duration, tls: &Tls) -> Result<Console, ProbeError> {
    let base = url.as_str().trim_end_matches('/');
    let secure = (url.scheme() == "https").then_some(tls);
    let timeouts = Timeouts {
        connect: wait,
        answer: wait,
    };
    let client = client(secure, timeouts, false).map_err(|cause| no_answer(base, cause))?;
    let read = async |path: &str| {
        let asked = format!("{base}{path}");
        let (status, body) = get(&client, &asked)
            .await
            .map_err(|cause| no_answer(&asked, cause))?;
        let body: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
        Ok::<_, ProbeError>((asked, status, body.unwrap_or_default()))
    };
    let mut simulated = Vec::new();
    for path in ["/control/ready", "/control/health"] {
        let (url, status, body) = read(path).await?;
        if status != 200 {
            return Err(ProbeError::NotReady { url, status });
        }
        if body["product"] == "svc-simulator" {
            let stated = ["sandbox", "live"].into_iter();
            let stated = stated.filter_map(|name| Url::parse(body[name].as_str()?).ok());
            simulated = stated.collect();
        }
    }
    // Every simulator has this account.
    let (_, status, clock) = read("/control/accounts/local/clock").await?;
    Ok(Console {
        url: url.clone(),
        capabilities: Capabilities {
            control: Some(base.to_owned()),
            movable_clock: status == 200 && clock["now"].is_string(),
            webhook_sink: None,
            registered: false,
            keys: Vec::new(),
        },
        simulated,
    })
}

fn no_answer(url: &str, cause: TransportError) -> ProbeError {
    let url = url.to_owned();
    ProbeError::NoAnswer { url, cause }
}

async fn get(client: &Client, url: &str) -> Result<(u16, Vec<u8>), TransportError> {
    let answer = client.get(url).send().await;
    let answer = answer.map_err(|error| failure(&error, Arrived::default()))?;
    let status = answer.status().as_u16();
    let body = answer.bytes().await;
    let body = body.map_err(|error| failure(&error, Arrived::default()))?;
    Ok((status, body.to_vec()))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::report::tests::sample;

    #[tokio::test]
    async fn the_names_of_headers_go_with_capitals_in_some_calls_and_without_in_others() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = tokio::spawn(async move {
            let mut heads = Vec::new();
            for _ in 0..2 {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                stream.write_all(answer).await.unwrap();
                heads.push(String::from_utf8(head).unwrap());
            }
            heads
        });
        let target = HttpTarget::new(
            Url::parse(&url).unwrap(),
            None,
            Timeouts::default(),
            &Tls::default(),
        );
        let target = target.unwrap();
        let mut request = sample::exchange("", "").request;
        for path in ["/v1/a", "/v1/b"] {
            path.clone_into(&mut request.path);
            request.headers = vec![("x-reference-id".to_owned(), "1".to_owned())];
            target.send(&request).await.unwrap();
        }
        let heads = heads.await.unwrap().concat();
        assert!(heads.contains("\r\nX-Reference-Id: 1\r\n"), "{heads}");
        assert!(heads.contains("\r\nx-reference-id: 1\r\n"), "{heads}");
    }

    #[test]
    fn a_simulator_is_the_service_that_its_console_names_or_shares_a_host_with() {
        let url = |text: &str| Url::parse(text).unwrap();
        let console = |at: &str, simulated: &[&str]| Console {
            url: url(at),
            capabilities: Capabilities::default(),
            simulated: simulated.iter().map(|text| url(text)).collect(),
        };
        let local = console(
            "http://127.0.0.1:8800",
            &["http://127.0.0.1:8801", "http://127.0.0.1:8802"],
        );
        assert!(local.simulates(&url("http://localhost:8801")));
        assert!(
            local.simulates(&url("http://127.0.0.1:9000")),
            "behind a proxy of this machine"
        );
        assert!(!local.simulates(&url("https://sandbox.example")));
        let elsewhere = console(
            "https://console.sim.example",
            &["https://sandbox.sim.example"],
        );
        assert!(elsewhere.simulates(&url("https://sandbox.sim.example:443")));
        assert!(!elsewhere.simulates(&url("https://sandbox.sim.example:8443")));
        assert!(!elsewhere.simulates(&url("https://sandbox.example")));
        let container = console("http://sim.example:8800", &["http://0.0.0.0:8801"]);
        assert!(container.simulates(&url("http://SIM.example:8801")));
        let stranger = console("http://sim.example:8800", &[]);
        assert!(!stranger.simulates(&url("http://sim.example:8801")));
    }
}
