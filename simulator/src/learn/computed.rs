//! What members of an answer follow from, as its row says: other members of it, fields of the request, the flow.

use std::collections::BTreeSet;

use svc_fixtures::template::{Expr, Part, Root, Template};

/// Whether a member of an answer can follow from others.
pub(super) fn follows(template: &Template, path: &str) -> bool {
    let is_of_answer = |it: &Root| matches!(it, Root::Answer | Root::Given | Root::This);
    let Some((_, value)) = member(template, path) else {
        return false;
    };
    let mut any = false;
    each_path(value, Of::All, &mut |root, _| any |= is_of_answer(root));
    any
}

/// What the member at a path depends on beside whom the answer speaks of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    /// Fields of the request.
    pub(super) fields: BTreeSet<String>,
    /// Whether it is what an earlier step of the flow left.
    pub(super) of_flow: bool,
    /// Whether it is what is known of somebody.
    pub(super) of_somebody: bool,
}

impl Dependencies {
    /// All of both.
    pub(super) fn add(&mut self, other: Dependencies) {
        self.fields.extend(other.fields);
        self.of_flow |= other.of_flow;
        self.of_somebody |= other.of_somebody;
    }
}

/// What a member depends on, by itself or by members that it follows from, and a rule that changes it takes away: what
/// follows from what the rule gives follows all the same.
#[must_use]
pub(super) fn dependencies(template: &Template, path: &str) -> Dependencies {
    let mut found = Dependencies::default();
    let mut seen = BTreeSet::new();
    let mut left = vec![top(path).to_owned()];
    while let Some(name) = left.pop() {
        let Some((_, value)) = member(template, &name) else {
            continue;
        };
        if !seen.insert(name) {
            continue;
        }
        each_path(
            value,
            Of::Given,
            &mut |root, parts| match (root, parts.first()) {
                (Root::Request, Some(field)) => {
                    found.fields.insert(field.clone());
                }
                (Root::Flow, _) => found.of_flow = true,
                (Root::Cast(_), _) => found.of_somebody = true,
                (Root::Answer | Root::Given, Some(name)) => left.push(name.clone()),
                _ => {}
            },
        );
    }
    found
}

/// Whether a member is there only where the request asks for it.
pub(super) fn is_asked_for(template: &Template, path: &str) -> bool {
    let Some((_, Template::OnlyIf { condition, .. })) = member(template, path) else {
        return false;
    };
    let mut any = false;
    paths_of(condition, &mut |root, _| {
        any |= matches!(root, Root::Request)
    });
    any
}

fn top(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// The member of an answer that a path leads into. Some names have dots in them.
fn member<'t>(template: &'t Template, path: &str) -> Option<&'t (String, Template)> {
    let Template::Object(members) = template else {
        return None;
    };
    let whole = members.iter().find(|(name, _)| name == path);
    // An array that is spread over the members `name[0]`, `name[1]` and so on is written `name[#]`.
    let is_top = |name: &str| name.strip_suffix("[#]").unwrap_or(name) == top(path);
    whole.or_else(|| members.iter().find(|(name, _)| is_top(name)))
}

/// Which expressions of a value are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// All of them.
    All,
    /// Those that a rule takes the place of.
    Given,
}

/// Every path of the expressions in a value; one without parts for what is given of the value itself.
fn each_path(template: &Template, of: Of, look: &mut dyn FnMut(&Root, &[String])) {
    match template {
        Template::Value(expr) => paths_of(expr, look),
        Template::Text(parts) => {
            for part in parts {
                if let Part::Value(expr) = part {
                    paths_of(expr, look);
                }
            }
        }
        Template::List(items) => items.iter().for_each(|item| each_path(item, of, look)),
        Template::Object(members) => {
            let values = members.iter().map(|(_, value)| value);
            values.for_each(|value| each_path(value, of, look));
        }
        Template::ForEach { list, item, .. } => {
            paths_of(list, look);
            each_path(item, of, look);
        }
        Template::OnlyIf { condition, value } => {
            if of == Of::All {
                paths_of(condition, look);
            }
            each_path(value, of, look);
        }
        Template::Given { given, each, value } => {
            look(&Root::Given, &[]);
            each_path(given, of, look);
            if of == Of::All {
                each_path(value, of, look);
            }
            if let Some(each) = each {
                each_path(&each.item, of, look);
            }
        }
        // No row is read as one of the others.
        Template::Literal(_)
        | Template::Matched { .. }
        | Template::Placed { .. }
        | Template::Edited { .. } => {}
    }
}

fn paths_of(expr: &Expr, look: &mut dyn FnMut(&Root, &[String])) {
    match expr {
        Expr::Path { root, parts } => look(root, parts),
        Expr::Call { args, .. } => args.iter().for_each(|inner| paths_of(inner, look)),
        Expr::Literal(_) => {}
    }
}
