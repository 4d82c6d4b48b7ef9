//! Scenario files that are edited while the program serves. Waits for what the program logs.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::path::PathBuf;
use std::process::{ChildStderr, Command, Stdio};

use svc_test_support::{Addresses, Answer, Client, Folder, Program, request};

use super::WORKS;

/// The program with a folder of scenarios of its own; it ends with the value.
struct Edited {
    program: Program,
    log: Lines<BufReader<ChildStderr>>,
    addresses: Addresses,
    folder: Folder,
}

/// A file with one rule.
fn file(outcome: &str) -> String {
    format!(
        "[[scenario]]\nname = \"edited\"\noperation = \"verify.identity.pan\"\nthen = {{ {outcome} }}\n"
    )
}

impl Edited {
    /// Started with this file.
    fn start(text: &str, flags: &[&str]) -> Self {
        let folder = Folder::new("reload");
        folder.write("scenarios/edited.toml", text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command
            .env_clear()
            .env("NO_COLOR", "1")
            .stderr(Stdio::piped());
        let flags = [&["--scenarios", "scenarios"], flags].concat();
        let (mut program, addresses) = Program::serve(&mut command, folder.path(), &flags);
        Edited {
            log: BufReader::new(program.stderr()).lines(),
            program,
            addresses,
            folder,
        }
    }

    /// Saves the file as editors do, whole or not at all, and waits for the log to say this of it.
    fn save(&mut self, text: &str, logged: &str) {
        self.folder.write("scenarios/edited.toml~", text);
        self.rename("scenarios/edited.toml~", "scenarios/edited.toml", logged);
    }

    /// Waits for the log to say this.
    fn wait_for(&mut self, logged: &str) -> String {
        let mut log = self.log.by_ref().map(|line| line.expect(WORKS));
        let found = log.find(|line| line.contains(logged));
        found.unwrap_or_else(|| panic!("the log never said \"{logged}\""))
    }

    /// Where this is in its folder.
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts this there at once, and waits for the log to say this of it.
    fn rename(&mut self, from: &str, to: &str, logged: &str) {
        fs::rename(self.path(from), self.path(to)).expect(WORKS);
        self.wait_for(logged);
    }

    fn ask(&self, listener: &str, line: &str, body: &str) -> Answer {
        let address = self.addresses.of(listener);
        let headers = format!("Host: {address}\r\nAuthorization: Bearer svc_test_local\r\n");
        let line = format!("{line} HTTP/1.1");
        Client::to(&address).ask(request(&line, &headers, body))
    }

    /// The status of a call.
    fn call(&self) -> u16 {
        let body = r#"{"pan": "AAAAA0000A"}"#;
        self.ask("sandbox", "POST /v1/verify/identity/pan", body)
            .status
    }

    /// The body of what the control API says.
    fn control(&self, path: &str) -> serde_json::Value {
        let answer = self.ask("console", &format!("GET /control/{path}"), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }
}

fn good_edits_act_and_bad_ones_are_reported(flags: &[&str]) {
    let mut edited = Edited::start(&file("error = \"SVC_NO_RECORD_FOUND\""), flags);
    assert_eq!(edited.call(), 422);
    edited.save(&file("error = \"SVC_SOURCE_TIMEOUT\""), "were read again");
    assert_eq!(edited.call(), 504);

    edited.save(&file("eror = \"SVC_PROVIDER_ERROR\""), "are not used");
    assert_eq!(edited.call(), 504);
    let ready = edited.control("ready");
    assert_eq!(ready["status"], "ready");
    let reason = ready["scenarios"].as_str().expect("it is said");
    assert!(reason.contains("refused"), "{reason}");
    let listed = edited.control("scenarios");
    let why = listed["refused"]["message"].as_str().expect("it is said");
    assert!(why.contains("scenarios/edited.toml:4"), "{why}");
    assert_eq!(listed["version"], 2);

    edited.save(&file("error = \"SVC_PROVIDER_ERROR\""), "were read again");
    assert_eq!(edited.call(), 502);
    let ready = edited.control("ready");
    assert_eq!(
        (&ready["status"], ready.get("scenarios")),
        (&"ready".into(), None)
    );
    assert_eq!(edited.control("scenarios")["version"], 3);
}

#[test]
fn what_is_used_and_mistaken_is_told_by_control_api_and_console_until_it_is_mended() {
    let mut edited = Edited::start(&file("success = { panStatus = \"INVALID\" }"), &[]);
    let warnings = |edited: &Edited, path: &str| {
        let listed = edited.control(path);
        let warnings = listed["warnings"].as_array().cloned().unwrap_or_default();
        let first = warnings.first().map(|it| it["message"].to_string());
        (warnings.len(), first.unwrap_or_default())
    };
    assert_eq!(warnings(&edited, "scenarios").0, 0);
    let twice = file("error = \"SVC_PROVIDER_ERROR\"");
    edited.save(
        &format!("{twice}\n{}", twice.replace("edited", "too late")),
        "they are used",
    );
    for path in ["scenarios", "scenarios/files"] {
        let (count, message) = warnings(&edited, path);
        assert!(
            count == 1 && message.contains("never"),
            "{path}: {count} {message}"
        );
    }
    let page = edited.ask("console", "GET /scenarios", "").body;
    assert!(page.contains("Used, and mistaken"), "{page}");
    edited.save(&twice, "were read again");
    assert_eq!(warnings(&edited, "scenarios/files").0, 0);
}

#[test]
fn edits_are_followed_where_the_file_system_tells_of_them() {
    good_edits_act_and_bad_ones_are_reported(&[]);
}

#[test]
fn edits_are_followed_by_looking() {
    good_edits_act_and_bad_ones_are_reported(&["--scenario-poll", "20ms"]);
}

#[test]
fn who_looks_once_an_hour_has_not_seen_what_others_watched() {
    let mut watching = Edited::start(&file("error = \"SVC_NO_RECORD_FOUND\""), &[]);
    let edited = watching.path("scenarios");
    let edited = edited.to_str().expect(WORKS);
    let flags = ["--scenarios", edited, "--scenario-poll", "1h"];
    let folder = Folder::new("reload-seldom");
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let command = command.env_clear().stderr(Stdio::null());
    let (_program, addresses) = Program::serve(command, folder.path(), &flags);
    // Who watched, too, would know the first of these edits at least when the other has seen the last.
    for error in ["SVC_SOURCE_TIMEOUT", "SVC_PROVIDER_ERROR"] {
        watching.save(&file(&format!("error = \"{error}\"")), "were read again");
    }
    assert_eq!(watching.call(), 502);
    let console = addresses.of("console");
    let line = "GET /control/scenarios HTTP/1.1";
    let listed = Client::to(&console).ask(request(line, &format!("Host: {console}\r\n"), ""));
    assert_eq!(listed.json()["version"], 1);
}

/// A pipe of this name, into which nobody writes.
fn pipe(edited: &Edited, name: &str) {
    let path = edited.path("scenarios").join(name);
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect(WORKS).success());
}

fn a_folder_that_is_made_anew_is_followed(flags: &[&str]) {
    let mut edited = Edited::start(&file("error = \"SVC_NO_RECORD_FOUND\""), flags);
    // Whoever looks while its files go one by one finds rules in force that nobody wrote.
    edited.rename("scenarios", "before", "can't be read again");
    fs::remove_dir_all(edited.path("before")).expect(WORKS);
    assert_eq!(edited.call(), 422);
    let again = file("error = \"SVC_SOURCE_TIMEOUT\"");
    edited.folder.write("next/edited.toml", &again);
    edited.rename("next", "scenarios", "were read again");
    assert_eq!(edited.call(), 504);
    // It is the new folder that is watched now, and what is made in it later.
    edited.save(&file("error = \"SVC_PROVIDER_ERROR\""), "were read again");
    assert_eq!(edited.call(), 502);
    let more = "[[scenario]]\nname = \"more\"\noperation = \"verify.identity.pan\"\nthen = { error = \"SVC_INTERNAL_ERROR\" }\n";
    edited.folder.write("scenarios/a/deeper/more.toml~", more);
    let more = "scenarios/a/deeper/more.toml";
    edited.rename(&format!("{more}~"), more, "were read again");
    assert_eq!(edited.call(), 500);
}

#[test]
fn a_folder_that_is_made_anew_is_watched_again() {
    a_folder_that_is_made_anew_is_followed(&[]);
}

#[test]
fn a_folder_that_is_made_anew_is_looked_at_again() {
    a_folder_that_is_made_anew_is_followed(&["--scenario-poll", "20ms"]);
}

#[test]
fn a_folder_in_the_place_of_another_is_watched() {
    let mut edited = Edited::start(&file("error = \"SVC_NO_RECORD_FOUND\""), &[]);
    let other = file("error = \"SVC_SOURCE_TIMEOUT\"");
    edited.folder.write("next/edited.toml", &other);
    fs::rename(edited.path("scenarios"), edited.path("before")).expect(WORKS);
    edited.rename("next", "scenarios", "were read again");
    assert_eq!(edited.call(), 504);
    edited.save(&file("error = \"SVC_PROVIDER_ERROR\""), "were read again");
    assert_eq!(edited.call(), 502);
}

#[test]
fn a_pipe_among_the_files_is_refused_and_holds_nothing_up() {
    let mut edited = Edited::start(&file("error = \"SVC_NO_RECORD_FOUND\""), &[]);
    pipe(&edited, "pipe.toml");
    let said = edited.wait_for("can't be read again");
    assert!(
        said.contains("scenarios/pipe.toml is a pipe, and only files are read"),
        "{said}"
    );
    assert_eq!(edited.call(), 422);
    fs::remove_file(edited.path("scenarios/pipe.toml")).expect(WORKS);
    edited.wait_for("were read again");
    // A name with a leading dot is nobody's business.
    pipe(&edited, ".pipe.toml");
    edited.save(&file("error = \"SVC_SOURCE_TIMEOUT\""), "were read again");
    assert_eq!(edited.call(), 504);
    edited.program.interrupt();
    assert_eq!(edited.program.ended().0, Some(0));
}
