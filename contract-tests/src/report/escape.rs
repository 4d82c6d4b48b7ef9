//! What a service answered, made harmless: a terminal, a log or an editor would obey it, or show it in another order.

use std::fmt::Write as _;

/// A text without characters that are obeyed instead of shown; each stands there as its code. Lines stay lines.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(c),
            c if is_obeyed(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// The same of a printed JSON document, which stays the same document.
#[must_use]
pub fn visible_json(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        match c {
            '\n' => out.push(c),
            c if is_obeyed(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Control characters, line separators, marks that turn the direction of writing, and what no XML document may hold.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31m\r\u{7}\u{9b}\u{202e}\u{2066}\u{200f}\u{ffff}\tb\nc";

    #[test]
    fn what_would_be_obeyed_is_shown_as_its_code() {
        assert_eq!(
            visible(HOSTILE),
            "a\\u{1b}[31m\\u{d}\\u{7}\\u{9b}\\u{202e}\\u{2066}\\u{200f}\\u{ffff}\\u{9}b\nc"
        );
        assert_eq!(visible("é ≤ 名"), "é ≤ 名");
    }

    #[test]
    fn a_json_document_stays_the_same_document() {
        let printed = serde_json::to_string(HOSTILE).expect("a text");
        let safe = visible_json(&printed);
        assert!(!safe.contains(is_obeyed), "{safe}");
        assert_eq!(
            serde_json::from_str::<String>(&safe).expect("JSON"),
            HOSTILE
        );
    }
}
