//! The call log: what was asked, what came of it, and why.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::ErrorCode;
use svc_fixtures::json::Json;

use super::Control;
use super::body::Nothing;
use super::happened::{Standing, standing};
use super::query::{NoQuery, Query};
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get};
use super::values::{Id, In, Inr, Limit, Shown, When, meant};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::{Answer, Verification};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/control/calls",
            "calls.list",
            "The calls of an account, newest first",
        )
        .by(list)
        .refusing(&[Code::AccountNotFound]),
        get(
            "/control/calls/{verificationId}",
            "calls.get",
            "One call with its newest envelope",
        )
        .by(one)
        .refusing(&[Code::VerificationNotFound]),
    ]
}

/// Which calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallsQuery {
    account: String,
    environment: Option<In>,
    /// The dotted name of an operation or a bundle.
    endpoint: Option<String>,
    status: Option<Standing>,
    /// At most so many.
    limit: Option<Limit>,
    /// Only calls before the one with this `verificationId`: the last of the page before.
    before: Option<Id>,
}

impl Query for CallsQuery {}

/// Calls, newest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlCalls", deny_unknown_fields)]
struct Calls {
    calls: Vec<CallRow>,
    /// How many older ones were forgotten to bound memory.
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlCall", deny_unknown_fields)]
struct CallRow {
    verification_id: Shown<VerificationId>,
    environment: In,
    endpoint: String,
    /// When it came in, by the account's clock.
    at: When,
    status: Standing,
    /// The HTTP status of its newest answer.
    http_status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Shown<ErrorCode>>,
    /// In INR.
    charged: Inr,
    /// Why it got this outcome.
    because: String,
    /// Of one call alone: whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    /// Of one call alone: its newest envelope, as a look-up gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    envelope: Option<Json<'static>>,
}

impl CallRow {
    fn of(call: &Verification, answer: &Answer, environment: Environment) -> Self {
        let (status, code) = standing(answer.state);
        CallRow {
            verification_id: Shown(call.id),
            environment: environment.into(),
            endpoint: call.endpoint.to_string(),
            at: When(call.created_at),
            status,
            http_status: answer.status,
            code,
            charged: Inr(call.charged),
            because: call.because.to_string(),
            account: None,
            envelope: None,
        }
    }
}

async fn list(control: Arc<Control>, asked: Asked<Nothing, CallsQuery>) -> Result<Calls, Refusal> {
    let query = asked.query;
    let cell = control.account(&query.account)?;
    cell.read(|account| query.page(account))
}

impl CallsQuery {
    fn page(&self, account: &Account) -> Result<Calls, Refusal> {
        let environments = meant(self.environment);
        let mut found: Vec<(Environment, &Verification, &Answer)> = Vec::new();
        for &environment in &environments {
            let log = account.environment(environment).verifications.log();
            found.extend(log.map(|(call, answer)| (environment, call, answer)));
        }
        // Those of one instant stay in the order in which they came, the sandbox's before live ones.
        found.sort_by_key(|(_, call, _)| call.created_at);
        found.reverse();
        let from = match self.before {
            None => 0,
            Some(Id(before)) => {
                let place = found.iter().position(|(_, call, _)| call.id == before);
                let unknown = "before: the account has no such call; it may have been forgotten";
                place.ok_or_else(|| Refusal::new(Code::InvalidInput, unknown))? + 1
            }
        };
        let wanted = |(_, call, answer): &&(Environment, &Verification, &Answer)| {
            let endpoint = self.endpoint.as_deref();
            let status = standing(answer.state).0;
            endpoint.is_none_or(|endpoint| *call.endpoint == *endpoint)
                && self.status.is_none_or(|wanted| wanted == status)
        };
        let page = found[from..].iter().filter(wanted);
        let page = page.take(self.limit.unwrap_or_default().0);
        let evicted = environments
            .iter()
            .map(|it| account.environment(*it).verifications.evicted().calls);
        Ok(Calls {
            calls: page
                .map(|(environment, call, answer)| CallRow::of(call, answer, *environment))
                .collect(),
            forgotten: evicted.sum(),
        })
    }
}

async fn one(control: Arc<Control>, asked: Asked<Nothing, NoQuery>) -> Result<CallRow, Refusal> {
    let unknown = || {
        let message = "no account knows this verification; GET /control/calls?account= lists calls";
        Refusal::new(Code::VerificationNotFound, message)
    };
    let id = VerificationId::parse(&asked.part).ok_or_else(unknown)?;
    let (cell, environment) = control.host.find(id).ok_or_else(unknown)?;
    cell.read(|account| {
        let verifications = &account.environment(environment).verifications;
        let (call, answer) = verifications.answered(id).ok_or_else(unknown)?;
        let envelope = Json::parse(&answer.envelope).expect("an envelope is JSON");
        Ok(CallRow {
            account: Some(account.id.to_string()),
            envelope: Some(envelope.into_owned()),
            ..CallRow::of(call, answer, environment)
        })
    })
}
