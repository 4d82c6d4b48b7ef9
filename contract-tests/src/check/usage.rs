//! What the usage tells of an endpoint, whatever its members are called: the specification names the path and says
//! that it is for the spend of each endpoint.

use svc_fixtures::contract::{Environment, ErrorCode};

use super::entry::{Cases, Check, Stage};
use super::idempotency::another;
use super::wallet::{cheapest, identifier, to_source_down};
use crate::capture::{Credential, KeyKind};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, USAGE, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "usage.spend",
        title: "What a call was charged is in the usage of its endpoint, and nothing of one that was free",
        clauses: &["usage.endpoint", "billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::Once(spend),
    },
    Check {
        id: "usage.apart",
        title: "Calls of the other environment, and of another account, are not in the usage",
        clauses: &["usage.endpoint"],
        stage: Stage::Live,
        cases: Cases::Once(apart),
    },
];

fn apart(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = cheapest(setting).into_iter().next()?;
    let case = |here: Environment, there: Environment| {
        let mut case = Case::about(operation, "").on(here);
        let before = case.push(RequestTemplate::get(USAGE));
        lead::to_success(&mut case, setting, operation);
        let between = case.push_again(before);
        for _ in 0..2 {
            let beside = lead::to_success(&mut case, setting, operation);
            case.change(beside, |call| call.to(there));
        }
        case.push_again(before);
        let steps = [before, between];
        let endpoint = operation.id.clone();
        case.expecting("usage.endpoint", Rule::UsageApart { steps, endpoint })
    };
    let both = [
        case(Environment::Test, Environment::Live),
        case(Environment::Live, Environment::Test),
    ];
    // The same of another account, whose wallet covers nothing: what a call of the sandbox needs.
    let account = setting.has_key(Environment::Test, KeyKind::Poor).then(|| {
        let other = || Credential::Given(KeyKind::Poor);
        let mut case = Case::about(operation, "of another account");
        let before = case.push(RequestTemplate::get(USAGE).by(other()));
        let call = lead::to_success(&mut case, setting, operation);
        case.change(call, |call| call.by(other()));
        let between = case.push_again(before);
        for _ in 0..2 {
            lead::to_success(&mut case, setting, operation);
        }
        case.push_again(before);
        let steps = [before, between];
        let endpoint = operation.id.clone();
        case.expecting("usage.endpoint", Rule::UsageApart { steps, endpoint })
    });
    let live = setting.live();
    let both = both.into_iter().filter(|_| live);
    Some(both.chain(account).collect())
}

fn spend(setting: &Setting<'_>) -> Option<Vec<Case>> {
    // One whose price is told from the number of its calls.
    let mut operations = cheapest(setting).into_iter();
    let operation = operations.find(|it| identifier(it).is_some() && it.price.0 % 100 != 0)?;
    let mut case = Case::about(operation, "").on(Environment::Live);
    let clause = "usage.endpoint";
    let before = case.push(RequestTemplate::get(USAGE));
    case.expect(before, clause, Rule::Exists);
    let charged = lead::to_success(&mut case, setting, operation);
    let key = format!("{}-usage-{}", setting.seed, operation.id);
    case.change(charged, |call| call.idempotency(&key));
    case.expect(charged, "billing.conclusive", Rule::Charged(true));
    // What is charged once is told once.
    let again = case.push_again(charged);
    case.expect(again, "idempotency.replay", Rule::SameResult(charged));
    let between = case.push_again(before);
    let other = another(setting, operation, &case.steps[charged].request);
    let other = case.push(other);
    let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
    case.expect(other, "idempotency.conflict", conflict);
    let free = to_source_down(&mut case, setting, operation)?;
    let down = Ending::NoFaultBut(setting.contract.service.sentinel.error);
    case.expect(free, "billing.failures-are-free", Rule::Ends(down));
    let after = case.push_again(before);
    let endpoint = operation.id.clone();
    let rule = Rule::Spend {
        steps: [before, between],
        endpoint,
    };
    case.expect(after, clause, rule);
    // To ask for it costs nothing either.
    let paid = lead::to_success(&mut case, setting, operation);
    let fell = Rule::BalanceFell(charged);
    case.expect(paid, "billing.balance-falls", fell);
    Some(vec![case])
}
