//! Stand-ins for people in a capture, where a request could not contain them: an invented identifier of the right form takes
//! the place of each, everywhere alike, so that links between answers are still there.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Contract, ErrorCode, Field};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::traffic::{Came, Enveloped, TrafficCall};

/// What a stand-in begins with where no form of a value was kept.
const BEGINS: &str = "[redacted ";

/// So many identifiers are tried for one that fits.
const TRIED: u64 = 64;

/// Puts an identifier in the place of each stand-in that the service took and the contract's rows refuse.
pub(super) fn replace(contract: &Contract, calls: &mut [TrafficCall]) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for call in calls.iter() {
        let refused =
            [ErrorCode::InvalidIdentifier, ErrorCode::InvalidInput].map(ErrorCode::as_str);
        let code = call.answer().and_then(Enveloped::code);
        let (Some(operation), false) = (
            call.operation,
            code.is_some_and(|code| refused.contains(&code)),
        ) else {
            continue;
        };
        for field in &contract.operations[operation].request {
            let Some(text) = call.json.get(&field.name).and_then(Json::as_text) else {
                continue;
            };
            let Some(number) = number(text).filter(|_| !known.contains_key(text)) else {
                continue;
            };
            if !fits(contract, field, text)
                && let Some(invented) = invented(contract, field, number, &used)
            {
                used.insert(invented.clone());
                known.insert(text.to_owned(), invented);
            }
        }
    }
    if known.is_empty() {
        return;
    }
    for call in calls {
        if put(&mut call.json, &known) {
            call.body = call.json.to_string().into_bytes();
        }
        for text in call.headers.values_mut() {
            if let Some(invented) = known.get(text) {
                text.clone_from(invented);
            }
        }
        if let Came::Answer(answer) = &mut call.came {
            put(&mut answer.envelope, &known);
        }
        if let Some(result) = &mut call.result {
            put(&mut result.envelope, &known);
        }
    }
}

/// Where a member of `meta` says the same everywhere, but that a stand-in is there wherever there were people to hide, it says
/// so everywhere: what all answers share is about nobody.
pub(super) fn uncover_meta(calls: &mut [TrafficCall]) {
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let metas = calls.iter().flat_map(|call| {
        let answers = call.answer().into_iter().chain(&call.result);
        answers.filter_map(|answer| answer.envelope.get("meta")?.as_object())
    });
    for (name, value) in metas.flatten() {
        let text = value.as_text().unwrap_or_default().to_owned();
        said.entry(name.to_string()).or_default().insert(text);
    }
    let known = said.values().filter_map(|texts| {
        let mut texts = texts.iter();
        let (one, two) = (texts.next()?, texts.next()?);
        let pair = match (number(one), number(two)) {
            (Some(_), None) => (one.clone(), two.clone()),
            (None, Some(_)) => (two.clone(), one.clone()),
            _ => return None,
        };
        (texts.next().is_none() && !pair.1.is_empty()).then_some(pair)
    });
    let known: BTreeMap<String, String> = known.collect();
    let uncover = |answer: &mut Enveloped| {
        if let Some(mut meta) = answer.envelope.get("meta").cloned()
            && put(&mut meta, &known)
        {
            answer.envelope.set("meta", meta);
        }
    };
    for call in calls {
        if let Came::Answer(answer) = &mut call.came {
            uncover(answer);
        }
        call.result.iter_mut().for_each(uncover);
    }
}

/// Which stand-in a text is, where it is one.
fn number(text: &str) -> Option<u64> {
    text.strip_prefix(BEGINS)?.strip_suffix(']')?.parse().ok()
}

fn fits(contract: &Contract, field: &Field, text: &str) -> bool {
    field
        .check(&Json::from(text), &contract.formats, &[])
        .is_ok()
}

/// An identifier that the field takes, unlike all others: the sample's with other letters and digits.
fn invented(
    contract: &Contract,
    field: &Field,
    number: u64,
    used: &BTreeSet<String>,
) -> Option<String> {
    let sample = sample::value(contract, field);
    let sample = sample.as_text()?;
    if sample.contains('@') {
        return Some(format!("person{number}@example.com"));
    }
    if let (true, Some((before, _))) = (sample.contains(':'), sample.rsplit_once(':')) {
        return Some(format!("{before}:{:x}", number + 0x1000));
    }
    let all = (0..TRIED).map(|salt| other(sample, number, salt, true));
    let digits = (0..TRIED).map(|salt| other(sample, number, salt, false));
    let mut tried = all.chain(digits);
    tried.find(|text| text != sample && !used.contains(text) && fits(contract, field, text))
}

/// The sample with other digits, and other letters where these are to change.
fn other(sample: &str, number: u64, salt: u64, letters: bool) -> String {
    let mut state = (number * TRIED + salt + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = |below: u64| {
        state ^= state >> 27;
        state = state.wrapping_mul(0x94D0_49BB_1331_11EB);
        u8::try_from((state >> 33) % below).unwrap_or_default()
    };
    let change = |c: char| match c {
        '0'..='9' => char::from(b'0' + next(10)),
        'A'..='Z' if letters => char::from(b'A' + next(26)),
        _ => c,
    };
    sample.chars().map(change).collect()
}

/// Puts identifiers in the place of stand-ins. Whether there was one.
fn put(json: &mut Json<'static>, known: &BTreeMap<String, String>) -> bool {
    match json {
        Json::Text(text) => match known.get(text.as_ref()) {
            Some(invented) => {
                *text = invented.clone().into();
                true
            }
            None => false,
        },
        Json::List(items) => {
            items
                .iter_mut()
                .filter_map(|item| put(item, known).then_some(()))
                .count()
                > 0
        }
        Json::Object(members) => {
            members
                .iter_mut()
                .filter_map(|(_, value)| put(value, known).then_some(()))
                .count()
                > 0
        }
        _ => false,
    }
}
