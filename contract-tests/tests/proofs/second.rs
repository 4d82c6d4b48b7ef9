//! The second implementation as it is, with what may differ from service to service, and with the defects
//! that no check finds yet.

use std::collections::BTreeSet;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use svc_contract_tests::proofs::{self, Service};

use crate::judged::{Asked, Broken};
use crate::subject::{Pool, SeenBy, prices};
use crate::{CONTRACT, Subjects, lists, python, tls};

/// The harmless differences that are tried where not all are asked for.
const HARMLESS_SAMPLE: [&str; 2] = ["pretty_json", "usage_spend_text"];

/// The harmless difference that cases can meet in each other, if they are asked at once.
const MET_AT_ONCE: &str = "otp_one_a_number";

/// As it is, nothing is broken, nor with a harmless difference: all are tried with `SVC_SECOND=all`, and that
/// what is not found yet still is not.
pub(crate) fn trials(subjects: &Arc<Subjects>) -> Vec<Trial> {
    let all = std::env::var_os("SVC_SECOND").is_some_and(|which| which == "all");
    let mut trials = vec![
        Trial::test(
            "the lists of the second implementation are right",
            are_right,
        ),
        trial("clean", subjects, None, None),
        Trial::ignorable_test("over https", || {
            python::needing_python(|| tls::is_judged(&prices(&CONTRACT)))
        }),
    ];
    let harmless = lists::harmless().into_iter();
    for name in harmless.filter(|name| all || HARMLESS_SAMPLE.contains(name)) {
        trials.push(trial(name, subjects, None, Some(name)));
    }
    trials.push(met_at_once(subjects));
    let proven = proven();
    let unfound = lists::defects().into_iter();
    for name in unfound.filter(|name| all && !proven.contains(name)) {
        trials.push(trial(name, subjects, Some(name), None));
    }
    trials
}

/// The defects that are found by name.
fn proven() -> BTreeSet<&'static str> {
    let rows = proofs::all().iter();
    let planted = rows.filter(|row| row.service != Service::Simulator);
    planted.map(|row| row.defect).collect()
}

/// A test that judges the service with this planted.
fn trial(
    name: &'static str,
    subjects: &Arc<Subjects>,
    defect: Option<&'static str>,
    harmless: Option<&'static str>,
) -> Trial {
    let subjects = Arc::clone(subjects);
    Trial::ignorable_test(name, move || {
        python::needing_python(|| {
            let broken = broken(&subjects.pool, defect, harmless);
            let found = !broken.is_empty();
            by_list(name, found == defect.is_some(), &broken)
        })
    })
    .with_kind("second")
}

/// A test that judges the service with what cases can meet in each other, several at once.
fn met_at_once(subjects: &Arc<Subjects>) -> Trial {
    let subjects = Arc::clone(subjects);
    Trial::ignorable_test("met at once", move || {
        python::needing_python(|| {
            let planted: [&[&str]; 2] = [&[], &[MET_AT_ONCE]];
            let by = SeenBy::BusyCustomer;
            let broken = subjects.pool.broken_by(&CONTRACT, by, planted, Asked::All);
            by_list(MET_AT_ONCE, broken.is_empty(), &broken)
        })
    })
    .with_kind("second")
}

/// What is called broken by a customer; with a defect, where that is nothing, by its owner.
fn broken(pool: &Pool, defect: Option<&str>, harmless: Option<&str>) -> Broken {
    let [defects, differences] = [defect, harmless].map(|it| it.into_iter().collect::<Vec<_>>());
    let planted: [&[&str]; 2] = [&defects, &differences];
    let by = |seen_by| pool.broken_by(&CONTRACT, seen_by, planted, Asked::All);
    match (defect, harmless) {
        (None, None) => pool.clean(&CONTRACT, SeenBy::Customer, Asked::All),
        (None, Some(_)) => by(SeenBy::Customer),
        (Some(_), _) => {
            let broken = by(SeenBy::Customer);
            match broken.is_empty() {
                true => by(SeenBy::Owner),
                false => broken,
            }
        }
    }
}

fn are_right() -> Result<(), Failed> {
    let (mut planted, harmless) = (lists::defects(), lists::harmless());
    planted.extend(lists::of_operation());
    let known = lists::known();
    let proven = proven();
    let both = proven.intersection(&known);
    let both = both.map(|name| format!("{name} is in known.txt and in proofs.txt"));
    let there =
        |name: &&&str| planted.contains(**name) || harmless.contains(*name) || **name == "clean";
    let dead = known.iter().filter(|name| !there(name));
    let dead = dead.map(|name| format!("{name} is nothing that can be planted"));
    let wrong: Vec<_> = both.chain(dead).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// Fails where something is as it should be and still listed, or the other way round.
fn by_list(name: &str, is_well: bool, broken: &Broken) -> Result<(), Failed> {
    match (is_well, lists::known().contains(name)) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err(format!(
            "{name} is well now: take it out of known.txt, a defect to proofs.txt. {broken:#?}"
        )
        .into()),
        (false, false) => Err(format!("{broken:#?}").into()),
    }
}
