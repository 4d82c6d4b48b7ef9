//! Filling an answer in for one call.

use std::borrow::Cow;

use svc_fixtures::json::Json;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Answer, Attribute, Expr, Node, Part, Sources};
use crate::engine::compute::Tools;

/// One filling-in: the sources, what `answer.…` means, and the innermost `for_each`.
#[derive(Clone, Copy)]
struct Filling<'a> {
    sources: Sources<'a>,
    root: Option<&'a Node>,
    item: Option<(&'a Json<'a>, usize)>,
}

pub(super) fn print(answer: &Answer, sources: Sources<'_>, out: &mut Vec<u8>) {
    Filling {
        sources,
        root: Some(&answer.data),
        item: None,
    }
    .print(&answer.data, out);
}

pub(super) fn member<'a>(answer: &'a Answer, sources: Sources<'a>, name: &str) -> Json<'a> {
    let filling = Filling {
        sources,
        root: Some(&answer.data),
        item: None,
    };
    filling.find(&answer.data, &[name.to_owned()])
}

impl<'a> Filling<'a> {
    fn print(&self, node: &'a Node, out: &mut Vec<u8>) {
        match node {
            Node::Literal { printed, .. } => out.extend_from_slice(printed),
            Node::Value(expr) => print_json(&self.eval(expr), out),
            Node::Text(parts) => print_json(&Json::Text(self.text(parts)), out),
            Node::List(items) => {
                out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.print(item, out);
                }
                out.push(b']');
            }
            Node::Object(members) => {
                out.push(b'{');
                let empty = out.len();
                for member in members {
                    let Some(value) = self.present(&member.value) else {
                        continue;
                    };
                    if out.len() > empty {
                        out.push(b',');
                    }
                    out.extend_from_slice(&member.printed);
                    self.print(value, out);
                }
                out.push(b'}');
            }
            Node::ForEach { list, item } => {
                out.push(b'[');
                let list = self.eval(list);
                for (at, value) in list.as_list().unwrap_or_default().iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    Filling {
                        item: Some((value, at)),
                        ..*self
                    }
                    .print(item, out);
                }
                out.push(b']');
            }
            // Only a member can be left out; reached when a condition holds.
            Node::OnlyIf { value, .. } => self.print(value, out),
        }
    }

    /// The node behind a condition that holds; none where it does not.
    fn present(&self, node: &'a Node) -> Option<&'a Node> {
        match node {
            Node::OnlyIf { condition, value } => {
                (self.eval(condition) == Json::Bool(true)).then_some(value)
            }
            other => Some(other),
        }
    }

    fn json(&self, node: &'a Node) -> Json<'a> {
        match node {
            Node::Literal { json, .. } => json.clone(),
            Node::Value(expr) => self.eval(expr),
            Node::Text(parts) => Json::Text(self.text(parts)),
            Node::List(items) => Json::List(items.iter().map(|item| self.json(item)).collect()),
            Node::Object(members) => Json::Object(
                members
                    .iter()
                    .filter_map(|member| {
                        let value = self.json(self.present(&member.value)?);
                        Some((Cow::Borrowed(member.name.as_str()), value))
                    })
                    .collect(),
            ),
            Node::ForEach { list, item } => {
                let list = self.eval(list);
                let values = list.as_list().unwrap_or_default().iter().enumerate();
                let made = |(at, value)| {
                    Filling {
                        item: Some((value, at)),
                        ..*self
                    }
                    .json(item)
                    .into_owned()
                };
                Json::List(values.map(made).collect())
            }
            Node::OnlyIf { value, .. } => self.json(value),
        }
    }

    fn text(&self, parts: &'a [Part]) -> Cow<'a, str> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Value(expr) => match self.eval(expr) {
                    Json::Text(value) => text.push_str(&value),
                    Json::Null => {}
                    other => text.push_str(&other.to_string()),
                },
            }
        }
        Cow::Owned(text)
    }

    fn eval(&self, expr: &'a Expr) -> Json<'a> {
        let sources = self.sources;
        match expr {
            Expr::Literal(json) => json.clone(),
            Expr::Request { field, rest } => below(sources.input.field(*field), rest),
            Expr::Answer(path) => self.root.map_or(Json::Null, |root| self.find(root, path)),
            Expr::Flow { name, rest } => below(sources.flow.map(|flow| flow.get(name)), rest),
            Expr::Item(rest) => below(self.item.map(|(item, _)| item), rest),
            Expr::Attribute {
                character,
                attribute,
            } => {
                let character = &sources.story.characters[*character];
                let Attribute { sample, other } = &character.attributes[*attribute].1;
                let is_sample = character.identifiers.contains(self.subject());
                // An attribute is the same wherever it is asked for: no item, no answer around it.
                let alone = Filling {
                    root: None,
                    item: None,
                    ..*self
                };
                alone.json(if is_sample { sample } else { other })
            }
            Expr::Call { run, args, salt } => {
                let args: Vec<Json<'a>> = args.iter().map(|arg| self.eval(arg)).collect();
                run(self.tools(*salt), &args)
            }
        }
    }

    fn tools(&self, salt: u64) -> Tools<'a> {
        let place = self.item.map_or(0, |(_, at)| at as u64 + 1);
        let seed = salt.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Tools {
            verification: self.sources.verification,
            draw: xxh3_64_with_seed(self.subject().as_bytes(), seed),
            lists: &self.sources.story.lists,
        }
    }

    /// Whom the answer speaks of: in a flow, whom its first call spoke of.
    fn subject(&self) -> &'a str {
        self.sources
            .flow
            .map_or_else(|| self.sources.input.subject(), |flow| &flow.subject)
    }

    /// The value at a path of the same answer.
    fn find(&self, node: &'a Node, path: &[String]) -> Json<'a> {
        let Some((name, rest)) = path.split_first() else {
            return self.json(node);
        };
        match node {
            Node::Object(members) => {
                let member = members.iter().find(|member| &member.name == name);
                member
                    .and_then(|member| self.present(&member.value))
                    .map_or(Json::Null, |node| self.find(node, rest))
            }
            Node::List(items) => {
                let item = name.parse::<usize>().ok().and_then(|at| items.get(at));
                item.map_or(Json::Null, |node| self.find(node, rest))
            }
            other => below_owned(self.json(other), path),
        }
    }
}

/// The value at a path below a JSON value; null where there is none.
fn below<'a>(json: Option<&Json<'a>>, path: &[String]) -> Json<'a> {
    let mut found = json;
    for name in path {
        found = found.and_then(|json| step(json, name));
    }
    found.cloned().unwrap_or(Json::Null)
}

fn below_owned<'a>(json: Json<'a>, path: &[String]) -> Json<'a> {
    below(Some(&json), path)
}

fn step<'j, 'a>(json: &'j Json<'a>, name: &str) -> Option<&'j Json<'a>> {
    match json {
        Json::List(items) => items.get(name.parse::<usize>().ok()?),
        other => other.get(name),
    }
}

fn print_json(json: &Json<'_>, out: &mut Vec<u8>) {
    serde_json::to_writer(out, json).expect("a JSON tree prints into memory");
}
