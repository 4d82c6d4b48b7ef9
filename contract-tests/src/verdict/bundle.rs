//! What the result of a bundle tells of its steps. Where it tells them, and in which order, the specification leaves open, and
//! which they are it does not: wherever a result names operations, they must be those of the bundle.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Bundle, BundleMode, Contract, ErrorCode};
use svc_fixtures::json::Json;

use super::answer::Answer;
use super::finding::Findings;

/// What the id of an operation may begin with, and its name in the specification's table does not.
const COMMON: &str = "verify.";

pub(super) fn judge(findings: &mut Findings<'_>, answer: &Answer<'_>) {
    let contract = findings.setting.contract;
    let Some(at) = contract.bundle_at(&answer.request.path) else {
        return;
    };
    let (bundle, completed) = (
        &contract.bundles[at],
        answer.text(&["status"]) == "completed",
    );
    let Some(data) = answer.at(&["data"]).filter(|_| completed) else {
        return;
    };
    if let Some(named) = named(contract, data) {
        let asked = Json::parse(&answer.request.body).unwrap_or(Json::Null);
        let holds = match tells_of_failure(data) {
            true => named
                .iter()
                .all(|step| bundle.steps.iter().any(|own| own == step)),
            false => are_steps_of(bundle, &named, &asked),
        };
        let (wanted, found) = (bundle.steps.join(", "), named.join(", "));
        let what = format!("the steps that the result of `{}` names", bundle.slug);
        findings.must(&bundle.clause, holds, what, wanted, found);
    }
    if bundle.risk.is_some() {
        let (what, found) = ("one rolled-up score of risk", answer.shown(&["data"]));
        let wanted = "a number in `data` that is called a score or a risk";
        let holds = has_score(contract, data);
        findings.must(&bundle.clause, holds, what, wanted, found);
    }
}

/// The operations that a result names: those of the first list whose items name one each, or of the first object whose members are all called like one.
fn named<'c>(contract: &'c Contract, json: &Json<'_>) -> Option<Vec<&'c str>> {
    let of_item = |item: &Json<'_>| match item {
        Json::Text(text) => operation(contract, text),
        Json::Object(members) => {
            let mut texts = members.iter().filter_map(|(_, value)| value.as_text());
            texts.find_map(|text| operation(contract, text))
        }
        _ => None,
    };
    let steps: Option<Vec<_>> = match json {
        Json::List(items) => items.iter().map(of_item).collect(),
        Json::Object(members) => {
            let keys = members.iter().map(|(name, _)| operation(contract, name));
            keys.collect()
        }
        _ => return None,
    };
    if let Some(steps) = steps.filter(|steps| !steps.is_empty()) {
        return Some(steps);
    }
    match json {
        Json::List(items) => items.iter().find_map(|item| named(contract, item)),
        Json::Object(members) => members.iter().find_map(|(_, it)| named(contract, it)),
        _ => None,
    }
}

/// The operation that a text is the id of, as the rows or the specification's table have it.
fn operation<'c>(contract: &'c Contract, text: &str) -> Option<&'c str> {
    let mut ids = contract.operations.iter().map(|row| row.id.as_str());
    ids.find(|id| *id == text || id.strip_prefix(COMMON) == Some(text))
}

/// Whether these are the steps of a bundle as it was asked.
fn are_steps_of(bundle: &Bundle, named: &[&str], asked: &Json<'_>) -> bool {
    let of_bundle = |name: &&str| bundle.steps.iter().any(|step| step == name);
    let each_once = named.iter().collect::<BTreeSet<_>>().len() == named.len();
    let own = each_once && named.iter().all(of_bundle);
    match &bundle.mode {
        BundleMode::Sequence | BundleMode::Parallel => own && named.len() == bundle.steps.len(),
        BundleMode::Choice { field, options } => {
            let chosen = asked.get(field).and_then(Json::as_text);
            let mut options = options.iter();
            let step = options.find(|(value, _)| Some(value.as_str()) == chosen);
            // What else is run beside the chosen one the specification leaves open.
            own && step.is_none_or(|(_, step)| named.contains(&step.as_str()))
        }
        // Either call may tell of its own part alone.
        BundleMode::TwoCalls => own,
    }
}

/// Whether something in it ended with an error: what needs a result of that need not be run.
fn tells_of_failure(json: &Json<'_>) -> bool {
    match json {
        Json::Text(text) => ErrorCode::parse(text).is_some(),
        Json::List(items) => items.iter().any(tells_of_failure),
        Json::Object(members) => members.iter().any(|(_, value)| tells_of_failure(value)),
        _ => false,
    }
}

/// Whether `data`, or an object in it, has a number that is called a score or a risk; one that a step found counts for
/// no other.
fn has_score(contract: &Contract, data: &Json<'_>) -> bool {
    let members = data.as_object().unwrap_or_default();
    members.iter().any(|(name, value)| {
        let called = name.to_lowercase();
        let called = called.contains("score") || called.contains("risk");
        let number = |text: &str| text.parse::<f64>().is_ok();
        let is_number = value.as_num().is_some() || value.as_text().is_some_and(number);
        called && is_number || operation(contract, name).is_none() && has_score(contract, value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Channel, Request, Response};
    use crate::plan::{Case, Setting};
    use svc_fixtures::contract::Environment;

    /// Whether each that is judged of an answer with this `data` holds.
    fn judged(slug: &str, sent: &str, data: &str) -> Vec<bool> {
        let contract = Contract::built_in();
        let bundle = contract.bundles.iter().find(|row| row.slug == slug);
        let request = Request {
            channel: Channel::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: bundle.expect("a bundle").path.clone(),
            query: String::new(),
            authorization: None,
            headers: Vec::new(),
            body: sent.into(),
            padded_to: None,
        };
        let response = Response {
            status: 200,
            headers: Vec::new(),
            body: format!(r#"{{"status":"completed","data":{data}}}"#).into_bytes(),
        };
        let setting = Setting::new(&contract, Vec::new(), "seed");
        let case = Case::new("a case");
        let mut findings = Findings::of(&setting, &case);
        judge(&mut findings, &Answer::delivered(&request, &response));
        let held =
            |it: &super::super::Finding| matches!(it.verdict, super::super::Verdict::Held { .. });
        findings.found.iter().map(held).collect()
    }

    #[test]
    fn a_list_of_steps_is_theirs_in_any_order() {
        let of = |data: &str| judged("company-tan-identity", "{}", data);
        for right in [
            r#"{"steps":[{"endpoint":"verify.company.tan"},{"endpoint":"verify.company.mca.master"}]}"#,
            r#"{"ran":["company.tan","company.mca.master"]}"#,
            // In which order they are told nobody says.
            r#"{"steps":[{"endpoint":"verify.company.mca.master"},{"endpoint":"verify.company.tan"}]}"#,
            r#"{"results":{"company.mca.master":{},"company.tan":{}}}"#,
            // What failed may have kept others from being run.
            r#"[{"step":"company.tan","error":"SVC_SOURCE_TIMEOUT"}]"#,
        ] {
            assert_eq!(of(right), [true], "{right}");
        }
        for wrong in [
            r#"{"steps":[{"endpoint":"verify.company.tan"}]}"#,
            r#"["company.tan","company.tan","company.mca.master"]"#,
            r#"{"results":{"company.tan":{}}}"#,
            r#"[{"step":"company.iec","error":"SVC_SOURCE_TIMEOUT"}]"#,
        ] {
            assert_eq!(of(wrong), [false], "{wrong}");
        }
        for untold in [r#"{"tan":{"valid":true}}"#, r#"{"steps":[]}"#, "{}"] {
            assert!(of(untold).is_empty(), "{untold}");
        }
    }

    #[test]
    fn of_a_choice_the_chosen_step_is_run() {
        let of = |data: &str| judged("professional-router", r#"{"body_type":"CS"}"#, data);
        assert_eq!(of(r#"["membership.cs"]"#), [true]);
        assert_eq!(of(r#"["membership.ca"]"#), [false]);
    }

    #[test]
    fn a_rolled_up_score_is_nobody_s_own() {
        let of = |data: &str| judged("fraud-check", "{}", data);
        assert_eq!(of(r#"{"riskScore":12}"#), [true]);
        assert_eq!(of(r#"{"summary":{"risk":"0.2"}}"#), [true]);
        assert_eq!(of(r#"{"risk":"low"}"#), [false]);
        assert_eq!(
            of(r#"{"results":{"screen.email-fraud":{"fraudScore":7}}}"#).last(),
            Some(&false)
        );
        assert!(judged("company-tan-identity", "{}", r#"{"score":1}"#).is_empty());
    }
}
