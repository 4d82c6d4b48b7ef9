//! Whole services through the proxy: the simulator, and the second implementation over TLS.

use serde_json::json;
use svc_contract_tests::capture::Channel;
use svc_simulator::Simulator;
use svc_test_support::{Authority, Folder, Reply, Server, TlsFront};

use super::process::Second;
use super::recording::{Recording, body, pan, raw, request};

/// A client that is busy: it calls, repeats with a key, looks up and asks for its usage.
fn busy(address: &str, key: &str) {
    let headers = format!("Authorization: Bearer {key}\r\nContent-Type: application/json\r\n");
    let call = |method: &str, path: &str, more: &str, body: &str| {
        raw(
            address,
            &request(method, path, &format!("{headers}{more}"), body),
        )
    };
    std::thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                for nth in 0..5 {
                    let again =
                        format!("Idempotency-Key: k-{worker}-{nth}\r\nX-Reference-Id: r-{nth}\r\n");
                    let ask = || {
                        call(
                            "POST",
                            "/v1/verify/identity/pan",
                            &again,
                            r#"{"pan":"AAAAA0000A"}"#,
                        )
                    };
                    let (first, retry) = (ask(), ask());
                    assert_eq!(body(&first), body(&retry));
                    let envelope: serde_json::Value =
                        serde_json::from_str(body(&first)).expect("JSON");
                    let id = envelope["verificationId"].as_str().expect("an id");
                    call("GET", &format!("/v1/verifications/{id}"), "", "");
                }
                call("GET", "/v1/usage", "", "");
                call(
                    "POST",
                    "/v1/verify/identity/pan",
                    "",
                    r#"{"pan":"AAAAA9999A"}"#,
                );
                call("POST", "/v1/verify/identity/pan", "", "{");
                call("POST", "/v1/not/there", "", "{}");
            });
        }
    });
}

#[test]
fn a_busy_client_of_the_simulator_is_recorded_and_judged_alike_again() {
    let simulator = Simulator::start_blocking();
    let at = simulator.addresses();
    let (sandbox, live) = (
        format!("http://{}", at.sandbox),
        format!("http://{}", at.live),
    );
    let recording = Recording::of(
        &sandbox,
        &["--listen-live", "127.0.0.1:0", "--forward-live", &live],
    );
    busy(&recording.addresses[0], "svc_test_local");
    busy(&recording.addresses[1], "svc_live_local");
    let ended = recording.end();
    assert_eq!(ended.code, Some(0), "{}{}", ended.said, ended.report);
    assert_eq!(ended.capture.cases.len(), 2 * 4 * 19);
    assert_eq!(ended.judged(), (Some(0), ended.report));
    simulator.stop_blocking();
}

#[test]
fn the_second_implementation_over_tls_is_recorded_with_its_webhooks() {
    let (authority, folder) = (Authority::default(), Folder::new("record-tls"));
    folder.write("ca.pem", &authority.pem());
    folder.write("own.pem", &authority.server(&["127.0.0.1"]).pem());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ca_file, own) = (path("ca.pem"), path("own.pem"));
    let second = Second::start(
        None,
        &["--tls-cert", &own, "--tls-key", &own, "--pending-ms", "100"],
    );
    let receiver = Server::start(|_| Reply::Says(204, Vec::new(), Vec::new()));
    let recording = Recording::of(
        second.sandbox.as_str(),
        &[
            "--ca-file",
            &ca_file,
            "--webhooks-listen",
            "127.0.0.1:0",
            "--webhooks-to",
            &receiver.url,
        ],
    );
    let hook = format!("http://{}/done", recording.addresses[1]);
    second.tell(
        "/webhook",
        &json!({ "url": hook, "secret": "whsec_sample1" }),
    );
    busy(recording.address(), "svc_test_default_k1");
    let headers = "Authorization: Bearer svc_test_default_k1\r\nContent-Type: application/json\r\n";
    let pending = r#"{"uan":"100900000202"}"#;
    let call = request("POST", "/v1/verify/employment/uan", headers, pending);
    assert!(body(&raw(recording.address(), &call)).contains("pending"));
    let came = receiver.sent_when(1).remove(0);
    assert_eq!(came.path, "/done");
    let ended = recording.end();
    assert_eq!(ended.code, Some(0), "{}{}", ended.said, ended.report);
    assert_eq!(ended.capture.cases.len(), 4 * 19 + 2);
    let mut posted = ended.capture.cases.iter().flat_map(|case| &case.exchanges);
    let posted = posted.find(|it| it.request.channel == Channel::Webhook);
    assert_eq!(posted.expect("a webhook").request.body, came.body);
    // Whoever is not trusted is not spoken to.
    let recording = Recording::of(second.sandbox.as_str(), &[]);
    assert!(raw(recording.address(), &pan("")).starts_with("HTTP/1.1 502"));
    assert_eq!(recording.end().code, Some(3));
}

#[test]
fn a_service_that_asks_for_a_certificate_is_shown_it() {
    let (authority, folder) = (Authority::default(), Folder::new("record-client"));
    folder.write("ca.pem", &authority.pem());
    folder.write("mine.pem", &authority.client().pem());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let server = Server::start(|_| Reply::Says(200, Vec::new(), b"{}".to_vec()));
    let own = authority.server(&["localhost"]);
    let front = TlsFront::of_known_clients(server.address, &own, &authority);
    let (ca_file, mine) = (path("ca.pem"), path("mine.pem"));
    let known = ["--ca-file", &ca_file, "--client-cert", &mine];
    let recording = Recording::of(&front.url, &known);
    assert!(raw(recording.address(), &pan("")).starts_with("HTTP/1.1 200"));
    recording.end();
    let recording = Recording::of(&front.url, &known[..2]);
    assert!(raw(recording.address(), &pan("")).starts_with("HTTP/1.1 502"));
    recording.end();
}
