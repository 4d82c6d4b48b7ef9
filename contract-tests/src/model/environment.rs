//! An account in one environment: everything that ever happened there. Its money and what its keys mean are
//! counted anew from that each time somebody asks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use svc_fixtures::contract::{Contract, ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::call::{Call, Endpoint, Part, Plan, Refusal, Start};
use super::flow::{self, Began, OpenFlow};
use super::outcome::{CallOutcome, Due, ExecutedStep};
use super::verification::{Claim, Phase, Record, Verification};
use crate::plan::{UsageFigures, UsageRow};

/// For how long an idempotency key stands for what was executed under it, in milliseconds.
pub const CLAIM_MS: i64 = 24 * 60 * 60 * 1000;

/// An account in one environment.
#[derive(Debug, Clone)]
pub struct EnvironmentState<'c> {
    contract: &'c Contract,
    /// Whether calls cost anything.
    pub live: bool,
    /// All that was ever put into the wallet.
    pub topped_up: Paise,
    /// The calls that were executed.
    pub verifications: Vec<Verification>,
    /// The uses of idempotency keys.
    pub claims: Vec<Claim>,
    /// The flows that were begun.
    pub flows: Vec<OpenFlow>,
    /// The call log.
    pub records: Vec<Record>,
    /// The usage, by endpoint.
    pub usage: BTreeMap<String, UsageFigures>,
}

impl<'c> EnvironmentState<'c> {
    /// One in which nothing happened.
    #[must_use]
    pub fn new(contract: &'c Contract, live: bool, topped_up: Paise) -> Self {
        EnvironmentState {
            contract,
            live,
            topped_up,
            verifications: Vec::new(),
            claims: Vec::new(),
            flows: Vec::new(),
            records: Vec::new(),
            usage: BTreeMap::new(),
        }
    }

    /// All that was charged.
    #[must_use]
    pub fn charged(&self) -> Paise {
        self.verifications.iter().map(|it| it.charge).sum()
    }

    /// What is left in the wallet.
    #[must_use]
    pub fn balance(&self) -> Paise {
        Paise(self.topped_up.0 - self.charged().0)
    }

    /// What is held for calls that have not ended.
    #[must_use]
    pub fn held(&self) -> Paise {
        let open = self.verifications.iter();
        let open = open.filter(|it| it.phase != Phase::Ended);
        open.map(|it| it.hold).sum()
    }

    /// The sum of the usage.
    #[must_use]
    pub fn usage_totals(&self) -> UsageFigures {
        let mut totals = UsageFigures::default();
        self.usage.values().for_each(|figures| totals.add(figures));
        totals
    }

    /// The line of the call log that has this id.
    #[must_use]
    pub fn record(&self, id: &str) -> Option<usize> {
        let mut records = self.records.iter();
        records.position(|record| record.id.as_deref() == Some(id))
    }

    /// What must come of a call now: the checks in the contract's order.
    #[must_use]
    pub fn plan(&self, call: &Call, now: i64) -> Plan {
        if let Some(claim) = call.key.as_ref().and_then(|key| self.claim(key, now)) {
            return match claim.answer {
                _ if claim.content != call.content => {
                    Plan::Refused(Refusal::of(ErrorCode::IdempotencyConflict))
                }
                Some(answer) => Plan::Replay(answer),
                None => Plan::Waits(claim.verification),
            };
        }
        let resumes = match self.resumed(call, now) {
            Ok(resumes) => resumes,
            Err(refusal) => return Plan::Refused(refusal),
        };
        let price = match resumes {
            Some(_) => Paise::ZERO,
            None => call.price,
        };
        if self.live && self.balance().0 - self.held().0 < price.0 {
            return Plan::Refused(Refusal::of(ErrorCode::InsufficientBalance));
        }
        let hold = if self.live { price } else { Paise::ZERO };
        Plan::Runs(Start { hold, resumes })
    }

    /// What a key stands for now: the latest use of it, for a day and for as long as that is open.
    fn claim(&self, key: &str, now: i64) -> Option<&Claim> {
        let latest = self.claims.iter().rfind(|claim| claim.key == key)?;
        let open = self.verifications[latest.verification].phase != Phase::Ended;
        (open || now - latest.at < CLAIM_MS).then_some(latest)
    }

    /// The bundle that a call is the second one of, or why its carried identifier leads nowhere.
    fn resumed(&self, call: &Call, now: i64) -> Result<Option<usize>, Refusal> {
        let open = flow::goes_on(self.contract, &self.flows, call, now)?;
        let Some(open) = open.filter(|_| call.part == Part::Second) else {
            return Ok(None);
        };
        let waits = |&at: &usize| {
            let bundle = &self.verifications[at];
            bundle.endpoint == call.endpoint && bundle.phase == Phase::Pending(Due::SecondCall)
        };
        let bundle = open.bundle.filter(waits);
        bundle.map(Some).ok_or_else(Refusal::input)
    }

    /// A call is executed: these steps, with a hold or as the second call of a bundle. Its answer is still to
    /// be given.
    pub fn begin(
        &mut self,
        call: &Call,
        start: Start,
        steps: Vec<ExecutedStep>,
        now: i64,
    ) -> usize {
        let at = start.resumes.unwrap_or(self.verifications.len());
        match self.verifications.get_mut(at) {
            Some(bundle) => {
                bundle.steps.extend(steps);
                bundle.awaits_second_call = false;
                bundle.phase = Phase::Delayed;
            }
            None => self.verifications.push(Verification {
                endpoint: call.endpoint,
                at: now,
                phase: Phase::Delayed,
                hold: start.hold,
                charge: Paise::ZERO,
                steps,
                awaits_second_call: call.part == Part::First,
                record: None,
            }),
        }
        if let Some(key) = &call.key {
            self.claims.push(Claim {
                key: key.clone(),
                content: call.content.clone(),
                at: now,
                verification: at,
                answer: None,
            });
        }
        at
    }

    /// The first answer to a call, or that to its second one: the result, or that there is none yet. Charges
    /// what is conclusive; what has its result holds nothing any more.
    pub fn conclude(&mut self, at: usize) -> CallOutcome {
        let verification = &mut self.verifications[at];
        let outcome = verification.outcome();
        verification.phase = match outcome {
            CallOutcome::Pending(due, _) => Phase::Pending(due),
            _ => Phase::Ended,
        };
        self.book(at, &outcome);
        outcome
    }

    /// The result of a call that was answered as pending.
    pub fn end(&mut self, at: usize) {
        let verification = &mut self.verifications[at];
        for step in &mut verification.steps {
            step.outcome = step.outcome.finally().clone();
            step.waits = false;
        }
        verification.awaits_second_call = false;
        self.conclude(at);
    }

    /// Says in the wallet, the call log and the usage how far a verification is, and each step of a bundle.
    fn book(&mut self, at: usize, outcome: &CallOutcome) {
        let mut verification = self.verifications[at].clone();
        let is_bundle = matches!(verification.endpoint, Endpoint::Bundle(_));
        let billed = match is_bundle {
            true => *outcome == CallOutcome::Completed,
            false => outcome.is_conclusive(),
        };
        let contract = self.contract;
        let price = |step: &ExecutedStep| match billed && self.live {
            true => contract.operations[step.operation].price,
            false => Paise::ZERO,
        };
        let charges: Vec<Paise> = verification.steps.iter().map(price).collect();
        let charge = charges.iter().copied().sum();
        verification.charge = charge;
        self.verifications[at].charge = charge;
        let mut balance = Paise(self.balance().0 + charge.0);
        if is_bundle {
            // Each step says what was left after it.
            let steps = verification.steps.iter_mut().zip(charges);
            for (step, charge) in steps.filter(|(step, _)| !step.waits) {
                balance.0 -= charge.0;
                let endpoint = Endpoint::Operation(step.operation);
                let record = Record::of(contract, endpoint, &step.outcome, charge, balance);
                let ended = (verification.phase == Phase::Ended).then_some(&step.outcome);
                self.count(endpoint, step.record.is_none(), ended, charge);
                self.log(&mut step.record, record);
            }
        }
        let endpoint = verification.endpoint;
        let record = Record::of(contract, endpoint, outcome, charge, self.balance());
        let ended = (verification.phase == Phase::Ended).then_some(outcome);
        let amount = if is_bundle { Paise::ZERO } else { charge };
        self.count(endpoint, verification.record.is_none(), ended, amount);
        self.log(&mut verification.record, record);
        self.verifications[at] = verification;
    }

    /// Counts a call of an endpoint, where it was not before, and how it ended, where it did.
    fn count(
        &mut self,
        endpoint: Endpoint,
        is_new: bool,
        outcome: Option<&CallOutcome>,
        amount: Paise,
    ) {
        let no_record = outcome == Some(&CallOutcome::Failed(ErrorCode::NoRecordFound));
        let failed = matches!(outcome, Some(CallOutcome::Failed(_))) && !no_record;
        let figures = UsageFigures {
            row: UsageRow {
                calls: i64::from(is_new),
                completed: i64::from(outcome == Some(&CallOutcome::Completed)),
                no_record: i64::from(no_record),
                failed: i64::from(failed),
            },
            billed: i64::from(amount > Paise::ZERO),
            amount,
        };
        let row = self.usage.entry(endpoint.name(self.contract));
        row.or_default().add(&figures);
    }

    /// Puts a line into the call log, in the place of an earlier one with its id.
    fn log(&mut self, place: &mut Option<usize>, record: Record) {
        match place {
            Some(at) => {
                let id = self.records[*at].id.take();
                self.records[*at] = Record { id, ..record };
            }
            None => {
                *place = Some(self.records.len());
                self.records.push(record);
            }
        }
    }

    /// A call that was executed has its answer, of this number: that stands under its key, can be looked up,
    /// and begins its flow or goes on with it.
    pub fn answered(&mut self, call: &Call, at: usize, answer: usize, envelope: Option<&Json<'_>>) {
        let key = call.key.as_ref();
        let own = |claim: &&mut Claim| claim.verification == at && Some(&claim.key) == key;
        if let Some(claim) = self.claims.iter_mut().rfind(own) {
            claim.answer = Some(answer);
        }
        let verification = &self.verifications[at];
        if call.part != Part::Second {
            let began = Began {
                at: verification.at,
                bundle: (call.part == Part::First).then_some(at),
            };
            let step = &verification.steps[0];
            flow::note(self.contract, &mut self.flows, call, step, envelope, began);
        }
        if let Some(own) = verification.record {
            self.records[own].answer = Some(answer);
        }
        let steps = verification.steps.iter().filter_map(|step| step.record);
        let records = verification.record.into_iter().chain(steps);
        for (record, id) in records.zip(envelope.map(ids).unwrap_or_default()) {
            self.records[record].id = Some(id);
        }
    }

    /// A call ended before anything was executed: it stands in the call log, and is counted where it was one
    /// of an operation.
    pub fn refused(&mut self, counted: Option<Endpoint>, record: Record) {
        if let Some(endpoint) = counted {
            self.count(endpoint, true, Some(&record.outcome), Paise::ZERO);
        }
        self.records.push(record);
    }
}

/// The ids of verifications in an envelope, its own first.
fn ids(json: &Json<'_>) -> Vec<String> {
    match json {
        Json::Object(members) => {
            let of = |(name, value): &(Cow<'_, str>, Json<'_>)| match (name.as_ref(), value) {
                ("verificationId", Json::Text(id)) => vec![id.to_string()],
                (_, value) => ids(value),
            };
            members.iter().flat_map(of).collect()
        }
        Json::List(items) => items.iter().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}
