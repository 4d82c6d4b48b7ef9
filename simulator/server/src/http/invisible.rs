//! Texts of others with the characters written out that nobody sees: what could steer a terminal or make
//! a text read like another one is shown, never obeyed.

use std::fmt::Write as _;

/// The text with what nobody sees of it written out, but for some control characters that are harmless
/// where it is shown.
#[must_use]
pub fn write_out_invisible(text: &str, harmless: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let steers = character.is_control() && !harmless.contains(&character);
        match steers || reorders(character) {
            true => write!(out, "\\u{{{:x}}}", u32::from(character)).expect("a text takes all"),
            false => out.push(character),
        }
    }
    out
}

/// Characters that make the text around them read in another order than it stands.
pub(crate) fn reorders(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}
