//! Keys: which key a call presents, and whether it opens this account now.

use jiff::Timestamp;

use super::request::{Call, Environment, Header};
use crate::engine::state::keys::{Key, KeyState};
use crate::engine::state::rejection::Rejection;

/// An API key as a call presents it. Its text is a secret: it has no `Debug` and no `Display`.
#[derive(Clone, Copy)]
pub struct Credential<'a> {
    /// The text.
    pub key: &'a str,
}

/// The key in the `Authorization` header.
///
/// # Errors
/// [`Rejection::NoCredential`] unless the header was sent once, with the scheme `Bearer` (in any
/// case, as schemes are) and one word after it.
pub fn credential<'a>(call: &Call<'a>) -> Result<Credential<'a>, Rejection> {
    let Header::One(value) = call.headers.authorization else {
        return Err(Rejection::NoCredential);
    };
    let text = std::str::from_utf8(value).map_err(|_| Rejection::NoCredential)?;
    let (scheme, key) = text.split_once(' ').ok_or(Rejection::NoCredential)?;
    let key = key.trim_matches(' ');
    let usable = scheme.eq_ignore_ascii_case("bearer") && !key.is_empty() && !key.contains(' ');
    usable
        .then_some(Credential { key })
        .ok_or(Rejection::NoCredential)
}

/// Which of the account's keys this is, where it works here and now.
///
/// # Errors
/// The 401s, in the order of the rulings: whether the key works at all, then where.
pub fn admit(
    keys: &[Key],
    credential: Credential<'_>,
    environment: Environment,
    now: Timestamp,
) -> Result<usize, Rejection> {
    let index = keys
        .iter()
        .position(|key| *key.text == *credential.key)
        .ok_or(Rejection::UnknownKey)?;
    let key = &keys[index];
    match key.state {
        KeyState::Revoked => Err(Rejection::RevokedKey),
        KeyState::Rotated { until } if now >= until => Err(Rejection::ExpiredKey),
        KeyState::Active | KeyState::Rotated { .. } if key.environment != environment => {
            Err(Rejection::WrongEnvironment)
        }
        KeyState::Active | KeyState::Rotated { .. } => Ok(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn keys(state: KeyState) -> Vec<Key> {
        vec![Key {
            text: "svc_test_a".into(),
            environment: Environment::Test,
            state,
        }]
    }

    fn admitted(state: KeyState, key: &str, environment: Environment) -> Result<usize, Rejection> {
        admit(&keys(state), Credential { key }, environment, NOON)
    }

    #[test]
    fn a_rotated_key_works_until_its_last_instant() {
        let second = jiff::SignedDuration::from_secs(1);
        let before = KeyState::Rotated {
            until: NOON + second,
        };
        let after = KeyState::Rotated { until: NOON };
        assert_eq!(admitted(before, "svc_test_a", Environment::Test), Ok(0));
        assert_eq!(
            admitted(after, "svc_test_a", Environment::Test),
            Err(Rejection::ExpiredKey)
        );
    }

    #[test]
    fn a_revoked_key_is_refused_before_its_environment_is_looked_at() {
        let refused = admitted(KeyState::Revoked, "svc_test_a", Environment::Live);
        assert_eq!(refused, Err(Rejection::RevokedKey));
        let refused = admitted(KeyState::Active, "svc_test_a", Environment::Live);
        assert_eq!(refused, Err(Rejection::WrongEnvironment));
    }
}
