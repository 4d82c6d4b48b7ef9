//! The one client: puts the key in, asks the guard, sends, records. What it records holds no key.

mod keys;
mod later;
mod pace;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use data_encoding::{BASE64, HEXLOWER};
use futures_util::future::join_all;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::capture::{
    CapturedCase, Channel, Credential, Exchange, Misplaced, Mistake, Request, Response,
    TransportError,
};
use crate::plan::{Access, Case, Setting, Step, of_try};
use crate::redact::{REDACTED, Redactor, Secret};
use crate::sink::{RunSink, now_s};
use crate::spend::{PricedCall, SpendGuard};
use crate::target::Target;
use crate::verdict::Trouble;
use keys::shortened;
pub use keys::{Keyring, RunKey};
pub use pace::Pace;
use svc_fixtures::contract::Environment;

/// Sends the steps of cases and records what comes of them.
#[derive(Debug)]
pub struct Client<'t, T> {
    target: &'t T,
    setting: Setting<'t>,
    keys: Keyring,
    secret: String,
    sink: Option<RunSink>,
    guard: SpendGuard,
    pace: Pace,
    result_wait: later::ResultWait,
    /// What finds presented keys in an answer. A check presents the same few again and again.
    redactors: Mutex<BTreeMap<Vec<String>, Arc<Redactor>>>,
}

/// A call that is ready to go.
struct PreparedCall {
    request: Request,
    key: Option<Secret>,
    call: PricedCall,
    /// As it is captured: with the names of what the client filled in.
    asked: Request,
    credential: Credential,
    account: String,
}

impl<'t, T: Target> Client<'t, T> {
    /// A client of a target that may spend any amount, as fast as it can: for simulators.
    #[must_use]
    pub fn new(target: &'t T, keys: Keyring, setting: &Setting<'t>) -> Self {
        Client {
            target,
            setting: setting.clone(),
            keys,
            secret: setting.webhook_secret(),
            sink: target.sink(),
            guard: SpendGuard::unlimited(),
            pace: Pace::default(),
            result_wait: later::ResultWait::of(setting),
            redactors: Mutex::default(),
        }
    }

    /// What is sent to, for people.
    #[must_use]
    pub fn address(&self, environment: Environment) -> Option<String> {
        self.target.address(environment)
    }

    /// The console that is sent to, for people.
    #[must_use]
    pub fn console(&self) -> Option<String> {
        self.target.console()
    }

    /// The same with a receiver of webhooks, where there is one.
    #[must_use]
    pub fn with_sink(self, sink: Option<RunSink>) -> Self {
        let sink = sink.or(self.sink);
        Client { sink, ..self }
    }

    /// The same, with what may be spent.
    #[must_use]
    pub fn guarded(self, guard: SpendGuard) -> Self {
        Client { guard, ..self }
    }

    /// The same, at a pace.
    #[must_use]
    pub fn paced(self, pace: Pace) -> Self {
        Client { pace, ..self }
    }

    /// The same, but where a case needs a result that comes later it is waited for so long.
    #[must_use]
    pub fn waiting_for_results(mut self, most: Duration) -> Self {
        if let Some(wait) = &mut self.result_wait.most {
            *wait = most;
        }
        self
    }

    /// What watches over the money.
    #[must_use]
    pub fn guard(&self) -> &SpendGuard {
        &self.guard
    }

    /// Lets no call out for so long, and then fewer at a time: the service said that there were too many.
    pub fn pause(&self, wait: Duration) {
        self.pace.pause(wait);
    }

    /// Sends a case's steps, one after the other or all at once.
    pub async fn capture(&self, check: &str, case: &Case) -> CapturedCase {
        self.capture_try(check, case, 0).await
    }

    /// The same, from an account of that try's own where accounts cost nothing. Ends where something is
    /// in the way: the try is not whole then.
    pub async fn capture_try(&self, check: &str, case: &Case, try_: usize) -> CapturedCase {
        let begin = Instant::now();
        let mut captured = CapturedCase {
            try_,
            ..CapturedCase::new(check, &case.name)
        };
        let steps = case.steps.iter();
        let call = |step| PricedCall::of(&self.setting, case.environment, step, String::new());
        let calls: Vec<_> = steps.map(call).collect();
        if let Err(why) = self.guard.allows(check, &case.name, &calls) {
            captured.stopped = Some(why);
            return captured;
        }
        self.send_all(case, &mut captured).await;
        captured.took_ms = ms_since(begin);
        captured
    }

    async fn send_all(&self, case: &Case, captured: &mut CapturedCase) {
        while captured.stopped.is_none() && captured.exchanges.len() < case.steps.len() {
            if case.together.contains(&captured.exchanges.len()) {
                self.together(case, captured).await;
            } else {
                self.next(case, captured).await;
                self.wait_for_result(case, captured).await;
            }
            let left = captured.exchanges.len() < case.steps.len();
            if left && Trouble::that_ends(self.setting.contract, case, captured).is_some() {
                captured.stopped = Some("the call before it was not executed for sure".to_owned());
            }
        }
    }

    /// Sends the steps of a case that go out at the same time.
    async fn together(&self, case: &Case, captured: &mut CapturedCase) {
        self.pace.turn(case.together.len()).await;
        let account = self.account_of(case, captured);
        let (check, earlier) = (&captured.check, &captured.exchanges);
        let ready = |at| self.ready(check, case, at, &account, earlier);
        let steps = case.together.clone();
        let all = steps.map(|at| async move { self.send(&ready(at)?).await });
        for exchange in join_all(all).await {
            record(captured, exchange);
        }
    }

    /// Sends the step of a case that comes after those that were captured, where there is one.
    pub async fn next(&self, case: &Case, captured: &mut CapturedCase) {
        let at = captured.exchanges.len();
        if at >= case.steps.len() {
            return;
        }
        let account = self.account_of(case, captured);
        let exchange = match self.ready(&captured.check, case, at, &account, &captured.exchanges) {
            Ok(ready) => self.send_by_channel(&ready).await,
            Err(why) => Err(why),
        };
        record(captured, exchange);
    }

    /// Whether all cases of an environment go to one account: that of a key which was given.
    #[must_use]
    pub fn has_one_account(&self, environment: Environment) -> bool {
        self.keys.of(environment).is_some_and(|key| !key.copies)
    }

    /// The name of the account that a try is sent from where accounts cost nothing: its check's, or one
    /// of its own where it must be alone. A simulator has room for so many, and not for one a case.
    fn account_of(&self, case: &Case, captured: &CapturedCase) -> String {
        let seed = of_try(&self.setting.seed, captured.try_);
        match case.access() {
            Access::Shared => account(&seed, &captured.check),
            Access::Alone => own_account(&seed, &captured.check, &case.name),
        }
    }

    /// The call of a step, once the answers before it are known.
    fn ready(
        &self,
        check: &str,
        case: &Case,
        at: usize,
        account: &str,
        earlier: &[Exchange],
    ) -> Result<PreparedCall, String> {
        let step: &Step = &case.steps[at];
        let environment = step.request.environment.unwrap_or(case.environment);
        let mut request = step.request.resolve(environment, earlier)?;
        let asked = request.clone();
        self.fill_in(&mut request, environment, account)?;
        let credential = &step.request.credential;
        let one_host = self.target.is_one_host();
        let key = self.keys.key(credential, environment, account, one_host)?;
        if let (Some(key), Credential::Misplaced(place)) = (&key, credential) {
            misplace(&mut request, key, *place);
        }
        request.authorization = match (&key, credential) {
            (_, Credential::Misplaced(_)) => None,
            (Some(key), Credential::Mistyped(Mistake::NoScheme)) => Some(key.clone()),
            (Some(key), Credential::Mistyped(Mistake::OtherScheme)) => {
                Some(Secret::new(format!("Basic {}", key.expose())))
            }
            (Some(key), Credential::Mistyped(Mistake::User)) => {
                let user = BASE64.encode(format!("{}:", key.expose()).as_bytes());
                Some(Secret::new(format!("Basic {user}")))
            }
            (Some(key), _) => Some(Secret::new(format!("Bearer {}", key.expose()))),
            (None, Credential::Header(value)) => Some(Secret::new(value)),
            (None, _) => None,
        };
        let what = format!("{check}, {}, step {}", case.name, at + 1);
        let call = PricedCall::of(&self.setting, environment, step, what);
        Ok(PreparedCall {
            request,
            key,
            call,
            asked,
            credential: credential.clone(),
            account: account.to_owned(),
        })
    }

    /// Sends what a step sends to whom it goes to.
    async fn send_by_channel(&self, ready: &PreparedCall) -> Result<Exchange, String> {
        match ready.request.channel {
            Channel::Api => {
                self.pace.turn(1).await;
                self.send(ready).await
            }
            Channel::Page | Channel::Console => Ok(self.send_aside(ready).await),
            Channel::Webhook => Err("only the service posts webhooks".to_owned()),
            Channel::Sink => self.received(ready).await,
            Channel::Registered => self.delivered(ready).await,
        }
    }

    /// Sends a call once, if the guard allows it.
    async fn send(&self, ready: &PreparedCall) -> Result<Exchange, String> {
        let permit = self.guard.admit(ready.call.clone());
        let permit = permit.map_err(|stop| stop.to_string())?;
        let begin = Instant::now();
        let response = self.target.send(&ready.request).await;
        let took_ms = ms_since(begin);
        self.guard.settle(permit, &response);
        Ok(self.exchange(ready, response, took_ms))
    }

    /// Sends a request that is no call of the service: it costs nothing, and the pace does not hold it up.
    async fn send_aside(&self, ready: &PreparedCall) -> Exchange {
        let begin = Instant::now();
        let response = self.target.send(&ready.request).await;
        self.exchange(ready, response, ms_since(begin))
    }

    /// What is recorded: no key, and what the client filled in under its name.
    fn exchange(
        &self,
        ready: &PreparedCall,
        response: Result<Response, TransportError>,
        took_ms: u64,
    ) -> Exchange {
        let redactor = self.redactor(ready);
        let response = match response {
            Ok(response) => Ok(without(&redactor, response)),
            Err(error) => Err(redactor.error(error)),
        };
        // That a key was sent is worth knowing, the key is not.
        let authorization = ready.request.authorization.as_ref();
        Exchange {
            request: Request {
                authorization: authorization.map(|_| Secret::new(REDACTED)),
                ..ready.asked.clone()
            },
            credential: ready.credential.clone(),
            at_s: Some(now_s()),
            response,
            took_ms,
            result: None,
        }
    }

    /// Puts account, receiver and secret where they are named; what is captured keeps the names.
    fn fill_in(
        &self,
        request: &mut Request,
        environment: Environment,
        account: &str,
    ) -> Result<(), String> {
        if request.channel != Channel::Console {
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
    async fn received(&self, ready: &PreparedCall) -> Result<Exchange, String> {
        let request = &ready.asked;
        let own = self.sink.as_ref();
        let own = own.ok_or("this run has no receiver of webhooks")?;
        let account = self.keys.account(request.environment, &ready.account)?;
        let path = request.path.replace("{account}", &account);
        let at_least = request.query.parse().unwrap_or(0);
        let begin = Instant::now();
        let body = own.sink.received(&path, at_least).await;
        Ok(self.came(ready, body, begin))
    }

    /// What came to the run's own receiver, as if somebody had answered it.
    fn came(&self, ready: &PreparedCall, body: String, begin: Instant) -> Exchange {
        let came = Response {
            status: 200,
            headers: Vec::new(),
            body: body.into_bytes(),
        };
        Exchange {
            request: ready.asked.clone(),
            credential: ready.credential.clone(),
            at_s: None,
            response: Ok(without(&self.redactor(ready), came)),
            took_ms: ms_since(begin),
            result: None,
        }
    }

    /// What came for a verification to the receiver that the provider has registered.
    async fn delivered(&self, ready: &PreparedCall) -> Result<Exchange, String> {
        let request = &ready.asked;
        let own = self.sink.as_ref();
        let own = own.ok_or("this run has no receiver of webhooks")?;
        let path = request.path.trim_start_matches('/');
        let (id, status) = path.split_once('/').unwrap_or((path, ""));
        let begin = Instant::now();
        let body = own.sink.delivered(id, &request.query, status).await;
        Ok(self.came(ready, body, begin))
    }

    /// What finds the run's keys in what comes of a call.
    fn redactor(&self, ready: &PreparedCall) -> Arc<Redactor> {
        let mut keys: Vec<_> = ready.key.iter().cloned().collect();
        if ready.request.channel != Channel::Api {
            // The control API shows the keys of its accounts, in both environments.
            let own = Environment::ALL.map(|at| self.keys.own(at, &ready.account));
            keys.extend(own.into_iter().flatten());
        }
        let registered = self.sink.as_ref().and_then(|own| own.sink.secret());
        keys.extend(registered.cloned());
        let names = keys.iter().map(|key| key.expose().to_owned()).collect();
        let known = self.redactors.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let made = || Arc::new(self.keys.redactor(&keys));
        Arc::clone(known.entry(names).or_insert_with(made))
    }
}

/// How long it is ago, by tokio's time.
fn ms_since(begin: Instant) -> u64 {
    u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The name of a check's own account: letters, digits, `-` and `_`, at most 64.
#[must_use]
pub fn account(seed: &str, check: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name = seed.chars().chain(['-']).chain(check.chars()).map(plain);
    shortened(&name.collect::<String>())
}

/// The name of an account that only one case has. Short, since accounts beside it are named after it.
fn own_account(seed: &str, check: &str, case: &str) -> String {
    let digest = Sha256::digest(format!("{seed}\n{check}\n{case}"));
    let name: String = account(seed, check).chars().take(27).collect();
    format!("{name}-{}", HEXLOWER.encode(&digest[..6]))
}

/// An answer that repeats a key, without it.
fn without(redactor: &Redactor, response: Response) -> Response {
    let headers = response.headers.iter();
    let headers = headers.map(|(name, value)| (name.clone(), redactor.text(value)));
    Response {
        headers: headers.collect(),
        body: redactor.bytes(&response.body),
        ..response
    }
}

fn record(captured: &mut CapturedCase, exchange: Result<Exchange, String>) {
    match exchange {
        Ok(exchange) => captured.exchanges.push(exchange),
        Err(why) => captured.stopped = captured.stopped.take().or(Some(why)),
    }
}

/// Puts a key where it does not belong.
fn misplace(request: &mut Request, key: &Secret, place: Misplaced) {
    let named = place
        .names()
        .iter()
        .map(|name| (*name, key.expose().to_owned()));
    match place {
        Misplaced::Query => {
            let pairs = named.map(|(name, key)| format!("{name}={key}"));
            request.query = pairs.collect::<Vec<_>>().join("&");
        }
        Misplaced::OtherHeader => {
            let headers = named.map(|(name, key)| (name.to_owned(), key));
            request.headers.extend(headers);
        }
    }
}
