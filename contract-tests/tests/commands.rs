//! The commands as a whole: run, judge and replay say the same and end alike.

mod outside;

use std::process::Output;

use outside::{Folder, service};
use svc_test_support::Server;

fn broken() -> Server {
    let body = r#"{"success":1,"data":{"fullName":"RAVI KUMAR"}}"#;
    service(Vec::new(), body.to_owned())
}

fn done(arguments: &[&str]) -> (i32, String) {
    let output: Output = outside::command(arguments).output().expect("it runs");
    let told = [output.stdout, output.stderr].concat();
    let code = output.status.code().expect("it was not killed");
    (code, String::from_utf8_lossy(&told).into_owned())
}

/// What is told behind the first line, which has a seed, without addresses.
fn verdicts(told: &str) -> Vec<&str> {
    let lines = told.lines().skip(1);
    lines.filter(|line| !line.contains("$ curl")).collect()
}

#[test]
fn a_capture_judged_again_says_what_the_run_said() {
    let (service, folder) = (broken(), Folder::new("judge"));
    let capture = folder.path("capture.json");
    let base = service.url.clone();
    let (code, told) = done(&[
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope",
        "--capture",
        &capture,
    ]);
    drop(service);
    let (again, told_again) = done(&["judge", &capture]);
    assert_eq!((code, again), (1, 1), "{told_again}");
    let sum = |told: &str| told.lines().last().map(str::to_owned);
    assert_eq!(sum(&told_again), sum(&told));
    let (told, told_again) = (verdicts(&told).join("\n"), verdicts(&told_again).join("\n"));
    let breaches = |told: &str| told.split("clauses: ").next().map(str::to_owned);
    assert_eq!(breaches(&told_again), breaches(&told));
}

#[test]
fn a_failing_case_is_a_file_that_is_sent_and_judged_again() {
    let (service, folder) = (broken(), Folder::new("replay"));
    let (base, failures) = (service.url.clone(), folder.path("failures"));
    let (code, told) = done(&[
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope.error",
        "--failures",
        &failures,
    ]);
    assert_eq!(code, 1, "{told}");
    let files = folder.files();
    let (file, _) = files.first().expect("a failing case is a file");
    let (code, told) = done(&["replay", file, "--base-url", &base]);
    assert!(code == 1 && told.starts_with("1 check, "), "{told}");
    drop(service);
    let (code, told) = done(&["replay", file, "--base-url", &base]);
    assert_eq!(code, 3, "{told}");
    let (code, told) = done(&["judge", file]);
    assert_eq!(code, 1, "{told}");
}

#[test]
fn personal_data_is_told_only_of_a_service_on_this_machine() {
    let (service, folder) = (broken(), Folder::new("personal"));
    let (base, file) = (service.url.clone(), folder.path("report.json"));
    let run = [
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope.error",
        "--report-json",
        &file,
    ];
    let shown = |more: &[&str]| {
        let (code, told) = done(&[&run[..], more].concat());
        assert_eq!(code, 1, "{told}");
        std::fs::read_to_string(&file)
            .expect("a report")
            .contains("RAVI KUMAR")
    };
    assert!(shown(&[]));
    assert!(shown(&["--show-personal-data", "yes"]));
    assert!(!shown(&["--show-personal-data", "no"]));
}

#[test]
fn nothing_judged_is_no_success() {
    let folder = Folder::new("nothing");
    let capture = folder.path("capture.json");
    let text = r#"{"seed":"s","environments":["test"],"extensions":false,"http":true,"cases":[]}"#;
    std::fs::write(&capture, text).expect("a file");
    let (code, told) = done(&["judge", &capture]);
    assert!(code == 4 && told.contains("nothing was judged"), "{told}");
    let strange = text.replace("[]", r#"[{"check":"no.such","case":"a","exchanges":[]}]"#);
    std::fs::write(&capture, strange).expect("a file");
    let (code, told) = done(&["judge", &capture]);
    assert!(
        code == 4 && told.contains("this version has no case `no.such: a`"),
        "{told}"
    );
}

#[test]
fn what_was_not_given_as_it_must_be_is_told_before_anything_is_sent() {
    let folder = Folder::new("usage");
    let list = folder.path("known.toml");
    std::fs::write(&list, "[[known]]\ncheck = \"no.such\"\n").expect("a file");
    let base = ["run", "--base-url", "http://127.0.0.1:1"];
    for (more, said) in [
        (
            ["--baseline", list.as_str()],
            "check `no.such` is not known",
        ),
        (
            ["--report-json", "/no/such/folder/a.json"],
            "its folder does not exist",
        ),
        (["--capture", "/"], "it is a folder"),
    ] {
        let (code, told) = done(&[&base[..], &more[..]].concat());
        assert!(code == 2 && told.contains(said), "{told}");
    }
    let (code, told) = done(&["judge", &list]);
    assert!(code == 2 && told.contains("no capture"), "{told}");
    let (code, told) = done(&["judge", "a", "svc_live_0123456789"]);
    assert!(code == 2 && !told.contains("0123456789"), "{told}");
}
