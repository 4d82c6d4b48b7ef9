//! The console's pages: what they show, and what their forms do. Each is judged by the control API, which a page knows no
//! more than.

mod accounts;
mod call_page;
mod followed;
mod forecasts;
mod forms;
mod guide;
mod messages;
mod reference;
mod token;
mod world;

use serde_json::Value;

use super::client::{Answer, Client};
use super::control::{Ruled, raw};

const PAN: &str = "/v1/verify/identity/pan";
const FORM: &str = "Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n";

/// Sends a form as a browser does, and gives the page that it leads to.
pub(super) fn follow(ruled: &Ruled, path: &str, form: &str) -> Answer {
    submit(ruled, path, form).1
}

/// The same, with the address of that page.
fn submit(ruled: &Ruled, path: &str, form: &str) -> (String, Answer) {
    let answer = ruled.raw("POST", path, FORM, form);
    assert_eq!(answer.status, 303, "{}", answer.body);
    let to = answer.header("location").expect("it leads on").to_owned();
    let cookie = answer.header("set-cookie").expect("a message").to_owned();
    let cookie = cookie.split(';').next().expect("a pair");
    let headers = format!("Host: localhost\r\nCookie: {cookie}\r\n");
    let page = raw(ruled.served.addresses.console, "GET", &to, &headers, "");
    (to, page)
}

fn calls(ruled: &Ruled, account: &str) -> Vec<Value> {
    let listed = ruled
        .get(&format!("/control/calls?account={account}"))
        .json();
    listed["calls"].as_array().expect("a list").clone()
}

/// A call of an account, and its page's path.
fn called(ruled: &Ruled, key: &str, body: &str) -> String {
    let answer = ruled.call(key, PAN, body);
    let id = answer.json()["verificationId"].clone();
    format!("/calls/{}", id.as_str().expect("an id"))
}

#[test]
fn every_page_runs_nothing_but_the_consoles_own_files() {
    let ruled = Ruled::new();
    let call = called(&ruled, "svc_test_local", r#"{"pan":"AAAAA0000A"}"#);
    for path in [
        "/",
        "/calls",
        "/calls?unauthenticated=true",
        &call,
        "/webhooks",
        "/operations",
        "/login",
    ] {
        let page = ruled.get(path);
        assert_eq!(page.status, 200, "{path}");
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        for inline in ["<style", "style=\"", "onclick", "javascript:"] {
            assert!(!page.body.contains(inline), "{inline} on {path}");
        }
        for source in page.body.split("src=\"").skip(1) {
            assert!(source.starts_with("/assets/"), "{path}: {source:.40}");
        }
        assert_eq!(page.body.matches("<h1>").count(), 1, "{path}");
    }
}

#[test]
fn a_browser_finds_the_icon_where_it_looks() {
    let ruled = Ruled::new();
    let named = ruled.get("/assets/icon.svg");
    let looked_for = ruled.get("/favicon.ico");
    assert_eq!(looked_for.header("content-type"), Some("image/svg+xml"));
    assert_eq!((looked_for.status, looked_for.body), (200, named.body));
}

#[test]
fn the_list_shows_the_calls_of_all_accounts_and_filters_narrow_it() {
    let ruled = Ruled::new();
    let found = called(&ruled, "svc_test_local_anna", r#"{"pan":"AAAAA0000A"}"#);
    let missing = called(&ruled, "svc_test_local_ben", r#"{"pan":"AAAAA9999A"}"#);
    for (query, shows_found, shows_missing) in [
        ("", true, true),
        ("account=local_anna&code=&text=", true, false),
        ("code=SVC_NO_RECORD_FOUND", false, true),
        ("text=aaaaa9999a", false, true),
        ("status=completed", true, false),
        ("environment=live", false, false),
        ("since=2999-01-01T00:00:00Z", false, false),
    ] {
        let page = ruled.get(&format!("/calls?{query}")).body;
        let shown = (page.contains(&found), page.contains(&missing));
        assert_eq!(shown, (shows_found, shows_missing), "{query}");
    }
    let wrong = ruled.get("/calls?status=perhaps");
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("role=\"alert\""), "{}", wrong.body);
}

#[test]
fn a_call_shows_what_was_asked_and_marks_what_no_field_is_called() {
    let ruled = Ruled::new();
    let path = called(
        &ruled,
        "svc_test_local",
        r#"{"pan":"AAAAA0000A","nmae":"<b>Asha</b>\u202e"}"#,
    );
    let page = ruled.get(&path).body;
    assert!(page.contains("<mark"), "{page}");
    assert!(page.contains("&lt;b&gt;Asha&lt;/b&gt;\\u{202e}"), "{page}");
    assert!(!page.contains("<b>") && !page.contains('\u{202e}'));
}

#[test]
fn a_call_sent_again_is_a_new_one_and_with_its_key_the_same() {
    let ruled = Ruled::new();
    let headers = "Host: a\r\nAuthorization: Bearer svc_test_local\r\nContent-Type: application/json\r\nIdempotency-Key: k1\r\n";
    let answer = raw(
        ruled.served.addresses.sandbox,
        "POST",
        PAN,
        headers,
        r#"{"pan":"AAAAA0000A"}"#,
    );
    let path = format!(
        "/calls/{}",
        answer.json()["verificationId"].as_str().expect("an id")
    );
    let (to, page) = submit(&ruled, &format!("{path}/again"), "key=same");
    assert_eq!(to, path);
    assert!(
        page.body.contains("the same answer was given again"),
        "{}",
        page.body
    );
    assert_eq!(calls(&ruled, "local").len(), 1);
    let (to, page) = submit(&ruled, &format!("{path}/again"), "");
    assert_ne!(to, path);
    assert!(page.body.contains("this is the new call"), "{}", page.body);
    let calls = calls(&ruled, "local");
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["request"]["body"], calls[1]["request"]["body"]);
}

#[test]
fn the_next_call_like_one_fails_as_chosen_and_only_that_one() {
    let ruled = Ruled::new();
    let body = r#"{"pan":"AAAAA0000A","nmae":"x"}"#;
    let path = called(&ruled, "svc_test_local", body);
    let form = "times=once&outcome=SVC_SOURCE_TIMEOUT";
    let (_, page) = submit(&ruled, &format!("{path}/next"), form);
    assert!(page.body.contains("[[scenario]]"), "{}", page.body);
    let statuses = [1, 2].map(|_| ruled.call("svc_test_local", PAN, body).status);
    assert_eq!(statuses, [504, 200]);
    let other = ruled.call("svc_test_local", PAN, r#"{"pan":"ABCPE1234F"}"#);
    assert_eq!(other.status, 200);
}

#[test]
fn what_the_control_api_refuses_is_said_where_the_form_was() {
    let ruled = Ruled::new();
    let path = called(&ruled, "svc_test_local", r#"{"pan":"AAAAA0000A"}"#);
    let (to, page) = submit(&ruled, &format!("{path}/next"), "outcome=SVC_NO_SUCH_CODE");
    assert_eq!(to, path);
    assert!(
        page.body.contains("message bad") && page.body.contains("SVC_NO_SUCH_CODE"),
        "{}",
        page.body
    );
    // It is said once.
    assert!(!ruled.get(&path).body.contains("SVC_NO_SUCH_CODE</p>"));
    assert_eq!(ruled.get("/calls/svcv_nobody").status, 404);
}

#[test]
fn another_sites_form_changes_nothing() {
    let ruled = Ruled::new();
    let path = called(&ruled, "svc_test_local", r#"{"pan":"AAAAA0000A"}"#);
    for stranger in [
        "Origin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let answer = ruled.raw(
            "POST",
            &format!("{path}/again"),
            &format!("{FORM}{stranger}"),
            "",
        );
        assert_eq!(answer.status, 403, "{}", answer.body);
    }
    assert_eq!(calls(&ruled, "local").len(), 1);
}

#[test]
fn one_page_too_many_is_told_that_it_does_not_follow_until_another_is_closed() {
    let ruled = Ruled::new();
    let ask = "GET /calls/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let follow = || {
        let mut client = Client::to(ruled.served.addresses.console);
        client.write(ask);
        let mut read = String::new();
        // The state of the page is the first event.
        while !read.contains("\n\n\r\n") {
            let mut bytes = [0; 1024];
            let count = client.try_read(&mut bytes).expect("an event");
            read += &String::from_utf8_lossy(&bytes[..count]);
        }
        (client, read)
    };
    let mut pages: Vec<_> = (0..64).map(|_| follow()).collect();
    assert!(
        pages
            .iter()
            .all(|(_, read)| read.contains("data: follows by itself"))
    );
    let (_, told) = follow();
    assert!(
        told.contains("does not follow: 64 pages do already"),
        "{told}"
    );
    assert!(told.contains("retry: 60000"), "{told}");
    pages.pop();
    // The place is free as soon as the end of that connection is noticed.
    assert!((0..100_000).any(|_| follow().1.contains("follows by itself")));
}
