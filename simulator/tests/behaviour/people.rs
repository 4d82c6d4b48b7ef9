//! People and companies that a scenario file declares once: a story of one candidate and twelve
//! checks, and what is said of whom.

use jiff::SignedDuration;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::compute;

use crate::scenario_files::problems;
use crate::scene::Scene;

pub(crate) const STORY: &str = include_str!("stories/one-candidate.toml");

/// An operation's path, a body, and members of the answer with their values.
type Check = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

/// What is answered of her at once, member by member; the other three of the twelve have scenarios.
const CHECKS: [Check; 9] = [
    (
        "identity/pan",
        r#"{"pan":"BNZPN2501F","name":"Meera Nair"}"#,
        &[("nameOnPan", "MEERA NAIR"), ("nameMatchScore", "1.0")],
    ),
    (
        "identity/voter",
        r#"{"epicNumber":"XYZ1234567"}"#,
        &[
            ("name", "MEERA NAIR"),
            ("fatherName", "SURESH NAIR"),
            ("age", "35"),
            ("gender", "FEMALE"),
        ],
    ),
    (
        "employment/uan-lookup",
        r#"{"mobile":"9876500001"}"#,
        &[("uanList", r#"["100987650001"]"#)],
    ),
    (
        "contact/email",
        r#"{"email":"meera.nair@example.com"}"#,
        &[("result", "deliverable")],
    ),
    (
        "financial/bank-account",
        r#"{"accountNumber":"501000123456","ifsc":"TEST0000001","nameToVerify":"Meera S Nair"}"#,
        &[("accountHolderName", "MEERA NAIR"), ("nameMatch", "true")],
    ),
    (
        "financial/credit-report",
        r#"{"pan":"BNZPN2501F","mobile":"9876500001","name":"MEERA NAIR","dateOfBirth":"02/04/1991",
            "consentArtifact":{"timestamp":"2026-01-05T06:30:00Z","ip":"203.0.113.1","messageId":"m"}}"#,
        &[],
    ),
    (
        "company/mca/master",
        r#"{"cin":"U17110KL2012PTC000321"}"#,
        &[
            ("companyName", "ACME TEXTILES PRIVATE LIMITED"),
            ("incorporationDate", "2012-06-01"),
        ],
    ),
    (
        "company/mca/cin-lookup",
        r#"{"companyName":"acme textiles  private limited"}"#,
        &[("matches.0.cin", "U17110KL2012PTC000321")],
    ),
    (
        "identity/mobile-otp-s/start",
        r#"{"mobile":"9876500001"}"#,
        &[],
    ),
];

#[test]
fn one_candidate_and_twelve_checks_are_one_short_file() {
    assert!(STORY.lines().count() < 40);
    let scene = Scene::with(STORY);
    for (path, body, members) in CHECKS {
        let path = format!("/v1/verify/{path}");
        let answer = scene.post(&path, body).send();
        assert_eq!(answer.outcome(), "200 completed", "{path} {answer}");
        for (member, value) in members {
            assert_eq!(answer.at(&format!("data.{member}")), *value, "{path}");
        }
    }
}

#[test]
fn the_story_stands_in_the_book_as_it_is_tested() {
    let page = include_str!("../../../docs/src/scenarios/people.md");
    assert!(page.contains(STORY), "copy the file into the page");
}

#[test]
fn the_book_lists_what_can_be_said_of_whom() {
    let page = include_str!("../../../docs/src/scenarios/people.md");
    let contract = svc_fixtures::contract::Contract::built_in();
    let (files, functions) = (svc_fixtures::embedded::answers(), compute::signatures());
    let answers =
        Answers::read(&files, &contract, &functions, WorldRows::built_in()).expect("they read");
    for (role, character) in &answers.cast {
        let names: Vec<_> = character
            .attributes
            .keys()
            .map(|name| format!("`{name}`"))
            .collect();
        let row = format!("| `[{role}.…]` | {} |", names.join(", "));
        assert!(page.contains(&row), "write in the page:\n{row}");
    }
}

#[test]
fn her_scenarios_hold_for_her_and_nobody_else() {
    let scene = Scene::with(STORY);
    let licence = |number: &str| {
        let body = format!(r#"{{"dlNumber":"{number}","dateOfBirth":"02/04/1991"}}"#);
        scene.post("/v1/verify/identity/dl", &body).send()
    };
    assert_eq!(
        licence("KL0720150004567").outcome(),
        "504 SVC_SOURCE_TIMEOUT"
    );
    let second = licence("KL0720150004567");
    assert_eq!(second.at("data.status"), "SUSPENDED");
    assert_eq!(second.at("data.name"), "MEERA NAIR");
    assert_eq!(licence("KL0720150004568").at("data.status"), "ACTIVE");
}

#[test]
fn her_history_arrives_by_webhook_with_her_company_in_it() {
    let scene = Scene::with(STORY);
    let uan = "/v1/verify/employment/uan";
    let first = scene.post(uan, r#"{"uan":"100987650001"}"#).send();
    assert_eq!(first.outcome(), "202 pending");
    scene.advance("local", SignedDuration::from_secs(120));
    let path = format!("/v1/verifications/{}", first.id());
    let last = scene.get(&path).send();
    assert_eq!(last.at("data.memberName"), "MEERA NAIR");
    assert_eq!(last.at("data.dateOfBirth"), "1991-04-02");
    let employer = last.at("data.employmentHistory.0.establishmentName");
    assert_eq!(employer, "ACME TEXTILES PRIVATE LIMITED");
    assert_ne!(last.at("data.employmentHistory.2.doj"), "");
    assert_eq!(last.at("data.employmentHistory.3"), "");
}

#[test]
fn what_is_made_of_a_record_that_a_scenario_adds_adds_up() {
    let scene = Scene::with(STORY);
    let body = r#"{"name":"meera  nair"}"#;
    let answer = scene.post("/v1/screen/court-records", body).send();
    let at = |path: &str| answer.at(&format!("data.{path}"));
    assert_eq!(at("verdict"), "RECORDS_FOUND");
    assert_eq!(
        (at("cases_total"), at("tier_counts.low")),
        ("1".into(), "1".into())
    );
    assert_eq!(at("candidate.name"), "meera  nair");
}

#[test]
fn what_nobody_said_of_her_is_the_same_whatever_she_is_asked_for_by() {
    let scene = Scene::with(STORY);
    let voter = r#"{"epicNumber":"XYZ1234567"}"#;
    let licence = r#"{"dlNumber":"KL0720150004567","dateOfBirth":"02/04/1991"}"#;
    let address = |path: &str, body: &str| {
        let path = format!("/v1/verify/identity/{path}");
        scene.post(&path, body).send();
        scene.post(&path, body).send().at("data.address")
    };
    let home = address("voter", voter);
    assert_ne!(home, "");
    assert_eq!(home, address("dl", licence));
}

#[test]
fn the_later_steps_of_a_flow_speak_of_her_too() {
    let scene = Scene::with(STORY);
    let step = |name: &str, body: String| {
        let path = format!("/v1/verify/identity/mobile-otp/{name}");
        scene.post(&path, &body).send()
    };
    let start = step("start", r#"{"mobile":"9876500001"}"#.to_owned());
    let id = start.at("data.request_id");
    step(
        "verify",
        format!(r#"{{"request_id":"{id}","otp":"123456"}}"#),
    );
    let fetched = step("fetch", format!(r#"{{"request_id":"{id}"}}"#));
    assert_eq!(fetched.at("data.name"), "MEERA NAIR");
    assert_eq!(fetched.at("data.date_of_birth"), "02-04-1991");
}

#[test]
fn a_value_can_be_shared_and_taken_from_a_person() {
    let scene = Scene::with(
        r#"
        [values]
        closed = { accountActive = false }
        [person.meera]
        name = "MEERA NAIR"
        pan = "BNZPN2501F"
        accountNumber = "501000123456"
        [[scenario]]
        name = "closed"
        operation = "verify.financial.bank-account"
        when = { accountNumber = "$meera.accountNumber" }
        then = { success = "$closed", provider = "$$5 bank" }
        "#,
    );
    let body = r#"{"accountNumber":"501000123456","ifsc":"TEST0000001"}"#;
    let answer = scene.post("/v1/verify/financial/bank-account", body).send();
    assert_eq!(answer.at("data.accountActive"), "false");
    assert_eq!(answer.at("data.accountHolderName"), "MEERA NAIR");
    assert_eq!(answer.at("meta.provider"), "$5 bank");
}

#[test]
fn the_first_file_says_who_somebody_is() {
    let mut files = svc_simulator::engine::call::rules::Files::built_in();
    for (at, name) in ["FIRST ONE", "SECOND ONE"].into_iter().enumerate() {
        let text = format!("[person.x]\nname = \"{name}\"\npan = \"BNZPN2501F\"\n");
        let file = svc_fixtures::reading::Source::new(format!("{at}/x.toml"), text);
        files.scenarios.insert(at, file);
    }
    let scene = Scene::of_files(&files);
    let answer = scene.pan(r#"{"pan":"BNZPN2501F"}"#).send();
    assert_eq!(answer.at("data.nameOnPan"), "FIRST ONE");
}

#[test]
fn mistakes_about_people_and_values_are_reported_with_what_was_meant() {
    insta::assert_snapshot!(problems(
        r#"
[values]
late = "3s"
later = "$late"
unused = 1

[person.meera]
nam = "MEERA NAIR"
date_of_birth = "02/04/1991"
pan = "BNZPM"
mobile = 9876500001
company = "acne"

[person.meera2]
mobile = "9876500001"

[person.meera3]
mobile = "9876500001"

[company.acme]
name = "ACME"
employees = "many"

[company.meera]
cin = "U17110KL2012PTC000321"

[persons.other]
pan = "AAAAA0001A"

[[scenario]]
name = "a"
operation = "verify.identity.pan"
when = { who = "mera", pan = "$pam" }
then = { success = {}, delay = "$lat" }

[[scenario]]
name = "b"
operation = "verify.identity.pan"
then = { success = {}, delay = "$later" }
"#
    ), @r#"
    error: the value `late` is used nowhere
     --> mine.toml:3:1
      |
    3 | late = "3s"
      | ^^^^
      |
      = help: write "$late" where it is meant, or remove it

    error: the value `unused` is used nowhere
     --> mine.toml:5:1
      |
    5 | unused = 1
      | ^^^^^^
      |
      = help: write "$unused" where it is meant, or remove it

    error: somebody is called `meera` already, at mine.toml:24
     --> mine.toml:7:1
      |
    7 | [person.meera]
      | ^^^^^^^^^^^^^^
      |
      = help: everybody has one name in a folder: take one of them away, or name them apart

    error: of a person `nam` is not known
     --> mine.toml:8:1
      |
    8 | nam = "MEERA NAIR"
      | ^^^
      |
      = help: did you mean `name`?

    error: `date_of_birth` is a date YYYY-MM-DD, and this is not
     --> mine.toml:9:17
      |
    9 | date_of_birth = "02/04/1991"
      |                 ^^^^^^^^^^^^

    error: a call with this value is refused
      --> mine.toml:10:7
       |
    10 | pan = "BNZPM"
       |       ^^^^^^^
       |
       = help: `pan` must be 5 letters, 4 digits and a letter

    error: `mobile` is a string, and this is not
      --> mine.toml:11:10
       |
    11 | mobile = 9876500001
       |          ^^^^^^^^^^

    error: in this folder the company `acne` is not known
      --> mine.toml:12:11
       |
    12 | company = "acne"
       |           ^^^^^^
       |
       = help: did you mean `acme`?

    error: "9876500001" is asked for as `meera2` at mine.toml:14, too: whose is it?
      --> mine.toml:17:1
       |
    17 | [person.meera3]
       | ^^^^^^^^^^^^^^^

    error: `employees` is a whole number, and this is not
      --> mine.toml:22:13
       |
    22 | employees = "many"
       |             ^^^^^^

    error: `persons` is not known here
      --> mine.toml:27:2
       |
    27 | [persons.other]
       |  ^^^^^^^
       |
       = help: did you mean `person`?

    error: in this folder the name `mera` is not known
      --> mine.toml:33:16
       |
    33 | when = { who = "mera", pan = "$pam" }
       |                ^^^^^^
       |
       = help: did you mean `meera`?

    error: the value `pam` is not known
      --> mine.toml:33:30
       |
    33 | when = { who = "mera", pan = "$pam" }
       |                              ^^^^^^
       |
       = help: known here: acme.employees, acme.name, late, later, meera.cin, meera.company, meera.date_of_birth, meera.mobile, meera.nam, meera.pan, meera2.mobile, meera3.mobile, unused (a text that begins with `$` is written with `$$`)

    error: the value `lat` is not known
      --> mine.toml:34:32
       |
    34 | then = { success = {}, delay = "$lat" }
       |                                ^^^^^^
       |
       = help: did you mean `late`? (a text that begins with `$` is written with `$$`)

    error: `later` stands for another name, and a name stands for a value
      --> mine.toml:39:32
       |
    39 | then = { success = {}, delay = "$later" }
       |                                ^^^^^^^^
       |
       = help: write the value itself

    15 mistakes found
    "#);
}

#[test]
fn the_call_log_says_whom_an_answer_that_no_scenario_names_is_about() {
    let scene = Scene::with(STORY);
    let because = |path: &str, body: &str| {
        let answer = scene.post(path, body).send();
        let because = scene.environment("local", Environment::Test, |state| {
            let log = state.verifications.log();
            log.last().map(|(call, _)| call.because.to_string())
        });
        (because.unwrap_or_default(), answer.at("data.request_id"))
    };
    let (hers, _) = because("/v1/verify/identity/pan", r#"{"pan":"BNZPN2501F"}"#);
    insta::assert_snapshot!(hers, @r#"no scenario names this input; it is about person "meera" (user.toml:2)"#);
    let (nobodys, _) = because("/v1/verify/identity/pan", r#"{"pan":"BNZPM2502F"}"#);
    assert_eq!(nobodys, "no scenario names this input");
    // So it is in a later step of a flow, which says nothing of her itself.
    let begins = "/v1/verify/identity/mobile-otp/start";
    let (_, issued) = because(begins, r#"{"mobile":"9876500001"}"#);
    let goes_on = format!(r#"{{"request_id":"{issued}","otp":"123456"}}"#);
    let (later, _) = because("/v1/verify/identity/mobile-otp/verify", &goes_on);
    assert!(later.contains("it is about person \"meera\" ("), "{later}");
}

#[test]
fn the_directors_of_every_company_that_has_a_story_list_it_under_its_own_number() {
    for seed in ["", "other"] {
        let scene = Scene::seeded(seed);
        let rules = scene.host.rules();
        let companies = rules.scenarios.people.all().iter();
        let companies = companies.filter_map(|it| Some((&it.name, it.said.get("cin")?.as_text()?)));
        let mut listed = 0;
        for (name, cin) in companies {
            let asked = format!(r#"{{"cin":"{cin}"}}"#);
            let signs = scene
                .post("/v1/verify/company/mca/signatories", &asked)
                .send();
            let dins = (0..5).map(|at| signs.at(&format!("data.directors.{at}.din")));
            for din in dins.filter(|din| !din.is_empty()) {
                let asked = format!(r#"{{"din":"{din}"}}"#);
                let director = scene.post("/v1/verify/company/roc/director", &asked).send();
                let lists = director.at("data.companies");
                assert!(lists.contains(cin), "{name}, {din}: {lists}");
                listed += 1;
            }
        }
        assert!(listed > 10, "{listed}");
    }
}

#[test]
fn the_number_of_a_dealer_is_no_code_of_a_bank_and_no_account_although_it_is_written_like_one() {
    const FROZEN: &str = r#"
        [company.frozen]
        name = "KETHURA BUILDERS PRIVATE LIMITED"
        accountNumber = "917020034418"
        tinNumber = "27820128401"

        [[scenario]]
        name = "an account that is frozen"
        operation = "verify.financial.bank-account-v1"
        when = { who = "frozen" }
        then = { success = { acValidationStatus = "ACCOUNT_INVALID" } }
    "#;
    let scene = Scene::with(FROZEN);
    let asked = |ifsc: &str, account: &str| {
        let body = format!(r#"{{"ifsc":"{ifsc}","accountNumber":"{account}"}}"#);
        let answer = scene
            .post("/v1/verify/financial/bank-account-v1", &body)
            .send();
        let status = answer.at("data.acValidationStatus");
        (status, answer.at("data.nameAtBank").contains("KETHURA"))
    };
    let said = [
        asked("TEST0000001", "917020034418"),
        asked("27820128401", "917020034000"),
        asked("TEST0000001", "27820128401"),
    ];
    let [invalid, valid] = ["ACCOUNT_INVALID", "ACCOUNT_VALID"].map(str::to_owned);
    assert_eq!(
        said,
        [(invalid, true), (valid.clone(), false), (valid, false)]
    );
    // Whoever has both is one.
    let dealer = r#"{"tinNumber":"27820128401"}"#;
    let dealer = scene.post("/v1/verify/company/tin", dealer).send();
    assert_eq!(
        dealer.at("data.dealerName"),
        "KETHURA BUILDERS PRIVATE LIMITED"
    );
}
