//! The keys of a run: which one a call presents, and what finds them in what others wrote. Sends
//! nothing.

use crate::capture::Credential;
use crate::redact::{Redactor, Secret};
use svc_fixtures::contract::Environment;

/// The keys of a run.
#[derive(Debug, Clone, Default)]
pub struct Keyring {
    /// The sandbox's.
    pub test: Option<RunKey>,
    /// Live's.
    pub live: Option<RunKey>,
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

impl RunKey {
    /// The key that every simulator has.
    #[must_use]
    pub fn of_simulator(environment: Environment) -> Self {
        RunKey::new(Secret::new(format!("{}local", environment.key_prefix())))
    }

    /// A key as somebody gave it.
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        let copies = Environment::ALL.iter().any(|environment| {
            secret.expose().strip_prefix(environment.key_prefix()) == Some("local")
        });
        RunKey { secret, copies }
    }

    /// Whether it is one of those that every simulator has, and so nobody's money.
    #[must_use]
    pub fn is_simulators(&self) -> bool {
        Environment::ALL.iter().any(|environment| {
            let name = self.secret.expose().strip_prefix(environment.key_prefix());
            name.is_some_and(|name| name == "local" || name.starts_with("local_"))
        })
    }
}

impl Keyring {
    /// The keys that every simulator has.
    #[must_use]
    pub fn of_simulator() -> Self {
        let [test, live] =
            Environment::ALL.map(|environment| Some(RunKey::of_simulator(environment)));
        Keyring { test, live }
    }

    pub(super) fn own(&self, environment: Environment, account: &str) -> Option<Secret> {
        let key = match environment {
            Environment::Test => self.test.as_ref()?,
            Environment::Live => self.live.as_ref()?,
        };
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
        let named = |key: &&Secret| {
            let prefixes = Environment::ALL.map(Environment::key_prefix);
            let rest = prefixes
                .iter()
                .find_map(|prefix| key.expose().strip_prefix(prefix));
            rest.is_some_and(|rest| rest.starts_with("local"))
        };
        let own = || {
            let keys = [&self.test, &self.live].into_iter().flatten();
            keys.map(|own| &own.secret)
        };
        let (names, secrets) = (own().filter(named), own().filter(|key| !named(key)));
        Redactor::with(names.chain(presented), secrets)
    }

    /// The key a call presents; none for a call that presents none.
    pub(super) fn key(
        &self,
        credential: &Credential,
        environment: Environment,
        account: &str,
    ) -> Result<Option<Secret>, String> {
        let needed = |environment: Environment| {
            let own = self.own(environment, account);
            own.map(Some)
                .ok_or_else(|| format!("there is no {environment} key for this run"))
        };
        match credential {
            Credential::Own => needed(environment),
            Credential::OtherEnvironment => {
                let live = environment == Environment::Test;
                match self
                    .live
                    .as_ref()
                    .filter(|key| live && !key.is_simulators())
                {
                    Some(_) => Err("a live key is not shown to another address".to_owned()),
                    None => needed(environment.other()),
                }
            }
            Credential::Unknown => Ok(Some(Secret::new(format!(
                "{}unknownkey{account}",
                environment.key_prefix()
            )))),
            Credential::Rotated => {
                let own = needed(environment)?;
                Ok(own.map(|own| Secret::new(format!("{}.2", own.expose()))))
            }
            Credential::Another(name) => {
                let name = shortened(&format!("{name}-{account}"));
                let prefix = environment.key_prefix();
                Ok(Some(Secret::new(format!("{prefix}local_{name}"))))
            }
            Credential::BuiltIn(name) => Ok(Some(Secret::new(format!(
                "{}{name}",
                environment.key_prefix()
            )))),
            Credential::Header(_) | Credential::Nothing => Ok(None),
        }
    }
}

/// The name of an account has at most 64 characters.
pub(super) fn shortened(name: &str) -> String {
    name.chars().take(64).collect()
}
