//! Reading what all answers share: `[answers]`.

use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use crate::scenario::answer_form::{
    AnswerForm, BundleForm, FORM_WORDS, FormPart, FormWord, OWN_META, STEP_NAMES, UsageForm,
};

/// Adds what a file says of all answers to what the files before it said, which counts first.
pub(super) fn add(form: &mut AnswerForm, table: &Table<'_>) {
    if let Some(meta) = table.optional("meta").and_then(|item| item.table()) {
        for (name, item) in meta.entries() {
            member_of_meta(form, name, &item);
        }
    }
    if let Some(item) = table.optional("bundle") {
        let read = item.table().map(|_| part(&item, false));
        if form.bundle.is_none() {
            form.bundle = read.map(BundleForm);
        }
    }
    if let Some(item) = table.optional("usage") {
        let read = item.one_of("the way to count bundles", UsageForm::ALL);
        form.usage = form.usage.or(read);
    }
    table.done();
}

fn member_of_meta(form: &mut AnswerForm, name: &str, item: &Item<'_>) {
    if OWN_META.contains(&name) {
        item.problem_with_hint(
            format!("`{name}` is what each answer says for itself"),
            "leave it out",
        );
    } else if name == "provider" {
        let provider = item.text().map(Into::into);
        form.provider = form.provider.take().or(provider);
    } else if let Some(value) = item.json_or_problem()
        && form.meta.iter().all(|(known, _)| known != name)
    {
        form.meta.push((name.to_owned(), value));
    }
}

/// A part of a bundle's form; `of_step` where it stands in what is written for each step.
fn part(item: &Item<'_>, of_step: bool) -> FormPart {
    if let Some(table) = item.if_table() {
        let entries = table.entries();
        if let [(key, each)] = &*entries
            && let Some(name) = key.strip_prefix('{').and_then(|it| it.strip_suffix('}'))
        {
            return step_table(name, each, of_step);
        }
        let members = entries.into_iter();
        let members = members.map(|(name, item)| {
            if name.contains(['{', '}']) {
                item.unknown_key_with_hint(
                    "the member",
                    name,
                    "a key in braces stands alone in its table, which has a member for each step",
                );
            }
            (name.to_owned(), part(&item, of_step))
        });
        return FormPart::Object(members.collect());
    }
    if item.is_list() {
        let items = item.list().unwrap_or_default();
        if let ([each], false) = (&*items, of_step) {
            let each = part(each, true);
            return match each.is_of_step() {
                true => FormPart::StepList(Box::new(each)),
                false => FormPart::List(vec![each]),
            };
        }
        return FormPart::List(items.iter().map(|item| part(item, of_step)).collect());
    }
    match item.if_text() {
        Some(text) if text.contains(['{', '}']) => {
            word(item, text, of_step).map_or(FormPart::Value(Json::Null), FormPart::Word)
        }
        _ => FormPart::Value(item.json_or_problem().unwrap_or(Json::Null)),
    }
}

/// A table with a member for each step.
fn step_table(name: &str, each: &Item<'_>, of_step: bool) -> FormPart {
    let named = FORM_WORDS.iter().find(|it| it.word == name);
    let named = named.filter(|it| STEP_NAMES.contains(&it.word) && !of_step);
    let Some(named) = named else {
        let known = STEP_NAMES.map(|name| format!("`{{{name}}}`")).join(", ");
        each.unknown_key_with_hint(
            "the key",
            &format!("{{{name}}}"),
            format!("a table of steps is keyed by {known}, and stands in no other"),
        );
        return FormPart::Value(Json::Null);
    };
    FormPart::StepTable(*named, Box::new(part(each, true)))
}

fn word(item: &Item<'_>, text: &str, of_step: bool) -> Option<FormWord> {
    let Some(name) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
        item.problem_with_hint(
            "a word in braces stands alone",
            "write `\"{bundle}\"`, or leave the braces out",
        );
        return None;
    };
    let Some(found) = FORM_WORDS.iter().find(|it| it.word == name) else {
        item.unknown("the word", name, FORM_WORDS.iter().map(|it| it.word));
        return None;
    };
    if found.of_step && !of_step {
        item.problem_with_hint(
            format!("`{text}` is said of a step"),
            format!(
                "write it in a list of one item, `[{{ step = \"{text}\" }}]`, which is repeated for each step"
            ),
        );
        return None;
    }
    Some(*found)
}
