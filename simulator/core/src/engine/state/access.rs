//! Whether a call may be made: an account's keys, the addresses they may be used from, and how often. Must not know
//! what is called.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Environment;

use super::rejection::Rejection;

/// An API key of an account.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// The text.
    pub text: Arc<str>,
    /// Where it works.
    pub environment: Environment,
    /// Whether and how long it works.
    pub state: KeyState,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum KeyState {
    /// It works.
    Active,
    /// It was rotated and works until this instant of the account's clock.
    Rotated {
        /// The first instant at which it no longer works.
        until: Timestamp,
    },
    /// It was revoked and never works again.
    Revoked,
}

impl Key {
    /// What follows the prefix of its environment.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.text.strip_prefix(self.environment.key_prefix());
        name.unwrap_or(&self.text)
    }
}

/// Shows where the key works and its state, never its text.
impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Key")
            .field("environment", &self.environment)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// Which of the account's keys this is, where it works here and now.
///
/// # Errors
/// The 401s, in the order of the rulings: whether the key works at all, then where.
pub fn admit(
    keys: &[Key],
    text: &str,
    environment: Environment,
    now: Timestamp,
) -> Result<usize, Rejection> {
    let index = keys
        .iter()
        .position(|key| *key.text == *text)
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

/// Where an account's keys may be used from. Without entries: from anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Allowlist(pub Vec<IpNet>);

impl Allowlist {
    /// Lets a caller through, or not.
    ///
    /// # Errors
    /// [`Rejection::AddressNotAllowed`] where there are entries and none holds the address.
    pub fn admit(&self, peer: IpAddr) -> Result<(), Rejection> {
        // An IPv4 caller on a dual-stack listener shows as ::ffff:a.b.c.d and is still that caller.
        let peer = peer.to_canonical();
        let open = self.0.is_empty() || self.0.iter().any(|net| net.contains(&peer));
        open.then_some(()).ok_or(Rejection::AddressNotAllowed)
    }
}

/// How many calls a key may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Calls a second, in the long run.
    pub per_second: u32,
    /// Calls at once, after a pause.
    pub burst: u32,
}

/// How much of its limit a key has used. Nothing used yet is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Window(Option<PaidUntil>);

/// When all calls so far are paid for at the long-run rate: when either clock shows its instant (ruling 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct PaidUntil {
    account: Timestamp,
    machine: Timestamp,
}

/// What both clocks show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// The account's.
    pub account: Timestamp,
    /// The machine's, which goes on while the account's stands.
    pub machine: Timestamp,
}

impl Window {
    /// When nothing of the limit is used any more, by the account's clock.
    #[must_use]
    pub fn whole_again(self) -> Option<Timestamp> {
        self.0.map(|paid| paid.account)
    }

    /// How much is not paid for yet.
    fn unpaid(self, clocks: Clocks) -> SignedDuration {
        let Some(paid) = self.0 else {
            return SignedDuration::ZERO;
        };
        let account = paid.account.duration_since(clocks.account);
        let machine = paid.machine.duration_since(clocks.machine);
        account.min(machine).max(SignedDuration::ZERO)
    }
}

impl RateLimit {
    fn interval(self) -> SignedDuration {
        SignedDuration::from_nanos(1_000_000_000 / i64::from(self.per_second.max(1)))
    }

    /// The window after one more call.
    ///
    /// # Errors
    /// [`Rejection::RateLimited`] with the whole seconds after which a call would pass. A refused
    /// call uses nothing.
    pub fn take(self, window: Window, clocks: Clocks) -> Result<Window, Rejection> {
        let interval = self.interval();
        let unpaid = window.unpaid(clocks);
        let allowed = interval * i32::try_from(self.burst.max(1) - 1).unwrap_or(i32::MAX);
        if unpaid > allowed {
            let wait = unpaid - allowed;
            let whole = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
            return Err(Rejection::RateLimited {
                retry_after_s: u32::try_from(whole.max(1)).unwrap_or(u32::MAX),
            });
        }
        let until = |now: Timestamp| {
            now.saturating_add(unpaid + interval)
                .unwrap_or(Timestamp::MAX)
        };
        Ok(Window(Some(PaidUntil {
            account: until(clocks.account),
            machine: until(clocks.machine),
        })))
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
        admit(&keys(state), key, environment, NOON)
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

    #[test]
    fn only_addresses_inside_an_entry_pass() {
        let list = Allowlist(vec!["203.0.113.0/24".parse().expect("a network")]);
        let admit = |text: &str| list.admit(text.parse().expect("an address"));
        assert_eq!(admit("203.0.113.255"), Ok(()));
        assert_eq!(admit("::ffff:203.0.113.1"), Ok(()));
        assert_eq!(admit("203.0.114.0"), Err(Rejection::AddressNotAllowed));
        assert_eq!(
            Allowlist::default().admit(IpAddr::from([127, 0, 0, 1])),
            Ok(())
        );
    }

    const LIMIT: RateLimit = RateLimit {
        per_second: 1,
        burst: 2,
    };
    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn at(millis: i64) -> Clocks {
        apart(millis, millis)
    }

    fn apart(account_ms: i64, machine_ms: i64) -> Clocks {
        let after = |millis| START + SignedDuration::from_millis(millis);
        Clocks {
            account: after(account_ms),
            machine: after(machine_ms),
        }
    }

    #[test]
    fn either_clock_lets_the_window_pass() {
        let once = LIMIT.take(Window::default(), at(0)).expect("passes");
        let used = LIMIT.take(once, at(0)).expect("passes");
        for (account, machine, passes) in [
            (0, 999, false),
            (0, 1000, true),
            (1000, 0, true),
            (999, 999, false),
        ] {
            let taken = LIMIT.take(used, apart(account, machine));
            assert_eq!(taken.is_ok(), passes, "{account} {machine}");
        }
        // What one clock let pass is used by the other, too.
        let jumped = LIMIT.take(used, apart(60_000, 0)).expect("passes");
        let again = LIMIT.take(jumped, apart(60_000, 0)).expect("passes");
        assert!(LIMIT.take(again, apart(60_000, 0)).is_err());
        assert!(LIMIT.take(again, apart(60_000, 1000)).is_ok());
    }

    #[test]
    fn a_burst_passes_and_the_next_call_waits_a_second() {
        let once = LIMIT
            .take(Window::default(), at(0))
            .expect("the first passes");
        let twice = LIMIT.take(once, at(0)).expect("the second passes");
        assert_eq!(
            LIMIT.take(twice, at(0)),
            Err(Rejection::RateLimited { retry_after_s: 1 })
        );
        assert_eq!(
            LIMIT.take(twice, at(999)),
            Err(Rejection::RateLimited { retry_after_s: 1 })
        );
        let thrice = LIMIT
            .take(twice, at(1000))
            .expect("a second later one more passes");
        assert!(LIMIT.take(thrice, at(1000)).is_err());
    }

    #[test]
    fn a_long_pause_earns_no_more_than_the_burst() {
        let mut window = LIMIT.take(Window::default(), at(0)).expect("passes");
        for _ in 0..2 {
            window = LIMIT.take(window, at(60_000)).expect("the burst passes");
        }
        assert!(LIMIT.take(window, at(60_000)).is_err());
    }
}
