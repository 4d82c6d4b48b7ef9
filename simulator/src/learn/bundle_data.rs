//! What a bundle of any service tells of its steps, and in which form: the specification shows none, so that a service
//! has its own. It is read as the simulator's own form, and the form is written down for the simulator to answer in.

use std::borrow::Cow;
use std::collections::BTreeMap;

use svc_fixtures::contract::{Bundle, Contract, ErrorCode};
use svc_fixtures::json::Json;

use super::traffic::TrafficCall;
use crate::scenario::{BundleForm, EACH_NAMES, FormPart, WordOf, form_value};

/// The `data` of one answer of a bundle, read.
#[derive(Debug)]
struct SeenData<'j> {
    data: &'j Json<'static>,
    /// Whether the bundle has a score.
    has_risk: bool,
    /// The member of it that the steps stand in; none where they are all of it.
    place: Option<&'j str>,
    /// By which of their names they are called, where they stand in a table.
    keyed: Option<&'static str>,
    /// Each step as it is told.
    told: Vec<&'j Json<'static>>,
    /// The same in the simulator's own form.
    own: Json<'static>,
}

/// The bundle that is called.
pub(super) fn bundle<'c>(contract: &'c Contract, call: &TrafficCall) -> Option<&'c Bundle> {
    let mut bundles = contract.bundles.iter();
    bundles.find(|bundle| call.method == "POST" && bundle.path == call.path)
}

/// The steps that the `data` of a bundle tells, in the simulator's own form, in order.
#[must_use]
pub(super) fn steps(
    contract: &Contract,
    bundle: &Bundle,
    data: &Json<'static>,
) -> Vec<Json<'static>> {
    let seen = read(contract, bundle, data);
    let steps = seen.and_then(|seen| Some(seen.own.get("steps")?.as_list()?.to_vec()));
    steps.unwrap_or_default()
}

/// Which step a member of the `data` of a bundle is about, and what that member is called in the simulator's own form.
#[must_use]
pub(super) fn member(
    contract: &Contract,
    bundle: &Bundle,
    data: &Json<'static>,
    path: &str,
) -> Option<(usize, String)> {
    let seen = read(contract, bundle, data)?;
    let inside = match (seen.place, seen.keyed) {
        (Some(place), None) => path.strip_prefix(place)?,
        (Some(place), Some(_)) => path.strip_prefix(place)?.strip_prefix('.')?,
        (None, _) => path,
    };
    let (at, path) = match seen.keyed {
        None => {
            let (at, path) = inside.strip_prefix('[')?.split_once("].")?;
            (at.parse().ok()?, path)
        }
        Some(_) => {
            let names = seen.around()?.iter().map(|(name, _)| name);
            let found = names.enumerate().find_map(|(at, name)| {
                let path = inside.strip_prefix(&**name)?.strip_prefix('.')?;
                Some((at, path))
            });
            found?
        }
    };
    let (told, own) = (
        seen.told.get(at)?,
        seen.own.get("steps")?.as_list()?.get(at)?,
    );
    if own.get("data") == Some(*told) {
        return Some((at, format!("data.{path}")));
    }
    let name = path.split(['.', '[']).next().unwrap_or(path);
    let value = told.get(name)?;
    let is_own = |word: &&str| own.get(word) == Some(value);
    let word = ["data", "error", "billing", "status"]
        .into_iter()
        .find(is_own)?;
    Some((at, format!("{word}{}", &path[name.len()..])))
}

/// The form in which these answers tell what they tell; none where it is the simulator's own, or where they have no
/// one form.
#[must_use]
pub(super) fn form<'j>(
    contract: &Contract,
    answers: impl Iterator<Item = (&'j Bundle, &'j Json<'static>)>,
) -> Option<BundleForm> {
    let all: Vec<SeenData<'_>> = answers
        .filter_map(|(bundle, data)| read(contract, bundle, data))
        .collect();
    let first = all.first()?;
    let is_alike = |it: &SeenData<'_>| (it.place, it.keyed) == (first.place, first.keyed);
    if !all.iter().all(is_alike) {
        return None;
    }
    let steps = all.iter().flat_map(|it| {
        let own = it.own.get("steps").and_then(Json::as_list);
        it.told.iter().copied().zip(own.unwrap_or_default())
    });
    let steps: Vec<_> = steps.collect();
    let mut each = part(&steps, WordOf::Step)?;
    add_missing(&mut each, "error", WordOf::Step);
    let each = Box::new(each);
    let steps = match first.keyed {
        Some(name) => FormPart::EachTable(WordOf::Step.word(name)?, each),
        None => FormPart::EachList(each),
    };
    let Some(place) = first.place else {
        return Some(BundleForm(steps));
    };
    let around: Vec<_> = all.iter().map(|it| (it.data, &it.own)).collect();
    let mut members = members(&around, WordOf::Bundle, Some(place));
    members.push((place.to_owned(), steps));
    let mut form = FormPart::Object(members);
    if !all.iter().any(|it| it.has_risk) {
        add_missing(&mut form, "riskScore", WordOf::Bundle);
        add_missing(&mut form, "riskLevel", WordOf::Bundle);
    }
    (!is_own(&form)).then_some(BundleForm(form))
}

/// Adds a member that no answer needed so far, where nothing says the same or is called the same.
fn add_missing(part: &mut FormPart, name: &str, of: WordOf) {
    let Some(word) = of.word(name) else {
        return;
    };
    let FormPart::Object(members) = part else {
        return;
    };
    let says = |(called, part): &(String, FormPart)| called == name || says_of(part, name);
    if !members.iter().any(says) {
        members.push((name.to_owned(), FormPart::Word(word)));
    }
}

/// Whether a part says this, or something of it.
fn says_of(part: &FormPart, name: &str) -> bool {
    match part {
        FormPart::Word(word) => word.word.split('.').next() == Some(name),
        FormPart::Object(members) => members.iter().any(|(_, part)| says_of(part, name)),
        _ => false,
    }
}

/// Whether a form is the simulator's own.
fn is_own(form: &FormPart) -> bool {
    let FormPart::Object(members) = form else {
        return false;
    };
    let said = |members: &[(String, FormPart)], name: &str| {
        let is_it = |part: &FormPart| matches!(part, FormPart::Word(word) if word.word == name);
        members
            .iter()
            .any(|(called, part)| called == name && is_it(part))
    };
    let steps = members.iter().find_map(|(name, part)| match part {
        FormPart::EachList(each) if name == "steps" => Some(&**each),
        _ => None,
    });
    let Some(FormPart::Object(each)) = steps else {
        return false;
    };
    let all = [
        "endpoint",
        "verificationId",
        "status",
        "data",
        "error",
        "billing",
    ];
    said(members, "bundle")
        && all.into_iter().all(|name| said(each, name))
        && each.len() == all.len()
        && members.iter().all(|(name, _)| {
            ["bundle", "steps", "referenceId", "riskScore", "riskLevel"].contains(&name.as_str())
        })
}

/// The form of a value that stands so in one place of several answers, each with what it is made from.
fn part(seen: &[(&Json<'static>, &Json<'static>)], of: WordOf) -> Option<FormPart> {
    let is_null = |(value, _): &&(&Json<'static>, _)| **value == Json::Null;
    let seen: Vec<_> = seen.iter().filter(|it| !is_null(it)).copied().collect();
    let (first, _) = *seen.first()?;
    for word in of.words() {
        let is_it = |(value, own): &(&Json<'static>, &Json<'static>)| {
            form_value(*word, own).as_ref() == Some(*value)
        };
        if seen.iter().all(is_it) {
            return Some(FormPart::Word(*word));
        }
    }
    if seen.iter().all(|(value, _)| value.as_object().is_some()) {
        let members = members(&seen, of, None);
        return (!members.is_empty()).then_some(FormPart::Object(members));
    }
    let is_same = seen.len() > 1 && seen.iter().all(|(value, _)| *value == first);
    let is_written = first
        .as_text()
        .is_none_or(|text| !text.contains(['{', '}']));
    let is_plain = first.as_list().is_none() && first.as_object().is_none();
    (is_same && is_written && is_plain).then(|| FormPart::Value(first.clone()))
}

/// The forms of the members of objects, but for this one.
fn members(
    seen: &[(&Json<'static>, &Json<'static>)],
    of: WordOf,
    but: Option<&str>,
) -> Vec<(String, FormPart)> {
    let mut names: Vec<&str> = Vec::new();
    let mut by_name: BTreeMap<&str, Vec<(&Json<'static>, &Json<'static>)>> = BTreeMap::new();
    for (value, own) in seen {
        for (name, value) in value.as_object().unwrap_or_default() {
            if !names.contains(&&**name) {
                names.push(name);
            }
            by_name.entry(name).or_default().push((value, own));
        }
    }
    let names = names.into_iter();
    let named = names.filter(|name| Some(*name) != but && !name.contains(['{', '}']));
    let formed = named.filter_map(|name| {
        let seen_here = &by_name[name];
        let found = part(seen_here, of)?;
        // What is the same each time, and not always there, follows from something that nobody knows.
        let is_always = seen_here.len() == seen.len();
        let counts = is_always || !matches!(found, FormPart::Value(_));
        counts.then(|| (name.to_owned(), found))
    });
    formed.collect()
}

/// Reads what an answer tells: a list or a table in which everything names one of the bundle's steps.
fn read<'j>(contract: &Contract, bundle: &Bundle, data: &'j Json<'static>) -> Option<SeenData<'j>> {
    let members = data.as_object()?;
    let whole = std::iter::once((None, data));
    let inside = members.iter().map(|(name, value)| (Some(&**name), value));
    let (place, keyed, named) = inside.chain(whole).find_map(|(place, value)| {
        let listed = listed(bundle, value).map(|named| (place, None, named));
        listed.or_else(|| keyed(bundle, value).map(|(word, named)| (place, Some(word), named)))
    })?;
    let told: Vec<&Json<'static>> = named.iter().map(|(_, step)| *step).collect();
    let steps = named
        .iter()
        .map(|(endpoint, step)| own_step(contract, endpoint, step));
    let mut own = Json::object([
        ("bundle", Json::from(bundle.slug.as_str())),
        ("steps", Json::List(steps.collect())),
    ]);
    for name in ["referenceId", "riskScore", "riskLevel"] {
        if let Some(value) = data.get(name) {
            own.set(name, value.clone());
        }
    }
    Some(SeenData {
        data,
        has_risk: bundle.risk.is_some(),
        place,
        keyed,
        told,
        own,
    })
}

impl<'j> SeenData<'j> {
    /// The table that the steps stand in.
    fn around(&self) -> Option<&'j [(Cow<'static, str>, Json<'static>)]> {
        let around = match self.place {
            Some(place) => self.data.get(place)?,
            None => self.data,
        };
        around.as_object()
    }
}

type Named<'b, 'j> = Vec<(&'b str, &'j Json<'static>)>;

/// The steps of a list: one member of each names it.
fn listed<'b, 'j>(bundle: &'b Bundle, value: &'j Json<'static>) -> Option<Named<'b, 'j>> {
    let items = value.as_list()?;
    let names = items.first()?.as_object()?.iter().map(|(name, _)| name);
    let named = |name: &str| -> Option<Named<'b, 'j>> {
        let each = items.iter().map(|item| {
            let text = item.get(name)?.as_text()?;
            let step = EACH_NAMES
                .into_iter()
                .find_map(|word| called(bundle, word, text))?;
            Some((step, item))
        });
        each.collect()
    };
    names.into_iter().find_map(|name| named(name))
}

/// The steps of a table whose keys name them, and by which of their names.
fn keyed<'b, 'j>(
    bundle: &'b Bundle,
    value: &'j Json<'static>,
) -> Option<(&'static str, Named<'b, 'j>)> {
    let members = value.as_object().filter(|it| !it.is_empty())?;
    EACH_NAMES.into_iter().find_map(|word| {
        let each = members
            .iter()
            .map(|(name, step)| Some((called(bundle, word, name)?, step)));
        Some((word, each.collect::<Option<_>>()?))
    })
}

/// The step of a bundle that has this name.
fn called<'b>(bundle: &'b Bundle, word: &'static str, text: &str) -> Option<&'b str> {
    let word = WordOf::Step.word(word)?;
    let mut steps = bundle.steps.iter();
    let is_it = |step: &&String| {
        let own = Json::object([("endpoint", Json::from(step.as_str()))]);
        form_value(word, &own).as_ref().and_then(Json::as_text) == Some(text)
    };
    steps.find(is_it).map(String::as_str)
}

/// A step in the simulator's own form.
fn own_step(contract: &Contract, endpoint: &str, told: &Json<'static>) -> Json<'static> {
    let mut own = Json::object([("endpoint", Json::from(endpoint))]);
    let members = told.as_object().unwrap_or_default();
    let texts = || members.iter().filter_map(|(_, value)| value.as_text());
    if let Some(id) = texts().find(|text| text.starts_with("svcv_")) {
        own.set("verificationId", Json::from(id));
    }
    let error = members.iter().find_map(|(_, value)| error(contract, value));
    let data = told_data(contract, endpoint, told);
    let mut states = texts().filter(|text| ["completed", "pending", "failed"].contains(text));
    let status = states.next().or(match (&error, &data) {
        (Some(_), _) => Some("failed"),
        (None, Some(_)) => Some("completed"),
        (None, None) => None,
    });
    if let Some(status) = status {
        own.set("status", Json::from(status));
    }
    if let Some(data) = data.filter(|_| error.is_none()) {
        own.set("data", data.clone());
    }
    if let Some(error) = error {
        own.set("error", error);
    }
    let mut inside = members.iter().map(|(_, value)| value);
    if let Some(billing) = inside.find(|value| value.get("charged").is_some()) {
        own.set("billing", billing.clone());
    }
    own
}

/// What says how a step failed: an error, or its code alone. What it does not say is what its code usually says.
fn error(contract: &Contract, value: &Json<'static>) -> Option<Json<'static>> {
    let code = |value: &Json<'static>| value.as_text().and_then(ErrorCode::parse);
    let known = code(value).or_else(|| value.get("code").and_then(code))?;
    let row = contract.error(known);
    let mut error = Json::object([("code", Json::from(known.as_str()))]);
    for (name, usual) in [
        ("message", Json::from(row.meaning.as_str())),
        ("retryable", Json::Bool(row.retryable)),
    ] {
        error.set(name, value.get(name).cloned().unwrap_or(usual));
    }
    Some(error)
}

/// What a step found: of the tables in it the one that has most of what its operation answers with, or all of it.
fn told_data<'j>(
    contract: &Contract,
    endpoint: &str,
    told: &'j Json<'static>,
) -> Option<&'j Json<'static>> {
    let row = contract.operation(endpoint)?;
    let fits = |value: &Json<'static>| -> usize {
        let members = value.as_object().unwrap_or_default().iter();
        members
            .filter(|(name, _)| row.response.member(name).is_some())
            .count()
    };
    let members = told.as_object()?.iter().map(|(_, value)| value);
    let best = members
        .max_by_key(|value| fits(value))
        .filter(|it| fits(it) > 0);
    let whole = Some(told).filter(|it| fits(it) > best.map_or(0, fits));
    whole.or(best).or_else(|| told.get("data"))
}
