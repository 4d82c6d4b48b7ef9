//! What happened lately, for those who wait for it: nobody has to ask again and again, or to sleep.

use std::collections::VecDeque;
use std::time::Duration;

use super::cell::AccountCell;
use crate::engine::state::event::Event;

/// So many events are kept for each account; then the oldest is forgotten first.
pub const KEPT_EVENTS: usize = 1024;

/// So many lie together. A queue in one piece would need a place of a hundred kilobytes for each account
/// now and then, which what is forgotten leaves free and nothing else fits into.
const TOGETHER: usize = 32;

/// The latest events of an account, each with its number.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    /// All but the last have [`TOGETHER`].
    pieces: VecDeque<Vec<Event>>,
    /// The number of the first event of the first piece.
    base: u64,
    /// The number of the oldest kept one.
    first: u64,
    /// The number the next one will have.
    next: u64,
}

/// Some events, and where to go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventBatch {
    /// The events with their numbers, oldest first.
    pub events: Vec<(u64, Event)>,
    /// The number the next event will have, or the first after those heard.
    pub next: u64,
    /// Whether events before these were forgotten that would have been heard.
    pub missed: bool,
}

impl EventLog {
    pub(super) fn push(&mut self, event: Event) {
        match self.pieces.back_mut() {
            Some(piece) if piece.len() < TOGETHER => piece.push(event),
            _ => self.pieces.push_back(vec![event]),
        }
        self.next += 1;
        self.first = self.first.max(self.next.saturating_sub(KEPT_EVENTS as u64));
        if self.first >= self.base + TOGETHER as u64 {
            self.drop_piece();
        }
    }

    /// What it takes.
    pub(super) fn bytes(&self) -> usize {
        let full = self.pieces.len().saturating_sub(1) * TOGETHER;
        let last = self.pieces.back().map_or(0, Vec::capacity);
        (full + last) * size_of::<Event>()
    }

    /// Forgets the oldest until no more than so many bytes are left.
    pub(super) fn trim(&mut self, bytes: usize) {
        while self.bytes() > bytes && !self.pieces.is_empty() {
            self.drop_piece();
        }
    }

    fn drop_piece(&mut self) {
        let dropped = self.pieces.pop_front().map_or(0, |piece| piece.len());
        self.base += dropped as u64;
        self.first = self.first.max(self.base);
    }

    fn next(&self) -> u64 {
        self.next
    }

    fn from(&self, number: u64, wanted: &dyn Fn(&Event) -> bool) -> EventBatch {
        let from = number.max(self.first);
        let all = self.pieces.iter().flatten();
        let skipped = usize::try_from(from - self.base).unwrap_or(usize::MAX);
        let numbered = (from..).zip(all.skip(skipped));
        let events = numbered.filter(|(_, event)| wanted(event));
        EventBatch {
            events: events.map(|(at, event)| (at, event.clone())).collect(),
            next: self.next,
            missed: number < self.first,
        }
    }
}

impl AccountCell {
    /// The number the next event of this account will have.
    #[must_use]
    pub fn next_event_number(&self) -> u64 {
        self.lock().events.next()
    }

    /// The events from a number on that are wanted. Where there is none yet, waits for the first, so
    /// long in real time; empty when the time is over.
    pub async fn wait_for_events(
        &self,
        from: u64,
        wanted: impl Fn(&Event) -> bool,
        at_most: Duration,
    ) -> EventBatch {
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::engine::call::request::Environment;
    use crate::engine::state::event::What;

    fn log(count: usize) -> EventLog {
        let mut log = EventLog::default();
        for at in 0..count {
            log.push(event(at as u64));
        }
        log
    }

    fn event(number: u64) -> Event {
        Event {
            at: Timestamp::constant(0, 0) + Duration::from_secs(number),
            environment: Environment::Test,
            what: What::Changed,
        }
    }

    /// The numbers heard from one on. Each event tells its number by its instant.
    fn heard(log: &EventLog, from: u64) -> (Vec<u64>, u64, bool) {
        let heard = log.from(from, &|_| true);
        let told = |(number, event): &(u64, Event)| {
            assert_eq!(event.at.as_second() as u64, *number);
            *number
        };
        let numbers = heard.events.iter().map(told).collect();
        (numbers, heard.next, heard.missed)
    }

    #[test]
    fn the_latest_are_heard_from_any_number_on() {
        for count in [0, 1, 31, 32, 33, 1023, 1024, 1025, 1055, 1056, 1057, 5000] {
            let (log, next) = (log(count), count as u64);
            let oldest = next.saturating_sub(KEPT_EVENTS as u64);
            for from in [0, 1, oldest.saturating_sub(1), oldest, next, next + 1] {
                let numbers = (from.max(oldest)..next).collect();
                let wanted = (numbers, next, from < oldest);
                assert_eq!(heard(&log, from), wanted, "{count} from {from}");
            }
        }
    }

    #[test]
    fn what_is_too_much_is_forgotten_oldest_first() {
        for (count, bytes) in [(100, 0), (100, 5000), (1100, 9000), (3, 1), (3, 100_000)] {
            let mut log = log(count);
            let before = log.bytes();
            log.trim(bytes);
            assert!(log.bytes() <= bytes.min(before), "{count} to {bytes}");
            let (numbers, next, _) = heard(&log, 0);
            let kept = numbers.len() as u64;
            assert_eq!(numbers, (next - kept..next).collect::<Vec<_>>());
            assert!(before > bytes || kept == count as u64);
            log.push(event(next));
            assert_eq!(heard(&log, next).0, [next], "{count} to {bytes}");
        }
    }
}
