//! People and companies of one file of a folder, spoken of in another.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

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

const RULE: &str = "[[scenario]]\nname = \"a\"\noperation = \"verify.identity.pan\"\nwhen = { pan = \"ABCPR1234F\" }\n\
                    then = { error = \"SVC_NO_RECORD_FOUND\" }\n";

/// How many scenarios are read beside the built-in ones.
fn counted(folder: &Path) -> usize {
    let scenarios = |folders: &[&str]| -> usize {
        let (code, out, stderr) = run("", &[&["check"], folders].concat());
        assert_eq!((code, stderr.as_str()), (0, ""));
        let (before, _) = out.split_once(" scenarios").expect("a count");
        let count = before.rsplit(' ').next().expect(WORKS);
        count.parse().expect("a number")
    };
    scenarios(&[&folder.display().to_string()]) - scenarios(&[])
}

#[test]
fn links_that_lead_back_end_and_a_folder_is_read_once() {
    let folder = folder(
        "looping",
        &[
            ("a.toml", RULE),
            (
                "deep/down/b.toml",
                &RULE.replace("\"a\"", "\"b\"").replace("1234", "1235"),
            ),
        ],
    );
    for (link, to) in [
        ("self", "."),
        ("again", "."),
        ("deep/up", ".."),
        ("deep/down/top", "../.."),
        ("deep/down/more", "../../deep"),
    ] {
        symlink(to, folder.join(link)).expect(WORKS);
    }
    assert_eq!(counted(&folder), 2);
}

#[test]
fn a_link_to_a_file_or_a_folder_elsewhere_is_followed() {
    let elsewhere = folder("linked-to", &[("b.toml", RULE)]);
    let folder = folder("linking", &[("a/a.toml", &RULE.replace("1234", "1235"))]);
    symlink(&elsewhere, folder.join("shared")).expect(WORKS);
    assert_eq!(counted(&folder), 2);
    std::fs::remove_file(folder.join("shared")).expect(WORKS);
    symlink(elsewhere.join("b.toml"), folder.join("b.toml")).expect(WORKS);
    assert_eq!(counted(&folder), 2);
}

#[test]
fn names_with_a_leading_dot_are_left_out() {
    let files = [
        ("a.toml", RULE),
        (".a.toml", "no TOML ["),
        (".git/config.toml", "no TOML ["),
    ];
    let folder = folder("dotted", &files);
    // Some editors keep such a link beside a file that is edited.
    symlink("somebody@somewhere", folder.join(".#a.toml")).expect(WORKS);
    assert_eq!(counted(&folder), 1);
}

/// What `check` says of a folder that it refuses, without the folder.
fn refused(folder: &Path) -> String {
    let name = folder.display().to_string();
    let (code, _, stderr) = run("", &["check", &name]);
    assert_eq!(code, 2, "{stderr}");
    stderr.replace(&name, "FOLDER")
}

#[test]
fn what_is_no_file_is_refused_and_never_read() {
    let folder = folder("devices", &[("a.toml", RULE)]);
    let path = folder.join("b.toml");
    symlink("/dev/zero", &path).expect(WORKS);
    insta::assert_snapshot!(refused(&folder), @"error: FOLDER/b.toml is a device, and only files are read: move it elsewhere, or begin its name with a dot, and it is left out");
    std::fs::remove_file(&path).expect(WORKS);
    let pipe = Command::new("mkfifo").arg(&path).status();
    assert!(pipe.expect(WORKS).success());
    insta::assert_snapshot!(refused(&folder), @"error: FOLDER/b.toml is a pipe, and only files are read: move it elsewhere, or begin its name with a dot, and it is left out");
    std::fs::remove_file(&path).expect(WORKS);
    let _listener = UnixListener::bind(&path).expect(WORKS);
    insta::assert_snapshot!(refused(&folder), @"error: FOLDER/b.toml is a socket, and only files are read: move it elsewhere, or begin its name with a dot, and it is left out");
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let folder = folder("large", &[("a.toml", "")]);
    let file = File::create(folder.join("a.toml")).expect(WORKS);
    file.set_len((16 << 20) + 1).expect(WORKS);
    insta::assert_snapshot!(refused(&folder), @"error: FOLDER/a.toml is over 16 MiB: split it into several files");
    let comment = format!("#{}\n", " ".repeat(11 << 20));
    for name in ["a.toml", "b.toml", "c.toml"] {
        std::fs::write(folder.join(name), &comment).expect(WORKS);
    }
    insta::assert_snapshot!(refused(&folder), @"error: FOLDER/c.toml and the files before it are over 32 MiB together: name the folder of the scenarios alone, or leave some out");
}

#[test]
fn a_file_where_a_folder_is_wanted_is_told_so() {
    let folder = folder("file-for-folder", &[("people.toml", PEOPLE)]);
    let file = folder.join("people.toml").display().to_string();
    for arguments in [
        &["check", &file][..],
        &["try", "pan", "--scenarios", &file],
        &["serve", "--console", "127.0.0.1:0", "--scenarios", &file],
    ] {
        let (code, _, stderr) = run("", arguments);
        assert_ne!(code, 0, "{arguments:?}");
        let said =
            "is a file, and a folder of scenario files is wanted: name the folder that it is in";
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
    }
}
