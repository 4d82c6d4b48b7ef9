//! What is new in the envelope itself, beside `data`. Rows say which members it has, but for those of `error`.

use svc_fixtures::contract::Shape;

use super::propose::{Change, Edit, Row, new_member};
use super::seen::{PlaceSeen, ServiceSeen};

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
    let error = seen.envelope.members.get(ERROR);
    for (name, _) in error.iter().flat_map(|error| &error.members) {
        if !OF_ERROR.contains(&name.as_str()) {
            left.push(format!(
                "the envelope has a member `{ERROR}.{name}`: no row says what stands in `{ERROR}`"
            ));
        }
    }
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
