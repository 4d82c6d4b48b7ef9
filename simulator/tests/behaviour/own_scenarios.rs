//! Scenarios of one account are a part of it: they go on after a restart, into copies and files, and end with a reset.

use std::sync::Arc;

use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::account::Account;
use svc_simulator::engine::state::entry::Change;
use svc_simulator::engine::state::scenarios::AddedFile;
use svc_simulator::host::AccountCell;

use crate::scene::Scene;

/// Three calls, three ends.
const IN_TURN: &str = r#"
    [[scenario]]
    name = "in turn"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = [ { success = {} }, { error = "SVC_PROVIDER_ERROR" }, { error = "SVC_SOURCE_TIMEOUT" } ]
"#;
const NOBODY: &str = r#"
    [[scenario]]
    name = "nobody"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1112A" }
    then = { error = "SVC_NO_RECORD_FOUND" }
"#;
const FIRST: &str = "200 completed";
const SECOND: &str = "502 SVC_PROVIDER_ERROR";
const THIRD: &str = "504 SVC_SOURCE_TIMEOUT";

fn add(scene: &Scene, name: &str, text: &str) -> String {
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account(name);
    let added = scene.host.add_scenarios(&cell, text);
    added.unwrap_or_else(|error| panic!("{error}"))
}

fn in_turn(scene: &Scene, name: &str) -> String {
    scene.pan(r#"{"pan": "AAAAA1111A"}"#).by(name).outcome()
}

fn nobody(scene: &Scene, name: &str) -> String {
    scene.pan(r#"{"pan": "AAAAA1112A"}"#).by(name).outcome()
}

fn own(cell: &AccountCell) -> Vec<String> {
    let names = |account: &Account| {
        let own = account.scenarios.clone().unwrap_or_default();
        let names = own.files.iter().map(|file| file.name().to_owned());
        names.collect()
    };
    cell.read(names)
}

#[test]
fn after_a_restart_they_decide_and_a_sequence_goes_on() {
    let mut scene = Scene::new();
    add(&scene, "local_a", IN_TURN);
    add(&scene, "local_a", NOBODY);
    assert_eq!(in_turn(&scene, "local_a"), FIRST);
    scene.crash_and_start_again();
    assert_eq!(in_turn(&scene, "local_a"), SECOND);
    assert_eq!(nobody(&scene, "local_a"), "422 SVC_NO_RECORD_FOUND");
    assert_eq!(nobody(&scene, "local_b"), "200 completed");
    let cell = scene.account("local_a");
    assert_eq!(own(&cell), ["added-2", "added-1"]);
    let slow = NOBODY.replace("SVC_NO_RECORD_FOUND", "SVC_SOURCE_TIMEOUT");
    let rewritten = scene.host.rewrite_scenarios(&cell, "added-2", &slow);
    assert!(rewritten.expect("they fit"));
    assert_eq!(nobody(&scene, "local_a"), THIRD);
    scene.crash_and_start_again();
    assert_eq!(nobody(&scene, "local_a"), THIRD);
    let cell = scene.account("local_a");
    let removed = scene.host.remove_scenarios(&cell, Some("added-2"));
    assert!(removed.expect("the journal takes all"));
    scene.crash_and_start_again();
    assert_eq!(nobody(&scene, "local_a"), "200 completed");
    assert_eq!(in_turn(&scene, "local_a"), THIRD);
    // A number that was given is given to nothing else.
    assert_eq!(add(&scene, "local_a", NOBODY), "added-3");
}

#[test]
fn a_copy_has_them_with_its_place_in_each_sequence_and_each_goes_its_own_way() {
    let mut scene = Scene::new();
    add(&scene, "local_a", IN_TURN);
    assert_eq!(in_turn(&scene, "local_a"), FIRST);
    {
        let _in_runtime = scene.runtime.enter();
        let cell = scene.account("local_a");
        let copy = scene.host.fork(&cell, &"copy".into());
        assert_eq!(own(&copy.expect("the name is free")), ["added-1"]);
    }
    scene.crash_and_start_again();
    assert_eq!(in_turn(&scene, "copy"), SECOND);
    add(&scene, "copy", NOBODY);
    assert_eq!(nobody(&scene, "copy"), "422 SVC_NO_RECORD_FOUND");
    assert_eq!(nobody(&scene, "local_a"), "200 completed");
    assert_eq!(in_turn(&scene, "local_a"), SECOND);
    assert_eq!(in_turn(&scene, "copy"), THIRD);
}

#[test]
fn copies_share_the_rules_of_their_original_until_something_is_added_to_one() {
    let scene = Scene::new();
    add(&scene, "local_a", IN_TURN);
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account("local_a");
    let copy = scene.host.fork(&cell, &"copy".into()).expect("it is free");
    let same = || Arc::ptr_eq(&scene.host.rules_of(&cell), &scene.host.rules_of(&copy));
    assert!(same());
    let everybody = scene.host.rules();
    assert!(!Arc::ptr_eq(&scene.host.rules_of(&cell), &everybody));
    // New scenarios of all accounts make new rules of both: the same again.
    let files = everybody.sources().to_vec();
    scene.host.replace_scenarios(&files).expect("they fit");
    assert!(same());
    scene.host.add_scenarios(&copy, NOBODY).expect("it fits");
    assert!(!same());
}

#[test]
fn a_reset_takes_them_and_their_numbers() {
    let mut scene = Scene::new();
    add(&scene, "local_a", NOBODY);
    let cell = scene.account("local_a");
    scene.host.reset(&cell).expect("the journal takes all");
    assert_eq!(nobody(&scene, "local_a"), "200 completed");
    scene.crash_and_start_again();
    assert_eq!(nobody(&scene, "local_a"), "200 completed");
    assert_eq!(add(&scene, "local_a", NOBODY), "added-1");
}

#[test]
fn one_that_is_not_read_any_more_decides_nothing_and_takes_nothing_else_away() {
    let mut scene = Scene::new();
    add(&scene, "local_a", NOBODY);
    // As another version may have accepted it.
    let file = AddedFile {
        path: "added-2/scenarios.toml".into(),
        toml: "[[scenario]]\nname = \"of old\"\nwhenever = true\n".into(),
    };
    let change = Change::ScenariosAdded { file };
    scene.change("local_a", Environment::Test, |_, _| {
        Ok(vec![change.clone()])
    });
    for _ in 0..2 {
        assert_eq!(nobody(&scene, "local_a"), "422 SVC_NO_RECORD_FOUND");
        let cell = scene.account("local_a");
        let left_out = scene.host.left_out(&cell);
        assert_eq!(left_out.len(), 1);
        assert_eq!(left_out[0].name, "added-2");
        let mistakes = left_out[0].mistakes.to_string();
        assert!(mistakes.contains("added-2/scenarios.toml:3"), "{mistakes}");
        assert_eq!(own(&cell), ["added-2", "added-1"], "it is still there");
        scene.crash_and_start_again();
    }
    let cell = scene.account("local_a");
    let removed = scene.host.remove_scenarios(&cell, Some("added-2"));
    assert!(removed.expect("the journal takes all"));
    assert!(scene.host.left_out(&cell).is_empty());
}

#[test]
fn their_texts_are_counted_and_refused_where_there_is_no_room() {
    let scene = Scene::new();
    let used = || scene.host.memory_usage().pinned;
    let (cell, before) = (scene.account("local_a"), used());
    let long = format!("#{}\n{NOBODY}", "x".repeat(500_000));
    scene.host.add_scenarios(&cell, &long).expect("they fit");
    assert!(used() > before + 1_000_000, "{} and {before}", used());
    scene.host.reset(&cell).expect("the journal takes all");
    assert_eq!(used(), before);
    let small = svc_simulator::host::memory::MemoryLimits {
        total_bytes: 1 << 20,
        ..Default::default()
    };
    let scene = Scene::bounded(small);
    let refused = scene.host.add_scenarios(&scene.account("local_a"), &long);
    let refused = refused.expect_err("there is no room").to_string();
    assert!(refused.contains("--keep-total"), "{refused}");
}
