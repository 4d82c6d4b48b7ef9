//! The base URLs by which clients reach the listeners: their own addresses, or what a proxy in front of them is called.

use reqwest::Url;

use super::ListenerAddresses;
use crate::engine::call::request::Environment;
use crate::engine::call::response::{Addresses, AllAddresses};

/// The base URL of each listener, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrls {
    /// Of the console.
    pub console: String,
    /// Of the sandbox.
    pub sandbox: String,
    /// Of live.
    pub live: String,
}

impl BaseUrls {
    /// That of an environment's listener.
    #[must_use]
    pub fn of(&self, environment: Environment) -> &str {
        match environment {
            Environment::Test => &self.sandbox,
            Environment::Live => &self.live,
        }
    }

    /// What the answers of each environment say of addresses: those of their own listener.
    #[must_use]
    pub fn in_answers(&self) -> AllAddresses {
        AllAddresses {
            test: Addresses::below(&self.sandbox),
            live: Addresses::below(&self.live),
        }
    }
}

/// Where clients reach those listeners that are behind a proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublicUrls {
    /// The console.
    pub console: Option<PublicUrl>,
    /// The sandbox.
    pub sandbox: Option<PublicUrl>,
    /// Live.
    pub live: Option<PublicUrl>,
}

impl PublicUrls {
    /// The base URLs of listeners at these addresses: a listener without a public URL is reached at its own.
    #[must_use]
    pub fn or_at(&self, addresses: &ListenerAddresses) -> BaseUrls {
        let own = addresses.urls();
        let base = |public: &Option<PublicUrl>, own| match public {
            Some(public) => public.base().to_owned(),
            None => own,
        };
        BaseUrls {
            console: base(&self.console, own.console),
            sandbox: base(&self.sandbox, own.sandbox),
            live: base(&self.live, own.live),
        }
    }
}

/// What a listener is called behind a proxy, such as `https://host.example/sim/live`. The proxy takes the path off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    base: String,
    origin: String,
    host: String,
}

/// Why a text is no public URL, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublicUrlError {
    /// It is no absolute URL of the web.
    #[error(
        "write an address that begins with http:// or https://, such as https://host.example/sim/live"
    )]
    NotAWebAddress,
    /// It has what no base can have.
    #[error(
        "write scheme, host, port and path only: {0} can't stand in an address that others are below"
    )]
    TooMuch(&'static str),
    /// Its path would have to be quoted, in a shell or a document.
    #[error("write a path of letters, digits, `-`, `.`, `_`, `~` and `/`")]
    Path,
}

impl PublicUrl {
    /// Reads one, with or without a slash at its end.
    ///
    /// # Errors
    /// [`PublicUrlError`]
    pub fn parse(text: &str) -> Result<Self, PublicUrlError> {
        let url = Url::parse(text).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.filter(|_| {
            text.split_once("://")
                .is_some_and(|(_, rest)| !rest.starts_with('/'))
        });
        let url = url.ok_or(PublicUrlError::NotAWebAddress)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        for (there, what) in [
            (has_user, "a name or a password"),
            (url.query().is_some(), "a query"),
            (url.fragment().is_some(), "a fragment"),
        ] {
            if there {
                return Err(PublicUrlError::TooMuch(what));
            }
        }
        let path = url.path().trim_end_matches('/');
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if !path.bytes().all(is_plain) || path.contains("//") {
            return Err(PublicUrlError::Path);
        }
        let origin = url.origin().ascii_serialization();
        let host = url.host_str().unwrap_or_default();
        Ok(PublicUrl {
            base: format!("{origin}{path}"),
            host: host.trim_matches(['[', ']']).to_owned(),
            origin,
        })
    }

    /// The URL, without a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Scheme, host and port, as browsers say them of a page.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The name or address of the host.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_has_an_origin_and_perhaps_a_path() {
        for (text, base, origin, host) in [
            (
                "https://sim.example",
                "https://sim.example",
                "https://sim.example",
                "sim.example",
            ),
            (
                "https://sim.example/",
                "https://sim.example",
                "https://sim.example",
                "sim.example",
            ),
            (
                "HTTPS://Sim.Example:443/a/live//",
                "https://sim.example/a/live",
                "https://sim.example",
                "sim.example",
            ),
            (
                "http://sim.example:8080/a/../b",
                "http://sim.example:8080/b",
                "http://sim.example:8080",
                "sim.example",
            ),
            ("http://[::1]:80/x", "http://[::1]/x", "http://[::1]", "::1"),
            (
                "https://prüf.example/x",
                "https://xn--prf-ioa.example/x",
                "https://xn--prf-ioa.example",
                "xn--prf-ioa.example",
            ),
        ] {
            let url = PublicUrl::parse(text).unwrap();
            assert_eq!(
                (url.base(), url.origin(), url.host()),
                (base, origin, host),
                "{text}"
            );
        }
    }

    #[test]
    fn what_nothing_can_be_below_is_no_public_url() {
        use PublicUrlError::{NotAWebAddress, Path, TooMuch};
        for (text, error) in [
            ("", NotAWebAddress),
            ("sim.example", NotAWebAddress),
            ("/sim/live", NotAWebAddress),
            ("//sim.example/live", NotAWebAddress),
            ("ftp://sim.example", NotAWebAddress),
            ("localhost:8801", NotAWebAddress),
            ("https://", NotAWebAddress),
            ("https:sim.example", NotAWebAddress),
            ("https:///sim.example", NotAWebAddress),
            ("https://u:p@sim.example", TooMuch("a name or a password")),
            ("https://sim.example/?a=b", TooMuch("a query")),
            ("https://sim.example/#top", TooMuch("a fragment")),
            ("https://sim.example/a b", Path),
            ("https://sim.example/a;rm", Path),
            ("https://sim.example/a//b", Path),
            ("https://sim.example/{id}", Path),
        ] {
            assert_eq!(PublicUrl::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn a_listener_without_a_public_url_is_reached_at_its_own_address() {
        let public = PublicUrls {
            live: PublicUrl::parse("https://sim.example/live").ok(),
            ..PublicUrls::default()
        };
        let urls = public.or_at(&ListenerAddresses::DEFAULT);
        let expected = [
            "http://127.0.0.1:8800",
            "http://127.0.0.1:8801",
            "https://sim.example/live",
        ];
        assert_eq!([&*urls.console, &*urls.sandbox, &*urls.live], expected);
    }
}
