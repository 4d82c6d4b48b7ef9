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
