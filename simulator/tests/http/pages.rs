//! The console's pages over HTTP: what they show is what the control API answers, and their forms change
//! things by it alone.

use serde_json::json;

use super::client::Answer;
use super::console::follow as submit;
use super::control::{ASHA, LOCAL, PAN, Ruled, SLOW, UAN};

const FORM: &str = "Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n";

fn shows(page: &Answer, parts: &[&str]) {
    for part in parts {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
}

#[test]
fn every_page_may_load_nothing_but_the_consoles_own_files() {
    let ruled = Ruled::new();
    for path in [
        "/accounts",
        "/accounts/local",
        "/time",
        "/time/local",
        "/scenarios",
        "/world",
        "/world?identifier=ABCPK1234D",
        "/try",
        "/try/verify.identity.pan",
        "/consents",
    ] {
        let page = ruled.get(path);
        assert_eq!(page.status, 200, "{path}");
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"));
        for never in ["<script>", " style=", "<style", " onclick="] {
            assert!(!page.body.contains(never), "{path} {never}");
        }
        assert_eq!(page.body.matches("<h1>").count(), 1, "{path}");
    }
    assert_eq!(ruled.get("/accounts/nobody").status, 404);
    assert_eq!(
        ruled.get("/assets/console.css").header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[test]
fn a_wallet_is_topped_up_and_a_mistake_is_told_with_what_was_typed() {
    let ruled = Ruled::new();
    ruled.call("svc_live_local", PAN, ASHA);
    let page = submit(&ruled, "/accounts/local", "action=topUp&amount=500.25");
    shows(
        &page,
        &[
            "The wallet was topped up.",
            "<svg",
            "<polyline",
            "verify.identity.pan",
        ],
    );
    let wallet = ruled.get("/control/accounts/local/wallet").json();
    shows(
        &page,
        &[&format!(
            "{:.2} INR",
            wallet["balance"].as_f64().expect("a balance")
        )],
    );
    let refused = ruled.raw(
        "POST",
        "/accounts/local",
        FORM,
        "action=balance&amount=a%3Cb",
    );
    assert_eq!(refused.status, 400);
    shows(&refused, &["role=\"alert\"", "value=\"a&lt;b\""]);
    assert_eq!(
        ruled.get("/control/accounts/local/wallet").json(),
        wallet,
        "nothing changed"
    );
    let page = submit(&ruled, "/accounts", "id=alpha&wallet=7");
    shows(
        &page,
        &["The account was opened.", "7.00 INR", "svc_live_alpha"],
    );
}

#[test]
fn a_clock_is_moved_to_the_next_thing_that_is_due_and_says_what_happened() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local", UAN, SLOW);
    shows(
        &ruled.get("/time/local"),
        &[
            "2027-01-15T08:00:25.000Z",
            "the result comes",
            "value=\"next\"",
        ],
    );
    let page = submit(&ruled, "/time/local", "action=next");
    shows(
        &page,
        &[
            "The clock shows 2027-01-15T08:00:25.000Z.",
            "What happened on the way",
            "completed",
        ],
    );
    shows(&page, &["Nothing is due."]);
    // What came before the move is no part of it.
    let way = page.body.split("What happened on the way").nth(1);
    let way = way.and_then(|rest| rest.split("</section>").next());
    let way = way.expect("a list");
    assert!(!way.contains("a call was answered"), "{way}");
    let call =
        ruled.get("/control/calls?account=local").json()["calls"][0]["verificationId"].take();
    let link = format!("/calls/{}", call.as_str().expect("an id"));
    assert!(
        way.contains("the result comes") && way.contains(&link),
        "{way}"
    );
    let back = ruled.raw(
        "POST",
        "/time/local",
        FORM,
        "action=set&instant=2020-01-01T00%3A00%3A00Z",
    );
    assert_eq!(back.status, 400);
    shows(
        &back,
        &["never goes back", "value=\"2020-01-01T00:00:00Z\""],
    );
}

#[test]
fn rules_are_checked_added_changed_and_removed_with_mistakes_at_their_lines() {
    let ruled = Ruled::new();
    let toml = "[[scenario]]\nname = \"gone\"\noperation = \"verify.identity.pan\"\nthen = { error = \"SVC_NO_RECORD_FOUND\" }\n";
    let form = |toml: &str, rest: &str| {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("account", "local")
            .append_pair("toml", &toml.replace('\n', "\r\n"));
        format!("{}&{rest}", form.finish())
    };
    let wrong = toml.replace("then", "than");
    let refused = ruled.raw("POST", "/scenarios", FORM, &form(&wrong, "action=add"));
    assert_eq!(refused.status, 400);
    shows(
        &refused,
        &[
            "Line 4, column 1: `than` is not known here",
            "did you mean `then`?",
            "than = {",
        ],
    );
    let checked = ruled.raw("POST", "/scenarios", FORM, &form(toml, "action=check"));
    shows(&checked, &["No mistakes; nothing was added."]);
    let page = submit(&ruled, "/scenarios", &form(toml, "action=add"));
    shows(
        &page,
        &["Added as added-1.", "file=added-1%2Fscenarios.toml"],
    );
    assert_eq!(ruled.call("svc_test_local", PAN, ASHA).status, 422);
    let file = "added=added-1&file=added-1/scenarios.toml";
    let slow = toml.replace("SVC_NO_RECORD_FOUND", "SVC_SOURCE_TIMEOUT");
    let page = submit(
        &ruled,
        "/scenarios/file",
        &form(&slow, &format!("{file}&action=save")),
    );
    shows(
        &page,
        &[
            "The rules were changed.",
            "SVC_SOURCE_TIMEOUT",
            "decided 1 of 1 calls",
        ],
    );
    assert_eq!(ruled.call("svc_test_local", PAN, ASHA).status, 504);
    submit(
        &ruled,
        "/scenarios/file",
        &form("x", &format!("{file}&action=remove")),
    );
    assert_eq!(ruled.call("svc_test_local", PAN, ASHA).status, 200);
}

#[test]
fn a_call_is_made_from_a_form_that_a_persona_fills() {
    let ruled = Ruled::new();
    let people = ruled.get("/control/operations/verify.identity.pan").json();
    let person = &people["people"][0];
    let name = person["name"].as_str().expect("a name");
    let pan = person["set"]["pan"].as_str().expect("a PAN");
    let page = ruled.get(&format!("/try/verify.identity.pan?with={name}"));
    shows(&page, &[&format!("value=\"{pan}\"")]);
    let form = format!("account=local&environment=test&field.pan={pan}&field.name=Nobody");
    let made = ruled.raw("POST", "/try/verify.identity.pan", FORM, &form);
    shows(
        &made,
        &["Answer: 200", "verificationId", "Bearer svc_test_local"],
    );
    assert_eq!(
        ruled.get("/control/calls?account=local").json()["calls"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let wrong = ruled.raw(
        "POST",
        "/try/verify.identity.pan",
        FORM,
        "account=local&environment=test&field.pan=x",
    );
    shows(&wrong, &["SVC_INVALID_IDENTIFIER"]);
}

#[test]
fn a_consent_is_given_in_the_inbox_and_hostile_texts_are_texts() {
    let ruled = Ruled::new();
    let body = json!({
        "redirectUrl": "https://app.example/return",
        "requestedDocs": ["<script>alert(1)</script>", "PA\u{202e}N"],
    });
    let start = "/v1/verify/document/digilocker/start";
    let asked = ruled
        .call("svc_test_local", start, &body.to_string())
        .json();
    let id = asked["verificationId"].as_str().expect("it is pending");
    let inbox = ruled.get("/consents?account=local");
    shows(&inbox, &[id, "&lt;script&gt;alert(1)", "PA\\u{202e}N"]);
    assert!(!inbox.body.contains("<script>"));
    let page = submit(
        &ruled,
        "/consents",
        &format!("id={id}&account=local&decision=allow"),
    );
    shows(&page, &["is completed", "Nobody is asked anything."]);
}

#[test]
fn a_stranger_is_walked_from_to_her_company() {
    let ruled = Ruled::new();
    let subject = ruled.get("/control/world?identifier=ABCPK1234D").json();
    let page = ruled.get("/world?identifier=ABCPK1234D");
    let links = subject["links"].as_array().expect("a list").iter();
    let mut employers = links.filter(|it| it["relation"] == "employer");
    let employer = employers.next().expect("an employer");
    let (identifier, field) = (employer["identifier"].as_str(), employer["field"].as_str());
    let to = format!(
        "/world?identifier={}&amp;kind={}",
        identifier.expect("an identifier"),
        field.expect("a field")
    );
    shows(&page, &[&to, subject["name"].as_str().expect("a name")]);
    let company = ruled.get(&to.replace("&amp;", "&"));
    shows(
        &company,
        &[employer["name"].as_str().expect("a name"), "director"],
    );
}

#[test]
fn pages_of_other_sites_change_nothing_by_a_form() {
    let ruled = Ruled::new();
    for header in [
        "Origin: http://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        let headers = format!("{FORM}{header}");
        let answer = ruled.raw("POST", "/accounts/local", &headers, "action=topUp&amount=5");
        assert_eq!(answer.status, 403, "{header}");
    }
    let followed = ruled.raw(
        "GET",
        "/accounts",
        &format!("{LOCAL}Sec-Fetch-Site: cross-site\r\n"),
        "",
    );
    assert_eq!(followed.status, 200, "a link may lead here");
}
