//! Replays the requests of `tests/corpus/` over real sockets. What they mean is written in the README
//! there; nothing here knows a request.

use std::net::SocketAddr;
use std::path::Path;

use svc_fixtures::contract::{Contract, ErrorCode};
use svc_fixtures::json::Json;
use svc_simulator::http::control::guard::{ConsoleAccess, ConsoleToken};

use super::client::{Answer, Client, Served};

/// One request, or several on one connection, and what must come back.
struct Case<'t> {
    name: &'t str,
    to: &'t str,
    answers: Vec<&'t str>,
    ending: &'t str,
    messages: Vec<String>,
}

fn read(text: &str) -> Vec<Case<'_>> {
    let cases = text.split("\n=== ").skip(1);
    let cases = cases.map(|case| {
        let (title, sent) = case.split_once('\n').expect("a request below its name");
        let parts: Vec<&str> = title.split(" | ").collect();
        let (name, to, answers, ending) = match parts[..] {
            [name, answers, ending] => (name, "sandbox", answers, ending),
            [name, to, answers, ending] => (
                name,
                to.strip_prefix("on ").expect("a listener"),
                answers,
                ending,
            ),
            _ => panic!("not `name | answer | kept`: {title}"),
        };
        assert!(matches!(ending, "kept" | "closed"), "{title}");
        Case {
            name,
            to,
            answers: answers
                .split(", ")
                .filter(|&answer| answer != "nothing")
                .collect(),
            ending,
            messages: sent.split("\n---\n").map(str::to_owned).collect(),
        }
    });
    cases.collect()
}

/// The bytes of a message.
fn bytes(message: &str, key: &str) -> Vec<u8> {
    let message = message.strip_suffix('\n').unwrap_or(message);
    if let Some(raw) = message.strip_prefix("«raw»") {
        return filled(raw, key, None);
    }
    let (head, body) = message.split_once("\n\n").unwrap_or((message, ""));
    let body = filled(body, key, None);
    let mut bytes = filled(&head.replace('\n', "\r\n"), key, Some(body.len()));
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes.extend_from_slice(&body);
    bytes
}

/// The text with what stands between « and » put in.
fn filled(text: &str, key: &str, length: Option<usize>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, hole)) = rest.split_once('«') {
        bytes.extend_from_slice(before.as_bytes());
        let end = end_of(hole);
        bytes.extend(hole_of(&hole[..end], key, length));
        rest = &hole[end + '»'.len_utf8()..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Where the hole ends; there may be others in it.
fn end_of(hole: &str) -> usize {
    let mut open = 1;
    for (at, character) in hole.char_indices() {
        match character {
            '«' => open += 1,
            '»' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    panic!("« without »: {hole}")
}

fn hole_of(hole: &str, key: &str, length: Option<usize>) -> Vec<u8> {
    let auth = format!("Host: a\r\nAuthorization: Bearer svc_test_local_{key}");
    if let Some((count, text)) = hole.split_once('×') {
        return filled(text, key, length).repeat(count.parse().expect("how often"));
    }
    if let Some(text) = hole.strip_prefix("utf16le:") {
        return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    if let Some(text) = hole.strip_prefix("utf16be:") {
        return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    }
    match hole {
        "end" => Vec::new(),
        "key" => format!("svc_test_local_{key}").into(),
        "live" => format!("svc_live_local_{key}").into(),
        "auth" => auth.into(),
        "json" => format!("{auth}\r\nContent-Type: application/json").into(),
        "length" => format!("Content-Length: {}", length.expect("in a head")).into(),
        hexadecimal => {
            let byte = |byte| u8::from_str_radix(byte, 16).expect("two digits");
            hexadecimal.split(' ').map(byte).collect()
        }
    }
}

/// What an answer says, in the words of the corpus.
fn said(contract: &Contract, to: &str, answer: &Answer) -> String {
    let status = answer.status;
    if answer.body.is_empty() {
        return format!("{status} -");
    }
    let json = answer.json();
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{answer:?}"
    );
    let code = json["error"]["code"].as_str();
    if to != "console" {
        let parsed = Json::parse(answer.body.as_bytes()).expect("an envelope");
        let mistakes = contract.service.envelope.mistakes(&parsed);
        assert!(mistakes.is_empty(), "{mistakes:?} in {answer:?}");
        assert!(json.get("referenceId").is_some(), "{answer:?}");
        // The contract's table of codes, but for the two statuses that are not in it.
        if let Some(code) = code.filter(|_| status != 405) {
            let code = ErrorCode::parse(code).expect("a code of the contract");
            assert_eq!(contract.error(code).status, status, "{answer:?}");
        }
    }
    format!("{status} {}", code.unwrap_or("ok"))
}

fn address(served: &Served, to: &str) -> SocketAddr {
    match to {
        "sandbox" => served.addresses.sandbox,
        "live" => served.addresses.live,
        "console" => served.addresses.console,
        other => panic!("no listener is called {other}"),
    }
}

/// Sends a case. What comes back, in the words of the corpus.
fn replay(served: &Served, case: &Case<'_>, key: &str) -> (Vec<String>, &'static str) {
    let contract = &served.host().rules().contract;
    let mut client = Client::to(address(served, case.to));
    let sent: Vec<u8> = case.messages.iter().flat_map(|it| bytes(it, key)).collect();
    let mut writer = client.same();
    let ends = case.messages.iter().any(|it| it.contains("«end»"));
    // On a thread: an answer may come before all is sent, and then nobody takes the rest.
    let writing = std::thread::spawn(move || {
        let written = writer.try_write(&sent);
        if ends {
            written.and_then(|()| writer.end_writing())
        } else {
            written
        }
    });
    let answers: Vec<_> = (case.answers.iter())
        .map(|wanted| said(contract, case.to, &client.answer(!wanted.ends_with('-'))))
        .collect();
    if case.ending == "closed" {
        client.closed();
        let _refused_in_the_middle = writing.join().expect("no panic");
        return (answers, "closed");
    }
    writing
        .join()
        .expect("no panic")
        .expect("all of it is taken");
    let good = match case.to {
        "console" => "GET /control/health HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
        _ => served.call(&format!("svc_test_local_{key}"), ""),
    };
    let status = client.ask(good).status;
    let ending = match (case.to, status) {
        ("live", 401) | (_, 200) => "kept",
        _ => "not usable any more",
    };
    (answers, ending)
}

/// Replays a file of the corpus; every request that gets another answer is reported.
fn family(file: &str, access: ConsoleAccess) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let text = std::fs::read_to_string(folder.join(file)).expect("a file of the corpus");
    let served = Served::with(|builder| builder.access(access));
    let mut wrong = Vec::new();
    for (number, case) in read(&text).iter().enumerate() {
        let key = format!("case{number}");
        let differences =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| replay(&served, case, &key)));
        match differences {
            Ok((answers, ending)) if answers == case.answers && ending == case.ending => {}
            Ok((answers, ending)) => {
                let answers = answers.join(", ");
                wrong.push(format!("{}: {answers} | {ending}", case.name));
            }
            Err(_) => wrong.push(format!("{}: see above", case.name)),
        }
    }
    assert!(wrong.is_empty(), "{file}\n{}", wrong.join("\n"));
}

macro_rules! families {
    ($($name:ident: $file:literal,)*) => {
        $(#[test] fn $name() { family($file, ConsoleAccess::default()); })*

        const FILES: &[&str] = &[$($file,)* TOKEN];
    };
}

const TOKEN: &str = "control-token.txt";

families! {
    framing_is_understood_in_one_way_or_refused: "framing.txt",
    heads_are_read_strictly: "head.txt",
    paths_and_methods_are_matched_exactly: "routing.txt",
    keys_are_matched_exactly: "authentication.txt",
    json_is_read_strictly: "json.txt",
    idempotency_keys_are_kept_apart: "idempotency.txt",
    values_end_where_the_contract_says: "values.txt",
    the_control_api_is_for_its_own: "control.txt",
}

#[test]
fn the_control_api_wants_its_token() {
    let access = ConsoleAccess {
        token: ConsoleToken::new("sample-token"),
        hosts: Vec::new(),
    };
    family(TOKEN, access);
}

#[test]
fn every_file_of_the_corpus_is_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            assert!(FILES.contains(&name), "nothing replays {name}");
            count += read(&std::fs::read_to_string(&path).expect("a text")).len();
        }
    }
    assert!(count >= 150, "{count} requests");
}
