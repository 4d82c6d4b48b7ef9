//! `webhook sign` and `webhook verify` as programs: what they print and how they end.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::program::SECRET;

const BODY: &str = "{\"verificationId\":\"svcv_1\",\"score\":1.0}";
const AT: &str = "1800000000";

struct Ended {
    code: Option<i32>,
    out: String,
    error: String,
}

fn webhook(arguments: &[&str], body: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command
        .arg("webhook")
        .args(arguments)
        .env("SVC_WEBHOOK_SECRET", SECRET);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may end before it reads.
    let _ = stdin.write_all(body.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        error: String::from_utf8(output.stderr).expect("text"),
    }
}

fn header() -> String {
    let signed = webhook(&["sign", "--at", AT], BODY);
    assert_eq!(signed.code, Some(0));
    signed.out.trim_end().to_owned()
}

#[test]
fn a_body_is_signed_as_openssl_signs_it() {
    // printf '1800000000.{"verificationId":"svcv_1","score":1.0}' | openssl dgst -sha256 -hmac whsec_sample
    insta::assert_snapshot!(header(), @"t=1800000000,v1=1b74218024a84762401bfc9ef3daa2a9430ed225d8e0f56cf01d58dec9efc61f");
}

#[test]
fn what_was_signed_is_valid_and_ends_with_0() {
    let verified = webhook(
        &["verify", "--header", &header(), "--at", "1800000300"],
        BODY,
    );
    assert_eq!(
        (verified.code, verified.out.as_str()),
        (Some(0), "the signature is valid, signed 300 s ago\n")
    );
}

#[test]
fn what_is_not_valid_is_explained_and_ends_with_1() {
    let header = header();
    let verified = webhook(
        &["verify", "--header", &header, "--at", "1800000301"],
        &BODY.replace(":", ": "),
    );
    assert_eq!(verified.code, Some(1));
    insta::assert_snapshot!(verified.out, @"
    the signature is NOT VALID
      the signature fits the same JSON printed otherwise: without spaces (as JSON.stringify does)
        why  The body was parsed and printed again, either before it was signed or before it was checked. That changes spaces, escapes, numbers or the order of members, and so the signature.
        do   Check the raw bytes of the request, before any JSON middleware; when signing, sign what is sent. In Express: `express.raw`; in Flask: `request.get_data()`; in Spring: a `byte[]` body.
      t=1800000000 is 5m 1s before the time of this check, 1800000301; 5m are allowed
        why  An old delivery was sent once more, by a person or by an attacker who recorded it, or the clock of this machine is ahead. Each attempt of the service is signed anew, so a late attempt is not the reason.
        do   Compare the clocks of both machines. For a recorded delivery pass its own time as `--at`, or a larger tolerance.
    ");
    let tolerant = [
        "verify",
        "--header",
        &header,
        "--at",
        "1800000301",
        "--tolerance",
        "6m",
    ];
    assert_eq!(webhook(&tolerant, BODY).code, Some(0));
}

#[test]
fn a_secret_taken_for_another_is_told_apart_and_not_repeated() {
    let header = header();
    let arguments = [
        "verify",
        "--secret",
        "svc_test_local",
        "--other-secret",
        SECRET,
        "--header",
        &header,
        "--at",
        AT,
        "--json",
    ];
    let verified = webhook(&arguments, BODY);
    assert_eq!(verified.code, Some(1));
    let said: serde_json::Value = serde_json::from_str(&verified.out).expect("JSON");
    assert_eq!(said["diagnoses"][0]["code"], "secret-other");
    assert!(!verified.out.contains(SECRET) && !verified.out.contains("svc_test_local"));
}

#[test]
fn without_a_header_it_says_so() {
    let verified = webhook(&["verify"], BODY);
    assert_eq!(verified.code, Some(1));
    assert!(
        verified
            .out
            .contains("there is no X-Service-Signature header"),
        "{}",
        verified.out
    );
}

#[test]
fn wrong_arguments_end_with_2_and_do_not_repeat_secrets() {
    let header = header();
    for arguments in [
        &["sign", "--at", "yesterday"][..],
        &["sign", "/nowhere/body.json"],
        &["verify", "--header", &header, "--tolerance", "5"],
        &["verify", "--header", &header, "--secret", ""],
        &["verify", "--header", &header, "--unknown"],
        &["sign", "--help", "--at"],
        &[],
    ] {
        let ended = webhook(arguments, BODY);
        assert_eq!(
            ended.code,
            Some(if arguments.contains(&"--help") { 0 } else { 2 }),
            "{arguments:?}"
        );
        assert!(
            !ended.error.contains(SECRET) && !ended.out.contains(SECRET),
            "{arguments:?}"
        );
    }
}
