//! Reads the console's token from a file, such as a secret of a container: what stands on a command line, everybody on
//! the machine can read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::failure::Failure;

/// No token is longer: a file that never ends is none.
const MAX_BYTES: u64 = 4096;

/// The one line of a file.
///
/// # Errors
/// Where it can't be read, or is no line of visible characters. What stands in it is never said.
pub(super) fn read_token(path: &Path) -> Result<String, Failure> {
    let refuse = |reason: String| {
        let path = path.display();
        Failure::Usage(format!("--console-token-file {path}: {reason}"))
    };
    let mut text = String::new();
    let file = File::open(path).map(|file| file.take(MAX_BYTES + 1));
    let read = file.and_then(|mut file| file.read_to_string(&mut text));
    read.map_err(|error| refuse(format!("it can't be read: {error}")))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.is_empty() {
        return Err(refuse("it is empty; write the token into it".to_owned()));
    }
    let is_visible = line.chars().all(|it| it.is_ascii_graphic() || it == ' ');
    if text.len() as u64 > MAX_BYTES || !is_visible || line.trim() != line {
        let reason = "a token is one line of visible ASCII characters, at most 4096";
        return Err(refuse(reason.to_owned()));
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_the_one_line_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for (text, token) in [
            ("sample-token", Some("sample-token")),
            ("sample-token\n", Some("sample-token")),
            ("sample token\r\n", Some("sample token")),
            ("", None),
            ("\n", None),
            ("sample\ntoken\n", None),
            ("sample-token\n\n", None),
            (" sample-token", None),
            ("sample-t\u{f6}ken", None),
            (&"x".repeat(4096), Some(&*"x".repeat(4096))),
            (&"x".repeat(4097), None),
        ] {
            std::fs::write(&path, text).unwrap();
            let read = read_token(&path);
            assert_eq!(read.as_deref().ok(), token, "{text:?}");
            if let Err(failure) = read {
                let said = failure.to_string();
                assert!(said.contains("--console-token-file"), "{said}");
                assert!(
                    text.trim().is_empty() || !said.contains(text.trim()),
                    "{said}"
                );
            }
        }
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read_token(&path).is_err());
        assert!(read_token(&folder.path().join("nothing")).is_err());
    }
}
