//! The bodies that may have been signed instead of the one that came. None of them is judged here.

use serde_json::Value;

use super::reprint::Style;
use super::{Diagnosis, Variant};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// More whole numbers than this are not tried in every combination.
const MOST_NUMBERS: usize = 8;

/// The body first, then what it is mistaken for. Made one at a time: together they could be large.
pub(super) fn bodies(body: &[u8]) -> impl Iterator<Item = Variant<Vec<u8>>> {
    let others = line_ends(body)
        .chain(encodings(body))
        .chain(wrappings(body));
    let others = others.chain(reprints(body)).chain(fractions(body));
    let others = others.filter(move |(_, bytes, _)| bytes != body);
    let others = others.map(|(kind, bytes, what)| {
        let seen = format!("the signature fits {what}");
        Variant::of(bytes, Diagnosis::proven(kind, seen))
    });
    std::iter::once(Variant::right(body.to_vec())).chain(others)
}

/// The kind of a mistake, the body it makes, and what that is for people.
type Changed = (&'static str, Vec<u8>, String);

fn line_ends(body: &[u8]) -> impl Iterator<Item = Changed> {
    let trimmed = body.trim_ascii_end();
    let with = |end: &[u8]| [trimmed, end].concat();
    let unix = lines(body, |line| {
        line.strip_suffix(b"\r").unwrap_or(line).to_vec()
    });
    let windows = lines(&unix, |line| [line, b"\r"].concat());
    let (start, bare) = (trimmed.to_vec(), body.trim_ascii().to_vec());
    let changed = [
        (with(b"\n"), "with a line break at its end"),
        (with(b"\r\n"), "with a line break (CR LF) at its end"),
        (start, "without the white space at its end"),
        (bare, "without the white space around it"),
        (unix, "with LF instead of CR LF"),
        (windows, "with CR LF instead of LF"),
    ];
    let changed = changed.into_iter();
    changed.map(|(bytes, how)| ("body-line-ends", bytes, format!("the body {how}")))
}

/// The body with each of its lines that a line break ends changed.
fn lines(body: &[u8], change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = body
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let last = lines.pop();
    let changed = lines.iter().map(|line| change(line));
    changed.chain(last).collect::<Vec<_>>().join(&b'\n')
}

fn encodings(body: &[u8]) -> impl Iterator<Item = Changed> {
    let mark = match body.strip_prefix(BOM) {
        Some(rest) => (rest.to_vec(), "without the byte order mark it begins with"),
        None => ([BOM, body].concat(), "with a byte order mark before it"),
    };
    let taken: String = body.iter().copied().map(char::from).collect();
    let taken = (taken.into_bytes(), "read as Latin-1 and written as UTF-8");
    let mut changed = vec![mark, taken];
    if let Ok(text) = std::str::from_utf8(body) {
        let latin: Option<Vec<u8>> = text.chars().map(|it| u8::try_from(it).ok()).collect();
        changed.extend(latin.map(|bytes| (bytes, "written as Latin-1")));
        let wide = text.encode_utf16().flat_map(u16::to_le_bytes);
        changed.push((wide.collect(), "written as UTF-16"));
    } else {
        let lossy = String::from_utf8_lossy(body).into_owned().into_bytes();
        changed.push((lossy, "with replacement characters for what is not UTF-8"));
    }
    let changed = changed.into_iter();
    changed.map(|(bytes, how)| ("body-encoding", bytes, format!("the body {how}")))
}

fn wrappings(body: &[u8]) -> impl Iterator<Item = Changed> {
    let nothing = ("body-not-signed", Vec::new(), "an empty body".to_owned());
    let text = std::str::from_utf8(body).ok();
    let quoted = text.map(|text| Value::from(text).to_string());
    let inner = text.and_then(|text| serde_json::from_str::<String>(text).ok());
    let twice = quoted.into_iter().chain(inner).map(|text| {
        let what = "the body once more, or once less, printed as a JSON text";
        ("body-printed-twice", text.into_bytes(), what.to_owned())
    });
    std::iter::once(nothing).chain(twice)
}

fn reprints(body: &[u8]) -> impl Iterator<Item = Changed> {
    let text = body.strip_prefix(BOM).unwrap_or(body);
    let value: Option<Value> = serde_json::from_slice(text).ok();
    let value = value.filter(|it| it.is_object() || it.is_array());
    value.into_iter().flat_map(|value| {
        Style::all().map(move |style| {
            let what = format!("the same JSON printed otherwise: {}", style.words());
            ("body-reprinted", style.print(&value), what)
        })
    })
}

/// The body with `.0` put back behind whole numbers, which JavaScript drops for good: which of them
/// had it can only be tried.
fn fractions(body: &[u8]) -> impl Iterator<Item = Changed> {
    let ends = whole_numbers(body);
    let every = 1_usize << ends.len().min(MOST_NUMBERS);
    (1..every).map(move |chosen| {
        let mut bytes = Vec::with_capacity(body.len() + 2 * MOST_NUMBERS);
        let mut from = 0;
        for (at, end) in ends.iter().take(MOST_NUMBERS).enumerate() {
            if chosen >> at & 1 == 1 {
                bytes.extend_from_slice(&body[from..*end]);
                bytes.extend_from_slice(b".0");
                from = *end;
            }
        }
        bytes.extend_from_slice(&body[from..]);
        let what = "the same JSON with `.0` behind whole numbers, such as 1.0 for 1";
        ("body-reprinted-as-numbers", bytes, what.to_owned())
    })
}

/// Where the whole numbers of a JSON text end.
fn whole_numbers(body: &[u8]) -> Vec<usize> {
    let (mut ends, mut quoted, mut at) = (Vec::new(), false, 0);
    while at < body.len() {
        match body[at] {
            b'"' => quoted = !quoted,
            // What follows a backslash ends no text.
            b'\\' if quoted => at += 1,
            b'0'..=b'9' if !quoted => {
                let rest = &body[at..];
                let length = rest
                    .iter()
                    .take_while(|it| matches!(it, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
                    .count();
                at += length;
                if rest[..length].iter().all(u8::is_ascii_digit) {
                    ends.push(at);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    ends
}
