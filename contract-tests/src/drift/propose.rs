//! What the rows would have to say for a service to be as they say: the changes, each with its reason.

use std::collections::BTreeMap;

use svc_fixtures::contract::{
    BundleMode, ErrorCode, Kind, Leaf, Member, MemberPresence, Operation, Paise, Shape,
};
use svc_fixtures::json::Json;

use super::rows::key;
use super::seen::{OperationSeen, PlaceSeen, ServiceSeen};
use crate::diff::form::Form;
use crate::plan::Setting;

/// Fewer answers say too little of what an operation always does.
pub(super) const FEWEST: usize = 3;

/// A change of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub(super) row: Row,
    pub(super) edit: Edit,
    /// What was seen.
    pub(super) why: String,
}

/// Which row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Row {
    Operation(String),
    Bundle(String),
    Error(String),
    Envelope,
}

/// What of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Edit {
    /// The form at a path of the answer is another one; an answer has this value there.
    Form(Vec<String>, String, String),
    /// A value of the answer may be null.
    Nullable(Vec<String>),
    /// A member is not always there.
    Sometimes(Vec<String>),
    /// A member was not there, in fewer answers than say anything of what is always there.
    Seldom(Vec<String>),
    /// A member is never there.
    Gone(String),
    /// A value is chosen from these, too.
    Choices(Vec<String>, Vec<String>),
    /// A member is new: below this path, its name, form, and a value.
    New(Vec<String>, String, String, String),
    /// A key of the row has another value.
    Key(String, String),
    /// A key inside a table of the row has another value.
    Inside(String, String, String),
    /// A key of a field of the request has another value.
    Field(String, String, String),
}

/// Everything that the rows would say otherwise, and what rows can't say.
pub(super) fn changes(
    setting: &Setting<'_>,
    seen: &ServiceSeen,
    latencies: bool,
) -> (Vec<Change>, Vec<String>) {
    let (mut changes, mut left) = (Vec::new(), Vec::new());
    let mut prices = BTreeMap::new();
    for operation in &setting.contract.operations {
        let Some(seen) = seen.operations.get(&operation.id) else {
            continue;
        };
        let mut of = OfOperation {
            operation,
            changes: &mut changes,
            left: &mut left,
        };
        of.place(&operation.response, &seen.data, &mut Vec::new(), true);
        of.other(seen, latencies, &mut prices);
    }
    bundles(setting, &prices, &mut changes);
    errors(setting, seen, &mut changes, &mut left);
    for operation in &setting.contract.operations {
        if let Some(seen) = seen.operations.get(&operation.id) {
            pending(operation, seen, &mut left);
        }
    }
    left.extend(seen.odd.iter().map(|(what, times)| {
        let answers = if *times == 1 { "answer" } else { "answers" };
        format!("{what} in {times} {answers}")
    }));
    left.extend(seen.unknown.iter().map(|(path, times)| {
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        format!("{path}: it gave a result {times}, and no row has this path: a new operation is written by hand, and where a bundle is its row says as `path`")
    }));
    (changes, left)
}

/// What pending answers are, and the row does not say.
fn pending(operation: &Operation, seen: &OperationSeen, left: &mut Vec<String>) {
    let id = &operation.id;
    let Some(row) = &operation.pending else {
        if !seen.pending.is_empty() {
            left.push(format!(
                "{id}: it was answered as pending, and its row has no `pending`"
            ));
        }
        return;
    };
    let data = &seen.pending_data;
    for (name, place) in &data.members {
        if !row.data.contains(name) {
            let (times, all) = (place.times, data.objects);
            left.push(format!(
                "{id}: `data.{name}` is in {times} of {all} pending answers, and `pending.data` of its row has no such name"
            ));
        }
    }
    // Of the others nobody says that they are always there.
    for name in row.data.iter().filter(|_| row.by_consent.is_some()) {
        let times = data.members.get(name).map_or(0, |it| it.times);
        if times < data.objects {
            let (lacking, all) = (data.objects - times, data.objects);
            left.push(format!(
                "{id}: `data.{name}` is not there in {lacking} of {all} pending answers"
            ));
        }
    }
}

struct OfOperation<'c> {
    operation: &'c Operation,
    changes: &'c mut Vec<Change>,
    left: &'c mut Vec<String>,
}

impl OfOperation<'_> {
    fn change(&mut self, edit: Edit, why: String) {
        self.changes.push(Change {
            row: Row::Operation(self.operation.id.clone()),
            edit,
            why,
        });
    }

    fn place(&mut self, shape: &Shape, place: &PlaceSeen, path: &mut Vec<String>, named: bool) {
        let plain = place.values.len() + place.objects + place.lists > 0;
        let why = format!("null in {} of {} answers", place.nulls, place.times);
        match shape {
            _ if place.nulls == 0 => {}
            Shape::Leaf { nullable: true, .. } => {}
            Shape::Leaf { .. } if named => self.change(Edit::Nullable(path.clone()), why),
            // Only a value without parts is called nullable in a row.
            _ => {
                let whole = [&["data".to_owned()], path.as_slice()].concat();
                let whole = whole.join(".").replace(".[]", "[]");
                let id = &self.operation.id;
                self.left.push(format!("{id}: `{whole}` is {why}"));
            }
        }
        if !plain {
            return;
        }
        match shape {
            Shape::Object(members) if place.objects > 0 => self.members(members, place, path),
            Shape::AnyObject if place.objects > 0 => {}
            Shape::List(item) if place.lists > 0 => {
                if let Some(seen) = &place.item {
                    path.push("[]".to_owned());
                    self.place(item, seen, path, true);
                    path.pop();
                }
            }
            Shape::Leaf { leaf, ruled, .. } if place.objects + place.lists == 0 => {
                self.leaf(leaf, *ruled, place, path);
            }
            _ => self.another(place, path, "it has another type".to_owned()),
        }
    }

    fn another(&mut self, place: &PlaceSeen, path: &[String], why: String) {
        let edit = Edit::Form(path.to_vec(), form(place), sample(place));
        self.change(edit, why);
    }

    fn members(&mut self, members: &[Member], place: &PlaceSeen, path: &mut Vec<String>) {
        for member in members {
            let mut all = place.members.iter();
            let seen = all.find(|(name, _)| member.answers_to(name));
            let (presence, ruled) = (member.presence, is_ruled(&member.shape));
            let times = seen.map_or(0, |(_, seen)| seen.times);
            path.push(member.name.clone());
            let asked = !member.extension && !ruled && !member.is_spread();
            if presence == MemberPresence::Always && asked && times < place.objects {
                let lacking = place.objects - times;
                let why = format!("not there in {lacking} of {} answers", place.objects);
                let edit = match (times, path.as_slice()) {
                    _ if place.objects < FEWEST => Edit::Seldom(path.clone()),
                    (0, [name]) => Edit::Gone(name.clone()),
                    _ => Edit::Sometimes(path.clone()),
                };
                self.change(edit, why);
            }
            if let Some((_, seen)) = seen {
                self.place(&member.shape, seen, path, true);
            }
            path.pop();
        }
        for (name, seen) in &place.members {
            if members.iter().any(|member| member.answers_to(name)) {
                continue;
            }
            let (name, form, value) = new_member(name, seen, seen.times < place.objects);
            let why = format!(
                "in {} of {} answers, and no row names it",
                seen.times, place.objects
            );
            self.change(Edit::New(path.clone(), name, form, value), why);
        }
    }

    fn leaf(&mut self, leaf: &Leaf, ruled: bool, place: &PlaceSeen, path: &[String]) {
        let odd: Vec<_> = place
            .values
            .iter()
            .filter(|value| !leaf.fits_as_specified(value, ruled))
            .collect();
        let Some(first) = odd.first() else { return };
        if let Leaf::OneOf(_) = leaf
            && odd.iter().all(|value| value.as_text().is_some())
        {
            let news: Vec<_> = odd.iter().filter_map(|value| value.as_text()).collect();
            let why = format!("answered with {}", news.join(", "));
            let news = news.into_iter().map(str::to_owned).collect();
            return self.change(Edit::Choices(path.to_vec(), news), why);
        }
        // Some other people's data must not stand in a reason: only the form is said.
        let why = format!("answered with {}, which is not {leaf}", Form::of(first));
        self.another(place, path, why);
    }

    fn other(
        &mut self,
        seen: &OperationSeen,
        latencies: bool,
        prices: &mut BTreeMap<String, Paise>,
    ) {
        let most = seen.prices.iter().max_by_key(|(_, times)| **times);
        if let Some((price, times)) = most
            && *price != self.operation.price
        {
            prices.insert(self.operation.id.clone(), *price);
            let (old, all) = (self.operation.price, seen.prices.values().sum::<usize>());
            let why = format!("{times} of {all} charged calls cost {price} INR, not {old}");
            self.change(Edit::Key("price_inr".to_owned(), price.to_string()), why);
        }
        if let (Some(pending), Some(status)) = (&self.operation.pending, seen.pending.first())
            && seen.pending.len() == 1
            && *status != pending.status
            && (200..300).contains(status)
        {
            let edit = Edit::Inside(
                "pending".to_owned(),
                "status".to_owned(),
                status.to_string(),
            );
            self.change(edit, format!("pending answers have the status {status}"));
        }
        for (name, values) in &seen.taken {
            self.bound(name, values);
        }
        if latencies {
            self.latency(seen);
        }
    }

    fn bound(&mut self, name: &str, values: &std::collections::BTreeSet<i64>) {
        let field = self
            .operation
            .request
            .iter()
            .find(|field| field.name == name);
        let Some(Kind::Int { min, max, .. }) = field.map(|field| &field.kind) else {
            return;
        };
        let over = values
            .last()
            .filter(|value| max.is_some_and(|max| **value > max));
        let under = values
            .first()
            .filter(|value| min.is_some_and(|min| **value < min));
        for (key, value) in [("max", over), ("min", under)] {
            if let Some(value) = value {
                let edit = Edit::Field(name.to_owned(), key.to_owned(), value.to_string());
                self.change(edit, format!("a request with {value} was served"));
            }
        }
    }

    /// The figures of the row, where all that answers say is far from them.
    fn latency(&mut self, seen: &OperationSeen) {
        let rows = [
            ("live", "latency_ms", Some(self.operation.latency)),
            ("test", "sandbox_latency_ms", self.operation.sandbox_latency),
        ];
        for (environment, key, row) in rows {
            let all = seen.latencies.get(environment);
            let (Some(row), Some(all)) = (row, all.filter(|all| all.len() >= FEWEST)) else {
                continue;
            };
            let (low, high) = (all.iter().min(), all.iter().max());
            let (Some(low), Some(high)) = (low, high) else {
                continue;
            };
            let far = *high * 2 < u64::from(row.min_ms) || *low > 2 * u64::from(row.max_ms);
            if far {
                let (low, high) = ((*low).max(1), (*high).max(1));
                let value = if low == high {
                    low.to_string()
                } else {
                    format!("[{low}, {high}]")
                };
                let why = format!("answers say that they take {low} to {high} ms");
                self.change(Edit::Key(key.to_owned(), value), why);
            }
        }
    }
}

/// The name, the form and a value of a member that no row names.
pub(super) fn new_member(
    name: &str,
    seen: &PlaceSeen,
    sometimes: bool,
) -> (String, String, String) {
    let (mut name, mut text) = (name.to_owned(), form(seen));
    if sometimes && seen.objects + seen.lists > 0 {
        name.push('?');
    } else if sometimes {
        text = text.trim_end_matches('"').to_owned() + ", sometimes\"";
    }
    (name, text, sample(seen))
}

fn is_ruled(shape: &Shape) -> bool {
    matches!(shape, Shape::Leaf { ruled: true, .. })
}

/// A bundle costs what its steps cost: its typical price must hold that.
fn bundles(setting: &Setting<'_>, prices: &BTreeMap<String, Paise>, changes: &mut Vec<Change>) {
    for bundle in &setting.contract.bundles {
        let price = |id: &String| {
            let row = setting.contract.operation(id).map(|row| row.price);
            prices.get(id).copied().or(row).unwrap_or_default()
        };
        let all: Vec<Paise> = bundle.steps.iter().map(price).collect();
        let sums = match bundle.mode {
            BundleMode::Choice { .. } => all,
            _ => vec![all.into_iter().sum()],
        };
        let (low, high) = bundle.typical_price;
        let least = sums.iter().min().copied().unwrap_or(low).min(low);
        let most = sums.iter().max().copied().unwrap_or(high).max(high);
        if (least, most) != (low, high) {
            changes.push(Change {
                row: Row::Bundle(bundle.slug.clone()),
                edit: Edit::Key("typical_price_inr".to_owned(), format!("[{least}, {most}]")),
                why: "its steps have other prices".to_owned(),
            });
        }
    }
}

/// The error table, where every answer with a code says otherwise.
fn errors(
    setting: &Setting<'_>,
    seen: &ServiceSeen,
    changes: &mut Vec<Change>,
    left: &mut Vec<String>,
) {
    for (code, ends) in &seen.errors {
        let Some(known) = ErrorCode::parse(code) else {
            left.push(format!(
                "an error code `{code}` that the table does not have"
            ));
            continue;
        };
        let row = setting.contract.error(known);
        let mut change = |key: &str, value: String| {
            changes.push(Change {
                row: Row::Error(code.clone()),
                why: format!("every answer with {code} says so"),
                edit: Edit::Key(key.to_owned(), value),
            });
        };
        let mut statuses = ends.keys().map(|(status, _)| *status);
        let first = statuses.next();
        if let Some(status) = first.filter(|first| statuses.all(|other| other == *first))
            && status != row.status
            && (400..600).contains(&status)
        {
            change("status", status.to_string());
        }
        let mut retryable = ends.keys().map(|(_, retryable)| *retryable);
        let first = retryable.next().flatten();
        if let Some(says) = first.filter(|says| retryable.all(|other| other == Some(*says)))
            && says != row.retryable
        {
            change("retryable", says.to_string());
        }
    }
}

/// The form of what was seen, as a row writes it.
fn form(place: &PlaceSeen) -> String {
    if place.objects > 0 {
        let members = place.members.iter();
        let members = members.map(|(name, seen)| format!("{} = {}", key(name), form(seen)));
        let members: Vec<_> = members.collect();
        return match members.is_empty() {
            true => "\"object\"".to_owned(),
            false => format!("{{ {} }}", members.join(", ")),
        };
    }
    if place.lists > 0 {
        let item = place.item.as_deref().filter(|item| item.times > 0);
        return format!("[{}]", item.map_or("\"string\"".to_owned(), form));
    }
    let nullable = if place.nulls > 0 { " nullable" } else { "" };
    format!("\"{}{nullable}\"", leaf(&place.values))
}

fn leaf(values: &[Json<'_>]) -> String {
    let all = |is: fn(&Json<'_>) -> bool| !values.is_empty() && values.iter().all(is);
    if all(|value| value.as_bool().is_some()) {
        return "bool".to_owned();
    }
    if all(|value| value.as_int().is_some()) {
        return "int".to_owned();
    }
    if all(|value| value.as_num().is_some()) {
        return "num".to_owned();
    }
    let forms = values.iter().map(Form::of).collect();
    let forms = crate::diff::form::settled(&forms);
    let empty = forms.contains(&Form::Empty);
    let mut rest = forms.into_iter().filter(|form| *form != Form::Empty);
    let only = rest.next().filter(|_| rest.next().is_none());
    let Some(Form::Layout(layout)) = only else {
        return "string".to_owned();
    };
    let text = match layout {
        "date YYYY-MM-DD" => "date",
        "date with slashes" => "date DD/MM/YYYY",
        "data: URI" => "data-uri",
        "address" | "timestamp with an offset" => "string",
        layout => layout,
    };
    match empty && text.starts_with("date") {
        true => format!("{text} or empty"),
        false if empty => "string".to_owned(),
        false => text.to_owned(),
    }
}

/// A value of what was seen, as the answers write it: a brace begins an expression there.
fn sample(place: &PlaceSeen) -> String {
    if place.objects > 0 {
        let members = place
            .members
            .iter()
            .map(|(name, seen)| format!("{} = {}", key(name), sample(seen)));
        let members: Vec<_> = members.collect();
        return format!("{{ {} }}", members.join(", "));
    }
    if place.lists > 0 {
        let item = place.item.as_deref().filter(|item| item.times > 0);
        return item.map_or("[]".to_owned(), |item| format!("[{}]", sample(item)));
    }
    match place.values.first() {
        Some(Json::Text(text)) if text.contains(['{', '}', '\\']) => "\"SAMPLE\"".to_owned(),
        Some(value) => value.to_string(),
        None if place.nulls > 0 => "\"{null}\"".to_owned(),
        None => "\"\"".to_owned(),
    }
}
