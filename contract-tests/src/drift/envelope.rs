//! What is new in the envelope itself, beside `data`. Rows say which members it has, but for those of `error`.

use svc_fixtures::contract::{MemberPresence, Shape};

use super::propose::{Change, Edit, Row, new_member};
use super::seen::{PlaceSeen, ServiceSeen};
use crate::diff::form::Form;

/// The members of the envelope that have a form of their own elsewhere: `data` in the rows of the operations, `error` in
/// no row.
const APART: [&str; 2] = ["data", ERROR];
const ERROR: &str = "error";

/// What `error` has, whatever the rows say.
const OF_ERROR: [&str; 3] = ["code", "message", "retryable"];

/// What the row of the envelope would have to name, too, and what it can't.
pub(super) fn changes(
    shape: &Shape,
    seen: &ServiceSeen,
    changes: &mut Vec<Change>,
    left: &mut Vec<String>,
) {
    members(shape, &seen.envelope, &mut Vec::new(), changes);
    misfits(shape, &seen.envelope, &mut Vec::new(), left);
    let error = seen.envelope.members.get(ERROR);
    for (name, _) in error.iter().flat_map(|error| &error.members) {
        if !OF_ERROR.contains(&name.as_str()) {
            left.push(format!(
                "the envelope has a member `{ERROR}.{name}`: no row says what stands in `{ERROR}`"
            ));
        }
    }
}

/// What the envelope lacks, or has otherwise than its row says: what all answers have in common a person changes.
fn misfits(shape: &Shape, place: &PlaceSeen, path: &mut Vec<String>, left: &mut Vec<String>) {
    let Shape::Object(members) = shape else {
        return;
    };
    for member in members {
        if path.is_empty() && APART.contains(&member.name.as_str()) {
            continue;
        }
        let seen = place.members.get(&member.name);
        let times = seen.map_or(0, |seen| seen.times);
        path.push(member.name.clone());
        let whole = path.join(".");
        if member.presence == MemberPresence::Always && times < place.objects {
            let (lacking, all) = (place.objects - times, place.objects);
            left.push(format!(
                "the envelope: `{whole}` is not there in {lacking} of {all} answers"
            ));
        }
        if let Some(seen) = seen {
            if let Some(found) = misfit(&member.shape, seen) {
                left.push(format!("the envelope: `{whole}` is {found}"));
            }
            misfits(&member.shape, seen, path, left);
        }
        path.pop();
    }
}

/// What stands there that the row does not say.
fn misfit(shape: &Shape, seen: &PlaceSeen) -> Option<String> {
    let nullable = matches!(shape, Shape::Leaf { nullable: true, .. });
    if seen.nulls > 0 && !nullable {
        return Some(format!("null in {} of {} answers", seen.nulls, seen.times));
    }
    let (objects, lists, values) = (seen.objects, seen.lists, seen.values.len());
    let other = match shape {
        Shape::Object(_) | Shape::AnyObject => lists + values,
        Shape::List(_) => objects + values,
        Shape::Leaf { .. } => objects + lists,
    };
    if other > 0 {
        return Some("of another type".to_owned());
    }
    let Shape::Leaf { leaf, ruled, .. } = shape else {
        return None;
    };
    let mut odd = seen
        .values
        .iter()
        .filter(|value| !leaf.fits_as_specified(value, *ruled));
    let first = odd.next()?;
    Some(format!(
        "answered with {}, which is not {leaf}",
        Form::of(first)
    ))
}

fn members(shape: &Shape, place: &PlaceSeen, path: &mut Vec<String>, changes: &mut Vec<Change>) {
    for (name, seen) in &place.members {
        match shape.member(name) {
            Some(_) if path.is_empty() && APART.contains(&name.as_str()) => {}
            Some(member) => {
                path.push(name.clone());
                if let Shape::Object(_) = member.shape {
                    members(&member.shape, seen, path, changes);
                }
                path.pop();
            }
            // The simulator goes on without it.
            None => {
                let (name, form, value) = new_member(name, seen, true);
                changes.push(Change {
                    row: Row::Envelope,
                    edit: Edit::New(path.clone(), name, form, value),
                    why: format!(
                        "in {} of {} envelopes, and no row names it; the simulator leaves it out",
                        seen.times, place.objects
                    ),
                });
            }
        }
    }
}
