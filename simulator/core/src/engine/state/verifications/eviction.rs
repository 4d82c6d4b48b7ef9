//! Eviction of verifications: what ended first goes first, a record with its last role.

use hashlink::linked_hash_map::Entry;
use jiff::{SignedDuration, Timestamp};

use super::{Slot, Verifications, token_key};
use crate::engine::state::flow::Flow;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::{Claim, Verification};

/// What a record is kept for that has an end of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Call,
    Delivery,
}

impl Role {
    pub(super) const ALL: [Role; 2] = [Role::Call, Role::Delivery];
}

impl Slot {
    fn has(&self, role: Role) -> bool {
        match role {
            Role::Call => self.logged,
            Role::Delivery => self.verification.delivery.is_some(),
        }
    }

    /// What stands at the back is where eviction of its roles goes on from, where nothing stands before it.
    pub(super) fn become_heads(&self, heads: &mut [Option<VerificationId>; Role::ALL.len()]) {
        for role in Role::ALL {
            if self.has(role) {
                heads[role as usize].get_or_insert(self.verification.id);
            }
        }
    }
}

/// So many free places are not given back: they would be asked for again by the next calls.
const FEW: usize = 16;

/// What decides how long an idempotency key is needed.
#[derive(Debug, Clone, Copy)]
pub struct Expiry {
    /// The account's time.
    pub now: Timestamp,
    /// How long keys are kept.
    pub retention: SignedDuration,
}

impl Verifications {
    /// Evicts what is too much: calls from the call log, webhooks that have ended. A record goes with its
    /// last role: the call log, an idempotency key in its time, a webhook, a flow.
    pub fn evict_beyond(&mut self, calls: usize, deliveries: usize, expiry: Expiry) {
        while self.totals.logged > calls
            && self.totals.logged_evictable > 0
            && self.evict_next(Role::Call, expiry)
        {}
        while self.totals.deliveries_ended > deliveries && self.evict_next(Role::Delivery, expiry) {
        }
        while let Some((&id, slot)) = self.records.front()
            && !Role::ALL.iter().any(|role| slot.has(*role))
            && !slot.is_pinned()
            && !self.is_looked_for(&slot.verification, expiry)
        {
            self.remove(id);
        }
    }

    /// Evicts the one that ended first, with all its roles. Says whether there was one.
    pub fn evict_oldest(&mut self, expiry: Expiry) -> bool {
        if self.totals.evictable.count == 0 {
            return false;
        }
        while let Some((&id, slot)) = self.records.front() {
            if slot.is_pinned() {
                self.move_to_back(id);
                continue;
            }
            let of = &slot.verification;
            self.evicted.calls += u64::from(slot.logged);
            self.evicted.deliveries += u64::from(of.delivery.is_some());
            self.evicted.flows += u64::from(of.flow.is_some());
            self.evicted.keys += self.live_claims(of, expiry).count() as u64;
            self.remove(id);
            return true;
        }
        false
    }

    /// Gives back the room of what was evicted, where much of it is free: to give back less would be
    /// to ask for it again soon, and each time all entries move.
    pub fn shrink(&mut self) {
        let is_much = |capacity: usize, used: usize| capacity > 2 * used + FEW;
        if is_much(self.records.capacity(), self.records.len()) {
            self.records.shrink_to_fit();
        }
        if is_much(self.by_key.capacity(), self.by_key.len()) {
            self.by_key.shrink_to_fit();
        }
        if is_much(self.by_token.capacity(), self.by_token.len()) {
            self.by_token.shrink_to_fit();
        }
    }

    /// The keys of a verification that a call could still use.
    fn live_claims<'v>(
        &'v self,
        of: &'v Verification,
        expiry: Expiry,
    ) -> impl Iterator<Item = &'v Claim> {
        of.claims.iter().filter(move |claim| {
            !claim.is_expired(expiry.now, expiry.retention)
                && self.by_key.get(&claim.key) == Some(&of.id)
        })
    }

    /// Whether a call may still find it by an idempotency key or by the token of a flow.
    fn is_looked_for(&self, of: &Verification, expiry: Expiry) -> bool {
        let leads_here = |flow: &Flow| {
            let mut tokens = flow.tokens.iter();
            tokens.any(|token| self.by_token.get(&token_key(&flow.name, token)) == Some(&of.id))
        };
        of.flow.as_deref().is_some_and(leads_here) || self.live_claims(of, expiry).next().is_some()
    }

    /// Takes a role from the first that may lose it, and the record where that was its last. Says whether
    /// there was one.
    fn evict_next(&mut self, role: Role, expiry: Expiry) -> bool {
        while let Some(id) = self.heads[role as usize] {
            let slot = &self.records[&id];
            if slot.is_pinned() {
                self.move_to_back(id);
                continue;
            }
            if !slot.has(role) {
                self.heads[role as usize] = self.next(id);
                continue;
            }
            let has_other = Role::ALL.iter().any(|it| *it != role && slot.has(*it));
            let stays = has_other || self.is_looked_for(&slot.verification, expiry);
            match role {
                Role::Call => self.evicted.calls += 1,
                Role::Delivery => self.evicted.deliveries += 1,
            }
            if !stays {
                self.remove(id);
                return true;
            }
            self.change(id, |slot, _| match role {
                Role::Call => slot.logged = false,
                Role::Delivery => slot.verification.delivery = None,
            });
            self.heads[role as usize] = self.next(id);
            return true;
        }
        false
    }

    /// What moves to the back is the last that may be evicted.
    pub(super) fn move_to_back(&mut self, id: VerificationId) {
        self.leave_heads(id);
        if let Some(slot) = self.records.to_back(&id) {
            slot.become_heads(&mut self.heads);
        }
    }

    /// What leaves its place is where eviction goes on from no more.
    pub(super) fn leave_heads(&mut self, id: VerificationId) {
        if self.heads.contains(&Some(id)) {
            let next = self.next(id);
            for head in self.heads.iter_mut().filter(|head| **head == Some(id)) {
                *head = next;
            }
        }
    }

    /// The one after this in the order of eviction.
    fn next(&mut self, id: VerificationId) -> Option<VerificationId> {
        let Entry::Occupied(place) = self.records.entry(id) else {
            return None;
        };
        let mut place = place.cursor_mut();
        place.peek_next().map(|(id, _)| *id)
    }
}
