//! HTTP archives: what browsers and proxies save, and what is made of a capture.

use std::process::Command;

use serde_json::{Value, json};
use svc_contract_tests::capture::Capture;
use svc_test_support::Folder;

const KEY: &str = "svc_live_canary-Qx7Lm2Vd9Kt4Rw8Z";

/// What Chromium saves, with what HTTP/2 and a browser add.
fn chromium() -> Value {
    let envelope = json!({
        "success": true, "verificationId": "svcv_1", "endpoint": "verify.identity.pan", "status": "completed",
        "data": { "nameOnPan": "RAVI KUMAR" }, "meta": { "environment": "live" },
    });
    json!({ "log": { "version": "1.2", "creator": { "name": "WebInspector", "version": "537.36" }, "pages": [], "entries": [
        { "startedDateTime": "2026-11-03T10:00:00.123Z", "time": 12.5, "_resourceType": "script",
          "request": { "method": "GET", "url": "https://app.example/main.js", "headers": [] },
          "response": { "status": 200, "headers": [], "content": { "size": 1, "text": "1" } } },
        { "startedDateTime": "2026-11-03T15:30:01.400+05:30", "time": null,
          "request": { "method": "OPTIONS", "url": "https://api.example/base/v1/verify/identity/pan",
            "headers": [{ "name": "access-control-request-method", "value": "POST" }] },
          "response": { "status": 204, "headers": [], "content": { "size": 0 } } },
        { "startedDateTime": "2026-11-03T15:30:01.410+05:30", "time": 1,
          "request": { "method": "POST", "url": "http://api.example/base/v1/verify/identity/pan", "headers": [] },
          "response": { "status": 307, "statusText": "Internal Redirect", "headers": [], "content": { "size": 0 } } },
        { "startedDateTime": "2026-11-03T15:30:01.420+05:30", "time": 1, "_resourceType": "websocket",
          "request": { "method": "GET", "url": "wss://api.example/v1/events", "headers": [] },
          "response": { "status": 101, "statusText": "Switching Protocols", "headers": [], "content": { "size": 0 } } },
        { "startedDateTime": "2026-11-03T15:30:01.500+05:30", "time": 251.4, "_priority": "High",
          "request": { "method": "POST", "url": "https://api.example/base/v1/verify/identity/pan", "httpVersion": "http/2.0",
            "headers": [{ "name": ":authority", "value": "api.example" }, { "name": "authorization", "value": format!("Bearer {KEY}") },
                        { "name": "cookie", "value": "who=RAVI" }, { "name": "content-type", "value": "application/json" }],
            "postData": { "mimeType": "application/json", "text": "{\"pan\":\"ABCPE1234F\"}" } },
          "response": { "status": 200, "headers": [{ "name": "content-encoding", "value": "br" }, { "name": "content-type", "value": "application/json" }],
            "content": { "size": 10, "mimeType": "application/json", "encoding": "base64",
                         "text": data_encoding::BASE64.encode(envelope.to_string().as_bytes()) } } },
        { "startedDateTime": "2026-11-03T10:00:02Z", "time": 0,
          "request": { "method": "GET", "url": "https://api.example/v1/usage", "headers": [] },
          "response": { "status": 0, "headers": [], "content": { "size": 0 } } },
        { "startedDateTime": "2026-11-03T10:00:03Z", "time": 3,
          "request": { "method": "GET", "url": "https://api.example/v1/usage", "headers": [] },
          "response": { "status": 200, "headers": [], "content": { "size": 700 } } },
    ] } })
}

fn run(arguments: &[&str], folder: &Folder) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command
        .env_clear()
        .current_dir(folder.path())
        .args(arguments);
    svc_test_support::ended(&mut command)
}

fn read(folder: &Folder, name: &str) -> (String, Capture) {
    let text = std::fs::read_to_string(folder.path().join(name)).expect("a capture");
    let capture = Capture::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (text, capture)
}

#[test]
fn an_archive_of_a_browser_is_judged_without_keys_and_people() {
    let folder = Folder::new("har");
    folder.write("run.har", &chromium().to_string());
    let import = ["capture", "import", "run.har", "--out", "run.capture"];
    let (code, report, said) = run(&import, &folder);
    assert_eq!(code, Some(1), "{said}{report}");
    assert!(
        said.contains("4 entries are no calls of the service"),
        "{said}"
    );
    let (text, capture) = read(&folder, "run.capture");
    for secret in [&KEY[16..], "RAVI", "ABCPE1234F", "who="] {
        assert!(
            !format!("{text}{said}{report}").contains(secret),
            "{secret}: {text}"
        );
    }
    let names: Vec<_> = capture
        .cases
        .iter()
        .map(|case| case.case.as_str())
        .collect();
    assert_eq!(
        names,
        ["#1 verify.identity.pan (live)", "#2 usage", "#3 usage"]
    );
    assert_eq!(capture.cases[0].exchanges[0].took_ms, 251);
    for unread in [
        "the archive has no body of its answer",
        "the archive has no answer to it",
    ] {
        assert!(text.contains(unread), "{unread}: {text}");
    }
    assert!(!capture.local);
}

#[test]
fn an_archive_made_of_a_capture_is_read_as_the_same_traffic() {
    let folder = Folder::new("har-back");
    folder.write("run.har", &chromium().to_string());
    run(
        &["capture", "import", "run.har", "--out", "a.capture"],
        &folder,
    );
    let exported = run(
        &["capture", "export", "a.capture", "--out", "b.har"],
        &folder,
    );
    assert_eq!(exported.0, Some(0), "{}", exported.2);
    run(
        &[
            "capture",
            "import",
            "b.har",
            "--out",
            "b.capture",
            "--show-personal-data",
            "yes",
        ],
        &folder,
    );
    let ((_, first), (_, second)) = (read(&folder, "a.capture"), read(&folder, "b.capture"));
    let (first, second) = (&first.cases[0].exchanges[0], &second.cases[0].exchanges[0]);
    assert_eq!(first.response, second.response);
    assert_eq!(first.request.body, second.request.body);
    assert_eq!(first.request.path, second.request.path);
}

#[test]
fn webhooks_cut_answers_and_where_they_came_from_are_there_after_an_archive() {
    let folder = Folder::new("har-whole");
    let call = |name: &str, channel: &str, path: &str, came: Value| {
        json!({ "check": "recorded.calls", "case": name, "exchanges": [{
            "request": { "channel": channel, "environment": "test", "method": "POST", "path": path, "query": "",
                         "authorization": null, "headers": [["content-type", "application/json"]],
                         "body": { "text": "{\"pan\":\"ABCPE1234F\"}" } },
            "at_s": 1_800_000_000, "took_ms": 12, "response": came }] })
    };
    let cut = json!({ "Err": { "Cut": { "why": "reset by peer", "arrived": { "status": 200, "bytes": 120, "waited_ms": 12 } } } });
    let taken = json!({ "Ok": { "status": 204, "headers": [], "body": { "text": "" } } });
    let capture = json!({
        "seed": "", "environments": ["test"], "profile": "provider", "http": true, "local": true,
        "cases": [call("#1", "api", "/v1/verify/identity/pan", cut), call("#2", "webhook", "/hooks", taken)],
    });
    folder.write("a.capture", &capture.to_string());
    let export = ["capture", "export", "a.capture", "--out", "b.har"];
    assert_eq!(run(&export, &folder).0, Some(0));
    run(
        &["capture", "import", "b.har", "--out", "b.capture"],
        &folder,
    );
    let ((_, first), (text, second)) = (read(&folder, "a.capture"), read(&folder, "b.capture"));
    assert!(second.local, "{text}");
    assert_eq!(second.cases.len(), 2, "{text}");
    for (first, second) in first.cases.iter().zip(&second.cases) {
        let (first, second) = (&first.exchanges[0], &second.exchanges[0]);
        assert_eq!(first.response, second.response);
        assert_eq!(first.request.channel, second.request.channel);
        assert_eq!(first.request.path, second.request.path);
        assert_eq!(first.request.body, second.request.body);
    }
}

/// A browser lets go of bodies that it has no room for, and an archive of one has what it asked others for, too.
#[test]
fn bodies_that_were_let_go_and_entries_of_others_of_any_form_accuse_nobody() {
    let folder = Folder::new("har-odd");
    let call = |content: Value| {
        json!({ "startedDateTime": "2026-11-30T10:00:00Z", "request": {
            "method": "GET", "url": "https://sandbox.example/v1/usage" },
            "response": { "status": 200, "bodySize": 428, "content": content } })
    };
    let odd = json!({ "request": { "url": "https://cdn.example/a.js", "headers": [{ "name": 1, "value": null }] },
        "response": null });
    let entries = [
        odd,
        call(json!({ "size": 0 })),
        call(json!({ "size": 428, "text": "" })),
    ];
    let har = json!({ "log": { "entries": entries } });
    folder.write("run.har", &har.to_string());
    let import = ["capture", "import", "run.har", "--out", "x.capture"];
    let (code, report, said) = run(&import, &folder);
    assert!(
        said.contains("1 entries are no calls of the service"),
        "{said}"
    );
    assert!(said.contains("0 with something broken"), "{said}");
    assert_eq!(code, Some(4), "{said}{report}");
    let missing = "the archive has no body of its answer";
    assert!(report.contains(missing), "{report}");
    // One of its calls must be of the right form.
    folder.write(
        "run.har",
        &har.to_string()
            .replace("\"bodySize\":428", "\"status\":\"x\""),
    );
    let (code, _, said) = run(&import, &folder);
    assert!(code == Some(2) && said.contains("entry 2"), "{said}");
}

#[test]
fn what_is_no_archive_is_refused_with_a_word() {
    let folder = Folder::new("har-none");
    for (text, why) in [
        ("[]", "it is no HTTP archive"),
        (
            r#"{"log":{"entries":[]}}"#,
            "none of its 0 entries is a call below /v1/",
        ),
    ] {
        folder.write("run.har", text);
        let (code, _, said) = run(
            &["capture", "import", "run.har", "--out", "x.capture"],
            &folder,
        );
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}
