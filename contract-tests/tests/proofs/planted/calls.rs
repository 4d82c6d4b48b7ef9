//! Defects of what is executed: which calls, how often, for whom, under which key.

use serde_json::{Value, json};
use svc_contract_tests::capture::{Request, Response};
use svc_contract_tests::redact::Secret;
use svc_fixtures::contract::Environment;

use super::{Seen, body, calls, key, planted, rewrite};

planted! {
    "keys of idempotency are ignored", Asked, |request, _| request.headers.retain(|(name, _)| name != KEY);
    "a failed call's key is forgotten", Asked, |request, seen| {
        let failures = of_key(request, seen).filter(|(_, answer)| answer.status >= 422);
        let failures = failures.count();
        rename(request, failures);
    };
    "a refused call keeps its key", Instead, |request, seen| {
        let mut refused = of_key(request, seen).filter(|(_, answer)| answer.status == 400);
        refused.next().map(|(_, answer)| answer.clone())
    };
    "the first answer of a key is for every body", Asked, |request, seen| {
        let first = of_key(request, seen).map(|(first, _)| first.body.clone()).next();
        request.body = first.unwrap_or_else(|| std::mem::take(&mut request.body));
    };
    "bodies are compared by their bytes", Asked, |request, seen| {
        let mut first = of_key(request, seen);
        let other = first.next().is_some_and(|(first, _)| first.body != request.body);
        rename(request, usize::from(other));
    };
    "a key of any length will do", Asked, |request, _| {
        for (_, value) in request.headers.iter_mut().filter(|(name, _)| name == KEY) {
            value.truncate(255);
        }
    };
    "an empty key is none", Asked, |request, _| request.headers.retain(|(name, value)| name != KEY || !value.is_empty());
    "calls are executed twice", Again, |request, answer| {
        request.environment == Environment::Live && answer.header("idempotent-replay").is_none()
    };
    "replays are charged", Again, |request, answer| {
        request.environment == Environment::Live && answer.header("idempotent-replay").is_some()
    };
    "what is refused for lack of money is executed", Asked, |request, _| {
        if key(request).is_some_and(|key| key.ends_with("_broke")) {
            request.authorization = Some(Secret::new("Bearer svc_live_local_rich"));
        }
    };
    "any content type will do", Asked, |request, _| {
        let named = |name: &str| ["content-type", "content-encoding"].contains(&name);
        request.headers.retain(|(name, _)| !named(name));
        request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
    };
    "a list is its first item", Asked, |request, _| rewrite(request, |json| {
        let Some(items) = json.as_array() else {
            return false;
        };
        *json = items.first().cloned().unwrap_or_else(sample);
        true
    });
    "null is nothing", Asked, |request, _| rewrite(request, |json| {
        let null = json.is_null();
        *json = if null { sample() } else { json.take() };
        null
    });
    "a byte-order mark is skipped", Asked, |request, _| {
        if request.body.starts_with(b"\xEF\xBB\xBF") {
            request.body = sample().to_string().into_bytes();
        }
    };
    "unknown members are refused", Asked, |request, _| rewrite(request, |json| {
        let unknown = !json["x-unknown"].is_null();
        *json = if unknown { json!({}) } else { json.take() };
        unknown
    });
    "consent is not looked at", Asked, |request, _| rewrite(request, |json| {
        let given = json["consent"].is_string();
        given.then(|| json["consent"] = json!("y")).is_some()
    });
    "consent has defaults", Asked, |request, _| rewrite(request, |json| {
        let Some(consent) = json["consentArtifact"].as_object_mut() else {
            return false;
        };
        for name in ["timestamp", "ip", "messageId"] {
            let default = json!("2026-01-05T06:30:00Z");
            consent.entry(name).or_insert(default);
        }
        true
    });
    "OTPs have any length", Asked, |request, _| rewrite(request, |json| {
        let short = json["otp"].as_str().is_some_and(|otp| otp.len() == 5);
        short.then(|| json["otp"] = json!("000000")).is_some()
    });
    "a missing OTP start is made up", Asked, |request, _| rewrite(request, |json| {
        json["origRequestId"] == "a-call-nobody-made" && {
            json["origRequestId"] = json!("the-first-call-of-this-example");
            true
        }
    });
    "identifiers fold case", Asked, |request, _| rewrite(request, |json| {
        let pan = json["pan"].as_str().map(str::to_uppercase);
        pan.is_some_and(|pan| { json["pan"] = json!(pan); true })
    });
    "names are matched as they are written", Asked, |request, _| rewrite(request, |json| {
        let other = json["name"].as_str().is_some_and(|name| name.trim() != name);
        other.then(|| json["name"] = json!("NOBODY OF THAT NAME")).is_some()
    });
    "voter cards have a form", Asked, |request, _| rewrite(request, |json| {
        let odd = json["epicNumber"].as_str().is_some_and(|it| it.contains(' '));
        odd.then(|| json["epicNumber"] = Value::Null).is_some()
    });
    "the last field decides", Asked, |request, _| rewrite(request, |json| {
        let (engine, chassis) = (json["engineNumber"].take(), json["chassisNumber"].take());
        let two = engine.is_string() && chassis.is_string();
        let turned = |text: &Value| text.as_str().unwrap_or_default().replace("ENG", "CHS");
        if two {
            json["engineNumber"] = json!(chassis.as_str().unwrap_or_default().replace("CHS", "ENG"));
            json["chassisNumber"] = json!(turned(&engine));
        }
        two
    });
    "fixed inputs are nothing special", Asked, |request, _| {
        let text = String::from_utf8_lossy(&request.body).into_owned();
        for status in ["422", "500", "502", "503", "504"] {
            if text.contains(&format!("0{status}")) {
                request.body = text.replace(&format!("0{status}"), "0001").into_bytes();
            }
        }
    };
    "a history needs a look-up before it", Asked, |request, seen| {
        let uan = body(request)["uan"].as_str().unwrap_or_default().to_owned();
        let looked = |(asked, answer): &Seen| {
            calls(asked, "/uan-lookup") && String::from_utf8_lossy(&answer.body).contains(&uan)
        };
        if calls(request, "/employment/uan") && !seen.iter().any(looked) {
            request.body = b"{}".to_vec();
        }
    };
    "court names have capitals", Asked, |request, _| {
        let small = body(request)["name"].as_str().is_some_and(|name| name.to_uppercase() != name);
        if calls(request, "/court-records") && small {
            rewrite(request, |json| { json["name"] = json!("NOBODY OF THAT NAME"); true });
        }
    };
    "kinds of names are any text", Asked, |request, _| {
        if calls(request, "/name/match") {
            rewrite(request, |json| json.as_object_mut().is_some_and(|json| json.remove("type").is_some()));
        }
    };
    "the confirmation is not offered", Asked, |request, _| {
        request.path = request.path.replace("/udyam/otp-confirm", "/udyam/none");
    };
    "nothing is searched by name", Asked, |request, _| {
        request.path = request.path.replace("/epfo-name-search", "/none");
    };
    "consent flows have one path", Asked, |request, _| {
        if request.path.ends_with("/digilocker/any-part") {
            request.path = "/v1/verify/document/digilocker/any/part".to_owned();
        }
    };
    "consent to an OTP must be said", Asked, |request, _| {
        if calls(request, "/mobile-otp/start") && body(request)["consent"].is_null() {
            request.body = b"{}".to_vec();
        }
    };
    "an amount is verified under another id", Asked, |request, _| {
        if calls(request, "/bank-dynamic/verify") {
            rewrite(request, |json| { json["referenceId"] = json!("another"); true });
        }
    };
    "the status is of another call", Asked, |request, _| {
        if calls(request, "/bank-account-v1/status") {
            rewrite(request, |json| { json["origRequestId"] = json!("another"); true });
        }
    };
    "a number that was looked up is none", Asked, |request, seen| {
        let looked = seen.iter().any(|(asked, _)| calls(asked, "/uan-lookup"));
        if looked && calls(request, "/employment/uan") {
            rewrite(request, |json| { json["uan"] = json!("1"); true });
        }
    };
    "live keys work on the sandbox", Asked, |request, _| {
        let key = key(request).unwrap_or_default().to_owned();
        if request.environment == Environment::Test && key.contains("svc_live_") {
            request.authorization = Some(Secret::new(key.replace("svc_live_", "svc_test_")));
        }
    };
    "a revoked key works", Asked, |request, _| rekey(request, "revoked", "local");
    "the allowlist is not looked at", Asked, |request, _| rekey(request, "blocked", "local");
    "a rotated key dies at once", Asked, |request, _| rekey(request, "rotated_old", "revoked");
    "no key has a rate limit", Asked, |request, _| rekey(request, "throttled", "local");
    "a body of any length is taken", Asked, |request, _| request.padded_to = None;
    "a body of 10 MiB is too long", Asked, |request, _| request.padded_to = request.padded_to.map(|length| length + 1);
    "all local keys open one account", Asked, |request, _| {
        let own = key(request).and_then(|key| key.split_once("_local_")).map(|(kind, _)| format!("{kind}_local"));
        if let Some(own) = own {
            request.authorization = Some(Secret::new(own));
        }
    };
    "nothing that begins with a known key is unknown", Asked, |request, _| rekey(request, "broke_anything", "local");
    "X-Forwarded-For says who calls", Asked, |request, _| {
        if request.header("x-forwarded-for").is_some() {
            let known = key(request).unwrap_or_default().replace("blocked", "local");
            request.authorization = Some(Secret::new(known));
        }
    };
    "whoever knows an id may see it", Asked, |request, seen| {
        let id = request.path.strip_prefix("/v1/verifications/").unwrap_or("-").to_owned();
        let issued = seen.iter().find(|(_, answer)| String::from_utf8_lossy(&answer.body).contains(&id));
        if let Some((asked, _)) = issued {
            request.authorization.clone_from(&asked.authorization);
        }
    };
    "whoever knows a step's id may go on", Asked, |request, seen| {
        let ids = body(request);
        let ids = ["request_id", "referenceId", "origRequestId"].map(|name| ids[name].as_str().unwrap_or("-").to_owned());
        let issued = seen.iter().find(|(_, answer)| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            ids.iter().any(|id| id.len() > 3 && text.contains(id.as_str()))
        });
        if let Some((asked, _)) = issued {
            request.authorization.clone_from(&asked.authorization);
        }
    };
    "what is called is looked at before who calls", Asked, |request, _| {
        let elsewhere = request.path == "/v1/no/such/path";
        if elsewhere && request.authorization.is_none() {
            request.authorization = Some(Secret::new("Bearer svc_test_local"));
        }
    };
    "the body is read before the key", Asked, |request, _| {
        if request.body == b"{" {
            request.authorization = Some(Secret::new("Bearer svc_test_local"));
        }
    };
    "the allowlist comes last", Asked, |request, _| {
        if request.path == "/v1/no/such/path" {
            rekey(request, "blocked", "local");
        }
    };
    "any version will do", Asked, |request, _| request.path = request.path.replacen("/v0/", "/v1/", 1);
    "GET will do", Asked, |request, _| {
        if request.method == "GET" && request.path.starts_with("/v1/verify/") {
            request.method = "POST".to_owned();
            request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
    };
    "the usage lags behind", Instead, |request, seen| {
        let mine = |(asked, _): &&Seen| {
            asked.path == request.path && asked.authorization == request.authorization && asked.environment == request.environment
        };
        let usage = request.path == "/v1/usage";
        seen.iter().find(mine).filter(|_| usage).map(|(_, answer)| answer.clone())
    };
    "the look-up shows the first answer for ever", Instead, |request, seen| {
        let id = request.path.strip_prefix("/v1/verifications/svcv_")?;
        let named = |(_, answer): &&Seen| String::from_utf8_lossy(&answer.body).contains(id);
        seen.iter().find(named).map(|(_, answer)| Response { status: 200, ..answer.clone() })
    };
    "bundles take no names of steps", Asked, |request, _| rewrite(request, |json| {
        let json = json.as_object_mut();
        json.is_some_and(|json| {
            let before = json.len();
            json.retain(|name, _| !name.contains('.'));
            json.len() < before
        })
    });
    "a step that lacks its field gets a sample", Asked, |request, _| {
        if calls(request, "/director-due-diligence") {
            rewrite(request, |json| { json["din"] = json!("00000001"); true });
        }
    };
    "equal calls differ by turns", Instead, |request, seen| {
        let earlier = seen.iter().rev().find(|(asked, _)| asked.body == request.body && asked.path == request.path);
        let answered = earlier.filter(|(_, answer)| answer.status == 200 && request.method == "POST");
        answered.map(|(_, answer)| {
            let body = r#"{"success":false,"verificationId":"svcv_33333333333333333333333333","referenceId":null,"status":"failed"}"#;
            Response { status: 422, body: body.into(), ..answer.clone() }
        })
    };
}

const KEY: &str = "idempotency-key";

/// The calls before with the same idempotency key.
fn of_key<'s>(request: &Request, seen: &'s [Seen]) -> impl Iterator<Item = &'s Seen> + use<'s> {
    let key = request.header(KEY).map(str::to_owned);
    let same = move |(asked, _): &&Seen| key.is_some() && asked.header(KEY) == key.as_deref();
    seen.iter().filter(same)
}

/// Another idempotency key, where there are reasons for one.
fn rename(request: &mut Request, reasons: usize) {
    for (_, value) in request.headers.iter_mut().filter(|(name, _)| name == KEY) {
        *value = format!("{value}{}", "-".repeat(reasons));
    }
}

/// The key of one account in place of another's.
fn rekey(request: &mut Request, of: &str, by: &str) {
    let own = key(request).unwrap_or_default();
    if own.ends_with(&format!("_{of}")) {
        request.authorization = Some(Secret::new(own.replace(of, by)));
    }
}

/// A body that every operation takes something from, and PAN is content with.
fn sample() -> Value {
    json!({ "pan": "AAAAA0000A" })
}
