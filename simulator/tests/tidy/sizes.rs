//! Nothing is long: no file, and no function of any of them.

use super::source::Source;

const MOST_LINES_OF_A_FILE: usize = 500;
const MOST_LINES_OF_A_FUNCTION: usize = 70;

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
    let long = files.flat_map(|file| found(&file.path, &file.text, &file.source));
    super::none("too long", long.collect());
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
