//! What `learn` writes into a folder, as a person meets it there.

use std::path::{Path, PathBuf};

use super::{WORKS, run};

/// A recording of a licence that the simulator knows otherwise, as `svc-contract-tests record` writes it.
fn recording(folder: &Path, end: &str) -> PathBuf {
    let head = r#"{"seed":"","environments":["test"],"profile":"provider","http":true,"local":true,"cases":["#;
    let body = r#"{\"success\":true,\"verificationId\":\"svcv_1em6fc4xvp90z2580eee840xb2\",\"referenceId\":null,\"endpoint\":\"verify.identity.pan\",\"status\":\"completed\",\"data\":{\"pan\":\"BNZPN2501F\",\"firstName\":\"MEERA\",\"middleName\":\"\",\"lastName\":\"NAIR\",\"fullName\":\"MEERA NAIR\",\"panStatus\":\"INOPERATIVE\",\"category\":\"Individual\",\"aadhaarSeedingStatus\":\"Y\",\"lastUpdated\":\"2024-03-30\"},\"billing\":{\"charged\":false,\"amount\":0,\"currency\":\"INR\"},\"meta\":{\"createdAt\":\"2027-01-15T08:00:00.000Z\",\"environment\":\"test\",\"latencyMs\":20}}"#;
    let case = format!(
        r#"{{"check":"recorded.calls","case":"1","exchanges":[{{"request":{{"channel":"api","environment":"test","method":"POST","path":"/v1/verify/identity/pan","query":"","authorization":null,"headers":[["content-type","application/json"]],"body":{{"text":"{{\"pan\":\"BNZPN2501F\"}}"}}}},"at_s":1800000000,"response":{{"Ok":{{"status":200,"headers":[],"body":{{"text":"{body}"}}}}}}}}]}}"#
    );
    let path = folder.join("day.capture");
    std::fs::write(&path, format!("{head}\n{case}{end}")).expect(WORKS);
    path
}

#[test]
fn what_is_written_into_a_learned_file_is_not_lost() {
    let folder = tempfile::tempdir().expect(WORKS);
    let (out, capture) = (
        folder.path().join("rules"),
        recording(folder.path(), "\n]}\n"),
    );
    let [out_text, capture] = [&out, &capture].map(|path| path.to_str().expect(WORKS));
    let learn = || run("", &["learn", capture, "--out", out_text]);
    let file = out.join("zz-learned-day.toml");
    let (code, said, told) = learn();
    assert_eq!((code, told.as_str()), (0, ""));
    assert!(said.contains("zz-learned-day.toml: "), "{said}");
    let learned = std::fs::read_to_string(&file).expect("it was learned");
    // The same again is no change.
    assert_eq!(learn().0, 0);
    assert_eq!(std::fs::read_to_string(&file).expect(WORKS), learned);
    // What a person wrote is, with the sum or without.
    let edited = learned.replace("INOPERATIVE", "DECEASED");
    assert_ne!(edited, learned);
    let (without, _) = edited.split_once("\n# Sum").expect("it has a sum");
    for edited in [without, &edited] {
        std::fs::write(&file, edited).expect(WORKS);
        let (code, _, told) = learn();
        assert_eq!(code, 2, "{told}");
        let says = "zz-learned-day.toml was changed since it was learned, and is left as it is";
        assert!(told.contains(says), "{told}");
        assert_eq!(std::fs::read_to_string(&file).expect(WORKS), edited);
    }
    let (code, _, told) = run("", &["check", out_text]);
    assert_eq!(code, 0, "{told}");
}

#[test]
fn what_was_seen_last_comes_before_what_was_learned_earlier() {
    let folder = tempfile::tempdir().expect(WORKS);
    let day = recording(folder.path(), "\n]}\n");
    let evening = folder.path().join("evening.capture");
    let later = std::fs::read_to_string(&day).expect(WORKS);
    let later = later.replace("1800000000", "1800003600");
    let later = later.replace("INOPERATIVE", "DECEASED");
    std::fs::write(&evening, later).expect(WORKS);
    let out = folder.path().join("rules");
    let [out, day, evening] = [&out, &day, &evening].map(|it| it.to_str().expect(WORKS));
    let call = ["--scenarios", out, "--field", "pan=BNZPN2501F"];
    let tried = || run("", &[&["try", "verify.identity.pan"], &call[..]].concat()).1;
    for (capture, says) in [
        (day, "INOPERATIVE"),
        (evening, "DECEASED"),
        (day, "DECEASED"),
    ] {
        let (code, said, told) = run("", &["learn", capture, "--out", out]);
        assert_eq!(code, 0, "{told}");
        assert!(said.contains("100% of what a rule can say"), "{said}");
        assert!(tried().contains(says), "{capture}: {}", tried());
    }
}

/// A recording of five people, all of this state, whose last call was made then.
fn of_five(folder: &Path, name: &str, state: &str, (first, at_s): (usize, &str)) -> String {
    let one = std::fs::read_to_string(recording(folder, "\n]}\n")).expect(WORKS);
    let (head, rest) = one.split_once('\n').expect("a head");
    let (case, _) = rest.split_once("\n]}").expect("a case");
    let cases = (first..first + 5).map(|number| {
        let case = case.replace("BNZPN2501F", &format!("BNZPN{number:04}F"));
        let case = case.replace(
            "1em6fc4xvp90z2580eee840xb2",
            &format!("1em6fc4xvp90z2580eee84{number:04}"),
        );
        let case = case
            .replace("INOPERATIVE", state)
            .replace("1800000000", at_s);
        case.replace("\"case\":\"1\"", &format!("\"case\":\"{number}\""))
    });
    let cases = cases.collect::<Vec<_>>().join(",\n");
    let path = folder.join(name);
    std::fs::write(&path, format!("{head}\n{cases}\n]}}\n")).expect(WORKS);
    path.to_str().expect(WORKS).to_owned()
}

#[test]
fn captures_are_learned_in_any_order_and_all_that_was_seen_holds() {
    let folder = tempfile::tempdir().expect(WORKS);
    let older = of_five(
        folder.path(),
        "week.1.capture",
        "INOPERATIVE",
        (1000, "1800000000"),
    );
    let newer = of_five(
        folder.path(),
        "week.2.capture",
        "DECEASED",
        (2000, "1800003600"),
    );
    for (name, order) in [
        ("as made", [&older, &newer]),
        ("newer first", [&newer, &older]),
    ] {
        let out = folder.path().join(name);
        let path = out.to_str().expect(WORKS);
        for capture in order {
            let (code, said, told) = run("", &["learn", capture, "--out", path]);
            assert_eq!((code, told.as_str()), (0, ""), "{name}");
            assert!(said.contains("100% of what a rule can say"), "{said}");
        }
        for file in ["zz-learned-week-1.toml", "zz-learned-week-2.toml"] {
            assert!(out.join(file).exists(), "{name}: {file}");
        }
        let (code, _, told) = run("", &["check", path]);
        assert_eq!(code, 0, "{name}: {told}");
        for (pan, state) in [("BNZPN1003F", "INOPERATIVE"), ("BNZPN2003F", "DECEASED")] {
            let field = format!("pan={pan}");
            let call = ["try", "verify.identity.pan", "--scenarios", path];
            let said = run("", &[&call[..], &["--field", &field]].concat()).1;
            assert!(said.contains(state), "{name}, {pan}: {said}");
        }
    }
}

#[test]
fn a_recording_that_breaks_off_is_read_as_far_as_it_goes_and_said_to_be_one() {
    let folder = tempfile::tempdir().expect(WORKS);
    let capture = recording(folder.path(), ",\n{\"check\":\"recorded.calls\",\"ca");
    let out = folder.path().join("rules");
    let [out, capture] = [&out, &capture].map(|path| path.to_str().expect(WORKS));
    let (code, said, told) = run("", &["learn", capture, "--out", out]);
    assert_eq!(code, 0, "{told}");
    assert!(said.contains("1 calls played"), "{said}");
    assert!(
        told.contains("day.capture breaks off in the middle of a call"),
        "{told}"
    );
}

/// A day in the thirteenth century is nobody's: whoever reads the report is told what it stands for.
#[test]
fn a_capture_of_another_host_is_said_to_have_stand_ins_for_people() {
    let folder = tempfile::tempdir().expect(WORKS);
    let capture = recording(folder.path(), "\n]}\n");
    let out = folder.path().join("rules");
    let text = std::fs::read_to_string(&capture).expect(WORKS);
    let elsewhere = text.replace("\"local\":true,", "");
    let note = "people are stand-ins here: their days and years lie centuries before the real ones";
    for (text, is_told) in [
        (text.replace("2024-03-30", "1324-07-01"), false),
        (elsewhere.replace("2024-03-30", "1324-07-01"), true),
        (elsewhere, false),
    ] {
        std::fs::write(&capture, text).expect(WORKS);
        let [out, capture] = [&out, &capture].map(|path| path.to_str().expect(WORKS));
        let (code, said, told) = run("", &["learn", capture, "--out", out]);
        assert_eq!(code, 0, "{told}");
        assert_eq!(said.contains(note), is_told, "{said}");
    }
}
