//! The consent page (ruling 28): a person, or a script, allows or refuses a pending call the access to
//! documents. It is no call of the service: it needs no API key, answers no envelope, and only the
//! decision is recorded. The engine decides whether a link is open and how the call ends.
//!
//! Whoever knows a link may use it, as with the real service: it contains the verification's id.

mod page;
mod redirect;

use std::sync::Arc;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode};
use hyper::body::Body;
use maud::Markup;
use svc_fixtures::json::Json;

pub use redirect::afterwards_url;

use super::edge::{ReadBody, media_type, read_body};
use crate::engine::call::consent::{ConsentDecision, Link, link};
use crate::engine::call::request::Environment;
use crate::engine::state::ids::VerificationId;
use crate::host::shares::TakenRoom;
use crate::host::{AccountCell, Host};

/// The longest body of a decision. No clause bounds it: a decision is one word.
const MAX_BODY_BYTES: usize = 4 * 1024;

/// What a page may do that sends a person on to `redirect`. Browsers that hold form submissions to
/// `form-action` hold the redirects that follow to it, too (Chromium does, Firefox does not): `'self'`
/// alone would stop the person on the way back, and so would the origin of the redirect URL as soon
/// as the application there sends the person on to another of its own. So all that the web speaks is
/// allowed, and the scheme of the redirect where it leads into an app, which still leaves
/// `javascript:` and `data:` out. Nothing else on the page loads, runs or is framed.
fn policy(redirect: Option<&str>) -> String {
    let scheme = redirect
        .and_then(|redirect| redirect.split_once(':'))
        .map(|(scheme, _)| scheme.to_ascii_lowercase())
        .filter(|scheme| !matches!(scheme.as_str(), "http" | "https"));
    let app = scheme.map_or_else(String::new, |scheme| format!(" {scheme}:"));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' http: https:{app}; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The consent links of one listener.
pub(super) struct ConsentLinks<'a> {
    pub(super) host: &'a Arc<Host>,
    pub(super) environment: Environment,
    pub(super) body_timeout: Duration,
}

/// Why a request to a consent link is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConsentError {
    UnknownLink,
    AlreadyUsed,
    MethodNotAllowed,
    InvalidDecision,
    UnsupportedMediaType,
    BodyTooLarge,
    BodyIncomplete,
    NotRecorded,
}

/// Serves a link of this listener's environment.
pub(super) async fn serve<B>(links: &ConsentLinks<'_>, id: &str, parts: &Parts, body: B) -> Response
where
    B: Body<Data = Bytes> + Unpin,
{
    // The call may have been another replica's.
    let caught_up = links.host.catch_up().await;
    let answered = match parts.method {
        _ if caught_up.is_err() => Err(ConsentError::NotRecorded),
        Method::GET | Method::HEAD => show(links, id),
        Method::POST => decide(links, id, &parts.headers, body).await,
        _ => Err(ConsentError::MethodNotAllowed),
    };
    answered.unwrap_or_else(|refusal| refusal.respond())
}

fn show(links: &ConsentLinks<'_>, id: &str) -> Result<Response, ConsentError> {
    let (cell, verification) = find_account(links, id)?;
    let rules = links.host.rules_of(&cell);
    let environment = links.environment;
    let request = cell.read(
        |account| match link(&rules, account, environment, verification) {
            Some(Link::Open(request)) => Ok(request.clone()),
            Some(Link::Used) => Err(ConsentError::AlreadyUsed),
            None => Err(ConsentError::UnknownLink),
        },
    )?;
    let page = page::request_page(cell.id(), environment, &request);
    let policy = policy(Some(&request.redirect));
    Ok(respond(StatusCode::OK, policy, page))
}

async fn decide<B>(
    links: &ConsentLinks<'_>,
    id: &str,
    headers: &HeaderMap,
    body: B,
) -> Result<Response, ConsentError>
where
    B: Body<Data = Bytes> + Unpin,
{
    // The body is read first in any case: an unread rest would be taken for the next request.
    let mut small = TakenRoom::default();
    let body = match read_body(body, MAX_BODY_BYTES, links.body_timeout, &mut small).await {
        ReadBody::Whole(body) => body,
        ReadBody::TooLarge => return Err(ConsentError::BodyTooLarge),
        ReadBody::Incomplete => return Err(ConsentError::BodyIncomplete),
    };
    show(links, id)?;
    let decision = parse_decision(headers, &body)?;
    let (cell, verification) = find_account(links, id)?;
    let decide = || {
        let environment = links.environment;
        links
            .host
            .consent(&cell, environment, verification, decision)
    };
    let afterwards = links
        .host
        .durably(&cell, decide)
        .await
        .map_err(|error| {
            tracing::error!(%error, "an entry was not written; nobody consented or refused");
            ConsentError::NotRecorded
        })?
        // Another request decided in between.
        .ok_or(ConsentError::AlreadyUsed)?;
    let text = "Your decision was taken. You are sent back to where you came from.";
    let page = page::message_page("Thank you", text);
    let page = respond(StatusCode::SEE_OTHER, policy(None), page);
    let location = redirect::location(verification, &afterwards);
    Ok(([(LOCATION, location)], page).into_response())
}

/// The account of a link, which must be of this listener's environment.
fn find_account(
    links: &ConsentLinks<'_>,
    id: &str,
) -> Result<(Arc<AccountCell>, VerificationId), ConsentError> {
    let verification = VerificationId::parse(id).ok_or(ConsentError::UnknownLink)?;
    match links.host.directory().find(verification) {
        Some((cell, environment)) if environment == links.environment => Ok((cell, verification)),
        _ => Err(ConsentError::UnknownLink),
    }
}

/// The decision: the one field of a form, or the one member of a JSON object.
fn parse_decision(headers: &HeaderMap, body: &Bytes) -> Result<ConsentDecision, ConsentError> {
    let kind = media_type(headers).ok_or(ConsentError::UnsupportedMediaType)?;
    if kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let mut fields = form_urlencoded::parse(body);
        return match (fields.next(), fields.next()) {
            (Some((name, value)), None) => decision_of(&name, &value),
            _ => Err(ConsentError::InvalidDecision),
        };
    }
    if kind.eq_ignore_ascii_case("application/json") {
        let json = Json::parse(body).map_err(|_| ConsentError::InvalidDecision)?;
        return match json.as_object() {
            Some([(name, value)]) => decision_of(name, value.as_text().unwrap_or_default()),
            _ => Err(ConsentError::InvalidDecision),
        };
    }
    Err(ConsentError::UnsupportedMediaType)
}

fn decision_of(name: &str, value: &str) -> Result<ConsentDecision, ConsentError> {
    let mut known = page::DECISIONS.into_iter();
    let decision = known.find(|(decision, _)| name == page::DECISION && *decision == value);
    decision
        .map(|(_, decision)| decision)
        .ok_or(ConsentError::InvalidDecision)
}

impl ConsentError {
    fn respond(self) -> Response {
        let (status, title, text) = self.message();
        let response = respond(status, policy(None), page::message_page(title, text));
        match self {
            ConsentError::MethodNotAllowed => {
                ([(ALLOW, "GET, HEAD, POST")], response).into_response()
            }
            // The rest of the body would be read as the next request.
            ConsentError::BodyTooLarge | ConsentError::BodyIncomplete => {
                ([(CONNECTION, "close")], response).into_response()
            }
            _ => response,
        }
    }

    /// Status, title, and what to do about it.
    fn message(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            ConsentError::UnknownLink => (
                StatusCode::NOT_FOUND,
                "There is no such link",
                "Nobody asks for anything here. Open the link just as the pending answer gave it, \
                 on the same address: the sandbox and live have links of their own.",
            ),
            ConsentError::AlreadyUsed => (
                StatusCode::GONE,
                "This link was used",
                "The verification has come to its end, so there is nothing left to decide. To be \
                 asked again, start a new one.",
            ),
            ConsentError::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "This is a page with a form",
                "Open it with GET, send the decision with POST.",
            ),
            ConsentError::InvalidDecision => (
                StatusCode::BAD_REQUEST,
                "This is no decision",
                "Send decision=allow or decision=refuse, and nothing else. Nothing was decided.",
            ),
            ConsentError::UnsupportedMediaType => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "This is no form",
                "Send decision=allow or decision=refuse as application/x-www-form-urlencoded, or \
                 {\"decision\": \"allow\"} as application/json. Nothing was decided.",
            ),
            ConsentError::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "This is too long for a decision",
                "Send decision=allow or decision=refuse, and nothing else. Nothing was decided.",
            ),
            ConsentError::BodyIncomplete => (
                StatusCode::REQUEST_TIMEOUT,
                "The decision did not arrive",
                "Its body broke off or took too long. Nothing was decided; send it again.",
            ),
            ConsentError::NotRecorded => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The decision was not taken",
                "It could not be written down, so nothing was decided. Send it again.",
            ),
        }
    }
}

fn respond(status: StatusCode, policy: String, page: Markup) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        // Whoever knows the link can decide, so the next page must not see it.
        (REFERRER_POLICY, "no-referrer"),
        // The link's state changes, and the page shows private data.
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let policy = [(CONTENT_SECURITY_POLICY, policy)];
    (status, headers, policy, page.into_string()).into_response()
}
