//! How far an idempotency key reaches: over which accounts, environments and operations, and for how long.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::control::{advance, fresh};
use super::entry::{Cases, Check, Stage};
use super::idempotency::{REPLAY, keyed};
use super::pending::pending;
use crate::capture::{Credential, KeyKind};
use crate::plan::law::seed_of;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "idempotency.other-keys",
        title: "A key that differs in its last character, in its case, in a hyphen or in zeros before it is another key",
        clauses: &["idempotency.replay", "idempotency.conflict"],
        stage: Stage::Sandbox,
        cases: Cases::Once(other_keys),
    },
    Check {
        id: "idempotency.scope",
        title: "A key is one account's in one environment, for all of its operations",
        clauses: &["ruling.14-accounts-are-apart", "ruling.18-same-body"],
        stage: Stage::Live,
        cases: Cases::Once(scope),
    },
    Check {
        id: "idempotency.retention",
        title: "A key is kept 24 hours, and as long as its verification is pending",
        clauses: &["ruling.18-key-retention"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(retention),
    },
];

fn other_keys(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = setting.operations();
    let (operation, call) = operations.find_map(|it| Some((it, keyed(setting, "near", it)?)))?;
    // As long as a UUID, the longest that is in common use.
    let begins: String = setting.seed.chars().rev().take(16).collect();
    let key = |last: char| format!("{begins:0<35}{last}");
    let mut case = Case::about(operation, "as long as a UUID");
    let first = case.push(call.clone().key(key('a')));
    let clause = "idempotency.replay";
    case.expect(first, clause, Rule::Ends(Ending::Understood));
    for last in ['b', 'A'] {
        let same = case.push(call.clone().key(key(last)));
        case.expect(same, clause, Rule::OtherId(first));
    }
    // A hyphen is no underscore.
    let [hyphen, underscore] =
        ["-a", "_a"].map(|end| case.push(call.clone().key(format!("{begins:0<34}{end}"))));
    case.expect(underscore, clause, Rule::OtherId(hyphen));
    // Nor is it nothing.
    let without = case.push(call.clone().key(format!("{begins:0<34}a")));
    case.expect(without, clause, Rule::OtherId(hyphen));
    // Digits are no number, and a quote is a character like any other.
    let number = 1_000_000_000 + seed_of(&setting.seed) % 1_000_000_000_000_000;
    let [zeros, number] =
        ["00", ""].map(|zeros| case.push(call.clone().key(format!("{zeros}{number}"))));
    case.expect(number, clause, Rule::OtherId(zeros));
    let quoted = case.push(call.clone().key(format!("{begins}'\"")));
    case.expect(quoted, clause, Rule::Ends(Ending::NoFault));
    let other = super::idempotency::another(setting, operation, &call);
    let other = case.push(other.key(key('c')));
    let clause = "idempotency.conflict";
    case.expect(other, clause, Rule::Ends(Ending::Understood));
    // Another wallet is another account's, whose keys are its own.
    if setting.has_key(Environment::Test, KeyKind::Poor) {
        let beside = call.clone().key(key('a'));
        let beside = case.push(beside.by(Credential::Given(KeyKind::Poor)));
        case.expect(beside, clause, Rule::Ends(Ending::Understood));
        case.expect(beside, clause, Rule::OtherId(first));
    }
    // The first key is not forgotten over the others.
    case.push_again(first);
    let same = Rule::SameResult(first);
    let case = case.expecting("idempotency.replay", same);
    let long = [200, 255].map(|length| long_keys(setting, operation, &call, length));
    Some([case].into_iter().chain(long).collect())
}

/// Keys much longer than is usual, which a service may refuse: what it takes it takes whole.
fn long_keys(
    setting: &Setting<'_>,
    operation: &Operation,
    call: &RequestTemplate,
    length: usize,
) -> Case {
    let begins = format!("{}-long-", setting.seed);
    let key = |last: char| format!("{begins:0<width$}{last}", width = length - 1);
    let mut case = Case::about(operation, &format!("{length} characters"));
    let first = case.push(call.clone().key(key('a')));
    let clause = "idempotency.replay";
    case.expect(first, clause, Rule::Ends(Ending::NoFault));
    case.push(call.clone().key(key('b')));
    case.expecting(clause, Rule::OtherId(first))
}

/// The sample call of an operation under this key.
fn under(
    setting: &Setting<'_>,
    operation: &Operation,
    extent: Extent,
    key: &str,
) -> RequestTemplate {
    let body = sample::body(setting.contract, operation, extent);
    RequestTemplate::post(operation, body).idempotency(key)
}

fn scope(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let key = format!("{}-scope", setting.seed);
    let mut operations = setting.operations();
    let (operation, call) = operations.find_map(|it| Some((it, keyed(setting, "scope", it)?)))?;
    let apart = "ruling.14-accounts-are-apart";

    let mut accounts = Case::new("two accounts").extension();
    let first = accounts.push(call.clone());
    let other = Credential::Another("somebody-else".to_owned());
    let theirs = accounts.push(call.clone().by(other));
    for rule in [
        Rule::OtherId(first),
        Rule::NoHeader(REPLAY),
        Rule::succeeds(operation),
    ] {
        accounts.expect(theirs, apart, rule);
    }

    // The first of the two, whichever it is, must not be in the way of the other.
    let environments = setting.environments.iter().map(|environment| {
        let extent = match environment {
            Environment::Test => Extent::Required,
            Environment::Live => Extent::All,
        };
        let mut case = Case::new("two environments").extension().on(*environment);
        let step = case.push(under(setting, operation, extent, &key));
        case.expect(step, apart, Rule::NoHeader(REPLAY));
        case.expecting(apart, Rule::succeeds(operation))
    });
    let mut cases: Vec<_> = environments.collect();
    cases.push(accounts);
    cases.extend(two_operations(setting));
    Some(cases)
}

/// Two operations whose least bodies are the same.
fn two_operations(setting: &Setting<'_>) -> Option<Case> {
    let least = |operation: &Operation| {
        let body = sample::body(setting.contract, operation, Extent::Required);
        (keyed(setting, "", operation).is_some()).then(|| body.to_string())
    };
    let mut known: Vec<(&Operation, String)> = Vec::new();
    for operation in setting.operations() {
        let Some(body) = least(operation) else {
            continue;
        };
        let twin = known.iter().find(|(_, other)| *other == body);
        if let Some((twin, _)) = twin {
            let key = format!("{}-two-operations", setting.seed);
            let mut case = Case::new("two operations, one body").extension();
            let first = case.push(under(setting, twin, Extent::Required, &key));
            let clause = "ruling.18-same-body";
            case.expect(first, clause, Rule::succeeds(twin));
            case.push(under(setting, operation, Extent::Required, &key));
            let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
            return Some(case.expecting(clause, conflict));
        }
        known.push((operation, body));
    }
    None
}

fn retention(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let clause = "ruling.18-key-retention";
    let kept_ms = setting.contract.service.idempotency_retention_ms;
    let key = format!("{}-kept-{}", setting.seed, operation.id);
    let by_a_person = operation
        .pending
        .as_ref()
        .is_some_and(|row| row.by_consent.is_some());
    let mut case = Case::about(operation, "").extension();
    fresh(&mut case);
    // A result that a person brings is not there until somebody acts.
    if by_a_person {
        let first = pending(&mut case, setting, operation)?;
        case.change(first, |request| request.idempotency(&key));
        advance(&mut case, 3 * kept_ms);
        let again = case.push_again(first);
        return Some(vec![case_of_replay(case, again, first)]);
    }
    // One that is answered at once stands for all of them.
    let mut operations = setting.operations();
    let chosen = operations.find(|it| it.pending.is_none() && keyed(setting, "", it).is_some())?;
    if chosen.id != operation.id {
        return None;
    }
    let call = keyed(setting, "kept", operation)?.idempotency(&key);
    let first = case.push(call.clone());
    advance(&mut case, kept_ms - 1);
    let again = case.push(call.clone());
    let mut case = case_of_replay(case, again, first);
    advance(&mut case, 1);
    let anew = case.push(call);
    for rule in [
        Rule::OtherId(first),
        Rule::NoHeader(REPLAY),
        Rule::succeeds(operation),
    ] {
        case.expect(anew, clause, rule);
    }
    // Under the same key another body is no conflict any more.
    advance(&mut case, kept_ms);
    let body = Json::object([("x", Json::Null)]);
    let other = RequestTemplate::post(operation, body).idempotency(&key);
    let other = case.push(other);
    case.expect(other, clause, Rule::fails(ErrorCode::InvalidInput));
    Some(vec![case])
}

fn case_of_replay(mut case: Case, again: usize, first: usize) -> Case {
    for rule in [Rule::SameBytes(first), Rule::Header(REPLAY, Some("true"))] {
        case.expect(again, "ruling.18-key-retention", rule);
    }
    case
}
