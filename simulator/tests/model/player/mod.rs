//! Lives a life in the simulator and in the reference, step by step, and compares them after each.

mod audit;
mod calls;
mod changes;
mod compare;
mod open;

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use svc_fixtures::contract::ErrorCode;

use crate::reference::{Call, Happened, Model};
use crate::step::Step;
use crate::world::{ACCOUNT, START_MS, Stage, World};
use open::Open;

/// A life being lived.
pub(crate) struct Player<'c> {
    stage: &'c Stage,
    world: World,
    model: Model<'c>,
    /// Calls that were made, for those that are made again.
    made: Vec<Call<'c>>,
    /// Calls that are not answered yet.
    open: Vec<Open<'c>>,
    /// How much real time has passed, in milliseconds.
    real_ms: i64,
    /// Which id each content has, and all ids.
    ids: HashMap<String, String, FixedState>,
    known: HashSet<String, FixedState>,
    /// What was done, by its name.
    pub(crate) tally: HashMap<&'static str, u64, FixedState>,
    /// How calls were answered.
    pub(crate) answers: HashMap<(u16, Option<ErrorCode>, bool), u64, FixedState>,
    /// How often each target was executed.
    pub(crate) executed: Vec<u64>,
    steps: u64,
    /// The kind of the step that is being made.
    doing: &'static str,
}

impl<'c> Player<'c> {
    pub(crate) fn new(stage: &'c Stage) -> Self {
        Player {
            stage,
            world: World::new(stage),
            model: Model::new(&stage.catalogue, ACCOUNT, START_MS),
            made: Vec::new(),
            open: Vec::new(),
            real_ms: 0,
            ids: HashMap::default(),
            known: HashSet::default(),
            tally: HashMap::default(),
            answers: HashMap::default(),
            executed: vec![0; stage.catalogue.targets.len()],
            steps: 0,
            doing: "",
        }
    }

    fn note(&mut self, what: &'static str) {
        *self.tally.entry(what).or_default() += 1;
    }

    /// The step that is being made was not in vain.
    fn did(&mut self) {
        self.note(self.doing);
    }

    /// One step in both, and all comparisons.
    pub(crate) fn play(&mut self, step: &Step) -> Result<(), String> {
        self.steps += 1;
        self.doing = name(step);
        if !KINDS.contains(&self.doing) {
            return Err(format!("{} must be one of KINDS", self.doing));
        }
        match step {
            Step::Call(draw) => self.call(draw, true)?,
            Step::Unwritten(draw) => self.call(draw, false)?,
            Step::Again { which, twist } => self.again(*which, *twist)?,
            Step::LookUp { live, which, cred } => self.look_up(*live, *which, *cred)?,
            Step::Report { live } => self.report(*live)?,
            Step::Move(goal) => self.move_clock(*goal)?,
            Step::RealTime { ms } => {
                self.real_time(*ms as i64)?;
                self.did();
            }
            Step::GiveUp { which } => self.give_up(*which),
            Step::Consent { which, allow } => self.consent(*which, *allow)?,
            Step::EndNow { which } => self.end_now(*which)?,
            Step::Redeliver { which } => self.redeliver(*which)?,
            Step::Reset => self.reset()?,
            Step::MoveToCopy(draw) => self.move_to_copy(draw)?,
            Step::Edit { own, draw } => self.edit(*own, draw)?,
            other => self.change(other)?,
        }
        self.settle()?;
        self.poll_waiting()?;
        self.compare(self.steps.is_multiple_of(50))
    }

    /// The end of a life: everything is compared once more.
    pub(crate) fn ends(&mut self) -> Result<(), String> {
        self.real_time(100_000)?;
        self.settle()?;
        self.poll_waiting()?;
        if !self.open.is_empty() {
            return Err(format!("{} calls were never answered", self.open.len()));
        }
        self.compare(true)
    }

    /// Does what is due by now in both.
    fn settle(&mut self) -> Result<(), String> {
        let now = self.model.clock.now();
        if self.model.due().is_some_and(|due| due <= now) {
            self.move_to(now, false)?;
        }
        match self.world.receiver.take().is_empty() {
            true => Ok(()),
            false => Err("something was sent that was not due".to_owned()),
        }
    }

    /// Moves both clocks there and compares what happened on the way; the order only where nothing
    /// was overdue.
    fn move_to(&mut self, to: i64, in_order: bool) -> Result<(), String> {
        let target = svc_simulator::host::clock_move::ClockTarget::At(crate::world::instant(to));
        let (host, cell) = (&self.world.host, &self.world.cell);
        let moved = self.world.runtime.block_on(host.move_clock(cell, target));
        let moved = moved.map_err(|error| error.to_string())?;
        let mut foreseen = self.model.pass_until(to);
        self.note_happened(&foreseen);
        let mut postings = self.world.receiver.take();
        self.check_postings(&foreseen, &mut postings, in_order)?;
        if in_order {
            let mut found = moved.events.iter().filter_map(compare::happened);
            foreseen.iter_mut().for_each(Happened::forget_posted);
            let same = foreseen
                .iter()
                .all(|one| found.next().as_ref() == Some(one));
            if !same || found.next().is_some() {
                let found = &moved.events;
                return Err(format!("on the way foreseen {foreseen:?}, found {found:?}"));
            }
        }
        Ok(())
    }

    fn note_happened(&mut self, happened: &[Happened]) {
        for one in happened {
            self.note(match one {
                Happened::Ended { .. } => "a result came when it was due",
                Happened::Attempted { posted: false, .. } => "an attempt had nowhere to go",
                Happened::Attempted { status: None, .. } => "an attempt met silence",
                Happened::Attempted {
                    status: Some(200..=299),
                    ..
                } => "an attempt was taken",
                Happened::Attempted { .. } => "an attempt failed",
            });
        }
    }
}

/// All kinds of steps, as they are tallied when one was not in vain.
pub(crate) const KINDS: [&str; 26] = [
    "step call",
    "step unwritten",
    "step again",
    "step look-up",
    "step report",
    "step move",
    "step machine goes on",
    "step real time",
    "step give up",
    "step freeze",
    "step let run",
    "step top up",
    "step set balance",
    "step rotate",
    "step revoke",
    "step add key",
    "step limit",
    "step allowlist",
    "step register",
    "step receiver",
    "step consent",
    "step end now",
    "step redeliver",
    "step reset",
    "step move to copy",
    "step edit",
];

fn name(step: &Step) -> &'static str {
    match step {
        Step::Call(_) => "step call",
        Step::Unwritten(_) => "step unwritten",
        Step::Again { .. } => "step again",
        Step::LookUp { .. } => "step look-up",
        Step::Report { .. } => "step report",
        Step::Move(_) => "step move",
        Step::MachineGoesOn { .. } => "step machine goes on",
        Step::RealTime { .. } => "step real time",
        Step::GiveUp { .. } => "step give up",
        Step::Freeze => "step freeze",
        Step::LetRun => "step let run",
        Step::TopUp { .. } => "step top up",
        Step::SetBalance { .. } => "step set balance",
        Step::Rotate { .. } => "step rotate",
        Step::Revoke { .. } => "step revoke",
        Step::AddKey { .. } => "step add key",
        Step::Limit(_) => "step limit",
        Step::Allowlist { .. } => "step allowlist",
        Step::Register { .. } => "step register",
        Step::Receiver { .. } => "step receiver",
        Step::Consent { .. } => "step consent",
        Step::EndNow { .. } => "step end now",
        Step::Redeliver { .. } => "step redeliver",
        Step::Reset => "step reset",
        Step::MoveToCopy(_) => "step move to copy",
        Step::Edit { .. } => "step edit",
    }
}
