//! The audit of live credit reports.

use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::audit::AccessKind;

use crate::scene::Scene;

pub(crate) const REPORT: &str = "/v1/verify/financial/credit-report";
const BUNDLE: &str = "/v1/bundles/credit-bureau-report";
pub(crate) const BODY: &str = r#"{"pan": "AAAAA0000A", "mobile": "9000000001", "name": "Asha Rao", "dateOfBirth": "15/08/1990", "consentArtifact": {"timestamp": "2027-01-15T07:59:00Z", "ip": "203.0.113.7", "messageId": "m-1"}}"#;

fn accesses(scene: &Scene, environment: Environment) -> Vec<(String, AccessKind, String)> {
    scene.account("local").read(|account| {
        let audit = &account.environment(environment).audit;
        let lines = audit.iter().map(|access| {
            (
                access.verification.to_string(),
                access.by,
                access.retained_until.to_string(),
            )
        });
        lines.collect()
    })
}

#[test]
fn every_access_to_a_live_report_is_written_down_for_seven_years() {
    let scene = Scene::new();
    let report = scene.post(REPORT, BODY).live().idempotency("k").send();
    assert_eq!(report.outcome(), "200 completed");
    assert!(
        scene
            .post(REPORT, BODY)
            .live()
            .idempotency("k")
            .send()
            .0
            .replay
    );
    let path = format!("/v1/verifications/{}", report.id());
    assert_eq!(scene.get(&path).live().send().0.body, report.0.body);
    let kinds = [AccessKind::Call, AccessKind::Replay, AccessKind::LookUp];
    let expected = kinds.map(|kind| (report.id(), kind, "2034-01-15".to_owned()));
    assert_eq!(accesses(&scene, Environment::Live), expected);
}

#[test]
fn neither_the_sandbox_nor_a_failure_is_audited() {
    let scene = Scene::new();
    scene.post(REPORT, BODY).send();
    let failing = BODY.replace("AAAAA0000A", "AAAAA0422A");
    assert_eq!(
        scene.post(REPORT, &failing).live().outcome(),
        "422 SVC_NO_RECORD_FOUND"
    );
    for environment in Environment::ALL {
        assert_eq!(accesses(&scene, environment), []);
    }
}

#[test]
fn a_bundle_with_a_report_is_audited_and_so_is_the_report_in_it() {
    let scene = Scene::new();
    let bundle = scene.post(BUNDLE, BODY).live().send();
    let ids: Vec<String> = accesses(&scene, Environment::Live)
        .into_iter()
        .map(|(id, ..)| id)
        .collect();
    assert_eq!(ids, [bundle.at("data.steps.0.verificationId"), bundle.id()]);
}
