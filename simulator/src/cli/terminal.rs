//! What is written to the terminal. Texts may come from files and arguments: what could steer the
//! terminal is shown, never obeyed.

use std::fmt::Write as _;
use std::io::Write as _;

/// Writes to stdout, whole, at once. That nobody reads it is no failure.
pub(super) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(plain(text).as_bytes());
    let _ = out.flush();
}

/// Writes a message and a line break to stderr.
pub(super) fn error(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(message));
}

/// The text with its control characters written out, but for line breaks and tabs.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let steers = character.is_control() && !matches!(character, '\n' | '\t');
        match steers || is_reordering(character) {
            true => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            false => out.push(character),
        }
    }
    out
}

/// Characters that make the rest of a line read in another order than it stands.
fn is_reordering(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(
            plain("a\x1b[31mb\r\n\tc\u{9b}d\u{202e}e"),
            "a\\u{1b}[31mb\\u{d}\n\tc\\u{9b}d\\u{202e}e"
        );
    }
}
