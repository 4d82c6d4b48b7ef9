//! A request as it came in, as the call log shows it (ruling 35).

use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::engine::call::received::BLACK;
use crate::engine::state::received::{ReceivedBody, ReceivedRequest};

/// A request as it came in. Its credentials are `***`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReceivedRequestDto<'r> {
    method: &'r str,
    /// Undecoded.
    path: &'r str,
    /// What followed the path's question mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'r str>,
    /// Every line of them, the names in lower case, in the order in which each name came first.
    headers: Vec<HeaderLineDto<'r>>,
    /// The body: its first 8 KiB. Left out where it did not arrive whole, or was too long to be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Of a body that is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_encoding: Option<EncodingDto>,
    /// How many bytes the whole body has.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<u64>,
    /// Whether the body was longer than what is shown of it.
    #[serde(skip_serializing_if = "is_false")]
    body_cut: bool,
    /// The caller's address: the other end of the connection, or what a trusted proxy says.
    caller: String,
    /// The members of the body that no field of the operation names, which are ignored: the first 32.
    unknown_members: &'r [String],
}

#[derive(Serialize, JsonSchema)]
struct HeaderLineDto<'r> {
    name: &'r str,
    value: String,
    /// Of a value that is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<EncodingDto>,
}

/// How bytes that are no text are written.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EncodingDto {
    Base64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes what it asks about by reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Bytes as the text that they are, or in base 64.
fn text_of(bytes: &[u8]) -> (String, Option<EncodingDto>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (BASE64.encode(bytes), Some(EncodingDto::Base64)),
    }
}

impl<'r> ReceivedRequestDto<'r> {
    fn of(request: &'r ReceivedRequest) -> Self {
        let headers = request.headers().map(|(name, value)| {
            let (value, encoding) = text_of(value);
            HeaderLineDto {
                name,
                value,
                encoding,
            }
        });
        let (body, body_encoding) = request.kept_body().map(text_of).unzip();
        ReceivedRequestDto {
            method: request.method(),
            path: request.path(),
            query: request.query(),
            headers: headers.collect(),
            body,
            body_encoding: body_encoding.flatten(),
            body_bytes: match request.body {
                ReceivedBody::Whole { bytes } | ReceivedBody::Cut { bytes } => Some(bytes),
                ReceivedBody::Unread => None,
            },
            body_cut: matches!(request.body, ReceivedBody::Cut { .. }),
            caller: request.peer.to_string(),
            unknown_members: &request.unknown_members,
        }
    }
}

/// Writes a request only when the answer is printed, which no lock waits for.
pub(super) fn serialize<S: Serializer>(
    request: &Option<ReceivedRequest>,
    out: S,
) -> Result<S::Ok, S::Error> {
    let shown = request.as_ref().map(ReceivedRequestDto::of);
    shown.serialize(out)
}

/// The key that a request presents, cut to its prefix; none where it presents none.
pub(super) fn presented_key(request: &ReceivedRequest) -> Option<String> {
    let mut headers = request.headers();
    let (_, value) = headers.find(|(name, _)| *name == "authorization")?;
    let word = value.rsplit(|&byte| byte == b' ').next()?;
    let key = std::str::from_utf8(word).ok()?;
    key.ends_with(BLACK).then(|| key.to_owned())
}
