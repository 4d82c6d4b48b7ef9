//! The guard: allows a call when its highest price is reserved on disk, settles it by its answer,
//! and stops the run when the budget is used up or the service charges what it must not.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::json::Json;

use super::bill::{Bill, StatedCharge};
use super::journal::{Journal, JournalError};
use super::ledger::{Ledger, LedgerEntry, OverBudget, ReservationId};
use super::plan::SpendPlan;
use super::price::{Price, PricedCall};
use super::settled::SettledFinding;
use super::spending::Spending;
use super::wallet::WalletWatch;
use crate::capture::{Response, TransportError};

/// Why no further call is sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The budget does not cover the next call.
    #[error("{0}")]
    Budget(OverBudget),
    /// Calls that were under way together cost more than was known: nothing was left to be left out.
    #[error(
        "{spent} INR were spent of a budget of {budget} INR, since calls cost more than was known"
    )]
    Overspent {
        /// What was spent.
        spent: Paise,
        /// What was to be spent at most.
        budget: Paise,
    },
    /// The service charged what it must not.
    #[error(
        "{what}: the {environment} service says {stated}; the call can cost {most} INR at most"
    )]
    Charged {
        /// The call.
        what: String,
        /// Where it was sent.
        environment: Environment,
        /// What its answer says.
        stated: String,
        /// What it can cost at most.
        most: Paise,
    },
    /// What is spent can no longer be written down.
    #[error("the journal of what is spent cannot be written: {0}")]
    Journal(String),
}

/// Says of every call whether it may be sent. Shared by all that send; never held across a wait.
#[derive(Debug)]
pub struct SpendGuard {
    state: Mutex<GuardState>,
}

#[derive(Debug)]
struct GuardState {
    limit: SpendLimit,
    plan: SpendPlan,
    stop: Option<Stop>,
    /// The first planned case that what was left did not cover any more.
    short: Option<OverBudget>,
    /// What calls cost of which nobody said it beforehand, by path: the most that was seen.
    learnt: BTreeMap<String, Paise>,
    wallet: WalletWatch,
    /// What the answers say was charged, of those that say it plainly.
    stated: Paise,
}

#[derive(Debug)]
enum SpendLimit {
    /// A simulator's money: any amount.
    Unlimited,
    /// Nothing that can cost anything is sent.
    FreeOnly,
    /// A budget.
    Budget(Ledger, Journal),
}

/// Leave to send one call, once.
#[derive(Debug)]
#[must_use = "a call that is not settled counts as spent"]
pub struct Permit {
    call: PricedCall,
    most: Paise,
    number: Option<ReservationId>,
}

impl SpendGuard {
    /// For simulators, whose money is nobody's.
    #[must_use]
    pub fn unlimited() -> Self {
        SpendGuard::with(SpendLimit::Unlimited)
    }

    /// Lets only calls out that cost nothing.
    #[must_use]
    pub fn free_only() -> Self {
        SpendGuard::with(SpendLimit::FreeOnly)
    }

    /// Lets calls out as long as a budget covers them.
    #[must_use]
    pub fn budget(ledger: Ledger, journal: Journal) -> Self {
        SpendGuard::with(SpendLimit::Budget(ledger, journal))
    }

    fn with(limit: SpendLimit) -> Self {
        let state = GuardState {
            limit,
            plan: SpendPlan::default(),
            stop: None,
            short: None,
            learnt: BTreeMap::new(),
            wallet: WalletWatch::default(),
            stated: Paise::ZERO,
        };
        SpendGuard {
            state: Mutex::new(state),
        }
    }

    /// The same, keeping to a plan.
    #[must_use]
    pub fn planned(self, plan: SpendPlan) -> Self {
        self.state().plan = plan;
        self
    }

    fn state(&self) -> MutexGuard<'_, GuardState> {
        let state = self.state.lock();
        state.expect("nothing panics while it is held")
    }

    /// Whether a case may be begun, by what its calls can cost.
    ///
    /// # Errors
    /// Why not: then the run goes on without it.
    pub fn allows(&self, check: &str, case: &str, calls: &[PricedCall]) -> Result<(), String> {
        let mut state = self.state();
        if let Some(why) = state.plan.why_not(check, case) {
            return Err(why);
        }
        state.plan.begin(check, case);
        let dearest = calls.iter().map(PricedCall::most).max().unwrap_or_default();
        let most = calls.iter().map(|call| state.most(call)).sum();
        match &state.limit {
            SpendLimit::FreeOnly if dearest > Paise::ZERO => Err(format!(
                "it has a call that can cost {dearest} INR, and the budget is 0: see --budget-inr"
            )),
            SpendLimit::Budget(ledger, _) if most > ledger.left() => {
                let (left, budget) = (ledger.left(), ledger.budget());
                let short = OverBudget { most, left, budget };
                state.short = state.short.or(Some(short));
                Err(format!(
                    "left out: {short}; its calls were planned, and others cost more than was known"
                ))
            }
            _ => Ok(()),
        }
    }

    /// What was found of a case, where a budget was spent on it before the run was broken off.
    #[must_use]
    pub fn settled(&self, check: &str, case: &str) -> Option<Vec<SettledFinding>> {
        match &self.state().limit {
            SpendLimit::Budget(ledger, _) => ledger.settled(check, case).map(<[_]>::to_vec),
            SpendLimit::Unlimited | SpendLimit::FreeOnly => None,
        }
    }

    /// Whether there is a budget, and so a journal.
    #[must_use]
    pub fn has_budget(&self) -> bool {
        matches!(self.state().limit, SpendLimit::Budget(..))
    }

    /// Whether calls that can cost so much in all may be sent besides what the run is to send.
    #[must_use]
    pub fn covers(&self, most: Paise) -> bool {
        let state = self.state();
        let covered = match &state.limit {
            SpendLimit::Unlimited => true,
            SpendLimit::FreeOnly => most == Paise::ZERO,
            SpendLimit::Budget(..) if most == Paise::ZERO => true,
            SpendLimit::Budget(ledger, _) => {
                let free = ledger.left().checked_sub(state.plan.waiting());
                free.is_some_and(|free| most <= free)
            }
        };
        covered && state.stop.is_none()
    }

    /// What the wallet fell by and no answer owns up to, as far as it counts as spent.
    #[must_use]
    pub fn unexplained(&self) -> Paise {
        match &self.state().limit {
            SpendLimit::Budget(ledger, _) => ledger.unexplained(),
            SpendLimit::Unlimited | SpendLimit::FreeOnly => Paise::ZERO,
        }
    }

    /// Why the run did not send all that was planned, or cost more than it was to, where that is so.
    #[must_use]
    pub fn shortened(&self) -> Option<Stop> {
        let state = self.state();
        let stop = state.stop.clone().or(state.short.map(Stop::Budget));
        stop.or_else(|| match &state.limit {
            SpendLimit::Budget(ledger, _) => {
                let (spent, budget) = (ledger.counted(), ledger.budget());
                (spent > budget).then_some(Stop::Overspent { spent, budget })
            }
            SpendLimit::Unlimited | SpendLimit::FreeOnly => None,
        })
    }

    /// Why the run must stop, where it must.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.state().stop.clone()
    }

    /// What was spent, for reports, where there is a budget.
    #[must_use]
    pub fn spending(&self) -> Option<Spending> {
        let state = self.state();
        let SpendLimit::Budget(ledger, _) = &state.limit else {
            return None;
        };
        Some(Spending {
            budget: ledger.budget(),
            spent: ledger.spent(),
            unknown: ledger.reserved(),
            stated: state.stated,
        })
    }

    /// What was spent and what is reserved, where there is a budget.
    #[must_use]
    pub fn sums(&self) -> Option<Ledger> {
        match &self.state().limit {
            SpendLimit::Budget(ledger, _) => Some(ledger.clone()),
            SpendLimit::Unlimited | SpendLimit::FreeOnly => None,
        }
    }

    /// Leave to send a call: after this its price is reserved, on disk. One step for all that send.
    ///
    /// # Errors
    /// Why it must not be sent; no call is let out after that.
    pub fn admit(&self, call: PricedCall) -> Result<Permit, Stop> {
        let mut state = self.state();
        if let Some(stop) = &state.stop {
            return Err(stop.clone());
        }
        let most = state.most(&call);
        let admitted = match &mut state.limit {
            _ if most == Paise::ZERO => Ok(None),
            SpendLimit::Unlimited => Ok(None),
            SpendLimit::FreeOnly => Err(Stop::Budget(OverBudget {
                most,
                left: Paise::ZERO,
                budget: Paise::ZERO,
            })),
            SpendLimit::Budget(ledger, journal) => {
                reserve(ledger, journal, most, &call.what).map(Some)
            }
        };
        match admitted {
            Ok(number) => Ok(Permit { call, most, number }),
            Err(stop) => {
                state.stop = Some(stop.clone());
                Err(stop)
            }
        }
    }

    /// Takes in what came of a call.
    pub fn settle(&self, permit: Permit, answer: &Result<Response, TransportError>) {
        let bill = Bill::of(answer).in_rupees(listed(&permit.call));
        let over = overcharge(&permit.call, answer);
        let mut state = self.state();
        state.learn(&permit.call, &bill);
        if permit.number.is_some() {
            let stated = bill.amount().unwrap_or_default();
            state.stated = Paise(state.stated.0.saturating_add(stated.0));
        }
        let GuardState { limit, wallet, .. } = &mut *state;
        let noted = match limit {
            SpendLimit::Budget(ledger, journal) => {
                let noted = note(ledger, journal, &permit, answer, &bill);
                noted.and_then(|()| watch(ledger, journal, wallet, &permit.call, answer, &bill))
            }
            SpendLimit::Unlimited | SpendLimit::FreeOnly => Ok(()),
        };
        let trouble = noted.err().map(|error| Stop::Journal(error.to_string()));
        // An overcharge is the reason to report, also where the disk is full.
        if !matches!(state.stop, Some(Stop::Charged { .. })) {
            state.stop = over.or(state.stop.take()).or(trouble);
        }
    }

    /// Writes down that all of a case was answered. Not waited for: what a crash forgets is sent again.
    pub fn done(&self, check: &str, case: &str, findings: Vec<SettledFinding>) {
        let mut state = self.state();
        let SpendLimit::Budget(ledger, journal) = &mut state.limit else {
            return;
        };
        let (check, case) = (check.to_owned(), case.to_owned());
        let entry = [LedgerEntry::Done {
            check,
            case,
            findings,
        }];
        ledger.apply(&entry[0]);
        let written = journal.append(&entry);
        let trouble = written.err().map(|error| Stop::Journal(error.to_string()));
        state.stop = state.stop.take().or(trouble);
    }

    /// Writes down that the run came to its own end.
    ///
    /// # Errors
    /// Where that cannot be written: a later run will ask for `--resume`.
    pub fn end(&self) -> Result<(), JournalError> {
        match &mut self.state().limit {
            SpendLimit::Budget(ledger, journal) => {
                ledger.apply(&LedgerEntry::Ended);
                journal.append(&[LedgerEntry::Ended])?;
                journal.sync()
            }
            SpendLimit::Unlimited | SpendLimit::FreeOnly => Ok(()),
        }
    }
}

impl GuardState {
    /// What a call can cost at most by all that is known by now.
    fn most(&self, call: &PricedCall) -> Paise {
        let most = match call.price {
            Price::Presumed(most) => {
                let learnt = self.learnt.get(&call.path);
                learnt.map_or(most, |learnt| most.max(*learnt))
            }
            Price::Free | Price::Listed(_) | Price::AtMost(_) => call.most(),
        };
        // A service that was seen to take more than it says may do so again.
        let silent = matches!(&self.limit, SpendLimit::Budget(ledger, _) if ledger.unexplained() > Paise::ZERO);
        match most > Paise::ZERO && silent {
            true => Paise(most.0 + call.executed.0),
            false => most,
        }
    }

    /// A call that costs more than anybody said costs that from now on.
    fn learn(&mut self, call: &PricedCall, bill: &Bill) {
        let amount = bill.amount().unwrap_or_default();
        if matches!(call.price, Price::Presumed(most) if amount > most) {
            let learnt = self.learnt.entry(call.path.clone()).or_default();
            *learnt = amount.max(*learnt);
        }
    }
}

/// What a list says that a call costs; nothing where none does.
fn listed(call: &PricedCall) -> Paise {
    match call.price {
        Price::Listed(price) => price,
        Price::Free | Price::AtMost(_) | Price::Presumed(_) => Paise::ZERO,
    }
}

fn reserve(
    ledger: &mut Ledger,
    journal: &mut Journal,
    most: Paise,
    what: &str,
) -> Result<ReservationId, Stop> {
    let (number, entry) = ledger.reserve(most, what).map_err(Stop::Budget)?;
    let stop = |error: JournalError| Stop::Journal(error.to_string());
    let entry = [entry];
    journal.append(&entry).map_err(stop)?;
    journal.sync().map_err(stop)?;
    ledger.apply(&entry[0]);
    Ok(number)
}

/// The overcharge that an answer states, if it does. A looked-up verification repeats the `billing` of
/// the call that made it, which was judged there.
fn overcharge(call: &PricedCall, answer: &Result<Response, TransportError>) -> Option<Stop> {
    let response = answer.as_ref().ok()?;
    let envelope = Json::parse(&response.body).ok()?;
    let stated = StatedCharge::of(&envelope);
    let stored = call.looks_up && call.environment == Environment::Live;
    let over = stated.exceeds(call.environment, call.price) && !stored;
    over.then(|| Stop::Charged {
        what: call.what.clone(),
        environment: call.environment,
        stated: stated.to_string(),
        most: call.most(),
    })
}

/// Notes what a bill says. Not waited for: what a crash forgets of it counts as spent. Only a charge
/// that nothing was reserved for must be on disk.
fn note(
    ledger: &mut Ledger,
    journal: &mut Journal,
    permit: &Permit,
    answer: &Result<Response, TransportError>,
    bill: &Bill,
) -> Result<(), JournalError> {
    let found = matches!(answer, Ok(response) if response.status == 200);
    let amount = bill.amount().unwrap_or_default();
    let entries = match permit.number {
        Some(number) => ledger.settle(number, bill),
        None if permit.call.looks_up && found => ledger.settle_looked_up(bill),
        None if permit.call.looks_up => Vec::new(),
        None if amount > Paise::ZERO => ledger.unforeseen(amount, &permit.call.what),
        None => Vec::new(),
    };
    if entries.is_empty() {
        return Ok(());
    }
    entries.iter().for_each(|entry| ledger.apply(entry));
    journal.append(&entries)?;
    match amount > permit.most {
        true => journal.sync(),
        false => Ok(()),
    }
}

/// Notes what an answer says of the wallet, where that shows more than was counted.
fn watch(
    ledger: &mut Ledger,
    journal: &mut Journal,
    wallet: &mut WalletWatch,
    call: &PricedCall,
    answer: &Result<Response, TransportError>,
    bill: &Bill,
) -> Result<(), JournalError> {
    if call.environment == Environment::Test || call.looks_up || call.elsewhere {
        return Ok(());
    }
    let balance = answer.as_ref().ok().and_then(|response| {
        let envelope = Json::parse(&response.body).ok()?;
        let balance = envelope.get("billing")?.get("walletBalanceAfter")?;
        Paise::from_rupees(balance.as_num()?)
    });
    let refused = match call.most() {
        Paise::ZERO => call.executed,
        _ => Paise::ZERO,
    };
    let Some(entry) = wallet.take(ledger, refused, bill, balance) else {
        return Ok(());
    };
    ledger.apply(&entry);
    journal.append(&[entry])?;
    journal.sync()
}
