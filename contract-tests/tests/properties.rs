//! The properties, tried on simulators in this process; and that one that does not hold ends in a small
//! script, a line of curl and a capture that can be judged and sent again.
//!
//! `SVC_PROPERTY_TIMES` asks for so many times as many scripts, `SVC_PROPERTY_SEED` for others, and
//! `SVC_PROPERTY_REPLAY` names a saved failure, which is then judged and sent again.

mod subjects;
mod support;

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

use libtest_mimic::{Arguments, Failed, Trial};
use subjects::{Broken, Defect, Sound};
use svc_contract_tests::capture::Capture;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::property::{
    self, Counterexample, Effort, PROPERTIES, Property, check_property, judge_again, property,
    send_again,
};
use svc_contract_tests::verdict::{Finding, Verdict};
use svc_fixtures::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

/// Where failures are saved.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/properties");

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let effort = match effort() {
        Ok(effort) => effort,
        Err(why) => {
            // Where stderr is closed there is nobody to report to.
            let _ = writeln!(io::stderr(), "error: {why}");
            return ExitCode::from(2);
        }
    };
    let mut trials: Vec<_> = PROPERTIES
        .iter()
        .map(|property| Trial::test(property.id, move || holds(property, effort)))
        .collect();
    trials.extend(
        DEFECTS.iter().map(|planted| {
            Trial::test(planted.name, move || is_found(planted)).with_kind("defect")
        }),
    );
    if let Ok(file) = std::env::var("SVC_PROPERTY_REPLAY") {
        trials.push(Trial::test("replay", move || replayed(Path::new(&file))));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// How hard the properties are tried, as the environment says.
fn effort() -> Result<Effort, String> {
    let number = |name: &str, usual: u64| match std::env::var(name) {
        Err(_) => Ok(usual),
        Ok(text) => text
            .parse()
            .map_err(|_| format!("{name} must be a whole number, not {text:?}")),
    };
    let times = number("SVC_PROPERTY_TIMES", 1)?;
    let times = u32::try_from(times)
        .ok()
        .filter(|times| *times > 0)
        .ok_or("SVC_PROPERTY_TIMES must be from 1 to 4294967295")?;
    let seed = number("SVC_PROPERTY_SEED", 0)?;
    Ok(Effort { times, seed })
}

fn holds(property: &'static Property, effort: Effort) -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let trials = check_property(property, &setting, &Sound, effort, None)
        .map_err(|failure| failure.end(Path::new(FOLDER)))?;
    // A law of which most scripts end before they begin would hold of anything.
    let most = trials.scripts > 0 && trials.ended_early * 4 < trials.scripts;
    let missing: Vec<_> = reached(property.id)
        .iter()
        .filter(|ending| !trials.endings.contains_key(**ending))
        .collect();
    match most && missing.is_empty() {
        true => Ok(()),
        false => Err(format!("too little was tried: {missing:?} is missing of {trials:#?}").into()),
    }
}

/// Endings that the scripts of a law must reach, so that it cannot hold for want of trying.
fn reached(property: &str) -> &'static [&'static str] {
    match property {
        "property.near-valid" => &["400 SVC_INVALID_INPUT", "400 SVC_INVALID_IDENTIFIER"],
        "property.hostile" => &["400 SVC_INVALID_INPUT"],
        "property.ignored" => &["200 completed", "200 pending"],
        "property.valid" => &[
            "200 completed",
            "200 pending",
            "422 SVC_NO_RECORD_FOUND",
            "500 SVC_INTERNAL_ERROR",
            "502 SVC_PROVIDER_ERROR",
            "503 SVC_SOURCE_UNAVAILABLE",
            "504 SVC_SOURCE_TIMEOUT",
        ],
        "property.same-bytes" => &[
            "200 completed",
            "200 pending",
            "404 SVC_NOT_FOUND",
            "409 SVC_IDEMPOTENCY_CONFLICT",
        ],
        _ => &[
            "200 completed",
            "200 completed, replayed",
            "200 pending",
            "200 pending, replayed",
            "200 SVC_NO_RECORD_FOUND",
            "202 pending",
            "400 SVC_INVALID_IDENTIFIER",
            "400 SVC_INVALID_INPUT",
            "402 SVC_INSUFFICIENT_BALANCE",
            "404 SVC_NOT_FOUND",
            "409 SVC_IDEMPOTENCY_CONFLICT",
            "422 SVC_NO_RECORD_FOUND",
            "422 SVC_NO_RECORD_FOUND, replayed",
            "503 SVC_SOURCE_UNAVAILABLE",
        ],
    }
}

/// A defect, the law that finds it, and how it is reported.
struct PlantedDefect {
    name: &'static str,
    defect: Defect,
    property: &'static str,
    operation: Option<&'static str>,
    /// It shows as a breach of one of these.
    clauses: &'static [&'static str],
    /// How many calls the smallest script needs, and how many are small enough.
    calls: std::ops::RangeInclusive<usize>,
}

const DEFECTS: &[PlantedDefect] = &[
    PlantedDefect {
        name: "no latency is found by valid calls",
        defect: Defect::NoLatency,
        property: "property.valid",
        operation: Some("verify.identity.pan"),
        clauses: &["envelope.meta"],
        calls: 1..=1,
    },
    PlantedDefect {
        name: "a bad PAN that is taken is found by almost valid calls",
        defect: Defect::TakesAnyPan,
        property: "property.near-valid",
        operation: Some("verify.identity.pan"),
        // A blank one is bad input, which is as good an example as any.
        clauses: &["errors.invalid-identifier", "errors.invalid-input"],
        calls: 1..=1,
    },
    PlantedDefect {
        name: "a second charge now and then is found by lives",
        defect: Defect::ChargesTwice(3),
        property: "property.histories",
        operation: None,
        clauses: &["ruling.22-wallet-adds-up", "ruling.27-usage"],
        calls: 4..=7,
    },
    PlantedDefect {
        name: "a failure that is not kept under its key is found by lives",
        defect: Defect::ForgetsFailures,
        property: "property.histories",
        operation: None,
        clauses: &["idempotency.replay", "errors.idempotency-conflict"],
        calls: 4..=6,
    },
    PlantedDefect {
        name: "a count across accounts is found by two plays",
        defect: Defect::CountsAcrossAccounts,
        property: "property.same-bytes",
        operation: None,
        clauses: &["ruling.14-accounts-are-apart"],
        calls: 2..=5,
    },
];

fn is_found(planted: &PlantedDefect) -> Result<(), Failed> {
    let setting = support::setting(&CONTRACT);
    let property = property(planted.property).ok_or("there is no such law")?;
    let services = Broken(planted.defect);
    let Err(failure) = check_property(
        property,
        &setting,
        &services,
        Effort::default(),
        planted.operation,
    ) else {
        return Err("the law holds".into());
    };
    let folder = Path::new(FOLDER).join(planted.name.replace(' ', "-"));
    let message = failure.end(&folder);
    let broken = clauses(&failure.broken);
    let shown = |clause: &&&str| broken.contains(**clause) && message.contains(**clause);
    expect(
        planted.clauses.iter().any(|clause| shown(&clause)),
        &message,
    )?;
    expect(planted.calls.contains(&failure.calls()), &message)?;
    let lines = message.lines().filter(|line| line.contains("curl -sS -X "));
    expect(lines.count() == failure.calls(), &message)?;
    saved_and_judged_again(&failure, &services, &folder, &message)
}

/// The file has the same verdicts, the same defect has them again, and a sound service has none.
fn saved_and_judged_again(
    failure: &Counterexample,
    services: &Broken,
    folder: &Path,
    message: &str,
) -> Result<(), Failed> {
    let path = failure.save(folder)?;
    expect(message.contains(&path.display().to_string()), message)?;
    let capture = Capture::from_json(&std::fs::read_to_string(&path)?)?;
    let setting = Setting::of(&CONTRACT, inputs::built_in(), &capture);
    let judged = clauses(&broken(judge_again(&setting, &capture)));
    expect(
        judged == clauses(&failure.broken),
        &format!("{judged:?}\n{message}"),
    )?;
    let (again, findings) = send_again(&setting, services, &capture);
    expect(clauses(&broken(findings)) == judged, message)?;
    expect(untimed(again) == untimed(failure.capture.clone()), message)?;
    let (_, findings) = send_again(&setting, &Sound, &capture);
    let sound = broken(findings);
    expect(sound.is_empty(), &format!("{sound:?}\n{message}"))
}

/// Without when each call was made and how long it took, which no second time is the same.
fn untimed(mut capture: Capture) -> Capture {
    for case in &mut capture.cases {
        case.took_ms = 0;
        for exchange in &mut case.exchanges {
            exchange.took_ms = 0;
            exchange.at_s = None;
        }
    }
    capture
}

fn expect(holds: bool, message: &str) -> Result<(), Failed> {
    match holds {
        true => Ok(()),
        false => Err(message.into()),
    }
}

fn broken(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| !matches!(finding.verdict, Verdict::Held { .. }));
    findings
}

fn clauses(findings: &[Finding]) -> BTreeSet<String> {
    let clause = |finding: &Finding| match &finding.verdict {
        Verdict::Broken { clause, .. } => Some(clause.clone()),
        _ => None,
    };
    findings.iter().filter_map(clause).collect()
}

/// A saved failure: judged as it is, then sent again to a sound simulator.
fn replayed(file: &Path) -> Result<(), Failed> {
    let message = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| message(&error))?;
    let capture = Capture::from_json(&text).map_err(|error| message(&error))?;
    let setting = Setting::of(&CONTRACT, inputs::built_in(), &capture);
    let (_, findings) = send_again(&setting, &Sound, &capture);
    let (saved, now) = (
        property::render(&judge_again(&setting, &capture)),
        property::render(&findings),
    );
    match now.is_empty() {
        true if saved.is_empty() => Ok(()),
        true => {
            let message = format!("as it was saved:\n{saved}\nsent again: all holds now");
            writeln!(io::stderr(), "{message}")?;
            Ok(())
        }
        false => Err(format!("as it was saved:\n{saved}\nsent again:\n{now}").into()),
    }
}
