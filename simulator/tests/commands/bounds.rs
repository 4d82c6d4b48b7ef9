//! What is read has bounds: a file of some kilobytes takes megabytes, not gigabytes, and a body without an end none.

use std::fmt::Write as _;
use std::process::Command;

use svc_test_support::Folder;

use super::WORKS;

/// `check` of this file with no more than half a gigabyte of memory: exit code and what it says.
fn check(text: &str) -> (Option<i32>, String) {
    let folder = Folder::new("bounds");
    folder.write("scenarios/a.toml", text);
    let program = env!("CARGO_BIN_EXE_svc-simulator");
    let bounded = format!("ulimit -v 524288 && exec {program} check scenarios");
    let mut command = Command::new("sh");
    let command = command.args(["-c", &bounded]).current_dir(folder.path());
    let ended = command.env_clear().output().expect(WORKS);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), said)
}

/// The program with these arguments and no more than half a gigabyte of memory: exit code and what it says.
fn bounded(arguments: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_svc-simulator");
    let bounded = format!("ulimit -v 524288 && exec {program} {arguments}");
    let mut command = Command::new("sh");
    let ended = command.args(["-c", &bounded]).env_clear().output();
    let ended = ended.expect(WORKS);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    (ended.status.code(), said)
}

#[test]
fn a_body_without_an_end_is_refused_before_it_takes_all_memory() {
    for call in ["sign --secret s", "verify --secret s"] {
        for input in ["/dev/zero", "- < /dev/zero"] {
            let (code, said) = bounded(&format!("webhook {call} {input}"));
            assert_eq!(code, Some(2), "{call} {input}: {said}");
            let wanted = "has no end, or is over 16 MiB: give the body of one delivery";
            assert!(said.contains(wanted), "{call} {input}: {said}");
        }
    }
}

#[test]
fn a_file_for_tls_without_an_end_is_refused_before_it_takes_all_memory() {
    for flag in ["--webhook-ca-file", "--webhook-client-cert"] {
        let ports = "--console 127.0.0.1:0 --sandbox 127.0.0.1:0 --live 127.0.0.1:0";
        let (code, said) = bounded(&format!("serve {ports} {flag} /dev/zero"));
        assert_eq!(code, Some(2), "{flag}: {said}");
        assert!(
            said.contains("it has no end, or is over 16 MiB"),
            "{flag}: {said}"
        );
    }
}

/// A rule for each of these expressions.
fn rules(operation: &str, field: &str, expressions: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for (number, expression) in expressions.enumerate() {
        let written = write!(
            text,
            "[[scenario]]\nname = \"{number}\"\noperation = \"{operation}\"\n\
             when = {{ {field} = {{ matches = '{expression}' }} }}\nthen = {{ error = \"SVC_NO_RECORD_FOUND\" }}\n\n"
        );
        written.expect("a text takes all");
    }
    text
}

#[test]
fn some_kilobytes_of_large_expressions_are_refused_where_they_become_too_many() {
    let large = (0..200).map(|number| format!("\\w{{20}}\\pL{{20}}[0-9]y{{{number}}}"));
    let text = rules("verify.identity.pan", "name", large);
    assert!(text.len() < 32 << 10);
    let (code, said) = check(&text);
    assert_eq!(code, Some(2), "{said}");
    let wanted = "the regular expressions of all rules up to this one take over 64 MiB";
    assert_eq!(said.matches(wanted).count(), 1, "{said}");
    assert!(said.contains("--> scenarios/a.toml:"), "{said}");
    assert!(
        said.contains("= help: repeat less, and name the characters"),
        "{said}"
    );
    assert!(said.ends_with("1 mistake found\n"), "{said}");
}

#[test]
fn expressions_for_every_operation_share_what_they_take() {
    let classes = (0..40).map(|number| format!("^[A-Z]{{5}}\\w{{9}}[{}-9]$", number % 10));
    let (code, said) = check(&rules("*", "any_identifier", classes));
    // That some of them never win is another matter.
    assert!(code == Some(0) || said.contains("never wins"), "{said}");
    assert!(!said.contains("memory"), "{said}");
}
