//! Prints JSON the way other programs print it. What is printed is compared with what was signed, so
//! every space and every escape counts. Must not be used to print an answer.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// Where line breaks and spaces stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// No spaces at all.
    Compact,
    /// A space after each colon and comma.
    Spaced,
    /// A line each, indented by this.
    Pretty(&'static str),
}

/// Which characters of a text are escaped beside those that must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// No others.
    Few,
    /// All that are not ASCII.
    Ascii,
    /// The slash, and all that are not ASCII.
    AsciiAndSlash,
    /// The slash.
    Slash,
    /// `<`, `>`, `&` and the two separators that JavaScript takes for line ends.
    Html,
}

/// The order of members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As they came.
    Kept,
    /// By name.
    Sorted,
}

/// How numbers with a fraction of nothing are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// `1.0` stays `1.0`.
    Kept,
    /// `1.0` becomes `1`.
    Shortened,
}

/// A way to print JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) layout: Layout,
    pub(super) order: Order,
    pub(super) escapes: Escapes,
    pub(super) numbers: Numbers,
}

impl Style {
    /// All that are tried, the simple ones first.
    pub(super) fn all() -> impl Iterator<Item = Style> {
        use Escapes::{Ascii, AsciiAndSlash, Few, Html, Slash};
        let layouts = [
            Layout::Compact,
            Layout::Spaced,
            Layout::Pretty("  "),
            Layout::Pretty("    "),
            Layout::Pretty("\t"),
        ];
        let rest = [Few, Ascii, AsciiAndSlash, Slash, Html]
            .into_iter()
            .flat_map(|escapes| [Order::Kept, Order::Sorted].map(|order| (escapes, order)));
        let rest = rest.flat_map(|(escapes, order)| {
            [Numbers::Kept, Numbers::Shortened].map(|numbers| (escapes, order, numbers))
        });
        rest.flat_map(move |(escapes, order, numbers)| {
            layouts.map(|layout| Style {
                layout,
                order,
                escapes,
                numbers,
            })
        })
    }

    /// The style for people.
    pub(super) fn words(self) -> String {
        let mut words = vec![match self.layout {
            Layout::Compact => "without spaces (as JSON.stringify does)",
            Layout::Spaced => "with a space after each `:` and `,` (as Python's json.dumps does)",
            Layout::Pretty("\t") => "on several lines, indented by tabs",
            Layout::Pretty("  ") => "on several lines, indented by 2 spaces",
            Layout::Pretty(_) => "on several lines, indented by 4 spaces",
        }];
        match self.order {
            Order::Kept => {}
            Order::Sorted => words.push("the members sorted by name"),
        }
        words.extend(match self.escapes {
            Escapes::Few => None,
            Escapes::Ascii => Some("everything that is not ASCII as \\u escapes (as Python does)"),
            Escapes::AsciiAndSlash => {
                Some("slashes and everything that is not ASCII escaped (as PHP does)")
            }
            Escapes::Slash => Some("slashes escaped"),
            Escapes::Html => Some("<, > and & escaped (as Go does)"),
        });
        match self.numbers {
            Numbers::Kept => {}
            Numbers::Shortened => words.push("1.0 shortened to 1 (as JavaScript does)"),
        }
        words.join(", ")
    }

    /// The value in this style.
    pub(super) fn print(self, value: &Value) -> String {
        let mut out = String::new();
        self.value(value, 0, &mut out);
        out
    }

    fn value(self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
            Value::Number(it) => self.number(it, out),
            Value::String(it) => self.text(it, out),
            Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.before_item(at, depth + 1, out);
                    self.value(item, depth + 1, out);
                }
                self.close(items.is_empty(), depth, ']', out);
            }
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                match self.order {
                    Order::Kept => {}
                    Order::Sorted => members.sort_by_key(|(name, _)| *name),
                }
                out.push('{');
                for (at, (name, member)) in members.iter().enumerate() {
                    self.before_item(at, depth + 1, out);
                    self.text(name, out);
                    out.push_str(if self.layout == Layout::Compact {
                        ":"
                    } else {
                        ": "
                    });
                    self.value(member, depth + 1, out);
                }
                self.close(members.is_empty(), depth, '}', out);
            }
        }
    }

    fn before_item(self, at: usize, depth: usize, out: &mut String) {
        if at > 0 {
            out.push_str(if self.layout == Layout::Spaced {
                ", "
            } else {
                ","
            });
        }
        self.line(depth, out);
    }

    fn close(self, empty: bool, depth: usize, bracket: char, out: &mut String) {
        if !empty {
            self.line(depth, out);
        }
        out.push(bracket);
    }

    fn line(self, depth: usize, out: &mut String) {
        if let Layout::Pretty(indent) = self.layout {
            out.push('\n');
            out.extend(std::iter::repeat_n(indent, depth));
        }
    }

    fn number(self, number: &Number, out: &mut String) {
        let printed = number.to_string();
        let shown = match self.numbers {
            Numbers::Kept => printed.as_str(),
            Numbers::Shortened => printed.strip_suffix(".0").unwrap_or(&printed),
        };
        out.push_str(shown);
    }

    fn text(self, text: &str, out: &mut String) {
        out.push('"');
        for character in text.chars() {
            match character {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '/' if matches!(self.escapes, Escapes::Slash | Escapes::AsciiAndSlash) => {
                    out.push_str("\\/")
                }
                _ if self.escapes(character) => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        // Writing to a String does not fail.
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                _ => out.push(character),
            }
        }
        out.push('"');
    }

    fn escapes(self, character: char) -> bool {
        character < ' '
            || match self.escapes {
                Escapes::Few | Escapes::Slash => false,
                Escapes::Ascii | Escapes::AsciiAndSlash => character >= '\u{7f}',
                Escapes::Html => matches!(character, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(layout: Layout, order: Order, escapes: Escapes, numbers: Numbers) -> String {
        let value = "{\"z\":[1.0,2,{}],\"a\":\"R\u{e9}/<\u{1f600}>\\u0001\",\"e\":[]}";
        let value = serde_json::from_str(value).unwrap();
        Style {
            layout,
            order,
            escapes,
            numbers,
        }
        .print(&value)
    }

    #[test]
    fn pythons_print_has_spaces_and_ascii_only() {
        insta::assert_snapshot!(printed(Layout::Spaced, Order::Kept, Escapes::Ascii, Numbers::Kept), @r#"{"z": [1.0, 2, {}], "a": "R\u00e9/<\ud83d\ude00>\u0001", "e": []}"#);
    }

    #[test]
    fn gos_print_is_sorted_and_safe_in_html() {
        insta::assert_snapshot!(printed(Layout::Compact, Order::Sorted, Escapes::Html, Numbers::Shortened), @r#"{"a":"Ré/\u003c😀\u003e\u0001","e":[],"z":[1,2,{}]}"#);
    }

    #[test]
    fn phps_print_escapes_slashes() {
        insta::assert_snapshot!(printed(Layout::Compact, Order::Kept, Escapes::AsciiAndSlash, Numbers::Kept), @r#"{"z":[1.0,2,{}],"a":"R\u00e9\/<\ud83d\ude00>\u0001","e":[]}"#);
    }

    #[test]
    fn a_pretty_print_leaves_empty_lists_closed() {
        insta::assert_snapshot!(printed(Layout::Pretty("  "), Order::Kept, Escapes::Few, Numbers::Kept), @r#"
        {
          "z": [
            1.0,
            2,
            {}
          ],
          "a": "Ré/<😀>\u0001",
          "e": []
        }
        "#);
    }

    #[test]
    fn every_style_is_another_one() {
        let words: Vec<String> = Style::all().map(Style::words).collect();
        let distinct: std::collections::BTreeSet<&String> = words.iter().collect();
        assert_eq!((words.len(), distinct.len()), (100, 100));
    }
}
