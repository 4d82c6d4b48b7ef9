//! Reading `[[expect]]` blocks: a call and the parts of its answer that somebody relies on. They decide
//! nothing: `check` reads them, `serve` does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::contract::{Contract, Environment, Field, Operation, OperationIndex, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Location, Problems, Source, Table};
use svc_fixtures::template::Character;

use super::expected_answer::{Expected, expected};
use super::expected_later::{ExpectedLater, later};
use crate::scenario::read::people::{Cast, Declared};
use crate::scenario::read::{Names, environment, unknown_operation};
use crate::scenario::{Caller, is_key_name};

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
    let (people, _) = Cast { contract, roles }.read(sources);
    let (mut found, mut problems) = (Vec::new(), Problems::default());
    let mut names = Names::default();
    for source in sources {
        let around = people.around(source);
        let sharing = around.sharing(&tables);
        let (intact, mistakes) = Table::of_source_sharing(source, sharing, |root| {
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
    let mut call = call(row, table);
    if let Some(item) = table.optional("who") {
        call.extend(asked_for(row, people, &call, &item).unwrap_or_default());
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
        },
        answers: answers?,
        later,
    })
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

/// The fields to send. One that the operation does not have is a slip of the pen here, though the
/// service would pass over it.
fn call(row: Option<&Operation>, table: &Table<'_>) -> Vec<(String, Json<'static>)> {
    let Some(call) = table.optional("call").and_then(|item| item.table()) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (name, item) in call.entries() {
        if let Some(row) = row.filter(|row| row.field(name).is_none()) {
            let known = row.request.iter().map(|field| field.name.as_str());
            item.unknown_key("the field", name, known);
        }
        fields.extend(item.json_or_problem().map(|value| (name.to_owned(), value)));
    }
    fields
}

/// The fields that ask for somebody who is declared: all that must be sent, or else the first that they
/// are known by.
fn asked_for(
    row: Option<&Operation>,
    people: &Declared,
    call: &[(String, Json<'static>)],
    item: &Item<'_>,
) -> Option<Vec<(String, Json<'static>)>> {
    let name = item.text()?;
    let asked = people.asked_for_by(name, item)?;
    let row = row?;
    let known = |field: &Field| asked.iter().find(|(key, _)| *key == field.name).cloned();
    let given = |(key, _): &(String, Json<'static>)| call.iter().any(|(name, _)| name == key);
    let fields = row.identifiers().map(|(_, field)| field);
    let fields: Vec<&Field> = fields.filter(|field| known(field).is_some()).collect();
    let required = fields.iter().filter(|it| it.presence == Presence::Required);
    let mut wanted: Vec<&Field> = required.copied().collect();
    if wanted.is_empty() {
        wanted.extend(fields.first());
    }
    if wanted.is_empty() && !asked.is_empty() {
        let by: Vec<&str> = row.identifiers().map(|(_, it)| it.name.as_str()).collect();
        item.problem_with_hint(
            format!("{} asks by nothing that is known of `{name}`", row.id),
            match by.is_empty() {
                true => "leave `who` out: none of its fields identifies".to_owned(),
                false => format!("it asks by {}", by.join(", ")),
            },
        );
    }
    let said: Vec<_> = wanted.into_iter().filter_map(known).collect();
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
