//! A call, as the control API answers it.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallView {
    pub(super) verification_id: String,
    pub(super) environment: String,
    pub(super) endpoint: String,
    pub(super) at: String,
    pub(super) status: String,
    pub(super) http_status: u16,
    pub(super) pending_http_status: Option<u16>,
    pub(super) on_the_wire: Option<String>,
    pub(super) code: Option<String>,
    pub(super) charged: f64,
    pub(super) because: String,
    pub(super) request: Option<Received>,
    pub(super) second_request: Option<Received>,
    pub(super) account: Option<String>,
    pub(super) envelope: Option<Value>,
    #[serde(default)]
    pub(super) stages: Vec<StageView>,
    pub(super) pending: Option<Value>,
    pub(super) money: Option<Money>,
    #[serde(default)]
    pub(super) keys: Vec<KeyUse>,
    pub(super) bundle: Option<String>,
    #[serde(default)]
    pub(super) steps: Vec<BundleStepView>,
    pub(super) curl: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Received {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Option<String>,
    pub(super) headers: Vec<HeaderView>,
    pub(super) body: Option<String>,
    pub(super) body_encoding: Option<String>,
    pub(super) body_bytes: Option<u64>,
    #[serde(default)]
    pub(super) body_cut: bool,
    pub(super) caller: String,
    pub(super) unknown_members: Vec<String>,
}

impl Received {
    /// Whether all of it is known, but for its credentials.
    pub(super) fn is_whole(&self) -> bool {
        self.body.is_some() && !self.body_cut && self.body_encoding.is_none()
    }

    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|header| header.name == name)
            .map(|header| header.value.as_str())
    }
}

#[derive(Deserialize)]
pub(super) struct HeaderView {
    pub(super) name: String,
    pub(super) value: String,
}

/// A step of a bundle.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BundleStepView {
    pub(super) verification_id: String,
    pub(super) endpoint: String,
    pub(super) status: String,
    pub(super) code: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct StageView {
    pub(super) stage: String,
    pub(super) state: String,
}

/// What was put aside, and what became of it.
#[derive(Deserialize)]
pub(super) struct Money {
    pub(super) held: f64,
    pub(super) charged: Option<f64>,
    pub(super) released: Option<f64>,
}

/// An idempotency key, and who brought it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyUse {
    pub(super) key: String,
    pub(super) claimed_at: Option<String>,
    pub(super) kept_until: Option<String>,
    pub(super) replays: Vec<Replay>,
    pub(super) others: Vec<OtherUse>,
}

#[derive(Deserialize)]
pub(super) struct Replay {
    pub(super) at: String,
    pub(super) caller: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OtherUse {
    pub(super) verification_id: String,
    pub(super) endpoint: String,
    pub(super) at: String,
    pub(super) http_status: u16,
    pub(super) code: Option<String>,
}
