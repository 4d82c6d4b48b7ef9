//! What checks call broken in a service.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use svc_contract_tests::capture::Capture;
use svc_contract_tests::check;
use svc_contract_tests::client::Client;
use svc_contract_tests::event::Event;
use svc_contract_tests::plan::Setting;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::target::Target;
use svc_contract_tests::verdict::Verdict;

/// Check, case and clause.
pub(crate) type Broken = BTreeSet<(&'static str, String, String)>;

/// What checks found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) broken: Broken,
    /// The clauses that hold somewhere.
    pub(crate) held: BTreeSet<String>,
    /// The cases of which something was not judged.
    pub(crate) not_judged: BTreeSet<String>,
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// Everything.
    All,
    /// One check, and of it what has to do with the clause and the operation, where they are named.
    Check {
        id: &'static str,
        clause: Option<&'static str>,
        operation: Option<&'static str>,
    },
}

/// What checks find by this client, so many cases at once, and what was captured.
pub(crate) async fn judge<T: Target>(
    setting: &Setting<'_>,
    client: &Client<'_, T>,
    asked: Asked,
    jobs: usize,
) -> (Found, Capture) {
    let (mut checks, mut filter) = (check::all(), Filter::default());
    if let Asked::Check {
        id,
        clause,
        operation,
    } = asked
    {
        checks.retain(|it| it.id == id);
        filter.clauses = clause.into_iter().map(str::to_owned).collect();
        filter.operations = operation.into_iter().map(str::to_owned).collect();
    }
    let mut found = Found::default();
    let mut emit = |event: &mut Event| {
        let Event::CheckFinished(result) = event else {
            return;
        };
        for finding in &result.findings {
            let case = finding.case.clone();
            match &finding.verdict {
                Verdict::Broken { clause, .. } => {
                    found.broken.insert((result.check, case, clause.clone()))
                }
                Verdict::Held { clause } => found.held.insert(clause.clone()),
                Verdict::NotJudged { .. } => found.not_judged.insert(case),
                Verdict::Noted { .. } => false,
            };
        }
    };
    let limits = RunLimits {
        jobs: NonZeroUsize::new(jobs).expect("more than none"),
        ..RunLimits::default()
    };
    let (capture, _) = run::run(setting, &checks, &filter, limits, client, &mut emit).await;
    (found, capture)
}
