//! The consent page: where a person, or a script, says whether a pending call may have its documents.
//! No call of the service: no key, no envelope, nothing recorded but what the person said. Whether a
//! link is open, and what becomes of the call, is decided below.
//!
//! Whoever knows a link may use it, as with the real service: the verification's id in it is the key.

mod page;
mod redirect;

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use hyper::body::Body;
use maud::Markup;
use svc_fixtures::json::Json;

use super::api::Api;
use super::arriving::{Arrived, arrive};
use crate::engine::call::consent::{Link, Said, link};
use crate::engine::state::ids::VerificationId;
use crate::host::AccountCell;
use crate::host::journal::JournalError;

/// The longest decision that is read: there is nothing long to say.
const MAX_BODY_BYTES: usize = 4 * 1024;

/// What the pages may do. Browsers that hold form submissions to `form-action` hold the redirects
/// that follow to it, too (Chromium does, Firefox does not): `'self'` alone would stop the person on
/// the way back, and so would the origin of the redirect URL as soon as the application there sends
/// the person on to another of its own. So all that the web speaks is allowed, which still leaves
/// `javascript:` and `data:` out. Nothing else on the page loads, runs or is framed.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    form-action 'self' http: https:; base-uri 'none'; frame-ancestors 'none'";

const ALLOWED: &str = "GET, HEAD, POST";

/// What follows `/consent/` in a path that begins so.
pub(super) fn link_in(path: &str) -> Option<String> {
    path.strip_prefix("/consent/").map(str::to_owned)
}

/// What a consent link answers with, other than sending the person on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Unknown,
    Used,
    WrongMethod,
    NoDecision,
    WrongKind,
    TooLarge,
    Incomplete,
    NotWritten,
}

/// Serves a link of this listener's environment.
pub(super) async fn serve<B>(api: &Api, id: String, parts: &Parts, body: B) -> Response
where
    B: Body<Data = Bytes> + Unpin,
{
    let answered = match parts.method {
        Method::GET | Method::HEAD => show(api, &id),
        Method::POST => take(api, &id, &parts.headers, body).await,
        _ => Err(Refusal::WrongMethod),
    };
    answered.unwrap_or_else(|refusal| refusal.respond())
}

fn show(api: &Api, id: &str) -> Result<Response, Refusal> {
    let (cell, verification) = found(api, id)?;
    let rules = api.host.rules_of(&cell);
    let asked =
        cell.read(
            |account| match link(&rules, account, api.environment, verification) {
                Some(Link::Open(asked)) => Ok(asked.clone()),
                Some(Link::Used) => Err(Refusal::Used),
                None => Err(Refusal::Unknown),
            },
        )?;
    let page = page::asking(cell.id(), api.environment, &asked);
    Ok(respond(StatusCode::OK, page))
}

async fn take<B>(api: &Api, id: &str, headers: &HeaderMap, body: B) -> Result<Response, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
{
    // Read first, whatever comes of it: what is left of a body would be taken for a request.
    let body = match arrive(body, MAX_BODY_BYTES, api.body_timeout).await {
        Arrived::Whole(body) => body,
        Arrived::TooLarge => return Err(Refusal::TooLarge),
        Arrived::Incomplete => return Err(Refusal::Incomplete),
    };
    show(api, id)?;
    let said = decision(headers, &body)?;
    let (cell, verification) = found(api, id)?;
    let afterwards = api
        .host
        .consent(&cell, api.environment, verification, said)
        .map_err(|error| not_written(&error))?
        // Somebody else said something in between.
        .ok_or(Refusal::Used)?;
    let text = "Your decision was taken. You are sent back to where you came from.";
    let mut response = respond(StatusCode::SEE_OTHER, page::saying("Thank you", text));
    let location = redirect::location(verification, &afterwards);
    response.headers_mut().insert(LOCATION, location);
    Ok(response)
}

/// The account whose link this is; only in this listener's environment.
fn found(api: &Api, id: &str) -> Result<(Arc<AccountCell>, VerificationId), Refusal> {
    let verification = VerificationId::parse(id).ok_or(Refusal::Unknown)?;
    match api.host.find(verification) {
        Some((cell, environment)) if environment == api.environment => Ok((cell, verification)),
        _ => Err(Refusal::Unknown),
    }
}

fn not_written(error: &JournalError) -> Refusal {
    tracing::error!(%error, "an entry was not written; nobody consented or refused");
    Refusal::NotWritten
}

/// What was said: the one field of a form, or the one member of a JSON object.
fn decision(headers: &HeaderMap, body: &Bytes) -> Result<Said, Refusal> {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let kind = match (kinds.next(), kinds.next()) {
        (Some(kind), None) => kind.to_str().unwrap_or_default(),
        _ => return Err(Refusal::WrongKind),
    };
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let mut fields = form_urlencoded::parse(body);
        return match (fields.next(), fields.next()) {
            (Some((name, value)), None) => said(&name, &value),
            _ => Err(Refusal::NoDecision),
        };
    }
    if kind.eq_ignore_ascii_case("application/json") {
        let json = Json::parse(body).map_err(|_| Refusal::NoDecision)?;
        return match json.as_object() {
            Some([(name, value)]) => said(name, value.as_text().unwrap_or_default()),
            _ => Err(Refusal::NoDecision),
        };
    }
    Err(Refusal::WrongKind)
}

fn said(name: &str, value: &str) -> Result<Said, Refusal> {
    let known = page::DECISIONS
        .iter()
        .find(|(decision, _)| name == page::DECISION && *decision == value);
    known.map(|(_, said)| *said).ok_or(Refusal::NoDecision)
}

impl Refusal {
    fn respond(self) -> Response {
        let (status, title, text) = self.words();
        let mut response = respond(status, page::saying(title, text));
        match self {
            Refusal::WrongMethod => {
                let headers = response.headers_mut();
                headers.insert(ALLOW, HeaderValue::from_static(ALLOWED));
            }
            // What is left of the body would be taken for the next request.
            Refusal::TooLarge | Refusal::Incomplete => {
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }

    /// Status, title, and what to do.
    fn words(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Refusal::Unknown => (
                StatusCode::NOT_FOUND,
                "There is no such link",
                "Nobody asks for anything here. Open the link just as the pending answer gave it, \
                 on the same address: the sandbox and live have links of their own.",
            ),
            Refusal::Used => (
                StatusCode::GONE,
                "This link was used",
                "The verification has come to its end, so there is nothing left to decide. To be \
                 asked again, start a new one.",
            ),
            Refusal::WrongMethod => (
                StatusCode::METHOD_NOT_ALLOWED,
                "This is a page with a form",
                "Open it with GET, send the decision with POST.",
            ),
            Refusal::NoDecision => (
                StatusCode::BAD_REQUEST,
                "This is no decision",
                "Send decision=allow or decision=refuse, and nothing else. Nothing was decided.",
            ),
            Refusal::WrongKind => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "This is no form",
                "Send decision=allow or decision=refuse as application/x-www-form-urlencoded, or \
                 {\"decision\": \"allow\"} as application/json. Nothing was decided.",
            ),
            Refusal::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "This is too long for a decision",
                "Send decision=allow or decision=refuse, and nothing else. Nothing was decided.",
            ),
            Refusal::Incomplete => (
                StatusCode::REQUEST_TIMEOUT,
                "The decision did not arrive",
                "Its body broke off or took too long. Nothing was decided; send it again.",
            ),
            Refusal::NotWritten => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The decision was not taken",
                "It could not be written down, so nothing was decided. Send it again.",
            ),
        }
    }
}

fn respond(status: StatusCode, page: Markup) -> Response {
    let mut response = Response::new(axum::body::Body::from(page.into_string()));
    *response.status_mut() = status;
    let headers: [(HeaderName, &str); 5] = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        // The link is all one needs to decide: the next page must not learn it.
        (REFERRER_POLICY, "no-referrer"),
        // How the link stands changes, and what it asks is nobody else's business.
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
