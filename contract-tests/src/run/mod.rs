//! The runner: check after check, captured, then judged. Emits events; prints nothing.

mod clauses;
mod filter;
mod order;
mod tries;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use futures_util::stream::{self, StreamExt as _};

use crate::capture::{Capture, CapturedCase};
use crate::check::Check;
use crate::client::Client;
use crate::event::{CheckResult, Event, RunStarted, Totals};
use crate::plan::{Case, Setting};
use crate::target::Target;
use crate::verdict::{self, Finding, Verdict};
pub use clauses::{clauses, rows};
pub use filter::{Filter, Tag};
pub use order::Order;
use svc_fixtures::contract::Environment;
use tries::Silence;

/// How much of a run happens at once, in which order, and when it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// How many checks are run at once; the cases of each come one after the other.
    pub jobs: NonZeroUsize,
    /// After how many failed checks no further one is begun.
    pub max_failures: Option<NonZeroUsize>,
    /// What comes first among equally harmless checks, and among the cases of a check.
    pub order: Order,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits {
            jobs: NonZeroUsize::MIN,
            max_failures: None,
            order: Order::Listed,
        }
    }
}

/// Runs checks and judges them, the harmless ones first; answers what was captured and the totals.
/// Every event goes to `emit`, which may mark known deviations in it: the totals count them as known.
///
/// However many checks run at once, their events come in the order of the registry, and no check
/// begins before all of the stages before its own are over.
pub async fn run<T: Target>(
    setting: &Setting<'_>,
    checks: &[Check],
    filter: &Filter,
    limits: RunLimits,
    client: &Client<'_, T>,
    emit: &mut dyn FnMut(&mut Event),
) -> (Capture, Totals) {
    let rows = clauses(setting, checks, filter);
    let chosen = checks
        .iter()
        .filter(|check| filter.allows_check(check, setting));
    let mut checks: Vec<_> = chosen.collect();
    let (order, seed) = (limits.order, setting.seed.as_str());
    order.put(seed, &mut checks, |check| check.id);
    checks.sort_by_key(|check| check.stage);
    let address = |environment| Some((environment, client.address(environment)?));
    emit(&mut Event::RunStarted(RunStarted {
        checks: checks.len(),
        seed: setting.seed.clone(),
        addresses: Environment::ALL.into_iter().filter_map(address).collect(),
        console: client.console(),
        clauses: rows,
    }));
    let halt = StopReason::default();
    let (mut captured, mut totals) = (Vec::new(), Totals::default());
    for stage in checks.chunk_by(|one, next| one.stage == next.stage) {
        let cases = |check: &Check| {
            let mut cases = filter.cases(check, setting);
            order.put(seed, &mut cases, |case| &case.name);
            cases
        };
        let planned: Vec<_> = stage.iter().map(|check| (*check, cases(check))).collect();
        let all = planned.iter();
        let all = all.map(|(check, cases)| examine(setting, check, cases, client, &halt));
        let mut done = stream::iter(all).buffered(limits.jobs.get());
        for (check, cases) in &planned {
            emit(&mut Event::CheckStarted {
                check: check.id,
                cases: cases.len(),
            });
            let Some((judged, exchanges)) = done.next().await else {
                break;
            };
            captured.extend(exchanges);
            let mut event = Event::CheckFinished(judged);
            emit(&mut event);
            let Event::CheckFinished(judged) = event else {
                continue;
            };
            totals.count(&judged);
            halt.note(&judged, totals, limits.max_failures);
        }
    }
    emit(&mut Event::RunFinished(totals));
    (capture_of(setting, captured), totals)
}

/// Captures and judges one check. Where the run was halted, what is left of it is skipped: a check
/// of which nothing was sent has a result like the others.
async fn examine<T: Target>(
    setting: &Setting<'_>,
    check: &Check,
    cases: &[Case],
    client: &Client<'_, T>,
    halt: &StopReason,
) -> (CheckResult, Vec<CapturedCase>) {
    let mut captured = Vec::new();
    let (mut sent, mut unsent) = (0, None);
    for case in cases {
        if let Some(stop) = client.guard().stopped() {
            halt.because(&stop.to_string());
        }
        unsent = halt.why();
        if unsent.is_some() {
            break;
        }
        sent += 1;
        let most = halt.silence.borrow().tries();
        let tries = tries::capture(setting, check, case, client, most).await;
        halt.hear(&tries);
        captured.extend(tries);
    }
    let mut judged = judge(setting, check, cases, &captured);
    judged.unreachable = halt.unreachable();
    if let Some(why) = unsent {
        let left = &cases[sent..];
        judged.findings.push(Finding {
            case: left[0].name.clone(),
            step: 0,
            verdict: Verdict::NotJudged {
                why: format!("not sent: {why}"),
            },
        });
        judged.open.extend(clauses::expected(left));
    }
    (judged, captured)
}

/// Why no further case is sent, once there is a reason. The first reason is the one that is reported.
#[derive(Debug, Default)]
struct StopReason {
    reason: OnceCell<String>,
    silence: RefCell<Silence>,
    unreachable: OnceCell<String>,
}

impl StopReason {
    fn because(&self, why: &str) {
        self.reason.get_or_init(|| why.to_owned());
    }

    /// Takes in the tries of a case; a service that is silent would make the rest wait for nothing.
    fn hear(&self, tries: &[CapturedCase]) {
        if let Some(why) = self.silence.borrow_mut().take(tries) {
            self.because(&format!("the service did not answer: {why}"));
            self.unreachable.get_or_init(|| why);
        }
    }

    /// Why the service counts as unreachable, where it does.
    fn unreachable(&self) -> Option<String> {
        let so_far = || self.silence.borrow().so_far();
        self.unreachable.get().cloned().or_else(so_far)
    }

    /// Whether a run ends after this check.
    fn note(&self, last: &CheckResult, totals: Totals, most: Option<NonZeroUsize>) {
        if let Some(why) = &last.unreachable {
            self.because(&format!("the service did not answer: {why}"));
        }
        if let Some(most) = most.filter(|most| totals.failed >= most.get()) {
            self.because(&format!("{most} checks failed before"));
        }
    }

    fn why(&self) -> Option<String> {
        self.reason.get().cloned()
    }
}

/// A capture of these cases in this setting.
#[must_use]
pub fn capture_of(setting: &Setting<'_>, cases: Vec<CapturedCase>) -> Capture {
    Capture {
        seed: setting.seed.clone(),
        environments: setting.environments.clone(),
        profile: setting.profile,
        http: setting.http,
        capabilities: setting.capabilities.clone(),
        local: false,
        cases,
    }
}

/// Judges what was captured of a check.
#[must_use]
pub fn judge(
    setting: &Setting<'_>,
    check: &Check,
    cases: &[Case],
    captured: &[CapturedCase],
) -> CheckResult {
    let (mut findings, mut open) = (Vec::new(), BTreeSet::new());
    let mut evidence = Vec::new();
    let mine = captured
        .iter()
        .filter(|captured| captured.check == check.id);
    let mine: Vec<_> = mine.collect();
    for case in cases {
        let tries = mine.iter().filter(|captured| captured.case == case.name);
        let tries: Vec<_> = tries.copied().collect();
        let verdicts = verdict::judge_tries(setting, case, &tries);
        open.extend(left_open(case, &verdicts));
        let broken = |finding: &Finding| matches!(finding.verdict, Verdict::Broken { .. });
        if verdicts.iter().any(broken) {
            // The last one first: most of what is broken was found there.
            evidence.extend(tries.into_iter().rev().cloned());
        }
        findings.extend(verdicts);
    }
    CheckResult {
        check: check.id,
        title: check.title,
        cases: mine.iter().filter(|captured| captured.try_ == 0).count(),
        requests: mine.iter().map(|captured| captured.exchanges.len()).sum(),
        findings,
        open,
        evidence,
        unreachable: None,
    }
}

/// The clauses that a case was to judge and did not: those expected of a skipped step and, where the
/// case could not go on, of the steps behind it.
fn left_open(case: &Case, findings: &[Finding]) -> BTreeSet<String> {
    let skipped = findings
        .iter()
        .filter(|it| matches!(it.verdict, Verdict::NotJudged { .. }));
    let skipped: BTreeSet<usize> = skipped.map(|finding| finding.step).collect();
    let last = findings.last().map_or(0, |finding| finding.step);
    let mut open = BTreeSet::new();
    for (at, step) in case.steps.iter().enumerate() {
        if skipped.contains(&at) || (at > last && !skipped.is_empty()) {
            open.extend(step.expect.iter().map(|expected| expected.clause.clone()));
        }
    }
    open
}

/// Judges a capture again. Nothing is sent.
#[must_use]
pub fn judge_again(setting: &Setting<'_>, checks: &[Check], capture: &Capture) -> Vec<CheckResult> {
    let mut checks: Vec<_> = checks.iter().collect();
    checks.sort_by_key(|check| check.stage);
    let mut silence = Silence::default();
    let judged = checks.into_iter().map(|check| {
        let mut judged = judge(setting, check, &check.cases(setting), &capture.cases);
        let mine = capture.cases.iter().filter(|one| one.check == check.id);
        let heard: Vec<_> = mine
            .filter_map(|one| silence.take(std::slice::from_ref(one)))
            .collect();
        judged.unreachable = heard.into_iter().next().or_else(|| silence.so_far());
        judged
    });
    judged.filter(|judged| judged.cases > 0).collect()
}

/// The captured cases that this version has no plan for: nobody can judge them.
#[must_use]
pub fn unplanned<'c>(
    setting: &Setting<'_>,
    checks: &[Check],
    capture: &'c Capture,
) -> Vec<&'c CapturedCase> {
    let names = |check: &'_ Check| {
        let (id, cases) = (check.id.to_owned(), check.cases(setting));
        cases.into_iter().map(move |case| (id.clone(), case.name))
    };
    let planned: BTreeSet<_> = checks.iter().flat_map(names).collect();
    let name = |case: &CapturedCase| (case.check.clone(), case.case.clone());
    let unknown = |case: &&CapturedCase| case.try_ == 0 && !planned.contains(&name(case));
    capture.cases.iter().filter(unknown).collect()
}
