//! Money, judged by the second implementation, whose console says what the wallet really holds: however much it
//! conceals and whenever the run is killed, no rupee over the budget is gone; the dry run says just what is
//! judged; others may use the same wallet. Needs python3, and `SVC_REQUIRE_TOOLS=1`.

#[path = "second/process.rs"]
mod process;
#[path = "second/python.rs"]
mod python;
#[path = "second/whole.rs"]
mod whole;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use process::{PROGRAM, Second, exchange};
use serde_json::{Value, json};
use svc_fixtures::contract::Contract;
use svc_test_support::{Folder, ended};

const LIVE_KEY: &str = "svc_live_default_k1";

fn main() -> ExitCode {
    let trials = vec![
        trial(
            "fifty rupees judge fifteen operations at its own prices",
            fifty_judge_fifteen,
        ),
        trial("the dry run says just what is judged", dry_run_is_exact),
        trial(
            "a service that conceals its charges is killed and gone on with",
            concealed,
        ),
        trial("others use the wallet", others_use_the_wallet),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: &'static str, test: fn() -> Result<(), Failed>) -> Trial {
    Trial::ignorable_test(name, move || whole::asking_whole_plans(test))
}

/// `run` against it with its own keys, as a person at its provider would.
fn run(second: &Second, folder: &Folder, budget: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SVC_") {
            command.env_remove(name);
        }
    }
    command.env("XDG_DATA_HOME", folder.path());
    command.args(["run", "--base-url", second.sandbox.as_str()]);
    command.args(["--live-url", second.live.as_str()]);
    command.args(["--api-key", "svc_test_default_k1", "--live-key", LIVE_KEY]);
    command.args(["--tag", "live", "--budget-inr", budget]);
    command
}

/// What it costs, in INR by endpoint.
fn prices() -> Value {
    let mut command = Command::new("python3");
    let said = command.args(["-B", PROGRAM, "--inputs"]).output();
    let said = said.expect("python3 is installed").stdout;
    let said: Value = serde_json::from_slice(&said).expect("JSON");
    let rows = |name: &str| said[name].as_object().expect("an object").clone();
    let bundles = rows("bundles").into_iter();
    // The specification names no slugs, so one of them is another here.
    let known = Contract::built_in().bundles;
    let bundles = bundles.filter(|(slug, _)| known.iter().any(|it| it.slug == *slug));
    let bundles = bundles.map(|(slug, row)| (format!("bundles.{slug}"), row));
    let prices = rows("operations").into_iter().chain(bundles);
    Value::Object(
        prices
            .map(|(name, row)| (name, row["price"].clone()))
            .collect(),
    )
}

/// What is gone from the wallet of the usual account, in INR: what its console says, and nobody else.
fn spent(second: &Second) -> f64 {
    let state = exchange(&second.console, "GET", "/state", "", "");
    let state: Value = serde_json::from_str(&state).expect("JSON");
    let balance = state["accounts"]["default"]["balance"].as_f64();
    100_000.0 - balance.expect("a balance")
}

/// The list of its own prices, as a file.
fn own_prices(folder: &Folder) -> String {
    folder.write("prices.json", &prices().to_string());
    folder.path().join("prices.json").display().to_string()
}

/// The paid cases that a dry run lists.
fn planned(report: &str) -> BTreeSet<String> {
    let lines = report
        .lines()
        .skip_while(|line| !line.starts_with("paid cases"));
    let cases = lines.skip(1).take_while(|line| !line.is_empty());
    let name = |line: &str| {
        line.trim_start()
            .split_once("  ")
            .map(|(_, name)| name.to_owned())
    };
    cases.filter_map(name).collect()
}

/// The cases of which something was judged, by a report as JSON.
fn judged(report: &str) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(report).expect("JSON");
    let mut judged = BTreeSet::new();
    for check in report["checks"].as_array().expect("checks") {
        for case in check["cases"].as_array().expect("cases") {
            if case["outcome"] != "skipped" {
                let (check, case) = (&check["check"], &case["case"]);
                let text = |value: &Value| value.as_str().expect("a name").to_owned();
                judged.insert(format!("{}: {}", text(check), text(case)));
            }
        }
    }
    judged
}

fn fifty_judge_fifteen() -> Result<(), Failed> {
    for listed in [true, false] {
        let (second, folder) = (Second::start(None, &[]), Folder::new("fifty"));
        let report = folder.path().join("report.json");
        let mut command = run(&second, &folder, "50");
        command.arg("--report-json").arg(&report);
        if listed {
            command.args(["--prices", &own_prices(&folder)]);
        }
        let (code, out, problems) = ended(&mut command);
        let cases = judged(&std::fs::read_to_string(&report).expect("a report"));
        let operation = |case: &String| {
            let about = case.split_once(": ")?.1;
            Some(about.split(": ").next()?.to_owned())
        };
        let operations: BTreeSet<_> = cases.iter().filter_map(operation).collect();
        let spent = spent(&second);
        if code != Some(0) || operations.len() < 15 || !(0.5..=50.0).contains(&spent) {
            return Err(format!("{code:?}, {spent} INR, {operations:?}\n{out}{problems}").into());
        }
    }
    Ok(())
}

fn dry_run_is_exact() -> Result<(), Failed> {
    for (listed, budget) in [(true, "50"), (true, "7.25"), (false, "50"), (false, "333")] {
        let (second, folder) = (Second::start(None, &[]), Folder::new("exact"));
        let report = folder.path().join("report.json");
        let list = own_prices(&folder);
        let both = ["--prices", list.as_str()];
        let prices = if listed { &both[..] } else { &[] };
        let dry = |more: &[&str]| {
            let mut command = run(&second, &folder, budget);
            planned(&ended(command.args(prices).args(["--dry-run"]).args(more)).1)
        };
        let before = dry(&[]);
        let untouched = spent(&second);
        let mut command = run(&second, &folder, budget);
        let command = command.args(prices).arg("--report-json").arg(&report);
        let (code, out, problems) = ended(command);
        let after = judged(&std::fs::read_to_string(&report).expect("a report"));
        if before.is_empty() || before != after || untouched > 0.0 || code != Some(0) {
            let (missing, more) = (&before - &after, &after - &before);
            return Err(
                format!("{budget}, {code:?}, {missing:?}, {more:?}\n{out}{problems}").into(),
            );
        }
        // All of it is paid for: a run that is broken off at its end, and goes on, would send nothing of it again.
        let mut files = std::fs::read_dir(folder.path().join("svc-contract-tests"))?;
        let file = files.next().ok_or("no journal")??.path();
        let journal = std::fs::read_to_string(&file)?;
        let broken_off = journal.trim_end().strip_suffix("\"ended\"");
        std::fs::write(&file, broken_off.ok_or("no end")?)?;
        let left = dry(&["--resume"]);
        if !left.is_disjoint(&before) {
            return Err(format!("{left:?} would be paid for again").into());
        }
    }
    Ok(())
}

/// What conceals a charge, and beside a defect in how much is said, in what is taken.
const CONCEALED: [&[&str]; 6] = [
    &["charged_false_but_debited"],
    &["charged_true_amount_zero"],
    &["charged_false_but_debited", "replay_charges_silently"],
    &["replay_charges_silently"],
    &["charge_source_down_silently"],
    &["wallet_decrement_twice"],
];

fn concealed() -> Result<(), Failed> {
    let second = Second::start(None, &[]);
    let folder = Folder::new("concealed");
    let list = own_prices(&folder);
    for (at, defects) in CONCEALED.iter().enumerate() {
        second.plant(defects, &[]);
        let file = folder.path().join(format!("{at}.jsonl"));
        let mut last = String::new();
        for round in 0..4 {
            let mut command = run(&second, &folder, "60");
            let command = command.args(["--prices", &list, "--rate", "200"]);
            let command = command.arg("--spend-file").arg(&file);
            if round > 0 {
                command.arg("--resume");
            }
            let killed = (round < 3).then_some(6 + 9 * round);
            let over;
            (last, over) = go(command, killed);
            let spent = spent(&second);
            if !(0.0..=60.0).contains(&spent) {
                return Err(format!("{defects:?}: {spent} INR, round {round}\n{last}").into());
            }
            // What goes on after its own end begins anew, with a budget of its own.
            if over {
                break;
            }
        }
        let spent = spent(&second);
        if spent == 0.0 || !last.contains(" INR of 60 INR") {
            return Err(format!("{defects:?}: {spent} INR\n{last}").into());
        }
    }
    Ok(())
}

/// Runs to the end, or until the journal has so many lines: then it is killed. What it said, and whether it came to
/// its own end, which it may before it can be killed.
fn go(command: &mut Command, killed: Option<usize>) -> (String, bool) {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    if let Some(lines) = killed {
        let arguments: Vec<_> = command.get_args().collect();
        let at = arguments.iter().position(|it| *it == "--spend-file");
        let file = arguments[at.expect("it is named") + 1];
        let count = || std::fs::read(file).map_or(0, |text| text.split(|it| *it == b'\n').count());
        let before = count();
        while count() < before + lines && child.try_wait().expect("it runs").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("it can be killed");
    }
    let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let lines: Vec<String> = stderr.lines().map_while(Result::ok).collect();
    let ended = child.wait().expect("it ends");
    (lines.join("\n"), ended.code().is_some())
}

fn others_use_the_wallet() -> Result<(), Failed> {
    let (second, folder) = (Second::start(None, &[]), Folder::new("others"));
    let over = AtomicBool::new(false);
    let (code, out, problems) = std::thread::scope(|scope| {
        scope.spawn(|| {
            let body = json!({ "name1": "A B", "name2": "A B" }).to_string();
            let key =
                format!("Authorization: Bearer {LIVE_KEY}\r\nContent-Type: application/json\r\n");
            while !over.load(Ordering::Relaxed) {
                exchange(&second.live, "POST", "/v1/verify/name/match", &key, &body);
            }
        });
        let mut command = run(&second, &folder, "5000");
        let done = ended(command.args(["--prices", &own_prices(&folder)]));
        over.store(true, Ordering::Relaxed);
        done
    });
    let said = out.contains("move this wallet");
    if !matches!(code, Some(0 | 5)) || !out.contains("clauses: 0 broken") || !said {
        return Err(format!("{code:?}\n{out}{problems}").into());
    }
    Ok(())
}
