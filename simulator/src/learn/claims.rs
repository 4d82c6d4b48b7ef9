//! What an answer says of whom it speaks of: the canned answers read backwards. A member that is filled with what is
//! known of somebody tells it; a member that is computed tells nothing.

use std::collections::BTreeMap;

use svc_fixtures::contract::parse_date;
use svc_fixtures::json::Json;
use svc_fixtures::template::{Character, Expr, Root, Template};

/// One thing that an answer says of somebody.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attribution {
    /// Who they are in the story; `subject` for whoever is asked for.
    pub role: String,
    /// What is said of them, as scenario files call it.
    pub attribute: String,
    /// What it is.
    pub value: Json<'static>,
}

/// What the data of an answer says of those whom its row speaks of.
#[must_use]
pub(super) fn claims(template: &Template, data: &Json<'static>) -> Vec<Attribution> {
    let mut found = Vec::new();
    read(template, data, &mut found);
    found
}

fn read(template: &Template, value: &Json<'static>, found: &mut Vec<Attribution>) {
    match template {
        Template::Object(members) => {
            for (name, template) in members {
                if let Some(value) = value.get(name) {
                    read(template, value, found);
                }
            }
        }
        // A list of one is what somebody has; which of several it is nobody says.
        Template::List(items) => {
            if let ([item], Some([value])) = (items.as_slice(), value.as_list()) {
                read(item, value, found);
            }
        }
        Template::OnlyIf { value: inside, .. } => read(inside, value, found),
        Template::Value(expr) => found.extend(claim(expr, value)),
        _ => {}
    }
}

fn claim(expr: &Expr, value: &Json<'static>) -> Option<Attribution> {
    match expr {
        Expr::Path {
            root: Root::Cast(role),
            parts,
        } => match parts.as_slice() {
            [attribute] if *value != Json::Null => Some(Attribution {
                role: role.clone(),
                attribute: attribute.clone(),
                value: value.clone(),
            }),
            _ => None,
        },
        // A day in another layout is the same day, and what is said where something is known tells it of whoever is declared.
        Expr::Call { args, .. } => match args.as_slice() {
            [Expr::Call { function, .. }, inner, _] if function == "is_known" => {
                claim(inner, value)
            }
            [inner, Expr::Literal(Json::Text(layout))] => {
                let day = parse_date(layout, value.as_text()?)?;
                claim(inner, &Json::from(day.to_string()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// How days stand in requests.
const LAYOUTS: [&str; 4] = ["YYYY-MM-DD", "DD/MM/YYYY", "DD-MM-YYYY", "DDMMYYYY"];

/// What a record tells by being there: a row that has none of whom something else is known of says what must be known.
pub(super) fn implied(when: &Expr, request: &Json<'static>, found: &mut Vec<Attribution>) {
    let Expr::Call { function, args } = when else {
        return;
    };
    if function == "eq"
        && let [
            Expr::Path {
                root: Root::Cast(role),
                parts,
            },
            Expr::Call { args: sent, .. },
        ] = args.as_slice()
        && let (
            [attribute],
            [
                Expr::Path {
                    root: Root::Request,
                    parts: field,
                },
            ],
        ) = (parts.as_slice(), sent.as_slice())
        && let Some(text) = field.first().and_then(|name| request.get(name)?.as_text())
        && let Some(day) = LAYOUTS.iter().find_map(|layout| parse_date(layout, text))
    {
        return found.push(Attribution {
            role: role.clone(),
            attribute: attribute.clone(),
            value: Json::from(day.to_string()),
        });
    }
    args.iter().for_each(|inner| implied(inner, request, found));
}

/// The role that whoever is asked for plays, of those that they can: the one whose sample says the same as these claims.
#[must_use]
pub(super) fn role<'r>(
    cast: &BTreeMap<String, Character>,
    can_be: &[&'r str],
    claims: &[Attribution],
) -> Option<&'r str> {
    let says_so = |role: &&str| {
        let known = cast.get(*role);
        let same = claims.iter().filter(|claim| {
            let attribute = known.and_then(|known| known.attributes.get(&claim.attribute));
            attribute.is_some_and(|it| it.sample == Template::Literal(claim.value.clone()))
        });
        same.count()
    };
    let mut best = can_be.iter().copied();
    let first = best.next()?;
    Some(best.fold(first, |best, next| {
        if says_so(&next) > says_so(&best) {
            next
        } else {
            best
        }
    }))
}
