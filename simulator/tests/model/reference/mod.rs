//! The reference: one account as the specification and nothing else describes it. It shares no code
//! with the engine but the rows of the contract.

pub(crate) mod call;
pub(crate) mod delivery;
pub(crate) mod door;
pub(crate) mod fate;
mod life;
pub(crate) mod side;

pub(crate) use call::{Asks, Call, Plan};
pub(crate) use life::{Happened, ids, status_of};

use bytes::Bytes;
use svc_fixtures::contract::{ErrorCode, FlowKey};

use crate::catalogue::{Catalogue, Mark, Of, Template};
use crate::instruct;
use door::{Clock, Door};
use fate::{Drawn, Due, Fate};
use side::{Claim, Flow, Given, Phase, Record, Side, Verification};

/// What is in the live wallet when the account is opened, in paise.
pub(crate) const OPENING: i64 = 150_000;

/// The account.
#[derive(Clone)]
pub(crate) struct Model<'c> {
    pub(crate) catalogue: &'c Catalogue,
    pub(crate) clock: Clock,
    pub(crate) door: Door,
    pub(crate) sides: [Side; 2],
    pub(crate) receiver: u16,
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
        let side = |live: bool| Side {
            live,
            topped_up: if live { OPENING } else { 0 },
            ..Side::default()
        };
        Model {
            catalogue,
            clock: Clock::new(machine),
            door: Door::new(account),
            sides: [side(false), side(true)],
            receiver: 200,
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
            generation: self.generation + 1,
            ..fresh
        };
    }

    /// What must come of a call now: the checks in the contract's order.
    pub(crate) fn plan(&self, call: &Call<'c>) -> Plan {
        let (now, catalogue) = (self.clock.now(), self.catalogue);
        let side = &self.sides[call.env];
        let passed = self
            .door
            .pass(call.key.as_deref(), call.env, call.outside, now);
        let key = match passed {
            Ok(key) => key,
            Err((code, retry_after)) => return refused(catalogue, code, retry_after, None),
        };
        let refuse = |code| refused(catalogue, code, None, Some(key));
        let (template, carried) = match &call.asks {
            Asks::Run { template, carried } => (*template, carried.as_str()),
            Asks::Report => return Plan::Report { key },
            Asks::LookUp(id) => {
                let it = |record: &Record| record.id.as_ref() == Some(id);
                return match side.records.iter().position(it) {
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
        let claim = call.idempotency.as_ref();
        if let Some(claim) = claim.and_then(|claim| side.claim(claim, now)) {
            return match &side.claims[claim] {
                other if other.body != call.same() => refuse(ErrorCode::IdempotencyConflict),
                Claim {
                    answer: None,
                    verification,
                    ..
                } => Plan::Waits {
                    on: *verification,
                    key,
                },
                _ => Plan::Replay { claim, key },
            };
        }
        let resumes = match self.resumed(call, template, carried) {
            Ok(resumes) => resumes,
            Err(code) => return refuse(code),
        };
        let price = if resumes.is_some() { 0 } else { template.price };
        if side.live && side.balance() - side.held() < price {
            return refuse(ErrorCode::InsufficientBalance);
        }
        let carried = (carried, call.carried_mark());
        let decided = |sequence: &fate::Sequence| {
            let counted = side.sequences.iter();
            counted.filter(|known| *known == sequence).count()
        };
        Plan::Runs {
            drawn: fate::draw(catalogue, template, carried, call.reference, now, decided),
            hold: if side.live { price } else { 0 },
            resumes,
            key,
        }
    }

    /// The answer that a call gets which waited for this verification, where it is there. It was let
    /// in already, whatever became of keys and limits meanwhile.
    pub(crate) fn waited(&self, call: &Call<'c>, on: usize) -> Option<&Given> {
        let claims = self.sides[call.env].claims.iter();
        let mut own = claims.filter(|claim| {
            claim.verification == on && Some(&claim.key) == call.idempotency.as_ref()
        });
        own.next_back()?.answer.as_ref()
    }

    /// The bundle that a call goes on with, or why a carried identifier leads nowhere.
    fn resumed(
        &self,
        call: &Call<'c>,
        template: &Template,
        carried: &str,
    ) -> Result<Option<usize>, ErrorCode> {
        let contract = &self.catalogue.contract;
        let Some((flow, at)) = template.step else {
            return Ok(None);
        };
        let row = &contract.flows[flow];
        let step = &row.steps[at];
        if step.takes.is_none() {
            return Ok(None);
        }
        let operation = &contract.operations[template.runs[0].operation];
        let asked = instruct::instruct(call.reference, operation);
        let fixed = match call.carried_mark() {
            Mark::Sentinel => true,
            Mark::Status(_) => asked.is_none(),
            Mark::None => false,
        };
        if fixed {
            return Ok(None);
        }
        let side = &self.sides[call.env];
        let begun = |known: &&Flow| known.flow == flow && known.keys.iter().any(|k| k == carried);
        let Some(begun) = side.flows.iter().rev().find(begun) else {
            return Err(match step.unknown_is_not_found {
                true => ErrorCode::NotFound,
                false => ErrorCode::InvalidInput,
            });
        };
        // A value that forces an error is no first call's.
        let forced = match template.runs[0].mark {
            Mark::Sentinel => true,
            Mark::Status(_) => asked.is_none(),
            Mark::None => false,
        };
        let says =
            |name: &String| life::member(&call.body(), name) == life::member(&begun.said, name);
        let sent = |name: &&String| life::member(&call.body(), name).is_some();
        if !forced && !step.same.iter().filter(sent).all(says) {
            return Err(ErrorCode::InvalidInput);
        }
        if let Some(after) = &step.after {
            let after = contract.operations.iter().position(|row| row.id == *after);
            if !begun.done.contains(&after.expect("an operation")) {
                return Err(ErrorCode::InvalidInput);
            }
        }
        if !template.ends_two_calls {
            return Ok(None);
        }
        let waits =
            |bundle: &usize| side.verifications[*bundle].phase == Phase::Pending(Due::SecondCall);
        let open = begun.bundle.filter(waits);
        open.map(Some).ok_or(ErrorCode::InvalidInput)
    }

    /// A call begins: what is held, claimed and counted from here on.
    pub(crate) fn begin(&mut self, call: &Call<'c>, plan: (Drawn, i64, Option<usize>)) -> usize {
        let (drawn, hold, resumes) = plan;
        let Asks::Run { template, .. } = &call.asks else {
            panic!("only what runs begins")
        };
        let (now, contract) = (self.clock.now(), &self.catalogue.contract);
        let side = &mut self.sides[call.env];
        let at = match resumes {
            Some(at) => {
                let it = &mut side.verifications[at];
                it.ran.extend(drawn.ran);
                it.second_to_come = false;
                it.resumed = true;
                it.copies |= drawn.copies;
                it.lags |= drawn.lags;
                it.phase = Phase::HeldBack;
                at
            }
            None => {
                let endpoint = match template.of {
                    Of::Operation(row) => contract.operations[row].id.clone(),
                    Of::Bundle(row) => format!("bundles.{}", contract.bundles[row].slug),
                };
                side.verifications.push(Verification {
                    of: template.of,
                    endpoint,
                    phase: Phase::HeldBack,
                    hold,
                    charge: 0,
                    second_to_come: template.opens_two_calls,
                    resumed: false,
                    copies: drawn.copies,
                    lags: drawn.lags,
                    ran: drawn.ran,
                    record: None,
                });
                side.verifications.len() - 1
            }
        };
        side.sequences.extend(drawn.sequences);
        side.asked.push(call.content());
        if let Some(key) = &call.idempotency {
            side.claims.push(Claim {
                key: key.clone(),
                body: call.same(),
                at: now,
                verification: at,
                answer: None,
            });
        }
        at
    }

    /// How often just this was asked before.
    pub(crate) fn asked(&self, call: &Call<'c>) -> usize {
        let content = call.content();
        let asked = self.sides[call.env].asked.iter();
        asked.filter(|known| **known == content).count()
    }

    /// Its answer is kept under its key, and it begins or goes on with its flow.
    pub(crate) fn answered(&mut self, call: &Call<'c>, at: usize, given: &Given, id: &str) {
        let side = &mut self.sides[call.env];
        let claims = side.claims.iter_mut();
        let mut own = claims.filter(|claim| {
            claim.verification == at && Some(&claim.key) == call.idempotency.as_ref()
        });
        if let Some(claim) = own.next_back() {
            claim.answer = Some(given.clone());
        }
        let record = side.verifications[at]
            .record
            .expect("it is in the call log");
        side.records[record].id = Some(id.to_owned());
        side.records[record].body = Some(given.body.clone());
        let ids = life::ids(&given.body);
        let steps = side.verifications[at].ran.iter();
        let steps: Vec<_> = steps.filter_map(|ran| ran.record).collect();
        if ids.len() == steps.len() + 1 {
            for (record, id) in steps.into_iter().zip(&ids[1..]) {
                side.records[record].id = Some(id.clone());
            }
        }
        self.flow(call, at, given, id);
    }

    fn flow(&mut self, call: &Call<'c>, at: usize, given: &Given, id: &str) {
        let Asks::Run { template, carried } = &call.asks else {
            return;
        };
        let contract = &self.catalogue.contract;
        let side = &mut self.sides[call.env];
        let it = &side.verifications[at];
        let place = match template.opens_two_calls {
            true => contract.flows.iter().position(|flow| {
                flow.steps[0].operation == contract.operations[it.ran[0].operation].id
                    && !flow.advisory
            }),
            false => None,
        };
        let place = place.map(|flow| (flow, 0));
        let Some((flow, step)) = template.step.filter(|_| !template.ends_two_calls).or(place)
        else {
            return;
        };
        let ran = &it.ran[0];
        if ran.fate != Fate::Completed || !ran.otp_is_right {
            return;
        }
        let row = &contract.flows[flow].steps[step];
        let Some(issues) = &row.issues else {
            let begun = |known: &&mut Flow| known.flow == flow && known.keys.contains(carried);
            if let Some(begun) = side.flows.iter_mut().rev().find(begun) {
                begun.done.push(ran.operation);
            }
            return;
        };
        let keys = match issues {
            FlowKey::Member(name) => {
                let text = std::str::from_utf8(&given.body).expect("JSON is text");
                let data = text.split_once("\"data\":").expect("a result has data").1;
                vec![life::member(data, name).expect("it issues this").to_owned()]
            }
            FlowKey::Verification => {
                let keys = [Some(id), call.reference].into_iter().flatten();
                keys.map(str::to_owned).collect()
            }
        };
        side.flows.push(Flow {
            flow,
            keys,
            said: call.body(),
            done: vec![ran.operation],
            bundle: template.opens_two_calls.then_some(at),
        });
    }

    /// A refusal or a report stands in the call log, too.
    pub(crate) fn refused(
        &mut self,
        call: &Call<'c>,
        status: u16,
        state: Fate,
        seen: (&str, Bytes),
    ) {
        let counts = match &call.asks {
            Asks::Run { template, .. } => match template.of {
                Of::Operation(at) if template.counts => {
                    Some(self.catalogue.contract.operations[at].id.clone())
                }
                _ => None,
            },
            Asks::LookUp(_) | Asks::Report => None,
        };
        let side = &mut self.sides[call.env];
        side.asked.push(call.content());
        side.records.push(Record {
            id: Some(seen.0.to_owned()),
            status,
            state: state.clone(),
            charged: 0,
            balance: 0,
            body: Some(seen.1),
        });
        if let Some(endpoint) = counts {
            side.count(&endpoint, 1, Some(&state), 0);
        }
    }
}
