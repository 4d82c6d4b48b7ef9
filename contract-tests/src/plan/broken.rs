//! Invalid requests, made from the rows: each rule of each field broken, alone.

use svc_fixtures::contract::{Blame, Contract, Field, Kind, Operation, Presence};
use svc_fixtures::json::Json;

use super::ask::{Members, set};
use super::sample::{self, Extent};

/// A body with one rule broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The field and what is wrong with it.
    pub name: String,
    /// The field's name, which a message must tell.
    pub field: String,
    /// Which error it is.
    pub blame: Blame,
    /// Whether the specification itself says so, or only a ruling.
    pub ruled: bool,
    /// The body.
    pub body: Members,
}

/// A way to break one rule of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What is wrong with the field.
    pub what: String,
    /// Which error it is.
    pub blame: Blame,
    /// Whether the specification itself says so, or only a ruling.
    pub ruled: bool,
    /// The value; without one the field is left out.
    pub value: Option<Json<'static>>,
}

impl Way {
    /// Breaks the rule in a body.
    pub fn put_in(&self, body: &mut Members, field: &str) {
        match &self.value {
            Some(value) => set(body, field, value.clone()),
            None => body.retain(|(name, _)| name != field),
        }
    }
}

/// Every way to break one rule of an operation's fields.
#[must_use]
pub fn all(contract: &Contract, operation: &Operation) -> Vec<Broken> {
    let broken = |field: &Field, way: Way| {
        let mut body = sample::body(contract, operation, Extent::Full);
        way.put_in(&mut body, &field.name);
        Broken {
            name: format!("{} {}", field.name, way.what),
            field: field.name.clone(),
            blame: way.blame,
            ruled: way.ruled,
            body,
        }
    };
    let fields = operation.request.iter();
    let of_field = |field| {
        let ways = ways(contract, field).into_iter();
        ways.map(move |way| broken(field, way))
    };
    fields.flat_map(of_field).collect()
}

/// Every way to break one rule of a field.
#[must_use]
pub fn ways(contract: &Contract, field: &Field) -> Vec<Way> {
    let mut found = Vec::new();
    let mut add = |what: String, blame, ruled, value| {
        found.push(Way {
            what,
            blame,
            ruled,
            value,
        });
    };
    if field.presence == Presence::Required {
        add("missing".to_owned(), Blame::Input, false, None);
    }
    add("null".to_owned(), Blame::Input, true, Some(Json::Null));
    for wrong in wrong_types(&field.kind) {
        let what = format!("is {}", wrong.kind());
        add(what, Blame::Input, true, Some(wrong));
    }
    for (what, blame, value) in wrong_values(contract, field) {
        // Whether an empty identifier is input or identifier only a ruling says.
        let ruled = what == "empty" || (blame == Blame::Input && field.identifies);
        add(what, blame, ruled, Some(value));
    }
    found
}

/// Values of every other JSON type.
fn wrong_types(kind: &Kind) -> Vec<Json<'static>> {
    let all = [
        Json::Bool(true),
        Json::Int(7),
        Json::Num(7.5),
        Json::from("text"),
        Json::List(Vec::new()),
        Json::Object(Vec::new()),
    ];
    let right = |value: &Json<'_>| match kind {
        Kind::Text { .. } => matches!(value, Json::Text(_)),
        Kind::Int { .. } => matches!(value, Json::Int(_)),
        Kind::Num { .. } => matches!(value, Json::Int(_) | Json::Num(_)),
        Kind::Bool => matches!(value, Json::Bool(_)),
        // An empty one may break another rule, but it has the type.
        Kind::List { .. } => matches!(value, Json::List(_)),
        Kind::Object { .. } => matches!(value, Json::Object(_)),
    };
    all.into_iter().filter(|value| !right(value)).collect()
}

type Wrong = (String, Blame, Json<'static>);

/// Values of the right type that break a rule.
fn wrong_values(contract: &Contract, field: &Field) -> Vec<Wrong> {
    let mut found = of_kind(contract, &field.kind);
    if field.may_be_empty {
        found.retain(|(what, ..)| what != "empty");
    }
    found
}

fn of_kind(contract: &Contract, kind: &Kind) -> Vec<Wrong> {
    let input = |what: &str, value| (what.to_owned(), Blame::Input, value);
    match kind {
        Kind::Text { format, one_of } => {
            let mut found = vec![input("empty", Json::from(""))];
            if !one_of.is_empty() {
                found.push(input("unlisted", Json::from("unlisted value")));
            }
            if let Some(format) = format.map(|id| contract.format(id)) {
                let near = near_misses(&format.example).into_iter();
                let misses = near.filter(|(_, text)| !format.fits(text) && !text.is_empty());
                found.extend(
                    misses.map(|(what, text)| (what.to_owned(), format.blame, Json::from(text))),
                );
            }
            found
        }
        Kind::Int { min, max } => {
            let low = min.map(|min| input("too low", Json::Int(min - 1)));
            let high = max.map(|max| input("too high", Json::Int(max + 1)));
            low.into_iter()
                .chain(high)
                .chain([input("with a fraction", Json::Num(1.5))])
                .collect()
        }
        Kind::Num { min, max } => {
            let low = min.map(|min| input("too low", Json::Num(min - 0.5)));
            let high = max.map(|max| input("too high", Json::Num(max + 0.5)));
            low.into_iter().chain(high).collect()
        }
        Kind::Bool => Vec::new(),
        Kind::List { items, min_items } => {
            let few = (*min_items > 0).then(|| input("with too few items", Json::List(Vec::new())));
            let wrong = of_kind(contract, items)
                .into_iter()
                .map(|(what, blame, value)| {
                    (
                        format!("with an item {what}"),
                        blame,
                        Json::List(vec![value; (*min_items).max(1)]),
                    )
                });
            few.into_iter().chain(wrong).collect()
        }
        Kind::Object { fields } => {
            let required = fields
                .iter()
                .filter(|field| field.presence == Presence::Required);
            let without = |left_out: &Field| {
                let rest = fields.iter().filter(|field| field.name != left_out.name);
                let members =
                    rest.map(|field| (field.name.clone().into(), sample::value(contract, field)));
                Json::Object(members.collect())
            };
            required
                .map(|field| input(&format!("without {}", field.name), without(field)))
                .collect()
        }
    }
}

/// Texts close to a valid one. Some may still be valid: the format says which.
fn near_misses(example: &str) -> Vec<(&'static str, String)> {
    let mut chars: Vec<char> = example.chars().collect();
    let longer = format!("{example}0");
    let shorter: String = chars[..chars.len().saturating_sub(1)].iter().collect();
    if let Some(first) = chars.first_mut() {
        *first = '!';
    }
    vec![
        ("too long", longer),
        ("too short", shorter),
        ("with a wrong character", chars.iter().collect()),
        ("with a space before it", format!(" {example}")),
        ("with a line break after it", format!("{example}\n")),
        ("of other letters", "not-this-format".to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_fixtures::contract::check_request;

    #[test]
    fn every_broken_body_is_refused_by_the_rows_themselves_for_the_same_reason() {
        let contract = Contract::built_in();
        for operation in &contract.operations {
            let sound = sample::body(&contract, operation, Extent::Full);
            assert_eq!(check(&contract, operation, sound), None, "{}", operation.id);
            for broken in all(&contract, operation) {
                let blame = check(&contract, operation, broken.body);
                assert_eq!(
                    blame,
                    Some(broken.blame),
                    "{}: {}",
                    operation.id,
                    broken.name
                );
            }
        }
    }

    fn check(contract: &Contract, operation: &Operation, body: Members) -> Option<Blame> {
        let body: Vec<_> = body
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        let checked = check_request(&operation.request, &contract.formats, &body, &[]);
        checked.err().map(|mistake| mistake.blame)
    }
}
