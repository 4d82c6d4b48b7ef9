//! A form that a browser sends with a file in it (`multipart/form-data`): its parts by name.

use memchr::memmem;

/// The content of a part: a file that was chosen, or a text that was typed.
pub(super) fn part<'b>(body: &'b [u8], content_type: &str, name: &str) -> Option<&'b [u8]> {
    let (_, boundary) = content_type.split_once("boundary=")?;
    let boundary = boundary.split(';').next()?.trim().trim_matches('"');
    let delimiter = format!("--{boundary}");
    let mut rest = body;
    loop {
        rest = after(rest, delimiter.as_bytes())?;
        if rest.starts_with(b"--") {
            return None;
        }
        let content = after(rest, b"\r\n\r\n")?;
        let head = &rest[..rest.len() - content.len()];
        let end = memmem::find(content, format!("\r\n{delimiter}").as_bytes())?;
        if is_named(head, name) {
            return Some(&content[..end]);
        }
        rest = &content[end..];
    }
}

/// What follows the first of these bytes.
fn after<'b>(bytes: &'b [u8], wanted: &[u8]) -> Option<&'b [u8]> {
    let at = memmem::find(bytes, wanted)?;
    bytes.get(at + wanted.len()..)
}

/// Whether the head of a part gives it this name. That of a file is told apart from it.
fn is_named(head: &[u8], name: &str) -> bool {
    let wanted = format!(" name=\"{name}\"");
    let head = String::from_utf8_lossy(head);
    head.lines().any(|line| {
        let is_disposition = line
            .to_ascii_lowercase()
            .starts_with("content-disposition:");
        is_disposition && line.contains(&wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=----x1";
    const BODY: &[u8] = b"------x1\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\nalpha\r\n\
        ------x1\r\nContent-Disposition: form-data; name=\"file\"; filename=\" name=\\\"id\\\".json\"\r\n\
        Content-Type: application/json\r\n\r\n{\"a\":\r\n\r\n1}\r\n\
        ------x1\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n------x1--\r\n";

    #[test]
    fn each_part_is_found_by_its_name_and_whole() {
        let of = |name| part(BODY, TYPE, name).map(|it| String::from_utf8_lossy(it).into_owned());
        assert_eq!(of("id").as_deref(), Some("alpha"));
        assert_eq!(of("file").as_deref(), Some("{\"a\":\r\n\r\n1}"));
        assert_eq!(of("empty").as_deref(), Some(""));
        assert_eq!(of("nobody"), None);
    }

    #[test]
    fn what_is_no_such_form_has_no_part() {
        for (body, kind) in [
            (BODY, "text/plain"),
            (&BODY[..60], TYPE),
            (b"", TYPE),
            (BODY, "multipart/form-data; boundary=y"),
        ] {
            assert_eq!(part(body, kind, "file"), None, "{kind}");
        }
    }
}
