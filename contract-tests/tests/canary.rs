//! A key that a service repeats in every form it can think of is in nothing that the command writes:
//! neither on stdout and stderr nor in a report, a capture or a failure.

mod outside;

use std::process::Output;

use data_encoding::{BASE32, BASE64, BASE64URL_NOPAD, HEXLOWER};
use outside::{Folder, service};
use svc_test_support::Server;

const KEY: &str = "svc_test_canary-Qx7Lm2Vd9Kt4Rw8Z";
const WEBHOOK: &str = "whsec_canary5Hn3Jb6Yp1";

/// The forms a service may repeat a key in, parts of it too.
fn forms() -> Vec<String> {
    let escaped = |plain: fn(u8) -> bool| {
        let each = KEY.bytes().map(|b| match plain(b) {
            true => char::from(b).to_string(),
            false => format!("%{b:02X}"),
        });
        each.collect::<String>()
    };
    let base64 = |text: String| BASE64.encode(text.as_bytes());
    vec![
        KEY.to_owned(),
        format!("Bearer {KEY}"),
        KEY.to_uppercase(),
        escaped(|b| b.is_ascii_alphanumeric()),
        escaped(|_| false).to_lowercase(),
        base64(KEY.to_owned()),
        base64(format!("Bearer {KEY}")),
        base64(format!("{KEY}:")),
        base64(format!("a:{KEY}")),
        base64(format!("user:{KEY}")),
        BASE64URL_NOPAD.encode(format!("ab:{KEY}").as_bytes()),
        BASE32.encode(KEY.as_bytes()),
        HEXLOWER.encode(KEY.as_bytes()),
        KEY.chars().rev().collect(),
        KEY["svc_test_".len()..].to_owned(),
        KEY[12..26].to_owned(),
        KEY[KEY.len() - 9..].to_owned(),
        WEBHOOK.to_owned(),
    ]
}

/// No run of nine characters of the key's own part is left, and no encoding of one.
fn leaks(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let own = &KEY["svc_test_canary-".len()..];
    let mut signs: Vec<String> = (0..=own.len() - 9)
        .map(|at| own[at..at + 9].to_owned())
        .collect();
    signs.extend(forms().into_iter().filter(|form| form.len() > 9));
    signs.extend([
        own.chars().rev().collect(),
        BASE64.encode(&own.as_bytes()[..9]),
    ]);
    signs.extend([
        HEXLOWER.encode(&own.as_bytes()[..9]),
        WEBHOOK[6..].to_owned(),
    ]);
    signs.retain(|sign| text.contains(&sign.to_lowercase()));
    signs
}

/// An answer that shows the key wherever the judge looks, in its headers and in the name of a member.
fn leaking() -> Server {
    let keys = forms().join(" | ");
    let body = serde_json::json!({
        "success": keys,
        "verificationId": keys,
        "referenceId": keys,
        "endpoint": keys,
        "status": "failed",
        "error": { "code": keys, "message": keys, KEY: keys },
        "billing": { "charged": keys, "amount": 0, "currency": keys },
        "meta": { "environment": keys, "latencyMs": 1 },
    });
    service(vec![("X-Leak".to_owned(), keys)], body.to_string())
}

fn command(arguments: &[&str], folder: &Folder) -> Output {
    let mut command = outside::command(arguments);
    command.arg("--github-annotations");
    for (flag, file) in [
        ("--report-json", "report.json"),
        ("--report-junit", "report.xml"),
        ("--report-html", "report.html"),
        ("--report-github-summary", "report.md"),
        ("--failures", "failures"),
    ] {
        command.args([flag, &folder.path(file)]);
    }
    command.env("SVC_API_KEY", KEY);
    command.output().expect("the command runs")
}

fn assert_untold(folder: &Folder, output: &Output) {
    let mut written = folder.files();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("[redacted key]"), "{report}");
    assert!(
        written.len() > 5,
        "{:?}",
        String::from_utf8_lossy(&output.stderr)
    );
    written.push(("stdout".to_owned(), output.stdout.clone()));
    written.push(("stderr".to_owned(), output.stderr.clone()));
    for (name, bytes) in written {
        assert_eq!(leaks(&bytes), [""; 0], "{name} shows the key");
    }
}

#[test]
fn a_key_that_is_repeated_in_every_form_is_written_nowhere() {
    let service = leaking();
    let base = service.url.clone();
    let (first, again) = (Folder::new("run"), Folder::new("judge"));
    let capture = first.path("capture.json");
    let arguments = [
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope.error",
        "--capture",
        &capture,
    ];
    let output = command(&arguments, &first);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_untold(&first, &output);
    let output = command(&["judge", &capture], &again);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_untold(&again, &output);
}

#[test]
fn the_search_for_leaks_finds_each_form() {
    for form in forms() {
        assert!(!leaks(format!("x{form}x").as_bytes()).is_empty(), "{form}");
    }
}
