//! The defects: what a broken service would answer, put into captured answers.

pub(crate) mod rows;

use serde_json::{Value, json};
use svc_contract_tests::capture::{CapturedCase, Exchange, Request, Response};
use svc_contract_tests::redact::REDACTED;
use svc_fixtures::contract::Environment;

use crate::edits::{self, edit as change, free, put};

/// A defect and the clause it breaks.
pub(crate) struct Defect {
    pub(crate) name: &'static str,
    pub(crate) clause: &'static str,
    /// Puts it into a case; false where the case has no answer that can have it.
    pub(crate) put_in: fn(&mut CapturedCase) -> bool,
}

macro_rules! defects {
    ($($name:literal, $clause:literal, $put_in:expr;)*) => {
        pub(super) const DEFECTS: &[$crate::defects::Defect] = &[$($crate::defects::Defect { name: $name, clause: $clause, put_in: $put_in }),*];
    };
}

mod order;
mod values;

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Defect> {
    DEFECTS.iter().chain(values::DEFECTS).chain(order::DEFECTS)
}

defects! {
    "no success", "envelope.success", |case| dropped(case, "success");
    "no verificationId", "envelope.verification-id", |case| dropped(case, "verificationId");
    "no referenceId", "ruling.01-reference-id-always", |case| dropped(case, "referenceId");
    "no endpoint", "envelope.endpoint", |case| dropped(case, "endpoint");
    "no status", "envelope.status", |case| dropped(case, "status");
    "no data", "envelope.data", |case| dropped(case, "data");
    "no error", "envelope.error", |case| dropped(case, "error");
    "no billing", "envelope.billing", |case| dropped(case, "billing");
    "no meta", "envelope.meta", |case| dropped(case, "meta");
    "one member more", "envelope.same-shape", |case| edit(case, |_, json| put(json, "/", "extra", json!(1)));
    "an error beside data", "envelope.error", |case| edit(case, |_, json| {
        json["status"] == "completed" && put(json, "/", "error", json!({}))
    });
    "success says the opposite", "envelope.success", |case| edit(case, |_, json| flip(&mut json["success"]));
    "success is a text", "envelope.success", |case| edit(case, |_, json| put(json, "/", "success", json!("true")));
    "a fourth status", "envelope.status", |case| edit(case, |_, json| put(json, "/", "status", json!("done")));
    "ids of another prefix", "envelope.verification-id", |case| edit(case, |_, json| put(json, "/", "verificationId", json!("id_1")));
    "one id for all", "ruling.02-ids-unique", |case| edit(case, |_, json| {
        put(json, "/", "verificationId", json!("svcv_00000000000000000000000000"))
    });
    "the reference is not repeated", "envelope.reference-id", |case| edit(case, |_, json| put(json, "/", "referenceId", Value::Null));
    "endpoint with slashes", "envelope.endpoint", |case| edit(case, |_, json| {
        let endpoint = json["endpoint"].as_str().unwrap_or_default().replace('.', "/");
        put(json, "/", "endpoint", json!(endpoint))
    });
    "the other environment", "envelope.environment", |case| edit(case, |request, json| {
        let other = request.environment.other().as_str();
        put(json, "/meta", "environment", json!(other))
    });
    "latency is a text", "envelope.meta", |case| edit(case, |_, json| put(json, "/meta", "latencyMs", json!("250 ms")));
    "another currency", "envelope.billing", |case| edit(case, |_, json| put(json, "/billing", "currency", json!("USD")));
    "retryable says the opposite", "errors.status-and-retryable", |case| edit(case, |_, json| flip(&mut json["error"]["retryable"]));
    "errors with status 200", "errors.status-and-retryable", |case| answers(case, |_, response| {
        let failed = response.status >= 400;
        response.status = if failed { 200 } else { response.status };
        failed
    });
    "a code of its own", "errors.stable-codes", |case| coded(case, "SVC_SOURCE_UNAVAILABLE", "SVC_UPSTREAM_DOWN");
    "no record is not found", "errors.no-record-found", |case| coded(case, "SVC_NO_RECORD_FOUND", "SVC_NOT_FOUND");
    "a timeout is unavailable", "errors.source-timeout", |case| coded(case, "SVC_SOURCE_TIMEOUT", "SVC_SOURCE_UNAVAILABLE");
    "identifiers are mere input", "errors.invalid-identifier", |case| coded(case, "SVC_INVALID_IDENTIFIER", "SVC_INVALID_INPUT");
    "input is an identifier", "errors.invalid-input", |case| coded(case, "SVC_INVALID_INPUT", "SVC_INVALID_IDENTIFIER");
    "messages name nothing", "ruling.06-message", |case| edit(case, |_, json| {
        !json["error"].is_null() && put(json, "/error", "message", json!("bad request"))
    });
    "messages repeat the key", "ruling.06-message", |case| edit(case, |_, json| {
        !json["error"].is_null() && put(json, "/error", "message", json!(format!("no such key: {REDACTED}")))
    });
    "the sandbox charges", "billing.sandbox-free", |case| edit(case, |request, json| {
        request.environment == Environment::Test && put(json, "/billing", "charged", json!(true))
    });
    "the sandbox has amounts", "billing.sandbox-free", |case| edit(case, |request, json| {
        request.environment == Environment::Test && put(json, "/billing", "amount", json!(2.5))
    });
    "live results are free", "billing.conclusive", |case| edit(case, |request, json| {
        request.environment == Environment::Live && json["status"] == "completed" && free(json)
    });
    "live is free without a record", "billing.no-record-is-billed", |case| edit(case, |_, json| {
        json["error"]["code"] == "SVC_NO_RECORD_FOUND" && free(json)
    });
    "live failures cost", "billing.failures-are-free", |case| edit(case, |request, json| {
        request.environment == Environment::Live && json["error"]["retryable"] == true && put(json, "/billing", "charged", json!(true))
    });
    "pending costs at once", "ruling.22-hold-while-pending", |case| edit(case, |request, json| {
        request.environment == Environment::Live && json["status"] == "pending" && put(json, "/billing", "charged", json!(true))
    });
    "the balance stays", "billing.balance-falls", |case| edit(case, |_, json| {
        !json["billing"]["walletBalanceAfter"].is_null() && put(json, "/billing", "walletBalanceAfter", json!(100_000))
    });
    "no balance", "envelope.wallet-balance", |case| edit(case, |_, json| {
        json["billing"].as_object_mut().is_some_and(|billing| billing.remove("walletBalanceAfter").is_some())
    });
    "three decimals", "ruling.05-paise", |case| edit(case, |_, json| {
        json["billing"]["charged"] == true && put(json, "/billing", "amount", json!(2.505))
    });
    "another price", "ruling.21-prices", |case| edit(case, |_, json| {
        json["billing"]["charged"] == true && put(json, "/billing", "amount", json!(9999))
    });
    "a replay is charged again", "idempotency.no-double-charge", |case| {
        charged_once_more(case)
    };
    "an empty wallet is no matter", "errors.insufficient-balance", |case| answers(case, |_, response| {
        let refused = response.status == 402;
        response.status = if refused { 200 } else { response.status };
        refused
    });
    "replays are executed again", "idempotency.replay", |case| replays(case, |response| {
        change(response, |json| put(json, "/", "verificationId", json!("svcv_11111111111111111111111111")))
    });
    "replays are printed anew", "ruling.19-replay-bytes", |case| replays(case, |response| {
        response.body.push(b'\n');
        true
    });
    "replays do not say so", "ruling.19-replay-bytes", |case| replays(case, |response| {
        response.headers.clear();
        true
    });
    "every answer says it is a replay", "ruling.19-replay-bytes", |case| answers(case, |_, response| {
        response.headers.push(("idempotent-replay".to_owned(), "true".to_owned()));
        true
    });
    "two at once are both executed", "ruling.20-concurrent-duplicates", |case| {
        case.check == "idempotency.concurrent" && replays(case, |response| {
            response.headers.clear();
            true
        })
    };
    "conflicts are replays", "idempotency.conflict", |case| like_the_first(case, 409);
    "another environment's key works", "auth.wrong-environment", |case| coded_away(case, "SVC_KEY_ENVIRONMENT_MISMATCH");
    "the sentinel is ignored", "sandbox.sentinel", |case| case.check == "identifiers.sentinel" && coded_away(case, "SVC_SOURCE_UNAVAILABLE");
    "no rate limit", "errors.rate-limited", |case| coded_away(case, "SVC_RATE_LIMITED");
    "no Retry-After", "ruling.17-retry-after", |case| answers(case, |_, response| {
        let before = response.headers.len();
        response.headers.retain(|(name, _)| name != "retry-after");
        response.headers.len() < before
    });
    "a field of an answer is missing", "identity.pan", |case| edit(case, |_, json| {
        json["data"].as_object_mut().is_some_and(|data| data.remove("panStatus").is_some())
    });
    "a field of an answer is a text", "identity.pan", |case| edit(case, |_, json| {
        !json["data"]["nameMatchScore"].is_null() && put(json, "/data", "nameMatchScore", json!("1"))
    });
    "a score above 1", "identity.pan", |case| edit(case, |_, json| {
        !json["data"]["nameMatchScore"].is_null() && put(json, "/data", "nameMatchScore", json!(100))
    });
    "dates the other way round", "employment.uan", |case| edit(case, |_, json| {
        !json["data"]["dateOfBirth"].is_null() && put(json, "/data", "dateOfBirth", json!("15/08/1990"))
    });
    "another subject's answer", "ruling.30-echo", |case| edit(case, |_, json| {
        !json["data"]["pan"].is_null() && put(json, "/data", "pan", json!("ZZZZZ9999Z"))
    });
    "any OTP is right", "ruling.10-wrong-otp", |case| edit(case, |_, json| {
        json["data"]["otp_validated"] == false && put(json, "/data", "otp_validated", json!(true))
    });
    "the order of steps is no matter", "ruling.11-carried-ids", |case| {
        case.check == "flows.out-of-order" && coded_away(case, "SVC_INVALID_INPUT")
    };
    "other accounts' flows go on", "ruling.14-accounts-are-apart", |case| {
        case.check == "flows.accounts-are-apart" && coded_away(case, "SVC_INVALID_INPUT")
    };
    "pending says nothing", "ruling.03-pending-answer", |case| edit(case, |_, json| {
        json["status"] == "pending" && put(json, "/", "data", json!({}))
    });
    "the look-up prints anew", "ruling.27-verification-lookup", |case| answers(case, |request, response| {
        let looked_up = request.path.starts_with("/v1/verifications/svcv_");
        response.body.extend(looked_up.then_some(b' '));
        looked_up
    });
    "the usage does not grow", "ruling.27-usage", |case| {
        case.check == "usage.counts" && like_the_first(case, 200)
    };
    "no envelope at all", "envelope.same-shape", |case| answers(case, |_, response| {
        response.body = b"Internal Server Error".to_vec();
        true
    });
}

/// Changes the answers of a case; whether any was changed.
fn answers(case: &mut CapturedCase, change: impl Fn(&Request, &mut Response) -> bool) -> bool {
    let changed = |Exchange {
                       request, response, ..
                   }: &mut Exchange| match response {
        Ok(response) => change(request, response),
        Err(_) => false,
    };
    case.exchanges
        .iter_mut()
        .map(changed)
        .fold(false, |any, changed| any | changed)
}

/// Changes the envelopes of a case.
fn edit(case: &mut CapturedCase, edit: impl Fn(&Request, &mut Value) -> bool) -> bool {
    answers(case, |request, response| {
        change(response, |json| edit(request, json))
    })
}

fn flip(value: &mut Value) -> bool {
    let Some(truth) = value.as_bool() else {
        return false;
    };
    *value = json!(!truth);
    true
}

fn dropped(case: &mut CapturedCase, name: &str) -> bool {
    edit(case, |_, json| {
        json.as_object_mut()
            .is_some_and(|json| json.remove(name).is_some())
    })
}

/// One code in place of another, its status unchanged.
fn coded(case: &mut CapturedCase, old: &str, new: &str) -> bool {
    answers(case, |_, response| edits::coded(response, old, new))
}

/// A success in place of the errors with this code.
fn coded_away(case: &mut CapturedCase, code: &str) -> bool {
    answers(case, |_, response| edits::accepted(response, code))
}

/// Changes the answers that say they are replays.
fn replays(case: &mut CapturedCase, change: impl Fn(&mut Response) -> bool) -> bool {
    answers(case, |_, response| edits::replay(response, &change))
}

/// The answers with this status, from the second on, are those to the first call.
fn like_the_first(case: &mut CapturedCase, status: u16) -> bool {
    let Some(first) = case
        .exchanges
        .first()
        .and_then(|first| first.response.clone().ok())
    else {
        return false;
    };
    let mut changed = false;
    for exchange in case.exchanges.iter_mut().skip(1) {
        if let Ok(response) = &mut exchange.response
            && response.status == status
            && *response != first
        {
            response.clone_from(&first);
            changed = true;
        }
    }
    changed
}

/// The balance after the last call is as if the call before it had been charged, too.
fn charged_once_more(case: &mut CapturedCase) -> bool {
    let Some(Ok(last)) = case.exchanges.last_mut().map(|last| last.response.as_mut()) else {
        return false;
    };
    case.check == "billing.replay"
        && change(last, |json| {
            let amount = json["billing"]["amount"].as_f64().unwrap_or_default();
            let balance = json["billing"]["walletBalanceAfter"]
                .as_f64()
                .unwrap_or_default();
            put(
                json,
                "/billing",
                "walletBalanceAfter",
                json!(balance - amount),
            )
        })
}
