//! Which members of an answer can follow from other members of it, as its row says.

use svc_fixtures::template::{Expr, Root, Template};

/// Whether a member of an answer can follow from others.
pub(super) fn follows(template: &Template, path: &str) -> bool {
    let Template::Object(members) = template else {
        return false;
    };
    let top = path.split(['.', '[']).next().unwrap_or(path);
    let mut members = members
        .iter()
        .filter(|(name, _)| name == path || name == top);
    members.any(|(_, value)| is_computed(value))
}

fn is_computed(template: &Template) -> bool {
    match template {
        Template::Given { .. } => true,
        Template::Value(expr) => of_answer(expr),
        Template::OnlyIf { value, .. } => is_computed(value),
        Template::Object(members) => members.iter().any(|(_, value)| is_computed(value)),
        Template::ForEach { list, .. } => of_answer(list),
        _ => false,
    }
}

fn of_answer(expr: &Expr) -> bool {
    match expr {
        Expr::Path { root, .. } => matches!(root, Root::Answer | Root::Given | Root::This),
        Expr::Call { args, .. } => args.iter().any(of_answer),
        Expr::Literal(_) => false,
    }
}
