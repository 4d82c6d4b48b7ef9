//! Requests that are almost valid: each rule of each field broken, alone and in pairs.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use svc_fixtures::contract::{Blame, Contract, Field, Format, Kind, Operation, Presence};
use svc_fixtures::json::Json;
use svc_simulator::engine::call::request::Environment;

use crate::generated::{Generator, runner};
use crate::samples::{Body, Catalogue, set};

/// One rule broken: with none, the field is left out.
pub(crate) type Way = (Blame, Option<Json<'static>>);

/// Every way to break the rules of a field, near the value it had.
pub(crate) fn ways(contract: &Contract, field: &Field, body: &Body, seed: usize) -> Vec<Way> {
    let sentinel = contract.service.sentinel.text.as_str();
    let had = body.iter().find(|(name, _)| *name == field.name);
    let base = match had {
        Some((_, value)) if !value.to_string().contains(sentinel) => value.clone(),
        _ => field.sample(&contract.formats),
    };
    let mut found = Vec::new();
    if field.presence == Presence::Required {
        found.push((Blame::Input, None));
    }
    let near = Near { contract, seed };
    let values = near.wrong(&field.kind, &base, field.may_be_empty);
    found.extend(
        values
            .into_iter()
            .map(|(blame, value)| (blame, Some(value))),
    );
    found
}

/// Makes wrong values.
#[derive(Clone, Copy)]
struct Near<'c> {
    contract: &'c Contract,
    /// Which place of a text is touched, and how.
    seed: usize,
}

impl Near<'_> {
    fn wrong(
        self,
        kind: &Kind,
        base: &Json<'_>,
        may_be_empty: bool,
    ) -> Vec<(Blame, Json<'static>)> {
        let mut found = self.of_its_type(kind, base);
        if matches!(kind, Kind::Text { .. }) && !may_be_empty {
            found.push((Blame::Input, Json::from("")));
        }
        let others = others(kind).into_iter();
        found.extend(others.map(|value| (Blame::Input, value)));
        found
    }

    fn of_its_type(self, kind: &Kind, base: &Json<'_>) -> Vec<(Blame, Json<'static>)> {
        let input = |value: Json<'static>| (Blame::Input, value);
        match kind {
            Kind::Text { format, one_of } => {
                let format = format.map(|id| self.contract.format(id));
                let unlisted = unlisted(one_of).map(|text| input(Json::from(text)));
                let text = base.as_text().unwrap_or_default();
                let misfit = format.and_then(|format| self.misfit(format, text));
                unlisted.into_iter().chain(misfit).collect()
            }
            Kind::Int { min, max } => {
                let low = min.map(|min| Json::Int(min - 1));
                let high = max.map(|max| Json::Int(max + 1));
                low.into_iter().chain(high).map(input).collect()
            }
            Kind::Num { min, max } => {
                let low = min.map(|min| Json::Num(min.next_down()));
                let high = max.map(|max| Json::Num(max.next_up()));
                low.into_iter().chain(high).map(input).collect()
            }
            Kind::Bool => Vec::new(),
            Kind::List { items, min_items } => {
                let good = base.as_list().and_then(|list| list.first().cloned());
                let good = good.map_or(Json::from("good"), Json::into_owned);
                let few = min_items
                    .checked_sub(1)
                    .map(|few| input(Json::List(vec![good.clone(); few])));
                let bad = self.wrong(items, &good, false).into_iter();
                let lists = bad.map(|(blame, bad)| (blame, Json::List(vec![good.clone(), bad])));
                few.into_iter().chain(lists).collect()
            }
            Kind::Object { fields } => self.inside(fields, base),
        }
    }

    /// An object with each of its fields broken.
    fn inside(self, fields: &[Field], base: &Json<'_>) -> Vec<(Blame, Json<'static>)> {
        let members = base.clone().into_owned();
        let Json::Object(members) = members else {
            return Vec::new();
        };
        let members: Body = members
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value))
            .collect();
        let broken = |field: &Field| {
            let ways = ways(self.contract, field, &members, self.seed);
            let name = field.name.clone();
            let members = members.clone();
            ways.into_iter().map(move |(blame, value)| {
                let mut members = members.clone();
                broken_body(&mut members, &name, value);
                (blame, crate::generated::object(members))
            })
        };
        fields.iter().flat_map(broken).collect()
    }

    /// A text one step away from one that has the format.
    fn misfit(self, format: &Format, text: &str) -> Option<(Blame, Json<'static>)> {
        let chars: Vec<char> = text.chars().collect();
        let mut texts = Vec::new();
        for at in [self.seed % (chars.len() + 1), 0, chars.len()] {
            let (before, after) = chars.split_at(at);
            let rest = after.get(1..).unwrap_or_default();
            texts.push([before, rest].concat());
            for one in ['!', '@', ' ', 'a', 'Z', '0', '-', '\n', 'é', '\0'] {
                texts.push([before, &[one], after].concat());
                texts.push([before, &[one], rest].concat());
            }
        }
        let texts = texts.into_iter().map(|chars| chars.into_iter().collect());
        let misfits: Vec<String> = texts
            .filter(|text: &String| !text.is_empty() && !format.fits(text))
            .collect();
        let text = misfits.get(self.seed % misfits.len().max(1))?;
        Some((format.blame, Json::from(text.clone())))
    }
}

/// Values of every other JSON type, null among them.
fn others(kind: &Kind) -> Vec<Json<'static>> {
    let all = [
        Json::Null,
        Json::Bool(true),
        Json::Int(7_654_321),
        Json::Num(7_654.0),
        Json::Num(7_654.25),
        Json::from("some other text"),
        Json::List(vec![Json::from("listed text")]),
        Json::Object(vec![("member".into(), Json::from("member text"))]),
    ];
    let right = |value: &Json<'_>| match kind {
        Kind::Text { .. } => matches!(value, Json::Text(_)),
        Kind::Int { .. } => matches!(value, Json::Int(_)),
        Kind::Num { .. } => matches!(value, Json::Int(_) | Json::Num(_)),
        Kind::Bool => matches!(value, Json::Bool(_)),
        Kind::List { .. } => matches!(value, Json::List(_)),
        Kind::Object { .. } => matches!(value, Json::Object(_)),
    };
    all.into_iter().filter(|value| !right(value)).collect()
}

/// Another text, and an allowed one in another case.
fn unlisted(one_of: &[String]) -> impl Iterator<Item = String> {
    let first = one_of.first();
    let cases = first.map(|text| [text.to_lowercase(), text.to_uppercase(), format!("{text} ")]);
    let other = first.map(|_| "999999".to_owned());
    let texts: Vec<String> = cases.into_iter().flatten().chain(other).collect();
    let known = one_of.to_vec();
    texts.into_iter().filter(move |text| !known.contains(text))
}

pub(crate) fn broken_body(body: &mut Body, name: &str, value: Option<Json<'static>>) {
    match value {
        Some(value) => set(body, name, value),
        None => body.retain(|(known, _)| known != name),
    }
}

/// Every text and number of a value that is long enough not to stand in a message by chance.
fn leaves(value: &Json<'_>, found: &mut Vec<String>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| leaves(item, found)),
        Json::Object(members) => members.iter().for_each(|(_, value)| leaves(value, found)),
        Json::Text(text) => found.push(text.to_string()),
        Json::Int(_) | Json::Num(_) => found.push(value.to_string()),
        Json::Null | Json::Bool(_) => {}
    }
}

/// The values a message may list.
fn listed(kind: &Kind) -> &[String] {
    match kind {
        Kind::Text { one_of, .. } => one_of,
        Kind::List { items, .. } => listed(items),
        _ => &[],
    }
}

/// Sends a body with these fields broken and judges the refusal.
fn refused(
    catalogue: &Catalogue,
    operation: &Operation,
    mut body: Body,
    broken: Vec<(usize, Way)>,
) -> Result<(), TestCaseError> {
    let mut order: Vec<(usize, Blame)> = Vec::new();
    let mut sent = Vec::new();
    for (index, (blame, value)) in broken {
        order.push((index, blame));
        if let Some(value) = &value {
            leaves(value, &mut sent);
        }
        broken_body(&mut body, &operation.request[index].name, value);
    }
    order.sort_by_key(|(index, _)| *index);
    let first = order.iter().find(|(_, blame)| *blame == Blame::Input);
    let (index, blame) = first.unwrap_or(&order[0]);
    let code = match blame {
        Blame::Input => "400 SVC_INVALID_INPUT",
        Blame::Identifier => "400 SVC_INVALID_IDENTIFIER",
    };
    let answer = catalogue.send(operation, &body, Environment::Test);
    let message = answer.at("error.message");
    let shown = crate::generated::object(body);
    prop_assert_eq!(answer.outcome(), code, "{}: {}", message, shown);
    let name = format!("`{}", operation.request[*index].name);
    let named = message.strip_prefix(&name);
    let named = named.is_some_and(|rest| rest.starts_with(['`', '.', '[']));
    prop_assert!(named, "{} does not name {}: {}", message, name, shown);
    let listed = listed(&operation.request[*index].kind);
    let told = |value: &&String| value.chars().count() > 3 && !listed.contains(*value);
    for value in sent.iter().filter(told) {
        prop_assert!(!message.contains(value), "{} repeats {:?}", message, value);
    }
    Ok(())
}

#[test]
fn each_rule_broken_alone_is_the_right_400_and_names_its_field() {
    let catalogue = Catalogue::new();
    let generator = Generator::new(&catalogue.rules);
    let contract = catalogue.contract();
    for operation in &contract.operations {
        let cases = (generator.body(operation), any::<usize>());
        let outcome = runner(3).run(&cases, |(body, seed)| {
            for (index, field) in operation.request.iter().enumerate() {
                for way in ways(contract, field, &body, seed) {
                    refused(&catalogue, operation, body.clone(), vec![(index, way)])?;
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}

#[test]
fn of_two_broken_fields_an_input_mistake_comes_first_then_the_first_field() {
    let catalogue = Catalogue::new();
    let generator = Generator::new(&catalogue.rules);
    let contract = catalogue.contract();
    let several = |operation: &&Operation| operation.request.len() > 1;
    for operation in contract.operations.iter().filter(several) {
        let fields = prop::sample::subsequence((0..operation.request.len()).collect::<Vec<_>>(), 2);
        let picks = [any::<prop::sample::Index>(), any::<prop::sample::Index>()];
        let cases = (generator.body(operation), fields, picks, any::<usize>());
        let outcome = runner(24).run(&cases, |(body, fields, picks, seed)| {
            let pick = |(&index, pick): (&usize, &prop::sample::Index)| {
                let ways = ways(contract, &operation.request[index], &body, seed);
                (index, pick.get(&ways).clone())
            };
            let broken = fields.iter().zip(&picks).map(pick).collect();
            refused(&catalogue, operation, body.clone(), broken)
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}
