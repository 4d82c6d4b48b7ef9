//! Defects made by changing captured answers and judging again: each must be found, by its clause.
//! A clean capture has none.

mod defects;
#[path = "support/edits.rs"]
mod edits;
mod support;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use defects::Defect;
use defects::rows::{self, RowDefect};
use libtest_mimic::{Arguments, Failed, Trial};
use svc_contract_tests::capture::{Capture, CapturedCase, Exchange};
use svc_contract_tests::check::{self, Check};
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{CheckResult, Event, Outcome};
use svc_contract_tests::plan::{Case, Setting, inputs};
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::verdict::{EVERY_ANSWER, Verdict};
use svc_fixtures::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// A whole clean run, with the verdicts it got when it was made.
static CLEAN: LazyLock<(Capture, Vec<CheckResult>)> = LazyLock::new(|| {
    let setting = support::setting(&CONTRACT);
    let target = support::InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut judged = Vec::new();
    let (mut checks, filter) = (check::all(), Filter::default());
    // A receiver that a provider's own console has registered is judged elsewhere.
    checks.retain(|check| !check.cases(&setting).is_empty());
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(one) = event {
            judged.push(one.clone());
        }
    };
    let limits = RunLimits::default();
    let run = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    let (capture, _) = support::block_on(run);
    (capture, judged)
});

/// What each check runs, made once: judging again needs no more.
static PLAN: LazyLock<Vec<(Check, Vec<Case>)>> = LazyLock::new(|| {
    let setting = support::setting(&CONTRACT);
    let cases = |check: Check| (check, check.cases(&setting));
    check::all().into_iter().map(cases).collect()
});

/// The clauses that some check names.
static NAMED: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let setting = support::setting(&CONTRACT);
    let proven = PLAN.iter().flat_map(|(check, _)| check.asks(&setting));
    let always = EVERY_ANSWER.iter().map(|clause| (*clause).to_owned());
    proven.chain(always).collect()
});

static ROW_DEFECTS: LazyLock<Vec<RowDefect>> = LazyLock::new(|| rows::all(&CONTRACT));

/// One in so many of the defects made from the rows is tried where not all are asked for.
const SAMPLE: usize = 10;

/// A whole run tries at least so many defects.
const LEAST: usize = 300;

/// The defects of this run that were put into an answer, which was then judged.
static TRIED: AtomicUsize = AtomicUsize::new(0);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let killed = |defect: &'static Defect| {
        let put_in = move || is_killed(defect.clause, &|_| true, &defect.put_in);
        Trial::test(defect.name, put_in).with_kind("defect")
    };
    let made_killed = |defect: &'static RowDefect| {
        let may = |exchange: &Exchange| defect.about.may_be_in(exchange);
        let put_in = move || is_killed(&defect.clause, &may, &defect.put_in);
        Trial::test(defect.name.as_str(), put_in).with_kind("row")
    };
    let all = std::env::var_os("SVC_MUTANTS").is_some_and(|which| which == "all");
    let step = if all { 1 } else { SAMPLE };
    let mut trials: Vec<_> = defects::all().map(killed).collect();
    trials.extend(ROW_DEFECTS.iter().step_by(step).map(made_killed));
    trials.push(Trial::test("a clean run has no defect", clean_run));
    trials.push(Trial::test(
        "a saved capture judged again has the same verdicts",
        judged_again,
    ));
    trials.push(Trial::test("no key is in a capture", no_key));
    let whole = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list;
    let exit = libtest_mimic::run(&arguments, trials).exit_code();
    let tried = TRIED.load(Ordering::Relaxed);
    // Nobody reads it where stderr is closed; the exit code says it, too.
    let _ = writeln!(io::stderr(), "{tried} defects were tried");
    match whole && tried < LEAST {
        true => {
            let _ = writeln!(io::stderr(), "error: a run must try at least {LEAST}");
            ExitCode::FAILURE
        }
        false => exit,
    }
}

/// Every answer the defect can be in has it; some verdict must be that its clause is broken. Cases are
/// judged by themselves, so that the first such verdict is enough.
fn is_killed(
    clause: &str,
    may_be_in: &dyn Fn(&Exchange) -> bool,
    put_in: &dyn Fn(&mut CapturedCase) -> bool,
) -> Result<(), Failed> {
    let with_defect = |case: &CapturedCase| {
        let mut case = case.exchanges.iter().any(may_be_in).then(|| case.clone())?;
        put_in(&mut case).then_some(case)
    };
    let setting = support::setting(&CONTRACT);
    let mut others: Option<BTreeSet<String>> = None;
    for changed in CLEAN.0.cases.iter().filter_map(with_defect) {
        let planned = PLAN.iter().find(|(check, _)| check.id == changed.check);
        let (check, cases) = planned.expect("what was captured was planned");
        let judged = run::judge(&setting, check, cases, &[changed]);
        TRIED.fetch_add(usize::from(others.is_none()), Ordering::Relaxed);
        let broken = broken_clauses(&[judged]);
        if broken.contains(clause) {
            return match NAMED.contains(clause) {
                true => Ok(()),
                false => Err(format!("no check names {clause}").into()),
            };
        }
        others.get_or_insert_with(BTreeSet::new).extend(broken);
    }
    Err(match others {
        None => "no captured answer can have this defect: it was never exercised".into(),
        Some(others) => format!("survived: {clause} is not broken, but {others:?}").into(),
    })
}

fn broken_clauses(judged: &[CheckResult]) -> BTreeSet<String> {
    let findings = judged.iter().flat_map(|judged| &judged.findings);
    let clause = findings.filter_map(|finding| match &finding.verdict {
        Verdict::Broken { clause, .. } => Some(clause.clone()),
        _ => None,
    });
    clause.collect()
}

fn clean_run() -> Result<(), Failed> {
    let odd = CLEAN
        .1
        .iter()
        .filter(|judged| judged.outcome() != Outcome::Passed);
    let messages: Vec<_> = odd
        .map(|judged| format!("{}\n{}", judged.check, human::broken(judged)))
        .collect();
    if messages.is_empty() {
        Ok(())
    } else {
        Err(messages.join("\n").into())
    }
}

fn judged_again() -> Result<(), Failed> {
    let (capture, judged) = &*CLEAN;
    let read = Capture::from_json(&capture.to_json()?)?;
    let setting = Setting::of(&CONTRACT, inputs::built_in(), &read);
    let again = run::judge_again(&setting, &check::all(), &read);
    if again == *judged {
        Ok(())
    } else {
        Err("the verdicts differ".into())
    }
}

fn no_key() -> Result<(), Failed> {
    let text = CLEAN.0.to_json()?;
    let keys = [
        "svc_test_local",
        "svc_live_local",
        "svc_live_broke",
        "svc_test_revoked",
    ];
    let leaked: Vec<_> = keys.into_iter().filter(|key| text.contains(key)).collect();
    if leaked.is_empty() {
        Ok(())
    } else {
        Err(format!("{leaked:?}").into())
    }
}
