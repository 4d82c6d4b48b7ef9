//! Filling an answer in for one call.

mod given;
mod memo;

use std::borrow::Cow;
use std::sync::Arc;

use svc_fixtures::json::Json;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use given::One;
use memo::{Asked, Memo};

use super::actor::Actor;
use super::{Expr, Look, Member, Named, Node, Part, ResponseTemplate, Sources, What};
use crate::engine::compute::Tools;
use crate::scenario::as_subject;
use crate::world::Fact;

/// One filling-in: the sources, and what `answer.…`, `this.…` and `item` mean.
#[derive(Clone, Copy)]
struct Filling<'a> {
    sources: Sources<'a>,
    root: Option<&'a Node>,
    /// The innermost object.
    this: Option<This<'a>>,
    /// The current value of the innermost `for_each`.
    item: Option<One<'a>>,
    /// What was asked for: in a flow, what its first call asked for.
    text: &'a str,
    /// Who is spoken of.
    actor: Actor<'a>,
    memo: &'a Memo,
}

/// An object, with the item it is made for: a `for_each` inside it has items of its own.
#[derive(Clone, Copy)]
struct This<'a> {
    members: &'a [Arc<Member>],
    item: Option<One<'a>>,
    /// What is given of it already.
    given: Option<&'a Json<'a>>,
}

pub(super) fn print(
    answer: &ResponseTemplate,
    sources: Sources<'_>,
    out: &mut Vec<u8>,
) -> Option<Arc<str>> {
    let memo = Memo::default();
    let filling = Filling::of(answer, sources, &memo);
    filling.print(&answer.data, out);
    filling.about()
}

pub(super) fn about(answer: &ResponseTemplate, sources: Sources<'_>) -> Option<Arc<str>> {
    Filling::of(answer, sources, &Memo::default()).about()
}

pub(super) fn member(answer: &ResponseTemplate, sources: Sources<'_>, name: &str) -> Json<'static> {
    let memo = Memo::default();
    let filling = Filling::of(answer, sources, &memo);
    filling.find(&answer.data, &[name.to_owned()]).into_owned()
}

impl<'a> Filling<'a> {
    fn of(answer: &'a ResponseTemplate, sources: Sources<'a>, memo: &'a Memo) -> Self {
        let story = sources.story;
        let (text, asked) = match sources.flow {
            Some(flow) => (&*flow.subject, story.asked_first[answer.operation.0]),
            None => {
                let field = sources.input.subject_index();
                let asked = field.and_then(|field| story.asked[answer.operation.0][field.0]);
                (sources.input.subject(), asked)
            }
        };
        Filling {
            sources,
            root: Some(&answer.data),
            this: None,
            item: None,
            text,
            actor: sources.asked_for(asked, text),
            memo,
        }
    }

    /// Whom a scenario file declares, where it speaks of one of them.
    fn about(&self) -> Option<Arc<str>> {
        let profile = self.actor.profile?;
        Some(Arc::clone(&profile.because))
    }

    /// Inside an object.
    fn within(self, members: &'a [Arc<Member>]) -> Self {
        let item = self.item;
        Filling {
            this: Some(This {
                members,
                item,
                given: None,
            }),
            ..self
        }
    }

    /// For one value of a `for_each`.
    fn with<'b>(self, one: One<'b>) -> Filling<'b>
    where
        'a: 'b,
    {
        Filling {
            item: Some(one),
            ..self
        }
    }

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
            Node::Object(members) => self.within(members).print_members(members, out),
            Node::ForEach {
                list,
                item,
                resized,
            } => {
                let (list, resized) = (self.eval(list), resized.as_deref());
                if let Some(alone) = Filling::alone(&list, resized) {
                    return print_json(&alone, out);
                }
                out.push(b'[');
                let values = One::each(list.as_list().unwrap_or_default(), resized);
                for (at, one) in values.enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    self.with(one).print(item, out);
                }
                out.push(b']');
            }
            // Only a member can be left out; reached when a condition holds.
            Node::OnlyIf { value, .. } | Node::Given { value, .. } => self.print(value, out),
            Node::Matched { .. } | Node::Placed { .. } => self.print(self.matched(node), out),
            Node::Edited { .. } => print_json(&self.json(node), out),
        }
    }

    fn print_members(&self, members: &'a [Arc<Member>], out: &mut Vec<u8>) {
        out.push(b'{');
        let empty = out.len();
        let comma = |out: &mut Vec<u8>| {
            if out.len() > empty {
                out.push(b',');
            }
        };
        for member in members {
            let Some(value) = self.present(&member.value) else {
                continue;
            };
            if member.spread {
                for (name, value) in self.spread(member, value) {
                    comma(out);
                    print_json(&Json::from(name), out);
                    out.push(b':');
                    print_json(&value, out);
                }
                continue;
            }
            comma(out);
            out.extend_from_slice(&member.printed);
            match self.is_whole().then(|| self.memo.said(value)).flatten() {
                Some(said) => print_json(&said, out),
                None => self.print(value, out),
            }
        }
        out.push(b'}');
    }

    /// The members `name[0]`, `name[1]` and so on that an array is spread over.
    fn spread(&self, member: &Member, value: &'a Node) -> Vec<(String, Json<'a>)> {
        let Json::List(items) = self.json(value) else {
            return Vec::new();
        };
        let named = |(at, value)| (format!("{}[{at}]", member.name), value);
        items.into_iter().enumerate().map(named).collect()
    }

    /// Whether a member is the same wherever in the answer it is asked for: no item decides, and nobody else's attribute.
    fn is_whole(&self) -> bool {
        self.root.is_some() && self.item.is_none()
    }

    /// The value of a member that another one asks for.
    fn member(&self, node: &'a Node) -> Json<'a> {
        match node {
            Node::Literal { json, .. } => json.borrowed(),
            node if self.is_whole() => self.memo.member(node, || self.json(node).into_owned()),
            node => self.json(node),
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
            Node::Literal { json, .. } => json.borrowed(),
            Node::Value(expr) => self.eval(expr),
            Node::Text(parts) => Json::Text(self.text(parts)),
            Node::List(items) => Json::List(items.iter().map(|item| self.json(item)).collect()),
            Node::Object(members) => self.within(members).object(members),
            Node::ForEach {
                list,
                item,
                resized,
            } => {
                let (list, resized) = (self.eval(list), resized.as_deref());
                Filling::alone(&list, resized).unwrap_or_else(|| {
                    let values = One::each(list.as_list().unwrap_or_default(), resized);
                    let made = |one| self.with(one).json(item).into_owned();
                    Json::List(values.map(made).collect())
                })
            }
            Node::OnlyIf { value, .. } | Node::Given { value, .. } => self.json(value),
            Node::Matched { .. } | Node::Placed { .. } => self.json(self.matched(node)),
            Node::Edited { list, edits, form } => {
                let mut made = self.json(list).into_owned();
                for edit in edits {
                    edit.apply(&mut made, form.as_ref());
                }
                made
            }
        }
    }

    fn object(&self, members: &'a [Arc<Member>]) -> Json<'a> {
        let mut made = Vec::with_capacity(members.len());
        for member in members {
            let Some(value) = self.present(&member.value) else {
                continue;
            };
            if member.spread {
                let items = self.spread(member, value).into_iter();
                made.extend(items.map(|(name, value)| (Cow::Owned(name), value)));
            } else {
                made.push((Cow::Borrowed(member.name.as_str()), self.json(value)));
            }
        }
        Json::Object(made)
    }

    fn text(&self, parts: &'a [Part]) -> Cow<'a, str> {
        // Room for what texts are made of mostly: some words and an address.
        let mut text = String::with_capacity(64);
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
            Expr::Literal(json) => json.borrowed(),
            Expr::Request { field, rest } => below(sources.input.field(*field), rest),
            Expr::AnyRequest(path) => below(sources.input.named(&path[0]), &path[1..]),
            // From the top again: no item, no object around it.
            Expr::Answer(path) => self.root.map_or(Json::Null, |root| {
                let whole = Filling {
                    this: None,
                    item: None,
                    ..*self
                };
                whole.find(root, path)
            }),
            Expr::This(path) => self.this.map_or(Json::Null, |this| {
                let around = Filling {
                    item: this.item,
                    ..*self
                };
                let given = this.given.and_then(|given| given.get(&path[0]));
                given.map_or_else(
                    || around.find_member(this.members, path),
                    |given| below(Some(given), &path[1..]),
                )
            }),
            Expr::Given(path) => self.given_of(path),
            Expr::Flow { name, rest } => below(sources.flow.map(|flow| flow.get(name)), rest),
            Expr::Item(rest) => below(self.item.map(|item| item.value), rest),
            Expr::Attribute { role, named } => {
                self.known(sources.playing(*role, self.actor, self.text), named)
            }
            Expr::Look(look) => self.look(look),
            Expr::Search { asked, text, named } => {
                let text = self.eval(text);
                let found = sources.searched_for(*asked, text.as_text().unwrap_or_default());
                let known = found.into_iter().map(|actor| self.known(actor, named));
                Json::List(known.filter(|value| *value != Json::Null).collect())
            }
            Expr::Call { run, args, salt } => {
                let tools = self.tools(*salt);
                // The usual numbers of arguments need no list.
                match args.as_slice() {
                    [one] => run(tools, &[self.eval(one)]),
                    [one, two] => run(tools, &[self.eval(one), self.eval(two)]),
                    more => {
                        let args: Vec<_> = more.iter().map(|arg| self.eval(arg)).collect();
                        run(tools, &args)
                    }
                }
            }
            Expr::Choice { choose, args } => choose(args.len(), &|at| self.eval(&args[at])),
        }
    }

    /// What is known of whoever is asked for so, or of who plays a role for them.
    fn look(&self, look: &'a Look) -> Json<'a> {
        let text = self.eval(&look.text);
        let Some(text) = text.as_text() else {
            return Json::Null;
        };
        let (sources, text) = (self.sources, as_subject(look.spelling, text));
        let meant = match look.role {
            None => sources.looked_for(look.asked, &text),
            Some(role) => sources.playing(role, sources.asked_for(look.asked, &text), &text),
        };
        self.known(meant, &look.named)
    }

    /// What is known of somebody: what a scenario file says of them, else what the story does, else what
    /// tells them apart.
    fn known(&self, actor: Actor<'a>, named: &'a Named) -> Json<'a> {
        let Named { name, what, rest } = named;
        let said = actor.profile.and_then(|profile| profile.said.get(name));
        if let Some(said) = said {
            return below(Some(said), rest);
        }
        let Sources {
            story, population, ..
        } = self.sources;
        match &what[actor.subject.kind.index()] {
            None => Json::Null,
            Some(What::Fact(known)) => {
                match population.world.fact(known, actor.subject, population.seed) {
                    Fact::Text(text) => Json::Text(text.into()),
                    Fact::Number(number) => Json::Int(i64::try_from(number).unwrap_or(i64::MAX)),
                }
            }
            Some(What::Attribute {
                character,
                attribute,
            }) => {
                let (_, row) = &story.characters[*character].attributes[*attribute];
                // An attribute is the same wherever it is asked for: no item, no answer around it.
                let alone = Filling {
                    root: None,
                    this: None,
                    item: None,
                    actor,
                    ..*self
                };
                let node = if actor.is_sample {
                    &row.sample
                } else {
                    &row.other
                };
                let asked = Asked::of(&actor, *character, *attribute);
                let made = match node {
                    Node::Literal { json, .. } => json.borrowed(),
                    made => self.memo.attribute(asked, || alone.json(made).into_owned()),
                };
                match rest.as_slice() {
                    [] => made,
                    rest => below_owned(made, rest),
                }
            }
        }
    }

    fn tools(&self, salt: u64) -> Tools<'a> {
        let place = self.item.map_or(0, |item| item.place);
        let sources = self.sources;
        let salt = salt.wrapping_add(place.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let drawn = self.actor.draw(sources.population.seed, self.text);
        Tools {
            verification: sources.verification,
            draw: xxh3_64_with_seed(&drawn.to_le_bytes(), salt),
            lists: &sources.story.lists,
            tables: &sources.story.tables,
            request: sources.input.body(),
            today: sources.today,
            population: sources.population,
            subject: self.actor.subject,
            profile: self.actor.profile,
            is_sample: self.actor.is_sample,
            people: sources.people,
            assets: &sources.addresses.assets_url,
        }
    }

    /// The value at a path of the same answer.
    fn find(&self, node: &'a Node, path: &[String]) -> Json<'a> {
        let Some((name, rest)) = path.split_first() else {
            return self.member(node);
        };
        match node {
            Node::Object(members) => self.within(members).find_member(members, path),
            Node::List(items) => {
                let item = name.parse::<usize>().ok().and_then(|at| items.get(at));
                item.map_or(Json::Null, |node| self.find(node, rest))
            }
            Node::OnlyIf { value, .. } | Node::Given { value, .. } => self.find(value, path),
            // An item that speaks of its own list means the one that was written there, and must not
            // have the list made to make it.
            Node::Edited { list, .. } => self.find(list, path),
            other => below_owned(self.json(other), path),
        }
    }

    fn find_member(&self, members: &'a [Arc<Member>], path: &[String]) -> Json<'a> {
        let Some((name, rest)) = path.split_first() else {
            return self.object(members);
        };
        let value = |member: &'a Member| self.present(&member.value);
        if let Some(member) = members
            .iter()
            .find(|member| !member.spread && member.name == *name)
        {
            return value(member).map_or(Json::Null, |node| self.find(node, rest));
        }
        let mut spread = members.iter().filter(|member| member.spread);
        let found = spread.find_map(|member| Some((value(member)?, position(member, name)?)));
        found.map_or(Json::Null, |(node, at)| {
            let path = [&[at.to_string()], rest].concat();
            below_owned(self.json(node), &path)
        })
    }
}

/// The position that a name such as `check[2]` has in the array that `check` is spread over.
fn position(member: &Member, name: &str) -> Option<usize> {
    let rest = name.strip_prefix(&member.name)?.strip_prefix('[')?;
    rest.strip_suffix(']')?.parse().ok()
}

/// The value at a path below a JSON value; null where there is none.
fn below<'a>(json: Option<&'a Json<'a>>, path: &[String]) -> Json<'a> {
    found(json, path).map_or(Json::Null, Json::borrowed)
}

fn below_owned<'a>(json: Json<'a>, path: &[String]) -> Json<'a> {
    found(Some(&json), path).cloned().unwrap_or(Json::Null)
}

fn found<'j, 'a>(json: Option<&'j Json<'a>>, path: &[String]) -> Option<&'j Json<'a>> {
    path.iter().fold(json, |json, name| step(json?, name))
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
