//! Identifiers: the sentinel, the inputs whose outcome the specification fixes, and the echo.

use svc_fixtures::contract::{ErrorCode, Field, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::entry::{Check, Stage};
use crate::plan::{Case, Ending, Place, Predicate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "identifiers.sentinel",
        title: "An identifier that contains the sentinel makes the source unavailable",
        clauses: &[
            "sandbox.sentinel",
            "errors.source-unavailable",
            "ruling.09-sentinel-first",
        ],
        stage: Stage::Sandbox,
        run: sentinel,
    },
    Check {
        id: "identifiers.fixed-by-specification",
        title: "The inputs that the specification fixes end as it says",
        clauses: &[
            "sandbox.pan-success",
            "sandbox.pan-no-record",
            "sandbox.otp",
        ],
        stage: Stage::Sandbox,
        run: specified,
    },
    Check {
        id: "identifiers.echo",
        title: "An answer's field that repeats an identifier has its value",
        clauses: &["ruling.30-echo"],
        stage: Stage::Sandbox,
        run: echo,
    },
];

fn sentinel(setting: &Setting<'_>) -> Vec<Case> {
    let row = &setting.contract.service.sentinel;
    let case = |operation: &Operation, field: &Field, text: &str, how: &str, clauses: &[&str]| {
        let mut case = Case::about(operation, how);
        lead::to_text(&mut case, setting, operation, field, text);
        clauses.iter().fold(case, |case, clause| {
            case.expecting(*clause, Rule::Ends(Ending::Error(row.error)))
        })
    };
    let cases = |operation: &Operation| {
        let mut cases = Vec::new();
        for (_, field) in operation.identifiers() {
            let sample = sample::value(setting.contract, field);
            let sample = sample::first_text(&sample);
            // In the middle and alone: it is a part of the text that counts, whatever its format.
            let inside = format!("{sample}{}x", row.text);
            let clauses = ["sandbox.sentinel", "errors.source-unavailable"];
            let ruled = ["ruling.09-sentinel-first"];
            let name = &field.name;
            cases.push(case(
                operation,
                field,
                &inside,
                &format!("inside {name}"),
                &clauses,
            ));
            cases.push(case(
                operation,
                field,
                &row.text,
                &format!("alone in {name}"),
                &ruled,
            ));
            if let Some(own) = &operation.sentinel {
                let clauses = [operation.clause.as_str()];
                cases.push(case(
                    operation,
                    field,
                    &format!("A {own} B"),
                    &format!("its own in {name}"),
                    &clauses,
                ));
            }
        }
        cases
    };
    setting.operations().flat_map(cases).collect()
}

fn specified(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for input in setting.inputs.iter().filter(|input| !input.refutes) {
        for operation in setting.operations() {
            let Some(field) = input.field(setting.contract, operation) else {
                continue;
            };
            let Some(ending) = input.ending(operation) else {
                continue;
            };
            let mut case = Case::about(operation, &format!("{} is {}", field.name, input.value));
            lead::to_text(&mut case, setting, operation, field, &input.value);
            let mut case = case.expecting(input.clause.clone(), Rule::Ends(ending));
            let done = setting
                .contract
                .step_of(&operation.id)
                .and_then(|(flow, at)| flow.steps[at].done_when.clone());
            if let (Some(member), Ending::Completed) = (done, ending) {
                let place = Place::of(["data", &member]);
                case = case.expecting(
                    input.clause.clone(),
                    Rule::Value(place, Predicate::Is(Json::Bool(true))),
                );
            }
            if ending == Ending::Error(ErrorCode::NoRecordFound) {
                case = case.expecting("states.no-record", Rule::Ends(ending));
            }
            cases.push(case);
        }
    }
    cases
}

fn echo(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "");
        let step = lead::to_success(&mut case, setting, operation);
        for (_, field) in operation.identifiers() {
            let said = operation.response.member(&field.name).is_some();
            let text = sample::value(setting.contract, field);
            let plain = text.as_text().is_some() && !setting.contract.carries(operation, field);
            if said && plain && Ending::success(operation) == Ending::Completed {
                let place = Place::of(["data", &field.name]);
                case.expect(
                    step,
                    "ruling.30-echo",
                    Rule::Value(place, Predicate::Is(text)),
                );
            }
        }
        (!case.steps[step].expect.is_empty()).then_some(case)
    };
    setting.operations().filter_map(case).collect()
}
