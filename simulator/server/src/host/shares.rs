//! What each account may take of that which all accounts use together, so that one that takes much is
//! refused before another one is. The memory of pending results is shared by the same rule, in
//! [`super::memory`], and so are accounts among the addresses that open them, in [`super::directory`].

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::engine::call::input::MAX_BODY_BYTES;

/// Nobody may take more than this often what is left for the others. One alone has two thirds of all then,
/// two have two fifths each, and something is left for whoever comes next, however many there are.
const TIMES_WHAT_IS_LEFT: usize = 2;

/// Whether one who has so much may take more of all where so much of it is taken. The last piece is for
/// somebody who has none.
pub(super) fn leaves_enough(has: usize, all: usize, taken: usize) -> bool {
    match all.saturating_sub(taken) {
        0 => false,
        left => has == 0 || has < (left - 1).saturating_mul(TIMES_WHAT_IS_LEFT),
    }
}

/// What one may take of what all use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareLimits {
    /// Calls of one account that are held back at once: those whose answer is delayed, and duplicates that
    /// wait for one.
    pub delayed_calls: usize,
    /// Requests to the control API that wait at once for something of one account.
    pub waits: usize,
    /// Accounts that keys of one address opened.
    pub accounts_per_address: usize,
    /// How long a clock may be moved in real time.
    pub clock_move_time: Duration,
    /// How many bytes the large bodies of calls may take together.
    pub body_bytes: usize,
    /// Connections of a listener. Calls that are held back never take all of them, nor do requests that
    /// wait.
    pub connections: usize,
}

impl ShareLimits {
    /// The limits where none are configured.
    pub const DEFAULT: ShareLimits = ShareLimits {
        delayed_calls: 512,
        waits: 256,
        accounts_per_address: 2048,
        clock_move_time: Duration::from_mins(10),
        body_bytes: 128 << 20,
        connections: 1024,
    };

    /// How many calls of all accounts may be held back at once.
    fn all_delayed_calls(&self) -> usize {
        (self.connections - self.connections / 8).max(1)
    }

    /// How many requests to the control API may wait at once.
    fn all_waits(&self) -> usize {
        (self.connections / 2).max(1)
    }
}

impl Default for ShareLimits {
    fn default() -> Self {
        ShareLimits::DEFAULT
    }
}

/// Why somebody may take no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverShare {
    /// It has as much as one may have.
    Own,
    /// It has more than would leave enough for the others.
    OfAll,
}

/// How much is taken of something that is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareUsage {
    /// What all have now.
    pub taken: usize,
    /// What one may have.
    pub each: usize,
    /// What all may have together.
    pub all: usize,
}

/// Something that all accounts use, and of which each may take a part.
#[derive(Debug)]
struct Share {
    each: usize,
    all: usize,
    taken: AtomicUsize,
}

/// How much one account has of a share.
#[derive(Debug, Clone, Default)]
struct Taken(Arc<AtomicUsize>);

/// How much one account has of each share.
#[derive(Debug, Default)]
pub struct TakenByAccount {
    delayed_calls: Taken,
    waits: Taken,
    clock_moves: Taken,
}

impl TakenByAccount {
    /// Whether somebody waits for something of the account.
    pub(super) fn is_waited_for(&self) -> bool {
        let parts = [&self.delayed_calls, &self.waits, &self.clock_moves];
        parts
            .into_iter()
            .any(|taken| taken.0.load(Ordering::Relaxed) > 0)
    }
}

/// One piece of a share, given back when it is dropped.
#[derive(Debug)]
pub struct SharePart {
    share: Arc<Share>,
    by: Taken,
}

/// All that accounts share.
pub struct Shares {
    delayed_calls: Arc<Share>,
    waits: Arc<Share>,
    bodies: BodyRoom,
}

impl Shares {
    pub(super) fn new(limits: &ShareLimits) -> Self {
        Shares {
            delayed_calls: Share::new(limits.delayed_calls, limits.all_delayed_calls()),
            waits: Share::new(limits.waits, limits.all_waits()),
            bodies: BodyRoom::new(limits.body_bytes, MAX_BODY_BYTES),
        }
    }

    /// Whether one more call of an account may be held back.
    pub(super) fn check_delays(&self, by: &TakenByAccount) -> Result<(), OverShare> {
        self.delayed_calls.check(&by.delayed_calls)
    }

    /// Counts a call as held back until what this gives is dropped.
    pub(super) fn delay(&self, by: &TakenByAccount) -> SharePart {
        self.delayed_calls.take(&by.delayed_calls)
    }

    /// Lets one more request wait for something of an account, until what this gives is dropped.
    ///
    /// # Errors
    /// Where the account has its share of those that wait.
    pub fn begin_wait(&self, by: &TakenByAccount) -> Result<SharePart, OverShare> {
        self.waits.try_take(&by.waits)
    }

    /// Lets one more request move an account's clock, which waits for receivers, until what this gives is
    /// dropped. Others that wait for something of the account may wait for just that: they do not count.
    ///
    /// # Errors
    /// Where the account has its share of those that wait.
    pub fn begin_clock_move(&self, by: &TakenByAccount) -> Result<SharePart, OverShare> {
        self.waits.try_take(&by.clock_moves)
    }

    /// Where large bodies of calls are kept.
    #[must_use]
    pub fn bodies(&self) -> &BodyRoom {
        &self.bodies
    }

    /// How many calls are held back.
    #[must_use]
    pub fn delayed_calls(&self) -> ShareUsage {
        self.delayed_calls.usage()
    }

    /// How many requests wait.
    #[must_use]
    pub fn waits(&self) -> ShareUsage {
        self.waits.usage()
    }
}

impl Share {
    fn new(each: usize, all: usize) -> Arc<Self> {
        Arc::new(Share {
            each,
            all,
            taken: AtomicUsize::new(0),
        })
    }

    /// Whether one may take one more.
    fn check(&self, by: &Taken) -> Result<(), OverShare> {
        let has = by.0.load(Ordering::Relaxed);
        if has >= self.each {
            return Err(OverShare::Own);
        }
        match leaves_enough(has, self.all, self.taken.load(Ordering::Relaxed)) {
            true => Ok(()),
            false => Err(OverShare::OfAll),
        }
    }

    /// Takes one more, whatever is left: who asks was let in before.
    fn take(self: &Arc<Self>, by: &Taken) -> SharePart {
        by.0.fetch_add(1, Ordering::Relaxed);
        self.taken.fetch_add(1, Ordering::Relaxed);
        SharePart {
            share: Arc::clone(self),
            by: by.clone(),
        }
    }

    /// Takes one more where that leaves enough for the others.
    fn try_take(self: &Arc<Self>, by: &Taken) -> Result<SharePart, OverShare> {
        self.check(by)?;
        Ok(self.take(by))
    }

    fn usage(&self) -> ShareUsage {
        ShareUsage {
            taken: self.taken.load(Ordering::Relaxed),
            each: self.each,
            all: self.all,
        }
    }
}

impl Drop for SharePart {
    fn drop(&mut self) {
        self.by.0.fetch_sub(1, Ordering::Relaxed);
        self.share.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Bytes of a piece of room.
const PIECE_BYTES: usize = 1 << 10;

/// Room for large bodies, of all requests together: who sends one waits until there is room for it, so that not even a
/// thousand of them take all memory.
#[derive(Debug)]
pub struct BodyRoom {
    free: Semaphore,
    pieces: usize,
    /// How many bodies wait for some.
    waiting: AtomicUsize,
}

impl BodyRoom {
    /// Of this many bytes; the largest body there may be fits in any case.
    #[must_use]
    pub fn new(bytes: usize, largest: usize) -> Self {
        let pieces = bytes.max(largest).div_ceil(PIECE_BYTES);
        BodyRoom {
            free: Semaphore::new(pieces),
            pieces,
            waiting: AtomicUsize::new(0),
        }
    }

    /// How many bytes are free.
    #[must_use]
    pub fn free_bytes(&self) -> usize {
        self.free.available_permits() * PIECE_BYTES
    }

    /// How many bytes there are, free or taken.
    #[must_use]
    pub fn all_bytes(&self) -> usize {
        self.pieces * PIECE_BYTES
    }
}

/// The room that one body has taken, given back when this is dropped.
#[derive(Debug, Default)]
pub struct TakenRoom<'r> {
    of: Option<&'r BodyRoom>,
    taken: Option<SemaphorePermit<'r>>,
}

impl<'r> TakenRoom<'r> {
    /// Nothing of this yet.
    #[must_use]
    pub fn of(room: &'r BodyRoom) -> Self {
        TakenRoom {
            of: Some(room),
            taken: None,
        }
    }

    /// Waits for room for a body that takes at most so much.
    pub async fn take(&mut self, bytes: usize) {
        if let (Some(room), None) = (self.of, &self.taken) {
            let pieces = u32::try_from(bytes.div_ceil(PIECE_BYTES)).unwrap_or(u32::MAX);
            let _waits = Waits::of(&room.waiting);
            self.taken = room.free.acquire_many(pieces).await.ok();
        }
    }

    /// Whether it has some.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.taken.is_some()
    }

    /// Whether others wait for some.
    #[must_use]
    pub fn is_sought(&self) -> bool {
        let waiting = |room: &BodyRoom| room.waiting.load(Ordering::Relaxed);
        self.of.is_some_and(|room| waiting(room) > 0)
    }
}

/// One that waits, until this is dropped.
struct Waits<'r>(&'r AtomicUsize);

impl<'r> Waits<'r> {
    fn of(waiting: &'r AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::Relaxed);
        Waits(waiting)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Who opens accounts: an address, or, of IPv6, the network that is given to one customer. The control API
/// and tests in process count as one together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Opener {
    Address(IpAddr),
    Console,
}

impl Opener {
    pub(super) fn of(address: IpAddr) -> Self {
        Opener::Address(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from(network))
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many each of so many takes who take in turn until all are refused.
    fn taken_by(takers: usize, share: &Arc<Share>) -> Vec<usize> {
        let mut parts: Vec<(Taken, Vec<SharePart>)> = Vec::new();
        parts.resize_with(takers, Default::default);
        loop {
            let mut refused = 0;
            for (by, parts) in &mut parts {
                match share.try_take(by) {
                    Ok(part) => parts.push(part),
                    Err(_) => refused += 1,
                }
            }
            if refused == takers {
                // Somebody new still gets one.
                assert!(share.try_take(&Taken::default()).is_ok());
                return parts.iter().map(|(_, parts)| parts.len()).collect();
            }
        }
    }

    #[test]
    fn one_takes_two_thirds_and_many_leave_something_for_the_next() {
        for (takers, each) in [(1, 600), (2, 360), (3, 257), (10, 86), (100, 9)] {
            let share = Share::new(1000, 900);
            let taken = taken_by(takers, &share);
            let near = |it: &usize| it.abs_diff(each) <= 1;
            assert!(taken.iter().all(near), "{takers} have {taken:?}");
            assert_eq!(share.usage().taken, 0, "all was given back");
        }
    }

    #[test]
    fn one_takes_no_more_than_each_may() {
        let share = Share::new(3, 900);
        assert_eq!(taken_by(1, &share), [3]);
        assert_eq!(share.check(&Taken::default()), Ok(()));
        let by = Taken::default();
        let _parts: Vec<_> = (0..3).map(|_| share.take(&by)).collect();
        assert_eq!(share.try_take(&by).err(), Some(OverShare::Own));
    }

    #[test]
    fn an_ipv6_network_of_one_customer_is_one_opener() {
        let opener = |address: &str| Opener::of(address.parse().unwrap());
        assert_eq!(opener("2001:db8::1"), opener("2001:db8::ffff:1:2:3"));
        assert_ne!(opener("2001:db8::1"), opener("2001:db8:0:1::1"));
        assert_eq!(opener("::ffff:192.0.2.1"), opener("192.0.2.1"));
        assert_ne!(opener("192.0.2.1"), opener("192.0.2.2"));
    }
}
