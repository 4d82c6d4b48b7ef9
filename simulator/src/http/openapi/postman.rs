//! The service as a Postman collection (v2.1). Its requests succeed in their order: each has an idempotency key of
//! its own, and a later step of a flow takes what the answer of the first one left in a variable.

use http::StatusCode;
use serde_json::{Value, json};
use svc_fixtures::contract::{BundleMode, Contract, FlowKey};

use super::webhooks::bundle_id;

/// The schema of such collections, by which programs know one.
const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/// The collection of a document, for the listener at this URL and with this key.
pub(super) fn collection(
    document: &Value,
    contract: &Contract,
    base_url: &str,
    key: &str,
) -> Value {
    let methods = document["paths"].as_object().into_iter().flatten();
    let methods = methods.filter(|(path, _)| path.starts_with("/v1/"));
    let mut requests: Vec<(&str, Value)> = Vec::new();
    for (path, item) in methods {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let tag = operation["tags"][0].as_str().unwrap_or_default();
            let mut made = items(contract, path, method, operation);
            for item in &mut made {
                item["response"] = json!(saved(document, operation, &item["request"]));
            }
            requests.extend(made.into_iter().map(|item| (tag, item)));
        }
    }
    let tags = document["tags"].as_array().into_iter().flatten();
    let folders = tags.filter_map(|tag| {
        let name = tag["name"].as_str()?;
        let of_tag = requests.iter().filter(|(known, _)| *known == name);
        let items: Vec<&Value> = of_tag.map(|(_, item)| item).collect();
        let folder = json!({ "name": name, "description": tag["description"], "item": items });
        (!items.is_empty()).then_some(folder)
    });
    json!({
        "info": {
            "name": document["info"]["title"],
            "description": document["info"]["description"],
            "schema": SCHEMA,
        },
        "auth": { "type": "bearer", "bearer": [{ "key": "token", "value": "{{apiKey}}", "type": "string" }] },
        "variable": [
            { "key": "baseUrl", "value": base_url },
            { "key": "apiKey", "value": key, "description": "An API key of the listener's environment." },
        ],
        "item": folders.collect::<Vec<Value>>(),
    })
}

/// The requests of an operation: one, or the two of a bundle in two calls.
fn items(contract: &Contract, path: &str, method: &str, operation: &Value) -> Vec<Value> {
    let id = operation["operationId"].as_str().unwrap_or_default();
    let examples = &operation["requestBody"]["content"]["application/json"]["examples"];
    let mut bodies = examples
        .as_object()
        .into_iter()
        .flatten()
        .map(|(_, it)| &it["value"]);
    let Some(body) = bodies.next() else {
        return vec![item(path, method, operation, None, script(&[]))];
    };
    let mut body = body.clone();
    let two_calls = contract
        .bundles
        .iter()
        .find(|it| it.mode == BundleMode::TwoCalls && bundle_id(it) == id);
    if let Some(bundle) = two_calls {
        let carried: Vec<&str> = bundle
            .carries
            .iter()
            .map(|carry| carry.field.as_str())
            .collect();
        let kept: Vec<(String, String)> = carried
            .iter()
            .map(|name| (variable(id, name), format!("data.{name}")))
            .collect();
        let first = item(path, method, operation, Some(&body), script(&kept));
        let Some(mut second) = bodies.next().cloned() else {
            return vec![first];
        };
        for name in carried {
            second[name] = json!(format!("{{{{{}}}}}", variable(id, name)));
        }
        let mut second = item(path, method, operation, Some(&second), script(&[]));
        second["name"] = json!(format!(
            "{}: the second call",
            operation["summary"].as_str().unwrap_or_default()
        ));
        return vec![first, second];
    }
    let mut kept = Vec::new();
    if let Some((flow, at)) = contract.step_of(id) {
        let first = &flow.steps[0];
        let issued = first.issues.as_ref().map(|key| match key {
            FlowKey::Member(name) => (name.as_str(), format!("data.{name}")),
            FlowKey::Verification => ("verificationId", "verificationId".to_owned()),
        });
        match (issued, &flow.steps[at].takes) {
            (Some((name, place)), _) if at == 0 => kept.push((variable(id, name), place)),
            (Some((name, _)), Some(takes)) => {
                body[takes] = json!(format!("{{{{{}}}}}", variable(&first.operation, name)));
            }
            _ => {}
        }
    }
    vec![item(path, method, operation, Some(&body), script(&kept))]
}

/// The variable that keeps a member of an operation's answer.
fn variable(id: &str, member: &str) -> String {
    format!("{}_{member}", id.replace(['.', '-'], "_"))
}

fn item(
    path: &str,
    method: &str,
    operation: &Value,
    body: Option<&Value>,
    script: Vec<String>,
) -> Value {
    // The parts of a path that are left open are called as their example says, or as an earlier answer did.
    let path = path
        .replace("{step}", "start")
        .replace("{verificationId}", "{{verificationId}}");
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let mut url =
        json!({ "raw": format!("{{{{baseUrl}}}}{path}"), "host": ["{{baseUrl}}"], "path": parts });
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query = parameters.filter(|it| it["in"] == "query").map(|it| {
        json!({
            "key": it["name"], "value": it["schema"]["examples"][0],
            "description": it["description"], "disabled": true,
        })
    });
    let query: Vec<Value> = query.collect();
    if !query.is_empty() {
        url["query"] = json!(query);
    }
    let mut request = json!({
        "method": method.to_ascii_uppercase(),
        "url": url,
        "header": [],
        "description": operation["description"],
    });
    if let Some(body) = body {
        request["header"] = json!([
            { "key": "Content-Type", "value": "application/json" },
            { "key": "Idempotency-Key", "value": "{{$guid}}", "description": "A new one for each request." },
            { "key": "X-Reference-Id", "value": "case-{{$guid}}", "description": "Your own reference." },
        ]);
        request["body"] = json!({
            "mode": "raw", "raw": format!("{body:#}"),
            "options": { "raw": { "language": "json" } },
        });
    }
    json!({
        "name": operation["summary"],
        "event": [{ "listen": "test", "script": { "type": "text/javascript", "exec": script } }],
        "request": request,
        "response": [],
    })
}

/// The answers that stand beside a request: every result that the document shows, and of each error status one.
fn saved(document: &Value, operation: &Value, request: &Value) -> Vec<Value> {
    let bodies = &operation["requestBody"]["content"]["application/json"]["examples"];
    let responses = operation["responses"].as_object().into_iter().flatten();
    let saved = responses.flat_map(|(code, response)| {
        let response = resolved(document, response);
        let code: u16 = code.parse().unwrap_or_default();
        let status = StatusCode::from_u16(code).unwrap_or_default();
        let examples = &response["content"]["application/json"]["examples"];
        let most = if status.is_success() { usize::MAX } else { 1 };
        let examples = examples.as_object().into_iter().flatten().take(most);
        examples.map(move |(name, example)| {
            let example = resolved(document, example);
            let mut asked = request.clone();
            // Of an example that has a request of its own, that is what was asked.
            if let Some(body) = bodies.get(name) {
                asked["body"]["raw"] = json!(format!("{:#}", body["value"]));
            }
            json!({
                "name": example["summary"].as_str().unwrap_or(name),
                "originalRequest": asked,
                "status": status.canonical_reason(),
                "code": code,
                "_postman_previewlanguage": "json",
                "header": [{ "key": "Content-Type", "value": "application/json" }],
                "cookie": [],
                "body": format!("{:#}", example["value"]),
            })
        })
    });
    saved.collect()
}

/// What stands here, or what is referred to here.
fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let pointer = value["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    let found = pointer.and_then(|pointer| document.pointer(pointer));
    found.unwrap_or(value)
}

/// What is judged of an answer, and what is kept of it in variables.
fn script(kept: &[(String, String)]) -> Vec<String> {
    let mut lines = vec![
        "pm.test('is answered with a result or the promise of one', () => {".to_owned(),
        "  pm.expect(pm.response.code, pm.response.text()).to.be.oneOf([200, 202]);".to_owned(),
        "  pm.expect(pm.response.json().success).to.equal(true);".to_owned(),
        "});".to_owned(),
        "const envelope = pm.response.json();".to_owned(),
        "pm.collectionVariables.set('verificationId', envelope.verificationId);".to_owned(),
    ];
    lines.extend(
        kept.iter().map(|(name, place)| {
            format!("pm.collectionVariables.set('{name}', envelope.{place});")
        }),
    );
    lines
}
