//! `run --dry-run`: what would be sent and what it can cost at most. Sends nothing.

use std::io::{self, Write};

use svc_fixtures::contract::{Environment, Paise};

use crate::check;
use crate::plan::Setting;
use crate::run::Filter;
use crate::spend::Estimate;

/// Prints the plan of a run.
pub(super) fn print(
    mut out: impl Write,
    setting: &Setting<'_>,
    filter: &Filter,
    budget: &str,
) -> io::Result<()> {
    let mut estimate = Estimate::default();
    let mut checks = check::all();
    checks.sort_by_key(|check| check.stage);
    for check in checks
        .iter()
        .filter(|check| filter.allows_check(check, setting))
    {
        estimate.add(setting, check.id, &filter.cases(check, setting));
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
    writeln!(out, "{budget}")?;
    writeln!(out, "nothing was sent")
}
