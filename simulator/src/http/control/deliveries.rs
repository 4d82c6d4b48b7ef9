//! Deliveries: what was sent where, how it was signed, what came of it; and one more attempt.

use std::sync::Arc;

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::{Bare, Nothing};
use super::happened::{Progress, answered, progress};
use super::query::{NoQuery, Query};
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get, post};
use super::values::{Id, In, Limit, Shown, When, meant};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::{Attempt, Delivery, DeliveryId, Why};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::manage;
use crate::engine::state::signature::base_string;
use crate::engine::state::verification::Verification;
use crate::host::AccountCell;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/control/deliveries", "deliveries.list", "The deliveries of an account, newest first")
            .by(list)
            .refusing(&[Code::AccountNotFound]),
        get(
            "/control/deliveries/{id}",
            "deliveries.get",
            "One delivery with its body and what was signed",
        )
        .by(one)
        .refusing(&[Code::DeliveryNotFound]),
        post(
            "/control/deliveries/{id}/redeliver",
            "deliveries.redeliver",
            "Attempt a delivery once more, whatever the schedule says; does not wait for the attempt",
        )
        .by(redeliver)
        .with(StatusCode::ACCEPTED)
        .refusing(&[Code::DeliveryNotFound]),
    ]
}

/// Which deliveries.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeliveriesQuery {
    account: String,
    environment: Option<In>,
    state: Option<Progress>,
    verification_id: Option<Id>,
    /// At most so many.
    limit: Option<Limit>,
}

impl Query for DeliveriesQuery {}

/// Deliveries, newest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlDeliveries", deny_unknown_fields)]
struct Deliveries {
    deliveries: Vec<DeliveryRow>,
}

/// A delivery.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlDelivery", deny_unknown_fields)]
struct DeliveryRow {
    id: Shown<DeliveryId>,
    verification_id: Shown<VerificationId>,
    environment: In,
    state: Progress,
    /// When the next attempt is due, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_due: Option<When>,
    /// What the schedule counts from.
    since: When,
    attempts: Vec<AttemptRow>,
    /// Of one delivery alone: the body, the same at each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlAttempt", deny_unknown_fields)]
struct AttemptRow {
    /// From 1.
    number: usize,
    /// When it was due, by the account's clock.
    due: When,
    why: Reason,
    /// Where it went; nothing where no receiver was registered any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The signature header, where one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// Of one delivery alone: what was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature_base: Option<String>,
    /// What the receiver answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The first bytes of its answer.
    response_excerpt: String,
}

/// Why an attempt was made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum Reason {
    /// The schedule said so.
    Schedule,
    /// A scenario sends it more than once.
    Copy,
    /// Somebody asked for it.
    Hand,
}

/// How much of a delivery is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Row,
    Whole,
}

impl DeliveryRow {
    fn of(of: &Verification, delivery: &Delivery, environment: Environment, told: Told) -> Self {
        let text = || String::from_utf8_lossy(&of.envelope()).into_owned();
        let attempts = delivery.attempts.iter().zip(1..);
        DeliveryRow {
            id: Shown(DeliveryId(of.id)),
            verification_id: Shown(of.id),
            environment: environment.into(),
            state: progress(delivery.state()),
            next_due: delivery.due().map(When),
            since: When(delivery.since),
            attempts: attempts
                .map(|(attempt, number)| AttemptRow::of(of, attempt, number, told))
                .collect(),
            body: (told == Told::Whole).then(text),
        }
    }
}

impl AttemptRow {
    fn of(of: &Verification, attempt: &Attempt, number: usize, told: Told) -> Self {
        let signature = attempt.sent.as_ref().and_then(|sent| sent.signature);
        let base = signature.filter(|_| told == Told::Whole).map(|signature| {
            let base = base_string(signature.at_s, &of.envelope());
            String::from_utf8_lossy(&base).into_owned()
        });
        let (status, reason) = answered(&attempt.answer);
        AttemptRow {
            number,
            due: When(attempt.due),
            why: match attempt.why {
                Why::Schedule => Reason::Schedule,
                Why::Copy => Reason::Copy,
                Why::Hand => Reason::Hand,
            },
            url: attempt.sent.as_ref().map(|sent| sent.url.to_string()),
            signature: signature.map(|signature| signature.to_string()),
            signature_base: base,
            status,
            reason,
            response_excerpt: String::from_utf8_lossy(&attempt.excerpt).into_owned(),
        }
    }
}

async fn list(
    control: Arc<Control>,
    asked: Asked<Nothing, DeliveriesQuery>,
) -> Result<Deliveries, Refusal> {
    let query = asked.query;
    let cell = control.account(&query.account)?;
    let deliveries = cell.read(|account| {
        let mut found: Vec<(Environment, &Verification, &Delivery)> = Vec::new();
        for environment in meant(query.environment) {
            let all = account.environment(environment).verifications.deliveries();
            let wanted = all.filter(|(of, delivery)| {
                let is_it = |Id(id): Id| of.id == id;
                query
                    .state
                    .is_none_or(|state| progress(delivery.state()) == state)
                    && query.verification_id.is_none_or(is_it)
            });
            found.extend(wanted.map(|(of, delivery)| (environment, of, delivery)));
        }
        // Those of one instant by id, so that the order is the same every time.
        found.sort_by_key(|(.., delivery)| std::cmp::Reverse(delivery.since));
        let page = found.into_iter().take(query.limit.unwrap_or_default().0);
        page.map(|(environment, of, it)| DeliveryRow::of(of, it, environment, Told::Row))
            .collect()
    });
    Ok(Deliveries { deliveries })
}

async fn one(
    control: Arc<Control>,
    asked: Asked<Nothing, NoQuery>,
) -> Result<DeliveryRow, Refusal> {
    let (cell, environment, id) = control.delivery(&asked.part)?;
    told(&cell, environment, id, Told::Whole)
}

async fn redeliver(
    control: Arc<Control>,
    asked: Asked<Bare, NoQuery>,
) -> Result<DeliveryRow, Refusal> {
    let (cell, environment, id) = control.delivery(&asked.part)?;
    control.host.change(&cell, environment, |account, _| {
        manage::redeliver(account, environment, id)
    })?;
    told(&cell, environment, id, Told::Row)
}

fn told(
    cell: &AccountCell,
    environment: Environment,
    id: VerificationId,
    told: Told,
) -> Result<DeliveryRow, Refusal> {
    let row = cell.read(|account| {
        let of = account.environment(environment).verifications.get(id)?;
        let delivery = of.delivery.as_deref()?;
        Some(DeliveryRow::of(of, delivery, environment, told))
    });
    row.ok_or_else(unknown)
}

fn unknown() -> Refusal {
    let message = "there is no such delivery; GET /control/deliveries?account= lists them";
    Refusal::new(Code::DeliveryNotFound, message)
}

impl Control {
    fn delivery(
        &self,
        text: &str,
    ) -> Result<(Arc<AccountCell>, Environment, VerificationId), Refusal> {
        let DeliveryId(id) = DeliveryId::parse(text).ok_or_else(unknown)?;
        let (cell, environment) = self.host.find(id).ok_or_else(unknown)?;
        Ok((cell, environment, id))
    }
}
