//! What the usage tells of an endpoint, whatever its members are called: the specification names the path and says
//! that it is for the spend of each endpoint.

use svc_fixtures::contract::Environment;

use super::entry::{Cases, Check, Stage};
use super::wallet::{cheapest, identifier, to_source_down};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, USAGE, lead};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "usage.spend",
    title: "What a call was charged is in the usage of its endpoint, and nothing of one that was free",
    clauses: &["usage.endpoint", "billing.balance-falls"],
    stage: Stage::Live,
    cases: Cases::Once(spend),
}];

fn spend(setting: &Setting<'_>) -> Option<Vec<Case>> {
    // One whose price is told from the number of its calls.
    let mut operations = cheapest(setting).into_iter();
    let operation = operations.find(|it| identifier(it).is_some() && it.price.0 % 100 != 0)?;
    let mut case = Case::about(operation, "").on(Environment::Live);
    let clause = "usage.endpoint";
    let before = case.push(RequestTemplate::get(USAGE));
    case.expect(before, clause, Rule::Exists);
    let charged = lead::to_success(&mut case, setting, operation);
    case.expect(charged, "billing.conclusive", Rule::Charged(true));
    let between = case.push_again(before);
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
