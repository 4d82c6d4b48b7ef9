//! `run --dry-run`: what would be sent and what it can cost at most. Sends nothing.

use std::collections::BTreeSet;
use std::io::{self, Write};

use svc_fixtures::contract::{Environment, Paise};

use crate::check;
use crate::plan::Setting;
use crate::run::Filter;
use crate::spend::{Estimate, PricedCase, SpendPlan};

/// Prints the plan of a run.
pub(super) fn print(
    mut out: impl Write,
    setting: &Setting<'_>,
    filter: &Filter,
    plan: Option<&SpendPlan>,
    budget: &str,
) -> io::Result<()> {
    let mut estimate = Estimate::default();
    let (mut operations, mut clauses) = (BTreeSet::new(), BTreeSet::new());
    let mut checks = check::all();
    checks.sort_by_key(|check| check.stage);
    for check in checks
        .iter()
        .filter(|check| filter.allows_check(check, setting))
    {
        let mut cases = filter.cases(check, setting);
        cases.retain(|case| {
            let why_not = plan.and_then(|plan| plan.why_not(check.id, &case.name));
            why_not.is_none()
        });
        let paid = cases.iter();
        let paid = paid.filter(|case| PricedCase::of(setting, check.id, case).most > Paise::ZERO);
        for case in paid {
            operations.extend(case.operation.clone());
            clauses.extend(case.clauses());
        }
        estimate.add(setting, check.id, &cases);
    }
    writeln!(
        out,
        "{:<40} {:<11} {:>7} {:>12} {:>12}",
        "check", "environment", "calls", "dearest INR", "at most INR"
    )?;
    for row in &estimate.rows {
        let (dearest, most) = (row.dearest.to_string(), row.most.to_string());
        writeln!(
            out,
            "{:<40} {:<11} {:>7} {dearest:>12} {most:>12}",
            row.check,
            row.environment.to_string(),
            row.calls
        )?;
    }
    writeln!(out)?;
    let mut ceiling = Paise::ZERO;
    for environment in Environment::ALL {
        let (calls, paid, most) = estimate.total(environment);
        if calls > 0 {
            writeln!(
                out,
                "{environment}: {calls} calls, {paid} of them can cost something, {most} INR at most"
            )?;
            ceiling = ceiling.checked_add(most).unwrap_or(Paise(i64::MAX));
        }
    }
    writeln!(out, "\nceiling: {ceiling} INR, each call counted once")?;
    if let Some(plan) = plan {
        let (operations, clauses) = (operations.len(), clauses.len());
        writeln!(
            out,
            "paid calls judge {operations} operations by {clauses} clauses; {} cases are left out as too dear",
            plan.left_out()
        )?;
    }
    writeln!(out, "{budget}")?;
    writeln!(out, "nothing was sent")
}
