//! The reference: the contract tests' model of an account in both environments, and around it what only this
//! test plays: keys and limits, the clock, what an input asks for, webhooks and resets. It shares no code with
//! the engine but the rows of the contract.

mod audit;
pub(crate) mod call;
pub(crate) mod delivery;
pub(crate) mod door;
mod due;
pub(crate) mod environment;
pub(crate) mod resolve;

pub(crate) use audit::{Access, AccessBy, Audit};
pub(crate) use call::{Asks, Call, Plan};
pub(crate) use due::{BREAKS_OFF, Happened, REFUSED, TIMED_OUT, ids, status_of};

use svc_contract_tests::model::{self, CallOutcome, Record, Start};
use svc_fixtures::contract::ErrorCode;
use svc_fixtures::json::Json;

use crate::catalogue::Catalogue;
use door::{Clock, Door};
use environment::{Environment, Given};
use resolve::Resolved;

/// What is in the live wallet when the account is opened, in paise.
pub(crate) const OPENING: i64 = 150_000;

/// The account.
#[derive(Clone)]
pub(crate) struct Model<'c> {
    pub(crate) catalogue: &'c Catalogue,
    pub(crate) clock: Clock,
    pub(crate) door: Door,
    pub(crate) environments: [Environment<'c>; 2],
    pub(crate) receiver: u16,
    /// Which of the rules that come and go are in force: its own, and that of all accounts.
    pub(crate) in_force: [bool; 2],
    /// How often it was reset.
    pub(crate) generation: u32,
    account: String,
}

fn refused(
    catalogue: &Catalogue,
    code: ErrorCode,
    retry_after: Option<u32>,
    key: Option<usize>,
) -> Plan {
    let status = catalogue.status(code);
    Plan::Refused {
        status,
        code,
        retry_after,
        recorded: status != 401,
        key,
    }
}

impl<'c> Model<'c> {
    pub(crate) fn new(catalogue: &'c Catalogue, account: &str, machine: i64) -> Self {
        let environment = |live: bool| {
            let topped_up = if live { OPENING } else { 0 };
            Environment::new(&catalogue.contract, live, topped_up)
        };
        Model {
            catalogue,
            clock: Clock::new(machine),
            door: Door::new(account),
            environments: [environment(false), environment(true)],
            receiver: 200,
            in_force: [false; 2],
            generation: 0,
            account: account.to_owned(),
        }
    }

    /// Everything is as it was in the beginning; only the clock goes on, and the world around.
    pub(crate) fn reset(&mut self) {
        let fresh = Model::new(self.catalogue, &self.account, self.clock.machine);
        *self = Model {
            clock: self.clock.clone(),
            receiver: self.receiver,
            in_force: [false, self.in_force[1]],
            generation: self.generation + 1,
            ..fresh
        };
    }

    /// It is called so from now on, and has a key of that name for each environment; all else stays.
    pub(crate) fn is_copied_as(&mut self, account: &str) {
        account.clone_into(&mut self.account);
        self.door = Door {
            limit: self.door.limit,
            outside_only: self.door.outside_only,
            ..Door::new(account)
        };
    }

    /// What must come of a call now: the checks in the contract's order.
    pub(crate) fn plan(&self, call: &Call<'c>) -> Plan {
        let (now, catalogue) = (self.clock.now(), self.catalogue);
        let environment = &self.environments[call.env];
        let passed = self
            .door
            .pass(call.key.as_deref(), call.env, call.outside, &self.clock);
        let key = match passed {
            Ok(key) => key,
            Err((code, retry_after)) => return refused(catalogue, code, retry_after, None),
        };
        let refuse = |code| refused(catalogue, code, None, Some(key));
        let (template, carried) = match &call.asks {
            Asks::Run { template, carried } => (*template, carried.as_str()),
            Asks::Report => return Plan::Report { key },
            Asks::LookUp(id) => {
                return match environment.state.record(id) {
                    Some(record) => Plan::LookUp { record, key },
                    None => refuse(ErrorCode::NotFound),
                };
            }
        };
        if let Some((status, code)) = template.refused {
            return Plan::Refused {
                status,
                code,
                retry_after: None,
                recorded: true,
                key: Some(key),
            };
        }
        let in_model = call.in_model(&catalogue.contract);
        let in_model = in_model.expect("it is one that runs");
        let start = match environment.state.plan(&in_model, now) {
            model::Plan::Refused(refusal) => return refuse(refusal.code),
            model::Plan::Replay(answer) => return Plan::Replay { answer, key },
            model::Plan::Waits(on) => return Plan::Waits { on, key },
            model::Plan::Runs(start) => start,
        };
        let carried = (carried, call.carried_mark());
        let given = |sequence: &resolve::Sequence| {
            let given = environment.sequences.iter();
            given.filter(|known| *known == sequence).count()
        };
        Plan::Runs {
            resolved: resolve::resolve(catalogue, template, carried, call.heeded(), now, given),
            start,
            key,
        }
    }

    /// The answer that a call gets which waited for this verification, where it is there. It was let
    /// in already, whatever became of keys and limits meanwhile.
    pub(crate) fn waited(&self, call: &Call<'c>, on: usize) -> Option<&Given> {
        let environment = &self.environments[call.env];
        let mut claims = environment.state.claims.iter();
        let own = claims.rfind(|claim| {
            claim.verification == on && Some(&claim.key) == call.idempotency.as_ref()
        });
        own?.answer.map(|answer| environment.answer(answer))
    }

    /// A call begins: what is held, claimed and counted from here on.
    pub(crate) fn begin(&mut self, call: &Call<'c>, resolved: Resolved, start: Start) -> usize {
        let in_model = call.in_model(&self.catalogue.contract);
        let in_model = in_model.expect("only what runs begins");
        let content = self.content(call);
        let environment = &mut self.environments[call.env];
        environment.asked.push(content);
        environment.sequences.extend(resolved.sequences);
        let (state, now) = (&mut environment.state, self.clock.now());
        let at = state.begin(&in_model, start, resolved.steps, now);
        environment.patch(at, resolved.webhook);
        at
    }

    /// Everything that the id of a call is made from, but for how often it was asked.
    pub(crate) fn content(&self, call: &Call<'c>) -> String {
        format!("{} {}", self.account, call.content())
    }

    /// How often just this was asked before.
    pub(crate) fn asked(&self, call: &Call<'c>) -> usize {
        let content = self.content(call);
        let asked = self.environments[call.env].asked.iter();
        asked.filter(|known| **known == content).count()
    }

    /// Its answer stands under its key, and it begins or goes on with its flow.
    pub(crate) fn answered(&mut self, call: &Call<'c>, at: usize, given: Given) {
        let in_model = call.in_model(&self.catalogue.contract);
        let in_model = in_model.expect("only what runs is answered so");
        let body = given.body.clone();
        let environment = &mut self.environments[call.env];
        let answer = environment.saw(given);
        let envelope = Json::parse(&body).ok();
        let state = &mut environment.state;
        state.answered(&in_model, at, answer, envelope.as_ref());
        let now = self.clock.now();
        let contract = &self.catalogue.contract;
        environment
            .audit
            .answered(state, contract, at, &ids(&body), now);
    }

    /// A refusal or a report stands in the call log, too.
    pub(crate) fn refused(
        &mut self,
        call: &Call<'c>,
        given: Given,
        outcome: CallOutcome,
        id: &str,
    ) {
        let counted = match &call.asks {
            Asks::Run { template, .. } if template.counts => Some(template.endpoint),
            Asks::Run { .. } | Asks::LookUp(_) | Asks::Report => None,
        };
        let content = self.content(call);
        let environment = &mut self.environments[call.env];
        environment.asked.push(content);
        let (id, status) = (Some(id.to_owned()), given.status);
        let record = Record::free(id, status, outcome, environment.saw(given));
        environment.state.refused(counted, record);
    }
}
