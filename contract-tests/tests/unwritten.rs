//! What can't be written is no success: every command says so by its exit code, on a full disk and where nobody reads.

mod outside;

use std::fs::OpenOptions;
use std::io::pipe;
use std::process::Stdio;

use outside::{Folder, service};

/// Whatever is written there, there is no room for it.
const FULL: &str = "/dev/full";

/// One of those that are captured.
const CASE: [&str; 4] = [
    "--check",
    "envelope.error",
    "--case",
    "verify.company.gst: no fields",
];

fn full() -> Stdio {
    let full = OpenOptions::new().write(true).open(FULL);
    full.expect("a system with /dev/full").into()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// The exit code where stdout goes there, and what stderr says.
fn ended(arguments: &[&str], stdout: Stdio) -> (Option<i32>, String) {
    let ended = outside::command(arguments).stdout(stdout).output();
    let ended = ended.expect("it runs");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), said)
}

#[test]
fn no_command_succeeds_where_its_output_can_not_be_written() {
    let service = service(Vec::new(), r#"{"success":1}"#.to_owned());
    let (base, folder) = (service.url.clone(), Folder::new("unwritten"));
    let capture = folder.path("capture.json");
    let pages = folder.path("man1");
    let run = ["run", "--base-url", &base, "--check", "envelope.error"];
    let (code, said) = ended(
        &[&run[..], &["--capture", &capture]].concat(),
        Stdio::null(),
    );
    assert_eq!(code, Some(1), "{said}");
    let run_and = |more: &[&'static str]| [&run[..], more].concat();
    let calls = [
        vec!["--help"],
        vec!["--version"],
        vec!["help"],
        vec!["run", "--help"],
        run_and(&[]),
        run_and(&["--quiet"]),
        run_and(&["--dry-run"]),
        run_and(&["--github-annotations"]),
        vec!["judge", &capture],
        [&["replay", &capture, "--base-url", &base][..], &CASE].concat(),
        vec!["list"],
        vec!["list", "--markdown"],
        vec!["inputs"],
        vec!["completions", "bash"],
        vec!["man", &pages],
        vec!["inputs", "--learn", "--base-url", &base],
    ];
    for sink in [full as fn() -> Stdio, closed] {
        for arguments in &calls {
            let (code, said) = ended(arguments, sink());
            assert_eq!(code, Some(4), "{arguments:?}: {said}");
            assert!(said.contains("not written"), "{arguments:?}: {said}");
            assert!(!said.contains("panic"), "{arguments:?}: {said}");
        }
    }
    for flag in [
        "--report-json",
        "--report-junit",
        "--report-html",
        "--report-github-summary",
        "--capture",
    ] {
        let (code, said) = ended(&[&run[..], &[flag, FULL]].concat(), Stdio::null());
        assert_eq!(code, Some(4), "{flag}: {said}");
        assert!(said.contains("/dev/full was not written"), "{flag}: {said}");
    }
}

#[test]
fn reports_are_written_to_files_also_where_nobody_reads_the_one_that_is_printed() {
    let service = service(Vec::new(), r#"{"success":1}"#.to_owned());
    let (base, folder) = (service.url.clone(), Folder::new("unwritten-files"));
    let report = folder.path("report.json");
    let run = ["run", "--base-url", &base, "--check", "envelope.error"];
    let (code, _) = ended(&[&run[..], &["--report-json", &report]].concat(), full());
    assert_eq!(code, Some(4));
    let files = folder.files();
    let (name, written) = files.first().expect("a report");
    let written = String::from_utf8_lossy(written);
    assert!(
        *name == report && written.contains("envelope.error"),
        "{written}"
    );
}

#[test]
fn a_step_summary_without_a_file_goes_where_github_says() {
    let service = service(Vec::new(), r#"{"success":1}"#.to_owned());
    let folder = Folder::new("step-summary");
    let ended = |summary: &str| {
        let run = [
            "run",
            "--base-url",
            &service.url,
            "--check",
            "envelope.error",
        ];
        let mut command = outside::command(&[&run[..], &["--report-github-summary"]].concat());
        let output = command.env("GITHUB_STEP_SUMMARY", summary).output();
        let output = output.expect("the command runs");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(ended(&folder.path("summary.md")).0, Some(1));
    let files = folder.files();
    let (_, written) = files.first().expect("a summary");
    assert!(String::from_utf8_lossy(written).contains("envelope.error"));
    let (code, said) = ended("");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("set GITHUB_STEP_SUMMARY"), "{said}");
}
