//! From templates as read to nodes with every name resolved.

use std::sync::Arc;

use svc_fixtures::contract::{Contract, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::template::{self, Answers, Root, Template};
use xxhash_rust::xxh3::xxh3_64;

use super::{Attribute, Character, Expr, Member, Node, Part, ResponseTemplate, Story};
use crate::engine::compute::{self, How};

/// Where the compiler stands: what names mean, and a path that makes equal calls at different
/// places draw different values.
struct Scope<'a> {
    contract: Option<(&'a Contract, OperationIndex)>,
    characters: &'a [(String, Vec<String>)],
    path: String,
    calls: u32,
    /// Whether anything so far depends on more than the request.
    needs_call: bool,
}

/// What stood at this place before it was changed, as read and as compiled.
type Before<'b> = Option<(&'b Template, &'b Node)>;

pub(super) fn story(answers: &Answers) -> Story {
    let names = names(answers);
    let character = |(name, row): (&String, &template::Character)| Character {
        name: name.clone(),
        identifiers: row.identifiers.iter().cloned().collect(),
        attributes: row
            .attributes
            .iter()
            .map(|(attribute, row)| {
                let compiled = |template| {
                    let path = format!("{name}.{attribute}");
                    Scope {
                        contract: None,
                        characters: &names,
                        path,
                        calls: 0,
                        needs_call: false,
                    }
                    .node(template, None)
                };
                let value = Attribute {
                    sample: compiled(&row.sample),
                    other: compiled(&row.other),
                };
                (attribute.clone(), value)
            })
            .collect(),
    };
    let tables = answers.tables.clone().into_iter();
    Story {
        lists: answers.lists.clone().into_iter().collect(),
        tables: tables
            .map(|(name, rows)| (name, rows.into_iter().collect()))
            .collect(),
        characters: answers.cast.iter().map(character).collect(),
    }
}

fn names(answers: &Answers) -> Vec<(String, Vec<String>)> {
    let attributes = |row: &template::Character| row.attributes.keys().cloned().collect();
    answers
        .cast
        .iter()
        .map(|(name, row)| (name.clone(), attributes(row)))
        .collect()
}

pub(super) fn answer(
    contract: &Contract,
    operation: OperationIndex,
    story: &Story,
    data: &Template,
    before: Before<'_>,
) -> ResponseTemplate {
    let attributes = |character: &Character| {
        character
            .attributes
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let names: Vec<_> = story
        .characters
        .iter()
        .map(|character| (character.name.clone(), attributes(character)))
        .collect();
    let path = contract.operations[operation].id.clone();
    let mut scope = Scope {
        contract: Some((contract, operation)),
        characters: &names,
        path,
        calls: 0,
        needs_call: false,
    };
    let data = scope.node(data, before);
    ResponseTemplate {
        data,
        needs_call: scope.needs_call,
    }
}

impl Scope<'_> {
    fn node(&mut self, template: &Template, before: Before<'_>) -> Node {
        match template {
            Template::Literal(json) => Node::Literal {
                json: json.clone(),
                printed: printed(json),
            },
            Template::Value(expr) => Node::Value(self.expr(expr)),
            Template::Text(parts) => Node::Text(parts.iter().map(|part| self.part(part)).collect()),
            Template::List(items) => {
                let item =
                    |(at, item)| self.below(&format!("[{at}]"), |scope| scope.node(item, None));
                Node::List(items.iter().enumerate().map(item).collect())
            }
            Template::Object(members) => {
                let member = |(name, value): &(String, Template)| match same(before, name) {
                    Some((template, member)) if template == value => {
                        self.needs_call |= member.needs_call;
                        Arc::clone(member)
                    }
                    found => {
                        let before = found.map(|(template, member)| (template, &member.value));
                        Arc::new(self.member(name, value, before))
                    }
                };
                Node::Object(members.iter().map(member).collect())
            }
            Template::ForEach { list, item } => Node::ForEach {
                list: self.expr(list),
                item: Box::new(self.below("[]", |scope| scope.node(item, None))),
            },
            Template::OnlyIf { condition, value } => Node::OnlyIf {
                condition: self.truth(condition),
                value: Box::new(self.node(value, None)),
            },
            Template::Edited { list, edits, form } => Node::Edited {
                list: Box::new(self.node(list, None)),
                edits: edits.clone(),
                form: form.clone(),
            },
        }
    }

    fn member(&mut self, name: &str, value: &Template, before: Before<'_>) -> Member {
        let stem = name.strip_suffix("[#]");
        let needed = std::mem::take(&mut self.needs_call);
        let value = self.below(name, |scope| scope.node(value, before));
        let needs_call = std::mem::replace(&mut self.needs_call, needed);
        self.needs_call |= needs_call;
        Member {
            name: stem.unwrap_or(name).to_owned(),
            printed: [&printed(&Json::from(name))[..], b":"].concat().into(),
            spread: stem.is_some(),
            needs_call,
            value,
        }
    }

    fn below<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let (length, calls) = (self.path.len(), std::mem::take(&mut self.calls));
        self.path.push('.');
        self.path.push_str(name);
        let made = work(self);
        self.path.truncate(length);
        self.calls = calls;
        made
    }

    fn part(&mut self, part: &template::Part) -> Part {
        match part {
            template::Part::Literal(text) => Part::Literal(text.clone()),
            template::Part::Value(expr) => Part::Value(self.expr(expr)),
        }
    }

    fn expr(&mut self, expr: &template::Expr) -> Expr {
        match expr {
            template::Expr::Literal(json) => Expr::Literal(json.clone()),
            template::Expr::Path { root, parts } => self.path(root, parts),
            template::Expr::Call { function, args } => {
                self.calls += 1;
                let salt = xxh3_64(format!("{}#{}", self.path, self.calls).as_bytes());
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                let found = compute::find(function).expect("the reader knows every function");
                self.needs_call |= found.needs_call;
                match found.how {
                    How::Args(run) => Expr::Call { run, args, salt },
                    How::Choice(choose) => Expr::Choice { choose, args },
                }
            }
        }
    }

    /// Whether a condition holds: as `if` sees it, everywhere.
    fn truth(&mut self, condition: &template::Expr) -> Expr {
        let literal = |truth| template::Expr::Literal(Json::Bool(truth));
        self.expr(&template::Expr::Call {
            function: "if".to_owned(),
            args: vec![condition.clone(), literal(true), literal(false)],
        })
    }

    fn path(&mut self, root: &Root, parts: &[String]) -> Expr {
        let rest = || parts[1..].to_vec();
        match root {
            Root::Request => match self.contract {
                Some((contract, operation)) => {
                    let field = contract.operations[operation].field(&parts[0]);
                    Expr::Request {
                        field: field.expect("the reader knows every field"),
                        rest: rest(),
                    }
                }
                None => Expr::AnyRequest(parts.to_vec()),
            },
            Root::Answer => Expr::Answer(parts.to_vec()),
            Root::This => Expr::This(parts.to_vec()),
            Root::Flow => {
                self.needs_call = true;
                Expr::Flow {
                    name: parts[0].clone(),
                    rest: rest(),
                }
            }
            Root::Item => Expr::Item(parts.to_vec()),
            Root::Cast(name) => {
                let known =
                    |wanted: &str| self.characters.iter().position(|(name, _)| name == wanted);
                let character = known(name).expect("the reader knows the cast");
                let attribute = self.characters[character]
                    .1
                    .iter()
                    .position(|name| name == &parts[0]);
                Expr::Attribute {
                    character,
                    attribute: attribute.expect("the reader knows every attribute"),
                }
            }
        }
    }
}

/// The member of this name before the change.
fn same<'b>(before: Before<'b>, name: &str) -> Option<(&'b Template, &'b Arc<Member>)> {
    let Some((Template::Object(templates), Node::Object(members))) = before else {
        return None;
    };
    let at = templates.iter().position(|(known, _)| known == name)?;
    Some((&templates[at].1, &members[at]))
}

fn printed(json: &Json<'_>) -> Box<[u8]> {
    json.to_string().into_bytes().into()
}
