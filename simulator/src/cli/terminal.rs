//! What is written to the terminal. Texts may come from files and arguments: what could steer the
//! terminal is shown, never obeyed.

use std::io::Write as _;

use crate::http::invisible::write_out_invisible;

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

fn plain(text: &str) -> String {
    write_out_invisible(text, &['\n', '\t'])
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
