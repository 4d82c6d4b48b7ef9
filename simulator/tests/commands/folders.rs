//! People and companies of one file of a folder, spoken of in another.

use std::path::{Path, PathBuf};

use super::{WORKS, run};

const PEOPLE: &str = r#"
[person.meera]
name = "MEERA NAIR"
pan = "BNZPN2501F"
company = "acme"
"#;

const COMPANIES: &str = r#"
[company.acme]
name = "ACME TEXTILES PRIVATE LIMITED"
cin = "U17110KL2012PTC000321"
"#;

const RULES: &str = r#"
[[scenario]]
name = "her PAN is late"
operation = "verify.identity.pan"
when = { who = "meera", name = "$meera.name" }
then = { error = "SVC_SOURCE_TIMEOUT" }

[[expect]]
name = "it is"
operation = "verify.identity.pan"
who = "meera"
call = { name = "$meera.name" }
answer = { error = "SVC_SOURCE_TIMEOUT", because = "her PAN is late" }

[[expect]]
name = "she is she without a rule, too"
operation = "verify.identity.pan"
who = "meera"
answer = { data = { nameOnPan = "MEERA NAIR" } }
"#;

/// A folder of this test's own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left there would be read, too.
    let _ = std::fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect(WORKS)).expect(WORKS);
        std::fs::write(path, text).expect(WORKS);
    }
    folder
}

fn checked(name: &str, files: &[(&str, &str)]) -> (i32, String, String) {
    let folder = folder(name, files).display().to_string();
    let (code, out, stderr) = run("", &["check", &folder]);
    (code, out, stderr.replace(&folder, "FOLDER"))
}

#[test]
fn who_is_declared_in_one_file_is_spoken_of_in_all_files_of_the_folder() {
    // The rules come first by name: the order of the files does not matter.
    let files = [
        ("a.toml", RULES),
        ("companies.toml", COMPANIES),
        ("people.toml", PEOPLE),
    ];
    let (code, out, stderr) = checked("shared-people", &files);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(out.contains(", 2 expectations met: "), "{out}");
}

#[test]
fn who_is_declared_twice_in_a_folder_is_reported_with_both_places() {
    let again =
        "[person.meera]\nmobile = \"9876500009\"\n\n[company.meeras]\npan = \"BNZPN2501F\"\n";
    let files = [("a.toml", PEOPLE), ("b.toml", COMPANIES), ("c.toml", again)];
    let (code, _, stderr) = checked("shared-people-twice", &files);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r#"
    error: somebody is called `meera` already, at FOLDER/a.toml:2
     --> FOLDER/c.toml:1:1
      |
    1 | [person.meera]
      | ^^^^^^^^^^^^^^
      |
      = help: everybody has one name in a folder: take one of them away, or name them apart

    error: "BNZPN2501F" is asked for as `meera` at FOLDER/a.toml:2, too: whose is it?
     --> FOLDER/c.toml:4:1
      |
    4 | [company.meeras]
      | ^^^^^^^^^^^^^^^^

    2 mistakes found
    "#);
}

#[test]
fn a_folder_knows_nobody_of_another_folder() {
    let files = [
        ("people/people.toml", PEOPLE),
        ("people/b.toml", COMPANIES),
        ("rules/a.toml", RULES),
    ];
    let (code, _, stderr) = checked("shared-people-apart", &files);
    assert_eq!(code, 2);
    assert!(
        stderr.contains("nobody is called `meera` in this folder"),
        "{stderr}"
    );
    assert!(
        stderr.contains("the value `meera.name` is not known"),
        "{stderr}"
    );
    // The same name means somebody else there.
    let other = "[person.meera]\nname = \"MEERA PILLAI\"\npan = \"BNZPP2501F\"\n";
    let files = [
        ("a/people.toml", PEOPLE),
        ("a/b.toml", COMPANIES),
        ("b/people.toml", other),
    ];
    assert_eq!(checked("shared-people-alike", &files).0, 0);
}
