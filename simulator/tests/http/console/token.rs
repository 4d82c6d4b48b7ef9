//! A console with a token: asked for once, and then shown by a cookie.

use svc_simulator::http::control::guard::{ConsoleAccess, ConsoleToken};

use super::super::control::Ruled;
use super::FORM;

const BROWSER: &str = "Host: localhost\r\nAccept: text/html,*/*\r\n";

fn guarded() -> Ruled {
    Ruled::by(ConsoleAccess {
        token: ConsoleToken::new("sample token"),
        hosts: Vec::new(),
    })
}

#[test]
fn a_browser_without_the_token_is_asked_and_led_back() {
    let ruled = guarded();
    let asked = ruled.raw("GET", "/calls?text=a%20b", BROWSER, "");
    let to = asked.header("location").expect("it leads on");
    assert_eq!(
        (asked.status, to),
        (303, "/login?to=%2Fcalls%3Ftext%3Da%2520b")
    );
    let page = ruled.raw("GET", to, BROWSER, "");
    assert_eq!(page.status, 200);
    assert!(
        page.body.contains("value=\"/calls?text=a%20b\""),
        "{}",
        page.body
    );
    let form = "token=sample+token&to=%2Fcalls%3Ftext%3Da%2520b";
    let let_in = ruled.raw("POST", "/login", FORM, form);
    assert_eq!(
        (let_in.status, let_in.header("location")),
        (303, Some("/calls?text=a%20b"))
    );
    let cookie = let_in.header("set-cookie").expect("a cookie");
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    assert!(!cookie.contains("sample"), "{cookie}");
    let pair = cookie.split(';').next().expect("a pair");
    for path in ["/calls", "/control/accounts"] {
        let shown = ruled.raw("GET", path, &format!("{BROWSER}Cookie: {pair}\r\n"), "");
        assert_eq!(shown.status, 200, "{path}");
    }
}

#[test]
fn a_form_that_is_sent_without_the_token_leads_back_to_its_page() {
    let ruled = guarded();
    for (referer, to) in [
        (
            "http://localhost/accounts/local?done=x",
            "/login?to=%2Faccounts%2Flocal%3Fdone%3Dx",
        ),
        ("no address", "/login?to=%2F"),
    ] {
        let headers = format!("{FORM}Accept: text/html\r\nReferer: {referer}\r\n");
        let asked = ruled.raw("POST", "/accounts/local", &headers, "action=reset");
        assert_eq!((asked.status, asked.header("location")), (303, Some(to)));
    }
}

#[test]
fn a_wrong_token_a_made_up_cookie_and_a_program_are_refused() {
    let ruled = guarded();
    let wrong = ruled.raw("POST", "/login", FORM, "token=guess&to=/");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
    let made_up = format!("{BROWSER}Cookie: svc_console=00\r\n");
    assert_eq!(ruled.raw("GET", "/calls", &made_up, "").status, 303);
    assert_eq!(
        ruled
            .raw("POST", "/webhooks/test", FORM, "account=local")
            .status,
        401
    );
    assert_eq!(
        ruled
            .raw("GET", "/control/accounts", "Host: localhost\r\n", "")
            .status,
        401
    );
    assert_eq!(
        ruled.raw("GET", "/assets/console.css", BROWSER, "").status,
        200
    );
}

#[test]
fn nobody_is_led_to_another_site() {
    let ruled = guarded();
    for to in [
        "https://evil.example/",
        "//evil.example/",
        "/%5Cevil.example",
    ] {
        let let_in = ruled.raw(
            "POST",
            "/login",
            FORM,
            &format!("token=sample+token&to={to}"),
        );
        assert_eq!(let_in.header("location"), Some("/"), "{to}");
    }
}
