//! The latest events of an account, for those who poll them.

use std::collections::VecDeque;

use crate::engine::state::event::Event;

/// How many events each account keeps. Above that the oldest are dropped.
pub const MAX_EVENTS: usize = 1024;

/// How many events lie in one allocation. A queue in one piece would now and then allocate a hundred
/// kilobytes for an account and leave a hole of that size when its events are dropped.
const CHUNK: usize = 32;

/// The latest events of an account, each with its number.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    /// All but the last hold [`CHUNK`] events.
    chunks: VecDeque<Vec<Event>>,
    /// The number of the first event of the first chunk.
    base: u64,
    /// The number of the oldest event that is still given out.
    first: u64,
    /// The number the next event will have.
    pub(super) next: u64,
}

/// Some events, and the number to continue from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventBatch {
    /// The events with their numbers, oldest first.
    pub events: Vec<(u64, Event)>,
    /// The number the next event will have.
    pub next: u64,
    /// Whether events that were asked for are not known any more.
    pub missed: bool,
}

/// No entry makes more events, not even with as many beside as a log may begin with.
const OF_ENTRY: u64 = 1 << 11;

impl EventLog {
    /// That of an account that comes from a store, where it has so many entries. Its numbers are above those that any earlier
    /// process has given, so that whoever goes on from one of these is told what nobody knows any more.
    pub(super) fn after(entries: u64) -> Self {
        let next = entries.saturating_mul(OF_ENTRY);
        EventLog {
            base: next,
            first: next,
            next,
            ..EventLog::default()
        }
    }

    /// The same, which tells what happened before.
    pub(super) fn telling(entries: u64, told: Vec<Event>) -> Self {
        let mut log = EventLog::after(entries);
        let too_old = told.len().saturating_sub(MAX_EVENTS);
        told.into_iter().skip(too_old).for_each(|it| log.push(it));
        log
    }

    pub(super) fn push(&mut self, event: Event) {
        match self.chunks.back_mut() {
            Some(chunk) if chunk.len() < CHUNK => {
                if chunk.len() == chunk.capacity() {
                    // Most accounts have few: an allocation doubles, and never more than that.
                    chunk.reserve_exact(chunk.len());
                }
                chunk.push(event);
            }
            _ => self.chunks.push_back(vec![event]),
        }
        self.next += 1;
        self.first = self.first.max(self.next.saturating_sub(MAX_EVENTS as u64));
        if self.first >= self.base + CHUNK as u64 {
            self.drop_chunk();
        }
    }

    /// The bytes that all events take.
    pub(super) fn bytes(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        let last = self.chunks.back().map_or(0, Vec::capacity);
        (full + last) * size_of::<Event>()
    }

    /// Drops the oldest until no more than so many bytes are left.
    pub(super) fn trim(&mut self, bytes: usize) {
        while self.bytes() > bytes && !self.chunks.is_empty() {
            self.drop_chunk();
        }
    }

    /// Sees to it that one more event takes no more than so many bytes, where one alone does not: what comes now takes the
    /// place of the oldest. A log that may not grow gives back no memory to ask for it again with the next call.
    pub(super) fn make_room(&mut self, bytes: usize) {
        self.trim(bytes);
        let grown = 2 * self.bytes();
        if let ([chunk], []) = self.chunks.as_mut_slices()
            && chunk.len() == chunk.capacity()
            && grown > bytes
        {
            let dropped = chunk.len().div_ceil(2);
            chunk.drain(..dropped);
            self.base += dropped as u64;
            self.first = self.first.max(self.base);
        }
    }

    fn drop_chunk(&mut self) {
        let dropped = self.chunks.pop_front().map_or(0, |chunk| chunk.len());
        self.base += dropped as u64;
        self.first = self.first.max(self.base);
    }

    /// The wanted events from a number on. One that was not given yet is of an account that began anew: then those that there
    /// are by now were missed, too.
    pub(super) fn from(&self, number: u64, wanted: &dyn Fn(&Event) -> bool) -> EventBatch {
        let is_given = (self.first..=self.next).contains(&number);
        let from = if is_given { number } else { self.first };
        let all = self.chunks.iter().flatten();
        let skipped = usize::try_from(from - self.base).unwrap_or(usize::MAX);
        let numbered = (from..).zip(all.skip(skipped));
        let events = numbered.filter(|(_, event)| wanted(event));
        EventBatch {
            events: events.map(|(at, event)| (at, event.clone())).collect(),
            next: self.next,
            missed: !is_given,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::engine::call::request::Environment;
    use crate::engine::state::event::EventKind;

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
            kind: EventKind::Changed,
        }
    }

    /// The numbers of a batch, checked against the instants of its events, which are the same.
    fn numbers_from(log: &EventLog, from: u64) -> (Vec<u64>, u64, bool) {
        let batch = log.from(from, &|_| true);
        let number = |(number, event): &(u64, Event)| {
            assert_eq!(event.at.as_second() as u64, *number);
            *number
        };
        let numbers = batch.events.iter().map(number).collect();
        (numbers, batch.next, batch.missed)
    }

    #[test]
    fn the_latest_events_are_read_from_any_number_on() {
        for count in [0, 1, 31, 32, 33, 1023, 1024, 1025, 1055, 1056, 1057, 5000] {
            let (log, next) = (log(count), count as u64);
            let oldest = next.saturating_sub(MAX_EVENTS as u64);
            for from in [0, 1, oldest.saturating_sub(1), oldest, next, next + 1] {
                let is_given = (oldest..=next).contains(&from);
                let numbers = (if is_given { from } else { oldest }..next).collect();
                let wanted = (numbers, next, !is_given);
                assert_eq!(numbers_from(&log, from), wanted, "{count} from {from}");
            }
        }
    }

    #[test]
    fn whoever_goes_on_from_an_earlier_process_is_told_what_it_missed() {
        let mut log = EventLog::after(3);
        let first = 3 * OF_ENTRY;
        let read = |log: &EventLog, from| {
            let batch = log.from(from, &|_| true);
            (batch.events.len(), batch.next, batch.missed)
        };
        assert_eq!(read(&log, first - 1), (0, first, true));
        assert_eq!(read(&log, first), (0, first, false));
        log.push(event(0));
        assert_eq!(read(&log, first - 1), (1, first + 1, true));
        assert_eq!(read(&log, first), (1, first + 1, false));
    }

    #[test]
    fn what_a_log_begins_with_has_numbers_below_those_after_the_next_entry() {
        let told: Vec<Event> = (0..3 * MAX_EVENTS as u64).map(event).collect();
        let log = EventLog::telling(3, told);
        assert_eq!(log.next - log.first, MAX_EVENTS as u64);
        // No entry makes more than 256.
        assert!(log.next + 256 <= EventLog::after(4).next);
    }

    #[test]
    fn a_log_that_may_not_grow_keeps_its_place_and_the_latest_events() {
        const ONE: usize = size_of::<Event>();
        for (limit, least) in [(ONE, 1), (3 * ONE, 1), (4 * ONE, 2), (9 * ONE, 4)] {
            let mut log = EventLog::default();
            for next in 0..100 {
                log.make_room(limit);
                log.push(event(next));
                assert!(log.bytes() <= limit, "{next} within {limit}");
                let (numbers, _, missed) = numbers_from(&log, 0);
                assert_eq!(numbers, (numbers[0]..=next).collect::<Vec<_>>());
                assert!(numbers.len() >= least.min(next as usize + 1), "{numbers:?}");
                assert_eq!(missed, numbers[0] > 0);
            }
        }
    }

    #[test]
    fn a_log_over_its_bytes_drops_the_oldest_first() {
        for (count, bytes) in [(100, 0), (100, 5000), (1100, 9000), (3, 1), (3, 100_000)] {
            let mut log = log(count);
            let before = log.bytes();
            log.trim(bytes);
            assert!(log.bytes() <= bytes.min(before), "{count} to {bytes}");
            let (numbers, next, _) = numbers_from(&log, 0);
            let kept = numbers.len() as u64;
            assert_eq!(numbers, (next - kept..next).collect::<Vec<_>>());
            assert!(before > bytes || kept == count as u64);
            log.push(event(next));
            assert_eq!(numbers_from(&log, next).0, [next], "{count} to {bytes}");
        }
    }
}
