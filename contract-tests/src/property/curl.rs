//! A request as one line of shell that sends it to a simulator on its defaults.

use std::fmt::Write as _;

use data_encoding::BASE64;
use svc_fixtures::contract::Environment;

use crate::capture::Request;
use crate::client::account;

/// The line. Its key is the one every simulator has, for the account of this check: laws know no other.
pub(super) fn line(request: &Request, seed: &str, check: &str) -> String {
    let port = match request.environment {
        Environment::Test => 8801,
        Environment::Live => 8802,
    };
    let query = match request.query.as_str() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    let url = format!("http://127.0.0.1:{port}{}{query}", request.path);
    let mut line = format!("curl -sS -X {} {}", request.method, quoted(&url));
    if request.authorization.is_some() {
        let (prefix, account) = (request.environment.key_prefix(), account(seed, check));
        let header = format!("Authorization: Bearer {prefix}local_{account}");
        let _ = write!(line, " -H {}", quoted(&header));
    }
    for (name, value) in &request.headers {
        let header = match value.as_str() {
            // How curl is told to send a header without a value.
            "" => format!("{name};"),
            value => format!("{name}: {value}"),
        };
        let _ = write!(line, " -H {}", quoted(&header));
    }
    if request.method != "POST" {
        return line;
    }
    if request.header("content-type").is_none() {
        line += " -H 'content-type:'";
    }
    match plain(&request.body) {
        Some(text) => format!("{line} --data-binary {}", quoted(text)),
        None => {
            let bytes = BASE64.encode(&request.body);
            format!("echo {bytes} | base64 -d | {line} --data-binary @-")
        }
    }
}

/// The body, where it is text that a shell takes as it is. One that begins with `@` would be a file.
fn plain(body: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(body).ok()?;
    let fits = !text.starts_with('@') && !text.chars().any(char::is_control);
    fits.then_some(text)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Secret;

    fn request(body: &[u8]) -> Request {
        Request {
            channel: crate::capture::Channel::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: "/v1/some/path".to_owned(),
            query: String::new(),
            authorization: Some(Secret::new("never shown")),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.to_vec(),
        }
    }

    #[test]
    fn a_text_is_quoted_for_the_shell() {
        let text = line(&request(b"{\"a\":\"it's\"}"), "seed", "a.law");
        assert_eq!(
            text,
            "curl -sS -X POST 'http://127.0.0.1:8801/v1/some/path' \
             -H 'Authorization: Bearer svc_test_local_seed-a-law' \
             -H 'content-type: application/json' --data-binary '{\"a\":\"it'\\''s\"}'"
        );
    }

    #[test]
    fn bytes_that_are_no_plain_text_go_through_base64() {
        for body in [b"\xFF\n".as_slice(), b"@file", b"{\n}", b"\0"] {
            let text = line(&request(body), "seed", "a.law");
            let encoded = BASE64.encode(body);
            assert!(text.starts_with(&format!("echo {encoded} | base64 -d | curl ")));
            assert!(text.ends_with(" --data-binary @-"), "{text}");
            assert_eq!(text.lines().count(), 1);
        }
    }
}
