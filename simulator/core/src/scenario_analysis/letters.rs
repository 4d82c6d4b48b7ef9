//! Identifiers of whoever is declared whose letters say something else than what is declared with them
//! (rulings 37 and 40). What letters say stands in rows: nothing here knows one.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::civil::Date;
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{Compared, Exchange, Known, Letters};
use svc_fixtures::reading::{Problem, Problems, Source};

use super::claims::envelope;
use crate::engine::call::rules::Rules;
use crate::scenario::Profile;

/// When everybody is looked at: no letters say anything about time.
const DAY: Date = Date::constant(2026, 1, 1);

/// Whose identifiers contradict what is said of them, with the line of each.
#[must_use]
pub fn find_contrary_letters(rules: &Rules, sources: &[Arc<Source>]) -> Problems {
    let (rows, known) = (Letters::built_in(), Known::built_in());
    let mut problems = Problems::default();
    let profiles = rules.scenarios.people.all().iter();
    for profile in profiles.filter(|profile| !profile.breaks_contract) {
        let source = sources.iter().find(|source| source.path == *profile.file);
        let Some(source) = source else { continue };
        if let Some(problem) = contrary_attribute(source, profile, &known) {
            problems.push(problem);
        }
        for ((field, text), span) in profile.asked.iter().zip(&profile.spans) {
            let is_read = |letters: &&Letters| {
                let row = letters.row;
                let said = row.said.as_ref();
                row.of == profile.role
                    && row.field == *field
                    && row.length.is_none_or(|length| length == text.len())
                    && said.is_none_or(|said| profile.said.contains_key(said))
            };
            let mut rows = rows.iter().filter(is_read).peekable();
            let is_any = rows.peek().is_some();
            let exchange = is_any.then(|| exchange(rules, profile, field, text));
            let Some(exchange) = exchange.flatten() else {
                continue;
            };
            for letters in rows.filter(|letters| letters.claim.broken(&exchange).is_some()) {
                let problem = problem(source, profile, (field, text), letters, &exchange);
                problems.push(problem(span));
                // Small letters are wrong once, whatever they would say.
                if text.to_uppercase() != *text {
                    break;
                }
            }
        }
    }
    problems.sorted()
}

/// Something that is said of somebody and that can't be, or not with what else is said.
fn contrary_attribute(source: &Arc<Source>, profile: &Profile, known: &[Known]) -> Option<Problem> {
    let is_about = |known: &&Known| {
        known.row.of.contains(&profile.role) && profile.places.contains_key(&known.row.at)
    };
    let mut rows = known.iter().filter(is_about).peekable();
    rows.peek()?;
    let said = profile.said.iter();
    let said = said.map(|(name, value)| (Cow::Owned(name.clone()), value.clone()));
    let exchange = Exchange {
        first: None,
        answers: vec![Cow::Owned(envelope(Json::Object(said.collect())))],
        item: 0,
    };
    rows.find_map(|Known { row, claim }| {
        let compared = claim.compared(&exchange);
        if !compared.is_there() || claim.holds(&compared) {
            return None;
        }
        let (name, says) = (&profile.name, &row.says);
        let message = format!("what is said of `{name}` can't be: {says}");
        let hint = format!(
            "{}: change one of them; write `breaks_contract = true` there if it is meant so",
            claim.describe(&compared)
        );
        let span = profile.places[&row.at].clone();
        Some(Problem::new(source, span, message).hint(hint))
    })
}

/// The identifier, and what is known of its holder.
fn exchange(
    rules: &Rules,
    profile: &Profile,
    field: &str,
    text: &str,
) -> Option<Exchange<'static>> {
    let known = rules.known_of(&profile.role, (field, text), DAY)?;
    let asked = Json::Object(vec![(field.to_owned().into(), text.to_owned().into())]);
    let answer = Json::Object(vec![("data".into(), known)]);
    Some(Exchange {
        first: Some(asked),
        answers: vec![Cow::Owned(answer)],
        item: 0,
    })
}

fn problem<'p>(
    source: &'p Arc<Source>,
    profile: &'p Profile,
    (field, text): (&'p str, &'p str),
    letters: &'p Letters,
    exchange: &Exchange<'_>,
) -> impl Fn(&std::ops::Range<usize>) -> Problem + 'p {
    let Compared { left, right } = letters.claim.compared(exchange);
    move |span| {
        let (name, says) = (&profile.name, &letters.row.says);
        let message =
            format!("`{field}` is \"{text}\", which contradicts what is said of `{name}`: {says}");
        let (left, right) = (left.join(" or "), right.join(" or "));
        let capitals = text.to_uppercase();
        if capitals != text {
            let hint = format!(
                "such letters are capitals: write \"{capitals}\", or `breaks_contract = true` there"
            );
            return Problem::new(source, span.clone(), message).hint(hint);
        }
        let hint = format!(
            "here one says {left} and the other {right}: change one of them; write `breaks_contract = true` there \
             if they are to contradict each other"
        );
        Problem::new(source, span.clone(), message).hint(hint)
    }
}
