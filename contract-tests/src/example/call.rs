//! `[[case.call]]`: what is sent, what is taken from answers before, and what must come of it.

use svc_fixtures::contract::{Contract, ErrorCode};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};

use super::target::{Callee, EarlierCall};
use super::value::{self, ValueReader};
use crate::capture::Credential;
use crate::plan::{CarriedPart, Carry, Case, Ending, RequestTemplate, Rule};

/// Where in a path, not in a body, something is put.
const INTO_THE_PATH: &str = "{}";

/// Reads a call into a case; none where the file does not say what is called.
pub(super) fn read<'c>(
    table: &Table<'_>,
    contract: &'c Contract,
    case: &mut Case,
    before: &[EarlierCall<'c>],
    clause: &str,
) -> Option<EarlierCall<'c>> {
    let name = name(table, before);
    let target = Callee::read(table, contract);
    // All keys are asked for, so that none of them is called unknown because of another mistake.
    let body = body(table);
    let headers = headers(table);
    let credential = credential(table);
    let carries = table.optional("carry").and_then(|item| item.table());
    let ends = table.optional("ends");
    let ends_as = table
        .optional("ends_as")
        .map(|item| place_of(&item, before));
    if let (Some(item), Some(_)) = (&ends, &ends_as) {
        item.problem("a call has `ends` or `ends_as`, not both");
    }
    let expect = table.optional("expect").and_then(|item| item.table());
    let ends = match (ends, ends_as) {
        (_, Some(place)) => Rule::SameEnding(place?),
        (Some(item), None) => Rule::Ends(ending(&item)?),
        (None, None) => Rule::Ends(Ending::Completed),
    };
    let target = target?;
    let fields = target.fields(contract);
    let reader = ValueReader {
        contract,
        before,
        target: &target,
    };
    let simulators_only = credential != Credential::Own || target.is_extension();
    let mut request = target.request(known_members(body, fields.as_deref()));
    for (name, value) in headers {
        request = request.header(&name, value);
    }
    request.credential = credential;
    if let Some(table) = carries {
        request.carries = carried(&table, &reader, &request, fields.as_deref());
    }
    let step = case.push(request);
    case.expect(step, clause, ends);
    for (place, item) in expect.iter().flat_map(|table| table.entries()) {
        if let Some((place, test)) = value::at_place(&reader, place, &item) {
            case.expect(step, clause, Rule::Value(place, test));
        }
    }
    Some(EarlierCall {
        name,
        target,
        simulators_only,
    })
}

/// The place of an earlier call of this name.
fn place_of(item: &Item<'_>, before: &[EarlierCall<'_>]) -> Option<usize> {
    let name = item.text()?;
    let place = before
        .iter()
        .position(|it| it.name.as_deref() == Some(name));
    if place.is_none() {
        let names = before.iter().filter_map(|it| it.name.as_deref());
        item.unknown("the call", name, names);
    }
    place
}

fn name(table: &Table<'_>, before: &[EarlierCall<'_>]) -> Option<String> {
    let item = table.optional("as")?;
    let name = item.text()?;
    if before.iter().any(|call| call.name.as_deref() == Some(name)) {
        item.problem(format!("another call of this case is called `{name}`, too"));
    }
    Some(name.to_owned())
}

/// The members of the body, each with its place in the file.
fn body<'t>(table: &Table<'t>) -> Vec<(&'t str, Item<'t>)> {
    let body = table.optional("body").and_then(|item| item.table());
    body.map(|table| table.entries()).unwrap_or_default()
}

fn known_members(body: Vec<(&str, Item<'_>)>, fields: Option<&[String]>) -> Json<'static> {
    let mut members = Json::Object(Vec::new());
    for (name, item) in body {
        known_field(name, &item, fields);
        if let Some(json) = item.json_or_problem() {
            members.set(name.to_owned(), json);
        }
    }
    members
}

fn known_field(name: &str, item: &Item<'_>, fields: Option<&[String]>) {
    if let Some(fields) = fields
        && !fields.iter().any(|field| field == name)
    {
        item.unknown_key("the field", name, fields.iter().map(String::as_str));
    }
}

fn headers(table: &Table<'_>) -> Vec<(String, String)> {
    let headers = table.optional("headers").and_then(|item| item.table());
    let entries = headers.map(|table| table.entries()).unwrap_or_default();
    let header =
        |(name, item): (&str, Item<'_>)| Some((name.to_lowercase(), item.text()?.to_owned()));
    entries.into_iter().filter_map(header).collect()
}

fn credential(table: &Table<'_>) -> Credential {
    let (key, account) = (table.optional("key"), table.optional("account"));
    if let (Some(key), Some(_)) = (&key, &account) {
        key.problem("a call has `key` or `account`, not both");
    }
    let text = |item: &Item<'_>| item.text().unwrap_or_default().to_owned();
    match (key, account) {
        (Some(key), _) => Credential::BuiltIn(text(&key)),
        (None, Some(account)) => Credential::Another(text(&account)),
        (None, None) => Credential::Own,
    }
}

fn carried(
    table: &Table<'_>,
    reader: &ValueReader<'_, '_>,
    request: &RequestTemplate,
    fields: Option<&[String]>,
) -> Vec<Carry> {
    let mut carries = Vec::new();
    for (field, item) in table.entries() {
        let into_the_path = field == INTO_THE_PATH;
        match into_the_path {
            true if !request.path.contains(INTO_THE_PATH) => {
                item.problem("the path has no `{}` to put this in");
            }
            true => {}
            false => known_field(field, &item, fields),
        }
        let (from, mut part) = taken(&item);
        // What holds a flow together is carried whatever it is.
        let mut steps = reader.contract.flows.iter().flat_map(|flow| &flow.steps);
        let is_issued = into_the_path || steps.any(|step| step.takes.as_deref() == Some(field));
        if part == CarriedPart::Whole && !is_issued {
            part = CarriedPart::Plain;
        }
        if let (CarriedPart::Whole | CarriedPart::Plain, Some(own)) =
            (part, reader.target.carried_part(reader.contract, field))
        {
            part = own;
        }
        let earlier = from.and_then(|from| value::earlier(reader, &from));
        if let Some(earlier) = earlier {
            carries.push(Carry {
                field: (!into_the_path).then(|| field.to_owned()),
                part,
                ..Carry::into_path(earlier.step, earlier.place)
            });
        }
    }
    carries
}

/// What is carried, and what of it: all, unless a table says otherwise.
fn taken<'t>(item: &Item<'t>) -> (Option<Item<'t>>, CarriedPart) {
    let Some(table) = item.if_table() else {
        return (Some(item.clone()), CarriedPart::Whole);
    };
    for (key, part) in [
        ("beginning_of", CarriedPart::Beginning),
        ("ten_rupees_more_than", CarriedPart::TenRupeesMore),
    ] {
        if let Some(from) = table.optional(key) {
            table.done();
            return (Some(from), part);
        }
    }
    let another = table.required("another_paisa_than");
    table.done();
    (another, CarriedPart::AnotherPaisa)
}

/// A word or an error code; a table for a status that is another than the code's.
fn ending(item: &Item<'_>) -> Option<Ending> {
    if let Some(table) = item.if_table() {
        let status = table.required("status")?.int()?;
        let code = table.required("code")?;
        table.done();
        let status = u16::try_from(status).ok();
        if status.is_none() {
            table.problem("this is no HTTP status");
        }
        return Some(Ending::Refused(status?, error_code(&code)?));
    }
    match item.text()? {
        "completed" => Some(Ending::Completed),
        "pending" => Some(Ending::Pending),
        "accepted" => Some(Ending::Accepted),
        "any" => Some(Ending::NoFault),
        _ => error_code(item).map(Ending::Error),
    }
}

fn error_code(item: &Item<'_>) -> Option<ErrorCode> {
    let text = item.text()?;
    let code = ErrorCode::parse(text);
    if code.is_none() {
        let words = ["completed", "pending", "accepted", "any"].into_iter();
        let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
        item.unknown("the ending", text, words.chain(codes));
    }
    code
}
