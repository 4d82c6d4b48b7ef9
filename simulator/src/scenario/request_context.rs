//! What a condition can ask of a call beside its fields: who calls, where, and under which headers.

use svc_fixtures::contract::Environment;

/// Who calls, and how.
#[derive(Debug, Clone, Copy)]
pub struct RequestContext<'q> {
    /// The account's id: its first key's name after `svc_test_` or `svc_live_`.
    pub account: &'q str,
    /// Where the call came in.
    pub environment: Environment,
    /// `X-Reference-Id`, where it was sent.
    pub reference_id: Option<&'q str>,
    /// `Idempotency-Key`, where it was sent.
    pub idempotency_key: Option<&'q str>,
    /// `Content-Type`.
    pub content_type: Option<&'q str>,
}

/// A header that a condition can ask for. The credential is not one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderName {
    /// `X-Reference-Id`
    ReferenceId,
    /// `Idempotency-Key`
    IdempotencyKey,
    /// `Content-Type`
    ContentType,
}

impl HeaderName {
    /// All of them.
    pub const ALL: [HeaderName; 3] = [
        HeaderName::ReferenceId,
        HeaderName::IdempotencyKey,
        HeaderName::ContentType,
    ];

    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            HeaderName::ReferenceId => "X-Reference-Id",
            HeaderName::IdempotencyKey => "Idempotency-Key",
            HeaderName::ContentType => "Content-Type",
        }
    }

    /// The header of that name, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|name| name.as_str().eq_ignore_ascii_case(text))
    }
}

impl<'q> RequestContext<'q> {
    /// A call without headers of its own.
    #[must_use]
    pub fn plain(account: &'q str, environment: Environment) -> Self {
        RequestContext {
            account,
            environment,
            reference_id: None,
            idempotency_key: None,
            content_type: Some("application/json"),
        }
    }

    /// What a header says, where it was sent.
    #[must_use]
    pub fn header(&self, name: HeaderName) -> Option<&'q str> {
        match name {
            HeaderName::ReferenceId => self.reference_id,
            HeaderName::IdempotencyKey => self.idempotency_key,
            HeaderName::ContentType => self.content_type,
        }
    }
}
