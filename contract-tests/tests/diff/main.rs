//! `diff` as a person uses it: two services of one kind are alike, thirty planted differences are found, each once and
//! by its kind, and no key is written anywhere. The services are the second implementation, which needs python3. A part
//! of what equal ones answer is compared; `SVC_REQUIRE_TOOLS=1` compares all of it, and plants differences together and
//! some alone, `SVC_DIFF=all` compares twenty times, and plants all.

#[expect(dead_code, reason = "nothing here answers everything alike")]
#[path = "../outside/mod.rs"]
mod outside;
mod planted;
#[path = "../second/process.rs"]
mod process;
#[path = "../second/python.rs"]
mod python;
#[path = "../second/whole.rs"]
mod whole;

use std::process::{ExitCode, Output};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use outside::Folder;
use planted::{ALONE, HARMLESS, IN_KEYS, IN_WEBHOOKS, PLANTED};
use process::Second;
use python::needing_python;
use serde_json::{Value, json};
use whole::asking_whole_plans;

/// The keys of a customer: none of them may be written anywhere.
const KEYS: [(&str, &str); 2] = [
    ("svc_test_default_k1", "KEY"),
    ("svc_live_default_k1", "LIVE_KEY"),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The longest first, and one that only waits beside two that work.
    arguments.test_threads.get_or_insert(3);
    let trials = vec![
        trial("webhooks_that_differ_are_named_for_what_differs", webhooks),
        trial(
            "what_other_keys_are_answered_is_compared_where_both_have_one",
            other_keys,
        ),
        whole_trial("one_defect_is_one_difference_whatever_it_touches", || {
            alone(0)
        }),
        whole_trial("one_defect_is_one_difference_whoever_shows_it", || alone(1)),
        whole_trial("thirty_planted_differences_are_found_each_once", thirty),
        whole_trial(
            "two_equal_services_differ_in_nothing_whatever_is_asked",
            || alike(&[]),
        ),
        trial("two_equal_services_differ_in_nothing_in_any_run", in_parts),
        trial("what_one_side_may_not_spend_is_sent_to_neither", unpaid),
        trial("a_service_that_is_not_there_is_no_other_contract", absent),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn whole_trial(name: &str, test: fn()) -> Trial {
    let run = move || {
        asking_whole_plans(|| {
            test();
            Ok(())
        })
    };
    Trial::ignorable_test(name, run)
}

fn trial(name: &str, test: fn()) -> Trial {
    let run = move || -> Result<Completion, Failed> {
        needing_python(|| {
            test();
            Ok(())
        })
    };
    Trial::ignorable_test(name, run)
}

/// Both services by `diff`, with more arguments.
fn diff(left: &Second, right: &Second, folder: &Folder, more: &[&str]) -> Output {
    let inputs = concat!(env!("CARGO_MANIFEST_DIR"), "/second/inputs.toml");
    let mut command = outside::command(&["diff", "--jobs", "2", "--inputs", inputs]);
    for (name, second) in [("left", left), ("right", right)] {
        let upper = name.to_uppercase();
        command
            .arg(format!("--{name}"))
            .arg(second.sandbox.as_str());
        command
            .arg(format!("--{name}-live"))
            .arg(second.live.as_str());
        let spent = folder.path(&format!("{name}-spent.jsonl"));
        if !more.contains(&"--right-budget-inr") {
            let budget = format!("--{name}-budget-inr");
            command.args([&budget, "1000000", &format!("--{name}-spend-file"), &spent]);
        }
        for (key, of) in KEYS {
            command.env(format!("SVC_{upper}_{of}"), key);
        }
    }
    command.args(more).output().expect("the command runs")
}

fn out(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(error)
    )
}

/// Whether all is asked for that a person's run looks at a sample of.
fn all() -> bool {
    std::env::var_os("SVC_DIFF").is_some_and(|which| which == "all")
}

/// All, or the first so many.
fn sample<T>(planted: &[T], sample: usize) -> &[T] {
    &planted[..if all() { planted.len() } else { sample }]
}

fn services() -> (Second, Second) {
    (Second::start(None, &[]), Second::start(None, &[]))
}

fn alike(more: &[&str]) {
    let (left, right) = services();
    let folder = Folder::new(&format!("alike{}", more.concat()));
    let output = diff(&left, &right, &folder, more);
    assert_eq!(output.status.code(), Some(0), "{more:?}: {}", out(&output));
}

/// Of each family in turn what shows most.
fn in_parts() {
    for run in 0..if all() { 20 } else { 1 } {
        let part = ["idempotency", "billing", "examples", "flows", "envelope"][run % 5];
        alike(&["--check", part]);
    }
}

fn absent() {
    let (left, mut right) = services();
    // Nobody listens where somebody did.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it has an address").port();
    drop(listener);
    for url in [&mut right.sandbox, &mut right.live] {
        url.set_port(Some(port)).expect("it takes a port");
    }
    let folder = Folder::new("absent");
    let output = diff(&left, &right, &folder, &["--check", "envelope"]);
    let told = out(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("right: the service did not answer: "),
        "{told}"
    );
    assert!(told.contains("\n0 differences"), "{told}");
}

fn thirty() {
    let (left, right) = services();
    let names = PLANTED.map(|(name, ..)| name);
    let (harmless, defects): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| HARMLESS.contains(name));
    right.plant(&defects, &harmless);
    let folder = Folder::new("thirty");
    let (report, captures) = (
        folder.path("report.json"),
        [folder.path("l"), folder.path("r")],
    );
    let output = diff(
        &left,
        &right,
        &folder,
        &[
            "--report-json",
            &report,
            "--report-junit",
            &folder.path("report.xml"),
            "--report-html",
            &folder.path("report.html"),
            "--report-github-summary",
            &folder.path("report.md"),
            "--left-capture",
            &captures[0],
            "--right-capture",
            &captures[1],
        ],
    );
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    let found = found(&report);
    for (name, kind, what) in PLANTED {
        let times = found
            .iter()
            .filter(|it| **it == (kind.to_owned(), what.to_owned()));
        assert_eq!(times.count(), 1, "{name} in {found:#?}");
    }
    assert_eq!(found.len(), PLANTED.len(), "{found:#?}");
    untold(&folder, &output);
    // Nothing is sent, and the same is found.
    let again = folder.path("again.json");
    let mut command = outside::command(&["diff", &captures[0], &captures[1]]);
    let inputs = concat!(env!("CARGO_MANIFEST_DIR"), "/second/inputs.toml");
    command.args(["--report-json", &again, "--inputs", inputs]);
    let output = command.output().expect("the command runs");
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert_eq!(self::found(&again), found);
}

/// Every second of them, which takes half of the time.
fn alone(from: usize) {
    let (left, right) = services();
    for &(name, kind, what) in sample(&ALONE, 2).iter().skip(from).step_by(2) {
        right.plant(&[name], &[]);
        let folder = Folder::new(&format!("alone-{name}"));
        let report = folder.path("report.json");
        diff(&left, &right, &folder, &["--report-json", &report]);
        let expected = (kind.to_owned(), what.to_owned());
        assert_eq!(found(&report), [expected], "{name}");
    }
}

fn webhooks() {
    const SECRET: &str = "whsec_sample_1";
    let start = || Second::start(None, &["--pending-ms", "100", "--consent-auto-ms", "100"]);
    let (left, right) = (start(), start());
    let folder = Folder::new("webhooks");
    let [at_left, at_right] = [(); 2].map(|()| svc_test_support::free_address().to_string());
    let hook = |second: &Second, at: &str| {
        let hook = json!({ "url": format!("http://{at}/hook"), "secret": SECRET });
        second.tell("/webhook", &hook);
    };
    hook(&left, &at_left);
    let report = folder.path("report.json");
    let more = [
        "--check",
        "webhooks",
        "--result-wait",
        "2s",
        "--left-listen",
        &at_left,
        "--left-webhook-secret",
        SECRET,
        "--right-listen",
        &at_right,
        "--right-webhook-secret",
        SECRET,
        "--report-json",
        &report,
    ];
    let found = |planted: &[&str]| {
        right.plant(planted, &[]);
        // It forgets whom it posts to.
        hook(&right, &at_right);
        let output = diff(&left, &right, &folder, &more);
        assert!(!out(&output).contains(SECRET), "{}", out(&output));
        found(&report)
    };
    assert_eq!(found(&[]), []);
    for &(planted, what) in sample(&IN_WEBHOOKS, 3) {
        let expected = ("webhook".to_owned(), what.to_owned());
        assert_eq!(found(&[planted]), [expected], "{planted}");
    }
}

fn other_keys() {
    let (left, right) = services();
    let folder = Folder::new("keys");
    let report = folder.path("report.json");
    let own = |environment: &str| {
        let key = |kind: &str, name: &str| format!("{kind} = \"svc_{environment}_{name}_k1\"\n");
        let kinds = [
            ("revoked", "revoked"),
            ("blocked", "elsewhere"),
            ("limited", "limited"),
        ];
        kinds.map(|(kind, name)| key(kind, name)).concat()
    };
    let keys = folder.path("keys.toml");
    let all = format!("[sandbox]\n{}[live]\n{}", own("test"), own("live"));
    std::fs::write(&keys, all).expect("it is written");
    let found = |planted: &[&str], keys: &[&str]| {
        right.plant(planted, &[]);
        let check = [
            "--check",
            "authentication.other-keys",
            "--report-json",
            &report,
        ];
        diff(&left, &right, &folder, &[&check, keys].concat());
        found(&report)
    };
    let both = ["--left-keys", &keys, "--right-keys", &keys];
    assert_eq!(found(&[], &both), []);
    for (planted, kind, what) in IN_KEYS {
        let expected = (kind.to_owned(), what.to_owned());
        assert_eq!(found(&[planted], &both), [expected], "{planted}");
        // Where one side has none there is nothing to compare it with.
        assert_eq!(found(&[planted], &both[..2]), [], "{planted}");
    }
}

/// Kind and what of every difference of a report.
fn found(report: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(report).expect("it was written");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let all = report["differences"].as_array().expect("a list").iter();
    all.map(|one| {
        for side in ["left", "right"] {
            let curl = text(&one["example"][side]["curl"]);
            assert!(
                curl.starts_with("curl ") || curl.contains("| curl "),
                "{curl}"
            );
        }
        assert!(
            !one["operations"].as_array().expect("a list").is_empty(),
            "{one}"
        );
        (text(&one["kind"]), text(&one["what"]))
    })
    .collect()
}

fn untold(folder: &Folder, output: &Output) {
    let mut written = folder.files();
    assert!(written.len() >= 6, "{}", out(output));
    written.push(("the output".to_owned(), out(output).into_bytes()));
    for (name, bytes) in written {
        let text = String::from_utf8_lossy(&bytes);
        for (key, _) in KEYS {
            assert!(!text.contains(key), "{name} shows a key");
        }
    }
}

fn unpaid() {
    let (left, right) = services();
    let folder = Folder::new("unpaid");
    let spent = folder.path("left.jsonl");
    let more = [
        "--left-budget-inr",
        "1000",
        "--left-spend-file",
        &spent,
        "--right-budget-inr",
        "0",
        "--check",
        "billing",
    ];
    let output = diff(&left, &right, &folder, &more);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("sent to neither") && text.contains("spent 0 INR of 1000 INR"),
        "{text}"
    );
    let state: Value = {
        let said = process::exchange(&left.console, "POST", "/state", "", &json!({}).to_string());
        serde_json::from_str(&said).expect("JSON")
    };
    assert_eq!(
        state["accounts"]["default"]["balance"], 100_000.0,
        "{state}"
    );
}
