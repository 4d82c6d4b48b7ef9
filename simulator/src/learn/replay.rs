//! Plays captured calls in process, at the times they were made: each account that was seen is a fresh one, and what an
//! answer issued there stands here for what was issued here.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use svc_fixtures::contract::{Contract, Paise};
use svc_fixtures::json::Json;

use super::leaves::{EnvelopeLeaf, leaves};
use super::traffic::{Enveloped, Traffic, TrafficCall};
use crate::engine::call::rules::Rules;
use crate::rehearsal::{BEGINS, Observed, Rehearsal, RequestSpec};
use crate::scenario::{AccountConfig, Because, KeyConfig, WireFault};

/// What the simulator answers a captured call.
#[derive(Debug, Clone)]
pub(super) struct Replayed {
    /// At once.
    pub answer: Enveloped,
    /// The result, where it comes later.
    pub result: Option<Enveloped>,
    /// Why.
    pub because: Because,
    /// What goes wrong on the wire.
    pub wire: Option<WireFault>,
    /// What the call carried: as it was issued in the capture, and here.
    carried: Vec<(String, String)>,
}

impl Replayed {
    /// Whether both values are what the call carried, the one in the capture and the other here.
    #[must_use]
    pub(super) fn carried(&self, there: &Json<'_>, here: &Json<'_>) -> bool {
        let pair = there.as_text().zip(here.as_text());
        let is = |(there, here)| {
            self.carried
                .iter()
                .any(|it| (it.0.as_str(), it.1.as_str()) == (there, here))
        };
        pair.is_some_and(is)
    }

    /// The answer that says most.
    #[must_use]
    pub(super) fn last(&self) -> &Enveloped {
        self.result.as_ref().unwrap_or(&self.answer)
    }
}

/// More than any traffic costs, in whole rupees.
const WALLET: i64 = 1_000_000_000;

/// An identifier of a call is longer than any word.
const SHORTEST: usize = 8;

/// The account that plays.
pub(super) fn account() -> AccountConfig {
    AccountConfig {
        id: "local".into(),
        live_wallet: Paise(WALLET * 100),
        keys: vec![KeyConfig::plain("local")],
        allowlist: Vec::new(),
        rate_limit: None,
        webhook: None,
        copies: false,
    }
}

/// What the simulator answers to each call of the traffic.
#[must_use]
pub(super) fn replay(rules: &Rules, traffic: &Traffic) -> Vec<Replayed> {
    let waited_for = waited_for(traffic);
    let mut lives: BTreeMap<usize, Life<'_>> = BTreeMap::new();
    let calls = traffic.calls.iter().enumerate();
    let play = |(at, call): (usize, &TrafficCall)| {
        let begins = call.place.at.unwrap_or(BEGINS);
        let life = lives
            .entry(call.life)
            .or_insert_with(|| Life::new(rules, begins));
        life.play(at, call, &waited_for)
    };
    let mut replayed: Vec<Replayed> = calls.map(play).collect();
    for life in lives.values_mut() {
        for id in life.waiting.keys().cloned().collect::<Vec<_>>() {
            life.bring(&id);
        }
        for (at, result) in life.brought.drain(..) {
            replayed[at].result = Some(result);
        }
    }
    replayed
}

/// The verifications that somebody looked up before they had a result.
fn waited_for(traffic: &Traffic) -> BTreeSet<&str> {
    let looked_up = traffic.calls.iter().filter(|call| call.method == "GET");
    let answers = looked_up.filter_map(TrafficCall::answer);
    let pending = answers.filter(|answer| answer.text("status") == "pending");
    pending
        .map(|answer| answer.text("verificationId"))
        .collect()
}

/// One account.
struct Life<'r> {
    rehearsal: Rehearsal<'r>,
    contract: &'r Contract,
    /// What was issued in the capture, and what is issued here in its place.
    issued: BTreeMap<String, String>,
    /// The same of what begins a flow, whatever it looks like: it is looked for where later steps carry it alone.
    begun: BTreeMap<String, String>,
    /// Calls whose result is still to come, by what their verification is called in the capture.
    pending: BTreeMap<String, Observed>,
    /// Those of them whose result is known, and was looked up before it came.
    waiting: BTreeMap<String, Waiting>,
    /// What came of these, by the place of the call.
    brought: Vec<(usize, Enveloped)>,
}

/// A call whose result is still to come.
struct Waiting {
    at: usize,
    first: Observed,
    /// What it was in the capture.
    recorded: Enveloped,
}

impl<'r> Life<'r> {
    fn new(rules: &'r Rules, begins: Timestamp) -> Self {
        Life {
            rehearsal: Rehearsal::at(rules, account(), begins),
            contract: &rules.contract,
            issued: BTreeMap::new(),
            begun: BTreeMap::new(),
            pending: BTreeMap::new(),
            waiting: BTreeMap::new(),
            brought: Vec::new(),
        }
    }

    fn play(&mut self, at: usize, call: &TrafficCall, waited_for: &BTreeSet<&str>) -> Replayed {
        if let Some(at) = call.place.at {
            self.rehearsal.advance_to(at);
        }
        self.finish_what_is_known(call);
        let (body, carried) = self.body(call);
        let key = self.rehearsal.key(call.environment);
        let observed = self.rehearsal.request(&RequestSpec {
            environment: call.environment,
            key: &key,
            method: &call.method,
            path: &self.here(&call.path),
            query: &call.query,
            content_type: call.header("content-type"),
            content_encoding: call.header("content-encoding"),
            idempotency_key: call.header("idempotency-key"),
            reference_id: call.header("x-reference-id"),
            headers: &call.more,
            body: &body,
        });
        let answer = Enveloped {
            status: observed.status,
            envelope: observed.envelope.clone(),
        };
        if let Some(recorded) = call.answer() {
            self.note(recorded, &answer);
            self.note_begun(call, recorded, &answer);
            if observed.is_pending() {
                let id = recorded.text("verificationId").to_owned();
                self.pending.insert(id, observed.clone());
            }
        }
        let mut result = None;
        if let (Some(recorded), true) = (&call.result, observed.is_pending()) {
            let id = call.answer().map_or("", |it| it.text("verificationId"));
            let waiting = Waiting {
                at,
                first: observed.clone(),
                recorded: recorded.clone(),
            };
            match waited_for.contains(id) {
                true => drop(self.waiting.insert(id.to_owned(), waiting)),
                false => result = self.result_of(&waiting),
            }
        }
        Replayed {
            answer,
            result,
            because: observed.because,
            wire: observed.wire,
            carried,
        }
    }

    /// The result of a call, now.
    fn result_of(&mut self, of: &Waiting) -> Option<Enveloped> {
        let result = self.rehearsal.result(&of.first, None)?;
        let result = Enveloped {
            status: result.status,
            envelope: result.envelope,
        };
        self.note(&of.recorded, &result);
        Some(result)
    }

    /// The result of a call that waits for it.
    fn bring(&mut self, id: &str) {
        if let Some(waiting) = self.waiting.remove(id)
            && let Some(result) = self.result_of(&waiting)
        {
            self.brought.push((waiting.at, result));
        }
    }

    /// A look-up that found an end finds one here, too: when results come is compared elsewhere.
    fn finish_what_is_known(&mut self, call: &TrafficCall) {
        let Some(answer) = call.answer().filter(|it| it.text("status") != "pending") else {
            return;
        };
        self.bring(answer.text("verificationId"));
        if let Some(first) = self.pending.remove(answer.text("verificationId")) {
            self.rehearsal.result(&first, None);
        }
    }

    /// Pairs what both answers issued.
    fn note(&mut self, recorded: &Enveloped, here: &Enveloped) {
        let own: BTreeMap<String, EnvelopeLeaf<'_>> = leaves(&here.envelope).into_iter().collect();
        for (path, leaf) in leaves(&recorded.envelope) {
            let pair = (leaf.text(), own.get(&path).and_then(EnvelopeLeaf::text));
            if let (Some(there), Some(here)) = pair
                && there != here
                && there.len() >= SHORTEST
                && is_issued(&path, there)
            {
                self.issued.insert(there.to_owned(), here.to_owned());
            }
        }
    }

    /// Pairs what both answers to the first call of a flow issued for the others.
    fn note_begun(&mut self, call: &TrafficCall, recorded: &Enveloped, here: &Enveloped) {
        let row = call.operation.map(|at| &self.contract.operations[at]);
        let step = row.and_then(|row| self.contract.step_of(&row.id));
        let Some(key) = step.and_then(|(flow, at)| flow.steps[at].issues.as_ref()) else {
            return;
        };
        let both = [recorded, here].map(|it| key.issued(&it.envelope));
        if let [Some(there), Some(here)] = both {
            self.begun.insert(there.to_owned(), here.to_owned());
        }
    }

    /// A path as it is called here.
    fn here(&self, path: &str) -> String {
        let parts = path.split('/');
        let known = |part| self.issued.get(part).map_or(part, String::as_str);
        parts.map(known).collect::<Vec<_>>().join("/")
    }

    /// A body with what is issued here in the place of what was issued there, and what that was.
    fn body(&self, call: &TrafficCall) -> (Vec<u8>, Vec<(String, String)>) {
        let (mut body, mut carried) = (call.json.clone(), Vec::new());
        let row = call.operation.map(|at| &self.contract.operations[at]);
        let field = row.and_then(|row| self.contract.carried_field(row));
        if let (Json::Object(members), Some(field)) = (&mut body, field) {
            for (_, value) in members.iter_mut().filter(|(name, _)| name == field) {
                if let Some(here) = value.as_text().and_then(|there| self.begun.get(there)) {
                    carried.push((value.as_text().unwrap_or_default().to_owned(), here.clone()));
                    *value = here.clone().into();
                }
            }
        }
        self.replace_in(&mut body, &mut carried);
        match carried.is_empty() {
            true => (call.body.clone(), carried),
            false => (body.to_string().into_bytes(), carried),
        }
    }

    fn replace_in(&self, json: &mut Json<'static>, carried: &mut Vec<(String, String)>) {
        match json {
            Json::Text(text) => {
                if let Some(here) = self.issued.get(text.as_ref()) {
                    carried.push((text.to_string(), here.clone()));
                    *text = here.clone().into();
                }
            }
            Json::List(items) => items
                .iter_mut()
                .for_each(|item| self.replace_in(item, carried)),
            Json::Object(members) => {
                let values = members.iter_mut().map(|(_, value)| value);
                values.for_each(|value| self.replace_in(value, carried));
            }
            _ => {}
        }
    }
}

/// Whether a text at this place of an envelope may be what later calls carry: the verification's own id, or a text that
/// is one word of letters and digits.
fn is_issued(path: &str, text: &str) -> bool {
    let is_word = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    is_word && (path == "verificationId" || path.to_ascii_lowercase().ends_with("id"))
}
