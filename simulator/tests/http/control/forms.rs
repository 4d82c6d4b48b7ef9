//! What the control API says of operations, bundles, personas and the population: enough to call each with
//! what it says, and to walk from one to the other.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Ruled, refused};

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn with(sample: &Value, set: &Value) -> Value {
    let mut body = sample.clone();
    for (name, value) in set.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

/// What a call of the form's path with this body is answered.
fn call(ruled: &Ruled, form: &Value, body: &Value) -> Value {
    let call = json!({ "account": "local_f", "path": form["path"], "body": body });
    ruled.post("/control/calls", &call.to_string()).json()
}

#[test]
fn every_form_can_be_sent_as_it_is_and_every_named_input_gets_its_outcome() {
    let ruled = Ruled::new();
    let all = ruled.get("/control/operations").json();
    let (operations, bundles) = (list(&all["operations"]), list(&all["bundles"]));
    assert!(operations.len() > 50 && bundles.len() > 5);
    let mut outcomes = BTreeSet::new();
    for (at, row) in operations.iter().chain(bundles).enumerate() {
        let id = row["id"].as_str().unwrap();
        let form = ruled.get(&format!("/control/operations/{id}")).json();
        let fields = list(&form["fields"]);
        // What a step of a flow carries is issued by the step before it: the answer names the field.
        let answer = call(&ruled, &form, &form["sample"]);
        let envelope = &answer["answer"];
        let message = envelope["error"]["message"].as_str().unwrap_or_default();
        let mut names = fields.iter().map(|it| it["name"].as_str().unwrap());
        let is_carried = names.any(|name| message.starts_with(&format!("{name}:")));
        assert!(
            envelope["success"] == true || is_carried,
            "{id}: {envelope}"
        );
        if is_carried {
            continue;
        }
        // Another one of each: all of them together are every outcome.
        let inputs = list(&form["inputs"]);
        if let Some(input) = inputs.get(at % inputs.len().max(1)) {
            let answer = call(&ruled, &form, &with(&form["sample"], &input["set"]));
            let envelope = &answer["answer"];
            let outcome = envelope["error"]["code"].as_str();
            let outcome = outcome.or(envelope["status"].as_str());
            assert_eq!(outcome, input["outcome"].as_str(), "{id}: {input}");
            outcomes.insert(outcome.unwrap().to_owned());
        }
    }
    assert!(outcomes.len() > 3, "{outcomes:?}");
    let unknown = ruled.get("/control/operations/verify.identity.pam");
    assert_eq!(refused(&unknown), "404 OPERATION_NOT_FOUND");
}

#[test]
fn a_persona_is_called_with_what_the_form_sets_and_is_whom_the_answer_speaks_of() {
    let ruled = Ruled::new();
    let people = ruled.get("/control/people").json();
    let people = list(&people["people"]);
    assert!(people.len() >= 20);
    let form = ruled.get("/control/operations/verify.identity.pan").json();
    let mut met = 0;
    for person in list(&form["people"]) {
        let answer = call(&ruled, &form, &with(&form["sample"], &person["set"]));
        let id = answer["answer"]["verificationId"].as_str().unwrap();
        let because = ruled.get(&format!("/control/calls/{id}")).json()["because"].take();
        let name = person["name"].as_str().unwrap();
        let known = people.iter().find(|it| it["name"] == name).unwrap();
        let because = because.as_str().unwrap();
        let rules = list(&known["rules"]).iter();
        let mut names = rules.map(|it| it.as_str().unwrap()).chain([name]);
        assert!(
            names.any(|name| because.contains(name)),
            "{name}: {because}"
        );
        met += 1;
    }
    assert!(met >= 5, "{met}");
}

#[test]
fn somebody_is_found_by_each_of_their_identifiers_and_their_links_lead_on() {
    let ruled = Ruled::new();
    let look = |identifier: &str, kind: &str| {
        let kind = if kind.is_empty() {
            String::new()
        } else {
            format!("&kind={kind}")
        };
        ruled
            .get(&format!("/control/world?identifier={identifier}{kind}"))
            .json()
    };
    let stranger = look("ABCPK1234D", "");
    assert_eq!(
        (&stranger["takenFor"], &stranger["kind"]),
        (&json!("pan"), &json!("person"))
    );
    let name = &stranger["name"];
    assert!(name.is_string());
    for known in list(&stranger["identifiers"]) {
        let (Some(value), Some(field)) = (known["value"].as_str(), known["field"].as_str()) else {
            continue;
        };
        let same = look(value, field);
        assert_eq!(
            (&same["name"], &same["kind"]),
            (name, &json!("person")),
            "{known}"
        );
    }
    // Answers say the same.
    let form = json!({ "account": "local_f", "path": super::PAN, "body": { "pan": "ABCPK1234D", "name": "X" } });
    let answer = ruled.post("/control/calls", &form.to_string()).json();
    assert!(
        answer["answer"]["data"]
            .to_string()
            .contains(name.as_str().unwrap()),
        "{answer}"
    );
}

#[test]
fn an_input_that_a_scenario_names_says_what_else_must_fit() {
    let ruled = Ruled::new();
    let form = ruled.get("/control/operations/verify.identity.dl").json();
    let completed = list(&form["inputs"]).iter();
    let completed = completed.filter(|it| it["outcome"] == "completed");
    let mut tried = 0;
    for input in completed {
        let mut body = form["sample"].clone();
        for (name, value) in input["set"].as_object().expect("an object") {
            body[name] = value.clone();
        }
        let path = form["path"].clone();
        let call = json!({ "account": "local_dl", "path": path, "body": body });
        let answer = ruled.post("/control/calls", &call.to_string()).json();
        assert_eq!(answer["answer"]["status"], "completed", "{input} {answer}");
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

#[test]
fn who_has_had_one_job_has_no_earlier_employer() {
    let ruled = Ruled::new();
    let told = |mobile: &str| {
        let path = format!("/control/world?identifier={mobile}&account=local");
        let person = ruled.get(&path).json();
        let links = list(&person["links"]).iter();
        let has = links.filter(|it| it["relation"] == "earlier_employer");
        (person["attributes"]["jobs"].clone(), has.count())
    };
    assert_eq!(told("6358952548"), (json!(["CURRENT"]), 0));
    assert_eq!(told("9876543210"), (json!(["CURRENT", "EARLIER"]), 1));
}

#[test]
fn links_lead_from_a_person_to_her_company_its_director_and_to_her_vehicle() {
    let ruled = Ruled::new();
    let look = |of: &Value| {
        let (identifier, field) = (of["identifier"].as_str(), of["field"].as_str());
        let (identifier, field) = (identifier.unwrap(), field.unwrap());
        ruled
            .get(&format!(
                "/control/world?identifier={identifier}&kind={field}"
            ))
            .json()
    };
    let stranger = look(&json!({ "identifier": "ABCPK1234D", "field": "pan" }));
    let linked = |of: &Value, relation: &str| {
        let mut links = list(&of["links"]).iter();
        links.find(|it| it["relation"] == relation).cloned()
    };
    let mut at = stranger.clone();
    for (relation, kind) in [("employer", "company"), ("director", "person")] {
        let link = linked(&at, relation).unwrap();
        at = look(&link);
        assert_eq!((&at["kind"], &at["name"]), (&json!(kind), &link["name"]));
    }
    // Whose a vehicle is, it says itself: what a stranger drives nobody knows.
    assert_eq!(linked(&stranger, "vehicle"), None);
    let vehicle = look(&json!({ "identifier": "KA01AB0001", "field": "rcNumber" }));
    let owner = look(&linked(&vehicle, "owner").unwrap());
    let own = look(&linked(&owner, "vehicle").unwrap());
    assert_eq!(own["identifiers"], vehicle["identifiers"]);
}

#[test]
fn a_declared_person_is_found_before_a_stranger_with_their_story_and_employer() {
    let ruled = Ruled::new();
    let people = ruled.get("/control/people").json();
    let mut found = 0;
    for person in list(&people["people"]) {
        for known in list(&person["identifiers"])
            .iter()
            .filter(|it| it["declared"] == true)
        {
            let value = known["value"].as_str().unwrap();
            let query: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
            let answer = ruled.get(&format!("/control/world?identifier={query}"));
            let subject = answer.json();
            if answer.status == 200 && subject["declared"]["name"] == person["name"] {
                assert_eq!(subject["declared"]["story"], person["story"]);
                found += 1;
            }
        }
    }
    assert!(found >= 40, "{found}");
}

#[test]
fn the_population_is_told_at_the_accounts_date_and_what_is_no_identifier_is_refused() {
    let ruled = Ruled::new();
    ruled.post(
        "/control/accounts/local_w/clock",
        r#"{"set": "2031-05-17T00:00:00Z"}"#,
    );
    let then = ruled
        .get("/control/world?identifier=ABCPK1234D&account=local_w")
        .json();
    assert_eq!(then["today"], "2031-05-01");
    for (query, refusal) in [
        ("identifier=ABCPK1234D&kind=pam", "400 INVALID_INPUT"),
        ("identifier=", "400 INVALID_INPUT"),
        ("identifier=x&kind=pan", "404 SUBJECT_NOT_FOUND"),
        ("identifier=x&account=nobody", "404 ACCOUNT_NOT_FOUND"),
    ] {
        assert_eq!(
            refused(&ruled.get(&format!("/control/world?{query}"))),
            refusal,
            "{query}"
        );
    }
}
