//! The webhooks of the document: one for each operation and bundle that may end after its answer.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Bundle, BundleMode, Contract};

use super::envelope::reference;
use super::names::{SchemaRole, schema_name};
use crate::http::examples::{Examples, PendingEnd};

/// The tag of the webhooks.
pub(super) const WEBHOOKS: &str = "Webhooks";

/// The name of the shared header that a webhook is signed with.
pub(super) const SIGNATURE: &str = "ServiceSignature";

/// The operations and bundles that may end after their answer: id and title, in order.
pub(super) fn senders(contract: &Contract) -> Vec<(String, &str)> {
    let operations = contract.operations.iter();
    let operations = operations.filter(|operation| operation.pending.is_some());
    let operations = operations.map(|it| (it.id.clone(), it.title.as_str()));
    let bundles = contract
        .bundles
        .iter()
        .filter(|bundle| may_wait(contract, bundle));
    let bundles = bundles.map(|it| (bundle_id(it), it.title.as_str()));
    operations.chain(bundles).collect()
}

/// Whether the answer to a bundle may be pending.
pub(super) fn may_wait(contract: &Contract, bundle: &Bundle) -> bool {
    let mut steps = contract.bundle_steps(bundle);
    bundle.mode == BundleMode::TwoCalls || steps.any(|step| step.pending.is_some())
}

/// The dotted name of a bundle.
pub(super) fn bundle_id(bundle: &Bundle) -> String {
    format!("bundles.{}", bundle.slug)
}

/// All webhooks.
pub(super) fn webhooks(contract: &Contract, examples: &Examples) -> Map<String, Value> {
    let senders = senders(contract).into_iter();
    let webhook = |(id, title): (String, &str)| {
        let ends = examples.ends.iter().filter(|end| end.endpoint == id);
        let item = json!({ "post": post(&id, title, ends) });
        (id, item)
    };
    senders.map(webhook).collect()
}

fn post<'e>(id: &str, title: &str, ends: impl Iterator<Item = &'e PendingEnd>) -> Value {
    let shown = ends.map(|end| {
        let status = end.envelope["status"].as_str().unwrap_or_default();
        (status.to_owned(), json!({ "value": end.envelope }))
    });
    let shown: Value = shown.collect();
    let mut content =
        json!({ "schema": reference("schemas", &schema_name(id, SchemaRole::Event)) });
    if shown.as_object().is_some_and(|shown| !shown.is_empty()) {
        content["examples"] = shown;
    }
    json!({
        "operationId": format!("webhooks.{id}"),
        "summary": format!("{title}: the end"),
        "description":
            "Sent to the registered URL when the verification ends: the same envelope, under the `verificationId` \
             of the pending answer. It may come more than once. Check the signature over the raw bytes of the body \
             before you read it, and answer with any 2xx within ten seconds; else it is sent again.",
        "tags": [WEBHOOKS],
        "security": [],
        "parameters": [reference("parameters", SIGNATURE)],
        "requestBody": { "required": true, "content": { "application/json": content } },
        "responses": { "204": { "description": "It was taken. Any other 2xx says so, too." } },
        // Generators of clients make code that does not compile of a webhook with a header, unless it says this.
        "x-internal": true,
    })
}
