//! Bodies that are nearly the same: under one key each is another body than the next.

use svc_fixtures::contract::{ErrorCode, Field, Kind, Operation, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use super::idempotency::keyed;
use crate::plan::{Case, EarlierValue, Ending, Payload, Place, RequestTemplate, Rule, Setting};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "idempotency.nearly-the-same",
        title: "A body in other letters, in another order, with another space, number, switch, item or text inside is another body",
        clauses: &["idempotency.conflict"],
        stage: Stage::Sandbox,
        cases: Cases::Once(nearly_the_same),
    },
    Check {
        id: "idempotency.every-field",
        title: "A body with another value in any one field is another body, each time it is sent",
        clauses: &["idempotency.conflict"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(every_field),
    },
];

const ACCENT: &str = "with an accent";
const AS_TEXT: &str = "with a number as text";

/// What makes of a body another one that is valid, too; it may take from the first one. None where there is nothing to change.
type Change = fn(&Operation, &mut Json<'static>) -> Option<Json<'static>>;

/// Of each change the first operation that can be asked so: how a service compares bodies is not an operation's.
fn nearly_the_same(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let changes: [(&str, Change); 13] = [
        ("in other letters", |operation, body| {
            change_text(operation, body, str::to_lowercase)
        }),
        ("with another space", |operation, body| {
            change_text(operation, body, |text| text.replacen(' ', "  ", 1))
        }),
        ("with a space behind it", |operation, body| {
            change_text(operation, body, |text| format!("{text} "))
        }),
        ("with a zero before its digits", zero_before),
        // Whether a name may have other letters than A to Z is not specified.
        (ACCENT, |operation, body| {
            change_text(operation, body, |text| text.replacen('A', "\u{c1}", 1))
        }),
        ("in another order", reversed),
        ("with another last item", another_last),
        ("with another number", another_number),
        (AS_TEXT, number_as_text),
        ("with a number a hundredth greater", another_fraction),
        ("with another text inside", another_inside),
        ("without a field and with its opposite", off),
        ("with a switch turned", |operation, body| {
            let mut fields = operation.request.iter();
            let switch = fields.find(|it| matches!(it.kind, Kind::Bool))?;
            body.set(switch.name.clone(), Json::Bool(true));
            Some(with(body, switch, Json::Bool(false)))
        }),
    ];
    let case = |(name, change): (&str, Change)| {
        let of = |operation| {
            let mut call = keyed(setting, name, operation)?;
            let mut body = sample::body(setting.contract, operation, Extent::All);
            let mut other = call.clone();
            let changed = change(operation, &mut body)?;
            // A number as text may be refused for itself: never is it the same.
            let is_valid = name == AS_TEXT || is_valid(setting, operation, &changed);
            other.payload = Payload::Json(changed);
            call.payload = Payload::Json(body);
            (is_valid && other != call).then_some((operation, call, other))
        };
        let (operation, call, other) = setting.operations().find_map(of)?;
        let mut case = Case::about(operation, name);
        let first = case.push(call);
        case.expect(first, "idempotency.conflict", Rule::succeeds(operation));
        case.push(other);
        let conflict = match name {
            ACCENT | AS_TEXT => Rule::Ends(Ending::Rejected),
            _ => Rule::fails(ErrorCode::IdempotencyConflict),
        };
        Some(case.expecting("idempotency.conflict", conflict))
    };
    Some(changes.into_iter().filter_map(case).collect())
}

/// The body with a number of the first field that takes one as text.
fn number_as_text(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.request.iter();
    fields.find_map(|field| {
        let number = body.get(&field.name)?.as_int()?;
        Some(with(body, field, Json::from(number.to_string())))
    })
}

/// Whether each field may be so: what is refused for itself says nothing of the key.
fn is_valid(setting: &Setting<'_>, operation: &Operation, body: &Json<'static>) -> bool {
    let formats = &setting.contract.formats;
    let mut fields = operation.request.iter();
    fields.all(|field| {
        let value = body.get(&field.name);
        value.is_none_or(|value| field.check(value, formats, &[]).is_ok())
    })
}

fn with(body: &Json<'static>, field: &Field, value: Json<'static>) -> Json<'static> {
    let mut other = body.clone();
    other.set(field.name.clone(), value);
    other
}

/// Under one key a body and, one field after the other, others. Where the first has a result none of the others is
/// executed, nor given what the first was: how it is refused is left open.
fn every_field(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let call = keyed(setting, "every-field", operation)?;
    let body = sample::body(setting.contract, operation, Extent::All);
    let mut case = Case::about(operation, "");
    let sent = |payload: &Json<'static>| {
        let payload = Payload::Json(payload.clone());
        RequestTemplate {
            payload,
            ..call.clone()
        }
    };
    let first = case.push(sent(&body));
    let place = Place::of(["status"]);
    for field in &operation.request {
        let own = body.get(&field.name);
        let Some(value) = own.and_then(|own| other_value(setting, field, own)) else {
            continue;
        };
        let other = case.push(sent(&with(&body, field, value)));
        let refused = Box::new(Rule::Ends(Ending::Rejected));
        let place = place.clone();
        let status = EarlierValue { step: first, place };
        let rule = Rule::Where(status, "completed".into(), refused);
        case.expect(other, "idempotency.conflict", rule);
    }
    (case.steps.len() > 1).then(|| vec![case])
}

/// Another value of a field, most likely a valid one.
fn other_value(setting: &Setting<'_>, field: &Field, own: &Json<'_>) -> Option<Json<'static>> {
    match &field.kind {
        Kind::Bool => Some(Json::Bool(*own != Json::Bool(true))),
        Kind::Int { max, .. } => {
            let own = own.as_int()?;
            let is_last = *max == Some(own);
            Some(Json::Int(if is_last { own - 1 } else { own + 1 }))
        }
        Kind::Text { one_of, .. } => {
            let own = own.as_text()?;
            if let Some(other) = one_of.iter().find(|other| *other != own) {
                return Some(Json::from(other.clone()));
            }
            let Some(format) = setting.contract.format_of(&field.kind) else {
                return one_of.is_empty().then(|| Json::from(format!("{own} A")));
            };
            let other = format.edges.iter().find(|other| *other != own);
            other.map(|other| Json::from(other.clone()))
        }
        Kind::List { items, .. } => {
            let Kind::Text { one_of, .. } = &**items else {
                return None;
            };
            let list = own.as_list()?;
            let first = list.first()?.as_text()?;
            let has = |other: &&String| list.iter().any(|item| item.as_text() == Some(other));
            let listed = one_of.iter().find(|other| !has(other)).cloned();
            let other = match one_of.is_empty() {
                true => Some(format!("{first}-2")),
                false => listed,
            };
            // Whoever only looks at the first item finds the same.
            let mut other = vec![Json::from(other?)];
            other.splice(..0, list.iter().cloned().map(Json::into_owned));
            Some(Json::List(other))
        }
        Kind::Object { .. } => {
            let mut other = own.clone().into_owned();
            let members = own.as_object()?.iter();
            let mut texts = members.filter_map(|(name, value)| Some((name, value.as_text()?)));
            let (name, text) = texts.next()?;
            other.set(name.clone().into_owned(), Json::from(format!("{text} A")));
            Some(other)
        }
        Kind::Num { .. } => None,
    }
}

/// Of a text that may be written in several ways, such as a name.
fn change_text(
    operation: &Operation,
    body: &Json<'static>,
    to: impl Fn(&str) -> String,
) -> Option<Json<'static>> {
    let mut folding = operation.request.iter().filter(|field| field.folds);
    folding.find_map(|field| {
        let text = body.get(&field.name)?.as_text()?;
        let changed = Some(to(text)).filter(|changed| changed != text)?;
        Some(with(body, field, Json::from(changed)))
    })
}

/// Digits that are another identifier with a zero before them, and as a number the same.
fn zero_before(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.identifiers().map(|(_, field)| field);
    fields.find_map(|field| {
        let text = body.get(&field.name)?.as_text()?;
        let is_number = text.bytes().all(|it| it.is_ascii_digit());
        is_number.then(|| with(body, field, Json::from(format!("0{text}"))))
    })
}

/// A switch that is on unless it is turned off.
fn off(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let on = Presence::Default(Json::Bool(true));
    let field = operation
        .request
        .iter()
        .find(|field| field.presence == on)?;
    body.remove(&field.name);
    Some(with(body, field, Json::Bool(false)))
}

fn another_number(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.request.iter();
    fields.find_map(|field| {
        let (Kind::Int { max, .. }, Some(Json::Int(number))) = (&field.kind, body.get(&field.name))
        else {
            return None;
        };
        let is_last = *max == Some(*number);
        let other = if is_last { number - 1 } else { number + 1 };
        Some(with(body, field, Json::Int(other)))
    })
}

fn another_fraction(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.request.iter();
    fields.find_map(|field| {
        let Kind::Num {
            min: Some(min),
            max: Some(max),
        } = field.kind
        else {
            return None;
        };
        let at = |part: f64| Json::Num(min + part * (max - min));
        body.set(field.name.clone(), at(0.81));
        Some(with(body, field, at(0.82)))
    })
}

/// Of a list of any texts, which gets a second item where it has one.
fn another_last(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let any_text = |kind: &Kind| match kind {
        Kind::List { items, .. } => {
            matches!(&**items, Kind::Text { one_of, .. } if one_of.is_empty())
        }
        _ => false,
    };
    let mut fields = operation.request.iter().filter(|it| any_text(&it.kind));
    fields.find_map(|field| {
        let first = body.get(&field.name)?.as_list()?.first()?.clone();
        let text = first.as_text()?;
        let list =
            |number: u8| Json::List(vec![first.clone(), Json::from(format!("{text}-{number}"))]);
        body.set(field.name.clone(), list(2));
        Some(with(body, field, list(3)))
    })
}

fn another_inside(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.request.iter();
    fields.find_map(|field| {
        let mut whole = body.get(&field.name)?.clone();
        let members = whole.as_object()?.iter().rev();
        let mut texts = members.filter_map(|(name, value)| Some((name.clone(), value.as_text()?)));
        let (name, text) = texts.next()?;
        let other = Json::from(format!("{text}-2"));
        whole.set(name, other);
        Some(with(body, field, whole))
    })
}

fn reversed(operation: &Operation, body: &mut Json<'static>) -> Option<Json<'static>> {
    let mut fields = operation.request.iter();
    fields.find_map(|field| {
        let items = body.get(&field.name)?.as_list().filter(|it| it.len() > 1)?;
        let items: Vec<_> = items.iter().rev().cloned().collect();
        Some(with(body, field, Json::List(items)))
    })
}
