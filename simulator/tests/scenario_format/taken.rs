//! What the readers take fits the schema: editors underline nothing that is right.

use svc_fixtures::reading::Source;
use svc_simulator::scenario::read_scenarios;
use svc_simulator::scenario_format::read_expectations;

use crate::bad_files::rows;
use crate::schema::{fits, validator};

const WHENS: [&str; 24] = [
    "",
    "when = {}",
    "when = { uan = \"100000004411\" }",
    "when = { uan = [\"100000004411\", \"$number\"] }",
    "when = { uan = { one_of = \"$numbers\" } }",
    "when = { uan = \"$number\" }",
    "when = { uan = { at_least = 5, below = \"$count\" } }",
    "when = { uan = { above = 5.5, at_most = 1e14 } }",
    "when = { uan = { contains = \"1\", starts_with = \"1\", ends_with = \"$digit\" } }",
    "when = { uan = { matches = \"^1\", present = \"$yes\" } }",
    "when = { any_identifier = { query = \"a=b\", path_ends = \"/c\" } }",
    "when = { any_identifier = { starts_with = \"1\" } }",
    "when = { any_identifier = [\"100000004411\", \"$number\"] }",
    "when = { who = \"meera\" }",
    "when = { who = [\"meera\"] }",
    "when = { who = \"$somebody\" }",
    "when = { account = \"local\" }",
    "when = { account = { starts_with = \"local_\" } }",
    "when = { environment = \"live\" }",
    "when = { environment = \"$where\" }",
    "when = { header.x-REFERENCE-id = \"r-1\" }",
    "when = { header.\"Idempotency-Key\" = { absent = true } }",
    "when = { header.\"Content-Type\" = [\"application/json\"] }",
    "when = \"$condition\"",
];

const THENS: [&str; 28] = [
    "{ success = {} }",
    "\"$outcome\"",
    "[{ success = {} }, \"$outcome\"]",
    "{ success = \"$changes\", delay = \"$soon\" }",
    "{ success = { memberName = \"$$5\" }, provider = \"p\" }",
    "{ success = {}, delay = \"typical\" }",
    "{ success = {}, delay = { from = \"1s\", to = \"$soon\" } }",
    "{ success = {}, delay = \"0ms\" }",
    "{ success = { memberName = 5 }, breaks_contract = \"$yes\" }",
    "{ success = { made_up = [1, { a = 2 }] }, breaks_contract = true }",
    "{ success = {}, breaks_contract = false }",
    "{ success = {}, length = { employmentHistory = \"$few\" } }",
    "{ success = {}, length = { employmentHistory = 0 } }",
    "{ success = {}, remove = \"$paths\" }",
    "{ success = {}, remove = [\"employmentHistory[0]\"] }",
    "{ success = {}, null = [\"memberName\"], breaks_contract = true }",
    "{ error = \"SVC_SOURCE_TIMEOUT\", message = \"late\" }",
    "{ error = \"$code\" }",
    "{ error = \"SVC_SOURCE_TIMEOUT\", wire = \"reset\", delay = \"3s\" }",
    "{ success = {}, wire = { cut_after = 0 } }",
    "{ success = {}, wire = { slow = \"$soon\" } }",
    "{ success = {}, wire = \"$wire\" }",
    "{ pending = {} }",
    "{ pending = {}, after = \"0s\", finally = { error = \"SVC_SOURCE_TIMEOUT\", message = \"m\" } }",
    "{ pending = {}, after = \"$soon\", finally = \"$outcome\" }",
    "{ pending = {}, finally = { success = {}, length = { employmentHistory = 3 } } }",
    "{ pending = {}, webhook = { copies = 10, delay = \"1ms\", signature = \"none\", out_of_order = true } }",
    "{ pending = {}, webhook = { copies = \"$few\" } }",
];

const EXPECTS: [&str; 13] = [
    "answer = { wire = \"never\", http = 200 }",
    "answer = { wire = \"none\" }",
    "answer = { wire = { cut_after = 0 } }",
    "answers = [{ wire = { slow = \"5s\" } }, { status = \"pending\" }]",
    "who = \"meera\"\nanswer = { success = true }",
    "who = \"meera\"\naccount = \"local_worker7\"\nanswer = { success = true }",
    "answer = { status = \"pending\" }\nstill_pending = \"24s\"",
    "answer = { status = \"pending\" }\nstill_pending = \"24s\"\nafter = \"25s\"\nfinally = { success = true }",
    "answer = { status = \"pending\" }\nafter = \"25s\"\nwebhook = { times = 1 }",
    "answer = { status = \"pending\" }\nwebhook = { ends = \"dead\", receiver = 500 }",
    "answer = { status = \"pending\" }\nwebhook = { ends = \"delivered\", receiver = [500, 503, 204], times = 100 }",
    "answer = { status = \"pending\" }\nwebhook = { signature = \"right\" }",
    "answer = { status = \"pending\" }\nfinally = { error = \"SVC_SOURCE_TIMEOUT\" }\nwebhook = { signature = \"none\", times = 2 }",
];

const REST: &str = r#"
[person.meera]
uan = "100000004477"
name = "MEERA NAIR"
date_of_birth = "1991-04-02"

[values]
number = "100000004411"
numbers = ["100000004411", "100000004412"]
count = 900000000000
digit = "7"
yes = true
somebody = "meera"
where = "test"
condition = { uan = "100000004411" }
outcome = { success = { memberName = "ASHA RAO" } }
changes = { memberName = "ASHA RAO" }
soon = "90s"
few = 3
paths = ["employmentHistory[0]"]
code = "SVC_SOURCE_TIMEOUT"
wire = "never"
"#;

/// A file with this condition and this outcome, and the values it names.
fn file(when: &str, then: &str) -> String {
    let rule = format!(
        "[[scenario]]\nname = \"a\"\noperation = \"verify.employment.uan\"\n{when}\nthen = {then}\n"
    );
    let is_needed = |line: &&str| match line.split_once(" = ") {
        Some((name, _)) if !["uan", "name", "date_of_birth"].contains(&name) => {
            rule.contains(&format!("\"${name}\""))
        }
        _ => true,
    };
    let rest: Vec<&str> = REST.lines().filter(is_needed).collect();
    format!("{rule}{}\n", rest.join("\n"))
}

#[test]
fn what_the_readers_take_fits_the_schema() {
    let (contract, answers) = rows();
    let validator = validator();
    let conditions = WHENS.iter().map(|when| file(when, THENS[0]));
    let outcomes = THENS.iter().map(|then| file(WHENS[0], then));
    for text in conditions.chain(outcomes) {
        let source = Source::new("mine.toml", text.as_str());
        let mistakes = read_scenarios(&contract, &answers, &[source]).err();
        let report = mistakes.map(|mistakes| mistakes.to_string());
        assert_eq!(report, None, "{text}");
        fits(&validator, "mine.toml", &text);
    }
}

#[test]
fn what_can_be_expected_fits_the_schema() {
    let (contract, answers) = rows();
    let validator = validator();
    for expect in EXPECTS {
        let text = format!(
            "[person.meera]\nuan = \"100000004477\"\n\n[[expect]]\nname = \"a\"\n\
             operation = \"verify.employment.uan\"\n{expect}\n"
        );
        let sources = [Source::new("mine.toml", text.as_str())];
        let found = read_expectations(&contract, &answers.cast, &sources);
        let report = found.err().map(|mistakes| mistakes.to_string());
        assert_eq!(report, None, "{text}");
        fits(&validator, "mine.toml", &text);
    }
}
