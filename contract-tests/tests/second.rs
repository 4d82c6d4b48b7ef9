//! The harness against a second implementation of the service, which was written from the specification
//! alone: as it is nothing is broken, nor with a harmless difference; each planted defect is found, by
//! its clause. A sample is tried, all with `SVC_SECOND=all`. Needs python3; where that is not installed
//! the tests are ignored, and fail with `SVC_REQUIRE_TOOLS=1`.

#[path = "second/lists.rs"]
mod lists;
#[path = "second/process.rs"]
mod process;
#[path = "second/tls.rs"]
mod tls;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use lists::Killed;
use process::Second;
use serde_json::{Value, json};
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring, RunKey};
use svc_contract_tests::event::Event;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::target::{HttpTarget, Timeouts};
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::{Contract, Environment, Paise};

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// One in so many defects is tried where not all are asked for.
const DEFECTS_SAMPLE: usize = 13;
/// The harmless differences that are tried then.
const HARMLESS_SAMPLE: [&str; 1] = ["pretty_json"];

/// What is broken: check, case and clause.
type Broken = BTreeSet<(&'static str, String, String)>;

/// One process for all tests, one test at a time.
type Shared = Arc<Mutex<Subject>>;

/// The process, and what is broken where nothing is planted.
#[derive(Default)]
struct Subject {
    second: Option<Second>,
    clean: Option<Broken>,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = std::env::var_os("SVC_SECOND").is_some_and(|which| which == "all");
    let step = |sample| if all { 1 } else { sample };
    let subject = Shared::default();
    let mut trials = vec![
        Trial::test("the lists are right", lists_are_right),
        trial("clean", &subject, clean_holds),
        trial("over https", &subject, |_| {
            tls::is_judged(&prices(&CONTRACT))
        }),
    ];
    for killed in lists::killed().into_iter().step_by(step(DEFECTS_SAMPLE)) {
        let name = killed.defect;
        trials.push(trial(name, &subject, move |it| is_killed(it, &killed)));
    }
    let harmless = lists::harmless().into_iter();
    for name in harmless.filter(|name| all || HARMLESS_SAMPLE.contains(name)) {
        trials.push(trial(name, &subject, move |it| is_harmless(it, name)));
    }
    let named: BTreeSet<_> = lists::killed().iter().map(|it| it.defect).collect();
    let unnamed = lists::defects()
        .into_iter()
        .filter(|name| !named.contains(name));
    for name in unnamed.filter(|_| all) {
        trials.push(trial(name, &subject, move |it| is_found(it, name)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that needs the second implementation.
fn trial(
    name: &'static str,
    subject: &Shared,
    test: impl FnOnce(&mut Subject) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let subject = Arc::clone(subject);
    Trial::ignorable_test(name, move || {
        if has_python() {
            let mut subject = subject.lock().unwrap_or_else(PoisonError::into_inner);
            return test(&mut subject).map(|()| Completion::Completed);
        }
        let why = "python3 is not installed";
        match std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1") {
            true => Err(why.into()),
            false => Ok(Completion::ignored_with(why)),
        }
    })
}

fn has_python() -> bool {
    let mut command = Command::new("python3");
    let command = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

impl Subject {
    /// What checks whose id begins so, or all, call broken with this planted.
    fn broken(&mut self, defects: &[&str], harmless: &[&str], check: Option<&str>) -> Broken {
        let second = self
            .second
            .get_or_insert_with(|| Second::start(Some(&prices(&CONTRACT)), &[]));
        second.plant(defects, harmless);
        judged(second, check)
    }

    /// What is called broken with nothing planted.
    fn clean(&mut self) -> Broken {
        if self.clean.is_none() {
            self.clean = Some(self.broken(&[], &[], None));
        }
        self.clean.clone().unwrap_or_default()
    }

    /// What is called broken only with this planted.
    fn broken_by(&mut self, defects: &[&str], harmless: &[&str], check: Option<&str>) -> Broken {
        let clean = self.clean();
        &self.broken(defects, harmless, check) - &clean
    }
}

fn judged(second: &Second, check: Option<&str>) -> Broken {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let seed = format!("second{}", RUNS.fetch_add(1, Ordering::Relaxed));
    let mut setting = Setting::new(&CONTRACT, inputs::built_in(), seed);
    setting.environments.push(Environment::Live);
    let timeouts = Timeouts {
        answer: Duration::from_secs(5),
        ..Timeouts::default()
    };
    let (sandbox, live) = (second.sandbox.clone(), Some(second.live.clone()));
    let target = HttpTarget::new(sandbox, live, timeouts, &svc_tls::Tls::default());
    let target = target.expect("a client");
    let key = |text| Some(RunKey::new(Secret::new(text)));
    let ring = Keyring {
        test: key("svc_test_default_k1"),
        live: key("svc_live_default_k1"),
    };
    let client = Client::new(&target, ring, &setting);
    let filter = Filter {
        checks: check.into_iter().map(str::to_owned).collect(),
        ..Filter::default()
    };
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
    let checks = check::all();
    let run = run::run(
        &setting,
        &checks,
        &filter,
        RunLimits::default(),
        &client,
        &mut emit,
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(run);
    broken
}

fn lists_are_right() -> Result<(), Failed> {
    let (planted, harmless, known) = (lists::defects(), lists::harmless(), lists::known());
    let killed: BTreeSet<_> = lists::killed().iter().map(|it| it.defect).collect();
    let both = killed.intersection(&known);
    let both = both.map(|name| format!("{name} is in both lists"));
    let there =
        |name: &&&str| planted.contains(**name) || harmless.contains(*name) || **name == "clean";
    let dead = known.union(&killed).filter(|name| !there(name));
    let dead = dead.map(|name| format!("{name} is nothing that can be planted"));
    let wrong: Vec<_> = both.chain(dead).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// Fails where something is as it should be and still listed, or the other way round.
fn by_list(name: &str, is_well: bool, message: String) -> Result<(), Failed> {
    match (is_well, lists::known().contains(name)) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => {
            Err(format!("{name} is well now: take it out of known.txt. {message}").into())
        }
        (false, false) => Err(message.into()),
    }
}

fn clean_holds(subject: &mut Subject) -> Result<(), Failed> {
    let broken = subject.clean();
    by_list("clean", broken.is_empty(), format!("{broken:#?}"))
}

fn is_harmless(subject: &mut Subject, name: &str) -> Result<(), Failed> {
    let broken = subject.broken_by(&[], &[name], None);
    by_list(name, broken.is_empty(), format!("{broken:#?}"))
}

fn is_killed(subject: &mut Subject, killed: &Killed) -> Result<(), Failed> {
    let broken = subject.broken_by(&[killed.defect], &[], Some(killed.check));
    match broken.iter().any(|(_, _, clause)| clause == killed.clause) {
        true => Ok(()),
        false => Err(format!("survived: {} is not broken, but {broken:#?}", killed.clause).into()),
    }
}

fn is_found(subject: &mut Subject, name: &str) -> Result<(), Failed> {
    let broken = subject.broken_by(&[name], &[], None);
    by_list(name, !broken.is_empty(), format!("{broken:#?}"))
}

/// The prices that the rows say: what else it can cost is not known here.
#[expect(clippy::cast_precision_loss, reason = "prices are small")]
fn prices(contract: &Contract) -> Value {
    let operations = contract.operations.iter();
    let operations = operations.map(|it| (it.id.clone(), it.price));
    let bundles = contract.bundles.iter();
    let bundles = bundles.map(|it| {
        let steps = it.steps.iter().filter_map(|id| contract.operation(id));
        let sum: Paise = steps.map(|step| step.price).sum();
        (format!("bundles.{}", it.slug), sum)
    });
    let inr = operations
        .chain(bundles)
        .map(|(endpoint, price)| (endpoint, json!(price.0 as f64 / 100.0)));
    Value::Object(inr.collect())
}
