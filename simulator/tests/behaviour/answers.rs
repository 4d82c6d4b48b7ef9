//! What a call answers: the envelope, ids, derived data.

use crate::scene::{START, Scene};

#[test]
fn a_known_pan_completes_on_the_sandbox() {
    let scene = Scene::new();
    let answer = scene
        .pan(r#"{"pan": "AAAAA0000A", "name": "Asha Rao"}"#)
        .reference("order-7")
        .send();
    insta::assert_snapshot!(answer, @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_74k1w7k5bgz2cv9kq77qxrdmk1",
      "referenceId": "order-7",
      "endpoint": "verify.identity.pan",
      "status": "completed",
      "data": {
        "pan": "AAAAA0000A",
        "name": "Asha Rao",
        "nameMatchScore": 1.0,
        "nameOnPan": "ASHA RAO",
        "category": "Individual",
        "panStatus": "VALID",
        "lastUpdated": "2025-04-11"
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 250
      }
    }
    "#);
}

#[test]
fn a_known_pan_is_charged_on_live() {
    let scene = Scene::new();
    let answer = scene
        .pan(r#"{"pan": "AAAAA0000A", "name": "Vikram Seth"}"#)
        .live()
        .send();
    insta::assert_snapshot!(answer, @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_zqha8dr9wnzhq1qj782qhm0zd5",
      "referenceId": null,
      "endpoint": "verify.identity.pan",
      "status": "completed",
      "data": {
        "pan": "AAAAA0000A",
        "name": "Vikram Seth",
        "nameMatchScore": 0.0,
        "nameOnPan": "ASHA RAO",
        "category": "Individual",
        "panStatus": "VALID",
        "lastUpdated": "2025-04-11"
      },
      "billing": {
        "charged": true,
        "amount": 2.5,
        "currency": "INR",
        "walletBalanceAfter": 99997.5
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "live",
        "latencyMs": 250
      }
    }
    "#);
}

#[test]
fn every_status_has_its_fixed_pan() {
    let scene = Scene::new();
    let outcome = |pan: &str| {
        let body = format!(r#"{{"pan": "{pan}"}}"#);
        scene.pan(&body).live().outcome()
    };
    let pans = [
        "AAAAA9999A",
        "AAAAA0422A",
        "AAAAA0500A",
        "AAAAA0502A",
        "AAAAA0503A",
        "AAAAA0504A",
        "BBBBB1234B",
    ];
    insta::assert_snapshot!(pans.map(outcome).join("\n"), @"
    422 SVC_NO_RECORD_FOUND
    422 SVC_NO_RECORD_FOUND
    500 SVC_INTERNAL_ERROR
    502 SVC_PROVIDER_ERROR
    503 SVC_SOURCE_UNAVAILABLE
    504 SVC_SOURCE_TIMEOUT
    200 completed
    ");
}

#[test]
fn an_identifier_with_the_sentinel_is_unavailable_whatever_its_format() {
    let scene = Scene::new();
    for body in [r#"{"pan": "ZZZZZ0000Z"}"#, r#"{"pan": "x ZZZZZ0000Z x"}"#] {
        assert_eq!(
            scene.pan(body).live().outcome(),
            "503 SVC_SOURCE_UNAVAILABLE",
            "{body}"
        );
    }
    let claimed = r#"{"pan": "AAAAA0000A", "name": "ZZZZZ0000Z"}"#;
    assert_eq!(
        scene.pan(claimed).outcome(),
        "200 completed",
        "a claimed name identifies nobody"
    );
}

#[test]
fn another_input_is_another_person_and_the_same_input_the_same() {
    let scene = Scene::new();
    let name = |body: &str| scene.pan(body).send().at("data.nameOnPan");
    assert_eq!(
        name(r#"{"pan": "BBBBB1234B"}"#),
        name(r#"{"pan": "BBBBB1234B"}"#)
    );
    let names: std::collections::BTreeSet<String> = (0..20)
        .map(|n| name(&format!(r#"{{"pan": "BBBBB12{n:02}B"}}"#)))
        .collect();
    assert!(names.len() > 10, "{names:?}");
}

#[test]
fn ids_depend_on_the_call_and_not_on_the_order_of_calls() {
    let pans: Vec<String> = (0..40)
        .map(|n| format!(r#"{{"pan": "CCCCC{:04}C"}}"#, n % 30))
        .collect();
    let run = |order: &[usize]| {
        let scene = Scene::new();
        let mut answers: Vec<String> = scene.runtime.block_on(async {
            let calls = order.iter().map(|&at| scene.pan(&pans[at]).ask());
            let answers = futures_util::future::join_all(calls).await;
            answers
                .iter()
                .map(|answer| format!("{} {}", answer.id(), answer.at("data")))
                .collect()
        });
        answers.sort();
        answers
    };
    let forwards: Vec<usize> = (0..40).collect();
    let backwards: Vec<usize> = (0..40).rev().collect();
    assert_eq!(run(&forwards), run(&backwards));
}

#[test]
fn asking_again_gives_a_new_id_and_another_seed_other_ids() {
    let body = r#"{"pan": "AAAAA0000A"}"#;
    let (scene, other) = (Scene::new(), Scene::seeded("other"));
    let (first, second) = (scene.pan(body).send().id(), scene.pan(body).send().id());
    assert_ne!(first, second);
    assert_eq!(Scene::new().pan(body).send().id(), first);
    assert_ne!(other.pan(body).send().id(), first);
    assert_ne!(scene.pan(body).live().send().id(), first);
    assert_ne!(scene.pan(body).by("local_b").send().id(), first);
}

#[test]
fn a_scenario_of_the_user_comes_before_the_built_in_ones() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "renamed"
        operation = "verify.identity.pan"
        when = { pan = "AAAAA9999A", name = "  asha   RAO " }
        then = { success = { nameOnPan = "RAO ASHA" }, provider = "source-7" }
        "#,
    );
    let answer = scene
        .pan(r#"{"pan": "AAAAA9999A", "name": "Asha Rao"}"#)
        .send();
    assert_eq!(
        (answer.outcome(), answer.at("data.nameOnPan")),
        ("200 completed".into(), "RAO ASHA".into())
    );
    assert_eq!(
        (answer.at("data.nameMatchScore"), answer.at("meta.provider")),
        ("0.9".into(), "source-7".into())
    );
    assert_eq!(
        scene.pan(r#"{"pan": "AAAAA9999A"}"#).outcome(),
        "422 SVC_NO_RECORD_FOUND"
    );
}

#[test]
fn a_sequence_goes_on_with_each_executed_call_and_stays_on_the_last() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "recovers"
        operation = "verify.identity.pan"
        when = { pan = "DDDDD0001D" }
        then = [{ error = "SVC_SOURCE_TIMEOUT" }, { error = "SVC_PROVIDER_ERROR" }, { success = {} }]
        "#,
    );
    let body = r#"{"pan": "DDDDD0001D"}"#;
    let outcomes = ["a", "a", "b", "c", "d"].map(|key| scene.pan(body).idempotency(key).outcome());
    insta::assert_snapshot!(outcomes.join("\n"), @"
    504 SVC_SOURCE_TIMEOUT
    504 SVC_SOURCE_TIMEOUT
    502 SVC_PROVIDER_ERROR
    200 completed
    200 completed
    ");
}

#[test]
fn an_answer_says_when_its_account_was_asked() {
    let scene = Scene::new();
    let answer = scene.pan(r#"{"pan": "AAAAA0000A"}"#).send();
    assert_eq!(answer.at("meta.createdAt"), format!("{START:.3}"));
}

#[test]
fn mail_is_the_same_in_capitals_and_small_letters_and_shown_as_it_was_sent() {
    let scene = Scene::new();
    let score = |address: &str| {
        let body = format!(r#"{{"email":"{address}"}}"#);
        let answer = scene.post("/v1/screen/email-fraud", &body).send();
        assert_eq!(answer.at("data.email"), address);
        ["fraudScore", "firstSeenDaysAgo", "disposable"].map(|it| answer.at(&format!("data.{it}")))
    };
    assert_eq!(score("John.Doe@GMAIL.com"), score("john.doe@gmail.com"));
    assert_ne!(score("john.doe@gmail.com"), score("john.roe@gmail.com"));
}

#[test]
fn money_that_is_not_sent_has_no_reference() {
    let scene = Scene::new();
    let reference = |program: &str| {
        let body = format!(
            r#"{{"ifsc":"HDFC0001234","accountNumber":"50100012345678","programId":"{program}"}}"#
        );
        let answer = scene
            .post("/v1/verify/financial/bank-account-v1", &body)
            .send();
        answer.at("data.utr").is_empty()
    };
    assert_eq!(["310", "311", "312"].map(reference), [false, true, false]);
}
