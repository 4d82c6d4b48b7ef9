//! Strategies for requests that are almost valid: rules of one field broken, or of two.

use proptest::prelude::*;
use proptest::sample::Index;
use svc_fixtures::contract::{Blame, Contract, ErrorCode, Field, Kind, Operation};
use svc_fixtures::json::Json;

use super::law::Script;
use super::{foresee, values};
use crate::plan::broken::{self, Way};
use crate::plan::{Ask, Case, Ending, Rule, Setting};

/// One call that breaks a rule of one field, or of two.
pub(super) fn call(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let body = values::body(setting.contract, &operation.request);
    let places: Vec<usize> = (0..operation.request.len()).collect();
    let most = places.len().min(2);
    let fields = proptest::sample::subsequence(places, 1..=most);
    let fields = fields.prop_flat_map({
        let (contract, request) = (setting.contract.clone(), operation.request.clone());
        move |places| {
            let way = |place: usize| {
                let field = &request[place];
                let name = field.name.clone();
                way(&contract, field).prop_map(move |way| (name.clone(), way))
            };
            places.into_iter().map(way).collect::<Vec<_>>()
        }
    });
    let environment = proptest::sample::select(setting.environments.clone());
    let own = operation.clone();
    (body, fields, environment)
        .prop_map(move |(mut body, broken, environment)| {
            for (name, way) in &broken {
                way.put_in(&mut body, name);
            }
            let told: Vec<_> = broken
                .iter()
                .map(|(name, way)| format!("{name} {}", way.what))
                .collect();
            let mut case = Case::about(&own, &told.join(" and ")).on(environment);
            case.push(Ask::post(&own, body));
            Script::new(refused(case, &broken))
        })
        .boxed()
}

/// With the refusal these broken rules must have.
fn refused(case: Case, broken: &[(String, Way)]) -> Case {
    let blames: Vec<_> = broken
        .iter()
        .map(|(name, way)| (way.blame, name.clone()))
        .collect();
    let Some(refusal) = foresee::refused_for(&blames) else {
        return case;
    };
    let both = blames.iter().any(|(blame, _)| *blame == Blame::Identifier);
    let clause = match refusal.code {
        ErrorCode::InvalidIdentifier => "errors.invalid-identifier",
        _ if both => "ruling.07-input-first",
        _ => "errors.invalid-input",
    };
    let case = case.expecting(clause, Rule::Ends(Ending::Error(refusal.code)));
    match refusal.names {
        Some(field) => case.expecting("ruling.06-message", Rule::Mentions(field)),
        None => case,
    }
}

/// Texts that hardly any format has, for formats that ask for little.
const STRANGERS: [&str; 3] = ["!", "  ", "not-this-format"];

/// A way to break a rule of a field: a listed one, or a generated value one step off its format.
pub(super) fn way(contract: &Contract, field: &Field) -> BoxedStrategy<Way> {
    let listed = broken::ways(contract, field);
    let listed = proptest::sample::select(listed);
    match misfit(contract, &field.kind) {
        Some(misfit) => prop_oneof![listed, misfit].boxed(),
        None => listed.boxed(),
    }
}

/// A text, or a list of one, that is one step away from having its format.
fn misfit(contract: &Contract, kind: &Kind) -> Option<BoxedStrategy<Way>> {
    match kind {
        Kind::Text {
            format: Some(id), ..
        } => {
            let format = contract.format(*id).clone();
            let strange = proptest::sample::select(vec![
                '!', '@', ' ', 'a', 'Z', '0', '-', '\n', 'é', '\0', '٣',
            ]);
            let touched = (values::text(&format), any::<Index>(), strange, 0..3_u8);
            let made = touched.prop_map(move |(text, at, strange, how)| {
                let touched = touch(&text, at, strange, how);
                let text = [touched, format!("{text}\n")]
                    .into_iter()
                    .chain(STRANGERS.map(str::to_owned))
                    .find(|text| !text.is_empty() && !format.fits(text));
                Way {
                    what: "off its format".to_owned(),
                    blame: match text {
                        Some(_) => format.blame,
                        None => Blame::Input,
                    },
                    ruled: false,
                    value: Some(text.map_or(Json::Null, Json::from)),
                }
            });
            Some(made.boxed())
        }
        Kind::List { items, min_items } => {
            let count = (*min_items).max(1);
            let of_item = misfit(contract, items)?.prop_map(move |way| Way {
                value: way.value.map(|value| Json::List(vec![value; count])),
                ..way
            });
            Some(of_item.boxed())
        }
        _ => None,
    }
}

/// A character left out, put in or put in place of another.
fn touch(text: &str, at: Index, strange: char, how: u8) -> String {
    let chars: Vec<char> = text.chars().collect();
    let (before, after) = chars.split_at(at.index(chars.len() + 1));
    let rest = after.get(1..).unwrap_or_default();
    let middle = match how {
        0 => [&[], rest],
        1 => [&[strange][..], after],
        _ => [&[strange][..], rest],
    };
    before.iter().chain(middle[0]).chain(middle[1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    #[test]
    fn every_way_breaks_its_field_as_it_says() {
        let contract = Contract::built_in();
        let mut runner = TestRunner::deterministic();
        for operation in &contract.operations {
            for field in &operation.request {
                for _ in 0..20 {
                    let tree = way(&contract, field).new_tree(&mut runner);
                    let way = tree.expect("a way").current();
                    let Some(value) = &way.value else { continue };
                    let checked = field.check(value, &contract.formats, &[]);
                    let blame = checked.err().map(|mistake| mistake.blame);
                    assert_eq!(blame, Some(way.blame), "{} {way:?}", operation.id);
                }
            }
        }
    }
}
