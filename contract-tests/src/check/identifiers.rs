//! Identifiers: the sentinel, the inputs whose outcome the specification fixes, and the echo.

use svc_fixtures::contract::{Environment, ErrorCode, Field, Operation, Rule as FormatRule};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use crate::plan::inputs::Input;
use crate::plan::{Case, Ending, Expectation, Rule, Setting, lead};

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
        cases: Cases::PerOperation(sentinel),
    },
    Check {
        id: "identifiers.fixed-by-specification",
        title: "The inputs that the specification fixes end as it says",
        clauses: &[
            "sandbox.pan-success",
            "sandbox.pan-no-record",
            "sandbox.otp",
            "sandbox.mobile",
            "sandbox.clean-person",
            "sandbox.sanctioned-person",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(specified),
    },
    Check {
        id: "identifiers.known-on-live",
        title: "The inputs of live that a file names end as it says, and what is conclusive is charged",
        clauses: &[],
        stage: Stage::Live,
        cases: Cases::Once(known_on_live),
    },
    Check {
        id: "identifiers.echo",
        title: "An answer's field that repeats an identifier has its value",
        clauses: &["ruling.30-echo"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(echo),
    },
];

fn sentinel(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let row = &setting.contract.service.sentinel;
    let case = |field: &Field, text: &str, how: &str, clauses: &[&str]| {
        let mut case = Case::about(operation, &format!("{how} {}", field.name));
        let step = lead::to_text(&mut case, setting, operation, field, text);
        case.change(step, |request| request.header("x-reference-id", REFERENCE));
        case.expect_each(step, clauses.iter().copied(), &Rule::fails(row.error));
        case
    };
    // A source that is down stays down: when it is asked again, and when a key is sent again.
    let again = |field: &Field, text: &str| {
        let mut case = Case::about(operation, &format!("inside {}, again", field.name));
        let first = lead::to_text(&mut case, setting, operation, field, text);
        let plain = case.push_again(first);
        let key = format!("{}-sentinel-{}-{}", setting.seed, operation.id, field.name);
        let keyed = case.steps[first].request.clone().idempotency(&key);
        let keyed = [case.push(keyed.clone()), case.push(keyed)];
        for step in [first, plain].into_iter().chain(keyed) {
            case.expect(step, "sandbox.sentinel", Rule::fails(row.error));
        }
        // It is down for these calls, and for no other.
        case.push(lead::sample_call(setting, operation));
        case.expecting(&operation.clause, Rule::succeeds(operation))
    };
    let cases = |field: &Field| {
        let sample = sample::value(setting.contract, field);
        let sample = sample::first_text(&sample);
        // In the middle and alone: it is a part of the text that counts, whatever its format.
        let inside = format!("{sample}{}x", row.text);
        let ruled = ["ruling.09-sentinel-first"];
        let clauses = ["sandbox.sentinel", "errors.source-unavailable", ruled[0]];
        // Whether a name, an address or a URL is an identifier only a ruling says.
        let identifies = !field.ruled.iter().any(|key| key == "identifies");
        let inside_clauses = if identifies {
            &clauses[..2]
        } else {
            &clauses[2..]
        };
        let mut cases = vec![
            case(field, &inside, "inside", inside_clauses),
            case(field, &row.text, "alone in", &ruled),
        ];
        let formed = setting.contract.format_of(&field.kind).is_some();
        if identifies && formed && setting.contract.carried_field(operation).is_none() {
            cases.push(again(field, &inside));
        }
        if let Some(own) = &operation.sentinel {
            let text = format!("A {own} B");
            cases.push(case(field, &text, "its own in", &[&operation.clause]));
        }
        cases
    };
    let identifiers = operation.identifiers();
    Some(identifiers.flat_map(|(_, field)| cases(field)).collect())
}

fn specified(setting: &Setting<'_>) -> Option<Vec<Case>> {
    Some(fixed(setting, Environment::Test))
}

/// On live no input is fixed but those of a file that was given. A conclusive answer is charged; what costs nothing is
/// asked between two results.
fn known_on_live(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut cases = fixed(setting, Environment::Live);
    let fails = |it: &Expectation| {
        let mut unbilled = super::errors::outcomes(setting).filter(|row| !row.billed);
        unbilled.any(|row| it.rule == Rule::fails(row.code))
    };
    cases.retain(|case| !case.steps[case.steps.len() - 1].expect.iter().any(fails));
    for case in &mut cases {
        let last = case.steps.len() - 1;
        let conclusive = |it: &Expectation| {
            let no_record = Rule::fails(ErrorCode::NoRecordFound);
            [Rule::Ends(Ending::Completed), no_record].contains(&it.rule)
        };
        if case.steps[last].expect.iter().any(conclusive) {
            case.expect(last, "billing.conclusive", Rule::Charged(true));
        }
    }
    Some(cases)
}

fn fixed(setting: &Setting<'_>, environment: Environment) -> Vec<Case> {
    let case = |input: &Input, operation: &Operation| {
        let field = input.field(setting.contract, operation)?;
        let ending = input.ending(operation)?;
        let ends = Rule::Ends(ending);
        let name = format!("{} is {}", field.name, input.value);
        let mut case = Case::about(operation, &name).on(environment);
        let step = lead::to_input(&mut case, setting, operation, field, input);
        case.change(step, |request| request.header("x-reference-id", REFERENCE));
        case.expect(step, &input.clause, ends.clone());
        let flow = setting.contract.step_of(&operation.id);
        let done = flow.and_then(|(flow, at)| flow.steps[at].done_when.as_ref());
        if let (Some(member), Ending::Completed) = (done, ending) {
            case.expect(step, &input.clause, Rule::is(["data", member], true));
        }
        if ending == Ending::Error(ErrorCode::NoRecordFound) {
            case.expect(step, "states.no-record", ends);
        }
        Some(case)
    };
    let inputs = setting.inputs.iter();
    let inputs = inputs.filter(|input| !input.refutes && input.environment == environment);
    let cases = inputs.flat_map(|input| {
        let operations = setting.operations();
        operations.filter_map(move |operation| case(input, operation))
    });
    cases.collect()
}

fn echo(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let step = lead::to_success(&mut case, setting, operation);
    for field in repeated(setting, operation) {
        let text = sample::value(setting.contract, field);
        if is_echoed(setting, field) {
            case.expect(step, &operation.clause, Rule::succeeds(operation));
            let echoes = Rule::Echoes(field.name.clone());
            case.expect(step, &operation.clause, echoes);
        }
        let same = Rule::is(["data", &field.name], text);
        case.expect(step, "ruling.30-echo", same);
    }
    // An answer that was kept from the call before is about somebody else. Of formats with values at their borders each of
    // these is asked anyway, where what is accepted is.
    let mut echoed = repeated(setting, operation).filter(|field| is_echoed(setting, field));
    let unasked = echoed.find_map(|field| {
        let asked = sample::accepted(setting.contract, field).is_empty();
        Some((field, with_another_digit(setting, field).filter(|_| asked)?))
    });
    if let Some((field, text)) = unasked {
        let other = lead::to_text(&mut case, setting, operation, field, &text);
        let echoes = Rule::Echoes(field.name.clone());
        case.expect(other, &operation.clause, echoes);
    }
    (!case.steps[step].expect.is_empty()).then(|| vec![case])
}

/// The identifiers that an operation repeats in its answer.
fn repeated<'o>(
    setting: &'o Setting<'_>,
    operation: &'o Operation,
) -> impl Iterator<Item = &'o Field> {
    let completes = Ending::success(operation) == Ending::Completed;
    let fields = operation.identifiers().map(|(_, field)| field);
    fields.filter(move |field| {
        let said = operation.response.member(&field.name).is_some();
        let text = sample::value(setting.contract, field);
        let plain = text.as_text().is_some() && !setting.contract.carries(operation, field);
        said && plain && completes
    })
}

/// Whether the answer to a call repeats its identifiers: on live nothing is left out of them or made unreadable either.
pub(super) fn expect_repeated(
    case: &mut Case,
    step: usize,
    setting: &Setting<'_>,
    operation: &Operation,
) {
    for field in repeated(setting, operation).filter(|field| is_echoed(setting, field)) {
        case.expect(step, &operation.clause, Rule::Echoes(field.name.clone()));
    }
}

/// Whether the answer of an operation repeats this identifier.
pub(super) fn echoes(setting: &Setting<'_>, operation: &Operation, field: &Field) -> bool {
    let mut all = repeated(setting, operation).filter(|field| is_echoed(setting, field));
    all.any(|echoed| echoed.name == field.name)
}

/// The sample of a field with another digit, the last that can be another.
fn with_another_digit(setting: &Setting<'_>, field: &Field) -> Option<String> {
    let sample = sample::value(setting.contract, field);
    let text = sample.as_text()?;
    let mut others = (0..text.len()).rev().filter_map(|at| {
        let digit = text.get(at..)?.chars().next()?.to_digit(10)?;
        Some(format!(
            "{}{}{}",
            &text[..at],
            (digit + 7) % 10,
            &text[at + 1..]
        ))
    });
    let formats = &setting.contract.formats;
    others.find(|other| {
        field
            .check(&Json::from(other.clone()), formats, &[])
            .is_ok()
    })
}

/// Whether an answer repeats its letters and digits, however they are set: not those of names, addresses and measures,
/// which may be written in many ways.
fn is_echoed(setting: &Setting<'_>, field: &Field) -> bool {
    let ruled = field.ruled.iter().any(|key| key == "identifies");
    let format = setting.contract.format_of(&field.kind);
    let measured = format.is_some_and(|it| matches!(it.rule, FormatRule::Decimal { .. }));
    !ruled && !measured
}
