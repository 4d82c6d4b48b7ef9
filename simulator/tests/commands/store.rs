//! Stores in a file: what goes on after a restart, what is refused, and what is said of damage.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};
use svc_test_support::{
    Addresses, Answer, Behaviour, Client, Folder, Program, Server, ended, request,
};

use super::WORKS;

const STORE: [&str; 2] = ["--store", "sqlite:kept.db"];
pub(crate) const PAN: &str = "/v1/verify/identity/pan";
const ASHA: &str = r#"{"pan": "AAAAA0000A"}"#;

fn program(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.env_clear().current_dir(folder.path());
    command
}

/// Exit code, stdout and stderr of a command that ends.
pub(crate) fn told(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    ended(program(folder).args(arguments))
}

/// What stops a start on this store, which exits with 2.
fn refused(folder: &Folder, store: &str, more: &[&str]) -> String {
    let mut arguments = vec!["serve", "--store", store];
    for listener in ["--console", "--sandbox", "--live"] {
        arguments.extend([listener, "127.0.0.1:0"]);
    }
    let (code, _, stderr) = told(folder, &[&arguments, more].concat());
    assert_eq!(code, Some(2), "{stderr}");
    stderr
}

/// A simulator with a store; it ends with the value.
pub(crate) struct Kept {
    program: Program,
    addresses: Addresses,
}

impl Kept {
    pub(crate) fn start(folder: &Folder, more: &[&str]) -> Self {
        let mut command = program(folder);
        let flags = [&STORE, more].concat();
        let command = command.stderr(Stdio::null());
        let (program, addresses) = Program::serve(command, folder.path(), &flags);
        Kept { program, addresses }
    }

    pub(crate) fn stop(self) {
        self.program.interrupt();
        assert_eq!(self.program.ended().0, Some(0));
    }

    fn ask(&self, listener: &str, line: &str, headers: &str, body: &str) -> Answer {
        let address = self.addresses.of(listener);
        let headers = format!("Host: a.localhost\r\n{headers}").replace("a.localhost", &address);
        Client::to(address).ask(request(&format!("{line} HTTP/1.1"), &headers, body))
    }

    pub(crate) fn control(&self, line: &str, body: &str) -> Value {
        let answer = self.ask("console", line, "", body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// A live call under an idempotency key.
    pub(crate) fn call(&self, key: &str, idempotency: &str, path: &str, body: &str) -> Answer {
        let headers = format!("Authorization: Bearer {key}\r\nIdempotency-Key: {idempotency}\r\n");
        self.ask("live", &format!("POST {path}"), &headers, body)
    }

    pub(crate) fn look_up(&self, key: &str, id: &str) -> Answer {
        let headers = format!("Authorization: Bearer {key}\r\n");
        self.ask("live", &format!("GET /v1/verifications/{id}"), &headers, "")
    }

    /// Ends it without a word.
    pub(crate) fn kill(self) {
        drop(self.program);
    }

    fn balance(&self) -> Value {
        let account = self.control("GET /control/accounts/local", "");
        account["live"]["balance"].clone()
    }
}

/// A folder with a store of two calls, one of them pending.
fn store() -> Folder {
    let folder = Folder::new("store");
    let kept = Kept::start(&folder, &[]);
    assert_eq!(kept.call("svc_live_local", "k1", PAN, ASHA).status, 200);
    kept.stop();
    folder
}

fn database(folder: &Folder) -> Connection {
    Connection::open(folder.path().join("kept.db")).expect(WORKS)
}

#[test]
fn scenarios_added_for_an_account_go_on_after_a_kill_where_their_sequence_stood() {
    let folder = Folder::new("own-scenarios");
    let toml = "[[scenario]]\nname = \"in turn\"\noperation = \"verify.identity.pan\"\n\
                then = [ { success = {} }, { error = \"SVC_PROVIDER_ERROR\" }, { error = \"SVC_SOURCE_TIMEOUT\" } ]\n";
    let added = json!({"account": "local_s", "toml": toml}).to_string();
    let mut kept = Kept::start(&folder, &[]);
    let answer = kept.ask("console", "POST /control/scenarios", "", &added);
    assert_eq!(answer.status, 201, "{answer:?}");
    for status in [200, 502, 504] {
        let answer = kept.call("svc_live_local_s", &status.to_string(), PAN, ASHA);
        assert_eq!(answer.status, status, "{answer:?}");
        kept.kill();
        kept = Kept::start(&folder, &[]);
    }
    let file = kept.control("GET /control/accounts/local_s/export", "");
    assert_eq!(file["scenarios"]["files"][0]["toml"], toml, "{file}");
    kept.stop();
}

#[test]
fn a_restart_goes_on_with_replays_wallet_keys_and_clocks_and_does_what_fell_due_meanwhile() {
    let folder = Folder::new("goes-on");
    let receiver = Server::behaving(Behaviour::Answers(
        b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n",
    ));
    let kept = Kept::start(&folder, &["--seed", "sample"]);
    let hook = json!({"url": receiver.url, "secret": "whsec_sample"}).to_string();
    kept.control("PUT /control/accounts/local/webhook", &hook);
    let first = kept.call("svc_live_local", "k1", PAN, ASHA);
    let late = r#"{"uan": "100000000202"}"#;
    let uan = "/v1/verify/employment/uan";
    let pending = kept.call("svc_live_local", "k2", uan, late);
    assert_eq!((first.status, pending.status), (200, 202));
    let rotate = r#"{"environment": "live"}"#;
    let rotated = kept.control("POST /control/accounts/local_k/keys/rotate", rotate);
    let new_key = rotated["key"].as_str().expect(WORKS).to_owned();
    let moved = r#"{"set": "2099-01-01T00:00:00Z", "freeze": true}"#;
    kept.control("POST /control/accounts/local_c/clock", moved);
    let clock = kept.control("GET /control/accounts/local_c/clock", "");
    kept.stop();

    // As if nothing had run for an hour.
    let earlier = "UPDATE settings SET value = json_set(value, \
                   '$.began', strftime('%Y-%m-%dT%H:%M:%SZ', value ->> 'began', '-1 hour')) WHERE name = 'clock'";
    assert_eq!(database(&folder).execute(earlier, []).expect(WORKS), 1);
    let kept = Kept::start(&folder, &[]);
    let sent = receiver.sent_when(1);
    let ids: Vec<_> = sent
        .iter()
        .map(|it| it.json()["verificationId"].clone())
        .collect();
    let id = pending.json()["verificationId"].clone();
    assert!(ids.contains(&id), "{ids:?}");
    let done = kept
        .look_up("svc_live_local", id.as_str().expect(WORKS))
        .json();
    assert_eq!(done["status"], "completed", "{done}");
    let again = kept.call("svc_live_local", "k1", PAN, ASHA);
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotent-replay"), Some("true"));
    let again = kept.call("svc_live_local", "k2", uan, late);
    assert_eq!(again.body, pending.body);
    assert_eq!(kept.call(&new_key, "k3", PAN, ASHA).status, 200);
    let same = kept.control("GET /control/accounts/local_c/clock", "");
    assert_eq!(same, clock);
    // The pending call was charged when it ended; the replay was free.
    assert_eq!(kept.balance(), json!(99_957.5));
    // The same question asked once more has another id than the first.
    let next = kept.call("svc_live_local", "k4", PAN, ASHA).json();
    assert_ne!(next["verificationId"], first.json()["verificationId"]);
    kept.stop();
}

#[test]
fn a_store_in_use_is_refused_to_a_second_simulator_and_to_migrate() {
    let folder = store();
    let kept = Kept::start(&folder, &[]);
    let said = "error: the store kept.db is in use by another simulator: stop that one, or ";
    let second = refused(&folder, "sqlite:kept.db", &[]);
    assert!(second.starts_with(said), "{second}");
    let migrate = told(&folder, &["store", "migrate", "sqlite:kept.db"]);
    assert_eq!(migrate.0, Some(2));
    assert!(migrate.2.starts_with(said), "{migrate:?}");
    kept.stop();
    // Nobody has it any more.
    let (code, stdout, _) = told(&folder, &["store", "migrate", "sqlite:kept.db"]);
    let newest = "kept.db is in form 4, the newest\n";
    assert_eq!((code, stdout.as_str()), (Some(0), newest));
    let left = std::fs::read_dir(folder.path()).expect(WORKS);
    let left = left.map(|file| {
        file.expect(WORKS)
            .file_name()
            .into_string()
            .expect("a text")
    });
    let mut left: Vec<_> = left.filter(|file| file.starts_with("kept.db")).collect();
    left.sort();
    assert_eq!(left, ["kept.db"], "neither lock nor log is left behind");
}

#[test]
fn what_is_no_store_is_refused_with_what_it_is_and_is_left_as_it_was() {
    let folder = Folder::new("no-store");
    let text = "These are the minutes of a meeting.\n".repeat(40);
    folder.write("minutes.txt", &text);
    let other = Connection::open(folder.path().join("other.db")).expect(WORKS);
    other
        .execute_batch("CREATE TABLE minutes (said TEXT)")
        .expect(WORKS);
    for (store, said) in [
        (
            "minutes.txt",
            "minutes.txt is no store of this simulator: choose another file",
        ),
        (
            "other.db",
            "other.db is no store of this simulator: choose another file",
        ),
        (
            ".",
            ". is a folder: name a file in it, such as ./accounts.db",
        ),
        (
            "missing/kept.db",
            "there is no folder for missing/kept.db: make it first, or choose another file",
        ),
    ] {
        let refusal = refused(&folder, &format!("sqlite:{store}"), &[]);
        assert_eq!(refusal, format!("error: {said}\n"));
        let beside = folder.path().join(format!("{store}-lock"));
        assert!(!beside.exists(), "{store}");
    }
    for command in ["check", "migrate"] {
        let (code, _, stderr) = told(&folder, &["store", command, "sqlite:nothing.db"]);
        let none = "error: there is no store nothing.db\n";
        assert_eq!((code, stderr.as_str()), (Some(2), none), "{command}");
        let (code, _, stderr) = told(&folder, &["store", command, "memory"]);
        assert!(
            code == Some(2) && stderr.contains("name a store"),
            "{stderr}"
        );
    }
    let file = |name| -> PathBuf { folder.path().join(name) };
    assert_eq!(fs::read_to_string(file("minutes.txt")).expect(WORKS), text);
    assert!(!file("nothing.db").exists());
    let tables = "SELECT group_concat(name) FROM sqlite_schema";
    let tables: String = other.query_row(tables, [], |row| row.get(0)).expect(WORKS);
    assert_eq!(tables, "minutes");
}

#[test]
fn a_newer_form_is_refused_with_both_versions() {
    let folder = store();
    database(&folder)
        .execute_batch(
            "PRAGMA user_version = 7; UPDATE settings SET value = '9.8.7' WHERE name = 'writtenBy'",
        )
        .expect(WORKS);
    let said = format!(
        "error: the store kept.db was written by svc-simulator 9.8.7 in form 7; this is version {}, which reads \
         up to form 4: use the newer version, or another store\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(refused(&folder, "sqlite:kept.db", &[]), said);
    for arguments in [
        &["check", "sqlite:kept.db"][..],
        &["backup", "sqlite:kept.db", "b.db"],
    ] {
        let (code, _, stderr) = told(&folder, &[&["store"], arguments].concat());
        assert_eq!((code, &stderr), (Some(2), &said));
    }
}

#[test]
fn another_seed_or_speed_than_the_stores_is_refused() {
    let folder = Folder::new("seed");
    Kept::start(&folder, &["--seed", "sample", "--time-scale", "60"]).stop();
    let seed = refused(&folder, "sqlite:kept.db", &["--seed", "other"]);
    let said = "error: the ids of this store are made with the seed `sample`, not with `other`: leave --seed out";
    assert!(seed.starts_with(said), "{seed}");
    let speed = refused(&folder, "sqlite:kept.db", &["--time-scale", "61"]);
    let said = "error: the clock of this store runs 60 times as fast as the machine's, not 61 times: leave --time-scale out";
    assert!(speed.starts_with(said), "{speed}");
    Kept::start(&folder, &["--seed", "sample", "--time-scale", "60"]).stop();
    Kept::start(&folder, &[]).stop();
}

#[test]
fn a_backup_of_a_simulator_that_serves_answers_as_it_does() {
    let folder = Folder::new("backup");
    let kept = Kept::start(&folder, &[]);
    let first = kept.call("svc_live_local", "k1", PAN, ASHA);
    let id = first.json()["verificationId"]
        .as_str()
        .expect(WORKS)
        .to_owned();
    let seen = kept.look_up("svc_live_local", &id).body;
    let backup = ["store", "backup", "sqlite:kept.db", "copy/kept.db"];
    let (code, _, stderr) = told(&folder, &backup);
    assert!(
        code == Some(2) && stderr.contains("there is no folder for copy/kept.db"),
        "{stderr}"
    );
    fs::create_dir(folder.path().join("copy")).expect(WORKS);
    let (code, stdout, _) = told(&folder, &backup);
    let copied = "kept.db is copied to copy/kept.db\n";
    assert_eq!((code, stdout.as_str()), (Some(0), copied));
    let (code, _, stderr) = told(&folder, &backup);
    let exists = "error: there already is a file copy/kept.db: a backup replaces nothing\n";
    assert_eq!((code, stderr.as_str()), (Some(2), exists));
    // What comes after it is not in it.
    let after = kept.call("svc_live_local", "k2", PAN, ASHA).json();
    let restored = Folder::new("restored");
    fs::rename(
        folder.path().join("copy/kept.db"),
        restored.path().join("kept.db"),
    )
    .expect(WORKS);
    let copy = Kept::start(&restored, &[]);
    assert_eq!(
        copy.call("svc_live_local", "k1", PAN, ASHA).body,
        first.body
    );
    assert_eq!(copy.look_up("svc_live_local", &id).body, seen);
    let later = after["verificationId"].as_str().expect(WORKS);
    assert_eq!(copy.look_up("svc_live_local", later).status, 404);
}

#[test]
fn a_check_tells_each_kind_of_damage_and_the_start_refuses_it() {
    let check = |folder: &Folder| told(folder, &["store", "check", "sqlite:kept.db"]);
    let good = store();
    let (code, stdout, _) = check(&good);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(
        stdout.starts_with("kept.db: 6 accounts, 7 entries, "),
        "{stdout}"
    );
    let snapshot = "INSERT INTO snapshots SELECT account, number, digest, 1, entry FROM entries \
                    WHERE account = 'local' AND number = 1";
    for (damage, said) in [
        (
            "UPDATE entries SET entry = replace(entry, '2.5', '2.0') WHERE account = 'local' AND number = 2",
            "damaged: entry 2 of local was changed or one before it is missing: restore a backup\n",
        ),
        (
            "DELETE FROM entries WHERE account = 'local' AND number = 1",
            "damaged: entry 2 of local was changed or one before it is missing: restore a backup\n",
        ),
        (
            snapshot,
            "damaged: the snapshot of local was changed: restore a backup\n",
        ),
    ] {
        let folder = store();
        assert_eq!(database(&folder).execute(damage, []).expect(WORKS), 1);
        let (code, stdout, stderr) = check(&folder);
        assert!(
            code == Some(1) && stdout.ends_with(said),
            "{damage}: {stdout}{stderr}"
        );
        let start = [&["serve"], &STORE[..]].concat();
        let (code, _, stderr) = told(&folder, &start);
        assert!(
            code == Some(1) && stderr.contains("restore a backup"),
            "{damage}: {stderr}"
        );
    }
    // What was written last may lie beside the file still.
    let pragma = "PRAGMA wal_checkpoint(TRUNCATE)";
    database(&good)
        .query_row(pragma, [], |_| Ok(()))
        .expect(WORKS);
    let file = good.path().join("kept.db");
    let whole = fs::read(&file).expect(WORKS);
    fs::write(&file, &whole[..whole.len() / 2]).expect(WORKS);
    let (code, stdout, stderr) = check(&good);
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    assert!(
        format!("{stdout}{stderr}").contains("damaged"),
        "{stdout}{stderr}"
    );
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_program_without_postgresql_says_how_to_get_one_with_it() {
    let folder = Folder::new("without-postgres");
    let url = "postgres://svc:secret@127.0.0.1/svc";
    assert_eq!(
        refused(&folder, url, &[]),
        "error: this program was built without PostgreSQL; build it with `--features postgres`\n"
    );
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_password() {
    let folder = Folder::new("no-server");
    // A listener that was there.
    let gone = TcpListener::bind("127.0.0.1:0")
        .expect(WORKS)
        .local_addr()
        .expect(WORKS);
    let url = format!("postgres://me:secret@{gone}/accounts");
    let (code, _, stderr) = told(&folder, &["serve", "--store", &url]);
    let unreachable = format!(
        "error: PostgreSQL at {gone}: Connection refused (os error 111): is it running, and is that its address?\n"
    );
    assert_eq!((code, stderr), (Some(1), unreachable));
}
