//! What of an exchange is not written down: keys and cookies always; of a service that is not on this machine also what
//! nobody can search for personal data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use data_encoding::BASE64;
use svc_fixtures::contract::Environment;

use super::seen::SeenHeaders;
use crate::capture::{CapturedCase, Channel, Credential, Request};
use crate::plan::{Setting, USAGE, VERIFICATIONS, inputs};
use crate::redact::{REDACTED, Redactor, Searched, Secret};
use crate::verdict::posted;

/// Whether a header or a parameter of a query is a secret itself: its name says so.
fn is_secret(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "authorization",
        "cookie",
        "secret",
        "token",
        "password",
        "passwd",
        "credential",
        "apikey",
        "privatekey",
    ];
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// A query without what its names say is secret.
pub(super) fn query(query: &str, redactor: Searched<'_>) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, value)) if is_secret(name) && !value.is_empty() => {
            format!("{}={}", redactor.text(name), REDACTED.replace(' ', "-"))
        }
        _ => redactor.text(pair),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// Whether a header of a foreign host says nothing of a person: what the contract knows, and what HTTP says of a body.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "accept"
            | "accept-encoding"
            | "allow"
            | "cache-control"
            | "connection"
            | "content-encoding"
            | "content-length"
            | "content-type"
            | "date"
            | "expect"
            | "idempotency-key"
            | "idempotent-replay"
            | "retry-after"
            | "server"
            | "transfer-encoding"
            | "vary"
            | "www-authenticate"
            | "x-reference-id"
            | "x-request-id"
            | "x-service-signature"
    )
}

const NOT_KEPT: &str = "[not recorded]";

/// So many keys are known at once. A client has one or two; one that guesses has many.
const MOST_KEYS: usize = 256;

/// So many of them are looked for in each other's exchanges, too.
const FIRST_KEYS: usize = 8;

/// The keys that passed, and what finds them.
#[derive(Debug, Default)]
pub(super) struct Keys {
    known: BTreeMap<(&'static str, String), Credential>,
    /// What finds a key of these, the first ones and what else is in no file.
    redactors: BTreeMap<(&'static str, String), Arc<Redactor>>,
    /// The secrets of the first keys.
    first: Vec<Secret>,
    /// How many first keys there were.
    firsts: usize,
    /// What finds any of them.
    all: Option<Arc<Redactor>>,
    /// What else is in no file.
    besides: Vec<Secret>,
}

impl Keys {
    /// Keys beside which these secrets are looked for, too.
    pub(super) fn besides(besides: Vec<Secret>) -> Self {
        Keys {
            besides,
            ..Keys::default()
        }
    }

    /// How a request was authorized, and what finds that and the first keys in all that came of it.
    pub(super) fn of(
        &mut self,
        at: Environment,
        headers: &SeenHeaders,
    ) -> (Credential, Arc<Redactor>) {
        let Some(value) = headers.get("authorization") else {
            return (Credential::Nothing, self.any());
        };
        let text = String::from_utf8_lossy(value).into_owned();
        let place = (at.as_str(), text);
        let credential = match self.known.get(&place) {
            Some(credential) => credential.clone(),
            None => self.add(place.clone()),
        };
        let (first, besides) = (&self.first, &self.besides);
        let redactor = self.redactors.entry(place).or_insert_with_key(|place| {
            let own = secrets(&place.1);
            Arc::new(Redactor::of(own.iter().chain(first).chain(besides)))
        });
        (credential, Arc::clone(redactor))
    }

    /// Takes in a key that was not known, and says whose it is.
    fn add(&mut self, place: (&'static str, String)) -> Credential {
        if self.known.len() >= MOST_KEYS {
            self.known.clear();
            self.redactors.clear();
        }
        self.all = None;
        if self.firsts < FIRST_KEYS {
            self.firsts += 1;
            self.first.extend(secrets(&place.1));
            self.redactors.clear();
        }
        let before = self.known.keys().filter(|(known, _)| *known == place.0);
        let credential = match before.count() {
            0 => Credential::Own,
            more => Credential::Another(format!("key-{}", more + 1)),
        };
        self.known.insert(place, credential.clone());
        credential
    }

    /// What finds any key that passed: for webhooks, which nobody asked for.
    pub(super) fn any(&mut self) -> Arc<Redactor> {
        let known = self.known.keys();
        let made = || {
            let secrets = known.flat_map(|(_, text)| secrets(text));
            let secrets: Vec<_> = secrets.chain(self.besides.iter().cloned()).collect();
            Arc::new(Redactor::of(&secrets))
        };
        Arc::clone(self.all.get_or_insert_with(made))
    }
}

/// What a value of `Authorization` has that is secret.
fn secrets(value: &str) -> Vec<Secret> {
    let value = value.trim();
    let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
    let rest = rest.trim();
    let mut found = vec![rest.to_owned()];
    if scheme.eq_ignore_ascii_case("basic") {
        let decoded = BASE64.decode(rest.as_bytes()).unwrap_or_default();
        let decoded = String::from_utf8_lossy(&decoded).into_owned();
        found.extend(decoded.split(':').map(str::to_owned));
    }
    found.into_iter().map(Secret::new).collect()
}

/// Headers as they are written down, names in lower case.
pub(super) fn headers(
    headers: &SeenHeaders,
    redactor: Searched<'_>,
    local: bool,
) -> Vec<(String, String)> {
    let shown = |name: &str, value: &str| match is_plain(name) {
        // There is no secret in the name of one that everybody knows.
        true => (name.to_owned(), redactor.text(value)),
        false if is_secret(name) => (redactor.text(name), REDACTED.to_owned()),
        false if local || name.contains("ratelimit") => (redactor.text(name), redactor.text(value)),
        false => (redactor.text(name), NOT_KEPT.to_owned()),
    };
    let written = written(headers).map(|(name, value)| {
        let value = String::from_utf8_lossy(value);
        shown(name, &value)
    });
    written.collect()
}

/// What of headers may be written down and may have a secret in it.
pub(super) fn searched(headers: &SeenHeaders) -> impl Iterator<Item = &[u8]> {
    let open = written(headers).filter(|(name, _)| !is_secret(name));
    // There is no secret in the name of one that everybody knows.
    open.flat_map(|(name, value)| {
        let name = Some(name.as_bytes()).filter(|_| !is_plain(name));
        name.into_iter().chain([value])
    })
}

/// Headers that are written down in some way.
fn written(headers: &SeenHeaders) -> impl Iterator<Item = (&str, &[u8])> {
    let all = headers.iter();
    all.filter(|(name, _)| !matches!(*name, posted::VERIFIED | "authorization"))
}

/// Whom a path of a service goes to: what is below `/v1/` is the interface, but for what a browser asks beforehand; all
/// else pages.
pub(super) fn channel(path: &str, preflight: bool) -> Channel {
    match (path.starts_with("/v1/") || path == "/v1") && !preflight {
        true => Channel::Api,
        false => Channel::Page,
    }
}

/// Takes out of an exchange with a foreign host what can't be searched for people: a body that is no JSON, and a path
/// that is none of the contract.
pub(super) fn unsearchable(setting: &Setting<'_>, captured: &mut CapturedCase) {
    for exchange in &mut captured.exchanges {
        opaque(&mut exchange.request.body);
        if let Ok(response) = &mut exchange.response {
            opaque(&mut response.body);
        }
        let request = &mut exchange.request;
        if !is_known(setting, request) {
            let known = if request.channel == Channel::Api {
                "/v1/"
            } else {
                "/"
            };
            request.path = format!("{known}{NOT_KEPT}").replace(' ', "-");
        }
        let pairs = request.query.split('&').filter(|pair| !pair.is_empty());
        let plain = |pair: &str| {
            let name = pair.split('=').next().unwrap_or_default();
            match request.path == USAGE && ["from", "to", "endpoint"].contains(&name) {
                true => pair.to_owned(),
                false => "not-recorded".to_owned(),
            }
        };
        request.query = pairs.map(plain).collect::<Vec<_>>().join("&");
    }
}

/// Whether a path is one of the contract, and has nothing in it that a caller made up.
fn is_known(setting: &Setting<'_>, request: &Request) -> bool {
    let path = request.path.as_str();
    let id = path.strip_prefix(VERIFICATIONS);
    let is_id = |id: &str| {
        let id = id.strip_prefix("svcv_");
        id.is_some_and(|id| id.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let word = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_lowercase() || b"/-.".contains(&b))
    };
    // What stands in the place of a wildcard is the caller's own.
    let operation = setting.operation_at(path).map(|it| it.path.as_str());
    let fits = |row: &str| {
        !row.ends_with('*') || path.strip_prefix(&row[..row.len() - 1]).is_some_and(word)
    };
    path == USAGE
        || id.is_some_and(is_id)
        || setting.contract.bundle_at(path).is_some()
        || operation.is_some_and(fits)
}

/// A body in which people can't be looked for becomes a text that says how long it is: one that is no JSON, or JSON that is no
/// object of members with names.
fn opaque(body: &mut Vec<u8>) {
    let what = match serde_json::from_slice(body) {
        _ if body.is_empty() => return,
        Ok(json @ serde_json::Value::Object(_)) if has_names(&json) => return,
        Ok(_) => "of JSON without names of members",
        Err(_) => "that are no JSON",
    };
    *body = format!("[not recorded: {} bytes {what}]", body.len()).into_bytes();
}

/// Whether its members have names, and none has a value for its name: a space, or many digits, are in no name.
fn has_names(json: &serde_json::Value) -> bool {
    let digits = |name: &str| name.bytes().filter(u8::is_ascii_digit).count();
    let is_name =
        |name: &str| digits(name) < MANY_DIGITS && !name.contains([' ', '@']) && name.is_ascii();
    match json {
        serde_json::Value::Object(members) => members
            .iter()
            .all(|(name, value)| is_name(name) && has_names(value)),
        serde_json::Value::Array(items) => items.iter().all(has_names),
        _ => true,
    }
}

/// So many digits are in an identifier.
const MANY_DIGITS: usize = 4;

/// What an exchange is called: its number and what was asked.
pub(super) fn name(setting: &Setting<'_>, number: u64, request: &Request, local: bool) -> String {
    let at = match request.environment {
        Environment::Test => "",
        Environment::Live => " (live)",
    };
    let operation = setting.operation_at(&request.path);
    let bundle = setting.contract.bundle_at(&request.path);
    let what = match operation {
        _ if request.channel == Channel::Webhook => "webhook".to_owned(),
        Some(operation) => operation.id.clone(),
        None if let Some(bundle) = bundle => setting.contract.bundles[bundle].endpoint(),
        None if request.path.starts_with(VERIFICATIONS) => "look-up".to_owned(),
        None if request.path == USAGE => "usage".to_owned(),
        None if local => request.path.chars().take(80).collect(),
        None => "another path".to_owned(),
    };
    let method = match request.method.as_str() {
        "POST" | "GET" => String::new(),
        other => format!("{} ", other.chars().take(16).collect::<String>()),
    };
    format!("#{number} {method}{what}{at}")
}

/// The texts that need no stand-in: inputs whose outcome the specification fixes tell of nobody, and what they do is
/// worth keeping.
pub(super) fn kept() -> BTreeSet<String> {
    let fixed = inputs::built_in().into_iter();
    fixed.map(|input| input.value).collect()
}
