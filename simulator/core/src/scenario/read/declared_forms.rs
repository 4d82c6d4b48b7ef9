//! Which form a value must have that a file says of somebody: the sample's, one of the words that the row lists, and
//! that of the members of answers it ends in. Knows rows, not who is declared.

use std::collections::BTreeMap;

use svc_fixtures::contract::{Contract, Shape, parse_date};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, nearest};
use svc_fixtures::template::{Answers, Attribute, Character, Expr, Root, Template};
use svc_fixtures::world::WorldRows;

/// Functions that give one of their arguments as it is, and from which on.
const PASSING: [(&str, usize); 3] = [("if", 1), ("or", 0), ("at_latest_today", 0)];

/// The function that looks somebody up, by what a field asks for.
const LOOKING: &str = "look";

/// What rows say of attributes, by the role of whoever has them.
#[derive(Default)]
pub(super) struct DeclaredForms<'r>(BTreeMap<(&'r str, &'r str), Ends<'r>>);

/// Where a value ends.
#[derive(Default)]
struct Ends<'r> {
    members: Vec<EndsIn<'r>>,
    /// The field that each item of a list stands in, where it is somebody's identifier.
    items_ask: Option<&'r str>,
}

/// A member of an answer.
struct EndsIn<'r> {
    shape: &'r Shape,
    operation: &'r str,
    member: String,
}

/// A member of an answer that is looked at.
struct Walk<'w, 'r> {
    forms: &'w mut DeclaredForms<'r>,
    roles: &'r BTreeMap<String, Character>,
    operation: &'r str,
}

impl<'r> DeclaredForms<'r> {
    pub(super) fn new(contract: &'r Contract, answers: &'r Answers) -> Self {
        let mut forms = DeclaredForms::default();
        for row in &contract.operations {
            let Some(template) = answers.by_operation.get(&row.id) else {
                continue;
            };
            let mut walk = Walk {
                forms: &mut forms,
                roles: &answers.cast,
                operation: &row.id,
            };
            walk.template(template, &row.response, "");
        }
        forms
    }

    /// The field of a request that each item of such a list can stand in.
    pub(super) fn items_ask(&self, role: &str, attribute: &str) -> Option<&'r str> {
        self.0.get(&(role, attribute))?.items_ask
    }

    /// Reports a value that answers can't have where it ends.
    pub(super) fn report(&self, (role, key): (&str, &str), value: &Json<'_>, item: &Item<'_>) {
        let ends = self.0.get(&(role, key));
        let mut members = ends.map(|ends| ends.members.iter()).unwrap_or_default();
        let mistake = members.find_map(|end| Some((end, mistake(end.shape, value)?)));
        if let Some((end, (path, message))) = mistake {
            item.problem_with_hint(
                format!("`{key}{path}` {message}"),
                format!("it ends in `{}` of {}", end.member, end.operation),
            );
        }
    }
}

/// The first way in which a value is none of this form. Of what stands in a list not everything need be said.
fn mistake(shape: &Shape, value: &Json<'_>) -> Option<(String, String)> {
    let (Shape::List(form), Json::List(items)) = (shape, value) else {
        let found = shape.partial_mistake(value)?;
        return Some((found.path, found.message));
    };
    let mut items = items.iter().enumerate();
    items.find_map(|(at, item)| {
        let found = form.partial_mistake(item)?;
        let dot = if found.path.is_empty() { "" } else { "." };
        Some((format!("[{at}]{dot}{}", found.path), found.message))
    })
}

impl<'r> Walk<'_, 'r> {
    fn template(&mut self, template: &'r Template, shape: &'r Shape, path: &str) {
        match (template, shape) {
            (Template::Value(expr), _) => self.expression(expr, shape, path),
            (Template::Given { given, value, .. }, _) => {
                self.template(given, shape, path);
                self.template(value, shape, path);
            }
            (Template::OnlyIf { value, .. }, _) => self.template(value, shape, path),
            (Template::List(items), Shape::List(form)) => {
                for item in items {
                    self.template(item, form, path);
                }
            }
            (Template::ForEach { list, item, .. }, Shape::List(form)) => {
                self.items(list, item, path);
                self.template(item, form, path);
            }
            (Template::Object(members), _) => {
                for (name, value) in members.iter().filter(|(name, _)| !name.ends_with("[#]")) {
                    let Some(member) = shape.member(name) else {
                        continue;
                    };
                    let dot = if path.is_empty() { "" } else { "." };
                    self.template(value, &member.shape, &format!("{path}{dot}{name}"));
                }
            }
            _ => {}
        }
    }

    /// What each item of an attribute is looked up by.
    fn items(&mut self, list: &'r Expr, item: &'r Template, path: &str) {
        let Template::Object(members) = item else {
            return;
        };
        let fields = members.iter().filter_map(|(_, value)| match value {
            Template::Value(expr) => looked_up_by(expr),
            _ => None,
        });
        let Some(field) = fields.into_iter().next() else {
            return;
        };
        self.each_attribute(list, path, &mut |ends, _| ends.items_ask = Some(field));
    }

    fn expression(&mut self, expr: &'r Expr, shape: &'r Shape, path: &str) {
        let operation = self.operation;
        self.each_attribute(expr, path, &mut |ends, path| {
            ends.members.push(EndsIn {
                shape,
                operation,
                member: path.to_owned(),
            });
        });
    }

    /// Every attribute that an expression gives as it is.
    fn each_attribute(
        &mut self,
        expr: &'r Expr,
        path: &str,
        found: &mut dyn FnMut(&mut Ends<'r>, &str),
    ) {
        match expr {
            Expr::Path {
                root: Root::Cast(role),
                parts,
            } => {
                if let [attribute] = parts.as_slice() {
                    self.attribute(role, attribute, path, found);
                }
            }
            Expr::Call { function, args } if function == LOOKING => {
                if let Some(Expr::Literal(Json::Text(named))) = args.last()
                    && let Some((role, attribute)) = named.split_once('.')
                {
                    self.attribute(role, attribute, path, found);
                }
            }
            Expr::Call { function, args } => {
                let passing = PASSING.iter().find(|(name, _)| name == function);
                for arg in passing.map(|(_, from)| &args[*from..]).unwrap_or_default() {
                    self.each_attribute(arg, path, found);
                }
            }
            _ => {}
        }
    }

    /// That of everybody who can play a role: of a kind, of those whom a relation leads to, or of whoever is asked for.
    fn attribute(
        &mut self,
        role: &str,
        attribute: &str,
        path: &str,
        found: &mut dyn FnMut(&mut Ends<'r>, &str),
    ) {
        let related = WorldRows::built_in().relation.iter();
        let leads_to: Vec<&str> = related
            .filter(|row| row.name == role)
            .map(|row| row.to.as_str())
            .collect();
        for (kind, character) in self.roles {
            let is_it = match (self.roles.contains_key(role), leads_to.is_empty()) {
                (true, _) => kind == role,
                (false, false) => leads_to.contains(&kind.as_str()),
                (false, true) => true,
            };
            let known = character.attributes.get_key_value(attribute);
            if let Some((name, _)) = known.filter(|_| is_it) {
                let key = (kind.as_str(), name.as_str());
                found(self.forms.0.entry(key).or_default(), path);
            }
        }
    }
}

/// The field that the current item of a list is looked up by.
fn looked_up_by(expr: &Expr) -> Option<&str> {
    let Expr::Call { function, args } = expr else {
        return None;
    };
    match args.as_slice() {
        [
            Expr::Literal(Json::Text(field)),
            Expr::Path {
                root: Root::Item, ..
            },
            ..,
        ] if function == LOOKING => Some(field),
        _ => None,
    }
}

/// Reports a value that is not of the kind of the sample's, or none of the words that the row lists.
pub(super) fn report_misfit(
    key: &str,
    attribute: &Attribute,
    value: &Json<'_>,
    item: &Item<'_>,
) -> bool {
    if let Some(wanted) = misfit(&attribute.sample, value) {
        item.problem(format!("`{key}` is {wanted}, and this is not"));
        return true;
    }
    let known = &attribute.one_of;
    let texts = match value {
        Json::List(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut texts = texts.iter().filter_map(Json::as_text);
    let unknown = texts.find(|text| !known.is_empty() && known.iter().all(|it| it != text));
    if let Some(text) = unknown {
        item.problem_with_hint(
            format!("`{key}` is never \"{text}\""),
            nearest(text, known.iter().map(String::as_str)),
        );
    }
    unknown.is_some()
}

/// What an attribute must be, where a value is not of the kind of the sample's.
fn misfit(sample: &Template, value: &Json<'_>) -> Option<&'static str> {
    if let Template::List(items) = sample {
        let is_text = |item: &Json<'_>| item.as_text().is_some();
        return match (items.is_empty(), value.as_list()) {
            (true, Some(_)) => None,
            (false, Some(items)) if items.iter().all(is_text) => None,
            (true, None) => Some("a list"),
            (false, _) => Some("a list of strings"),
        };
    }
    let Template::Literal(sample) = sample else {
        return value.as_text().is_none().then_some("a string");
    };
    let is_date = |json: &Json<'_>| {
        let text = json.as_text();
        text.is_some_and(|text| parse_date("YYYY-MM-DD", text).is_some())
    };
    match sample {
        Json::Int(_) => (!matches!(value, Json::Int(_))).then_some("a whole number"),
        Json::Num(_) => value.as_num().is_none().then_some("a number"),
        Json::Bool(_) => value.as_bool().is_none().then_some("true or false"),
        date if is_date(date) => (!is_date(value)).then_some("a date YYYY-MM-DD"),
        _ => value.as_text().is_none().then_some("a string"),
    }
}
