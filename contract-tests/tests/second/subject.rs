//! The second implementation as it is judged: processes of it, and how the harness is set on them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use svc_contract_tests::capture::KeyKind;
use svc_contract_tests::client::{Client, Keyring, RunKey};
use svc_contract_tests::plan::Setting;
use svc_contract_tests::plan::inputs::{self, Input};
use svc_contract_tests::plan::samples::with_samples;
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::{HttpTarget, Timeouts};
use svc_fixtures::contract::{Contract, Environment, Paise};
use svc_fixtures::reading::Source;

use crate::console::WithConsole;
use crate::judged::{self, Asked, Broken};
use crate::process::Second;

/// As whom the harness judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SeenBy {
    /// Somebody with a key of the sandbox and one of live.
    Customer,
    /// The same, asking several cases at once.
    BusyCustomer,
    /// Somebody who has the console, too: then the rulings are asked as of a simulator. It follows none
    /// of them knowingly, so that only what is broken by a defect alone says anything.
    Owner,
}

/// Processes of the service, which end with this value.
#[derive(Default)]
pub(crate) struct Pool {
    /// What they are started with.
    arguments: &'static [&'static str],
    /// Those that nobody uses at the moment.
    idle: Mutex<Vec<Second>>,
    clean: Mutex<BTreeMap<(SeenBy, Asked), Broken>>,
}

impl Pool {
    /// Processes that are started with these arguments.
    pub(crate) fn of(arguments: &'static [&'static str]) -> Self {
        Pool {
            arguments,
            ..Pool::default()
        }
    }

    /// What checks call broken with this planted, and not where nothing is.
    pub(crate) fn broken_by(
        &self,
        contract: &Contract,
        seen_by: SeenBy,
        planted: [&[&str]; 2],
        asked: Asked,
    ) -> Broken {
        &self.broken(contract, seen_by, planted, asked) - &self.clean(contract, seen_by, asked)
    }

    /// What they call broken where nothing is planted.
    pub(crate) fn clean(&self, contract: &Contract, seen_by: SeenBy, asked: Asked) -> Broken {
        let clean = || self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        let known = clean().get(&(seen_by, asked)).cloned();
        known.unwrap_or_else(|| {
            let broken = self.broken(contract, seen_by, [&[], &[]], asked);
            clean().insert((seen_by, asked), broken.clone());
            broken
        })
    }

    fn broken(
        &self,
        contract: &Contract,
        seen_by: SeenBy,
        planted: [&[&str]; 2],
        asked: Asked,
    ) -> Broken {
        self.with(contract, planted, |second| {
            judged(contract, second, seen_by, asked)
        })
    }

    /// What comes of a service with these defects and differences, which nobody else uses meanwhile.
    pub(crate) fn with<T>(
        &self,
        contract: &Contract,
        [defects, harmless]: [&[&str]; 2],
        judge: impl FnOnce(&Second) -> T,
    ) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let free = idle().pop();
        let start = || Second::start(Some(&prices(contract)), self.arguments);
        let second = free.unwrap_or_else(start);
        second.plant(defects, harmless);
        let judged = judge(&second);
        idle().push(second);
        judged
    }
}

fn judged(contract: &Contract, second: &Second, seen_by: SeenBy, asked: Asked) -> Broken {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let seed = format!("second{}", RUNS.fetch_add(1, Ordering::Relaxed));
    let contract = with_samples(contract.clone(), &known_inputs(contract));
    let setting = of_customer(&contract, seed);
    let target = target(second);
    if seen_by == SeenBy::Owner {
        let mut setting = setting.everything();
        setting.capabilities.webhook_sink = None;
        let target = WithConsole::new(target, second);
        let client = Client::new(&target, Keyring::of_simulator(), &setting);
        let mut broken = block_on(judged::judge(&setting, &client, asked, 1))
            .0
            .broken;
        // What its strangers have in common, and whether its answer to a body that it doesn't read comes through, is
        // chance, which is another in every run.
        let by_chance = |check: &str| check.starts_with("pairs.") || check == "body.size";
        broken.retain(|(check, ..)| !by_chance(check));
        return broken;
    }
    let client = Client::new(&target, own_keys(), &setting);
    let jobs = match seen_by {
        SeenBy::BusyCustomer => 6,
        SeenBy::Customer | SeenBy::Owner => 1,
    };
    block_on(judged::judge(&setting, &client, asked, jobs))
        .0
        .broken
}

/// Both environments, and what this service says of its inputs.
pub(crate) fn of_customer(contract: &Contract, seed: String) -> Setting<'_> {
    let mut setting = Setting::new(contract, known_inputs(contract), seed);
    setting.environments.push(Environment::Live);
    setting.capabilities.keys = own_keys().kinds(false);
    setting
}

/// The service over HTTP.
pub(crate) fn target(second: &Second) -> HttpTarget {
    let timeouts = Timeouts {
        answer: Duration::from_secs(5),
        ..Timeouts::default()
    };
    let (sandbox, live) = (second.sandbox.clone(), Some(second.live.clone()));
    let target = HttpTarget::new(sandbox, live, timeouts, &svc_tls::Tls::default());
    target.expect("a client")
}

/// The keys of a customer, with those of its that are not to work as others do.
pub(crate) fn own_keys() -> Keyring {
    let key = |text| Some(RunKey::new(Secret::new(text)));
    let given = |(kind, name): (KeyKind, &str)| {
        Environment::ALL.map(|at| {
            let key = format!("{}{name}_k1", at.key_prefix());
            ((at, kind), Secret::new(key))
        })
    };
    let given = [
        (KeyKind::Revoked, "revoked"),
        (KeyKind::Rotated, "rotated"),
        (KeyKind::Expired, "expired"),
        (KeyKind::Blocked, "elsewhere"),
        (KeyKind::Allowed, "here"),
        (KeyKind::Limited, "limited"),
        (KeyKind::Poor, "poor"),
    ]
    .into_iter()
    .flat_map(given);
    Keyring {
        given: given.collect(),
        test: key("svc_test_default_k1"),
        live: key("svc_live_default_k1"),
    }
}

/// Runs to the end, on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(future)
}

/// The inputs that the specification fixes, and those that this service does.
fn known_inputs(contract: &Contract) -> Vec<Input> {
    let mut known = inputs::built_in();
    let text = include_str!("../../second/inputs.toml");
    let own = inputs::read(contract, &Source::new("second/inputs.toml", text), &known);
    known.extend(own.unwrap_or_else(|problems| panic!("{problems}")));
    known
}

/// The prices that the rows say: what else it can cost is not known here.
#[expect(clippy::cast_precision_loss, reason = "prices are small")]
pub(crate) fn prices(contract: &Contract) -> Value {
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
