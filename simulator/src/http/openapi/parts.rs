//! A part of the document alone: what an application calls, or what its tests say to the simulator. Generators make a
//! client of all that stands in a document, and not all of them heed the URL of a single operation.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::control::CONTROL;

/// A part of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocumentPart {
    /// The service.
    Api,
    /// The control API, which the console serves.
    Control,
}

impl DocumentPart {
    fn has(self, tag: &Value) -> bool {
        (*tag == CONTROL) == (self == DocumentPart::Control)
    }
}

/// Leaves of a document this part, with what it refers to.
pub(super) fn keep(document: &mut Value, part: DocumentPart) {
    if part == DocumentPart::Control {
        become_control(document);
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.retain(|tag| part.has(&tag["name"]));
    }
    if let Some(paths) = document["paths"].as_object_mut() {
        for (_, item) in paths.iter_mut() {
            if let Some(methods) = item.as_object_mut() {
                methods.retain(|_, operation| part.has(&operation["tags"][0]));
            }
        }
        paths.retain(|_, item| item.as_object().is_none_or(|it| !it.is_empty()));
    }
    drop_unused(document);
}

/// Says of the document what it says of each of its operations: where they are, and that they need no key.
fn become_control(document: &mut Value) {
    let mut tags = document["tags"].as_array().into_iter().flatten();
    let about = tags.find(|tag| tag["name"] == CONTROL);
    let about = about.map_or(Value::Null, |tag| tag["description"].clone());
    document["info"]["title"] = json!("Control API of the Verification Service's simulator");
    document["info"]["summary"] =
        json!("Accounts, clocks, wallets, webhooks and scenarios of a simulator");
    document["info"]["description"] = about;
    let methods = document["paths"].as_object_mut().into_iter().flatten();
    let methods = methods
        .filter_map(|(_, item)| item.as_object_mut())
        .flatten();
    let mut own = methods.filter_map(|(_, operation)| operation.as_object_mut()?.remove("servers"));
    let console = own.next();
    own.for_each(drop);
    if let (Some(console), Some(document)) = (console, document.as_object_mut()) {
        document.insert("servers".to_owned(), console);
        document.remove("webhooks");
        document.remove("security");
    }
}

/// Drops the components that nothing refers to any more.
fn drop_unused(document: &mut Value) {
    let mut used = BTreeSet::new();
    note_schemes(&document["security"], &mut used);
    for member in ["paths", "webhooks"] {
        note_references(&document[member], &mut used);
    }
    let mut known = 0;
    while known < used.len() {
        known = used.len();
        for (kind, name) in used.clone() {
            note_references(&document["components"][kind][name], &mut used);
        }
    }
    let kinds = document["components"].as_object_mut().into_iter().flatten();
    for (kind, named) in kinds {
        if let Some(named) = named.as_object_mut() {
            named.retain(|name, _| used.contains(&(kind.clone(), name.clone())));
        }
    }
    if let Some(kinds) = document["components"].as_object_mut() {
        kinds.retain(|_, named| named.as_object().is_none_or(|it| !it.is_empty()));
    }
}

/// Kind and name of each component that this refers to.
fn note_references(value: &Value, used: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (member, value) in members {
                match (member.as_str(), value) {
                    ("$ref", Value::String(at)) => note(at, used),
                    // A scheme is referred to by its name.
                    ("security", Value::Array(_)) => note_schemes(value, used),
                    _ => note_references(value, used),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| note_references(item, used)),
        _ => {}
    }
}

fn note(reference: &str, used: &mut BTreeSet<(String, String)>) {
    let place = reference.strip_prefix("#/components/");
    if let Some((kind, name)) = place.and_then(|place| place.split_once('/')) {
        used.insert((kind.to_owned(), name.to_owned()));
    }
}

fn note_schemes(ways: &Value, used: &mut BTreeSet<(String, String)>) {
    let ways = ways.as_array().into_iter().flatten();
    let schemes = ways.filter_map(Value::as_object).flatten();
    used.extend(schemes.map(|(name, _)| ("securitySchemes".to_owned(), name.clone())));
}
