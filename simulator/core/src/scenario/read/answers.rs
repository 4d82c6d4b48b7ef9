//! Reading what all answers share: `[answers]`.

use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use crate::scenario::answer_form::{
    AnswerForm, BundleForm, EACH_NAMES, FormPart, FormWord, OWN_META, ReportForm, UsageForm, WordOf,
};

/// Adds what a file says of all answers to what the files before it said, which counts first.
pub(super) fn add(form: &mut AnswerForm, table: &Table<'_>) {
    if let Some(meta) = table.optional("meta").and_then(|item| item.table()) {
        for (name, item) in meta.entries() {
            member_of_meta(form, name, &item);
        }
    }
    if let Some(item) = table.optional("bundle") {
        let read = item.table().map(|_| part(&item, WordOf::Bundle));
        if form.bundle.is_none() {
            form.bundle = read.map(BundleForm);
        }
    }
    if let Some(item) = table.optional("report") {
        let read = item.table().map(|_| part(&item, WordOf::Report));
        if form.report.is_none() {
            form.report = read.map(ReportForm);
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

/// A part of a form, in what is written of a bundle or a report, or for each step or endpoint.
fn part(item: &Item<'_>, of: WordOf) -> FormPart {
    if let Some(table) = item.if_table() {
        let entries = table.entries();
        if let [(key, each)] = &*entries
            && let Some(name) = key.strip_prefix('{').and_then(|it| it.strip_suffix('}'))
        {
            return each_table(name, each, of);
        }
        let members = entries.into_iter();
        let members = members.map(|(name, item)| {
            if name.contains(['{', '}']) {
                item.unknown_key_with_hint(
                    "the member",
                    name,
                    format!(
                        "a key in braces stands alone in its table, which has a member for each {}",
                        of.each()
                    ),
                );
            }
            (name.to_owned(), part(&item, of))
        });
        return FormPart::Object(members.collect());
    }
    if item.is_list() {
        let items = item.list().unwrap_or_default();
        if let ([each], false) = (&*items, of.is_each()) {
            let each = part(each, of.each());
            return match each.is_of_each() {
                true => FormPart::EachList(Box::new(each)),
                false => FormPart::List(vec![each]),
            };
        }
        return FormPart::List(items.iter().map(|item| part(item, of)).collect());
    }
    match item.if_text() {
        Some(text) if text.contains(['{', '}']) => {
            word(item, text, of).map_or(FormPart::Value(Json::Null), FormPart::Word)
        }
        _ => FormPart::Value(item.json_or_problem().unwrap_or(Json::Null)),
    }
}

/// A table with a member for each step, or each endpoint.
fn each_table(name: &str, item: &Item<'_>, of: WordOf) -> FormPart {
    let each = of.each();
    let named = each.word(name).filter(|it| EACH_NAMES.contains(&it.word));
    let Some(named) = named.filter(|_| !of.is_each()) else {
        let known = EACH_NAMES.map(|name| format!("`{{{name}}}`")).join(", ");
        item.unknown_key_with_hint(
            "the key",
            &format!("{{{name}}}"),
            format!("a table of {each}s is keyed by {known}, and stands in no other"),
        );
        return FormPart::Value(Json::Null);
    };
    FormPart::EachTable(named, Box::new(part(item, each)))
}

fn word(item: &Item<'_>, text: &str, of: WordOf) -> Option<FormWord> {
    let Some(name) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
        let example = of.whole().words().first().map_or("", |it| it.word);
        item.problem_with_hint(
            "a word in braces stands alone",
            format!("write `\"{{{example}}}\"`, or leave the braces out"),
        );
        return None;
    };
    if let Some(found) = of.word(name).or_else(|| of.whole().word(name)) {
        return Some(found);
    }
    if of.each().word(name).is_some() {
        let (article, each) = (of.each().article(), of.each());
        item.problem_with_hint(
            format!("`{text}` is said of {article} {each}"),
            format!(
                "write it in a list of one item, `[{{ {each} = \"{text}\" }}]`, which is repeated for each {each}"
            ),
        );
        return None;
    }
    let known = of.whole().words().iter().chain(of.each().words());
    item.unknown("the word", name, known.map(|it| it.word));
    None
}
