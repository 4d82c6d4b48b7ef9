//! The rows of `proofs.txt`, the first of every sixth clause, with `SVC_PROOFS=clauses` of every clause, with
//! `SVC_PROOFS=all` every one: the defect is planted, the check that the row names runs, and a finding must name the
//! clause that is not there without the defect. And the second implementation, which was written from the specification
//! alone: as it is nothing is broken, nor with a harmless difference; a sample of these is tried, with `SVC_SECOND=all`
//! every one, and every defect that is not found. `SVC_PROOFS=FILE` tries the rows of another list, `SVC_PROOFS=print`
//! prints what every defect comes to now, in place of testing. What is planted in the second implementation needs
//! python3.

#[path = "../second/console.rs"]
mod console;
#[path = "../support/edits.rs"]
mod edits;
#[path = "../second/judged.rs"]
mod judged;
#[path = "../second/lists.rs"]
mod lists;
mod measure;
mod planted;
#[path = "../second/process.rs"]
mod process;
#[path = "../second/python.rs"]
mod python;
mod receiver;
mod second;
mod simulator;
#[path = "../second/subject.rs"]
mod subject;
#[path = "../support/mod.rs"]
mod support;
#[path = "../second/tls.rs"]
mod tls;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use judged::{Asked, Broken};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use receiver::Look;
use subject::{Pool, SeenBy};
use svc_contract_tests::proofs::{self, Proof, Service};
use svc_fixtures::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// At least so many rows are changes of what a service does, not of the form of its answers alone.
const LEAST_BEHAVIOURS: usize = 150;

/// The services, and what checks call broken in the simulator where nothing is planted.
struct Subjects {
    pool: Pool,
    /// Those with the run's receiver.
    receivers: Pool,
    clean: Mutex<BTreeMap<Asked, Broken>>,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // What waits for webhooks does not keep a processor.
    arguments.test_threads.get_or_insert(4);
    let subjects = Arc::new(Subjects {
        pool: Pool::default(),
        receivers: receiver::pool(),
        clean: Mutex::default(),
    });
    let asked = std::env::var("SVC_PROOFS").ok();
    let rows = match asked.as_deref() {
        Some("print") => {
            measure::print(&subjects, arguments.filter.as_deref());
            return ExitCode::SUCCESS;
        }
        Some("all") => proofs::all().iter().collect::<Vec<_>>(),
        Some("clauses") => firsts(),
        Some(file) => {
            let text = std::fs::read_to_string(file).expect("SVC_PROOFS names a file");
            proofs::rows(text.leak()).leak().iter().collect()
        }
        None => firsts().into_iter().step_by(6).collect(),
    };
    // The longest first.
    let mut trials = receiver::trials(&subjects);
    trials.extend(second::trials(&subjects));
    trials.extend([
        Trial::test("what is planted is there", what_is_planted_is_there),
        Trial::test("every defect is in a row or known", every_defect_is_listed),
        Trial::test("most rows are of behaviour", most_are_of_behaviour),
    ]);
    trials.extend(rows.into_iter().map(|proof: &'static Proof| {
        let name = format!("{} by {}: {}", proof.clause, proof.check, proof.defect);
        let subjects = Arc::clone(&subjects);
        let kill = move || subjects.is_killed(proof);
        Trial::ignorable_test(name, move || match proof.service {
            Service::Simulator => kill().map(|()| Completion::Completed),
            Service::Second | Service::Receiver | Service::Retries | Service::Console => {
                python::needing_python(kill)
            }
        })
        .with_kind(proof.service.name())
    }));
    drop(subjects);
    libtest_mimic::run(&arguments, trials).exit_code()
}

impl Subjects {
    /// What checks call broken with this planted, and not where nothing is.
    fn broken_by(&self, service: Service, defect: &str, asked: Asked) -> Broken {
        let seen_by = match service {
            Service::Simulator => {
                let planted = planted::all().find(|it| it.name == defect);
                let planted = planted.expect("it can be planted");
                return &simulator::broken(Some(planted), asked) - &self.clean(asked);
            }
            // That nothing is broken without one is a test of its own.
            Service::Receiver => {
                return receiver::found(&self.receivers, defect, Look::Soon, asked).broken;
            }
            Service::Retries => {
                return receiver::found(&self.receivers, defect, Look::UntilRetried, asked).broken;
            }
            Service::Second => SeenBy::Customer,
            Service::Console => SeenBy::Owner,
        };
        let planted: [&[&str]; 2] = [&[defect], &[]];
        self.pool.broken_by(&CONTRACT, seen_by, planted, asked)
    }

    fn clean(&self, asked: Asked) -> Broken {
        let clean = || self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        let known = clean().get(&asked).cloned();
        known.unwrap_or_else(|| {
            let broken = simulator::broken(None, asked);
            clean().insert(asked, broken.clone());
            broken
        })
    }

    fn is_killed(&self, proof: &'static Proof) -> Result<(), Failed> {
        let asked = Asked::Check {
            id: proof.check,
            clause: Some(proof.clause),
            operation: proof.defect.split(':').nth(1),
        };
        let broken = self.broken_by(proof.service, proof.defect, asked);
        let clauses: BTreeSet<_> = broken.iter().map(|(_, _, clause)| clause).collect();
        match clauses.iter().any(|clause| *clause == proof.clause) {
            true => Ok(()),
            false => Err(format!("survived: {} breaks {clauses:?}", proof.defect).into()),
        }
    }
}

/// The first row of each clause.
fn firsts() -> Vec<&'static Proof> {
    let mut rows: Vec<_> = proofs::all().iter().collect();
    rows.dedup_by_key(|proof| proof.clause);
    rows
}

/// The defect without what it is about, where it is planted in one operation.
fn name(proof: &Proof) -> &'static str {
    proof.defect.split(':').next().unwrap_or_default()
}

fn what_is_planted_is_there() -> Result<(), Failed> {
    let (general, of_operation) = (lists::defects(), lists::of_operation());
    let simulator: BTreeSet<_> = planted::all().map(|it| it.name).collect();
    let there = |proof: &&Proof| match (proof.service, proof.defect.split_once(':')) {
        (Service::Simulator, _) => simulator.contains(proof.defect),
        (_, None) => general.contains(proof.defect),
        (_, Some((name, rest))) => {
            let endpoint = rest.split(':').next().unwrap_or_default();
            of_operation.contains(name) && CONTRACT.operation(endpoint).is_some()
        }
    };
    let wrong = proofs::all().iter().filter(|proof| !there(proof));
    none(wrong.map(|proof| proof.defect), "can be planted nowhere")
}

fn every_defect_is_listed() -> Result<(), Failed> {
    let proven: BTreeSet<_> = proofs::all().iter().map(name).collect();
    let simulator = planted::all().map(|it| it.name);
    let known = lists::known();
    let all = lists::defects()
        .into_iter()
        .chain(lists::of_operation())
        .chain(simulator);
    let lost = all.filter(|name| !proven.contains(name) && !known.contains(name));
    none(lost, "is in no row of proofs.txt and not in known.txt")
}

fn most_are_of_behaviour() -> Result<(), Failed> {
    let form = lists::of_form();
    let behaviour =
        |proof: &&Proof| proof.service == Service::Simulator || !form.contains(name(proof));
    let number = proofs::all().iter().filter(behaviour).count();
    match number >= LEAST_BEHAVIOURS {
        true => Ok(()),
        false => Err(format!("only {number} rows are of behaviour").into()),
    }
}

fn none<'n>(names: impl Iterator<Item = &'n str>, what: &str) -> Result<(), Failed> {
    let wrong: Vec<_> = names.map(|name| format!("{name} {what}")).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}
