//! Scenario files as people write them: who it is about first, then the rules, each with where it comes from.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jiff::Timestamp;
use svc_fixtures::json::Json;

use super::outcome::{Changes, LearnedEdit, LearnedEnd, LearnedOutcome};
use super::people::LearnedPerson;
use super::rule::{LearnedRule, Test};
use super::traffic::Provenance;
use crate::scenario::{AnswerForm, FormPart, LEARNED, UsageForm, WireFault};
use crate::scenario_format::format_toml;

/// A rule that is longer than this is written over several lines.
const WIDE: usize = 120;

/// What stands before the time of the last call in the first line of a learned file, and behind it.
const AROUND_TIME: (&str, &str) = (" of ", " by `svc-simulator learn`");

/// The file of what was learned from a capture of this name, whose last call was made then.
#[must_use]
pub(super) fn file(
    (capture, ended): (&str, Option<Timestamp>),
    shared: &AnswerForm,
    people: &[LearnedPerson],
    rules: &[LearnedRule],
) -> String {
    let (before, behind) = AROUND_TIME;
    let ended = ended.map_or_else(String::new, |at| format!("{before}{at}"));
    let mut out = format!(
        "{LEARNED}{capture}{ended}{behind}, and written anew when that is learned\n\
         # again: to change something, move it into a file of your own. It comes before this one, and is not learned again.\n"
    );
    out += &answers(capture, shared);
    for person in people {
        out += &declared(capture, person);
    }
    for rule in rules {
        out += &scenario(capture, rule);
    }
    format_toml(&out)
}

/// When the last call was made of those that a file was learned from; none where it was not learned, and the beginning
/// of time where nobody knows.
#[must_use]
pub fn learned_until(text: &str) -> Option<Timestamp> {
    let line = text.lines().next()?.strip_prefix(LEARNED)?;
    let (before, behind) = AROUND_TIME;
    let until = line
        .split(behind)
        .next()
        .and_then(|it| it.rsplit(before).next()?.parse().ok());
    Some(until.unwrap_or(Timestamp::MIN))
}

/// A learned file that declares people and has no rules.
#[must_use]
pub fn people_alone(text: &str) -> String {
    let mut is_rule = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            is_rule = line == "[[scenario]]" || line.starts_with("[answers");
        }
        if !is_rule {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// Where something comes from: the first exchange that says so, and how many others do.
fn origin(capture: &str, origins: &BTreeSet<Provenance>) -> String {
    let Some(first) = origins.first() else {
        return String::new();
    };
    match origins.len() - 1 {
        0 => format!("\n# {capture}: {first}\n"),
        others => format!("\n# {capture}: {first}, and {others} more\n"),
    }
}

/// What all answers share.
fn answers(capture: &str, shared: &AnswerForm) -> String {
    let AnswerForm {
        provider,
        meta,
        bundle,
        report,
        usage,
    } = shared;
    let mut out = String::new();
    let named = UsageForm::ALL
        .iter()
        .find(|(_, form)| Some(*form) == *usage);
    if let Some((name, _)) = named {
        let _ = writeln!(
            out,
            "\n# {capture}: how the usage counts bundles\n[answers]\nusage = {}",
            in_quotes(name)
        );
    }
    let provider = provider
        .iter()
        .map(|it| ("provider".to_owned(), Json::from(&**it)));
    let meta: Vec<(String, Json<'static>)> = provider.chain(meta.iter().cloned()).collect();
    if !meta.is_empty() {
        let _ = writeln!(out, "\n# {capture}: what all answers share\n[answers.meta]");
        for (name, json) in meta {
            let _ = writeln!(out, "{} = {}", bare(&name), value(&json));
        }
    }
    let forms = [
        (
            bundle.as_ref().map(|form| &form.0),
            "bundle",
            "of what bundles answer",
        ),
        (
            report.as_ref().map(|form| &form.0),
            "report",
            "of the usage report",
        ),
    ];
    for (form, name, whose) in forms {
        let Some(form) = form else {
            continue;
        };
        let _ = writeln!(out, "\n# {capture}: the form {whose}\n[answers.{name}]");
        for (name, part) in form_members(form) {
            let _ = writeln!(out, "{} = {}", bare(&name), formed(part));
        }
    }
    out
}

/// The members of a form, as they are written: those of a table of steps or endpoints have a word for a name.
fn form_members(part: &FormPart) -> Vec<(String, &FormPart)> {
    match part {
        FormPart::Object(members) => {
            let members = members.iter();
            members.map(|(name, part)| (name.clone(), part)).collect()
        }
        FormPart::EachTable(name, each) => vec![(format!("{{{}}}", name.word), &**each)],
        _ => Vec::new(),
    }
}

fn formed(part: &FormPart) -> String {
    match part {
        FormPart::Value(json) => value(json),
        FormPart::Word(word) => in_quotes(&format!("{{{}}}", word.word)),
        FormPart::List(items) => {
            let items: Vec<String> = items.iter().map(formed).collect();
            format!("[{}]", items.join(", "))
        }
        FormPart::EachList(each) => format!("[{}]", formed(each)),
        FormPart::Object(_) | FormPart::EachTable(..) => {
            let members = form_members(part).into_iter();
            let members = members.map(|(name, part)| format!("{} = {}", bare(&name), formed(part)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn declared(capture: &str, person: &LearnedPerson) -> String {
    let mut out = origin(capture, &person.origins);
    let _ = writeln!(out, "[{}.{}]", person.role, person.key);
    let (name, rest): (Vec<_>, Vec<_>) = person.said.iter().partition(|(name, _)| *name == "name");
    for (name, text) in name.into_iter().chain(rest) {
        let _ = writeln!(out, "{} = {}", bare(name), value(text));
    }
    for (field, text) in &person.asked {
        let _ = writeln!(out, "{} = {}", bare(field), quoted(text));
    }
    if person.breaks_contract {
        out += "breaks_contract = true\n";
    }
    out
}

fn scenario(capture: &str, rule: &LearnedRule) -> String {
    let mut out = origin(capture, &rule.origins);
    let _ = writeln!(
        out,
        "[[scenario]]\nname = {}\noperation = {}",
        quoted(&rule.name),
        quoted(&rule.operation)
    );
    if !rule.when.is_empty() {
        let tests = rule
            .when
            .iter()
            .map(|(name, test)| format!("{} = {}", bare(name), tested(test)));
        let _ = writeln!(out, "when = {{ {} }}", tests.collect::<Vec<_>>().join(", "));
    }
    if rule.otherwise {
        out += "otherwise = true\n";
    }
    let outcomes: Vec<String> = rule.then.iter().map(outcome).collect();
    match outcomes.as_slice() {
        [one] if one.len() + 10 <= WIDE => {
            let _ = writeln!(out, "then = {one}");
        }
        [_] => out += &spread(&rule.then[0]),
        several => {
            let _ = writeln!(out, "then = [\n{},\n]", several.join(",\n"));
        }
    }
    if rule.start_over {
        out += "start_over = true\n";
    }
    out
}

fn tested(test: &Test) -> String {
    match test {
        Test::Is(json) => value(json),
        Test::OneOf(values) => list(values),
        Test::StartsWith(text) => format!("{{ starts_with = {} }}", quoted(text)),
        Test::EndsWith(text) => format!("{{ ends_with = {} }}", quoted(text)),
        Test::Absent => "{ absent = true }".to_owned(),
        Test::Present => "{ present = true }".to_owned(),
    }
}

/// The keys of an outcome, each with its value.
fn keys(outcome: &LearnedOutcome) -> Vec<(&'static str, String)> {
    let mut keys = match &outcome.ends {
        LearnedEnd::Success(changes) => change_keys(changes),
        LearnedEnd::Error { code, message } => {
            let mut keys = vec![("error", quoted(code.as_str()))];
            keys.extend(message.iter().map(|text| ("message", quoted(text))));
            keys
        }
        LearnedEnd::Pending { after_ms, finally } => {
            let mut keys = vec![("pending", "{}".to_owned())];
            keys.extend(after_ms.map(|after| ("after", duration(after))));
            if !finally.is_plain() {
                keys.push(("finally", self::outcome(finally)));
            }
            keys
        }
    };
    keys.extend(outcome.delay_ms.map(|(from, to)| {
        // What varies little is one time.
        let is_one = to - from <= 200.max(from / 10);
        let both = || format!("{{ from = {}, to = {} }}", duration(from), duration(to));
        ("delay", if is_one { duration(to) } else { both() })
    }));
    keys.extend(
        outcome
            .provider
            .iter()
            .map(|text| ("provider", quoted(text))),
    );
    keys.extend(outcome.wire.map(|fault| ("wire", wire(fault))));
    keys
}

fn change_keys(changes: &Changes) -> Vec<(&'static str, String)> {
    let put = changes.edits.iter().filter_map(|(path, edit)| match edit {
        LearnedEdit::Put(json) => Some(format!("{} = {}", bare(path), value(json))),
        _ => None,
    });
    let put: Vec<String> = put.collect();
    let success = if put.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", put.join(", "))
    };
    let mut keys = vec![("success", success)];
    for (key, wanted) in [("remove", LearnedEdit::Remove), ("null", LearnedEdit::Null)] {
        let paths = changes.edits.iter().filter(|(_, edit)| **edit == wanted);
        let paths: Vec<Json<'static>> = paths.map(|(path, _)| Json::from(path.as_str())).collect();
        if !paths.is_empty() {
            keys.push((key, list(&paths)));
        }
    }
    if changes.breaks_contract {
        keys.push(("breaks_contract", "true".to_owned()));
    }
    keys
}

fn outcome(outcome: &LearnedOutcome) -> String {
    let keys = keys(outcome)
        .into_iter()
        .map(|(key, text)| format!("{key} = {text}"));
    format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
}

/// An outcome with a line for each member that it changes.
fn spread(outcome: &LearnedOutcome) -> String {
    let mut out = String::new();
    for (key, text) in keys(outcome) {
        let changes = match (&outcome.ends, key) {
            (LearnedEnd::Success(changes), "success") if text != "{}" => changes,
            _ => {
                let _ = writeln!(out, "then.{key} = {text}");
                continue;
            }
        };
        for (path, edit) in &changes.edits {
            if let LearnedEdit::Put(json) = edit {
                let _ = writeln!(out, "then.success.{} = {}", bare(path), wide(json));
            }
        }
    }
    out
}

/// A value, a list of much with a line for each item.
fn wide(json: &Json<'static>) -> String {
    let text = value(json);
    match json {
        Json::List(items) if text.len() > WIDE => {
            let items: Vec<String> = items.iter().map(value).collect();
            format!("[\n{},\n]", items.join(",\n"))
        }
        _ => text,
    }
}

fn wire(fault: WireFault) -> String {
    match fault {
        WireFault::Reset => quoted("reset"),
        WireFault::Never => quoted("never"),
        WireFault::Garbage => quoted("garbage"),
        WireFault::CutAfter(bytes) => format!("{{ cut_after = {bytes} }}"),
        WireFault::Slow { over_ms } => format!("{{ slow = {} }}", duration(over_ms)),
    }
}

/// A span of time in the largest unit that it is whole in.
#[must_use]
pub(super) fn duration(ms: u64) -> String {
    let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s")];
    let whole = units
        .iter()
        .find(|(unit, _)| ms >= *unit && ms.is_multiple_of(*unit));
    quoted(&whole.map_or_else(
        || format!("{ms}ms"),
        |(unit, name)| format!("{}{name}", ms / unit),
    ))
}

fn bare(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if is_bare {
        name.to_owned()
    } else {
        in_quotes(name)
    }
}

/// A text as it is written: one that would stand for a value of its own, or for itself with a `$` less, gets a `$` more.
fn quoted(text: &str) -> String {
    let is_read = |c: char| c.is_alphabetic() || c == '$';
    match text.strip_prefix('$') {
        Some(rest) if rest.starts_with(is_read) => in_quotes(&format!("${text}")),
        _ => in_quotes(text),
    }
}

/// A text as TOML writes it.
fn in_quotes(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '\r' => out += "\\r",
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn list(values: &[Json<'static>]) -> String {
    let values: Vec<String> = values.iter().map(value).collect();
    format!("[{}]", values.join(", "))
}

fn value(json: &Json<'static>) -> String {
    match json {
        Json::Text(text) => quoted(text),
        Json::List(items) => list(items),
        Json::Object(members) if members.is_empty() => "{}".to_owned(),
        Json::Object(members) => {
            let members = members
                .iter()
                .map(|(name, inside)| format!("{} = {}", bare(name), value(inside)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        // A number keeps its kind: 1.0 is not 1.
        Json::Num(number) => format!("{number:?}"),
        Json::Null => quoted(""),
        Json::Bool(_) | Json::Int(_) => json.to_string(),
    }
}
