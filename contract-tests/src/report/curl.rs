//! A recorded request as one line for a shell. The key stands there as a variable.

use data_encoding::BASE64;

use super::run_summary::{Breach, RunSummary};
use crate::capture::{Channel, Exchange, Presented};
use crate::event::RunStarted;
use svc_fixtures::contract::Environment;

/// The line that sends the call of a breach again; none where no call is told.
#[must_use]
pub fn of_breach(summary: &RunSummary<'_>, breach: &Breach<'_>) -> Option<String> {
    line(breach.exchange()?, summary.started?)
}

/// The line that sends a request again; none for what came to the run's own receiver, which nobody
/// sent.
#[must_use]
pub fn line(exchange: &Exchange, started: &RunStarted) -> Option<String> {
    let request = &exchange.request;
    let (variable, address) = match request.channel {
        Channel::Sink => return None,
        Channel::Console => ("SVC_CONSOLE_URL", started.console.as_ref()),
        Channel::Api | Channel::Page => {
            let mut addresses = started.addresses.iter();
            let own = addresses.find(|(environment, _)| *environment == request.environment);
            let (variable, _) = variables(request.environment);
            (variable, own.map(|(_, address)| address))
        }
    };
    let mut target = request.path.clone();
    if !request.query.is_empty() {
        target = format!("{target}?{}", request.query);
    }
    let url = match address {
        Some(address) => quoted(&format!("{address}{target}")),
        None => format!("\"${variable}\"{}", quoted(&target)),
    };
    let mut words = vec![format!("curl -sS -X {} {url}", quoted(&request.method))];
    if let Some(value) = authorization(&exchange.presented, request.environment) {
        words.push(format!("-H {value}"));
    }
    for (name, value) in &request.headers {
        words.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
    }
    Some(match std::str::from_utf8(&request.body) {
        Ok("") => words.join(" "),
        Ok(text) if !text.contains(['\n', '\r', '\0']) => {
            words.push(format!("--data-binary {}", quoted(&at_is_no_file(text))));
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

/// curl takes a body that begins with `@` for the name of a file; a space before it is no part of
/// any JSON document's value.
fn at_is_no_file(text: &str) -> String {
    match text.starts_with('@') {
        true => format!(" {text}"),
        false => text.to_owned(),
    }
}

/// The variables that hold address and key.
fn variables(environment: Environment) -> (&'static str, &'static str) {
    match environment {
        Environment::Test => ("SVC_BASE_URL", "SVC_API_KEY"),
        Environment::Live => ("SVC_LIVE_URL", "SVC_LIVE_KEY"),
    }
}

fn authorization(presented: &Presented, environment: Environment) -> Option<String> {
    let own = |environment| {
        let (_, key) = variables(environment);
        format!("\"Authorization: Bearer ${key}\"")
    };
    let literal = |value: String| quoted(&format!("Authorization: {value}"));
    let prefix = environment.key_prefix();
    match presented {
        Presented::Own => Some(own(environment)),
        Presented::OtherEnvironment => Some(own(environment.other())),
        Presented::Unknown => Some(literal(format!("Bearer {prefix}unknownkey"))),
        Presented::Rotated => {
            let (_, key) = variables(environment);
            Some(format!("\"Authorization: Bearer ${{{key}}}.2\""))
        }
        Presented::Another(name) => Some(literal(format!("Bearer {prefix}local_{name}"))),
        Presented::BuiltIn(name) => Some(literal(format!("Bearer {prefix}{name}"))),
        Presented::Header(value) => Some(literal(value.clone())),
        Presented::Nothing => None,
    }
}

/// One word for a shell: in single quotes, where nothing is special but they themselves.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn curl(exchange: &Exchange, started: &RunStarted) -> String {
        line(exchange, started).expect("somebody sent it")
    }

    #[test]
    fn a_call_of_the_console_goes_there_and_what_came_in_is_sent_by_nobody() {
        let mut exchange = sample::exchange("", "{}");
        exchange.request.channel = Channel::Console;
        exchange.presented = Presented::Nothing;
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
    fn a_body_that_is_no_line_is_sent_all_the_same() {
        let exchange = sample::exchange("{\n\"a\": 1}", "{}");
        let line = curl(&exchange, &RunStarted::default());
        assert!(
            line.starts_with("printf %s ewoiYSI6IDF9 | base64 -d | curl "),
            "{line}"
        );
        assert!(
            line.ends_with(" --data-binary @-") && !line.contains('\n'),
            "{line}"
        );
    }

    #[test]
    fn what_was_presented_is_presented_again() {
        let of = |presented| authorization(&presented, Environment::Live).unwrap_or_default();
        assert_eq!(
            of(Presented::Own),
            "\"Authorization: Bearer $SVC_LIVE_KEY\""
        );
        assert_eq!(
            of(Presented::OtherEnvironment),
            "\"Authorization: Bearer $SVC_API_KEY\""
        );
        assert_eq!(
            of(Presented::Rotated),
            "\"Authorization: Bearer ${SVC_LIVE_KEY}.2\""
        );
        assert_eq!(
            of(Presented::Another("other".to_owned())),
            "'Authorization: Bearer svc_live_local_other'"
        );
        assert_eq!(
            of(Presented::BuiltIn("broke".to_owned())),
            "'Authorization: Bearer svc_live_broke'"
        );
        assert_eq!(
            of(Presented::Header("Basic x".to_owned())),
            "'Authorization: Basic x'"
        );
        assert_eq!(of(Presented::Nothing), "");
    }
}
