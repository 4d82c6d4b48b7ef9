//! What is written to the terminal. Texts may come from files and arguments: what could steer the
//! terminal is shown, never obeyed.

use std::io::Write as _;

use super::failure::Failure;
use crate::http::invisible::write_out_invisible;

/// Writes to stdout, whole, at once.
///
/// # Errors
/// Where nobody can have read all of it: on a full disk, or when the other end of a pipe is closed.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(plain(text).as_bytes());
    written
        .and_then(|()| out.flush())
        .map_err(|error| Failure::Output("stdout", error))
}

/// Writes a message and a line break to stderr.
///
/// # Errors
/// As for [`print`]. Whoever fails anyway need not care.
pub(super) fn error(message: &str) -> Result<(), Failure> {
    let written = writeln!(std::io::stderr().lock(), "{}", plain(message));
    written.map_err(|error| Failure::Output("stderr", error))
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
