//! The call log (ruling 35): what was asked, what came of it, and why.

use std::sync::Arc;

use aho_corasick::AhoCorasick;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::json::Json;

use super::account_dto::PendingDto;
use super::call_story::{self, CallMoneyDto, KeyUseDto, StageDto};
use super::event_dto::{CallStatusDto, status_of};
use super::machine_time::MachineTime;
use super::received_dto::{self, ReceivedRequestDto, presented_key};
use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::values::{
    EnvironmentDto, LimitDto, RupeesDto, TimestampDto, TrueDto, VerificationIdDto, environments,
};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::received::ReceivedRequest;
use crate::engine::state::verification::{Answer, Verification};
use crate::host::Host;
use crate::host::unauthenticated::UnauthenticatedRecord;
use crate::http::curl_line::curl_line;

/// Which calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallsQuery {
    /// Whose calls. All accounts' where it is left out: the newest of each, the account last used first where clocks
    /// stand still; older ones are paged through account by account.
    account: Option<String>,
    /// In the place of an account: the calls that no account could be found for, or whose key does not work.
    unauthenticated: Option<TrueDto>,
    environment: Option<EnvironmentDto>,
    /// The dotted name of an operation or a bundle.
    endpoint: Option<String>,
    status: Option<CallStatusDto>,
    /// The error's code.
    code: Option<String>,
    /// A text in why it got its outcome: the name or the file of a scenario.
    because: Option<String>,
    /// A text in its request (path, query, body) or in its newest envelope; capital letters count as small ones.
    text: Option<String>,
    /// Only calls that came in then or later, by the account's clock.
    since: Option<TimestampDto>,
    /// Only calls that came in before, by the account's clock.
    until: Option<TimestampDto>,
    /// At most so many.
    limit: Option<LimitDto>,
    /// Only calls before the one with this `verificationId`: the last of the page before.
    before: Option<VerificationIdDto>,
}

/// Calls, newest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct CallListDto {
    calls: Vec<CallDto>,
    /// How many are kept, whether or not they are wanted.
    kept: u64,
    /// How many older ones were forgotten to bound memory.
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallDto {
    verification_id: String,
    environment: EnvironmentDto,
    endpoint: String,
    /// When it came in, by the account's clock; of an unauthenticated call by the machine's.
    at: TimestampDto,
    status: CallStatusDto,
    /// The HTTP status of its newest answer.
    http_status: u16,
    /// The HTTP status that its call was answered with as pending, where the result came later: all else is of that result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_http_status: Option<u16>,
    /// What its latest caller saw in the place of the first answer, where a scenario broke it on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_the_wire: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// In INR.
    charged: RupeesDto,
    /// Why it got this outcome.
    because: String,
    /// The request as it came in; left out of the step of a bundle.
    #[serde(
        serialize_with = "received_dto::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<ReceivedRequestDto<'static>>")]
    request: Option<ReceivedRequest>,
    /// The second call of a bundle in two calls, as it came in.
    #[serde(
        serialize_with = "received_dto::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<ReceivedRequestDto<'static>>")]
    second_request: Option<ReceivedRequest>,
    /// Of an unauthenticated call: the key it presented, cut to its prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    presented_key: Option<String>,
    /// Of one call alone, and in a list of all accounts: whose it is. Of an unauthenticated call: whose key it presented, where that is known and
    /// does not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    /// Of one call alone: its newest envelope, as a look-up gives it. Of an unauthenticated call: its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    envelope: Option<Json<'static>>,
    /// Of one call alone: the stages it walked, where its record says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<StageDto>,
    /// Of one call alone whose result is still to come: when, or what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<PendingDto>,
    /// Of one live call alone: what was put aside for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    money: Option<CallMoneyDto>,
    /// Of one call alone: the idempotency keys it brought, and who else did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keys: Vec<KeyUseDto>,
    /// Of the step of a bundle: the `verificationId` of the bundle, which has the price of all its steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle: Option<String>,
    /// Of one bundle alone: its steps, of a bundle that failed, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<BundleStepDto>,
    /// Of one call alone whose request is known whole: the same as a line for a shell that has the key in `SVC_API_KEY`.
    #[serde(skip_serializing_if = "Option::is_none")]
    curl: Option<String>,
}

/// A step of a bundle, which is a call of its own.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BundleStepDto {
    verification_id: String,
    endpoint: String,
    status: CallStatusDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// The steps of a bundle that ran, in order.
fn steps(state: &EnvironmentState, bundle: &Verification) -> Vec<BundleStepDto> {
    if !bundle.is_bundle() {
        return Vec::new();
    }
    let log = state.verifications.log();
    let own = log.filter(|(call, _)| call.bundle == Some(bundle.id));
    let steps = own.map(|(call, answer)| {
        let (status, code) = status_of(answer.state);
        BundleStepDto {
            verification_id: call.id.to_string(),
            endpoint: call.endpoint.to_string(),
            status,
            code,
        }
    });
    steps.collect()
}

impl CallDto {
    fn of(call: &Verification, answer: &Answer, environment: Environment) -> Self {
        let (status, code) = status_of(answer.state);
        CallDto {
            verification_id: call.id.to_string(),
            environment: EnvironmentDto(environment),
            endpoint: call.endpoint.to_string(),
            at: TimestampDto(call.created_at),
            status,
            http_status: answer.status,
            pending_http_status: call.pending_status,
            on_the_wire: call.wire.map(|fault| fault.to_string()),
            code,
            charged: RupeesDto(call.charged),
            because: call.because.to_string(),
            request: call.request.clone(),
            second_request: call.second_request.as_deref().cloned(),
            presented_key: None,
            account: None,
            envelope: None,
            stages: Vec::new(),
            pending: None,
            money: None,
            keys: Vec::new(),
            bundle: call.bundle.map(|id| id.to_string()),
            steps: Vec::new(),
            curl: None,
        }
    }

    fn unauthenticated(record: &UnauthenticatedRecord) -> Option<Self> {
        let call = &*record.verification;
        let answer = call.answer.as_ref()?;
        Some(CallDto {
            at: TimestampDto(record.at),
            presented_key: call.request.as_ref().and_then(presented_key),
            account: record.account.as_ref().map(ToString::to_string),
            envelope: Some(envelope_of(answer)),
            ..CallDto::of(call, answer, record.environment)
        })
    }
}

fn envelope_of(answer: &Answer) -> Json<'static> {
    let envelope = Json::parse(&answer.envelope).expect("an envelope is JSON");
    envelope.into_owned()
}

pub(super) async fn list(
    request: ControlRequest<NoBody, CallsQuery>,
) -> ControlResult<CallListDto> {
    let query = &request.query;
    match (&query.account, query.unauthenticated) {
        (Some(account), None) => {
            let (cell, query) = (request.account_of(account)?, request.query);
            // Ten thousand are looked through for a text: too long for a task that others wait behind.
            let page = tokio::task::spawn_blocking(move || {
                let wanted = Wanted::of(&query);
                cell.read(|account| query.page(account, &wanted))
            });
            page.await.map_err(|_| ControlError::internal())?
        }
        (None, Some(TrueDto::True)) => query.unauthenticated(&request.api.host),
        (Some(_), Some(_)) => Err(ControlError::invalid_input(
            "unauthenticated: these calls are no account's; leave `account` out",
        )),
        (None, None) => {
            // Every account is looked at: too long for a task that others wait behind.
            let (host, query) = (Arc::clone(&request.api.host), request.query);
            let all = tokio::task::spawn_blocking(move || query.of_all(&host));
            all.await.map_err(|_| ControlError::internal())?
        }
    }
}

impl CallsQuery {
    fn page(&self, account: &Account, wanted: &Wanted<'_>) -> ControlResult<CallListDto> {
        let environments = environments(self.environment);
        let mut found: Vec<(Environment, &Verification, &Answer)> = Vec::new();
        for &environment in &environments {
            let log = account.environment(environment).verifications.log();
            found.extend(log.map(|(call, answer)| (environment, call, answer)));
        }
        let kept = found.len() as u64;
        // Those of one instant stay in the order in which they came, the sandbox's before live ones.
        found.sort_by_key(|(_, call, _)| call.created_at);
        found.reverse();
        let from = match self.before {
            None => 0,
            Some(VerificationIdDto(before)) => {
                let place = found.iter().position(|(_, call, _)| call.id == before);
                let unknown = "before: the account has no such call; it may have been forgotten";
                place.ok_or_else(|| ControlError::invalid_input(unknown))? + 1
            }
        };
        let found = found.into_iter().skip(from);
        let found = found.filter(|(_, call, answer)| wanted.includes(call, answer));
        let calls = found.map(|(environment, call, answer)| CallDto::of(call, answer, environment));
        let calls = calls.take(self.limit.unwrap_or_default().0);
        let evicted = environments
            .iter()
            .map(|it| account.environment(*it).verifications.evicted().calls);
        Ok(CallListDto {
            calls: calls.collect(),
            kept,
            forgotten: evicted.sum(),
        })
    }

    /// The newest calls of all accounts. Their clocks differ: one is as old as it would be by a clock that runs, and no
    /// newer than the last use of its account.
    fn of_all(&self, host: &Host) -> ControlResult<CallListDto> {
        if self.before.is_some() {
            let message =
                "before: needs an `account`; the newest calls of all accounts are one list";
            return Err(ControlError::invalid_input(message));
        }
        let (machine, wanted) = (host.now(), Wanted::of(self));
        let mut all = Vec::new();
        let (mut kept, mut forgotten) = (0, 0);
        for cell in host.directory().all() {
            let time = MachineTime::of(&cell, machine);
            let page = cell.read(|account| self.page(account, &wanted));
            let page = page?;
            kept += page.kept;
            forgotten += page.forgotten;
            all.extend(page.calls.into_iter().map(|mut call| {
                call.account = Some(cell.id().to_string());
                (time.when(call.at.0), call)
            }));
        }
        // Those of one account stay in their order.
        all.sort_by_key(|(came, _)| std::cmp::Reverse(*came));
        all.truncate(self.limit.unwrap_or_default().0);
        Ok(CallListDto {
            calls: all.into_iter().map(|(_, call)| call).collect(),
            kept,
            forgotten,
        })
    }
}

impl CallsQuery {
    fn unauthenticated(&self, host: &Host) -> ControlResult<CallListDto> {
        if self.before.is_some() {
            let message = "before: the ids of unauthenticated calls may recur; all that are kept fit in one list";
            return Err(ControlError::invalid_input(message));
        }
        let (kept, wanted) = (host.unauthenticated_calls(), Wanted::of(self));
        let environments = environments(self.environment);
        let calls = kept.calls.iter().rev();
        let calls = calls.filter(|call| environments.contains(&call.environment));
        let calls = calls.filter(|call| {
            let answer = call.verification.answer.as_ref();
            answer.is_some_and(|answer| wanted.includes(&call.verification, answer))
        });
        let calls = calls.filter_map(|call| CallDto::unauthenticated(call));
        Ok(CallListDto {
            calls: calls.take(self.limit.unwrap_or_default().0).collect(),
            kept: kept.calls.len() as u64,
            forgotten: kept.forgotten,
        })
    }
}

/// The calls that a query asks for.
struct Wanted<'q> {
    query: &'q CallsQuery,
    because: Option<Sought>,
    text: Option<Sought>,
}

impl<'q> Wanted<'q> {
    fn of(query: &'q CallsQuery) -> Self {
        Wanted {
            query,
            because: query.because.as_deref().map(Sought::new),
            text: query.text.as_deref().map(Sought::new),
        }
    }

    fn includes(&self, call: &Verification, answer: &Answer) -> bool {
        let (status, code) = status_of(answer.state);
        let query = self.query;
        let endpoint = query.endpoint.as_deref();
        let because = |it: &Sought| it.is_in(call.because.to_string().as_bytes());
        endpoint.is_none_or(|endpoint| *call.endpoint == *endpoint)
            && query.status.is_none_or(|wanted| wanted == status)
            && (query.code.is_none() || query.code == code)
            && query
                .since
                .is_none_or(|TimestampDto(since)| call.created_at >= since)
            && query
                .until
                .is_none_or(|TimestampDto(until)| call.created_at < until)
            && self.because.as_ref().is_none_or(because)
            && self
                .text
                .as_ref()
                .is_none_or(|text| says(call, answer, text))
    }
}

/// Whether a request or its answer says this.
fn says(call: &Verification, answer: &Answer, text: &Sought) -> bool {
    let asked = call.requests().any(|request| {
        text.is_in(request.path().as_bytes())
            || request
                .query()
                .is_some_and(|query| text.is_in(query.as_bytes()))
            || request.kept_body().is_some_and(|body| text.is_in(body))
    });
    asked || text.is_in(&answer.envelope)
}

/// A text that is sought, in capital letters or small ones. An account's log is tens of megabytes: every account's lock
/// is held as long as its log is looked through.
struct Sought(AhoCorasick);

impl Sought {
    fn new(text: &str) -> Self {
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build([text]);
        Sought(built.expect("one text of a query is no automaton that is too large"))
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.is_match(bytes)
    }
}

pub(super) async fn one(request: ControlRequest) -> ControlResult<CallDto> {
    let unknown = || {
        let message = "no account knows this verification; GET /control/calls?account= lists calls";
        ControlError::new(ControlErrorCode::VerificationNotFound, message)
    };
    let id = VerificationId::parse(&request.id).ok_or_else(unknown)?;
    let host = &request.api.host;
    let (cell, environment) = host.directory().find(id).ok_or_else(unknown)?;
    let rules = host.rules();
    let base = rules.addresses.of(environment).base();
    cell.read(|account| {
        let state = account.environment(environment);
        let (call, answer) = state.verifications.answered(id).ok_or_else(unknown)?;
        let request = call.request.as_ref();
        Ok(CallDto {
            account: Some(account.id.to_string()),
            envelope: Some(envelope_of(answer)),
            stages: call_story::stages(&rules.contract, call, environment),
            pending: call.is_open().then(|| PendingDto::of(call)),
            money: call_story::money(state, call),
            keys: call_story::keys(host, account, environment, call),
            steps: steps(state, call),
            curl: request.and_then(|request| curl_line(request, base)),
            ..CallDto::of(call, answer, environment)
        })
    })
}
