//! The world browser: who is found by what, and that several may have one identifier.

use super::super::control::Ruled;

#[test]
fn a_sample_person_leads_to_her_employer_and_what_is_no_identifier_leads_nowhere() {
    let ruled = Ruled::new();
    let subject = ruled.get("/control/world?identifier=AAAAA0000A").json();
    let links = subject["links"].as_array().expect("a list");
    assert!(
        links.iter().all(|link| link["relation"] != "jobs"),
        "{subject:#}"
    );
    let employer = links.iter().find(|link| link["relation"] == "employer");
    let employer = employer.expect("she is employed");
    let page = ruled.get("/world?identifier=AAAAA0000A").body;
    for it in links {
        let cell = |label: &str, name: &str| {
            let text = it[name].as_str().unwrap_or_default();
            format!("<td data-label=\"{label}\">{text}</td>")
        };
        let row = [("As", "relation"), ("Kind", "kind"), ("Name", "name")];
        let row = row.map(|(label, name)| cell(label, name)).concat();
        assert!(page.contains(&row), "{row}: {page}");
    }
    for it in subject["identifiers"].as_array().expect("a list") {
        let [name, value] = ["name", "value"].map(|of| it[of].as_str().expect("a text"));
        let told = page.split(&format!("<dt>{name}</dt>")).nth(1);
        let told = told.and_then(|rest| rest.split("</dd>").next());
        assert!(
            told.is_some_and(|it| it.contains(&format!(">{value}<"))),
            "{name}: {page}"
        );
    }
    let (identifier, field) = (employer["identifier"].as_str(), employer["field"].as_str());
    let (identifier, field) = (identifier.expect("one"), field.expect("one"));
    let link = format!("/world?identifier={identifier}&amp;kind={field}");
    assert!(page.contains(&link), "{page}");
    let found = ruled
        .get(
            &link
                .replace("&amp;", "&")
                .replace("/world", "/control/world"),
        )
        .json();
    assert_eq!(
        (&found["kind"], &found["name"]),
        (&employer["kind"], &employer["name"])
    );
}

#[test]
fn an_identifier_that_several_have_says_who_is_found_by_it() {
    let ruled = Ruled::new();
    let company = ruled.get("/world?identifier=U72200KA2010PTC000001").body;
    assert!(
        company.contains("shared with the person ASHA RAO, who is found by it"),
        "{company}"
    );
    let asha = ruled.get("/world?identifier=AAAAA0000A").body;
    assert!(asha.contains("shared with the company "), "{asha}");
    assert!(!asha.contains("who is found by it"), "{asha}");
}

#[test]
fn of_many_identifiers_that_lead_to_one_person_her_own_is_told() {
    let ruled = Ruled::new();
    let stranger = ruled.get("/control/world?identifier=ABCPE1234F").json();
    let own = stranger["own"].as_str().expect("another one is hers");
    let page = ruled.get("/world?identifier=ABCPE1234F").body;
    assert!(
        page.contains("Many such texts lead to one person"),
        "{page}"
    );
    let by_own = ruled
        .get(&format!("/control/world?identifier={own}"))
        .json();
    assert_eq!(
        (&by_own["name"], &by_own["own"]),
        (&stranger["name"], &serde_json::Value::Null)
    );
}

#[test]
fn a_text_is_taken_for_the_field_that_it_is_written_like() {
    let ruled = Ruled::new();
    for (text, field) in [
        ("27AAPFU0939F1ZV", "gstin"),
        ("KA01AB1234", "rcNumber"),
        ("Ravi%20Kumar", "name"),
        ("Jos%C3%A9%20Garc%C3%ADa", "name"),
        (
            "%E0%A4%86%E0%A4%B6%E0%A4%BE%20%E0%A4%B0%E0%A4%BE%E0%A4%B5",
            "name",
        ),
        ("KA0120100000009", "dlNumber"),
        ("ABCPE1234F", "pan"),
        ("9876543210", "mobile"),
        ("U72200KA2010PTC000009", "cin"),
        ("UDYAM-KA-01-0000009", "udyamNumber"),
    ] {
        let found = ruled
            .get(&format!("/control/world?identifier={text}"))
            .json();
        assert_eq!(found["takenFor"], field, "{text}: {found:.300}");
    }
    let stranger = ruled.get("/control/world?identifier=asha.rao@example.com");
    assert_eq!(stranger.status, 404);
    assert!(
        stranger.body.contains("nobody is looked up by `email`"),
        "{}",
        stranger.body
    );
}

#[test]
fn a_persona_is_found_by_her_mail_address_as_what_it_is() {
    let ruled = Ruled::new();
    let found = ruled
        .get("/control/world?identifier=kaveri.hegde@example.com")
        .json();
    assert_eq!(
        (&found["name"], &found["takenFor"]),
        (&"KAVERI HEGDE".into(), &"email".into())
    );
}
