//! What happened to an account, for whoever waits for it: nobody has to ask again and again.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event_dto::{EventDto, EventKindDto};
use super::request::NoBody;
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use super::values::{DurationDto, EventNumberDto, VerificationIdDto};
use crate::engine::state::event::Event;

/// Nobody waits longer, in real time. No clause bounds it: proxies give up soon after.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Which events, and how long to wait for the first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct EventsQuery {
    account: String,
    /// The number of the first that is wanted: `next` of an earlier answer.
    from: Option<EventNumberDto>,
    kind: Option<EventKindDto>,
    verification_id: Option<VerificationIdDto>,
    /// How long to wait in real time, at most `60s`.
    wait: Option<DurationDto>,
}

/// Events, oldest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct EventListDto {
    events: Vec<EventDto>,
    /// Where to go on from.
    next: u64,
    /// Whether some that were asked for are known no more: memory is bounded, and neither a simulator that is started again nor
    /// an account that is opened anew knows what happened before.
    missed: bool,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, EventsQuery>,
) -> ControlResult<EventListDto> {
    let cell = request.account_of(&request.query.account)?;
    let query = request.query;
    let wait = query.wait.map(|DurationDto(wait)| wait).unwrap_or_default();
    let wait = Duration::try_from(wait).unwrap_or(MAX_WAIT);
    if wait > MAX_WAIT {
        let message = "wait: at most `60s`; ask again from `next`";
        return Err(ControlError::invalid_input(message));
    }
    let verification = query.verification_id;
    let verification = verification.map(|VerificationIdDto(id)| id.to_string());
    let wanted = |event: &Event| {
        let event = EventDto::of(event);
        query.kind.is_none_or(|kind| event.kind == kind)
            && (verification.is_none() || event.verification_id == verification)
    };
    let from = query.from.unwrap_or_default().0;
    let mut found = cell.wait_for_events(from, &wanted, Duration::ZERO).await;
    if found.events.is_empty() && !wait.is_zero() {
        let _part = request.api.host.shares().begin_wait(cell.taken())?;
        tokio::select! {
            waited = cell.wait_for_events(from, &wanted, wait) => found = waited,
            // Nobody has to wait for a simulator that stops.
            () = request.api.stop.cancelled() => {}
        }
    }
    let events = found.events.iter();
    let events = events.map(|(seq, event)| EventDto::of(event).numbered(*seq));
    Ok(EventListDto {
        events: events.collect(),
        next: found.next,
        missed: found.missed,
    })
}
