//! Which keys go to which address. Decided before anything is sent.

use reqwest::Url;

use super::exit::CommandError;
use crate::client::{Keyring, RunKey};
use crate::redact::Secret;
pub(super) use crate::target::is_loopback;
use svc_fixtures::contract::Environment;

/// An address as it was given.
pub(super) fn address(flag: &str, text: &str) -> Result<Url, CommandError> {
    let url = Url::parse(text).map_err(|error| error.to_string());
    let url = url.and_then(|url| match url.scheme() {
        "http" | "https" if url.query().is_some() || url.fragment().is_some() => Err(
            "a query, or what is behind #, is part of no address here, and would not be sent"
                .to_owned(),
        ),
        "http" | "https" if url.has_host() => Ok(url),
        _ => Err("must be an https:// or http:// address with a host".to_owned()),
    });
    url.map_err(|why| {
        let example = "write it like http://127.0.0.1:8801 or https://sandbox.example";
        CommandError::usage(format!("{flag}: {text}: {why}; {example}"))
    })
}

/// What the arguments are called that say address and key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyFlags {
    /// The address of each environment.
    pub(super) addresses: [&'static str; 2],
    /// The key of each environment.
    pub(super) keys: [&'static str; 2],
    /// The console.
    pub(super) console: &'static str,
}

impl KeyFlags {
    /// Those of `run`.
    pub(super) const RUN: KeyFlags = KeyFlags {
        addresses: ["--base-url", "--live-url"],
        keys: ["--api-key (or SVC_API_KEY)", "--live-key (or SVC_LIVE_KEY)"],
        console: "--console-url",
    };

    /// What the address of an environment is called.
    pub(super) fn address(&self, environment: Environment) -> &'static str {
        match environment {
            Environment::Test => self.addresses[0],
            Environment::Live => self.addresses[1],
        }
    }

    /// What its key is called, without the variable that it may stand in.
    pub(super) fn key(&self, environment: Environment) -> &'static str {
        let long = match environment {
            Environment::Test => self.keys[0],
            Environment::Live => self.keys[1],
        };
        long.split(' ').next().unwrap_or(long)
    }
}

/// The keys of a run. A simulator on this machine needs none: its own are known.
pub(super) fn ring(
    flags: &KeyFlags,
    sandbox: &Url,
    live: Option<&Url>,
    test_key: Option<&Secret>,
    live_key: Option<&Secret>,
) -> Result<Keyring, CommandError> {
    let test = match test_key {
        Some(key) => Some(of(flags, Environment::Test, flags.keys[0], key)?),
        None if is_loopback(sandbox) => Some(RunKey::of_simulator(Environment::Test)),
        None => {
            let flag = flags.keys[0];
            let missing = format!("{flag} is needed for this address. Nothing was sent");
            return Err(CommandError::usage(missing));
        }
    };
    let live = match (live_key, live) {
        (Some(key), _) => Some(of(flags, Environment::Live, flags.keys[1], key)?),
        (None, Some(live)) if is_loopback(live) => Some(RunKey::of_simulator(Environment::Live)),
        (None, Some(_)) => {
            let flag = flags.keys[1];
            return Err(CommandError::usage(format!(
                "{flag} is needed for a live address that is not on this machine: its calls may cost \
                 budget. Nothing was sent",
            )));
        }
        (None, None) => None,
    };
    Ok(Keyring {
        test,
        live,
        ..Keyring::default()
    })
}

/// A key that fits its environment: sent elsewhere it might cost money, or a stranger would learn it.
fn of(
    flags: &KeyFlags,
    environment: Environment,
    flag: &str,
    key: &Secret,
) -> Result<RunKey, CommandError> {
    let prefix = environment.key_prefix();
    let rest = key.expose().strip_prefix(prefix);
    let plain = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic());
    match rest.is_some_and(plain) {
        true => Ok(RunKey::new(key.clone())),
        false => {
            let other = environment.other().key_prefix();
            let white = |key: &str| key.contains(|c: char| c.is_whitespace());
            let hint = match key.expose().starts_with(other) {
                _ if rest.is_some_and(white) => {
                    ", and have no white space in it or at its end, such as a line break of the file it was read from".to_owned()
                }
                true => format!(
                    ", and this one begins with {other}: it is for {}, not for {}",
                    flags.address(environment.other()),
                    flags.address(environment)
                ),
                false => String::new(),
            };
            Err(CommandError::usage(format!(
                "{flag}: must begin with {prefix}{hint}. Nothing was sent"
            )))
        }
    }
}

/// Whether a service is a simulator on this machine, as far as can be known beforehand: a tunnel to
/// a real one has an address of this machine, too, but a key that no simulator is known by.
pub(super) fn is_simulator(url: &Url, key: Option<&RunKey>) -> bool {
    is_loopback(url) && key.is_none_or(RunKey::is_simulators)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T>(result: Result<T, CommandError>) -> String {
        result
            .err()
            .map(|mistake| mistake.cause.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn a_live_address_elsewhere_needs_its_key() {
        let sandbox = Url::parse("http://127.0.0.1:8801").expect("a URL");
        let live = Url::parse("http://api.example:80").expect("a URL");
        let text = refusal(ring(&KeyFlags::RUN, &sandbox, Some(&live), None, None));
        assert!(text.contains("--live-key"), "{text}");
        let key = Secret::new("svc_live_abcdef");
        assert!(ring(&KeyFlags::RUN, &sandbox, Some(&live), None, Some(&key)).is_ok());
        let here = Url::parse("http://[::1]:8802").expect("a URL");
        assert!(ring(&KeyFlags::RUN, &sandbox, Some(&here), None, None).is_ok());
    }

    #[test]
    fn a_tunnel_with_a_real_key_is_no_simulator() {
        let here = Url::parse("http://127.0.0.1:8802").expect("a URL");
        let key = |text: &str| RunKey::new(Secret::new(text));
        assert!(is_simulator(&here, Some(&key("svc_live_local"))));
        assert!(is_simulator(&here, Some(&key("svc_live_local_ci"))));
        assert!(!is_simulator(&here, Some(&key("svc_live_localhero"))));
        let there = Url::parse("http://api.example").expect("a URL");
        assert!(!is_simulator(&there, Some(&key("svc_live_local"))));
    }

    #[test]
    fn a_key_of_the_other_environment_is_refused_and_not_repeated() {
        let sandbox = Url::parse("http://127.0.0.1:8801").expect("a URL");
        let text = refusal(ring(
            &KeyFlags::RUN,
            &sandbox,
            None,
            Some(&Secret::new("svc_live_abcdef")),
            None,
        ));
        assert!(
            text.contains("svc_live_: it is for --live-url, not for --base-url"),
            "{text}"
        );
        assert!(!text.contains("abcdef"), "{text}");
    }

    #[test]
    fn another_machine_gets_no_key_that_was_not_given() {
        let sandbox = Url::parse("http://sandbox.example").expect("a URL");
        assert!(refusal(ring(&KeyFlags::RUN, &sandbox, None, None, None)).contains("--api-key"));
    }
}
