//! The wallet, seen in the answers alone: what one shows is what an earlier one showed, less what was charged
//! since. Asked of every service, with the cheapest operations there are.

use svc_fixtures::contract::{Environment, ErrorCode, Field, Operation, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use super::idempotency::another;
use super::registered;
use crate::capture::Channel;
use crate::plan::inputs::Input;
use crate::plan::{
    Case, EarlierValue, Ending, Place, Predicate, RequestTemplate, Rule, Setting, lead,
};

/// Before all that leaves calls pending on live: their results lower the balance while it is read.
pub(super) const FIRST: &[Check] = &[Check {
    id: "wallet.result",
    title: "A result that comes later lowers the balance once, by what it says",
    clauses: &["billing.hold", "idempotency.no-double-charge"],
    stage: Stage::Live,
    cases: Cases::PerOperation(result),
}];

// What is pending comes last: its results lower the balance while others are read.
pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "wallet.prices",
        title: "Calls of different prices lower the balance by their own",
        clauses: &["billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::Once(prices),
    },
    Check {
        id: "wallet.failures",
        title: "A source that fails lowers no balance, whatever the answer says",
        clauses: &["billing.failures-are-free"],
        stage: Stage::Live,
        cases: Cases::Once(failures),
    },
    Check {
        id: "wallet.source-down",
        title: "Of no operation a source that is down is charged, nor any failure that an input of live is known for, or a refusal; and no record by what it says",
        clauses: &["billing.failures-are-free"],
        stage: Stage::Live,
        cases: Cases::PerOperation(source_down),
    },
    Check {
        id: "wallet.sandbox",
        title: "A call of the sandbox takes nothing from the wallet of live, of whichever operation",
        clauses: &["billing.sandbox-free"],
        stage: Stage::Live,
        cases: Cases::Once(sandbox),
    },
    Check {
        id: "wallet.no-record",
        title: "No record is charged once, as a result is, and its replay costs nothing",
        clauses: &[
            "billing.no-record-is-billed",
            "billing.hold",
            "billing.balance-falls",
            "idempotency.no-double-charge",
        ],
        stage: Stage::Live,
        cases: Cases::Once(no_record),
    },
    Check {
        id: "wallet.conflict",
        title: "A conflict lowers no balance",
        clauses: &["billing.failures-are-free"],
        stage: Stage::Live,
        cases: Cases::Once(conflict),
    },
    Check {
        id: "wallet.pending",
        title: "On live a result that is not there yet is not charged, and its replay is the same call",
        clauses: &["billing.hold", "idempotency.replay"],
        stage: Stage::Live,
        cases: Cases::PerOperation(pending),
    },
];

const FREE: &str = "billing.failures-are-free";

/// The operations that are answered at once and take nothing from others, cheapest first.
pub(super) fn cheapest<'c>(setting: &Setting<'c>) -> Vec<&'c Operation> {
    let alone = |it: &&Operation| {
        it.pending.is_none() && it.price > Paise::ZERO && setting.contract.step_of(&it.id).is_none()
    };
    let mut found: Vec<_> = setting.operations().filter(alone).collect();
    found.sort_by_key(|it| it.price);
    found
}

fn on_live(operation: &Operation) -> Case {
    Case {
        environment: Environment::Live,
        ..Case::about(operation, "")
    }
}

fn prices(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = cheapest(setting);
    operations.dedup_by_key(|it| it.price);
    let mut case = Case {
        environment: Environment::Live,
        ..Case::new("one after the other")
    };
    let mut before = None;
    for operation in operations.into_iter().take(3) {
        let step = lead::to_success(&mut case, setting, operation);
        case.expect(step, "billing.conclusive", Rule::Charged(true));
        if let Some(before) = before {
            case.expect(step, "billing.balance-falls", Rule::BalanceFell(before));
        }
        before = Some(step);
    }
    of_known_inputs(&mut case, setting, before?);
    Some(vec![case])
}

/// Inputs that the specification knows on the sandbox: what they cost on live is what their answers say, whatever is
/// found.
fn of_known_inputs(case: &mut Case, setting: &Setting<'_>, mut before: usize) {
    let operations = cheapest(setting);
    for input in setting
        .inputs
        .iter()
        .filter(|it| it.clause.starts_with("sandbox."))
    {
        let completes = operations
            .iter()
            .filter(|it| input.ending(it) == Some(Ending::Completed));
        let mut takes = completes.filter_map(|it| Some((*it, input.field(setting.contract, it)?)));
        let taken = takes.find(|(_, field)| {
            // What is the sample is asked elsewhere.
            sample::value(setting.contract, field).as_text() != Some(&*input.value)
        });
        let Some((operation, field)) = taken else {
            continue;
        };
        let step = lead::to_input(case, setting, operation, field, input);
        case.expect(step, "billing.conclusive", Rule::Charged(true));
        case.expect(step, "billing.balance-falls", Rule::BalanceFell(before));
        before = step;
    }
}

/// The field of an operation that identifies its subject by the specification's own words.
pub(super) fn identifier(operation: &Operation) -> Option<&Field> {
    let mut fields = operation.identifiers().map(|(_, field)| field);
    fields.find(|field| !field.ruled.iter().any(|it| it == "identifies"))
}

/// Calls the operation with an input of live whose source is known to be down, else with the text that takes its source
/// down; answers the place.
pub(super) fn to_source_down(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
) -> Option<usize> {
    let down = Some(Ending::Error(setting.contract.service.sentinel.error));
    let mut known = setting.inputs.iter();
    let known = known.find_map(|input| {
        let field = input.field(setting.contract, operation)?;
        let here = input.environment == case.environment && input.ending(operation) == down;
        here.then_some((field, input))
    });
    if let Some((field, input)) = known {
        return Some(lead::to_input(case, setting, operation, field, input));
    }
    let sentinel = &setting.contract.service.sentinel.text;
    let field = identifier(operation)?;
    Some(lead::to_text(case, setting, operation, field, sentinel))
}

/// Whether a source can be down on live only the service knows: where it is not, the call costs its price.
pub(super) fn down(setting: &Setting<'_>) -> Rule {
    Rule::Ends(Ending::NoFaultBut(setting.contract.service.sentinel.error))
}

/// The source that is down, and what else an input is known for, each between two results.
fn failures(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operations = cheapest(setting);
    let mut operations = operations.into_iter();
    let operation = operations.find(|operation| identifier(operation).is_some())?;
    let mut case = on_live(operation);
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, FREE, Rule::Charged(true));
    let failed = to_source_down(&mut case, setting, operation)?;
    case.expect(failed, FREE, down(setting));
    case.push_again(first);
    let case = case.expecting(FREE, Rule::BalanceAddsUp(first));
    let refused = refused(setting, operation);
    let cases = [case].into_iter().chain(known_failures(setting));
    Some(cases.chain(refused).collect())
}

/// How many operations are asked with the sentinel in a field behind the first.
const ELSEWHERE: usize = 2;

/// What is refused, and sources that are down by an identifier behind the first one, between two results.
fn refused(setting: &Setting<'_>, operation: &Operation) -> Option<Case> {
    let mut case = on_live(operation);
    case.name += ": refusals, and sources that are down by another identifier";
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, FREE, Rule::Charged(true));
    let empty = case.steps[first].request.clone().raw("{}");
    let empty = case.push(empty);
    let field = identifier(operation)?;
    let malformed = lead::to_text(&mut case, setting, operation, field, "not-this-format");
    let nothing = Json::Object(Vec::new());
    let nowhere = RequestTemplate::post_to("/v1/verify/no-such-operation", nothing);
    let nowhere = case.push(nowhere.to(Environment::Live));
    for step in [empty, malformed, nowhere] {
        case.expect(step, FREE, Rule::Ends(Ending::NoFault));
    }
    let second = cheapest(setting).into_iter().filter_map(|operation| {
        let identifiers = operation.identifiers().map(|(_, field)| field);
        let ruled = |it: &&Field| it.ruled.iter().any(|key| key == "identifies");
        Some((operation, identifiers.filter(|it| !ruled(it)).nth(1)?))
    });
    for (operation, field) in second.take(ELSEWHERE) {
        let sentinel = &setting.contract.service.sentinel.text;
        let failed = lead::to_text(&mut case, setting, operation, field, sentinel);
        case.expect(failed, FREE, down(setting));
    }
    // What nobody has issued leads to nothing.
    let carries =
        |it: &&Operation| it.price > Paise::ZERO && setting.contract.carried_field(it).is_some();
    let later = setting
        .operations()
        .filter(carries)
        .min_by_key(|it| it.price);
    if let Some(later) = later {
        let call = lead::sample_call(setting, later).to(Environment::Live);
        let nowhere = case.push(call);
        case.expect(nowhere, FREE, Rule::Ends(Ending::NoFault));
    }
    case.push_again(first);
    Some(case.expecting(FREE, Rule::BalanceAddsUp(first)))
}

/// What fails on the sandbox may do so on live, too.
fn known_failures(setting: &Setting<'_>) -> Option<Case> {
    let (operation, _) = known_to_fail(setting).next()?;
    let mut case = on_live(operation);
    case.name += ": inputs that fail";
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, FREE, Rule::Charged(true));
    for (_, input) in known_to_fail(setting).filter(|(of, _)| of.id == operation.id) {
        let field = input.field(setting.contract, operation)?;
        let Some(Ending::Error(code)) = input.ending(operation) else {
            continue;
        };
        let ending = match input.environment {
            Environment::Live => Ending::Error(code),
            Environment::Test => Ending::NoFaultBut(code),
        };
        let failed = lead::to_input(&mut case, setting, operation, field, input);
        case.expect(failed, FREE, Rule::Ends(ending));
    }
    case.push_again(first);
    Some(case.expecting(FREE, Rule::BalanceAddsUp(first)))
}

/// Each input of which it is known that a source fails, with the cheapest operation that takes it.
fn known_to_fail<'s>(setting: &'s Setting<'_>) -> impl Iterator<Item = (&'s Operation, &'s Input)> {
    let operations = cheapest(setting);
    setting.inputs.iter().filter_map(move |input| {
        let fails = |operation: &Operation| {
            let ending = input.ending(operation);
            super::errors::outcomes(setting)
                .any(|row| !row.billed && ending == Some(Ending::Error(row.code)))
        };
        let mut takes = operations.iter();
        let takes = takes.find(|it| input.field(setting.contract, it).is_some() && fails(it))?;
        Some((*takes, input))
    })
}

fn source_down(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = on_live(operation);
    let costs = operation.price > Paise::ZERO;
    let down_by = to_source_down(&mut case, setting, operation).filter(|_| costs);
    let case = down_by.map(|_| case.expecting(FREE, down(setting)));
    let around = all_that_fails(setting, operation);
    let cases: Vec<_> = case.into_iter().chain(around).collect();
    (!cases.is_empty()).then_some(cases)
}

/// What inputs of live are known to fail for, and a refusal, between two results of the cheapest operation: they lower no
/// balance but by what an answer says that there is no record. Where no such input is known there is none.
fn all_that_fails(setting: &Setting<'_>, operation: &Operation) -> Option<Case> {
    let cheap = *cheapest(setting).first()?;
    let mut case = Case::about(operation, "all that fails").on(Environment::Live);
    let first = lead::to_success(&mut case, setting, cheap);
    case.expect(first, FREE, Rule::Charged(true));
    let fails = |ending: Ending| {
        super::errors::outcomes(setting).any(|row| ending == Ending::Error(row.code))
    };
    let mut inputs = 0;
    for input in setting
        .inputs
        .iter()
        .filter(|it| it.environment == Environment::Live)
    {
        let ending = input.ending(operation).filter(|ending| fails(*ending));
        if let (Some(field), Some(ending)) = (input.field(setting.contract, operation), ending) {
            let failed = lead::to_input(&mut case, setting, operation, field, input);
            case.expect(failed, FREE, Rule::Ends(ending));
            inputs += 1;
        }
    }
    if setting.contract.carried_field(operation).is_none() {
        let nothing = Json::Object(Vec::new());
        let refused = case.push(RequestTemplate::post(operation, nothing));
        case.expect(refused, FREE, Rule::Ends(Ending::Rejected));
    }
    case.push_again(first);
    (inputs > 0).then(|| case.expecting(FREE, Rule::BalanceAddsUp(first)))
}

/// A call of the sandbox between two of live.
fn sandbox(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = on_live(operation);
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, "billing.conclusive", Rule::Charged(true));
    let free = "billing.sandbox-free";
    // A key of the sandbox is none of live: under the same one live makes a call of its own.
    let plain = case.steps[first].request.clone();
    let call = plain.idempotency(&format!("{}-wallet-sandbox", setting.seed));
    let between = case.push(call.clone().to(Environment::Test));
    case.expect(between, free, Rule::Charged(false));
    let last = case.push(call);
    case.expect(last, "billing.conclusive", Rule::Charged(true));
    let one = case.expecting(free, Rule::BalanceAddsUp(first));
    let cases = [one].into_iter().chain(all_of_sandbox(setting, operation));
    Some(cases.collect())
}

/// How many calls of the sandbox are made at once between two of live.
const BETWEEN: usize = 12;

/// A call of every operation of the sandbox that needs none before it and is answered at once, some of them between two
/// calls of live.
fn all_of_sandbox(setting: &Setting<'_>, cheap: &Operation) -> Vec<Case> {
    let alone =
        |it: &&Operation| it.pending.is_none() && setting.contract.carried_field(it).is_none();
    let all: Vec<&Operation> = setting.operations().filter(alone).collect();
    let case = |some: &[&Operation]| {
        let mut case = Case::new(format!("{} and others", some[0].id)).on(Environment::Live);
        let first = lead::to_success(&mut case, setting, cheap);
        case.expect(first, "billing.conclusive", Rule::Charged(true));
        let from = case.steps.len();
        for operation in some {
            let call = lead::sample_call(setting, operation);
            case.push(call.to(Environment::Test));
        }
        case.send_together(from);
        case.push_again(first);
        case.expecting("billing.sandbox-free", Rule::BalanceAddsUp(first))
    };
    all.chunks(BETWEEN).map(case).collect()
}

/// The cheapest operation with an input that the specification knows no record of.
pub(super) fn without_record<'s>(setting: &'s Setting<'_>) -> Option<(&'s Operation, &'s Input)> {
    let none = Ending::Error(ErrorCode::NoRecordFound);
    cheapest(setting).into_iter().find_map(|operation| {
        let mut inputs = setting.inputs.iter();
        let input = inputs.find(|it| {
            it.field(setting.contract, operation).is_some() && it.ending(operation) == Some(none)
        })?;
        Some((operation, input))
    })
}

fn no_record(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (operation, input) = without_record(setting)?;
    let field = input.field(setting.contract, operation)?;
    let mut case = on_live(operation);
    let before = lead::to_success(&mut case, setting, operation);
    let first = lead::to_input(&mut case, setting, operation, field, input);
    let plain = case.steps[first].request.clone();
    let key = format!("{}-wallet-none", setting.seed);
    case.change(first, |request| {
        let request = request.idempotency(&key);
        request.header("x-reference-id", REFERENCE)
    });
    // Whether there is such a record on live the specification does not say: charged it is either way.
    let clause = "billing.no-record-is-billed";
    case.expect(first, clause, Rule::Ends(Ending::Understood));
    case.expect(first, "billing.balance-falls", Rule::BalanceFell(before));
    // Each call holds its price, and commits it on a conclusive result, whichever that is.
    let place = Place::of(["billing", "amount"]);
    let step = before;
    let same = Predicate::SameAs(EarlierValue {
        step,
        place: place.clone(),
    });
    case.expect(first, "billing.hold", Rule::Value(place, same));
    let again = case.push_again(first);
    let clause = "idempotency.no-double-charge";
    case.expect(again, clause, Rule::SameEnding(first));
    case.push(plain);
    Some(vec![case.expecting(clause, Rule::BalanceFell(first))])
}

fn conflict(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = on_live(operation);
    let first = lead::to_success(&mut case, setting, operation);
    let plain = case.steps[first].request.clone();
    let key = format!("{}-wallet-conflict", setting.seed);
    case.change(first, |request| request.idempotency(&key));
    case.expect(first, FREE, Rule::Charged(true));
    let other = another(setting, operation, &case.steps[first].request);
    let other = case.push(other);
    let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
    case.expect(other, "idempotency.conflict", conflict);
    case.push(plain);
    Some(vec![case.expecting(FREE, Rule::BalanceFell(first))])
}

fn pending(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    operation.pending.as_ref().filter(|row| row.always)?;
    let mut case = on_live(operation);
    let step = lead::to_success(&mut case, setting, operation);
    let key = format!("{}-wallet-pending-{}", setting.seed, operation.id);
    case.change(step, |request| request.idempotency(&key));
    case.expect(step, "billing.hold", Rule::succeeds(operation));
    case.expect(step, "billing.hold", Rule::Charged(false));
    // Its result may have come meanwhile: it is the same call all the same.
    case.push_again(step);
    Some(vec![case.expecting("idempotency.replay", Rule::OneId)])
}

/// Calls whose result may come later, and their replays before and after it, each between charged ones. Of a service
/// that follows the rulings results come with the account's clock, which other checks move.
fn result(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let consent = operation.pending.as_ref()?.by_consent.is_some();
    let comes = !setting.by_rulings() || setting.can_use(Channel::Registered);
    if !comes || consent || operation.price == Paise::ZERO {
        return None;
    }
    let cheap = *cheapest(setting).first()?;
    let inputs = registered::slow(setting, operation, Environment::Live).into_iter();
    let around = |input: Option<&Input>| {
        let value = input.map_or("", |input| &input.value);
        let mut case = Case::about(operation, value).on(Environment::Live);
        let first = lead::to_success(&mut case, setting, cheap);
        case.expect(first, "billing.conclusive", Rule::Charged(true));
        let call = registered::called(&mut case, setting, operation, input);
        let key = format!("{}-wallet-{}", setting.seed, case.name.replace(' ', "-"));
        case.change(call, |request| request.idempotency(&key));
        case.push_again(call);
        let second = case.push_again(first);
        case.expect(second, "billing.hold", Rule::BalanceAddsUp(first));
        case.push_again(call);
        case.push_again(first);
        let clause = "idempotency.no-double-charge";
        case.expecting(clause, Rule::BalanceAddsUp(second))
    };
    Some(inputs.map(around).collect())
}
