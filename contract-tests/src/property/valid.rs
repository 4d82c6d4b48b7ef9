//! Strategies for calls that obey the rows, with what each must come to: the operation's success,
//! or what an identifier in it fixes.

use proptest::prelude::*;
use svc_fixtures::contract::Operation;
use svc_fixtures::json::Json;
use svc_fixtures::sample;
use svc_fixtures::sample::any::Inputs;

use super::definition::Script;
use super::oracle;
use crate::plan::{Carry, Case, Ending, RequestTemplate, Rule, Setting, lead};

/// The value of an identifying field that fixes the outcome of a call.
#[derive(Debug, Clone)]
struct FixedInput {
    field: String,
    value: Json<'static>,
    ending: Ending,
    clause: &'static str,
}

/// One call that obeys the rows, after the calls its flow asks for.
pub(super) fn call(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let body = Inputs::new(setting.contract).body(&operation.request);
    let fix = fix(setting, operation);
    let environment = proptest::sample::select(setting.environments.clone());
    let reference = proptest::option::of("[!-~]{1,40}");
    let (own, leads) = (operation.clone(), leads(setting, operation));
    (body, fix, environment, reference)
        .prop_map(move |(mut body, fix, environment, reference)| {
            let lead = leads.of(fix.as_ref());
            for (name, value) in &lead.same {
                if body.get(name).is_some() {
                    body.set(name.clone(), value.clone());
                }
            }
            let mut case = lead.case.clone().on(environment);
            let (ending, clause) = match fix {
                None => (Ending::success(&own), "ruling.31-unnamed-inputs"),
                Some(fix) => {
                    body.set(fix.field, fix.value);
                    (fix.ending, fix.clause)
                }
            };
            let mut request = RequestTemplate::post(&own, body).carrying(lead.carries.clone());
            if let Some(reference) = reference {
                request = request.header("x-reference-id", reference);
            }
            case.push(request);
            Script::new(case.expecting(clause, Rule::Ends(ending)))
        })
        .boxed()
}

/// What may fix the outcome of an operation: most often nothing.
fn fix(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Option<FixedInput>> {
    let sentinel = &setting.contract.service.sentinel;
    let mut all = Vec::new();
    for (_, field) in operation.identifiers() {
        let by = |text: String, ending, clause| {
            Some(FixedInput {
                field: field.name.clone(),
                value: sample::with_text(setting.contract, field, &text),
                ending,
                clause,
            })
        };
        let unavailable = Ending::Error(sentinel.error);
        for text in sample::sentinel_texts(setting.contract, operation) {
            let clause = match text.contains(&sentinel.text) {
                true => "sandbox.sentinel",
                false => "sandbox.court-sentinel",
            };
            all.push(by(text, unavailable, clause));
        }
        for (status, ending) in oracle::statuses(setting, operation) {
            let text = sample::status_text(setting.contract, operation, field, status);
            all.push(by(text, ending, "ruling.32-fixed-inputs"));
        }
    }
    match all.is_empty() {
        true => Just(None).boxed(),
        false => prop_oneof![2 => Just(None), 1 => proptest::sample::select(all)].boxed(),
    }
}

/// The calls before an operation: with an issued identifier, and where it needs none.
struct Leads {
    issued: Lead,
    none: Lead,
    carried: Option<String>,
}

/// Calls before a call, what it takes from them, and what it must repeat of them.
#[derive(Clone)]
struct Lead {
    case: Case,
    carries: Vec<Carry>,
    same: Vec<(String, Json<'static>)>,
}

fn leads(setting: &Setting<'_>, operation: &Operation) -> Leads {
    let mut case = Case::about(operation, "valid");
    let none = Lead {
        case: case.clone(),
        carries: Vec::new(),
        same: Vec::new(),
    };
    let (carries, _) = lead::before(&mut case, setting, operation);
    let step = setting.contract.step_of(&operation.id);
    let carried = step.and_then(|(flow, at)| flow.steps[at].takes.clone());
    Leads {
        issued: Lead {
            case,
            carries,
            same: same(setting, operation),
        },
        none,
        carried,
    }
}

/// What a later step of a flow must repeat of the first one, as [`lead::before`] calls it.
fn same(setting: &Setting<'_>, operation: &Operation) -> Vec<(String, Json<'static>)> {
    let Some((flow, at)) = setting.contract.step_of(&operation.id) else {
        return Vec::new();
    };
    let Some(first) = setting.contract.operation(&flow.steps[0].operation) else {
        return Vec::new();
    };
    let said = |name: &String| {
        let field = &first.request[first.field(name)?];
        Some((name.clone(), sample::value(setting.contract, field)))
    };
    flow.steps[at].same.iter().filter_map(said).collect()
}

impl Leads {
    /// A carried identifier that is itself a fixed input need not have been issued.
    fn of(&self, fix: Option<&FixedInput>) -> &Lead {
        match fix {
            Some(fix) if Some(&fix.field) == self.carried.as_ref() => &self.none,
            _ => &self.issued,
        }
    }
}
