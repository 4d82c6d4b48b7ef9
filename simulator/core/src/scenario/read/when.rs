//! Reading what an input must be like: `when`. Every mistake is reported where it stands.

use std::cell::RefCell;

use svc_fixtures::contract::{Contract, Field, Kind, Operation, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, parse_path, written};
use svc_fixtures::reading::{Item, Table};

use super::fitting::FormatAutomata;
use super::people::Declared;
use super::predicates::{Sort, predicates};
use super::{environment, one_or_more};
use crate::scenario::expression::ExpressionCompiler;
use crate::scenario::matching::{fields, inside};
use crate::scenario::{Condition, HeaderName, HeaderRefusal, Predicate, Selector};

/// What a condition can ask for beside the fields of a request.
pub(crate) const BESIDE_FIELDS: [&str; 5] =
    ["any_identifier", "who", "account", "environment", "header"];

/// What stands beside `when`, and is no field.
const OF_RULES: [&str; 4] = ["operation", "then", "cases", "success"];

const LANDED: &str =
    "it landed in `[scenario.when]`: what is the rule's own stands above that line";

/// Where what is no field stands: a header by its name, and what is a rule's beside `when`.
fn elsewhere(name: &str) -> Option<String> {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|it| it.to_ascii_lowercase()).collect()
    };
    let asked = letters(name);
    let is_header = |header: &&HeaderName| {
        let known = letters(header.as_str());
        known == asked || known.strip_prefix('x') == Some(&asked)
    };
    let known = HeaderName::ALL;
    let header = known.iter().find(is_header).map(HeaderName::as_str);
    let header = header.or_else(|| name.to_ascii_lowercase().starts_with("x-").then_some(name));
    match header {
        Some(header) => Some(format!("of a header write `header.\"{header}\" = …`")),
        None if OF_RULES.contains(&name) => Some(LANDED.to_owned()),
        None => None,
    }
}

/// What conditions are read against.
pub(super) struct When<'r> {
    pub(super) contract: &'r Contract,
    /// The operations the scenario is for.
    pub(super) operations: &'r [OperationIndex],
    /// Who can be spoken of.
    pub(super) people: &'r Declared,
    /// What compiles the regular expressions of all rules.
    pub(super) expressions: &'r RefCell<ExpressionCompiler>,
    /// What knows which texts the formats allow.
    pub(super) formats: &'r RefCell<FormatAutomata>,
    /// Whether `{case}` stands for something.
    pub(super) has_cases: bool,
    /// Whether the rule is asked before the formats of identifiers are.
    pub(super) before_format: bool,
}

impl When<'_> {
    pub(super) fn read(&self, when: &Table<'_>) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for (name, item) in when.entries() {
            match name {
                "any_identifier" => self.add(Selector::AnyIdentifier, &item, &mut conditions),
                "who" => conditions.extend(self.who(&item)),
                "account" => self.add(Selector::Account, &item, &mut conditions),
                "environment" => conditions.extend(self.environment(&item)),
                "header" => self.headers(&item, &mut conditions),
                _ => self.field(name, &item, &mut conditions),
            }
        }
        if let Some(who) = when.optional("who") {
            self.report_another(&conditions, &who);
        }
        conditions
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Operation> {
        let operations = self.operations.iter();
        operations.map(|&index| &self.contract.operations[index])
    }

    fn add(&self, selector: Selector, item: &Item<'_>, conditions: &mut Vec<Condition>) {
        let sort = match selector.is_of_body() {
            true => Sort::of(self.places(&selector), self.contract),
            false => Sort::Text,
        };
        let first = conditions.len();
        for predicate in predicates(item, sort, self.expressions) {
            match selector {
                Selector::Account => self.report_no_account(&predicate, item),
                _ if selector.is_of_body() => {
                    self.report_impossible(&selector, &predicate, sort, item);
                }
                _ => {}
            }
            let selector = selector.clone();
            conditions.push(Condition {
                selector,
                predicate,
            });
        }
        self.report_disagreeing(&conditions[first..], item);
    }

    fn who(&self, item: &Item<'_>) -> Option<Condition> {
        let names = one_or_more(item);
        if names.is_empty() {
            item.problem("a list without names never holds");
        }
        let mut identifiers = Vec::new();
        for name in &names {
            let asked = self.people.asked_for_by(name.text()?, name)?;
            let any = asked.iter().any(|(field, _)| self.asks(field));
            let asked = asked.iter().filter(|(field, _)| !any || self.asks(field));
            identifiers.extend(asked.map(|(_, value)| value.clone()));
        }
        (!identifiers.is_empty()).then_some(Condition {
            selector: Selector::AnyIdentifier,
            predicate: Predicate::OneOf(identifiers),
        })
    }

    /// Whether these operations ask for somebody by this field, or by another of its format: the number of a
    /// company's account is no code of a bank, also where it is written like one.
    fn asks(&self, field: &str) -> bool {
        let fields = || {
            self.contract
                .operations
                .iter()
                .flat_map(Operation::identifiers)
        };
        let mut known = fields().filter(|(_, it)| it.name == field);
        let format = known.find_map(|(_, it)| it.format_index());
        let mut asked = self.rows().flat_map(Operation::identifiers);
        asked.any(|(_, it)| it.name == field || format.is_some() && it.format_index() == format)
    }

    fn environment(&self, item: &Item<'_>) -> Option<Condition> {
        let environment = environment(item)?;
        Some(Condition {
            selector: Selector::Environment,
            predicate: Predicate::OneOf(vec![Json::from(environment.as_str())]),
        })
    }

    fn headers(&self, item: &Item<'_>, conditions: &mut Vec<Condition>) {
        let Some(headers) = item.if_table() else {
            item.problem_with_hint(
                "a header is asked for by its name",
                "write `header.\"X-Reference-Id\" = …`",
            );
            return;
        };
        let mut seen: Vec<HeaderName> = Vec::new();
        for (name, item) in headers.entries() {
            match HeaderName::parse(name) {
                Ok(name) if seen.contains(&name) => item.problem(format!(
                    "the header `{}` is asked for twice: capital letters make no other header",
                    name.as_str()
                )),
                Ok(name) => {
                    seen.push(name.clone());
                    self.add(Selector::Header(name), &item, conditions);
                }
                Err(refusal) => refuse_header(name, refusal, &item),
            }
        }
    }

    fn field(&self, name: &str, item: &Item<'_>, conditions: &mut Vec<Condition>) {
        if self.operations.is_empty() && OF_RULES.contains(&name) {
            return item.unknown_key_with_hint("the field", name, LANDED);
        }
        if self.rows().any(|row| row.field(name).is_some()) || self.operations.is_empty() {
            return match self.members_below(name, item) {
                Some(hint) => {
                    item.problem_with_hint("what stands inside a field is named by a path", hint)
                }
                None => self.add(Selector::Field(name.to_owned()), item, conditions),
            };
        }
        let steps = match parse_path(name) {
            Ok(steps) => steps,
            Err(mistake) => {
                return item
                    .problem_with_hint(mistake.to_string(), "write `list[].name` or `list[0]`");
            }
        };
        let Some((Step::Member(field), steps)) = steps.split_first() else {
            return;
        };
        let selector = Selector::Inside {
            field: field.clone(),
            steps: steps.to_vec(),
        };
        if steps.is_empty() || !self.rows().any(|row| row.field(field).is_some()) {
            if let Some(hint) = elsewhere(field) {
                return item.unknown_key_with_hint("the field", field, hint);
            }
            let known = self.rows().flat_map(|row| row.request.iter());
            let known = known.map(|field| field.name.as_str()).chain(BESIDE_FIELDS);
            return item.unknown_key("the field", field, known);
        }
        if !self.rows().any(|row| has(row, &selector)) {
            return self.report_no_such_path(field, steps, item);
        }
        self.add(selector, item, conditions);
    }

    /// Where a table is written like the members of an object: how it should be.
    fn members_below(&self, name: &str, item: &Item<'_>) -> Option<String> {
        let table = item.if_table()?;
        let mut fields = self
            .rows()
            .filter_map(|row| Some(&row.request[row.field(name)?]));
        let is_object = fields.any(|field| matches!(field.kind, Kind::Object { .. }));
        let asks = ["present", "absent"];
        let first = table.entries().into_iter().map(|(name, _)| name);
        let first = first.into_iter().find(|name| !asks.contains(name))?;
        is_object.then(|| format!("write `\"{name}.{first}\" = …`, in quotes"))
    }

    /// The kind of each value a selector can find, with the field it stands in.
    pub(super) fn places<'s>(
        &'s self,
        selector: &'s Selector,
    ) -> impl Iterator<Item = (&'s Field, &'s Kind)> {
        self.rows().flat_map(move |row| match selector {
            Selector::Inside { field, steps } => {
                let field = row.field(field).map(|at| &row.request[at]);
                field.and_then(|it| inside(it, steps)).into_iter().collect()
            }
            selector => {
                let fields = fields(selector, row).into_iter();
                let fields = fields.map(|at| &row.request[at]);
                fields.map(|it| (it, &it.kind)).collect::<Vec<_>>()
            }
        })
    }

    fn report_no_such_path(&self, field: &str, steps: &[Step], item: &Item<'_>) {
        let (mut known, mut parent) = (Vec::new(), field.to_owned());
        for row in self.rows() {
            let Some(at) = row.field(field) else { continue };
            for taken in 0..steps.len() {
                let Some((_, kind)) = inside(&row.request[at], &steps[..taken]) else {
                    break;
                };
                let all = [&[Step::Member(field.to_owned())], &steps[..taken]].concat();
                parent = written(&all);
                known = match kind {
                    Kind::Object { fields } => {
                        fields.iter().map(|field| field.name.clone()).collect()
                    }
                    Kind::List { .. } => vec!["[]".to_owned(), "[0]".to_owned()],
                    _ => Vec::new(),
                };
            }
        }
        let hint = match known.is_empty() {
            true => format!("`{parent}` is a value without parts"),
            false => format!("inside `{parent}` there is {}", known.join(", ")),
        };
        item.problem_with_hint("this path leads nowhere", hint);
    }
}

/// Reports a header that nobody can ask for, or send.
pub(crate) fn refuse_header(name: &str, refusal: HeaderRefusal, item: &Item<'_>) {
    let known = HeaderName::ALL;
    match refusal {
        HeaderRefusal::NoName => item.problem_with_hint(
            format!("no header is called {name:?}"),
            "a name is letters, digits and `-`",
        ),
        HeaderRefusal::Secret => item.problem_with_hint(
            format!("what stands in `{name}` is a secret, and no rule looks at it"),
            "ask for the account that calls: `account = \"local_worker7\"`",
        ),
        HeaderRefusal::Misspelt => item.unknown_key(
            "to scenarios the header",
            name,
            known.iter().map(HeaderName::as_str),
        ),
    }
}

/// Whether steps lead into an object whose members no row names.
fn leads_somewhere(kind: &Kind, steps: &[Step]) -> bool {
    match (kind, steps.split_first()) {
        (Kind::Object { fields }, Some((Step::Member(_), _))) if fields.is_empty() => true,
        (Kind::Object { fields }, Some((Step::Member(name), rest))) => {
            let mut named = fields.iter().filter(|field| field.name == *name);
            named.any(|field| leads_somewhere(&field.kind, rest))
        }
        (Kind::List { items, .. }, Some((_, rest))) => leads_somewhere(items, rest),
        _ => false,
    }
}

/// Whether an operation has what a condition looks at.
pub(super) fn has(row: &Operation, selector: &Selector) -> bool {
    match selector {
        Selector::Field(name) => row.field(name).is_some(),
        Selector::AnyIdentifier => row.identifiers().next().is_some(),
        Selector::Inside { field, steps } => row.field(field).is_some_and(|at| {
            let field = &row.request[at];
            inside(field, steps).is_some() || leads_somewhere(&field.kind, steps)
        }),
        Selector::Account | Selector::Environment | Selector::Header(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_of_a_request_is_named_like_what_is_asked_for_beside_the_fields() {
        let contract = Contract::built_in();
        for row in &contract.operations {
            for field in &row.request {
                assert!(!BESIDE_FIELDS.contains(&field.name.as_str()), "{}", row.id);
            }
        }
    }
}
