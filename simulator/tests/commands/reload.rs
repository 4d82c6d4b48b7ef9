//! Scenario files that are edited while the program serves. Waits for what the program logs.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use super::WORKS;

/// The program with a folder of scenarios of its own; it ends with the value.
struct Edited {
    process: Child,
    log: Lines<BufReader<ChildStderr>>,
    folder: PathBuf,
    console: String,
    sandbox: String,
}

/// A file with one rule.
fn file(outcome: &str) -> String {
    format!(
        "[[scenario]]\nname = \"edited\"\noperation = \"verify.identity.pan\"\nthen = {{ {outcome} }}\n"
    )
}

impl Edited {
    /// Started with this file, in a folder of this name, which no other test has.
    fn start(name: &str, text: &str, flags: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        let scenarios = folder.join("scenarios");
        fs::create_dir_all(&scenarios).expect(WORKS);
        fs::write(scenarios.join("edited.toml"), text).expect(WORKS);
        let (ports, any) = (folder.join("ports.json"), "127.0.0.1:0");
        let mut process = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
            .args(["serve", "--console", any, "--sandbox", any, "--live", any])
            .args(["--scenarios", "scenarios", "--ports-file", "ports.json"])
            .args(flags)
            .env_clear()
            .env("NO_COLOR", "1")
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect(WORKS);
        // The ports file is there when the first line is.
        let mut out = BufReader::new(process.stdout.take().expect(WORKS));
        out.read_line(&mut String::new()).expect(WORKS);
        let ports = fs::read(ports).expect(WORKS);
        let ports: serde_json::Value = serde_json::from_slice(&ports).expect(WORKS);
        let port = |name: &str| ports[name].as_str().expect(WORKS).to_owned();
        Edited {
            log: BufReader::new(process.stderr.take().expect(WORKS)).lines(),
            process,
            folder: scenarios,
            console: port("console"),
            sandbox: port("sandbox"),
        }
    }

    /// Saves the file as editors do, whole or not at all, and waits for the log to say this of it.
    fn save(&mut self, text: &str, logged: &str) {
        let draft = self.folder.join("edited.toml~");
        fs::write(&draft, text).expect(WORKS);
        fs::rename(draft, self.folder.join("edited.toml")).expect(WORKS);
        let found = self
            .log
            .find(|line| line.as_ref().expect(WORKS).contains(logged));
        assert!(found.is_some(), "the log never said \"{logged}\"");
    }

    fn ask(address: &str, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(address).expect(WORKS);
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
             Authorization: Bearer svc_test_local\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect(WORKS);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect(WORKS);
        answer
    }

    /// The status of a call.
    fn call(&self) -> String {
        let body = r#"{"pan": "AAAAA0000A"}"#;
        let answer = Edited::ask(&self.sandbox, "POST /v1/verify/identity/pan", body);
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// The body of what the control API says.
    fn control(&self, path: &str) -> serde_json::Value {
        let answer = Edited::ask(&self.console, &format!("GET /control/{path}"), "");
        let (head, body) = answer.split_once("\r\n\r\n").expect(WORKS);
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        serde_json::from_str(body).expect(WORKS)
    }
}

impl Drop for Edited {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn good_edits_act_and_bad_ones_are_told(name: &str, flags: &[&str]) {
    let mut edited = Edited::start(name, &file("error = \"SVC_NO_RECORD_FOUND\""), flags);
    assert_eq!(edited.call(), "422");
    edited.save(&file("error = \"SVC_SOURCE_TIMEOUT\""), "were read again");
    assert_eq!(edited.call(), "504");

    edited.save(&file("eror = \"SVC_PROVIDER_ERROR\""), "are not used");
    assert_eq!(edited.call(), "504");
    let ready = edited.control("ready");
    assert_eq!(ready["status"], "ready");
    let told = ready["scenarios"].as_str().expect("it is told");
    assert!(told.contains("refused"), "{told}");
    let listed = edited.control("scenarios");
    let why = listed["refused"]["message"].as_str().expect("it is told");
    assert!(why.contains("scenarios/edited.toml:4"), "{why}");
    assert_eq!(listed["version"], 2);

    edited.save(&file("error = \"SVC_PROVIDER_ERROR\""), "were read again");
    assert_eq!(edited.call(), "502");
    assert_eq!(
        edited.control("ready"),
        serde_json::json!({ "status": "ready" })
    );
    assert_eq!(edited.control("scenarios")["version"], 3);
}

#[test]
fn edits_are_followed_where_the_file_system_tells_of_them() {
    good_edits_act_and_bad_ones_are_told("reload-told", &[]);
}

#[test]
fn edits_are_followed_by_looking() {
    good_edits_act_and_bad_ones_are_told("reload-polled", &["--scenario-poll", "20ms"]);
}
