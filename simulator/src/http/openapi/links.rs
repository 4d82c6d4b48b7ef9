//! Links: which call may follow an answer, and what it carries of it.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, FlowKey};

/// The operation that looks a verification up.
pub(super) const LOOK_UP: &str = "verifications.get";

/// The calls that may follow a success of this operation: its look-up, and the later steps of its flow.
///
/// `requestBody` is the answer's `data` as a whole, of which a later step takes what it knows, because a body
/// that is put together of parts is refused by generators of clients; `x-carries` names the one member that
/// counts.
pub(super) fn links(contract: &Contract, id: &str) -> Value {
    let mut links = Map::new();
    let look_up = json!({
        "operationId": LOOK_UP,
        "parameters": { "verificationId": "$response.body#/verificationId" },
        "description": "The newest envelope of this verification.",
    });
    links.insert("verification".to_owned(), look_up);
    for flow in &contract.flows {
        let Some((first, later)) = flow.steps.split_first() else {
            continue;
        };
        let Some(issues) = first.issues.as_ref().filter(|_| first.operation == id) else {
            continue;
        };
        for step in later {
            let Some(takes) = &step.takes else { continue };
            let (issued, from) = match issues {
                FlowKey::Member(name) => (name.as_str(), format!("$response.body#/data/{name}")),
                FlowKey::Verification => (
                    "verificationId",
                    "$response.body#/verificationId".to_owned(),
                ),
            };
            let mut link = json!({
                "operationId": step.operation,
                "description": format!("The next call carries `{issued}` as `{takes}`."),
                "x-carries": { takes: from },
            });
            if *issues == FlowKey::Member(takes.clone()) {
                link["requestBody"] = json!("$response.body#/data");
            }
            links.insert(step.operation.clone(), link);
        }
    }
    Value::Object(links)
}
