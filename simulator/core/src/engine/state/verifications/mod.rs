//! The verifications of one account and environment: one ordered map, four small indexes, and what is
//! evicted first. Must not know why a verification is as it is.
//!
//! The order of the map is the order in which what may be evicted is: a verification that ends moves to
//! its back, so that the one that ended first stands before all that ended later. One that is pinned may
//! stand anywhere; where eviction meets it, it moves to the back.

mod eviction;
mod listed;

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashlink::LinkedHashMap;
use hashlink::linked_hash_map::Entry;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;

use super::delivery::{Attempt, Delivery};
use super::ids::VerificationId;
use super::sizes::{ALLOCATED, Totals, map_place, with_holes};
use super::verification::{Answer, Claim, Phase, Verification};
pub use eviction::Expiry;
use eviction::Role;
use listed::Listed;

/// The verifications of an account in one environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Listed", into = "Listed")]
pub struct Verifications {
    records: LinkedHashMap<VerificationId, Slot, FixedState>,
    by_key: HashMap<Arc<str>, VerificationId, FixedState>,
    by_token: HashMap<Box<str>, VerificationId, FixedState>,
    by_due: BTreeSet<(Timestamp, VerificationId)>,
    by_attempt: BTreeSet<(Timestamp, VerificationId)>,
    /// Those whose webhook waits for another one to come before it.
    to_be_overtaken: Vec<VerificationId>,
    /// For each [`Role`]: before this one none has the role and may lose it.
    heads: [Option<VerificationId>; Role::ALL.len()],
    totals: Totals,
    evicted: EvictionCounts,
    answered: u64,
}

/// A verification and its place in the call log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Slot {
    verification: Box<Verification>,
    /// How many were answered for the first time before it: ids say nothing of the order in which
    /// calls came, and many come in one instant.
    number: u64,
    /// Whether the call log shows it.
    logged: bool,
}

/// What was evicted to bound memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvictionCounts {
    /// Calls that left the call log.
    pub calls: u64,
    /// Idempotency keys before their time.
    pub keys: u64,
    /// Deliveries.
    pub deliveries: u64,
    /// Flows.
    pub flows: u64,
}

/// A delivery that a later one is meant to overtake waits until one begins, and no longer than the
/// time between the first two attempts of the schedule. Then it is sent this much after the other.
const OVERTAKEN_BY: SignedDuration = SignedDuration::from_millis(1);

/// What each record takes in the map: a node of its own with its key, value and neighbours, what that
/// leads to, and its place in the hash table.
const NODE: usize = size_of::<(VerificationId, Slot)>()
    + 2 * size_of::<usize>()
    + ALLOCATED
    + size_of::<Verification>()
    + ALLOCATED
    + map_place::<usize, ()>();

/// What the index of tokens finds a flow by.
fn token_key(flow: &str, token: &str) -> Box<str> {
    format!("{flow} {token}").into()
}

impl Slot {
    fn is_pinned(&self) -> bool {
        self.verification.is_pinned()
    }

    /// Counts it in.
    fn add_to(&self, totals: &mut Totals) {
        let of = &self.verification;
        let pinned = of.is_pinned();
        let sum = match pinned {
            true => &mut totals.pinned,
            false => &mut totals.evictable,
        };
        sum.count += 1;
        sum.bytes += with_holes(NODE + of.heap_bytes());
        totals.logged += usize::from(self.logged);
        totals.logged_evictable += usize::from(self.logged && !pinned);
        if let Some(delivery) = &of.delivery {
            let due = delivery.due().is_some();
            totals.deliveries_due += usize::from(due);
            totals.deliveries_ended += usize::from(!due);
        }
        totals.delayed += usize::from(matches!(of.phase, Phase::Delayed { .. }));
        totals.held.0 += of.hold.map_or(0, |hold| hold.0);
    }
}

fn totals_of(slot: &Slot) -> Totals {
    let mut totals = Totals::default();
    slot.add_to(&mut totals);
    totals
}

impl Verifications {
    /// The verification of this id.
    #[must_use]
    pub fn get(&self, id: VerificationId) -> Option<&Verification> {
        self.records.get(&id).map(|slot| &*slot.verification)
    }

    /// The verification that claimed an idempotency key last, and its claim.
    #[must_use]
    pub fn by_key(&self, key: &str) -> Option<(&Verification, &Claim)> {
        let verification = self.get(*self.by_key.get(key)?)?;
        Some((verification, verification.claim(key)?))
    }

    /// The verification that began the flow which this token leads to.
    #[must_use]
    pub fn by_token(&self, flow: &str, token: &str) -> Option<&Verification> {
        self.get(*self.by_token.get(&token_key(flow, token))?)
    }

    /// The verification of this id and its newest answer, where it was answered.
    #[must_use]
    pub fn answered(&self, id: VerificationId) -> Option<(&Verification, &Answer)> {
        let verification = self.get(id)?;
        Some((verification, verification.answer.as_ref()?))
    }

    /// All in the call log with their newest answers, in the order in which they were first answered.
    pub fn log(&self) -> impl Iterator<Item = (&Verification, &Answer)> {
        let mut logged: Vec<&Slot> = self.records.values().filter(|slot| slot.logged).collect();
        logged.sort_unstable_by_key(|slot| slot.number);
        let logged = logged.into_iter().map(|slot| &*slot.verification);
        logged.filter_map(|it| Some((it, it.answer.as_ref()?)))
    }

    /// Those whose result is still to come, by id; the steps of a bundle come with it.
    pub fn open(&self) -> impl Iterator<Item = &Verification> {
        let all = self.records.values().map(|slot| &*slot.verification);
        let mut open: Vec<_> = all
            .filter(|it| it.is_open() && it.bundle.is_none())
            .collect();
        open.sort_unstable_by_key(|verification| verification.id);
        open.into_iter()
    }

    /// Those whose answer is delayed for some real time, by id.
    pub fn delayed(&self) -> impl Iterator<Item = &Verification> {
        // Nearly always there is none: then nothing is gone through.
        let open = (self.totals.delayed > 0).then(|| self.open());
        let is_delayed = |it: &&Verification| matches!(it.phase, Phase::Delayed { .. });
        open.into_iter().flatten().filter(is_delayed)
    }

    /// The pending one due first by the account's clock, and when; of several at once that of the
    /// lowest id.
    #[must_use]
    pub fn first_due(&self) -> Option<(Timestamp, VerificationId)> {
        self.by_due.first().copied()
    }

    /// Those whose webhook is due, in order of due time, then of id.
    pub fn due_attempts(&self) -> impl Iterator<Item = (Timestamp, &Verification, &Delivery)> {
        self.by_attempt.iter().filter_map(|(at, id)| {
            let verification = self.get(*id)?;
            Some((*at, verification, verification.delivery.as_deref()?))
        })
    }

    /// When the first attempt is due that is not due yet.
    #[must_use]
    pub fn attempt_due_after(&self, now: Timestamp) -> Option<Timestamp> {
        let after = Bound::Excluded((now, VerificationId::LAST));
        let mut later = self.by_attempt.range((after, Bound::Unbounded));
        later.next().map(|(at, _)| *at)
    }

    /// The webhook that brings a verification.
    #[must_use]
    pub fn delivery(&self, id: VerificationId) -> Option<&Delivery> {
        self.get(id)?.delivery.as_deref()
    }

    /// All webhooks, by verification.
    pub fn deliveries(&self) -> impl Iterator<Item = (&Verification, &Delivery)> {
        let all = self.records.values().filter_map(|slot| {
            let verification = &*slot.verification;
            Some((verification, verification.delivery.as_deref()?))
        });
        let mut all: Vec<_> = all.collect();
        all.sort_unstable_by_key(|(verification, _)| verification.id);
        all.into_iter()
    }

    /// The keys that expire after one instant and not after another, and when, in order.
    #[must_use]
    pub fn expiring(
        &self,
        after: Timestamp,
        until: Timestamp,
        retention: SignedDuration,
    ) -> Vec<(Timestamp, &str)> {
        let ended = self
            .records
            .values()
            .filter(|slot| !slot.verification.is_open());
        let claims = ended.flat_map(|slot| {
            let id = slot.verification.id;
            slot.verification
                .claims
                .iter()
                .map(move |claim| (id, claim))
        });
        let latest = claims.filter(|(id, claim)| self.by_key.get(&claim.key) == Some(id));
        let mut expiring: Vec<_> = latest
            .map(|(_, claim)| (claim.at.saturating_add(retention), &*claim.key))
            .filter_map(|(at, key)| Some((at.ok()?, key)))
            .filter(|(at, _)| after < *at && *at <= until)
            .collect();
        expiring.sort_unstable();
        expiring
    }

    /// The sums over all records.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// What was evicted to bound memory.
    #[must_use]
    pub fn evicted(&self) -> EvictionCounts {
        self.evicted
    }

    /// The sums, counted anew: for tests of those that run along.
    #[must_use]
    pub fn recount(&self) -> Totals {
        let mut totals = Totals::default();
        self.records
            .values()
            .for_each(|slot| slot.add_to(&mut totals));
        totals
    }

    /// Puts a verification in the place of what was known of it. Gives that back.
    pub fn put(&mut self, verification: Box<Verification>) -> Option<Box<Verification>> {
        let id = verification.id;
        let answered = verification.answer.is_some();
        let before = match self.records.entry(id) {
            Entry::Vacant(place) => {
                let slot = place.insert(Slot {
                    verification,
                    number: self.answered,
                    logged: answered,
                });
                self.answered += u64::from(answered);
                slot.add_to(&mut self.totals);
                slot.become_heads(&mut self.heads);
                let of = &slot.verification;
                // Nearly all calls end at once and leave nothing to be found by.
                let is_found = of.is_pinned() || !of.claims.is_empty() || of.flow.is_some();
                if !is_found && of.delivery.is_none() {
                    return None;
                }
                self.index_due(id);
                None
            }
            Entry::Occupied(_) => Some(self.change(id, |slot, next_number| {
                if answered && slot.verification.answer.is_none() {
                    (slot.number, slot.logged) = (*next_number, true);
                    *next_number += 1;
                }
                std::mem::replace(&mut slot.verification, verification)
            })),
        };
        self.index_names(id, before.as_deref());
        if before
            .as_ref()
            .is_none_or(|before| before.delivery.is_none())
        {
            self.delivery_began(id);
        }
        before
    }

    /// Notes what came of an attempt.
    pub fn attempted(&mut self, id: VerificationId, attempt: Attempt, schedule_ms: &[u64]) {
        self.change_delivery(id, |delivery| delivery.attempted(attempt, schedule_ms));
    }

    /// Makes one more attempt due at an instant, whatever the schedule says.
    pub fn request_redelivery(&mut self, id: VerificationId, at: Timestamp) {
        self.change_delivery(id, |delivery| delivery.requested(at));
    }

    /// Notes that a step of the flow which this token leads to is done, or was tried with a wrong secret.
    pub fn advance_flow(&mut self, flow: &str, token: &str, operation: Option<&str>) {
        if let Some(&id) = self.by_token.get(&token_key(flow, token)) {
            self.change(id, |slot, _| {
                if let Some(flow) = &mut slot.verification.flow {
                    flow.advance(operation);
                }
            });
        }
    }

    /// Takes a verification away as if it had never been.
    pub fn remove(&mut self, id: VerificationId) -> Option<Box<Verification>> {
        self.leave_heads(id);
        let slot = self.records.remove(&id)?;
        self.leave(&slot);
        let of = &slot.verification;
        for claim in &of.claims {
            if self.by_key.get(&claim.key) == Some(&id) {
                self.by_key.remove(&claim.key);
            }
        }
        if let Some(flow) = &of.flow {
            for token in &flow.tokens {
                let token = token_key(&flow.name, token);
                if self.by_token.get(&token) == Some(&id) {
                    self.by_token.remove(&token);
                }
            }
        }
        Some(slot.verification)
    }

    /// Takes back the delayed call of a verification as if it had never been made: all of it, or the
    /// second call of a bundle. Gives what is held no longer.
    pub fn roll_back(&mut self, id: VerificationId) -> Paise {
        if self.get(id).is_some_and(|it| it.answer.is_none()) {
            let removed = self.remove(id);
            return removed.and_then(|it| it.hold).unwrap_or_default();
        }
        if self.records.contains_key(&id) {
            let keys = self.change(id, |slot, _| slot.verification.roll_back_second_call());
            for key in keys {
                self.by_key.remove(&key);
            }
        }
        Paise::ZERO
    }

    fn change_delivery(&mut self, id: VerificationId, change: impl FnOnce(&mut Delivery)) {
        if self.records.contains_key(&id) {
            self.change(id, |slot, _| {
                if let Some(delivery) = &mut slot.verification.delivery {
                    change(delivery);
                }
            });
        }
    }

    /// Changes a record that is there; sums, due work and its place in the order follow.
    fn change<T>(
        &mut self,
        id: VerificationId,
        change: impl FnOnce(&mut Slot, &mut u64) -> T,
    ) -> T {
        let slot = self
            .records
            .get_mut(&id)
            .expect("who changes a record has found it");
        let (was_pinned, before) = (slot.is_pinned(), totals_of(slot));
        let (due, attempt) = (slot.verification.due(), slot.verification.attempt_due());
        let changed = change(slot, &mut self.answered);
        let ends = was_pinned && !slot.is_pinned();
        self.totals.minus(before);
        if let Some(at) = due {
            self.by_due.remove(&(at, id));
        }
        if let Some(at) = attempt {
            self.by_attempt.remove(&(at, id));
        }
        self.enter(id);
        if ends {
            self.move_to_back(id);
        }
        changed
    }

    /// Counts a record in, and its due work.
    fn enter(&mut self, id: VerificationId) {
        self.records[&id].add_to(&mut self.totals);
        self.index_due(id);
    }

    fn index_due(&mut self, id: VerificationId) {
        let slot = &self.records[&id];
        if let Some(at) = slot.verification.due() {
            self.by_due.insert((at, id));
        }
        if let Some(at) = slot.verification.attempt_due() {
            self.by_attempt.insert((at, id));
        }
    }

    /// Counts a record out, and its due work.
    fn leave(&mut self, slot: &Slot) {
        self.totals.minus(totals_of(slot));
        let of = &slot.verification;
        if let Some(at) = of.due() {
            self.by_due.remove(&(at, of.id));
        }
        if let Some(at) = of.attempt_due() {
            self.by_attempt.remove(&(at, of.id));
        }
    }

    /// Lets its newest keys and tokens lead to a record.
    fn index_names(&mut self, id: VerificationId, before: Option<&Verification>) {
        let of = &self.records[&id].verification;
        let known = before.map_or(0, |before| before.claims.len());
        for claim in of.claims.iter().skip(known) {
            self.by_key.insert(Arc::clone(&claim.key), id);
        }
        let is_new = before.is_none_or(|before| before.flow.is_none());
        if let Some(flow) = of.flow.as_ref().filter(|_| is_new) {
            for token in &flow.tokens {
                self.by_token.insert(token_key(&flow.name, token), id);
            }
        }
    }

    /// A webhook begins: those that waited for one to come before them are due after it.
    fn delivery_began(&mut self, id: VerificationId) {
        let Some(delivery) = self.delivery(id) else {
            return;
        };
        match (delivery.waits_to_be_overtaken(), delivery.due()) {
            (true, _) => self.to_be_overtaken.push(id),
            (false, Some(at)) => {
                let at = at.saturating_add(OVERTAKEN_BY).unwrap_or(Timestamp::MAX);
                for overtaken in std::mem::take(&mut self.to_be_overtaken) {
                    self.change_delivery(overtaken, |delivery| delivery.overtaken(at));
                }
            }
            (false, None) => {}
        }
    }
}

#[cfg(test)]
mod tests;
