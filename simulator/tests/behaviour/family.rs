//! People who are declared with identifiers, an address they share, a date of birth and images: what follows
//! from each of these for the answers.

use svc_fixtures::json::Json;

use crate::scene::Scene;

/// A family and their employer, who say no more of each other than people do.
const FAMILY: &str = r#"
[person.leela]
name = "LEELA MENON"
date_of_birth = "1988-05-06"
address = "7, BEACH ROAD, GREEN PARK, KOCHI, KERALA 682011"
mobile = "9876500101"
uan = "100987650101"
dlNumber = "KL0720120004511"
imageUrls = "https://files.example/leela/slip.png"
jobs = ["CURRENT"]
company = "mill"

[person.hari]
name = "HARI MENON"
address = "7, BEACH ROAD, GREEN PARK, KOCHI, KERALA 682011"
mobile = "9876500102"

[company.mill]
name = "MALABAR MILLS PRIVATE LIMITED"
gstin = "32AAMCM4521K1ZU"
establishmentId = "KLKCH0004521000"

[[scenario]]
name = "the slip of one of them is forged"
operation = "verify.document.forgery"
when = { who = "leela" }
then = { success = { "imageResults[matched].summary.spliceDetectionScore" = 77 } }

[[scenario]]
name = "a date of birth that a rule names"
operation = "verify.identity.dl"
when = { who = "leela", dateOfBirth = "01/01/1999" }
then = { success = { status = "SUSPENDED" } }
"#;

#[test]
fn an_identifier_that_is_declared_is_known_of_its_holder() {
    let scene = Scene::with(FAMILY);
    let history = scene.post("/v1/verify/employment/uan", r#"{"uan":"100987650101"}"#);
    let history = history.send();
    let job = |member: &str| history.at(&format!("data.employmentHistory.0.{member}"));
    assert_eq!(job("establishmentId"), "KLKCH0004521000");
    assert_eq!(job("establishmentName"), "MALABAR MILLS PRIVATE LIMITED");
    assert_eq!(history.at("data.employmentHistory.1"), "");
    let pan = scene.pan(r#"{"pan":"AAMCM4521K"}"#).send();
    assert_eq!(pan.at("data.nameOnPan"), "MALABAR MILLS PRIVATE LIMITED");
}

#[test]
fn who_is_known_has_one_date_of_birth_unless_a_rule_names_another() {
    let scene = Scene::with(FAMILY);
    let licence = |number: &str, born: &str| {
        let body = format!(r#"{{"dlNumber":"{number}","dateOfBirth":"{born}"}}"#);
        scene.post("/v1/verify/identity/dl", &body).send()
    };
    let outcomes = [
        licence("KL0720120004511", "06/05/1988").outcome(),
        licence("KL0720120004511", "07/05/1988").outcome(),
        licence("KL0720120004511", "01/01/1999").at("data.status"),
        licence("KL0720120004599", "07/05/1988").outcome(),
        licence("KA0120100000001", "15/08/1990").outcome(),
        licence("KA0120100000001", "16/08/1990").outcome(),
    ];
    let no_record = "422 SVC_NO_RECORD_FOUND";
    let completed = "200 completed";
    let expected = [
        completed,
        no_record,
        "SUSPENDED",
        completed,
        completed,
        no_record,
    ];
    assert_eq!(outcomes, expected);
    let why = licence("KL0720120004511", "07/05/1988").at("error.message");
    assert_eq!(why, "There is no licence of this number and date of birth.");
}

#[test]
fn an_image_is_its_owners_whatever_its_host_and_wherever_it_stands() {
    let scene = Scene::with(FAMILY);
    let body = r#"{"imageUrls":["https://files.example/other.png","http://cdn.example/leela/slip.png?v=2"],
        "textFields":{"name":"Leela Menon"}}"#;
    let answer = scene.post("/v1/verify/document/forgery", body).send();
    let of =
        |at: usize, member: &str| answer.at(&format!("data.imageResults.{at}.summary.{member}"));
    let said = [0, 1].map(|at| [of(at, "status"), of(at, "textmatch")]);
    assert_eq!(said, [["Not Forged", "No"], ["Forged", "Yes"]]);
    let card = r#"{"url":"https://elsewhere.example/leela/slip.png"}"#;
    let card = scene.post("/v1/verify/document/kyc-ocr", card).send();
    let json = card.json();
    let read = json.get("data").and_then(|data| data.get("ocrData.name"));
    assert_eq!(read.and_then(Json::as_text), Some("LEELA MENON"));
}

#[test]
fn what_follows_from_a_change_at_one_place_follows_there_alone() {
    let rule = |name: &str, path: &str, then: &str| {
        format!(
            "[[scenario]]\nname = \"{name}\"\noperation = \"verify.document.forgery\"\nwhen = {{ imageUrls = \"https://x.example/{path}\" }}\nthen = {{ {then} }}\n"
        )
    };
    let scene = Scene::with(&[
        rule("a score", "a.png", "success = { \"imageResults[0].summary.spliceDetectionScore\" = 87 }"),
        rule("a status", "b.png", "success = { \"imageResults[1].summary.status\" = \"Forged\" }"),
        rule("one more", "c.png", "success = { \"imageResults[1].summary.spliceDetectionScore\" = 87 }, length = { imageResults = 1 }"),
        rule("exactly", "d.png", "success = { \"imageResults[0].summary.spliceDetectionScore\" = 87 }, breaks_contract = true"),
    ].concat());
    let told = |paths: &[&str]| {
        let urls = paths
            .iter()
            .map(|path| format!("\"https://x.example/{path}\""));
        let urls = urls.collect::<Vec<_>>().join(",");
        let body = format!("{{\"imageUrls\":[{urls}],\"entityId\":\"x\"}}");
        let answer = scene.post("/v1/verify/document/forgery", &body).send();
        let told = |at: usize| {
            let of = |name: &str| answer.at(&format!("data.imageResults.{at}.summary.{name}"));
            format!(
                "{} {} {}\n",
                of("status"),
                of("spliceDetection"),
                of("reason")
            )
        };
        (0..3)
            .map(told)
            .filter(|it| it.trim() != "")
            .collect::<String>()
    };
    insta::assert_snapshot!(
        [told(&["a.png", "z.png"]), told(&["b.png", "z.png"]), told(&["c.png"]), told(&["d.png"])].join("--\n"),
        @r"
    Forged Yes A score exceeds the threshold
    Not Forged No No tampering found
    --
    Not Forged No No tampering found
    Forged Yes A score exceeds the threshold
    --
    Not Forged No No tampering found
    Forged Yes A score exceeds the threshold
    --
    Not Forged No No tampering found
    "
    );
}
