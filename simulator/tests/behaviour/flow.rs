//! Flows: carried identifiers and the order of steps.

use jiff::SignedDuration;

use crate::scene::{Answer, Scene};

const START: &str = "/v1/verify/identity/mobile-otp/start";
const VERIFY: &str = "/v1/verify/identity/mobile-otp/verify";
const FETCH: &str = "/v1/verify/identity/mobile-otp/fetch";

fn start(scene: &Scene) -> String {
    scene
        .post(START, r#"{"mobile": "9000000001"}"#)
        .send()
        .at("data.request_id")
}

fn verify(scene: &Scene, id: &str, otp: &str) -> Answer {
    scene
        .post(
            VERIFY,
            &format!(r#"{{"request_id": "{id}", "otp": "{otp}"}}"#),
        )
        .send()
}

fn fetch(scene: &Scene, id: &str) -> Answer {
    scene
        .post(FETCH, &format!(r#"{{"request_id": "{id}"}}"#))
        .send()
}

#[test]
fn the_three_steps_in_order_bring_the_holder() {
    let scene = Scene::new();
    let id = start(&scene);
    assert_eq!(
        verify(&scene, &id, "000000").at("data.otp_validated"),
        "true"
    );
    insta::assert_snapshot!(fetch(&scene, &id), @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_04y30c942dkswc2d8d83yqbdx0",
      "referenceId": null,
      "endpoint": "verify.identity.mobile-otp.fetch",
      "status": "completed",
      "data": {
        "name": "ASHA RAO",
        "date_of_birth": "15-08-1990",
        "address": "12, 4TH CROSS, INDIRANAGAR, BENGALURU, KARNATAKA 560038",
        "alt_contact": "9000000101",
        "provider": "INDUS CELLULAR",
        "type": "POSTPAID",
        "paymentHistory": [
          {
            "month": "2026-12",
            "amount": 449,
            "status": "PAID"
          },
          {
            "month": "2026-11",
            "amount": 566,
            "status": "PAID"
          },
          {
            "month": "2026-10",
            "amount": 852,
            "status": "PAID"
          },
          {
            "month": "2026-09",
            "amount": 466,
            "status": "PAID"
          },
          {
            "month": "2026-08",
            "amount": 802,
            "status": "PAID"
          },
          {
            "month": "2026-07",
            "amount": 570,
            "status": "PAID"
          },
          {
            "month": "2026-06",
            "amount": 821,
            "status": "PAID"
          },
          {
            "month": "2026-05",
            "amount": 768,
            "status": "PAID"
          },
          {
            "month": "2026-04",
            "amount": 340,
            "status": "PAID"
          },
          {
            "month": "2026-03",
            "amount": 616,
            "status": "PAID"
          }
        ]
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 2000
      }
    }
    "#);
}

#[test]
fn a_wrong_otp_is_answered_and_does_not_open_the_next_step() {
    let scene = Scene::new();
    let id = start(&scene);
    let wrong = verify(&scene, &id, "1111");
    assert_eq!(
        (wrong.outcome(), wrong.at("data.otp_validated")),
        ("200 completed".into(), "false".into())
    );
    let early = fetch(&scene, &id);
    assert_eq!(early.outcome(), "400 SVC_INVALID_INPUT");
    insta::assert_snapshot!(early.at("error.message"), @"request_id: call verify.identity.mobile-otp.verify successfully first");
    verify(&scene, &id, "123456");
    assert_eq!(fetch(&scene, &id).outcome(), "200 completed");
}

#[test]
fn an_id_that_was_not_issued_here_leads_nowhere() {
    let scene = Scene::new();
    let id = start(&scene);
    insta::assert_snapshot!(verify(&scene, "req_unknown", "000000").at("error.message"), @"request_id: was not issued to this account; call verify.identity.mobile-otp.start first");
    let body = format!(r#"{{"request_id": "{id}", "otp": "000000"}}"#);
    assert_eq!(
        scene.post(VERIFY, &body).by("local_b").outcome(),
        "400 SVC_INVALID_INPUT"
    );
    assert_eq!(
        scene.post(VERIFY, &body).live().outcome(),
        "400 SVC_INVALID_INPUT"
    );
}

#[test]
fn later_steps_have_fixed_inputs_too() {
    let scene = Scene::new();
    let outcomes = [
        "status-422",
        "status-500",
        "status-502",
        "status-503",
        "status-504",
        "ZZZZZ0000Z",
    ]
    .map(|id| {
        format!(
            "{id}: {} {}",
            verify(&scene, id, "000000").outcome(),
            fetch(&scene, id).outcome()
        )
    });
    insta::assert_snapshot!(outcomes.join("\n"), @"
    status-422: 422 SVC_NO_RECORD_FOUND 422 SVC_NO_RECORD_FOUND
    status-500: 500 SVC_INTERNAL_ERROR 500 SVC_INTERNAL_ERROR
    status-502: 502 SVC_PROVIDER_ERROR 502 SVC_PROVIDER_ERROR
    status-503: 503 SVC_SOURCE_UNAVAILABLE 503 SVC_SOURCE_UNAVAILABLE
    status-504: 504 SVC_SOURCE_TIMEOUT 504 SVC_SOURCE_TIMEOUT
    ZZZZZ0000Z: 503 SVC_SOURCE_UNAVAILABLE 503 SVC_SOURCE_UNAVAILABLE
    ");
}

#[test]
fn what_a_step_asks_for_is_checked() {
    let scene = Scene::new();
    let message = |body: &str| scene.post(START, body).send().at("error.message");
    insta::assert_snapshot!(message(r#"{"mobile": "9000000001", "consent": "n"}"#), @r#"`consent` must be "y""#);
    insta::assert_snapshot!(verify(&scene, "x", "00000").at("error.message"), @"`otp` must be 4 or 6 digits");
}

#[test]
fn each_start_has_an_id_of_its_own_and_the_same_holder() {
    let scene = Scene::new();
    let (first, second) = (start(&scene), start(&scene));
    assert_ne!(first, second);
    verify(&scene, &first, "000000");
    assert_eq!(fetch(&scene, &second).outcome(), "400 SVC_INVALID_INPUT");
}

#[test]
fn an_otp_ends_ten_minutes_after_it_was_sent_by_the_account_s_clock() {
    let scene = Scene::new();
    let (known, late) = (start(&scene), start(&scene));
    scene.advance("local", SignedDuration::from_millis(599_999));
    assert_eq!(verify(&scene, &known, "000000").outcome(), "200 completed");
    scene.advance("local", SignedDuration::from_millis(1));
    insta::assert_snapshot!(verify(&scene, &late, "000000").at("error.message"), @"otp: ended 10m after it was sent; call verify.identity.mobile-otp.start again");
    assert_eq!(fetch(&scene, &known).outcome(), "200 completed");
}

#[test]
fn after_five_wrong_tries_no_otp_is_right_any_more() {
    let scene = Scene::new();
    let (four, five) = (start(&scene), start(&scene));
    for (id, tries) in [(&four, 4), (&five, 5)] {
        for _ in 0..tries {
            let answer = verify(&scene, id, "111111");
            assert_eq!(answer.at("data.otp_validated"), "false");
        }
    }
    assert_eq!(verify(&scene, &four, "000000").outcome(), "200 completed");
    insta::assert_snapshot!(verify(&scene, &five, "000000").at("error.message"), @"otp: was wrong 5 times and is no longer taken; call verify.identity.mobile-otp.start again");
    assert_eq!(fetch(&scene, &five).outcome(), "400 SVC_INVALID_INPUT");
}

#[test]
fn a_wrong_otp_that_is_refused_is_a_try_and_another_mistake_is_none() {
    let scene = Scene::new();
    let path = "/v1/verify/identity/mobile-otp-s/start";
    let start = || scene.post(path, r#"{"mobile": "9000000001"}"#).send();
    let fetch = |id: &str, mobile: &str, otp: &str| {
        let body = format!(r#"{{"mobile": "{mobile}", "referenceId": "{id}", "otp": "{otp}"}}"#);
        let path = "/v1/verify/identity/mobile-otp-s/fetch";
        scene.post(path, &body).send()
    };
    let id = start().at("data.referenceId");
    for _ in 0..9 {
        fetch(&id, "90", "111111");
        fetch(&id, "9000000001", "11");
    }
    for _ in 0..4 {
        fetch(&id, "9000000001", "111111");
    }
    assert_eq!(
        fetch(&id, "9000000001", "000000").outcome(),
        "200 completed"
    );
    fetch(&id, "9000000001", "111111");
    insta::assert_snapshot!(fetch(&id, "9000000001", "000000").at("error.message"), @"otp: was wrong 5 times and is no longer taken; call verify.identity.mobile-otp-s.start again");
}
