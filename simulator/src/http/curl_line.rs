//! A request of the call log as a line for a shell. Its key is not in it, because the call log has none: a variable stands in
//! its place.

use crate::engine::call::received::BLACK;
use crate::engine::state::received::{ReceivedBody, ReceivedRequest};

/// What holds the key in the shell.
const KEY_VARIABLE: &str = "$SVC_API_KEY";

/// The headers that curl writes itself, and those of one connection alone.
const OF_THE_CLIENT: [&str; 10] = [
    "host",
    "user-agent",
    "accept-encoding",
    "connection",
    "content-length",
    "transfer-encoding",
    "expect",
    "keep-alive",
    "te",
    "upgrade",
];

/// The line; none where not all of the request is known, or no shell can say it.
pub(super) fn curl_line(request: &ReceivedRequest, base_url: &str) -> Option<String> {
    let body = match request.body {
        ReceivedBody::Whole { .. } => std::str::from_utf8(request.kept_body()?).ok()?,
        ReceivedBody::Cut { .. } | ReceivedBody::Unread => return None,
    };
    let mut target = request.path().to_owned();
    if let Some(query) = request.query() {
        target = format!("{target}?{query}");
    }
    let mut parts = vec![format!(
        "curl -sS {}",
        quoted(&format!("{base_url}{target}"))
    )];
    if target.contains(['[', ']', '{', '}']) {
        parts.push("--globoff".to_owned());
    }
    if target.contains("/.") {
        parts.push("--path-as-is".to_owned());
    }
    match (request.method(), body.is_empty()) {
        ("POST", false) | ("GET", true) => {}
        ("HEAD", true) => parts.push("--head".to_owned()),
        (method, _) => parts.push(format!("-X {}", quoted(method))),
    }
    let mut typed = false;
    for (name, value) in request.headers() {
        typed |= name == "content-type";
        if !OF_THE_CLIENT.contains(&name) {
            parts.extend(header(name, std::str::from_utf8(value).ok()?));
        }
    }
    if !body.is_empty() {
        if !typed {
            // Or curl says that it is a form.
            parts.push("-H 'content-type:'".to_owned());
        }
        parts.push(format!("--data-raw {}", quoted(body)));
    }
    let line = parts.join(" \\\n  ");
    (!line.contains('\0')).then_some(line)
}

/// A header; none where its secret is not kept and no variable stands for it.
fn header(name: &str, value: &str) -> Option<String> {
    if value.is_empty() {
        return Some(format!("-H {}", quoted(&format!("{name};"))));
    }
    if !value.ends_with(BLACK) {
        return Some(format!("-H {}", quoted(&format!("{name}: {value}"))));
    }
    let scheme = value.rsplit_once(' ').map_or("", |(scheme, _)| scheme);
    let space = if scheme.is_empty() { "" } else { " " };
    // The schemes that are kept are words.
    let known = name == "authorization" && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    known.then(|| format!("-H \"authorization: {scheme}{space}{KEY_VARIABLE}\""))
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
