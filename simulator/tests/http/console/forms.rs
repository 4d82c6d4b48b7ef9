//! The form of an operation: lists and objects are typed field by field.

use serde_json::{Value, json};

use super::super::control::Ruled;
use super::{FORM, calls};

/// What was sent by a form, and the page that shows it.
fn tried(ruled: &Ruled, operation: &str, form: &str) -> (Value, String) {
    let form = format!("account=local&environment=test&{form}");
    let page = ruled.raw("POST", &format!("/try/{operation}"), FORM, &form);
    let call = &calls(ruled, "local")[0];
    let body = call["request"]["body"].as_str().expect("a body");
    let body = serde_json::from_str(body).expect("JSON");
    (body, page.body)
}

#[test]
fn the_sample_of_every_operation_stands_in_fields_and_is_sent_as_it_is() {
    let ruled = Ruled::new();
    let all = ruled.get("/control/operations").json();
    let rows = ["operations", "bundles"].map(|name| all[name].as_array().expect("a list").clone());
    for row in rows.iter().flatten() {
        let id = row["id"].as_str().expect("an id");
        let page = ruled.get(&format!("/try/{id}"));
        assert_eq!(page.status, 200, "{id}");
        // What no field can say would stand in the last one.
        assert!(
            page.body
                .contains("name=\"rest\" rows=\"3\" spellcheck=\"false\"></textarea>"),
            "{id}: {}",
            page.body
        );
    }
}

#[test]
fn an_object_is_typed_field_by_field() {
    let ruled = Ruled::new();
    let form = "field.pan=AAAAA0000A&field.consentArtifact.ip=203.0.113.7&field.consentArtifact.timestamp=2027-01-15T07%3A59%3A00Z";
    let (body, page) = tried(&ruled, "verify.financial.credit-report", form);
    let artifact = json!({ "ip": "203.0.113.7", "timestamp": "2027-01-15T07:59:00Z" });
    assert_eq!(
        body,
        json!({ "pan": "AAAAA0000A", "consentArtifact": artifact })
    );
    assert!(
        page.contains("name=\"field.consentArtifact.ip\" value=\"203.0.113.7\""),
        "{page}"
    );
}

#[test]
fn a_list_is_typed_line_by_line_or_ticked() {
    let ruled = Ruled::new();
    let form = "field.urls=https%3A%2F%2Fa.example%2F1.png%0D%0Ahttps%3A%2F%2Fa.example%2F2.png";
    let (body, _) = tried(&ruled, "verify.document.kyc-ocr-s", form);
    let urls = ["https://a.example/1.png", "https://a.example/2.png"];
    assert_eq!(body, json!({ "urls": urls }));
    let form = "field.includeCategories=PEP&field.includeCategories=SANCTIONS";
    let (body, page) = tried(&ruled, "screen.negative-diligence", form);
    assert_eq!(body, json!({ "includeCategories": ["PEP", "SANCTIONS"] }));
    assert!(
        page.contains("value=\"PEP\" checked>")
            && !page.contains("value=\"ADVERSE_MEDIA\" checked>"),
        "{page}"
    );
}

#[test]
fn an_address_fills_the_form_with_any_body() {
    let ruled = Ruled::new();
    let body = "%7B%22pan%22%3Anull%2C%22more%22%3A%5B1%5D%7D";
    let page = ruled
        .get(&format!(
            "/try/verify.identity.pan?account=local_x&environment=live&idempotencyKey=k&body={body}"
        ))
        .body;
    for part in [
        "value=\"local_x\"",
        "value=\"live\" selected",
        "name=\"idempotencyKey\" value=\"k\"",
        "&quot;pan&quot;: null",
        "&quot;more&quot;: [",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn other_members_that_are_no_json_are_told_and_left_as_they_were_typed() {
    let ruled = Ruled::new();
    let form = "account=local&environment=test&field.pan=AAAAA0000A&rest=%7B%22name%22%3A";
    let page = ruled.raw("POST", "/try/verify.identity.pan", FORM, form);
    assert_eq!(page.status, 400);
    assert!(
        page.body.contains("Other members, as JSON: EOF"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("{&quot;name&quot;:</textarea>"),
        "{}",
        page.body
    );
    assert!(calls(&ruled, "local").is_empty());
}

#[test]
fn a_receiver_that_is_refused_stays_in_its_form_and_one_that_is_registered_is_told() {
    let ruled = Ruled::new();
    let typed = |url: &str| {
        let form = format!("account=local&url={url}&secret=whsec_mine");
        ruled.raw("POST", "/webhooks/receiver", FORM, &form)
    };
    let page = typed("http%3A%2F%2F169.254.169.254%2Fx");
    assert_eq!(page.status, 400, "{}", page.body);
    for kept in ["value=\"http://169.254.169.254/x\"", "value=\"whsec_mine\""] {
        assert!(page.body.contains(kept), "{kept}: {}", page.body);
    }
    assert!(page.body.contains("Webhooks of local go nowhere yet."));
    typed("http%3A%2F%2F127.0.0.1%3A9%2Fw");
    for (path, said) in [
        (
            "/webhooks?account=local",
            "Those of local on test go to <code>http://127.0.0.1:9/w",
        ),
        (
            "/accounts/local",
            "its webhooks of live go to <code>http://127.0.0.1:9/w",
        ),
    ] {
        let page = ruled.get(path).body;
        assert!(page.contains(said), "{path}: {page}");
    }
}

#[test]
fn older_calls_are_a_page_further_or_an_accounts_own() {
    let ruled = Ruled::new();
    let form = "account=local&environment=test&field.pan=AAAAA0000A";
    for _ in 0..2 {
        ruled.raw("POST", "/try/verify.identity.pan", FORM, form);
    }
    for (path, link) in [
        (
            "/calls?limit=1",
            Some("href=\"/calls?limit=1&amp;account=local\">local"),
        ),
        ("/calls?account=local&limit=1", Some("&amp;before=svcv_")),
        ("/calls?account=local", None),
        ("/calls", None),
    ] {
        let page = ruled.get(path).body;
        let older = page.split("sse-swap=\"older\">").nth(1).expect("a place");
        let older = older.split("</p>").next().expect("its end");
        assert_eq!(
            link.is_some(),
            older.contains("Older calls"),
            "{path}: {older}"
        );
        assert!(older.contains(link.unwrap_or_default()), "{path}: {older}");
    }
}
