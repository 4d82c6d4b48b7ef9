//! Compares all that can be seen of the account, and checks what must hold of every account.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use svc_contract_tests::model::{CallOutcome, Due, Phase};
use svc_contract_tests::plan::{UsageFigures, UsageRow};
use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::access::KeyState as EngineKeyState;
use svc_simulator::engine::state::account::Account;
use svc_simulator::engine::state::delivery::{AttemptOutcome, DeliveryState, Why as EngineWhy};
use svc_simulator::engine::state::environment::EnvironmentState;
use svc_simulator::engine::state::event::{Event, EventKind};
use svc_simulator::engine::state::ids::VerificationId;
use svc_simulator::engine::state::verification::State;
use svc_simulator::engine::state::verification::{Due as EngineDue, Phase as EnginePhase};
use svc_simulator::host::transport::WebhookRequest;

use super::Player;
use super::audit::compare_audit;
use crate::head::{Expected, paise};
use crate::reference::delivery::{Attempt, Delivery, Why};
use crate::reference::door::KeyState;
use crate::reference::environment::Environment as Foreseen;
use crate::reference::{Happened, ids};
use crate::world::{SECRET, instant};

pub(super) const ENVIRONMENTS: [Environment; 2] = [Environment::Test, Environment::Live];
pub(super) const URLS: [&str; 2] = ["http://127.0.0.1:9/test", "http://127.0.0.1:9/live"];

pub(super) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    foreseen: T,
    found: T,
) -> Result<(), String> {
    match foreseen == found {
        true => Ok(()),
        false => Err(format!("{what}: foreseen {foreseen:?}, found {found:?}")),
    }
}

/// What an event means to the reference; nothing where it is about something else.
pub(super) fn happened(event: &Event) -> Option<Happened> {
    let at = event.at.as_millisecond();
    let env = usize::from(event.environment == Environment::Live);
    match &event.kind {
        EventKind::Resulted { verification, .. } => Some(Happened::Ended {
            at,
            env,
            id: verification.to_string(),
        }),
        EventKind::Attempted {
            verification,
            answer,
            ..
        } => Some(Happened::Attempted {
            at,
            env,
            id: verification.to_string(),
            status: match **answer {
                AttemptOutcome::Status(status) => Some(status),
                AttemptOutcome::Nothing(_) => None,
            },
            posted: true,
        }),
        _ => None,
    }
}

impl Player<'_> {
    /// Everything after a step; also what is slow to compare where `all`.
    pub(super) fn compare(&mut self, all: bool) -> Result<(), String> {
        let cell = std::sync::Arc::clone(&self.world.cell);
        cell.read(|account| {
            let now = account.clock.read(instant(self.model.clock.machine));
            same("the clock", instant(self.model.clock.now()), now)?;
            let frozen = account.clock.frozen_at().is_some();
            same(
                "whether it stands",
                self.model.clock.frozen().is_some(),
                frozen,
            )?;
            self.compare_keys(account)?;
            for (env, environment) in ENVIRONMENTS.into_iter().enumerate() {
                let foreseen = &mut self.model.environments[env];
                let compared = compare_environment(foreseen, account.environment(environment), all);
                compared.map_err(|why| format!("{environment}: {why}"))?;
            }
            if all && !self.world.journal.makes(account) {
                return Err("its entries make another account".to_owned());
            }
            Ok(())
        })
    }

    fn compare_keys(&self, account: &Account) -> Result<(), String> {
        let keys = &self.model.door.keys;
        same("how many keys", keys.len(), account.keys.len())?;
        for (key, found) in keys.iter().zip(&account.keys) {
            let state = match key.state {
                KeyState::Works => EngineKeyState::Active,
                KeyState::Revoked => EngineKeyState::Revoked,
                KeyState::Until(end) => EngineKeyState::Rotated {
                    until: instant(end),
                },
            };
            same(
                &key.name,
                (key.name.as_str(), state),
                (found.name(), found.state),
            )?;
        }
        Ok(())
    }

    /// What a report says.
    pub(super) fn check_report(&self, env: usize, body: &[u8]) -> Result<(), String> {
        let state = &self.model.environments[env].state;
        let json = Json::parse(body).map_err(|mistake| mistake.to_string())?;
        let data = json.get("data").ok_or("a report has data")?;
        let money = |row: &Json<'_>, name: &str| {
            let text = row.get(name).map(ToString::to_string);
            text.and_then(|text| paise(&text)).map(Paise)
        };
        let figures = |row: &Json<'_>| {
            let count = |name| row.get(name).and_then(Json::as_int).unwrap_or(-1);
            UsageFigures {
                row: UsageRow {
                    calls: count("calls"),
                    completed: count("completed"),
                    no_record: count("noRecord"),
                    failed: count("failed"),
                },
                billed: count("billed"),
                amount: money(row, "amount").unwrap_or(Paise(-1)),
            }
        };
        let endpoints = data.get("endpoints").and_then(Json::as_list);
        let found = endpoints.unwrap_or_default().iter();
        let name = |json: &Json<'_>| {
            let name = json.get("endpoint").and_then(Json::as_text);
            name.unwrap_or_default().to_owned()
        };
        let found: Vec<_> = found.map(|json| (name(json), figures(json))).collect();
        let foreseen: Vec<_> = state.usage.clone().into_iter().collect();
        same("the rows of a report", foreseen, found)?;
        let totals = data.get("totals").map(figures);
        same("the totals of a report", Some(state.usage_totals()), totals)?;
        let balance = state.live.then(|| state.balance());
        same(
            "the balance of a report",
            balance,
            money(data, "walletBalance"),
        )
    }

    /// What was sent: the newest envelope, signed.
    pub(super) fn check_postings(
        &mut self,
        foreseen: &[Happened],
        postings: &mut [WebhookRequest],
        in_order: bool,
    ) -> Result<(), String> {
        let sent = foreseen.iter().filter_map(|one| match one {
            Happened::Attempted {
                env,
                id,
                posted: true,
                ..
            } => Some((*env, id.clone())),
            _ => None,
        });
        let mut sent: Vec<_> = sent.collect();
        if !in_order {
            sent.sort_by_cached_key(|(env, id)| (URLS[*env], id.clone()));
            postings.sort_by_cached_key(|posting| (posting.url.clone(), ids(&posting.body)));
        }
        same("how many were sent", sent.len(), postings.len())?;
        let at_s = super::changes::real_seconds(self.model.clock.machine);
        for ((env, id), posting) in sent.into_iter().zip(postings.iter()) {
            let found = (posting.url.as_str(), ids(&posting.body).swap_remove(0));
            same("what was sent where", (URLS[env], id.clone()), found)?;
            let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("any length");
            mac.update(format!("{at_s}.").as_bytes());
            mac.update(&posting.body);
            let hex = HEXLOWER.encode(&mac.finalize().into_bytes());
            let signature = Some(format!("t={at_s},v1={hex}"));
            same("the signature", signature, posting.signature.clone())?;
            let environment = &mut self.model.environments[env];
            let record = environment.state.record(&id);
            let record = record.ok_or("what was sent is in no call log")?;
            match environment.body(record) {
                Some(body) => same("what was sent", body, &posting.body)?,
                None => environment.saw_body(record, posting.body.clone()),
            }
        }
        Ok(())
    }
}

impl Happened {
    /// What was posted is compared with what came in, not with the event.
    pub(super) fn forget_posted(&mut self) {
        if let Happened::Attempted { posted, .. } = self {
            *posted = true;
        }
    }
}

fn compare_environment(
    foreseen: &mut Foreseen<'_>,
    found: &EnvironmentState,
    all: bool,
) -> Result<(), String> {
    compare_money(foreseen, found)?;
    compare_open(foreseen, found)?;
    same(
        "how many deliveries",
        foreseen.deliveries.len(),
        found.verifications.deliveries().count(),
    )?;
    for delivery in &foreseen.deliveries {
        compare_delivery(delivery, found, all)?;
    }
    compare_audit(&foreseen.audit, found, all)?;
    let records = foreseen.state.records.len();
    let logged = found.verifications.totals().logged;
    same("how many calls", records, logged)?;
    for record in 0..records {
        if all || foreseen.body(record).is_none() {
            compare_record(foreseen, record, found)?;
        }
    }
    Ok(())
}

fn compare_money(foreseen: &Foreseen<'_>, found: &EnvironmentState) -> Result<(), String> {
    let (state, wallet) = (&foreseen.state, &found.wallet);
    let money = (wallet.topped_up(), wallet.charged(), wallet.held());
    same(
        "put in, charged, held",
        (state.topped_up, state.charged(), state.held()),
        money,
    )?;
    same("the balance", state.balance(), wallet.balance())?;
    // Two ways to each figure: the wallet's own, and what the verifications say.
    let (put_in, charged, held) = (money.0.0, money.1.0, money.2.0);
    let balance = wallet.balance().0;
    same("balance + charged = put in", put_in, balance + charged)?;
    same("0 <= held <= balance", true, 0 <= held && held <= balance)?;
    let holds = found.verifications.open().filter_map(|it| it.hold);
    same(
        "held by the open verifications",
        holds.map(|it| it.0).sum(),
        held,
    )?;
    let totals = found.usage.totals();
    let count = |count: u64| i64::try_from(count).unwrap_or(-1);
    let totals = UsageFigures {
        row: UsageRow {
            calls: count(totals.calls),
            completed: count(totals.completed),
            no_record: count(totals.no_record),
            failed: count(totals.failed),
        },
        billed: count(totals.billed),
        amount: totals.amount,
    };
    same("the usage", state.usage_totals(), totals)?;
    same("what was charged by the usage", charged, totals.amount.0)
}

/// What is put off, by when it is due.
fn compare_open(foreseen: &Foreseen<'_>, found: &EnvironmentState) -> Result<(), String> {
    let verifications = foreseen.state.verifications.iter();
    let delayed = verifications.filter(|it| it.phase == Phase::Delayed);
    same(
        "how many are delayed",
        delayed.count(),
        found.verifications.delayed().count(),
    )?;
    let verifications = foreseen.state.verifications.iter().enumerate();
    let pending = verifications.filter_map(|(at, it)| match it.phase {
        Phase::Pending(due) => Some((foreseen.id(at)?.to_owned(), due)),
        _ => None,
    });
    let mut pending: Vec<_> = pending.collect();
    pending.sort_by(|(a, _), (b, _)| a.cmp(b));
    let found = found.verifications.open().filter_map(|open| {
        let due = match open.phase {
            EnginePhase::Pending { due } => due,
            EnginePhase::Delayed { .. } | EnginePhase::Ended => return None,
        };
        let due = match due {
            EngineDue::At(at) => Due::At(at.as_millisecond()),
            EngineDue::Consent => Due::Consent,
            EngineDue::SecondCall | EngineDue::WithBundle => Due::SecondCall,
        };
        Some((open.id.to_string(), due))
    });
    same("what is pending", pending, found.collect())
}

/// How a delivery stands and its last attempt; all of them where `all`.
fn compare_delivery(
    delivery: &Delivery,
    state: &EnvironmentState,
    all: bool,
) -> Result<(), String> {
    let id = VerificationId::parse(&delivery.verification).expect("an id");
    let found = state
        .verifications
        .delivery(id)
        .ok_or("a delivery is gone")?;
    same(
        "how many attempts",
        delivery.attempts.len(),
        found.attempts.len(),
    )?;
    let pairs = delivery.attempts.iter().zip(&found.attempts);
    for (foreseen, attempt) in pairs.rev().take(if all { usize::MAX } else { 1 }) {
        let attempt = Attempt {
            due: attempt.due.as_millisecond(),
            why: match attempt.why {
                EngineWhy::Schedule => Why::Schedule,
                EngineWhy::Copy => Why::Copy,
                EngineWhy::Hand => Why::Hand,
            },
            status: match attempt.answer {
                AttemptOutcome::Status(status) => Some(status),
                AttemptOutcome::Nothing(_) => None,
            },
        };
        same("an attempt", foreseen, &attempt)?;
    }
    let state = match delivery.next() {
        Some((due, _)) => DeliveryState::Due(instant(due)),
        None if delivery.taken() => DeliveryState::Delivered,
        None => DeliveryState::Dead,
    };
    same("how a delivery stands", state, found.state())
}

/// One line of the call log. An envelope that nobody saw yet is looked at and remembered.
fn compare_record(
    foreseen: &mut Foreseen<'_>,
    at: usize,
    found: &EnvironmentState,
) -> Result<(), String> {
    let record = &foreseen.state.records[at];
    let Some(id) = &record.id else {
        return Ok(());
    };
    let found = VerificationId::parse(id).and_then(|id| found.verifications.answered(id));
    let (found, answer) = found.ok_or_else(|| format!("{id} is not in the call log"))?;
    let state = match record.outcome {
        CallOutcome::Completed => State::Completed,
        CallOutcome::Pending(..) => State::Pending,
        CallOutcome::Failed(code) => State::Failed(code),
    };
    same(id, (record.status, state), (answer.status, answer.state))?;
    same(id, record.charged, found.charged)?;
    if let Some(body) = foreseen.body(at) {
        return same(id, body, &answer.sent());
    }
    let expected = Expected {
        status: record.status,
        state: record.outcome.clone(),
        charge: record.charged.0,
        balance: record.balance.0,
        retry_after: None,
    };
    let head = expected.of_body(&answer.envelope)?;
    same("the id of an envelope", id, &head)?;
    foreseen.saw_body(at, answer.sent());
    Ok(())
}
