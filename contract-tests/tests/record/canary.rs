//! Nothing that is written has a key, or what a foreign host says of a person.

use std::io::Write as _;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use svc_test_support::{Reply, Server};

use super::recording::{Ended, Recording, raw, request};

const KEY: &str = "svc_live_canary-Qx7Lm2Vd9Kt4Rw8Z";
const SECRET: &str = "hush-hush-99";
const PEOPLE: [&str; 6] = [
    "RAVI KUMAR",
    "ABCPE1234F",
    "9812345678",
    "1990-02-03",
    "12 Canary Lane",
    "ravi.kumar@people.example",
];

fn envelope() -> String {
    let [name, pan, mobile, born, address, email] = PEOPLE;
    serde_json::json!({
        "success": true, "verificationId": "svcv_1", "status": "completed",
        "endpoint": "verify.identity.pan",
        "data": { "pan": pan, "name": name, "dob": born, "address": address, "email": email, "mobile": mobile },
        "error": { "message": format!("{name} {KEY}") },
        "key": BASE64.encode(KEY.as_bytes()),
        "codes": "CODES",
    })
    .to_string()
    .replace("CODES", &in_codes())
}

/// The key as JSON may write it.
fn in_codes() -> String {
    KEY.bytes().map(|byte| format!("\\u{byte:04X}")).collect()
}

/// Answers as people-leaking as can be: as JSON, as a page, compressed, cut.
fn leaky(path: &str) -> Reply {
    let json = ("content-type".to_owned(), "application/json".to_owned());
    let cookie = ("set-cookie".to_owned(), format!("who={}", PEOPLE[5]));
    let coding = ("content-encoding".to_owned(), "gzip".to_owned());
    match path {
        "/v1/packed" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(envelope().as_bytes()).expect("memory");
            Reply::Says(200, vec![json, coding], encoder.finish().expect("memory"))
        }
        "/consent/RAVI%20KUMAR" => {
            let page = format!("<h1>{}</h1>", PEOPLE.join(" "));
            Reply::Says(200, vec![cookie], page.into_bytes())
        }
        "/v1/cut" => Reply::Says(200, vec![json], envelope().into_bytes()[..180].to_vec()),
        _ => Reply::Says(200, vec![json, cookie], envelope().into_bytes()),
    }
}

fn ended(more: &[&str]) -> Ended {
    let server = Server::start(|request| leaky(&request.path));
    let recording = Recording::of(&server.url, more);
    let headers = format!(
        "Authorization: Bearer {KEY}\r\nCookie: {0}\r\nX-Api-Key: {KEY}\r\nX-User: {0}\r\nX-Client-Secret: {SECRET}\r\n",
        PEOPLE[5]
    );
    let other = headers.replace(KEY, "svc_live_another-Zw3Qp8Rt5Yx1");
    let [name, pan, mobile, ..] = PEOPLE;
    let asked = serde_json::json!({ "pan": pan, "name": name, "mobile": mobile }).to_string();
    for path in [
        "/v1/verify/identity/pan",
        "/v1/verify/identity/pan?mobile=9812345678",
        "/v1/packed",
        "/consent/RAVI%20KUMAR",
        "/v1/cut",
        "/v1/people/ABCPE1234F?page=1&access_token=hush-hush-99",
    ] {
        let elsewhere = [
            serde_json::json!([name, [pan]]),
            serde_json::json!(format!("{name} {pan}")),
            serde_json::json!({ name: { pan: mobile } }),
        ];
        let elsewhere = elsewhere.map(|json| json.to_string());
        let plain = [asked.as_str(), &asked[..asked.len() - 3]].into_iter();
        for body in plain.chain(elsewhere.iter().map(String::as_str)) {
            raw(recording.address(), &request("POST", path, &headers, body));
        }
    }
    // What has the first key in it may be an answer to another one.
    let again = request("POST", "/v1/verify/identity/pan", &other, &asked);
    raw(recording.address(), &again);
    recording.end()
}

fn written(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.text, ended.report, ended.said)
}

#[test]
fn no_key_and_nobody_is_in_anything_written_of_a_foreign_host() {
    let ended = ended(&["--show-personal-data", "no"]);
    let text = written(&ended);
    let key = &KEY["svc_live_canary-".len()..];
    let packed = BASE64.encode(KEY.as_bytes());
    let codes = in_codes();
    let secrets = ["RAVI", key, &packed[4..20], SECRET, &codes[60..120]];
    for value in PEOPLE.into_iter().chain(secrets) {
        let at = text.find(value);
        let around = at.map(|at| &text[at.saturating_sub(300)..(at + 60).min(text.len())]);
        assert_eq!(around, None, "{value}");
    }
    assert_eq!(ended.capture.cases.len(), 31);
}

#[test]
fn of_this_machine_people_are_kept_and_keys_are_not() {
    let ended = ended(&[]);
    let text = written(&ended);
    assert!(PEOPLE.iter().all(|value| text.contains(value)), "{text}");
    let key = &KEY["svc_live_canary-".len()..];
    let packed = BASE64.encode(KEY.as_bytes());
    for value in [key, SECRET, &packed[4..20], &in_codes()[60..120]] {
        assert!(!text.contains(value), "{value}: {text}");
    }
    assert_eq!(ended.judged().1.lines().last(), ended.report.lines().last());
}
