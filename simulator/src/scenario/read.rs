//! Reading scenario files: every mistake of every file at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use svc_fixtures::contract::{Contract, Kind};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Problems, Source, Table};

use super::read_outcome::{Scope, outcomes};
use super::set::ScenarioSet;
use super::{Afterwards, Condition, Scenario, Subject, Test, folder};

/// Reads scenario files. Earlier files come first; within a file the first rule that holds wins.
///
/// # Errors
/// Every mistake of every file.
pub fn read_scenarios(
    contract: &Contract,
    sources: &[Arc<Source>],
) -> Result<ScenarioSet, Problems> {
    let mut reader = Reader {
        contract,
        scenarios: Vec::new(),
        changes: Vec::new(),
        names: BTreeMap::new(),
        order: 0,
    };
    let mut problems = Problems::default();
    for source in sources {
        let ((), found) = Table::of_source(source, |root| {
            // What is expected decides nothing: another reader reads it.
            root.optional("expect");
            for table in root.tables("scenario") {
                reader.scenario(&table);
                table.done();
            }
        });
        problems.extend(found);
    }
    let Reader {
        scenarios, changes, ..
    } = reader;
    problems
        .or(())
        .map(|()| ScenarioSet::new(contract, scenarios, changes))
}

struct Reader<'c> {
    contract: &'c Contract,
    scenarios: Vec<Scenario>,
    changes: Vec<Json<'static>>,
    /// Where each name was used first, by folder and name.
    names: BTreeMap<(String, String), String>,
    order: usize,
}

impl Reader<'_> {
    fn scenario(&mut self, table: &Table<'_>) {
        let place = format!("{}:{}", table.source().path, table.line());
        let name = table.text("name").unwrap_or_default();
        self.note_name(table, name, &place);
        let operations = self.operations(table);
        let conditions = match table.optional("when").and_then(|item| item.table()) {
            Some(when) => self.conditions(&when, &operations),
            None => Vec::new(),
        };
        let again = table.flag("start_over");
        let afterwards = if again {
            Afterwards::StartOver
        } else {
            Afterwards::StayOnLast
        };
        let order = self.order;
        self.order += 1;
        for (case, then) in self.thens(table) {
            let operations = self.fitting(table, &operations, &conditions, &then, case.is_some());
            let scope = Scope {
                contract: self.contract,
                operations: &operations,
            };
            let then = outcomes(&scope, &then, &mut self.changes);
            let name: Arc<str> = match &case {
                Some(case) => format!("{name}: {case}").into(),
                None => name.into(),
            };
            let because = format!("scenario \"{name}\" ({place})").into();
            let conditions = conditions
                .iter()
                .map(|condition| for_case(condition, case.as_deref()))
                .collect();
            self.scenarios.push(Scenario {
                name,
                because,
                file: table.source().path.as_str().into(),
                line: table.line(),
                order,
                operations,
                conditions,
                then,
                afterwards,
            });
        }
    }

    fn note_name(&mut self, table: &Table<'_>, name: &str, place: &str) {
        let folder = folder(&table.source().path);
        let key = (folder.to_owned(), name.to_owned());
        if let Some(first) = self.names.get(&key) {
            let message = format!("the name \"{name}\" was used before, at {first}");
            table.optional("name").inspect(|item| item.problem(message));
        }
        self.names.entry(key).or_insert_with(|| place.to_owned());
    }

    /// The operations of an id, a prefix ending in `.*`, or `*`.
    fn operations(&self, table: &Table<'_>) -> Vec<usize> {
        let Some(item) = table.required("operation") else {
            return Vec::new();
        };
        let Some(text) = item.text() else {
            return Vec::new();
        };
        let ids = || {
            self.contract
                .operations
                .iter()
                .map(|operation| operation.id.as_str())
        };
        let matching = |id: &str| match text.strip_suffix('*') {
            Some(prefix) => (prefix.is_empty() || prefix.ends_with('.')) && id.starts_with(prefix),
            None => id == text,
        };
        let found: Vec<usize> = ids()
            .enumerate()
            .filter(|(_, id)| matching(id))
            .map(|(index, _)| index)
            .collect();
        if found.is_empty() {
            item.unknown("the operation", text, ids());
        }
        found
    }

    fn conditions(&self, when: &Table<'_>, operations: &[usize]) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for (name, item) in when.entries() {
            let on = match name {
                "any_identifier" => Subject::AnyIdentifier,
                _ => Subject::Field(name.to_owned()),
            };
            let rows = || {
                operations
                    .iter()
                    .map(|&index| &self.contract.operations[index])
            };
            if !operations.is_empty()
                && matches!(on, Subject::Field(_))
                && !rows().any(|row| row.field(name).is_some())
            {
                let known: Vec<&str> = rows()
                    .flat_map(|row| row.request.iter().map(|field| field.name.as_str()))
                    .collect();
                item.unknown_key(
                    "the field",
                    name,
                    known.into_iter().chain(["any_identifier"]),
                );
            }
            let texts_only = rows()
                .filter_map(|row| row.field(name).map(|at| &row.request[at].kind))
                .all(is_text);
            for test in tests(&item, texts_only) {
                conditions.push(Condition {
                    on: on.clone(),
                    test,
                });
            }
        }
        conditions
    }

    /// The outcomes: `then`, or one a case of `cases`.
    fn thens<'t>(&self, table: &Table<'t>) -> Vec<(Option<String>, Item<'t>)> {
        match (table.optional("then"), table.optional("cases")) {
            (Some(then), None) => vec![(None, then)],
            (None, Some(cases)) => {
                let cases = cases
                    .table()
                    .map(|cases| cases.entries())
                    .unwrap_or_default();
                cases
                    .into_iter()
                    .map(|(case, then)| (Some(case.to_owned()), then))
                    .collect()
            }
            (Some(_), Some(cases)) => {
                cases.problem("a scenario has `then` or `cases`, not both");
                Vec::new()
            }
            (None, None) => {
                table.problem("`then` is missing");
                Vec::new()
            }
        }
    }

    /// Of the operations a prefix names, those whose fields the conditions look at and that can
    /// end so. An operation named in full is kept, so that what does not fit it is reported.
    fn fitting(
        &self,
        table: &Table<'_>,
        operations: &[usize],
        conditions: &[Condition],
        then: &Item<'_>,
        is_case: bool,
    ) -> Vec<usize> {
        if operations.len() == 1 && !is_case {
            return operations.to_vec();
        }
        let pending = then
            .if_table()
            .is_some_and(|then| then.optional("pending").is_some());
        let fits = |index: &&usize| {
            let row = &self.contract.operations[**index];
            let has = |condition: &Condition| match &condition.on {
                Subject::Field(name) => row.field(name).is_some(),
                Subject::AnyIdentifier => row.identifiers().next().is_some(),
            };
            conditions.iter().all(has) && (!pending || row.pending.is_some())
        };
        let fitting: Vec<usize> = operations.iter().filter(fits).copied().collect();
        if fitting.is_empty() && !operations.is_empty() {
            table.problem("none of these operations has all these fields and can end so");
        }
        fitting
    }
}

fn is_text(kind: &Kind) -> bool {
    match kind {
        Kind::Text { .. } => true,
        Kind::List { items, .. } => is_text(items),
        _ => false,
    }
}

/// What one entry of `when` asks: a value, a list of them, or a table of tests.
fn tests(item: &Item<'_>, texts_only: bool) -> Vec<Test> {
    let value = |item: &Item<'_>| -> Option<Json<'static>> {
        let json = item.json_or_problem()?;
        if texts_only && json.as_text().is_none() {
            item.problem(format!(
                "this field is a string, and this is {}",
                json.kind()
            ));
        }
        Some(json)
    };
    let values = |item: &Item<'_>| -> Vec<Json<'static>> {
        let items = item.list().unwrap_or_default();
        if items.is_empty() {
            item.problem("a list without values never holds");
        }
        items.iter().filter_map(value).collect()
    };
    if item.is_list() {
        return vec![Test::OneOf(values(item))];
    }
    let Some(table) = item.if_table() else {
        return value(item)
            .map(|value| Test::OneOf(vec![value]))
            .into_iter()
            .collect();
    };
    let mut found = Vec::new();
    found.extend(
        table
            .optional("one_of")
            .map(|item| Test::OneOf(values(&item))),
    );
    let mut on_text = |name: &str, test: fn(String) -> Test| {
        let text = table.optional_text(name);
        found.extend(text.map(|text| test(text.to_owned())));
    };
    on_text("contains", Test::Contains);
    on_text("starts_with", Test::StartsWith);
    on_text("ends_with", Test::EndsWith);
    on_text("path_ends", Test::PathEnds);
    on_text("query", Test::Query);
    if let Some((item, text)) = table
        .optional("matches")
        .and_then(|item| item.text().map(|text| (item, text)))
    {
        match Regex::new(text) {
            Ok(pattern) => found.push(Test::Matches(pattern)),
            Err(error) => item.problem(format!("this is no regular expression: {error}")),
        }
    }
    found.extend(
        table
            .optional("present")
            .and_then(|item| item.bool())
            .map(Test::Present),
    );
    table.done();
    if found.is_empty() {
        table.problem(
            "no test is named here: use one_of, contains, starts_with, ends_with, path_ends, query, \
             matches or present",
        );
    }
    found
}

/// A condition with `{case}` in its texts replaced.
fn for_case(condition: &Condition, case: Option<&str>) -> Condition {
    let Some(case) = case else {
        return condition.clone();
    };
    let put = |text: &str| text.replace("{case}", case);
    let value = |value: &Json<'static>| match value.as_text() {
        Some(text) => Json::from(put(text)),
        None => value.clone(),
    };
    let test = match &condition.test {
        Test::OneOf(values) => Test::OneOf(values.iter().map(value).collect()),
        Test::Contains(text) => Test::Contains(put(text)),
        Test::StartsWith(text) => Test::StartsWith(put(text)),
        Test::EndsWith(text) => Test::EndsWith(put(text)),
        Test::PathEnds(text) => Test::PathEnds(put(text)),
        Test::Query(text) => Test::Query(put(text)),
        other @ (Test::Matches(_) | Test::Present(_)) => other.clone(),
    };
    Condition {
        on: condition.on.clone(),
        test,
    }
}
