//! What happened to an account, for whoever waits for it: nobody has to ask again and again.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::Nothing;
use super::happened::{Happened, Kind, kind, verification};
use super::query::Query;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get};
use super::values::{Id, Number, Span};
use crate::engine::state::event::Event;

/// Nobody waits longer, in real time.
const LONGEST: Duration = Duration::from_secs(60);

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/control/events",
            "events.list",
            "What happened to an account; waits for the first where nothing did yet",
        )
        .by(list)
        .refusing(&[Code::AccountNotFound]),
    ]
}

/// Which events, and how long to wait for the first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventsQuery {
    account: String,
    /// The number of the first that is wanted: `next` of an earlier answer.
    from: Option<Number>,
    kind: Option<Kind>,
    verification_id: Option<Id>,
    /// How long to wait in real time, at most `60s`.
    wait: Option<Span>,
}

impl Query for EventsQuery {}

/// Events, oldest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlEvents", deny_unknown_fields)]
struct Events {
    events: Vec<Happened>,
    /// Where to go on from.
    next: u64,
    /// Whether some that were asked for were forgotten to bound memory.
    missed: bool,
}

async fn list(
    control: Arc<Control>,
    asked: Asked<Nothing, EventsQuery>,
) -> Result<Events, Refusal> {
    let query = asked.query;
    let cell = control.account(&query.account)?;
    let wait = query.wait.map(|Span(wait)| wait).unwrap_or_default();
    let wait = Duration::try_from(wait).unwrap_or(LONGEST);
    if wait > LONGEST {
        let message = "wait: at most `60s`; ask again from `next`";
        return Err(Refusal::new(Code::InvalidInput, message));
    }
    let wanted = |event: &Event| {
        query.kind.is_none_or(|wanted| kind(event) == wanted)
            && query
                .verification_id
                .is_none_or(|Id(id)| verification(event) == Some(id))
    };
    let from = query.from.unwrap_or_default().0;
    let heard = tokio::select! {
        heard = cell.wait_for_events(from, wanted, wait) => heard,
        // Nobody has to wait for a simulator that stops.
        () = control.stop.cancelled() => cell.wait_for_events(from, wanted, Duration::ZERO).await,
    };
    Ok(Events {
        events: heard
            .events
            .iter()
            .map(|(seq, event)| Happened::numbered(*seq, event))
            .collect(),
        next: heard.next,
        missed: heard.missed,
    })
}
