//! Reading `[[expect]]` blocks: a call and the parts of its answer that somebody relies on. They never
//! decide anything: who serves does not read them, who checks does.

use std::collections::BTreeMap;
use std::sync::Arc;

use svc_fixtures::contract::{Contract, Environment, ErrorCode, Place};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Problems, Source, Table};
use svc_fixtures::template::Character;

use super::{duration_ms, folder, is_key_name};

/// One call, and what is expected of it.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Its name, unique in its folder.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The operation that is called, by its place in the contract.
    pub operation: usize,
    /// The fields that are sent; required ones that are not named are filled in.
    pub call: Vec<(String, Json<'static>)>,
    /// The id of the account that calls.
    pub account: String,
    /// Where it calls.
    pub environment: Environment,
    /// Its `Idempotency-Key`, where it sends one.
    pub idempotency_key: Option<String>,
    /// Its `X-Reference-Id`, where it sends one.
    pub reference_id: Option<String>,
    /// What the call is answered, made so many times.
    pub answers: Vec<Expected>,
    /// What a pending result comes to, where that is looked at.
    pub result: Option<ExpectedResult>,
}

/// What the result of a call that was pending must be.
#[derive(Debug, Clone)]
pub struct ExpectedResult {
    /// By how much the account's clock is moved first; where it is not said, to when the result is due.
    pub after_ms: Option<u64>,
    /// The result.
    pub is: Expected,
}

/// Parts of an answer.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Where they stand.
    pub place: Place,
    /// The HTTP status.
    pub http: Option<u16>,
    /// The name of the scenario that decides.
    pub because: Option<String>,
    /// Members of the envelope, with the parts of them that count.
    pub members: Json<'static>,
    /// Members that must not be there, as dotted paths.
    pub absent: Vec<String>,
}

/// Where accounts call where nothing else is said.
const ACCOUNT: &str = "local";

/// The members of the envelope that an expectation may look at.
pub(super) const MEMBERS: [&str; 9] = [
    "success",
    "status",
    "endpoint",
    "referenceId",
    "verificationId",
    "data",
    "error",
    "billing",
    "meta",
];

/// How an envelope can stand.
pub(super) const STATUSES: [&str; 3] = ["completed", "failed", "pending"];

/// Reads the expectations of scenario files. What else stands in them is the other reader's, which
/// also tells what is no TOML.
///
/// # Errors
/// Every mistake of every expectation.
pub fn read_expectations(
    contract: &Contract,
    roles: &BTreeMap<String, Character>,
    sources: &[Arc<Source>],
) -> Result<Vec<Expectation>, Problems> {
    let tables: Vec<&str> = roles.keys().map(String::as_str).collect();
    let (mut found, mut problems) = (Vec::new(), Problems::default());
    let mut names: BTreeMap<(String, String), String> = BTreeMap::new();
    for source in sources {
        let (intact, mistakes) = Table::of_source_sharing(source, Some(&tables), |root| {
            // All keys count as asked for: unknown ones are told once, by the other reader.
            root.entries();
            for table in root.tables("expect") {
                note_name(&mut names, &table);
                found.extend(expectation(contract, &table));
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

fn note_name(names: &mut BTreeMap<(String, String), String>, table: &Table<'_>) {
    let Some(item) = table.required("name") else {
        return;
    };
    let Some(name) = item.text() else { return };
    let key = (folder(&table.source().path).to_owned(), name.to_owned());
    match names.get(&key) {
        Some(first) => item.problem(format!("the name \"{name}\" was used before, at {first}")),
        None => {
            let place = format!("{}:{}", table.source().path, table.line());
            names.insert(key, place);
        }
    }
}

fn expectation(contract: &Contract, table: &Table<'_>) -> Option<Expectation> {
    let name = table.optional("name").and_then(|item| item.if_text());
    let operation = operation(contract, table);
    let call = call(contract, operation, table);
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
    let after = table.optional("after");
    let after_ms = after.as_ref().and_then(duration_ms);
    let result = table.optional("finally").and_then(|item| expected(&item));
    if let (Some(after), false) = (after, table.optional("finally").is_some()) {
        after.problem_with_hint(
            "`after` moves the clock to look at a result, and no result is expected",
            "add `finally = { … }` with parts of the result's envelope",
        );
    }
    Some(Expectation {
        name: name?.to_owned(),
        place: Place {
            source: Arc::clone(table.source()),
            span: table.span(),
        },
        operation: operation?,
        call,
        account: account.unwrap_or(ACCOUNT).to_owned(),
        environment: environment.unwrap_or(Some(Environment::Test))?,
        idempotency_key,
        reference_id,
        answers: answers?,
        result: result.map(|is| ExpectedResult { after_ms, is }),
    })
}

fn operation(contract: &Contract, table: &Table<'_>) -> Option<usize> {
    let item = table.required("operation")?;
    let id = item.text()?;
    let mut ids = contract.operations.iter().map(|row| row.id.as_str());
    let found = ids.position(|known| known == id);
    if found.is_none() {
        let ids = contract.operations.iter().map(|row| row.id.as_str());
        item.unknown("the operation", id, ids);
    }
    found
}

/// The fields to send. One that the operation does not have is a slip of the pen here, though the
/// service would pass over it.
fn call(
    contract: &Contract,
    operation: Option<usize>,
    table: &Table<'_>,
) -> Vec<(String, Json<'static>)> {
    let Some(call) = table.optional("call").and_then(|item| item.table()) else {
        return Vec::new();
    };
    let mut fields = Vec::new();
    for (name, item) in call.entries() {
        let row = operation.map(|at| &contract.operations[at]);
        if let Some(row) = row.filter(|row| row.field(name).is_none()) {
            let known = row.request.iter().map(|field| field.name.as_str());
            item.unknown_key("the field", name, known);
        }
        fields.extend(item.json_or_problem().map(|value| (name.to_owned(), value)));
    }
    fields
}

fn environment(item: &Item<'_>) -> Option<Environment> {
    let text = item.text()?;
    let mut all = Environment::ALL.into_iter();
    let found = all.find(|environment| environment.as_str() == text);
    if found.is_none() {
        let known = Environment::ALL.into_iter().map(Environment::as_str);
        item.unknown("the environment", text, known);
    }
    found
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

fn expected(item: &Item<'_>) -> Option<Expected> {
    let table = item.table()?;
    let place = Place {
        source: Arc::clone(item.source()),
        span: table.span(),
    };
    let http = table.optional("http").and_then(|item| {
        let status = item.int()?;
        let status = u16::try_from(status)
            .ok()
            .filter(|it| (100..600).contains(it));
        if status.is_none() {
            item.problem("an HTTP status is a number from 100 to 599");
        }
        status
    });
    let because = table.optional_text("because").map(str::to_owned);
    let absent = table.texts("absent").into_iter().map(str::to_owned);
    let absent: Vec<String> = absent.collect();
    let mut members = Vec::new();
    for name in MEMBERS {
        let Some(item) = table.optional(name) else {
            continue;
        };
        let value = match (name, item.if_text()) {
            ("error", Some(code)) => error(&item, code),
            _ => item.json_or_problem(),
        };
        match (name, item.if_text()) {
            ("status", Some(status)) if !STATUSES.contains(&status) => {
                item.unknown("the status", status, STATUSES.into_iter());
            }
            _ => {}
        }
        members.extend(value.map(|value| (name.into(), value)));
    }
    table.done();
    // A part with a mistake has been told already.
    if table.entries().is_empty() {
        table.lacks("this expects nothing: name a part of the answer, such as `status`");
    }
    Some(Expected {
        place,
        http,
        because,
        members: Json::Object(members),
        absent,
    })
}

/// A code alone stands for the error object with this code.
fn error(item: &Item<'_>, code: &str) -> Option<Json<'static>> {
    if ErrorCode::parse(code).is_none() {
        let known = ErrorCode::ALL.into_iter().map(ErrorCode::as_str);
        item.unknown("the error code", code, known);
        return None;
    }
    Some(Json::Object(vec![("code".into(), Json::from(code))]))
}
