//! The second implementation, whose own console was told of the run's receiver as a provider's would be: as it is and
//! with what is allowed nothing is broken, and a result that comes later is judged like one that is there at once.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use serde_json::json;
use svc_contract_tests::client::Client;
use svc_contract_tests::plan::webhook::first_retry;
use svc_contract_tests::redact::Secret;
use svc_contract_tests::sink::{RunSink, Sink, serve};
use svc_fixtures::contract::Contract;

use crate::judged::{self, Asked, Found};
use crate::subject::{Pool, block_on, of_customer, own_keys, target};
use crate::{Subjects, python};

/// How it is started: a second of the schedule stands for ten.
const QUICKLY: [&str; 6] = [
    "--time-scale",
    "0.1",
    "--pending-ms",
    "200",
    "--consent-auto-ms",
    "300",
];

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    let mut contract = Contract::built_in();
    for due in &mut contract.service.webhook_schedule_ms {
        *due /= 10;
    }
    contract
});

const SECRET: &str = "signing secret of the provider";

/// What may be otherwise with webhooks and with results that come later. The first is tried where not all are asked
/// for.
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

/// How long webhooks are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Until all that come at once are there.
    Soon,
    /// Until one that was refused is due again.
    UntilRetried,
}

impl Look {
    fn time(self) -> Duration {
        match self {
            Look::Soon => Duration::from_secs(2),
            Look::UntilRetried => first_retry(&CONTRACT) + Duration::from_secs(1),
        }
    }

    /// The check that asks for everything a webhook can show.
    const REGISTERED: Asked = Asked::Check {
        id: "webhooks.registered",
        clause: None,
        operation: None,
    };
}

/// Processes that send their webhooks quickly.
pub(crate) fn pool() -> Pool {
    Pool::of(&QUICKLY)
}

/// What is found with this planted. Where results of forgery come later, too, live has some that need nobody's
/// consent.
pub(crate) fn found(pool: &Pool, defect: &str, look: Look, asked: Asked) -> Found {
    with(pool, [&[defect], &["forgery_pending"]], look, asked)
}

fn with(pool: &Pool, planted: [&[&str]; 2], look: Look, asked: Asked) -> Found {
    pool.with(&CONTRACT, planted, |second| {
        block_on(async {
            let watch = Some(look.time()).filter(|time| *time >= first_retry(&CONTRACT));
            let sink = Sink::registered(
                Secret::new(SECRET),
                own_keys().secrets(),
                look.time(),
                watch,
            )
            .at_path("/hooks");
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
            let listener = listener.expect("a free port");
            let address = listener.local_addr().expect("an address");
            let url = format!("http://{address}/hooks");
            tokio::spawn(serve(listener, sink.clone()));
            second.tell("/webhook", &json!({ "url": url, "secret": SECRET }));
            let mut setting = of_customer(&CONTRACT, "receiver".to_owned());
            setting.capabilities.registered = true;
            let target = target(second);
            let client = Client::new(&target, own_keys(), &setting)
                .waiting_for_results(look.time())
                .with_sink(Some(RunSink { sink, url }));
            let (found, capture) = judged::judge(&setting, &client, asked, 1).await;
            let written = capture.to_json().expect("a capture");
            assert!(!written.contains(SECRET), "the secret is written");
            found
        })
    })
}

/// As it is, and with what is allowed; the rest of it with `SVC_SECOND=all`.
pub(crate) fn trials(subjects: &Arc<Subjects>) -> Vec<Trial> {
    let all = std::env::var_os("SVC_SECOND").is_some_and(|which| which == "all");
    let mut trials = vec![
        trial("clean, with a receiver", subjects, |pool| {
            clean(pool, Look::Soon)
        }),
        trial(
            "a pending result is waited for",
            subjects,
            results_are_waited_for,
        ),
    ];
    if all {
        let retried = |pool: &Pool| clean(pool, Look::UntilRetried);
        trials.push(trial("clean, with a retry", subjects, retried));
    }
    let tried = if all { HARMLESS.len() } else { 1 };
    for name in &HARMLESS[..tried] {
        trials.push(trial(name, subjects, move |pool| {
            let webhooks = name.starts_with("webhook") || name.starts_with("dup");
            let look = match all && webhooks {
                true => Look::UntilRetried,
                false => Look::Soon,
            };
            holds(&with(pool, [&[], &[name]], look, Look::REGISTERED))
        }));
    }
    trials
}

fn trial(
    name: &'static str,
    subjects: &Arc<Subjects>,
    test: impl FnOnce(&Pool) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let subjects = Arc::clone(subjects);
    Trial::ignorable_test(name, move || {
        python::needing_python(|| test(&subjects.receivers))
    })
    .with_kind("receiver")
}

/// A result that comes later is judged like one that is there at once; where neither a webhook nor a look-up brings it,
/// it is not judged, and not broken.
fn results_are_waited_for(pool: &Pool) -> Result<(), Failed> {
    let asked = Asked::Check {
        id: "envelope.success",
        clause: None,
        operation: None,
    };
    let late: &[&str] = &["pending_first", "forgery_pending"];
    let open = |found: &Found| {
        let asked = ["verify.employment.uan", "verify.document.forgery"].into_iter();
        asked.filter(|id| found.not_judged.contains(*id)).count()
    };
    let found = with(pool, [&[], late], Look::Soon, asked);
    holds(&found)?;
    if open(&found) > 0 {
        return Err(format!("not judged: {:?}", found.not_judged).into());
    }
    let never = with(pool, [&["pending_never_resolves"], late], Look::Soon, asked);
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
fn clean(pool: &Pool, look: Look) -> Result<(), Failed> {
    let found = with(pool, [&[], &["forgery_pending"]], look, Look::REGISTERED);
    holds(&found)?;
    let mut asked = vec![
        "states.terminal",
        "webhook.envelope",
        "webhook.hmac",
        "webhook.operations",
    ];
    asked.extend((look == Look::UntilRetried).then_some("webhook.schedule"));
    let open: Vec<_> = asked
        .into_iter()
        .filter(|clause| !found.held.contains(*clause))
        .collect();
    match open.is_empty() {
        true => Ok(()),
        false => Err(format!("nothing was seen of {open:?}").into()),
    }
}
