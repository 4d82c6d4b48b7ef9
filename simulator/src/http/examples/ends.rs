//! How the pending examples end: persons allow what they are asked, and the clock moves on.

use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::control::request;
use super::{Exchange, OperationExamples};
use crate::engine::call::request::Environment;
use crate::host::Host;
use crate::host::transport::TargetPolicy;
use crate::http::control::{self, ControlApi};
use crate::http::in_process_call::InProcessCall;
use crate::scenario::AccountConfig;

/// The end of a verification that was pending: what its webhook brings.
#[derive(Debug, Clone)]
pub(in crate::http) struct PendingEnd {
    /// The operation or the bundle.
    pub(in crate::http) endpoint: String,
    pub(in crate::http) envelope: Value,
}

/// Longer than any built-in scenario leaves a verification pending.
const LONG: &str = "1d";

/// Ends what is pending of these examples. The account's clock stands later after it.
pub(super) async fn ends(
    host: &Arc<Host>,
    account: &AccountConfig,
    key: &str,
    operations: &[OperationExamples],
    bundles: &[Vec<Exchange>],
) -> Vec<PendingEnd> {
    let mut router = control::router(&Arc::new(ControlApi {
        host: Arc::clone(host),
        targets: TargetPolicy::loopback_only(),
        stop: CancellationToken::new(),
    }));
    let answered = operations.iter().flat_map(|it| &it.answered);
    let all = answered.chain(bundles.iter().flatten());
    let pending: Vec<&Exchange> = all.filter(|it| it.is_pending()).collect();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let decision = json!({ "decision": "allow" });
    for it in &pending {
        let path = format!("/control/consents/{}", text(&it.answer["verificationId"]));
        request(&mut router, &Method::POST, &path, Some(&decision)).await;
    }
    let path = format!("/control/accounts/{}/clock", account.id);
    request(
        &mut router,
        &Method::POST,
        &path,
        Some(&json!({ "advance": LONG })),
    )
    .await;
    let mut ends = Vec::new();
    for it in pending {
        let path = format!("/v1/verifications/{}", text(&it.answer["verificationId"]));
        let get = InProcessCall {
            method: "GET",
            body: None,
            ..InProcessCall::post(Environment::Test, key, &path, "")
        };
        let reply = get.answer(host).await;
        let envelope: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        if envelope["status"] != "pending" {
            let endpoint = text(&it.answer["endpoint"]);
            ends.push(PendingEnd { endpoint, envelope });
        }
    }
    ends
}
