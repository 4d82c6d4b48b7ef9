//! A provider that changed: the second implementation with differences planted. `drift` writes the rows anew, and with
//! them laid over the built-in ones harness and simulator say what it does. It needs python3, and `SVC_REQUIRE_TOOLS=1`.

#[expect(dead_code, reason = "nothing here answers everything alike")]
mod outside;
#[path = "second/process.rs"]
mod process;
#[path = "second/python.rs"]
mod python;
mod support;
#[path = "second/whole.rs"]
mod whole;

use std::path::Path;
use std::process::{ExitCode, Output};
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use outside::Folder;
use process::Second;
use support::InProcess;
use svc_contract_tests::capture::{Capabilities, Capture};
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::diff::compare;
use svc_contract_tests::event::Event;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::profile::Profile;
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_fixtures::contract::Contract;
use svc_fixtures::embedded;
use svc_fixtures::reading::Source;
use whole::asking_whole_plans;

/// What the provider does otherwise since yesterday, and the places of it.
const PLANTED: [(&str, &str); 7] = [
    (
        "drop_field:verify.identity.passport:typeOfApplication",
        "data.typeOfApplication",
    ),
    (
        "rename_field:verify.utility.lpg:distributor",
        "data.distributor",
    ),
    ("wrong_type:verify.identity.voter:age", "data.age"),
    ("null_field:verify.financial.ifsc:branch", "data.branch"),
    ("bank_v1_status_word", "data.acValidationStatus"),
    ("rc_month_year_iso", "data.manufacturingMonthYear"),
    ("no_record_404", "calls that end 422 SVC_NO_RECORD_FOUND"),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        trial(
            "what_a_provider_changed_is_laid_over_and_all_agree",
            follows,
        ),
        Trial::test("rows_with_a_mistake_say_where_it_is", || {
            mistaken();
            Ok(())
        }),
        trial("a_service_is_asked_and_the_same_is_proposed", asked),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, test: fn()) -> Trial {
    let run = move || -> Result<Completion, Failed> {
        asking_whole_plans(|| {
            test();
            Ok(())
        })
    };
    Trial::ignorable_test(name, run)
}

fn out(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(error)
    )
}

fn ends(arguments: &[&str], code: i32) -> String {
    let output = outside::command(arguments).output().expect("it runs");
    let text = out(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// What the second implementation says of its inputs.
const INPUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/second/inputs.toml");

/// A capture of the service as it is now.
fn captured(second: &Second, folder: &Folder) -> String {
    let capture = folder.path("now.capture");
    let mut command = outside::command(&["run", "--quiet", "--budget-inr", "1000000"]);
    command
        .args([
            "--base-url",
            second.sandbox.as_str(),
            "--live-url",
            second.live.as_str(),
        ])
        .args([
            "--spend-file",
            &folder.path("spent.jsonl"),
            "--inputs",
            INPUTS,
        ])
        .args(["--capture", &capture])
        .env("SVC_API_KEY", "svc_test_default_k1")
        .env("SVC_LIVE_KEY", "svc_live_default_k1");
    let output = command.output().expect("it runs");
    assert!(Path::new(&capture).exists(), "{}", out(&output));
    capture
}

/// The arguments that name the service, and what may be spent there.
fn of_service<'a>(second: &'a Second, spent: &'a str) -> Vec<&'a str> {
    vec![
        "--base-url",
        second.sandbox.as_str(),
        "--api-key",
        "svc_test_default_k1",
        "--live-url",
        second.live.as_str(),
        "--live-key",
        "svc_live_default_k1",
        "--inputs",
        INPUTS,
        "--budget-inr",
        "1000000",
        "--spend-file",
        spent,
    ]
}

fn asked() {
    let second = Second::start(None, &[]);
    second.plant(&PLANTED.map(|(name, _)| name), &["other_prices"]);
    let folder = Folder::new("asked");
    let [spent, first, saved, again] =
        ["spent.jsonl", "first.patch", "now.capture", "again.patch"].map(|name| folder.path(name));
    let service = of_service(&second, &spent);
    let dry = [&["drift", "--dry-run"], &*service].concat();
    ends(&dry, 0);
    assert!(!Path::new(&spent).exists(), "nothing is sent or spent");
    let out = ["drift", "--patch", &first, "--capture", &saved];
    let said = ends(&[&out, &*service].concat(), 1);
    for place in [
        "typeOfApplication is never there",
        "status = 404",
        "price_inr = ",
    ] {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert!(said.contains("spent "), "{said}");
    // What it was asked is compared as a capture of it is.
    ends(&["drift", &saved, "--patch", &again], 1);
    // Stand-ins of people are counted anew.
    let lines = |path: &String| -> Vec<String> {
        let text = std::fs::read_to_string(path).expect("a patch");
        let lines = text.lines().filter(|line| !line.contains("[redacted "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(lines(&first), lines(&again));
    // A part of it is asked where a part is meant.
    let part = ["drift", "--operation", "verify.identity.voter"];
    let service = &service[..4];
    let said = ends(&[&part, service].concat(), 1);
    assert!(said.contains("age is"), "{said}");
    assert!(!said.contains("verify.utility"), "{said}");
    let nobody = [
        "drift",
        "--base-url",
        "http://127.0.0.1:1",
        "--check",
        "envelope",
    ];
    ends(&nobody, 3);
    let said = ends(&["drift"], 2);
    assert!(
        said.contains("--base-url is needed: drift takes the address of a service, or a capture"),
        "{said}"
    );
}

fn follows() {
    let second = Second::start(None, &[]);
    second.plant(&PLANTED.map(|(name, _)| name), &["other_prices"]);
    let folder = Folder::new("drift");
    let (capture, rows) = (captured(&second, &folder), folder.path("rows"));
    let patch = folder.path("rows.patch");
    let said = ends(&["drift", &capture, "--out", &rows, "--patch", &patch], 1);
    for place in [
        "distributorX is new",
        "typeOfApplication is never there",
        "age is",
        "branch may be null",
        "may be VALID",
        "manufacturingMonthYear is",
        "status = 404",
        "price_inr = ",
    ] {
        assert!(said.contains(place), "{place}: {said}");
    }
    let patch = std::fs::read_to_string(patch).expect("a patch");
    assert!(
        patch.starts_with("--- a/fixtures/contract/") && patch.contains("--- a/fixtures/answers/"),
        "{patch}"
    );
    // The harness goes by the new rows.
    let again = outside::command(&["--contract", &rows, "drift", &capture]).output();
    let again = again.expect("it runs");
    assert_eq!(
        String::from_utf8_lossy(&again.stdout),
        "",
        "{}",
        out(&again)
    );
    // Members of cases that its answers make from one another are for a person to add.
    let left = String::from_utf8_lossy(&again.stderr).into_owned();
    let known = ["cases[].", "/v1/bundles/professional", "stand-ins"];
    let by_hand = |line: &str| known.iter().any(|known| line.contains(known));
    assert!(left.lines().all(by_hand), "{left}");
    let judge = ["--contract", &rows, "judge", &capture, "--quiet"];
    ends(&[&judge[..], &["--inputs", INPUTS]].concat(), 0);
    // And so does the simulator.
    lay_over(Path::new(&rows).join("fixtures").as_path());
    let contract = Contract::built_in();
    let text = std::fs::read_to_string(&capture).expect("a capture");
    let left = Capture::from_json(&text).expect("a capture");
    let right = of_simulator(&contract);
    let setting = Setting::of(&contract, inputs::built_in(), &left);
    let comparison = compare(&setting, &check::all(), &left, &right);
    assert!(comparison.cases > 500, "{comparison:?}");
    let found: Vec<_> = comparison
        .differences
        .iter()
        .map(|it| it.headline())
        .collect();
    for (name, place) in PLANTED {
        let told = found
            .iter()
            .any(|line| line.contains(&format!(" {place}:")));
        assert!(!told, "{name} is in {found:#?}");
    }
    // What a bundle costs there no row says: here it is the sum of its steps.
    let prices = comparison.differences.iter();
    let mut prices = prices.filter(|it| it.what == "billing.amount");
    let of_bundles = |id: &String| id.starts_with("bundles.");
    assert!(
        prices.all(|it| it.operations.iter().all(of_bundles)),
        "{found:#?}"
    );
}

/// What the simulator of this process answers to what a customer asks.
fn of_simulator(contract: &Contract) -> Capture {
    let mut setting = support::setting(contract);
    setting.capabilities = Capabilities::default();
    setting.profile = Profile::Provider;
    let target = Arc::new(InProcess::new(support::accounts()));
    let client = Client::new(&*target, Keyring::of_simulator(), &setting);
    let (checks, filter, limits) = (check::all(), Filter::default(), RunLimits::default());
    let mut emit = |_: &mut Event| {};
    let run = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    support::block_on(run).0
}

/// As `--contract` does it.
fn lay_over(folder: &Path) {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a file");
            let rest = path.strip_prefix(folder).expect("it is below");
            let name = rest.display().to_string();
            files.push((name, Source::new(path.display().to_string(), text)));
        }
    }
    embedded::lay_over(files).expect("nothing was laid over before");
}

fn mistaken() {
    let folder = Folder::new("mistaken");
    let rows = folder.path("contract");
    std::fs::create_dir_all(&rows).expect("a folder");
    let text =
        include_str!("../../fixtures/contract/errors.toml").replace("status = 422", "staus = 422");
    std::fs::write(format!("{rows}/errors.toml"), text).expect("it is written");
    let root = folder.path("");
    let said = ends(&["--contract", &root, "list"], 2);
    assert!(
        said.contains("contract/errors.toml:") && said.contains("did you mean `status`?"),
        "{said}"
    );
    let nothing = Folder::new("nothing");
    let said = ends(&["--contract", &nothing.path(""), "list"], 2);
    assert!(
        said.contains("no TOML file is in contract/, answers/, world/"),
        "{said}"
    );
}
