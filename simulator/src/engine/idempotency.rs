//! Idempotency keys of one account and environment: claim, replay, conflict.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use jiff::{SignedDuration, Timestamp};

use super::ids::{BodyDigest, VerificationId};
use super::rejection::Rejection;
use super::reply::Reply;

/// The keys in use. Kept as long as the retention says, and never shorter than their verification
/// is pending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    by_key: HashMap<Box<str>, Claim, FixedState>,
    /// Oldest first. A key that was claimed again after its time stands here twice.
    by_age: VecDeque<(Timestamp, Box<str>)>,
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

    /// Notes that a call runs under this key, and forgets keys whose time is over.
    pub fn claim(
        &mut self,
        key: &str,
        body: BodyDigest,
        verification: VerificationId,
        at: Timestamp,
        retention: SignedDuration,
    ) {
        self.forget(at, retention);
        let claim = Claim {
            body,
            at,
            verification,
            answer: None,
            pending: true,
        };
        self.by_key.insert(key.into(), claim);
        self.by_age.push_back((at, key.into()));
    }

    /// Notes the answer first given under this key.
    pub fn answered(
        &mut self,
        key: &str,
        verification: VerificationId,
        answer: &Reply,
        pending: bool,
    ) {
        if let Some(claim) = self
            .by_key
            .get_mut(key)
            .filter(|claim| claim.verification == verification)
        {
            claim.answer = Some(answer.clone());
            claim.pending = pending;
        }
    }

    /// Notes that a pending verification has its result: the key may lapse.
    pub fn finished(&mut self, key: &str, verification: VerificationId) {
        if let Some(claim) = self
            .by_key
            .get_mut(key)
            .filter(|claim| claim.verification == verification)
        {
            claim.pending = false;
        }
    }

    /// The keys claimed after an instant that lapse when their retention is over, and when they were
    /// claimed, oldest first.
    pub fn lapses(&self, after: Timestamp) -> impl Iterator<Item = (Timestamp, &str)> {
        let from = self.by_age.partition_point(|(at, _)| *at <= after);
        self.by_age.range(from..).filter_map(|(at, key)| {
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

    fn forget(&mut self, now: Timestamp, retention: SignedDuration) {
        let mut kept = Vec::new();
        while let Some((at, _)) = self.by_age.front()
            && now.duration_since(*at) >= retention
        {
            let Some((at, key)) = self.by_age.pop_front() else {
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
            self.by_age.push_front(entry);
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
pub fn key(header: super::call::Header<'_>) -> Result<Option<&str>, Rejection> {
    if header == super::call::Header::Absent {
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
    use super::super::call::Header;
    use super::*;
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
        claims.claim("k", body("a"), id(), START, DAY);
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
        claims.claim("done", body("a"), id(), START, DAY);
        claims.answered("done", id(), &Reply::plain(200, ""), false);
        claims.claim("later", body("a"), id(), START + DAY, DAY);
        assert_eq!(claims.by_key.len(), 2);
        assert_eq!(claims.by_age.len(), 2);
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
