//! The file as people read it: whole, by snapshot. And what a wire does.

use svc_capture::{Arrived, TransportError};
use svc_simulator::learn::ReportedDifference;

use super::recorder::{Service, learned};

#[test]
fn a_day_at_another_service_is_a_file_that_people_would_write() {
    let rules = r#"
[person.meera]
name = "MEERA NAIR"
father_name = "SURESH NAIR"
date_of_birth = "1991-04-02"
pan = "BNZPN2501F"
mobile = "9876500001"
dlNumber = "KL0720150004567"

[[scenario]]
name = "lists"
operation = "screen.negative-diligence"
when = { name = "MEERA NAIR" }
then = { success = { categoriesHit = ["PEP"] } }

[[scenario]]
name = "down"
operation = "verify.utility.fastag"
when = { vehicleNumber = { ends_with = "9999" } }
then = { error = "SVC_SOURCE_UNAVAILABLE" }

[[scenario]]
name = "comes and goes"
operation = "verify.financial.ifsc"
when = { ifsc = "TEST0000001" }
then = [{ error = "SVC_SOURCE_TIMEOUT" }, { success = {}, delay = "5s" }]
"#;
    let calls = [
        ("verify.identity.pan", r#"{"pan":"BNZPN2501F"}"#),
        ("screen.mobile-silent", r#"{"mobile":"9876500001"}"#),
        (
            "verify.identity.dl",
            r#"{"dlNumber":"KL0720150004567","dateOfBirth":"02/04/1991"}"#,
        ),
        ("screen.negative-diligence", r#"{"name":"MEERA NAIR"}"#),
        ("verify.utility.fastag", r#"{"vehicleNumber":"KA05CD9999"}"#),
        ("verify.utility.fastag", r#"{"vehicleNumber":"MH12AB9999"}"#),
        ("verify.utility.fastag", r#"{"vehicleNumber":"TN01EF9999"}"#),
        ("verify.utility.fastag", r#"{"vehicleNumber":"KA01AB0001"}"#),
        ("verify.financial.ifsc", r#"{"ifsc":"TEST0000001"}"#),
        ("verify.financial.ifsc", r#"{"ifsc":"TEST0000001"}"#),
    ];
    let calls = calls.map(|(operation, body)| (operation, body.to_owned()));
    let learned = learned(&Service::new("", rules).record(&calls));
    assert_eq!(learned.fidelity.differences.len(), 0);
    insta::assert_snapshot!(learned.text.expect("there is something to learn"), @r#"
    # Learned from day.capture by `svc-simulator learn`, and written anew when that is learned
    # again: to change something, move it into a file of your own. It comes before this one, and is not learned again.

    # day.capture: exchange 1 (line 20), 2027-01-15 08:00:00 UTC, and 2 more
    [person.meera_nair]
    name = "MEERA NAIR"
    address = "129, GANDHI ROAD, NEHRU NAGAR, KOCHI, KERALA 682093"
    billing_type = "POSTPAID"
    circle = "KERALA"
    date_of_birth = "1991-04-02"
    father_name = "SURESH NAIR"
    licensed_on = "2015-12-12"
    network = "SANCHAR WIRELESS"
    other_mobile = "6912736307"
    dlNumber = "KL0720150004567"
    mobile = "9876500001"
    pan = "BNZPN2501F"

    # day.capture: exchange 1 (line 20), 2027-01-15 08:00:00 UTC
    [[scenario]]
    name = "verify.identity.pan: lastUpdated 2025-06-27 for meera_nair"
    operation = "verify.identity.pan"
    when = { who = "meera_nair" }
    then = { success = { lastUpdated = "2025-06-27" } }

    # day.capture: exchange 9 (line 308), 2027-01-15 08:00:08 UTC, and 1 more
    [[scenario]]
    name = "verify.financial.ifsc: SVC_SOURCE_TIMEOUT, then late for ifsc TEST0000001"
    operation = "verify.financial.ifsc"
    when = { ifsc = "TEST0000001" }
    then = [
      { error = "SVC_SOURCE_TIMEOUT" },
      { success = {}, delay = "5s" },
    ]

    # day.capture: exchange 4 (line 128), 2027-01-15 08:00:03 UTC
    [[scenario]]
    name = "screen.negative-diligence: matches for meera_nair"
    operation = "screen.negative-diligence"
    when = { who = "meera_nair" }
    then.success.matches = [
      { category = "PEP", source = "REGISTER OF PUBLIC OFFICE HOLDERS", name = "MEERA NAIR", matchScore = 0.91, details = "Held a public office within the last five years" },
    ]

    # day.capture: exchange 5 (line 164), 2027-01-15 08:00:04 UTC, and 2 more
    [[scenario]]
    name = "verify.utility.fastag: SVC_SOURCE_UNAVAILABLE for vehicleNumber …9999"
    operation = "verify.utility.fastag"
    when = { vehicleNumber = { ends_with = "9999" } }
    then = { error = "SVC_SOURCE_UNAVAILABLE" }
    "#);
}

#[test]
fn what_is_executed_again_under_one_key_is_a_sequence_and_what_is_answered_again_is_none() {
    let service = Service::new(
        "",
        r#"
        [[scenario]]
        name = "a toll office that fails once"
        operation = "verify.utility.fastag"
        then = [{ error = "SVC_INTERNAL_ERROR" }, { success = {} }]
        "#,
    );
    let call = (
        "verify.utility.fastag",
        r#"{"vehicleNumber":"MH12AB4411"}"#.to_owned(),
    );
    let mut capture = service.record(&vec![call; 2]);
    let again = capture.cases[1].clone();
    capture.cases.push(again);
    for case in &mut capture.cases {
        let key = ("idempotency-key".to_owned(), "one".to_owned());
        case.exchanges[0].request.headers.push(key);
    }
    let learned = learned(&capture);
    assert_eq!(learned.fidelity.percent(), 100.0);
    assert_eq!(learned.fidelity.executed_again, 1);
    let text = learned.text.expect("there is something to learn");
    let then = text.split_once("then").expect("a rule").1;
    insta::assert_snapshot!(then, @r#"
     success for vehicleNumber MH12AB4411"
    operation = "verify.utility.fastag"
    when = { vehicleNumber = "MH12AB4411" }
    then = [
      { error = "SVC_INTERNAL_ERROR" },
      { success = {} },
    ]
    "#);
}

#[test]
fn what_goes_wrong_on_the_wire_is_a_rule() {
    let calls = ["AB", "CD", "EF", "GH"].map(|it| {
        (
            "verify.utility.fastag",
            format!(r#"{{"vehicleNumber":"MH12{it}4411"}}"#),
        )
    });
    let mut capture = Service::new("", "").record(&calls);
    let came = |status, bytes, waited_ms| Arrived {
        status,
        bytes,
        waited_ms,
        garbage: false,
    };
    let garbage = Arrived {
        garbage: true,
        ..came(None, 0, 12)
    };
    let why = || "reset by peer".to_owned();
    let faults = [
        TransportError::Cut {
            why: why(),
            arrived: came(None, 0, 12),
        },
        TransportError::Cut {
            why: why(),
            arrived: came(Some(200), 120, 12),
        },
        TransportError::TimedOut(came(None, 0, 5000)),
        TransportError::Cut {
            why: "invalid HTTP version parsed".to_owned(),
            arrived: garbage,
        },
    ];
    for (case, fault) in capture.cases.iter_mut().zip(faults) {
        case.exchanges[0].response = Err(fault);
    }
    let learned = learned(&capture);
    assert_eq!(learned.fidelity.percent(), 100.0);
    let text = learned.text.expect("there is something to learn");
    let thens: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("then"))
        .collect();
    insta::assert_snapshot!(thens.join("\n"), @r#"
    then = { success = {}, wire = "reset" }
    then = { success = {}, wire = { cut_after = 120 } }
    then = { success = {}, wire = "never" }
    then = { success = {}, wire = "garbage" }
    "#);
}

#[test]
fn a_member_that_no_row_has_and_a_limit_that_passes_are_said() {
    let service = Service::new(
        "",
        r#"
        [[scenario]]
        name = "busy at first"
        operation = "verify.utility.fastag"
        then = [{ error = "SVC_RATE_LIMITED" }, { success = {} }]

        [[scenario]]
        name = "a newer version"
        operation = "verify.identity.pan"
        otherwise = true
        then = { success = { "a \"tier\"" = "FULL", panStatus = "INOPERATIVE" }, breaks_contract = true }
        "#,
    );
    let toll = r#"{"vehicleNumber":"MH12AB4411"}"#;
    let pan = |pan: &str| ("verify.identity.pan", format!(r#"{{"pan":"{pan}"}}"#));
    let learned = learned(&service.record(&[
        ("verify.utility.fastag", toll.to_owned()),
        ("verify.utility.fastag", toll.to_owned()),
        pan("CKZPI4821L"),
        pan("BNZPN2501F"),
        // Who was told to come again, and did not, is not told so for ever.
        ("verify.utility.fastag", toll.replace("44", "55")),
    ]));
    let is_alone = |it: &ReportedDifference| it.exchange == 5;
    assert!(learned.fidelity.differences.iter().all(is_alone));
    let text = learned.text.expect("there is something to learn");
    let rules = text.split_once("[[scenario]]").expect("a rule").1;
    insta::assert_snapshot!(rules, @r#"
    name = "verify.identity.pan: a \"tier\", panStatus for everybody else"
    operation = "verify.identity.pan"
    otherwise = true
    then = { success = { "a \"tier\"" = "FULL", panStatus = "INOPERATIVE" }, breaks_contract = true }

    # day.capture: exchange 1 (line 20), 2027-01-15 08:00:00 UTC, and 1 more
    [[scenario]]
    name = "verify.utility.fastag: SVC_RATE_LIMITED, then success for vehicleNumber MH12AB4411"
    operation = "verify.utility.fastag"
    when = { vehicleNumber = "MH12AB4411" }
    then = [
      { error = "SVC_RATE_LIMITED" },
      { success = {} },
    ]
    "#);
}
