//! What a person does with a call: send it again, and choose what the next one like it gets.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use bytes::Bytes;
use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::call_view::CallView;
use super::form::{Fields, Message, lead_to};

#[derive(Deserialize)]
struct Made {
    status: u16,
    answer: Map<String, Value>,
}

/// Sends a call again: with its idempotency key, which replays it, or without, which executes it anew.
pub(super) async fn again(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let form = Fields::form(&body);
    let here = format!("/calls/{}", encoded(&id));
    match send_again(&pages, &here, form.filled("key") == Some("same")).await {
        Ok((there, message)) => lead_to(&pages.to(&there), &message),
        Err(refusal) => lead_to(&pages.to(&here), &Message::Refused(refusal.message)),
    }
}

async fn send_again(
    pages: &Pages,
    here: &str,
    same_key: bool,
) -> Result<(String, Message), Refusal> {
    let call: CallView = pages.api.read(&format!("/control{here}")).await?;
    let Some(request) = call.request.as_ref().filter(|request| request.is_whole()) else {
        let message = "its request was not kept whole, and can't be sent again as it was";
        return Ok((here.to_owned(), Message::Refused(message.to_owned())));
    };
    let mut path = request.path.clone();
    if let Some(query) = &request.query {
        path = format!("{path}?{query}");
    }
    let mut ask = json!({
        "account": call.account,
        "environment": call.environment,
        "method": request.method,
        "path": path,
    });
    if let Some(body) = request.body.as_ref().filter(|body| !body.is_empty()) {
        ask["text"] = json!(body);
    }
    if let Some(reference) = request.header("x-reference-id") {
        ask["referenceId"] = json!(reference);
    }
    if let Some(key) = request.header("idempotency-key").filter(|_| same_key) {
        ask["idempotencyKey"] = json!(key);
    }
    let made = pages
        .api
        .ask(Method::POST, "/control/calls", Some(&ask))
        .await?;
    let made: Made = serde_json::from_value(made).map_err(|_| Refusal::unreadable())?;
    let there = made.answer.get("verificationId").and_then(Value::as_str);
    let there = there.map_or(here.to_owned(), |id| format!("/calls/{}", encoded(id)));
    let what = match there == here {
        true => "the same answer was given again",
        false => "this is the new call",
    };
    let message = format!("Sent again: answered {}; {what}.", made.status);
    Ok((there, Message::Done(message)))
}

/// Writes a scenario for the account of a call: what the next call like it gets.
pub(super) async fn next(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let form = Fields::form(&body);
    let here = format!("/calls/{}", encoded(&id));
    let message = match write_scenario(&pages, &here, &form).await {
        Ok(message) => message,
        Err(refusal) => Message::Refused(refusal.message),
    };
    lead_to(&pages.to(&here), &message)
}

async fn write_scenario(pages: &Pages, here: &str, form: &Fields) -> Result<Message, Refusal> {
    let call: CallView = pages.api.read(&format!("/control{here}")).await?;
    let toml = scenario(&call, form);
    let ask = json!({ "account": call.account, "toml": toml });
    pages
        .api
        .ask(Method::POST, "/control/scenarios", Some(&ask))
        .await?;
    let message = format!(
        "Added for account {}:\n{toml}",
        call.account.unwrap_or_default()
    );
    Ok(Message::Done(message))
}

/// A rule for calls with the same texts in their body. Where it is for one call, the answer comes as usual after that.
fn scenario(call: &CallView, form: &Fields) -> String {
    // What JSON escapes, TOML does alike.
    let text = |text: &str| Value::from(text).to_string();
    let outcome = match form.get("outcome") {
        "pending" => "{ pending = {}, after = \"25s\", finally = { success = {} } }".to_owned(),
        "wait" => format!(
            "{{ delay = {} }}",
            text(form.filled("delay").unwrap_or("5s"))
        ),
        code => format!("{{ error = {} }}", text(code)),
    };
    let then = match form.get("times") {
        "always" => outcome,
        _ => format!("{outcome}\nfall_through = true"),
    };
    let body = call
        .request
        .as_ref()
        .and_then(|request| request.body.as_deref());
    let body = body.and_then(|body| serde_json::from_str::<Map<String, Value>>(body).ok());
    let known = |name: &String| {
        let request = call.request.as_ref();
        request.is_none_or(|request| !request.unknown_members.contains(name))
    };
    let mut when = String::new();
    for (name, value) in body.iter().flatten().filter(|(name, _)| known(name)) {
        if let Value::String(value) = value {
            let comma = if when.is_empty() { "" } else { ", " };
            write!(when, "{comma}{name} = {}", text(value)).expect("a text takes all");
        }
    }
    let name = format!("the next call like {}", call.verification_id);
    let (name, operation) = (text(&name), text(&call.endpoint));
    let when = match when.is_empty() {
        true => String::new(),
        false => format!("when = {{ {when} }}\n"),
    };
    format!("[[scenario]]\nname = {name}\noperation = {operation}\n{when}then = {then}\n")
}
