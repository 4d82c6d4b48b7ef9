//! The one client: puts the key in, sends, records. What it records holds no key.

use futures_util::future::join_all;

use crate::capture::{CapturedCase, Exchange};
use crate::plan::{Ask, Case, Credential, Setting};
use crate::redact::{MARK, Secret, black_out};
use crate::sink::Sink;
use crate::target::{Door, Request, Response, Target};
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

    /// The id of the account that the run's own key opens.
    fn account(&self, environment: Environment, account: &str) -> Result<String, String> {
        let key = self.own(environment, account);
        let key = key.ok_or_else(|| format!("there is no {environment} key for this run"))?;
        let name = key.expose().strip_prefix(environment.key_prefix());
        name.map(str::to_owned)
            .ok_or_else(|| format!("the {environment} key does not begin as such keys do"))
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
            Credential::Rotated => {
                let own = needed(environment)?;
                Ok(own.map(|own| Secret::new(format!("{}.2", own.expose()))))
            }
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
    secret: String,
    sink: Option<OwnSink>,
}

/// The run's own receiver, and the URL by which the service reaches it.
#[derive(Debug, Clone)]
pub struct OwnSink {
    /// The receiver.
    pub sink: Sink,
    /// What paths are appended to.
    pub url: String,
}

impl<'t, T: Target> Client<'t, T> {
    /// A client of a target.
    #[must_use]
    pub fn new(target: &'t T, keys: Keyring, setting: &Setting<'_>) -> Self {
        Client {
            target,
            keys,
            seed: setting.seed.clone(),
            secret: setting.webhook_secret(),
            sink: None,
        }
    }

    /// The same with a receiver of webhooks.
    #[must_use]
    pub fn with_sink(self, sink: OwnSink) -> Self {
        Client {
            sink: Some(sink),
            ..self
        }
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
        if ask.door == Door::Sink {
            return self.received(request, account).await;
        }
        let key = self.keys.key(&ask.credential, environment, account)?;
        let asked = request.clone();
        self.fill_in(&mut request, environment, account)?;
        request.authorization = match (&key, &ask.credential) {
            (Some(key), _) => Some(Secret::new(format!("Bearer {}", key.expose()))),
            (None, Credential::Header(value)) => value.map(Secret::new),
            (None, _) => None,
        };
        let mut response = self.target.send(&request).await;
        if let (Some(key), Ok(answer)) = (&key, &mut response) {
            without(key, answer);
        }
        if let (Door::Console, Ok(answer)) = (request.door, &mut response) {
            // The control API shows the keys of its accounts.
            let own = Environment::ALL.map(|environment| self.keys.own(environment, account));
            for key in own.iter().flatten() {
                without(key, answer);
            }
        }
        // That a key was sent is worth knowing, the key is not.
        let authorization = request.authorization.as_ref().map(|_| Secret::new(MARK));
        Ok(Exchange {
            request: Request {
                authorization,
                ..asked
            },
            response,
        })
    }

    /// Puts account, receiver and secret where they are named; what is captured keeps the names.
    fn fill_in(
        &self,
        request: &mut Request,
        environment: Environment,
        account: &str,
    ) -> Result<(), String> {
        if request.door != Door::Console {
            return Ok(());
        }
        let account = self.keys.account(environment, account)?;
        let sink = self.sink.as_ref().map_or("", |own| own.url.as_str());
        let sink = format!("{sink}/{account}");
        let fill = |text: &str| {
            text.replace("{account}", &account)
                .replace("{sink}", &sink)
                .replace("{secret}", &self.secret)
        };
        request.path = fill(&request.path);
        request.query = fill(&request.query);
        request.body = fill(&String::from_utf8_lossy(&request.body)).into_bytes();
        Ok(())
    }

    /// What came to the run's own receiver, as if somebody had answered it.
    async fn received(&self, request: Request, account: &str) -> Result<Exchange, String> {
        let own = self
            .sink
            .as_ref()
            .ok_or("this run has no receiver of webhooks")?;
        let account = self.keys.account(request.environment, account)?;
        let path = request.path.replace("{account}", &account);
        let at_least = request.query.parse().unwrap_or(0);
        let body = own.sink.received(&path, at_least).await.into_bytes();
        Ok(Exchange {
            request,
            response: Ok(Response {
                status: 200,
                headers: Vec::new(),
                body,
            }),
        })
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

/// Takes the key out of an answer that repeats it.
fn without(key: &Secret, response: &mut Response) {
    for (_, value) in &mut response.headers {
        *value = String::from_utf8_lossy(&black_out(value.as_bytes(), key)).into_owned();
    }
    response.body = black_out(&response.body, key);
}

fn record(captured: &mut CapturedCase, exchange: Result<Exchange, String>) {
    match exchange {
        Ok(exchange) => captured.exchanges.push(exchange),
        Err(why) => captured.stopped = captured.stopped.take().or(Some(why)),
    }
}
