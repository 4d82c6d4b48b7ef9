//! ARCHITECTURE.md says what is there: what it names exists, it counts nothing, its drawing of the engine
//! has one box a folder in the order of the layers, and it is short.

use std::collections::BTreeSet;

use super::layers::ENGINE;
use super::source::Kind;

const MOST_LINES: usize = 150;

/// Where the paths begin that it names.
const BASES: [&str; 7] = [
    "",
    "simulator/",
    "simulator/src/",
    "simulator/core/src/",
    "simulator/core/src/engine/",
    "simulator/server/src/",
    "fixtures/src/",
];

/// What has digits and counts nothing.
const NO_COUNTS: [&str; 1] = ["401"];

/// What is wrong with a page, given the names of all types and variants and which paths exist.
fn found(page: &str, names: &BTreeSet<&str>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let lines = page.lines().count();
    if lines > MOST_LINES {
        wrong.push(format!("{lines} lines"));
    }
    let mut boxes = Vec::new();
    let mut is_drawing = false;
    for (at, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            is_drawing = !is_drawing;
        } else if is_drawing {
            let title = line
                .strip_prefix("┌ ")
                .and_then(|title| title.split(' ').next());
            boxes.extend(title);
        } else {
            let wrong_here = in_line(line, names, &exists).into_iter();
            wrong.extend(wrong_here.map(|it| format!("line {}: {it}", at + 1)));
        }
    }
    let drawn: Vec<&str> = ENGINE.into_iter().rev().collect();
    if boxes != drawn {
        wrong.push(format!("the boxes are {boxes:?}, the folders {drawn:?}"));
    }
    wrong
}

fn in_line(line: &str, names: &BTreeSet<&str>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    // By turns prose and what is written as code.
    for (at, part) in line.split('`').enumerate() {
        if at % 2 == 0 {
            let words = part.split_whitespace();
            let words = words.map(|word| word.trim_matches(|it: char| !it.is_alphanumeric()));
            let counts = words.filter(|word| word.contains(|it: char| it.is_ascii_digit()));
            let counts = counts.filter(|word| !NO_COUNTS.contains(word));
            wrong.extend(counts.map(|word| format!("{word} is a count that nothing checks")));
        } else if part.contains('/') || part.ends_with(".rs") {
            if !BASES.iter().any(|base| exists(&format!("{base}{part}"))) {
                wrong.push(format!("there is no {part}"));
            }
        } else if part.starts_with(|it: char| it.is_ascii_uppercase())
            && part.contains(|it: char| it.is_ascii_lowercase())
            && part.chars().all(|it| it.is_ascii_alphanumeric())
            && !names.contains(part)
        {
            wrong.push(format!("nothing is called {part}"));
        }
    }
    wrong
}

#[test]
fn the_architecture_page_says_what_is_there() {
    let root = super::root();
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("a page");
    let items = super::rust().iter().flat_map(|file| &file.source.items);
    let named = items.filter(|it| matches!(it.kind, Kind::Type | Kind::Variant));
    let names = named.map(|it| it.name.as_str()).collect();
    let wrong = found(&page, &names, |path| root.join(path).exists());
    super::none("ARCHITECTURE.md", wrong);
}

#[test]
fn what_a_page_says_wrongly_is_found() {
    let drawing = "```text\n┌ call ──\n┌ compute ──\n┌ state ──\n```\n";
    let names = BTreeSet::from(["Host"]);
    let wrong = |page: &str| found(page, &names, |path| path == "simulator/src/a/b.rs");
    let right = format!("{drawing}The `Host` of `a/b.rs` says 401 to `ruling 24` and `SVC_X`.");
    assert!(wrong(&right).is_empty());
    let page = format!("{drawing}All 7 `Hosts`\nof `a/c.rs`");
    assert_eq!(
        wrong(&page),
        [
            "line 6: 7 is a count that nothing checks",
            "line 6: nothing is called Hosts",
            "line 7: there is no a/c.rs",
        ]
    );
    let page = drawing.replace("┌ compute ──\n", "");
    let boxes =
        "the boxes are [\"call\", \"state\"], the folders [\"call\", \"compute\", \"state\"]";
    assert_eq!(wrong(&page), [boxes]);
    assert_eq!(
        wrong(&format!("{drawing}{}", "a\n".repeat(146))),
        ["151 lines"]
    );
}
