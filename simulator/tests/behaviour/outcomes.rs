//! Rules carry their outcomes: the same rule with another name gives the same outcome for that name, and
//! what contradicts each other in an answer does not, whichever of them a rule says.

use svc_fixtures::json::Json;
use svc_simulator::engine::call::request::Environment;

use crate::scene::{Answer, Scene};

/// A built-in rule file with other texts in it.
fn copied(text: &str, others: &[(&str, &str)]) -> String {
    others.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

const RISK: &str = include_str!("../../../scenarios/risk.toml");
const IMAGES: &str = include_str!("../../../scenarios/images.toml");
const UNIVERSAL: &str = include_str!("../../../scenarios/universal.toml");

fn call(scene: &Scene, operation: &str, body: &str) -> Answer {
    let path = format!("/v1/{}", operation.replace('.', "/"));
    scene.post(&path, body).send()
}

/// These members of `data`.
fn data(answer: &Answer, paths: &str) -> String {
    let values = paths
        .split(' ')
        .map(|path| answer.at(&format!("data.{path}")));
    values.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_copied_rule_puts_another_person_on_the_lists() {
    let scene = Scene::with(&copied(RISK, &[("SANCTIONED PERSON", "RAVI OF THE LISTS")]));
    let ask = |more: &str| {
        let body = format!(r#"{{"name":"Ravi of  the lists"{more}}}"#);
        call(&scene, "screen.negative-diligence", &body)
    };
    let all = ask("");
    let summary = "clean matchCount categoriesHit matches.2.category";
    assert_eq!(
        data(&all, summary),
        r#"false 3 ["SANCTIONS","PEP","ADVERSE_MEDIA"] ADVERSE_MEDIA"#
    );
    let one = ask(r#","includeCategories":["ADVERSE_MEDIA","REGULATORY"]"#);
    assert_eq!(data(&one, summary), r#"false 1 ["ADVERSE_MEDIA"] "#);
    assert_eq!(data(&one, "matches.0"), data(&all, "matches.2"));
    let none = ask(r#","includeCategories":["REGULATORY"]"#);
    assert_eq!(
        data(&none, "clean matchCount categoriesHit matches"),
        "true 0 [] "
    );
}

#[test]
fn a_copied_rule_brings_another_person_before_the_courts() {
    let scene = Scene::with(&copied(RISK, &[("RECORDS PERSON", "RAVI OF THE COURTS")]));
    let ask = |more: &str| {
        let body = format!(r#"{{"name":"RAVI OF THE COURTS"{more}}}"#);
        call(&scene, "screen.court-records", &body)
    };
    let summary = "verdict cases_total dob_filtered min_filing_year tier_counts";
    let all = ask("");
    assert_eq!(
        data(&all, summary),
        r#"RECORDS_FOUND 4 0 0 {"high":1,"medium":1,"low":2}"#
    );
    assert_eq!(
        data(&all, "cases.2.summary"),
        "CHEATING case against RAVI OF THE COURTS"
    );
    let later = ask(r#","dob":"2000-01-01""#);
    assert_eq!(
        data(&later, summary),
        r#"RECORDS_FOUND 2 2 2014 {"high":1,"medium":0,"low":1}"#
    );
    assert_eq!(data(&later, "cases.0"), data(&all, "cases.2"));
}

#[test]
fn a_copied_rule_forges_another_image_among_several() {
    let scene = Scene::with(&copied(IMAGES, &[("/forged-document.png", "/deed.png")]));
    let ask = |threshold: u32| {
        let body = format!(
            r#"{{"imageUrls":["https://a.example/x.png","https://b.example/deed.png"],"threshold":{threshold}}}"#
        );
        let answer = call(&scene, "verify.document.forgery", &body);
        data(
            &answer,
            "imageResults.0.summary.status imageResults.1.summary.status",
        )
    };
    assert_eq!(ask(20), "Not Forged Forged");
    assert_eq!(ask(87), "Not Forged Not Forged");
}

#[test]
fn a_copied_rule_finds_two_faces_in_another_image() {
    let scene = Scene::with(&copied(IMAGES, &[("two-faces.png", "couple.png")]));
    let ask = |first: &str, second: &str, more: &str| {
        let body = format!(
            r#"{{"imageUrl1":"https://a.example/{first}","imageUrl2":"https://a.example/{second}"{more}}}"#
        );
        let answer = call(&scene, "verify.identity.face-match", &body);
        data(&answer, "match faceCount1 faceCount2")
    };
    let counted = r#","includeFaceCount":true"#;
    assert_eq!(ask("couple.png", "a.png", counted), "true 2 1");
    assert_eq!(ask("a.png", "couple.png", counted), "true 1 2");
    assert_eq!(ask("couple.png", "couple.png", counted), "true 2 2");
    assert_eq!(ask("other-person.png", "couple.png", counted), "false 1 2");
    assert_eq!(ask("couple.png", "a.png", ""), "true  ");
}

#[test]
fn a_copied_rule_makes_another_text_unavailable_before_formats_are_asked() {
    let scene = Scene::with(&copied(UNIVERSAL, &[("ZZZZZ0000Z", "DOWN-TODAY")]));
    let pan = call(&scene, "verify.identity.pan", r#"{"pan":"x DOWN-TODAY"}"#);
    assert_eq!(pan.outcome(), "503 SVC_SOURCE_UNAVAILABLE");
    let pan = call(&scene, "verify.identity.pan", r#"{"pan":"x UP-TODAY"}"#);
    assert_eq!(pan.outcome(), "400 SVC_INVALID_IDENTIFIER");
    let built_in = call(&scene, "verify.identity.pan", r#"{"pan":"x ZZZZZ0000Z"}"#);
    assert_eq!(built_in.outcome(), "503 SVC_SOURCE_UNAVAILABLE");
}

/// Of a rule that says only the first, the rest follows.
const FOLLOWS: [(&str, &str, &str, &str, &str); 19] = [
    (
        "verify.identity.face-match",
        "match = false",
        "",
        "match",
        "false",
    ),
    (
        "verify.identity.face-match",
        "matchScore = 0.1",
        "",
        "match",
        "false",
    ),
    (
        "verify.identity.face-liveness",
        "livenessScore = 0.2",
        "",
        "isLive",
        "false",
    ),
    (
        "verify.financial.credit-report",
        "score = 400",
        "",
        "scoreBand",
        "POOR",
    ),
    (
        "verify.financial.credit-report",
        "scoreBand = \"FAIR\"",
        "",
        "scoreBand",
        "FAIR",
    ),
    (
        "verify.financial.bank-dynamic.send",
        "active = false",
        "",
        "reason amountSent auditTrail.value",
        "ACCOUNT_INVALID 0 INR 0.00",
    ),
    (
        "verify.financial.bank-dynamic.send",
        "reason = \"ACCOUNT_CLOSED\"",
        "",
        "active amountSent",
        "false 0",
    ),
    (
        "verify.financial.bank-hybrid",
        "reason = \"ACCOUNT_INVALID\"",
        "",
        "active bankRRN",
        "no ",
    ),
    (
        "verify.financial.bank-account-v1",
        "acValidationStatus = \"ACCOUNT_INVALID\"",
        "",
        "message utr",
        "Account is not valid ",
    ),
    (
        "screen.negative-diligence",
        "clean = false",
        "",
        "matchCount categoriesHit",
        "1 [\"ADVERSE_MEDIA\"]",
    ),
    (
        "screen.negative-diligence",
        "matchCount = 2",
        "",
        "clean matchCount",
        "false 2",
    ),
    (
        "screen.negative-diligence",
        "\"matches[0]\" = { category = \"PEP\" }",
        "",
        "clean matchCount categoriesHit",
        "false 1 [\"PEP\"]",
    ),
    (
        "screen.court-records",
        "verdict = \"RECORDS_FOUND\"",
        "",
        "cases_total",
        "1",
    ),
    (
        "screen.court-records",
        "cases_total = 3",
        "",
        "verdict cases_total",
        "RECORDS_FOUND 3",
    ),
    (
        "screen.mobile-silent",
        "isPorted = true",
        r#","includeAdditional":true"#,
        "isPorted",
        "true",
    ),
    (
        "screen.email-fraud",
        "riskLevel = \"HIGH\"",
        "",
        "riskLevel",
        "HIGH",
    ),
    (
        "verify.contact.email",
        "result = \"undeliverable\"",
        "",
        "deliverable smtp_check mx_records",
        "false false false",
    ),
    (
        "verify.utility.vehicle-rc",
        "status = \"EXPIRED\"",
        "",
        "status",
        "EXPIRED",
    ),
    (
        "verify.company.gst",
        "status = \"CANCELLED\"",
        "",
        "isValid",
        "false",
    ),
];

#[test]
fn what_follows_from_one_member_follows_from_a_changed_one() {
    let contract = svc_fixtures::contract::Contract::built_in();
    for (operation, said, more, paths, wanted) in FOLLOWS {
        let scene = Scene::with(&format!(
            "[[scenario]]\nname = \"it\"\noperation = \"{operation}\"\nthen = {{ success = {{ {said} }} }}\n"
        ));
        let row = contract.operation(operation).expect("an operation");
        let sample =
            svc_fixtures::sample::body(&contract, row, svc_fixtures::sample::Extent::Required);
        let body = sample.to_string();
        let body = format!("{}{more}}}", body.trim_end_matches('}'));
        let body = match more {
            "" => sample.to_string(),
            _ => body,
        };
        let answer = call(&scene, operation, &body);
        assert_eq!(data(&answer, paths), wanted, "{operation} {said}: {answer}");
        let json = answer.json();
        let data = json.get("data").cloned().unwrap_or(Json::Null);
        assert!(
            row.response.mistakes(&data).is_empty(),
            "{operation} {said}"
        );
    }
}

#[test]
fn a_score_is_on_the_side_that_is_said() {
    for (operation, said, score, limit) in [
        (
            "verify.identity.face-match",
            "match = false",
            "matchScore",
            0.8,
        ),
        (
            "verify.identity.face-liveness",
            "isLive = false",
            "livenessScore",
            0.5,
        ),
    ] {
        let scene = Scene::with(&format!(
            "[[scenario]]\nname = \"it\"\noperation = \"{operation}\"\nthen = {{ success = {{ {said} }} }}\n"
        ));
        let body = r#"{"imageUrl":"https://a.example/1","imageUrl1":"https://a.example/1","imageUrl2":"https://a.example/2"}"#;
        let answer = call(&scene, operation, body);
        let score: f64 = data(&answer, score).parse().expect("a number");
        assert!(score < limit, "{operation} {score}");
    }
}

#[test]
fn who_is_declared_is_on_lists_and_before_courts_by_name() {
    let scene = Scene::with(
        r#"
        [person.ravi]
        name = "RAVI MALHOTRA"
        pan = "BCDPM1234K"
        listed_as = ["PEP", "REGULATORY"]
        court_cases = [{ filingDate = "2019-05-06", tier = "high" }, { filingDate = "2001-02-03" }]
        "#,
    );
    let listed = call(
        &scene,
        "screen.negative-diligence",
        r#"{"name":"Ravi Malhotra"}"#,
    );
    assert_eq!(
        data(&listed, "matchCount categoriesHit"),
        r#"2 ["PEP","REGULATORY"]"#
    );
    let cases = call(
        &scene,
        "screen.court-records",
        r#"{"name":"Ravi Malhotra","dob":"01-01-1995"}"#,
    );
    assert_eq!(
        data(&cases, "verdict cases_total dob_filtered cases.0.tier"),
        "RECORDS_FOUND 1 1 high"
    );
}

#[test]
fn who_is_declared_is_linked_both_ways() {
    let scene = Scene::with(
        r#"
        [person.meera]
        name = "MEERA NAIR"
        din = "00998877"
        pan = "BNZPN2501F"
        mobile = "9876500001"
        uan = "100987650001"
        company = "acme"
        vehicle = "car"

        [person.ravi]
        name = "RAVI MENON"
        din = "00998878"

        [company.acme]
        name = "ACME SPINNING PRIVATE LIMITED"
        cin = "U17110KL2012PTC000321"

        [company.other]
        name = "OTHER SPINNING PRIVATE LIMITED"
        cin = "U17110KL2013PTC000322"
        directors = ["00998878", "00998877"]

        [vehicle.car]
        rcNumber = "KL07CD4321"
        "#,
    );
    let signatories = |cin: &str| {
        let body = format!(r#"{{"cin":"{cin}"}}"#);
        call(&scene, "verify.company.mca.signatories", &body)
    };
    let director = |din: &str| {
        call(
            &scene,
            "verify.company.roc.director",
            &format!(r#"{{"din":"{din}"}}"#),
        )
    };
    let acme = signatories("U17110KL2012PTC000321");
    assert_eq!(data(&acme, "directors.0.name directors.1"), "MEERA NAIR ");
    let other = signatories("U17110KL2013PTC000322");
    assert_eq!(
        data(&other, "directors.0.name directors.1.name"),
        "RAVI MENON MEERA NAIR"
    );
    assert_eq!(
        data(
            &director("00998877"),
            "companies.0.companyName companies.1.companyName"
        ),
        "ACME SPINNING PRIVATE LIMITED OTHER SPINNING PRIVATE LIMITED"
    );
    assert_eq!(
        data(
            &director("00998878"),
            "companies.0.companyName noOfCompanies"
        ),
        "OTHER SPINNING PRIVATE LIMITED 1"
    );
    let car = call(
        &scene,
        "verify.utility.vehicle-rc",
        r#"{"rcNumber":"KL07CD4321"}"#,
    );
    assert_eq!(data(&car, "ownerName"), "MEERA NAIR");
}

#[test]
fn what_is_handed_out_of_somebody_declared_leads_back_and_the_call_log_says_so() {
    let scene = Scene::with("[person.meera]\nname = \"MEERA NAIR\"\nmobile = \"9876500001\"\n");
    let found = call(
        &scene,
        "verify.employment.uan-lookup",
        r#"{"mobile":"9876500001"}"#,
    );
    let body = format!(r#"{{"uan":"{}"}}"#, found.at("data.uanList.0"));
    let history = call(&scene, "verify.employment.uan", &body);
    assert_eq!(data(&history, "memberName"), "MEERA NAIR");
    let because = scene.environment("local", Environment::Test, |state| {
        let log = state.verifications.log();
        log.last().map(|(call, _)| call.because.to_string())
    });
    let because = because.unwrap_or_default();
    assert!(because.contains("person \"meera\" ("), "{because}");
}

#[test]
fn what_is_said_otherwise_is_for_inputs_that_no_other_rule_names() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "everybody else"
        operation = "verify.identity.pan"
        otherwise = true
        then = { success = { panStatus = "Active" } }

        [[scenario]]
        name = "one of them"
        operation = "verify.identity.pan"
        when = { pan = "BNZPN2501F" }
        then = { success = { panStatus = "INOPERATIVE" } }
        "#,
    );
    let ask = |pan: &str| {
        let answer = call(
            &scene,
            "verify.identity.pan",
            &format!(r#"{{"pan":"{pan}"}}"#),
        );
        (answer.outcome(), data(&answer, "panStatus"))
    };
    let is = |outcome: &str, status: &str| (outcome.to_owned(), status.to_owned());
    assert_eq!(ask("BQZPK2501F"), is("200 completed", "Active"));
    assert_eq!(ask("BNZPN2501F"), is("200 completed", "INOPERATIVE"));
    assert_eq!(ask("AAAAA0422A").0, "422 SVC_NO_RECORD_FOUND");
    assert_eq!(ask("AAAAA9999A").0, "422 SVC_NO_RECORD_FOUND");
}
