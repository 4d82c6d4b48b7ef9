//! Who may use the console, and who may not.

use std::sync::Arc;

use svc_simulator::host::readiness::Readiness;
use svc_simulator::http::control::guard::{ConsoleAccess, ConsoleToken};

use super::{LOCAL, Ruled, refused};

/// A request with these header lines: its status, and the code of a refusal.
fn ending(ruled: &Ruled, method: &str, path: &str, headers: &str) -> String {
    let answer = ruled.raw(method, path, headers, "");
    match answer.status {
        200..300 => answer.status.to_string(),
        _ => refused(&answer),
    }
}

#[test]
fn only_the_consoles_own_pages_and_programs_are_let_in() {
    let ruled = Ruled::by(ConsoleAccess {
        token: None,
        hosts: vec!["console.example".to_owned()],
    });
    let port = ruled.served.addresses.console.port();
    let own = format!("localhost:{port}");
    const RESET: &str = "/control/accounts/local_x/reset";
    for (headers, ending_wanted) in [
        (format!("Host: {own}\r\n"), "200"),
        (format!("Host: 127.0.0.1:{port}\r\n"), "200"),
        ("Host: console.example\r\n".to_owned(), "200"),
        (
            "Host: rebound.example\r\n".to_owned(),
            "403 HOST_NOT_ALLOWED",
        ),
        (
            format!("Host: rebound.example:{port}\r\n"),
            "403 HOST_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nHost: {own}\r\n"),
            "403 HOST_NOT_ALLOWED",
        ),
        (format!("Host: {own}\r\nOrigin: http://{own}\r\n"), "200"),
        (
            "Host: console.example\r\nOrigin: https://console.example\r\n".to_owned(),
            "200",
        ),
        (
            format!("Host: {own}\r\nOrigin: null\r\n"),
            "403 ORIGIN_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nOrigin: http://evil.example\r\n"),
            "403 ORIGIN_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nOrigin: http://localhost:1\r\n"),
            "403 ORIGIN_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nOrigin: https://{own}\r\n"),
            "403 ORIGIN_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nSec-Fetch-Site: cross-site\r\n"),
            "403 ORIGIN_NOT_ALLOWED",
        ),
        (
            format!("Host: {own}\r\nSec-Fetch-Site: same-origin\r\n"),
            "200",
        ),
        (format!("Host: {own}\r\nSec-Fetch-Site: none\r\n"), "200"),
    ] {
        assert_eq!(
            ending(&ruled, "POST", RESET, &headers),
            ending_wanted,
            "{headers}"
        );
    }
    // A link on another site leads to the first page, not to the control API.
    let linked = format!("Host: {own}\r\nSec-Fetch-Site: cross-site\r\n");
    assert_eq!(ruled.raw("GET", "/", &linked, "").status, 200);
    assert_eq!(
        ending(&ruled, "GET", "/control/accounts", &linked),
        "403 ORIGIN_NOT_ALLOWED"
    );
}

#[test]
fn no_page_is_ever_allowed_to_ask_from_elsewhere() {
    let ruled = Ruled::new();
    let options = ruled.raw("OPTIONS", "/control/accounts", LOCAL, "");
    assert_eq!(refused(&options), "405 METHOD_NOT_ALLOWED");
    assert_eq!(options.header("allow"), Some("GET,HEAD,POST"));
    let foreign = format!("{LOCAL}Origin: http://evil.example\r\n");
    for (method, path) in [("OPTIONS", "/control/accounts"), ("GET", "/openapi.json")] {
        let answer = ruled.raw(method, path, &foreign, "");
        assert_eq!(refused(&answer), "403 ORIGIN_NOT_ALLOWED");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    assert_eq!(refused(&ruled.get("/control/nothing")), "404 NOT_FOUND");
    let kept = ruled.get("/control/accounts/local");
    assert_eq!(kept.header("cache-control"), Some("no-store"));
    assert_eq!(kept.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn while_the_store_takes_no_entries_it_is_not_ready_and_says_why() {
    let readiness = Arc::new(Readiness::not_yet("the store is being opened"));
    let said = Arc::clone(&readiness);
    let ruled = Ruled::with(|builder| {
        let token = ConsoleToken::new("sample-token");
        let access = ConsoleAccess {
            token,
            hosts: Vec::new(),
        };
        builder.access(access).readiness(said)
    });
    let ready = || {
        let answer = ruled.get("/control/ready");
        let json = answer.json();
        let words = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        (
            answer.status,
            words(&json["status"]),
            words(&json["error"]["message"]),
        )
    };
    let not = |why: &str| {
        (
            503,
            "not-ready".to_owned(),
            format!("calls are not executed: {why}"),
        )
    };
    assert_eq!(ready(), not("the store is being opened"));
    readiness.restored();
    assert_eq!(ready(), (200, "ready".to_owned(), String::new()));
    readiness.lost("the disk is full");
    assert_eq!(ready(), not("the disk is full"));
    // It lives, all the same.
    let health = ruled.get("/control/health");
    assert_eq!(health.json()["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (health.status, &health.json()["product"]),
        (200, &"svc-simulator".into())
    );
}

#[test]
fn where_a_token_is_set_everything_but_health_needs_it() {
    let ruled = Ruled::by(ConsoleAccess {
        token: ConsoleToken::new("sample-token"),
        hosts: Vec::new(),
    });
    let header = |value: &str| format!("{LOCAL}Authorization: {value}\r\n");
    // `anybody:sample-token` and `sample-token:anybody`.
    let basic = "Basic YW55Ym9keTpzYW1wbGUtdG9rZW4=";
    let swapped = "Basic c2FtcGxlLXRva2VuOmFueWJvZHk=";
    for (headers, ending_wanted) in [
        (LOCAL.to_owned(), "401 TOKEN_REQUIRED"),
        (header("Bearer sample-token"), "200"),
        (header(basic), "200"),
        (header("Bearer sample-toke"), "401 TOKEN_REQUIRED"),
        (header("Bearer sample-token2"), "401 TOKEN_REQUIRED"),
        (header(swapped), "401 TOKEN_REQUIRED"),
        (header("sample-token"), "401 TOKEN_REQUIRED"),
    ] {
        let answered = ending(&ruled, "GET", "/control/accounts", &headers);
        assert_eq!(answered, ending_wanted, "{headers}");
    }
    for path in ["/", "/openapi.json", "/docs/", "/operations", "/nothing"] {
        let answer = ruled.get(path);
        assert_eq!(refused(&answer), "401 TOKEN_REQUIRED", "{path}");
        let asks = answer.header("www-authenticate");
        assert_eq!(asks, Some("Basic realm=\"svc-simulator\""));
    }
    for path in ["/control/health", "/control/ready"] {
        assert_eq!(ruled.get(path).status, 200, "{path}");
    }
    // The token opens nothing to another site's page.
    let foreign = format!(
        "{}Origin: http://evil.example\r\n",
        header("Bearer sample-token")
    );
    let answered = ending(&ruled, "GET", "/control/accounts", &foreign);
    assert_eq!(answered, "403 ORIGIN_NOT_ALLOWED");
}
