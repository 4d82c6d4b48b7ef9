//! Which values of a body are personal, by the members that they stand in.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::members::PersonalMembers;
use super::replacing::SHORTEST;

/// What tells of a person in a free text by its form: an address of mail, a PAN, a passport, many digits, also in groups.
pub(super) static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    let forms = r"(?x)
        [\w.%+-]+@[\w-]+(\.[\w-]+)+
        | \b[A-Z]{5}[0-9]{4}[A-Z]\b | \b[A-Z][0-9]{7}\b
        | \b[0-9]{10,}\b | \b[0-9]{4}[\ -][0-9]{4}[\ -][0-9]{4}\b | \b[0-9]{5}[\ -][0-9]{5}\b";
    Regex::new(forms).expect("it is a pattern")
});

#[derive(Clone, Copy)]
pub(super) enum Context {
    /// In members that the contract knows.
    Openly,
    /// In members that hold personal data.
    AsPersonal,
    /// In members that may hold anything.
    Unknown,
    /// Where members of no answer are.
    Elsewhere,
}

/// What is known of members.
#[derive(Clone, Copy)]
pub(super) struct Known<'p> {
    pub(super) personal: &'p PersonalMembers,
    /// The names that they may have.
    pub(super) names: &'p BTreeSet<String>,
    /// The operations whose `data` may stand in what a bundle calls as it likes.
    pub(super) steps: &'p [String],
}

/// Whether it is a text, or texts alone.
fn is_text(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(Value::is_string),
        value => value.is_string(),
    }
}

/// The personal values of a body.
pub(super) fn collect(
    known: Known<'_>,
    json: &Value,
    context: Context,
    out: &mut BTreeSet<String>,
) {
    let personal = known.personal;
    match (json, context) {
        (Value::Object(members), Context::Unknown)
            if let Some(names) = personal.names_of_step(known.steps, members) =>
        {
            let known = Known {
                names,
                steps: &[],
                ..known
            };
            collect(known, json, Context::Openly, out);
        }
        (Value::Object(members), _) => {
            for (name, value) in members {
                let is_known = || PersonalMembers::knows(known.names, name);
                if personal.is_number(name) && value.is_u64() {
                    out.insert(value.to_string());
                }
                let context = match context {
                    _ if personal.is(name) => Context::AsPersonal,
                    _ if personal.is_described(name) && is_text(value) => Context::AsPersonal,
                    Context::Openly if !is_known() => Context::Unknown,
                    context => context,
                };
                collect(known, value, context, out);
            }
        }
        (Value::Array(items), _) => {
            for item in items {
                collect(known, item, context, out);
            }
        }
        (Value::String(text), _) if personal.is_endpoint(text) => {}
        (Value::String(text), Context::AsPersonal) if !text.trim().is_empty() => {
            out.insert(text.clone());
        }
        (Value::String(text), Context::Unknown)
            if text.chars().count() >= SHORTEST && !personal.is_vocabulary(text) =>
        {
            out.insert(text.clone());
        }
        // What came to the receiver of webhooks, or a body as the console shows it: JSON in a text.
        (Value::String(text), Context::Openly | Context::Elsewhere)
            if text.starts_with(['{', '[']) =>
        {
            if let Ok(json) = serde_json::from_str(text) {
                collect(known, &json, context, out);
            }
        }
        (Value::String(text), Context::Openly) if !personal.is_vocabulary(text) => {
            out.extend(TELLING.find_iter(text).map(|it| it.as_str().to_owned()));
        }
        // A mobile number given as a number; scores and counts are shorter.
        (Value::Number(number), Context::AsPersonal | Context::Unknown)
            if number.to_string().len() >= 8 =>
        {
            out.insert(number.to_string());
        }
        _ => {}
    }
}
