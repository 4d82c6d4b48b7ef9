//! Bodies that are no bodies, and what is answered to them.

use super::{LOCAL, LOCAL_JSON, Ruled, refused};

const WALLET: &str = "/control/accounts/local_b/wallet";

#[test]
fn every_wrong_body_is_refused_with_the_member_that_is_wrong() {
    let ruled = Ruled::new();
    let deep = format!("{{\"topUp\": {}1{}}}", "[".repeat(200), "]".repeat(200));
    let messages: Vec<String> = [
        "",
        "nothing",
        "[]",
        "\"topUp\"",
        "{}",
        r#"{"topUp": 1, "balance": 1}"#,
        r#"{"topUp": 1, "topUp": 1}"#,
        r#"{"topup": 1}"#,
        r#"{"sneaky": 1}"#,
        r#"{"topUp": "whsec_sample"}"#,
        r#"{"topUp": null}"#,
        r#"{"topUp": -0.01}"#,
        r#"{"topUp": 0.001}"#,
        r#"{"topUp": 1e300}"#,
        r#"{"topUp": 1e999}"#,
        r#"{"topUp": true}"#,
        "{\"topUp\": 1} x",
        "\u{feff}{\"topUp\": 1}",
        &deep,
    ]
    .map(|body| {
        let answer = ruled.post(WALLET, body);
        let message = answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        format!("{}: {message}", answer.status)
    })
    .into();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    400: a JSON object is missing as the body
    400: the body can't be read as JSON: expected ident at line 1 column 2
    400: the body must be an object, not an array
    400: the body must be an object, not a string
    400: give either `topUp` or `balance`
    400: give either `topUp` or `balance`
    400: the body can't be read as JSON: an object names one of its members twice at line 1 column 24
    400: there is no member "topup" here; did you mean `topUp`?
    400: there is no member "sneaky" here; known here: balance, topUp
    400: topUp: must be a number, not a string
    400: topUp: must be a number, not null
    400: topUp: an amount is in INR, from 0 to 1000000000000, with at most two decimals
    400: topUp: an amount is in INR, from 0 to 1000000000000, with at most two decimals
    400: topUp: an amount is in INR, from 0 to 1000000000000, with at most two decimals
    400: the body can't be read as JSON: number out of range at line 1 column 15
    400: topUp: must be a number, not a boolean
    400: the body can't be read as JSON: trailing characters at line 1 column 14
    400: the body can't be read as JSON: a byte-order mark is not allowed
    400: the body can't be read as JSON: nesting over 128 levels at line 1 column 138
    "#);
}

#[test]
fn values_of_nested_members_are_named_by_their_place() {
    let ruled = Ruled::new();
    let messages: Vec<String> = [
        r#"{}"#,
        r#"{"id": 5}"#,
        r#"{"id": "x", "rateLimit": {"perSecond": 0, "burst": 1}}"#,
        r#"{"id": "x", "rateLimit": {"perSecond": 1}}"#,
        r#"{"id": "x", "rateLimit": {"perSecond": 1.5, "burst": 1}}"#,
        r#"{"id": "x", "rateLimit": {"perSecond": 4294967296, "burst": 1}}"#,
        r#"{"id": "x", "allowlist": ["10.0.0.0/8", "10.0.0.0/33"]}"#,
        r#"{"id": "x", "webhook": {"url": "http://127.0.0.1/", "secret": ""}}"#,
        r#"{"id": "x", "webhook": {"url": "http://127.0.0.1/", "secert": "whsec_sample"}}"#,
    ]
    .map(|body| {
        let answer = ruled.post("/control/accounts", body);
        assert_eq!(refused(&answer), "400 INVALID_INPUT");
        answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    })
    .into();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    id: is missing
    id: must be a string, not a whole number
    rateLimit.perSecond: must be a whole number above 0
    rateLimit.burst: is missing
    rateLimit.perSecond: must be a whole number, not a number with a fraction
    rateLimit.perSecond: is too large
    allowlist.1: write a network: 203.0.113.0/24
    webhook.secret: a secret is 1 to 1024 characters
    webhook: there is no member "secert" here; did you mean `secret`?
    "#);
}

#[test]
fn a_body_is_sent_as_json_or_not_at_all() {
    let ruled = Ruled::new();
    let with = |line: &str| format!("{LOCAL}{line}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    for (path, headers, body, ending) in [
        (WALLET, with(form), r#"{"topUp": 1}"#, "415 NOT_JSON"),
        (
            WALLET,
            with("Content-Type: text/plain\r\n"),
            r#"{"topUp": 1}"#,
            "415 NOT_JSON",
        ),
        (WALLET, with(""), r#"{"topUp": 1}"#, "415 NOT_JSON"),
        (
            WALLET,
            format!("{LOCAL_JSON}Content-Encoding: gzip\r\n"),
            "{}",
            "415 NOT_JSON",
        ),
        (WALLET, format!("{LOCAL_JSON}{form}"), "{}", "415 NOT_JSON"),
        // A form without fields.
        (
            "/control/accounts/local_b/reset",
            with(form),
            "",
            "415 NOT_JSON",
        ),
        (
            "/control/accounts/local_b/reset",
            with(""),
            r#"{"a": 1}"#,
            "415 NOT_JSON",
        ),
    ] {
        let answer = ruled.raw("POST", path, &headers, body);
        assert_eq!(refused(&answer), ending, "{headers:?}");
    }
    let charset = with("Content-Type: Application/JSON; charset=utf-8\r\n");
    assert_eq!(
        ruled
            .raw("POST", WALLET, &charset, r#"{"topUp": 1}"#)
            .status,
        200
    );
    let reset = ruled.raw("POST", "/control/accounts/local_b/reset", LOCAL, "");
    assert_eq!(reset.status, 200);
    let sent = ruled.raw("GET", "/control/accounts", LOCAL_JSON, "{}");
    assert_eq!(refused(&sent), "400 INVALID_INPUT");
}

#[test]
fn a_body_of_a_mebibyte_passes_and_one_byte_more_does_not() {
    let ruled = Ruled::new();
    let toml = |length: usize| {
        let (before, after) = (r##"{"account":"local_b","toml":"#"##, "\"}");
        let filler = "x".repeat(length - before.len() - after.len());
        format!("{before}{filler}{after}")
    };
    let whole = ruled.post("/control/scenarios", &toml(1024 * 1024));
    assert_eq!(whole.status, 201, "{}", whole.body);
    let over = ruled.post("/control/scenarios", &toml(1024 * 1024 + 1));
    assert_eq!(refused(&over), "413 BODY_TOO_LARGE");
    assert_eq!(over.header("connection"), Some("close"));
}

#[test]
fn a_query_is_as_strict_as_a_body() {
    let ruled = Ruled::new();
    let messages: Vec<String> = [
        "/control/calls?account=local&acount=local",
        "/control/calls?account=local&account=local",
        "/control/calls?account=local&limit=0",
        "/control/calls?account=local&limit=10001",
        "/control/calls?account=local&status=done",
        "/control/calls?account=local&environment=prod",
        "/control/events?account=local&from=-1",
        "/control/events?account=local&wait=soon",
        "/control/events?account=local&kind=callanswered",
        "/control/deliveries?account=local&verificationId=svcv_1",
        "/control/accounts?limit=5",
    ]
    .map(|path| {
        let answer = ruled.get(path);
        assert_eq!(refused(&answer), "400 INVALID_INPUT");
        answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    })
    .into();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    there is no member "acount" here; did you mean `account`?
    account: must be given once
    limit: must be a whole number from 1 to 10000
    limit: must be a whole number from 1 to 10000
    status: must be one of completed, pending, failed
    environment: must be one of test, live
    from: must be a whole number, not negative
    wait: a duration is a whole number and a unit: `500ms`, `30s`, `2m`, `6h` or `7d`
    kind: must be one of callAnswered, resultReady, deliveryAttempted, deliveryRequested, keyEnded, limitRestored, idempotencyKeyLapsed, clockSet, accountChanged, accountReset
    verificationId: a verificationId is `svcv_` and 26 letters and digits
    there is no member "limit" here; nothing is known here
    "#);
}
