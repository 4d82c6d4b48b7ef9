//! Decides who may use the console: requests to its own names and addresses, from its own pages, and
//! with the token where one is set. This stops DNS rebinding and the pages of other sites.

use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use data_encoding::{BASE64, HEXLOWER};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::{ACCEPT, AUTHORIZATION, COOKIE, HOST, LOCATION, ORIGIN, REFERER};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use super::response::{ControlError, ControlErrorCode as Code};
use crate::http::PublicUrl;
use crate::http::edge::MalformedRequest;

/// Who may use the console, beside those on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsoleAccess {
    /// The token that must be sent, if any.
    pub token: Option<ConsoleToken>,
    /// Further names of the console in `Host`.
    pub hosts: Vec<String>,
}

/// The secret that users of the console must send. Neither `Display` nor `Debug` print it.
#[derive(Clone, PartialEq, Eq)]
pub struct ConsoleToken(Arc<str>);

impl ConsoleToken {
    /// A token of this text; none where it is empty.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| ConsoleToken(text.into()))
    }
}

impl std::fmt::Debug for ConsoleToken {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Token")
    }
}

/// The check that every request to the console passes first.
pub(in crate::http) struct ConsoleGuard {
    access: ConsoleAccess,
    console: SocketAddr,
    /// The origin of the console's pages behind a proxy.
    public_origin: Option<String>,
    /// What its pages begin with there.
    public_base: Option<String>,
}

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What may be read without the token: for probes, the page that asks for it, and a picture.
const WITHOUT_TOKEN: [&str; 4] = [
    "/control/health",
    "/control/ready",
    "/favicon.ico",
    "/login",
];

fn needs_no_token(path: &str) -> bool {
    WITHOUT_TOKEN.contains(&path) || path.starts_with("/assets/")
}

/// The cookie by which a browser shows that its user knew the token.
pub(crate) const COOKIE_NAME: &str = "svc_console";

impl ConsoleGuard {
    /// The guard of a console that listens there.
    pub(in crate::http) fn new(access: ConsoleAccess, console: SocketAddr) -> Self {
        ConsoleGuard {
            access,
            console,
            public_origin: None,
            public_base: None,
        }
    }

    /// The same behind a proxy that is called so, whatever `Host` that sends: its own or the listener's.
    pub(in crate::http) fn behind(mut self, public: Option<&PublicUrl>) -> Self {
        if let Some(public) = public {
            self.access.hosts.push(public.host().to_owned());
            self.public_origin = Some(public.origin().to_owned());
            self.public_base = Some(public.base().to_owned());
        }
        self
    }

    /// Leads a browser to the page that asks for the token, and from there to the page that it wanted, or that the form
    /// was on.
    fn ask_for_token(&self, request: &Request) -> Response {
        let form_of = || {
            let page = request.headers().get(REFERER)?.to_str().ok()?;
            let base = self.public_base.as_deref();
            let page = base
                .and_then(|base| page.strip_prefix(base))
                .unwrap_or(page);
            page.parse::<Uri>().ok()
        };
        let wanted = match *request.method() {
            Method::GET => Some(request.uri().clone()),
            _ => form_of(),
        };
        let wanted = wanted.as_ref().and_then(Uri::path_and_query);
        let to = wanted.map_or("/", |to| to.as_str());
        let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let base = self.public_base.as_deref().unwrap_or_default();
        let url = HeaderValue::from_str(&format!("{base}/login?to={to}"));
        let url = url.unwrap_or(HeaderValue::from_static("/login"));
        (StatusCode::SEE_OTHER, [(LOCATION, url)]).into_response()
    }

    fn admit(&self, request: &Request) -> Result<(), ControlError> {
        if let Some(reason) = request.extensions().get::<MalformedRequest>() {
            let code = match reason {
                MalformedRequest::Host | MalformedRequest::OtherHost => Code::HostNotAllowed,
                _ => Code::InvalidInput,
            };
            return Err(ControlError::new(code, reason.to_string()));
        }
        let headers = request.headers();
        let host = self.host(request)?;
        let origin = headers.get(ORIGIN);
        let origin = origin.map(|origin| origin.to_str().unwrap_or_default());
        if origin.is_some_and(|origin| !self.is_own_origin(origin, host)) {
            let message = "`Origin` must be the console's own, or not be sent";
            return Err(ControlError::new(Code::OriginNotAllowed, message));
        }
        let path = request.uri().path();
        let site = headers.get(FETCH_SITE).map(|site| site.as_bytes());
        let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
        if site == Some(b"cross-site") && (changes || path.starts_with("/control/")) {
            let message = "another site's page may not ask for this";
            return Err(ControlError::new(Code::OriginNotAllowed, message));
        }
        match &self.access.token {
            Some(token) if !needs_no_token(path) && !token.is_shown(headers) => {
                token.check(headers)
            }
            _ => Ok(()),
        }
    }

    /// The host the request is for, where it is the console's own.
    fn host<'r>(&self, request: &'r Request) -> Result<&'r str, ControlError> {
        let sent = only(request.headers(), &HOST).and_then(|host| host.to_str().ok());
        let target = request.uri().authority().map(Authority::as_str);
        match sent.filter(|host| self.is_own(host)) {
            Some(host) if target.is_none_or(|target| self.is_own(target)) => Ok(host),
            _ => {
                let message = "the Host header must be the console's own address, such as \
                               localhost; `--console-host NAME` allows another name";
                Err(ControlError::new(Code::HostNotAllowed, message))
            }
        }
    }

    /// Whether a host is loopback, the address of the listener, or a further name. A console that
    /// listens on every address accepts every address, but no other name.
    fn is_own(&self, host: &str) -> bool {
        let Some(name) = name(host) else {
            return false;
        };
        let (own, is_named) = (self.console.ip(), self.is_further_name(host));
        match name.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || ip == own || own.is_unspecified() || is_named,
            Err(_) => name.eq_ignore_ascii_case("localhost") || is_named,
        }
    }

    /// Whether the name of a host is one of the further names.
    fn is_further_name(&self, host: &str) -> bool {
        let mut hosts = self.access.hosts.iter();
        name(host).is_some_and(|name| hosts.any(|known| known.eq_ignore_ascii_case(&name)))
    }

    /// Whether a page's origin is the console itself, or its public one. The scheme is http; a further name may be that of
    /// a proxy that speaks https.
    fn is_own_origin(&self, origin: &str, host: &str) -> bool {
        if self.public_origin.as_deref() == Some(origin) {
            return true;
        }
        let from = match origin.split_once("://") {
            Some(("http", from)) => from,
            Some(("https", from)) if self.is_further_name(host) => from,
            _ => return false,
        };
        from.eq_ignore_ascii_case(host)
    }
}

/// A header that was sent once: of two nobody can say which one counts.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

/// The name or address in a host, without its port.
fn name(host: &str) -> Option<String> {
    let authority: Authority = host.parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().trim_start_matches('[');
    Some(name.trim_end_matches(']').to_owned())
}

impl ConsoleToken {
    fn check(&self, headers: &HeaderMap) -> Result<(), ControlError> {
        let sent = only(headers, &AUTHORIZATION);
        let message = match sent.and_then(|value| sent_token(value.as_bytes())) {
            Some(sent) if self.matches(&sent) => return Ok(()),
            Some(_) => "this is not the console's token",
            None => {
                "send the console's token as `Authorization: Bearer TOKEN`, or as the password of \
                 `Basic`"
            }
        };
        Err(ControlError::new(Code::TokenRequired, message))
    }

    /// Whether a browser shows the cookie that is made of it.
    fn is_shown(&self, headers: &HeaderMap) -> bool {
        let shown = cookie(headers, COOKIE_NAME).unwrap_or_default();
        self.cookie().as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// The value of that cookie: it proves the token and does not tell it.
    pub(crate) fn cookie(&self) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("a key has any length");
        mac.update(COOKIE_NAME.as_bytes());
        HEXLOWER.encode(&mac.finalize().into_bytes())
    }

    /// Whether this is it.
    pub(crate) fn matches(&self, sent: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(sent).into()
    }
}

/// The value of a cookie.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

/// The token in an `Authorization` header: a bearer token, or the password of basic credentials.
fn sent_token(value: &[u8]) -> Option<Vec<u8>> {
    let at = value.iter().position(|&byte| byte == b' ')?;
    let (scheme, rest) = (&value[..at], value[at..].trim_ascii());
    if scheme.eq_ignore_ascii_case(b"bearer") {
        return Some(rest.to_vec());
    }
    if !scheme.eq_ignore_ascii_case(b"basic") {
        return None;
    }
    let pair = BASE64.decode(rest).ok()?;
    let colon = pair.iter().position(|&byte| byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}

/// Whether a person's browser asks for a page, or sends a form.
pub(crate) fn asks_for_a_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Refuses a request that the guard does not admit; answers a panic of the handler as an error.
pub(in crate::http) async fn guard_request(
    State(guard): State<Arc<ConsoleGuard>>,
    request: Request,
    next: Next,
) -> Response {
    if let Err(refusal) = guard.admit(&request) {
        return match refusal.code() == Code::TokenRequired && asks_for_a_page(request.headers()) {
            true => guard.ask_for_token(&request),
            false => refusal.into_response(),
        };
    }
    // Pages change nothing, so that a panic leaves no state half changed.
    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    answer.unwrap_or_else(|_| {
        tracing::error!("a request made the console panic");
        ControlError::internal().into_response()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(ip: [u8; 4], hosts: &[&str]) -> ConsoleGuard {
        let access = ConsoleAccess {
            token: None,
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        };
        ConsoleGuard::new(access, SocketAddr::from((ip, 8800)))
    }

    #[test]
    fn only_loopback_the_own_address_and_given_names_are_own_hosts() {
        let local = guard([127, 0, 0, 1], &["console.example"]);
        let everywhere = guard([0, 0, 0, 0], &[]);
        for (host, on_local, on_everywhere) in [
            ("localhost", true, true),
            ("LOCALHOST:9000", true, true),
            ("127.0.0.1:8800", true, true),
            ("[::1]:8800", true, true),
            ("192.0.2.7", false, true),
            ("Console.Example:80", true, false),
            ("rebound.example", false, false),
            ("127.0.0.1.example", false, false),
            ("localhost.example", false, false),
            ("", false, false),
            ("user@rebound.example", false, false),
            ("user@localhost", false, false),
        ] {
            assert_eq!(local.is_own(host), on_local, "{host}");
            assert_eq!(everywhere.is_own(host), on_everywhere, "{host}");
        }
    }

    #[test]
    fn an_origin_is_own_where_scheme_host_and_port_are_those_of_the_request() {
        let guard = guard([127, 0, 0, 1], &["console.example"]);
        for (origin, host, own) in [
            ("http://localhost:8800", "localhost:8800", true),
            ("http://127.0.0.1:8800", "127.0.0.1:8800", true),
            ("http://localhost:3000", "localhost:8800", false),
            ("http://localhost", "localhost:8800", false),
            ("http://127.0.0.1:8800", "localhost:8800", false),
            ("https://localhost:8800", "localhost:8800", false),
            ("https://console.example", "console.example", true),
            ("https://other.example", "console.example", false),
            ("null", "localhost:8800", false),
            ("", "localhost:8800", false),
        ] {
            assert_eq!(guard.is_own_origin(origin, host), own, "{origin} to {host}");
        }
    }

    #[test]
    fn the_public_origin_is_own_whatever_host_the_proxy_sends() {
        let public = PublicUrl::parse("https://sim.example:8443/console").ok();
        let guard = guard([127, 0, 0, 1], &[]).behind(public.as_ref());
        assert!(guard.is_own("sim.example:8443") && guard.is_own("sim.example"));
        for (origin, host, own) in [
            ("https://sim.example:8443", "sim.example:8443", true),
            ("https://sim.example:8443", "127.0.0.1:8800", true),
            ("https://sim.example:8443", "sim.example", true),
            ("https://sim.example", "127.0.0.1:8800", false),
            ("http://sim.example:8443", "127.0.0.1:8800", false),
            ("https://other.example:8443", "sim.example:8443", false),
        ] {
            assert_eq!(guard.is_own_origin(origin, host), own, "{origin} to {host}");
        }
    }

    #[test]
    fn a_token_is_sent_as_bearer_or_as_the_password_of_basic() {
        let token = ConsoleToken::new("sample token:1").unwrap();
        let basic = |pair: &str| format!("Basic {}", BASE64.encode(pair.as_bytes()));
        for (value, fits) in [
            ("Bearer sample token:1".to_owned(), true),
            ("bearer  sample token:1".to_owned(), true),
            (basic("anybody:sample token:1"), true),
            (basic(":sample token:1"), true),
            (basic("sample token:1"), false),
            (basic("sample token:1:"), false),
            ("Bearer sample token".to_owned(), false),
            ("Bearer sample token:12".to_owned(), false),
            ("Bearer".to_owned(), false),
            ("Basic !".to_owned(), false),
            ("Digest sample token:1".to_owned(), false),
        ] {
            let shown = sent_token(value.as_bytes());
            assert_eq!(shown.is_some_and(|it| token.matches(&it)), fits, "{value}");
        }
        assert_eq!(ConsoleToken::new(""), None);
    }

    #[tokio::test]
    async fn a_page_that_panics_is_answered_as_an_error() {
        use axum::middleware::from_fn_with_state;
        use tower::Service as _;

        async fn broken() -> &'static str {
            panic!("a page is broken")
        }
        let guard = Arc::new(guard([127, 0, 0, 1], &[]));
        let router = axum::Router::new().route("/", axum::routing::get(broken));
        let mut router = router.layer(from_fn_with_state(guard, guard_request));
        let request = Request::builder().uri("/").header(HOST, "localhost");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let answer = router.call(request).await.unwrap();
        assert_eq!(answer.status(), http::StatusCode::INTERNAL_SERVER_ERROR);
    }
}
