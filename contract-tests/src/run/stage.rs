//! The checks of one stage: their cases are captured and judged as they come, and reported check by check
//! in order.

use std::cell::{Cell, RefCell};

use futures_util::stream::{self, StreamExt as _};
use tokio::sync::RwLock;

use super::asked::PlannedCheck;
use super::judged::{also, before, judge_case, unjudged};
use super::room::{self, Room};
use super::stop::{EarlyEnd, Patience, StopReason};
use super::{RunLimits, clauses, settled, tries};
use crate::capture::CapturedCase;
use crate::check::Check;
use crate::client::Client;
use crate::event::{CheckResult, Event, Totals};
use crate::plan::{Access, Case, Setting};
use crate::spend;
use crate::target::Target;
use crate::verdict::{Finding, Verdict, WholeRun};

/// A run: what its cases share.
pub(super) struct RunUnderWay<'r, 'c, T> {
    setting: &'r Setting<'c>,
    client: &'r Client<'c, T>,
    limits: RunLimits,
    halt: StopReason,
    /// The account of a key that was given: cases share it, and one that can't has it alone.
    account: RwLock<()>,
    /// Whether answers are so long that one case at a time is enough.
    one_by_one: Cell<bool>,
    /// What is judged whatever case shows it.
    whole_run: RefCell<WholeRun>,
    for_capture: RefCell<Room>,
    for_evidence: RefCell<Room>,
}

/// What a run has come to so far.
pub(super) struct SoFar<'e> {
    pub(super) captured: Vec<CapturedCase>,
    pub(super) totals: Totals,
    pub(super) emit: &'e mut dyn FnMut(&mut Event),
}

/// A check of the stage, and what became of its cases so far.
struct CheckUnderWay<'p> {
    planned: &'p PlannedCheck<'p>,
    cases: Vec<CaseUnderWay>,
    unreachable: RefCell<Option<String>>,
}

/// What became of a case so far.
#[derive(Default)]
struct CaseUnderWay {
    begun: Cell<bool>,
    outcome: RefCell<Option<Outcome>>,
}

/// Whether other cases of the account are under way meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Others,
    Nobody,
}

/// What became of a case.
enum Outcome {
    Judged(Box<CheckResult>, Vec<CapturedCase>),
    NotSent(String),
}

impl<'r, 'c, T: Target> RunUnderWay<'r, 'c, T> {
    pub(super) fn new(
        setting: &'r Setting<'c>,
        client: &'r Client<'c, T>,
        limits: RunLimits,
    ) -> Self {
        RunUnderWay {
            setting,
            client,
            limits,
            halt: StopReason::default(),
            account: RwLock::new(()),
            one_by_one: Cell::new(false),
            whole_run: RefCell::default(),
            for_capture: RefCell::new(Room::of(limits.kept_bytes)),
            for_evidence: RefCell::new(Room::of_evidence()),
        }
    }

    /// Runs the checks of a stage; none of it is under way any more when this comes back.
    pub(super) async fn stage<F: Future<Output = EarlyEnd>>(
        &self,
        stage: &[PlannedCheck<'_>],
        patience: &mut Patience<'_, F>,
        so_far: &mut SoFar<'_>,
    ) {
        let checks: Vec<_> = stage.iter().map(CheckUnderWay::of).collect();
        let cases = checks.iter().flat_map(|check| {
            let cases = check.planned.cases.iter().zip(&check.cases);
            cases.map(move |(case, under_way)| self.case(check, case, under_way))
        });
        let mut running = stream::iter(cases).buffer_unordered(self.limits.jobs.get());
        for check in &checks {
            let planned = check.planned;
            (so_far.emit)(&mut Event::CheckStarted {
                check: planned.check.id,
                cases: planned.cases.len(),
            });
            while !check.is_over() {
                let Some(done) = patience.next(&self.halt, running.next()).await else {
                    break;
                };
                if let Some(judged) = done {
                    (so_far.emit)(&mut Event::CaseFinished(judged));
                }
            }
            let (result, captured) = self.result(check);
            so_far.captured.extend(captured);
            let mut event = Event::CheckFinished(result);
            (so_far.emit)(&mut event);
            if let Event::CheckFinished(judged) = event {
                so_far.totals.count(&judged);
                self.halt
                    .note(&judged, so_far.totals, self.limits.max_failures);
            }
        }
    }

    /// Captures and judges a case, unless the run was halted; answers what was found.
    async fn case(
        &self,
        check: &CheckUnderWay<'_>,
        case: &Case,
        under_way: &CaseUnderWay,
    ) -> Option<CheckResult> {
        let one_account = self.client.has_one_account(case.environment);
        let alone = self.one_by_one.get() || one_account && case.access() == Access::Alone;
        let at_first = match alone {
            true => Beside::Nobody,
            false => Beside::Others,
        };
        let mut turn = (at_first, Vec::new());
        let outcome = loop {
            match self.in_turn(check, case, under_way, turn).await {
                Ok(outcome) => break outcome,
                Err(disturbed) => turn = (Beside::Nobody, disturbed),
            }
        };
        let judged = match &outcome {
            Outcome::Judged(judged, _) => Some(CheckResult::clone(judged)),
            Outcome::NotSent(_) => None,
        };
        under_way.outcome.replace(Some(outcome));
        check.unreachable.replace(self.halt.unreachable());
        judged
    }

    /// What becomes of a case when it is its turn; its tries where it is to be asked by itself.
    async fn in_turn(
        &self,
        check: &CheckUnderWay<'_>,
        case: &Case,
        under_way: &CaseUnderWay,
        (beside, disturbed): (Beside, Vec<CapturedCase>),
    ) -> Result<Outcome, Vec<CapturedCase>> {
        let (_alone, _shared) = match beside {
            Beside::Nobody => (Some(self.account.write().await), None),
            Beside::Others => (None, Some(self.account.read().await)),
        };
        if let Some(stop) = self.client.guard().stopped() {
            self.halt.because(&stop.to_string());
        }
        if let Some(why) = self.halt.why() {
            return Ok(Outcome::NotSent(why));
        }
        under_way.begun.set(true);
        self.captured(check.planned.check, case, (beside, disturbed))
            .await
    }

    async fn captured(
        &self,
        check: &Check,
        case: &Case,
        (beside, disturbed): (Beside, Vec<CapturedCase>),
    ) -> Result<Outcome, Vec<CapturedCase>> {
        let guard = self.client.guard();
        // What was paid for before the run was broken off is not paid for again.
        if let Some(found) = settled::found(guard, check, case) {
            let judged = before(check, case, found);
            return Ok(Outcome::Judged(Box::new(judged), Vec::new()));
        }
        let (setting, client) = (self.setting, self.client);
        let mut tries = tries::capture(setting, check, case, client, &self.halt, disturbed).await;
        self.halt.hear(&tries);
        if room::is_large(&tries) {
            self.one_by_one.set(true);
        }
        let all: Vec<_> = tries.iter().collect();
        let mut judged = judge_case(self.setting, check, case, &all);
        // What was tried beside others was looked at then.
        for one in tries.iter().filter(|one| !one.disturbed) {
            let found = self.whole_run.borrow_mut().take(self.setting, one);
            also(&mut judged, found, one);
        }
        if beside == Beside::Others && self.is_met_by_others(case, &judged) {
            tries.iter_mut().for_each(|one| one.disturbed = true);
            return Err(tries);
        }
        if guard.has_budget() && settled::is_over(self.setting, case, &tries) {
            guard.done(check.id, &case.name, settled::of(&judged.findings));
        }
        let mut room = self.for_evidence.borrow_mut();
        room.keep_requests(&mut judged.evidence);
        let tries = self.for_capture.borrow_mut().keep(tries);
        Ok(Outcome::Judged(Box::new(judged), tries))
    }

    /// Whether what is broken may be what cases of one account do to each other: of a flow that several begin for one
    /// number a service may keep the newest alone, as OTPs are sent. What a service breaks it breaks by itself, too.
    fn is_met_by_others(&self, case: &Case, judged: &CheckResult) -> bool {
        let are_others =
            self.limits.jobs.get() > 1 && self.client.has_one_account(case.environment);
        let mut steps = case.steps.iter().map(|step| &step.request);
        let goes_on = steps.any(|request| request.method == "POST" && !request.carries.is_empty());
        let mut findings = judged.findings.iter();
        let is_broken = findings.any(|it| matches!(it.verdict, Verdict::Broken { .. }));
        let price = spend::most_of_case(self.setting, case);
        are_others && goes_on && is_broken && self.client.guard().covers(price)
    }

    /// What became of a check, whose cases are over or are not waited for any more.
    fn result(&self, check: &CheckUnderWay<'_>) -> (CheckResult, Vec<CapturedCase>) {
        let mut result = unjudged(check.planned.check);
        result.not_asked = check.planned.not_asked.map(str::to_owned);
        let (mut captured, mut unsent, mut left) = (Vec::new(), None, Vec::new());
        for (case, under_way) in check.planned.cases.iter().zip(&check.cases) {
            let halted = || self.halt.why().unwrap_or_default();
            let why = match under_way.outcome.take() {
                Some(Outcome::Judged(judged, tries)) => {
                    result.add(*judged);
                    captured.extend(tries);
                    continue;
                }
                Some(Outcome::NotSent(why)) => format!("not sent: {why}"),
                None if under_way.begun.get() => format!("not over: {}", halted()),
                None => format!("not sent: {}", halted()),
            };
            unsent.get_or_insert(Finding {
                case: case.name.clone(),
                step: 0,
                verdict: Verdict::NotJudged { why },
            });
            left.push(case);
        }
        result.findings.extend(unsent);
        result.open.extend(clauses::expected(left));
        result.unreachable = check.unreachable.take();
        (result, captured)
    }
}

impl<'p> CheckUnderWay<'p> {
    fn of(planned: &'p PlannedCheck<'p>) -> Self {
        let cases = planned.cases.iter();
        CheckUnderWay {
            planned,
            cases: cases.map(|_| CaseUnderWay::default()).collect(),
            unreachable: RefCell::default(),
        }
    }

    fn is_over(&self) -> bool {
        let mut cases = self.cases.iter();
        cases.all(|case| case.outcome.borrow().is_some())
    }
}
