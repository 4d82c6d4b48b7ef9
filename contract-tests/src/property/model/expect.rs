//! Short forms of what the parts of the model write most: an expectation, and a text of an answer.

use svc_fixtures::json::Json;

use crate::plan::{Expectation, Rule};

pub(super) fn expect(clause: &str, rule: Rule) -> Expectation {
    Expectation {
        clause: clause.to_owned(),
        rule,
    }
}

/// The text at a place of an answer.
pub(super) fn text(answer: Option<&Json<'_>>, place: &[&str]) -> Option<String> {
    let found = place.iter().try_fold(answer?, |json, name| json.get(name));
    found?.as_text().map(str::to_owned)
}
