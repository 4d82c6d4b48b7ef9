//! What follows from what a scenario file says: of a place, an address, a name, a job, a company.

use crate::scene::Scene;

/// What a file says, an operation's path, a body, and members of its answer with their values.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

fn play(cases: &[Case]) {
    for (said, path, body, members) in cases {
        let scene = Scene::with(said);
        let path = format!("/v1/{path}");
        let answer = scene.post(&path, body).send();
        for (member, value) in *members {
            assert_eq!(
                answer.at(&format!("data.{member}")),
                *value,
                "{path} {member}"
            );
        }
    }
}

#[test]
fn an_address_has_the_district_and_the_state_of_its_city() {
    const RAVI: &str = r#"
        [person.ravi]
        dlNumber = "KA0120159999991"
        epicNumber = "XYZ7654321"
        address = "1, MG ROAD, PUNE, MAHARASHTRA 411001"
    "#;
    const LICENCE: &str = r#"{"dlNumber":"KA0120159999991","dateOfBirth":"02/04/1991"}"#;
    play(&[
        (
            RAVI,
            "verify/identity/dl",
            LICENCE,
            &[
                ("splitAddress.district", "PUNE"),
                ("splitAddress.stateCode", "MH"),
            ],
        ),
        (
            RAVI,
            "verify/identity/voter",
            r#"{"epicNumber":"XYZ7654321"}"#,
            &[("splitAddress.district", "PUNE")],
        ),
        (
            r#"
            [[scenario]]
            name = "another address"
            operation = "verify.identity.dl"
            when = { dlNumber = "KA0120159999991" }
            then = { success = { address = "1, MG ROAD, MYSURU" } }
            "#,
            "verify/identity/dl",
            LICENCE,
            &[
                ("splitAddress.city", "MYSURU"),
                ("splitAddress.district", "MYSURU"),
                ("splitAddress.state", "KARNATAKA"),
                ("splitAddress.stateCode", "KA"),
            ],
        ),
    ]);
}

#[test]
fn a_place_is_in_the_state_that_is_said_of_it() {
    const BODY: &str = r#"{"ip":"10.1.2.3","country":"IN","state":"KL"}"#;
    for said in [
        r#"state = "KERALA""#,
        r#"state_code = "KL""#,
        r#"city = "KOCHI""#,
        r#"pincode = "682001""#,
    ] {
        let scene = Scene::with(&format!("[place.hq]\nip = \"10.1.2.3\"\n{said}\n"));
        let answer = scene.post("/v1/verify/address/geo-fence", BODY).send();
        assert_eq!(answer.at("data.state"), "KERALA", "{said}");
        assert_eq!(answer.at("data.stateCode"), "KL", "{said}");
        assert_eq!(answer.at("data.validUser"), "true", "{said}");
    }
    play(&[(
        r#"
        [[scenario]]
        name = "in Kerala"
        operation = "verify.address.geo-fence"
        when = { ip = "10.1.2.3" }
        then = { success = { state = "KERALA" } }
        "#,
        "verify/address/geo-fence",
        BODY,
        &[("stateCode", "KL"), ("validUser", "true")],
    )]);
}

#[test]
fn a_name_of_three_words_keeps_the_middle_one() {
    const MURTHY: &str = r#"
        [person.murthy]
        name = "LAKSHMI NARAYANA MURTHY"
        fileNumber = "MA1061234567890"
        membershipNumber = "77123"
        [person.madonna]
        name = "MADONNA"
        fileNumber = "MA1061234567891"
        [[scenario]]
        name = "the whole name"
        operation = "verify.identity.passport"
        when = { fileNumber = "MA1061234567892" }
        then = { success = { fullName = "RAVI KUMAR SINGH" } }
    "#;
    let passport =
        |number: &str| format!(r#"{{"fileNumber":"{number}","dateOfBirth":"02/04/1991"}}"#);
    for (number, given, surname, full) in [
        (
            "MA1061234567890",
            "LAKSHMI NARAYANA",
            "MURTHY",
            "LAKSHMI NARAYANA MURTHY",
        ),
        ("MA1061234567891", "MADONNA", "", "MADONNA"),
        ("MA1061234567892", "RAVI KUMAR", "SINGH", "RAVI KUMAR SINGH"),
    ] {
        let scene = Scene::with(MURTHY);
        let body = passport(number);
        let answer = scene.post("/v1/verify/identity/passport", &body).send();
        assert_eq!(answer.at("data.givenName"), given);
        assert_eq!(answer.at("data.surname"), surname);
        assert_eq!(answer.at("data.fullName"), full);
    }
    let scene = Scene::with(MURTHY);
    let answer = scene.post(
        "/v1/verify/membership/cma",
        r#"{"membershipNumber":"77123"}"#,
    );
    let answer = answer.send();
    assert_eq!(answer.at("data.middleName"), "NARAYANA");
    assert_eq!(answer.at("data.fullName"), "LAKSHMI NARAYANA MURTHY");
}

#[test]
fn no_job_ends_before_it_began() {
    for (uan, born, joined) in [
        ("100000000777", "1990-01-01", "2010-06-01"),
        ("100000000789", "1990-01-01", "2010-06-01"),
        ("100000000777", "1985-01-01", "2006-07-01"),
        ("100000000777", "1992-01-01", "2010-02-01"),
    ] {
        let said = format!(
            "[person.r]\nuan = \"{uan}\"\ndate_of_birth = \"{born}\"\njoined = \"{joined}\"\n"
        );
        let scene = Scene::with(&said);
        let body = format!(r#"{{"uan":"{uan}"}}"#);
        let answer = scene.post("/v1/verify/employment/uan", &body).send();
        assert_eq!(answer.at("data.employmentHistory.0.doj"), joined);
        let earlier = |member: &str| answer.at(&format!("data.employmentHistory.1.{member}"));
        assert!(earlier("doj") <= earlier("dol"), "{said}");
        assert!(earlier("dol").as_str() <= joined, "{said}");
    }
}

#[test]
fn a_company_trades_under_the_name_that_is_said_of_it() {
    const ORBIT: &str = r#"
        [company.c]
        name = "ORBIT FOODS PRIVATE LIMITED"
        cin = "U10750KL2012PTC000777"
        gstin = "32AAACO1234C1Z5"
        udyamNumber = "UDYAM-KL-05-0000777"
        directors = ["boss"]
        [person.boss]
        name = "ANIL NAIR"
        din = "07770001"
        companies = ["c"]
    "#;
    play(&[
        (
            ORBIT,
            "verify/company/gst",
            r#"{"gstin":"32AAACO1234C1Z5"}"#,
            &[
                ("legalName", "ORBIT FOODS PRIVATE LIMITED"),
                ("tradeName", "ORBIT FOODS"),
            ],
        ),
        (
            ORBIT,
            "verify/company/mca/signatories",
            r#"{"cin":"U10750KL2012PTC000777"}"#,
            &[
                ("directors.0.din", "07770001"),
                ("directors.0.name", "ANIL NAIR"),
            ],
        ),
        (
            ORBIT,
            "verify/company/roc/director",
            r#"{"din":"07770001"}"#,
            &[("companies.0.cin", "U10750KL2012PTC000777")],
        ),
        (
            ORBIT,
            "verify/company/udyam",
            r#"{"udyamNumber":"UDYAM-KL-05-0000777"}"#,
            &[("profile.ownerName", "ANIL NAIR")],
        ),
    ]);
}

#[test]
fn what_is_handed_out_of_somebody_leads_back_to_them() {
    play(&[
        (
            r#"
            [company.sagun]
            name = "SAGUN FOODS PRIVATE LIMITED"
            establishment_id = "GJAHD0083211000"
            "#,
            "verify/employment/epfo-establishment",
            r#"{"establishmentId":"GJAHD0083211000"}"#,
            &[("establishmentName", "SAGUN FOODS PRIVATE LIMITED")],
        ),
        (
            r#"
            [vehicle.car]
            registration = "GJ01KA7788"
            engineNumber = "ENGX1"
            status = "SCRAPPED"
            "#,
            "verify/utility/vehicle-rc",
            r#"{"rcNumber":"GJ01KA7788"}"#,
            &[("status", "SCRAPPED")],
        ),
        (
            r#"
            [person.anil]
            name = "ANIL KAPOOR"
            account = "601000123456"
            url = "https://assets.example/anil.png"
            "#,
            "verify/financial/bank-account",
            r#"{"accountNumber":"601000123456","ifsc":"TEST0000001"}"#,
            &[("accountHolderName", "ANIL KAPOOR")],
        ),
    ]);
}

#[test]
fn identifiers_that_nobody_said_fit_what_is_said() {
    let scene = Scene::with(
        r#"
        [person.anil]
        name = "ANIL KAPOOR"
        mobile = "9811100001"
        url = "https://assets.example/anil.png"
        date_of_birth = "1985-01-01"
        address = "7, PARK STREET, CHENNAI, TAMIL NADU 600001"
        [company.steels]
        companyName = "SAMPLE STEELS LIMITED"
        name = "SAMPLE STEELS LIMITED"
        incorporated = "1995-03-03"
        address = "7, PARK STREET, PATNA, BIHAR 800001"
        "#,
    );
    let read = scene
        .post(
            "/v1/verify/document/kyc-ocr",
            r#"{"url":"https://assets.example/anil.png","docTypes":["PAN"]}"#,
        )
        .send();
    let read = read.json();
    let data = read.get("data").and_then(|data| data.get("ocrData.pan"));
    let pan = data.and_then(|pan| pan.as_text()).unwrap_or_default();
    assert_eq!(pan.get(4..5), Some("K"), "{pan}");
    let found = scene
        .post(
            "/v1/verify/company/mca/cin-lookup",
            r#"{"companyName":"SAMPLE STEELS LIMITED"}"#,
        )
        .send();
    let cin = found.at("data.matches.0.cin");
    assert_eq!(&cin[6..15], "BR1995PLC", "{cin}");
    let master = scene
        .post(
            "/v1/verify/company/mca/master",
            &format!(r#"{{"cin":"{cin}"}}"#),
        )
        .send();
    assert_eq!(master.at("data.incorporationDate"), "1995-03-03");
    assert_eq!(master.at("data.classOfCompany"), "PUBLIC");
}

#[test]
fn a_child_that_is_declared_has_no_licence_and_a_stranger_none_from_before_their_birth() {
    let child = r#"
        [person.child]
        dlNumber = "KA0120159999991"
        date_of_birth = "2015-01-01"
        breaks_contract = true
    "#;
    let body = r#"{"dlNumber":"KA0120159999991","dateOfBirth":"01/01/2015"}"#;
    let answer = Scene::with(child)
        .post("/v1/verify/identity/dl", body)
        .send();
    assert_eq!(answer.at("error.code"), "SVC_NO_RECORD_FOUND");
    let answer = Scene::new().post("/v1/verify/identity/dl", body).send();
    assert!(answer.at("data.issueDate").as_str() > "2025", "{answer:?}");
}
