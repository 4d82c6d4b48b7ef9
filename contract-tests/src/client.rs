//! The one client: puts the key in, sends, records. What it records holds no key.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;

use crate::capture::{CapturedCase, Exchange, Presented};
use crate::plan::{Ask, Case, Credential, Setting};
use crate::redact::{Blackout, MARK, Secret};
use crate::target::{Request, Response, Target, TransportError};
use svc_fixtures::contract::Environment;

/// The keys of a run.
#[derive(Debug, Clone, Default)]
pub struct Keyring {
    /// The sandbox's.
    pub test: Option<OwnKey>,
    /// Live's.
    pub live: Option<OwnKey>,
}

/// A key of the run.
#[derive(Debug, Clone)]
pub struct OwnKey {
    /// The key.
    pub secret: Secret,
    /// Whether every name after it opens an account of its own, as in a simulator: then each check
    /// has one.
    pub copies: bool,
}

impl OwnKey {
    /// The key that every simulator has.
    #[must_use]
    pub fn of_simulator(environment: Environment) -> Self {
        OwnKey::new(Secret::new(format!("{}local", environment.key_prefix())))
    }

    /// A key as somebody gave it.
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        let copies = Environment::ALL.iter().any(|environment| {
            secret.expose().strip_prefix(environment.key_prefix()) == Some("local")
        });
        OwnKey { secret, copies }
    }
}

impl Keyring {
    /// The keys that every simulator has.
    #[must_use]
    pub fn of_simulator() -> Self {
        let [test, live] =
            Environment::ALL.map(|environment| Some(OwnKey::of_simulator(environment)));
        Keyring { test, live }
    }

    fn own(&self, environment: Environment, account: &str) -> Option<Secret> {
        let key = match environment {
            Environment::Test => self.test.as_ref()?,
            Environment::Live => self.live.as_ref()?,
        };
        Some(match key.copies {
            true => Secret::new(format!("{}_{account}", key.secret.expose())),
            false => key.secret.clone(),
        })
    }

    /// What finds the run's keys, and this one, in what others wrote. The own part of a simulator's
    /// key is the name of its account, which answers may tell.
    fn blackout(&self, presented: Option<&Secret>) -> Blackout {
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
        Blackout::with(names.chain(presented), secrets)
    }

    /// The key a call presents; none for a call that presents none.
    fn key(
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
            Credential::OtherEnvironment => needed(environment.other()),
            Credential::Unknown => Ok(Some(Secret::new(format!(
                "{}unknownkey{account}",
                environment.key_prefix()
            )))),
            Credential::BuiltIn(name) => Ok(Some(Secret::new(format!(
                "{}{name}",
                environment.key_prefix()
            )))),
            Credential::Header(_) => Ok(None),
        }
    }
}

/// Sends the steps of cases and records what comes of them.
#[derive(Debug)]
pub struct Client<'t, T> {
    target: &'t T,
    keys: Keyring,
    seed: String,
    /// What finds a presented key in an answer. A check presents the same few again and again.
    blackouts: Mutex<BTreeMap<Option<String>, Arc<Blackout>>>,
}

impl<'t, T: Target> Client<'t, T> {
    /// A client of a target.
    #[must_use]
    pub fn new(target: &'t T, keys: Keyring, setting: &Setting<'_>) -> Self {
        Client {
            target,
            keys,
            seed: setting.seed.clone(),
            blackouts: Mutex::default(),
        }
    }

    /// What is sent to, for people.
    #[must_use]
    pub fn address(&self, environment: Environment) -> Option<String> {
        self.target.address(environment)
    }

    /// Sends a case's steps, one after the other or all at once.
    pub async fn capture(&self, check: &str, case: &Case) -> CapturedCase {
        let account = self.account(check);
        let mut captured = CapturedCase {
            check: check.to_owned(),
            case: case.name.clone(),
            exchanges: Vec::new(),
            stopped: None,
        };
        if case.together {
            let all = case
                .steps
                .iter()
                .map(|step| self.ask(&step.ask, case.environment, &account, &[]));
            for exchange in join_all(all).await {
                record(&mut captured, exchange);
            }
            return captured;
        }
        for step in &case.steps {
            let exchange = self
                .ask(&step.ask, case.environment, &account, &captured.exchanges)
                .await;
            record(&mut captured, exchange);
            if captured.stopped.is_some() {
                break;
            }
        }
        captured
    }

    async fn ask(
        &self,
        ask: &Ask,
        environment: Environment,
        account: &str,
        earlier: &[Exchange],
    ) -> Result<Exchange, String> {
        let mut request = ask.request(environment, earlier)?;
        let key = self.keys.key(&ask.credential, environment, account)?;
        request.authorization = match (&key, &ask.credential) {
            (Some(key), _) => Some(Secret::new(format!("Bearer {}", key.expose()))),
            (None, Credential::Header(value)) => value.map(Secret::new),
            (None, _) => None,
        };
        let blackout = self.blackout(key.as_ref());
        let response = match self.target.send(&request).await {
            Ok(response) => Ok(without(&blackout, response)),
            Err(error) => Err(untold(&blackout, error)),
        };
        // That a key was sent is worth knowing, the key is not.
        let authorization = request.authorization.as_ref().map(|_| Secret::new(MARK));
        Ok(Exchange {
            request: Request {
                authorization,
                ..request
            },
            presented: presented(&ask.credential),
            response,
        })
    }

    fn blackout(&self, key: Option<&Secret>) -> Arc<Blackout> {
        let name = key.map(|key| key.expose().to_owned());
        let mut known = self
            .blackouts
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let made = known
            .entry(name)
            .or_insert_with(|| Arc::new(self.keys.blackout(key)));
        Arc::clone(made)
    }

    /// The name of a check's own account: letters, digits, `-` and `_`, at most 64.
    fn account(&self, check: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = self
            .seed
            .chars()
            .chain(['-'])
            .chain(check.chars())
            .map(plain)
            .collect();
        name.chars().take(64).collect()
    }
}

/// An answer that repeats a key, without it.
fn without(blackout: &Blackout, response: Response) -> Response {
    let headers = response
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), blackout.text(value)));
    Response {
        headers: headers.collect(),
        body: blackout.bytes(&response.body),
        ..response
    }
}

/// The reason for no answer, without keys.
fn untold(blackout: &Blackout, error: TransportError) -> TransportError {
    match error {
        TransportError::Unreachable(why) => TransportError::Unreachable(blackout.text(&why)),
        TransportError::NotSendable(why) => TransportError::NotSendable(blackout.text(&why)),
        known @ (TransportError::TimedOut | TransportError::TooLong { .. }) => known,
    }
}

fn presented(credential: &Credential) -> Presented {
    match credential {
        Credential::Own => Presented::Own,
        Credential::OtherEnvironment => Presented::OtherEnvironment,
        Credential::Unknown => Presented::Unknown,
        Credential::BuiltIn(name) => Presented::BuiltIn((*name).to_owned()),
        Credential::Header(None) => Presented::Nothing,
        Credential::Header(Some(value)) => Presented::Header((*value).to_owned()),
    }
}

fn record(captured: &mut CapturedCase, exchange: Result<Exchange, String>) {
    match exchange {
        Ok(exchange) => captured.exchanges.push(exchange),
        Err(why) => captured.stopped = captured.stopped.take().or(Some(why)),
    }
}
