//! Defects of the simulator's behaviour, as data: what is done to what reaches it, to what it answers
//! and to its webhooks.

mod answers;
mod calls;
mod console;
mod values;

use serde_json::{Value, json};
use svc_contract_tests::capture::{Request, Response};
use svc_simulator::host::transport::WebhookRequest;

pub(crate) use crate::edits::edit;
use crate::edits::{accepted, coded, free, put, replay};

/// A defect.
pub(crate) struct Behaviour {
    pub(crate) name: &'static str,
    pub(crate) plant: Plant,
}

/// A call and its answer.
pub(crate) type Seen = (Request, Response);

/// Where a defect acts.
#[derive(Clone, Copy)]
pub(crate) enum Plant {
    /// On what reaches the service.
    Asked(fn(&mut Request, &[Seen])),
    /// On what it answers; whether anything was changed.
    Answered(fn(&Request, &mut Response) -> bool),
    /// A call is answered by this, and not executed.
    Instead(fn(&Request, &[Seen]) -> Option<Response>),
    /// A call is executed once more, without its key, and nobody is told.
    Again(fn(&Request, &Response) -> bool),
    /// On what the console is asked.
    Console(fn(&mut Request)),
    /// On what the console answers.
    Shown(fn(&Request, &mut Response) -> bool),
    /// On a webhook, after those before it.
    Webhook(fn(&mut WebhookRequest, &[WebhookRequest]) -> Delivery),
}

/// What becomes of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// It is sent, and the receiver's status is heeded.
    Sent,
    /// It is sent, and counts as taken whatever the status.
    Taken,
    /// It is sent, and counts as refused whatever the status.
    Refused,
    /// It is never sent, and counts as taken.
    Lost,
}

macro_rules! planted {
    ($($name:literal, $kind:ident, $plant:expr;)*) => {
        pub(super) const PLANTED: &[super::Behaviour] = &[$(super::Behaviour { name: $name, plant: super::Plant::$kind($plant) }),*];
    };
}
use planted;

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Behaviour> {
    let tables = [
        answers::PLANTED,
        values::PLANTED,
        calls::PLANTED,
        console::PLANTED,
    ];
    tables.into_iter().flatten()
}

/// The body of a request.
fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

/// Changes the body of a request that is JSON.
fn rewrite(request: &mut Request, edit: impl FnOnce(&mut Value) -> bool) {
    if let Ok(mut json) = serde_json::from_slice::<Value>(&request.body)
        && edit(&mut json)
    {
        request.body = json.to_string().into_bytes();
    }
}

/// Puts a value in place of one that is there.
fn replace(json: &mut Value, place: &str, value: Value) -> bool {
    let Some(old) = json.pointer_mut(place).filter(|old| !old.is_null()) else {
        return false;
    };
    let other = *old != value;
    *old = value;
    other
}

fn drop_member(response: &mut Response, place: &str, name: &str) -> bool {
    edit(response, |json| {
        let object = json.pointer_mut(place).and_then(Value::as_object_mut);
        object.is_some_and(|object| object.remove(name).is_some())
    })
}

/// Another status in place of one.
fn restatus(response: &mut Response, old: u16, new: u16) -> bool {
    let mine = response.status == old;
    response.status = if mine { new } else { response.status };
    mine
}

/// An error in place of a result.
fn refused(response: &mut Response, status: u16, code: &str) -> bool {
    let was = response.status < 300;
    let made = was
        && edit(response, |json| {
            let Some(envelope) = json.as_object_mut() else {
                return false;
            };
            envelope.remove("data");
            let error = json!({ "code": code, "message": "data: refused", "retryable": false });
            envelope.insert("error".to_owned(), error);
            envelope.insert("success".to_owned(), json!(false));
            envelope.insert("status".to_owned(), json!("failed"));
            free(json);
            true
        });
    response.status = if made { status } else { response.status };
    made
}

/// Whether a call is one of an operation, by the end of its path.
fn calls(request: &Request, end: &str) -> bool {
    request.method == "POST" && request.path.ends_with(end)
}

/// The key of a call, as its header says it.
fn key(request: &Request) -> Option<&str> {
    request.authorization.as_ref().map(|key| key.expose())
}
