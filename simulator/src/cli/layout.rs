//! Texts for people: aligned columns, and anything on one line. Knows nothing of what it lays out.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

/// Rows in columns that are as wide as their widest cell. Nothing stands after the last cell.
pub(super) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| one_line(cell)))
        .collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            write!(line, "{cell:<width$}  ").expect("a text takes all");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// The text with its line breaks and tabs written out: what a receiver answered must not look like a
/// line of ours.
pub(super) fn one_line(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
}

/// A value as the control API writes it, a text without its quotes.
pub(super) fn plain(value: impl Serialize) -> String {
    match json!(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A name of the control API as words: `resultReady` as `result ready`.
pub(super) fn words(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(character.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let rows = [
            row(["a", "bb", ""]),
            row(["ccc", "न", "d"]),
            row(["\n", "", "e"]),
        ];
        assert_eq!(columns(&rows), "a    bb\nccc  न   d\n\\n       e\n");
    }

    #[test]
    fn a_text_of_many_lines_stays_on_one() {
        assert_eq!(one_line("a\r\nb\tc\\n"), "a\\r\\nb\\tc\\\\n");
        assert_eq!(words("idempotencyKeyLapsed"), "idempotency key lapsed");
    }
}
