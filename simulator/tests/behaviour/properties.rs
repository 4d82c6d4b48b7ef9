//! Generated valid requests for every operation: the outcome that was chosen, in the exact form of
//! the row, the same in another simulator, and with what it was asked for.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use svc_fixtures::contract::{
    Contract, ErrorCode, FieldIndex, Operation, OperationIndex, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample::any::runner;
use svc_fixtures::template::{Answers, Expr, Part, Root, Template};
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::engine::compute;
use svc_simulator::scenario::{Choice, MatchInput, OutcomeKind, RequestContext};

use crate::samples::Catalogue;
use crate::scene::Answer;

const CASES: u32 = 24;

/// How a call must be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Completed,
    Pending,
    Error(ErrorCode),
}

fn expected(rules: &Rules, index: OperationIndex, body: &Json<'_>) -> Expected {
    let operation = &rules.contract.operations[index];
    let field = |at: FieldIndex| {
        let field = &operation.request[at];
        match (body.get(&field.name), &field.presence) {
            (Some(value), _) | (None, Presence::Default(value)) => Some(value),
            (None, _) => None,
        }
    };
    let question = MatchInput {
        operation: index,
        field: &field,
        context: RequestContext::plain("local", Environment::Test),
    };
    let always = operation.pending.as_ref().is_some_and(|it| it.always);
    let success = match always {
        true => Expected::Pending,
        false => Expected::Completed,
    };
    match rules.scenarios.choose(&rules.contract, &question) {
        Choice::NoMatch => success,
        Choice::Scenario(number) => match &rules.scenarios.get(number).then[0].kind {
            OutcomeKind::Success(_) => success,
            OutcomeKind::Error { code, .. } => Expected::Error(*code),
            OutcomeKind::Pending { .. } => Expected::Pending,
            // No built-in rule leaves its ending to others.
            OutcomeKind::AsUsual => unreachable!("{body}"),
        },
    }
}

/// The members of an answer that repeat a field of the request and nothing else.
fn echoes(answers: &Answers, operation: &Operation) -> Vec<(String, String)> {
    let Template::Object(members) = &answers.by_operation[&operation.id] else {
        panic!("{}: an answer is an object", operation.id)
    };
    let repeated = |template: &Template| match template {
        Template::Value(Expr::Path {
            root: Root::Request,
            parts,
        }) => match parts.as_slice() {
            [field] => Some(field.clone()),
            _ => None,
        },
        _ => None,
    };
    let members = members.iter();
    members
        .filter_map(|(name, template)| Some((name.clone(), repeated(template)?)))
        .collect()
}

fn answers(contract: &Contract) -> Answers {
    let sources = svc_fixtures::embedded::answers();
    Answers::read(
        &sources,
        contract,
        &compute::signatures(),
        WorldRows::built_in(),
    )
    .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Puts what the earlier steps gave into a generated body.
fn carry(body: &mut Json<'static>, operation: &Operation, carried: &[(String, Json<'static>)]) {
    for (name, value) in carried {
        let index = operation.field(name).expect("a field");
        let required = operation.request[index].presence == Presence::Required;
        if required || body.get(name).is_some() {
            body.set(name.clone(), value.clone());
        }
    }
}

/// Two simulators that are asked the same.
struct Pair {
    one: Catalogue,
    other: Catalogue,
}

impl Pair {
    /// Begins the flow that an operation goes on with, in both.
    fn carried(&self, operation: &Operation) -> Vec<(String, Json<'static>)> {
        let carried = self.one.carried(operation, Environment::Test);
        let same = self.other.carried(operation, Environment::Test);
        assert_eq!(carried, same, "{}", operation.id);
        self.other.carried(operation, Environment::Live);
        carried
    }

    /// Asks both; what another account asks in between makes no difference.
    fn ask(&self, operation: &Operation, body: &Json<'_>) -> Result<Answer, TestCaseError> {
        let first = self.one.send(operation, body, Environment::Test);
        self.other.send(operation, body, Environment::Live);
        let second = self.other.send(operation, body, Environment::Test);
        prop_assert_eq!(first.to_string(), second.to_string());
        Ok(first)
    }
}

fn judge(
    operation: &Operation,
    contract: &Contract,
    answer: &Answer,
    expected: Expected,
) -> Result<(), TestCaseError> {
    let outcome = match expected {
        Expected::Completed => "200 completed".to_owned(),
        Expected::Pending => {
            let pending = operation.pending.as_ref().expect("it can be pending");
            format!("{} pending", pending.status)
        }
        Expected::Error(code) => format!("{} {code}", contract.error(code).status),
    };
    prop_assert_eq!(answer.outcome(), outcome);
    let json = answer.json();
    let mistakes = contract.service.envelope.mistakes(&json);
    prop_assert!(mistakes.is_empty(), "{:?}", mistakes);
    let shape = match expected {
        Expected::Completed => operation.response.clone(),
        Expected::Pending => operation.pending_shape().expect("it can be pending"),
        Expected::Error(_) => {
            prop_assert!(json.get("data").is_none());
            return Ok(());
        }
    };
    let data = json.get("data").expect("a success has data");
    let mistakes = shape.mistakes(data);
    prop_assert!(mistakes.is_empty(), "{:?} in {}", mistakes, data);
    Ok(())
}

fn judge_echoes(
    echoes: &[(String, String)],
    operation: &Operation,
    body: &Json<'_>,
    data: &Json<'_>,
) -> Result<(), TestCaseError> {
    for (member, field) in echoes {
        if let Some(sent) = body.get(field) {
            prop_assert_eq!(data.get(member), Some(sent), "{} {}", operation.id, member);
        }
    }
    Ok(())
}

#[test]
fn every_valid_request_gets_its_outcome_in_the_exact_form_and_twice_the_same_bytes() {
    let pair = Pair {
        one: Catalogue::new(),
        other: Catalogue::new(),
    };
    let (rules, contract) = (&*pair.one.rules, pair.one.contract());
    let (inputs, answers) = (pair.one.inputs(), answers(contract));
    for (index, operation) in contract.indexed_operations() {
        let echoes = echoes(&answers, operation);
        let begun = pair.carried(operation);
        let mut steps = contract.flows.iter().flat_map(|flow| &flow.steps);
        let is_limited = steps.any(|step| step.operation == operation.id && step.tries.is_some());
        let outcome = runner(CASES).run(&inputs.body(&operation.request), |mut body| {
            // A secret that was wrong some times is not taken any more.
            let again = is_limited.then(|| pair.carried(operation));
            carry(&mut body, operation, again.as_ref().unwrap_or(&begun));
            let answer = pair.ask(operation, &body)?;
            let expected = match rules.no_record(index) {
                // Who is known has one date of birth.
                Some(row) if answer.at("error.message") == *row.message => {
                    Expected::Error(ErrorCode::NoRecordFound)
                }
                _ => expected(rules, index, &body),
            };
            judge(operation, contract, &answer, expected)?;
            match (expected, answer.json().get("data")) {
                (Expected::Completed, Some(data)) => judge_echoes(&echoes, operation, &body, data),
                _ => Ok(()),
            }
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}

/// Whether an expression looks at a field of the request.
fn looks_at(expr: &Expr, field: &str) -> bool {
    match expr {
        Expr::Path {
            root: Root::Request,
            parts,
        } => parts.first().is_some_and(|name| name == field),
        Expr::Call { args, .. } => args.iter().any(|arg| looks_at(arg, field)),
        Expr::Path { .. } | Expr::Literal(_) => false,
    }
}

/// The country and state of an address are those found; the request has those expected.
const OTHER_MEANING: [(&str, &str); 2] = [
    ("verify.address.geo-fence", "country"),
    ("verify.address.geo-fence", "state"),
];

#[test]
fn a_member_named_like_a_field_of_the_request_is_made_from_it() {
    let contract = Contract::built_in();
    let answers = answers(&contract);
    for operation in &contract.operations {
        let Template::Object(members) = &answers.by_operation[&operation.id] else {
            panic!("{}: an answer is an object", operation.id)
        };
        for (name, template) in members {
            let other = OTHER_MEANING.contains(&(operation.id.as_str(), name.as_str()));
            if operation.field(name).is_none() || other {
                continue;
            }
            let made = match template {
                Template::Value(expr) => looks_at(expr, name),
                Template::Text(parts) => parts
                    .iter()
                    .any(|part| matches!(part, Part::Value(expr) if looks_at(expr, name))),
                _ => false,
            };
            assert!(made, "{}: {name} does not heed the request", operation.id);
        }
    }
}
