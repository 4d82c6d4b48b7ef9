//! Defects of single values: scores, options, dates, lists, steps of bundles.

use serde_json::{Value, json};
use svc_contract_tests::capture::{Request, Response};

use super::{body, calls, drop_member, edit, planted, put, refused, replace, restatus, rewrite};

planted! {
    "a number leads to somebody else's account", Answered, |_, response| edit(response, |json| {
        let first = json["data"]["uanList"].get_mut(0);
        first.is_some_and(|first| std::mem::replace(first, json!("100999999999")) != *first)
    });
    "a certificate is dated tomorrow", Answered, |_, response| edit(response, |json| {
        !json["data"]["lastUpdated"].is_null() && put(json, "/data", "lastUpdated", json!("2199-01-01"))
    });
    "a filter changes what it lets through", Answered, |request, response| edit(response, |json| {
        let filtered = String::from_utf8_lossy(&request.body).contains("includeCategories");
        filtered && last(&mut json["data"]["matches"]).is_some_and(|found| put(found, "/", "matchScore", json!(0.81)))
    });
    "everybody lives in one state", Answered, |_, response| edit(response, |json| {
        !json["data"]["rtoCode"].is_null() && put(json, "/data", "address", json!("1, RING ROAD, PANAJI, GOA 403001"))
    });
    "a wrong amount is right", Answered, |_, response| edit(response, |json| {
        json["data"]["amountMatch"] == false && put(json, "/data", "amountMatch", json!(true))
    });
    "a state nobody asked for", Answered, |_, response| edit(response, |json| {
        !json["data"]["Pin"].is_null() && json["data"]["State"].is_null() && put(json, "/data", "State", json!("KARNATAKA"))
    });
    "no original network", Answered, |_, response| edit(response, |json| {
        json["data"].as_object_mut().is_some_and(|data| data.remove("originalServiceProvider").is_some())
    });
    "days of the PAN come first", Answered, |_, response| edit(response, |json| {
        !json["data"]["lastUpdated"].is_null() && put(json, "/data", "lastUpdated", json!("15/08/2024"))
    });
    "the same address scores little", Answered, |_, response| edit(response, |json| {
        json["data"]["match"] == true && put(json, "/data", "score", json!(0.79))
    });
    "another address scores much", Answered, |_, response| edit(response, |json| {
        json["data"]["match"] == false && put(json, "/data", "score", json!(0.8))
    });
    "a month is missing", Answered, |_, response| edit(response, |json| {
        json["data"]["contributionHistory"].as_array_mut().is_some_and(|months| months.pop().is_some())
    });
    "another category is searched", Answered, |_, response| edit(response, |json| {
        last(&mut json["data"]["matches"]).is_some_and(|found| put(found, "/", "category", json!("REGULATORY")))
    });
    "nobody is employed any more", Answered, |_, response| edit(response, |json| {
        let jobs = json["data"]["employmentHistory"].as_array_mut();
        jobs.is_some_and(|jobs| jobs.iter_mut().fold(false, |any, job| put(job, "/", "dol", json!("2020-01-31")) | any))
    });
    "the mobile may match", Answered, |_, response| edit(response, |json| {
        json["data"]["mobileMatch"] == "yes" && put(json, "/data", "mobileMatch", json!("maybe"))
    });
    "the default is none of the programmes", Answered, |request, response| edit(response, |json| {
        let named = String::from_utf8_lossy(&request.body).contains("programId");
        !named && !json["data"]["methodUsed"].is_null() && put(json, "/data", "methodUsed", json!("UNKNOWN"))
    });
    "texts are never looked for", Answered, |_, response| edit(response, |json| {
        let first = json["data"]["imageResults"].get_mut(0);
        first.is_some_and(|first| put(first, "/summary", "textmatch", json!("Not checked")))
    });
    "every name is the holder's", Answered, |_, response| edit(response, |json| {
        !json["data"]["nameMatchScore"].is_null() && put(json, "/data", "nameMatchScore", json!(1))
    });
    "the owner's PAN is a number", Answered, |_, response| edit(response, |json| {
        put(json, "/data/profile", "pan", json!(7))
    });
    "steps have no id of their own", Answered, |_, response| edit(response, |json| {
        let steps = json["data"]["steps"].as_array_mut();
        steps.is_some_and(|steps| steps.iter_mut().fold(false, |any, step| put(step, "/", "verificationId", json!("step")) | any))
    });
    "the director's PAN is shown in full", Answered, |_, response| edit(response, |json| {
        !json["data"]["panNumber"].is_null() && put(json, "/data", "panNumber", json!("AAAAA0000A"))
    });
    "two faces are one", Answered, |_, response| edit(response, |json| {
        json["data"]["faceCount2"] == 2 && put(json, "/data", "faceCount2", json!(1))
    });
    "a slow history is only OK", Answered, |_, response| restatus(response, 202, 200);
    "any PAN will do", Answered, |request, response| edit(response, |json| {
        let pan = request.path.ends_with("/identity/pan");
        pan && json["error"]["code"] == "SVC_INVALID_IDENTIFIER" && put(json, "/error", "code", json!("SVC_INVALID_INPUT"))
    });
    "a bundle has no name", Answered, |_, response| drop_member(response, "/data", "bundle");
    "every bundle has a risk score", Answered, |_, response| edit(response, |json| {
        !json["data"]["steps"].is_null() && put(json, "/data", "riskScore", json!(1))
    });
    "the risk score is the same for all", Answered, |_, response| edit(response, |json| {
        replace(json, "/data/riskScore", json!(10))
    });
    "steps that failed say that they are completed", Answered, |_, response| edit(response, |json| {
        let steps = json["data"]["steps"].as_array_mut();
        steps.is_some_and(|steps| steps.iter_mut().fold(false, |any, step| replace(step, "/status", json!("completed")) | any))
    });
    "a bundle of failures is a provider's error", Answered, |request, response| {
        request.path.starts_with("/v1/bundles/") && edit(response, |json| {
            json["error"]["code"] == "SVC_SOURCE_TIMEOUT" && put(json, "/error", "code", json!("SVC_PROVIDER_ERROR"))
        })
    };
    "a bundle's second call has an id of its own", Answered, |request, response| {
        calls(request, "/dynamic-bank-validation") && body(request)["amount"].is_string() && edit(response, |json| {
            put(json, "/", "verificationId", json!("svcv_22222222222222222222222222"))
        })
    };
    "an unknown bundle is bad input", Answered, |request, response| {
        request.path.starts_with("/v1/bundles/") && restatus(response, 404, 400)
    };
    "every bundle answers with a list", Answered, |request, response| {
        request.path.starts_with("/v1/bundles/") && edit(response, |json| put(json, "/", "endpoint", json!("bundles")))
    };
    "the address bundle leaves its last step out", Answered, |request, response| shortened(request, response, "address-utility-verification");
    "the TAN bundle leaves its last step out", Answered, |request, response| shortened(request, response, "company-tan-identity");
    "the credit bundle leaves its only step out", Answered, |request, response| shortened(request, response, "credit-bureau-report");
    "the director bundle leaves its last step out", Answered, |request, response| shortened(request, response, "director-due-diligence");
    "the forgery bundle leaves its last step out", Answered, |request, response| shortened(request, response, "document-forgery-check");
    "the bank bundle leaves its last step out", Answered, |request, response| shortened(request, response, "dynamic-bank-validation");
    "the bank bundle is completed at once", Answered, |request, response| {
        calls(request, "/dynamic-bank-validation") && edit(response, |json| {
            json["status"] == "pending" && put(json, "/", "status", json!("completed"))
        })
    };
    "the employment bundle leaves its last step out", Answered, |request, response| shortened(request, response, "employment-claim-verification");
    "the fraud bundle leaves its last step out", Answered, |request, response| shortened(request, response, "fraud-check");
    "the business bundle leaves its last step out", Answered, |request, response| shortened(request, response, "full-business-verification");
    "the identity bundle leaves its last step out", Answered, |request, response| shortened(request, response, "full-identity-kyc");
    "the vehicle bundle leaves its last step out", Answered, |request, response| shortened(request, response, "vehicle-forensic-verification");
    "everybody is an accountant", Asked, |request, _| {
        if calls(request, "/bundles/professional-router") {
            rewrite(request, |json| replace(json, "/body_type", json!("CA")));
        }
    };
    "court cases are counted one short", Answered, |_, response| edit(response, |json| {
        let total = json["data"]["cases_total"].as_u64().unwrap_or_default();
        total > 0 && put(json, "/data", "cases_total", json!(total - 1))
    });
    "court cases have no number", Answered, |_, response| edit(response, |json| {
        let cases = json["data"]["cases"].as_array_mut();
        cases.is_some_and(|cases| cases.iter_mut().fold(false, |any, case| case.as_object_mut().is_some_and(|case| { case.clear(); true }) | any))
    });
    "nobody has a clear record", Answered, |_, response| edit(response, |json| {
        json["data"]["verdict"] == "CLEAR" && put(json, "/data", "verdict", json!("RECORDS_FOUND"))
    });
    "payments have no month", Answered, |_, response| edit(response, |json| {
        let payments = json["data"]["paymentHistory"].as_array_mut();
        payments.is_some_and(|all| all.iter_mut().fold(false, |any, one| one.as_object_mut().is_some_and(|one| one.remove("month").is_some()) | any))
    });
    "a masked image is a page", Answered, |_, response| edit(response, |json| replace(json, "/data/maskedImage", json!("masked.html")));
    "quality checks are not told", Answered, |_, response| drop_member(response, "/data", "qualityChecks[0]");
    "the regional name is always empty", Answered, |_, response| edit(response, |json| replace(json, "/data/nameInRegionalLang", json!("")));
    "photos are links", Answered, |_, response| edit(response, |json| replace(json, "/data/photo", json!("https://pictures.example/1.png")));
    "forgery heeds no threshold", Asked, |request, _| rewrite(request, |json| replace(json, "/threshold", json!(20)));
    "forgery has another threshold by default", Asked, |request, _| {
        if calls(request, "/document/forgery") {
            rewrite(request, |json| {
                let none = json["threshold"].is_null();
                none.then(|| json["threshold"] = json!(90)).is_some()
            });
        }
    };
    "the bank heeds no threshold", Asked, |request, _| {
        if calls(request, "/bank-hybrid") {
            rewrite(request, |json| replace(json, "/threshold", json!(0.9)));
        }
    };
    "a closed account is active", Answered, |_, response| edit(response, |json| {
        json["data"]["reason"] == "ACCOUNT_INVALID" && put(json, "/data", "reason", json!("OK"))
    });
    "every programme has one method", Answered, |_, response| edit(response, |json| replace(json, "/data/methodUsed", json!("PENNY_DROP")));
    "every name is the account's", Asked, |request, _| rewrite(request, |json| {
        replace(json, "/nameToVerify", json!("ASHA RAO")) | replace(json, "/custName", json!("ASHA RAO"))
    });
    "months are always six", Asked, |request, _| rewrite(request, |json| replace(json, "/months", json!(6)));
    "companies are found by their whole name only", Answered, |request, response| {
        calls(request, "/cin-lookup") && refused(response, 422, "SVC_NO_RECORD_FOUND")
    };
    "a filing period is missing", Answered, |_, response| edit(response, |json| {
        let returns = json["data"]["returnsFilingHistory"].as_array_mut();
        returns.is_some_and(|returns| returns.pop().is_some())
    });
    "everybody is inside", Answered, |_, response| edit(response, |json| replace(json, "/data/validUser", json!(true)));
    "every place is valid", Answered, |_, response| edit(response, |json| {
        json["data"]["validUser"] == false && put(json, "/data", "validUser", json!(true))
    });
    "the state is never told", Answered, |_, response| drop_member(response, "/data", "State");
    "court dates of birth are written one way", Answered, |request, response| {
        let dob = body(request)["dob"].as_str().is_some_and(|dob| !dob.contains('-'));
        calls(request, "/court-records") && dob && refused(response, 400, "SVC_INVALID_INPUT")
    };
    "courts heed no state", Asked, |request, _| {
        if calls(request, "/court-records") {
            rewrite(request, |json| json.as_object_mut().is_some_and(|json| json.remove("state").is_some()));
        }
    };
    "matches are not listed", Answered, |_, response| drop_member(response, "/data", "matches");
    "another subject's answer", Answered, |_, response| edit(response, |json| {
        !json["data"]["pan"].is_null() && put(json, "/data", "pan", json!("ZZZZZ9999Z"))
    });
    "any OTP is right", Answered, |_, response| edit(response, |json| {
        json["data"]["otp_validated"] == false && put(json, "/data", "otp_validated", json!(true))
    });
    "what nobody names has no record", Answered, |request, response| {
        let text = String::from_utf8_lossy(&request.body).into_owned();
        let unnamed = text.contains("KAVITA") || text.contains("ABCPK") || text.contains("kavita");
        unnamed && refused(response, 422, "SVC_NO_RECORD_FOUND")
    };
    "dots in names nest", Answered, |_, response| edit(response, |json| {
        let data = json["data"].as_object_mut();
        let dotted = data.and_then(|data| {
            let name = data.keys().find(|name| name.contains('.')).cloned()?;
            data.remove(&name)
        });
        dotted.is_some_and(|value| put(json, "/data", "nested", value))
    });
}

/// A bundle whose last step was not run.
fn shortened(request: &Request, response: &mut Response, slug: &str) -> bool {
    calls(request, slug)
        && edit(response, |json| {
            let steps = json["data"]["steps"].as_array_mut();
            steps.is_some_and(|steps| steps.pop().is_some())
        })
}

fn last(items: &mut Value) -> Option<&mut Value> {
    items.as_array_mut()?.last_mut()
}
