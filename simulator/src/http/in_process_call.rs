//! Calls that are made in process: of the examples and of the control API.

use std::net::{IpAddr, Ipv4Addr};

use crate::engine::call::reply::Reply;
use crate::engine::call::request::{Body, Call, Environment, Header, Headers};
use crate::host::Host;

/// A JSON call that is made in process.
#[derive(Clone, Copy)]
pub(super) struct InProcessCall<'c> {
    pub(super) environment: Environment,
    pub(super) peer: IpAddr,
    pub(super) key: Option<&'c str>,
    pub(super) idempotency_key: Option<&'c str>,
    pub(super) reference_id: Option<&'c str>,
    pub(super) method: &'c str,
    pub(super) path: &'c str,
    pub(super) query: &'c str,
    pub(super) body: Option<&'c str>,
}

impl<'c> InProcessCall<'c> {
    /// A call from this machine that sends a body.
    pub(super) fn post(
        environment: Environment,
        key: &'c str,
        path: &'c str,
        body: &'c str,
    ) -> Self {
        InProcessCall {
            environment,
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            key: Some(key),
            idempotency_key: None,
            reference_id: None,
            method: "POST",
            path,
            query: "",
            body: Some(body),
        }
    }

    /// The same from another address.
    pub(super) fn from(self, peer: Option<IpAddr>) -> Self {
        InProcessCall {
            peer: peer.unwrap_or(self.peer),
            ..self
        }
    }

    /// The host's answer.
    pub(super) async fn answer(self, host: &Host) -> Reply {
        fn header(text: Option<&str>) -> Header<'_> {
            text.map_or(Header::Absent, |text| Header::One(text.as_bytes()))
        }
        let bearer = self.key.map(|key| format!("Bearer {key}"));
        let call = Call {
            environment: self.environment,
            peer: self.peer,
            method: self.method,
            path: self.path,
            query: self.query,
            headers: Headers {
                authorization: header(bearer.as_deref()),
                content_type: header(self.body.map(|_| "application/json")),
                idempotency_key: header(self.idempotency_key),
                reference_id: header(self.reference_id),
                ..Headers::default()
            },
            body: Body::Whole(self.body.unwrap_or_default().as_bytes()),
        };
        host.answer(&call).await
    }
}
