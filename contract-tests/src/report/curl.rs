//! A recorded request as one line for a shell. The key stands there as a variable.

use data_encoding::BASE64;

use super::escape::is_obeyed;
use super::run_summary::{Breach, RunSummary};
use crate::capture::{Channel, Credential, Exchange, Misplaced, Mistake};
use crate::event::RunStarted;
use svc_fixtures::contract::Environment;

/// The line that sends the call of a breach again; none where the breach has no recorded call.
#[must_use]
pub fn of_breach(summary: &RunSummary<'_>, breach: &Breach<'_>) -> Option<String> {
    line(breach.exchange()?, summary.started?)
}

/// The line that sends a request again; none for what came to the run's own receiver, which nobody
/// sent.
#[must_use]
pub fn line(exchange: &Exchange, started: &RunStarted) -> Option<String> {
    line_by(exchange, started, &Variables::RUN)
}

/// The same, where address and key stand in these variables.
#[must_use]
pub fn line_by(exchange: &Exchange, started: &RunStarted, names: &Variables) -> Option<String> {
    let request = &exchange.request;
    let (variable, address) = match request.channel {
        Channel::Sink | Channel::Registered | Channel::Webhook => return None,
        Channel::Console => ("SVC_CONSOLE_URL", started.console.as_ref()),
        Channel::Api | Channel::Page => {
            let mut addresses = started.addresses.iter();
            let own = addresses.find(|(environment, _)| *environment == request.environment);
            let (variable, _) = names.of(request.environment);
            (variable, own.map(|(_, address)| address))
        }
    };
    let url = match address {
        Some(address) => quoted(&request.url_at(address)),
        None => format!("\"${variable}\"{}", quoted(&request.path_and_query())),
    };
    let (_, key) = names.of(request.environment);
    let (query, headers) = misplaced(&exchange.credential, key);
    let mut words = vec![format!(
        "curl -sS -X {} {url}{query}",
        quoted(&request.method)
    )];
    words.extend(headers);
    if let Some(value) = authorization(&exchange.credential, request.environment, names) {
        words.push(format!("-H {value}"));
    }
    let headers = request.headers.iter();
    for (name, value) in headers.filter(|(name, _)| !is_of_a_connection(name)) {
        let name = request.sent_name(name);
        let header = match value.as_str() {
            // This form makes curl send a header without a value.
            "" => format!("{name};"),
            value => format!("{name}: {value}"),
        };
        words.push(format!("-H {}", quoted(&header)));
    }
    if !request.body.is_empty() && request.header("content-type").is_none() {
        // Else curl would say that it is a form.
        words.push("-H content-type:".to_owned());
    }
    if let (Some(length), Ok(text)) = (request.padded_to, std::str::from_utf8(&request.body)) {
        let (text, curl) = (quoted(text), words.join(" "));
        let line = format!("printf '%-{length}s' {text} | {curl} --data-binary @-");
        return Some(line);
    }
    Some(match std::str::from_utf8(&request.body) {
        Ok("") => words.join(" "),
        // One that begins with `@` would be the name of a file.
        Ok(text) if !text.starts_with('@') && !text.contains(is_obeyed) => {
            words.push(format!("--data-binary {}", quoted(text)));
            words.join(" ")
        }
        // Bytes that a line can't hold come through a pipe.
        _ => {
            let bytes = BASE64.encode(&request.body);
            let curl = words.join(" ");
            format!("printf %s {bytes} | base64 -d | {curl} --data-binary @-")
        }
    })
}

/// Whether a header is of the connection that a recorded call came by, or says who made it: curl sends its own, and that of
/// another host asks a real service for a place it does not have.
fn is_of_a_connection(name: &str) -> bool {
    let own = [
        "host",
        "connection",
        "content-length",
        "keep-alive",
        "transfer-encoding",
    ];
    own.iter().any(|it| name.eq_ignore_ascii_case(it))
        || name.to_ascii_lowercase().starts_with("sec-")
}

/// The variables that hold address and key, by environment.
#[derive(Debug, Clone, Copy)]
pub struct Variables {
    /// Those of the sandbox.
    pub sandbox: (&'static str, &'static str),
    /// Those of live.
    pub live: (&'static str, &'static str),
}

impl Variables {
    /// Those that `run` reads.
    pub const RUN: Variables = Variables {
        sandbox: ("SVC_BASE_URL", "SVC_API_KEY"),
        live: ("SVC_LIVE_URL", "SVC_LIVE_KEY"),
    };

    fn of(&self, environment: Environment) -> (&'static str, &'static str) {
        match environment {
            Environment::Test => self.sandbox,
            Environment::Live => self.live,
        }
    }
}

fn authorization(
    credential: &Credential,
    environment: Environment,
    names: &Variables,
) -> Option<String> {
    let own = |environment| {
        let (_, key) = names.of(environment);
        format!("\"Authorization: Bearer ${key}\"")
    };
    let literal = |value: String| quoted(&format!("Authorization: {value}"));
    let prefix = environment.key_prefix();
    match credential {
        Credential::Own => Some(own(environment)),
        Credential::OtherEnvironment => Some(own(environment.other())),
        Credential::Unknown => Some(literal(format!("Bearer {prefix}unknownkey"))),
        Credential::UnknownElsewhere => {
            let prefix = environment.other().key_prefix();
            Some(literal(format!("Bearer {prefix}unknownkey")))
        }
        Credential::Mistyped(Mistake::User) => {
            let (_, key) = names.of(environment);
            let user = format!("$(printf '%s:' \"${key}\" | base64 -w 0)");
            Some(format!("\"Authorization: Basic {user}\""))
        }
        Credential::Mistyped(Mistake::NoScheme | Mistake::OtherScheme) => {
            let scheme = match credential {
                Credential::Mistyped(Mistake::NoScheme) => "",
                _ => "Basic ",
            };
            let (_, key) = names.of(environment);
            Some(format!("\"Authorization: {scheme}${key}\""))
        }
        Credential::Mistyped(mistake) => {
            let change = match mistake {
                Mistake::Longer => "}~",
                Mistake::Stopped => "}.",
                Mistake::MuchLonger => "}$(printf '~%.0s' {1..200})",
                Mistake::Shorter => "%?}",
                Mistake::OtherEnd => "%?}x",
                Mistake::OtherCase => "~~}",
                Mistake::Hyphens => "//_/-}",
                Mistake::Followed => "} again",
                Mistake::NoScheme | Mistake::OtherScheme | Mistake::User => "}",
            };
            let (_, key) = names.of(environment);
            Some(format!("\"Authorization: Bearer ${{{key}{change}\""))
        }
        Credential::Rotated => {
            let (_, key) = names.of(environment);
            Some(format!("\"Authorization: Bearer ${{{key}}}.2\""))
        }
        Credential::Another(name) => Some(literal(format!("Bearer {prefix}local_{name}"))),
        Credential::BuiltIn(name) => Some(literal(format!("Bearer {prefix}{name}"))),
        Credential::BuiltInElsewhere(name) => {
            let prefix = environment.other().key_prefix();
            Some(literal(format!("Bearer {prefix}{name}")))
        }
        Credential::Given(kind) => {
            let (_, key) = names.of(environment);
            // Where nobody gave one it was a simulator's.
            let else_ = kind.built_in().map(|name| format!(":-{prefix}{name}"));
            let (kind, else_) = (kind.name().to_uppercase(), else_.unwrap_or_default());
            Some(format!(
                "\"Authorization: Bearer ${{{key}_{kind}{else_}}}\""
            ))
        }
        Credential::Header(value) => Some(literal(value.clone())),
        Credential::Misplaced(_) | Credential::Nothing => None,
    }
}

/// What stands behind the URL, and the headers, where a key stands at another place than it belongs to.
fn misplaced(credential: &Credential, key: &str) -> (String, Vec<String>) {
    let named = |place: Misplaced, between: &str| -> Vec<String> {
        let names = place.names().iter();
        names.map(|name| format!("{name}{between}${key}")).collect()
    };
    match credential {
        Credential::Misplaced(place @ Misplaced::Query) => {
            (format!("\"?{}\"", named(*place, "=").join("&")), Vec::new())
        }
        Credential::Misplaced(place @ Misplaced::OtherHeader) => {
            let headers = named(*place, ": ").into_iter();
            let headers = headers.map(|header| format!("-H \"{header}\""));
            (String::new(), headers.collect())
        }
        _ => (String::new(), Vec::new()),
    }
}

/// One word for a shell: in single quotes, where nothing is special but they themselves.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-".contains(c);
    if text.contains(is_obeyed) {
        return quoted_by_code(text);
    }
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The same where a terminal would obey some of it: each character of that kind by its code, as bash reads it.
fn quoted_by_code(text: &str) -> String {
    let mut out = String::from("$'");
    for c in text.chars() {
        match c {
            '\\' | '\'' => out.extend(['\\', c]),
            c if is_obeyed(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::KeyKind;
    use crate::report::tests::sample;

    fn curl(exchange: &Exchange, started: &RunStarted) -> String {
        line(exchange, started).expect("somebody sent it")
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_by_its_code() {
        let hostile = "it's\u{1b}[31m\r\u{7}\u{202e}";
        let safe = r"$'it\'s\u001b[31m\u000d\u0007\u202e'";
        assert_eq!(quoted(hostile), safe);
    }

    #[test]
    fn a_call_of_the_console_goes_there_and_what_came_in_is_sent_by_nobody() {
        let mut exchange = sample::exchange("", "{}");
        exchange.request.channel = Channel::Console;
        exchange.credential = Credential::Nothing;
        exchange.request.headers.clear();
        let started = RunStarted {
            console: Some("http://127.0.0.1:8800".to_owned()),
            ..RunStarted::default()
        };
        insta::assert_snapshot!(curl(&exchange, &started), @"curl -sS -X POST http://127.0.0.1:8800/v1/an/operation");
        insta::assert_snapshot!(curl(&exchange, &RunStarted::default()), @r#"curl -sS -X POST "$SVC_CONSOLE_URL"/v1/an/operation"#);
        exchange.request.channel = Channel::Sink;
        assert_eq!(line(&exchange, &started), None);
    }

    #[test]
    fn a_request_is_one_line_with_the_key_as_a_variable() {
        let started = RunStarted {
            addresses: vec![(Environment::Test, "http://127.0.0.1:8801".to_owned())],
            ..RunStarted::default()
        };
        let exchange = sample::exchange(r#"{"name":"O'Hara; $(id)"}"#, "{}");
        insta::assert_snapshot!(curl(&exchange, &started), @r#"curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H "Authorization: Bearer $SVC_API_KEY" -H 'content-type: application/json' --data-binary '{"name":"O'\''Hara; $(id)"}'"#);
        insta::assert_snapshot!(curl(&exchange, &RunStarted::default()), @r#"curl -sS -X POST "$SVC_BASE_URL"/v1/an/operation -H "Authorization: Bearer $SVC_API_KEY" -H 'content-type: application/json' --data-binary '{"name":"O'\''Hara; $(id)"}'"#);
    }

    #[test]
    fn a_key_at_another_place_is_a_variable_there() {
        let by = |place| {
            let mut exchange = sample::exchange("", "");
            exchange.request.headers.clear();
            exchange.credential = Credential::Misplaced(place);
            curl(&exchange, &RunStarted::default())
        };
        insta::assert_snapshot!(by(Misplaced::Query), @r#"curl -sS -X POST "$SVC_BASE_URL"/v1/an/operation"?api_key=$SVC_API_KEY&apikey=$SVC_API_KEY&key=$SVC_API_KEY&access_token=$SVC_API_KEY&token=$SVC_API_KEY""#);
        insta::assert_snapshot!(by(Misplaced::OtherHeader), @r#"curl -sS -X POST "$SVC_BASE_URL"/v1/an/operation -H "x-api-key: $SVC_API_KEY" -H "api-key: $SVC_API_KEY" -H "x-auth-token: $SVC_API_KEY""#);
    }

    #[test]
    fn what_a_recorded_connection_had_is_not_sent_again() {
        let mut exchange = sample::exchange("{}", "{}");
        let headers = ["Host", "content-length", "sec-fetch-mode", "x-reference-id"];
        exchange.request.headers = headers.map(|name| (name.to_owned(), "1".to_owned())).into();
        let line = curl(&exchange, &RunStarted::default());
        let sent = "\"Authorization: Bearer $SVC_API_KEY\" -H 'x-reference-id: 1' -H content-type:";
        assert!(line.contains(sent), "{line}");
    }

    #[test]
    fn bytes_that_are_no_plain_text_go_through_base64() {
        for body in [b"\xFF\n".as_slice(), b"@file", b"{\n}", b"\0"] {
            let mut exchange = sample::exchange("", "{}");
            exchange.request.body = body.to_vec();
            let line = curl(&exchange, &RunStarted::default());
            let encoded = BASE64.encode(body);
            assert!(line.starts_with(&format!("printf %s {encoded} | base64 -d | curl ")));
            assert!(line.ends_with(" --data-binary @-"), "{line}");
            assert_eq!(line.lines().count(), 1);
        }
    }

    #[test]
    fn a_header_without_a_value_and_a_body_without_a_type_stay_so() {
        let mut exchange = sample::exchange("{}", "{}");
        exchange.request.headers = vec![("x-reference-id".to_owned(), String::new())];
        let line = curl(&exchange, &RunStarted::default());
        assert!(
            line.contains(" -H 'x-reference-id;' -H content-type: "),
            "{line}"
        );
    }

    #[test]
    fn what_was_presented_is_presented_again() {
        let of = |credential| {
            authorization(&credential, Environment::Live, &Variables::RUN).unwrap_or_default()
        };
        assert_eq!(
            of(Credential::Own),
            "\"Authorization: Bearer $SVC_LIVE_KEY\""
        );
        assert_eq!(
            of(Credential::OtherEnvironment),
            "\"Authorization: Bearer $SVC_API_KEY\""
        );
        assert_eq!(
            of(Credential::Rotated),
            "\"Authorization: Bearer ${SVC_LIVE_KEY}.2\""
        );
        assert_eq!(
            of(Credential::Another("other".to_owned())),
            "'Authorization: Bearer svc_live_local_other'"
        );
        assert_eq!(
            of(Credential::BuiltIn("broke".to_owned())),
            "'Authorization: Bearer svc_live_broke'"
        );
        assert_eq!(
            of(Credential::Given(KeyKind::Poor)),
            "\"Authorization: Bearer ${SVC_LIVE_KEY_POOR:-svc_live_broke}\""
        );
        assert_eq!(
            of(Credential::Header("Basic x".to_owned())),
            "'Authorization: Basic x'"
        );
        assert_eq!(of(Credential::Nothing), "");
    }
}
