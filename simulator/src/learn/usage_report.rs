//! What the usage report of any service tells, and in which form: the specification says that there is one, and shows none.
//! What a number in it counts is known by what was called before it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::{Contract, ErrorCode, Paise};
use svc_fixtures::json::Json;

use super::bundle_data::{bundle, steps};
use super::leaves::same;
use super::traffic::{Enveloped, TrafficCall};
use crate::engine::call::route::USAGE;
use crate::engine::state::usage::{Counted, Row, Usage, day, period};
use crate::scenario::{
    COUNTED, EACH_NAMES, FormPart, FormWord, ReportForm, UsageForm, WordOf, form_value,
};

/// The `data` of a usage report, read.
#[derive(Debug)]
struct SeenReport<'j> {
    data: &'j Json<'static>,
    rows: Rows<'j>,
    /// What the simulator would have told of what was called before it.
    own: Json<'static>,
}

/// What a report tells of its endpoints.
#[derive(Debug)]
struct Rows<'j> {
    /// The member that they stand in; none where they are all of it.
    place: Option<&'j str>,
    /// By which of their names they are called, where they stand in a table.
    keyed: Option<FormWord>,
    /// The name of each, and what is told of it.
    told: Vec<(String, &'j Json<'static>)>,
}

/// How the reports of a capture count bundles, and their form; none of each where it is the simulator's own.
#[must_use]
pub(super) fn forms(
    contract: &Contract,
    calls: &[TrafficCall],
) -> (Option<UsageForm>, Option<ReportForm>) {
    let of = |usage: UsageForm| {
        let reports = reports(contract, calls, usage);
        let form = form(&reports)?;
        let explained: usize = reports.iter().map(|report| explained(&form, report)).sum();
        Some((explained, form))
    };
    let Some((by_steps, form)) = of(UsageForm::Steps) else {
        return (None, None);
    };
    let (usage, form) = match of(UsageForm::Bundles) {
        Some((by_bundles, form)) if by_bundles > by_steps => (Some(UsageForm::Bundles), form),
        _ => (None, form),
    };
    (usage, (!is_own(&form)).then_some(ReportForm(form)))
}

/// The names of the endpoints in a list of a usage report.
#[derive(Debug)]
pub(super) struct ReportNames {
    /// What the paths of their members begin with, before the position.
    before: String,
    names: Vec<String>,
}

impl ReportNames {
    /// Those of a report; none where its endpoints stand in a table, and have their names in their paths.
    #[must_use]
    pub(super) fn of(contract: &Contract, report: &Enveloped) -> Option<Self> {
        let rows = rows(contract, report.envelope.get("data")?)?;
        Some(ReportNames {
            before: format!("data.{}[", rows.place?),
            names: rows.told.into_iter().map(|(name, _)| name).collect(),
        })
    }

    /// The path of a member of one of them, with the endpoint's name in the place of its position.
    #[must_use]
    pub(super) fn named(&self, path: &str) -> Option<String> {
        let (at, rest) = path.strip_prefix(&self.before)?.split_once(']')?;
        let name = self.names.get(at.parse::<usize>().ok()?)?;
        Some(format!("{}{name}]{rest}", self.before))
    }
}

fn reports<'j>(
    contract: &Contract,
    calls: &'j [TrafficCall],
    usage: UsageForm,
) -> Vec<SeenReport<'j>> {
    let mut reports = Vec::new();
    let mut counted: BTreeMap<(usize, &str), Usage> = BTreeMap::new();
    for call in calls {
        let counted = counted
            .entry((call.life, call.environment.as_str()))
            .or_default();
        let Some(answer) = call.last() else {
            continue;
        };
        if call.path != USAGE {
            count(contract, counted, call, answer);
            continue;
        }
        let data = answer.envelope.get("data");
        let found = data.and_then(|data| Some((data, rows(contract, data)?)));
        if let (Some((data, rows)), Ok(period)) = (found, period(&call.query)) {
            let own = counted.summary(period, None, usage).with_period(period);
            reports.push(SeenReport { data, rows, own });
        }
    }
    reports
}

/// Counts a call as the simulator does.
fn count(contract: &Contract, usage: &mut Usage, call: &TrafficCall, answer: &Enveloped) {
    if call.is_replay {
        return;
    }
    let day = day(call.place.at.unwrap_or(Timestamp::UNIX_EPOCH));
    let row = row(&answer.envelope);
    if let Some(operation) = call.operation {
        let endpoint = contract.operations[operation].id.as_str();
        return usage.count(day, endpoint.into(), row, Counted::Call);
    }
    let Some(bundle) = bundle(contract, call) else {
        return;
    };
    usage.count(day, bundle.endpoint().into(), row, Counted::Bundle);
    let data = answer.envelope.get("data");
    for step in data.map_or_else(Vec::new, |data| steps(contract, bundle, data)) {
        let endpoint = step.get("endpoint").and_then(Json::as_text);
        let endpoint = Arc::from(endpoint.unwrap_or_default());
        usage.count(day, endpoint, self::row(&step), Counted::Step);
    }
}

/// What an answer, or a step of a bundle, adds to its row.
fn row(answer: &Json<'static>) -> Row {
    let code = answer.get("error").and_then(|error| error.get("code"));
    let code = code.and_then(Json::as_text);
    let no_record = ErrorCode::NoRecordFound.as_str();
    let is_completed = answer.get("status").and_then(Json::as_text) == Some("completed");
    let billing = answer.get("billing");
    let charged = billing.and_then(|billing| billing.get("charged")) == Some(&Json::Bool(true));
    let amount = billing.and_then(|billing| billing.get("amount")?.as_num());
    let amount = amount.filter(|_| charged).unwrap_or_default();
    Row {
        calls: 1,
        completed: u64::from(code.is_none() && is_completed),
        no_record: u64::from(code == Some(no_record)),
        failed: u64::from(code.is_some_and(|code| code != no_record)),
        billed: u64::from(charged),
        amount: Paise((amount * 100.0).round() as i64),
    }
}

/// The list or the table in a report in which everything names an endpoint.
fn rows<'j>(contract: &Contract, data: &'j Json<'static>) -> Option<Rows<'j>> {
    let members = data.as_object()?.iter();
    let inside = members.map(|(name, value)| (Some(&**name), value));
    let mut all = inside.chain([(None, data)]);
    all.find_map(|(place, value)| {
        let (keyed, told) = listed(contract, value)
            .map(|told| (None, told))
            .or_else(|| tabled(contract, value).map(|(word, told)| (Some(word), told)))?;
        Some(Rows { place, keyed, told })
    })
}

fn listed<'j>(
    contract: &Contract,
    value: &'j Json<'static>,
) -> Option<Vec<(String, &'j Json<'static>)>> {
    let items = value.as_list()?;
    let named = |name: &str, word: FormWord| {
        let named = items
            .iter()
            .map(|item| Some((item.get(name)?.as_text()?, item)));
        endpoints(contract, word, named.collect::<Option<_>>()?)
    };
    let mut names = items.first()?.as_object()?.iter();
    names.find_map(|(name, _)| each_names().find_map(|word| named(name, word)))
}

fn tabled<'j>(
    contract: &Contract,
    value: &'j Json<'static>,
) -> Option<(FormWord, Vec<(String, &'j Json<'static>)>)> {
    let members = value.as_object().filter(|it| !it.is_empty())?;
    each_names().find_map(|word| {
        let named = members.iter().map(|(name, told)| (&**name, told));
        Some((word, endpoints(contract, word, named.collect())?))
    })
}

/// What is told of endpoints that are named so; none where most of the names are no endpoint's.
fn endpoints<'j>(
    contract: &Contract,
    word: FormWord,
    named: Vec<(&str, &'j Json<'static>)>,
) -> Option<Vec<(String, &'j Json<'static>)>> {
    let mut known = 0;
    let told = named.into_iter().map(|(name, told)| {
        let endpoint = endpoint(contract, word, name);
        known += usize::from(endpoint.is_some());
        (endpoint.unwrap_or_else(|| name.to_owned()), told)
    });
    let told: Vec<_> = told.collect();
    (known * 2 > told.len()).then_some(told)
}

fn each_names() -> impl Iterator<Item = FormWord> {
    EACH_NAMES
        .into_iter()
        .filter_map(|name| WordOf::Endpoint.word(name))
}

/// The endpoint that has this name.
fn endpoint(contract: &Contract, word: FormWord, text: &str) -> Option<String> {
    let operations = contract
        .operations
        .iter()
        .map(|row| row.id.as_str().to_owned());
    let mut all = operations.chain(contract.bundles.iter().map(|row| row.endpoint()));
    all.find(|endpoint| {
        let own = Json::object([("endpoint", Json::from(endpoint.as_str()))]);
        form_value(word, &own).as_ref().and_then(Json::as_text) == Some(text)
    })
}

impl SeenReport<'_> {
    /// What the simulator would tell of an endpoint: nothing was counted where it has no row.
    fn own_row(&self, endpoint: &str) -> Json<'static> {
        let rows = self.own.get("endpoints").and_then(Json::as_list);
        let is_it =
            |row: &&Json<'static>| row.get("endpoint").and_then(Json::as_text) == Some(endpoint);
        let row = rows.unwrap_or_default().iter().find(is_it).cloned();
        row.unwrap_or_else(|| {
            let mut row = Json::object([("endpoint", Json::from(endpoint))]);
            for name in COUNTED {
                row.set(name, Json::Int(0));
            }
            row
        })
    }
}

/// The one form of all of these; none where they have no one form.
fn form(reports: &[SeenReport<'_>]) -> Option<FormPart> {
    let first = &reports.first()?.rows;
    let is_alike =
        |it: &SeenReport<'_>| (it.rows.place, it.rows.keyed) == (first.place, first.keyed);
    if !reports.iter().all(is_alike) {
        return None;
    }
    let rows = reports.iter().flat_map(|report| {
        let told = report.rows.told.iter();
        told.map(|(endpoint, told)| (*told, report.own_row(endpoint)))
    });
    let rows: Vec<_> = rows.collect();
    let rows: Vec<Seen<'_>> = rows.iter().map(|(told, own)| (*told, own)).collect();
    let of_rows = Reader {
        of: WordOf::Endpoint,
        sums: Vec::new(),
    };
    let each = of_rows.part(&rows, "")?;
    let of_all = Reader {
        of: WordOf::Report,
        sums: sums(&each, reports),
    };
    let each = Box::new(each);
    let all = match first.keyed {
        Some(word) => FormPart::EachTable(word, each),
        None => FormPart::EachList(each),
    };
    let Some(place) = first.place else {
        return Some(all);
    };
    let around: Vec<Seen<'_>> = reports.iter().map(|it| (it.data, &it.own)).collect();
    let mut members = of_all.members(&around, "", Some(place));
    members.push((place.to_owned(), all));
    Some(FormPart::Object(members))
}

/// A value as it stands in one place of an answer, and what it is made from.
type Seen<'s> = (&'s Json<'static>, &'s Json<'static>);

/// Reads the form of values that stand in one place of several answers.
struct Reader {
    of: WordOf,
    /// What the numbers of all rows add up to, a report each, by what they count.
    sums: Vec<(FormWord, Vec<f64>)>,
}

impl Reader {
    fn part(&self, seen: &[Seen<'_>], name: &str) -> Option<FormPart> {
        let (first, _) = *seen.first()?;
        if seen.iter().all(|(told, _)| told.as_object().is_some()) {
            let members = self.members(seen, name, None);
            return (!members.is_empty()).then_some(FormPart::Object(members));
        }
        if let Some(word) = self.sum(seen).or_else(|| self.word(seen, name)) {
            return Some(FormPart::Word(word));
        }
        let is_word = |text: &str| !text.contains(|c: char| "{}".contains(c) || c.is_ascii_digit());
        let is_usual = match first {
            Json::Text(text) => is_word(text),
            Json::Bool(_) => true,
            _ => false,
        };
        (is_usual && seen.iter().all(|(told, _)| *told == first))
            .then(|| FormPart::Value(first.clone()))
    }

    /// The forms of the members of objects, but for this one.
    fn members(
        &self,
        seen: &[Seen<'_>],
        around: &str,
        but: Option<&str>,
    ) -> Vec<(String, FormPart)> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in seen
            .iter()
            .flat_map(|(told, _)| told.as_object().unwrap_or_default())
        {
            if !names.contains(&&**name) && Some(&**name) != but && !name.contains(['{', '}']) {
                names.push(name);
            }
        }
        let formed = names.into_iter().filter_map(|name| {
            let here = seen
                .iter()
                .filter_map(|(told, own)| Some((told.get(name)?, *own)));
            let here: Vec<_> = here.filter(|(told, _)| **told != Json::Null).collect();
            Some((
                name.to_owned(),
                self.part(&here, &format!("{around}{name}"))?,
            ))
        });
        formed.collect()
    }

    /// The word for what all rows add up to.
    fn sum(&self, seen: &[Seen<'_>]) -> Option<FormWord> {
        let is_sum = |sums: &Vec<f64>| {
            let mut pairs = sums.iter().zip(seen);
            sums.len() == seen.len()
                && pairs.all(|(sum, (told, _))| {
                    told.as_num().is_some_and(|told| (told - sum).abs() < 0.005)
                })
        };
        let found = self.sums.iter().find(|(_, sums)| is_sum(sums));
        found.and_then(|(word, _)| self.of.word(word.word))
    }

    /// The word that stands for most of these, or for what the member is called where none does: not all that was counted
    /// may have been captured.
    fn word(&self, seen: &[Seen<'_>], name: &str) -> Option<FormWord> {
        let agreeing = |word: &FormWord| {
            let is_it = |(told, own): &&Seen<'_>| {
                form_value(*word, own).is_some_and(|own| same(&own, told))
            };
            seen.iter().filter(is_it).count()
        };
        let words = || self.of.words().iter();
        let most = words().map(agreeing).max().unwrap_or_default();
        let are_numbers = seen.iter().all(|(told, _)| told.as_num().is_some());
        let called = called(name)
            .and_then(|word| self.of.word(word))
            .filter(|_| are_numbers);
        if most * 2 <= seen.len() {
            return called;
        }
        let called = called.filter(|word| agreeing(word) == most);
        called.or_else(|| words().find(|word| agreeing(word) == most).copied())
    }
}

/// What members are called that count something, in small letters: the first that a name has in it.
const CALLED: [(&str, &str); 19] = [
    ("balance", "walletBalance"),
    ("amount", "amount"),
    ("spen", "amount"),
    ("cost", "amount"),
    ("price", "amount"),
    ("inr", "amount"),
    ("billed", "billed"),
    ("billable", "billed"),
    ("charged", "billed"),
    ("charge", "amount"),
    ("norecord", "noRecord"),
    ("notfound", "noRecord"),
    ("fail", "failed"),
    ("error", "failed"),
    ("complet", "completed"),
    ("success", "completed"),
    ("call", "calls"),
    ("request", "calls"),
    ("count", "calls"),
];

/// What a member of this name counts.
fn called(name: &str) -> Option<&'static str> {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let mut known = CALLED.iter();
    known
        .find(|(part, _)| name.contains(part))
        .map(|(_, word)| *word)
}

/// What the numbers of all rows add up to.
fn sums(each: &FormPart, reports: &[SeenReport<'_>]) -> Vec<(FormWord, Vec<f64>)> {
    let words = each.words().into_iter();
    let counted = words.filter(|(_, word)| COUNTED.contains(&word.word));
    let sum = |path: &str, report: &SeenReport<'_>| {
        let told = report.rows.told.iter();
        told.filter_map(|(_, told)| at(told, path)?.as_num()).sum()
    };
    let sums =
        counted.map(|(path, word)| (word, reports.iter().map(|it| sum(&path, it)).collect()));
    sums.collect()
}

/// How many of the numbers of a report this form tells as they were told.
fn explained(form: &FormPart, report: &SeenReport<'_>) -> usize {
    let words = form.words();
    let of_rows = words.iter().filter(|(_, word)| word.of == WordOf::Endpoint);
    let of_rows = of_rows.map(|(path, word)| (path.trim_start_matches('.'), word));
    let of_rows: Vec<_> = of_rows.collect();
    let explained = |(endpoint, told): &(String, &Json<'static>)| {
        let own = report.own_row(endpoint);
        let is_it = |(path, word): &&(&str, &FormWord)| {
            let pair = at(told, path).zip(form_value(**word, &own));
            pair.is_some_and(|(told, own)| same(told, &own))
        };
        of_rows.iter().filter(is_it).count()
    };
    report.rows.told.iter().map(explained).sum()
}

fn at<'j>(value: &'j Json<'static>, path: &str) -> Option<&'j Json<'static>> {
    path.split('.')
        .try_fold(value, |value, name| value.get(name))
}

/// Whether a form is the simulator's own.
fn is_own(form: &FormPart) -> bool {
    let counted = COUNTED.into_iter().filter(|name| *name != "executed");
    let of_rows = counted
        .clone()
        .chain(["endpoint"])
        .map(|name| format!(".{name}"));
    let of_all = counted.map(|name| format!("totals.{name}"));
    let mut wanted: Vec<String> = of_rows.chain(of_all).collect();
    let words = form.words();
    let is_named = |(path, word): &(String, FormWord)| path.rsplit('.').next() == Some(word.word);
    let is_in_list = matches!(form, FormPart::Object(members)
        if members.iter().any(|(name, part)| name == "endpoints" && matches!(part, FormPart::EachList(_))));
    let mut paths: Vec<String> = words.iter().map(|(path, _)| path.clone()).collect();
    paths.retain(|path| path != "walletBalance");
    paths.sort_unstable();
    wanted.sort_unstable();
    is_in_list && words.iter().all(is_named) && paths == wanted
}
