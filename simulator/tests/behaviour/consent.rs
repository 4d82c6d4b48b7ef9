//! Consent: a person's word ends a pending call, once; nobody else's does, but a scenario's.

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::consent::{ConsentDecision, ConsentOutcome, Link, link};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::ids::VerificationId;

use crate::deliveries::HOOKED;
use crate::scene::{Answer, Asked, Money, Scene};

const START: &str = "/v1/verify/document/digilocker/start";
const BODY: &str =
    r#"{"redirectUrl": "https://app.example/return", "requestedDocs": ["PAN", "DL"]}"#;

fn asked<'s>(scene: &'s Scene) -> Asked<'s> {
    scene.post(START, BODY).by("hooked")
}

fn say(
    scene: &Scene,
    environment: Environment,
    id: &str,
    said: ConsentDecision,
) -> Option<ConsentOutcome> {
    // Deliveries that begin go out by themselves.
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account("hooked");
    let verification = VerificationId::parse(id).expect("an id");
    let afterwards = scene.host.consent(&cell, environment, verification, said);
    afterwards.expect("a memory journal takes all")
}

fn how_it_stands(scene: &Scene, environment: Environment, id: &str) -> &'static str {
    let verification = VerificationId::parse(id).expect("an id");
    let rules = scene.host.rules();
    scene.account("hooked").read(
        |account| match link(&rules, account, environment, verification) {
            Some(Link::Open(_)) => "open",
            Some(Link::Used) => "used",
            None => "none",
        },
    )
}

fn afterwards(completed: bool) -> Option<ConsentOutcome> {
    Some(ConsentOutcome {
        redirect: "https://app.example/return".into(),
        completed,
    })
}

fn looked_up(scene: &Scene, id: &str) -> Answer {
    let path = format!("/v1/verifications/{id}");
    scene.get(&path).by("hooked").send()
}

/// What the receiver got; there is exactly one.
fn delivered(scene: &Scene) -> Vec<u8> {
    scene.advance("hooked", SignedDuration::ZERO);
    let postings = scene.received();
    assert_eq!(postings.len(), 1);
    postings[0].body.to_vec()
}

#[test]
fn allowing_brings_the_documents_by_webhook_and_look_up() {
    let scene = Scene::with_accounts(HOOKED);
    let id = asked(&scene).send().id();
    scene.advance("hooked", SignedDuration::from_hours(24 * 365));
    assert_eq!(how_it_stands(&scene, Environment::Test, &id), "open");
    assert_eq!(scene.received().len(), 0);
    assert_eq!(
        say(&scene, Environment::Test, &id, ConsentDecision::Allow),
        afterwards(true)
    );
    let newest = looked_up(&scene, &id);
    insta::assert_snapshot!(newest, @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_ej50sedjrm618nvvsp73cvm6c1",
      "referenceId": null,
      "endpoint": "verify.document.digilocker",
      "status": "completed",
      "data": {
        "documents": [
          {
            "docType": "PAN",
            "name": "PAN Verification Record",
            "issuer": "Income Tax Department",
            "uri": "in.gov.example-PAN-30647524"
          },
          {
            "docType": "DL",
            "name": "Driving Licence",
            "issuer": "Transport Department",
            "uri": "in.gov.example-DL-29361463"
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
        "latencyMs": 500
      }
    }
    "#);
    assert_eq!(delivered(&scene), newest.0.body);
}

#[test]
fn refusing_ends_in_no_record() {
    let scene = Scene::with_accounts(HOOKED);
    let id = asked(&scene).send().id();
    assert_eq!(
        say(&scene, Environment::Test, &id, ConsentDecision::Refuse),
        afterwards(false)
    );
    let newest = looked_up(&scene, &id);
    insta::assert_snapshot!(newest, @r#"
    200
    {
      "success": false,
      "verificationId": "svcv_ej50sedjrm618nvvsp73cvm6c1",
      "referenceId": null,
      "endpoint": "verify.document.digilocker",
      "status": "failed",
      "error": {
        "code": "SVC_NO_RECORD_FOUND",
        "message": "the person did not consent, so there is nothing to give",
        "retryable": false
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 500
      }
    }
    "#);
    assert_eq!(delivered(&scene), newest.0.body);
}

#[test]
fn a_used_link_changes_nothing_any_more() {
    for first in [ConsentDecision::Allow, ConsentDecision::Refuse] {
        let scene = Scene::with_accounts(HOOKED);
        let id = asked(&scene).send().id();
        say(&scene, Environment::Test, &id, first);
        let ended = looked_up(&scene, &id);
        for second in [ConsentDecision::Allow, ConsentDecision::Refuse] {
            assert_eq!(say(&scene, Environment::Test, &id, second), None);
        }
        assert_eq!(how_it_stands(&scene, Environment::Test, &id), "used");
        assert_eq!(looked_up(&scene, &id).0.body, ended.0.body);
        delivered(&scene);
    }
}

#[test]
fn on_live_both_decisions_are_conclusive_and_charged() {
    for (said, outcome) in [
        (ConsentDecision::Allow, "200 completed"),
        (ConsentDecision::Refuse, "200 SVC_NO_RECORD_FOUND"),
    ] {
        let scene = Scene::with_accounts(HOOKED);
        let id = asked(&scene).live().by("hooked").send().id();
        assert_eq!(
            scene.wallet("hooked"),
            Money {
                balance: Paise(100_000),
                held: Paise(1200),
                charged: Paise(0)
            }
        );
        say(&scene, Environment::Live, &id, said);
        assert_eq!(
            scene.wallet("hooked"),
            Money {
                balance: Paise(98_800),
                held: Paise(0),
                charged: Paise(1200)
            }
        );
        let path = format!("/v1/verifications/{id}");
        assert_eq!(scene.get(&path).live().by("hooked").outcome(), outcome);
        delivered(&scene);
    }
}

#[test]
fn a_link_is_of_one_environment() {
    let scene = Scene::with_accounts(HOOKED);
    let id = asked(&scene).send().id();
    assert_eq!(
        say(&scene, Environment::Live, &id, ConsentDecision::Allow),
        None
    );
    assert_eq!(how_it_stands(&scene, Environment::Live, &id), "none");
    assert_eq!(how_it_stands(&scene, Environment::Test, &id), "open");
}

#[test]
fn a_call_that_nobody_is_asked_about_has_no_link() {
    let scene = Scene::with_accounts(HOOKED);
    let slow = scene.post(crate::scene::UAN, r#"{"uan": "100000000202"}"#);
    let id = slow.by("hooked").send().id();
    assert_eq!(how_it_stands(&scene, Environment::Test, &id), "none");
    assert_eq!(
        say(&scene, Environment::Test, &id, ConsentDecision::Allow),
        None
    );
    assert_eq!(looked_up(&scene, &id).at("status"), "pending");
}

fn with_scenario(then: &str) -> String {
    format!(
        r#"
        [[scenario]]
        name = "a person who decides"
        operation = "verify.document.digilocker"
        when = {{ redirectUrl = "https://app.example/return" }}
        then = {{ {then} }}
        "#
    )
}

#[test]
fn a_scenario_with_a_time_consents_by_itself() {
    let scenario = with_scenario(r#"pending = {}, after = "2m""#);
    let scene = Scene::with_both(&scenario, HOOKED);
    let id = asked(&scene).send().id();
    scene.advance("hooked", SignedDuration::from_millis(119_999));
    assert_eq!(how_it_stands(&scene, Environment::Test, &id), "open");
    scene.advance("hooked", SignedDuration::from_millis(1));
    assert_eq!(how_it_stands(&scene, Environment::Test, &id), "used");
    assert_eq!(looked_up(&scene, &id).outcome(), "200 completed");
    assert_eq!(
        say(&scene, Environment::Test, &id, ConsentDecision::Refuse),
        None
    );
    delivered(&scene);
}

#[test]
fn a_person_may_be_faster_than_the_scenario_and_then_it_does_nothing() {
    let scenario = with_scenario(r#"pending = {}, after = "2m""#);
    let scene = Scene::with_both(&scenario, HOOKED);
    let id = asked(&scene).send().id();
    say(&scene, Environment::Test, &id, ConsentDecision::Refuse);
    scene.advance("hooked", SignedDuration::from_mins(3));
    assert_eq!(looked_up(&scene, &id).outcome(), "200 SVC_NO_RECORD_FOUND");
    delivered(&scene);
}

#[test]
fn a_source_may_fail_although_the_person_allowed() {
    for (error, charged) in [("SVC_SOURCE_TIMEOUT", 0), ("SVC_NO_RECORD_FOUND", 1200)] {
        let then = format!(r#"pending = {{}}, after = "2m", finally = {{ error = "{error}" }}"#);
        let scene = Scene::with_both(&with_scenario(&then), HOOKED);
        let id = asked(&scene).live().by("hooked").send().id();
        assert_eq!(
            say(&scene, Environment::Live, &id, ConsentDecision::Allow),
            afterwards(false)
        );
        let wallet = Money {
            balance: Paise(100_000 - charged),
            held: Paise(0),
            charged: Paise(charged),
        };
        assert_eq!(scene.wallet("hooked"), wallet, "{error}");
        delivered(&scene);
    }
}

#[test]
fn of_two_who_decide_at_once_one_is_heard() {
    for _ in 0..50 {
        let scene = Scene::with_accounts(HOOKED);
        let id = asked(&scene).live().by("hooked").send().id();
        let say = |said| say(&scene, Environment::Live, &id, said).is_some();
        let heard = std::thread::scope(|threads| {
            let sides = [ConsentDecision::Allow, ConsentDecision::Refuse]
                .map(|said| threads.spawn(move || say(said)));
            sides.map(|side| side.join().expect("nobody panics"))
        });
        assert_eq!(heard.iter().filter(|heard| **heard).count(), 1);
        assert_eq!(
            scene.wallet("hooked"),
            Money {
                balance: Paise(98_800),
                held: Paise(0),
                charged: Paise(1200)
            }
        );
        delivered(&scene);
    }
}
