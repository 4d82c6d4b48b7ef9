//! The picture of a delivery's schedule: attempts that were made, those still to come, and where the account's clock is.

use jiff::Timestamp;
use maud::{Markup, html};

use super::delivery::DeliveryView;

/// The picture's size, without units: it scales to the page.
const WIDTH: f64 = 900.0;
const EDGE: f64 = 20.0;

/// Draws it. Gaps grow from a minute to hours: each takes the root of its length, so that all can be seen.
pub(super) fn picture(delivery: &DeliveryView) -> Markup {
    let Ok(begin) = delivery.since.parse::<Timestamp>() else {
        return html! {};
    };
    let place = |instant: &str| {
        let instant: Timestamp = instant.parse().ok()?;
        Some(instant.duration_since(begin).as_secs_f64().max(0.0).sqrt())
    };
    let made = delivery.attempts.iter();
    let made: Vec<_> = made
        .filter_map(|attempt| Some((attempt, place(&attempt.due)?)))
        .collect();
    let planned = delivery.planned.iter();
    let planned: Vec<_> = planned.filter_map(|due| Some((due, place(due)?))).collect();
    let ends = made.iter().map(|(_, at)| *at);
    let end = ends
        .chain(planned.iter().map(|(_, at)| *at))
        .fold(1.0, f64::max);
    let x = |at: f64| format!("{:.1}", EDGE + at.min(end) / end * (WIDTH - 2.0 * EDGE));
    // A clock that is past the last attempt stands at the right edge.
    let now = delivery.now.as_deref();
    let now = now.and_then(|now| Some((now, place(now)?)));
    html! {
        svg.picture viewBox={ "0 0 " (WIDTH) " 74" } role="img" aria-label=(told(delivery)) {
            line x1=(EDGE) y1="38" x2=(WIDTH - EDGE) y2="38" stroke="currentColor" stroke-width="1" {}
            @if let Some((now, at)) = now {
                line x1=(x(at)) y1="18" x2=(x(at)) y2="56" stroke="currentColor" stroke-width="2" stroke-dasharray="4 3" {
                    title { "the account's clock shows " (now) }
                }
                text x=(x(at)) y="13" text-anchor=(if at > end / 2.0 { "end" } else { "start" }) font-size="13" fill="currentColor" {
                    "its clock"
                }
            }
            @for (attempt, at) in &made {
                circle cx=(x(*at)) cy="38" r="8" fill=(if attempt.was_taken() { "#1f8a54" } else { "#c2402c" }) {
                    title { "attempt " (attempt.number) ", due " (attempt.due) ": " (attempt.came_to()) }
                }
                text x=(x(*at)) y="68" text-anchor="middle" font-size="13" fill="currentColor" { (attempt.number) }
            }
            @for ((due, at), number) in planned.iter().zip(made.len() + 1..) {
                circle cx=(x(*at)) cy="38" r="8" fill="none" stroke="currentColor" stroke-width="2" { title { "due " (due) } }
                text x=(x(*at)) y="68" text-anchor="middle" font-size="13" fill="currentColor" { (number) }
            }
        }
    }
}

/// What the picture shows, for whoever does not see it.
fn told(delivery: &DeliveryView) -> String {
    let made = delivery.attempts.len();
    let due: Vec<&str> = delivery.planned.iter().map(String::as_str).collect();
    match due.as_slice() {
        [] => format!("{made} attempts made, none to come"),
        due => format!("{made} attempts made; to come: {}", due.join(", ")),
    }
}
