//! What `try` and `explain` say beside the answer: of what a client would see otherwise, and of the headers of a call.

use std::path::Path;

use super::dry::folder;
use super::{WORKS, run};

/// Nobody is asked.
const NOBODY: &str = "http://127.0.0.1:1";

/// Runs a command with a folder as the last argument, which is left out of what it prints.
fn with_folder(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let path = folder.display().to_string();
    let (code, stdout, stderr) = run(NOBODY, &[arguments, &[&path]].concat());
    let hidden = |text: String| text.replace(&path, "FOLDER");
    (code, hidden(stdout), hidden(stderr))
}

const RESET: &str = r#"
[[scenario]]
name = "held back, then reset"
operation = "verify.company.tan"
when = { tan = "BLRA77777A" }
then = { error = "SVC_PROVIDER_ERROR", delay = "2h", wire = "reset" }
"#;

#[test]
fn what_a_client_would_not_see_as_it_is_printed_is_said() {
    let folder = folder("try-notes", RESET);
    let tan = [
        "try",
        "verify.company.tan",
        "--field",
        "tan=BLRA77777A",
        "--scenarios",
    ];
    let (_, _, wire) = with_folder(&tan, &folder);
    let body = r#"{"pan":"AAAAA0503A","nmae":"Asha Rao"}"#;
    let twice = [
        "try",
        "verify.identity.pan",
        "--body",
        body,
        "--idempotency-key",
        "k",
        "--times",
        "2",
        "--scenarios",
    ];
    let (_, _, replay) = with_folder(&twice, &folder);
    insta::assert_snapshot!(wire + &replay, @"
    1: a client does not get this as it is printed here: the connection is reset before any byte of the answer
    note: no field is called nmae; it is ignored, and refused by `serve --strict`
    2: the failure is given again, since the key is the same; a retry that is to be executed brings a new one
    ");
}

#[test]
fn what_no_document_of_the_control_api_can_be_is_said() {
    for more in [["--format", "postman"], ["--environment", "live"]] {
        let arguments = [&["openapi", "--only", "control"], &more[..]].concat();
        let (code, printed, told) = run(NOBODY, &arguments);
        assert_eq!((code, printed.as_str()), (2, ""));
        insta::allow_duplicates! { insta::assert_snapshot!(told, @"error: the control API is in no Postman collection and of no environment: leave out --only control, or --format postman and --environment"); }
    }
}

#[test]
fn a_header_of_a_call_is_given_to_the_rules() {
    let rule = r#"
[[scenario]]
name = "chaos"
operation = "verify.identity.pan"
when = { header.x-chaos = "down" }
then = { error = "SVC_SOURCE_UNAVAILABLE" }
"#;
    let folder = folder("try-header", rule);
    let arguments = [
        "explain",
        "verify.identity.pan",
        "--header",
        "X-Chaos=down",
        "--scenarios",
    ];
    let (code, stdout, _) = with_folder(&arguments, &folder);
    assert_eq!(code, 0);
    let (answer, outcomes) = stdout.split_once("\nEvery outcome\n").expect(WORKS);
    insta::assert_snapshot!(answer, @r#"
    verify.identity.pan {"pan":"AAAAA0000A"}
    of local, test
    with x-chaos "down"

    Answer
      503 SVC_SOURCE_UNAVAILABLE
      scenario "chaos" in FOLDER/team.toml:2
        x-chaos is "down"

    Holds too, and comes later
      "PAN that exists" in (built in) scenarios/samples.toml:5

    Came close
      "the last digits are the status: 500" in (built in) scenarios/universal.toml:11
        pan is "AAAAA0000A", and must be one of "AAAAA0500A", "AAA-0500", "27AAAAA0500A1Z5" and 30 more
    "#);
    assert!(outcomes.contains(" --header x-chaos=down"), "{outcomes}");
    for wrong in [
        "Authorization=x",
        "X-Reference-Id=x",
        "X Chaos=x",
        "X-Chaos",
    ] {
        let (code, _, stderr) = run(NOBODY, &["try", "verify.identity.pan", "--header", wrong]);
        assert_eq!(code, 2, "{wrong}: {stderr}");
    }
}
