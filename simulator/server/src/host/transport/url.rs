//! Which URLs a webhook can be registered with and posted to. Looks up no name: where a name leads is
//! seen at each request.

use std::net::IpAddr;

use ::http::Uri;
use reqwest::Url;

use super::target::{TargetPolicy, TargetRejection};

/// No URL of a webhook is longer, in bytes. No clause bounds it: many
/// clients and proxies take no longer one.
const MAX_URL_BYTES: usize = 2048;

/// Why nothing is posted to a URL.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UrlRejection {
    #[error("the URL is longer than {MAX_URL_BYTES} bytes; use a shorter one")]
    TooLong,
    #[error("the URL holds a space or a control character; write it percent-encoded")]
    Unprintable,
    #[error("not a URL ({0}); write it like http://127.0.0.1:3000/webhooks")]
    NotAUrl(String),
    #[error("the URL begins with `{0}:`; begin it with `https://` or `http://`")]
    Scheme(String),
    #[error(
        "the URL holds a user name or a password; leave them out: the signature tells who posts"
    )]
    Credentials,
    #[error("the URL has characters that cannot be sent ({0}); write them percent-encoded")]
    NotSendable(String),
    #[error(transparent)]
    Target(#[from] TargetRejection),
}

impl TargetPolicy {
    /// Whether a webhook may be registered with this URL. A name is not looked up here: where it
    /// leads is seen anew at each request.
    ///
    /// # Errors
    /// What is wrong, and what to do about it.
    pub fn check_url(&self, url: &str) -> Result<(), String> {
        match self.url(url) {
            Ok(_) => Ok(()),
            Err(refused) => Err(refused.to_string()),
        }
    }

    /// Reads a URL as the client does that posts to it: there is no second reader to disagree.
    pub(super) fn url(&self, text: &str) -> Result<Url, UrlRejection> {
        if text.len() > MAX_URL_BYTES {
            return Err(UrlRejection::TooLong);
        }
        if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(UrlRejection::Unprintable);
        }
        let url = Url::parse(text).map_err(|error| UrlRejection::NotAUrl(error.to_string()))?;
        match url.scheme() {
            "http" | "https" => {}
            other => return Err(UrlRejection::Scheme(other.to_owned())),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlRejection::Credentials);
        }
        Uri::try_from(url.as_str())
            .map_err(|error| UrlRejection::NotSendable(error.to_string()))?;
        if let Some(address) = literal(&url) {
            self.allows(address)?;
        }
        Ok(url)
    }
}

/// The address where the host is one. The reader of URLs has already written every odd spelling
/// (decimal, octal, hexadecimal, shortened, with a trailing dot) as the plain one.
fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    bare.unwrap_or(host).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_names_can_be_registered_in_every_spelling() {
        for url in [
            "http://127.0.0.1",
            "http://127.0.0.1:3000/webhooks?from=svc",
            "HTTP://127.0.0.1.:3000/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://[::1]:3000/",
            "http://[::ffff:127.0.0.1]/",
            "http://[0:0:0:0:0:ffff:7f00:1]/",
            "http://localhost:3000/",
            "http://localhost.:3000/",
            "http://receiver.example/",
        ] {
            assert_eq!(
                TargetPolicy::loopback_only().check_url(url),
                Ok(()),
                "{url}"
            );
        }
    }

    #[test]
    fn a_never_target_is_known_in_every_spelling() {
        let reason = "refused by policy: 169.254.169.254 is never a webhook target";
        let all = ["0.0.0.0/0", "::/0"].map(|net| net.parse().expect("a network"));
        let everywhere = TargetPolicy::with(all.to_vec());
        for url in [
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.169.254.:80/",
            "http://169.254.43518/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]:80/",
            "http://%31%36%39.254.169.254/",
            "http://１６９.254.169.254/",
            "http:\\\\169.254.169.254/",
        ] {
            let checked = everywhere.check_url(url);
            assert_eq!(checked, Err(reason.to_owned()), "{url}");
        }
    }

    #[test]
    fn a_refused_url_says_what_is_wrong_and_what_to_do() {
        let messages = [
            "",
            "receiver",
            "127.0.0.1:3000/webhooks",
            "localhost:3000/webhooks",
            "ftp://127.0.0.1/",
            "file:///etc/passwd",
            "http://",
            "http://127.0.0.256/",
            "http://127.0.0.1:65536/",
            "http://a{b/",
            "http://127.0.0.1/a b",
            "http://127.0.0.1/\r\nX: y",
            "http://127.0.0.1@169.254.169.254/",
            "http://asha:secret@127.0.0.1/",
            "http://:secret@127.0.0.1/",
            "http://10.0.0.7/",
            "http://[fd12::1]/",
            "http://[fe80::1%25eth0]/",
        ]
        .map(|url| TargetPolicy::loopback_only().check_url(url).expect_err(url));
        insta::assert_snapshot!(messages.join("\n"), @"
        not a URL (relative URL without a base); write it like http://127.0.0.1:3000/webhooks
        not a URL (relative URL without a base); write it like http://127.0.0.1:3000/webhooks
        not a URL (relative URL without a base); write it like http://127.0.0.1:3000/webhooks
        the URL begins with `localhost:`; begin it with `https://` or `http://`
        the URL begins with `ftp:`; begin it with `https://` or `http://`
        the URL begins with `file:`; begin it with `https://` or `http://`
        not a URL (empty host); write it like http://127.0.0.1:3000/webhooks
        not a URL (invalid IPv4 address); write it like http://127.0.0.1:3000/webhooks
        not a URL (invalid port number); write it like http://127.0.0.1:3000/webhooks
        the URL has characters that cannot be sent (invalid uri character); write them percent-encoded
        the URL holds a space or a control character; write it percent-encoded
        the URL holds a space or a control character; write it percent-encoded
        the URL holds a user name or a password; leave them out: the signature tells who posts
        the URL holds a user name or a password; leave them out: the signature tells who posts
        the URL holds a user name or a password; leave them out: the signature tells who posts
        refused by policy: 10.0.0.7 is not loopback; `--webhook-target 10.0.0.7/32` allows it
        refused by policy: fd12::1 is not loopback; `--webhook-target fd12::1/128` allows it
        not a URL (invalid IPv6 address); write it like http://127.0.0.1:3000/webhooks
        ");
    }

    #[test]
    fn https_is_ruled_like_http() {
        let targets = TargetPolicy::loopback_only();
        assert_eq!(targets.check_url("https://127.0.0.1/"), Ok(()));
        assert!(targets.check_url("https://169.254.169.254/").is_err());
    }

    #[test]
    fn a_url_may_be_as_long_as_the_limit_and_no_longer() {
        let start = "http://127.0.0.1/";
        let url = format!("{start}{}", "a".repeat(MAX_URL_BYTES - start.len()));
        assert_eq!(TargetPolicy::loopback_only().check_url(&url), Ok(()));
        let checked = TargetPolicy::loopback_only().check_url(&format!("{url}a"));
        assert_eq!(checked, Err(UrlRejection::TooLong.to_string()));
    }
}
