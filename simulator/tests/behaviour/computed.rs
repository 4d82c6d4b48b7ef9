//! Answers that depend on the request: what is computed, what is left out unless asked for.

use crate::scene::{Answer, Scene};

/// The answer of an operation, below `/v1/verify/`.
fn verify(scene: &Scene, operation: &str, body: &str) -> Answer {
    let path = format!("/v1/verify/{operation}");
    let answer = scene.post(&path, body).send();
    assert!(answer.0.status < 300, "{operation}: {answer}");
    answer
}

fn screen(scene: &Scene, operation: &str, body: &str) -> Answer {
    scene.post(&format!("/v1/screen/{operation}"), body).send()
}

/// The values at these paths of `data`, between spaces.
fn data(answer: &Answer, paths: &[&str]) -> String {
    let values = paths.iter().map(|path| answer.at(&format!("data.{path}")));
    values.collect::<Vec<_>>().join(" ")
}

#[test]
fn screening_heeds_the_categories_asked_for() {
    let scene = Scene::new();
    let summary = |body: &str| {
        let answer = screen(&scene, "negative-diligence", body);
        data(
            &answer,
            &["clean", "matchCount", "categoriesHit", "matches.0.category"],
        )
    };
    assert_eq!(summary(r#"{"name": "Clean  Person"}"#), "true 0 [] ");
    assert_eq!(
        summary(r#"{"name": "sanctioned person"}"#),
        r#"false 3 ["SANCTIONS","PEP","ADVERSE_MEDIA"] SANCTIONS"#
    );
    assert_eq!(
        summary(r#"{"name": "SANCTIONED PERSON", "includeCategories": ["REGULATORY", "PEP"]}"#),
        r#"false 1 ["PEP"] PEP"#
    );
}

#[test]
fn court_cases_before_the_fourteenth_birthday_are_dropped() {
    let scene = Scene::new();
    let summary = |body: &str| {
        let answer = screen(&scene, "court-records", body);
        let paths = [
            "verdict",
            "cases_total",
            "dob_filtered",
            "min_filing_year",
            "candidate.state",
        ];
        data(&answer, &paths)
    };
    assert_eq!(
        summary(r#"{"name": "Records Person"}"#),
        "RECORDS_FOUND 4 0 0 "
    );
    assert_eq!(
        summary(r#"{"name": "RECORDS PERSON", "dob": "01-01-2000", "state": "", "city": "Pune"}"#),
        "RECORDS_FOUND 2 2 2014 MH"
    );
    assert_eq!(
        summary(r#"{"name": "ASHA RAO", "dob": "15081990"}"#),
        "CLEAR 0 0 2004 "
    );
    let sentinel = screen(&scene, "court-records", r#"{"name": "x ZZZZZ x"}"#);
    assert_eq!(sentinel.outcome(), "503 SVC_SOURCE_UNAVAILABLE");
}

#[test]
fn what_is_absent_unless_asked_for_comes_when_asked_for() {
    let scene = Scene::new();
    let mobile = |more: &str| {
        screen(
            &scene,
            "mobile-silent",
            &format!(r#"{{"mobile": "9000000001"{more}}}"#),
        )
    };
    let ported = ["originalServiceProvider", "isPorted"];
    assert_eq!(data(&mobile(""), &ported), " ");
    assert_eq!(
        data(&mobile(r#", "includeAdditional": true"#), &ported),
        "INDUS CELLULAR false"
    );

    let faces = |more: &str| {
        let images = r#""imageUrl1": "https://a.example/1", "imageUrl2": "https://a.example/2""#;
        let answer = verify(
            &scene,
            "identity/face-match",
            &format!("{{{images}{more}}}"),
        );
        data(&answer, &["faceCount1", "faceCount2"])
    };
    assert_eq!(faces(""), " ");
    assert_eq!(faces(r#", "includeFaceCount": true"#), "1 1");

    let split = |more: &str| {
        let address = r#""address": "12, MG ROAD, PUNE 411001""#;
        let answer = verify(&scene, "address/split", &format!("{{{address}{more}}}"));
        data(&answer, &["Pin", "State"])
    };
    assert_eq!(split(""), "411001 ");
    assert_eq!(split(r#", "inferState": true"#), "411001 MAHARASHTRA");
}

#[test]
fn quality_checks_are_spread_over_members_and_a_scenario_replaces_them_all() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "blurred"
        operation = "verify.document.kyc-ocr"
        when = { url = { path_ends = "/blurred.png" } }
        then = { success = { "qualityChecks[0]" = "BLUR 0.12 FAIL" } }
        "#,
    );
    let ask = |file: &str, more: &str| {
        let body = format!(r#"{{"url": "https://a.example/x/{file}?v=1"{more}}}"#);
        let answer = verify(&scene, "document/kyc-ocr", &body);
        let json = answer.json();
        let members = json
            .get("data")
            .and_then(|data| data.as_object())
            .unwrap_or_default();
        let checks = members
            .iter()
            .filter(|(name, _)| name.starts_with("qualityChecks"));
        let shown = checks.map(|(name, value)| {
            let text = value.as_text().unwrap_or_default();
            format!("{name} {}", text.split(' ').next().unwrap_or_default())
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(ask("a.png", ""), "");
    assert_eq!(
        ask("a.png", r#", "returnQualityChecks": ["CUT_CARD"]"#),
        "qualityChecks[0] CUT_CARD"
    );
    assert_eq!(
        ask("a.png", r#", "returnQualityChecks": ["ALL"]"#),
        "qualityChecks[0] BRIGHTNESS, qualityChecks[1] BLUR, \
         qualityChecks[2] BLACK_AND_WHITE, qualityChecks[3] CUT_CARD"
    );
    let blurred = ask("blurred.png", r#", "returnQualityChecks": ["ALL"]"#);
    assert_eq!(blurred, "qualityChecks[0] BLUR");
}

#[test]
fn each_image_is_judged_by_the_threshold_asked_for() {
    let scene = Scene::new();
    let summary = |more: &str| {
        let urls = r#""imageUrls": ["https://a.example/1.png", "https://a.example/2.png"]"#;
        let answer = verify(&scene, "document/forgery", &format!("{{{urls}{more}}}"));
        let paths = [
            "imageResults.0.summary.status",
            "imageResults.1.imageUrl",
            "imageResults.1.summary.status",
            "imageResults.1.summary.textmatchScore",
        ];
        data(&answer, &paths)
    };
    assert_eq!(
        summary(""),
        "Not Forged https://a.example/2.png Not Forged 0"
    );
    assert_eq!(
        summary(r#", "threshold": 0, "textFields": {"name": "ASHA"}"#),
        "Forged https://a.example/2.png Forged 0"
    );
}

#[test]
fn texts_are_looked_for_in_what_the_document_says_of_its_owner() {
    let scene = Scene::new();
    let found = |fields: &str| {
        let body = format!(
            r#"{{"imageUrls": ["https://a.example/document.png"], "textFields": {fields}}}"#
        );
        let answer = verify(&scene, "document/forgery", &body);
        let summary = [
            "imageResults.0.summary.textmatch",
            "imageResults.0.summary.textmatchScore",
        ];
        data(&answer, &summary)
    };
    assert_eq!(
        found(r#"{"name": "Asha Rao", "dob": "15/08/1990"}"#),
        "Yes 100"
    );
    assert_eq!(found(r#"{"name": "Asha", "pan": "AAAAA0001A"}"#), "No 50");
    assert_eq!(found(r#"{"name": "VIKRAM SETH"}"#), "No 0");
    assert_eq!(found("{}"), "Not checked 0");
}

#[test]
fn a_mobile_matches_an_account_where_both_have_one_holder() {
    let scene = Scene::new();
    let matches = |account: &str, mobile: &str| {
        let body = format!(
            r#"{{"accountNumber": "{account}", "ifsc": "TEST0000001", "nameToVerify": "A", "mobile": "{mobile}"}}"#
        );
        verify(&scene, "financial/bank-hybrid", &body).at("data.mobileMatch")
    };
    assert_eq!(matches("100000000001", "9000000001"), "yes");
    assert_eq!(matches("100000000001", "9876543210"), "no");
    assert_eq!(matches("501000123456", "9000000001"), "no");
}

#[test]
fn an_image_comes_masked_as_the_listener_can_serve_it() {
    let scene = Scene::new();
    let path = "/v1/verify/document/kyc-ocr";
    let body = r#"{"url": "https://a.example/1.png", "docTypes": ["AADHAAR"]}"#;
    let [test, live] = [scene.post(path, body), scene.post(path, body).live()]
        .map(|asked| asked.send().at("data.maskedImage"));
    assert_eq!(
        test,
        "http://127.0.0.1:8801/test-assets/masked-eight-digits.png"
    );
    assert_eq!(
        live,
        "http://127.0.0.1:8802/test-assets/masked-eight-digits.png"
    );
    let inline = r#"{"url": "https://a.example/1.png", "responseType": "BASE64"}"#;
    let inline = scene.post(path, inline).send().at("data.maskedImage");
    assert!(inline.starts_with("data:image/png;base64,"), "{inline}");
}

#[test]
fn consent_is_asked_for_on_a_page_of_the_same_listener() {
    let scene = Scene::new();
    let path = "/v1/verify/document/digilocker/start";
    let body = r#"{"redirectUrl": "https://app.example/return"}"#;
    for (port, asked) in [
        (8801, scene.post(path, body)),
        (8802, scene.post(path, body).live()),
    ] {
        let answer = asked.send();
        let page = format!("http://127.0.0.1:{port}/consent/{}", answer.id());
        assert_eq!(
            (answer.outcome(), answer.at("data.consentUrl")),
            ("200 pending".into(), page)
        );
        assert_eq!(answer.at("endpoint"), "verify.document.digilocker");
        let other = scene.post(path, body).method("PUT").send();
        assert_eq!(other.at("endpoint"), "verify.document.digilocker");
    }
}

#[test]
fn a_claimed_name_is_compared_with_the_holders() {
    let scene = Scene::new();
    let account = r#""accountNumber": "100000000001", "ifsc": "TEST0000001""#;
    let hybrid = |more: &str| {
        let answer = verify(
            &scene,
            "financial/bank-hybrid",
            &format!("{{{account}{more}}}"),
        );
        data(&answer, &["nameMatch", "mobileMatch", "nameMatchScore"])
    };
    assert_eq!(
        hybrid(r#", "nameToVerify": "Asha  Rao""#),
        "yes not available 1.0"
    );
    let reordered = r#", "nameToVerify": "Rao Asha", "mobile": "9000000001""#;
    assert_eq!(hybrid(reordered), "yes yes 0.9");
    assert_eq!(
        hybrid(&format!(r#"{reordered}, "threshold": 0.95"#)),
        "no yes 0.9"
    );
    let v1 = |more: &str| {
        let answer = verify(
            &scene,
            "financial/bank-account-v1",
            &format!("{{{account}{more}}}"),
        );
        data(&answer, &["custName", "fuzzyLogicScore", "methodUsed"])
    };
    assert_eq!(v1(""), "ASHA RAO 100 PENNY_DROP");
    assert_eq!(
        v1(r#", "custName": "Rao Asha", "programId": "312""#),
        "Rao Asha 90 HYBRID"
    );
}

#[test]
fn a_closed_account_says_so_in_every_operation() {
    let scene = Scene::new();
    let summary = |operation: &str, path: &str| {
        let body =
            r#"{"accountNumber": "100000009999", "ifsc": "TEST0000001", "nameToVerify": "A"}"#;
        data(
            &verify(&scene, &format!("financial/{operation}"), body),
            &[path],
        )
    };
    assert_eq!(summary("bank-account", "accountActive"), "false");
    assert_eq!(summary("bank-dynamic/send", "reason"), "ACCOUNT_INVALID");
    assert_eq!(summary("bank-hybrid", "reason"), "ACCOUNT_INVALID");
    assert_eq!(
        summary("bank-account-v1", "message"),
        "Account is not valid"
    );
}

#[test]
fn histories_are_as_long_as_asked_for() {
    let scene = Scene::new();
    let months = |more: &str| {
        let body = format!(r#"{{"establishmentId": "KABNG0000000001"{more}}}"#);
        let answer = verify(&scene, "employment/epfo-establishment", &body);
        answer
            .at("data.contributionHistory")
            .matches("month")
            .count()
    };
    assert_eq!((months(""), months(r#", "months": 12"#)), (6, 12));
    let gst = verify(
        &scene,
        "company/gst-detailed",
        r#"{"gstin": "29BBBBB1234B1Z5"}"#,
    );
    assert_eq!(
        gst.at("data.returnsFilingHistory")
            .matches("GSTR3B")
            .count(),
        24
    );
    assert_eq!(
        data(&gst, &["pan", "stateJurisdiction"]).split(' ').next(),
        Some("BBBBB1234B")
    );
}

#[test]
fn a_name_finds_its_company_however_it_is_written() {
    let scene = Scene::new();
    let found = |name: &str| {
        let body = format!(r#"{{"companyName": "{name}"}}"#);
        data(&verify(&scene, "company/mca/search", &body), &["cins.0"])
    };
    assert_eq!(
        found("neelgiri  systems private Limited"),
        "U72200KA2010PTC000001"
    );
    // A part of the name is enough; another name is another company's.
    assert_eq!(found("neelgiri"), "U72200KA2010PTC000001");
    assert_ne!(found("Kaveri Foods"), "U72200KA2010PTC000001");
    assert_eq!(found("Kaveri Foods"), found("KAVERI  foods"));
}

#[test]
fn a_status_call_speaks_of_the_original_one() {
    let scene = Scene::new();
    let account = r#"{"accountNumber": "100000000077", "ifsc": "TEST0000001", "programId": "311"}"#;
    let path = "/v1/verify/financial/bank-account-v1";
    let first = scene.post(path, account).reference("order 7").send();
    let status = |id: &str, more: &str| {
        let body = format!(r#"{{"origRequestId": "{id}"{more}}}"#);
        scene.post(&format!("{path}/status"), &body).send()
    };
    let name = first.at("data.nameAtBank");
    for id in [first.id(), "order 7".to_owned()] {
        let answer = status(&id, r#", "programId": "311""#);
        assert_eq!(
            data(&answer, &["requestId", "methodUsed"]),
            format!("{id} PENNY_LESS")
        );
        assert_eq!(answer.at("data.nameAtBank"), name);
    }
    assert_eq!(
        status(&first.id(), r#", "programId": "310""#).outcome(),
        "400 SVC_INVALID_INPUT"
    );
    assert_eq!(status("svcv_nobody", "").outcome(), "404 SVC_NOT_FOUND");
}

#[test]
fn the_amount_that_was_sent_is_the_one_that_matches() {
    let scene = Scene::new();
    let account = r#"{"accountNumber": "100000000001", "ifsc": "TEST0000001"}"#;
    let sent = verify(&scene, "financial/bank-dynamic/send", account);
    let (id, amount) = (sent.at("data.referenceId"), sent.at("data.amountSent"));
    let matches = |amount: &str| {
        let body = format!(r#"{{"referenceId": "{id}", "amount": "{amount}"}}"#);
        verify(&scene, "financial/bank-dynamic/verify", &body).at("data.amountMatch")
    };
    assert_eq!(
        (matches(&amount), matches("9.99")),
        ("true".into(), "false".into())
    );
}

#[test]
fn a_silent_fetch_is_for_the_mobile_of_its_start_and_an_accepted_otp() {
    let scene = Scene::new();
    let start = verify(
        &scene,
        "identity/mobile-otp-s/start",
        r#"{"mobile": "9876543210"}"#,
    );
    let id = start.at("data.referenceId");
    let fetch = |mobile: &str, otp: &str| {
        let body = format!(r#"{{"mobile": "{mobile}", "referenceId": "{id}", "otp": "{otp}"}}"#);
        scene
            .post("/v1/verify/identity/mobile-otp-s/fetch", &body)
            .send()
    };
    assert_eq!(fetch("9876543210", "123456").outcome(), "200 completed");
    assert_eq!(
        fetch("9876543211", "123456").outcome(),
        "400 SVC_INVALID_INPUT"
    );
    assert_eq!(
        fetch("9000000001", "123456").outcome(),
        "400 SVC_INVALID_INPUT"
    );
    assert_eq!(
        fetch("9000000422", "123456").outcome(),
        "422 SVC_NO_RECORD_FOUND"
    );
    assert_eq!(
        fetch("ZZZZZ0000Z", "123456").outcome(),
        "503 SVC_SOURCE_UNAVAILABLE"
    );
    insta::assert_snapshot!(fetch("9876543210", "1111").at("error.message"), @r#"`otp` must be one of "000000", "123456""#);
    insta::assert_snapshot!(fetch("9876543210", "11111").at("error.message"), @"`otp` must be 4 or 6 digits");
}
