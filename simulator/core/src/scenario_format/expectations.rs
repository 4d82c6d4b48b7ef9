//! Reading `[[expect]]` blocks: a call and the parts of its answer that somebody relies on. They decide
//! nothing: `check` reads them, `serve` does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::contract::{
    Contract, Environment, Field, Flow, Operation, OperationIndex, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Location, Problems, Source, Table};
use svc_fixtures::template::Character;

use super::expected_answer::{Expected, expected};
use super::expected_later::{ExpectedLater, later};
use crate::scenario::read::people::{Cast, Declared, DeclaringFiles, asking};
use crate::scenario::read::{Names, environment, refuse_header, unknown_operation};
use crate::scenario::{Caller, HeaderName, MoreHeaders, is_key_name};

/// One call, and what is expected of it.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Its name, unique in its folder.
    pub name: String,
    /// Where it stands.
    pub place: Location,
    /// The operation that is called.
    pub operation: OperationIndex,
    /// The fields that are sent; required ones that are not named are filled in.
    pub call: Vec<(String, Json<'static>)>,
    /// Who calls, and how.
    pub caller: Caller,
    /// What the call is answered, made so many times.
    pub answers: Vec<Expected>,
    /// What comes of a call that is pending, where that is looked at.
    pub later: ExpectedLater,
}

/// Where accounts call where nothing else is said.
const ACCOUNT: &str = "local";

/// Reads the expectations of scenario files. What else stands in them is the other reader's, which
/// also reports what is no TOML.
///
/// # Errors
/// Every mistake of every expectation.
pub fn read_expectations(
    contract: &Contract,
    roles: &BTreeMap<String, Character>,
    sources: &[Arc<Source>],
) -> Result<Vec<Expectation>, Problems> {
    let tables: Vec<&str> = roles.keys().map(String::as_str).collect();
    // What is wrong with people is reported by the other reader.
    let declaring = DeclaringFiles::among(sources, &tables);
    let files = declaring.parsed(sources, &tables);
    let (people, _) = Cast::new(contract, roles).read(&files);
    let (mut found, mut problems) = (Vec::new(), Problems::default());
    let mut names = Names::default();
    for file in &files {
        let around = people.around(file.source());
        let (intact, mistakes) = file.read(|root| {
            // All keys count as asked for: unknown ones are reported once, by the other reader.
            root.entries();
            for table in root.tables("expect") {
                let name = names.read(&table);
                found.extend(expectation(contract, around, name, &table));
                table.done();
            }
            root.is_intact()
        });
        if intact {
            problems.extend(mistakes);
        }
    }
    problems.or(found)
}

fn expectation(
    contract: &Contract,
    people: &Declared,
    name: Option<&str>,
    table: &Table<'_>,
) -> Option<Expectation> {
    let operation = operation(contract, table);
    let row = operation.map(|at| &contract.operations[at]);
    let rows = row.map(|row| Asked {
        row,
        first: first_call(contract, row),
    });
    let mut call = call(rows, table);
    if let Some(item) = table.optional("who") {
        call.extend(asked_for(rows, people, &call, &item).unwrap_or_default());
    }
    let account = table.optional("account").and_then(|item| {
        let id = item.text()?;
        if !is_key_name(id) {
            item.problem("an account's id is letters, digits, `-`, `_` and `.`");
        }
        Some(id)
    });
    let environment = table.optional("environment").map(|item| environment(&item));
    let header = |name: &str| table.optional_text(name).map(str::to_owned);
    let (idempotency_key, reference_id) = (header("idempotency_key"), header("reference_id"));
    let answers = answers(table);
    let later = later(row, table);
    Some(Expectation {
        name: name?.to_owned(),
        place: table.location(),
        operation: operation?,
        call,
        caller: Caller {
            account: account.unwrap_or(ACCOUNT).to_owned(),
            environment: environment.unwrap_or(Some(Environment::Test))?,
            idempotency_key,
            reference_id,
            headers: headers(table),
        },
        answers: answers?,
        later,
    })
}

/// The headers that a call sends beside those that have keys of their own.
fn headers(table: &Table<'_>) -> MoreHeaders {
    let mut headers = MoreHeaders::default();
    let given = table.optional("headers").and_then(|item| item.table());
    for (name, item) in given.iter().flat_map(Table::entries) {
        match HeaderName::parse(name) {
            Ok(HeaderName::Other(name)) => {
                let text = item.text().unwrap_or_default();
                headers.0.push((name.to_string(), text.to_owned()));
            }
            Ok(_) => item.problem_with_hint(
                "this header has a key of its own",
                "write `reference_id` or `idempotency_key`; the content type is always JSON",
            ),
            Err(refusal) => refuse_header(name, refusal, &item),
        }
    }
    headers
}

fn operation(contract: &Contract, table: &Table<'_>) -> Option<OperationIndex> {
    let item = table.required("operation")?;
    let id = item.text()?;
    let found = contract.operation_index(id);
    if found.is_none() {
        unknown_operation(&item, id, contract);
    }
    found
}

/// An operation that is called, and the one that begins its flow where it is a later step.
#[derive(Clone, Copy)]
struct Asked<'c> {
    row: &'c Operation,
    first: Option<&'c Operation>,
}

impl Asked<'_> {
    fn has(&self, name: &str) -> bool {
        let mut rows = std::iter::once(self.row).chain(self.first);
        rows.any(|row| row.field(name).is_some())
    }
}

fn first_call<'c>(contract: &'c Contract, row: &Operation) -> Option<&'c Operation> {
    let is_later = |flow: &&Flow| {
        let mut later = flow.steps.iter().skip(1);
        !flow.advisory && later.any(|step| step.operation == row.id)
    };
    let flow = contract.flows.iter().find(is_later)?;
    contract.operation(&flow.steps.first()?.operation)
}

/// The fields to send; of a later step of a flow those of the first call, too. One that neither has is a
/// slip of the pen here, though the service would pass over it.
fn call(rows: Option<Asked<'_>>, table: &Table<'_>) -> Vec<(String, Json<'static>)> {
    let Some(call) = table.optional("call").and_then(|item| item.table()) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (name, item) in call.entries() {
        if let Some(rows) = rows.filter(|rows| !rows.has(name)) {
            let known = rows.row.request.iter().map(|field| field.name.as_str());
            item.unknown_key("the field", name, known);
        }
        fields.extend(item.json_or_problem().map(|value| (name.to_owned(), value)));
    }
    fields
}

/// The fields that ask for somebody who is declared: all that must be sent, or else the first that they
/// are known by. A later step of a flow that asks by none of them speaks of whom the first call asked for.
fn asked_for(
    rows: Option<Asked<'_>>,
    people: &Declared,
    call: &[(String, Json<'static>)],
    item: &Item<'_>,
) -> Option<Vec<(String, Json<'static>)>> {
    let name = item.text()?;
    let asked = people.asked_for_by(name, item)?;
    let Asked { row, first } = rows?;
    let known = |field: &Field| {
        let (key, value) = asked.iter().find(|(key, _)| *key == field.name)?;
        Some((key.clone(), asking(field, value)))
    };
    let given = |(key, _): &(String, Json<'static>)| call.iter().any(|(name, _)| name == key);
    let asking = |row: &Operation| -> Vec<(String, Json<'static>)> {
        let fields: Vec<&Field> = row.identifiers().map(|(_, field)| field).collect();
        let required = fields.iter().filter(|it| it.presence == Presence::Required);
        let wanted: Vec<_> = required.filter_map(|field| known(field)).collect();
        let first = || fields.iter().find_map(|field| known(field));
        match wanted.is_empty() {
            true => first().into_iter().collect(),
            false => wanted,
        }
    };
    let mut said = asking(row);
    if let (true, Some(first)) = (said.is_empty(), first) {
        said = asking(first);
    }
    if said.is_empty() && !asked.is_empty() {
        let by: Vec<&str> = row.identifiers().map(|(_, it)| it.name.as_str()).collect();
        item.problem_with_hint(
            format!("{} asks by nothing that is known of `{name}`", row.id),
            match by.is_empty() {
                true => "leave `who` out: none of its fields identifies".to_owned(),
                false => format!("it asks by {}", by.join(", ")),
            },
        );
    }
    if let Some((key, _)) = said.iter().find(|it| given(it)) {
        item.problem_with_hint(
            format!("`call` says `{key}` already"),
            "leave one of them out: `who` fills in what somebody is asked for by",
        );
    }
    Some(said)
}

/// `answer`, or `answers` for the same call made again and again.
fn answers(table: &Table<'_>) -> Option<Vec<Expected>> {
    match (table.optional("answer"), table.optional("answers")) {
        (Some(one), None) => Some(vec![expected(&one)?]),
        (None, Some(many)) => {
            let items = many.list()?;
            if items.is_empty() {
                many.problem("a list without answers expects nothing");
            }
            items.iter().map(expected).collect()
        }
        (Some(_), Some(many)) => {
            many.problem("an expectation has `answer` or `answers`, not both");
            None
        }
        (None, None) => {
            table.lacks("`answer` is missing: say which parts of the answer count");
            None
        }
    }
}
