//! Defects of order and reach: a later check that answers first, a key that reaches too far, a step of a bundle
//! that nobody minds, a default that is another value.

use serde_json::{Value, json};
use svc_contract_tests::capture::CapturedCase;

use super::{change, edit, like_the_first, put, replays};

defects! {
    "the route comes before the key", "ruling.06-order-of-checks", |case| later(case, "key before route", 404, "SVC_NOT_FOUND");
    "fields come before the key", "ruling.06-order-of-checks", |case| later(case, "key before fields", 400, "SVC_INVALID_INPUT");
    "the environment comes before the key", "ruling.06-order-of-checks", |case| later(case, "key before environment", 401, "SVC_KEY_ENVIRONMENT_MISMATCH");
    "the allowlist comes before the environment", "ruling.06-order-of-checks", |case| later(case, "environment before allowlist", 403, "SVC_IP_NOT_ALLOWED");
    "the rate limit comes before the allowlist", "ruling.06-order-of-checks", |case| later(case, "allowlist before rate limit", 429, "SVC_RATE_LIMITED");
    "the route comes before the allowlist", "ruling.06-order-of-checks", |case| later(case, "allowlist before route", 404, "SVC_NOT_FOUND");
    "fields come before the allowlist", "ruling.06-order-of-checks", |case| later(case, "allowlist before fields", 400, "SVC_INVALID_INPUT");
    "the route comes before the rate limit", "ruling.06-order-of-checks", |case| later(case, "rate limit before route", 404, "SVC_NOT_FOUND");
    "fields come before the route", "ruling.06-order-of-checks", |case| later(case, "route before fields", 400, "SVC_INVALID_INPUT");
    "the idempotency key comes before fields", "ruling.06-order-of-checks", |case| later(case, "fields before the key", 409, "SVC_IDEMPOTENCY_CONFLICT");
    "carried identifiers come before the key", "ruling.06-order-of-checks", |case| later(case, "the key before a carried identifier", 400, "SVC_INVALID_INPUT");
    "the wallet comes before fields", "ruling.06-order-of-checks", |case| later(case, "fields before the wallet", 402, "SVC_INSUFFICIENT_BALANCE");
    "the wallet comes before carried identifiers", "ruling.06-order-of-checks", |case| later(case, "a carried identifier before the wallet", 402, "SVC_INSUFFICIENT_BALANCE");
    "the wallet comes before the idempotency key", "ruling.06-order-of-checks", |case| {
        case.check == "order.wallet" && replays(case, |response| {
            response.status = 402;
            change(response, |json| put(json, "/", "status", json!("failed")))
        })
    };
    "a source is asked before the wallet", "ruling.06-order-of-checks", |case| later(case, "the wallet before the outcome", 503, "SVC_SOURCE_UNAVAILABLE");
    "one account's key is every account's", "ruling.14-accounts-are-apart", |case| {
        case.check == "idempotency.scope" && case.case == "two accounts" && the_last_is_the_first(case)
    };
    "one environment's key is the other's", "ruling.14-accounts-are-apart", |case| {
        case.check == "idempotency.scope" && case.case == "two environments" && replayed(case)
    };
    "a key is one operation's", "ruling.18-same-body", |case| {
        case.check == "idempotency.scope" && like_the_first(case, 409)
    };
    "a key is kept for ever", "ruling.18-key-retention", |case| {
        case.check == "idempotency.retention" && replayed(case)
    };
    "a key is forgotten while its result is pending", "ruling.18-key-retention", |case| {
        case.check == "idempotency.retention" && case.case.contains("digilocker") && replays(case, |response| {
            change(response, |json| put(json, "/", "verificationId", json!("svcv_22222222222222222222222222")))
        })
    };
    "the end of a key is not looked at", "idempotency.replay", |case| {
        case.check == "idempotency.other-keys" && the_second_is_the_first(case)
    };
    "a step of a bundle may fail", "ruling.29-bundle-outcome", |case| {
        case.check == "bundles.each-step" && later(case, "step 2", 200, "")
    };
    "a step of a bundle that fails is paid for", "ruling.29-bundle-outcome", |case| {
        case.check == "bundles.each-step" && edit(case, |_, json| {
            json["error"]["code"] == "SVC_SOURCE_TIMEOUT" && put(json, "/billing", "charged", json!(true))
        })
    };
    "a step without a record is left out", "ruling.29-bundle-outcome", |case| {
        case.check == "bundles.each-step" && edit(case, |_, json| {
            json["data"]["steps"].as_array_mut().is_some_and(|steps| {
                let before = steps.len();
                steps.retain(|step| step["error"].is_null());
                steps.len() < before
            })
        })
    };
    "what is held is spent again", "billing.hold", |case| {
        case.check == "accounts.held-money" && later(case, "", 200, "")
    };
    "a document that was asked for is missing", "ruling.30-computed", |case| {
        case.check == "consent.allowed" && edit(case, |_, json| {
            json["data"]["documents"].as_array_mut().is_some_and(|found| found.pop().is_some())
        })
    };
    "a look-up has no reference", "ruling.27-verification-lookup", |case| {
        case.check == "lookup.found" && edit(case, |request, json| {
            request.method == "GET" && put(json, "/", "referenceId", Value::Null)
        })
    };
    "a result has no reference", "webhook.envelope", |case| {
        case.check == "webhooks.result" && edit(case, |request, json| {
            request.method == "GET" && put(json, "/", "referenceId", Value::Null)
        })
    };
    "the default is fewer months", "employment.epfo-establishment", |case| {
        case.check == "validation.defaults" && edit(case, |request, json| {
            let given = String::from_utf8_lossy(&request.body).contains("months");
            let months = json["data"]["contributionHistory"].as_array_mut();
            !given && months.is_some_and(|months| months.pop().is_some())
        })
    };
    "a listed value is refused", "financial.bank-account-v1", |case| {
        case.check == "validation.accepted" && later(case, "UPI", 400, "SVC_INVALID_INPUT")
    };
    "two keys are one where they come at once", "idempotency.replay", |case| {
        case.check == "idempotency.concurrent" && the_last_has_an_id_of_its_own(case)
    };
}

/// The answer to the last call of the cases whose name has this in it: with this status and code, or a success.
fn later(case: &mut CapturedCase, name: &str, status: u16, code: &str) -> bool {
    let known = case.check.starts_with("order.")
        || [
            "bundles.each-step",
            "accounts.held-money",
            "validation.accepted",
        ]
        .contains(&case.check.as_str());
    let calls = case.exchanges.iter_mut().rev();
    let mut calls = calls.filter(|it| it.request.path.starts_with("/v1/"));
    if !known || !case.case.contains(name) {
        return false;
    }
    let answers: Vec<_> = match case.case.as_str() {
        // Whichever of those that came at once.
        "rate limit before route" => calls.collect(),
        _ => calls.next().into_iter().collect(),
    };
    let mut changed = false;
    for exchange in answers {
        let Ok(response) = &mut exchange.response else {
            continue;
        };
        changed |= change(response, |json| {
            let billing = json["billing"].clone();
            let Some(envelope) = json.as_object_mut() else {
                return false;
            };
            let fails = !code.is_empty();
            envelope.insert("success".to_owned(), json!(!fails));
            envelope.insert(
                "status".to_owned(),
                json!(if fails { "failed" } else { "completed" }),
            );
            envelope.remove(if fails { "data" } else { "error" });
            envelope.insert("billing".to_owned(), billing);
            match fails {
                true => envelope.insert("error".to_owned(), error(code)),
                false => envelope.insert("data".to_owned(), json!({})),
            };
            true
        });
        response.status = status;
        response
            .headers
            .retain(|(name, _)| name != "idempotent-replay");
    }
    changed
}

fn error(code: &str) -> Value {
    let retryable = ["SVC_SOURCE_UNAVAILABLE", "SVC_RATE_LIMITED"].contains(&code);
    json!({ "code": code, "message": "no", "retryable": retryable })
}

/// Every answer of the service says that it is a replay.
fn replayed(case: &mut CapturedCase) -> bool {
    super::answers(case, |request, response| {
        let call = request.path.starts_with("/v1/");
        let header = ("idempotent-replay".to_owned(), "true".to_owned());
        response.headers.extend(call.then_some(header));
        call
    })
}

fn the_last_is_the_first(case: &mut CapturedCase) -> bool {
    let last = case.exchanges.len() - 1;
    copied(case, last)
}

fn the_second_is_the_first(case: &mut CapturedCase) -> bool {
    copied(case, 1)
}

fn copied(case: &mut CapturedCase, to: usize) -> bool {
    let first = case.exchanges[0].response.clone();
    let changed = case.exchanges[to].response != first;
    case.exchanges[to].response = first;
    changed
}

fn the_last_has_an_id_of_its_own(case: &mut CapturedCase) -> bool {
    let Some(Ok(response)) = case.exchanges.last_mut().map(|last| last.response.as_mut()) else {
        return false;
    };
    change(response, |json| {
        put(
            json,
            "/",
            "verificationId",
            json!("svcv_33333333333333333333333333"),
        )
    })
}
