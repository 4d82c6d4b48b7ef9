//! Why a webhook request got no answer, in words for people. The words are stable: they are found by the
//! kinds of errors along the chain of causes, never by printing what a library says.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use svc_tls::TlsFlags;

use super::resolver::HostNotFound;
use super::target::TargetRejection;

/// The flags of `serve` that say more about TLS.
const FLAGS: TlsFlags = TlsFlags {
    ca_file: "--webhook-ca-file",
    client_certificate: "--webhook-client-cert",
};

/// Why a request got no answer; `limit` is how long an answer was waited for.
pub(super) fn reason(error: &reqwest::Error, limit: Duration) -> String {
    if let Some(reason) = svc_tls::reason(error, FLAGS) {
        return reason;
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(reason) = describe(error) {
            return reason;
        }
        cause = cause_of(error);
    }
    if error.is_timeout() {
        timed_out(limit)
    } else if error.is_builder() {
        "the posting cannot be put into an HTTP request".to_owned()
    } else if error.is_connect() {
        "no connection".to_owned()
    } else {
        "connection closed without an answer".to_owned()
    }
}

/// No answer in time.
pub(super) fn timed_out(limit: Duration) -> String {
    let millis = limit.as_millis();
    if millis.is_multiple_of(1000) {
        format!("no answer within {} s", millis / 1000)
    } else {
        format!("no answer within {millis} ms")
    }
}

/// What an error was made of. An [`io::Error`] calls the cause of what it wraps its own cause, which
/// would skip what it wraps.
fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// What an error alone says; nothing where its cause says more.
fn describe(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(refused) = error.downcast_ref::<TargetRejection>() {
        return Some(refused.to_string());
    }
    if let Some(none) = error.downcast_ref::<HostNotFound>() {
        return Some(none.to_string());
    }
    if let Some(error) = error.downcast_ref::<hyper::Error>() {
        return http_reason(error).map(str::to_owned);
    }
    socket_reason(error.downcast_ref::<io::Error>()?).map(str::to_owned)
}

fn http_reason(error: &hyper::Error) -> Option<&'static str> {
    if error.is_parse_too_large() {
        Some("the answer's header section is too long")
    } else if error.is_parse() {
        Some("not HTTP")
    } else if error.is_incomplete_message() {
        Some("connection closed without an answer")
    } else if error.source().is_none() && !error.is_canceled() && !error.is_closed() {
        // Only an error about bytes that came unasked is left: hyper gives it no name.
        Some("not HTTP")
    } else {
        None
    }
}

fn socket_reason(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "connection reset"
        }
        ErrorKind::HostUnreachable => "host unreachable",
        ErrorKind::NetworkUnreachable => "network unreachable",
        ErrorKind::AddrNotAvailable => "address not available",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_written_in_seconds_where_they_are_whole() {
        let reasons =
            [0, 200, 999, 1000, 1001, 10_000].map(|ms| timed_out(Duration::from_millis(ms)));
        insta::assert_debug_snapshot!(reasons, @r#"
        [
            "no answer within 0 s",
            "no answer within 200 ms",
            "no answer within 999 ms",
            "no answer within 1 s",
            "no answer within 1001 ms",
            "no answer within 10 s",
        ]
        "#);
    }

    #[test]
    fn errors_of_sockets_have_words_of_their_own() {
        let kinds = [
            ErrorKind::ConnectionRefused,
            ErrorKind::ConnectionReset,
            ErrorKind::BrokenPipe,
            ErrorKind::HostUnreachable,
            ErrorKind::NetworkUnreachable,
            ErrorKind::Other,
        ];
        let reasons = kinds.map(|kind| socket_reason(&kind.into()));
        insta::assert_debug_snapshot!(reasons, @r#"
        [
            Some(
                "connection refused",
            ),
            Some(
                "connection reset",
            ),
            Some(
                "connection reset",
            ),
            Some(
                "host unreachable",
            ),
            Some(
                "network unreachable",
            ),
            None,
        ]
        "#);
    }
}
