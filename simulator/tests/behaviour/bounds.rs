//! What one request, and what somebody adds by hand, may take: each bound is refused with what to do, and what is just
//! within it is not.

use std::fmt::Write as _;

use svc_simulator::engine::call::input::{MAX_ITEMS, MAX_VALUES};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::manage::MAX_KEYS;
use svc_simulator::host::memory::MemoryLimits;

use crate::scene::{PAN, Scene};

const FORGERY: &str = "/v1/verify/document/forgery";

/// A list of so many images.
fn images(count: usize) -> String {
    let mut list = String::new();
    for number in 0..count {
        let _ = write!(list, "\"https://assets.example/{number}.png\",");
    }
    format!(r#"{{"imageUrls": [{}]}}"#, list.trim_end_matches(','))
}

#[test]
fn a_list_has_so_many_items_and_no_more() {
    let scene = Scene::new();
    let most = scene.post(FORGERY, &images(MAX_ITEMS)).send();
    assert_eq!(most.outcome(), "200 completed");
    let over = images(MAX_ITEMS + 1);
    let over = scene.post(FORGERY, &over).send();
    assert_eq!(over.outcome(), "400 SVC_INVALID_INPUT");
    assert_eq!(
        over.at("error.message"),
        "`imageUrls` has 1001 items, and 1000 is the most; send several calls"
    );
    // The body of a bundle has the lists of its steps.
    let over = images(MAX_ITEMS + 1);
    let bundle = "/v1/bundles/document-forgery-check";
    let over = scene.post(bundle, &over).send();
    assert_eq!(over.outcome(), "400 SVC_INVALID_INPUT");
    assert!(over.at("error.message").contains("1000 is the most"));
}

#[test]
fn a_body_has_so_many_values_and_no_more() {
    let scene = Scene::new();
    // The object, the PAN and the list are values, too.
    let body = |count: usize| {
        let list = "1,".repeat(count - 3);
        let list = list.trim_end_matches(',');
        format!(r#"{{"pan": "AAAAA0000A", "other": [{list}]}}"#)
    };
    let most = scene.post(PAN, &body(MAX_VALUES)).outcome();
    assert_eq!(most, "200 completed");
    for over in [
        body(MAX_VALUES + 1),
        format!(
            r#"{{"pan": "AAAAA0000A", "other": [{}{{}}]}}"#,
            r#"{"a":1},"#.repeat(1_250_000)
        ),
        format!(
            r#"{{"pan": "AAAAA0000A", "other": [{}1]}}"#,
            "[],".repeat(3_000_000)
        ),
    ] {
        let over = scene.post(PAN, &over).send();
        assert_eq!(over.outcome(), "400 SVC_INVALID_INPUT");
        let message = over.at("error.message");
        assert_eq!(
            message,
            "the body has over 100000 values; send fewer at once"
        );
    }
}

#[test]
fn an_account_has_so_many_keys_and_no_more() {
    let scene = Scene::new();
    let cell = scene.account("local_keys");
    let (host, test) = (&scene.host, Environment::Test);
    let before = cell.read(|account| account.keys.len());
    for number in before..MAX_KEYS {
        let added = host.add_key(&cell, test, &format!("key{number}"));
        assert!(added.is_ok(), "{number}");
    }
    let refusals = [
        host.add_key(&cell, test, "further").map(drop),
        host.rotate_key(&cell, test).map(drop),
    ];
    for refused in refusals {
        let message = refused.expect_err("there are too many").to_string();
        assert!(
            message.contains("an account has 1000 keys at most"),
            "{message}"
        );
    }
    assert_eq!(cell.read(|account| account.keys.len()), MAX_KEYS);
}

#[test]
fn as_many_accounts_are_opened_by_hand_as_keys_may_open() {
    let scene = Scene::bounded(MemoryLimits {
        max_accounts: 2,
        ..MemoryLimits::DEFAULT
    });
    let (host, local) = (&scene.host, scene.account("local"));
    let fork = |id: &str| host.fork(&local, &id.into());
    assert!(fork("one").is_ok() && fork("two").is_ok());
    let refused = fork("three").err().expect("there are too many");
    let message = refused.to_string();
    assert_eq!(
        message,
        "2 accounts were opened by hand, and there may be no more"
    );
    let one = fork_of(&scene, "one");
    assert!(host.delete(&one).is_ok());
    assert!(fork("three").is_ok());
}

fn fork_of(scene: &Scene, id: &str) -> std::sync::Arc<svc_simulator::host::AccountCell> {
    let known = scene.host.directory().known(id, scene.host.now());
    known.expect("it was opened")
}

const RULE: &str = "[[scenario]]\nname = \"a\"\noperation = \"verify.identity.pan\"\nthen = { error = \"SVC_NO_RECORD_FOUND\" }\n";

#[test]
fn so_many_scenarios_are_added_for_an_account_and_no_more() {
    let scene = Scene::new();
    let cell = scene.account("local_scenarios");
    let rule = RULE;
    let add = |text: &str| scene.host.add_scenarios(&cell, text);
    let large = format!("#{}\n{rule}", " ".repeat(1 << 20));
    let refused = add(&large).expect_err("it is too large").to_string();
    assert!(refused.contains("are over 1 MiB"), "{refused}");
    for _ in 0..32 {
        assert!(add(rule).is_ok());
    }
    let refused = add(rule).expect_err("there are too many").to_string();
    insta::assert_snapshot!(refused, @"
    error: 32 files were added for this account, and no more may be
     --> added-33/scenarios.toml:1:1
      |
    1 | [[scenario]]
      | ^
      |
      = help: take some away: DELETE /control/scenarios/{id}?account=, or reset the account

    1 mistake found
    ");
    let removed = scene.host.remove_scenarios(&cell, Some("added-1"));
    assert!(removed.unwrap() && add(rule).is_ok());
}

#[test]
fn the_book_says_the_bounds() {
    let page = include_str!("../../../docs/src/reference/limits.md");
    for row in [
        format!("| a list in a request | {MAX_ITEMS} items |"),
        format!("| a request's body | 10 MiB, {MAX_VALUES} values |"),
        format!("| keys of an account | {MAX_KEYS} |"),
    ] {
        assert!(page.contains(&row), "{row}");
    }
}
