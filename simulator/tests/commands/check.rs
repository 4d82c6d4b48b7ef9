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

#[test]
fn a_file_that_is_no_text_hides_nothing_of_the_others() {
    let folder = Folder::new("check-no-text");
    let path = folder.path().display().to_string();
    folder.write("a.toml", "[[scenario]]\nname = 1\n");
    std::fs::write(folder.path().join("b.toml"), b"# caf\xE9\nother = 1\n").expect(WORKS);
    std::fs::write(folder.path().join("c.toml"), b"name = \"\xFF\"").expect(WORKS);
    let (code, _, stderr) = run("", &["check", &path]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr.replace(&path, "folder"), @r#"
    error: `operation` is missing
     --> folder/a.toml:1:1
      |
    1 | [[scenario]]
      | ^^^^^^^^^^^^

    error: `then` is missing: write `then = { success = {} }`, an error, or what is to happen
     --> folder/a.toml:1:1
      |
    1 | [[scenario]]
      | ^^^^^^^^^^^^

    error: expected a string, found integer
     --> folder/a.toml:2:8
      |
    2 | name = 1
      |        ^

    error: this is not UTF-8: 0xE9
     --> folder/b.toml:1:6
      |
    1 | # caf�
      |      ^
      |
      = help: save the file as UTF-8

    error: `other` is not known here
     --> folder/b.toml:2:1
      |
    2 | other = 1
      | ^^^^^
      |
      = help: known here: account, answers, bank, cases, company, domain, expect, person, place, scenario, then, values, vehicle, when

    error: `name` is not known here
     --> folder/c.toml:1:1
      |
    1 | name = "�"
      | ^^^^
      |
      = help: known here: account, answers, bank, cases, company, domain, expect, person, place, scenario, then, values, vehicle, when

    error: this is not UTF-8: 0xFF
     --> folder/c.toml:1:9
      |
    1 | name = "�"
      |         ^
      |
      = help: save the file as UTF-8

    7 mistakes found
    "#);
}
