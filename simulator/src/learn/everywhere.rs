//! What all answers of a service share, beside what each of them says: members of `meta`, and the forms of what bundles
//! answer and of the usage report.

use std::sync::Arc;

use svc_fixtures::contract::Contract;
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;

use super::bundle_data::{self, bundle};
use super::traffic::{Enveloped, TrafficCall};
use super::usage_report;
use super::write::learned_until;
use crate::engine::call::rules::Rules;
use crate::scenario::{AnswerForm, OWN_META};

/// What the answers of a capture share.
#[must_use]
pub(super) fn shared(contract: &Contract, calls: &[TrafficCall]) -> AnswerForm {
    let all: Vec<&Enveloped> = calls.iter().flat_map(answers).collect();
    let mut data = Vec::new();
    for call in calls {
        if let Some(bundle) = bundle(contract, call) {
            let told = answers(call).filter_map(|answer| answer.envelope.get("data"));
            data.extend(told.map(|data| (bundle, data)));
        }
    }
    let (usage, report) = usage_report::forms(contract, calls);
    let mut form = AnswerForm {
        bundle: bundle_data::form(contract, data.into_iter()),
        report,
        usage,
        ..AnswerForm::default()
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|answer| meta(answer)) {
        if !OWN_META.contains(&&**name) && !names.contains(&&**name) {
            names.push(name);
        }
    }
    for name in names {
        let Some(value) = usual(name, &all) else {
            continue;
        };
        match value.as_text().filter(|_| name == "provider") {
            Some(provider) => form.provider = Some(provider.into()),
            None => form.meta.push((name.to_owned(), value.clone())),
        }
    }
    form
}

/// The same without what the files say already that are there beside those that were learned.
#[must_use]
pub(super) fn unsaid(base: &Rules, mut shared: AnswerForm) -> AnswerForm {
    let written: Vec<Arc<Source>> = base
        .sources()
        .iter()
        .filter(|it| learned_until(&it.text).is_none())
        .cloned()
        .collect();
    let Ok(read) = base.with_scenarios_replaced(&written) else {
        return shared;
    };
    let said = &read.scenarios.answers;
    if said.provider.is_some() {
        shared.provider = None;
    }
    if said.bundle.is_some() {
        shared.bundle = None;
    }
    if said.report.is_some() {
        shared.report = None;
    }
    if said.usage.is_some() {
        shared.usage = None;
    }
    let is_said = |name: &String| said.meta.iter().any(|(known, _)| known == name);
    shared.meta.retain(|(name, _)| !is_said(name));
    shared
}

/// What came of a call.
fn answers(call: &TrafficCall) -> impl Iterator<Item = &Enveloped> {
    call.answer().into_iter().chain(&call.result)
}

fn meta(answer: &Enveloped) -> &[(std::borrow::Cow<'static, str>, Json<'static>)] {
    let meta = answer.envelope.get("meta").and_then(Json::as_object);
    meta.unwrap_or_default()
}

/// What a member of `meta` says everywhere: it is there more often than not, and always says the same, which TOML can
/// write.
fn usual<'a>(name: &str, answers: &[&'a Enveloped]) -> Option<&'a Json<'static>> {
    let said = answers
        .iter()
        .filter_map(|answer| answer.envelope.get("meta")?.get(name));
    let said: Vec<&Json<'static>> = said.collect();
    let first = *said.first()?;
    let is_usual = said.len() * 2 > answers.len() && said.len() > 1;
    let is_written = !first.to_string().contains("null");
    (is_usual && is_written && said.iter().all(|value| *value == first)).then_some(first)
}
