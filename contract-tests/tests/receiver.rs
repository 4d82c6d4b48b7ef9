//! Webhooks of the second implementation, which is told of the run's receiver as a provider's console would be: as it
//! is, and with what is allowed, nothing is broken; each planted defect is found by its clause. A sample is tried, all
//! with `SVC_SECOND=all`. Needs python3; where that is not installed the tests are ignored, and fail with
//! `SVC_REQUIRE_TOOLS=1`.

#[path = "second/process.rs"]
mod process;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use process::Second;
use serde_json::json;
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring, RunKey};
use svc_contract_tests::event::Event;
use svc_contract_tests::plan::webhook::first_retry;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::sink::{RunSink, Sink, serve};
use svc_contract_tests::target::{HttpTarget, Timeouts};
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::{Contract, Environment};

/// A second of this schedule stands for ten.
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let mut contract = Contract::built_in();
    for due in &mut contract.service.webhook_schedule_ms {
        *due /= 10;
    }
    contract
});

const SECRET: &str = "signing secret of the provider";

/// One in so many defects is tried where not all are asked for.
const SAMPLE: usize = 16;

/// What may be otherwise with webhooks and with results that come later.
const HARMLESS: [&str; 13] = [
    "duplicate_webhooks",
    "forgery_pending",
    "webhook_after_success_again",
    "webhook_jitter",
    "webhook_extra_headers",
    "webhook_ms_timestamp",
    "webhook_same_timestamp",
    "webhook_pretty_body",
    "webhook_chunked",
    "pending_first",
    "no_forgery_callback",
    "slow_pending",
    "lookup_original_status",
];

/// How long the receiver waits.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Look {
    Soon,
    Long,
}

/// What was found: the clauses that are broken, those that hold, and the cases that were not judged.
#[derive(Debug, Default)]
struct Found {
    broken: BTreeSet<(String, String)>,
    held: BTreeSet<String>,
    not_judged: BTreeSet<String>,
}

type Shared = Arc<Mutex<Option<Second>>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = std::env::var_os("SVC_SECOND").is_some_and(|which| which == "all");
    let step = |sample| if all { 1 } else { sample };
    let shared = Shared::default();
    let mut trials = vec![
        trial("clean", &shared, |it| clean(it, Look::Soon)),
        trial(
            "a pending result is waited for",
            &shared,
            results_are_waited_for,
        ),
    ];
    // A retry comes after half a minute of real time.
    if all {
        let retried = |it: &Second| clean(it, Look::Long);
        trials.push(trial("clean, with a retry", &shared, retried));
    }
    for name in HARMLESS.into_iter().step_by(step(SAMPLE)) {
        trials.push(trial(name, &shared, move |it| {
            let webhooks = name.starts_with("webhook") || name.starts_with("dup");
            let look = if all && webhooks {
                Look::Long
            } else {
                Look::Soon
            };
            holds(&judged(it, &[], &[name], look))
        }));
    }
    let rows = include_str!("../second/webhooks.txt").lines();
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    for row in rows.step_by(step(SAMPLE)) {
        let row: Vec<&'static str> = row.split('|').map(str::trim).collect();
        let [name, clause, look, with] = row[..] else {
            panic!("four columns: {row:?}")
        };
        let look = if look == "long" {
            Look::Long
        } else {
            Look::Soon
        };
        let with: Vec<_> = Some(with)
            .filter(|with| !with.is_empty())
            .into_iter()
            .collect();
        trials.push(trial(name, &shared, move |it| {
            let found = judged(it, &[name], &with, look);
            match found.broken.iter().any(|(broken, _)| broken == clause) {
                true => Ok(()),
                false => {
                    Err(format!("survived: {clause} is not broken, but {:#?}", found.broken).into())
                }
            }
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that needs the second implementation; one at a time.
fn trial(
    name: &'static str,
    shared: &Shared,
    test: impl FnOnce(&Second) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let shared = Arc::clone(shared);
    Trial::ignorable_test(name, move || {
        let mut command = Command::new("python3");
        let command = command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            let why = "python3 is not installed";
            return match std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1") {
                true => Err(why.into()),
                false => Ok(Completion::ignored_with(why)),
            };
        }
        let mut second = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let quickly = [
            "--time-scale",
            "0.1",
            "--pending-ms",
            "200",
            "--consent-auto-ms",
            "300",
        ];
        let second = second.get_or_insert_with(|| Second::start(None, &quickly));
        test(second).map(|()| Completion::Completed)
    })
}

/// What is found with this planted.
fn judged(second: &Second, defects: &[&str], harmless: &[&str], look: Look) -> Found {
    judged_by(second, "webhooks.registered", defects, harmless, look)
}

fn judged_by(
    second: &Second,
    check: &str,
    defects: &[&str],
    harmless: &[&str],
    look: Look,
) -> Found {
    second.plant(defects, harmless);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .expect("a runtime")
        .block_on(receive_and_judge(second, check, look))
}

async fn receive_and_judge(second: &Second, check: &str, look: Look) -> Found {
    let retry = first_retry(&CONTRACT);
    let wait = if look == Look::Long {
        retry + Duration::from_secs(1)
    } else {
        Duration::from_secs(2)
    };
    let sink = Sink::registered(Secret::new(SECRET), wait, retry);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let url = format!(
        "http://{}/hooks",
        listener.local_addr().expect("an address")
    );
    tokio::spawn(serve(listener, sink.clone()));
    second.tell("/webhook", &json!({ "url": url, "secret": SECRET }));
    let mut setting = Setting::new(&CONTRACT, inputs::built_in(), "receiver");
    setting.environments.push(Environment::Live);
    setting.capabilities.registered = true;
    let (sandbox, live) = (second.sandbox.clone(), Some(second.live.clone()));
    let target = HttpTarget::new(sandbox, live, Timeouts::default(), &svc_tls::Tls::default());
    let target = target.expect("a client");
    let key = |text| Some(RunKey::new(Secret::new(text)));
    let ring = Keyring {
        test: key("svc_test_default_k1"),
        live: key("svc_live_default_k1"),
    };
    let client = Client::new(&target, ring, &setting)
        .waiting_for_results(wait)
        .with_sink(Some(RunSink { sink, url }));
    let filter = Filter {
        checks: vec![check.to_owned()],
        ..Filter::default()
    };
    let mut found = Found::default();
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(result) = event {
            for finding in &result.findings {
                let (set, text) = match &finding.verdict {
                    Verdict::Broken { clause, .. } => {
                        let shown = format!("{}: {:?}", finding.case, finding.verdict);
                        found.broken.insert((clause.clone(), shown));
                        continue;
                    }
                    Verdict::Noted { .. } => continue,
                    Verdict::Held { clause } => (&mut found.held, clause),
                    Verdict::NotJudged { .. } => (&mut found.not_judged, &finding.case),
                };
                set.insert(text.clone());
            }
        }
    };
    let limits = RunLimits::default();
    let (capture, _) = run::run(&setting, &check::all(), &filter, limits, &client, &mut emit).await;
    let written = capture.to_json().expect("a capture");
    assert!(!written.contains(SECRET), "the secret is written");
    found
}

/// A result that comes later is judged like one that is there at once; where neither a webhook nor a look-up brings it,
/// it is not judged, and not broken.
fn results_are_waited_for(second: &Second) -> Result<(), Failed> {
    let late = |defects: &[&str]| {
        let late = ["pending_first", "forgery_pending"];
        judged_by(second, "envelope.success", defects, &late, Look::Soon)
    };
    let found = late(&[]);
    holds(&found)?;
    let open = |found: &Found| {
        let asked = ["verify.employment.uan", "verify.document.forgery"].into_iter();
        asked.filter(|id| found.not_judged.contains(*id)).count()
    };
    if open(&found) > 0 {
        return Err(format!("not judged: {:?}", found.not_judged).into());
    }
    let never = late(&["pending_never_resolves"]);
    holds(&never)?;
    match open(&never) {
        2 => Ok(()),
        _ => Err(format!("judged without a result: not {:?}", never.not_judged).into()),
    }
}

fn holds(found: &Found) -> Result<(), Failed> {
    match found.broken.is_empty() {
        true => Ok(()),
        false => Err(format!("{:#?}", found.broken).into()),
    }
}

/// Nothing is broken, and each rule was asked of something.
fn clean(second: &Second, look: Look) -> Result<(), Failed> {
    let found = judged(second, &[], &[], look);
    holds(&found)?;
    let mut asked = vec![
        "states.terminal",
        "webhook.envelope",
        "webhook.hmac",
        "webhook.operations",
    ];
    asked.extend((look == Look::Long).then_some("webhook.schedule"));
    let open: Vec<_> = asked
        .into_iter()
        .filter(|clause| !found.held.contains(*clause))
        .collect();
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("nothing was seen of {open:?}").into()),
    }
}
