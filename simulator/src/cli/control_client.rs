//! The client of the control API of a running simulator.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;
use svc_tls::{Tls, TlsFlags};
use tokio::runtime::Runtime;

use super::failure::Failure;
use super::token_file::read_token;

/// The flags that say more about TLS.
const FLAGS: TlsFlags = TlsFlags {
    ca_file: "--console-ca-file",
    client_certificate: "--console-client-cert",
};

/// Address and token of the console.
#[derive(Debug, Clone, Args)]
pub(super) struct ConsoleArgs {
    /// Where the console of the running simulator is
    #[arg(
        long = "console",
        global = true,
        env = "SVC_SIMULATOR_CONSOLE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8800",
        value_parser = console_url
    )]
    url: Url,
    /// The console's token, where it asks for one
    #[arg(
        long,
        global = true,
        env = "SVC_SIMULATOR_CONSOLE_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        value_parser = bearer
    )]
    console_token: Option<HeaderValue>,
    /// File whose one line is that token
    #[arg(
        long,
        global = true,
        env = "SVC_SIMULATOR_CONSOLE_TOKEN_FILE",
        value_name = "FILE",
        conflicts_with = "console_token"
    )]
    console_token_file: Option<PathBuf>,
    /// Trust the certificate authorities of this file (PEM), too, where the console is behind https://
    #[arg(
        long,
        global = true,
        env = "SVC_SIMULATOR_CONSOLE_CA_FILE",
        value_name = "FILE"
    )]
    console_ca_file: Option<PathBuf>,
    /// Show this certificate where it is asked for one: certificate and key (PEM)
    #[arg(
        long,
        global = true,
        env = "SVC_SIMULATOR_CONSOLE_CLIENT_CERT",
        value_name = "FILE"
    )]
    console_client_cert: Option<PathBuf>,
}

/// The address of a console.
pub(super) fn console_url(text: &str) -> Result<Url, String> {
    let url: Url = text
        .parse()
        .map_err(|_| "write an address such as http://127.0.0.1:8800".to_owned())?;
    match url.scheme() {
        "http" | "https" => {}
        _ => return Err("write an address that begins with http:// or https://".into()),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("give the token with --console-token, not in the address".into());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("write an address without ? and #, such as http://127.0.0.1:8800".into());
    }
    Ok(url)
}

fn bearer(token: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::from_str(&format!("Bearer {token}"));
    let mut value = value.map_err(|_| "a token is one line of visible characters".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

impl ConsoleArgs {
    /// A console at this address that is asked what needs no token.
    pub(super) fn at(url: Url) -> Self {
        ConsoleArgs {
            url,
            console_token: None,
            console_token_file: None,
            console_ca_file: None,
            console_client_cert: None,
        }
    }

    fn token(&self) -> Result<Option<HeaderValue>, Failure> {
        let Some(path) = &self.console_token_file else {
            return Ok(self.console_token.clone());
        };
        bearer(&read_token(path)?).map(Some).map_err(Failure::Usage)
    }
}

/// Why a request to the control API failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ControlClientError {
    /// Nobody listens there.
    #[error(
        "nothing answers at {0}: start the simulator with `svc-simulator serve`, or say where its \
         console is with --console URL or SVC_SIMULATOR_CONSOLE_URL"
    )]
    Unreachable(Url),
    /// It takes too long.
    #[error("{url} gave no answer within {seconds} s; see what the simulator's log says")]
    TimedOut { url: Url, seconds: u64 },
    /// The connection broke.
    #[error("the exchange with {url} broke off: {reason}")]
    Interrupted { url: Url, reason: String },
    /// The control API refuses, and says why.
    #[error("{code}: {message}")]
    Refused {
        status: StatusCode,
        code: String,
        message: String,
    },
    /// Whatever it is, it is no control API that this program knows.
    #[error(
        "what answers at {url} is not the console of this version of svc-simulator: {what}; say \
         where the console is with --console URL"
    )]
    NotTheConsole { url: Url, what: String },
}

impl From<ControlClientError> for Failure {
    fn from(error: ControlClientError) -> Self {
        Failure::Running(error.into())
    }
}

/// An answer of the control API.
pub(super) struct ControlAnswer {
    /// As it came.
    pub(super) text: String,
    json: Value,
}

/// How long an immediate answer may take.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// An answer is at most so long: a delivery with its body and all attempts, many times over.
const MAX_ANSWER_BYTES: usize = 256 * 1024 * 1024;

/// A console to talk to.
pub(super) struct ControlClient {
    http: Client,
    base: Url,
    token: Option<HeaderValue>,
    runtime: Runtime,
}

impl ControlClient {
    pub(super) fn new(args: &ConsoleArgs) -> Result<Self, Failure> {
        let token = args.token()?;
        Ok(ControlClient::with_token(args, token)?)
    }

    fn with_token(args: &ConsoleArgs, token: Option<HeaderValue>) -> anyhow::Result<Self> {
        let http = match args.url.scheme() {
            "https" => {
                let (ca_file, own) = (&args.console_ca_file, &args.console_client_cert);
                let tls = Tls::read(ca_file.as_deref(), own.as_deref())?;
                tls.with_proxy_of_environment().client()
            }
            _ => svc_tls::plain_client(),
        };
        let http = http
            .user_agent(concat!("svc-simulator/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_secs(5))
            .build()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(ControlClient {
            http,
            base: args.url.clone(),
            token,
            runtime,
        })
    }

    /// What is at a path below `/control/`.
    pub(super) fn get(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        within: Duration,
    ) -> Result<ControlAnswer, ControlClientError> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.exchange(self.http.request(Method::GET, url), within)
    }

    /// Posts a JSON text to a path below `/control/`.
    pub(super) fn post(
        &self,
        path: &[&str],
        body: String,
        within: Duration,
    ) -> Result<ControlAnswer, ControlClientError> {
        self.post_with(path, &[], body, within)
    }

    /// Posts a JSON text to a path below `/control/`, with this query.
    pub(super) fn post_with(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        body: String,
        within: Duration,
    ) -> Result<ControlAnswer, ControlClientError> {
        let mut url = self.url(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let json = HeaderValue::from_static("application/json");
        let request = self.http.request(Method::POST, url);
        self.exchange(request.header(CONTENT_TYPE, json).body(body), within)
    }

    /// Deletes what is at a path below `/control/`.
    pub(super) fn delete(&self, path: &[&str], within: Duration) -> Result<(), ControlClientError> {
        let request = self.http.request(Method::DELETE, self.url(path));
        self.exchange(request, within).map(drop)
    }

    /// Sends a JSON text to a path below `/control/`.
    pub(super) fn send(
        &self,
        method: Method,
        path: &[&str],
        body: String,
        within: Duration,
    ) -> Result<ControlAnswer, ControlClientError> {
        let request = self.http.request(method, self.url(path));
        let json = HeaderValue::from_static("application/json");
        self.exchange(request.header(CONTENT_TYPE, json).body(body), within)
    }

    /// The answer as a type of the command's own.
    pub(super) fn read<T: for<'de> Deserialize<'de>>(
        &self,
        answer: &ControlAnswer,
    ) -> Result<T, ControlClientError> {
        T::deserialize(&answer.json)
            .map_err(|error| self.not_the_console(format!("{error} in its answer")))
    }

    fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        let mut segments = url.path_segments_mut().expect("an http URL has a path");
        segments.pop_if_empty().push("control").extend(path);
        drop(segments);
        url
    }

    fn exchange(
        &self,
        request: RequestBuilder,
        within: Duration,
    ) -> Result<ControlAnswer, ControlClientError> {
        let request = match &self.token {
            Some(token) => request.header(AUTHORIZATION, token.clone()),
            None => request,
        };
        let answered = exchange_bytes(request.timeout(within));
        let answered = self.runtime.block_on(answered);
        let (status, body) = answered.map_err(|error| self.failed(error, within))?;
        let Some(body) = body else {
            return Err(self.not_the_console("an answer without an end".to_owned()));
        };
        let http = status.as_u16();
        if status == StatusCode::NO_CONTENT {
            let (text, json) = (String::new(), Value::Null);
            return Ok(ControlAnswer { text, json });
        }
        let Ok(json) = serde_json::from_slice::<Value>(&body) else {
            return Err(self.not_the_console(format!("HTTP {http} without JSON")));
        };
        if status.is_success() {
            let text = String::from_utf8_lossy(&body).into_owned();
            return Ok(ControlAnswer { text, json });
        }
        if json.get("verificationId").is_some() {
            return Err(self.not_the_console(
                "it is an address of the API, which applications call".to_owned(),
            ));
        }
        let [code, message] = ["code", "message"].map(|name| json["error"][name].as_str());
        Err(match (code, message) {
            (Some(code), Some(message)) => ControlClientError::Refused {
                status,
                code: code.to_owned(),
                message: message.to_owned(),
            },
            _ => self.not_the_console(format!("HTTP {http} without a reason")),
        })
    }

    fn not_the_console(&self, what: String) -> ControlClientError {
        let url = self.base.clone();
        ControlClientError::NotTheConsole { url, what }
    }

    fn failed(&self, error: reqwest::Error, within: Duration) -> ControlClientError {
        let url = self.base.clone();
        if let Some(reason) = svc_tls::reason(&error, FLAGS) {
            return ControlClientError::Interrupted { url, reason };
        }
        if error.is_connect() {
            return ControlClientError::Unreachable(url);
        }
        if error.is_timeout() {
            let seconds = within.as_secs();
            return ControlClientError::TimedOut { url, seconds };
        }
        // The whole chain: the outermost alone says little.
        let reason = format!("{:#}", anyhow::Error::new(error.without_url()));
        ControlClientError::Interrupted { url, reason }
    }
}

/// Status and body; none where it is too long.
async fn exchange_bytes(request: RequestBuilder) -> reqwest::Result<(StatusCode, Option<Vec<u8>>)> {
    let mut answer = request.send().await?;
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await? {
        body.extend_from_slice(&part);
        if body.len() > MAX_ANSWER_BYTES {
            return Ok((answer.status(), None));
        }
    }
    Ok((answer.status(), Some(body)))
}
