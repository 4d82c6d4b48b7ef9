//! A rehearsal: calls of one fresh account, made in process at a time that is moved by hand. They are
//! answered as a simulator answers them that serves; no answer is held back and nothing is sent.

mod bodies;
mod callers;
mod differences;
mod expectations;
mod inputs;
mod inspection;
mod line_diff;
mod overlaps;
mod pattern;
mod recipes;
mod values;
mod webhooks;

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::{BundleIndex, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use crate::engine::call::request::Credential;
use crate::engine::call::request::{Body, Call, Environment, Header, Headers};
use crate::engine::call::rules::Rules;
use crate::engine::state::account::{Account, Settings};
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::Entry;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::{Answer, State, Verification};
use crate::engine::{Decision, Prepared, decide, finish, prepare};
use crate::scenario::{AccountConfig, Because, MoreHeaders, WireFault};

pub use bodies::first_step;
pub use expectations::{ExpectationReport, check_expectations};
pub use inputs::{NamedInput, named_input};
pub use inspection::inspect;
pub(crate) use line_diff::LineDiff;
pub use overlaps::{OverlapReport, RuleLocation, report_overlaps};
pub use recipes::{Goal, Recipe, RecipeCall, recipes};
pub use webhooks::ObservedDelivery;

/// The instant at which a rehearsal begins.
pub const BEGINS: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// One fresh account and its time.
pub struct Rehearsal<'r> {
    rules: &'r Rules,
    account: Account,
    now: Timestamp,
}

/// One call to be made.
#[derive(Debug, Clone, Copy)]
pub struct CallSpec<'q> {
    /// The listener it comes in on.
    pub environment: Environment,
    /// The key it presents.
    pub key: &'q str,
    /// What is called.
    pub target: CallTarget,
    /// The body.
    pub body: &'q Json<'q>,
    /// Its `Idempotency-Key`.
    pub idempotency_key: Option<&'q str>,
    /// Its `X-Reference-Id`.
    pub reference_id: Option<&'q str>,
    /// What it sends beside these.
    pub headers: &'q MoreHeaders,
}

/// A request as it came in somewhere, to be made again.
#[derive(Debug, Clone, Copy)]
pub struct RequestSpec<'q> {
    /// The listener it comes in on.
    pub environment: Environment,
    /// The key it presents.
    pub key: &'q str,
    /// The method.
    pub method: &'q str,
    /// The path.
    pub path: &'q str,
    /// The query, without its question mark.
    pub query: &'q str,
    /// Its `Content-Type`.
    pub content_type: Option<&'q str>,
    /// Its `Content-Encoding`.
    pub content_encoding: Option<&'q str>,
    /// Its `Idempotency-Key`.
    pub idempotency_key: Option<&'q str>,
    /// Its `X-Reference-Id`.
    pub reference_id: Option<&'q str>,
    /// What it sends beside these.
    pub headers: &'q MoreHeaders,
    /// The body.
    pub body: &'q [u8],
}

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallTarget {
    /// An operation.
    Operation(OperationIndex),
    /// A bundle.
    Bundle(BundleIndex),
}

impl CallTarget {
    fn path(self, rules: &Rules) -> String {
        match self {
            CallTarget::Operation(at) => sample::path(&rules.contract.operations[at]),
            CallTarget::Bundle(at) => rules.contract.bundles[at].path.clone(),
        }
    }
}

/// What a call was answered.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The HTTP status.
    pub status: u16,
    /// The envelope, as it is sent.
    pub body: Bytes,
    /// The envelope, as it is read.
    pub envelope: Json<'static>,
    /// Why this answer.
    pub because: Because,
    /// How long it is held back where it is served, in real milliseconds.
    pub delay_ms: u64,
    /// What goes wrong on its way to the client where it is served.
    pub wire: Option<WireFault>,
    /// Whether it was given before.
    pub replay: bool,
    /// The members of its body that no field names.
    pub unknown_members: Vec<String>,
    /// Of a bundle: what each of its steps came to, as far as this answer goes.
    pub steps: Vec<ObservedStep>,
    verification: Option<VerificationId>,
    environment: Environment,
}

/// What a step of a bundle came to.
#[derive(Debug, Clone)]
pub struct ObservedStep {
    /// The operation.
    pub operation: String,
    /// The HTTP status it would be answered with alone.
    pub status: u16,
    /// `completed`, `pending` or the error's code.
    pub outcome: String,
    /// Why.
    pub because: Because,
}

impl ObservedStep {
    fn of(step: &Verification, answer: &Answer) -> Self {
        ObservedStep {
            operation: step.endpoint.to_string(),
            status: answer.status,
            outcome: match answer.state {
                State::Completed => "completed",
                State::Pending => "pending",
                State::Failed(code) => code.as_str(),
            }
            .to_owned(),
            because: step.because.clone(),
        }
    }
}

/// The steps of the bundle that an entry records.
fn steps(entry: Option<&Entry>) -> Vec<ObservedStep> {
    let recorded = entry.into_iter().flat_map(Entry::recorded);
    let steps = recorded.filter(|verification| verification.bundle.is_some());
    steps
        .filter_map(|step| Some(ObservedStep::of(step, step.answer.as_ref()?)))
        .collect()
}

impl Observed {
    /// The text of a member of the envelope, in its error or at its top.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        let value = self.envelope.get(name);
        value.and_then(Json::as_text).unwrap_or_default()
    }

    /// `completed`, `pending` or the error's code.
    #[must_use]
    pub fn outcome(&self) -> &str {
        self.code().unwrap_or(self.text("status"))
    }

    /// The message of the error; empty where there is none.
    #[must_use]
    pub fn error_message(&self) -> &str {
        let message = self.envelope.get("error").and_then(|it| it.get("message"));
        message.and_then(Json::as_text).unwrap_or_default()
    }

    /// The error code, where it is an error.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.envelope.get("error")?.get("code")?.as_text()
    }

    /// Whether the result is still to come.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.text("status") == "pending"
    }
}

impl<'r> Rehearsal<'r> {
    /// A rehearsal with an account that is opened now.
    #[must_use]
    pub fn new(rules: &'r Rules, config: AccountConfig) -> Self {
        Rehearsal::at(rules, config, BEGINS)
    }

    /// A rehearsal that begins at this instant.
    #[must_use]
    pub fn at(rules: &'r Rules, config: AccountConfig, begins: Timestamp) -> Self {
        let opening = Account::opening(config, AccountClock::default(), begins);
        let settings = Settings::of(&rules.contract.service);
        let account = Account::rebuild(settings, [opening]);
        Rehearsal {
            rules,
            account: account.expect("it begins with its opening"),
            now: begins,
        }
    }

    /// The account's newest key of an environment.
    #[must_use]
    pub fn key(&self, environment: Environment) -> String {
        let mut keys = self.account.keys.iter();
        let own = keys.find(|key| key.environment == environment);
        own.map_or_else(String::new, |key| key.text.to_string())
    }

    /// The account's id.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.account.id
    }

    /// Makes a call.
    pub fn call(&mut self, spec: &CallSpec<'_>) -> Observed {
        let (path, body) = (spec.target.path(self.rules), spec.body.to_string());
        self.request(&spec.request(&path, &body))
    }

    /// Goes on to an instant, and does what is due until then. Time never goes back.
    pub fn advance_to(&mut self, to: Timestamp) {
        if to > self.now {
            self.finish_due(to);
        }
    }

    /// Makes a call, whatever it is.
    pub fn request(&mut self, spec: &RequestSpec<'_>) -> Observed {
        self.finish_due(self.now);
        let (rules, now) = (self.rules, self.now);
        let decision = spec.prepared(rules, &self.account.id, now, |prepared| {
            decide(rules, &self.account, &prepared, now)
        });
        let (reply, entry, delay_ms) = match decision {
            Decision::Answered { reply, entry } => (reply, entry, 0),
            Decision::Unauthenticated(refused) => (refused.reply, None, 0),
            Decision::Delayed {
                verification,
                delay_ms,
                entry,
            } => {
                self.account.apply(entry);
                let finished = finish(rules, &self.account, spec.environment, verification, now);
                let (reply, entry) = finished.expect("it was delayed just now");
                (reply, Some(entry), delay_ms)
            }
            Decision::InFlight { .. } => {
                unreachable!("every call is finished before the next is made")
            }
        };
        let steps = steps(entry.as_ref());
        if let Some(entry) = entry {
            self.account.apply(entry);
        }
        let envelope = read(&reply.body);
        let id = envelope.get("verificationId").and_then(Json::as_text);
        let verification = id.and_then(VerificationId::parse);
        let verifications = &self.account.environment(spec.environment).verifications;
        let record = verification.and_then(|id| verifications.get(id));
        Observed {
            status: reply.status,
            body: reply.body,
            envelope,
            because: record.map_or(Because::Refused, |record| record.because.clone()),
            delay_ms,
            wire: reply.wire,
            replay: reply.replay,
            unknown_members: record
                .and_then(|record| record.request.as_ref())
                .map_or_else(Vec::new, |request| request.unknown_members.clone()),
            steps,
            verification,
            environment: spec.environment,
        }
    }

    /// The result of a call that was pending, once the clock is moved on by so much, or to when the
    /// result is due. None where it is still to come then.
    pub fn result(&mut self, first: &Observed, after_ms: Option<u64>) -> Option<Observed> {
        let verification = first.verification?;
        match after_ms {
            Some(after_ms) => {
                let after = SignedDuration::from_millis(i64::try_from(after_ms).ok()?);
                let to = self.now.saturating_add(after).unwrap_or(Timestamp::MAX);
                self.finish_due(to);
            }
            None => {
                self.finish(first.environment, verification, self.now);
            }
        }
        let state = self.account.environment(first.environment);
        let (record, answer) = state.verifications.answered(verification)?;
        let envelope = read(&answer.envelope);
        let steps = state.verifications.log();
        let steps = steps.filter(|(step, _)| step.bundle == Some(verification));
        let result = Observed {
            steps: steps
                .map(|(step, answer)| ObservedStep::of(step, answer))
                .collect(),
            status: answer.status,
            body: answer.sent(),
            envelope,
            because: record.because.clone(),
            delay_ms: 0,
            wire: None,
            replay: false,
            ..first.clone()
        };
        (!result.is_pending()).then_some(result)
    }

    /// Ends what is due until then, in order, and goes on to then.
    fn finish_due(&mut self, to: Timestamp) {
        while let Some((at, environment, verification)) =
            self.account.first_due().filter(|&(at, ..)| at <= to)
        {
            if self.finish(environment, verification, at).is_none() {
                break;
            }
        }
        self.now = to;
    }

    /// Ends a verification that is not ended yet.
    fn finish(
        &mut self,
        environment: Environment,
        id: VerificationId,
        at: Timestamp,
    ) -> Option<()> {
        let (_, entry) = finish(self.rules, &self.account, environment, id, at)?;
        self.account.apply(entry);
        Some(())
    }
}

impl CallSpec<'_> {
    /// The same as a request to this path, with the body as it is printed.
    fn request<'q>(&'q self, path: &'q str, body: &'q str) -> RequestSpec<'q> {
        RequestSpec {
            environment: self.environment,
            key: self.key,
            method: "POST",
            path,
            query: "",
            content_type: Some("application/json"),
            content_encoding: None,
            idempotency_key: self.idempotency_key,
            reference_id: self.reference_id,
            headers: self.headers,
            body: body.as_bytes(),
        }
    }
}

impl RequestSpec<'_> {
    /// What the engine makes of it, as a client on this machine sends it for this account.
    fn prepared<T>(
        &self,
        rules: &Rules,
        account: &str,
        now: Timestamp,
        use_it: impl FnOnce(Prepared<'_>) -> T,
    ) -> T {
        let authorization = format!("Bearer {}", self.key);
        let call = Call {
            environment: self.environment,
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            method: self.method,
            path: self.path,
            query: self.query,
            headers: Headers {
                authorization: header(Some(&authorization)),
                content_type: header(self.content_type),
                content_encoding: header(self.content_encoding),
                idempotency_key: header(self.idempotency_key),
                reference_id: header(self.reference_id),
                all: (*self.headers != MoreHeaders::default()).then_some(self.headers as _),
            },
            body: Body::Whole(self.body),
        };
        use_it(prepare(
            rules,
            account,
            Credential { key: self.key },
            &call,
            now,
        ))
    }
}

fn header(text: Option<&str>) -> Header<'_> {
    text.map_or(Header::Absent, |text| Header::One(text.as_bytes()))
}

fn read(body: &[u8]) -> Json<'static> {
    let envelope = Json::parse(body).expect("an envelope is JSON");
    envelope.into_owned()
}
