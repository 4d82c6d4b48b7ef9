//! What the record of one call tells beside its answer: the stages it walked, its money, its idempotency keys and who else
//! used them. Made from what was recorded alone: of what the record does not say nothing is said.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use svc_fixtures::contract::{Contract, Paise};

use super::event_dto::status_of;
use super::values::{RupeesDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::received::ReceivedRequest;
use crate::engine::state::stage::Stage;
use crate::engine::state::verification::Verification;
use crate::engine::state::wallet_history::MovementKind;
use crate::host::Host;
use crate::scenario::Because;

/// A stage of a call.
#[derive(Serialize, JsonSchema)]
pub(super) struct StageDto {
    stage: StageNameDto,
    state: StageStateDto,
}

/// The stages, in the order in which a call walks them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum StageNameDto {
    Authenticate,
    Allowlist,
    RateLimit,
    Prepare,
    Claim,
    Room,
    Flow,
    Hold,
    Resolve,
    Settle,
}

impl From<Stage> for StageNameDto {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Authenticate => StageNameDto::Authenticate,
            Stage::Allowlist => StageNameDto::Allowlist,
            Stage::RateLimit => StageNameDto::RateLimit,
            Stage::Prepare => StageNameDto::Prepare,
            Stage::Claim => StageNameDto::Claim,
            Stage::Room => StageNameDto::Room,
            Stage::Flow => StageNameDto::Flow,
            Stage::Hold => StageNameDto::Hold,
            Stage::Resolve => StageNameDto::Resolve,
            Stage::Settle => StageNameDto::Settle,
        }
    }
}

/// What became of a call at a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum StageStateDto {
    /// It went on.
    Passed,
    /// There was nothing to do for it.
    Skipped,
    /// It ended here, refused.
    Refused,
    /// Its result is still to come.
    Waiting,
    /// It ended before.
    NotReached,
}

/// What was put aside for a call, and what became of it.
#[derive(Serialize, JsonSchema)]
pub(super) struct CallMoneyDto {
    held: RupeesDto,
    /// What of it was taken for good. Left out while it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    charged: Option<RupeesDto>,
    /// What of it was given back. Left out while it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    released: Option<RupeesDto>,
}

/// An idempotency key that a call brought.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyUseDto {
    key: String,
    /// When this call claimed it; left out where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_at: Option<TimestampDto>,
    /// From when on it may be used anew, if this call has ended by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_until: Option<TimestampDto>,
    /// When this call's answer was given again: the newest that this replica gave since its start.
    replays: Vec<ReplayDto>,
    /// The other calls that brought the key, newest first, as far as they are kept.
    others: Vec<OtherUseDto>,
}

#[derive(Serialize, JsonSchema)]
struct ReplayDto {
    /// By the account's clock.
    at: TimestampDto,
    caller: String,
}

/// Another call with the same key.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OtherUseDto {
    verification_id: String,
    endpoint: String,
    at: TimestampDto,
    http_status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// The stages that a call walked. None of the step of a bundle, which walks none, and of one whose record is older than
/// the note of what refused it.
pub(super) fn stages(
    contract: &Contract,
    call: &Verification,
    environment: Environment,
) -> Vec<StageDto> {
    let refused_at = match (&call.because, call.refused_at) {
        (Because::Refused, None) => return Vec::new(),
        (_, at) => at,
    };
    if call.bundle.is_some() {
        return Vec::new();
    }
    let all = Stage::ALL.into_iter().map(|stage| StageDto {
        stage: stage.into(),
        state: match refused_at {
            Some(at) if stage == at => StageStateDto::Refused,
            Some(at) if stage > at => StageStateDto::NotReached,
            _ => walked(contract, call, environment, stage),
        },
    });
    all.collect()
}

/// What became at a stage of a call that went on there.
fn walked(
    contract: &Contract,
    call: &Verification,
    environment: Environment,
    stage: Stage,
) -> StageStateDto {
    let of_account = call.because == Because::Account;
    let later_step = || {
        let step = contract.step_of(&call.endpoint);
        step.is_some_and(|(_, at)| at > 0)
    };
    let brought_key = || keys_of(call).next().is_some();
    let done = match stage {
        Stage::Authenticate | Stage::Allowlist | Stage::RateLimit | Stage::Prepare => true,
        Stage::Settle if call.is_open() => return StageStateDto::Waiting,
        Stage::Settle => true,
        _ if of_account => false,
        Stage::Claim => brought_key(),
        Stage::Room | Stage::Resolve => true,
        Stage::Flow => later_step() || call.second_request.is_some(),
        Stage::Hold => environment == Environment::Live,
    };
    match done {
        true => StageStateDto::Passed,
        false => StageStateDto::Skipped,
    }
}

/// What was put aside for a call; none where nothing was, or where it is not known any more.
pub(super) fn money(state: &EnvironmentState, call: &Verification) -> Option<CallMoneyDto> {
    let mut found = None;
    let lines = state.wallet_history.lines(&state.wallet);
    for line in lines.filter(|line| line.movement.verification == Some(call.id)) {
        let (held, charged) = match line.movement.kind {
            MovementKind::Held { amount } => (amount, None),
            MovementKind::Settled { amount, charged }
            | MovementKind::HeldAndSettled { amount, charged } => (amount, Some(charged)),
            MovementKind::ToppedUp { .. } => continue,
        };
        // The newest movement comes first, and says how it ended.
        found = found.or(Some((held, charged)));
    }
    let (held, charged) = found.or_else(|| Some((call.hold?, None)))?;
    Some(CallMoneyDto {
        held: RupeesDto(held),
        charged: charged.map(RupeesDto),
        released: charged.map(|charged| RupeesDto(Paise(held.0 - charged.0))),
    })
}

/// The idempotency keys of a call: those it claimed, and one that it brought in vain.
pub(super) fn keys(
    host: &Host,
    account: &Account,
    environment: Environment,
    call: &Verification,
) -> Vec<KeyUseDto> {
    let state = account.environment(environment);
    let retention = account.settings.retention;
    let mut found: Vec<KeyUseDto> = Vec::new();
    for key in keys_of(call) {
        if found.iter().any(|known| known.key == key) {
            continue;
        }
        let claim = call.claim(&key);
        let until = |at: Timestamp| at.checked_add(retention).ok();
        let replays = host.replays(&account.id, call.id);
        let replays = replays.into_iter().filter(|it| it.at >= call.created_at);
        found.push(KeyUseDto {
            claimed_at: claim.map(|claim| TimestampDto(claim.at)),
            kept_until: claim.and_then(|claim| until(claim.at)).map(TimestampDto),
            replays: replays
                .map(|replay| ReplayDto {
                    at: TimestampDto(replay.at),
                    caller: replay.peer.to_string(),
                })
                .collect(),
            others: others(state, call, &key),
            key,
        });
    }
    found
}

fn keys_of(call: &Verification) -> impl Iterator<Item = String> {
    let claimed = call.claims.iter().map(|claim| claim.key.to_string());
    let brought = call.requests().flat_map(ReceivedRequest::headers);
    let brought = brought.filter(|(name, _)| *name == KEY_HEADER);
    claimed.chain(brought.map(|(_, value)| String::from_utf8_lossy(value).into_owned()))
}

const KEY_HEADER: &str = "idempotency-key";

fn others(state: &EnvironmentState, call: &Verification, key: &str) -> Vec<OtherUseDto> {
    let brings = |other: &Verification| {
        let mut headers = other.requests().flat_map(ReceivedRequest::headers);
        headers.any(|(name, value)| name == KEY_HEADER && value == key.as_bytes())
    };
    let log = state.verifications.log();
    let others = log.filter(|(other, _)| other.id != call.id && brings(other));
    let mut others: Vec<OtherUseDto> = others
        .map(|(other, answer)| OtherUseDto {
            verification_id: other.id.to_string(),
            endpoint: other.endpoint.to_string(),
            at: TimestampDto(other.created_at),
            http_status: answer.status,
            code: status_of(answer.state).1,
        })
        .collect();
    others.reverse();
    others
}
