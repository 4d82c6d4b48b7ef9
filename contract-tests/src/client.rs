//! The one client: puts the key in, sends, records. What it records holds no key.

use futures_util::future::join_all;

use crate::capture::{CapturedCase, Exchange};
use crate::plan::{Ask, Case, Credential, Setting};
use crate::redact::{MARK, Secret, black_out};
use crate::target::{Request, Response, Target};
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
}

impl<'t, T: Target> Client<'t, T> {
    /// A client of a target.
    #[must_use]
    pub fn new(target: &'t T, keys: Keyring, setting: &Setting<'_>) -> Self {
        Client {
            target,
            keys,
            seed: setting.seed.clone(),
        }
    }

    /// Sends a case's steps, one after the other or all at once.
    pub async fn capture(&self, check: &str, case: &Case) -> CapturedCase {
        let account = self.account(check);
        let mut captured = CapturedCase::new(check, &case.name);
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
        while captured.stopped.is_none() && captured.exchanges.len() < case.steps.len() {
            self.next(case, &mut captured).await;
        }
        captured
    }

    /// Sends the step of a case that comes after those that were captured, where there is one.
    pub async fn next(&self, case: &Case, captured: &mut CapturedCase) {
        let Some(step) = case.steps.get(captured.exchanges.len()) else {
            return;
        };
        let (account, earlier) = (self.account(&captured.check), &captured.exchanges);
        let exchange = self
            .ask(&step.ask, case.environment, &account, earlier)
            .await;
        record(captured, exchange);
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
        let response = self.target.send(&request).await.map(|response| match &key {
            Some(key) => without(key, response),
            None => response,
        });
        // That a key was sent is worth knowing, the key is not.
        let authorization = request.authorization.as_ref().map(|_| Secret::new(MARK));
        Ok(Exchange {
            request: Request {
                authorization,
                ..request
            },
            response,
        })
    }

    fn account(&self, check: &str) -> String {
        account(&self.seed, check)
    }
}

/// The name of a check's own account: letters, digits, `-` and `_`, at most 64.
#[must_use]
pub fn account(seed: &str, check: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name = seed.chars().chain(['-']).chain(check.chars()).map(plain);
    name.take(64).collect()
}

/// An answer that repeats the key, without it.
fn without(key: &Secret, response: Response) -> Response {
    let clean =
        |value: String| String::from_utf8_lossy(&black_out(value.as_bytes(), key)).into_owned();
    let headers = response
        .headers
        .into_iter()
        .map(|(name, value)| (name, clean(value)));
    Response {
        headers: headers.collect(),
        body: black_out(&response.body, key),
        ..response
    }
}

fn record(captured: &mut CapturedCase, exchange: Result<Exchange, String>) {
    match exchange {
        Ok(exchange) => captured.exchanges.push(exchange),
        Err(why) => captured.stopped = captured.stopped.take().or(Some(why)),
    }
}
