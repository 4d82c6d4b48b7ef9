//! `init`, `fmt`, `operations`, `completions` and `man`: what they write and print.

use std::path::{Path, PathBuf};

use svc_test_support::Folder;

use super::dry::folder;
use super::{WORKS, run};

/// Nobody is asked.
const NOBODY: &str = "http://127.0.0.1:1";

fn with_folder(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let path = folder.display().to_string();
    let (code, stdout, stderr) = run(NOBODY, &[arguments, &[&path]].concat());
    let hidden = |text: String| text.replace(&path, "FOLDER");
    (code, hidden(stdout), hidden(stderr))
}

/// A folder that is not there.
fn nowhere(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It may be there from an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_starter_folder_has_no_mistake_and_is_laid_out() {
    let folder = nowhere("init").join("deeper");
    let (code, stdout, stderr) = with_folder(&["init"], &folder);
    assert_eq!(
        (code, stdout.as_str()),
        (
            0,
            "FOLDER/kinds.toml\nFOLDER/scenarios.toml\nFOLDER/schema.json\n"
        )
    );
    assert!(stderr.starts_with("next: svc-simulator check "), "{stderr}");
    let (code, stdout, stderr) = with_folder(&["check"], &folder);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("10 expectations met"), "{stdout}");
    assert_eq!(with_folder(&["fmt", "--check"], &folder).0, 0);
}

#[test]
fn a_starter_folder_shows_every_kind_of_rule() {
    let folder = nowhere("init-kinds");
    assert_eq!(with_folder(&["init"], &folder).0, 0);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(WORKS);
    let text = read("scenarios.toml") + &read("kinds.toml");
    let words: Vec<&str> = text
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .collect();
    let (_, reference, _) = run(NOBODY, &["schema", "--markdown"]);
    let rows = reference.split("\n### `answer`").next().expect(WORKS);
    let keys = rows.lines().filter_map(|line| line.strip_prefix("| `"));
    let keys = keys.filter_map(|line| line.split('`').next());
    // Of headers one stands for all.
    let keys = keys.filter(|key| !key.starts_with("header."));
    let keys: Vec<&str> = keys.filter_map(|key| key.rsplit('.').next()).collect();
    assert!(keys.len() > 50, "{keys:?}");
    let missing = keys.iter().filter(|key| !words.contains(key));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn nothing_is_written_over() {
    let folder = folder("init-there", "");
    std::fs::write(folder.join("scenarios.toml"), "# mine\n").expect(WORKS);
    let (code, stdout, stderr) = with_folder(&["init"], &folder);
    assert_eq!((code, stdout.as_str()), (2, ""));
    insta::assert_snapshot!(stderr, @"error: FOLDER/scenarios.toml is there already and nothing is written over; name another folder");
    let kept = std::fs::read_to_string(folder.join("scenarios.toml")).expect(WORKS);
    assert_eq!(kept, "# mine\n");
}

const UNTIDY: &str = "# mine\n[[scenario]]\nname=\"a\"\noperation = \"verify.identity.pan\"   # why\n\
                      then={error=\"SVC_NO_RECORD_FOUND\"}\n";

#[test]
fn what_is_not_laid_out_is_shown_and_left_alone() {
    let folder = folder("fmt-check", UNTIDY);
    let (code, stdout, stderr) = with_folder(&["fmt", "--check"], &folder);
    assert_eq!((code, stderr.as_str()), (1, ""));
    insta::assert_snapshot!(stdout, @r#"
    --- FOLDER/team.toml
    +++ as fmt writes it
    @@ -1,5 +1,5 @@
     # mine
     [[scenario]]
    -name="a"
    +name = "a"
     operation = "verify.identity.pan"   # why
    -then={error="SVC_NO_RECORD_FOUND"}
    +then = { error = "SVC_NO_RECORD_FOUND" }
    "#);
    let kept = std::fs::read_to_string(folder.join("team.toml")).expect(WORKS);
    assert_eq!(kept, UNTIDY);
}

#[test]
fn files_are_laid_out_where_they_stand() {
    let folder = folder("fmt", UNTIDY);
    let (code, stdout, stderr) = with_folder(&["fmt"], &folder);
    assert_eq!((code, stdout.as_str()), (0, "FOLDER/team.toml\n"));
    assert_eq!(stderr, "1 of 1 files changed\n");
    let (code, stdout, stderr) = with_folder(&["fmt"], &folder.join("team.toml"));
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert_eq!(stderr, "0 of 1 files changed\n");
    let names = std::fs::read_dir(&folder).expect(WORKS).count();
    assert_eq!(names, 1);
}

#[test]
fn where_a_file_is_no_toml_no_file_is_written() {
    let folder = folder("fmt-broken", UNTIDY);
    std::fs::write(folder.join("broken.toml"), "name = \"a\nthen = [\n").expect(WORKS);
    let (code, stdout, stderr) = with_folder(&["fmt"], &folder);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("FOLDER/broken.toml:1"), "{stderr}");
    let kept = std::fs::read_to_string(folder.join("team.toml")).expect(WORKS);
    assert_eq!(kept, UNTIDY);
}

#[test]
fn the_built_in_scenarios_are_laid_out() {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let (code, stdout, stderr) = with_folder(&["fmt", "--check"], &built_in);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
}

#[test]
fn an_operation_is_shown_with_all_that_is_known() {
    let (code, stdout, _) = run(
        NOBODY,
        &["operations", "show", "verify.employment.epfo-establishment"],
    );
    assert_eq!(code, 0);
    let (fields, _) = stdout.split_once("\nInputs\n").expect(WORKS);
    insta::assert_snapshot!(fields, @"
    verify.employment.epfo-establishment
      EPFO establishment: 15 INR, 3000-25000 ms
      path     POST /v1/verify/employment/epfo-establishment
      clause   employment.epfo-establishment
      limit    `months` (contribution history): default 6, maximum 12

    Fields
      establishmentId (required, identifies): Establishment's number at the provident fund
        15 letters or digits
      months (default 6): Months of contribution history
        a whole number from 1 to 12
    ");
    let scenarios = stdout.split_once("\nScenarios, ").expect(WORKS).1;
    assert!(scenarios.contains("\"the last digits are the status: 422\" in "));
}

#[test]
fn operations_are_shown_by_id_path_and_beginning() {
    for (name, count) in [
        ("verify.identity.pan", 1),
        ("/v1/verify/identity/pan", 1),
        ("verify.membership.*", 3),
    ] {
        for arguments in [vec!["operations", name], vec!["operations", "show", name]] {
            let (code, stdout, _) = run(NOBODY, &arguments);
            assert_eq!((code, stdout.matches("\nFields\n").count()), (0, count));
        }
    }
    for name in ["verify.identity.pam", "verify.member*", ""] {
        let (code, stdout, stderr) = run(NOBODY, &["operations", "show", name]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{name}");
        assert!(
            stderr.starts_with("error: there is no operation"),
            "{stderr}"
        );
    }
}

#[test]
fn bundles_and_flows_are_listed_with_their_steps_and_bodies_that_work() {
    let (code, all, _) = run(NOBODY, &["operations"]);
    assert_eq!(code, 0);
    assert_eq!(all.matches("\nbundles.").count(), 12);
    assert_eq!(all.matches("\nflows.").count(), 6);
    assert_eq!(all.matches("\n  path     POST /v1/").count(), 63 + 12);
    for name in ["flows.mobile-otp", "mobile-otp"] {
        let (code, stdout, _) = run(NOBODY, &["operations", name]);
        assert_eq!(code, 0);
        insta::allow_duplicates! { insta::assert_snapshot!(stdout, @r#"
        flows.mobile-otp
          Mobile OTP: 7 INR
          steps    verify.identity.mobile-otp.start, verify.identity.mobile-otp.verify, verify.identity.mobile-otp.fetch (in this order)
          1. POST /v1/verify/identity/mobile-otp/start  1 INR
             {"mobile":"9000000001"}
          2. POST /v1/verify/identity/mobile-otp/verify  1 INR
             {"request_id":"… request_id that call 1 answered …","otp":"000000"}
          3. POST /v1/verify/identity/mobile-otp/fetch  5 INR
             {"request_id":"… request_id that call 1 answered …"}
          clause   flows.mobile-otp
        "#); }
    }
    let named = [
        "bundles.professional-router",
        "/v1/bundles/professional-router",
    ];
    for name in named {
        let (code, stdout, _) = run(NOBODY, &["operations", "show", name]);
        assert_eq!(code, 0);
        insta::allow_duplicates! { insta::assert_snapshot!(stdout, @r#"
        bundles.professional-router
          Professional router: 18-20 INR
          path     POST /v1/bundles/professional-router
          steps    verify.membership.ca, verify.membership.cs, verify.membership.cma (one of them, which the body chooses)
          body     {"body_type":"CA","membershipNumber":"100001"}
          clause   bundles.professional-router

        Looks a member of a professional body up, whichever of the three it is: `body_type` chooses.

        Fields
          body_type (required): Which step is run
            one of CA, CS, CMA
          membershipNumber (required, identifies): Membership number
            any text
        "#); }
    }
    let (_, stdout, _) = run(NOBODY, &["operations", "bundles.dynamic-bank-validation"]);
    insta::assert_snapshot!(stdout.split("\nFields").next().expect(WORKS), @r#"
    bundles.dynamic-bank-validation
      Dynamic bank validation: 20 INR
      path     POST /v1/bundles/dynamic-bank-validation
      steps    verify.financial.bank-dynamic.send, verify.financial.bank-dynamic.verify (in two calls)
      body     {"accountNumber":"100000000001","ifsc":"TEST0000001"}
      then     {"referenceId":"… referenceId that call 1 answered …","amount":"1.45"}
      clause   bundles.dynamic-bank-validation

    Sends a small amount to a bank account and, in a second call, checks what the holder says to have received.
    "#);
    for name in ["bundles", "bundles.*"] {
        let (code, stdout, _) = run(NOBODY, &["operations", name]);
        assert_eq!(
            (code, stdout.matches("  steps    ").count()),
            (0, 12),
            "{name}"
        );
    }
    let (code, _, stderr) = run(NOBODY, &["operations", "bundles.fraud-chek"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @"error: there is no operation, bundle or flow bundles.fraud-chek; did you mean `bundles.fraud-check`? Without an id all are listed");
}

#[test]
fn every_bundles_body_is_one_that_can_be_sent() {
    let (_, stdout, _) = run(NOBODY, &["operations", "bundles"]);
    let mut id = "";
    let mut tried = 0;
    for line in stdout.lines() {
        match line.strip_prefix("  body     ") {
            Some(body) => {
                let (code, answer, _) = run(NOBODY, &["try", id, "--body", body]);
                assert_eq!(code, 0, "{id}");
                assert!(answer.contains("\"success\":true"), "{id}: {answer}");
                tried += 1;
            }
            None if !line.starts_with(' ') && !line.is_empty() => id = line,
            None => {}
        }
    }
    assert_eq!(tried, 12);
}

#[test]
fn each_kind_of_file_that_people_write_has_a_schema() {
    for (of, part) in [
        (&[][..], "\"before_format\""),
        (&["scenarios"], "\"before_format\""),
        (&["accounts"], "\"live_wallet_inr\""),
        (&["settings"], "\"keep_bytes\""),
    ] {
        let (code, stdout, stderr) = run(NOBODY, &[&["schema"], of].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{of:?}");
        assert!(stdout.contains(part), "{of:?}");
    }
    assert_eq!(run(NOBODY, &["schema", "accounts", "--markdown"]).0, 2);
    assert_eq!(run(NOBODY, &["schema", "acounts"]).0, 2);
}

#[test]
fn every_shell_has_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, stdout, stderr) = run(NOBODY, &["completions", shell]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        for word in ["explain", "idempotency-key"] {
            assert!(stdout.contains(word), "{shell}: {word}");
        }
        assert!(!stdout.contains("\\u{"), "{shell}");
    }
    assert_eq!(run(NOBODY, &["completions", "tcsh"]).0, 2);
}

#[test]
fn every_command_has_its_manual_page() {
    let folder = Folder::new("man");
    let man1 = folder.path().join("share/man1");
    let man1 = man1.to_str().expect(WORKS);
    for _ in ["the first time", "over the pages of an older version"] {
        let written = format!("{man1}/svc-simulator.1\n");
        assert_eq!(run(NOBODY, &["man", man1]), (0, written, String::new()));
    }
    let page = |name: &str| std::fs::read_to_string(format!("{man1}/{name}.1"));
    for (name, says) in [
        ("svc-simulator", "svc\\-simulator\\-serve(1)"),
        ("svc-simulator-serve", "SVC_SIMULATOR_STORE"),
        ("svc-simulator-clock-advance", "500ms, 30s"),
    ] {
        let page = page(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains(says), "{name}: {page}");
    }
    folder.write("file", "");
    let in_the_way = folder.path().join("file");
    let (code, _, stderr) = run(NOBODY, &["man", in_the_way.to_str().expect(WORKS)]);
    assert_eq!(code, 1);
    assert!(stderr.contains("can't be made"), "{stderr}");
}
