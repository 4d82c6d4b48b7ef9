//! Defects made by changing captured answers and judging again: each must be found, by its clause.
//! A clean capture has none.

mod defects;
mod support;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::LazyLock;

use defects::{DEFECTS, Defect};
use libtest_mimic::{Arguments, Failed, Trial};
use svc_contract_tests::capture::Capture;
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter, Judged, Outcome};
use svc_contract_tests::verdict::{EVERY_ANSWER, Verdict};
use svc_fixtures::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// A whole clean run, with the verdicts it got when it was made.
static CLEAN: LazyLock<(Capture, Vec<Judged>)> = LazyLock::new(|| {
    let setting = support::setting(&CONTRACT);
    let target = support::InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut judged = Vec::new();
    let (checks, filter) = (check::all(), Filter::default());
    let mut tell = |event: &run::Event| {
        if let run::Event::Judged(one) = event {
            judged.push(one.clone());
        }
    };
    let (capture, _) = support::block_on(run::run(&setting, &checks, &filter, &client, &mut tell));
    (capture, judged)
});

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let killed = |defect: &'static Defect| {
        Trial::test(defect.name, move || is_killed(defect)).with_kind("defect")
    };
    let mut trials: Vec<_> = DEFECTS.iter().map(killed).collect();
    trials.push(Trial::test("a clean run has no defect", clean_run));
    trials.push(Trial::test(
        "a saved capture judged again has the same verdicts",
        judged_again,
    ));
    trials.push(Trial::test("no key is in a capture", no_key));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every answer the defect can be in has it; some verdict must be that its clause is broken.
fn is_killed(defect: &Defect) -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let mut capture = CLEAN.0.clone();
    capture.cases.retain_mut(|case| (defect.put_in)(case));
    if capture.cases.is_empty() {
        return Err("no captured answer can have this defect: it was never exercised".into());
    }
    let broken = broken_clauses(&run::judge_again(&setting, &check::all(), &capture));
    if !broken.contains(defect.clause) {
        return Err(format!("survived: {} is not broken, but {broken:?}", defect.clause).into());
    }
    let named = EVERY_ANSWER.contains(&defect.clause)
        || check::all()
            .iter()
            .any(|check| check.proves(&setting).contains(defect.clause));
    if named {
        Ok(())
    } else {
        Err(format!("no check names {}", defect.clause).into())
    }
}

fn broken_clauses(judged: &[Judged]) -> BTreeSet<String> {
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
    let told: Vec<_> = odd
        .map(|judged| format!("{}\n{}", judged.check, human::broken(judged)))
        .collect();
    if told.is_empty() {
        Ok(())
    } else {
        Err(told.join("\n").into())
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
    let told: Vec<_> = keys.into_iter().filter(|key| text.contains(key)).collect();
    if told.is_empty() {
        Ok(())
    } else {
        Err(format!("{told:?}").into())
    }
}
