//! `check` on folders of scenarios, as the program that people run.

use std::path::Path;

use svc_test_support::Folder;

use super::{WORKS, run};

const RULES: &str = "[[scenario]]
name = \"every PAN\"
operation = \"verify.identity.pan\"
then = { success = {} }

[[scenario]]
name = \"one PAN\"
operation = \"verify.identity.pan\"
when = { pan = \"AAAAA0000A\" }
then = { error = \"SVC_NO_RECORD_FOUND\" }
";

#[test]
fn a_rule_that_never_wins_is_a_mistake_of_its_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-never-wins");
    std::fs::create_dir_all(&folder).expect(WORKS);
    std::fs::write(folder.join("a.toml"), RULES).expect(WORKS);
    let folder = folder.display().to_string();
    let (code, out, stderr) = run("", &["check", &folder]);
    assert_eq!((code, out.as_str()), (2, ""));
    insta::assert_snapshot!(stderr.replace(&folder, "folder"), @r#"
    error: the rule "one PAN" never wins: "every PAN" before it holds for all its inputs
     --> folder/a.toml:6:1
      |
    6 | [[scenario]]
      | ^^^^^^^^^^^^
      |
      = help: "every PAN" stands at folder/a.toml:1; put the narrower rule first, or take one of them away

    1 mistake found
    "#);
}

#[test]
fn a_folder_without_a_file_is_no_success() {
    let folder = Folder::new("check-empty");
    folder.write("notes.md", "nothing to read\n");
    let path = folder.path().display().to_string();
    let (code, stdout, stderr) = run("", &["check", &path]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    let expected = format!(
        "error: {path} has no TOML file, so that there is nothing to check; `svc-simulator init` writes a first one\n"
    );
    assert_eq!(stderr, expected);
    // Files may be put into the folder of a simulator that serves.
    assert_eq!(
        run("", &["try", "verify.identity.pan", "--scenarios", &path]).0,
        0
    );
}
