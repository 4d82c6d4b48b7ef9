//! The head of a message as it is passed on: without what is said from hop to hop, and with the host of whom it goes to.

use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::http::uri::{Authority, Parts, PathAndQuery, Scheme, Uri};
use reqwest::Url;

/// Whether it is said between two neighbours, and not passed on.
fn is_hop_by_hop(name: &str) -> bool {
    matches!(
        name,
        "connection"
            | "keep-alive"
            | "proxy-authenticate"
            | "proxy-authorization"
            | "proxy-connection"
            | "te"
            | "transfer-encoding"
            | "upgrade"
    )
}

/// Leaves out the headers of this hop, and names the host; the rest keeps its order.
pub(super) fn passed_on(headers: &mut HeaderMap, host: Option<&HeaderValue>) {
    // What `Connection` names has no business here where it is not there itself.
    if headers.keys().any(|name| is_hop_by_hop(name.as_str())) {
        *headers = without_hop(headers);
    }
    let Some(host) = host else { return };
    match headers.contains_key(HOST) {
        true => {
            let own = headers.iter_mut().filter(|(name, _)| *name == HOST);
            own.for_each(|(_, value)| value.clone_from(host));
        }
        false => drop(headers.insert(HOST, host.clone())),
    }
}

/// A map that is taken out of loses its order, so a new one is made.
fn without_hop(headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(CONNECTION).iter();
    let named = named.filter_map(|value| value.to_str().ok());
    let named: Vec<_> = named
        .flat_map(|text| text.split(','))
        .map(str::trim)
        .collect();
    let of_hop = |name: &HeaderName| {
        let name = name.as_str();
        let named = named.iter().any(|known| known.eq_ignore_ascii_case(name));
        is_hop_by_hop(name) || named && name != HOST
    };
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| !of_hop(name)) {
        passed.append(name.clone(), value.clone());
    }
    passed
}

/// An address that requests are passed on to.
#[derive(Debug, Clone)]
pub(super) struct Forward {
    scheme: Scheme,
    authority: Authority,
    /// Host and port, as a request names them.
    pub(super) host: HeaderValue,
    path: String,
}

impl Forward {
    /// None where it is no address of HTTP.
    pub(super) fn to(to: &Url) -> Option<Self> {
        let host = to.host_str()?;
        let authority = match to.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Some(Forward {
            scheme: to.scheme().parse().ok()?,
            host: HeaderValue::from_str(&authority).ok()?,
            authority: authority.parse().ok()?,
            path: to.path().to_owned(),
        })
    }

    /// Where connections go to.
    pub(super) fn address(&self) -> Uri {
        let mut address = Parts::default();
        address.scheme = Some(self.scheme.clone());
        address.authority = Some(self.authority.clone());
        address.path_and_query = Some(PathAndQuery::from_static("/"));
        Uri::from_parts(address).expect("all parts are there")
    }

    /// The target of a request there: the path that the address has stands before its own.
    pub(super) fn target(&self, asked: &Uri) -> Option<Uri> {
        let root = || PathAndQuery::from_static("/");
        let asked = asked.path_and_query().cloned().unwrap_or_else(root);
        let base = self.path.trim_end_matches('/');
        Some(Uri::from(match (base, asked.as_str()) {
            ("", _) => asked,
            // An address that is posted to as it stands.
            (_, "/") => self.path.parse().ok()?,
            (_, path) => format!("{base}{path}").parse().ok()?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        map
    }

    fn names(map: &HeaderMap) -> Vec<&str> {
        map.keys().map(HeaderName::as_str).collect()
    }

    #[test]
    fn what_is_said_from_hop_to_hop_is_left_out_and_the_rest_keeps_its_order() {
        let asked = map(&[
            ("x-first", "1"),
            ("host", "127.0.0.1:1"),
            ("connection", "keep-alive, X-Mine"),
            ("x-mine", "1"),
            ("transfer-encoding", "chunked"),
            ("accept", "*/*"),
            ("x-last", "1"),
        ]);
        let host = HeaderValue::from_static("service.example");
        let passed = |mut headers| {
            passed_on(&mut headers, Some(&host));
            headers
        };
        let asked = passed(asked);
        assert_eq!(names(&asked), ["x-first", "host", "accept", "x-last"]);
        assert_eq!(asked["host"], "service.example");
        assert_eq!(names(&passed(map(&[]))), ["host"]);
        let plain = [
            ("x-first", "1"),
            ("host", "a"),
            ("accept", "*/*"),
            ("host", "b"),
        ];
        let plain = passed(map(&plain));
        assert_eq!(names(&plain), ["x-first", "host", "accept"]);
        let hosts: Vec<_> = plain.get_all("host").iter().collect();
        assert_eq!(hosts, ["service.example"; 2]);
    }

    #[test]
    fn the_path_of_an_address_stands_before_that_of_the_request() {
        let at = |to: &str, asked: &str| {
            let to = Forward::to(&Url::parse(to).unwrap()).unwrap();
            let target = to.target(&asked.parse().unwrap()).unwrap();
            format!("{} {target}", to.address())
        };
        assert_eq!(
            at("https://a.example", "/v1/x?q=1"),
            "https://a.example/ /v1/x?q=1"
        );
        assert_eq!(
            at("http://a.example:81/base/", "/v1/x"),
            "http://a.example:81/ /base/v1/x"
        );
        assert_eq!(
            at("http://a.example/hooks", "/"),
            "http://a.example/ /hooks"
        );
        assert_eq!(
            at("http://a.example", "http://b.example/v1/x"),
            "http://a.example/ /v1/x"
        );
    }
}
