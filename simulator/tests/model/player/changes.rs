//! What whoever runs the simulator changes, and what a person says: done in both.

use std::sync::Arc;

use jiff::SignedDuration;
use svc_contract_tests::model::{CLAIM_MS, Phase};
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::consent::ConsentDecision;
use svc_simulator::engine::state::access::RateLimit;
use svc_simulator::engine::state::account::Account;
use svc_simulator::engine::state::clock::AccountClock;
use svc_simulator::engine::state::entry::Change;
use svc_simulator::engine::state::ids::VerificationId;
use svc_simulator::engine::state::manage::{self, ChangeRefusal};
use svc_simulator::host::ChangeError;
use svc_simulator::host::clock_move::{ClockMoveError, ClockTarget};
use svc_simulator::scenario::WebhookConfig;

use super::Player;
use super::compare::ENVIRONMENTS;
use crate::instruct::{EDITED, edited, number_of};
use crate::reference::door::{DAY_MS, KeyState};
use crate::step::{Cred, Draw, Goal, Step};
use crate::world::{ACCOUNT, SECRET, instant};

/// The most a wallet holds, in paise.
const MOST: i64 = 100_000_000_000_000;
const NETWORK: &str = "203.0.113.0/24";

impl Player<'_> {
    /// Changes the account; says whether it was refused.
    fn host_change(
        &self,
        env: usize,
        change: impl FnOnce(&Account) -> Result<Vec<Change>, ChangeRefusal>,
    ) -> Result<Option<ChangeRefusal>, String> {
        let _in_runtime = self.world.runtime.enter();
        let (host, cell) = (&self.world.host, &self.world.cell);
        match host.change(cell, ENVIRONMENTS[env], |account, _| change(account)) {
            Ok(()) => Ok(None),
            Err(ChangeError::Refused(refused)) => Ok(Some(refused)),
            Err(error) => Err(error.to_string()),
        }
    }

    fn refused_as(
        &mut self,
        found: Option<ChangeRefusal>,
        foreseen: Option<ChangeRefusal>,
    ) -> Result<(), String> {
        match foreseen {
            Some(_) => self.note("a change was refused"),
            None => self.did(),
        }
        same(found, foreseen)
    }

    pub(super) fn change(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::MachineGoesOn { ms } => {
                self.world.machine_goes_on(*ms);
                self.model.clock.machine += ms;
                self.did();
                Ok(())
            }
            Step::Freeze => self.set_clock(AccountClock::frozen, true),
            Step::LetRun => self.set_clock(AccountClock::running, false),
            Step::TopUp { live, paise } => self.top_up(usize::from(*live), *paise),
            Step::SetBalance { live, paise } => self.set_balance(usize::from(*live), *paise),
            Step::Rotate { live } => self.rotate(usize::from(*live)),
            Step::Revoke { which } => self.revoke(usize::from(*which)),
            Step::AddKey { live, number } => {
                let name = format!("model-more{number}");
                let [refused, foreseen] = self.add_key(usize::from(*live), &name)?;
                self.refused_as(refused, foreseen)
            }
            Step::Limit(limit) => {
                let set = limit.map(|(per_second, burst)| RateLimit { per_second, burst });
                let refused = self.host_change(0, |_| Ok(manage::set_rate_limit(set)))?;
                self.model.door.set_limit(*limit);
                self.refused_as(refused, None)
            }
            Step::Allowlist { outside_only } => {
                let network = NETWORK.parse().expect("a network");
                let networks = if *outside_only {
                    vec![network]
                } else {
                    Vec::new()
                };
                let refused = self.host_change(0, |_| Ok(manage::set_allowlist(networks)))?;
                self.model.door.outside_only = *outside_only;
                self.refused_as(refused, None)
            }
            Step::Register { live, registered } => {
                let env = usize::from(*live);
                let config = registered.then(|| WebhookConfig {
                    url: super::compare::URLS[env].into(),
                    secret: SECRET.into(),
                });
                let refused = self.host_change(env, |_| Ok(manage::set_webhook(config)))?;
                self.model.environments[env].registered = *registered;
                self.refused_as(refused, None)
            }
            Step::Receiver { status } => {
                self.world.receiver.answers(*status);
                self.model.receiver = *status;
                self.did();
                Ok(())
            }
            other => Err(format!("{other:?} is no change")),
        }
    }

    fn set_clock(
        &mut self,
        set: impl FnOnce(&AccountClock, jiff::Timestamp) -> AccountClock,
        freezes: bool,
    ) -> Result<(), String> {
        let _in_runtime = self.world.runtime.enter();
        let shown = self.world.host.set_clock(&self.world.cell, set);
        let shown = shown.map_err(|error| error.to_string())?;
        match freezes {
            true => self.model.clock.freeze(),
            false => self.model.clock.let_run(),
        }
        self.did();
        match shown == instant(self.model.clock.now()) {
            true => Ok(()),
            false => Err(format!("the clock shows {shown}")),
        }
    }

    fn top_up(&mut self, env: usize, paise: i64) -> Result<(), String> {
        let environment = ENVIRONMENTS[env];
        let refused = self.host_change(env, |account| {
            manage::top_up(account, environment, Paise(paise))
        })?;
        let state = &mut self.model.environments[env].state;
        let foreseen = (state.balance().0 + paise > MOST).then_some(ChangeRefusal::TooMuch);
        if foreseen.is_none() {
            state.topped_up.0 += paise;
        }
        self.refused_as(refused, foreseen)
    }

    fn set_balance(&mut self, env: usize, paise: i64) -> Result<(), String> {
        let environment = ENVIRONMENTS[env];
        let refused = self.host_change(env, |account| {
            manage::set_balance(account, environment, Paise(paise))
        })?;
        let state = &mut self.model.environments[env].state;
        let foreseen = match paise {
            _ if paise < state.held().0 => Some(ChangeRefusal::BelowHeld { held: state.held() }),
            _ if paise > MOST => Some(ChangeRefusal::TooMuch),
            _ => None,
        };
        if foreseen.is_none() {
            state.topped_up = Paise(paise + state.charged().0);
        }
        self.refused_as(refused, foreseen)
    }

    fn rotate(&mut self, env: usize) -> Result<(), String> {
        let rotated = {
            let _in_runtime = self.world.runtime.enter();
            let (host, cell) = (&self.world.host, &self.world.cell);
            host.rotate_key(cell, ENVIRONMENTS[env])
        };
        let name = self.model.door.rotate(env, self.model.clock.now());
        let until = instant(self.model.clock.now() + DAY_MS);
        match (rotated, name) {
            (Ok(rotation), Some(name))
                if rotation.key.name() == name && rotation.until == until =>
            {
                self.did();
                Ok(())
            }
            (Err(ChangeError::Refused(ChangeRefusal::NoActiveKey)), None) => {
                self.note("a change was refused");
                Ok(())
            }
            (found, foreseen) => {
                let found = found.map(|rotation| rotation.key.name().to_owned());
                Err(format!("rotated: foreseen {foreseen:?}, found {found:?}"))
            }
        }
    }

    fn revoke(&mut self, which: usize) -> Result<(), String> {
        let at = which % self.model.door.keys.len();
        let key = &mut self.model.door.keys[at];
        key.state = KeyState::Revoked;
        let (env, text) = (key.env, key.text());
        let refused = self.host_change(env, |account| manage::revoke_key(account, &text))?;
        self.refused_as(refused, None)
    }

    /// Copies the account and deletes it: from now on the copy is looked at, which must be all that the account was.
    /// The next copy is called as the account was before: what was asked under that name is still counted.
    pub(super) fn move_to_copy(&mut self, draw: &Draw) -> Result<(), String> {
        // Calls that are held back stay with the original.
        if !self.open.is_empty() {
            return Ok(());
        }
        let next_of_sequence = Draw {
            cred: Cred::Works,
            kind: 0,
            key: None,
            reference: 1 + number_of("sequence"),
            ..draw.clone()
        };
        let asked_under_each_name = Draw {
            live: false,
            outside: false,
            target: 0,
            reference: 0,
            ..next_of_sequence.clone()
        };
        self.call(&asked_under_each_name, true)?;
        self.call(&next_of_sequence, true)?;
        let names = [ACCOUNT, "model-copy"];
        let other = names
            .into_iter()
            .find(|name| **name != **self.world.cell.id());
        let name: Arc<str> = other.expect("one of two names").into();
        let deleted = {
            let _in_runtime = self.world.runtime.enter();
            let copy = self.world.host.fork(&self.world.cell, &name);
            let copy = copy.map_err(|error| error.to_string())?;
            let deleted = std::mem::replace(&mut self.world.cell, copy);
            let done = self.world.host.delete(&deleted);
            done.map_err(|error| error.to_string())?;
            deleted
        };
        self.model.is_copied_as(&name);
        self.did();
        let known = self
            .world
            .host
            .directory()
            .known(deleted.id(), self.world.host.now());
        match known {
            None => self.compare(true)?,
            Some(_) => return Err(format!("{} is deleted and known", deleted.id())),
        }
        self.call(&next_of_sequence, true)?;
        self.call(&asked_under_each_name, true)
    }

    /// Edits scenarios: a rule comes where it is not, and goes where it is. The next call asks for what it is about.
    pub(super) fn edit(&mut self, own: bool, draw: &Draw) -> Result<(), String> {
        let (host, cell) = (&self.world.host, &self.world.cell);
        let in_force = &mut self.model.in_force[usize::from(!own)];
        *in_force = !*in_force;
        let edited = match (own, *in_force) {
            (true, true) => host
                .add_scenarios(cell, &edited(true))
                .map_or_else(|error| Err(error.to_string()), |_| Ok(())),
            (true, false) => match host.remove_scenarios(cell, None) {
                Ok(true) => Ok(()),
                removed => Err(format!("there was a file: {removed:?}")),
            },
            (false, more) => {
                let more = if more { edited(false) } else { String::new() };
                let files = self.stage.scenarios(&more);
                let replaced = host.replace_scenarios(&files);
                replaced.map_or_else(|problems| Err(problems.to_string()), |_| Ok(()))
            }
        };
        edited?;
        self.did();
        self.call(
            &Draw {
                cred: Cred::Works,
                reference: 1 + number_of(EDITED[usize::from(!own)]),
                ..draw.clone()
            },
            true,
        )
    }

    /// Adds a key; says whether it was refused, and whether it should be.
    fn add_key(&mut self, env: usize, name: &str) -> Result<[Option<ChangeRefusal>; 2], String> {
        let added = {
            let _in_runtime = self.world.runtime.enter();
            let (host, cell) = (&self.world.host, &self.world.cell);
            host.add_key(cell, ENVIRONMENTS[env], name)
        };
        let exists = self.model.door.has(env, name);
        if !exists {
            self.model.door.add(env, name);
        }
        let refused = match added {
            Ok(_) => None,
            Err(ChangeError::Refused(refused)) => Some(refused),
            Err(error) => return Err(error.to_string()),
        };
        Ok([refused, exists.then_some(ChangeRefusal::KeyExists)])
    }

    /// A key of a name that is free.
    pub(super) fn add_fresh_key(&mut self, env: usize) -> Result<(), String> {
        let mut names = (0..).map(|number| format!("model-fresh{number}"));
        let name = names.find(|name| !self.model.door.has(env, name));
        let [refused, foreseen] = self.add_key(env, &name.expect("a number"))?;
        same(refused, foreseen)
    }

    pub(super) fn move_clock(&mut self, goal: Goal) -> Result<(), String> {
        let (now, model) = (self.model.clock.now(), &self.model);
        let to = match goal {
            Goal::By(ms) => now + ms,
            Goal::Due(off) => model.due().map_or(now, |due| due + off),
            Goal::Lapse { which, off } => {
                let claims = model
                    .environments
                    .iter()
                    .flat_map(|environment| environment.state.claims.iter().rev().take(2));
                let claim = claims.map(|claim| claim.at).nth(usize::from(which));
                claim.map_or(now, |at| at + CLAIM_MS + off)
            }
            Goal::KeyEnd { which, off } => {
                let ends = model.door.keys.iter().filter_map(|key| match key.state {
                    KeyState::Until(end) => Some(end),
                    _ => None,
                });
                ends.rev()
                    .nth(usize::from(which))
                    .map_or(now, |end| end + off)
            }
            Goal::Back => now - 1,
        };
        if to > now {
            self.did();
        }
        if to >= now {
            return self.move_to(to, true);
        }
        if !matches!(goal, Goal::Back) {
            return Ok(());
        }
        let (host, cell) = (&self.world.host, &self.world.cell);
        let moved = host.move_clock(cell, ClockTarget::At(instant(to)));
        match self.world.runtime.block_on(moved) {
            Err(ClockMoveError::PastInstant { now: shown }) if shown == instant(now) => {
                self.note("a clock did not go back");
                Ok(())
            }
            other => Err(format!("a clock went back: {other:?}")),
        }
    }

    /// One of the verifications, the latest first: environment and place.
    fn choose(&self, which: u16, fits: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        let all = (0..2).flat_map(|env| {
            let count = self.model.environments[env].state.verifications.len();
            (0..count).rev().map(move |at| (env, at))
        });
        let fitting: Vec<_> = all.filter(|&(env, at)| fits(env, at)).collect();
        let nth = usize::from(which) % fitting.len().max(1);
        fitting.get(nth).copied()
    }

    fn id(&self, env: usize, at: usize) -> Option<VerificationId> {
        VerificationId::parse(self.model.environments[env].id(at)?)
    }

    /// Mostly one that waits for somebody; any other one in four.
    fn chosen(&self, which: u16, person: bool) -> Option<(usize, usize, VerificationId)> {
        let contract = &self.model.catalogue.contract;
        let fits = |env: usize, at: usize| {
            let it = &self.model.environments[env].state.verifications[at];
            let row = &contract.operations[it.steps[0].operation];
            let asks = row
                .pending
                .as_ref()
                .is_some_and(|row| row.by_consent.is_some());
            matches!(it.phase, Phase::Pending(_)) && (!person || asks)
        };
        let known = |env: usize, at: usize| self.id(env, at).is_some();
        let one = match which % 4 {
            0 => None,
            _ => self.choose(which / 4, fits),
        };
        let (env, at) = one.or_else(|| self.choose(which / 4, known))?;
        Some((env, at, self.id(env, at)?))
    }

    pub(super) fn consent(&mut self, which: u16, allow: bool) -> Result<(), String> {
        let Some((env, at, id)) = self.chosen(which, true) else {
            return Ok(());
        };
        let said = {
            let _in_runtime = self.world.runtime.enter();
            let (host, cell) = (&self.world.host, &self.world.cell);
            let said = if allow {
                ConsentDecision::Allow
            } else {
                ConsentDecision::Refuse
            };
            host.consent(cell, ENVIRONMENTS[env], id, said)
        };
        let said = said.map_err(|error| error.to_string())?.is_some();
        let foreseen = self.model.consent(env, at, allow);
        self.note(match (foreseen, allow) {
            (true, true) => "a person said yes",
            (true, false) => "a person said no",
            (false, _) => "a link led nowhere",
        });
        if foreseen {
            self.did();
        }
        match said == foreseen {
            true => Ok(()),
            false => Err(format!(
                "consent to {id}: foreseen {foreseen}, found {said}"
            )),
        }
    }

    pub(super) fn end_now(&mut self, which: u16) -> Result<(), String> {
        let Some((env, at, id)) = self.chosen(which, false) else {
            return Ok(());
        };
        let ended = {
            let _in_runtime = self.world.runtime.enter();
            let (host, cell) = (&self.world.host, &self.world.cell);
            host.end_now(cell, ENVIRONMENTS[env], id)
        };
        let ended = ended.map_err(|error| error.to_string())?;
        let foreseen = self.model.end_now(env, at);
        if foreseen {
            self.note("a result was brought by hand");
            self.did();
        }
        match ended == foreseen {
            true => Ok(()),
            false => Err(format!("ending {id}: foreseen {foreseen}, found {ended}")),
        }
    }

    pub(super) fn redeliver(&mut self, which: u16) -> Result<(), String> {
        let environments = self.model.environments.iter().enumerate();
        let all =
            environments.flat_map(|(env, own)| (0..own.deliveries.len()).map(move |at| (env, at)));
        let all: Vec<_> = all.collect();
        let Some(&(env, at)) = all.get(usize::from(which) % all.len().max(1)) else {
            let none = VerificationId::NONE;
            let refused = self.host_change(0, |account| {
                manage::redeliver(account, ENVIRONMENTS[0], none)
            })?;
            return self.refused_as(refused, Some(ChangeRefusal::UnknownDelivery));
        };
        let now = self.model.clock.now();
        let delivery = &mut self.model.environments[env].deliveries[at];
        let id = VerificationId::parse(&delivery.verification).expect("an id");
        delivery.ask(now);
        self.note("a delivery was asked for again");
        let refused = self.host_change(env, |account| {
            manage::redeliver(account, ENVIRONMENTS[env], id)
        })?;
        self.refused_as(refused, None)
    }
}

fn same(found: Option<ChangeRefusal>, foreseen: Option<ChangeRefusal>) -> Result<(), String> {
    match found == foreseen {
        true => Ok(()),
        false => Err(format!("a change: foreseen {foreseen:?}, found {found:?}")),
    }
}

/// The time a receiver's signature says: the machine's.
pub(super) fn real_seconds(machine_ms: i64) -> i64 {
    SignedDuration::from_millis(machine_ms).as_secs()
}
