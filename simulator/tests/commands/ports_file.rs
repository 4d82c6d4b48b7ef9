//! `--ports-file`: a file is replaced whole, everything else is left alone, and nothing lies beside it afterwards. The
//! limit of open files is raised at the start, and said where it bounds the connections.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use svc_test_support::{Client, Folder, Program, request};

use super::WORKS;

/// The names of what is in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect(WORKS);
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect(WORKS).file_name();
    let names = entries.map(|entry| name(entry).into_string().expect(WORKS));
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// `serve` with this file, which it refuses: what it says.
fn refused(folder: &Folder, file: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.arg("serve").current_dir(folder.path()).env_clear();
    for listener in ["--console", "--sandbox", "--live"] {
        command.args([listener, "127.0.0.1:0"]);
    }
    let ended = command.args(["--ports-file", file]).output().expect(WORKS);
    assert_eq!(ended.status.code(), Some(2), "{file}: {ended:?}");
    String::from_utf8(ended.stderr).expect(WORKS)
}

#[test]
fn only_a_file_is_replaced() {
    let folder = Folder::new("ports-refused");
    folder.write("addresses.json", "{}");
    fs::create_dir(folder.path().join("folder")).expect(WORKS);
    symlink("addresses.json", folder.path().join("link")).expect(WORKS);
    symlink("nowhere", folder.path().join("dangling")).expect(WORKS);
    let made = Command::new("mkfifo")
        .arg(folder.path().join("pipe"))
        .status();
    assert!(made.expect(WORKS).success());
    let before = names(&folder);
    for (file, kind) in [
        ("/dev/null", "a device"),
        ("/dev/stdout", "a link"),
        ("folder", "a folder"),
        ("link", "a link"),
        ("dangling", "a link"),
        ("pipe", "a pipe"),
    ] {
        let said = refused(&folder, file);
        let wanted = format!("error: --ports-file {file}: this is {kind}, and only a file");
        assert!(said.contains(&wanted), "{said}");
    }
    let said = refused(&folder, "no/such/folder.json");
    assert!(said.contains("its folder is not there"), "{said}");
    assert_eq!(names(&folder), before);
    let link = fs::symlink_metadata(folder.path().join("link")).expect(WORKS);
    assert!(link.is_symlink());
    let kept = fs::read_to_string(folder.path().join("addresses.json")).expect(WORKS);
    assert_eq!(kept, "{}");
}

#[test]
fn a_file_is_replaced_and_nothing_is_left_beside_it() {
    let folder = Folder::new("ports");
    folder.write("ports.json", "of an earlier run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let command = command.env_clear().stderr(Stdio::null());
    let (_program, addresses) = Program::serve(command, folder.path(), &[]);
    assert!(addresses.of("live").starts_with("127.0.0.1:"));
    assert_eq!(names(&folder), ["ports.json"]);
}

#[test]
fn where_the_file_has_no_room_it_stays_and_nothing_is_left_beside_it() {
    let folder = Folder::new("ports-full");
    folder.write("ports.json", "of an earlier run");
    // Whatever is written to a file is one byte too much.
    let full = format!(
        "trap '' XFSZ && ulimit -f 0 && exec {} serve --ports-file ports.json --console 127.0.0.1:0 --sandbox 127.0.0.1:0 \
         --live 127.0.0.1:0",
        env!("CARGO_BIN_EXE_svc-simulator")
    );
    let mut command = Command::new("sh");
    let command = command.args(["-c", &full]).current_dir(folder.path());
    let ended = command.env_clear().output().expect(WORKS);
    let said = String::from_utf8(ended.stderr).expect(WORKS);
    assert!(!ended.status.success(), "{said}");
    assert!(said.contains("ports.json"), "{said}");
    assert_eq!(names(&folder), ["ports.json"]);
    let kept = fs::read_to_string(folder.path().join("ports.json")).expect(WORKS);
    assert_eq!(kept, "of an earlier run");
}

#[test]
fn the_limit_of_open_files_is_raised_and_bounds_the_connections_of_each_listener() {
    let folder = Folder::new("open-files");
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_svc-simulator");
    // Of 128 files, 64 are the program's own, and each listener takes a quarter of the others.
    let limited = format!("ulimit -Sn 70 && ulimit -Hn 128 && exec {program} \"$@\"");
    command.args(["-c", &limited, "sh"]).env_clear();
    command.env("NO_COLOR", "1").stderr(Stdio::piped());
    let (mut program, addresses) = Program::serve(&mut command, folder.path(), &["--drain", "0s"]);
    let limits = fs::read_to_string(format!("/proc/{}/limits", program.id())).expect(WORKS);
    let limit = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let words: Vec<_> = limit.expect("a limit").split_whitespace().collect();
    assert_eq!(words[3..5], ["128", "128"]);
    let sandbox = addresses.of("sandbox");
    let idle: Vec<_> = (0..200)
        .map(|_| TcpStream::connect(&sandbox).expect(WORKS))
        .collect();
    for listener in ["sandbox", "live", "console"] {
        let address = addresses.of(listener);
        let host = format!("Host: {address}\r\n");
        let answer = Client::to(&address).ask(request("GET / HTTP/1.1", &host, ""));
        assert!(answer.status > 0, "{answer:?}");
    }
    let log = BufReader::new(program.stderr());
    program.interrupt();
    assert_eq!(program.ended().0, Some(0));
    let log: Vec<String> = log.lines().collect::<Result<_, _>>().expect(WORKS);
    let said = log
        .iter()
        .filter(|line| line.contains("at most 16 connections"));
    assert_eq!(said.count(), 1, "{log:#?}");
    let failed = log
        .iter()
        .any(|line| line.contains("could not be accepted"));
    assert!(!failed, "{log:#?}");
    drop(idle);
}

#[test]
fn a_limit_that_serves_nobody_is_refused_with_what_to_do() {
    let folder = Folder::new("few-files");
    let program = env!("CARGO_BIN_EXE_svc-simulator");
    let limited = format!("ulimit -n 40 && exec {program} serve");
    let mut command = Command::new("sh");
    let command = command.args(["-c", &limited]).current_dir(folder.path());
    let ended = command.env_clear().output().expect(WORKS);
    let said = String::from_utf8(ended.stderr).expect(WORKS);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("lets this program open 40 files"), "{said}");
    assert!(said.contains("`ulimit -n 80`"), "{said}");
}
