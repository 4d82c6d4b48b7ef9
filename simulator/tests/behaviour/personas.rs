//! The people with a story who are built in (ruling 39): their identifiers are written as the letters of
//! their kinds demand, whoever asks by one of them meets them, and no seed makes others of them.

use std::collections::BTreeSet;

use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::http::people::{PersonDetails, list};
use svc_simulator::rehearsal::{CallSpec, CallTarget, Rehearsal};
use svc_simulator::scenario::{Caller, accounts, read_accounts};

/// Members of answers in which somebody's own name stands.
const NAMES: [&str; 12] = [
    "nameOnPan",
    "customerName",
    "accountHolderName",
    "beneficiaryName",
    "nameAtBank",
    "memberName",
    "fullName",
    "companyName",
    "legalName",
    "entityName",
    "dealerName",
    "consumerName",
];

fn rules(seed: &str) -> Rules {
    Rules::read(&Files::built_in(), Seed::new(seed)).expect("the built-in files read")
}

fn asked<'p>(person: &'p PersonDetails<'_>, field: &str) -> Option<&'p str> {
    let asked = person.profile.asked.iter();
    let mut asked = asked.filter(|(name, _)| name == field);
    asked.next().map(|(_, text)| text.as_str())
}

/// The character that ends a GSTIN, worked out once more.
fn check_character(text: &str) -> char {
    let sum: u32 = text
        .chars()
        .zip([1, 2].into_iter().cycle())
        .map(|(letter, weight)| letter.to_digit(36).expect("a letter or a digit") * weight)
        .map(|product| product / 36 + product % 36)
        .sum();
    let check = char::from_digit((36 - sum % 36) % 36, 36).expect("below 36");
    check.to_ascii_uppercase()
}

#[test]
fn there_are_many_and_each_has_a_story() {
    let rules = rules("");
    let people = list(&rules);
    assert!(people.all().len() >= 20);
    for person in people.all() {
        let (name, story) = (&person.profile.name, &person.profile.story);
        assert!(story.len() > 40 && story.ends_with('.'), "{name}: {story}");
        assert!(!person.identifiers.is_empty(), "{name}");
    }
    let told = people.all().iter().filter(|it| !it.calls.is_empty());
    assert!(told.count() >= 19);
}

#[test]
fn identifiers_are_written_as_their_letters_demand() {
    let rules = rules("");
    let mut kinds = BTreeSet::new();
    for person in list(&rules).all() {
        let name = person.display();
        let surname = name.split(' ').next_back().unwrap_or_default();
        let is_person = person.profile.role == "person";
        if let Some(pan) = asked(person, "pan") {
            let initial = if is_person { surname } else { name };
            let expected = format!("{}{}", if is_person { 'P' } else { 'C' }, &initial[..1]);
            assert_eq!(&pan[3..5], expected, "{name} {pan}");
            kinds.insert("pan");
        }
        if let Some(gstin) = asked(person, "gstin") {
            let (before, check) = gstin.split_at(14);
            assert_eq!(check, check_character(before).to_string(), "{name} {gstin}");
            assert_eq!(asked(person, "pan"), Some(&gstin[2..12]), "{name}");
            kinds.insert("gstin");
        }
        if let Some(cin) = asked(person, "cin") {
            assert!(
                cin.starts_with('U') && name.ends_with(" PRIVATE LIMITED"),
                "{cin}"
            );
            assert_eq!(&cin[12..15], "PTC", "{name} {cin}");
            let year = person
                .profile
                .said
                .get("incorporated")
                .and_then(Json::as_text);
            assert!(
                year.is_none_or(|day| day[..4] == cin[8..12]),
                "{name} {cin}"
            );
            kinds.insert("cin");
        }
        if let Some(licence) = asked(person, "dlNumber") {
            let born = person.profile.said["date_of_birth"]
                .as_text()
                .expect("a day");
            let years = |text: &str| text.parse::<u32>().expect("a year");
            let of_age = years(&licence[4..8]) >= years(&born[..4]) + 18;
            assert!(of_age, "{name} {licence}");
            kinds.insert("licence");
        }
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

/// What the business of a person is called.
fn proprietorship(name: &str) -> Option<String> {
    Some(format!("{} ENTERPRISES", name.split(' ').next_back()?))
}

#[test]
fn a_company_has_a_gstin_of_its_own_state_and_pan_that_leads_to_it() {
    let rules = rules("");
    let people = list(&rules);
    let companies = people
        .all()
        .iter()
        .filter(|it| it.profile.role == "company");
    let companies: Vec<_> = companies.collect();
    assert!(companies.len() > 5);
    for company in companies {
        let gstin = company
            .identifiers
            .iter()
            .find(|it| it.fields[0] == "gstin");
        let gstin = gstin.unwrap_or_else(|| panic!("{}", company.display()));
        let found = answer(&rules, "verify.company.gst", "gstin", &gstin.value);
        let found = found.expect("it is answered");
        let legal_name = found.get("legalName").and_then(Json::as_text);
        assert_eq!(legal_name, Some(company.display()));
    }
}

/// What an operation answers somebody, of an identifier in its field, on a fresh account.
fn answer(rules: &Rules, operation: &str, field: &str, value: &str) -> Option<Json<'static>> {
    let config = read_accounts(&accounts()).expect("accounts").remove(0);
    let index = rules.contract.operation_index(operation)?;
    let at = rules.contract.operations[index].field(field)?;
    let text = Json::from(value);
    let is_list = matches!(
        rules.contract.operations[index].request[at.0].kind,
        svc_fixtures::contract::Kind::List { .. }
    );
    let value = if is_list {
        Json::List(vec![text])
    } else {
        text
    };
    let mut rehearsal = Rehearsal::new(rules, config);
    let body = rehearsal.body(Environment::Test, index, &[(field.to_owned(), value)]);
    let key = rehearsal.key(Environment::Test);
    let caller = Caller::plain("local", Environment::Test);
    let observed = rehearsal.call(&CallSpec::by(
        &caller,
        &key,
        CallTarget::Operation(index),
        &body,
    ));
    let result = rehearsal.result(&observed, None).unwrap_or(observed);
    let row = &rules.contract.operations[index];
    if result.status == 400 && rules.contract.carried_field(row).is_some() {
        // No flow begins for them.
        return None;
    }
    assert!(
        result.status < 600 && result.status != 400,
        "{operation} {body}"
    );
    result.envelope.get("data").cloned()
}

#[test]
fn whoever_asks_by_an_identifier_meets_them_whatever_the_seed() {
    let (rules, others) = (rules(""), rules("another"));
    let (mut met, mut strangers) = (0, Vec::new());
    let people = list(&rules);
    // Of a branch or an address of the net somebody else may be the holder.
    let named = people.all().iter();
    for person in named.filter(|it| it.profile.said.contains_key("name")) {
        let name = person.display();
        for known in person.identifiers.iter().filter(|it| it.declared) {
            for operation in &known.operations {
                let mut fields = known.fields.iter();
                let data = fields.find_map(|field| answer(&rules, operation, field, &known.value));
                let mut fields = known.fields.iter();
                let other =
                    fields.find_map(|field| answer(&others, operation, field, &known.value));
                let (Some(data), Some(other)) = (data, other) else {
                    continue;
                };
                // A mobile or a registration beside another identifier does not decide.
                let beside = ["registeredMobile", "mobile"].contains(&known.fields[0]);
                let of_account =
                    operation.ends_with("bank-hybrid") || operation.ends_with("electricity");
                if beside && of_account {
                    continue;
                }
                for member in NAMES {
                    let found = data.get(member).and_then(Json::as_text);
                    assert_eq!(
                        found,
                        other.get(member).and_then(Json::as_text),
                        "{operation}"
                    );
                    match found {
                        Some(found) if found == name => met += 1,
                        // A proprietor's code is the proprietorship's.
                        Some(found) if Some(found) == proprietorship(name).as_deref() => met += 1,
                        Some(found) => strangers.push(format!("{name}: {operation} {found}")),
                        None => {}
                    }
                }
            }
        }
    }
    // The account that is somebody else's is the story of one of them.
    strangers.retain(|it| !it.starts_with("SURESH KHANDELWAL: verify.financial.bank-"));
    assert!(strangers.is_empty(), "{}", strangers.join("\n"));
    assert!(met > 200, "{met}");
}
