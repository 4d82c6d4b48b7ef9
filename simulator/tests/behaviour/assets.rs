//! What the test assets lead to, whatever host they are named on.

use crate::scene::Scene;

const LIVENESS: &str = "/v1/verify/identity/face-liveness";
const MATCH: &str = "/v1/verify/identity/face-match";
const FORGERY: &str = "/v1/verify/document/forgery";
const KYC_OCR: &str = "/v1/verify/document/kyc-ocr";

fn here(file: &str) -> String {
    format!("http://127.0.0.1:8801/test-assets/{file}")
}

fn elsewhere(file: &str) -> String {
    format!("https://cdn.example/copies/{file}?size=2")
}

#[test]
fn a_selfie_is_live_a_picture_of_a_screen_is_not_and_two_faces_are_seen() {
    let scene = Scene::new();
    for (file, live, several, review) in [
        ("selfie.png", "true", "false", "false"),
        ("other-person.png", "true", "false", "false"),
        ("spoof.jpg", "false", "false", "false"),
        ("two-faces.png", "true", "true", "true"),
    ] {
        for url in [here(file), elsewhere(file)] {
            let body = format!(r#"{{"imageUrl": "{url}"}}"#);
            let answer = scene.post(LIVENESS, &body).send();
            assert_eq!(answer.at("data.isLive"), live, "{url}");
            assert_eq!(answer.at("data.multipleFacesDetected"), several, "{url}");
            assert_eq!(answer.at("data.reviewNeeded"), review, "{url}");
            let score: f64 = answer.at("data.livenessScore").parse().unwrap();
            assert_eq!(score > 0.5, live == "true", "{url}");
        }
    }
}

#[test]
fn where_no_face_and_no_document_is_nothing_is_found() {
    let scene = Scene::new();
    let url = here("no-face.jpg");
    for (path, field) in [
        (LIVENESS, "imageUrl"),
        (KYC_OCR, "url"),
        ("/v1/verify/document/cheque-ocr", "url"),
    ] {
        let body = format!(r#"{{"{field}": "{url}"}}"#);
        assert_eq!(scene.post(path, &body).outcome(), "422 SVC_NO_RECORD_FOUND");
    }
    let lists = [
        ("document/kyc-ocr-s", "urls"),
        ("document/forgery", "imageUrls"),
    ];
    for (path, field) in lists {
        let (path, body) = (
            format!("/v1/verify/{path}"),
            format!(r#"{{"{field}": ["{url}"]}}"#),
        );
        assert_eq!(
            scene.post(&path, &body).outcome(),
            "422 SVC_NO_RECORD_FOUND"
        );
    }
    let pair = faces("selfie.png", "no-face.jpg");
    assert_eq!(
        scene.post(MATCH, &pair).outcome(),
        "422 SVC_NO_RECORD_FOUND"
    );
}

fn faces(one: &str, two: &str) -> String {
    format!(
        r#"{{"imageUrl1": "{}", "imageUrl2": "{}", "includeFaceCount": true}}"#,
        here(one),
        elsewhere(two)
    )
}

#[test]
fn faces_match_where_they_are_of_one_person() {
    let scene = Scene::new();
    for (one, two, same, review, counts) in [
        ("selfie.png", "selfie.png", "true", "false", ["1", "1"]),
        ("selfie.png", "pan-card.png", "true", "false", ["1", "1"]),
        (
            "aadhaar-card.png",
            "selfie.png",
            "true",
            "false",
            ["1", "1"],
        ),
        (
            "selfie.png",
            "other-person.png",
            "false",
            "false",
            ["1", "1"],
        ),
        (
            "other-person.png",
            "pan-card.png",
            "false",
            "false",
            ["1", "1"],
        ),
        (
            "other-person.png",
            "other-person.png",
            "true",
            "false",
            ["1", "1"],
        ),
        ("selfie.png", "spoof.jpg", "false", "true", ["1", "1"]),
        ("spoof.jpg", "pan-card.png", "false", "true", ["1", "1"]),
        ("two-faces.png", "selfie.png", "true", "true", ["2", "1"]),
        ("selfie.png", "two-faces.png", "true", "true", ["1", "2"]),
    ] {
        let body = faces(one, two);
        let answer = scene.post(MATCH, &body).send();
        assert_eq!(answer.at("data.match"), same, "{body}");
        assert_eq!(answer.at("data.reviewNeeded"), review, "{body}");
        let counted = ["data.faceCount1", "data.faceCount2"].map(|it| answer.at(it));
        assert_eq!(counted, counts, "{body}");
        let score: f64 = answer.at("data.matchScore").parse().unwrap();
        assert_eq!(score > 0.5, same == "true", "{body}");
    }
}

#[test]
fn each_image_is_judged_by_itself_against_the_threshold() {
    let scene = Scene::new();
    let body = |threshold: u8| {
        let urls = [here("pan-card.png"), elsewhere("forged-document.png")];
        format!(
            r#"{{"imageUrls": ["{}", "{}"], "threshold": {threshold}}}"#,
            urls[0], urls[1]
        )
    };
    let statuses = |threshold| {
        let body = body(threshold);
        let answer = scene.post(FORGERY, &body).send();
        ["0", "1"].map(|at| answer.at(&format!("data.imageResults.{at}.summary.status")))
    };
    assert_eq!(statuses(20), ["Not Forged", "Forged"]);
    assert_eq!(statuses(90), ["Not Forged", "Not Forged"]);
    let body = body(20);
    let answer = scene.post(FORGERY, &body).send();
    assert_eq!(
        answer.at("data.imageResults.1.summary.spliceDetection"),
        "Yes"
    );
}

#[test]
fn a_card_is_read_as_what_it_is() {
    let scene = Scene::new();
    for (file, kind, pan, father) in [
        ("pan-card.png", "PAN", "AAAAA0000A", "MOHAN RAO"),
        ("aadhaar-card.png", "AADHAAR", "", ""),
    ] {
        let body = format!(r#"{{"url": "{}", "docTypes": ["DL"]}}"#, here(file));
        let answer = scene.post(KYC_OCR, &body).send();
        assert_eq!(answer.at("data.documentType"), kind);
        let data = answer.json();
        let read = |name: &str| data.get("data").and_then(|it| it.get(name)).cloned();
        assert_eq!(read("ocrData.name"), Some("ASHA RAO".into()));
        assert_eq!(read("ocrData.pan"), Some(pan.into()));
        assert_eq!(read("ocrData.father"), Some(father.into()));
        let body = format!(r#"{{"urls": ["{}"]}}"#, elsewhere(file));
        let several = scene.post("/v1/verify/document/kyc-ocr-s", &body).send();
        assert_eq!(several.at("data.docType"), kind);
    }
}

#[test]
fn an_aadhaar_card_comes_back_masked_and_the_mask_is_an_asset() {
    let scene = Scene::new();
    for (digits, file) in [
        ("EIGHT_DIGITS", "masked-eight-digits.png"),
        ("TWELVE_DIGITS", "masked-twelve-digits.png"),
    ] {
        let card = here("aadhaar-card.png");
        let body = format!(r#"{{"url": "{card}", "maskAadhaarImage": "{digits}"}}"#);
        let answer = scene.post(KYC_OCR, &body).send();
        assert_eq!(answer.at("data.maskedImage"), here(file));
        assert!(svc_fixtures::embedded::test_asset(file).is_some());
    }
}

#[test]
fn a_cheque_is_read() {
    let scene = Scene::new();
    let body = format!(r#"{{"url": "{}"}}"#, elsewhere("cheque.png"));
    let answer = scene.post("/v1/verify/document/cheque-ocr", &body).send();
    for (member, value) in [
        ("name", "ASHA RAO"),
        ("accNo", "100000000001"),
        ("ifsc", "TEST0000001"),
    ] {
        assert_eq!(answer.at(&format!("data.{member}")), value);
    }
}

/// Every file a scenario names is there, so that nobody calls with an image that cannot be fetched.
#[test]
fn the_scenarios_name_images_that_exist() {
    let scenarios = include_str!("../../../scenarios/images.toml");
    let names = scenarios
        .split(['"', '/'])
        .filter(|it| it.ends_with(".png") || it.ends_with(".jpg"));
    let mut count = 0;
    for name in names {
        assert!(svc_fixtures::embedded::test_asset(name).is_some(), "{name}");
        count += 1;
    }
    assert!(count > 5);
}
