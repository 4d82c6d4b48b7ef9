//! Defects made from the contract's rows: every member of every answer dropped, renamed, emptied and
//! retyped; every price and endpoint wrong; every code of the error table with another status, code
//! and flag.

use serde_json::{Value, json};
use svc_contract_tests::capture::{CapturedCase, Exchange, Request, Response};
use svc_fixtures::contract::{Contract, Environment, ErrorCode, Leaf, Operation, Shape};

use super::{answers, change, edit};

/// Which answers a defect can be in.
#[derive(Clone)]
pub(crate) enum About {
    /// Those of an operation, by its path; and looked up, by its name.
    Operation { path: String, id: String },
    /// Those with an error code.
    Code(ErrorCode),
}

impl About {
    /// Cheap, so that most cases are not even parsed.
    pub(crate) fn may_be_in(&self, exchange: &Exchange) -> bool {
        match self {
            About::Operation { path, id } => {
                let asked = match path.strip_suffix('*') {
                    Some(before) => exchange.request.path.starts_with(before),
                    None => exchange.request.path == *path,
                };
                let named = format!("\"endpoint\":\"{id}\"");
                asked || (looked_up(&exchange.request) && has(exchange, &named))
            }
            About::Code(code) => has(exchange, code.as_str()),
        }
    }
}

fn has(exchange: &Exchange, text: &str) -> bool {
    let body = exchange.response.as_ref().map(|response| &response.body);
    body.is_ok_and(|body| std::str::from_utf8(body).is_ok_and(|body| body.contains(text)))
}

/// A defect and the clause it breaks.
pub(crate) struct RowDefect {
    pub(crate) about: About,
    pub(crate) name: String,
    pub(crate) clause: String,
    /// Puts it into a case; false where the case has no answer that can have it.
    pub(crate) put_in: Box<dyn Fn(&mut CapturedCase) -> bool + Send + Sync>,
}

impl RowDefect {
    fn new(
        about: About,
        name: String,
        clause: &str,
        put_in: impl Fn(&mut CapturedCase) -> bool + Send + Sync + 'static,
    ) -> Self {
        RowDefect {
            about,
            name,
            clause: clause.to_owned(),
            put_in: Box::new(put_in),
        }
    }
}

/// All of them.
pub(crate) fn all(contract: &Contract) -> Vec<RowDefect> {
    let operations = contract.operations.iter().flat_map(of_operation);
    let codes = ErrorCode::ALL.into_iter().flat_map(of_code);
    operations.chain(codes).collect()
}

/// Changes the envelopes that an operation answered at its own path.
fn at(
    about: About,
    edit_one: impl Fn(&Request, &mut Value) -> bool + Send + Sync + 'static,
) -> impl Fn(&mut CapturedCase) -> bool + Send + Sync {
    move |case| {
        let mine = case.exchanges.iter_mut().filter(|it| about.may_be_in(it));
        let edited = mine.map(|exchange| match &mut exchange.response {
            Ok(response) => change(response, |json| edit_one(&exchange.request, json)),
            Err(_) => false,
        });
        edited.fold(false, |any, edited| any | edited)
    }
}

fn of_operation(operation: &Operation) -> Vec<RowDefect> {
    let id = operation.id.as_str();
    let about = || About::Operation {
        path: operation.path.clone(),
        id: operation.id.clone(),
    };
    let mut defects = vec![
        RowDefect::new(
            about(),
            format!("{id}: another endpoint"),
            "envelope.endpoint",
            at(about(), |_, json| {
                json["endpoint"] = json!("verify.something.else");
                true
            }),
        ),
        RowDefect::new(
            about(),
            format!("{id}: another price"),
            "ruling.21-prices",
            at(about(), |request, json| {
                let charged = json["billing"]["charged"] == true;
                let live = request.environment == Environment::Live;
                if charged && live {
                    json["billing"]["amount"] = json!(9999);
                }
                charged && live
            }),
        ),
        RowDefect::new(
            about(),
            format!("{id}: a member nobody knows"),
            &operation.clause,
            at(about(), |_, json| {
                let completed = json["status"] == "completed";
                let data = json["data"].as_object_mut().filter(|_| completed);
                data.is_some_and(|data| data.insert("extra".to_owned(), json!(1)).is_none())
            }),
        ),
    ];
    for (place, wrong) in places(&operation.response) {
        let shown = place.join("/");
        for (what, slip) in [
            ("dropped", Slip::Dropped),
            ("renamed", Slip::Renamed),
            ("null", Slip::Null),
            ("retyped", Slip::Retyped(wrong)),
        ] {
            let place = place.clone();
            let put_in = at(about(), move |_, json| {
                json["status"] == "completed" && slip.make(&mut json["data"], &place)
            });
            let name = format!("{id}: `{shown}` {what}");
            defects.push(RowDefect::new(about(), name, &operation.clause, put_in));
        }
    }
    defects
}

/// What is done to a member.
enum Slip {
    Dropped,
    Renamed,
    Null,
    Retyped(Value),
}

impl Slip {
    /// Makes it at a place; in a list, in its first item.
    fn make(&self, json: &mut Value, place: &[String]) -> bool {
        let Some((name, rest)) = place.split_first() else {
            return false;
        };
        if let Some(items) = json.as_array_mut() {
            return items.first_mut().is_some_and(|item| self.make(item, place));
        }
        let Some(object) = json.as_object_mut() else {
            return false;
        };
        if !rest.is_empty() {
            return object
                .get_mut(name)
                .is_some_and(|inner| self.make(inner, rest));
        }
        let Some(value) = object.get(name).cloned() else {
            return false;
        };
        match self {
            Slip::Dropped => object.remove(name).is_some(),
            Slip::Renamed => {
                object.remove(name);
                object.insert(format!("{name}X"), value).is_none()
            }
            Slip::Null => object.insert(name.clone(), Value::Null) != Some(Value::Null),
            Slip::Retyped(wrong) => object.insert(name.clone(), wrong.clone()).is_some(),
        }
    }
}

/// Every member that stands in every answer and may not be null, and a value that it can't have.
fn places(shape: &Shape) -> Vec<(Vec<String>, Value)> {
    let inner = match shape {
        Shape::List(item) => return places(item),
        Shape::Object(members) => members,
        Shape::Leaf { .. } | Shape::AnyObject => return Vec::new(),
    };
    let mut found = Vec::new();
    for member in inner {
        let always = member.presence == svc_fixtures::contract::MemberPresence::Always;
        if !always || member.is_spread() {
            continue;
        }
        if let Some(wrong) = wrong(&member.shape) {
            found.push((vec![member.name.clone()], wrong));
        }
        for (mut place, wrong) in places(&member.shape) {
            place.insert(0, member.name.clone());
            found.push((place, wrong));
        }
    }
    found
}

fn wrong(shape: &Shape) -> Option<Value> {
    Some(match shape {
        Shape::Leaf { nullable: true, .. } => return None,
        Shape::Leaf { leaf, .. } => match leaf {
            Leaf::Text | Leaf::Bool | Leaf::DataUri => json!(17),
            Leaf::OneOf(_) => json!("something else"),
            Leaf::Date { .. } | Leaf::Timestamp => json!("yesterday"),
            Leaf::Int {
                range: Some((_, highest)),
            } => json!(highest + 1),
            Leaf::Num {
                range: Some((_, highest)),
            } => json!(highest + 0.5),
            Leaf::Int { range: None } => json!(1.5),
            Leaf::Num { range: None } => json!("1"),
        },
        Shape::List(_) => json!({}),
        Shape::Object(_) | Shape::AnyObject => json!([]),
    })
}

/// What can go wrong with the answers that have this code.
fn of_code(code: ErrorCode) -> Vec<RowDefect> {
    let is = move |json: &Value| json["error"]["code"] == code.as_str();
    let other = match code {
        ErrorCode::InternalError => ErrorCode::ProviderError,
        _ => ErrorCode::InternalError,
    };
    let status = move |response: &mut Response| {
        let mine = change(response, |json| is(json));
        response.status = if mine { 418 } else { response.status };
        mine
    };
    let table = "errors.status-and-retryable";
    vec![
        RowDefect::new(
            About::Code(code),
            format!("{code}: another status"),
            table,
            move |case| {
                answers(case, |request, response| {
                    !looked_up(request) && status(response)
                })
            },
        ),
        RowDefect::new(
            About::Code(code),
            format!("{code}: the other retryable"),
            table,
            move |case| {
                edit(case, |_, json| {
                    is(json) && super::flip(&mut json["error"]["retryable"])
                })
            },
        ),
        RowDefect::new(
            About::Code(code),
            format!("{code}: another code"),
            table,
            move |case| {
                edit(case, |_, json| {
                    let mine = is(json);
                    if mine {
                        json["error"]["code"] = json!(other.as_str());
                    }
                    mine
                })
            },
        ),
        RowDefect::new(
            About::Code(code),
            format!("{code}: no message"),
            "envelope.error",
            move |case| edit(case, |_, json| is(json) && emptied(&mut json["error"])),
        ),
    ]
}

fn emptied(error: &mut Value) -> bool {
    let error = error.as_object_mut();
    error.is_some_and(|error| error.remove("message").is_some())
}

/// A look-up is 200 whatever it finds.
fn looked_up(request: &Request) -> bool {
    request.path.starts_with("/v1/verifications/")
}
