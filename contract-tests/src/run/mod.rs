//! The runner: check after check, captured, then judged. Tells what happens as events; prints nothing.

mod event;

use crate::capture::{Capture, CapturedCase};
use crate::check::Check;
use crate::client::Client;
use crate::plan::{Case, Setting};
use crate::target::Target;
use crate::verdict;
pub use event::{Event, Judged, Outcome, Summary};

/// Which of the cases are run.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those about this operation, or about operations below it.
    pub operation: Option<String>,
    /// Only those of checks whose id begins so.
    pub check: Option<String>,
}

impl Filter {
    /// Whether a check is run at all.
    #[must_use]
    pub fn lets_check(&self, check: &Check) -> bool {
        self.check
            .as_ref()
            .is_none_or(|wanted| check.id.starts_with(wanted.as_str()))
    }

    fn lets_case(&self, case: &Case) -> bool {
        let Some(wanted) = &self.operation else {
            return true;
        };
        let below = |id: &str| {
            id.strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        case.operation.as_deref().is_some_and(below)
    }

    /// The cases of a check that are run.
    #[must_use]
    pub fn cases(&self, check: &Check, setting: &Setting<'_>) -> Vec<Case> {
        let mut cases = check.cases(setting);
        cases.retain(|case| self.lets_case(case));
        cases
    }
}

/// Runs checks and judges them, the harmless ones first; answers what was captured.
pub async fn run<T: Target>(
    setting: &Setting<'_>,
    checks: &[Check],
    filter: &Filter,
    client: &Client<'_, T>,
    tell: &mut dyn FnMut(&Event),
) -> (Capture, Summary) {
    let mut checks: Vec<_> = checks
        .iter()
        .filter(|check| filter.lets_check(check))
        .collect();
    checks.sort_by_key(|check| check.stage);
    let total = checks.len();
    tell(&Event::Began {
        checks: total,
        seed: setting.seed.clone(),
    });
    let (mut captured, mut summary) = (Vec::new(), Summary::default());
    for check in checks {
        let cases = filter.cases(check, setting);
        let exchanges = capture(check, &cases, client).await;
        let judged = judge(setting, check, &cases, &exchanges);
        summary.count(&judged);
        captured.extend(exchanges);
        let lost = judged.unreachable.is_some();
        tell(&Event::Judged(judged));
        // Whoever does not answer once would make the rest of the run wait for nothing.
        if lost {
            summary.skipped = total - summary.passed - summary.failed;
            break;
        }
    }
    tell(&Event::Ended(summary));
    (capture_of(setting, captured), summary)
}

/// Sends the cases of a check.
pub async fn capture<T: Target>(
    check: &Check,
    cases: &[Case],
    client: &Client<'_, T>,
) -> Vec<CapturedCase> {
    let mut captured = Vec::new();
    for case in cases {
        captured.push(client.capture(check.id, case).await);
    }
    captured
}

/// A capture of these cases in this setting.
#[must_use]
pub fn capture_of(setting: &Setting<'_>, cases: Vec<CapturedCase>) -> Capture {
    Capture {
        seed: setting.seed.clone(),
        environments: setting.environments.clone(),
        extensions: setting.extensions,
        http: setting.http,
        capabilities: setting.capabilities.clone(),
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
) -> Judged {
    let mut findings = Vec::new();
    let mine: Vec<_> = captured
        .iter()
        .filter(|captured| captured.check == check.id)
        .collect();
    for case in cases {
        let Some(found) = mine.iter().find(|captured| captured.case == case.name) else {
            continue;
        };
        findings.extend(verdict::judge(setting, case, found));
    }
    let exchanges = || mine.iter().flat_map(|captured| &captured.exchanges);
    let unreachable =
        exchanges().find_map(|exchange| exchange.response.as_ref().err().map(ToString::to_string));
    Judged {
        check: check.id,
        title: check.title,
        cases: mine.len(),
        requests: exchanges().count(),
        findings,
        unreachable,
    }
}

/// Judges a capture again. Nothing is sent.
#[must_use]
pub fn judge_again(setting: &Setting<'_>, checks: &[Check], capture: &Capture) -> Vec<Judged> {
    let mut checks: Vec<_> = checks.iter().collect();
    checks.sort_by_key(|check| check.stage);
    let judged = checks
        .into_iter()
        .map(|check| judge(setting, check, &check.cases(setting), &capture.cases));
    judged.filter(|judged| judged.cases > 0).collect()
}
