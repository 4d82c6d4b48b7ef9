//! Idempotency keys: what the key of a call means (rulings 18 to 20).

use jiff::{SignedDuration, Timestamp};

use super::reply::Reply;
use super::request::Header;
use crate::engine::state::ids::{BodyDigest, VerificationId};
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::{Claim, Verification};
use crate::engine::state::verifications::Verifications;

/// What an idempotency key means for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimLookup {
    /// There is no key, or nobody has used it: the call is executed.
    Fresh,
    /// The same call was answered before: this is its answer, and the verification it is of.
    Replay(Reply, VerificationId),
    /// The same call is being executed as this verification: wait for its answer.
    InFlight(VerificationId),
}

/// What this key means for a call with this body.
///
/// # Errors
/// [`Rejection::Conflict`] where the key was used with another body.
pub fn look(
    verifications: &Verifications,
    key: &str,
    body: BodyDigest,
    now: Timestamp,
    retention: SignedDuration,
) -> Result<ClaimLookup, Rejection> {
    match verifications.by_key(key) {
        None => Ok(ClaimLookup::Fresh),
        Some((of, claim)) if !of.is_open() && claim.is_expired(now, retention) => {
            Ok(ClaimLookup::Fresh)
        }
        Some((of, claim)) if !is_kept(of, claim) => Ok(ClaimLookup::Fresh),
        Some((_, claim)) if claim.body != body => Err(Rejection::Conflict),
        Some((of, claim)) => Ok(meaning(of, claim)),
    }
}

/// What this key means to a call that waits for the one that claimed it as this verification, however
/// long ago; none where that is evicted or rolled back.
#[must_use]
pub fn claimed_by(
    verifications: &Verifications,
    key: &str,
    id: VerificationId,
) -> Option<ClaimLookup> {
    let of = verifications.get(id)?;
    Some(meaning(of, of.claim(key)?))
}

/// The statuses that are kept under no key, since nothing was executed (ruling 19): also where a scenario gives them.
const NOT_KEPT: [u16; 7] = [400, 401, 402, 403, 404, 409, 429];

/// Whether the call is answered so again, whatever it was answered.
fn is_kept(of: &Verification, claim: &Claim) -> bool {
    let answer = of.first_answer(claim);
    answer.is_none_or(|answer| !NOT_KEPT.contains(&answer.status))
}

fn meaning(of: &Verification, claim: &Claim) -> ClaimLookup {
    match of.first_answer(claim) {
        Some(answer) => ClaimLookup::Replay(Reply::of(answer).replayed(), of.id),
        None => ClaimLookup::InFlight(of.id),
    }
}

/// The key of the `Idempotency-Key` header.
///
/// # Errors
/// `SVC_INVALID_INPUT` unless it was sent at most once and is 1 to 255 printable characters.
pub fn key(header: Header<'_>) -> Result<Option<&str>, Rejection> {
    if header == Header::Absent {
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
