//! Where a person goes on to after the consent page. Changes nothing of the URL a call gave but what
//! is added to it.

use http::HeaderValue;

use crate::engine::call::consent::ConsentOutcome;
use crate::engine::state::ids::VerificationId;

/// The value of `Location`.
pub(super) fn location(verification: VerificationId, afterwards: &ConsentOutcome) -> HeaderValue {
    let url = afterwards_url(verification, afterwards);
    HeaderValue::from_str(&url).expect("visible ASCII is a header's value")
}

/// The redirect URL with the verification's id and status at the end of its query, before its fragment.
#[must_use]
pub fn afterwards_url(verification: VerificationId, afterwards: &ConsentOutcome) -> String {
    let status = match afterwards.completed {
        true => "completed",
        false => "failed",
    };
    let added = format!("verificationId={verification}&status={status}");
    visible(&with_query(&afterwards.redirect, &added))
}

fn with_query(url: &str, added: &str) -> String {
    let (before, fragment) = url.find('#').map_or((url, ""), |at| url.split_at(at));
    let between = match before.split_once('?') {
        None => "?",
        Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
        Some(_) => "&",
    };
    format!("{before}{between}{added}{fragment}")
}

/// The URL with all that is not visible ASCII percent-encoded, as browsers do before they send it.
/// Line breaks, which would end the header, never get here: the format of the field refuses them.
/// They could not end it even if they did.
fn visible(url: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_graphic() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    url.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(redirect: &str, completed: bool) -> String {
        let afterwards = ConsentOutcome {
            redirect: redirect.to_owned(),
            completed,
        };
        let location = location(VerificationId::NONE, &afterwards);
        location.to_str().unwrap().to_owned()
    }

    #[test]
    fn id_and_status_are_added_to_the_query_and_nothing_else_changes() {
        const ADDED: &str = "verificationId=svcv_00000000000000000000000000&status=completed";
        for (redirect, before, after) in [
            ("https://a.example", "https://a.example?", ""),
            ("https://a.example/", "https://a.example/?", ""),
            ("https://a.example/b?", "https://a.example/b?", ""),
            ("https://a.example/b?c=d", "https://a.example/b?c=d&", ""),
            ("https://a.example/b?c=d&", "https://a.example/b?c=d&", ""),
            ("https://a.example/b?c", "https://a.example/b?c&", ""),
            ("https://a.example/b#e", "https://a.example/b?", "#e"),
            ("https://a.example/b#", "https://a.example/b?", "#"),
            (
                "https://a.example/b?c=d#e",
                "https://a.example/b?c=d&",
                "#e",
            ),
            ("https://a.example/?#", "https://a.example/?", "#"),
            // What stands after the fragment's sign is no query.
            (
                "https://a.example/b#e?f=g",
                "https://a.example/b?",
                "#e?f=g",
            ),
            (
                "https://a.example/b?c=d?e",
                "https://a.example/b?c=d?e&",
                "",
            ),
            ("https://a.example/b#e#f", "https://a.example/b?", "#e#f"),
            // Encoded or not, in any case, twice: as it was.
            (
                "https://A.example/%2f%2F+?c=%20+&c=%zz",
                "https://A.example/%2f%2F+?c=%20+&c=%zz&",
                "",
            ),
            (
                "https://a.example/?status=x",
                "https://a.example/?status=x&",
                "",
            ),
            (
                "https://u:p@a.example:8443/",
                "https://u:p@a.example:8443/?",
                "",
            ),
            ("http://[::1]:3000/a;b", "http://[::1]:3000/a;b?", ""),
            (
                "https://a.example/\"<>'`{|}\\^",
                "https://a.example/\"<>'`{|}\\^?",
                "",
            ),
            // What no header can carry is encoded as a browser would.
            ("https://a.example/न", "https://a.example/%E0%A4%A8?", ""),
            (
                "https://a.example/b#न",
                "https://a.example/b?",
                "#%E0%A4%A8",
            ),
        ] {
            assert_eq!(
                to(redirect, true),
                format!("{before}{ADDED}{after}"),
                "{redirect}"
            );
        }
        assert!(to("https://a.example", false).ends_with("&status=failed"));
    }

    #[test]
    fn no_character_at_all_can_end_the_header() {
        for character in (0..=0x2fff).filter_map(char::from_u32) {
            let location = to(&format!("https://a.example/{character}x"), true);
            let visible = location.bytes().all(|byte| byte.is_ascii_graphic());
            assert!(visible, "{character:?} gives {location:?}");
        }
        let split = to("https://a.example/\r\nSet-Cookie: a=b", true);
        assert!(split.starts_with("https://a.example/%0D%0ASet-Cookie:%20a=b?"));
    }
}
