//! What was recorded of a simulator with other people and rules as if it were a foreign service: learned and played again,
//! all of it is alike, and nobody's name is anywhere.

use std::path::Path;
use std::process::ExitCode;

use svc_simulator::Simulator;

use super::recording::{Recording, raw, request};

/// People and rules of the service.
const ELSEWHERE: &str = r#"
[person.kavya]
name = "KAVYA IYER"
date_of_birth = "1994-11-23"
father_name = "RAMAN IYER"
pan = "CKZPI4821L"
dlNumber = "TN0120160009876"
uan = "100987654411"
mobile = "9876500001"

[[scenario]]
name = "a suspended licence"
operation = "verify.identity.dl"
when = { who = "kavya" }
then = { success = { status = "SUSPENDED" } }

[[scenario]]
name = "a flaky toll office"
operation = "verify.utility.fastag"
when = { vehicleNumber = "MH12AB4411" }
then = [{ error = "SVC_SOURCE_TIMEOUT" }, { error = "SVC_PROVIDER_ERROR" }, { success = {} }]
start_over = true

[[scenario]]
name = "a supplier that is down"
operation = "verify.utility.png"
when = { serviceProvider = "MGL" }
then = { error = "SVC_SOURCE_UNAVAILABLE" }

[[scenario]]
name = "a bank office that talks nonsense"
operation = "verify.financial.ifsc"
when = { ifsc = "KKBK0000958" }
then = { success = {}, wire = "garbage" }

[[scenario]]
name = "everybody is inoperative"
operation = "verify.identity.pan"
otherwise = true
then = { success = { panStatus = "INOPERATIVE" } }
"#;

/// What a client asks: a path below `/v1/`, and a body.
const ASKED: [(&str, &str); 15] = [
    ("verify/identity/pan", r#"{"pan":"CKZPI4821L"}"#),
    ("verify/identity/pan", r#"{"pan":"BNZPN2501F"}"#),
    ("verify/identity/pan", r#"{"pan":"AAAAA9999A"}"#),
    (
        "verify/identity/dl",
        r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994"}"#,
    ),
    (
        "verify/identity/dl",
        r#"{"dlNumber":"KL0720150004567","dateOfBirth":"02/04/1991"}"#,
    ),
    ("verify/employment/uan-lookup", r#"{"mobile":"9876500001"}"#),
    ("verify/employment/uan", r#"{"uan":"100987654411"}"#),
    ("screen/mobile-silent", r#"{"mobile":"9876500001"}"#),
    ("verify/utility/fastag", TOLL),
    ("verify/utility/fastag", TOLL),
    ("verify/utility/fastag", TOLL),
    ("verify/utility/fastag", TOLL),
    (
        "verify/utility/png",
        r#"{"bpNumber":"2000000007","serviceProvider":"MGL"}"#,
    ),
    (
        "verify/utility/png",
        r#"{"bpNumber":"2000000007","serviceProvider":"IGL"}"#,
    ),
    ("verify/financial/ifsc", r#"{"ifsc":"KKBK0000958"}"#),
];

const TOLL: &str = r#"{"vehicleNumber":"MH12AB4411"}"#;

/// What is theirs.
const THEIRS: [&str; 5] = [
    "KAVYA",
    "CKZPI4821L",
    "TN0120160009876",
    "9876500001",
    "100987654411",
];

/// What somebody wrote, in a layout of their own.
const BY_HAND: &str = "# ours\n[[scenario]]\nname   = 'our own'\noperation='verify.utility.lpg'\nwhen={lpgId='10000000000000777'}\nthen={error='SVC_SOURCE_TIMEOUT'}\n";

/// A rule that contradicts what was recorded.
const AGAINST: &str = "[[scenario]]\nname = \"nobody is\"\noperation = \"verify.identity.pan\"\nthen = { success = { panStatus = \"DELETED\" } }\n";

fn learn(capture: &Path, out: &Path) -> String {
    let [capture, out] = [capture, out].map(|path| path.display().to_string());
    let arguments = [
        "svc-simulator",
        "learn",
        &capture,
        "--out",
        &out,
        "--at-least",
        "100",
    ];
    format!(
        "{:?}",
        svc_simulator::cli::run(arguments.map(Into::into).into_iter())
    )
}

#[test]
fn what_passed_of_a_foreign_service_is_learned_and_answered_alike() {
    let simulator = Simulator::builder().seed("elsewhere").scenarios(ELSEWHERE);
    let simulator = simulator.start_blocking().expect("it starts");
    let foreign = ["--show-personal-data", "no"];
    let recording = Recording::of(&simulator.sandbox_url(), &foreign);
    let headers = "Authorization: Bearer svc_test_local\r\nContent-Type: application/json\r\n";
    for (path, body) in ASKED {
        let call = request("POST", &format!("/v1/{path}"), headers, body);
        raw(recording.address(), &call);
    }
    let ended = recording.end();
    simulator.stop_blocking();
    let folder = &ended.folder;
    let capture = folder.path().join("run.capture");
    folder.write("mine/by-hand.toml", BY_HAND);
    let mine = folder.path().join("mine");
    assert_eq!(
        learn(&capture, &mine),
        format!("{:?}", ExitCode::SUCCESS),
        "not all of it is alike"
    );
    let text = |path: &Path| std::fs::read_to_string(path).expect("a file");
    assert_eq!(text(&mine.join("by-hand.toml")), BY_HAND);
    let learned = text(&mine.join("zz-learned-run.toml"));
    for said in [
        "SUSPENDED",
        "SVC_PROVIDER_ERROR",
        "serviceProvider = \"MGL\"",
        "wire = \"garbage\"",
    ] {
        assert!(learned.contains(said), "{said}: {learned}");
    }
    for theirs in THEIRS {
        assert!(!learned.contains(theirs) && !ended.text.contains(theirs));
    }
    // It can fail: somebody's own rule says otherwise, and stays.
    folder.write("against/by-hand.toml", AGAINST);
    let against = folder.path().join("against");
    assert_ne!(
        learn(&capture, &against),
        format!("{:?}", ExitCode::SUCCESS)
    );
    assert_eq!(text(&against.join("by-hand.toml")), AGAINST);
}
