//! The samples of all operations are one story: one person, one company, and identifiers that lead
//! from one answer to the next.

use proptest::prelude::*;
use svc_fixtures::json::Json;
use svc_fixtures::sample::any::runner;
use svc_simulator::engine::call::request::Environment;

use crate::samples::Catalogue;
use crate::scene::Answer;

/// The answers to all samples, by operation.
struct Story(Vec<(String, Answer)>);

impl Story {
    fn new() -> Self {
        let catalogue = Catalogue::new();
        let operations = catalogue.contract().operations.iter();
        let story = operations.map(|operation| {
            let answer = catalogue.walk(operation, Environment::Test);
            (operation.id.clone(), answer)
        });
        Story(story.collect())
    }

    fn answer(&self, operation: &str) -> &Answer {
        let found = self.0.iter().find(|(id, _)| id == operation);
        &found
            .unwrap_or_else(|| panic!("{operation} is no operation"))
            .1
    }

    /// The value at `operation: path` of `data`, where names of members may have dots in them.
    fn at(&self, place: &str) -> String {
        let (operation, path) = place.split_once(": ").expect("an operation and a path");
        let json = self.answer(operation).json();
        let data = json.get("data").expect("a success");
        let found = walk(data, path).unwrap_or_else(|| panic!("{place}: nothing there"));
        found
            .as_text()
            .map_or_else(|| found.to_string(), str::to_owned)
    }

    #[track_caller]
    fn all(&self, value: &str, places: &[&str]) {
        for place in places {
            assert_eq!(self.at(place), value, "{place}");
        }
    }
}

fn walk<'j>(json: &'j Json<'j>, path: &str) -> Option<&'j Json<'j>> {
    if let Some(found) = json.get(path) {
        return Some(found);
    }
    let (part, rest) = path.split_once('.').unwrap_or((path, ""));
    let inside = match part.parse::<usize>() {
        Ok(at) => json.as_list()?.get(at)?,
        Err(_) => json.get(part)?,
    };
    if rest.is_empty() {
        Some(inside)
    } else {
        walk(inside, rest)
    }
}

const THE_PERSON: [&str; 33] = [
    "verify.identity.pan: nameOnPan",
    "verify.identity.dl: name",
    "verify.identity.voter: name",
    "verify.identity.passport: fullName",
    "verify.identity.mobile-otp.fetch: name",
    "verify.identity.mobile-otp-s.fetch: name",
    "verify.employment.uan: memberName",
    "verify.financial.bank-account: accountHolderName",
    "verify.financial.bank-dynamic.send: beneficiaryName",
    "verify.financial.bank-dynamic.verify: accountHolderName",
    "verify.financial.bank-hybrid: beneName",
    "verify.financial.bank-account-v1: nameAtBank",
    "verify.financial.bank-account-v1.status: nameAtBank",
    "verify.document.kyc-ocr: ocrData.name",
    "verify.document.cheque-ocr: name",
    "verify.company.mca.signatories: directors.0.name",
    "verify.company.roc.director: name",
    "verify.company.udyam: profile.ownerName",
    "verify.company.shop-establishment: ownerName",
    "verify.membership.ca: name",
    "verify.membership.cs: name",
    "verify.membership.cma: fullName",
    "screen.mobile-silent: customerName",
    "screen.court-records: candidate.name",
    "verify.utility.vehicle-rc: ownerName",
    "verify.utility.vehicle-rc-reverse: ownerName",
    "verify.utility.electricity: consumerName",
    "verify.utility.property-tax: ownerName",
    "verify.utility.png: consumerName",
    "verify.utility.lpg: consumerName",
    "verify.financial.bank-account-v1: custName",
    // The GSTIN has her PAN in it: it is that of her own trade.
    "verify.company.gst: legalName",
    "verify.company.gst-detailed: legalName",
];

const THE_COMPANY: [&str; 10] = [
    "verify.company.mca.master: companyName",
    "verify.company.mca.cin-lookup: matches.0.companyName",
    "verify.company.roc.director: companies.0.companyName",
    "verify.company.tan: name",
    "verify.company.udyam: profile.name",
    "verify.company.iec: entityName",
    "verify.company.tin: dealerName",
    "verify.employment.uan: employmentHistory.0.establishmentName",
    "verify.employment.epfo-establishment: establishmentName",
    "verify.employment.epfo-name-search: matches.0.establishmentName",
];

#[test]
fn all_samples_speak_of_one_person() {
    let story = Story::new();
    story.all("ASHA RAO", &THE_PERSON);
    let fathers = [
        "verify.identity.dl: fatherOrHusbandName",
        "verify.identity.voter: fatherName",
        "verify.document.kyc-ocr: ocrData.father",
        "verify.utility.vehicle-rc: fatherName",
    ];
    story.all("MOHAN RAO", &fathers);
    let births = [
        "verify.identity.dl: dateOfBirth",
        "verify.identity.passport: dateOfBirth",
        "verify.identity.mobile-otp-s.fetch: dob",
        "verify.employment.uan: dateOfBirth",
        "verify.document.kyc-ocr: ocrData.dob",
    ];
    story.all("1990-08-15", &births);
    story.all("15/08/1990", &["verify.company.roc.director: dateOfBirth"]);
    story.all(
        "15-08-1990",
        &["verify.identity.mobile-otp.fetch: date_of_birth"],
    );
    story.all("36", &["verify.identity.voter: age"]);
    let homes = [
        "verify.identity.voter: address",
        "verify.identity.mobile-otp.fetch: address",
        "verify.membership.cs: address",
        "verify.utility.vehicle-rc: address",
        "verify.utility.electricity: address",
        "verify.utility.png: address",
        "verify.utility.lpg: address",
    ];
    story.all(&story.at("verify.identity.dl: address"), &homes);
    let mobile = "screen.mobile-silent: alternateNumber";
    let others = [
        "verify.identity.mobile-otp.fetch: alt_contact",
        "verify.identity.mobile-otp-s.fetch: alternatePhone",
    ];
    story.all(&story.at(mobile), &others);
    story.all(
        &story.at("screen.mobile-silent: currentServiceProvider"),
        &[
            "verify.identity.mobile-otp.verify: provider",
            "verify.identity.mobile-otp.fetch: provider",
            "verify.identity.mobile-otp-s.fetch: mobileNetworkOperator",
        ],
    );
}

#[test]
fn all_samples_speak_of_one_company() {
    let story = Story::new();
    story.all("NEELGIRI SYSTEMS PRIVATE LIMITED", &THE_COMPANY);
    let traded = ["verify.company.shop-establishment: establishmentName"];
    story.all("NEELGIRI SYSTEMS", &traded);
    let offices = [
        "verify.company.iec: branches.0.address",
        "verify.employment.epfo-establishment: address",
    ];
    story.all(
        &story.at("verify.company.mca.master: registeredOffice"),
        &offices,
    );
    let founded = "verify.company.udyam: profile.dateOfIncorporation";
    story.all(
        &story.at("verify.company.mca.master: incorporationDate"),
        &[founded],
    );
    for member in ["principalAddress", "stateJurisdiction", "registrationDate"] {
        let short = story.at(&format!("verify.company.gst: {member}"));
        story.all(&short, &[&format!("verify.company.gst-detailed: {member}")]);
    }
}

/// What one answer gives, and where it is the sample of another operation.
const LEADS: [(&str, &str); 19] = [
    (
        "screen.mobile-mnrl: mobile",
        "verify.employment.uan-lookup: mobile",
    ),
    (
        "verify.employment.uan-lookup: uanList.0",
        "verify.employment.uan: uan",
    ),
    (
        "verify.employment.uan: employmentHistory.0.establishmentId",
        "verify.employment.epfo-establishment: establishmentId",
    ),
    (
        "verify.employment.epfo-name-search: matches.0.establishmentId",
        "verify.employment.epfo-establishment: establishmentId",
    ),
    (
        "verify.company.roc.director: companies.0.cin",
        "verify.company.mca.master: cin",
    ),
    (
        "verify.company.mca.cin-lookup: matches.0.cin",
        "verify.company.mca.master: cin",
    ),
    (
        "verify.company.mca.search: cins.0",
        "verify.company.mca.signatories: cin",
    ),
    (
        "verify.company.mca.signatories: directors.0.din",
        "verify.company.roc.director: din",
    ),
    (
        "verify.company.mca.signatories: directors.0.appointmentDate",
        "verify.company.roc.director: companies.0.beginDate",
    ),
    (
        "verify.document.kyc-ocr: ocrData.pan",
        "verify.identity.pan: pan",
    ),
    (
        "verify.document.cheque-ocr: ifsc",
        "verify.financial.ifsc: ifsc",
    ),
    (
        "verify.document.cheque-ocr: micr",
        "verify.financial.ifsc: micr",
    ),
    (
        "verify.document.cheque-ocr: bank",
        "verify.financial.bank-account: bankName",
    ),
    (
        "verify.document.cheque-ocr: accNo",
        "verify.financial.bank-account-v1: custAcctNo",
    ),
    (
        "verify.document.cheque-ocr: ifsc",
        "verify.financial.bank-account-v1: custIfsc",
    ),
    (
        "verify.identity.mobile-otp-s.fetch: email",
        "verify.contact.email: email",
    ),
    (
        "verify.utility.vehicle-rc-reverse: registrationNumber",
        "verify.utility.vehicle-rc: registrationNumber",
    ),
    (
        "verify.utility.fastag: vehicleNumber",
        "verify.utility.vehicle-rc: registrationNumber",
    ),
    (
        "verify.utility.vehicle-rc-reverse: model",
        "verify.utility.vehicle-rc: model",
    ),
];

#[test]
fn the_identifiers_of_one_answer_are_the_samples_of_the_next() {
    let story = Story::new();
    for (from, to) in LEADS {
        assert_eq!(story.at(from), story.at(to), "{from} leads to {to}");
    }
}

#[test]
fn numbers_that_contain_others_contain_those_of_the_story() {
    let story = Story::new();
    let pan = story.at("verify.identity.pan: pan");
    let gstin = story.at("verify.company.gst: gstin");
    assert_eq!(gstin[2..12], story.at("verify.company.gst: pan"));
    story.all(
        &pan,
        &[
            "verify.company.gst: pan",
            "verify.company.gst-detailed: pan",
        ],
    );
    assert_ne!(story.at("verify.company.udyam: profile.pan"), pan);
    let masked = story.at("verify.company.roc.director: panNumber");
    assert_eq!((&masked[..2], &masked[8..]), (&pan[..2], &pan[8..]));
    let cin = story.at("verify.company.mca.master: cin");
    let founded = story.at("verify.company.mca.master: incorporationDate");
    assert_eq!(
        cin[8..12],
        founded[..4],
        "a CIN has the year of incorporation"
    );
    assert!(cin.ends_with(&story.at("verify.company.mca.master: registrationNumber")));
    let history = |member: &str| {
        story.at(&format!(
            "verify.employment.uan: employmentHistory.0.{member}"
        ))
    };
    assert!(history("memberId").starts_with(&history("establishmentId")));
    let licence = story.at("verify.identity.dl: rtoOffice");
    assert_eq!(licence, story.at("verify.utility.vehicle-rc: rtoOffice"));
}

/// Members of these names that speak of somebody else, or of something that is no person.
const OTHERS: [&str; 6] = [
    "NEELGIRI SYSTEMS WORKS",
    "GOVERNMENT PRIMARY SCHOOL",
    "MODEL HOUSING FINANCE",
    "TEST BANK",
    "BENGALURU SOUTH",
    "BENGALURU CENTRAL",
];

const CAST: [&str; 9] = [
    "ASHA RAO",
    "ASHA",
    "RAO",
    "MOHAN RAO",
    "MOXXX XXO",
    "आशा राव",
    "NEELGIRI SYSTEMS PRIVATE LIMITED",
    "NEELGIRI SYSTEMS",
    "ASHA ENTERPRISES",
];

#[test]
fn no_name_of_any_sample_is_outside_the_story() {
    fn names(name: &str, json: &Json<'_>, found: &mut Vec<(String, String)>) {
        match json {
            Json::Object(members) => {
                let members = members.iter();
                members.for_each(|(name, value)| names(name, value, found));
            }
            Json::List(items) => items.iter().for_each(|item| names(name, item, found)),
            Json::Text(text) if !text.is_empty() => {
                let name = name.to_lowercase();
                if ["name", "owner", "father"]
                    .iter()
                    .any(|part| name.contains(part))
                {
                    found.push((name, text.to_string()));
                }
            }
            _ => {}
        }
    }
    let story = Story::new();
    let mut count = 0;
    for (operation, answer) in &story.0 {
        let (mut found, json) = (Vec::new(), answer.json());
        names("", json.get("data").expect("a success"), &mut found);
        count += found.len();
        for (member, text) in found {
            let known = CAST.contains(&&*text) || OTHERS.contains(&&*text);
            // How well names match, and what banks and branches are called.
            let others = ["match", "bank", "branch"];
            // Whom she worked for earlier is a stranger.
            let no_person = others.iter().any(|part| member.contains(part))
                || operation == "verify.employment.uan" && member == "establishmentname";
            assert!(known || no_person, "{operation}: {member} is {text}");
        }
    }
    assert!(count > 40, "{count} names");
}

#[test]
fn any_gstin_contains_its_pan_and_is_the_same_company_in_both_operations() {
    let catalogue = Catalogue::new();
    let inputs = catalogue.inputs();
    let [short, long] = ["verify.company.gst", "verify.company.gst-detailed"]
        .map(|id| catalogue.contract().operation(id).expect("an operation"));
    let ask = |operation, body: &Json<'_>| catalogue.send(operation, body, Environment::Test);
    let outcome = runner(60).run(&inputs.value(&short.request[0]), |gstin| {
        let body = Json::object([("gstin", gstin.clone())]);
        let (one, other) = (ask(short, &body), ask(long, &body));
        prop_assert_eq!(one.outcome(), other.outcome());
        if one.0.status == 200 {
            let gstin = gstin.as_text().expect("a text");
            prop_assert_eq!(&gstin[2..12], one.at("data.pan"));
            for name in short.response.member_names() {
                let path = format!("data.{name}");
                prop_assert_eq!(one.at(&path), other.at(&path));
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
