//! What is called: of every kind that leaves something behind, spread over a few accounts that are used
//! all the time and ever new ones that are used for a while.

/// So many calls are made before an account is left for a new one.
const CALLS_OF_AN_ACCOUNT: u64 = 2_000;

/// One call.
pub(crate) struct Call {
    pub(crate) live: bool,
    key: String,
    method: &'static str,
    path: &'static str,
    headers: String,
    body: String,
}

/// The call of that number: the same in every run. One in twenty repeats an earlier one, key and all.
pub(crate) fn number(number: u64) -> Call {
    let number = match number % 20 {
        19 => number - 2,
        _ => number,
    };
    let live = number % 5 == 4;
    let environment = if live { "live" } else { "test" };
    // A wallet lasts for some thousand calls: who calls live is new now and then.
    let account = match number % 4 {
        0 if !live => "local".to_owned(),
        1 => format!("local_steady-{}", number % 7),
        _ => format!("local_passing-{}", number / CALLS_OF_AN_ACCOUNT),
    };
    let (method, path, body) = asked(number);
    Call {
        live,
        key: format!("svc_{environment}_{account}"),
        method,
        path,
        headers: headers(number),
        body,
    }
}

fn asked(number: u64) -> (&'static str, &'static str, String) {
    let post = |path, body| ("POST", path, body);
    match number % 100 {
        0 => post(
            "/v1/verify/employment/uan",
            format!(r#"{{"uan":"100000000202","n":{number}}}"#),
        ),
        1..5 => post(
            "/v1/verify/identity/mobile-otp/start",
            format!(r#"{{"mobile":"{}"}}"#, 9_000_100_000 + number % 800_000_000),
        ),
        5..8 => post("/v1/verify/identity/pan", r#"{"pan":"1"}"#.to_owned()),
        8 => ("GET", "/v1/usage", String::new()),
        9..12 => post(
            "/v1/verify/financial/credit-report",
            format!(
                r#"{{"name":"Person {number}","pan":"AAAAA0000A","mobile":"9000000001","consent":"y"}}"#
            ),
        ),
        12..22 => post(
            "/v1/verify/company/udyam",
            format!(
                r#"{{"udyamNumber":"UDYAM-KA-01-{:07}"}}"#,
                number % 10_000_000
            ),
        ),
        // The same over and over.
        22..32 => post(
            "/v1/verify/identity/pan",
            r#"{"pan":"AAAAA0000A"}"#.to_owned(),
        ),
        _ => post(
            "/v1/verify/identity/pan",
            format!(
                r#"{{"pan":"AAAAA{:04}A","name":"Person {number}"}}"#,
                number % 10_000
            ),
        ),
    }
}

/// Every other call has a key.
fn headers(number: u64) -> String {
    match number % 2 {
        0 => String::new(),
        _ => format!("Idempotency-Key: soak-{number:026}\r\nX-Reference-Id: order-{number}\r\n"),
    }
}

impl Call {
    /// As it is sent.
    pub(crate) fn request(&self, host: &str) -> String {
        let Call {
            key,
            method,
            path,
            headers,
            body,
            ..
        } = self;
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// Whether it may be answered so: what is meant to succeed does, but for lack of money.
    pub(crate) fn may_be_answered(&self, status: u16) -> bool {
        matches!(status, 200 | 202 | 400 | 402 | 422 | 500 | 502 | 503 | 504)
    }
}
