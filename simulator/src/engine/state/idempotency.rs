//! Idempotency keys of one account and environment: claim, replay, conflict.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::ids::{BodyDigest, VerificationId};
use super::kept::{self, Counts, Heap, Keepable, Kept, Standing, Sum, shared};
use super::rejection::Rejection;
use crate::engine::call::reply::Reply;

/// The keys in use. Kept as long as the retention says where there is room, and never shorter than
/// their verification is pending.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    by_key: Kept<Arc<str>, Claim>,
    /// Oldest first. Those that were claimed again after their time, or are forgotten, stand here
    /// for nothing until they are swept out.
    by_time: VecDeque<(Timestamp, Arc<str>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    body: BodyDigest,
    at: Timestamp,
    verification: VerificationId,
    /// The answer first given; none while the call is still running.
    answer: Option<Reply>,
    /// Whether the verification still has its result to come.
    pending: bool,
    /// Who the bytes of the answer count for.
    counts: Counts,
}

impl Keepable for Claim {
    fn standing(&self) -> Standing {
        match self.pending {
            true => Standing::Open,
            false => Standing::Over,
        }
    }
}

impl Heap for Claim {
    fn heap(&self) -> usize {
        let answer = match (self.counts, &self.answer) {
            (Counts::Here, Some(answer)) => shared(&answer.body),
            _ => 0,
        };
        // Its place in the order of time, of which a quarter is free on average.
        size_of::<(Timestamp, Arc<str>)>() * 4 / 3 + answer
    }
}

/// What an idempotency key means for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// There is no key, or nobody has used it: the call is executed.
    Fresh,
    /// The same call was answered before: this is its answer, and the verification it is of.
    Replay(Reply, VerificationId),
    /// The same call is being executed as this verification: wait for its answer.
    Running(VerificationId),
}

impl Claims {
    /// What this key means for a call with this body.
    ///
    /// # Errors
    /// [`Rejection::Conflict`] where the key was used with another body.
    pub fn look(
        &self,
        key: &str,
        body: BodyDigest,
        now: Timestamp,
        retention: SignedDuration,
    ) -> Result<Claimed, Rejection> {
        match self.by_key.get(key) {
            Some(claim) if claim.lapsed(now, retention) => Ok(Claimed::Fresh),
            None => Ok(Claimed::Fresh),
            Some(claim) if claim.body != body => Err(Rejection::Conflict),
            Some(claim) => Ok(claim.means()),
        }
    }

    /// What this key means to a call that waits for the one that claimed it as this verification,
    /// however long ago; none where that is forgotten.
    #[must_use]
    pub fn of(&self, key: &str, verification: VerificationId) -> Option<Claimed> {
        let claim = self.by_key.get(key);
        let claim = claim.filter(|claim| claim.verification == verification);
        claim.map(Claim::means)
    }

    /// Notes that a call runs under this key, and lets go of keys whose time is over.
    pub fn claim(
        &mut self,
        key: Arc<str>,
        body: BodyDigest,
        verification: VerificationId,
        at: Timestamp,
        retention: SignedDuration,
    ) {
        self.lapse(at, retention);
        let claim = Claim {
            body,
            at,
            verification,
            answer: None,
            pending: true,
            counts: Counts::There,
        };
        self.by_time.push_back((at, Arc::clone(&key)));
        self.by_key.put(key, claim);
    }

    /// Notes the answer first given under this key. The call log has the same bytes.
    pub fn answered(
        &mut self,
        key: &str,
        verification: VerificationId,
        answer: &Reply,
        pending: bool,
    ) {
        self.change(key, verification, |claim| {
            claim.answer = Some(answer.clone());
            claim.pending = pending;
        });
    }

    /// Notes that a pending verification has its result: the key may lapse. The call log has that
    /// now, and no longer the answer first given.
    pub fn finished(&mut self, key: &str, verification: VerificationId) {
        self.change(key, verification, |claim| {
            claim.pending = false;
            claim.counts = Counts::Here;
        });
    }

    /// The call log has forgotten this call.
    pub fn alone(&mut self, key: &str, verification: VerificationId) {
        self.change(key, verification, |claim| claim.counts = Counts::Here);
    }

    fn change(&mut self, key: &str, verification: VerificationId, change: impl FnOnce(&mut Claim)) {
        let is_it = |claim: &Claim| claim.verification == verification;
        if self.by_key.get(key).is_some_and(is_it) {
            self.by_key.change(key, change);
        }
    }

    /// The keys claimed after an instant that lapse when their retention is over, and when they were
    /// claimed, oldest first.
    pub fn lapses(&self, after: Timestamp) -> impl Iterator<Item = (Timestamp, &str)> {
        let from = self.by_time.partition_point(|(at, _)| *at <= after);
        self.by_time.range(from..).filter_map(|(at, key)| {
            let claim = self.by_key.get(key)?;
            (claim.at == *at && !claim.pending).then_some((*at, &**key))
        })
    }

    /// Forgets a key whose call left no trace.
    pub fn withdraw(&mut self, key: &str, verification: VerificationId) {
        let is_it = |claim: &Claim| claim.verification == verification;
        if self.by_key.get(key).is_some_and(is_it) {
            self.by_key.remove(key);
        }
    }

    /// Forgets the key whose call has been over longest, although its time is not. Says whether
    /// there was one.
    pub fn forget_oldest(&mut self) -> bool {
        let forgotten = self.by_key.forget_oldest().is_some();
        if self.by_time.len() > 2 * self.by_key.len() + 16 {
            let claims = &self.by_key;
            let stands = |(at, key): &(_, Arc<str>)| claims.get(key).is_some_and(|it| it.at == *at);
            self.by_time.retain(stands);
        }
        forgotten
    }

    /// Those that are never forgotten now: their calls run or are pending.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.by_key.open()
    }

    /// Those that may be forgotten before their time.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.by_key.over()
    }

    /// How many were forgotten before their time to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.by_key.forgotten()
    }

    /// Open ones and others, counted anew: for tests.
    #[must_use]
    pub fn recount(&self) -> (Sum, Sum) {
        self.by_key.recount()
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        self.by_key.shrink();
        kept::shrink(&mut self.by_time);
    }

    fn lapse(&mut self, now: Timestamp, retention: SignedDuration) {
        let mut kept = Vec::new();
        while let Some((at, _)) = self.by_time.front()
            && now.duration_since(*at) >= retention
        {
            let Some((at, key)) = self.by_time.pop_front() else {
                break;
            };
            match self.by_key.get(&key) {
                Some(claim) if claim.at == at && claim.lapsed(now, retention) => {
                    self.by_key.remove(&key);
                }
                Some(claim) if claim.at == at => kept.push((at, key)),
                _ => {}
            }
        }
        for entry in kept.into_iter().rev() {
            self.by_time.push_front(entry);
        }
    }
}

impl Claim {
    fn means(&self) -> Claimed {
        match &self.answer {
            Some(answer) => Claimed::Replay(answer.clone().replayed(), self.verification),
            None => Claimed::Running(self.verification),
        }
    }

    fn lapsed(&self, now: Timestamp, retention: SignedDuration) -> bool {
        !self.pending && now.duration_since(self.at) >= retention
    }
}

/// The key of the `Idempotency-Key` header.
///
/// # Errors
/// `SVC_INVALID_INPUT` unless it was sent at most once and is 1 to 255 printable characters.
pub fn key(header: crate::engine::call::request::Header<'_>) -> Result<Option<&str>, Rejection> {
    if header == crate::engine::call::request::Header::Absent {
        return Ok(None);
    }
    let usable = header
        .text()
        .filter(|text| (1..=255).contains(&text.chars().count()));
    usable.map(Some).ok_or_else(|| {
        Rejection::input("Idempotency-Key: must be sent once and be 1 to 255 printable characters")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::call::request::Header;
    use svc_fixtures::json::Json;

    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn body(text: &str) -> BodyDigest {
        BodyDigest::of_json("an.operation", &Json::from(text))
    }

    fn id() -> VerificationId {
        VerificationId::parse("svcv_00000000000000000000000000").expect("an id")
    }

    fn claimed(pending: bool) -> Claims {
        let mut claims = Claims::default();
        claims.claim("k".into(), body("a"), id(), START, DAY);
        claims.answered("k", id(), &Reply::plain(200, "first"), pending);
        claims
    }

    #[test]
    fn a_key_lapses_after_its_retention_but_not_while_pending() {
        let before = START + DAY - SignedDuration::from_nanos(1);
        for (pending, now, lapsed) in [
            (false, before, false),
            (false, START + DAY, true),
            (true, START + DAY, false),
        ] {
            let found = claimed(pending).look("k", body("b"), now, DAY);
            let expected = if lapsed {
                Ok(Claimed::Fresh)
            } else {
                Err(Rejection::Conflict)
            };
            assert_eq!(found, expected, "pending {pending}, at {now}");
        }
    }

    #[test]
    fn lapsed_keys_are_forgotten_and_pending_ones_kept() {
        let mut claims = claimed(true);
        claims.claim("done".into(), body("a"), id(), START, DAY);
        claims.answered("done", id(), &Reply::plain(200, ""), false);
        claims.claim("later".into(), body("a"), id(), START + DAY, DAY);
        assert_eq!(claims.by_key.len(), 2);
        assert_eq!(claims.by_time.len(), 2);
        claims.finished("k", id());
        assert_eq!(
            claims.look("k", body("b"), START + DAY, DAY),
            Ok(Claimed::Fresh)
        );
    }

    #[test]
    fn keys_of_1_to_255_printable_characters_are_accepted() {
        let long = |length: usize| "k".repeat(length);
        for (text, accepted) in [
            (long(0), false),
            (long(1), true),
            (long(255), true),
            (long(256), false),
            ("a\tb".into(), false),
        ] {
            assert_eq!(
                key(Header::One(text.as_bytes())).is_ok(),
                accepted,
                "{}",
                text.len()
            );
        }
        assert_eq!(key(Header::Absent), Ok(None));
        assert!(key(Header::Many).is_err());
        assert!(key(Header::One(b"\xff")).is_err());
    }
}
