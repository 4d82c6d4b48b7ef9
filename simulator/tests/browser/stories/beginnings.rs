//! The first minutes of somebody who never saw it.

use std::process::Command;

use serde_json::{Value, json};
use svc_simulator::engine::state::signature::Signature;
use svc_test_support::{Reply, Request, Server, ended};

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::Test;

pub(super) const TESTS: &[Test] = &[
    (
        "a_newcomer_comes_from_the_first_page_to_a_signed_webhook",
        to_a_signed_webhook,
    ),
    (
        "the_first_call_is_copied_to_a_shell_and_found_in_calls",
        copied_to_a_shell,
    ),
];

const SECRET: &str = "whsec_sample";

/// A receiver that takes everything.
pub(super) fn receiver() -> Server {
    Server::start(|_| Reply::Says(204, Vec::new(), Vec::new()))
}

/// Whether a request is signed with the secret.
fn is_signed(request: &Request) -> bool {
    let header = request.header("x-service-signature").expect("a signature");
    let signature = Signature::parse(header).expect("a signature");
    signature == Signature::sign(SECRET, signature.at_s, &request.body)
}

fn to_a_signed_webhook(driver: &Driver) {
    let story = Story::new(driver);
    let receiver = receiver();
    story.open("/");
    story.sees("From nothing to a signed webhook");
    // Without a receiver it says what is missing, on the page that can mend it.
    story.press("Send a test event");
    story.sees("Signing secret");
    story.fill("URL", &format!("{}/hook", receiver.url));
    story.fill("Signing secret", SECRET);
    story.press("Send webhooks there");
    story.is_told("Webhooks of account local go to");
    story.follow("Start");
    story.press("Send a test event");
    story.is_told("test event");
    let requests = receiver.sent_when(1);
    assert!(is_signed(&requests[0]), "{:?}", requests[0]);
    story.reloads_until("Attempt 1: answered 204");
    story.sees("delivered");
}

fn copied_to_a_shell(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/");
    story.press("Copy");
    story.is_told("Copied.");
    let allowed = json!({ "permissions": ["clipboardReadWrite"] });
    story.browser.devtools("Browser.grantPermissions", &allowed);
    let script = "const done = arguments[0]; navigator.clipboard.readText().then(done, (why) => done(String(why)));";
    let copied = story.browser.run_until(script, &[]).expect("the clipboard");
    let copied = copied.as_str().expect("text");
    assert!(copied.starts_with("curl "), "{copied}");
    let (code, answer, _) = ended(Command::new("sh").args(["-c", copied]));
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!((code, &answer["success"]), (Some(0), &Value::Bool(true)));
    story.follow("Calls");
    story.sees_row(&["local", "verify.identity.pan", "completed"]);
}
