//! Defects of single values: one for each kind of test that examples have, and for each ending.

use serde_json::{Value, json};

use super::{answers, edit, put};

defects! {
    "a wrong amount is right", "financial.bank-dynamic.wrong-amount", |case| edit(case, |_, json| {
        json["data"]["amountMatch"] == false && put(json, "/data", "amountMatch", json!(true))
    });
    "a state nobody asked for", "ruling.30-absent-unless-asked", |case| edit(case, |_, json| {
        !json["data"]["Pin"].is_null() && json["data"]["State"].is_null() && put(json, "/data", "State", json!("KARNATAKA"))
    });
    "no original network", "screen.mobile-silent.additional", |case| edit(case, |_, json| {
        json["data"].as_object_mut().is_some_and(|data| data.remove("originalServiceProvider").is_some())
    });
    "days of the PAN come first", "wire.iso-dates", |case| edit(case, |_, json| {
        !json["data"]["lastUpdated"].is_null() && put(json, "/data", "lastUpdated", json!("15/08/2024"))
    });
    "the same address scores little", "address.match.threshold", |case| edit(case, |_, json| {
        json["data"]["match"] == true && put(json, "/data", "score", json!(0.79))
    });
    "another address scores much", "limits.address-match", |case| edit(case, |_, json| {
        json["data"]["match"] == false && put(json, "/data", "score", json!(0.8))
    });
    "a month is missing", "employment.epfo-establishment.months", |case| edit(case, |_, json| {
        json["data"]["contributionHistory"].as_array_mut().is_some_and(|months| months.pop().is_some())
    });
    "another category is searched", "screen.negative-diligence.categories", |case| edit(case, |_, json| {
        last(&mut json["data"]["matches"]).is_some_and(|found| put(found, "/", "category", json!("REGULATORY")))
    });
    "nobody is employed any more", "wire.empty-text", |case| edit(case, |_, json| {
        let jobs = json["data"]["employmentHistory"].as_array_mut();
        jobs.is_some_and(|jobs| jobs.iter_mut().fold(false, |any, job| put(job, "/", "dol", json!("2020-01-31")) | any))
    });
    "the mobile may match", "financial.bank-hybrid.mobile", |case| edit(case, |_, json| {
        json["data"]["mobileMatch"] == "yes" && put(json, "/data", "mobileMatch", json!("maybe"))
    });
    "the default is none of the programmes", "financial.bank-account-v1.options", |case| edit(case, |request, json| {
        let named = String::from_utf8_lossy(&request.body).contains("programId");
        !named && !json["data"]["methodUsed"].is_null() && put(json, "/data", "methodUsed", json!("UNKNOWN"))
    });
    "texts are never looked for", "document.forgery.text", |case| edit(case, |_, json| {
        let first = json["data"]["imageResults"].get_mut(0);
        first.is_some_and(|first| put(first, "/summary", "textmatch", json!("Not checked")))
    });
    "every name is the holder's", "identity.pan.score", |case| edit(case, |_, json| {
        !json["data"]["nameMatchScore"].is_null() && put(json, "/data", "nameMatchScore", json!(1))
    });
    "the owner's PAN is a number", "company.udyam.nullable", |case| edit(case, |_, json| {
        put(json, "/data/profile", "pan", json!(7))
    });
    "steps have no id of their own", "ruling.29-bundle-data", |case| edit(case, |_, json| {
        let steps = json["data"]["steps"].as_array_mut();
        steps.is_some_and(|steps| steps.iter_mut().fold(false, |any, step| put(step, "/", "verificationId", json!("step")) | any))
    });
    "the director's PAN is shown in full", "company.roc.director.masked", |case| edit(case, |_, json| {
        !json["data"]["panNumber"].is_null() && put(json, "/data", "panNumber", json!("AAAAA0000A"))
    });
    "two faces are one", "identity.face-match.count", |case| edit(case, |_, json| {
        json["data"]["faceCount2"] == 2 && put(json, "/data", "faceCount2", json!(1))
    });
    "a slow history is only OK", "limits.slow-history", |case| answers(case, |_, response| {
        let accepted = response.status == 202;
        response.status = if accepted { 200 } else { response.status };
        accepted
    });
    "a failed bundle cannot be looked up", "ruling.29-bundle-outcome", |case| answers(case, |request, response| {
        let found = request.path.starts_with("/v1/verifications/svcv_");
        response.status = if found { 404 } else { response.status };
        found
    });
    "any PAN will do", "identity.pan.format", |case| edit(case, |request, json| {
        let pan = request.path.ends_with("/identity/pan");
        pan && json["error"]["code"] == "SVC_INVALID_IDENTIFIER" && put(json, "/error", "code", json!("SVC_INVALID_INPUT"))
    });
}

fn last(items: &mut Value) -> Option<&mut Value> {
    items.as_array_mut()?.last_mut()
}
