//! Whom a person declared: what is learned must not make another of them.

use svc_fixtures::json::Json;

use super::claims::claims;
use super::inputs::SeenInput;
use super::traffic::Traffic;
use crate::engine::call::rules::Rules;
use crate::scenario::{folded, is_built_in};

/// Why an input teaches nothing: whom it asks for a person declared, in no file that was learned, and said otherwise.
#[must_use]
pub(super) fn contradicted(
    rules: &Rules,
    traffic: &Traffic,
    input: &SeenInput,
    earlier: &[&str],
) -> Option<String> {
    let (_, text) = input.subject.as_ref()?;
    let declared = rules.scenarios.people.asked_for_by(text)?;
    if is_built_in(&declared.file) || earlier.contains(&&*declared.file) {
        return None;
    }
    let alike = |own: &Json<'_>, said: &Json<'_>| match (own.as_text(), said.as_text()) {
        (Some(own), Some(said)) => folded(own) == folded(said),
        _ => own == said,
    };
    let mut answers = input.lives.values().flatten();
    let contradicts = answers.any(|at| {
        let answer = traffic.calls[*at].last();
        let data = answer.and_then(|answer| answer.envelope.get("data"));
        let said = data.map(|data| claims(rules.template(input.operation), data));
        let mut said = said.into_iter().flatten();
        said.any(|claim| {
            let own = declared.said.get(&claim.attribute);
            let is_theirs = claim.role == declared.role || claim.role == "subject";
            is_theirs && own.is_some_and(|own| !alike(own, &claim.value))
        })
    });
    contradicts.then(|| format!("{} is said to be otherwise, and stays so", declared.because))
}
