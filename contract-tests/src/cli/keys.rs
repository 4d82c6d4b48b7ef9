//! Which keys go to which address. Decided before anything is sent.

use reqwest::Url;

use super::Mistake;
use crate::client::{Keyring, OwnKey};
use crate::redact::Secret;
use svc_fixtures::contract::Environment;

/// Whether an address is this machine's own.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let address: Option<std::net::IpAddr> = host.parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

/// An address as it was given.
pub(super) fn address(flag: &str, text: &str) -> Result<Url, Mistake> {
    let url = Url::parse(text).map_err(|error| Mistake::usage(format!("{flag}: {error}")))?;
    match url.scheme() {
        "http" if url.has_host() => Ok(url),
        "https" => Err(Mistake::usage(format!(
            "{flag}: this build has no TLS; give an http:// address"
        ))),
        _ => Err(Mistake::usage(format!(
            "{flag}: must be an http:// address with a host"
        ))),
    }
}

/// An address of live. Its calls cost money, and nothing here guards a budget yet.
pub(super) fn live_address(text: &str) -> Result<Url, Mistake> {
    let url = address("--live-url", text)?;
    match is_loopback(&url) {
        true => Ok(url),
        false => Err(Mistake::usage(
            "--live-url: only a live listener on this machine (127.0.0.1, [::1], localhost) is judged: \
             calls to a real one cost money. Nothing was sent",
        )),
    }
}

/// The keys of a run. A simulator on this machine needs none: its own are known.
pub(super) fn ring(
    sandbox: &Url,
    live: Option<&Url>,
    test_key: Option<&Secret>,
    live_key: Option<&Secret>,
) -> Result<Keyring, Mistake> {
    let test = match test_key {
        Some(key) => Some(of(Environment::Test, "--api-key (or SVC_API_KEY)", key)?),
        None if is_loopback(sandbox) => Some(OwnKey::of_simulator(Environment::Test)),
        None => {
            return Err(Mistake::usage(
                "--api-key (or SVC_API_KEY) is needed for this address",
            ));
        }
    };
    let live = match live_key {
        Some(key) => Some(of(Environment::Live, "--live-key (or SVC_LIVE_KEY)", key)?),
        None if live.is_some_and(is_loopback) => Some(OwnKey::of_simulator(Environment::Live)),
        None => None,
    };
    Ok(Keyring { test, live })
}

/// A key that can only be the right one: sent elsewhere it might cost money or be told to a stranger.
fn of(environment: Environment, flag: &str, key: &Secret) -> Result<OwnKey, Mistake> {
    let prefix = environment.key_prefix();
    let rest = key.expose().strip_prefix(prefix);
    let plain = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic());
    match rest.is_some_and(plain) {
        true => Ok(OwnKey::new(key.clone())),
        false => {
            let other = environment.other().key_prefix();
            let hint = match key.expose().starts_with(other) {
                true => format!(", and this one begins with {other}: it is for the other address"),
                false => String::new(),
            };
            Err(Mistake::usage(format!(
                "{flag}: must begin with {prefix}{hint}. Nothing was sent"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T>(result: Result<T, Mistake>) -> String {
        result
            .err()
            .map(|mistake| mistake.cause.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_live_address_elsewhere_is_refused() {
        assert!(refusal(live_address("http://api.example:80")).contains("cost money"));
        assert!(live_address("http://127.0.0.1:8802").is_ok());
        assert!(live_address("http://[::1]:8802").is_ok());
    }

    #[test]
    fn a_key_of_the_other_environment_is_refused_and_not_repeated() {
        let sandbox = Url::parse("http://127.0.0.1:8801").expect("a URL");
        let told = refusal(ring(
            &sandbox,
            None,
            Some(&Secret::new("svc_live_abcdef")),
            None,
        ));
        assert!(
            told.contains("svc_live_: it is for the other address"),
            "{told}"
        );
        assert!(!told.contains("abcdef"), "{told}");
    }

    #[test]
    fn another_machine_gets_no_key_that_was_not_given() {
        let sandbox = Url::parse("http://sandbox.example").expect("a URL");
        assert!(refusal(ring(&sandbox, None, None, None)).contains("--api-key"));
    }
}
