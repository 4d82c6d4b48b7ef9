//! What `[[expect]]` says of the time after the answer, of the wire and of people: what holds is counted,
//! what does not is reported.

use super::dry::folder;
use super::run;

const RULES: &str = r#"
[person.kavya]
pan = "CKZPI4821L"
uan = "100987654411"
name = "KAVYA IYER"

[[scenario]]
name = "an hour, then three times"
operation = "verify.employment.uan"
when = { who = "kavya" }
then = { pending = {}, after = "1h", webhook = { copies = 3, signature = "wrong" } }

[[scenario]]
name = "the first answer is cut"
operation = "verify.identity.pan"
when = { who = "kavya" }
then = [{ success = {}, wire = { cut_after = 40 } }, { success = {}, wire = "never" }, { success = {} }]

[[scenario]]
name = "one worker has no luck"
operation = "verify.company.tan"
when = { account = "local_worker7" }
then = { error = "SVC_PROVIDER_ERROR" }
"#;

const MET: &str = r#"
[[expect]]
name = "nothing for an hour, then it comes three times"
operation = "verify.employment.uan"
who = "kavya"
answer = { status = "pending" }
still_pending = "59m"
after = "1h"
finally = { data = { memberName = "KAVYA IYER" } }
webhook = { times = 3, ends = "delivered", signature = "wrong" }

[[expect]]
name = "a receiver that fails twice gets two more copies"
operation = "verify.employment.uan"
who = "kavya"
answer = { http = 202 }
webhook = { receiver = [500, 503, 204], times = 5, ends = "delivered" }

[[expect]]
name = "the sample's history comes once, and a receiver that is down gets six attempts"
operation = "verify.employment.uan"
call = { uan = "100000000202" }
answer = { status = "pending" }
webhook = { receiver = 500, times = 6, ends = "dead", signature = "right" }

[[expect]]
name = "what goes wrong on the wire"
operation = "verify.identity.pan"
who = "kavya"
answers = [{ wire = { cut_after = 40 }, status = "completed" }, { wire = "never" }, { wire = "none" }]

[[expect]]
name = "it is that worker's alone"
operation = "verify.company.tan"
account = "local_worker7"
answer = { error = "SVC_PROVIDER_ERROR", because = "one worker has no luck" }

[[expect]]
name = "and nobody else's"
operation = "verify.company.tan"
account = "local_worker8"
answer = { status = "completed" }
"#;

const UNMET: &str = r#"
[[expect]]
name = "too late"
operation = "verify.employment.uan"
who = "kavya"
answer = { status = "pending" }
still_pending = "1h"

[[expect]]
name = "not pending at all"
operation = "verify.employment.uan"
call = { uan = "100000000001" }
answer = { status = "completed" }
still_pending = "1s"

[[expect]]
name = "another webhook"
operation = "verify.employment.uan"
who = "kavya"
answer = { status = "pending" }
webhook = { receiver = 500, times = 3, ends = "delivered", signature = "right" }

[[expect]]
name = "another fault"
operation = "verify.identity.pan"
who = "kavya"
answers = [{ wire = "none" }]
"#;

fn checked(name: &str, text: &str) -> (i32, String, String) {
    let folder = folder(name, text).display().to_string();
    let (code, out, stderr) = run("", &["check", &folder]);
    (code, out, stderr.replace(&folder, "FOLDER"))
}

#[test]
fn what_comes_later_on_the_wire_and_by_webhook_can_be_relied_on() {
    let (code, out, stderr) = checked("expected-met", &format!("{RULES}{MET}"));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(
        out.contains(", 6 expectations met: no mistake found"),
        "{out}"
    );
}

#[test]
fn what_comes_otherwise_is_reported() {
    let (code, _, stderr) = checked("expected-unmet", &format!("{RULES}{UNMET}"));
    assert_eq!(code, 1);
    insta::assert_snapshot!(stderr, @r#"
    error: "too late" is not met: it is no longer pending then, but completed
      --> FOLDER/team.toml:30:17
       |
    30 | still_pending = "1h"
       |                 ^^^^

    error: "not pending at all" is not met: the answer was not pending, so that no result comes after it
      --> FOLDER/team.toml:37:17
       |
    37 | still_pending = "1s"
       |                 ^^^^

    error: "another webhook" is not met: of the webhook, `times` should be 3 and is 6; `ends` should be "delivered" and is "dead"; `signature` should be "right" and is "wrong"
      --> FOLDER/team.toml:44:11
       |
    44 | webhook = { receiver = 500, times = 3, ends = "delivered", signature = "right" }
       |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: "another fault" is not met: of the answer, `wire` should be "none" and is { cut_after = 40 }
      --> FOLDER/team.toml:50:12
       |
    50 | answers = [{ wire = "none" }]
       |            ^^^^^^^^^^^^^^^^^
       |
       = help: decided by: scenario "the first answer is cut" (FOLDER/team.toml:13)

    4 of 4 expectations not met
    "#);
}
