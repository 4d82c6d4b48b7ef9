//! Changes of answers, of which defects are made. Each says whether it changed anything.

use serde_json::{Value, json};
use svc_contract_tests::capture::Response;

/// Changes an answer that is JSON.
pub(crate) fn edit(response: &mut Response, edit: impl FnOnce(&mut Value) -> bool) -> bool {
    let Ok(mut json) = serde_json::from_slice::<Value>(&response.body) else {
        return false;
    };
    let changed = edit(&mut json);
    if changed {
        response.body = json.to_string().into_bytes();
    }
    changed
}

/// Puts a value where there was another or none.
pub(crate) fn put(json: &mut Value, place: &str, name: &str, value: Value) -> bool {
    let object = json
        .pointer_mut(place.trim_end_matches('/'))
        .and_then(Value::as_object_mut);
    let Some(object) = object else { return false };
    object.insert(name.to_owned(), value.clone()) != Some(value)
}

/// Says that nothing was charged.
pub(crate) fn free(json: &mut Value) -> bool {
    put(json, "/billing", "charged", json!(false)) | put(json, "/billing", "amount", json!(0))
}

/// One code in place of another, its status unchanged.
pub(crate) fn coded(response: &mut Response, old: &str, new: &str) -> bool {
    edit(response, |json| {
        json["error"]["code"] == old && put(json, "/error", "code", json!(new))
    })
}

/// A success in place of an error with this code.
pub(crate) fn accepted(response: &mut Response, code: &str) -> bool {
    let gone = edit(response, |json| {
        let is = json["error"]["code"] == code;
        if let Some(json) = json.as_object_mut().filter(|_| is) {
            json.remove("error");
            json.insert("success".to_owned(), json!(true));
            json.insert("status".to_owned(), json!("completed"));
            json.insert("data".to_owned(), json!({}));
        }
        is
    });
    response.status = if gone { 200 } else { response.status };
    gone
}

/// Changes an answer that says it is a replay.
pub(crate) fn replay(response: &mut Response, change: impl FnOnce(&mut Response) -> bool) -> bool {
    let mut headers = response.headers.iter();
    headers.any(|(name, _)| name == "idempotent-replay") && change(response)
}
