//! A service in process whose exchanges are recorded, and what is learned from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;
use svc_capture::{
    Capabilities, Capture, CapturedCase, Channel, Credential, Exchange, Request, Response,
};
use svc_fixtures::contract::Environment;
use svc_fixtures::reading::Source;
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::learn::{LaterRules, Learned, Lesson, learn, read_capture};
use svc_simulator::rehearsal::{BEGINS, Observed, Rehearsal, RequestSpec};
use svc_simulator::scenario::{MoreHeaders, find_account, read_accounts};

/// Where the learned file would stand.
pub(crate) const PATH: &str = "folder/zz-learned-day.toml";

/// The usage report, among the operations that are recorded.
pub(crate) const USAGE: &str = "usage";

/// What the call before was answered, looked up, among the operations that are recorded.
pub(crate) const LOOK_UP: &str = "look-up";

/// A service.
pub(crate) struct Service {
    rules: Rules,
    environment: Environment,
}

/// The built-in rules by each seed, read once.
static BUILT_IN: Mutex<BTreeMap<String, Rules>> = Mutex::new(BTreeMap::new());

fn rules(seed: &str, file: &str) -> Rules {
    let read = || {
        let rules = Rules::read(&Files::built_in(), Seed::new(seed));
        rules.unwrap_or_else(|problems| panic!("{problems}"))
    };
    let mut known = BUILT_IN.lock();
    let built_in = known.entry(seed.to_owned()).or_insert_with(read).clone();
    if file.trim().is_empty() {
        return built_in;
    }
    let by_hand = Source::new("folder/hand.toml", file);
    let files = built_in.sources().iter().cloned();
    let files: Vec<_> = [by_hand].into_iter().chain(files).collect();
    let rules = built_in.with_scenarios_replaced(&files);
    rules.unwrap_or_else(|problems| panic!("{problems}"))
}

impl Service {
    /// With a population by this seed, and the rules of a file.
    pub(crate) fn new(seed: &str, file: &str) -> Self {
        Service {
            rules: rules(seed, file),
            environment: Environment::Test,
        }
    }

    /// The same, asked on live.
    pub(crate) fn live(self) -> Self {
        Service {
            environment: Environment::Live,
            ..self
        }
    }

    /// What every operation that one call asks is asked in the documents.
    pub(crate) fn samples(&self) -> Vec<(&'static str, String)> {
        let contract = &self.rules.contract;
        let rows = contract
            .operations
            .iter()
            .filter(|row| contract.carried_field(row).is_none());
        let id = |id: &str| -> &'static str { Box::leak(id.to_owned().into_boxed_str()) };
        rows.map(|row| {
            (
                id(&row.id),
                sample::body(contract, row, Extent::Required).to_string(),
            )
        })
        .collect()
    }

    /// The exchanges of these calls, one after the other, each a case of its own; of a pending one with its result, as the
    /// receiver of webhooks got it.
    pub(crate) fn record(&self, calls: &[(&str, String)]) -> Capture {
        let accounts =
            read_accounts(&svc_simulator::scenario::accounts()).expect("the built-in accounts");
        let account = find_account(&accounts, "local").expect("it is built in");
        let mut rehearsal = Rehearsal::at(&self.rules, account, BEGINS);
        let mut capture = empty();
        let mut now = BEGINS.as_second();
        let mut newest = String::new();
        for (at, (operation, body)) in calls.iter().enumerate() {
            let path = match *operation {
                LOOK_UP => format!("/v1/verifications/{newest}"),
                operation => self.path(operation),
            };
            let observed = self.send(&mut rehearsal, (method(operation), &path), body);
            newest = id(&observed);
            let mut exchanges = vec![exchange(&path, body, &observed, now)];
            now += 1;
            if observed.is_pending() {
                let after = self.after(&mut rehearsal, operation, &observed, now);
                exchanges.extend(after);
            }
            for exchange in &mut exchanges {
                exchange.request.environment = self.environment;
                exchange.request.method = method(operation).to_owned();
            }
            capture.cases.push(case(&format!("call {at}"), exchanges));
            rehearsal.advance_to(Timestamp::from_second(now).expect("a time"));
        }
        capture
    }

    fn path(&self, operation: &str) -> String {
        if operation == USAGE {
            return "/v1/usage".to_owned();
        }
        if let Some(bundle) = operation.strip_prefix("bundles.") {
            return format!("/v1/bundles/{bundle}");
        }
        let operation = self.rules.contract.operation(operation);
        sample::path(operation.expect("an operation"))
    }

    fn send(
        &self,
        rehearsal: &mut Rehearsal<'_>,
        (method, path): (&str, &str),
        body: &str,
    ) -> Observed {
        let key = rehearsal.key(self.environment);
        rehearsal.request(&RequestSpec {
            environment: self.environment,
            key: &key,
            method,
            path,
            query: "",
            content_type: Some("application/json"),
            content_encoding: None,
            idempotency_key: None,
            reference_id: None,
            headers: MoreHeaders::NONE,
            body: body.as_bytes(),
        })
    }

    /// The webhook that brings the result: when results of the operation usually come, or two hours later.
    fn after(
        &self,
        rehearsal: &mut Rehearsal<'_>,
        operation: &str,
        first: &Observed,
        now: i64,
    ) -> Option<Exchange> {
        let row = self.rules.contract.operation(operation);
        let pending = row.and_then(|row| row.pending.as_ref());
        let usual_ms = pending.map_or(0, |pending| pending.after_ms);
        let (result, after_s) = match rehearsal.result(first, Some(usual_ms)) {
            Some(result) => (result, usual_ms / 1000),
            None => (rehearsal.result(first, None)?, 2 * 60 * 60),
        };
        let mut webhook = exchange("", "", &result, now - 1 + i64::try_from(after_s).ok()?);
        webhook.request.channel = Channel::Webhook;
        webhook.request.body = result.body.to_vec();
        webhook.response.as_mut().expect("an answer").body = Vec::new();
        Some(webhook)
    }
}

fn id(observed: &Observed) -> String {
    let id = observed.envelope.get("verificationId");
    let id = id.and_then(|id| id.as_text());
    id.unwrap_or_default().to_owned()
}

fn method(operation: &str) -> &'static str {
    match operation {
        USAGE | LOOK_UP => "GET",
        _ => "POST",
    }
}

fn exchange(path: &str, body: &str, observed: &Observed, at_s: i64) -> Exchange {
    Exchange {
        request: Request {
            channel: Channel::Api,
            environment: Environment::Test,
            method: "POST".to_owned(),
            path: path.to_owned(),
            query: String::new(),
            authorization: None,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.as_bytes().to_vec(),
            padded_to: None,
        },
        credential: Credential::Own,
        at_s: Some(at_s),
        response: Ok(Response {
            status: observed.status,
            headers: Vec::new(),
            body: observed.body.to_vec(),
        }),
        took_ms: observed.delay_ms,
        result: None,
    }
}

fn case(name: &str, exchanges: Vec<Exchange>) -> CapturedCase {
    CapturedCase {
        exchanges,
        ..CapturedCase::new("traffic", name)
    }
}

fn empty() -> Capture {
    Capture {
        seed: "day".to_owned(),
        environments: vec![Environment::Test],
        profile: svc_capture::profile::Profile::Provider,
        prices: svc_capture::prices::PriceList::default(),
        http: true,
        capabilities: Capabilities::default(),
        local: true,
        cases: Vec::new(),
    }
}

/// What is learned into an empty folder.
pub(crate) fn learned(capture: &Capture) -> Learned {
    learned_beside(capture, "")
}

/// What is learned into a folder with this file.
pub(crate) fn learned_beside(capture: &Capture, by_hand: &str) -> Learned {
    let base = Arc::new(rules("", by_hand));
    let text = capture.to_json().expect("JSON");
    let traffic = read_capture(&base.contract, capture, &text);
    learn(&Lesson {
        base: &base,
        traffic: &traffic,
        capture: "day.capture",
        ended: None,
        path: PATH,
        later: &LaterRules::default(),
    })
}
