//! The live wallet of an account, with what happened to it: what stands on its page.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;

use super::account_dto::{BalanceDto, PendingDto};
use super::request::NoBody;
use super::route::{ControlRequest, ControlResult};
use super::values::{LimitDto, RupeesDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::verifications::Verifications;
use crate::engine::state::wallet_history::{Line, MovementKind};

/// How much of its history.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WalletQuery {
    /// At most so many movements; a call that is held and charged at once is one of them, and makes two entries.
    limit: Option<LimitDto>,
}

/// A wallet and its history.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WalletHistoryDto {
    #[serde(flatten)]
    balance: BalanceDto,
    topped_up: RupeesDto,
    /// What is put aside now.
    holds: Vec<HoldDto>,
    /// What happened, newest first.
    entries: Vec<WalletEntryDto>,
    /// How many older movements were forgotten to bound memory.
    forgotten: u64,
}

/// A price that is put aside for a call that has not ended.
#[derive(Serialize, JsonSchema)]
struct HoldDto {
    amount: RupeesDto,
    /// When the call came in.
    since: TimestampDto,
    #[serde(flatten)]
    call: PendingDto,
}

/// What happened to the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum WalletEntryKindDto {
    /// It was put in.
    TopUp,
    /// It was taken out by hand.
    Withdrawal,
    /// It was put aside.
    Hold,
    /// What was put aside was taken for good.
    Commit,
    /// What was put aside was given back.
    Release,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WalletEntryDto {
    at: TimestampDto,
    kind: WalletEntryKindDto,
    amount: RupeesDto,
    /// The call that it was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_id: Option<String>,
    /// What was called, as long as the call is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    /// What was in the wallet after it.
    balance: RupeesDto,
    /// What of it was put aside.
    held: RupeesDto,
}

pub(super) async fn show(
    request: ControlRequest<NoBody, WalletQuery>,
) -> ControlResult<WalletHistoryDto> {
    let cell = request.account()?;
    let limit = request.query.limit.unwrap_or_default().0;
    Ok(cell.read(|account| {
        let state = account.environment(Environment::Live);
        let held = state.verifications.open().filter_map(|it| {
            Some(HoldDto {
                amount: RupeesDto(it.hold?),
                since: TimestampDto(it.created_at),
                call: PendingDto::of(it),
            })
        });
        let lines = state.wallet_history.lines(&state.wallet);
        let entries = lines.take(limit);
        let entries = entries.flat_map(|line| entries_of(&line, &state.verifications));
        WalletHistoryDto {
            balance: BalanceDto::of(&state.wallet),
            topped_up: RupeesDto(state.wallet.topped_up()),
            holds: held.collect(),
            entries: entries.collect(),
            forgotten: state.wallet_history.evicted(),
        }
    }))
}

/// What a movement was, newest first.
fn entries_of(line: &Line, verifications: &Verifications) -> Vec<WalletEntryDto> {
    let id = line.movement.verification;
    let endpoint = id.and_then(|id| verifications.get(id));
    let entry = |at: Timestamp, kind, amount: Paise, balance: Paise, held: Paise| WalletEntryDto {
        at: TimestampDto(at),
        kind,
        amount: RupeesDto(amount),
        verification_id: id.map(|id| id.to_string()),
        endpoint: endpoint.map(|it| it.endpoint.to_string()),
        balance: RupeesDto(balance),
        held: RupeesDto(held),
    };
    let (at, after) = (line.movement.at, (line.balance, line.held));
    let one = |kind, amount| vec![entry(at, kind, amount, after.0, after.1)];
    let settled = |amount, charged: Paise| match charged > Paise::ZERO {
        true => one(WalletEntryKindDto::Commit, charged),
        false => one(WalletEntryKindDto::Release, amount),
    };
    match line.movement.kind {
        MovementKind::ToppedUp { amount } if amount.0 < 0 => {
            one(WalletEntryKindDto::Withdrawal, Paise(-amount.0))
        }
        MovementKind::ToppedUp { amount } => one(WalletEntryKindDto::TopUp, amount),
        MovementKind::Held { amount } => one(WalletEntryKindDto::Hold, amount),
        MovementKind::Settled { amount, charged } => settled(amount, charged),
        MovementKind::HeldAndSettled { amount, charged } => {
            let mut both = settled(amount, charged);
            let before = (Paise(after.0.0 + charged.0), Paise(after.1.0 + amount.0));
            both.push(entry(
                at,
                WalletEntryKindDto::Hold,
                amount,
                before.0,
                before.1,
            ));
            both
        }
    }
}
