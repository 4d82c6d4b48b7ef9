//! Whoever asks what the application sent, what it got, and why.

use serde_json::{Value, json};
use svc_simulator::host::clock::Clock;

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::{PAN, Test, UAN, asha, slow};

pub(super) const TESTS: &[Test] = &[
    (
        "a_failed_call_is_found_by_a_filter_and_its_reason_is_read",
        found_and_understood,
    ),
    ("each_filter_leaves_what_fits_and_nothing_else", narrowed),
    (
        "a_list_that_is_open_shows_a_call_made_meanwhile",
        shown_meanwhile,
    ),
    ("the_next_call_like_one_is_made_to_fail", made_to_fail),
    (
        "calls_like_one_are_made_to_wait_from_now_on",
        made_to_wait_from_now_on,
    ),
    ("a_retry_with_the_same_key_is_a_replay", replayed),
    ("what_was_sent_too_much_is_marked", marked),
    (
        "a_key_that_was_mistyped_is_found_among_those_that_do_not_work",
        mistyped,
    ),
    ("two_windows_that_are_open_at_once_both_follow", two_windows),
];

fn found_and_understood(driver: &Driver) {
    let story = Story::new(driver);
    for pan in ["AAAAA0000A", "AAAAA0503A", "ABCPE1234F"] {
        story.call("svc_test_local_anna", PAN, &json!({ "pan": pan }));
    }
    for body in [json!({ "pan": "AAAAA0503A" }), asha()] {
        story.call("svc_test_local_ben", PAN, &body);
    }
    story.open("/calls");
    story.sees_row(&["local_ben", "completed"]);
    story.fill("Account", "local_anna");
    story.choose("Outcome", "failed");
    story.press("Filter");
    story.sees_row(&["local_anna", "SVC_SOURCE_UNAVAILABLE"]);
    story.misses("local_ben");
    assert!(!story.shows("tr", &["completed"]));
    // The address is one to send to a colleague.
    assert!(
        story.path().contains("account=local_anna"),
        "{}",
        story.path()
    );
    story
        .row("SVC_SOURCE_UNAVAILABLE")
        .follow("verify.identity.pan");
    story.sees("HTTP 503");
    assert!(story.shows("dd", &["scenarios/universal.toml:"]));
    story.sees("What it went through");
    story.sees("AAAAA0503A");
    story.sees("scenarios/universal.toml:");
}

/// Each filter by itself, and with all that were chosen before it.
fn narrowed(driver: &Driver) {
    let story = Story::with(driver, |builder| {
        builder.frozen_at("2031-01-07T09:30:00Z".parse().expect("an instant"))
    });
    let calls = [
        ("svc_test_local_anna", PAN, json!({ "pan": "AAAAA0503A" })),
        ("svc_live_local_anna", PAN, json!({ "pan": "AAAAA0503A" })),
        ("svc_test_local_ben", UAN, slow()),
        ("svc_test_local_ben", PAN, asha()),
        ("svc_test_local_anna", PAN, json!({ "pan": "AAAAA9999A" })),
    ];
    let day = std::time::Duration::from_secs(24 * 3600);
    let made = |key: &str, path: &str, body: &Value| {
        let answer = story.call(key, path, body).json();
        answer["verificationId"].clone()
    };
    let mut all: Vec<Value> = calls.iter().map(|it| made(it.0, it.1, &it.2)).collect();
    let ben = story.simulator.account("ben");
    story.simulator.block_on(ben.advance(day)).expect("a day");
    all.push(made(
        "svc_test_local_ben",
        PAN,
        &json!({ "pan": "ABCPE1234F" }),
    ));
    // The label, what is filled in, and which calls fit, by their place from the oldest.
    let filters: [(&str, &str, &[usize]); 9] = [
        ("Account", "local_ben", &[2, 3, 5]),
        ("Environment", "live", &[1]),
        ("Operation", "verify.employment.uan", &[2]),
        ("Outcome", "failed", &[0, 1, 4]),
        ("Error code", "SVC_NO_RECORD_FOUND", &[4]),
        ("Scenario", "status: 503", &[0, 1]),
        ("Text in request or answer", "asha rao", &[3]),
        ("Since", "2031-01-08T00:00:00Z", &[5]),
        ("Until", "2031-01-08T00:00:00Z", &[0, 1, 2, 3, 4]),
    ];
    for (label, value, fits) in filters {
        story.open("/calls");
        assert_eq!(shown_ids(&story).len(), all.len());
        match label {
            "Environment" | "Outcome" => story.choose(label, value),
            _ => story.fill(label, value),
        }
        story.press("Filter");
        story.sees(&format!("{} shown", fits.len()));
        let fit: Vec<&Value> = fits.iter().map(|nth| &all[*nth]).collect();
        let shown = shown_ids(&story);
        assert_eq!(shown.len(), fit.len(), "{label}");
        assert!(fit.iter().all(|id| shown.contains(id)), "{label}");
        // What was asked stands in the form.
        assert_eq!(story.page().value(label), value);
    }
}

/// The calls that a list shows, from above.
fn shown_ids(story: &Story) -> Vec<Value> {
    let script = "return [...document.querySelectorAll('td a[id]')].map((it) => it.id);";
    let ids = story.browser.run(script, &[]);
    ids.as_array().expect("a list").clone()
}

fn shown_meanwhile(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/calls");
    story.sees("No call yet");
    story.call("svc_test_local", PAN, &asha());
    story.sees_row(&["local", "verify.identity.pan", "completed"]);
    // A filtered list takes only what fits.
    story.open("/calls?code=SVC_SOURCE_TIMEOUT");
    story.sees("No call yet that fits");
    story.call("svc_test_local", PAN, &asha());
    story.call("svc_test_local", PAN, &json!({ "pan": "AAAAA0504A" }));
    story.sees_row(&["verify.identity.pan", "SVC_SOURCE_TIMEOUT"]);
    assert!(!story.shows("tr", &["completed"]));
}

fn made_to_fail(driver: &Driver) {
    let story = Story::new(driver);
    story.call("svc_test_local", PAN, &asha());
    story.open("/calls");
    story.follow("verify.identity.pan");
    story.choose("Calls like this", "the next one only");
    story.choose("get", "the error SVC_SOURCE_TIMEOUT");
    story.press("Write the scenario");
    story.is_told("[[scenario]]");
    let next = story.call("svc_test_local", PAN, &asha());
    assert_eq!(
        (next.status, next.code().as_str()),
        (504, "SVC_SOURCE_TIMEOUT")
    );
    assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 200);
    story.follow("Calls");
    story
        .row("SVC_SOURCE_TIMEOUT")
        .follow("verify.identity.pan");
    story.sees("the next call like");
}

fn made_to_wait_from_now_on(driver: &Driver) {
    let story = Story::new(driver);
    story.call("svc_test_local", PAN, &asha());
    story.open("/calls");
    story.follow("verify.identity.pan");
    story.choose("Calls like this", "from now on");
    story.choose("get", "an answer that takes its time");
    story.fill("after", "150ms");
    story.press("Write the scenario");
    story.is_told("[[scenario]]");
    let clock = Clock::machine();
    for _ in 0..2 {
        let begun = clock.real();
        assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 200);
        let took = clock.real().duration_since(begun);
        assert!(took.as_millis() >= 145, "{took}");
    }
}

fn replayed(driver: &Driver) {
    let story = Story::new(driver);
    let key = "Idempotency-Key: order-17\r\n";
    story.call_with("svc_live_local", PAN, key, &asha());
    let charged = story.simulator.account("local").wallet().charged();
    story.open("/calls");
    story.follow("verify.identity.pan");
    story.sees("order-17");
    let first = story.path();
    story.press("Send it again with its idempotency key");
    story.is_told("the same answer was given again");
    assert_eq!(story.path(), first);
    assert_eq!(story.simulator.account("local").wallet().charged(), charged);
    story.press("Send it again, as a new call");
    story.is_told("this is the new call");
    assert_ne!(story.path(), first);
    story.browser.back();
    assert_eq!(story.path(), first);
}

fn marked(driver: &Driver) {
    let story = Story::new(driver);
    let body = json!({ "pan": "AAAAA0000A", "nmae": "Asha Rao" });
    story.call("svc_test_local", PAN, &body);
    story.open("/calls");
    story.sees_row(&["1 unknown"]);
    story.follow("verify.identity.pan");
    assert!(story.shows("mark", &["nmae"]), "{}", story.text());
    assert!(!story.shows("mark", &["\"pan\""]), "{}", story.text());
}

fn mistyped(driver: &Driver) {
    let story = Story::new(driver);
    assert_eq!(story.call("svc_test_lokal", PAN, &asha()).status, 401);
    story.open("/calls");
    story.misses("SVC_AUTH_INVALID");
    story.follow("Calls without a key that works");
    story.sees_row(&["SVC_AUTH_INVALID", "401"]);
    story.misses("svc_test_lokal");
}

fn two_windows(driver: &Driver) {
    let story = Story::new(driver);
    for name in ["anna", "ben"] {
        story.call(&format!("svc_test_local_{name}"), "/v1/none", &json!({}));
    }
    story.open("/calls?account=local_anna");
    let [first, second] = story.browser.open_window();
    story.open("/calls?account=local_ben");
    story.call("svc_test_local_anna", PAN, &asha());
    story.call("svc_test_local_ben", PAN, &json!({ "pan": "AAAAA9999A" }));
    story.sees_row(&["local_ben", "SVC_NO_RECORD_FOUND"]);
    story.misses("completed 200");
    story.browser.go_to_window(&first);
    story.sees_row(&["local_anna", "completed"]);
    assert!(!story.shows("tr", &["SVC_NO_RECORD_FOUND"]));
    story.browser.go_to_window(&second);
}
