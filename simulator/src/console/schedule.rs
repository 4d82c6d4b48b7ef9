//! The picture of a delivery's schedule: attempts that were made and the next one, on the account's clock.

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
    let made = delivery
        .attempts
        .iter()
        .filter_map(|attempt| Some((attempt, place(&attempt.due)?)));
    let made: Vec<_> = made.collect();
    let next = delivery
        .next_due
        .as_deref()
        .and_then(|due| Some((due, place(due)?)));
    let end = made
        .iter()
        .map(|(_, at)| *at)
        .chain(next.map(|(_, at)| at))
        .fold(1.0, f64::max);
    let x = |at: f64| format!("{:.1}", EDGE + at / end * (WIDTH - 2.0 * EDGE));
    let told = format!(
        "{} attempts made{}",
        made.len(),
        next.map_or(String::new(), |(due, _)| format!(
            ", the next one due {due}"
        ))
    );
    html! {
        svg.picture viewBox={ "0 0 " (WIDTH) " 60" } role="img" aria-label=(told) {
            line x1=(EDGE) y1="24" x2=(WIDTH - EDGE) y2="24" stroke="currentColor" stroke-width="1" {}
            @for (attempt, at) in &made {
                circle cx=(x(*at)) cy="24" r="8" fill=(if attempt.was_taken() { "#1f8a54" } else { "#c2402c" }) {
                    title { "attempt " (attempt.number) ", due " (attempt.due) }
                }
                text x=(x(*at)) y="52" text-anchor="middle" font-size="13" fill="currentColor" { (attempt.number) }
            }
            @if let Some((due, at)) = next {
                circle cx=(x(at)) cy="24" r="8" fill="none" stroke="currentColor" stroke-width="2" { title { "due " (due) } }
                text x=(x(at)) y="52" text-anchor="middle" font-size="13" fill="currentColor" { "next" }
            }
        }
    }
}
