//! Defects of webhooks, of clocks and of what the console shows.

use serde_json::{Value, json};
use svc_contract_tests::capture::Request;

use super::Delivery::{Lost, Refused, Sent, Taken};
use super::{drop_member, edit, planted, put, restatus, rewrite};

planted! {
    "no webhook is sent", Webhook, |_, _| Lost;
    "webhooks are sent once, taken or not", Webhook, |_, _| Taken;
    "webhooks are sent again though they were taken", Webhook, |_, _| Refused;
    "three attempts are enough", Webhook, |webhook, before| {
        let tries = before.iter().filter(|it| it.url == webhook.url).count();
        if tries < 3 { Sent } else { Lost }
    };
    "only the first attempt is signed", Webhook, |webhook, before| {
        if !before.is_empty() {
            webhook.signature = None;
        }
        Sent
    };
    "webhooks are not signed", Webhook, |webhook, _| { webhook.signature = None; Sent };
    "signatures are in capitals", Webhook, |webhook, _| {
        webhook.signature = webhook.signature.as_ref().map(|it| it.to_uppercase().replacen("T=", "t=", 1).replacen("V1=", "v1=", 1));
        Sent
    };
    "signatures are of another secret", Webhook, |webhook, _| {
        webhook.signature = webhook.signature.as_ref().map(|it| it.replace('a', "b"));
        Sent
    };
    "webhooks say that they are pending", Webhook, |webhook, _| {
        let text = String::from_utf8_lossy(&webhook.body).replace("\"status\":\"completed\"", "\"status\":\"pending\"");
        webhook.body = text.into_bytes().into();
        Sent
    };
    "webhooks have a form of their own", Webhook, |webhook, _| {
        let text = format!("{{\"event\":\"done\",\"payload\":{}}}", String::from_utf8_lossy(&webhook.body));
        webhook.body = text.into_bytes().into();
        Sent
    };
    "attempts after the first are empty", Webhook, |webhook, before| {
        if before.iter().any(|it| it.url == webhook.url) {
            webhook.body = Vec::new().into();
        }
        Sent
    };
    "webhooks of the confirmation get lost", Webhook, |webhook, _| {
        if String::from_utf8_lossy(&webhook.body).contains("udyam") { Lost } else { Sent }
    };
    "webhooks of forgery get lost", Webhook, |webhook, _| {
        if String::from_utf8_lossy(&webhook.body).contains("forgery") { Lost } else { Sent }
    };
    "webhooks of consent get lost", Webhook, |webhook, _| {
        if String::from_utf8_lossy(&webhook.body).contains("digilocker") { Lost } else { Sent }
    };
    "webhooks of the history get lost", Webhook, |webhook, _| {
        if String::from_utf8_lossy(&webhook.body).contains("employment.uan") { Lost } else { Sent }
    };
    "clocks go a second more", Console, |request| advance(request, |by| by + 1000);
    "clocks go a second less", Console, |request| advance(request, |by| by.saturating_sub(1000));
    "clocks go by whole hours only", Console, |request| advance(request, |by| by - by % 3_600_000);
    "webhooks go where they went first", Console, |request| {
        if request.path.ends_with("/webhook") {
            let body = String::from_utf8_lossy(&request.body).replace("moved-in-between/ok", "moved-in-between/fail-9");
            request.body = body.into_bytes();
        }
    };
    "clocks can be set back", Shown, |request, response| request.path.ends_with("/clock") && restatus(response, 400, 200);
    "clocks say nothing", Shown, |request, response| request.path.ends_with("/clock") && drop_member(response, "", "now");
    "all clocks go together", Console, |request| request.path = request.path.replace("-b/clock", "/clock");
    "balances may be set below what is held", Shown, |request, response| request.path.ends_with("/wallet") && restatus(response, 409, 200);
    "nothing is held", Shown, |_, response| edit(response, |json| {
        !json["live"]["held"].is_null() && put(json, "/live", "held", json!(0))
    });
    "charges are not added up", Shown, |_, response| edit(response, |json| {
        !json["live"]["charged"].is_null() && put(json, "/live", "charged", json!(0))
    });
    "replays are not audited", Shown, |request, response| audited(request) && edit(response, |json| {
        let accesses = json["accesses"].as_array_mut();
        accesses.is_some_and(|all| {
            let before = all.len();
            all.retain(|access| access["by"] != "replay");
            all.len() < before
        })
    });
    "reports are retained for a year", Shown, |request, response| audited(request) && edit(response, |json| {
        let accesses = json["accesses"].as_array_mut();
        accesses.is_some_and(|all| all.iter_mut().fold(false, |any, access| put(access, "/", "retainedUntil", json!("2042-03-01")) | any))
    });
    "without a receiver deliveries pile up", Shown, |request, response| {
        request.path.ends_with("/deliveries") && edit(response, |json| {
            json["deliveries"].as_array().is_some_and(Vec::is_empty) && put(json, "/", "deliveries", json!([{ "state": "due" }]))
        })
    };
    "dead letters are due", Shown, |request, response| request.path.ends_with("/deliveries") && edit(response, |json| {
        let deliveries = json["deliveries"].as_array_mut();
        deliveries.is_some_and(|all| all.iter_mut().fold(false, |any, one| put(one, "/", "state", json!("due")) | any))
    });
    "nothing is redelivered", Shown, |request, response| request.path.ends_with("/redeliver") && restatus(response, 202, 404);
    "sequences never go on", Console, |request| {
        if request.path.ends_with("/scenarios") {
            let toml = String::from_utf8_lossy(&request.body).replace("{ success = {}, provider = \\\"source-b\\\" }", "{ error = \\\"SVC_SOURCE_TIMEOUT\\\" }");
            request.body = toml.into_bytes();
        }
    };
    "no provider is named", Console, |request| {
        if request.path.ends_with("/scenarios") {
            let toml = String::from_utf8_lossy(&request.body).replace(", provider = \\\"source-b\\\"", "");
            request.body = toml.into_bytes();
        }
    };
    "rotation takes no key away", Console, |request| {
        if request.path.ends_with("/keys/rotate") {
            request.path = request.path.replace("/keys/rotate", "/clock");
            request.method = "GET".to_owned();
        }
    };
}

fn audited(request: &Request) -> bool {
    request.path.ends_with("/audit")
}

/// Another number of milliseconds for a clock to go.
fn advance(request: &mut Request, by: fn(u64) -> u64) {
    if !request.path.ends_with("/clock") {
        return;
    }
    rewrite(request, |json| {
        let said = json["advance"]
            .as_str()
            .and_then(|it| it.strip_suffix("ms"));
        let Some(ms) = said.and_then(|ms| ms.parse().ok()) else {
            return false;
        };
        json["advance"] = Value::from(format!("{}ms", by(ms)));
        true
    });
}
