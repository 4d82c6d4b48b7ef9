//! What the conditions of scenario files hold for: ranges, what was not sent, what stands inside a
//! field, headers, accounts and environments.

use svc_simulator::engine::call::request::Header;

use crate::scenario_files::problems;
use crate::scene::Scene;

const HIT: &str = "422 SVC_NO_RECORD_FOUND";
const MISS: &str = "200 completed";

/// A scene in which this input of this operation has no record.
fn scene(operation: &str, when: &str) -> Scene {
    Scene::with(&format!(
        r#"
        [[scenario]]
        name = "it"
        operation = "{operation}"
        when = {{ {when} }}
        then = {{ error = "SVC_NO_RECORD_FOUND" }}
        "#
    ))
}

/// What each body is answered.
fn assert_hits(operation: &str, when: &str, bodies: &[(&str, bool)]) {
    let scene = scene(operation, when);
    let path = format!("/v1/{}", operation.replace('.', "/"));
    for (body, hit) in bodies {
        let wanted = if *hit { HIT } else { MISS };
        assert_eq!(scene.post(&path, body).outcome(), wanted, "{when}: {body}");
    }
}

#[test]
fn a_number_is_named_by_a_range_with_its_bounds_or_without() {
    let body =
        |months: u32| format!(r#"{{"establishmentId":"KABNG0000000077","months":{months}}}"#);
    for (when, hits) in [
        (
            "months = { at_least = 3, at_most = 5 }",
            [false, true, true, false],
        ),
        (
            "months = { above = 3, below = 6 }",
            [false, false, true, false],
        ),
        ("months = { at_least = 6 }", [false, false, false, true]),
        ("months = 3", [false, true, false, false]),
    ] {
        let bodies = [2, 3, 5, 6].map(body);
        let bodies: Vec<_> = bodies.iter().map(String::as_str).zip(hits).collect();
        assert_hits("verify.employment.epfo-establishment", when, &bodies);
    }
}

#[test]
fn one_number_is_written_in_two_ways() {
    let body = |threshold: &str| {
        format!(
            r#"{{"accountNumber":"501000123456","ifsc":"TEST0000001","nameToVerify":"A","threshold":{threshold}}}"#
        )
    };
    let [whole, point, other] = ["1", "1.0", "0.5"].map(body);
    for when in ["threshold = 1", "threshold = 1.0"] {
        let bodies = [(whole.as_str(), true), (&point, true), (&other, false)];
        assert_hits("verify.financial.bank-hybrid", when, &bodies);
    }
}

#[test]
fn a_default_counts_as_sent() {
    let when = "months = { at_least = 6, at_most = 6 }";
    let bodies = [(r#"{"establishmentId":"KABNG0000000077"}"#, true)];
    assert_hits("verify.employment.epfo-establishment", when, &bodies);
}

#[test]
fn a_range_holds_for_numbers_that_are_sent_as_texts() {
    let body = |latitude: &str| format!(r#"{{"latitude":"{latitude}","longitude":"70.5"}}"#);
    let [inside, outside] = ["12.5", "13.01"].map(body);
    let when = "latitude = { at_least = 12, at_most = 13 }";
    assert_hits(
        "verify.address.geocode",
        when,
        &[(&inside, true), (&outside, false)],
    );
}

#[test]
fn what_was_not_sent_can_be_asked_for() {
    let bodies = [
        (r#"{"pan":"BNZPN2501F"}"#, true),
        (r#"{"pan":"BNZPN2501F","name":"Meera"}"#, false),
    ];
    assert_hits("verify.identity.pan", "name = { absent = true }", &bodies);
    let turned = bodies.map(|(body, hit)| (body, !hit));
    assert_hits("verify.identity.pan", "name = { absent = false }", &turned);
}

#[test]
fn what_stands_inside_an_object_is_named_by_its_path() {
    let body = |ip: &str| {
        format!(
            r#"{{"pan":"BNZPN2501F","mobile":"9876500001","name":"A","dateOfBirth":"02/04/1991",
            "consentArtifact":{{"timestamp":"t","ip":"{ip}","messageId":"m"}}}}"#
        )
    };
    let [here, there] = ["203.0.113.7", "198.51.100.7"].map(body);
    for when in [
        r#""consentArtifact.ip" = "203.0.113.7""#,
        r#""consentArtifact.ip" = { starts_with = "203." }"#,
    ] {
        let bodies = [(here.as_str(), true), (there.as_str(), false)];
        assert_hits("verify.financial.credit-report", when, &bodies);
    }
}

#[test]
fn members_that_no_row_names_can_be_asked_for_too() {
    let body = |fields: &str| {
        format!(r#"{{"imageUrls":["https://a.example/x.png"],"textFields":{fields}}}"#)
    };
    let [with, other, without] = [r#"{"name":"A"}"#, r#"{"name":"B"}"#, "{}"].map(body);
    let operation = "verify.document.forgery";
    let bodies = [(with.as_str(), true), (&other, false), (&without, false)];
    assert_hits(operation, r#""textFields.name" = "A""#, &bodies);
    let bodies = [(with.as_str(), false), (&without, true)];
    assert_hits(
        operation,
        r#""textFields.name" = { absent = true }"#,
        &bodies,
    );
}

#[test]
fn an_item_of_a_list_is_named_by_its_place_and_any_item_by_none() {
    let body = |urls: &str| format!(r#"{{"urls":[{urls}]}}"#);
    let [first, second] = [
        r#""https://a.example/x.png","https://a.example/y.png""#,
        r#""https://a.example/y.png","https://a.example/x.png""#,
    ]
    .map(body);
    let operation = "verify.document.kyc-ocr-s";
    let both = [(first.as_str(), true), (second.as_str(), true)];
    assert_hits(operation, r#""urls[]" = { path_ends = "/x.png" }"#, &both);
    assert_hits(operation, r#"urls = { path_ends = "/x.png" }"#, &both);
    let only = [(first.as_str(), true), (second.as_str(), false)];
    assert_hits(operation, r#""urls[0]" = { path_ends = "/x.png" }"#, &only);
}

#[test]
fn an_account_can_be_named_alone() {
    let scene = scene(
        "verify.identity.pan",
        r#"account = ["local_worker7", "broke"]"#,
    );
    let pan = || scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    assert_eq!(pan().by("local_worker7").outcome(), HIT);
    assert_eq!(pan().by("broke").outcome(), HIT);
    assert_eq!(pan().by("local_worker70").outcome(), MISS);
    let scene = self::scene(
        "verify.identity.pan",
        r#"account = { starts_with = "local_" }"#,
    );
    let pan = || scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    assert_eq!(pan().by("local_worker70").outcome(), HIT);
    assert_eq!(pan().outcome(), MISS);
}

#[test]
fn an_environment_can_be_named_alone() {
    let scene = scene("verify.identity.pan", r#"environment = "live""#);
    let pan = || scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    assert_eq!(pan().live().outcome(), HIT);
    assert_eq!(pan().outcome(), MISS);
}

#[test]
fn a_header_can_be_asked_for_in_any_case() {
    let scene = scene(
        "verify.identity.pan",
        r#"header."x-reference-id" = { starts_with = "order-" }"#,
    );
    let pan = || scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    assert_eq!(pan().reference("order-7").outcome(), HIT);
    assert_eq!(pan().reference("Order-7").outcome(), MISS);
    assert_eq!(pan().outcome(), MISS);
    let scene = self::scene(
        "verify.identity.pan",
        r#"header."Idempotency-Key" = { absent = true }"#,
    );
    let pan = || scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    assert_eq!(pan().outcome(), HIT);
    assert_eq!(pan().idempotency("k").outcome(), MISS);
    let charset = r#"header."Content-Type" = { contains = "utf-8" }"#;
    let scene = self::scene("verify.identity.pan", charset);
    let sent = b"application/json; charset=utf-8";
    let pan = scene.pan(r#"{"pan":"BNZPN2501F"}"#);
    let pan = pan.headers(|headers| headers.content_type = Header::One(sent));
    assert_eq!(pan.outcome(), HIT);
}

#[test]
fn the_steps_of_a_bundle_are_asked_for_as_their_bundle_is() {
    let scene = scene(
        "screen.email-fraud",
        r#"account = "broke", header."X-Reference-Id" = "r""#,
    );
    let body = r#"{"mobile":"9000000005","email":"a@example.com","name":"CLEAN PERSON"}"#;
    let fraud = || scene.post("/v1/bundles/fraud-check", body).reference("r");
    let steps = |answer: crate::scene::Answer| {
        let json = answer.at("data.steps");
        json.contains("SVC_NO_RECORD_FOUND")
    };
    let has_email = scene.host.rules().contract.bundles.iter().any(|bundle| {
        bundle.slug == "fraud-check" && bundle.steps.iter().any(|step| step == "screen.email-fraud")
    });
    assert!(has_email, "the bundle has another step now: take that");
    let found = fraud().by("broke").send();
    assert!(steps(found.clone()), "{found}");
    assert!(!steps(fraud().send()));
}

#[test]
fn all_conditions_must_hold() {
    let when = r#"pan = "BNZPN2501F", name = { absent = true }, environment = "test""#;
    let bodies = [
        (r#"{"pan":"BNZPN2501F"}"#, true),
        (r#"{"pan":"BNZPM2502F"}"#, false),
        (r#"{"pan":"BNZPN2501F","name":"x"}"#, false),
    ];
    assert_hits("verify.identity.pan", when, &bodies);
}

#[test]
fn mistakes_in_conditions_are_reported_with_what_to_write() {
    insta::assert_snapshot!(problems(
        r#"
[[scenario]]
name = "a"
operation = "verify.financial.credit-report"
when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
then = { success = {} }

[[scenario]]
name = "b"
operation = "verify.employment.epfo-establishment"
when = { months = { at_least = 5, below = 5, contains = "5" }, establishmentId = { at_least = 3 } }
then = { success = {} }

[[scenario]]
name = "c"
operation = "verify.identity.pan"
when = { pan = { absent = true, present = false }, account = 7, environment = "prod", header = "x" }
then = { success = {} }

[[scenario]]
name = "d"
operation = "verify.identity.pan"
when = { pan = "AAAAA", header.X-Reference-ID = "r", header.Authorization = "x" }
then = { success = {} }

[[scenario]]
name = "e"
operation = "verify.identity.pan"
when = { pan = { absent = true }, who = "asha" }
then = { success = {}, delay = { from = "3s", to = "1s" } }

[[scenario]]
name = "f"
operation = "verify.employment.epfo-establishment"
when = { months = "6" }
then = { success = {}, delay = 3 }

[[scenario]]
name = "g"
operation = "verify.employment.epfo-establishment"
when = { months = { absent = true } }
then = { success = {}, delay = "typicaly" }

[[scenario]]
name = "h"
operation = "*"
when = { any_identifier = ["a ZZZZZ0000Z b", "AAAAA0001A"] }
then = { success = {} }
"#
    ), @r#"
    error: what stands inside a field is named by a path
     --> mine.toml:5:10
      |
    5 | when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
      |          ^^^^^^^^^^^^^^^
      |
      = help: write `"consentArtifact.ip" = …`, in quotes

    error: this path leads nowhere
     --> mine.toml:5:70
      |
    5 | when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
      |                                                                      ^^^
      |
      = help: inside `consentArtifact` there is timestamp, ip, messageId

    error: this path leads nowhere
     --> mine.toml:5:98
      |
    5 | when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
      |                                                                                                  ^^^
      |
      = help: inside `consentArtifact` there is timestamp, ip, messageId

    error: this path leads nowhere
     --> mine.toml:5:113
      |
    5 | when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
      |                                                                                                                 ^^^
      |
      = help: `pan` is a value without parts

    error: a path is names between dots: `address.city`, `list[0].name`, `list[].name`
     --> mine.toml:5:127
      |
    5 | when = { consentArtifact.ip = "203.0.113.7", "consentArtifact.ipp" = "x", "consentArtifact[0]" = "x", "pan.x" = "y", "pan[" = "z" }
      |                                                                                                                               ^^^
      |
      = help: write `list[].name` or `list[0]`

    error: this never holds: no number is in this range
      --> mine.toml:11:19
       |
    11 | when = { months = { at_least = 5, below = 5, contains = "5" }, establishmentId = { at_least = 3 } }
       |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: `contains` is a test of texts, and this field is a number
      --> mine.toml:11:57
       |
    11 | when = { months = { at_least = 5, below = 5, contains = "5" }, establishmentId = { at_least = 3 } }
       |                                                         ^^^

    error: a range is a test of numbers, and this field is a string
      --> mine.toml:11:95
       |
    11 | when = { months = { at_least = 5, below = 5, contains = "5" }, establishmentId = { at_least = 3 } }
       |                                                                                               ^

    error: `present` and `absent` say the same: one of them is enough
      --> mine.toml:17:27
       |
    17 | when = { pan = { absent = true, present = false }, account = 7, environment = "prod", header = "x" }
       |                           ^^^^

    error: this field is a string, and this is an integer
      --> mine.toml:17:62
       |
    17 | when = { pan = { absent = true, present = false }, account = 7, environment = "prod", header = "x" }
       |                                                              ^

    error: the environment `prod` is not known
      --> mine.toml:17:79
       |
    17 | when = { pan = { absent = true, present = false }, account = 7, environment = "prod", header = "x" }
       |                                                                               ^^^^^^
       |
       = help: known here: live, test

    error: a header is asked for by its name
      --> mine.toml:17:96
       |
    17 | when = { pan = { absent = true, present = false }, account = 7, environment = "prod", header = "x" }
       |                                                                                                ^^^
       |
       = help: write `header."X-Reference-Id" = …`

    error: this never holds: a call with this value is refused before any scenario is asked
      --> mine.toml:23:16
       |
    23 | when = { pan = "AAAAA", header.X-Reference-ID = "r", header.Authorization = "x" }
       |                ^^^^^^^
       |
       = help: `pan` must be 5 letters, 4 digits and a letter

    error: what stands in `Authorization` is a secret, and no rule looks at it
      --> mine.toml:23:77
       |
    23 | when = { pan = "AAAAA", header.X-Reference-ID = "r", header.Authorization = "x" }
       |                                                                             ^^^
       |
       = help: ask for the account that calls: `account = "local_worker7"`

    error: this never holds: `pan` must be sent
      --> mine.toml:29:16
       |
    29 | when = { pan = { absent = true }, who = "asha" }
       |                ^^^^^^^^^^^^^^^^^

    error: nobody is called `asha` in this folder
      --> mine.toml:29:41
       |
    29 | when = { pan = { absent = true }, who = "asha" }
       |                                         ^^^^^^
       |
       = help: declare them: `[person.asha]` and what they are asked for by

    error: a range ends after it begins
      --> mine.toml:30:52
       |
    30 | then = { success = {}, delay = { from = "3s", to = "1s" } }
       |                                                    ^^^^
       |
       = help: write "3s", "typical" or { from = "1s", to = "3s" }

    error: this field is a number, and this is a string
      --> mine.toml:35:19
       |
    35 | when = { months = "6" }
       |                   ^^^

    error: a delay is a text or a table
      --> mine.toml:36:32
       |
    36 | then = { success = {}, delay = 3 }
       |                                ^
       |
       = help: write "3s", "typical" or { from = "1s", to = "3s" }

    error: this never holds: `months` has a default and is always there
      --> mine.toml:41:19
       |
    41 | when = { months = { absent = true } }
       |                   ^^^^^^^^^^^^^^^^^

    error: "typicaly" is no delay
      --> mine.toml:42:32
       |
    42 | then = { success = {}, delay = "typicaly" }
       |                                ^^^^^^^^^^
       |
       = help: write "3s", "typical" or { from = "1s", to = "3s" }

    error: this never holds: what contains ZZZZZ0000Z is answered before any scenario is asked
      --> mine.toml:47:27
       |
    47 | when = { any_identifier = ["a ZZZZZ0000Z b", "AAAAA0001A"] }
       |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    22 mistakes found
    "#);
}
