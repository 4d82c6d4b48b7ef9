//! Companies that are searched for by name: by a part of it, misspelt, or by a word of one's own.

use crate::scene::Scene;

const DECLARED: &str = r#"
[company.acme]
name = "ACME RANGOLI TEXTILES PRIVATE LIMITED"
cin = "U17110KL2012PTC000321"

[company.twin]
name = "ACME RANGOLI FOODS LLP"
"#;

/// What the look-up finds: a CIN and a name each, after the registry was asked for each of them.
fn found(scene: &Scene, name: &str) -> Vec<(String, String)> {
    let body = serde_json::json!({ "companyName": name }).to_string();
    let ask = |path: &str, body: &str| scene.post(path, body).send();
    let answer = ask("/v1/verify/company/mca/cin-lookup", &body);
    assert_eq!(answer.outcome(), "200 completed", "{name}");
    let search = ask("/v1/verify/company/mca/search", &body);
    let mut found = Vec::new();
    for at in 0.. {
        let value = |member: &str| answer.at(&format!("data.matches.{at}.{member}"));
        let cin = value("cin");
        assert_eq!(search.at(&format!("data.cins.{at}")), cin, "{name}");
        if cin.is_empty() {
            break;
        }
        let master = format!(r#"{{"cin":"{cin}"}}"#);
        let master = ask("/v1/verify/company/mca/master", &master);
        assert_eq!(master.at("data.companyName"), value("companyName"), "{cin}");
        found.push((cin, value("companyName")));
    }
    assert!((1..=8).contains(&found.len()), "{name}: {found:?}");
    found
}

fn names(scene: &Scene, name: &str) -> Vec<String> {
    let found = found(scene, name).into_iter();
    found.map(|(_, name)| name).collect()
}

#[test]
fn any_word_finds_companies_that_have_it_in_their_name() {
    for seed in ["", "other"] {
        let scene = Scene::seeded(seed);
        for word in ["TATA", "Acme", "sharma", "RELIANCE", "Wipro", "ABC", "NEEL"] {
            let found = names(&scene, word);
            let upper = word.to_uppercase();
            let has = |name: &String| name.split(' ').any(|part| part.starts_with(&upper));
            assert!(found.iter().all(has), "{word}: {found:?}");
            assert!(found.len() >= 2, "{word}: {found:?}");
        }
    }
}

#[test]
fn any_text_finds_somebody_and_the_same_again() {
    let (scene, again) = (Scene::new(), Scene::new());
    let words = [
        "TATA",
        "shree",
        "Balaji",
        "ENTERPRISES",
        "x",
        "3M",
        "&",
        "and",
        "Qwx",
        "Ltd",
        "Limited",
        "Foods Limited",
        "PRIVATE LIMITED",
        "LLP",
        "12",
        "TRUST",
        "HUF",
        "Mills",
        "textile",
        "ÄÖ",
        "राम",
        "(P)",
        "Lakshmi",
        "SYSTEM",
        "M/s",
    ];
    for (at, first) in words.iter().enumerate() {
        for step in [1, 5, 7] {
            let second = words[(at * step + 3) % words.len()];
            let text = format!("{first} {second} {}", words[(at + step) % words.len()]);
            assert_eq!(found(&scene, &text), found(&again, &text));
        }
    }
}

#[test]
fn a_word_that_no_company_has_finds_those_nearest_to_it() {
    let found = names(&Scene::new(), "ZORBLAX");
    assert!(found[0].starts_with("ZORBLA "), "{found:?}");
}

#[test]
fn the_sample_is_found_by_a_part_and_misspelt() {
    let scene = Scene::new();
    let whole = "NEELGIRI SYSTEMS PRIVATE LIMITED";
    assert_eq!(names(&scene, whole), [whole]);
    assert_eq!(names(&scene, "neelgiri systems pvt. ltd."), [whole]);
    for name in [
        "NEELGIRI",
        "Neelgiri Sys",
        "NEELGRI SYSTEMS PVT LTD",
        "Neelgiri Systmes",
        "neelgirri sistems private limited",
        "M/s. Neelgiri Systems (P) Ltd",
        "नीलगिरी सिस्टम्स",
        "Nilgiri Systems",
    ] {
        assert_eq!(names(&scene, name)[0], whole, "{name}");
    }
    // Others that the built-in files declare are called so, too.
    assert!(names(&scene, "SYSTEMS").contains(&whole.to_owned()));
}

#[test]
fn declared_companies_are_found_before_strangers() {
    let scene = Scene::with(DECLARED);
    let acme = "ACME RANGOLI TEXTILES PRIVATE LIMITED";
    for name in [
        "ACME",
        "Rangoli",
        "acme rangoli textile",
        "ACME RANGLI TEXTILES PVT LTD",
    ] {
        let found = names(&scene, name);
        assert_eq!(found[0], acme, "{name}: {found:?}");
    }
    assert!(names(&scene, "ACME").len() > 2);
    assert_eq!(names(&scene, "ACME")[1], "ACME RANGOLI FOODS LLP");
    assert_eq!(
        names(&scene, "Acme Rangoli Foods LLP"),
        ["ACME RANGOLI FOODS LLP"]
    );
    assert_eq!(found(&scene, acme)[0].0, "U17110KL2012PTC000321");
    let path = "/v1/verify/employment/epfo-name-search";
    let answer = scene.post(path, r#"{"name":"Acme Rangoli Textil"}"#).send();
    assert_eq!(answer.at("data.matches.0.establishmentName"), acme);
    let id = answer.at("data.matches.0.establishmentId");
    let body = format!(r#"{{"establishmentId":"{id}"}}"#);
    let path = "/v1/verify/employment/epfo-establishment";
    let answer = scene.post(path, &body).send();
    assert_eq!(answer.at("data.establishmentName"), acme);
}

#[test]
fn strangers_are_found_by_their_whole_name_and_by_a_misspelt_one() {
    let scene = Scene::new();
    for first in [
        "TATA",
        "HIMKIRAN",
        "TEXTILES",
        "NEELTEJ LEARNING",
        "LOGISTICS LLP",
    ] {
        for (cin, name) in found(&scene, first) {
            let same = [(cin, name.clone())];
            assert_eq!(found(&scene, &name), same);
            assert_eq!(found(&scene, &name.to_lowercase().replace(' ', "  ")), same);
            let short = name.replace("PRIVATE", "Pvt.").replace("LIMITED", "Ltd");
            assert_eq!(found(&scene, &short), same);
        }
    }
    // A letter missing, doubled, wrong, or two that changed places.
    for name in names(&scene, "HIMKIRAN")
        .iter()
        .filter(|name| name.starts_with("HIMKIRAN "))
    {
        for wrong in [
            name.replacen("KIR", "KR", 1),
            name.replacen("KIR", "KIIR", 1),
            name.replacen("KIR", "KER", 1),
            name.replacen("KIR", "IKR", 1),
        ] {
            let found = names(&scene, &wrong);
            assert!(found.contains(name), "{wrong}: {found:?}");
        }
    }
}

#[test]
fn a_scenario_still_says_how_many_are_found_and_what_of_them() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "one match"
        operation = "verify.company.mca.cin-lookup"
        when = { companyName = "ONE OF THEM" }
        then = { success = { "matches[0].status" = "STRIKE OFF" }, length = { matches = 1 } }
        "#,
    );
    let body = r#"{"companyName":"ONE OF THEM"}"#;
    let answer = scene.post("/v1/verify/company/mca/cin-lookup", body).send();
    assert_eq!(answer.at("data.matches.0.status"), "STRIKE OFF");
    assert_eq!(answer.at("data.matches.1.status"), "");
}

#[test]
fn texts_with_a_meaning_of_their_own_keep_it() {
    let scene = Scene::new();
    for (name, outcome) in [
        ("STATUS 422", "422 SVC_NO_RECORD_FOUND"),
        ("STATUS 504", "504 SVC_SOURCE_TIMEOUT"),
        ("ACME ZZZZZ0000Z", "503 SVC_SOURCE_UNAVAILABLE"),
        ("", "400 SVC_INVALID_INPUT"),
        ("?!", "200 completed"),
        ("१२३", "200 completed"),
    ] {
        let body = serde_json::json!({ "companyName": name }).to_string();
        let answer = scene.post("/v1/verify/company/mca/search", &body).send();
        assert_eq!(answer.outcome(), outcome, "{name}");
    }
}

#[test]
fn a_company_is_found_by_the_whole_name_that_its_cin_leads_to() {
    let scene = Scene::new();
    let master = |cin: &str| {
        let body = format!(r#"{{"cin":"{cin}"}}"#);
        let answer = scene.post("/v1/verify/company/mca/master", &body).send();
        ["companyName", "incorporationDate", "registeredOffice"]
            .map(|member| answer.at(&format!("data.{member}")))
    };
    let classes = [
        "PTC", "PLC", "OPC", "NPL", "GOI", "SGC", "FTC", "FLC", "GAP", "GAT", "ULL", "ULT",
    ];
    for (class, listing) in classes
        .iter()
        .flat_map(|class| [(class, "U"), (class, "L")])
    {
        for year in [1907, 1961, 1988, 2019, 2026] {
            let asked = master(&format!("{listing}72200KA{year}{class}184321"));
            let found = found(&scene, &asked[0]);
            assert_eq!(found.len(), 1, "{asked:?}: {found:?}");
            assert_eq!(master(&found[0].0), asked);
        }
    }
}
