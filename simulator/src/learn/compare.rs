//! How members of an envelope are compared: most by their value, what a service makes up for each call by its form.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::{Bundle, CONSENT_URL, Contract, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::template::{Expr, Part, Template};

use super::bundle_data::bundle;
use super::computed::dependencies;
use super::leaves::{leaves, same};
use super::refusals::is_executed;
use super::replay::Replayed;
use super::traffic::{Came, Enveloped, Traffic, TrafficCall};
use super::usage_report::ReportNames;
use crate::engine::call::route::USAGE;
use crate::engine::call::rules::Rules;
use crate::engine::compute::{FUNCTIONS, PER_CALL};
use crate::scenario::FormPart;

/// A member that differs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MemberDifference {
    /// Where: `status`, `data.name`, `data.list[0].a`; `http` for the HTTP status.
    pub path: String,
    /// Of which answer: the first, or the result that came later.
    pub of_result: bool,
    /// What was captured; none where it is not there.
    pub recorded: Option<Json<'static>>,
    /// What the simulator answers.
    pub simulated: Option<Json<'static>>,
}

/// What comparing an exchange gives.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Compared {
    /// How many members were compared.
    pub members: usize,
    /// Those that differ.
    pub differences: Vec<MemberDifference>,
}

/// What is compared by its form alone, wherever it stands in the envelope, with the reason.
pub const BY_FORM: [(&str, &str); 8] = [
    ("verificationId", "each service has ids of its own"),
    ("meta.createdAt", "a time of the call"),
    (
        "meta.latencyMs",
        "a time of the call; delays are compared apart",
    ),
    ("billing.amount", "prices are the service's own"),
    (
        "billing.walletBalanceAfter",
        "what is left of a wallet depends on prices",
    ),
    (
        "what a call issues",
        "ids of flows, documents and payments, links to pages, and the time of the call",
    ),
    (
        "error.message",
        "its words are the service's own, where a code has them usually",
    ),
    (
        "amounts of a usage report",
        "prices are the service's own, and what is left of a wallet depends on them",
    ),
];

/// Members that the specification lets a service leave out.
const OPTIONAL: [&str; 3] = ["referenceId", "meta.createdAt", "meta.provider"];

/// Compares answers.
#[derive(Debug)]
pub(super) struct Comparison<'r> {
    rules: &'r Rules,
    /// By operation the members whose values are made up for each call.
    issued: BTreeMap<OperationIndex, BTreeSet<String>>,
    /// By error code the words that the service usually has for it.
    usual: BTreeMap<String, String>,
    /// How the paths of the amounts of a usage report end, in the form that it has.
    amounts: Vec<String>,
    /// How the paths of what each step of a bundle has for itself end, where a bundle has another form.
    of_step: Vec<String>,
}

impl<'r> Comparison<'r> {
    /// By the rows of these rules, of this traffic.
    #[must_use]
    pub(super) fn new(rules: &'r Rules, traffic: &Traffic) -> Self {
        let rows = rules.contract.indexed_operations();
        let issued = rows.map(|(at, _)| {
            let mut paths = BTreeSet::from([CONSENT_URL.to_owned()]);
            issued(rules.template(at), "", &mut paths);
            (at, paths)
        });
        Comparison {
            rules,
            issued: issued.collect(),
            usual: usual(traffic),
            amounts: match &traffic.shared.report {
                Some(form) => ends(&form.0, &["amount", "walletBalance"]),
                None => [".amount", "walletBalance"].map(str::to_owned).to_vec(),
            },
            of_step: match &traffic.shared.bundle {
                Some(form) => ends(&form.0, &["verificationId", "billing", "billing.amount"]),
                None => Vec::new(),
            },
        }
    }

    /// Compares what was captured with what the simulator answers.
    #[must_use]
    pub(super) fn compare(&self, call: &TrafficCall, here: &Replayed) -> Compared {
        let mut compared = Compared::default();
        if let Came::Fault(fault) = call.came {
            compared.members = 1;
            let is_alike = here
                .wire
                .is_some_and(|here| discriminant(&here) == discriminant(&fault));
            if !is_alike {
                compared.differences.push(MemberDifference {
                    path: "wire".to_owned(),
                    of_result: false,
                    recorded: Some(Json::from(format!("{fault:?}"))),
                    simulated: here.wire.map(|here| Json::from(format!("{here:?}"))),
                });
            }
            // What broke on the wire was heard when it was asked for again.
            if let Some(heard) = &call.result {
                self.envelopes(call, heard, (here.last(), here), false, &mut compared);
                return compared;
            }
        }
        if let Some(recorded) = call.answer() {
            self.envelopes(call, recorded, (&here.answer, here), false, &mut compared);
        }
        if let (Some(recorded), Some(result)) = (&call.result, &here.result) {
            self.envelopes(call, recorded, (result, here), true, &mut compared);
        }
        compared
    }

    fn envelopes(
        &self,
        call: &TrafficCall,
        recorded: &Enveloped,
        (answer, here): (&Enveloped, &Replayed),
        of_result: bool,
        out: &mut Compared,
    ) {
        let status = |of: &Enveloped| Json::Int(i64::from(of.status));
        let statuses = (status(recorded), status(answer));
        let contract = (call.path == USAGE).then_some(&*self.rules.contract);
        let there = members(contract, recorded, &statuses.0);
        let own = members(contract, answer, &statuses.1);
        let paths: BTreeSet<&String> = there.keys().chain(own.keys()).collect();
        // Of an error that is no outcome, and where it says what it always says, the words are the service's own.
        let usual = |code: &str| {
            let message = recorded
                .envelope
                .get("error")
                .and_then(|it| it.get("message"));
            let usual = self.usual.get(code).map(String::as_str);
            !is_executed(code) || message.and_then(Json::as_text) == usual
        };
        let refused = recorded.code().is_some_and(usual);
        let told = self.told(call, recorded);
        for path in paths {
            let pair = (there.get(path).copied(), own.get(path).copied());
            let is_told = !call.is_step || is_of_step(path);
            let is_form = self.is_form_of(told, call, path);
            let is_optional = OPTIONAL.contains(&path.as_str()) || is_form;
            if !is_told || pair.0.is_none() && is_optional {
                continue;
            }
            out.members += 1;
            let by_form = || {
                is_form
                    || refused && path == "error.message"
                    || pair.0.is_some_and(|there| is_time_of(recorded, there))
            };
            let alike = match pair {
                (Some(there), Some(own)) => {
                    let are_numbers = there.as_num().is_some() && own.as_num().is_some();
                    same(there, own)
                        || here.carried(there, own)
                        || (there.kind() == own.kind() || are_numbers) && by_form()
                }
                // What was charged before a price is known to both depends on the wallet.
                (Some(_), None) => by_form(),
                _ => false,
            };
            if !alike {
                out.differences.push(MemberDifference {
                    path: path.clone(),
                    of_result,
                    recorded: pair.0.cloned(),
                    simulated: pair.1.cloned(),
                });
            }
        }
    }

    /// Whether what a member says comes from an earlier step: a rule that can't name whom that step asked for would say
    /// it of everybody.
    #[must_use]
    pub(super) fn is_carried(&self, call: &TrafficCall, path: &str, names_somebody: bool) -> bool {
        let Some(operation) = call.operation else {
            return false;
        };
        let found = dependencies(self.rules.template(operation), path);
        let contract = &self.rules.contract;
        let carried = contract.carried_field(&contract.operations[operation]);
        let echoes = carried.is_some_and(|field| found.fields.contains(field));
        echoes || found.of_flow && !names_somebody
    }

    /// What an answer tells of: what was called, or what was called before, where that is looked up.
    fn told(&self, call: &TrafficCall, answer: &Enveloped) -> Told<'_> {
        let contract = &self.rules.contract;
        let endpoint = answer.text("endpoint");
        let looked_up = || contract.operation_index(endpoint);
        let mut bundles = contract.bundles.iter();
        Told {
            operation: call.operation.or_else(looked_up),
            bundle: bundle(contract, call).or_else(|| bundles.find(|it| it.endpoint() == endpoint)),
        }
    }

    /// Whether a member is compared by its form.
    #[must_use]
    pub(super) fn is_form(&self, call: &TrafficCall, path: &str) -> bool {
        let told = Told {
            operation: call.operation,
            bundle: bundle(&self.rules.contract, call),
        };
        self.is_form_of(told, call, path)
    }

    fn is_form_of(&self, told: Told<'_>, call: &TrafficCall, path: &str) -> bool {
        let of_call = |path: &str| {
            let issued = told.operation.and_then(|at| self.issued.get(&at));
            issued.is_some_and(|paths| paths.contains(path))
        };
        let of_envelope = |path: &str| BY_FORM[..6].iter().any(|(known, _)| *known == path);
        let Some(path) = path.strip_prefix("data.").map(without_positions) else {
            return of_envelope(path);
        };
        // Each step of a bundle is a verification of its own.
        let of_step = path.strip_prefix("steps[].");
        let ends = |ends: &[String]| ends.iter().any(|end| path.ends_with(end));
        of_call(&path)
            || call.path == USAGE && ends(&self.amounts)
            || told.operation.is_none() && of_step.is_some_and(of_envelope)
            || told.bundle.is_some() && ends(&self.of_step)
            || self.is_issued_by_step(told.bundle, &path)
    }

    /// Whether a step of a bundle makes a member up, in whatever form the bundle tells it.
    fn is_issued_by_step(&self, bundle: Option<&Bundle>, path: &str) -> bool {
        let contract = &self.rules.contract;
        let steps = bundle.map_or(&[][..], |bundle| &bundle.steps);
        let issued = steps.iter().filter_map(|step| {
            let operation = contract.operation_index(step)?;
            self.issued.get(&operation)
        });
        let ends = |issued: &String| {
            let before = path.strip_suffix(issued.as_str());
            before.is_some_and(|before| before.ends_with('.'))
        };
        issued.flatten().any(ends)
    }
}

/// What an answer tells of; neither where it is a usage report.
#[derive(Debug, Clone, Copy)]
struct Told<'c> {
    operation: Option<OperationIndex>,
    bundle: Option<&'c Bundle>,
}

/// How the paths end at which one of these words stands in a form, or the amount in it.
fn ends(form: &FormPart, wanted: &[&str]) -> Vec<String> {
    let found = form.words().into_iter();
    let found = found.filter(|(_, word)| wanted.contains(&word.word));
    let ends = found.map(|(path, word)| match word.word {
        "billing" => format!("{path}.amount"),
        _ => path,
    });
    ends.collect()
}

/// Whether a bundle tells of a step what stands there; what it charges is the bundle's.
fn is_of_step(path: &str) -> bool {
    path == "status" || path.starts_with("data") || path.starts_with("error")
}

/// What an answer says, by its path, and its status. Of a usage report, for which the contract is given, the rows are
/// what they are about, in whatever order they stand.
fn members<'j>(
    report_of: Option<&Contract>,
    of: &'j Enveloped,
    status: &'j Json<'static>,
) -> BTreeMap<String, &'j Json<'static>> {
    let names = report_of.and_then(|contract| ReportNames::of(contract, of));
    let called = |path: String| {
        let named = names.as_ref().and_then(|names| names.named(&path));
        named.unwrap_or(path)
    };
    let said = leaves(&of.envelope)
        .into_iter()
        .map(|(path, leaf)| (called(path), leaf.0));
    said.chain([("http".to_owned(), status)]).collect()
}

/// An answer is made in so many seconds before and after it says that it was.
const MADE_S: u64 = 2;

/// Whether a value is the time at which the answer that it stands in was made.
#[must_use]
pub(super) fn is_time_of(answer: &Enveloped, value: &Json<'_>) -> bool {
    let time = |value: Option<&Json<'_>>| -> Option<Timestamp> { value?.as_text()?.parse().ok() };
    let made = time(
        answer
            .envelope
            .get("meta")
            .and_then(|meta| meta.get("createdAt")),
    );
    made.zip(time(Some(value)))
        .is_some_and(|(made, value)| made.as_second().abs_diff(value.as_second()) <= MADE_S)
}

/// By error code the words that most inputs got, where several did.
fn usual(traffic: &Traffic) -> BTreeMap<String, String> {
    let mut said: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for call in &traffic.calls {
        let last = call.last();
        let error = last.and_then(|answer| answer.envelope.get("error"));
        let text = |name: &str| Some(error?.get(name)?.as_text()?.to_owned());
        if let (Some(code), Some(message)) = (text("code"), text("message")) {
            let input = format!("{} {}", call.path, call.json);
            said.entry((code, message)).or_default().insert(input);
        }
    }
    let mut usual: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((code, message), inputs) in said {
        let best = usual.get(&code).map_or(1, |(count, _)| *count);
        if inputs.len() > best {
            usual.insert(code, (inputs.len(), message));
        }
    }
    usual
        .into_iter()
        .map(|(code, (_, message))| (code, message))
        .collect()
}

/// A path in which every position is `[]`.
#[must_use]
pub(super) fn without_positions(path: &str) -> String {
    let mut out = String::new();
    for part in path.split_inclusive('[') {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let is_position = out.ends_with('[') && part[digits..].starts_with(']');
        out.push_str(if is_position { &part[digits..] } else { part });
    }
    out
}

/// The members of an answer that are made up for each call.
fn issued(template: &Template, path: &str, found: &mut BTreeSet<String>) {
    match template {
        Template::Object(members) => {
            for (name, value) in members {
                let below = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                issued(value, &below, found);
            }
        }
        Template::ForEach { item, .. } => issued(item, &format!("{path}[]"), found),
        Template::List(items) => items
            .iter()
            .for_each(|item| issued(item, &format!("{path}[]"), found)),
        Template::OnlyIf { value, .. } => issued(value, path, found),
        Template::Given { given, value, .. } => {
            issued(given, path, found);
            issued(value, path, found);
        }
        Template::Value(expr) if is_per_call(expr) => {
            found.insert(path.to_owned());
        }
        Template::Text(parts)
            if parts
                .iter()
                .any(|part| matches!(part, Part::Value(expr) if is_per_call(expr))) =>
        {
            found.insert(path.to_owned());
        }
        _ => {}
    }
}

fn is_per_call(expr: &Expr) -> bool {
    match expr {
        Expr::Call { function, args } => {
            let known = FUNCTIONS
                .iter()
                .find(|it| it.signature.name == function.as_str());
            function == PER_CALL
                || known.is_some_and(|it| it.needs_call)
                || args.iter().any(is_per_call)
        }
        _ => false,
    }
}

/// What explains a difference to people: what stands in both places.
#[must_use]
pub(super) fn shown(value: Option<&Json<'static>>) -> Arc<str> {
    value.map_or_else(|| "nothing".into(), |value| value.to_string().into())
}
