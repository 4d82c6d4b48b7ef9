//! Every check as a test of its own, against a simulator in this process.

mod support;

use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use libtest_mimic::{Arguments, Failed, Trial};
use support::InProcess;
use svc_contract_tests::check::{self, Check};
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::Outcome;
use svc_contract_tests::report::human;
use svc_contract_tests::run::{self, Filter};
use svc_fixtures::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let target = Arc::new(InProcess::new(support::accounts()));
    let trial = |check: Check| {
        let target = Arc::clone(&target);
        Trial::test(check.id, move || holds(&check, &target))
    };
    let setting = support::setting(&CONTRACT);
    // What needs a provider's own console, or people that only a file names, is tried elsewhere.
    let asked = check::all().into_iter();
    let asked = asked.filter(|check| !check.cases(&setting).is_empty());
    let trials = asked.map(trial).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn holds(check: &Check, target: &InProcess) -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let client = Client::new(target, Keyring::of_simulator(), &setting);
    let cases = Filter::default().cases(check, &setting);
    let mut captured = Vec::new();
    for case in &cases {
        captured.push(support::block_on(client.capture(check.id, case)));
    }
    let judged = run::judge(&setting, check, &cases, &captured);
    match judged.outcome() {
        Outcome::Passed => Ok(()),
        Outcome::Skipped { why } | Outcome::NotAsked { why } => {
            Err(format!("skipped: {why}").into())
        }
        Outcome::Failed | Outcome::Known => Err(human::broken(&judged).into()),
    }
}
