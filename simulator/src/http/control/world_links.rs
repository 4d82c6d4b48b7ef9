//! Whom somebody has to do with, as people would say it.

use jiff::civil::Date;
use svc_fixtures::json::Json;

use crate::engine::call::whom::{LookedUp, RelatedSubject};

/// Whether somebody has to do with another as the population says. Who is declared has a place in it, and may be too young
/// for what goes with that, or have a neighbour who is no other half.
pub(super) fn is_theirs(of: &LookedUp, link: &RelatedSubject, today: Date) -> bool {
    let own = |name| text_of(&of.attributes, name);
    let of_age = own("of_age").and_then(|day| day.parse::<Date>().ok());
    let is_grown = of_age.is_none_or(|day| day <= today);
    let gender = text_of(&link.attributes, "gender");
    let is_couple = gender.is_none() || link.relation != "spouse" || gender != own("gender");
    is_grown && is_couple
}

/// What is said under a name, where that is a text with something in it.
pub(super) fn text_of(attributes: &Json<'_>, name: &str) -> Option<String> {
    let text = attributes.get(name)?.as_text()?;
    (!text.is_empty()).then(|| text.to_owned())
}
