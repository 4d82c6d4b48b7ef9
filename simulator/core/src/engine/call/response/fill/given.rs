//! What is given of a member, and which items a rule means.

use std::borrow::Cow;
use std::sync::Arc;

use svc_fixtures::json::Json;
use svc_fixtures::template::Resized;
use xxhash_rust::xxh3::xxh3_64;

use super::super::{Each, Member, Node, Test};
use super::{Filling, This, below_owned};
use crate::scenario::as_subject;
use crate::scenario::matching::compared_holds;

/// A value of a `for_each`.
#[derive(Clone, Copy)]
pub(super) struct One<'a> {
    pub(super) value: &'a Json<'a>,
    /// Its place among the items.
    at: usize,
    /// What is drawn for it depends on this: it stays the value's own, wherever in the list it stands.
    pub(super) place: u64,
}

impl<'a> One<'a> {
    pub(super) fn of(value: &'a Json<'a>, at: usize) -> Self {
        let place = match value.as_text() {
            Some(text) => xxh3_64(text.as_bytes()),
            None => at as u64 + 1,
        };
        One { value, at, place }
    }

    /// Of the items of a `for_each`: where it is to have more than there are values, these are repeated.
    pub(super) fn each(
        values: &'a [Json<'a>],
        resized: Option<&Resized>,
    ) -> impl Iterator<Item = Self> {
        let length = match (resized, values) {
            (None, _) | (_, []) => values.len(),
            (Some(resized), _) => resized.length.of(values.len()),
        };
        (0..length).map(|at| {
            let repeated = at % values.len();
            One {
                at,
                ..One::of(&values[repeated], repeated)
            }
        })
    }

    /// Of items that a member tells apart; of those that it does not, how many came before.
    fn told_apart(by: &str, items: &'a [Json<'a>], at: usize) -> Self {
        let value = &items[at];
        let Some(name) = value.get(by) else {
            return One::of(value, at);
        };
        let before = items[..at].iter().filter(|item| item.get(by) == Some(name));
        let One { place, .. } = One::of(name, at);
        let place = place.wrapping_add(before.count() as u64);
        One { value, at, place }
    }
}

impl<'a> Filling<'a> {
    /// What stands for the current item: whether it is one for which the rule's conditions hold, and where it stands.
    pub(super) fn matched(&self, node: &'a Node) -> &'a Node {
        match node {
            Node::Matched {
                by,
                changed,
                otherwise,
            } => {
                let value = self.item.map(|item| item.value);
                match by.iter().all(|test| test.holds(value)) {
                    true => changed,
                    false => otherwise,
                }
            }
            Node::Placed { at, otherwise } => {
                let changed = self.item.and_then(|item| at.get(&item.at));
                changed.unwrap_or(otherwise)
            }
            node => node,
        }
    }

    /// The items that a scenario makes where there is no value to make them for.
    pub(super) fn alone(list: &Json<'_>, resized: Option<&Resized>) -> Option<Json<'static>> {
        let resized = resized.filter(|_| list.as_list().is_none_or(<[_]>::is_empty))?;
        let mut made = Json::List(Vec::new());
        for edit in &resized.alone {
            edit.apply(&mut made, resized.form.as_ref());
        }
        Some(made)
    }

    /// What is given of a member of the object around, or of the answer where that has none such.
    pub(super) fn given_of(&self, path: &[String]) -> Json<'a> {
        let named = |this: &This<'a>| this.members.iter().any(|it| it.name == path[0]);
        match (self.this.filter(named), self.root) {
            (Some(This { members, item, .. }), _) => Filling { item, ..*self }.given(members, path),
            (None, Some(Node::Object(members))) => {
                let whole = Filling {
                    item: None,
                    ..*self
                };
                whole.within(members).given(members, path)
            }
            (None, _) => Json::Null,
        }
    }

    /// What is given of a member, before anything follows from it.
    fn given(&self, members: &'a [Arc<Member>], path: &[String]) -> Json<'a> {
        let Some((name, rest)) = path.split_first() else {
            return Json::Null;
        };
        let mut named = members.iter().filter(|member| member.name == *name);
        let mut node = named.next().map(|member| &member.value);
        // Whether it is shown, and what was changed of what follows, is no part of it.
        while let Some(Node::OnlyIf { value: inner, .. } | Node::Edited { list: inner, .. }) = node
        {
            node = Some(inner);
        }
        match node {
            None => Json::Null,
            Some(Node::Given { given, each, .. }) => {
                let given = self.member(given);
                let made = match each {
                    None => given,
                    Some(each) => self.each(each, &given),
                };
                below_owned(made, rest)
            }
            Some(other) => self.find(other, rest),
        }
    }

    fn each(&self, each: &'a Each, given: &Json<'a>) -> Json<'a> {
        let items = given.as_list().unwrap_or_default();
        let made = |at| {
            let one = One::told_apart(&each.by, items, at);
            self.with(one).completed(&each.item, one.value).into_owned()
        };
        Json::List((0..items.len()).map(made).collect())
    }

    /// An item with what is not given of it.
    fn completed(self, item: &'a Node, given: &'a Json<'a>) -> Json<'a> {
        let Node::Object(members) = item else {
            return self.json(item);
        };
        let this = This {
            members,
            item: self.item,
            given: Some(given),
        };
        let around = Filling {
            this: Some(this),
            ..self
        };
        let value = |member: &'a Arc<Member>| {
            let said = given.get(&member.name).map(Json::borrowed);
            let value = said.unwrap_or_else(|| around.json(&member.value));
            (Cow::Borrowed(member.name.as_str()), value)
        };
        Json::Object(members.iter().map(value).collect())
    }
}

impl Test {
    fn holds(&self, value: Option<&Json<'_>>) -> bool {
        let compare = |text: &str| as_subject(self.spelling, text).into_owned();
        compared_holds(&self.predicate, &compare, value)
    }
}
