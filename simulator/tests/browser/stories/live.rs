//! Lists that follow what comes in, also when a lot does.

use serde_json::json;
use svc_test_support::Client;

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::beginnings::receiver;
use super::{PAN, Test, asha};

pub(super) const TESTS: &[Test] = &[
    (
        "a_thousand_calls_a_second_cost_an_open_list_little_and_none_is_lost",
        a_thousand_a_second,
    ),
    (
        "lists_in_more_tabs_than_a_browser_has_connections_leave_room_for_other_pages",
        many_tabs,
    ),
    (
        "whoever_stands_on_a_line_of_a_list_stays_there_when_it_grows",
        focus_stays,
    ),
    (
        "what_somebody_unfolded_stays_open_while_the_clock_beside_it_goes_on",
        unfolded_stays,
    ),
    (
        "a_list_that_was_in_the_background_follows_again",
        follows_again,
    ),
];

/// For how long calls come in, in seconds; the long form says more.
const SECONDS: usize = 3;

fn seconds() -> usize {
    let asked = std::env::var("SVC_LIVE_SECONDS").ok();
    asked.map_or(SECONDS, |it| it.parse().expect("whole seconds"))
}

/// The seconds that scripts of the page ran so far.
fn script_s(story: &Story) -> f64 {
    let metrics = story.browser.devtools("Performance.getMetrics", &json!({}));
    let metrics = metrics["metrics"].as_array().expect("a list").iter();
    let mut scripts = metrics.filter(|it| it["name"] == "ScriptDuration");
    scripts
        .next()
        .and_then(|it| it["value"].as_f64())
        .expect("it is measured")
}

fn a_thousand_a_second(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/calls");
    story.sees("follows by itself");
    // Processor time, whatever else the machine does.
    let measured = json!({ "timeDomain": "threadTicks" });
    story.browser.devtools("Performance.enable", &measured);
    let before = script_s(&story);
    let clock = svc_simulator::host::clock::Clock::machine();
    let begun = clock.real();
    let address = story.simulator.addresses().sandbox;
    let mut client = Client::to(address);
    let calls = seconds() * 1000;
    for nth in 0..calls {
        let body = json!({ "pan": format!("ABCPE{:04}F", nth % 10_000) }).to_string();
        let head = format!(
            "POST {PAN} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer svc_test_local\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        assert_eq!(client.ask(head + &body).status, 200);
        // A thousand a second, where the machine makes as many.
        let due = begun + std::time::Duration::from_millis(nth as u64);
        while clock.real() < due {
            std::thread::yield_now();
        }
    }
    let took = clock.real().duration_since(begun).as_secs_f64();
    let busy = (script_s(&story) - before) / took;
    assert!(busy < 0.1, "scripts take {busy:.3} of each second");
    let kept = story.console("/control/calls?account=local&limit=1").json();
    let count = |name: &str| kept[name].as_u64().expect("a count");
    assert_eq!(count("kept") + count("forgotten"), calls as u64, "{kept}");
    story.sees(&format!("100 shown, {} kept", count("kept")));
}

fn many_tabs(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/calls");
    for _ in 0..8 {
        story.browser.open_tab();
        story.open("/calls");
        story.sees("follows by itself");
    }
    story.follow("Accounts");
    story.sees("Open an account");
    story.browser.back();
    story.call("svc_test_local", PAN, &asha());
    story.sees_row(&["verify.identity.pan", "completed"]);
}

fn focus_stays(driver: &Driver) {
    let story = Story::new(driver);
    let answer = story.call("svc_test_local", PAN, &asha()).json();
    story.open("/calls");
    story.sees("follows by itself");
    let first = answer["verificationId"].as_str().expect("an id");
    let focus = "document.getElementById(arguments[0]).focus();";
    story.browser.run(focus, &[json!(first)]);
    story.call("svc_test_local", PAN, &json!({ "pan": "AAAAA0503A" }));
    story.sees_row(&["SVC_SOURCE_UNAVAILABLE"]);
    let focused = story.browser.run("return document.activeElement.id;", &[]);
    assert_eq!(focused, first);
}

fn unfolded_stays(driver: &Driver) {
    let story = Story::new(driver);
    let receiver = receiver();
    let account = story.simulator.account("local");
    let set = account.set_webhook(&receiver.url, "whsec_sample");
    set.expect("a receiver");
    story.open("/webhooks?account=local");
    story.press("Send a test event");
    story.is_told("test event");
    assert_eq!(receiver.sent_when(1).len(), 1);
    story.reloads_until("Attempt 1: answered 204");
    story.sees("follows by itself");
    story.section("Attempt 1").unfold("What was signed");
    // Another second, and one more.
    let ticks = "const done = arguments[0]; const part = document.querySelector('[sse-swap=clock]'); let ticks = 0;
        new MutationObserver(() => ++ticks === 2 && done(ticks)).observe(part, { childList: true });";
    let ticked = story.browser.run_until(ticks, &[]).expect("it runs");
    assert_eq!(ticked, 2);
    assert!(story.shows("details[open]", &["What was signed"]));
}

fn follows_again(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/calls");
    story.sees("follows by itself");
    let first = story.browser.window();
    story.browser.open_tab();
    story.open("/accounts");
    story.call("svc_test_local", PAN, &asha());
    story.browser.go_to_window(&first);
    story.browser.devtools("Page.bringToFront", &json!({}));
    story.sees_row(&["verify.identity.pan", "completed"]);
    story.call("svc_test_local", PAN, &json!({ "pan": "AAAAA0503A" }));
    story.sees_row(&["SVC_SOURCE_UNAVAILABLE"]);
}
