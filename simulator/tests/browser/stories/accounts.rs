//! Whoever looks after accounts: money, keys, limits, and whole accounts.

use std::time::Duration;

use serde_json::{Value, json};
use svc_test_support::Folder;

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::{PAN, Test, asha};

pub(super) const TESTS: &[Test] = &[
    ("a_wallet_is_topped_up_and_its_history_says_so", topped_up),
    ("a_balance_that_is_no_number_is_refused_and_kept", no_number),
    ("a_rotated_key_works_on_for_a_day_and_ends_then", rotated),
    ("a_revoked_key_works_no_more", revoked),
    ("an_allowlist_shuts_out_whoever_is_not_on_it", shut_out),
    ("a_rate_limit_holds_until_it_is_taken_away", limited),
    ("an_account_is_opened_and_called_at_once", opened),
    ("a_copy_of_an_account_goes_its_own_way", copied),
    ("an_account_that_was_reset_has_no_calls_any_more", was_reset),
    (
        "all_accounts_are_reset_when_that_was_asked_and_confirmed",
        were_reset,
    ),
    (
        "an_account_is_exported_with_its_calls_and_read_again_under_another_name",
        exported,
    ),
    ("usage_on_the_page_is_that_of_the_service", used),
];

/// The line of a table of usage that this operation has.
const OPERATION: &str = "verify.identity.pan";

fn topped_up(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/accounts/broke");
    story.sees("0.00 INR");
    assert_eq!(story.call("svc_live_broke", PAN, &asha()).status, 402);
    let wallet = story.section("Live wallet");
    wallet.fill("Amount, INR", "500");
    wallet.press("Top up");
    story.is_told("The wallet was topped up.");
    story.sees("500.00 INR");
    assert_eq!(story.call("svc_live_broke", PAN, &asha()).status, 200);
    // What is left is kept: it is no setting of the balance.
    let wallet = story.section("Live wallet");
    wallet.fill("Amount, INR", "2.5");
    wallet.press("Top up");
    story.is_told("The wallet was topped up.");
    story.sees("500.00 INR");
    story.section("Live wallet").unfold("History, newest first");
    story.sees_row(&["500.00"]);
    story.sees_row(&[OPERATION]);
}

fn no_number(driver: &Driver) {
    let mut story = Story::new(driver);
    story.excuse(400);
    story.open("/accounts/local");
    let wallet = story.section("Live wallet");
    wallet.fill("Amount, INR", "a lot");
    wallet.press("Set the balance");
    story.is_told("an amount is a number");
    assert_eq!(story.section("Live wallet").value("Amount, INR"), "a lot");
}

fn rotated(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/accounts/local");
    let keys = story.section("Keys");
    keys.choose("Environment", "test");
    keys.press("Rotate the newest");
    story.is_told("The new key is");
    let told = story.text();
    let new_key = told.split("The new key is ").nth(1).expect("a key");
    let new_key = new_key.split_whitespace().next().expect("a key");
    let new_key = new_key.trim_end_matches('.').to_owned();
    for key in ["svc_test_local", &new_key] {
        assert_eq!(story.call(key, PAN, &asha()).status, 200, "{key}");
    }
    let account = story.simulator.account("local");
    let day = Duration::from_secs(25 * 3600);
    story
        .simulator
        .block_on(account.advance(day))
        .expect("a day");
    let after = ["svc_test_local", &new_key].map(|key| story.call(key, PAN, &asha()).status);
    assert_eq!(after, [401, 200]);
    story.browser.reload();
    story.sees_row(&["svc_test_local", "test"]);
    story.sees_row(&[&new_key, "active"]);
}

fn revoked(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/accounts/local");
    story.press("Revoke svc_test_local");
    story.is_told("The key was revoked.");
    story.sees_row(&["svc_test_local", "revoked"]);
    let statuses =
        ["svc_test_local", "svc_live_local"].map(|key| story.call(key, PAN, &asha()).status);
    assert_eq!(statuses, [401, 200]);
}

fn shut_out(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/accounts/local");
    let limits = story.section("Allowlist and rate limit");
    limits.fill("Networks", "203.0.113.0/24");
    limits.press("Set the allowlist");
    story.is_told("The allowlist was set.");
    assert_eq!(story.call("svc_live_local", PAN, &asha()).status, 403);
    story
        .section("Allowlist")
        .fill("Networks", "203.0.113.0/24 127.0.0.0/8");
    story.press("Set the allowlist");
    story.is_told("The allowlist was set.");
    assert_eq!(story.call("svc_live_local", PAN, &asha()).status, 200);
}

fn limited(driver: &Driver) {
    let story = Story::new(driver);
    let account = story.simulator.account("local");
    account.freeze_clock().expect("it stands still");
    story.open("/accounts/local");
    let limits = story.section("Allowlist and rate limit");
    limits.fill("Calls a second", "1");
    limits.fill("At once", "2");
    limits.press("Set the rate limit");
    story.is_told("The rate limit was set.");
    let statuses = [0, 1, 2].map(|_| story.call("svc_test_local", PAN, &asha()).status);
    assert_eq!(statuses, [200, 200, 429]);
    story.press("Without a limit");
    story.is_told("There is no rate limit now.");
    assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 200);
}

fn opened(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/");
    story.follow("Accounts");
    story.fill("Id", "team-a");
    story.fill("In its live wallet, INR", "12.50");
    story.press("Open");
    story.is_told("The account was opened.");
    story.sees("12.50 INR");
    assert_eq!(story.call("svc_live_team-a", PAN, &asha()).status, 200);
    story.follow("Accounts");
    story.sees_row(&["team-a", "10.00", "0 test, 1 live"]);
}

fn copied(driver: &Driver) {
    let story = Story::new(driver);
    story.call("svc_test_local", PAN, &asha());
    story.open("/accounts/local");
    story.fill("Copy it as", "before-the-change");
    story.press("Fork");
    story.is_told("The account was copied.");
    story.sees("Account before-the-change");
    story.call("svc_test_local", PAN, &asha());
    story.follow("Accounts");
    story.sees_row(&["before-the-change", "1 test"]);
    story.row("before-the-change").follow("before-the-change");
    story.unfold("Reset or delete it");
    story.press("Delete");
    story.is_told("The account was deleted.");
    assert!(!story.shows("tr", &["before-the-change"]));
}

fn was_reset(driver: &Driver) {
    let story = Story::new(driver);
    story.call("svc_live_local", PAN, &asha());
    story.open("/accounts/local");
    story.sees_row(&[OPERATION, "2.50"]);
    story.unfold("Reset or delete it");
    story.press("Reset to its beginning");
    story.is_told("set back to its beginning");
    assert!(!story.shows("tr", &[OPERATION]));
    story.open("/calls?account=local");
    story.sees("No call yet that fits");
}

fn were_reset(driver: &Driver) {
    let story = Story::new(driver);
    for key in ["svc_live_local", "svc_test_local_b"] {
        story.call(key, PAN, &asha());
    }
    let none = |account: &str| story.shows("tr", &[account, "0 test, 0 live"]);
    story.open("/accounts");
    story.sees_row(&["local_b", "1 test, 0 live"]);
    story.follow("Reset all accounts");
    story.sees("with 2 calls");
    story.follow("Leave them as they are");
    assert!(!none("local") && !none("local_b"));
    story.follow("Reset all accounts");
    story.press("Reset all accounts");
    story.is_told("accounts were set back to their beginning.");
    assert!(none("local") && none("local_b"));
    story.open("/calls");
    story.sees("No call yet that fits");
}

fn exported(driver: &Driver) {
    let story = Story::new(driver);
    let called = story.call("svc_live_local", PAN, &asha()).json();
    story.open("/accounts/local");
    // What a click on the link saves.
    let script = "const [path, done] = arguments;
        const link = document.evaluate(path, document).iterateNext();
        fetch(link.href).then((answer) => answer.text()).then(done, (why) => done(String(why)));";
    let link = json!("//a[. = 'Export as a file' and @download]");
    let file = story.browser.run_until(script, &[link]).expect("a file");
    let file = file.as_str().expect("text");
    for part in [
        "svc_live_local",
        called["verificationId"].as_str().expect("an id"),
    ] {
        assert!(file.contains(part), "{part}: {file:.2000}");
    }
    let folder = Folder::new("exported");
    folder.write("local.json", file);
    story.open("/accounts");
    story.follow("Read an account from a file");
    let path = folder.path().join("local.json");
    story.page().attach("The file", &path.display().to_string());
    story.fill("As, where it is to be a copy", "yesterday");
    story.press("Read it");
    story.is_told("The account was read from its file.");
    story.sees("Account yesterday");
    let usage = story.section("Usage of live").text();
    assert!(usage.contains(OPERATION), "{usage}");
}

fn used(driver: &Driver) {
    let story = Story::new(driver);
    for pan in ["AAAAA0000A", "AAAAA9999A", "AAAAA0503A", "AAAAA0504A"] {
        story.call("svc_live_local", PAN, &json!({ "pan": pan }));
    }
    let usage = story.get("svc_live_local", "/v1/usage").json();
    let row = &usage["data"]["endpoints"][0];
    let count = |name: &str| row[name].to_string();
    let counts = ["calls", "completed", "noRecord", "failed", "billed"].map(count);
    let amount = row["amount"].as_f64().map(|it| format!("{it:.2}"));
    let amount = amount.unwrap_or_else(|| panic!("{usage}"));
    assert_eq!(row["endpoint"], Value::from(OPERATION), "{usage}");
    story.open("/accounts/local");
    let line = format!("{OPERATION} {} {amount}", counts.join(" "));
    assert_eq!(story.section("Usage of live").row(OPERATION).text(), line);
}
