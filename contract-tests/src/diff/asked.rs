//! What tells recorded calls apart, and pairs those that two services were both asked.

use std::collections::BTreeMap;

use svc_fixtures::json::Json;

use crate::capture::Exchange;
use crate::plan::{Setting, VERIFICATIONS};

/// What one side was asked so far.
pub(super) struct Asked<'s, 'c> {
    setting: &'s Setting<'c>,
    /// By what the first step of a flow issued, the input of that step and how often it had been asked before.
    begun: BTreeMap<String, String>,
    times: BTreeMap<String, usize>,
}

impl<'s, 'c> Asked<'s, 'c> {
    /// Nothing yet.
    pub(super) fn of(setting: &'s Setting<'c>) -> Self {
        Asked {
            setting,
            begun: BTreeMap::new(),
            times: BTreeMap::new(),
        }
    }

    /// Everything of a call that its answer depends on. What a service issued is called by the call that it was issued to.
    pub(super) fn input(&mut self, exchange: &Exchange) -> String {
        let contract = self.setting.contract;
        let row = self.setting.operation_at(&exchange.request.path);
        let mut body = Json::parse(&exchange.request.body).ok();
        if let (Some(body), Some(field)) =
            (&mut body, row.and_then(|row| contract.carried_field(row)))
            && let Some(begun) = body.get(field).and_then(Json::as_text)
            && let Some(begun) = self.begun.get(begun)
        {
            body.set(field.to_owned(), Json::from(begun.as_str()));
        }
        let input = input(exchange, body.as_ref());
        let times = self.times.entry(input.clone()).or_default();
        *times += 1;
        let answered = exchange.response.as_ref().ok();
        let answered = answered.and_then(|it| Json::parse(&it.body).ok());
        if let (Some(row), Some(answer)) = (row, answered)
            && let Some((flow, 0)) = contract.step_of(&row.id)
            && let Some(issues) = &flow.steps[0].issues
            && let Some(issued) = issues.issued(&answer)
        {
            let begun = format!("{input} ({times})");
            self.begun.insert(issued.to_owned(), begun);
        }
        input
    }
}

/// The same of one call: members in any order, without what each call has of its own.
fn input(exchange: &Exchange, body: Option<&Json<'_>>) -> String {
    let request = &exchange.request;
    let body = match body {
        Some(json) => {
            let mut canonical = Vec::new();
            json.canonical(&mut |bytes| canonical.extend_from_slice(bytes));
            String::from_utf8_lossy(&canonical).into_owned()
        }
        None => String::from_utf8_lossy(&request.body).into_owned(),
    };
    let path = match request.path.strip_prefix(VERIFICATIONS) {
        Some(_) => VERIFICATIONS,
        None => &request.path,
    };
    let (environment, method) = (request.environment.as_str(), &request.method);
    format!("{environment} {method} {path}?{}\n{body}", request.query)
}
