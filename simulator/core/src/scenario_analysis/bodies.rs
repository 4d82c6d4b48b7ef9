//! What calls of an operation may ask for that a rule is for.

use svc_fixtures::contract::{Contract, Kind, Operation, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use crate::scenario::{Scenario, Selector};

/// Bodies that ask for all there is, and differently. A number without bounds is the usual one where the rule asks for
/// no other.
pub(super) fn bodies(
    contract: &Contract,
    row: &Operation,
    scenario: &Scenario,
) -> Vec<Json<'static>> {
    let is_asked_for = |name: &str| {
        let mut conditions = scenario.conditions.iter();
        conditions.any(|it| matches!(&it.selector, Selector::Field(field) if field == name))
    };
    let all = sample::body(contract, row, Extent::All);
    let mut found = vec![sample::body(contract, row, Extent::Required), all.clone()];
    for field in row.request.iter().filter(|field| !field.identifies) {
        let values: Vec<Json<'static>> = match &field.kind {
            Kind::Int {
                min: None,
                max: None,
            } if !is_asked_for(&field.name) => Vec::new(),
            // A score is judged by the usual bound, too.
            Kind::Num { .. }
                if matches!(field.presence, Presence::Default(_)) && !is_asked_for(&field.name) =>
            {
                Vec::new()
            }
            Kind::Int { .. } => vec![0.into(), 1.into(), 100.into()],
            Kind::Num { .. } => vec![Json::Num(0.0), Json::Num(0.5), Json::Num(1.0)],
            Kind::Bool => vec![true.into(), false.into()],
            Kind::Text { one_of, .. } => one_of.iter().map(|it| it.as_str().into()).collect(),
            _ => Vec::new(),
        };
        for value in values {
            let mut body = all.clone();
            body.set(field.name.clone(), value);
            found.push(body);
        }
        if field.presence != Presence::Required
            && let Json::Object(members) = &all
        {
            let rest = members.iter().filter(|(name, _)| *name != field.name);
            found.push(Json::Object(rest.cloned().collect()));
        }
    }
    found
}
