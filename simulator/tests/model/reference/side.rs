//! What an account is in one environment: everything that ever happened there. Money, usage and what
//! keys mean are counted anew from that each time somebody asks.

use std::collections::BTreeMap;

use bytes::Bytes;
use svc_fixtures::contract::{Contract, ErrorCode};

use super::delivery::Delivery;
use super::door::DAY_MS;
use super::fate::{Due, Fate, Ran, Sequence, of_bundle};
use crate::catalogue::Of;

/// One environment of an account.
#[derive(Debug, Clone, Default)]
pub(crate) struct Side {
    pub(crate) live: bool,
    pub(crate) topped_up: i64,
    pub(crate) registered: bool,
    pub(crate) verifications: Vec<Verification>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) sequences: Vec<Sequence>,
    pub(crate) deliveries: Vec<Delivery>,
    /// The call log.
    pub(crate) records: Vec<Record>,
    /// What every recorded call asked.
    pub(crate) asked: Vec<String>,
    /// Every line that was added to the usage.
    pub(crate) counted: Vec<(String, Row)>,
    /// Their sum, so that it need not be made after every step.
    pub(crate) totals: Row,
}

/// A call that was executed.
#[derive(Debug, Clone)]
pub(crate) struct Verification {
    pub(crate) of: Of,
    pub(crate) endpoint: String,
    pub(crate) phase: Phase,
    pub(crate) hold: i64,
    pub(crate) charge: i64,
    pub(crate) ran: Vec<Ran>,
    /// Of a bundle in two calls that was begun and has no second call yet.
    pub(crate) second_to_come: bool,
    /// Whether its second call has come.
    pub(crate) resumed: bool,
    pub(crate) copies: bool,
    pub(crate) lags: bool,
    /// Where it stands in the call log, once it does.
    pub(crate) record: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    HeldBack,
    Pending(Due),
    Ended,
}

/// One use of an idempotency key that was executed.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) key: String,
    /// What was asked, but for headers.
    pub(crate) body: String,
    pub(crate) at: i64,
    pub(crate) verification: usize,
    pub(crate) answer: Option<Given>,
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Bytes,
}

/// One line of the call log.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    /// Not known of a failed bundle's steps.
    pub(crate) id: Option<String>,
    pub(crate) status: u16,
    pub(crate) state: Fate,
    pub(crate) charged: i64,
    /// The balance when it was charged.
    pub(crate) balance: i64,
    /// The newest envelope, once it was seen.
    pub(crate) body: Option<Bytes>,
}

/// A flow that was begun.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) flow: usize,
    pub(crate) keys: Vec<String>,
    /// The body of its first call.
    pub(crate) said: String,
    pub(crate) done: Vec<usize>,
    /// The bundle that began it.
    pub(crate) bundle: Option<usize>,
}

/// A line of the usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) calls: u64,
    pub(crate) completed: u64,
    pub(crate) no_record: u64,
    pub(crate) failed: u64,
    pub(crate) billed: u64,
    pub(crate) amount: i64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.calls += other.calls;
        self.completed += other.completed;
        self.no_record += other.no_record;
        self.failed += other.failed;
        self.billed += other.billed;
        self.amount += other.amount;
    }
}

impl Side {
    pub(crate) fn charged(&self) -> i64 {
        self.verifications.iter().map(|it| it.charge).sum()
    }

    pub(crate) fn balance(&self) -> i64 {
        self.topped_up - self.charged()
    }

    pub(crate) fn held(&self) -> i64 {
        let open = |it: &&Verification| it.phase != Phase::Ended;
        self.verifications
            .iter()
            .filter(open)
            .map(|it| it.hold)
            .sum()
    }

    /// The claim that a key stands for now: the latest, for a day and as long as its verification is
    /// pending.
    pub(crate) fn claim(&self, key: &str, now: i64) -> Option<usize> {
        let latest = self.claims.iter().rposition(|claim| claim.key == key)?;
        let claim = &self.claims[latest];
        let open = self.verifications[claim.verification].phase != Phase::Ended;
        (open || now - claim.at < DAY_MS).then_some(latest)
    }

    pub(crate) fn usage(&self) -> BTreeMap<&str, Row> {
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for (endpoint, row) in &self.counted {
            rows.entry(endpoint).or_default().add(row);
        }
        rows
    }

    /// All lines of the usage, added up anew.
    pub(crate) fn added_up(&self) -> Row {
        let mut totals = Row::default();
        self.counted.iter().for_each(|(_, row)| totals.add(row));
        totals
    }

    pub(crate) fn count(&mut self, endpoint: &str, calls: u64, state: Option<&Fate>, amount: i64) {
        let row = Row {
            calls,
            completed: u64::from(state == Some(&Fate::Completed)),
            no_record: u64::from(state == Some(&Fate::Failed(ErrorCode::NoRecordFound))),
            failed: u64::from(
                matches!(state, Some(Fate::Failed(code)) if *code != ErrorCode::NoRecordFound),
            ),
            billed: u64::from(amount > 0),
            amount,
        };
        self.totals.add(&row);
        self.counted.push((endpoint.to_owned(), row));
    }

    /// How a call stands by what its operations came to.
    pub(crate) fn state(&self, at: usize) -> Fate {
        let it = &self.verifications[at];
        match it.of {
            Of::Operation(_) => it.ran[0].fate.clone(),
            Of::Bundle(_) => of_bundle(&it.ran, it.second_to_come),
        }
    }

    /// The first answer of a call, or that of its second: the result, or that there is none yet.
    pub(crate) fn conclude(&mut self, contract: &Contract, at: usize, now: i64) -> Fate {
        let state = self.state(at);
        let (endpoint, resumed) = {
            let it = &self.verifications[at];
            (it.endpoint.clone(), it.resumed)
        };
        let ended = (!matches!(state, Fate::Pending(..))).then_some(&state);
        if !resumed {
            self.record_new(contract, at, &state);
        }
        match (&state, self.verifications[at].of) {
            (Fate::Pending(due, _), of) => {
                self.verifications[at].phase = Phase::Pending(*due);
                self.count(&endpoint, 1, None, 0);
                if let Of::Bundle(_) = of {
                    for ran in 0..self.verifications[at].ran.len() {
                        let operation = self.verifications[at].ran[ran].operation;
                        self.count(&contract.operations[operation].id, 1, None, 0);
                    }
                }
            }
            (_, Of::Operation(_)) => {
                let charge = self.settle(contract, at, &state);
                self.count(&endpoint, 1, ended, charge);
            }
            (_, Of::Bundle(_)) => {
                self.settle(contract, at, &state);
                self.count(&endpoint, u64::from(!resumed), ended, 0);
                let first = if resumed { 1 } else { 0 };
                self.count_steps(contract, at, &state, |step| u64::from(step >= first));
            }
        }
        if resumed && ended.is_some() {
            self.deliver(at, now);
        }
        state
    }

    /// The result of a call that was answered as pending.
    pub(crate) fn end(&mut self, contract: &Contract, at: usize, now: i64) -> Fate {
        for ran in &mut self.verifications[at].ran {
            ran.fate = ran.fate.last().clone();
        }
        self.verifications[at].second_to_come = false;
        let state = self.state(at);
        let endpoint = self.verifications[at].endpoint.clone();
        let charge = self.settle(contract, at, &state);
        match self.verifications[at].of {
            Of::Operation(_) => self.count(&endpoint, 0, Some(&state), charge),
            Of::Bundle(_) => {
                self.count(&endpoint, 0, Some(&state), 0);
                self.count_steps(contract, at, &state, |_| 0);
            }
        }
        self.deliver(at, now);
        state
    }

    fn count_steps(
        &mut self,
        contract: &Contract,
        at: usize,
        state: &Fate,
        calls: impl Fn(usize) -> u64,
    ) {
        for (step, ran) in self.verifications[at].ran.clone().iter().enumerate() {
            let row = &contract.operations[ran.operation];
            let billed = self.live && *state == Fate::Completed;
            let amount = if billed { row.price.0 } else { 0 };
            self.count(&row.id, calls(step), Some(&ran.fate), amount);
        }
    }

    /// Charges what is conclusive; in any case nothing is held any more.
    fn settle(&mut self, contract: &Contract, at: usize, state: &Fate) -> i64 {
        let it = &mut self.verifications[at];
        it.phase = Phase::Ended;
        let prices = it
            .ran
            .iter()
            .map(|ran| contract.operations[ran.operation].price.0);
        let billed = match it.of {
            Of::Operation(_) => state.conclusive(),
            Of::Bundle(_) => *state == Fate::Completed,
        };
        it.charge = if billed && self.live { prices.sum() } else { 0 };
        let charge = it.charge;
        self.record_ended(contract, at, state);
        charge
    }

    fn deliver(&mut self, at: usize, now: i64) {
        if self.registered {
            let it = &self.verifications[at];
            let id = it.record.and_then(|record| self.records[record].id.clone());
            let id = id.expect("a pending call is known");
            self.deliveries
                .push(Delivery::new(id, now, it.copies, it.lags));
        }
    }

    fn record_new(&mut self, contract: &Contract, at: usize, state: &Fate) {
        if let Of::Bundle(_) = self.verifications[at].of {
            self.record_steps(contract, at);
        }
        let record = self.record(contract, self.verifications[at].of, state);
        self.verifications[at].record = Some(record);
    }

    fn record_steps(&mut self, contract: &Contract, at: usize) {
        for step in 0..self.verifications[at].ran.len() {
            let ran = self.verifications[at].ran[step].clone();
            if ran.record.is_none() {
                let of = Of::Operation(ran.operation);
                let record = self.record(contract, of, &ran.fate);
                self.verifications[at].ran[step].record = Some(record);
            }
        }
    }

    fn record(&mut self, contract: &Contract, of: Of, state: &Fate) -> usize {
        self.records.push(Record {
            id: None,
            status: status(contract, of, state),
            state: state.clone(),
            charged: 0,
            balance: 0,
            body: None,
        });
        self.records.len() - 1
    }

    /// Nothing is pending any more: the call log says how it ended and what it cost.
    fn record_ended(&mut self, contract: &Contract, at: usize, state: &Fate) {
        self.record_new_steps(contract, at);
        let (it, balance) = (self.verifications[at].clone(), self.balance());
        let mut set = |record: Option<usize>, of: Of, state: &Fate, money: (i64, i64)| {
            let record = &mut self.records[record.expect("it is in the call log")];
            record.status = status(contract, of, state);
            record.state = state.clone();
            (record.charged, record.balance) = money;
            record.body = None;
        };
        set(it.record, it.of, state, (it.charge, balance));
        if let Of::Bundle(_) = it.of {
            // Each step says what was left after it.
            let mut left = balance + it.charge;
            for ran in &it.ran {
                let billed = it.charge > 0;
                let price = contract.operations[ran.operation].price.0;
                let charged = if billed { price } else { 0 };
                left -= charged;
                set(
                    ran.record,
                    Of::Operation(ran.operation),
                    &ran.fate,
                    (charged, left),
                );
            }
        }
    }

    fn record_new_steps(&mut self, contract: &Contract, at: usize) {
        if let Of::Bundle(_) = self.verifications[at].of {
            self.record_steps(contract, at);
        }
    }
}

/// The HTTP status of an answer in this state.
pub(crate) fn status(contract: &Contract, of: Of, state: &Fate) -> u16 {
    match (state, of) {
        (Fate::Completed, _) | (Fate::Pending(..), Of::Bundle(_)) => 200,
        (Fate::Failed(code), _) => contract.error(*code).status,
        (Fate::Pending(..), Of::Operation(at)) => {
            let pending = contract.operations[at].pending.as_ref();
            pending.expect("it can be pending").status
        }
    }
}
