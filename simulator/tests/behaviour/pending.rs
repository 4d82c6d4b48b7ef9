//! Pending results: held until the end, then committed or released, and delivered.

use std::time::Duration;

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;

use crate::scene::{Answer, Money, Scene, UAN};

const CLAIM: &str = "/v1/bundles/employment-claim-verification";

const SLOW: &str = r#"{"uan": "100000000202"}"#;

fn seconds(count: i64) -> SignedDuration {
    SignedDuration::from_secs(count)
}

#[test]
fn an_account_has_one_task_that_waits_however_often_something_is_due_earlier() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "tomorrow"
        operation = "verify.employment.uan"
        when = { uan = "100000000203" }
        then = { pending = {}, after = "24h" }
        "#,
    );
    let tomorrow = scene.post(UAN, r#"{"uan": "100000000203"}"#).send();
    for _ in 0..20 {
        scene.post(UAN, SLOW).send();
        scene.machine_goes_on(seconds(60));
        let minute = async { tokio::time::sleep(Duration::from_mins(1)).await };
        scene.runtime.block_on(minute);
    }
    assert_eq!(scene.runtime.metrics().num_alive_tasks(), 1);
    scene.machine_goes_on(SignedDuration::from_hours(24));
    let path = format!("/v1/verifications/{}", tomorrow.id());
    assert_eq!(scene.get(&path).outcome(), "200 completed");
}

#[test]
fn a_slow_history_is_pending_then_there_by_look_up() {
    let scene = Scene::new();
    let pending = scene.post(UAN, SLOW).live().send();
    insta::assert_snapshot!(pending, @r#"
    202
    {
      "success": true,
      "verificationId": "svcv_t69j524qmvzffmpev703jnzevw",
      "referenceId": null,
      "endpoint": "verify.employment.uan",
      "status": "pending",
      "data": {
        "uan": "100000000202"
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "live",
        "latencyMs": 20000
      }
    }
    "#);
    let path = format!("/v1/verifications/{}", pending.id());
    scene.advance("local", seconds(25) - SignedDuration::from_millis(1));
    assert_eq!(scene.get(&path).live().send().0.body, pending.0.body);
    assert_eq!(scene.wallet("local").held, Paise(4000));
    scene.advance("local", SignedDuration::from_millis(1));
    insta::assert_snapshot!(scene.get(&path).live().send(), @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_t69j524qmvzffmpev703jnzevw",
      "referenceId": null,
      "endpoint": "verify.employment.uan",
      "status": "completed",
      "data": {
        "uan": "100000000202",
        "memberName": "KUMARAN GANESAN",
        "dateOfBirth": "1966-12-31",
        "employmentHistory": [
          {
            "establishmentId": "TNMAS8145223531",
            "establishmentName": "JALSHREE KAMALHARSH HEALTHCARE PRIVATE LIMITED",
            "doj": "1992-05-02",
            "dol": "2024-12-31",
            "designation": "SALES EXECUTIVE",
            "memberId": "TNMAS81452235310000647"
          },
          {
            "establishmentId": "TNMAS7611922451",
            "establishmentName": "KAMALSIDDHI INDRAJYOTI BEVERAGES INDIA LIMITED",
            "doj": "1987-07-16",
            "dol": "1992-04-02",
            "designation": "TRAINEE",
            "memberId": "TNMAS76119224510000016"
          }
        ]
      },
      "billing": {
        "charged": true,
        "amount": 40,
        "currency": "INR",
        "walletBalanceAfter": 99960
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "live",
        "latencyMs": 20000
      }
    }
    "#);
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(9_996_000),
            held: Paise(0),
            charged: Paise(4000)
        }
    );
}

#[test]
fn a_replay_of_a_pending_call_is_its_first_answer_even_later() {
    let scene = Scene::new();
    let pending = scene.post(UAN, SLOW).idempotency("k").send();
    scene.advance("local", seconds(60));
    let replay = scene.post(UAN, SLOW).idempotency("k").send();
    assert!(replay.0.replay);
    assert_eq!((replay.0.status, replay.0.body), (202, pending.0.body));
}

#[test]
fn a_pending_call_that_fails_gives_its_hold_back() {
    let scenario = |ending: &str| {
        format!(
            r#"
            [[scenario]]
            name = "slow"
            operation = "verify.employment.uan"
            when = {{ uan = "100000000777" }}
            then = {{ pending = {{}}, after = "2m", finally = {{ error = "{ending}" }} }}
            "#
        )
    };
    for (ending, charged) in [("SVC_SOURCE_TIMEOUT", 0), ("SVC_NO_RECORD_FOUND", 4000)] {
        let scene = Scene::with(&scenario(ending));
        let pending = scene.post(UAN, r#"{"uan": "100000000777"}"#).live().send();
        assert_eq!(pending.at("billing.charged"), "false");
        scene.advance("local", seconds(120));
        assert_eq!(
            scene.wallet("local"),
            Money {
                balance: Paise(10_000_000 - charged),
                held: Paise(0),
                charged: Paise(charged)
            },
            "{ending}"
        );
    }
}

#[test]
fn moving_one_clock_does_not_move_another() {
    let scene = Scene::new();
    let ids = ["local_a", "local_b"].map(|name| scene.post(UAN, SLOW).by(name).send().id());
    scene.advance("local_a", SignedDuration::from_hours(24 * 365));
    let status = |name: &str, id: &str| {
        scene
            .get(&format!("/v1/verifications/{id}"))
            .by(name)
            .send()
            .at("status")
    };
    assert_eq!(
        [status("local_a", &ids[0]), status("local_b", &ids[1])],
        ["completed", "pending"]
    );
}

#[test]
fn a_step_that_takes_its_input_from_a_pending_one_runs_when_that_has_ended() {
    let body = r#"{"mobile": "9000000001", "uan": "100000000202"}"#;
    let scene = Scene::new();
    let first = scene.post(CLAIM, body).live().send();
    let endpoints = |answer: &Answer| {
        let json = answer.json();
        let steps = json.get("data").and_then(|data| data.get("steps"));
        let steps = steps.and_then(Json::as_list).expect("steps");
        let named = |step: &Json<'_>| {
            let name = step
                .get("endpoint")
                .and_then(Json::as_text)
                .expect("a name");
            let status = step
                .get("status")
                .and_then(Json::as_text)
                .expect("a status");
            format!("{name} {status}")
        };
        steps.iter().map(named).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(endpoints(&first), @"
    verify.employment.uan-lookup completed
    verify.employment.uan pending
    ");
    assert_eq!(scene.wallet("local").held, Paise(6500));
    scene.advance("local", SignedDuration::from_hours(1));
    let look_up = format!("/v1/verifications/{}", first.id());
    let ended = scene.get(&look_up).live().send();
    insta::assert_snapshot!(endpoints(&ended), @"
    verify.employment.uan-lookup completed
    verify.employment.uan completed
    verify.employment.epfo-name-search completed
    ");
    assert_eq!(ended.at("status"), "completed");
    let wallet = scene.wallet("local");
    assert_eq!((wallet.held, wallet.charged), (Paise::ZERO, Paise(6500)));
    let third = ended.at("data.steps.2.verificationId");
    let third = scene
        .get(&format!("/v1/verifications/{third}"))
        .live()
        .send();
    assert_eq!(third.at("endpoint"), "verify.employment.epfo-name-search");
    assert_eq!(third.at("billing.charged"), "true");
}

#[test]
fn a_step_whose_input_never_came_is_left_out_and_costs_nothing() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "a history that is not there in the end"
        operation = "verify.employment.uan"
        when = { uan = "100000000202" }
        then = { pending = {}, after = "5s", finally = { error = "SVC_NO_RECORD_FOUND" } }
        "#,
    );
    let body = r#"{"mobile": "9000000001", "uan": "100000000202"}"#;
    let first = scene.post(CLAIM, body).live().send();
    scene.advance("local", SignedDuration::from_secs(5));
    let look_up = format!("/v1/verifications/{}", first.id());
    let ended = scene.get(&look_up).live().send();
    assert_eq!(ended.at("data.steps.1.error.code"), "SVC_NO_RECORD_FOUND");
    let wallet = scene.wallet("local");
    assert_eq!((wallet.held, wallet.charged), (Paise::ZERO, Paise(5000)));
}
