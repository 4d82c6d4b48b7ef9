//! From templates as read to nodes with every name resolved.

use std::sync::Arc;

use svc_fixtures::contract::{Contract, Field, FlowStep, Operation, OperationIndex, Spelling};
use svc_fixtures::json::Json;
use svc_fixtures::template::{self, Answers, Root, Template};
use svc_fixtures::world::ASKED;
use xxhash_rust::xxh3::xxh3_64;

use super::{
    Attribute, Character, Each, Expr, Look, Member, Named, Node, Part, ResponseTemplate, Role,
    Story, Test, What,
};
use crate::engine::compute::{self, How, LOOK, SEARCH};
use crate::scenario::Condition;
use crate::world::{AskedIndex, KindIndex, World};

/// Where the compiler stands: what names mean, and a path that makes equal calls at different
/// places draw different values.
struct Scope<'a> {
    contract: Option<(&'a Contract, OperationIndex)>,
    /// What holds of the calls that get it.
    conditions: &'a [Condition],
    names: &'a Names,
    path: String,
    calls: u32,
    /// Whether anything so far depends on more than the request.
    needs_call: bool,
}

/// Who can be spoken of, and what is known of them.
struct Names {
    characters: Vec<(String, Vec<String>)>,
    roles: Vec<Role>,
}

/// What stood at this place before it was changed, as read and as compiled.
type Before<'b> = Option<(&'b Template, &'b Node)>;

pub(super) fn story(contract: &Contract, answers: &Answers) -> Story {
    let world = World::built_in();
    let names = Names {
        characters: names(answers),
        roles: roles(world),
    };
    let own = |kind: KindIndex, row: &template::Character| {
        let attributes = row.attributes.iter();
        let own = attributes.filter_map(|(attribute, row)| {
            let identifier = world.identifier(kind, attribute)?;
            let Template::Literal(json) = &row.sample else {
                return None;
            };
            Some((identifier, json.as_text()?.to_owned()))
        });
        own.collect()
    };
    let kind = |name: &str| {
        let kind = world.kind(name);
        kind.expect("a character is a kind of the population")
    };
    let character = |(name, row): (&String, &template::Character)| Character {
        name: match row.attributes.get("name").map(|name| &name.sample) {
            Some(Template::Literal(json)) => json.as_text().unwrap_or_default().to_owned(),
            _ => String::new(),
        },
        kind: kind(name),
        own: own(kind(name), row),
        identifiers: row.identifiers.iter().cloned().collect(),
        attributes: row
            .attributes
            .iter()
            .map(|(attribute, row)| {
                let compiled = |template| {
                    let path = format!("{name}.{attribute}");
                    Scope {
                        contract: None,
                        conditions: &[],
                        names: &names,
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
    let asked = asked(contract, world);
    Story {
        lists: answers.lists.clone().into_iter().collect(),
        tables: tables
            .map(|(name, rows)| (name, rows.into_iter().collect()))
            .collect(),
        characters: answers.cast.iter().map(character).collect(),
        asked_first: asked_first(contract, &asked),
        asked,
        roles: names.roles,
    }
}

/// What a field is taken for by its operation, its format or its name.
fn asked(contract: &Contract, world: &World) -> Vec<Vec<Option<AskedIndex>>> {
    let by = |operation: &Operation, field: &Field| {
        let format = field.format(contract).unwrap_or_default();
        world.asked(&[operation.id.as_str(), format, field.name.as_str()])
    };
    let fields = |operation: &Operation| {
        let fields = operation.request.iter();
        fields.map(|field| by(operation, field)).collect()
    };
    contract.operations.iter().map(fields).collect()
}

/// What the subject of a flow's first call is taken for, by each operation of the flow.
fn asked_first(contract: &Contract, asked: &[Vec<Option<AskedIndex>>]) -> Vec<Option<AskedIndex>> {
    let of = |operation: &Operation| {
        let mut flows = contract.flows.iter();
        let is_step = |row: &FlowStep| row.operation == operation.id;
        let flow = flows.find(|row| !row.advisory && row.steps.iter().any(is_step))?;
        let first = contract.operation_index(&flow.steps.first()?.operation)?;
        let row = &contract.operations[first];
        let named = row
            .subject
            .or_else(|| row.identifiers().next().map(|(at, _)| at))?;
        asked[first.0][named.0]
    };
    contract.operations.iter().map(of).collect()
}

/// Everybody who can be spoken of.
fn roles(world: &World) -> Vec<Role> {
    let asked = (ASKED, None, false);
    let kinds = world.kinds().map(|(kind, name)| (name, Some(kind), true));
    let relations = world.relations().map(|(name, to)| (name, Some(to), false));
    let mut roles: Vec<Role> = Vec::new();
    for (name, kind, is_kind) in std::iter::once(asked).chain(kinds).chain(relations) {
        if roles.iter().any(|role| role.name == name) {
            continue;
        }
        let relation = |(kind, _)| world.relation(kind, name);
        roles.push(Role {
            name: name.to_owned(),
            kind,
            is_kind,
            relations: world.kinds().map(relation).collect(),
        });
    }
    roles
}

/// The characters with their attributes.
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
    (data, conditions): (&Template, &[Condition]),
    before: Before<'_>,
) -> ResponseTemplate {
    let world = World::built_in();
    let attributes = |character: &Character| {
        let names = character.attributes.iter().map(|(name, _)| name.clone());
        let mut kinds = world.kinds();
        let kind = kinds.find(|(kind, _)| *kind == character.kind);
        let (_, kind) = kind.expect("a kind of the population");
        (kind.to_owned(), names.collect())
    };
    let names = Names {
        characters: story.characters.iter().map(attributes).collect(),
        roles: story.roles.clone(),
    };
    let path = contract.operations[operation].id.clone();
    let mut scope = Scope {
        contract: Some((contract, operation)),
        conditions,
        names: &names,
        path,
        calls: 0,
        needs_call: false,
    };
    let data = scope.node(data, before);
    ResponseTemplate {
        operation,
        data,
        needs_call: scope.needs_call,
    }
}

/// The one member of an answer that is only asked whether it holds.
pub(super) const HOLDS: &str = "holds";

/// When an operation has no record.
pub(super) fn no_record(
    contract: &Contract,
    operation: OperationIndex,
    story: &Story,
    row: &template::NoRecord,
) -> ResponseTemplate {
    let data = Template::Object(vec![(HOLDS.to_owned(), Template::Value(row.when.clone()))]);
    answer(contract, operation, story, (&data, &[]), None)
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
            Template::ForEach {
                list,
                item,
                resized,
            } => Node::ForEach {
                list: self.expr(list),
                item: Box::new(self.below("[]", |scope| scope.item(list, item))),
                resized: resized.clone(),
            },
            // Only the item of a list is one.
            Template::Matched { otherwise, .. } | Template::Placed { otherwise, .. } => {
                self.node(otherwise, None)
            }
            Template::OnlyIf { condition, value } => Node::OnlyIf {
                condition: self.truth(condition),
                value: Box::new(self.node(value, None)),
            },
            Template::Given { given, each, value } => Node::Given {
                given: Box::new(self.node(given, None)),
                each: each.as_ref().map(|each| Each {
                    by: each.by.clone(),
                    item: Box::new(self.below("[]", |scope| scope.node(&each.item, None))),
                }),
                value: Box::new(self.node(value, None)),
            },
            Template::Edited { list, edits, form } => Node::Edited {
                list: Box::new(self.node(list, None)),
                edits: edits.clone(),
                form: form.clone(),
            },
        }
    }

    /// An item of a list that is made for each value of `list`. What is drawn for it is the same, changed or not.
    fn item(&mut self, list: &template::Expr, item: &Template) -> Node {
        let calls = self.calls;
        let made = |scope: &mut Self, item: &Template| {
            scope.calls = calls;
            scope.item(list, item)
        };
        match item {
            Template::Matched { changed, otherwise } => Node::Matched {
                by: self.tests(list),
                changed: Box::new(made(self, changed)),
                otherwise: Box::new(made(self, otherwise)),
            },
            Template::Placed { at, otherwise } => {
                let places = at.iter();
                Node::Placed {
                    at: places.map(|(at, it)| (*at, made(self, it))).collect(),
                    otherwise: Box::new(made(self, otherwise)),
                }
            }
            other => self.node(other, None),
        }
    }

    /// What the conditions say of the items of a field.
    fn tests(&self, list: &template::Expr) -> Vec<Test> {
        let (Some((contract, operation)), Some(name)) = (self.contract, requested(list)) else {
            return Vec::new();
        };
        let row = &contract.operations[operation];
        let about = self
            .conditions
            .iter()
            .filter(|it| it.is_about_items(row, name));
        let field = row.field(name).map(|at| &row.request[at]);
        about
            .map(|condition| Test {
                predicate: condition.predicate.clone(),
                spelling: field.map_or(Spelling::Sent, |field| condition.spelling(field)),
            })
            .collect()
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
                if function == LOOK || function == SEARCH {
                    return self.look(function, args);
                }
                let found = compute::find(function).expect("the reader knows every function");
                if let (How::Argument, [arg]) = (found.how, args.as_slice()) {
                    return self.expr(arg);
                }
                self.calls += 1;
                let salt = xxh3_64(format!("{}#{}", self.path, self.calls).as_bytes());
                let args = args.iter().map(|arg| self.expr(arg)).collect();
                self.needs_call |= found.needs_call;
                match found.how {
                    How::Args(run) => Expr::Call { run, args, salt },
                    How::Choice(choose) => Expr::Choice { choose, args },
                    How::Look | How::Argument => Expr::Literal(Json::Null),
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
            Root::Given => Expr::Given(parts.to_vec()),
            Root::Flow => {
                self.needs_call = true;
                Expr::Flow {
                    name: parts[0].clone(),
                    rest: rest(),
                }
            }
            Root::Item => Expr::Item(parts.to_vec()),
            Root::Cast(name) => {
                let role = self.names.roles.iter().position(|role| role.name == *name);
                Expr::Attribute {
                    role: role.expect("the reader knows the cast"),
                    named: self.named(parts),
                }
            }
        }
    }

    /// What a name is of each kind of subject.
    fn named(&self, parts: &[String]) -> Named {
        let world = World::built_in();
        let (name, column) = (&parts[0], parts.get(1).map(String::as_str));
        let what = |(kind, kind_name): (KindIndex, &str)| {
            let mut characters = self.names.characters.iter();
            let character = characters.position(|(name, _)| name == kind_name);
            let attribute = character.and_then(|character| {
                let mut known = self.names.characters[character].1.iter();
                let attribute = known.position(|known| known == name)?;
                Some(What::Attribute {
                    character,
                    attribute,
                })
            });
            let fact = || world.known(kind, name, column).map(What::Fact);
            attribute.or_else(fact)
        };
        Named {
            name: name.clone(),
            what: world.kinds().map(what).collect(),
            rest: parts[1..].to_vec(),
        }
    }

    /// `look('cin', text, 'name')`, `search('companyName', text, 'cin')`
    fn look(&mut self, function: &str, args: &[template::Expr]) -> Expr {
        let literal = |at: usize| match &args[at] {
            template::Expr::Literal(json) => json.as_text().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let (field, meant) = (literal(0), literal(2));
        let asked = World::built_in().asked(&[&field]);
        let text = self.expr(&args[1]);
        if function == SEARCH {
            let (text, named) = (Box::new(text), self.named(&[meant]));
            return Expr::Search { asked, text, named };
        }
        let row = self
            .contract
            .map(|(contract, operation)| &contract.operations[operation]);
        let spelling = row.and_then(|row| Some(row.request[row.field(&field)?].spelling));
        let (role, name) = match meant.split_once('.') {
            Some((role, name)) => (Some(role), name),
            None => (None, meant.as_str()),
        };
        let role = role.and_then(|role| self.names.roles.iter().position(|it| it.name == role));
        Expr::Look(Box::new(Look {
            asked,
            spelling: spelling.unwrap_or_default(),
            text,
            role,
            named: self.named(&[name.to_owned()]),
        }))
    }
}

/// The field of the request that an expression is.
fn requested(expr: &template::Expr) -> Option<&str> {
    match expr {
        template::Expr::Path {
            root: Root::Request,
            parts,
        } if parts.len() == 1 => Some(&parts[0]),
        _ => None,
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
