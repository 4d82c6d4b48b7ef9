//! Calls that are not answered yet: answers held back, and calls that wait for one with their key.

use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use svc_contract_tests::model::Phase;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::state::ids::VerificationId;
use svc_simulator::engine::state::verification::{Answer, Verification};

use super::Player;
use crate::head::{Expected, is_replay};
use crate::reference::environment::Given;
use crate::reference::{AccessBy, Call};

/// A call on its way.
pub(super) type Asked = Pin<Box<dyn Future<Output = Reply> + Send>>;

/// A call that is not answered yet.
pub(super) enum Open<'c> {
    /// Its answer is held back until some real time has passed. Its client may have gone away.
    HeldBack {
        asked: Option<Asked>,
        call: Call<'c>,
        nth: usize,
        at: usize,
        deadline: i64,
    },
    /// It waits for the one that runs under its key.
    Waits {
        asked: Asked,
        call: Call<'c>,
        on: usize,
    },
    /// It was held back when its account was set back: it is answered and leaves no trace.
    Orphaned {
        asked: Option<Asked>,
        expected: Expected,
        deadline: i64,
        /// What those that waited for it were answered.
        replayed: Option<Bytes>,
    },
}

impl<'c> Open<'c> {
    fn deadline(&self) -> Option<i64> {
        match self {
            Open::HeldBack { deadline, .. } | Open::Orphaned { deadline, .. } => Some(*deadline),
            Open::Waits { .. } => None,
        }
    }
}

fn poll(runtime: &tokio::runtime::Runtime, asked: &mut Asked) -> Option<Reply> {
    runtime.block_on(std::future::poll_fn(|context| {
        Poll::Ready(match asked.as_mut().poll(context) {
            Poll::Ready(reply) => Some(reply),
            Poll::Pending => None,
        })
    }))
}

impl<'c> Player<'c> {
    /// The answer to a call, where it is there.
    pub(super) fn poll(&self, asked: &mut Asked) -> Option<Reply> {
        poll(&self.world.runtime, asked)
    }

    /// Whether an answer is held back to just this moment of real time.
    pub(super) fn is_taken(&self, deadline: i64) -> bool {
        self.open
            .iter()
            .any(|open| open.deadline() == Some(deadline))
    }

    /// Real time passes; answers that were held back come one after the other.
    pub(super) fn real_time(&mut self, ms: i64) -> Result<(), String> {
        let until = self.real_ms + ms;
        loop {
            let deadlines = self.open.iter().enumerate();
            let deadlines = deadlines.filter_map(|(at, open)| Some((open.deadline()?, at)));
            let Some((deadline, at)) = deadlines.min().filter(|(at, _)| *at <= until) else {
                break;
            };
            self.real_time_is(deadline);
            let open = self.open.remove(at);
            self.given(open)?;
            // What was held back for longer than its result takes is overdue by now.
            self.settle()?;
            self.poll_waiting()?;
        }
        self.real_time_is(until);
        Ok(())
    }

    /// It is this late; whatever can go on does.
    pub(super) fn real_time_is(&mut self, at: i64) {
        let by = u64::try_from(at - self.real_ms).expect("time goes on");
        self.real_ms = at;
        self.world.runtime.block_on(async {
            if by > 0 {
                tokio::time::advance(Duration::from_millis(by)).await;
            }
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
        });
    }

    /// An answer that was held back is due.
    fn given(&mut self, open: Open<'c>) -> Result<(), String> {
        let late = || {
            let open = super::compare::ENVIRONMENTS.map(|environment| {
                self.world.cell.read(|account| {
                    let open = account.environment(environment).verifications.open();
                    open.map(|it| it.phase).collect::<Vec<_>>()
                })
            });
            format!("an answer was held back for too long: {open:?}")
        };
        match open {
            Open::HeldBack {
                asked,
                call,
                nth,
                at,
                ..
            } => {
                let reply = match asked {
                    Some(mut asked) => self.poll(&mut asked).ok_or_else(late)?,
                    // Nobody took it, but the call log has it.
                    None => self.logged(&call, at).ok_or_else(late)?,
                };
                self.note("an answer that was held back was given");
                self.concluded(&call, nth, at, &reply)
                    .map_err(|why| format!("held back, {}: {why}", call.same()))
            }
            Open::Orphaned {
                asked,
                expected,
                replayed,
                ..
            } => {
                let Some(mut asked) = asked else {
                    return Ok(());
                };
                let reply = self.poll(&mut asked).ok_or_else(late)?;
                self.note("a call in flight at a reset was answered");
                expected.of_reply(&reply)?;
                match replayed.is_none_or(|replayed| replayed == reply.body) {
                    true => Ok(()),
                    false => Err("those that waited were answered something else".to_owned()),
                }
            }
            Open::Waits { .. } => Err("a call that waits is not held back".to_owned()),
        }
    }

    /// The answer that nobody took, as the call log has it: the line of that endpoint that is new, or
    /// that of the bundle which the call goes on with.
    fn logged(&self, call: &Call<'c>, at: usize) -> Option<Reply> {
        let environment = &self.model.environments[call.env];
        let own = environment.id(at).and_then(VerificationId::parse);
        let state = &environment.state;
        let ids = state.records.iter().filter_map(|record| record.id.as_ref());
        let known: Vec<_> = ids.filter_map(|id| VerificationId::parse(id)).collect();
        let endpoint = state.verifications[at].endpoint;
        let endpoint = endpoint.name(&self.model.catalogue.contract);
        self.world.cell.read(|account| {
            let environment = super::compare::ENVIRONMENTS[call.env];
            let verifications = &account.environment(environment).verifications;
            let new = |(it, _): &(&Verification, &Answer)| {
                *it.endpoint == *endpoint && !known.contains(&it.id)
            };
            let (_, answer) = match own {
                Some(own) => verifications.answered(own),
                None => verifications.log().filter(new).last(),
            }?;
            let mut reply = Reply::plain(answer.status, answer.envelope.clone());
            reply.retry_after_s = (answer.status == 503).then_some(1);
            Some(reply)
        })
    }

    /// Calls that wait are answered once those they wait for are, and not before.
    pub(super) fn poll_waiting(&mut self) -> Result<(), String> {
        let mut at = 0;
        while at < self.open.len() {
            let Open::Waits { asked, call, on } = &mut self.open[at] else {
                at += 1;
                continue;
            };
            let (given, env) = (self.model.waited(call, *on).cloned(), call.env);
            match (poll(&self.world.runtime, asked), given) {
                (Some(reply), Some(given)) => {
                    self.open.remove(at);
                    self.note("a call that waited was answered");
                    is_replay(&reply, &given)?;
                    self.looked(env, &reply.body, AccessBy::Replay);
                }
                (None, None) => at += 1,
                (None, Some(_)) => return Err(format!("it waits for nobody: {}", call.same())),
                (Some(reply), None) => {
                    return Err(format!("it should wait: {}: {reply:?}", call.same()));
                }
            }
        }
        Ok(())
    }

    pub(super) fn give_up(&mut self, which: u16) {
        let at = usize::from(which) % self.open.len().max(1);
        match self.open.get_mut(at) {
            Some(Open::HeldBack { asked, .. } | Open::Orphaned { asked, .. }) => {
                *asked = None;
                self.note("a client went away");
                self.did();
            }
            Some(Open::Waits { .. }) => {
                self.open.remove(at);
            }
            None => {}
        }
    }

    /// The account is set back: what is in flight is answered as it would have been.
    pub(super) fn reset(&mut self) -> Result<(), String> {
        let model = self.model.clone();
        let now = model.clock.now();
        let (mut orphaned, mut waiting) = (Vec::new(), Vec::new());
        for open in std::mem::take(&mut self.open) {
            match open {
                Open::HeldBack {
                    asked,
                    call,
                    at,
                    deadline,
                    ..
                } => {
                    let mut environment = model.environments[call.env].clone();
                    let phase = environment.state.verifications[at].phase;
                    debug_assert_eq!(phase, Phase::Delayed);
                    let outcome = environment.conclude(at, now);
                    let expected = Expected::of(&environment, at, &outcome);
                    orphaned.push((call, self.open.len()));
                    self.open.push(Open::Orphaned {
                        asked,
                        expected,
                        deadline,
                        replayed: None,
                    });
                }
                Open::Waits { asked, call, .. } => waiting.push((asked, call)),
                other => self.open.push(other),
            }
        }
        let _in_runtime = self.world.runtime.enter();
        let done = self.world.host.reset(&self.world.cell);
        done.map_err(|error| error.to_string())?;
        drop(_in_runtime);
        self.model.reset();
        self.did();
        self.answered_at_reset(waiting, &orphaned)
    }

    /// Those that waited for a call in flight at a reset get its answer, as a replay.
    fn answered_at_reset(
        &mut self,
        waiting: Vec<(Asked, Call<'c>)>,
        orphaned: &[(Call<'c>, usize)],
    ) -> Result<(), String> {
        for (mut asked, call) in waiting {
            let reply = self.poll(&mut asked);
            let reply = reply.ok_or("a call waits for one that a reset ended")?;
            let same = |(of, _): &&(Call<'c>, usize)| {
                (of.env, &of.idempotency) == (call.env, &call.idempotency)
            };
            let (_, place) = orphaned.iter().find(same).ok_or("it waited for nobody")?;
            self.note("a call that waited at a reset was answered");
            let Some(Open::Orphaned {
                expected, replayed, ..
            }) = self.open.get_mut(*place)
            else {
                return Err("it waited for nobody".to_owned());
            };
            expected.of_body(&reply.body)?;
            let given = Given {
                status: expected.status,
                retry_after: expected.retry_after,
                body: replayed.get_or_insert(reply.body.clone()).clone(),
            };
            is_replay(&reply, &given)?;
        }
        Ok(())
    }
}
