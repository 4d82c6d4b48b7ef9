//! Every page, in light and dark, wide and narrow: usable by all, and looked at.

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Test;
use super::story::Story;
use super::webdriver::Driver;

pub(super) const TESTS: &[Test] = &[
    ("no_page_has_what_axe_finds_wrong_in_light", in_light),
    ("no_page_has_what_axe_finds_wrong_in_dark", in_dark),
    ("no_page_has_what_axe_finds_wrong_on_a_phone", on_a_phone),
    (
        "no_page_has_what_axe_finds_wrong_on_a_phone_in_the_dark",
        on_a_phone_in_the_dark,
    ),
    (
        "nothing_that_forms_lead_to_has_what_axe_finds_wrong",
        what_forms_lead_to,
    ),
];

/// axe-core, as its package has it.
const AXE: &str = include_str!("vendored/axe.min.js");

/// The SHA-256 of that file, as it was published.
const AXE_HASH: &str = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c";

/// What it looks for: levels A and AA of WCAG 2, and what its authors advise beside them.
const RULES: [&str; 6] = [
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22aa",
    "best-practice",
];

/// The name and the path of every page, with something on each of them.
pub(crate) fn all_pages(story: &Story) -> Vec<(String, String)> {
    let id = |list: &str, member: &str| {
        let path = format!("/control/{list}?account=local");
        let all = story.console(&path).json();
        all[list][0][member].as_str().map(str::to_owned)
    };
    let mut pages: Vec<(String, String)> = FIXED
        .iter()
        .map(|(name, path)| ((*name).to_owned(), (*path).to_owned()))
        .collect();
    let call = id("calls", "verificationId").map(|id| ("call", format!("/calls/{id}")));
    let delivery = id("deliveries", "id").map(|id| ("delivery", format!("/webhooks/{id}")));
    pages.extend(
        [&call, &delivery]
            .into_iter()
            .flatten()
            .cloned()
            .map(|(name, path)| (name.to_owned(), path)),
    );
    let paths: Vec<String> = pages.iter().map(|(_, path)| path.clone()).collect();
    for route in routes() {
        if paths.iter().any(|path| leads_to(&route, path)) {
            continue;
        }
        // A story without webhooks has no delivery to look at.
        if delivery.is_none() && route.starts_with("/webhooks/{") {
            continue;
        }
        // Nobody can guess what stands in the place of a parameter.
        assert!(
            !route.contains('{'),
            "no page of {route} is looked at: put an example of it here"
        );
        pages.push((route.trim_matches('/').replace('/', "-"), route));
    }
    pages
}

/// The paths of pages that the console's router has, read from its source: a new one is looked at without being named
/// here. What streams into a page, and what pages are made with, is none.
fn routes() -> Vec<String> {
    let source = include_str!("../../src/console/mod.rs");
    let calls = source.split(".route(").skip(1);
    let routes = calls.filter_map(|call| {
        let (path, handlers) = call.trim_start().strip_prefix('"')?.split_once('"')?;
        let is_page = handlers
            .trim_start_matches([',', ' ', '\n'])
            .starts_with("get(");
        let is_part =
            path.ends_with("/live") || path.starts_with("/assets/") || path.contains(".ico");
        (is_page && !is_part).then(|| path.to_owned())
    });
    let routes: Vec<String> = routes.collect();
    assert!(routes.len() > 15, "{routes:?}");
    routes
}

/// Whether a path, with its query, is one of this route.
fn leads_to(route: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let (mut parts, mut own) = (route.split('/'), path.split('/'));
    loop {
        match (parts.next(), own.next()) {
            (None, None) => return true,
            (Some(part), Some(_)) if part.starts_with("{*") => return true,
            (Some(part), Some(own)) if part.starts_with('{') || part == own => {}
            _ => return false,
        }
    }
}

const FIXED: [(&str, &str); 28] = [
    ("start", "/"),
    ("calls", "/calls"),
    ("calls-without-key", "/calls?unauthenticated=true"),
    ("webhooks", "/webhooks?account=local"),
    ("time", "/time"),
    ("clock", "/time/local"),
    ("accounts", "/accounts"),
    ("account", "/accounts/local"),
    ("scenarios", "/scenarios?account=local"),
    (
        "rules",
        "/scenarios/file?file=(built%20in)%20scenarios/people.toml",
    ),
    (
        "long-rules",
        "/scenarios/file?file=(built%20in)%20scenarios/universal.toml",
    ),
    ("world", "/world"),
    ("somebody", "/world?identifier=CQSPB5110B"),
    ("try", "/try"),
    ("try-one", "/try/verify.identity.pan"),
    ("consents", "/consents"),
    ("operations", "/operations"),
    ("errors", "/errors"),
    ("inputs", "/inputs"),
    ("import", "/import"),
    (
        "forecast-of-calls",
        "/forecast?account=local&span=30d&wallet=100",
    ),
    ("explain", "/scenarios/explain?account=local"),
    ("try-bundle", "/try/bundles.fraud-check"),
    ("login", "/login"),
    ("guide", "/guide"),
    ("guide-way-in", "/guide/start/integrator"),
    ("guide-tables", "/guide/reference/settings"),
    ("guide-search", "/guide?q=webhook"),
];

fn in_light(driver: &Driver) {
    look(driver, "light", 1280);
}

fn in_dark(driver: &Driver) {
    look(driver, "dark", 1280);
}

fn on_a_phone(driver: &Driver) {
    look(driver, "light", 390);
}

fn on_a_phone_in_the_dark(driver: &Driver) {
    // The narrowest that is sold.
    look(driver, "dark", 320);
}

/// What forms lead to that have no address: answers, mistakes, refusals.
fn what_forms_lead_to(driver: &Driver) {
    let mut story = filled(driver);
    let mut wrong = Vec::new();
    for status in [400, 404, 422] {
        story.excuse(status);
    }
    let mut look = |name: &str| {
        story.picture(&format!("{name}-1280-light"));
        let found = axe(&story).into_iter();
        wrong.extend(found.map(|found| format!("{name}: {found}")));
    };
    story.open("/try/verify.identity.pan");
    story.press("Send");
    story.sees("Answer: 200");
    look("answer");
    story.open("/scenarios");
    let editor = story.section("Add rules");
    editor.fill("Account", "local");
    editor.fill("Rules", "[[scenario]]\nname = 7\n");
    editor.press("Only check");
    story.sees("Line 2");
    look("mistakes");
    story.open("/accounts/local");
    story.fill("Amount, INR", "a lot");
    story.press("Top up");
    story.is_told("an amount is a number");
    look("refusal");
    story.open("/calls/svcv_nobody");
    story.is_told("no account knows this verification");
    look("nothing-there");
    story.open("/accounts-of-mine");
    story.is_told("nothing at this path");
    look("nowhere");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Something of every kind to be seen.
fn filled(driver: &Driver) -> Story {
    let story = Story::with(driver, |builder| {
        builder.frozen_at("2031-01-07T09:30:00Z".parse().expect("an instant"))
    });
    let pan = "/v1/verify/identity/pan";
    let account = story.simulator.account("local");
    let set = account.set_webhook("http://127.0.0.1:9/hook", "whsec_sample");
    set.expect("a receiver");
    for (key, body) in [
        (
            "svc_test_local",
            json!({ "pan": "AAAAA0000A", "name": "Asha Rao" }),
        ),
        (
            "svc_test_local",
            json!({ "pan": "AAAAA9999A", "nmae": "Asha Rao" }),
        ),
        ("svc_test_local", json!({ "pan": "no such thing" })),
        ("svc_test_local_worker2", json!({ "pan": "AAAAA0503A" })),
        ("svc_live_local", json!({ "pan": "ABCPE1234F" })),
        ("svc_test_nobody", json!({})),
    ] {
        story.call(key, pan, &body);
    }
    let uan = "/v1/verify/employment/uan";
    story.call("svc_test_local", uan, &json!({ "uan": "100000000202" }));
    let moved = account.advance(std::time::Duration::from_secs(180));
    story.simulator.block_on(moved).expect("it moves");
    story.call("svc_test_local", uan, &json!({ "uan": "100000000202" }));
    let consent = json!({ "redirectUrl": "https://app.example/back" });
    story.call(
        "svc_test_local",
        "/v1/verify/document/digilocker/start",
        &consent,
    );
    let rule = "[[scenario]]\nname = \"the registry sleeps\"\noperation = \"verify.identity.pan\"\n\
                when = { pan = \"AAAAA1111A\" }\nthen = { error = \"SVC_SOURCE_UNAVAILABLE\" }\n";
    account.add_scenarios(rule).expect("a rule");
    story
}

fn look(driver: &Driver, scheme: &str, width: u32) {
    let story = filled(driver);
    let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
    story
        .browser
        .devtools("Emulation.setEmulatedMedia", &feature);
    let size =
        json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 });
    story
        .browser
        .devtools("Emulation.setDeviceMetricsOverride", &size);
    let mut wrong = Vec::new();
    for (name, path) in all_pages(&story) {
        story.open(&path);
        story.picture(&format!("{name}-{width}-{scheme}"));
        if !story.is_as_wide_as_the_window() {
            wrong.push(format!("{name} is wider than the window"));
        }
        if !story
            .browser
            .title()
            .ends_with(" · Verification Service simulator")
        {
            wrong.push(format!("{name} has no title"));
        }
        if story.browser.find("//h1[normalize-space(.)]").len() != 1 {
            wrong.push(format!("{name} has not one heading above all"));
        }
        wrong.extend(
            axe(&story)
                .into_iter()
                .map(|found| format!("{name}: {found}")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

pub(crate) fn axe_is_as_published() {
    assert_eq!(HEXLOWER.encode(&Sha256::digest(AXE)), AXE_HASH);
}

/// What axe finds wrong with the page.
fn axe(story: &Story) -> Vec<String> {
    let script = format!(
        "{AXE}; const [tags, done] = arguments;
        const said = (it) => it.id + ', ' + it.help + ': ' + it.nodes.map((node) => node.html).join(' | ');
        axe.run(document, {{ runOnly: tags }}).then(({{ violations, passes }}) =>
            done([violations.map(said), passes.length]), (why) => done([[String(why)], 0]));"
    );
    let found = story
        .browser
        .run_until(&script, &[json!(RULES)])
        .expect("axe ends");
    // One that looked at nothing would find nothing.
    assert!(found[1].as_u64() > Some(10), "{found}");
    let violations = found[0].as_array().expect("a list").iter();
    violations.map(Value::to_string).collect()
}
