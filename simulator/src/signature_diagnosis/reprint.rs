//! Prints JSON the way other programs print it. What is printed is compared with what was signed, so
//! every space and every escape counts. Must not be used to print an answer.

use std::fmt::Write as _;

use serde_json::Value;

/// Where line breaks and spaces stand.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    after_colon: &'static str,
    after_comma: &'static str,
    /// What a line begins with for each level it is inside; none where all is one line.
    indent: Option<&'static str>,
    words: &'static str,
}

const fn pretty(indent: &'static str, words: &'static str) -> Layout {
    Layout {
        after_colon: " ",
        after_comma: "",
        indent: Some(indent),
        words,
    }
}

const LAYOUTS: [Layout; 5] = [
    Layout {
        after_colon: "",
        after_comma: "",
        indent: None,
        words: "without spaces (as JSON.stringify does)",
    },
    Layout {
        after_colon: " ",
        after_comma: " ",
        indent: None,
        words: "with a space after each `:` and `,` (as Python's json.dumps does)",
    },
    pretty("  ", "on several lines, indented by 2 spaces"),
    pretty("    ", "on several lines, indented by 4 spaces"),
    pretty("\t", "on several lines, indented by tabs"),
];

/// Which characters of a text are escaped beside those that must be, and how people know that style.
type Escapes = (fn(char) -> bool, &'static str);

const ESCAPES: [Escapes; 5] = [
    (|_| false, ""),
    (
        |it| it >= '\u{7f}',
        "everything that is not ASCII as \\u escapes (as Python does)",
    ),
    (
        |it| it == '/' || it >= '\u{7f}',
        "slashes and everything that is not ASCII escaped (as PHP does)",
    ),
    (|it| it == '/', "slashes escaped"),
    // JavaScript takes the last two for line ends.
    (
        |it| matches!(it, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'),
        "<, > and & escaped (as Go does)",
    ),
];

/// A way to print JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    layout: &'static Layout,
    escapes: &'static Escapes,
    /// Whether members stand by name, not as they came.
    sorted: bool,
    /// Whether `1.0` becomes `1`.
    shortened: bool,
}

impl Style {
    /// All that are tried, the simple ones first.
    pub(super) fn all() -> impl Iterator<Item = Style> {
        let sorted = |escapes| [false, true].map(|sorted| (escapes, sorted));
        let numbers = |(escapes, sorted)| [false, true].map(|short| (escapes, sorted, short));
        let rest = ESCAPES.iter().flat_map(sorted).flat_map(numbers);
        rest.flat_map(|(escapes, sorted, shortened)| {
            LAYOUTS.each_ref().map(|layout| Style {
                layout,
                escapes,
                sorted,
                shortened,
            })
        })
    }

    /// The style for people.
    pub(super) fn words(self) -> String {
        let sorted = if self.sorted {
            "the members sorted by name"
        } else {
            ""
        };
        let shortened = match self.shortened {
            true => "1.0 shortened to 1 (as JavaScript does)",
            false => "",
        };
        let mut words = vec![self.layout.words, sorted, self.escapes.1, shortened];
        words.retain(|words| !words.is_empty());
        words.join(", ")
    }

    /// The value in this style: the shortest print of it, changed character by character.
    pub(super) fn print(self, value: &Value) -> Vec<u8> {
        let mut value = value.clone();
        if self.sorted {
            value.sort_all_objects();
        }
        let printed = value.to_string();
        let mut out = String::with_capacity(2 * printed.len());
        let (mut depth, mut before) = (0, ' ');
        let (mut quoted, mut escaped) = (false, false);
        for character in printed.chars() {
            let (opens, closes) = (matches!(before, '[' | '{'), matches!(character, ']' | '}'));
            if quoted {
                self.push_escaped(character, &mut out);
                quoted = character != '"' || escaped;
                escaped = character == '\\' && !escaped;
                before = character;
                continue;
            }
            if self.shortened && matches!(character, ',' | ']' | '}') && out.ends_with(".0") {
                out.truncate(out.len() - 2);
            }
            if before == ',' || (opens != closes) {
                depth = depth + usize::from(opens) - usize::from(closes);
                self.push_line(depth, &mut out);
            }
            out.push(character);
            out.push_str(match character {
                ':' => self.layout.after_colon,
                ',' => self.layout.after_comma,
                _ => "",
            });
            quoted = character == '"';
            before = character;
        }
        out.into_bytes()
    }

    fn push_line(self, depth: usize, out: &mut String) {
        if let Some(indent) = self.layout.indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(indent, depth));
        }
    }

    fn push_escaped(self, character: char, out: &mut String) {
        match character {
            '/' if (self.escapes.0)('/') => out.push_str("\\/"),
            it if (self.escapes.0)(it) => {
                for unit in it.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("a text takes all");
                }
            }
            it => out.push(it),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(words: &str) -> String {
        let value = "{\"z\":[1.0,2,{}],\"a\":\"R\u{e9}/<\u{1f600}>\\u0001\",\"e\":[]}";
        let value = serde_json::from_str(value).unwrap();
        let style = Style::all().find(|style| style.words() == words).unwrap();
        String::from_utf8(style.print(&value)).unwrap()
    }

    #[test]
    fn pythons_print_has_spaces_and_ascii_only() {
        insta::assert_snapshot!(printed(r"with a space after each `:` and `,` (as Python's json.dumps does), everything that is not ASCII as \u escapes (as Python does)"), @r#"{"z": [1.0, 2, {}], "a": "R\u00e9/<\ud83d\ude00>\u0001", "e": []}"#);
    }

    #[test]
    fn gos_print_is_sorted_and_safe_in_html() {
        insta::assert_snapshot!(printed("without spaces (as JSON.stringify does), the members sorted by name, <, > and & escaped (as Go does), 1.0 shortened to 1 (as JavaScript does)"), @r#"{"a":"Ré/\u003c😀\u003e\u0001","e":[],"z":[1,2,{}]}"#);
    }

    #[test]
    fn phps_print_escapes_slashes() {
        insta::assert_snapshot!(printed("without spaces (as JSON.stringify does), slashes and everything that is not ASCII escaped (as PHP does)"), @r#"{"z":[1.0,2,{}],"a":"R\u00e9\/<\ud83d\ude00>\u0001","e":[]}"#);
    }

    #[test]
    fn a_pretty_print_leaves_empty_lists_closed() {
        insta::assert_snapshot!(printed("on several lines, indented by 2 spaces"), @r#"
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
