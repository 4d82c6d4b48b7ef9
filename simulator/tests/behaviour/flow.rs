//! Flows: carried identifiers and the order of steps.

use crate::scene::{Answer, Scene};

const START: &str = "/v1/verify/identity/mobile-otp/start";
const VERIFY: &str = "/v1/verify/identity/mobile-otp/verify";
const FETCH: &str = "/v1/verify/identity/mobile-otp/fetch";

fn start(scene: &Scene) -> String {
    scene.post(START, r#"{"mobile": "9000000001"}"#).send().at("data.request_id")
}

fn verify(scene: &Scene, id: &str, otp: &str) -> Answer {
    scene.post(VERIFY, &format!(r#"{{"request_id": "{id}", "otp": "{otp}"}}"#)).send()
}

fn fetch(scene: &Scene, id: &str) -> Answer {
    scene.post(FETCH, &format!(r#"{{"request_id": "{id}"}}"#)).send()
}

#[test]
fn the_three_steps_in_order_bring_the_holder() {
    let scene = Scene::new();
    let id = start(&scene);
    assert_eq!(verify(&scene, &id, "000000").at("data.otp_validated"), "true");
    insta::assert_snapshot!(fetch(&scene, &id), @"");
}

#[test]
fn a_wrong_otp_is_answered_and_does_not_open_the_next_step() {
    let scene = Scene::new();
    let id = start(&scene);
    let wrong = verify(&scene, &id, "1111");
    assert_eq!((wrong.outcome(), wrong.at("data.otp_validated")), ("200 completed".into(), "false".into()));
    let early = fetch(&scene, &id);
    assert_eq!(early.outcome(), "400 SVC_INVALID_INPUT");
    insta::assert_snapshot!(early.at("error.message"), @"");
    verify(&scene, &id, "123456");
    assert_eq!(fetch(&scene, &id).outcome(), "200 completed");
}

#[test]
fn an_id_that_was_not_issued_here_leads_nowhere() {
    let scene = Scene::new();
    let id = start(&scene);
    insta::assert_snapshot!(verify(&scene, "req_unknown", "000000").at("error.message"), @"");
    let body = format!(r#"{{"request_id": "{id}", "otp": "000000"}}"#);
    assert_eq!(scene.post(VERIFY, &body).by("local_b").outcome(), "400 SVC_INVALID_INPUT");
    assert_eq!(scene.post(VERIFY, &body).live().outcome(), "400 SVC_INVALID_INPUT");
}

#[test]
fn later_steps_have_fixed_inputs_too() {
    let scene = Scene::new();
    let outcomes = ["status-422", "status-500", "status-502", "status-503", "status-504", "ZZZZZ0000Z"]
        .map(|id| format!("{id}: {} {}", verify(&scene, id, "000000").outcome(), fetch(&scene, id).outcome()));
    insta::assert_snapshot!(outcomes.join("\n"), @"");
}

#[test]
fn what_a_step_asks_for_is_checked() {
    let scene = Scene::new();
    let message = |body: &str| scene.post(START, body).send().at("error.message");
    insta::assert_snapshot!(message(r#"{"mobile": "9000000001", "consent": "n"}"#), @"");
    insta::assert_snapshot!(verify(&scene, "x", "00000").at("error.message"), @"");
}

#[test]
fn each_start_has_an_id_of_its_own_and_the_same_holder() {
    let scene = Scene::new();
    let (first, second) = (start(&scene), start(&scene));
    assert_ne!(first, second);
    verify(&scene, &first, "000000");
    assert_eq!(fetch(&scene, &second).outcome(), "400 SVC_INVALID_INPUT");
}
