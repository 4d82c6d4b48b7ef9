//! Calls: made in both, and their answers compared.

use std::net::IpAddr;
use std::sync::Arc;

use svc_contract_tests::model::{CallOutcome, Endpoint, Start};
use svc_fixtures::contract::ErrorCode;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::{Body, Call as Request, Header, Headers};

use super::Player;
use super::compare::ENVIRONMENTS;
use super::open::{Asked, Open};
use crate::catalogue::{CARRIED, SENTINEL};
use crate::head::{Expected, is_replay};
use crate::reference::door::{Key, KeyState};
use crate::reference::environment::Given;
use crate::reference::resolve::Resolved;
use crate::reference::{AccessBy, Asks, Call, Plan, ids};
use crate::step::{Carry, Cred, Draw, Twist};

const OUTSIDE: [u8; 4] = [203, 0, 113, 7];

impl<'c> Player<'c> {
    /// The key a call presents; where one is to work there is one.
    fn key(&mut self, env: usize, cred: Cred) -> Result<Option<String>, String> {
        let door = &self.model.door;
        Ok(match cred {
            Cred::Works => {
                if door.newest(env).is_none() {
                    self.add_fresh_key(env)?;
                }
                let door = &self.model.door;
                let newest = door.newest(env).expect("one was added");
                Some(door.keys[newest].text())
            }
            Cred::Any(which) => Some(door.keys[usize::from(which) % door.keys.len()].text()),
            Cred::Ending => {
                let ending = |key: &Key| matches!(key.state, KeyState::Until(_));
                let ending = door.keys.iter().rev().find(|key| ending(key));
                let ending = ending.or(door.keys.last());
                Some(ending.expect("an account has keys").text())
            }
            Cred::Unknown => Some(format!("{}nobody", ENVIRONMENTS[env].key_prefix())),
            Cred::None => None,
        })
    }

    pub(super) fn call(&mut self, draw: &Draw, written: bool) -> Result<(), String> {
        let env = usize::from(draw.live);
        let kinds = &self.model.catalogue.targets[usize::from(draw.target)];
        let template = &kinds[usize::from(draw.kind) % kinds.len()];
        let carried = match template.body.contains(CARRIED) {
            true => self.carried(env, template.step.map(|(flow, _)| flow), draw.carry),
            false => String::new(),
        };
        let mut reference = draw
            .reference
            .checked_sub(1)
            .and_then(crate::instruct::reference);
        // What a later step of a bundle gets from an earlier one is not known here.
        if reference == Some("sequence") && template.runs.iter().any(|run| run.needs.is_some()) {
            reference = None;
        }
        let key = self.key(env, draw.cred)?;
        let call = Call {
            env,
            key,
            outside: draw.outside,
            asks: Asks::Run { template, carried },
            idempotency: draw.key.map(|key| format!("key-{key}")),
            reference,
            spaced: draw.spaced,
            in_force: self.model.in_force,
        };
        self.made.push(call.clone());
        self.make(call, written)
    }

    /// What a later step of a flow carries.
    fn carried(&mut self, env: usize, flow: Option<usize>, carry: Carry) -> String {
        let begun = self.model.environments[env].state.flows.iter().rev();
        let mut begun = begun.filter(|begun| Some(begun.flow) == flow);
        match carry {
            Carry::Issued(which) => match begun.nth(usize::from(which)) {
                Some(begun) => begun.keys[usize::from(which) % begun.keys.len()].clone(),
                None => "nobody-issued-this".to_owned(),
            },
            Carry::Unknown => "nobody-issued-this".to_owned(),
            Carry::Status(status) => format!("status-{status}"),
            Carry::Sentinel => format!("of {SENTINEL}"),
        }
    }

    pub(super) fn again(&mut self, which: u16, twist: Twist) -> Result<(), String> {
        // Mostly one of the latest.
        let latest = self.made.len().min(if which.is_multiple_of(4) {
            usize::MAX
        } else {
            12
        });
        if latest == 0 {
            return Ok(());
        }
        let at = self.made.len() - 1 - usize::from(which) % latest;
        let mut call = self.made[at].clone();
        match twist {
            Twist::None => {}
            Twist::Reference => call.reference = Some("another"),
            Twist::Spaces => call.spaced = !call.spaced,
            Twist::Environment => call.env = 1 - call.env,
            Twist::Body => {
                let Asks::Run { template, carried } = &mut call.asks else {
                    return Ok(());
                };
                // What it had in its place may have carried nothing.
                if carried.is_empty() {
                    "nobody-issued-this".clone_into(carried);
                }
                let target = self.target(template.endpoint);
                *template = &self.model.catalogue.targets[target][1];
            }
        }
        if twist == Twist::Environment
            || self
                .model
                .door
                .keys
                .iter()
                .all(|key| Some(key.text()) != call.key)
        {
            call.key = self.key(call.env, Cred::Works)?;
        }
        self.make(call, true)
    }

    pub(super) fn look_up(&mut self, live: bool, which: u16, cred: Cred) -> Result<(), String> {
        let env = usize::from(live);
        // One in eight is of the other environment, one in sixteen of nobody.
        let of = if which.is_multiple_of(8) {
            1 - env
        } else {
            env
        };
        let records = self.model.environments[of].state.records.iter();
        let ids: Vec<_> = records.filter_map(|record| record.id.clone()).collect();
        let id = match which % 16 == 1 || ids.is_empty() {
            true => "svcv_00000000000000000000000000".to_owned(),
            false => ids[usize::from(which / 16) % ids.len()].clone(),
        };
        let key = self.key(env, cred)?;
        self.make(self.getting(env, key, Asks::LookUp(id)), true)
    }

    pub(super) fn report(&mut self, live: bool) -> Result<(), String> {
        let env = usize::from(live);
        let key = self.key(env, Cred::Works)?;
        self.make(self.getting(env, key, Asks::Report), true)
    }

    fn getting(&self, env: usize, key: Option<String>, asks: Asks<'c>) -> Call<'c> {
        Call {
            env,
            key,
            outside: false,
            asks,
            idempotency: None,
            reference: None,
            spaced: false,
            in_force: self.model.in_force,
        }
    }

    fn make(&mut self, mut call: Call<'c>, written: bool) -> Result<(), String> {
        call.in_force = self.model.in_force;
        let mut plan = self.model.plan(&call);
        // Two answers that are held back to the same instant come in any order: not here.
        while let Plan::Runs { resolved, .. } = &plan
            && resolved.delay_ms > 0
            && self.is_taken(self.deadline(resolved))
        {
            self.real_time(7)?;
            plan = self.model.plan(&call);
        }
        let mut asked = self.ask(&call);
        if !written {
            self.world.journal.refuse_next();
        }
        let reply = self.poll(&mut asked);
        if self.world.journal.has_refused() {
            return self.unwritten(&call, reply);
        }
        match (plan, reply) {
            (
                Plan::Runs {
                    resolved,
                    start,
                    key,
                },
                None,
            ) if resolved.delay_ms > 0 => {
                let deadline = self.deadline(&resolved);
                let (nth, at) = self.begin(&call, key, resolved, start);
                self.note("an answer is held back");
                // Only now does it begin to wait.
                self.real_time_is(self.real_ms);
                self.open.push(Open::HeldBack {
                    asked: Some(asked),
                    call,
                    nth,
                    at,
                    deadline,
                });
                Ok(())
            }
            (Plan::Waits { on, key }, None) => {
                self.note("a call waits for one with its key");
                self.model.door.take(key, &self.model.clock);
                self.open.push(Open::Waits { asked, call, on });
                Ok(())
            }
            (plan, Some(reply)) => self.judge(&call, plan, &reply),
            (_, None) => Err(format!("no answer to {}", call.same())),
        }
    }

    /// Where nothing was written nothing happened, which is compared after every step.
    fn unwritten(&mut self, call: &Call<'c>, reply: Option<Reply>) -> Result<(), String> {
        let reply = reply.ok_or_else(|| format!("no answer to {}", call.same()))?;
        let code = ErrorCode::InternalError;
        Expected::free(500, CallOutcome::Failed(code), None).of_reply(&reply)?;
        self.note("a call was not written");
        self.did();
        Ok(())
    }

    /// When an answer that is held back from now on is given. The runtime's timer may take a
    /// millisecond longer.
    fn deadline(&self, resolved: &Resolved) -> i64 {
        self.real_ms + resolved.delay_ms + 1
    }

    fn ask(&self, call: &Call<'c>) -> Asked {
        let (host, env) = (Arc::clone(&self.world.host), ENVIRONMENTS[call.env]);
        let (method, path, mut body) = (call.method(), call.path(), call.body());
        // Of a body that is no JSON every byte counts.
        let spaced = matches!(call.asks, Asks::Run { template, .. } if template.refused.is_none());
        if call.spaced && spaced {
            body = format!(" {body}\n");
        }
        let bearer = call.key.as_ref().map(|key| format!("Bearer {key}"));
        let (idempotency, reference) = (call.idempotency.clone(), call.reference);
        let peer = IpAddr::from(if call.outside {
            OUTSIDE
        } else {
            [127, 0, 0, 1]
        });
        Box::pin(async move {
            let request = Request {
                environment: env,
                peer,
                method,
                path: &path,
                query: "",
                headers: Headers {
                    authorization: header(bearer.as_deref().map(str::as_bytes)),
                    content_type: Header::One(b"application/json"),
                    content_encoding: Header::Absent,
                    idempotency_key: header(idempotency.as_deref().map(str::as_bytes)),
                    reference_id: header(reference.map(str::as_bytes)),
                    all: None,
                },
                body: Body::Whole(body.as_bytes()),
            };
            host.answer(&request).await
        })
    }

    /// A call begins in the reference: how often it was asked before, and where it stands.
    fn begin(
        &mut self,
        call: &Call<'c>,
        key: usize,
        resolved: Resolved,
        start: Start,
    ) -> (usize, usize) {
        if let Some(claim) = &call.idempotency
            && self.model.environments[call.env]
                .state
                .claims
                .iter()
                .any(|known| known.key == *claim)
        {
            self.note("a key that lapsed is used anew");
        }
        if start.resumes.is_some() {
            self.note("a second call ends a bundle");
        }
        self.model.door.take(key, &self.model.clock);
        let nth = self.model.asked(call);
        (nth, self.model.begin(call, resolved, start))
    }

    /// Compares an answer with what was planned, and books it.
    pub(super) fn judge(
        &mut self,
        call: &Call<'c>,
        plan: Plan,
        reply: &Reply,
    ) -> Result<(), String> {
        let foreseen = self.judged(call, plan, reply);
        foreseen.map_err(|why| format!("{} of {}: {why}", call.same(), call.env))
    }

    fn judged(&mut self, call: &Call<'c>, plan: Plan, reply: &Reply) -> Result<(), String> {
        let breaks = matches!(&plan, Plan::Runs { resolved, .. } if resolved.breaks);
        if reply.wire.is_some() != breaks {
            return Err(format!("that it breaks on the wire is {breaks}: {reply:?}"));
        }
        if breaks {
            self.note("an answer broke on the wire");
        }
        match plan {
            Plan::Refused { .. } => self.refused(call, &plan, reply),
            Plan::LookUp { record, key } => {
                self.note("a look-up found something");
                self.did();
                self.model.door.take(key, &self.model.clock);
                self.looked(call.env, &reply.body, AccessBy::LookUp);
                let body = self.model.environments[call.env].body(record);
                let found = (reply.status, reply.replay, Some(&reply.body));
                match found == (200, false, body) {
                    true => Ok(()),
                    false => Err(format!("not the newest envelope {body:?}: {reply:?}")),
                }
            }
            Plan::Report { key } => {
                self.did();
                self.model.door.take(key, &self.model.clock);
                let id = Expected::free(200, CallOutcome::Completed, None).of_reply(reply)?;
                let nth = self.model.asked(call);
                self.check_id(&format!("{}#{nth}", self.model.content(call)), &id)?;
                self.check_report(call.env, &reply.body)?;
                self.model
                    .refused(call, given(reply), CallOutcome::Completed, &id);
                Ok(())
            }
            Plan::Replay { answer, key } => {
                self.did();
                *self.answers.entry((reply.status, None, true)).or_default() += 1;
                self.model.door.take(key, &self.model.clock);
                self.looked(call.env, &reply.body, AccessBy::Replay);
                is_replay(reply, self.model.environments[call.env].answer(answer))
            }
            Plan::Runs { resolved, .. } if resolved.delay_ms > 0 => {
                Err("it was answered at once, and should be held back".to_owned())
            }
            Plan::Runs {
                resolved,
                start,
                key,
            } => {
                let (nth, at) = self.begin(call, key, resolved, start);
                self.concluded(call, nth, at, reply)
            }
            Plan::Waits { .. } => Err("it was answered, and should wait".to_owned()),
        }
    }

    /// A call that is refused, and leaves a record where its key was right.
    fn refused(&mut self, call: &Call<'c>, plan: &Plan, reply: &Reply) -> Result<(), String> {
        let &Plan::Refused {
            status,
            code,
            retry_after,
            recorded,
            key,
        } = plan
        else {
            unreachable!("it is called with a refusal");
        };
        let expected = Expected::free(status, CallOutcome::Failed(code), retry_after);
        let id = expected.of_reply(reply)?;
        *self.answers.entry((status, Some(code), false)).or_default() += 1;
        if let Some(key) = key {
            self.model.door.take(key, &self.model.clock);
        }
        if recorded {
            let nth = self.model.asked(call);
            self.check_id(&format!("{}#{nth}", self.model.content(call)), &id)?;
            let outcome = CallOutcome::Failed(code);
            self.model.refused(call, given(reply), outcome, &id);
        }
        Ok(())
    }

    /// A call that was executed gets its first answer.
    pub(super) fn concluded(
        &mut self,
        call: &Call<'c>,
        nth: usize,
        at: usize,
        reply: &Reply,
    ) -> Result<(), String> {
        let now = self.model.clock.now();
        let environment = &mut self.model.environments[call.env];
        let outcome = environment.conclude(at, now);
        let expected = Expected::of(environment, at, &outcome);
        let id = expected.of_reply(reply)?;
        let code = match outcome {
            CallOutcome::Failed(code) => Some(code),
            _ => None,
        };
        let answer = (expected.status, code, false);
        *self.answers.entry(answer).or_default() += 1;
        let endpoint = self.model.environments[call.env].state.verifications[at].endpoint;
        let target = self.target(endpoint);
        self.executed[target] += 1;
        self.did();
        self.check_ids(call, nth, at, (&id, &reply.body))?;
        self.model.answered(call, at, given(reply));
        self.note_answer(call, endpoint, &id);
        Ok(())
    }

    /// The place of what is called among the catalogue's targets.
    fn target(&self, endpoint: Endpoint) -> usize {
        match endpoint {
            Endpoint::Operation(at) => at.0,
            Endpoint::Bundle(at) => self.model.catalogue.contract.operations.len() + at.0,
        }
    }

    fn check_ids(
        &mut self,
        call: &Call<'c>,
        nth: usize,
        at: usize,
        seen: (&str, &[u8]),
    ) -> Result<(), String> {
        let content = self.model.content(call);
        let state = &self.model.environments[call.env].state;
        let it = &state.verifications[at];
        let of = |record: Option<usize>| state.records[record?].id.clone();
        let mut before = vec![of(it.record)];
        let run = it.steps.iter().filter(|step| !step.waits);
        before.extend(run.map(|step| of(step.record)));
        let found = ids(seen.1);
        if found.len() > 1 && found.len() != before.len() {
            return Err(format!(
                "{} steps, not {}",
                found.len() - 1,
                before.len() - 1
            ));
        }
        for (place, (found, before)) in found.iter().zip(before).enumerate() {
            match before {
                Some(before) if before == *found => {}
                Some(before) => return Err(format!("{found} was {before}")),
                None => self.check_id(&format!("{content}#{nth}/{place}"), found)?,
            }
        }
        Ok(())
    }

    /// The same content always has the same id, and no other content ever has it.
    fn check_id(&mut self, content: &str, id: &str) -> Result<(), String> {
        let content = content.strip_suffix("/0").unwrap_or(content);
        match self.ids.get(content) {
            Some(known) if known == id => Ok(()),
            Some(known) => Err(format!("the id of {content} was {known} and is {id}")),
            None if !self.known.insert(id.to_owned()) => {
                Err(format!("{id} of {content} was another call's"))
            }
            None => {
                self.ids.insert(content.to_owned(), id.to_owned());
                Ok(())
            }
        }
    }
}

fn given(reply: &Reply) -> Given {
    Given {
        status: reply.status,
        retry_after: reply.retry_after_s,
        body: reply.body.clone(),
    }
}

fn header(text: Option<&[u8]>) -> Header<'_> {
    text.map_or(Header::Absent, Header::One)
}
