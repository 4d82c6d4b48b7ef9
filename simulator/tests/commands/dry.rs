//! `try`, `explain` and `check`: nothing runs and nothing is sent.

use std::path::{Path, PathBuf};

use super::{WORKS, run};

/// A folder of this test's own with one scenario file.
pub(crate) fn folder(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left is written over.
    std::fs::create_dir_all(&folder).expect(WORKS);
    std::fs::write(folder.join("team.toml"), text).expect(WORKS);
    folder
}

/// Runs a command with a folder as the last argument, which is left out of what it prints.
fn with_folder(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let path = folder.display().to_string();
    let (code, stdout, stderr) = run(NOBODY, &[arguments, &[&path]].concat());
    let hidden = |text: String| text.replace(&path, "FOLDER");
    (code, hidden(stdout), hidden(stderr))
}

/// Nobody is asked.
const NOBODY: &str = "http://127.0.0.1:1";

const TEAM: &str = r#"
[[scenario]]
name = "asha"
operation = "verify.identity.pan"
when = { pan = "ABCPR1234F" }
then = { success = { nameOnPan = "ASHA RAO" } }

[[scenario]]
name = "flaky"
operation = "verify.utility.fastag"
when = { vehicleNumber = { starts_with = "KA09" } }
then = [ { error = "SVC_SOURCE_TIMEOUT" }, { success = {} } ]

[[scenario]]
name = "late"
operation = "verify.employment.uan"
when = { uan = "100000000002" }
then = { pending = {}, after = "25s", finally = { error = "SVC_SOURCE_TIMEOUT" } }

[[scenario]]
name = "held back, then reset"
operation = "verify.company.tan"
when = { tan = "BLRA77777A" }
then = { error = "SVC_PROVIDER_ERROR", delay = "2h", wire = "reset" }
"#;

const MET: &str = r#"
[[expect]]
name = "asha's PAN is found"
operation = "verify.identity.pan"
call = { pan = "ABCPR1234F" }
answer = { http = 200, because = "asha", data = { nameOnPan = "ASHA RAO" }, absent = ["error"] }

[[expect]]
name = "the third call of a flaky source is good"
operation = "verify.utility.fastag"
call = { vehicleNumber = "KA09XY0001" }
answers = [ { error = "SVC_SOURCE_TIMEOUT" }, { status = "completed" }, { success = true } ]

[[expect]]
name = "the history comes late"
operation = "verify.employment.uan"
environment = "live"
account = "local_qa"
call = { uan = "100000000002" }
answer = { status = "pending", http = 202, billing = { charged = false } }
after = "25s"
finally = { error = { code = "SVC_SOURCE_TIMEOUT", retryable = true } }

[[expect]]
name = "what a later step carries is issued first"
operation = "verify.identity.mobile-otp.fetch"
answer = { status = "completed" }
"#;

#[test]
fn what_is_expected_and_holds_is_counted() {
    let folder = folder("expect-met", &format!("{TEAM}{MET}"));
    let (code, stdout, stderr) = with_folder(&["check"], &folder);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(
        stdout.ends_with(" accounts, 4 expectations met: no mistake found\n"),
        "{stdout}"
    );
}

#[test]
fn what_is_expected_and_does_not_hold_is_reported_with_what_was_found() {
    let expect = r#"
[[expect]]
name = "somebody else"
operation = "verify.identity.pan"
call = { pan = "ABCPR1234F" }
answer = { http = 422, because = "rao", data = { nameOnPan = "RAVI" }, absent = ["data.pan"] }

[[expect]]
name = "too early"
operation = "verify.employment.uan"
call = { uan = "100000000002" }
answer = { status = "pending" }
after = "24s"
finally = { error = "SVC_SOURCE_TIMEOUT" }
"#;
    let folder = folder("expect-unmet", &format!("{TEAM}{expect}"));
    let (code, stdout, stderr) = with_folder(&["check"], &folder);
    assert_eq!((code, stdout.as_str()), (1, ""));
    insta::assert_snapshot!(stderr, @r#"
    error: "somebody else" is not met: of the answer, `http` should be 422 and is 200; "rao" should decide; `data.nameOnPan` should be "RAVI" and is "ASHA RAO"; `data.pan` should not be there and is "ABCPR1234F"
      --> FOLDER/team.toml:30:10
       |
    30 | answer = { http = 422, because = "rao", data = { nameOnPan = "RAVI" }, absent = ["data.pan"] }
       |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: decided by: scenario "asha" (FOLDER/team.toml:2)
               - expected, + found
                 {
                   "data": {
               -     "nameOnPan": "RAVI"
               +     "nameOnPan": "ASHA RAO"
                   }
                 }

    error: "too early" is not met: the result is still to come when the clock was moved by `after`
      --> FOLDER/team.toml:38:11
       |
    38 | finally = { error = "SVC_SOURCE_TIMEOUT" }
       |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    2 of 2 expectations not met
    "#);
}

const MISTAKEN: &str = r#"
[[expect]]
name = "a"
operation = "verify.identity.pam"
answer = { status = "complete", error = "SVC_NO_RECORDS_FOUND" }

[[expect]]
name = "a"
operation = "verify.identity.pan"
call = { pen = "ABCPR1234F" }
environment = "prod"
after = "25s"
answer = { http = 42, dat = {} }
answers = []

[[scenario]]
name = "b"
operation = "verify.identity.pan"
then = {}
"#;

#[test]
fn mistakes_of_expectations_are_reported_with_all_others() {
    let folder = folder("expect-mistaken", MISTAKEN);
    let (code, stdout, stderr) = with_folder(&["check"], &folder);
    assert_eq!((code, stdout.as_str()), (2, ""));
    insta::assert_snapshot!(stderr, @r#"
    error: the operation `verify.identity.pam` is not known
     --> FOLDER/team.toml:4:13
      |
    4 | operation = "verify.identity.pam"
      |             ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `verify.identity.pan`?

    error: the status `complete` is not known
     --> FOLDER/team.toml:5:21
      |
    5 | answer = { status = "complete", error = "SVC_NO_RECORDS_FOUND" }
      |                     ^^^^^^^^^^
      |
      = help: did you mean `completed`?

    error: the error code `SVC_NO_RECORDS_FOUND` is not known
     --> FOLDER/team.toml:5:41
      |
    5 | answer = { status = "complete", error = "SVC_NO_RECORDS_FOUND" }
      |                                         ^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `SVC_NO_RECORD_FOUND`?

    error: the name "a" was used before, at FOLDER/team.toml:2
     --> FOLDER/team.toml:8:8
      |
    8 | name = "a"
      |        ^^^

    error: the field `pen` is not known
      --> FOLDER/team.toml:10:10
       |
    10 | call = { pen = "ABCPR1234F" }
       |          ^^^
       |
       = help: known here: name, pan

    error: the environment `prod` is not known
      --> FOLDER/team.toml:11:15
       |
    11 | environment = "prod"
       |               ^^^^^^
       |
       = help: known here: live, test

    error: `after` moves the clock to look at a result, and no result is expected
      --> FOLDER/team.toml:12:9
       |
    12 | after = "25s"
       |         ^^^^^
       |
       = help: add `finally = { … }` with parts of the result's envelope

    error: an expectation has `answer` or `answers`, not both
      --> FOLDER/team.toml:14:11
       |
    14 | answers = []
       |           ^^

    error: an outcome has one of `success`, `error` and `pending`, or `delay`, `provider`, `wire` or `webhook` alone, which is added to what a call gets otherwise
      --> FOLDER/team.toml:19:8
       |
    19 | then = {}
       |        ^^

    9 mistakes found
    "#);
}

#[test]
fn mistakes_are_printed_for_programs() {
    let folder = folder("check-json", MISTAKEN);
    let (code, stdout, stderr) = with_folder(&["check", "--format", "json"], &folder);
    assert_eq!((code, stderr.as_str()), (2, ""));
    let report: serde_json::Value = serde_json::from_str(&stdout).expect(WORKS);
    assert_eq!(
        (&report["ok"], &report["expectations"]),
        (&false.into(), &().into())
    );
    insta::assert_snapshot!(report["mistakes"][0], @r#"{"file":"FOLDER/team.toml","line":4,"column":13,"message":"the operation `verify.identity.pam` is not known","hint":"did you mean `verify.identity.pan`?"}"#);
}

#[test]
fn mistakes_are_annotations_of_a_pull_request() {
    let folder = folder("check-github", MISTAKEN);
    let (code, stdout, stderr) = with_folder(&["check", "--format", "github"], &folder);
    assert_eq!((code, stderr.as_str()), (2, ""));
    insta::assert_snapshot!(stdout, @r#"
    ::error file=FOLDER/team.toml,line=4,col=13,title=mistake::the operation `verify.identity.pam` is not known%0Adid you mean `verify.identity.pan`?
    ::error file=FOLDER/team.toml,line=5,col=21,title=mistake::the status `complete` is not known%0Adid you mean `completed`?
    ::error file=FOLDER/team.toml,line=5,col=41,title=mistake::the error code `SVC_NO_RECORDS_FOUND` is not known%0Adid you mean `SVC_NO_RECORD_FOUND`?
    ::error file=FOLDER/team.toml,line=8,col=8,title=mistake::the name "a" was used before, at FOLDER/team.toml:2
    ::error file=FOLDER/team.toml,line=10,col=10,title=mistake::the field `pen` is not known%0Aknown here: name, pan
    ::error file=FOLDER/team.toml,line=11,col=15,title=mistake::the environment `prod` is not known%0Aknown here: live, test
    ::error file=FOLDER/team.toml,line=12,col=9,title=mistake::`after` moves the clock to look at a result, and no result is expected%0Aadd `finally = { … }` with parts of the result's envelope
    ::error file=FOLDER/team.toml,line=14,col=11,title=mistake::an expectation has `answer` or `answers`, not both
    ::error file=FOLDER/team.toml,line=19,col=8,title=mistake::an outcome has one of `success`, `error` and `pending`, or `delay`, `provider`, `wire` or `webhook` alone, which is added to what a call gets otherwise
    "#);
}

#[test]
fn a_file_that_is_no_toml_is_reported_once() {
    let folder = folder("no-toml", "[[expect]\nname = \"a\"\n");
    let (code, _, stderr) = with_folder(&["check"], &folder);
    assert!(stderr.ends_with("\n1 mistake found\n"), "{stderr}");
    assert_eq!(code, 2);
}

#[test]
fn a_call_is_tried_as_often_as_the_flag_says() {
    let folder = folder("try-flaky", TEAM);
    let (code, stdout, stderr) = with_folder(
        &[
            "try",
            "verify.utility.fastag",
            "--field",
            "vehicleNumber=KA09XY0001",
            "--times",
            "3",
            "--because",
            "--scenarios",
        ],
        &folder,
    );
    assert_eq!((code, stdout.lines().count()), (0, 3));
    insta::assert_snapshot!(stderr, @r#"
    local (test) calls verify.utility.fastag with {"vehicleNumber":"KA09XY0001"}
    1: 504 SVC_SOURCE_TIMEOUT, scenario "flaky" (FOLDER/team.toml:8)
    2: 200 completed, scenario "flaky" (FOLDER/team.toml:8)
    3: 200 completed, scenario "flaky" (FOLDER/team.toml:8)
    "#);
    let first = stdout.lines().next().unwrap_or_default();
    insta::assert_snapshot!(first, @r#"{"success":false,"verificationId":"svcv_txndz1vzzfcw33y213cz234b8w","referenceId":null,"endpoint":"verify.utility.fastag","status":"failed","error":{"code":"SVC_SOURCE_TIMEOUT","message":"The source did not answer in time.","retryable":true},"billing":{"charged":false,"amount":0,"currency":"INR"},"meta":{"createdAt":"2027-01-15T08:00:00.000Z","environment":"test","latencyMs":450}}"#);
}

#[test]
fn what_a_client_would_not_see_is_said() {
    let folder = folder("try-wire", TEAM);
    let arguments = [
        "try",
        "verify.company.tan",
        "--field",
        "tan=BLRA77777A",
        "--because",
        "--scenarios",
    ];
    let (code, stdout, stderr) = with_folder(&arguments, &folder);
    assert!(stdout.contains("SVC_PROVIDER_ERROR"), "{stdout}");
    insta::assert_snapshot!(stderr, @r#"
    local (test) calls verify.company.tan with {"tan":"BLRA77777A"}
    1: 502 SVC_PROVIDER_ERROR, scenario "held back, then reset" (FOLDER/team.toml:20), held back for 7200s, and on the wire the connection is reset before any byte of the answer
    "#);
    assert_eq!(code, 0);
}

#[test]
fn the_result_of_a_pending_call_is_printed_when_it_is_there() {
    let folder = folder("try-late", TEAM);
    let asked = |more: &[&str]| {
        let call = [
            "try",
            "verify.employment.uan",
            "--field",
            "uan=100000000002",
        ];
        with_folder(&[&call[..], more, &["--scenarios"]].concat(), &folder)
    };
    let (code, stdout, _) = asked(&["--live", "--after", "25s"]);
    assert_eq!((code, stdout.lines().count()), (0, 2), "{stdout}");
    assert!(stdout.contains("SVC_SOURCE_TIMEOUT"), "{stdout}");
    let (code, stdout, stderr) = asked(&["--after", "24s"]);
    assert_eq!((code, stdout.lines().count()), (1, 1), "{stdout}");
    assert!(
        stderr.starts_with("error: the result is still to come"),
        "{stderr}"
    );
    assert_eq!(asked(&["--result"]).0, 0);
}

#[test]
fn an_input_is_explained() {
    let folder = folder("explain", TEAM);
    let arguments = [
        "explain",
        "verify.identity.pan",
        "--field",
        "pan=ABCPR1234G",
        "--scenarios",
    ];
    let (code, stdout, stderr) = with_folder(&arguments, &folder);
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!(stdout, @r#"
    verify.identity.pan {"pan":"ABCPR1234G"}
    of local, test

    Answer
      200 completed
      no scenario names this input: it gets the operation's own answer

    Came close
      "asha" in FOLDER/team.toml:2
        pan is "ABCPR1234G", and must be "ABCPR1234F"

    Every outcome
      completed                     200  svc-simulator try verify.identity.pan --scenarios FOLDER
      SVC_INVALID_INPUT             400  svc-simulator try verify.identity.pan --scenarios FOLDER --body '{"pan":null}'
      SVC_INVALID_IDENTIFIER        400  svc-simulator try verify.identity.pan --scenarios FOLDER --field 'pan=?'
      SVC_AUTH_INVALID              401  svc-simulator try verify.identity.pan --scenarios FOLDER --account revoked
      SVC_KEY_ENVIRONMENT_MISMATCH  401  a key of live on test
      SVC_INSUFFICIENT_BALANCE      402  svc-simulator try verify.identity.pan --scenarios FOLDER --account broke --live
      SVC_IP_NOT_ALLOWED            403  svc-simulator try verify.identity.pan --scenarios FOLDER --account blocked
      SVC_NOT_FOUND                      no call of this operation ends so
      SVC_IDEMPOTENCY_CONFLICT      409  Idempotency-Key order-1042 twice, with different bodies
      SVC_NO_RECORD_FOUND           422  svc-simulator try verify.identity.pan --scenarios FOLDER --field pan=AAAAA9999A
      SVC_RATE_LIMITED              429  svc-simulator try verify.identity.pan --scenarios FOLDER --account throttled --times 3
      SVC_PROVIDER_ERROR            502  svc-simulator try verify.identity.pan --scenarios FOLDER --field pan=AAAAA0502A
      SVC_SOURCE_UNAVAILABLE        503  svc-simulator try verify.identity.pan --scenarios FOLDER --field pan=AAAAA0503A
      SVC_SOURCE_TIMEOUT            504  svc-simulator try verify.identity.pan --scenarios FOLDER --field pan=AAAAA0504A
      SVC_INTERNAL_ERROR            500  svc-simulator try verify.identity.pan --scenarios FOLDER --field pan=AAAAA0500A
    "#);
}

#[test]
fn an_input_is_explained_to_programs() {
    let arguments = [
        "explain",
        "verify.identity.pan",
        "--body",
        r#"{"pan":"ZZZZZ0000Z"}"#,
        "--format",
        "json",
        "--environment",
        "live",
    ];
    let (code, stdout, _) = run(NOBODY, &arguments);
    let explanation: serde_json::Value = serde_json::from_str(&stdout).expect(WORKS);
    assert_eq!(code, 0);
    assert_eq!(
        explanation["decides"]["name"],
        "the source is not available"
    );
    assert_eq!(explanation["answer"]["outcome"], "SVC_SOURCE_UNAVAILABLE");
    insta::assert_snapshot!(explanation["outcomes"][9], @r#"{"outcome":"SVC_NO_RECORD_FOUND","status":422,"because":"scenario \"PAN that does not exist\" ((built in) scenarios/universal.toml:5)","calls":[{"account":"local","environment":"live","key":"live","set":{"pan":"AAAAA9999A"},"body":{"pan":"AAAAA9999A"},"times":1}]}"#);
}

#[test]
fn a_call_that_is_refused_is_explained_too() {
    let (code, stdout, _) = run(NOBODY, &["explain", "verify.identity.pan", "--body", "{}"]);
    assert_eq!(code, 0);
    let line = "\n  the call is refused: `pan` is required\n  otherwise no scenario would decide";
    assert!(stdout.contains(line), "{stdout}");
}

#[test]
fn a_scenario_that_would_decide_a_refused_call_is_named() {
    let call = [
        "explain",
        "verify.identity.pan",
        "--field",
        "pan=AAAAA9999A",
    ];
    let (code, stdout, _) = run(NOBODY, &[&call[..], &["--account", "revoked"]].concat());
    assert_eq!(code, 0);
    let line = "\n  otherwise scenario \"PAN that does not exist\" in ";
    assert!(stdout.contains("\n  401 SVC_AUTH_INVALID\n"), "{stdout}");
    assert!(stdout.contains(line), "{stdout}");
}

#[test]
fn what_is_not_known_is_refused_with_what_is_near() {
    for (arguments, message) in [
        (
            vec!["try", "verify.identity.pam"],
            "did you mean `verify.identity.pan`?",
        ),
        (
            vec!["try", "verify.identity.pan", "--field", "pann=A"],
            "did you mean `pan`?",
        ),
        (
            vec!["explain", "verify.identity.pan", "--account", "lokal"],
            "did you mean `local`?",
        ),
        (
            vec!["try", "verify.identity.pan", "--field", "pan"],
            "write NAME=VALUE",
        ),
        (
            vec!["try", "verify.identity.pan", "--body", "[]"],
            "write a JSON object",
        ),
        (
            vec!["try", "verify.identity.pan", "--scenarios", "/no/such"],
            "can't be read",
        ),
    ] {
        let (code, stdout, stderr) = run(NOBODY, &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(message), "{stderr}");
    }
}

#[test]
fn what_the_exit_codes_mean_is_in_the_help() {
    for command in ["check", "try", "explain"] {
        let (code, stdout, _) = run(NOBODY, &[command, "--help"]);
        assert!(stdout.contains("Exit codes: 0 "), "{stdout}");
        assert_eq!(code, 0);
    }
}
