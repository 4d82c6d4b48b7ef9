//! Parts of pages that follow what happens: each is sent again whenever it is another one, as long as the page is open.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use maud::{Markup, html};

use super::Pages;
use super::filter::Filter;

/// How often a page that is open is looked after while nothing happens: fast enough for eyes, and nearly nothing for the
/// simulator.
const PACE: Duration = Duration::from_millis(400);

/// How soon it is looked after again when it was sent something: a browser takes tens of milliseconds for a list, and a
/// list that is another one all the time can't be read faster anyhow. Less than a second, so that a clock misses none.
const BUSY_PACE: Duration = Duration::from_millis(900);

/// How many pages may follow at once: each of them costs a look at all accounts, twice a second.
pub(super) const MOST: usize = 64;

/// What a page says that can't follow.
const NO_PLACE: &str = "does not follow: 64 pages do already. Load it again to see what came";

/// When such a page asks again.
const PAUSE: Duration = Duration::from_secs(60);

/// What the query of a stream says beside the filter: what the page shows.
const SEEN: &str = "seen";

/// A part of a page: its name, and what it is now. What changes each second is a part of its own, so that what somebody
/// reads, or has unfolded, stays as it is.
pub(super) type Part = (&'static str, Markup);

/// What the parts of a page are now; none where it can't be said.
pub(super) type PartsFuture = BoxFuture<'static, Option<Vec<Part>>>;

/// The address of the stream of a page that shows these parts now.
pub(super) fn stream_url(pages: &Pages, path: &str, filter: &Filter, parts: &[Part]) -> String {
    let marks: Vec<String> = parts.iter().map(|(_, part)| mark(&part.0)).collect();
    pages.to(&format!("{path}?{}", filter.with(SEEN, &marks.join("."))))
}

/// The parts of a page that follow what this path sends. Without scripts they stay as they are.
pub(super) fn following(pages: &Pages, path: &str, filter: &Filter, parts: &[Part]) -> Markup {
    html! {
        div hx-ext="sse" sse-connect=(stream_url(pages, path, filter, parts)) {
            p.soft { span.live sse-swap="state" {} }
            @for (name, part) in parts { div sse-swap=(name) { (part) } }
        }
    }
}

/// What tells a part from another one.
fn mark(part: &str) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(part.as_bytes()))
}

fn event(name: &str, data: impl Into<String>) -> Event {
    Event::default().event(name).data(data.into())
}

/// What a page that is open was sent.
struct Open<M> {
    pages: Arc<Pages>,
    filter: Arc<Filter>,
    make: M,
    /// The mark of each part.
    seen: Vec<String>,
    to_send: VecDeque<Event>,
    pace: Duration,
}

/// Sends each part whenever it is another one than the page shows.
pub(super) fn follow(
    pages: Arc<Pages>,
    query: Option<&str>,
    make: impl Fn(Arc<Pages>, Arc<Filter>) -> PartsFuture + Send + 'static,
) -> Response {
    let Ok(place) = Arc::clone(&pages.live).try_acquire_owned() else {
        let state = event("state", NO_PLACE).retry(PAUSE);
        return Sse::new(stream::iter([Ok::<_, Infallible>(state)])).into_response();
    };
    let filter = Filter::read(query);
    let seen = filter.get(SEEN).unwrap_or_default().split('.');
    let open = Open {
        pages,
        seen: seen.map(str::to_owned).collect(),
        filter: Arc::new(filter.without(SEEN)),
        make,
        to_send: VecDeque::from([event("state", "follows by itself")]),
        pace: PACE,
    };
    let events = stream::unfold(open, async |mut open| {
        loop {
            if let Some(event) = open.to_send.pop_front() {
                return Some((event, open));
            }
            let pause = tokio::time::sleep(open.pace);
            tokio::select! {
                () = pause => {}
                () = open.pages.settings.stop.cancelled() => return None,
            }
            let parts = (open.make)(Arc::clone(&open.pages), Arc::clone(&open.filter));
            if let Some(parts) = parts.await {
                open.note(parts);
            }
        }
    });
    let events = events.map(move |event| {
        // Held until the page is closed.
        let _place = &place;
        Ok::<_, Infallible>(event)
    });
    Sse::new(events).into_response()
}

impl<M> Open<M> {
    /// What of these parts is to be sent.
    fn note(&mut self, parts: Vec<Part>) {
        self.pace = PACE;
        self.seen.resize(parts.len(), String::new());
        for ((name, part), seen) in parts.into_iter().zip(&mut self.seen) {
            let now = mark(&part.0);
            if *seen != now {
                // A part that is empty would be no event.
                let data = format!("{} ", part.0.replace('\n', " "));
                self.to_send.push_back(event(name, data));
                *seen = now;
                self.pace = BUSY_PACE;
            }
        }
    }
}
