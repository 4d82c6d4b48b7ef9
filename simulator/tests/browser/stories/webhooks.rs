//! Whoever writes a receiver, and waits for what comes late.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use svc_test_support::{Reply, Server};

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::beginnings::receiver;
use super::{Test, UAN, slow};

pub(super) const TESTS: &[Test] = &[
    (
        "a_late_result_comes_when_the_clock_is_moved_to_it_and_its_attempts_are_drawn",
        moved_to_what_is_due,
    ),
    (
        "a_clock_that_is_moved_back_says_why_it_is_not",
        not_moved_back,
    ),
    (
        "a_delivery_that_was_given_up_is_delivered_again_when_the_receiver_is_mended",
        delivered_again,
    ),
    (
        "a_test_event_goes_to_the_receiver_of_the_account_that_was_chosen",
        tested,
    ),
];

fn moved_to_what_is_due(driver: &Driver) {
    let story = Story::new(driver);
    let receiver = Server::start(|_| Reply::Says(500, Vec::new(), b"not today".to_vec()));
    let account = story.simulator.account("local");
    account
        .set_webhook(&receiver.url, "whsec_sample")
        .expect("a receiver");
    story.open("/time/local");
    story.press("Let it stand still");
    story.sees("stands still");
    story.call("svc_test_local", UAN, &slow());
    story.browser.reload();
    story.sees_row(&["verify.employment.uan"]);
    // The result, and with it the first attempt; then the second.
    for _ in 0..2 {
        story.press("To the next thing that is due");
        story.is_told("The clock shows");
    }
    assert_eq!(receiver.sent_when(2).len(), 2);
    story.follow("Webhooks");
    story.choose("Account", "local");
    story.press("Filter");
    story.sees_row(&["due", "answered 500"]);
    story.row("answered 500").follow("dlv_…");
    story.sees("Attempt 2: answered 500");
    let picture = "//*[name() = 'svg' and contains(@aria-label, '2 attempts made')]";
    assert_eq!(story.browser.find(picture).len(), 1);
    // Two are drawn as made, and four as still to come.
    let drawn = |said: &str| {
        let titled = format!("//*[name() = 'circle']/*[starts-with(., '{said} ')]");
        story.browser.find(&titled).len()
    };
    assert_eq!([drawn("attempt"), drawn("due")], [2, 4]);
    story.sees("not today");
}

fn not_moved_back(driver: &Driver) {
    let mut story = Story::new(driver);
    story.excuse(400);
    story.open("/time/local");
    story.fill("To an instant", "2001-01-01T00:00:00Z");
    story.press("Move it there");
    story.is_told("back");
    assert_eq!(story.page().value("To an instant"), "2001-01-01T00:00:00Z");
}

fn delivered_again(driver: &Driver) {
    let story = Story::new(driver);
    let mended = Arc::new(AtomicBool::new(false));
    let works = Arc::clone(&mended);
    let receiver = Server::start(move |_| {
        let status = if works.load(Ordering::SeqCst) {
            200
        } else {
            500
        };
        Reply::Says(status, Vec::new(), Vec::new())
    });
    let account = story.simulator.account("local");
    let set = account.set_webhook(&receiver.url, "whsec_sample");
    set.expect("a receiver");
    story.call("svc_test_local", UAN, &slow());
    // Half a day: every attempt there is.
    story.open("/time/local");
    story.fill("By", "12h");
    story.press("Move it forward");
    let way = story.section("What happened on the way");
    let last = way.row("webhook, attempt 6").text();
    assert!(last.contains("500"), "{last}");
    assert_eq!(receiver.sent_when(6).len(), 6);
    story.open("/webhooks?account=local");
    story.row("dead").follow("dlv_…");
    story.sees("Attempt 6: answered 500");
    mended.store(true, Ordering::SeqCst);
    story.press("Deliver it again now");
    story.is_told("One more attempt");
    assert_eq!(receiver.sent_when(7).len(), 7);
    story.reloads_until("Attempt 7: answered 200");
    story.sees("delivered");
}

fn tested(driver: &Driver) {
    let story = Story::new(driver);
    let receiver = receiver();
    let other = story.simulator.account("anna");
    other.freeze_clock().expect("it stands still");
    story.open("/webhooks");
    story.choose("Account", "local_anna");
    story.press("Filter");
    story.fill("URL", &receiver.url);
    story.press("Send webhooks there");
    story.is_told("Webhooks of account local_anna");
    story.press("Send a test event");
    story.is_told("test event");
    assert_eq!(receiver.sent_when(1).len(), 1);
    story.follow("svcv_…");
    story.sees("local_anna");
}
