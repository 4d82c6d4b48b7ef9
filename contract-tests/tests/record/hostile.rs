//! Whatever either side does, the proxy goes on, and what became of it is recorded.

use std::process::Command;

use svc_test_support::{Behaviour, Server, free_address};

use super::recording::{Recording, leave, pan, raw};

const FINE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

#[test]
fn nobody_at_the_other_end_is_502_and_a_lost_exchange() {
    let nobody = format!("http://{}", free_address());
    let recording = Recording::of(&nobody, &[]);
    let came = raw(recording.address(), &pan(""));
    assert!(came.starts_with("HTTP/1.1 502 "), "{came}");
    let ended = recording.end();
    assert_eq!(ended.code, Some(3), "{}", ended.report);
    let endings = ended.endings();
    assert!(endings[0].contains("no connection"), "{endings:?}");
    assert_eq!(ended.judged().0, Some(3));
}

#[test]
fn a_service_that_breaks_off_stalls_or_talks_nonsense_is_recorded_as_that() {
    for (behaviour, starts, says) in [
        // While it connects, or behind that.
        (Behaviour::ResetsAtOnce, "HTTP/1.1 502", "connection"),
        (
            Behaviour::ResetsAfterReading,
            "HTTP/1.1 502",
            "connection broke",
        ),
        (
            Behaviour::AnswersOnce(b"\0\xff\xfe nonsense\r\n\r\n"),
            "HTTP/1.1 502",
            "bytes that are no HTTP",
        ),
        (
            Behaviour::AnswersOnce(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
            "HTTP/1.1 200",
            "status 200 and 1 bytes",
        ),
    ] {
        let server = Server::behaving(behaviour);
        let recording = Recording::of(&server.url, &[]);
        let came = raw(recording.address(), &pan(""));
        assert!(came.starts_with(starts), "{says}: {came}");
        let ended = recording.end();
        let endings = ended.endings();
        assert!(
            endings.len() == 1 && endings[0].contains(says),
            "{endings:?}"
        );
    }
}

#[test]
fn a_client_that_goes_away_ends_its_own_exchange_alone() {
    let silent = Server::behaving(Behaviour::Stalls(b""));
    let recording = Recording::of(&silent.url, &["--drain", "5s"]);
    let mut gone = pan("");
    leave(recording.address(), &gone);
    gone.truncate(gone.len() - 5);
    leave(recording.address(), &gone);
    leave(recording.address(), b"POST /v1/verify HT");
    let ended = recording.end();
    for ending in ended.endings() {
        assert!(ending.contains("whoever asked went away"), "{ending}");
    }
}

#[test]
fn an_address_with_a_query_is_refused_and_not_shortened() {
    for address in [
        "http://127.0.0.1:9/base?tenant=7",
        "http://127.0.0.1:9/#there",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command.args(["record", "--out", "never.capture", "--listen"]);
        command.args(["127.0.0.1:0", "--forward", address]);
        let (code, _, said) = svc_test_support::ended(&mut command);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("would not be sent"), "{said}");
    }
}

#[test]
fn what_would_go_round_for_ever_is_refused() {
    for (listen, host) in [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "localhost"),
        ("0.0.0.0", "127.0.0.1"),
    ] {
        let port = free_address().port();
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command.args(["record", "--out", "never.capture", "--listen"]);
        command.arg(format!("{listen}:{port}"));
        command
            .arg("--forward")
            .arg(format!("http://{host}:{port}"));
        let (code, _, said) = svc_test_support::ended(&mut command);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("would go round for ever"), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_is_removed_while_it_is_written_is_told() {
    let server = Server::behaving(Behaviour::Answers(FINE));
    let recording = Recording::of(&server.url, &[]);
    std::fs::remove_file(recording.folder.path().join("run.capture")).expect("it is there");
    raw(recording.address(), &pan(""));
    let (code, said) = recording.end_without_file();
    assert_eq!(code, Some(1));
    assert!(said.contains("is gone, and with it 1 exchanges"), "{said}");
}

#[test]
fn whoever_does_not_read_what_is_broken_keeps_nobody_waiting() {
    let server = Server::behaving(Behaviour::Answers(FINE));
    let local = ["--listen", "127.0.0.1:0", "--forward", &server.url];
    let recording = Recording::unheard(&local);
    let all = "GET /v1/usage HTTP/1.1\r\nHost: h\r\n\r\n".repeat(1999);
    let last = "GET /v1/usage HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let came = raw(recording.address(), (all + last).as_bytes());
    assert_eq!(came.matches("200 OK").count(), 2000);
    let ended = recording.end();
    assert!(
        ended.said.contains(" lines left out"),
        "{}",
        ended.said.len()
    );
    assert_eq!(ended.capture.cases.len(), 2000);
}

#[test]
fn a_client_that_talks_nonsense_harms_nobody() {
    let server = Server::behaving(Behaviour::Answers(FINE));
    let recording = Recording::of(&server.url, &[]);
    let huge = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 << 20));
    for (nonsense, answered) in [
        (&b"\x16\x03\x01\x02\x00 hello"[..], ""),
        (b"GET\r\n\r\n", "HTTP/1.1 400"),
        (huge.as_bytes(), "HTTP/1.1 431"),
        (b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nConnection: close\r\n\r\n", "HTTP/1.1 405"),
        (
            b"POST /v1/x HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "",
        ),
    ] {
        let came = match answered {
            "" => {
                leave(recording.address(), nonsense);
                String::new()
            }
            _ => raw(recording.address(), nonsense),
        };
        assert!(came.starts_with(answered), "{answered}: {came}");
    }
    let upgrade = "GET /v1/usage HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n";
    assert!(raw(recording.address(), upgrade.as_bytes()).starts_with("HTTP/1.1 200"));
    let ended = recording.end();
    let fine = ended
        .endings()
        .iter()
        .filter(|it| *it == "usage: 200")
        .count();
    assert_eq!(fine, 1, "{:?}", ended.endings());
}

#[test]
fn an_answer_without_end_is_passed_on_until_the_client_goes_and_not_kept() {
    let server = Server::behaving(Behaviour::Endless(
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"0123456789",
    ));
    let recording = Recording::of(&server.url, &["--body-limit", "1000", "--drain", "1s"]);
    leave(recording.address(), &pan(""));
    let ended = recording.end();
    assert!(ended.text.len() < 5000, "{}", ended.text.len());
}

/// What would fail when the recording is over is told before it begins, and leaves no file.
#[test]
fn mistakes_of_the_command_line_are_told_before_anything_is_recorded() {
    let folder = svc_test_support::Folder::new("record-early");
    for (flag, value) in [
        ("--baseline", "nowhere.toml"),
        ("--report-json", "no/such/folder/a.json"),
        ("--ca-file", "nowhere.pem"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
        command.current_dir(folder.path()).args([
            "record",
            "--listen",
            "127.0.0.1:0",
            "--out",
            "a.capture",
        ]);
        command.args(["--forward", "http://127.0.0.1:1", flag, value]);
        let (code, _, said) = svc_test_support::ended(&mut command);
        assert_eq!(code, Some(2), "{flag}: {said}");
        assert!(!folder.path().join("a.capture").exists(), "{flag}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_another_recording_writes_is_left_to_it() {
    let server = Server::behaving(Behaviour::Answers(FINE));
    let recording = Recording::of(&server.url, &[]);
    let out = recording.folder.path().join("run.capture");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command
        .args(["record", "--listen", "127.0.0.1:0", "--replace", "--out"])
        .arg(&out);
    let (code, _, said) = svc_test_support::ended(command.args(["--forward", &server.url]));
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("another recording writes it; name another file"),
        "{said}"
    );
    raw(recording.address(), &pan(""));
    assert_eq!(recording.end().capture.cases.len(), 1);
}

#[test]
fn what_is_there_already_is_not_written_over() {
    let server = Server::behaving(Behaviour::Answers(FINE));
    let recording = Recording::of(&server.url, &[]);
    raw(recording.address(), &pan(""));
    let ended = recording.end();
    let out = ended.folder.path().join("run.capture");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.args([
        "record",
        "--listen",
        "127.0.0.1:0",
        "--forward",
        &server.url,
    ]);
    let (code, _, said) = svc_test_support::ended(command.arg("--out").arg(&out));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is there already"), "{said}");
    assert_eq!(std::fs::read_to_string(out).expect("a capture"), ended.text);
}
