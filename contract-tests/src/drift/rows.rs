//! The files of rows, changed where a change says so and nowhere else: comments and layout stay.

use std::ops::Range;

use svc_fixtures::json::Json;

/// A file of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RowFile {
    /// Its path, such as `fixtures/contract/errors.toml`.
    pub(super) path: String,
    pub(super) text: String,
}

impl RowFile {
    /// The bytes of the row whose line this is, from its header to the next one.
    pub(super) fn row(&self, header: &str, line: &str) -> Option<Range<usize>> {
        let mut begin = None;
        let (mut at, mut found) = (0, None);
        for text in self.text.split_inclusive('\n') {
            if text.trim_end() == header {
                if let (Some(_), Some(start)) = (found, begin) {
                    return Some(start..at);
                }
                begin = Some(at);
            } else if text.trim_end() == line && begin.is_some() {
                found = Some(at);
            } else if text.starts_with("[[") && found.is_some() && !text.starts_with(&inner(header))
            {
                return Some(begin?..at);
            }
            at += text.len();
        }
        found.and(begin).map(|start| start..self.text.len())
    }

    /// The bytes of a table inside these bytes: its lines behind the header.
    pub(super) fn table(&self, within: Range<usize>, header: &str) -> Option<Range<usize>> {
        let (mut at, mut begin) = (within.start, None);
        for text in self.text[within.clone()].split_inclusive('\n') {
            match begin {
                None if text.trim_end() == header => begin = Some(at + text.len()),
                Some(begin) if text.starts_with('[') => return Some(begin..at),
                _ => {}
            }
            at += text.len();
        }
        begin.map(|begin| begin..within.end)
    }

    /// The bytes of a key's value inside these bytes, and those of the key.
    pub(super) fn value(
        &self,
        within: Range<usize>,
        key: &str,
    ) -> Option<(Range<usize>, Range<usize>)> {
        let mut at = within.start;
        for text in self.text[within].split_inclusive('\n') {
            if let Some((name, rest)) = text.split_once('=')
                && !text.starts_with(['#', '['])
                && is_key(name, key)
            {
                let lead = name.len() + 1 + rest.len() - rest.trim_start().len();
                let end = value_end(rest.trim_start())?;
                return Some((at..at + name.trim_end().len(), at + lead..at + lead + end));
            }
            at += text.len();
        }
        None
    }

    pub(super) fn replace(&mut self, bytes: Range<usize>, text: &str) {
        self.text.replace_range(bytes, text);
    }

    /// Takes the line of a key out of these bytes.
    pub(super) fn remove_line(&mut self, within: Range<usize>, key: &str) -> Option<()> {
        let (name, value) = self.value(within, key)?;
        let end = self.text[value.end..]
            .find('\n')
            .map_or(self.text.len(), |at| value.end + at + 1);
        self.text.replace_range(name.start..end, "");
        Some(())
    }

    /// Puts a line behind the last one inside these bytes that says something.
    pub(super) fn add_line(&mut self, within: Range<usize>, line: &str) {
        let said = self.text[within.clone()].trim_end().len();
        // What stands behind it is a comment on the next table.
        let mut end = within.start + said;
        loop {
            let before = self.text[within.start..end].trim_end();
            let last = before.rsplit('\n').next().unwrap_or_default();
            if !last.starts_with('#') {
                end = within.start + before.len();
                break;
            }
            end = within.start + before.len() - last.len();
        }
        let lead = if end == within.start { "" } else { "\n" };
        let tail = if end == within.start { "\n" } else { "" };
        self.text.insert_str(end, &format!("{lead}{line}{tail}"));
    }
}

/// A key as TOML writes it.
pub(super) fn key(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match !name.is_empty() && name.bytes().all(plain) {
        true => name.to_owned(),
        // A text of JSON is one of TOML, but for this character.
        false => Json::from(name).to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// How the header of a table inside a row begins.
fn inner(header: &str) -> String {
    let name = header.trim_matches(['[', ']']);
    format!("[[{name}.")
}

/// Whether a key as it is written is this one: in quotes or not, with the mark of a member that is not always there.
fn is_key(written: &str, key: &str) -> bool {
    let plain = |text: &str| {
        text.trim()
            .trim_matches('"')
            .trim_end_matches(['?', '+'])
            .to_owned()
    };
    plain(written) == plain(key)
}

/// Where a value ends that these characters begin with; none where that is on another line.
fn value_end(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return Some(text[..at].trim_end().len()),
            '}' | ']' => depth -= 1,
            ',' | '#' | '\n' if depth == 0 => return Some(text[..at].trim_end().len()),
            '\n' => return None,
            _ => {}
        }
    }
    (depth == 0).then(|| text.trim_end().len())
}

/// A value with a change at a path inside it: `[]` is a list's item, anything else a key of a table.
pub(super) fn changed(
    value: &str,
    path: &[String],
    change: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let Some((first, rest)) = path.split_first() else {
        return change(value);
    };
    let mut out = value.to_owned();
    let bytes = match first.as_str() {
        "[]" => item(value)?,
        key => entry(value, key)?.1,
    };
    let inside = changed(&value[bytes.clone()], rest, change)?;
    out.replace_range(bytes, &inside);
    Some(out)
}

/// The bytes of the one item of a list.
fn item(value: &str) -> Option<Range<usize>> {
    let inside = value.strip_prefix('[')?.strip_suffix(']')?;
    let lead = inside.len() - inside.trim_start().len();
    let end = value_end(inside.trim_start())?;
    Some(1 + lead..1 + lead + end)
}

/// The bytes of a key of an inline table, and those of its value.
pub(super) fn entry(value: &str, key: &str) -> Option<(Range<usize>, Range<usize>)> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?;
    let mut at = 0;
    while at < inside.len() {
        let rest = &inside[at..];
        let (name, behind) = rest.split_once('=')?;
        let lead = behind.len() - behind.trim_start().len();
        let end = value_end(behind.trim_start())?;
        let start = at + name.len() + 1 + lead;
        if is_key(name, key) {
            let before = name.len() - name.trim_start().len();
            let of_key = 1 + at + before..1 + at + name.trim_end().len();
            return Some((of_key, 1 + start..1 + start + end));
        }
        let comma = inside[start + end..].find(',')?;
        at = start + end + comma + 1;
    }
    None
}

/// An inline table with one entry more.
pub(super) fn with_entry(value: &str, line: &str) -> Option<String> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?.trim();
    Some(match inside {
        "" => format!("{{ {line} }}"),
        inside => format!("{{ {inside}, {line} }}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn only_what_a_path_leads_to_is_changed() {
        let value = r#"{ a = "string", "b.c" = [{ d = "A | B, ruled", e = "int" }], f = { g = "num 0..1" } }"#;
        let change = |parts: &[&str]| changed(value, &path(parts), &|_| Some("X".to_owned()));
        assert_eq!(
            change(&["b.c", "[]", "d"]).as_deref(),
            Some(r#"{ a = "string", "b.c" = [{ d = X, e = "int" }], f = { g = "num 0..1" } }"#)
        );
        assert_eq!(
            change(&["f", "g"]).as_deref(),
            Some(r#"{ a = "string", "b.c" = [{ d = "A | B, ruled", e = "int" }], f = { g = X } }"#)
        );
        assert_eq!(change(&["f", "h"]), None);
    }

    #[test]
    fn a_line_is_put_behind_the_last_of_its_table_and_not_into_a_comment() {
        let text = "[[operation]]\nid = \"a.b\"\n\n[operation.response]\npan = \"string\"\n\n# The next one.\n[[operation]]\nid = \"a.c\"\n";
        let mut file = RowFile {
            path: String::new(),
            text: text.to_owned(),
        };
        let row = file.row("[[operation]]", "id = \"a.b\"").expect("a row");
        let table = file.table(row, "[operation.response]").expect("a table");
        file.add_line(table, "more = \"int\"");
        assert!(
            file.text
                .contains("pan = \"string\"\nmore = \"int\"\n\n# The next one.\n"),
            "{}",
            file.text
        );
    }
}
