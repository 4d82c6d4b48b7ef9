//! HTTP archives are traffic as captures are.

use serde_json::{Value, json};

use super::{a_month, traffic};

fn entry(at: &str, address: &str, body: &Value, answer: &Value, base64: bool) -> Value {
    let text = answer.to_string();
    let content = match base64 {
        true => json!({
            "text": data_encoding::BASE64.encode(text.as_bytes()), "encoding": "base64"
        }),
        false => json!({ "text": text, "mimeType": "application/json" }),
    };
    json!({
        "startedDateTime": at,
        "time": 120.4,
        "request": {
            "method": "POST", "url": address, "headers": [],
            "postData": { "text": body.to_string() }
        },
        "response": { "status": 200, "headers": [], "content": content }
    })
}

fn answer(id: &str, environment: &str) -> Value {
    json!({
        "success": true, "verificationId": id, "endpoint": "verify.identity.pan", "status": "completed", "data": {},
        "billing": { "charged": environment == "live", "amount": 2.5 }, "meta": { "environment": environment }
    })
}

#[test]
fn a_browsers_archive_is_reckoned_with_and_what_it_has_beside_is_left_out() {
    let pan = "https://api.example/v1/verify/identity/pan?trace=1";
    let (one, other) = (
        json!({ "pan": "AAAAA0000A" }),
        json!({ "pan": "AAAAA0001A" }),
    );
    let mut lost = entry("2026-11-02T10:03:00.500Z", pan, &other, &json!({}), false);
    lost["response"]["status"] = json!(0);
    let page = "https://app.example/index.html";
    let archive = json!({ "log": { "version": "1.2", "entries": [
        entry("2026-11-02T10:00:00.000Z", page, &json!({}), &json!({}), false),
        entry("2026-11-02T10:00:00.250Z", pan, &one, &answer("svcv_1", "live"), false),
        entry("2026-11-02T10:01:00.250+00:00", pan, &one, &answer("svcv_2", "live"), true),
        entry("2026-11-02T10:02:00.250Z", pan, &other, &answer("svcv_3", "test"), false),
        lost,
    ] } });
    let told = traffic(&archive.to_string(), &a_month());
    assert_eq!(traffic(&format!("\u{feff}{archive}"), &a_month()), told);
    insta::assert_snapshot!(told, @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.pan | 3 | 2 | 0 | 1 | 5 | 120 | 120 | measured: 3
    verify.identity.pan (sandbox) | 1 | 0 | 0 | 1 | 0 | 120 | 120 | measured: 1
    total | 4 | 2 | 0 | 2 | 5
    calls | why
    1 | on the sandbox, which is free
    1 | without an answer: nothing says whether they were charged
    by | calls | INR
    an idempotency key on every repetition | 1 | 2.5
    remembering that there is no record | 0 | 0
    both | 1 | 2.5
    calls.jsonl:1: it is no call of the service: POST /index.html
    Calls: 4, which stand for 30 d as stated; a month is 1 times that.
    Calls that do not say where they went, reckoned as live: 1.
    ");
}
