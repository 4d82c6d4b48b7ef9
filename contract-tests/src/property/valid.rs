//! Strategies for calls that obey the rows, with what each must come to: the operation's success,
//! or what an identifier in it fixes.

use proptest::prelude::*;
use svc_fixtures::contract::Operation;
use svc_fixtures::json::Json;

use super::law::Script;
use super::{foresee, values};
use crate::plan::{Ask, Carry, Case, Ending, Members, Payload, Rule, Setting, fixed, sample, set};

/// What fixes the outcome of a call.
#[derive(Debug, Clone)]
pub(super) enum Fix {
    /// Nothing: it succeeds.
    Success,
    /// The value of an identifying field.
    By {
        field: String,
        value: Json<'static>,
        ending: Ending,
        clause: &'static str,
    },
}

/// One call that obeys the rows, after the calls its flow asks for.
pub(super) fn call(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let fields = values::body(setting.contract, &operation.request);
    let extra = proptest::collection::vec(("x_[a-z]{1,6}", values::any_json()), 0..3);
    let fix = fix(setting, operation);
    let environment = proptest::sample::select(setting.environments.clone());
    let reference = proptest::option::of("[!-~]{1,40}");
    let (own, leads) = (operation.clone(), leads(setting, operation));
    (fields, extra, fix, environment, reference)
        .prop_map(move |(mut body, extra, fix, environment, reference)| {
            for (name, value) in extra {
                set(&mut body, &name, value);
            }
            let lead = leads.of(&fix);
            lead.suit(&mut body);
            let mut case = lead.case.clone().on(environment);
            let mut ask = Ask::post(&own, Members::new());
            ask.carries.clone_from(&lead.carries);
            let (ending, clause) = match &fix {
                Fix::Success => (Ending::success(&own), "ruling.31-unnamed-inputs"),
                Fix::By {
                    field,
                    value,
                    ending,
                    clause,
                } => {
                    set(&mut body, field, value.clone());
                    (*ending, *clause)
                }
            };
            ask.payload = Payload::Object(body);
            if let Some(reference) = reference {
                ask = ask.header("x-reference-id", reference);
            }
            case.push(ask);
            Script::new(case.expecting(clause, Rule::Ends(ending)))
        })
        .boxed()
}

/// What may fix the outcome of an operation: most often nothing.
pub(super) fn fix(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Fix> {
    let sentinel = &setting.contract.service.sentinel;
    let mut all = Vec::new();
    for (_, field) in operation.identifiers() {
        let sample = sample::value(setting.contract, field);
        let by = |text: String, ending, clause| Fix::By {
            field: field.name.clone(),
            value: fixed::with_text(sample.clone(), text),
            ending,
            clause,
        };
        let unavailable = Ending::Error(sentinel.error);
        let texts = [sentinel.text.clone(), format!("x {} y", sentinel.text)];
        all.extend(texts.map(|text| by(text, unavailable, "sandbox.sentinel")));
        all.extend(operation.sentinel.as_ref().map(|text| {
            let text = format!("{text} PERSON");
            by(text, unavailable, "sandbox.court-sentinel")
        }));
        for (status, ending) in foresee::statuses(setting, operation) {
            let text = fixed::text(setting, operation, field, status);
            all.push(by(text, ending, "ruling.32-fixed-inputs"));
        }
    }
    match all.is_empty() {
        true => Just(Fix::Success).boxed(),
        false => prop_oneof![2 => Just(Fix::Success), 1 => proptest::sample::select(all)].boxed(),
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
    let (carries, _) = sample::lead(&mut case, setting, operation);
    let step = setting.step_of(&operation.id);
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

/// What a later step of a flow must repeat of the first one, as [`sample::lead`] calls it.
pub(super) fn same(setting: &Setting<'_>, operation: &Operation) -> Vec<(String, Json<'static>)> {
    let Some((flow, at)) = setting.step_of(&operation.id) else {
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
    fn of(&self, fix: &Fix) -> &Lead {
        match fix {
            Fix::By { field, .. } if Some(field) == self.carried.as_ref() => &self.none,
            _ => &self.issued,
        }
    }
}

impl Lead {
    fn suit(&self, body: &mut Members) {
        for (name, value) in &self.same {
            if body.iter().any(|(known, _)| known == name) {
                set(body, name, value.clone());
            }
        }
    }
}
