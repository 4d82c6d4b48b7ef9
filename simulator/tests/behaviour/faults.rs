//! Faults that scenarios name: how they are written, and how they come to an answer and a webhook.
//! How the wire breaks is tested over real sockets.

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::scenario::{OutOfOrder, SignatureFault, WebhookFault, WireFault};

use crate::scenario_files::problems;
use crate::scene::{Scene, UAN};

const HISTORY: &str = r#"{"uan": "100000000777"}"#;
const FASTAG: &str = "/v1/verify/utility/fastag";
const FRAUD: &str = "/v1/bundles/fraud-check";
const PERSON: &str =
    r#"{"mobile": "9000000005", "email": "a@example.com", "name": "CLEAN PERSON"}"#;

/// A rule for an operation that can be pending, always is, or never is.
fn rule(operation: &str, then: &str) -> String {
    format!("[[scenario]]\nname = \"{operation}\"\noperation = \"{operation}\"\nthen = {then}\n")
}

fn uan(then: &str) -> String {
    rule("verify.employment.uan", then)
}

/// What goes wrong with the webhook of each open verification of `local` on the sandbox.
fn to_come(scene: &Scene) -> Vec<WebhookFault> {
    scene.account("local").read(|account| {
        let open = account.environment(Environment::Test).verifications.open();
        open.map(|verification| verification.webhook).collect()
    })
}

#[test]
fn every_fault_can_be_written() {
    for wire in [
        r#""reset""#,
        r#""never""#,
        r#""garbage""#,
        "{ cut_after = 0 }",
        r#"{ slow = "1ms" }"#,
    ] {
        let then = format!(
            r#"[{{ success = {{}}, wire = {wire} }}, {{ error = "SVC_SOURCE_TIMEOUT", wire = {wire} }}]"#
        );
        assert_eq!(problems(&rule("*", &then)), "nothing wrong");
    }
    for webhook in [
        "copies = 2",
        "copies = 10",
        r#"delay = "1ms""#,
        r#"signature = "wrong", out_of_order = true"#,
        r#"signature = "none""#,
    ] {
        let pending = uan(&format!("{{ pending = {{}}, webhook = {{ {webhook} }} }}"));
        assert_eq!(problems(&pending), "nothing wrong");
        let always = rule(
            "verify.document.digilocker",
            &format!("{{ success = {{}}, webhook = {{ {webhook} }} }}"),
        );
        assert_eq!(problems(&always), "nothing wrong");
    }
}

#[test]
fn every_mistake_of_a_wire_fault_is_reported() {
    let steps = [
        r#""rest""#,
        r#""RESET""#,
        "true",
        "{}",
        r#"{ cut_after = 1, slow = "5s" }"#,
        "{ cut_after = -1 }",
        r#"{ cut_after = "all" }"#,
        "{ cut_at = 120 }",
        r#"{ slow = "0s" }"#,
        "{ slow = 5 }",
    ];
    let steps = steps.map(|wire| format!("  {{ success = {{}}, wire = {wire} }},\n"));
    let then = format!("[\n{}]", steps.concat());
    insta::assert_snapshot!(problems(&uan(&then)), @r#"
    error: the wire fault `rest` is not known
     --> mine.toml:5:26
      |
    5 |   { success = {}, wire = "rest" },
      |                          ^^^^^^
      |
      = help: did you mean `reset`?

    error: the wire fault `RESET` is not known
     --> mine.toml:6:26
      |
    6 |   { success = {}, wire = "RESET" },
      |                          ^^^^^^^
      |
      = help: did you mean `reset`?

    error: a wire fault is a word or a table
     --> mine.toml:7:26
      |
    7 |   { success = {}, wire = true },
      |                          ^^^^
      |
      = help: write "reset", "never", "garbage", { cut_after = 120 } or { slow = "5s" }

    error: a wire fault has exactly one of `cut_after` and `slow`
     --> mine.toml:8:26
      |
    8 |   { success = {}, wire = {} },
      |                          ^^
      |
      = help: write "reset", "never", "garbage", { cut_after = 120 } or { slow = "5s" }

    error: a wire fault has exactly one of `cut_after` and `slow`
     --> mine.toml:9:26
      |
    9 |   { success = {}, wire = { cut_after = 1, slow = "5s" } },
      |                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write "reset", "never", "garbage", { cut_after = 120 } or { slow = "5s" }

    error: the body is cut after a number of bytes, and this is below 0
      --> mine.toml:10:40
       |
    10 |   { success = {}, wire = { cut_after = -1 } },
       |                                        ^^
       |
       = help: 0 cuts it right after the head

    error: expected a whole number, found string
      --> mine.toml:11:40
       |
    11 |   { success = {}, wire = { cut_after = "all" } },
       |                                        ^^^^^

    error: `cut_at` is not known here
      --> mine.toml:12:28
       |
    12 |   { success = {}, wire = { cut_at = 120 } },
       |                            ^^^^^^
       |
       = help: did you mean `cut_after`?

    error: this takes no time at all
      --> mine.toml:13:35
       |
    13 |   { success = {}, wire = { slow = "0s" } },
       |                                   ^^^^
       |
       = help: write `1ms` or more

    error: a span of time is a text: a number and its unit
      --> mine.toml:14:35
       |
    14 |   { success = {}, wire = { slow = 5 } },
       |                                   ^
       |
       = help: write "90s", "5m" or "250ms"

    10 mistakes found
    "#);
}

#[test]
fn every_mistake_of_a_webhook_fault_is_reported() {
    let steps = [
        "{}",
        "2",
        "{ copies = 1 }",
        "{ copies = 11 }",
        r#"{ delay = "0s" }"#,
        r#"{ delay = "soon" }"#,
        r#"{ signature = "wrng" }"#,
        "{ out_of_order = false }",
        r#"{ copy = 2, delay = "1s" }"#,
    ];
    let steps = steps.map(|webhook| format!("  {{ pending = {{}}, webhook = {webhook} }},\n"));
    let then = format!("[\n{}]", steps.concat());
    insta::assert_snapshot!(problems(&uan(&then)), @r#"
    error: nothing goes wrong here
     --> mine.toml:5:29
      |
    5 |   { pending = {}, webhook = {} },
      |                             ^^
      |
      = help: write at least one of copies = 2, delay = "90s", signature = "wrong", out_of_order = true

    error: this is no table
     --> mine.toml:6:29
      |
    6 |   { pending = {}, webhook = 2 },
      |                             ^
      |
      = help: write at least one of copies = 2, delay = "90s", signature = "wrong", out_of_order = true

    error: copies are 2 to 10
     --> mine.toml:7:40
      |
    7 |   { pending = {}, webhook = { copies = 1 } },
      |                                        ^
      |
      = help: a webhook comes once without `copies`

    error: copies are 2 to 10
     --> mine.toml:8:40
      |
    8 |   { pending = {}, webhook = { copies = 11 } },
      |                                        ^^
      |
      = help: a webhook comes once without `copies`

    error: this takes no time at all
     --> mine.toml:9:39
      |
    9 |   { pending = {}, webhook = { delay = "0s" } },
      |                                       ^^^^
      |
      = help: write `1ms` or more

    error: a duration is a whole number and a unit: `500ms`, `30s`, `2m`, `6h` or `7d`
      --> mine.toml:10:39
       |
    10 |   { pending = {}, webhook = { delay = "soon" } },
       |                                       ^^^^^^

    error: the signature `wrng` is not known
      --> mine.toml:11:43
       |
    11 |   { pending = {}, webhook = { signature = "wrng" } },
       |                                           ^^^^^^
       |
       = help: did you mean `wrong`?

    error: webhooks come in order unless this is true
      --> mine.toml:12:46
       |
    12 |   { pending = {}, webhook = { out_of_order = false } },
       |                                              ^^^^^
       |
       = help: leave `out_of_order` out

    error: `copy` is not known here
      --> mine.toml:13:31
       |
    13 |   { pending = {}, webhook = { copy = 2, delay = "1s" } },
       |                               ^^^^
       |
       = help: did you mean `copies`?

    9 mistakes found
    "#);
}

#[test]
fn a_webhook_fault_where_no_webhook_comes_is_refused() {
    let webhook = "webhook = { copies = 2 }";
    let files = [
        uan(&format!("{{ success = {{}}, {webhook} }}")),
        rule(
            "verify.identity.pan",
            &format!("{{ success = {{}}, {webhook} }}"),
        ),
        rule(
            "verify.document.*",
            &format!("{{ success = {{}}, {webhook} }}"),
        ),
        rule(
            "verify.document.digilocker",
            &format!(r#"{{ error = "SVC_SOURCE_TIMEOUT", {webhook} }}"#),
        ),
    ];
    insta::assert_snapshot!(problems(&files.concat()), @r#"
    error: verify.employment.uan answers this at once, without a webhook
     --> mine.toml:4:34
      |
    4 | then = { success = {}, webhook = { copies = 2 } }
      |                                  ^^^^^^^^^^^^^^
      |
      = help: a webhook brings the result of a pending call: write `pending = {}, finally = { … }` for this outcome

    error: verify.identity.pan answers this at once, without a webhook
     --> mine.toml:8:34
      |
    8 | then = { success = {}, webhook = { copies = 2 } }
      |                                  ^^^^^^^^^^^^^^
      |
      = help: leave `webhook` out: this operation is never pending

    error: verify.document.forgery answers this at once, without a webhook
      --> mine.toml:12:34
       |
    12 | then = { success = {}, webhook = { copies = 2 } }
       |                                  ^^^^^^^^^^^^^^
       |
       = help: a webhook brings the result of a pending call: write `pending = {}, finally = { … }` for this outcome

    error: this error is answered at once, without a webhook
      --> mine.toml:16:50
       |
    16 | then = { error = "SVC_SOURCE_TIMEOUT", webhook = { copies = 2 } }
       |                                                  ^^^^^^^^^^^^^^
       |
       = help: a webhook brings the result of a pending call: write `pending = {}, finally = { … }` for this outcome

    4 mistakes found
    "#);
}

#[test]
fn faults_stand_beside_pending_and_not_in_finally() {
    for fault in [r#"wire = "reset""#, "webhook = { copies = 2 }"] {
        let name = fault.split(' ').next().unwrap();
        let report = problems(&uan(&format!(
            "{{ pending = {{}}, finally = {{ success = {{}}, {fault} }} }}"
        )));
        assert!(report.contains(&format!(
            "`{name}` stands beside `pending`, not in `finally`"
        )));
        assert!(report.ends_with("1 mistake found"), "{report}");
    }
}

#[test]
fn a_wire_fault_is_on_the_first_answer_only() {
    for delay in ["", r#", delay = "3s""#] {
        let then = format!(r#"{{ success = {{}}, wire = {{ cut_after = 7 }}{delay} }}"#);
        let scene = Scene::with(&rule("verify.utility.fastag", &then));
        let body = r#"{"vehicleNumber": "KA01AB0003"}"#;
        let ask = || scene.post(FASTAG, body).live().idempotency("k").send();
        let (first, replay) = (ask(), ask());
        assert_eq!(first.0.wire, Some(WireFault::CutAfter(7)));
        assert_eq!((replay.0.wire, replay.0.replay), (None, true));
        let path = format!("/v1/verifications/{}", first.id());
        let look_up = scene.get(&path).live().send();
        assert_eq!(look_up.0.wire, None);
        assert_eq!([&replay.0.body, &look_up.0.body], [&first.0.body; 2]);
        assert!(scene.wallet("local").charged > Paise::ZERO);
    }
}

#[test]
fn a_pending_answer_has_a_wire_fault_and_its_result_has_none() {
    for delay in ["", r#", delay = "3s""#] {
        let then = format!(r#"{{ pending = {{}}, wire = "garbage"{delay} }}"#);
        let scene = Scene::with(&uan(&then));
        let pending = scene.post(UAN, HISTORY).live().idempotency("k").send();
        assert_eq!(pending.outcome(), "202 pending");
        assert_eq!(pending.0.wire, Some(WireFault::Garbage));
        scene.advance("local", SignedDuration::from_secs(60));
        let replay = scene.post(UAN, HISTORY).live().idempotency("k").send();
        assert_eq!(
            (replay.0.wire, replay.0.body),
            (None, pending.0.body.clone())
        );
        let path = format!("/v1/verifications/{}", pending.id());
        let look_up = scene.get(&path).live().send();
        assert_eq!(
            (look_up.0.wire, look_up.outcome().as_str()),
            (None, "200 completed")
        );
    }
}

#[test]
fn a_refused_call_has_no_wire_fault() {
    let scene = Scene::with(&rule("*", r#"{ success = {}, wire = "reset" }"#));
    let refused = scene.post(UAN, "{}").send();
    assert_eq!((refused.0.status, refused.0.wire), (400, None));
}

#[test]
fn a_webhook_fault_waits_with_the_ticket() {
    for extra in ["", r#", delay = "3s", wire = "reset""#] {
        let webhook = r#"{ copies = 3, delay = "90s", signature = "wrong", out_of_order = true }"#;
        let then = format!("{{ pending = {{}}, webhook = {webhook}{extra} }}");
        let scene = Scene::with(&uan(&then));
        let _pending = scene.post(UAN, HISTORY).send();
        let wanted = WebhookFault {
            copies: 3,
            delay_ms: 90_000,
            signature: SignatureFault::Wrong,
            out_of_order: OutOfOrder::Yes,
        };
        assert_eq!(to_come(&scene), [wanted]);
        scene.advance("local", SignedDuration::from_secs(60));
        assert_eq!(to_come(&scene), []);
    }
    let sound = Scene::with(&uan("{ pending = {} }"));
    let _pending = sound.post(UAN, HISTORY).send();
    assert_eq!(to_come(&sound), [WebhookFault::default()]);
}

#[test]
fn a_bundle_breaks_as_its_first_step_with_a_fault() {
    let rules = [
        rule("screen.email-fraud", r#"{ success = {}, wire = "never" }"#),
        rule("screen.mobile-mnrl", r#"{ success = {}, wire = "reset" }"#),
    ];
    let scene = Scene::with(&rules.concat());
    let ask = || scene.post(FRAUD, PERSON).idempotency("k").send();
    assert_eq!(ask().0.wire, Some(WireFault::Never));
    assert_eq!(ask().0.wire, None);
}

#[test]
fn a_webhook_fault_of_a_step_is_the_bundle_s() {
    let rules = [rule(
        "verify.employment.*",
        "{ pending = {}, webhook = { copies = 2 } }",
    )];
    let scene = Scene::with(&rules.concat());
    let body = r#"{"mobile": "9000000005", "establishmentName": "ACME"}"#;
    let answer = scene
        .post("/v1/bundles/employment-claim-verification", body)
        .send();
    assert_eq!(answer.outcome(), "200 pending");
    let wanted = WebhookFault {
        copies: 2,
        ..WebhookFault::default()
    };
    assert_eq!(to_come(&scene), [wanted]);
}
