//! `run --dry-run`: what would be sent and what it can cost at most. Sends nothing.

use std::collections::BTreeSet;
use std::io::{self, Write};

use svc_fixtures::contract::{Bundle, Environment, Paise};

use crate::check;
use crate::plan::Setting;
use crate::report::counted;
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
    let mut paid = Vec::new();
    let mut checks = check::all();
    checks.sort_by_key(|check| check.stage);
    for check in checks
        .iter()
        .filter(|check| filter.allows_check(check, setting))
    {
        let mut cases = filter.cases(check, setting);
        cases.retain(|case| {
            let sent = plan.map(|plan| plan.sends(check.id, &case.name));
            sent.unwrap_or(true)
        });
        for case in &cases {
            let priced = PricedCase::of(setting, check.id, case);
            if priced.most > Paise::ZERO {
                operations.extend(case.operation.clone());
                clauses.extend(case.clauses());
                paid.push(priced);
            }
        }
        estimate.add(setting, check.id, &cases);
    }
    table(&mut out, &estimate)?;
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
        list(&mut out, &paid)?;
        writeln!(
            out,
            "paid calls judge {} by {}; {} left out as too dear",
            judged(setting, &operations),
            counted(clauses.len(), "clause"),
            match plan.left_out() {
                1 => "1 case is".to_owned(),
                many => format!("{many} cases are"),
            }
        )?;
        if plan.settled() > 0 {
            writeln!(
                out,
                "{} cases were paid for before: they count and are not sent again",
                plan.settled()
            )?;
        }
    }
    writeln!(out, "{budget}")?;
    writeln!(out, "nothing was sent")
}

/// The operations and bundles among these, counted.
fn judged(setting: &Setting<'_>, endpoints: &BTreeSet<String>) -> String {
    let bundles = setting.contract.bundles.iter().map(Bundle::endpoint);
    let bundles = bundles.filter(|it| endpoints.contains(it)).count();
    let operations = counted(endpoints.len() - bundles, "operation");
    match bundles {
        0 => operations,
        _ => format!("{operations} and {}", counted(bundles, "bundle")),
    }
}

/// The cases that cost something, as a run with this budget would send them.
fn list(out: &mut impl Write, paid: &[PricedCase]) -> io::Result<()> {
    if !paid.is_empty() {
        writeln!(out, "\npaid cases, by what they can cost at most (INR)")?;
    }
    for case in paid {
        let most = case.most.to_string();
        writeln!(out, "{most:>8}  {}: {}", case.check, case.case)?;
    }
    writeln!(out)
}

/// The calls by check and environment.
fn table(out: &mut impl Write, estimate: &Estimate) -> io::Result<()> {
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
    Ok(())
}
