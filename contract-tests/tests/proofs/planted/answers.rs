//! Defects of answers as such: envelopes, statuses, money, replays, look-ups.

use serde_json::{Value, json};
use svc_contract_tests::capture::{Request, Response};
use svc_fixtures::contract::Environment;

use super::{accepted, calls, coded, drop_member, edit, free, planted, put, replay, restatus};

planted! {
    "paths that are not there are answered without an envelope", Answered, |request, response| {
        let elsewhere = response.status == 404 && !request.path.contains("verifications");
        plain(response, elsewhere)
    };
    "a body without fields is answered without an envelope", Answered, |request, response| {
        plain(response, response.status == 400 && request.body == b"{}")
    };
    "no referenceId", Answered, |_, response| drop_member(response, "", "referenceId");
    "ids are UUIDs", Answered, |_, response| edit(response, |json| {
        put(json, "/", "verificationId", json!("svcv_0b0e5d5e-8a3c-4d0f-9d3c-5b0f6f0c7a11"))
    });
    "one id for all", Answered, |_, response| edit(response, |json| {
        put(json, "/", "verificationId", json!("svcv_00000000000000000000000000"))
    });
    "the reference is not repeated", Answered, |_, response| edit(response, |json| put(json, "/", "referenceId", Value::Null));
    "pending says nothing", Answered, |_, response| edit(response, |json| {
        json["status"] == "pending" && put(json, "/", "data", json!({}))
    });
    "pending is 201", Answered, |request, response| {
        request.path.starts_with("/v1/verify/") && pending(response) && { response.status = 201; true }
    };
    "what takes long says that it is completed", Answered, |request, response| {
        let mine = request.method == "POST" && edit(response, |json| {
            json["status"] == "pending" && put(json, "/", "status", json!("completed"))
        });
        response.status = if mine { 200 } else { response.status };
        mine
    };
    "the latency is a millisecond more", Answered, |_, response| edit(response, |json| {
        let latency = json["meta"]["latencyMs"].as_u64().unwrap_or_default();
        put(json, "/meta", "latencyMs", json!(latency + 1))
    });
    "every answer names its provider", Answered, |_, response| edit(response, |json| put(json, "/meta", "provider", json!("source-a")));
    "no answer names its provider", Answered, |_, response| drop_member(response, "/meta", "provider");
    "free answers have a balance", Answered, |_, response| edit(response, |json| {
        json["billing"]["charged"] == false && put(json, "/billing", "walletBalanceAfter", json!(1))
    });
    "three decimals", Answered, |_, response| edit(response, |json| {
        json["billing"]["charged"] == true && put(json, "/billing", "amount", json!(2.505))
    });
    "another price", Answered, |_, response| edit(response, |json| {
        json["billing"]["charged"] == true && put(json, "/billing", "amount", json!(9999))
    });
    "the balance stays", Answered, |_, response| edit(response, |json| {
        !json["billing"]["walletBalanceAfter"].is_null() && put(json, "/billing", "walletBalanceAfter", json!(100_000))
    });
    "live is free without a record", Answered, |_, response| edit(response, |json| {
        json["error"]["code"] == "SVC_NO_RECORD_FOUND" && free(json)
    });
    "no record costs on the sandbox", Answered, |request, response| edit(response, |json| {
        let sandbox = request.environment == Environment::Test;
        sandbox && json["error"]["code"] == "SVC_NO_RECORD_FOUND" && put(json, "/billing", "charged", json!(true))
    });
    "results are created", Answered, |_, response| restatus(response, 200, 201);
    "pending costs at once", Answered, |request, response| edit(response, |json| {
        let live = request.environment == Environment::Live;
        live && json["status"] == "pending" && put(json, "/billing", "charged", json!(true))
    });
    "steps of a live bundle are free", Answered, |_, response| edit(response, |json| {
        json["billing"]["charged"] == true && each_step(json, free)
    });
    "paths that are not there are bad input", Answered, |request, response| {
        request.path == "/v1/no/such/path" && restatus(response, 404, 400)
    };
    "an unknown path is some operation", Answered, |_, response| {
        let lost = response.status == 404;
        lost && edit(response, |json| put(json, "/", "endpoint", json!("verify.identity.pan")))
    };
    "another method is not found", Answered, |_, response| restatus(response, 405, 404);
    "another method is not told what is allowed", Answered, |_, response| without(response, "allow");
    "messages name nothing", Answered, |_, response| edit(response, |json| {
        !json["error"].is_null() && put(json, "/error", "message", json!("bad request"))
    });
    "identifiers are mere input", Answered, |_, response| coded(response, "SVC_INVALID_IDENTIFIER", "SVC_INVALID_INPUT");
    "input is an identifier", Answered, |_, response| coded(response, "SVC_INVALID_INPUT", "SVC_INVALID_IDENTIFIER");
    "no record is not found", Answered, |_, response| coded(response, "SVC_NO_RECORD_FOUND", "SVC_NOT_FOUND");
    "a source that is down has timed out", Answered, |_, response| coded(response, "SVC_SOURCE_UNAVAILABLE", "SVC_SOURCE_TIMEOUT");
    "a timeout is unavailable", Answered, |_, response| coded(response, "SVC_SOURCE_TIMEOUT", "SVC_SOURCE_UNAVAILABLE");
    "a provider's error is the service's", Answered, |_, response| coded(response, "SVC_PROVIDER_ERROR", "SVC_INTERNAL_ERROR");
    "the service's error is a provider's", Answered, |_, response| coded(response, "SVC_INTERNAL_ERROR", "SVC_PROVIDER_ERROR");
    "an address that is not allowed is a bad key", Answered, |_, response| coded(response, "SVC_IP_NOT_ALLOWED", "SVC_AUTH_INVALID");
    "what failed is completed", Answered, |request, response| {
        request.method == "POST" && edit(response, |json| {
            json["error"]["retryable"] == true && put(json, "/", "status", json!("completed"))
        })
    };
    "failures are answered with 500", Answered, |_, response| {
        let mine = [502, 503, 504].contains(&response.status);
        response.status = if mine { 500 } else { response.status };
        mine
    };
    "no Retry-After", Answered, |_, response| without(response, "retry-after");
    "no rate limit", Answered, |_, response| accepted(response, "SVC_RATE_LIMITED");
    "the sentinel is ignored", Answered, |_, response| accepted(response, "SVC_SOURCE_UNAVAILABLE");
    "an empty wallet is no matter", Answered, |_, response| accepted(response, "SVC_INSUFFICIENT_BALANCE");
    "the order of steps is no matter", Answered, |request, response| {
        let step = request.path.contains("mobile-otp") || request.path.contains("bank-dynamic");
        step && accepted(response, "SVC_INVALID_INPUT")
    };
    "an unknown first call is bad input", Answered, |request, response| {
        calls(request, "/bank-account-v1/status") && {
            restatus(response, 404, 400) && coded(response, "SVC_NOT_FOUND", "SVC_INVALID_INPUT")
        }
    };
    "another programme is no matter", Answered, |request, response| {
        calls(request, "/bank-account-v1/status") && accepted(response, "SVC_INVALID_INPUT")
    };
    "replays are executed again", Answered, |_, response| replay(response, |response| {
        edit(response, |json| put(json, "/", "verificationId", json!("svcv_11111111111111111111111111")))
    });
    "replays are printed anew", Answered, |_, response| replay(response, |response| {
        response.body.push(b'\n');
        true
    });
    "replays do not say so", Answered, |_, response| without(response, "idempotent-replay");
    "every answer says it is a replay", Answered, |_, response| {
        response.headers.push(("idempotent-replay".to_owned(), "true".to_owned()));
        true
    };
    "the look-up prints anew", Answered, |request, response| {
        response.body.extend(looks_up(request).then_some(b' '));
        looks_up(request)
    };
    "failed verifications cannot be looked up", Answered, |request, response| {
        let failed = looks_up(request) && edit(response, |json| json["status"] == "failed");
        response.status = if failed { 404 } else { response.status };
        failed
    };
    "an unknown verification is an empty one", Answered, |request, response| {
        looks_up(request) && accepted(response, "SVC_NOT_FOUND")
    };
    "a look-up of nonsense is bad input", Answered, |request, response| {
        request.path.ends_with("/nonsense") && restatus(response, 404, 400)
    };
    "what has ended is looked up as pending", Answered, |request, response| {
        looks_up(request) && edit(response, |json| json["status"] == "completed" && put(json, "/", "status", json!("pending")))
    };
    "the usage tells no endpoints", Answered, |request, response| {
        request.path == "/v1/usage" && edit(response, |json| put(json, "/data", "endpoints", json!([])))
    };
    "there is no usage", Answered, |request, response| {
        request.path == "/v1/usage" && restatus(response, 200, 404)
    };
    "live has the sandbox's envelope", Answered, |request, response| {
        let live = request.environment == Environment::Live;
        live && edit(response, |json| put(json, "/meta", "environment", json!("test")))
    };
    "a used consent link works again", Answered, |_, response| restatus(response, 410, 200);
    "the consent page sends nobody back", Answered, |_, response| without(response, "location");
}

fn plain(response: &mut Response, mine: bool) -> bool {
    if mine {
        response.body = b"Not Found".to_vec();
    }
    mine
}

fn pending(response: &mut Response) -> bool {
    let mut is = false;
    edit(response, |json| {
        is = json["status"] == "pending";
        false
    });
    is
}

fn without(response: &mut Response, name: &str) -> bool {
    let before = response.headers.len();
    response.headers.retain(|(header, _)| header != name);
    response.headers.len() < before
}

fn looks_up(request: &Request) -> bool {
    request.path.starts_with("/v1/verifications/")
}

/// Changes every step of a bundle.
fn each_step(json: &mut Value, change: fn(&mut Value) -> bool) -> bool {
    let steps = json["data"]["steps"].as_array_mut();
    steps.is_some_and(|steps| steps.iter_mut().fold(false, |any, step| change(step) | any))
}
