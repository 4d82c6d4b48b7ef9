//! Who is let in: clock, keys, allowlist and rate limit, as rules over plain values.

use svc_fixtures::contract::ErrorCode;

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const SECOND_NS: i64 = 1_000_000_000;
const PREFIXES: [&str; 2] = ["svc_test_", "svc_live_"];

/// The account's clock over the machine's, in milliseconds.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    pub(crate) machine: i64,
    ahead: i64,
    frozen: Option<i64>,
}

impl Clock {
    pub(crate) fn new(machine: i64) -> Self {
        Clock {
            machine,
            ahead: 0,
            frozen: None,
        }
    }

    pub(crate) fn now(&self) -> i64 {
        self.frozen.unwrap_or(self.machine + self.ahead)
    }

    pub(crate) fn frozen(&self) -> Option<i64> {
        self.frozen
    }

    pub(crate) fn show(&mut self, at: i64) {
        match &mut self.frozen {
            Some(frozen) => *frozen = at,
            None => self.ahead = at - self.machine,
        }
    }

    pub(crate) fn freeze(&mut self) {
        self.frozen = Some(self.now());
    }

    pub(crate) fn let_run(&mut self) {
        self.ahead = self.now() - self.machine;
        self.frozen = None;
    }
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyState {
    Works,
    Until(i64),
    Revoked,
}

/// A key: its environment, its name, its state, and what is left of its rate limit.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) env: usize,
    pub(crate) name: String,
    pub(crate) state: KeyState,
    /// Nanoseconds of credit, and what account and machine showed when they were counted; full where
    /// nothing was used.
    credit: Option<(i64, [i64; 2])>,
}

impl Key {
    pub(crate) fn text(&self) -> String {
        format!("{}{}", PREFIXES[self.env], self.name)
    }
}

/// Everything that is asked before a call is looked at.
#[derive(Debug, Clone)]
pub(crate) struct Door {
    pub(crate) keys: Vec<Key>,
    /// Calls a second and calls at once.
    pub(crate) limit: Option<(u32, u32)>,
    pub(crate) outside_only: bool,
}

/// Why somebody was not let in: code, and after how many seconds to try again.
pub(crate) type Turned = (ErrorCode, Option<u32>);

impl Door {
    pub(crate) fn new(account: &str) -> Self {
        let mut door = Door {
            keys: Vec::new(),
            limit: None,
            outside_only: false,
        };
        (0..2).for_each(|env| door.add(env, account));
        door
    }

    pub(crate) fn add(&mut self, env: usize, name: &str) {
        self.keys.push(Key {
            env,
            name: name.to_owned(),
            state: KeyState::Works,
            credit: None,
        });
    }

    pub(crate) fn has(&self, env: usize, name: &str) -> bool {
        self.keys
            .iter()
            .any(|key| key.env == env && key.name == name)
    }

    /// The newest key that works.
    pub(crate) fn newest(&self, env: usize) -> Option<usize> {
        let works = |key: &Key| key.env == env && key.state == KeyState::Works;
        self.keys.iter().rposition(works)
    }

    /// A new key for the newest one that works, which ends in a day. The new key's name.
    pub(crate) fn rotate(&mut self, env: usize, now: i64) -> Option<String> {
        let old = self.newest(env)?;
        let name = &self.keys[old].name;
        let base = name.split('.').next().expect("a name").to_owned();
        let mut names = (2..).map(|number| format!("{base}.{number}"));
        let name = names.find(|name| !self.has(env, name)).expect("a number");
        self.keys[old].state = KeyState::Until(now + DAY_MS);
        self.add(env, &name);
        Some(name)
    }

    pub(crate) fn set_limit(&mut self, limit: Option<(u32, u32)>) {
        self.limit = limit;
        self.keys.iter_mut().for_each(|key| key.credit = None);
    }

    /// Which key a call comes with, or why it is turned away.
    pub(crate) fn pass(
        &self,
        text: Option<&str>,
        env: usize,
        outside: bool,
        clock: &Clock,
    ) -> Result<usize, Turned> {
        let now = clock.now();
        let turned = |code| Err((code, None));
        let known = |key: &Key| Some(key.text().as_str()) == text;
        let Some(at) = self.keys.iter().position(known) else {
            return turned(ErrorCode::AuthInvalid);
        };
        match self.keys[at].state {
            KeyState::Revoked => return turned(ErrorCode::AuthInvalid),
            KeyState::Until(end) if end <= now => return turned(ErrorCode::AuthInvalid),
            KeyState::Works | KeyState::Until(_) => {}
        }
        if self.keys[at].env != env {
            return turned(ErrorCode::KeyEnvironmentMismatch);
        }
        if self.outside_only && !outside {
            return turned(ErrorCode::IpNotAllowed);
        }
        let Some((each, credit)) = self.credit(at, clock) else {
            return Ok(at);
        };
        if credit < each {
            let wait = (each - credit + SECOND_NS - 1) / SECOND_NS;
            let wait = u32::try_from(wait.max(1)).expect("a short wait");
            return Err((ErrorCode::RateLimited, Some(wait)));
        }
        Ok(at)
    }

    /// What one call costs and what a key has, where there is a limit: a bucket that fills evenly, by the
    /// clock that went further.
    fn credit(&self, at: usize, clock: &Clock) -> Option<(i64, i64)> {
        let (per_second, burst) = self.limit?;
        let each = SECOND_NS / i64::from(per_second);
        let full = each * i64::from(burst.max(1));
        let credit = match self.keys[at].credit {
            None => full,
            Some((credit, since)) => {
                let passed = (clock.now() - since[0]).max(clock.machine - since[1]);
                let earned = passed.saturating_mul(1_000_000);
                credit.saturating_add(earned).min(full)
            }
        };
        Some((each, credit))
    }

    /// A call that was let in takes from its key's limit.
    pub(crate) fn take(&mut self, at: usize, clock: &Clock) {
        if let Some((each, credit)) = self.credit(at, clock) {
            self.keys[at].credit = Some((credit - each, [clock.now(), clock.machine]));
        }
    }
}
