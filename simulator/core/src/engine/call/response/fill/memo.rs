//! What an answer has said already: a name is shown, compared and part of others.

use std::cell::RefCell;

use svc_fixtures::json::Json;

use super::super::Node;
use super::super::actor::Actor;
use crate::world::Subject;

/// An attribute of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    of: Subject,
    is_asked: bool,
    is_sample: bool,
    /// The place among those whom scenario files declare.
    declared: Option<usize>,
    character: usize,
    attribute: usize,
}

impl Asked {
    pub(super) fn of(actor: &Actor<'_>, character: usize, attribute: usize) -> Self {
        Asked {
            of: actor.subject,
            is_asked: actor.is_asked,
            is_sample: actor.is_sample,
            declared: actor.profile.map(|profile| profile.place),
            character,
            attribute,
        }
    }
}

/// What was made for one answer. It is little: looking through it is faster than a map.
#[derive(Debug, Default)]
pub(super) struct Memo {
    attributes: Said<Asked>,
    /// By where the node is: each stands once in a template.
    members: Said<usize>,
}

type Said<K> = RefCell<Vec<(K, Json<'static>)>>;

impl Memo {
    /// What an attribute is; made if it was not yet.
    pub(super) fn attribute(
        &self,
        asked: Asked,
        make: impl FnOnce() -> Json<'static>,
    ) -> Json<'static> {
        known(&self.attributes, &asked).unwrap_or_else(|| keep(&self.attributes, asked, make()))
    }

    /// What a member is, or what is given of it; made if it was not yet.
    pub(super) fn member(
        &self,
        node: &Node,
        make: impl FnOnce() -> Json<'static>,
    ) -> Json<'static> {
        let said = self.said(node);
        said.unwrap_or_else(|| keep(&self.members, place(node), make()))
    }

    /// What a member is, where another one has asked for it.
    pub(super) fn said(&self, node: &Node) -> Option<Json<'static>> {
        known(&self.members, &place(node))
    }
}

fn place(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

fn known<K: PartialEq>(said: &Said<K>, key: &K) -> Option<Json<'static>> {
    let said = said.borrow();
    let found = said.iter().find(|(known, _)| known == key);
    found.map(|(_, value)| value.clone())
}

fn keep<K>(said: &Said<K>, key: K, value: Json<'static>) -> Json<'static> {
    said.borrow_mut().push((key, value.clone()));
    value
}
