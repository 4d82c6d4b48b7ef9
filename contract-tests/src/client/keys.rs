//! The keys of a run: which one a call presents, and what finds them in what others wrote. Sends
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::capture::{Credential, KeyKind, Mistake};
use crate::redact::{Redactor, Secret};
use svc_fixtures::contract::Environment;

/// The keys of a run.
#[derive(Debug, Clone, Default)]
pub struct Keyring {
    /// The sandbox's.
    pub test: Option<RunKey>,
    /// Live's.
    pub live: Option<RunKey>,
    /// Those that the provider gave beside these, by what is the matter with them.
    pub given: BTreeMap<(Environment, KeyKind), Secret>,
}

/// A key of the run.
#[derive(Debug, Clone)]
pub struct RunKey {
    /// The key.
    pub secret: Secret,
    /// Whether every name after it opens an account of its own, as in a simulator: then each check
    /// has one.
    pub copies: bool,
}

impl Keyring {
    /// The keys that calls are made with which are to work.
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        let own = [&self.test, &self.live].into_iter().flatten();
        own.map(|key| key.secret.clone()).collect()
    }
}

impl RunKey {
    /// The key that every simulator has.
    #[must_use]
    pub fn of_simulator(environment: Environment) -> Self {
        RunKey::new(Secret::new(format!("{}local", environment.key_prefix())))
    }

    /// A key as somebody gave it.
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        let copies = names(&secret).any(|name| name == "local");
        RunKey { secret, copies }
    }

    /// Whether it is one of those that every simulator has, and so nobody's money.
    #[must_use]
    pub fn is_simulators(&self) -> bool {
        names(&self.secret).any(|name| name == "local" || name.starts_with("local_"))
    }
}

/// What stands in a key behind the beginning that the keys of an environment have.
fn names(key: &Secret) -> impl Iterator<Item = &str> {
    let prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
    prefixes.filter_map(|prefix| key.expose().strip_prefix(prefix))
}

impl Keyring {
    /// The keys that every simulator has.
    #[must_use]
    pub fn of_simulator() -> Self {
        let [test, live] =
            Environment::ALL.map(|environment| Some(RunKey::of_simulator(environment)));
        Keyring {
            test,
            live,
            given: BTreeMap::new(),
        }
    }

    /// The keys that there are beside the run's own; in a simulator those that are built in, too.
    #[must_use]
    pub fn kinds(&self, of_simulator: bool) -> Vec<(Environment, KeyKind)> {
        let built_in = KeyKind::of_simulator().into_iter();
        let built_in = built_in.filter(|(environment, _)| {
            of_simulator && self.of(*environment).is_some_and(RunKey::is_simulators)
        });
        let given = self.given.keys().copied();
        given
            .chain(built_in)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// The key for an environment, where there is one.
    pub(super) fn of(&self, environment: Environment) -> Option<&RunKey> {
        match environment {
            Environment::Test => self.test.as_ref(),
            Environment::Live => self.live.as_ref(),
        }
    }

    pub(super) fn own(&self, environment: Environment, account: &str) -> Option<Secret> {
        let key = self.of(environment)?;
        Some(match key.copies {
            true => Secret::new(format!("{}_{account}", key.secret.expose())),
            false => key.secret.clone(),
        })
    }

    /// The id of the account that the run's own key opens.
    pub(super) fn account(
        &self,
        environment: Environment,
        account: &str,
    ) -> Result<String, String> {
        let key = self.own(environment, account);
        let key = key.ok_or_else(|| format!("there is no {environment} key for this run"))?;
        let name = key.expose().strip_prefix(environment.key_prefix());
        name.map(str::to_owned)
            .ok_or_else(|| format!("the {environment} key does not begin as such keys do"))
    }

    /// What finds the run's keys, and these, in what others wrote. The own part of a simulator's
    /// key is the name of its account, which answers may show.
    pub(super) fn redactor(&self, presented: &[Secret]) -> Redactor {
        let named = |key: &&Secret| names(key).any(|name| name.starts_with("local"));
        let own = [&self.test, &self.live].into_iter().flatten();
        let own = own.map(|own| &own.secret);
        let own = own.chain(self.given.values());
        let secrets = own.clone().filter(|key| !named(key));
        Redactor::with(own.filter(named).chain(presented), secrets)
    }

    /// The key a call presents; none for a call that presents none. On one host, whoever sees the keys of the
    /// sandbox sees those of live anyway.
    pub(super) fn key(
        &self,
        credential: &Credential,
        environment: Environment,
        account: &str,
        one_host: bool,
    ) -> Result<Option<Secret>, String> {
        let needed = |environment: Environment| {
            let own = self.own(environment, account);
            own.map(Some)
                .ok_or_else(|| format!("there is no {environment} key for this run"))
        };
        let prefix = environment.key_prefix();
        let made = |name: &str| Ok(Some(Secret::new(format!("{prefix}{name}"))));
        match credential {
            Credential::Own | Credential::Misplaced(_) => needed(environment),
            Credential::OtherEnvironment => {
                let real = self.live.as_ref().is_some_and(|key| !key.is_simulators());
                match environment == Environment::Test && real && !one_host {
                    true => Err("a live key is not shown to another host".to_owned()),
                    false => needed(environment.other()),
                }
            }
            Credential::Unknown => made(&format!("unknownkey{account}")),
            Credential::UnknownElsewhere => {
                let prefix = environment.other().key_prefix();
                Ok(Some(Secret::new(format!("{prefix}unknownkey{account}"))))
            }
            Credential::Mistyped(mistake) => {
                let own = needed(environment)?;
                own.map(|own| mistyped(&own, prefix, *mistake)).transpose()
            }
            Credential::Rotated => {
                let own = needed(environment)?;
                Ok(own.map(|own| Secret::new(format!("{}.2", own.expose()))))
            }
            Credential::Another(name) => {
                let name = shortened(&format!("{name}-{account}"));
                made(&format!("local_{name}"))
            }
            Credential::BuiltIn(name) => made(name),
            Credential::BuiltInElsewhere(name) => {
                let prefix = environment.other().key_prefix();
                Ok(Some(Secret::new(format!("{prefix}{name}"))))
            }
            Credential::Given(kind) => match self.given.get(&(environment, *kind)) {
                Some(given) => Ok(Some(given.clone())),
                None => {
                    let missing = || {
                        let name = kind.name();
                        format!("no key of {environment} was given that is {name}: --keys names it")
                    };
                    made(kind.built_in().ok_or_else(missing)?)
                }
            },
            Credential::Header(_) | Credential::Nothing => Ok(None),
        }
    }
}

/// A key with a mistake in it. What a simulator makes of its own keys is no key either: none of its accounts
/// has a tilde in its name.
fn mistyped(own: &Secret, prefix: &str, mistake: Mistake) -> Result<Secret, String> {
    let key = own.expose();
    let name = key.strip_prefix(prefix).unwrap_or(key);
    let before = &key[..key.len() - name.len()];
    let name = match mistake {
        Mistake::Longer => format!("{name}~"),
        Mistake::Stopped => format!("{name}."),
        Mistake::MuchLonger => format!("{name}{}", "~".repeat(200)),
        Mistake::Shorter if name.starts_with("local") => "loca".to_owned(),
        Mistake::Shorter => {
            let mut shorter = name.to_owned();
            shorter.pop();
            shorter
        }
        Mistake::OtherEnd if name.starts_with("local") => "locak".to_owned(),
        Mistake::OtherEnd => {
            let mut other = name.to_owned();
            let last = other.pop();
            other.push(if last == Some('x') { 'y' } else { 'x' });
            other
        }
        Mistake::OtherCase => name.chars().map(in_other_case).collect(),
        Mistake::Hyphens => return changed(key, key.replace('_', "-")),
        Mistake::Followed => format!("{name} {name}"),
        // Not the key is wrong, but what stands before it.
        Mistake::NoScheme | Mistake::OtherScheme | Mistake::User => return Ok(Secret::new(key)),
    };
    changed(key, format!("{before}{name}"))
}

fn changed(key: &str, mistyped: String) -> Result<Secret, String> {
    match mistyped {
        same if same == key => Err("the key has no letters to write otherwise".to_owned()),
        other => Ok(Secret::new(other)),
    }
}

fn in_other_case(c: char) -> char {
    match c.is_ascii_lowercase() {
        true => c.to_ascii_uppercase(),
        false => c.to_ascii_lowercase(),
    }
}

/// The name of an account has at most 64 characters.
pub(super) fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_live_key_is_shown_to_no_other_host() {
        let key = |secret: &str, one_host: bool| {
            let live = Some(RunKey::new(Secret::new(secret)));
            let ring = Keyring {
                live,
                ..Keyring::default()
            };
            let other = Credential::OtherEnvironment;
            let key = ring.key(&other, Environment::Test, "a", one_host);
            key.map(|key| key.is_some())
        };
        let real = "svc_live_0123456789";
        assert_eq!(key(real, true), Ok(true));
        let refused = Err("a live key is not shown to another host".to_owned());
        assert_eq!(key(real, false), refused);
        assert_eq!(key("svc_live_local", false), Ok(true));
    }
}
