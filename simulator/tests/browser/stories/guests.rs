//! Those who come otherwise: with a token, without scripts, without a mouse, and with texts that are meant to harm.

use serde_json::json;
use svc_simulator::http::control::guard::{ConsoleAccess, ConsoleToken};
use svc_test_support::{Client, request};

use super::super::pages::all_pages;
use super::super::story::Story;
use super::super::webdriver::Driver;
use super::{PAN, Test, asha};

pub(super) const TESTS: &[Test] = &[
    ("the_token_is_asked_for_once", asked_once),
    (
        "without_the_token_a_change_is_refused_and_nothing_is_changed",
        refused_without,
    ),
    (
        "every_page_works_with_scripts_switched_off",
        without_scripts,
    ),
    ("a_story_is_played_with_the_keyboard_alone", by_keyboard),
    ("texts_that_are_meant_to_harm_are_shown_as_text", harmless),
];

const TAB: char = '\u{e004}';
const ENTER: &str = "\u{e007}";

fn guarded(driver: &Driver) -> Story {
    Story::with(driver, |builder| {
        builder.access(ConsoleAccess {
            token: ConsoleToken::new("sample token"),
            hosts: Vec::new(),
        })
    })
}

fn asked_once(driver: &Driver) {
    let mut story = guarded(driver);
    story.excuse(401);
    story.open("/calls?account=local");
    story.sees("The console's token");
    story.fill("Token", "a guess");
    story.press("Go on");
    story.is_told("This is not the console's token.");
    story.fill("Token", "sample token");
    story.press("Go on");
    story.sees("No call yet that fits");
    assert_eq!(story.path(), "/calls?account=local");
    // Not again, and not for what changes something.
    story.open("/accounts/local");
    story.fill("Amount, INR", "500");
    story.press("Top up");
    story.is_told("The wallet was topped up.");
    let cookies = story.browser.run("return document.cookie;", &[]);
    assert_eq!(cookies, "", "no script reads the cookie");
}

fn refused_without(driver: &Driver) {
    let story = guarded(driver);
    story.open("/accounts/local");
    story.sees("The console's token");
    story.fill("Token", "sample token");
    story.press("Go on");
    story.sees("Live wallet");
    let before = story.simulator.account("local").wallet();
    // The browser forgets it while the page is open.
    story
        .browser
        .devtools("Network.clearBrowserCookies", &json!({}));
    story.fill("Amount, INR", "500");
    story.press("Top up");
    story.sees("The console's token");
    assert_eq!(story.simulator.account("local").wallet(), before);
}

fn without_scripts(driver: &Driver) {
    let story = Story::without_scripts(driver);
    story.open("/");
    // It could do nothing.
    assert!(!story.page().has_button("Copy"));
    story.call("svc_test_local", PAN, &asha());
    for (_, path) in all_pages(&story) {
        story.open(&path);
        let headings = story.browser.find("//h1");
        assert_eq!(headings.len(), 1, "{path}");
    }
    story.open("/");
    story.follow("Calls");
    story.choose("Outcome", "completed");
    story.press("Filter");
    story.row("completed").follow("verify.identity.pan");
    story.press("Send it again, as a new call");
    story.is_told("this is the new call");
    story.open("/accounts/local");
    story.fill("Amount, INR", "500");
    story.press("Top up");
    story.is_told("The wallet was topped up.");
}

/// What has the focus is called so.
const FOCUSED: &str = "const it = document.activeElement;
    const style = getComputedStyle(it);
    const label = it.labels?.[0]?.innerText ?? it.ariaLabel ?? it.innerText ?? '';
    return [label.trim(), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0, it.tagName];";

/// Presses Tab until this has the focus. Whatever has it on the way can be seen to.
fn tab_to(story: &Story, name: &str) {
    let mut passed = Vec::new();
    for _ in 0..100 {
        story.browser.keys(&TAB.to_string());
        let focused = story.browser.run(FOCUSED, &[]);
        let label = focused[0].as_str().unwrap_or_default().to_owned();
        assert!(
            focused[1] == true || focused[2] == "BODY",
            "{focused} is not seen"
        );
        if label.starts_with(name) {
            return;
        }
        passed.push(label);
    }
    panic!("{name} is not reached: {passed:?}");
}

fn by_keyboard(driver: &Driver) {
    let story = Story::new(driver);
    story.call("svc_test_local", PAN, &json!({ "pan": "AAAAA0503A" }));
    story.open("/");
    // The first stop leads past the navigation.
    tab_to(&story, "Skip to the content");
    tab_to(&story, "Calls");
    story.browser.keys(ENTER);
    story.sees_row(&["SVC_SOURCE_UNAVAILABLE"]);
    tab_to(&story, "Account");
    story.browser.keys("local");
    tab_to(&story, "Outcome");
    story.browser.keys("f");
    tab_to(&story, "Filter");
    story.browser.keys(ENTER);
    story.sees_row(&["SVC_SOURCE_UNAVAILABLE"]);
    assert!(story.path().contains("status=failed"), "{}", story.path());
    tab_to(&story, "verify.identity.pan");
    story.browser.keys(ENTER);
    story.sees("HTTP 503");
    tab_to(&story, "Send it again, as a new call");
    story.browser.keys(ENTER);
    story.is_told("this is the new call");
}

fn harmless(driver: &Driver) {
    let story = Story::new(driver);
    let script = "</pre></textarea><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
    let long = "x".repeat(1_000_000);
    let body =
        json!({ "pan": "AAAAA0000A", "name": format!("{script}\u{202e}gnp.exe"), script: long });
    let headers = format!(
        "X-Reference-Id: {}\r\nUser-Agent: {script}\r\n",
        "\u{202e}r<b>"
    );
    let hostile = story.call_with("svc_test_local", PAN, &headers, &body);
    let hostile = hostile.json()["verificationId"].clone();
    let hostile = format!("/calls/{}", hostile.as_str().expect("an id"));
    let to = story.simulator.addresses().sandbox;
    let head = format!("Host: {to}\r\nAuthorization: Bearer <script>{script}\r\n");
    Client::to(to).ask(request(&format!("POST {PAN} HTTP/1.1"), &head, "{}"));
    let account = story.simulator.account("local");
    let rule = json!(format!("{script}\u{202e}"));
    let rules = format!(
        "[[scenario]]\nname = {rule}\noperation = \"verify.identity.pan\"\nwhen = {{ pan = \"AAAAA1111A\" }}\nthen = {{ success = {{}} }}\n"
    );
    account.add_scenarios(&rules).expect("a name of any kind");
    story.call("svc_test_local", PAN, &json!({ "pan": "AAAAA1111A" }));
    let more = [
        ("the call", hostile.as_str()),
        ("its rules", "/scenarios?account=local"),
        (
            "its rule",
            "/scenarios/file?account=local&file=added-1/scenarios.toml",
        ),
    ];
    let more = more.map(|(name, path)| (name.to_owned(), path.to_owned()));
    for (name, path) in all_pages(&story).into_iter().chain(more) {
        story.open(&path);
        assert!(!story.browser.title().contains("taken"), "{name}");
        assert!(!story.shows("body", &["\u{202e}"]), "{name}");
        assert_eq!(
            story
                .browser
                .find("//img[@src='x'] | //script[not(@src)]")
                .len(),
            0,
            "{name}"
        );
        // Long lines are folded, or scroll in a box of their own.
        assert!(story.is_as_wide_as_the_window(), "{name}");
    }
    story.open("/calls");
    story.sees("<script>");
    story.sees("\\u{202e}");
}
