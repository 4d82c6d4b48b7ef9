//! Nothing is long: no file, and no function of any of them.

use super::source::Source;

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 70;

/// Functions that are still too long. The list may only shrink.
const KNOWN: &[(&str, &str)] = &[
    ("simulator/benches/webhooks/main.rs", "main"),
    (
        "simulator/tests/behaviour/story.rs",
        "the_identifiers_of_one_answer_are_the_samples_of_the_next",
    ),
    (
        "simulator/tests/commands/fake.rs",
        "each_command_asks_what_it_is_told",
    ),
    (
        "simulator/tests/http/targets.rs",
        "answers_of_every_kind_end_as_ruled",
    ),
    ("simulator/tests/model/player/calls.rs", "judged"),
];

/// What is too long in a file.
fn found(path: &str, text: &str, source: &Source) -> Vec<String> {
    let mut long = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES_OF_A_FILE {
        long.push(format!("{path} has {lines} lines"));
    }
    let functions = source.functions.iter();
    let functions = functions.filter(|function| function.lines > MOST_LINES_OF_A_FUNCTION);
    long.extend(
        functions.map(|it| format!("{path}:{} {} has {} lines", it.line, it.name, it.lines)),
    );
    long
}

#[test]
fn no_file_and_no_function_is_long() {
    let files = super::rust().iter();
    let mut long: Vec<String> = files
        .flat_map(|file| found(&file.path, &file.text, &file.source))
        .collect();
    let is_known = |found: &String, (path, name): &(&str, &str)| {
        found.starts_with(path) && found.contains(&format!(" {name} has "))
    };
    let dead = KNOWN
        .iter()
        .filter(|known| !long.iter().any(|found| is_known(found, known)));
    let dead: Vec<String> = dead
        .map(|(path, name)| format!("dead entry: {name} of {path} is not long"))
        .collect();
    long.retain(|found| !KNOWN.iter().any(|known| is_known(found, known)));
    long.extend(dead);
    super::none("too long", long);
}

#[test]
fn a_long_file_and_a_long_function_are_found() {
    let planted = |text: &str| found("f", text, &super::source::read(text));
    let function = |lines: usize| format!("fn f() {{{}}}\n", "\n".repeat(lines - 1));
    assert!(planted(&function(70)).is_empty());
    assert_eq!(planted(&function(71)), ["f:1 f has 71 lines"]);
    assert!(planted(&function(50).repeat(10)).is_empty());
    let text = format!("fn f() {{ g(\"{}\"); }}\n", "\n".repeat(100));
    assert!(planted(&text).is_empty());
    let longer = format!("{}\n", function(50).repeat(10));
    assert_eq!(planted(&longer), ["f has 501 lines"]);
}
