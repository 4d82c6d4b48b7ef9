//! One modelled account: what its calls come to, what its keys mean, and what can be looked up.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use super::environment::EnvironmentState;
use super::expect::{expect, text};
use super::flows::Flows;
use crate::capture::{Exchange, Request};
use crate::plan::{Ending, Expectation, Rule, Setting};
use crate::property::oracle::{self, Body, ExpectedOutcome, Refusal};

pub(super) const REPLAY: &str = "idempotent-replay";

pub(super) struct Model<'m> {
    pub(super) setting: &'m Setting<'m>,
    pub(super) exchanges: &'m [Exchange],
    pub(super) state: EnvironmentState,
    pub(super) flows: Flows,
    /// Bundles in two calls that wait for their second one.
    pub(super) begun: Vec<OpenBundle>,
    /// By idempotency key: the call, and the step that was executed with it.
    pub(super) claims: BTreeMap<String, (Vec<u8>, usize)>,
    /// By id: the step with its newest answer.
    pub(super) seen: BTreeMap<String, usize>,
}

/// A bundle that waits for its second call.
#[derive(Debug, Clone)]
pub(super) struct OpenBundle {
    pub(super) slug: String,
    /// What the second call carries.
    pub(super) key: String,
    pub(super) verification: String,
    pub(super) held: Paise,
}

/// What an idempotency key means for a call.
pub(super) enum KeyUse {
    Fresh,
    Replay(usize),
    Conflict,
}

/// The answer of an exchange, as far as it is one.
pub(super) fn answer(exchange: &Exchange) -> Option<Json<'_>> {
    Json::parse(&exchange.response.as_ref().ok()?.body).ok()
}

impl Model<'_> {
    pub(super) fn call(&mut self, at: usize, operation: &Operation) -> Vec<Expectation> {
        let contract = self.setting.contract;
        let exchanges = self.exchanges;
        let request = &exchanges[at].request;
        let checked = oracle::body(request).and_then(|body| {
            let refusal = oracle::refusal(contract, operation, &operation.request, &body);
            refusal.map_or(Ok(body), Err)
        });
        let body = match checked {
            Ok(body) => body,
            Err(refusal) => return self.refused(Some(operation), refusal),
        };
        match self.claimed(request, &body) {
            Err(refusal) => return self.refused(Some(operation), refusal),
            Ok(KeyUse::Replay(first)) => return replay(first),
            Ok(KeyUse::Conflict) => return self.refused(Some(operation), conflict()),
            Ok(KeyUse::Fresh) => {}
        }
        let outcome = oracle::outcome(self.setting, operation, &body);
        if let Some(refusal) = self.flows.refusal(self.setting, operation, &body, outcome) {
            return self.refused(Some(operation), refusal);
        }
        if !self.state.covers(operation.price) {
            return self.refused(Some(operation), unpaid());
        }
        self.claim(at, request, &body);
        self.executed(at, operation, &body, outcome)
    }

    /// What comes of a call that got past all checks.
    fn executed(
        &mut self,
        at: usize,
        operation: &Operation,
        body: &Body<'_>,
        outcome: ExpectedOutcome,
    ) -> Vec<Expectation> {
        let clause = match outcome.by {
            Some(_) => "ruling.32-fixed-inputs",
            None => "ruling.31-unnamed-inputs",
        };
        let mut expected = vec![
            expect(clause, Rule::Ends(outcome.ending)),
            expect("ruling.19-replay-bytes", Rule::NoHeader(REPLAY)),
        ];
        let exchanges = self.exchanges;
        let answer = answer(&exchanges[at]);
        if outcome.ending == Ending::Completed {
            let done = self.flows.note(
                self.setting,
                operation,
                body,
                &exchanges[at].request,
                answer.as_ref(),
            );
            expected.extend(done);
        }
        let ends = outcome.ending;
        let conclusive = matches!(
            ends,
            Ending::Completed | Ending::Error(ErrorCode::NoRecordFound)
        );
        let charge = match conclusive && self.state.live {
            true => operation.price,
            false => Paise::ZERO,
        };
        if ends == Ending::Pending {
            self.state.hold(operation.price);
        }
        self.state.count(&operation.id, 1, Some(ends), charge);
        expected.extend(self.state.charge(charge));
        expected
    }

    /// A call that is refused: nothing was executed, nothing is stored, nothing costs anything.
    /// Refused calls of an operation are counted among its failed ones.
    pub(super) fn refused(
        &mut self,
        operation: Option<&Operation>,
        refusal: Refusal,
    ) -> Vec<Expectation> {
        let ends = Ending::Error(refusal.code);
        if let Some(operation) = operation {
            self.state.count(&operation.id, 1, Some(ends), Paise::ZERO);
        }
        let clause = &self.setting.contract.error(refusal.code).clause;
        let named = refusal
            .names
            .map(|name| expect("ruling.06-message", Rule::Mentions(name)));
        [
            expect(clause, Rule::Ends(ends)),
            expect("ruling.19-replay-bytes", Rule::NoHeader(REPLAY)),
        ]
        .into_iter()
        .chain(named)
        .collect()
    }

    pub(super) fn claimed(&self, request: &Request, body: &Body<'_>) -> Result<KeyUse, Refusal> {
        let Some(key) = request.header("idempotency-key") else {
            return Ok(KeyUse::Fresh);
        };
        if !(1..=255).contains(&key.len()) {
            return Err(Refusal::input());
        }
        Ok(match self.claims.get(key) {
            None => KeyUse::Fresh,
            Some((call, first)) if *call == call_of(request, body) => KeyUse::Replay(*first),
            Some(_) => KeyUse::Conflict,
        })
    }

    pub(super) fn claim(&mut self, at: usize, request: &Request, body: &Body<'_>) {
        if let Some(key) = request.header("idempotency-key") {
            let call = call_of(request, body);
            self.claims.insert(key.to_owned(), (call, at));
        }
    }

    pub(super) fn looked_up(&self, id: &str) -> Vec<Expectation> {
        let clause = "ruling.27-verification-lookup";
        let Some(&first) = self.seen.get(id) else {
            let none = Ending::Error(ErrorCode::NotFound);
            return vec![expect(clause, Rule::Ends(none))];
        };
        let answer = answer(&self.exchanges[first]);
        let code = text(answer.as_ref(), &["error", "code"]);
        let ending = match (code.and_then(|code| ErrorCode::parse(&code)), &answer) {
            (Some(code), _) => Some(Ending::Refused(200, code)),
            (None, answer) => match text(answer.as_ref(), &["status"]).as_deref() {
                Some("completed") => Some(Ending::Completed),
                Some("pending") => Some(Ending::Pending),
                _ => None,
            },
        };
        let ends = ending.map(|ending| expect(clause, Rule::Ends(ending)));
        let same = expect(clause, Rule::SameBytes(first));
        [same].into_iter().chain(ends).collect()
    }

    pub(super) fn usage(&mut self, at: usize) -> Vec<Expectation> {
        let answer = answer(&self.exchanges[at]);
        let completed = expect("usage.endpoint", Rule::Ends(Ending::Completed));
        let data = answer.as_ref().and_then(|answer| answer.get("data"));
        let known = self.state.reported(data);
        [completed].into_iter().chain(known).collect()
    }
}

pub(super) fn replay(first: usize) -> Vec<Expectation> {
    vec![
        expect("idempotency.replay", Rule::SameEnding(first)),
        expect("idempotency.replay", Rule::SameResult(first)),
        expect("ruling.19-replay-bytes", Rule::SameBytes(first)),
        expect("ruling.19-replay-bytes", Rule::Header(REPLAY, Some("true"))),
    ]
}

pub(super) fn conflict() -> Refusal {
    Refusal {
        code: ErrorCode::IdempotencyConflict,
        names: None,
    }
}

pub(super) fn unpaid() -> Refusal {
    Refusal {
        code: ErrorCode::InsufficientBalance,
        names: None,
    }
}

/// What makes two calls the same: the operation and the JSON value.
fn call_of(request: &Request, body: &Body<'_>) -> Vec<u8> {
    let mut call = request.path.clone().into_bytes();
    call.push(0);
    Json::Object(body.clone()).canonical(&mut |bytes| call.extend_from_slice(bytes));
    call
}
