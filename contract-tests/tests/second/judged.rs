//! What checks call broken in a service.

use std::collections::BTreeSet;

use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::Event;
use svc_contract_tests::plan::Setting;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::target::Target;
use svc_contract_tests::verdict::Verdict;

/// Check, case and clause.
pub(crate) type Broken = BTreeSet<(&'static str, String, String)>;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    /// Everything.
    All,
    /// One check, and of it what has to do with the clause and the operation that are named.
    Check {
        id: &'static str,
        clause: &'static str,
        operation: Option<&'static str>,
    },
}

/// What checks call broken.
pub(crate) async fn broken<T: Target>(
    setting: &Setting<'_>,
    target: &T,
    keys: Keyring,
    asked: Asked,
) -> Broken {
    let client = Client::new(target, keys, setting);
    let (mut checks, mut filter) = (check::all(), Filter::default());
    if let Asked::Check {
        id,
        clause,
        operation,
    } = asked
    {
        checks.retain(|it| it.id == id);
        filter.clauses = vec![clause.to_owned()];
        filter.operations = operation.into_iter().map(str::to_owned).collect();
    }
    let mut broken = Broken::new();
    let mut emit = |event: &mut Event| {
        let Event::CheckFinished(result) = event else {
            return;
        };
        for finding in &result.findings {
            if let Verdict::Broken { clause, .. } = &finding.verdict {
                broken.insert((result.check, finding.case.clone(), clause.clone()));
            }
        }
    };
    let limits = RunLimits::default();
    run::run(setting, &checks, &filter, limits, &client, &mut emit).await;
    broken
}
