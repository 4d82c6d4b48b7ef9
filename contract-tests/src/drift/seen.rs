//! What a service answered, gathered by operation: values by their place, prices, statuses.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Environment, Field, Kind, Operation, Paise};
use svc_fixtures::json::Json;

use crate::capture::{Capture, Channel, Exchange, Response};
use crate::plan::{Setting, USAGE, VERIFICATIONS};

/// So many different values of a place are looked at.
const MOST_VALUES: usize = 200;

/// Everything that was seen at a place of the answers of an operation.
#[derive(Debug, Clone, Default)]
pub(super) struct PlaceSeen {
    /// How often anything stood there.
    pub(super) times: usize,
    pub(super) nulls: usize,
    /// Different values without parts.
    pub(super) values: Vec<Json<'static>>,
    /// How often it was an object, or a list.
    pub(super) objects: usize,
    pub(super) lists: usize,
    pub(super) members: BTreeMap<String, PlaceSeen>,
    pub(super) item: Option<Box<PlaceSeen>>,
}

/// What was seen of an operation.
#[derive(Debug, Clone, Default)]
pub(super) struct OperationSeen {
    /// The `data` of its completed answers.
    pub(super) data: PlaceSeen,
    /// The statuses of its pending answers.
    pub(super) pending: BTreeSet<u16>,
    /// What it charged on live, and how often.
    pub(super) prices: BTreeMap<Paise, usize>,
    /// What its answers say that they took, in milliseconds, by environment.
    pub(super) latencies: BTreeMap<&'static str, Vec<u64>>,
    /// Numbers that were taken though the row forbids them, by field.
    pub(super) taken: BTreeMap<String, BTreeSet<i64>>,
}

/// Everything that was seen of a service.
#[derive(Debug, Clone, Default)]
pub(super) struct ServiceSeen {
    pub(super) operations: BTreeMap<String, OperationSeen>,
    /// The statuses of each error code, and whether it may be tried again: how often.
    pub(super) errors: BTreeMap<String, BTreeMap<(u16, Option<bool>), usize>>,
    /// The envelopes, without their `data`.
    pub(super) envelope: PlaceSeen,
    /// Paths that no row has and that had a result, and how often.
    pub(super) unknown: BTreeMap<String, usize>,
    /// What an envelope said that is so whatever the rows say, and how often.
    pub(super) odd: BTreeMap<String, usize>,
}

impl PlaceSeen {
    fn take(&mut self, value: &Json<'_>) {
        self.times += 1;
        match value {
            Json::Null => self.nulls += 1,
            Json::Object(members) => {
                self.objects += 1;
                for (name, value) in members {
                    self.members
                        .entry(name.to_string())
                        .or_default()
                        .take(value);
                }
            }
            Json::List(items) => {
                self.lists += 1;
                let item = self.item.get_or_insert_default();
                items.iter().for_each(|value| item.take(value));
            }
            value => {
                if self.values.len() < MOST_VALUES && !self.values.contains(value) {
                    self.values.push(value.clone().into_owned());
                }
            }
        }
    }
}

impl ServiceSeen {
    /// Everything in a capture.
    pub(super) fn of(setting: &Setting<'_>, capture: &Capture) -> Self {
        let mut seen = ServiceSeen::default();
        let exchanges = capture.cases.iter().flat_map(|case| &case.exchanges);
        for exchange in exchanges.filter(|it| it.request.channel == Channel::Api) {
            if let Ok(response) = &exchange.response {
                seen.take(setting, exchange, response);
            }
        }
        seen
    }

    fn take(&mut self, setting: &Setting<'_>, exchange: &Exchange, response: &Response) {
        let Ok(json) = Json::parse(&response.body) else {
            return;
        };
        if let Json::Object(members) = &json {
            let members = members.iter().filter(|(name, _)| name != "data");
            self.envelope
                .take(&Json::Object(members.cloned().collect()));
        }
        let path = &exchange.request.path;
        if path.starts_with(VERIFICATIONS) {
            return;
        }
        let error = json.get("error");
        if let Some(code) = error.and_then(|error| error.get("code")?.as_text()) {
            let retryable = error.and_then(|error| error.get("retryable")?.as_bool());
            // What HTTP itself says of a method, a size or a type.
            if ![405, 413, 415].contains(&response.status) {
                let of = self.errors.entry(code.to_owned()).or_default();
                *of.entry((response.status, retryable)).or_default() += 1;
            }
            return;
        }
        let Some(operation) = setting.operation_at(path) else {
            self.elsewhere(setting, path, &json);
            return;
        };
        let text = |name: &str| json.get(name).and_then(Json::as_text);
        let id = &operation.id;
        if let Some(other) = text("endpoint").filter(|it| it != id) {
            *self
                .odd
                .entry(format!("{id}: `endpoint` is `{other}`"))
                .or_default() += 1;
        }
        let seen = self.operations.entry(id.clone()).or_default();
        match text("status") {
            Some("completed") => {
                if let Some(data) = json.get("data") {
                    seen.data.take(data);
                }
                seen.billing(exchange, &json);
                let sent = Json::parse(&exchange.request.body).ok();
                seen.request(operation, sent.as_ref());
            }
            Some("pending") => {
                seen.pending.insert(response.status);
            }
            other => {
                let said = other.map_or("no text".to_owned(), |it| format!("`{it}`"));
                let odd = format!("{id}: `status` is {said}, without an `error` that has a code,");
                *self.odd.entry(odd).or_default() += 1;
            }
        }
    }
}

impl ServiceSeen {
    /// What a call of no operation came to. Bundles have rows of another kind.
    fn elsewhere(&mut self, setting: &Setting<'_>, path: &str, json: &Json<'_>) {
        let mut bundles = setting.contract.bundles.iter();
        let known = path.starts_with(USAGE) || bundles.any(|bundle| bundle.path == path);
        let status = json.get("status").and_then(Json::as_text);
        if !known && matches!(status, Some("completed" | "pending")) {
            *self.unknown.entry(path.to_owned()).or_default() += 1;
        }
    }
}

impl OperationSeen {
    fn billing(&mut self, exchange: &Exchange, json: &Json<'_>) {
        let environment = exchange.request.environment;
        let billing = |name| json.get("billing")?.get(name);
        let charged = billing("charged").and_then(Json::as_bool) == Some(true);
        let amount = billing("amount").and_then(Json::as_num);
        let amount = amount.and_then(Paise::from_rupees);
        if let (Environment::Live, true, Some(amount)) = (environment, charged, amount) {
            *self.prices.entry(amount).or_default() += 1;
        }
        let took = json
            .get("meta")
            .and_then(|meta| meta.get("latencyMs")?.as_int());
        if let Some(took) = took.and_then(|took| u64::try_from(took).ok()) {
            let of = self.latencies.entry(environment.as_str()).or_default();
            of.push(took);
        }
    }

    /// Numbers of the request that the row forbids, and that were taken.
    fn request(&mut self, operation: &Operation, sent: Option<&Json<'_>>) {
        for Field { name, kind, .. } in &operation.request {
            let Kind::Int { min, max, .. } = kind else {
                continue;
            };
            let value = sent.and_then(|sent| sent.get(name)?.as_int());
            let Some(value) = value else { continue };
            if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
                self.taken.entry(name.clone()).or_default().insert(value);
            }
        }
    }
}
