//! What the terminal report says first of a breakage: a service with one breakage stands before the
//! simulator, all that is about some operations is run against it, and the first block is a file of `breakages/`.

mod breaks;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use breaks::{BREAKAGES, Breakage, Past};
use libtest_mimic::{Arguments, Failed, Trial};
use support::InProcess;
use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::Event;
use svc_contract_tests::report::human::{HumanReport, Lines};
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::sink::RunSink;
use svc_contract_tests::target::Target;
use svc_fixtures::contract::{Contract, Environment};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial =
        |breakage: &'static Breakage| Trial::test(breakage.name, move || is_understood(breakage));
    let mut trials: Vec<_> = BREAKAGES.iter().map(trial).collect();
    trials.push(Trial::test("the page names them all", page_names_all));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The simulator behind a breakage.
struct Broken {
    simulator: InProcess,
    breakage: &'static Breakage,
    past: Mutex<Past>,
}

impl Target for Broken {
    fn address(&self, environment: Environment) -> Option<String> {
        let host = match environment {
            Environment::Test => "sandbox",
            Environment::Live => "api",
        };
        Some(format!("https://{host}.example"))
    }

    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let mut sent = request.clone();
        if request.channel == Channel::Console && self.breakage.name == "wrong-signature" {
            let body = String::from_utf8_lossy(&request.body);
            sent.body = body.replace("whsec_", "whsec_of_yesterday_").into();
        }
        let answer = self.simulator.send(&sent).await?;
        if request.channel != Channel::Api {
            return Ok(answer);
        }
        let broken = {
            let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            (self.breakage.breaks)(request, answer, &mut past)
        };
        if let Err(
            TransportError::TimedOut(waited)
            | TransportError::Cut {
                arrived: waited, ..
            },
        ) = &broken
        {
            tokio::time::sleep(Duration::from_millis(waited.waited_ms)).await;
        }
        broken
    }

    fn sink(&self) -> Option<RunSink> {
        self.simulator.sink()
    }
}

/// Compares the first block that is printed with the file of the breakage.
fn is_understood(breakage: &'static Breakage) -> Result<(), Failed> {
    let contract = Contract::built_in();
    let mut setting = support::setting(&contract);
    setting.profile = breakage.profile;
    let target = Broken {
        simulator: InProcess::new(support::accounts()),
        breakage,
        past: Mutex::default(),
    };
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut printed = Vec::new();
    let mut report = HumanReport::new(&mut printed, Lines::Failed);
    let mut emit = |event: &mut Event| report.take(event).expect("memory takes all");
    let (checks, limits) = (check::all(), RunLimits::default());
    let filter = Filter {
        operations: breakage.about.iter().map(|id| (*id).to_owned()).collect(),
        ..Filter::default()
    };
    let run = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    support::block_on(run);
    let printed = String::from_utf8(printed).expect("a report is text");
    let block = printed.split("\n\n").nth(1);
    let block = block.ok_or("nothing is broken")?;
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../../breakages");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(breakage.does);
    settings.bind(|| insta::assert_snapshot!(breakage.name, steady(block)));
    Ok(())
}

/// The block without what is another whenever a check gets a case more: how many cases there are, the names
/// of the others, and the digits of signatures.
fn steady(block: &str) -> String {
    let number = |word: &str| word.parse::<usize>().is_ok_and(|number| number > 1);
    let uncounted = |line: &str| {
        let words = line.split(' ');
        let words = words.map(|word| if number(word) { "#" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    let lines = block.lines().map(|line| match line.trim_start() {
        text if text.starts_with("also ") => "  also #".to_owned(),
        text if text.starts_with("so also ") => uncounted(line),
        text if text.contains(" that ask for it") => uncounted(line),
        text if text.contains(" other cases") => uncounted(line),
        text if text.contains(",v1=") => line
            .split_inclusive(' ')
            .map(|word| match word.split_once(",v1=") {
                Some((time, hex)) if hex.trim_end().len() == 64 => format!("{time},v1=# "),
                _ => word.to_owned(),
            })
            .collect(),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn page_names_all() -> Result<(), Failed> {
    let page = include_str!("../../breakages/README.md");
    let row = |breakage: &Breakage| {
        let name = breakage.name;
        format!("| [{name}]({name}.snap) | {} |", breakage.does)
    };
    let missing = BREAKAGES.iter().map(row).filter(|row| !page.contains(row));
    let missing: Vec<_> = missing.collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(missing.join("\n").into()),
    }
}
