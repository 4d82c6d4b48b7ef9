//! What a service answered, gathered by operation: values by their place, prices, statuses.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Environment, Field, Kind, Operation, Paise};
use svc_fixtures::json::Json;

use crate::capture::{Capture, Channel, Exchange, Response};
use crate::plan::{Setting, USAGE, VERIFICATIONS};

/// So many different values of a place are looked at.
const MOST_VALUES: usize = 200;

/// What ids of verifications begin with.
const ID: &str = "svcv_";

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
    /// The `data` of its results, whatever way they came.
    pub(super) data: PlaceSeen,
    /// The `data` of its pending answers.
    pub(super) pending_data: PlaceSeen,
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
        for exchange in capture.cases.iter().flat_map(|case| &case.exchanges) {
            match (exchange.request.channel, &exchange.response) {
                (Channel::Webhook, _) => seen.brought(setting, &exchange.request.body),
                (Channel::Api, Ok(response)) => seen.take(setting, exchange, response),
                _ => {}
            }
            if let Some(result) = &exchange.result {
                seen.brought(setting, &result.body);
            }
        }
        seen
    }

    /// What a webhook or a look-up says of a call that was made before.
    fn brought(&mut self, setting: &Setting<'_>, body: &[u8]) {
        let Ok(json) = Json::parse(body) else {
            return;
        };
        self.envelope(&json);
        let text = |name: &str| json.get(name).and_then(Json::as_text);
        let operation = text("endpoint").and_then(|id| setting.contract.operation(id));
        if let (Some(operation), Some("completed"), Some(data)) =
            (operation, text("status"), json.get("data"))
        {
            let seen = self.operations.entry(operation.id.clone()).or_default();
            seen.data.take(data);
        }
    }

    /// The members beside `data`, and an id that has another beginning.
    fn envelope(&mut self, json: &Json<'_>) {
        if let Json::Object(members) = json {
            let members = members.iter().filter(|(name, _)| name != "data");
            self.envelope
                .take(&Json::Object(members.cloned().collect()));
        }
        let id = json.get("verificationId").and_then(Json::as_text);
        if id.is_some_and(|id| !id.starts_with(ID)) {
            let odd = format!("the envelope: `verificationId` does not begin with `{ID}`");
            *self.odd.entry(odd).or_default() += 1;
        }
    }

    fn take(&mut self, setting: &Setting<'_>, exchange: &Exchange, response: &Response) {
        let Ok(json) = Json::parse(&response.body) else {
            return;
        };
        let path = &exchange.request.path;
        if path.starts_with(VERIFICATIONS) {
            return self.brought(setting, &response.body);
        }
        self.envelope(&json);
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
                if response.status != 200 {
                    let odd = format!("{id}: a result has the status {}", response.status);
                    *self.odd.entry(odd).or_default() += 1;
                }
                if let Some(data) = json.get("data") {
                    seen.data.take(data);
                }
                seen.billing(exchange, &json);
                let sent = Json::parse(&exchange.request.body).ok();
                seen.request(operation, sent.as_ref());
            }
            Some("pending") => {
                seen.pending.insert(response.status);
                if let Some(data) = json.get("data") {
                    seen.pending_data.take(data);
                }
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

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Contract;

    use crate::capture::{Capture, CapturedCase, Channel, Exchange};
    use crate::drift::{RowDrift, drift};
    use crate::plan::{Setting, inputs};
    use crate::report::tests::sample;

    const START: &str = "/v1/verify/document/digilocker/start";

    /// An answer to a call of this path.
    fn answer(path: &str, status: u16, body: &str) -> Exchange {
        let mut exchange = sample::exchange("{}", body);
        path.clone_into(&mut exchange.request.path);
        if let Ok(response) = &mut exchange.response {
            response.status = status;
        }
        exchange
    }

    /// A webhook with this body.
    fn webhook(body: &str) -> Exchange {
        let mut exchange = sample::exchange(body, "");
        exchange.request.channel = Channel::Webhook;
        exchange
    }

    fn envelope(endpoint: &str, status: &str, rest: &str) -> String {
        format!(
            r#"{{"success":true,"verificationId":"svcv_1","referenceId":null,"endpoint":"{endpoint}","status":"{status}",{rest},
        "meta":{{"environment":"test","latencyMs":3,"createdAt":"2027-01-15T08:00:00Z"}}}}"#
        )
    }

    const BILLING: &str = r#""billing":{"charged":false,"amount":0,"currency":"INR"}"#;

    fn found(exchanges: Vec<Exchange>) -> RowDrift {
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), "seed");
        let capture = Capture {
            seed: String::new(),
            environments: setting.environments.clone(),
            profile: setting.profile,
            prices: setting.prices.clone(),
            http: true,
            capabilities: setting.capabilities.clone(),
            local: true,
            cases: vec![CapturedCase {
                exchanges,
                ..CapturedCase::new("recorded.calls", "1".to_owned())
            }],
        };
        drift(&setting, &capture, false)
    }

    #[test]
    fn what_pending_answers_have_otherwise_is_told() {
        let pending = |data: &str| {
            let rest = format!(r#""data":{data},{BILLING}"#);
            answer(
                START,
                200,
                &envelope("verify.document.digilocker", "pending", &rest),
            )
        };
        let right = r#"{"consentUrl":"https://a.example/c"}"#;
        assert_eq!(found(vec![pending(right)]).left, Vec::<String>::new());
        assert_eq!(
            found(vec![
                pending(right),
                pending(r#"{"url":"https://a.example/c"}"#)
            ])
            .left,
            [
                "verify.document.digilocker: `data.url` is in 1 of 2 pending answers, and `pending.data` of its row has no such name",
                "verify.document.digilocker: `data.consentUrl` is not there in 1 of 2 pending answers",
            ]
        );
    }

    #[test]
    fn webhooks_and_look_ups_are_compared_as_answers_are() {
        let documents = |name: &str| format!(r#""data":{{"{name}":[]}}"#);
        let done = |rest: &str| envelope("verify.document.digilocker", "completed", rest);
        let whole = done(&format!("{},{BILLING}", documents("documents")));
        let told = found(vec![
            webhook(&whole),
            webhook(&done(&documents("documents"))),
        ]);
        assert_eq!(
            told.left,
            ["the envelope: `billing` is not there in 1 of 2 answers"]
        );
        let renamed = done(&format!("{},{BILLING}", documents("files")));
        let look_up = answer("/v1/verifications/svcv_1", 200, &renamed);
        let told = found(vec![webhook(&renamed), look_up, webhook(&renamed)]);
        assert!(
            told.changes
                .iter()
                .any(|line| line.contains("files is new")),
            "{told:#?}"
        );
    }

    #[test]
    fn another_beginning_of_ids_and_another_status_of_results_are_told() {
        let body = envelope(
            "verify.financial.ifsc",
            "completed",
            &format!(r#""data":{{}},{BILLING}"#),
        );
        let path = "/v1/verify/financial/ifsc";
        let other = body.replace("svcv_1", "vrf_1");
        let told = found(vec![answer(path, 201, &body), answer(path, 200, &other)]).left;
        for line in [
            "verify.financial.ifsc: a result has the status 201 in 1 answer",
            "the envelope: `verificationId` does not begin with `svcv_` in 1 answer",
        ] {
            assert!(told.iter().any(|it| it == line), "{told:#?}");
        }
    }
}
