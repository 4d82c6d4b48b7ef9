//! What happened lately, for those who wait for it: nobody has to ask again and again, or to sleep.

use std::collections::VecDeque;
use std::time::Duration;

use super::cell::AccountCell;
use crate::engine::event::Event;
use crate::engine::kept;

/// So many events are kept for each account; then the oldest is forgotten first.
pub const KEPT_EVENTS: usize = 1024;

/// What an event takes: a quarter of a queue that grows by doubling is free on average. Few have texts.
const PLACE: usize = size_of::<Event>() * 4 / 3;

/// The latest events of an account, each with its number.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    latest: VecDeque<Event>,
    /// The number of the oldest kept one.
    first: u64,
}

/// Some events, and where to go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The events with their numbers, oldest first.
    pub events: Vec<(u64, Event)>,
    /// The number the next event will have, or the first after those heard.
    pub next: u64,
    /// Whether events before these were forgotten that would have been heard.
    pub missed: bool,
}

impl EventLog {
    pub(super) fn push(&mut self, event: Event) {
        if self.latest.len() == KEPT_EVENTS {
            self.latest.pop_front();
            self.first += 1;
        }
        self.latest.push_back(event);
    }

    /// What it takes.
    pub(super) fn bytes(&self) -> usize {
        self.latest.len() * PLACE
    }

    /// Forgets the oldest until no more than so many bytes are left.
    pub(super) fn trim(&mut self, bytes: usize) {
        let too_many = self.latest.len().saturating_sub(bytes / PLACE);
        self.latest.drain(..too_many);
        self.first += too_many as u64;
        kept::shrink(&mut self.latest);
    }

    fn next(&self) -> u64 {
        self.first + self.latest.len() as u64
    }

    fn from(&self, number: u64, wanted: &dyn Fn(&Event) -> bool) -> Heard {
        let skipped = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let numbered = (self.first..).zip(&self.latest).skip(skipped);
        let events = numbered.filter(|(_, event)| wanted(event));
        Heard {
            events: events.map(|(at, event)| (at, event.clone())).collect(),
            next: self.next(),
            missed: number < self.first,
        }
    }
}

impl AccountCell {
    /// The number the next event of this account will have.
    #[must_use]
    pub fn next_event(&self) -> u64 {
        self.lock().events.next()
    }

    /// The events from a number on that are wanted. Where there is none yet, waits for the first, so
    /// long in real time; empty when the time is over.
    pub async fn wait_for(
        &self,
        from: u64,
        wanted: impl Fn(&Event) -> bool,
        at_most: Duration,
    ) -> Heard {
        let over = tokio::time::sleep(at_most);
        tokio::pin!(over);
        loop {
            // Made before the look, so that nothing that happens in between is missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let heard = self.lock().events.from(from, &wanted);
            if !heard.events.is_empty() {
                return heard;
            }
            tokio::select! {
                () = changed => {}
                () = &mut over => return heard,
            }
        }
    }
}
