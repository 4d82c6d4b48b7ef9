//! The operations as a person looks them up: price, latency, fields, and which input leads where.
//! Every input that is shown was tried.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use svc_fixtures::contract::{Field, LatencyRange, Operation, OperationIndex, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, first_text};

use super::examples::{self, Exchange, OperationExamples, issuer};
use super::operation_groups::{GROUP_COLUMNS, OperationGroups, field_line, groups};
use super::table_cell::{TableCell, markdown_table};
use crate::engine::call::rules::Rules;
use crate::scenario::AccountConfig;

/// The names of the columns of [`OperationList::named`].
pub const NAMED_COLUMNS: [&str; 3] = ["scenario", "input", "operations"];

/// All operations with the inputs that were found for them.
#[derive(Debug)]
pub struct OperationList<'r> {
    rows: Vec<OperationDetails<'r>>,
    /// What several operations are called as.
    groups: OperationGroups,
    /// The HTTP statuses that some input fixes.
    statuses: Vec<u16>,
}

#[derive(Debug)]
struct OperationDetails<'r> {
    rules: &'r Rules,
    index: OperationIndex,
    operation: &'r Operation,
    /// The operation that issues what the first identifying field carries.
    issuer: Option<&'r str>,
    found: OperationExamples,
}

/// Tries the inputs of every operation. Blocks: not to be called from async code.
#[must_use]
pub fn list<'r>(rules: &'r Rules, accounts: &[AccountConfig]) -> OperationList<'r> {
    let contract = &rules.contract;
    let examples = examples::examples(rules, accounts);
    let groups = groups(contract, &examples);
    let mut found = examples.operations.into_iter();
    let row = |(index, operation)| OperationDetails {
        rules,
        index,
        operation,
        issuer: issuer(contract, operation),
        found: found.next().unwrap_or_default(),
    };
    let rows: Vec<OperationDetails<'_>> = contract.indexed_operations().map(row).collect();
    let failing = rows.iter().flat_map(|row| &row.found.failing);
    let statuses: BTreeSet<u16> = failing.map(|it| it.status).collect();
    OperationList {
        rows,
        groups,
        statuses: statuses.into_iter().collect(),
    }
}

/// Whether this is an operation's id, its path, or the beginning of its id, as in `verify.*` and `verify`.
#[must_use]
pub fn is_named(operation: &Operation, name: &str) -> bool {
    let begins = |prefix: &str| {
        let whole_part = prefix.is_empty() || prefix.ends_with('.');
        whole_part && operation.id.starts_with(prefix)
    };
    let is_below = || {
        let rest = operation.id.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    operation.id == name
        || operation.path == name
        || is_below()
        || name.strip_suffix('*').is_some_and(begins)
}

impl<'r> OperationList<'r> {
    /// Those alone that are named so.
    #[must_use]
    pub fn only(mut self, name: &str) -> Self {
        self.rows.retain(|row| is_named(row.operation, name));
        self.groups = self.groups.only(name);
        self
    }

    /// A paragraph an operation, a bundle and a flow, for a terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let paragraphs = self.rows.iter().map(OperationDetails::paragraph);
        let paragraphs: Vec<String> = paragraphs.chain(self.groups.paragraphs()).collect();
        paragraphs.join("\n")
    }

    /// Everything that is known of each, with whole bodies.
    #[must_use]
    pub fn details(&self) -> String {
        let details = self.rows.iter().map(OperationDetails::details);
        let details: Vec<String> = details.chain(self.groups.details()).collect();
        details.join("\n")
    }

    /// What several operations are called as.
    #[must_use]
    pub fn groups(&self) -> &OperationGroups {
        &self.groups
    }

    /// The names of the columns of [`OperationList::table`].
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let fixed = ["operation", "POST to", "INR", "ms", "field", "success"].map(str::to_owned);
        let statuses = self.statuses.iter().map(u16::to_string);
        let pending = ["pending".to_owned()];
        fixed.into_iter().chain(statuses).chain(pending).collect()
    }

    /// A row an operation: each cell a text and whether it is code.
    #[must_use]
    pub fn table(&self) -> Vec<Vec<TableCell>> {
        let rows = self.rows.iter();
        rows.map(|row| row.cells(&self.statuses)).collect()
    }

    /// A row an input that a scenario names and that succeeds: what was set, of which operations,
    /// and what the scenario calls it.
    #[must_use]
    pub fn named(&self) -> Vec<[TableCell; 3]> {
        let mut found: Vec<(String, String, Vec<&str>)> = Vec::new();
        for row in &self.rows {
            let people = &row.rules.scenarios.people;
            // Those who are declared have a list of their own.
            let is_declared = |set: &[(String, Json<'static>)]| {
                let mut set = set.iter();
                set.any(|(_, value)| people.place(first_text(value)).is_some())
            };
            for exchange in row.found.named.iter().filter(|it| !is_declared(&it.set)) {
                let name = exchange.scenario.as_deref().unwrap_or_default();
                let set = input_text(exchange);
                let id = row.operation.id.as_str();
                let known = |it: &&mut (String, String, Vec<&str>)| it.0 == name && it.1 == set;
                match found.iter_mut().find(known) {
                    Some((_, _, ids)) => ids.push(id),
                    None => found.push((name.to_owned(), set, vec![id])),
                }
            }
        }
        let found = found.into_iter().map(|(name, set, ids)| {
            let (set, ids) = (TableCell::code(set), TableCell::code(ids.join(", ")));
            [TableCell::text(name), set, ids]
        });
        found.collect()
    }

    /// The tables in Markdown, without those that are empty.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (operations, groups, named) = (self.table(), self.groups.table(), self.named());
        let mut tables = Vec::new();
        if !operations.is_empty() {
            tables.push(markdown_table(&self.columns(), &operations));
        }
        if !groups.is_empty() {
            let columns = GROUP_COLUMNS.map(str::to_owned);
            tables.push(markdown_table(&columns, &groups));
        }
        if !named.is_empty() {
            let columns = NAMED_COLUMNS.map(str::to_owned);
            tables.push(markdown_table(&columns, &named));
        }
        tables.join("\n")
    }
}

impl OperationDetails<'_> {
    /// The field that carries what an earlier step issued, else the first identifying one.
    fn field(&self) -> &str {
        let row = self.operation;
        let mut carried = row.identifiers();
        let carried = carried.find(|(_, field)| self.rules.contract.carries(row, field));
        let field = carried.or_else(|| row.identifiers().next());
        field.map_or("", |(_, field)| field.name.as_str())
    }

    /// The value of the first identifying field in the sample, or who issues it.
    fn sample(&self) -> TableCell {
        if let Some(issuer) = self.issuer {
            return TableCell::text(format!("from {issuer}"));
        }
        let sample = self.found.answered.first();
        let value = sample.and_then(|it| it.body.get(self.field()));
        value.map_or(TableCell::text(""), |value| {
            TableCell::code(short_text(value))
        })
    }

    /// What was set, without the field's name where that is the usual one.
    fn input(&self, exchange: Option<&Exchange>) -> TableCell {
        exchange.map_or(TableCell::text(""), |exchange| {
            TableCell::code(match exchange.set.as_slice() {
                [(name, value)] if name == self.field() => short_text(value),
                _ => input_text(exchange),
            })
        })
    }

    /// The example that waits for its result: one with an input of its own, or the sample.
    fn pending(&self) -> Option<&Exchange> {
        self.found.answered.iter().find(|it| it.is_pending())
    }

    fn with_status(&self, status: u16) -> Option<&Exchange> {
        self.found.failing.iter().find(|it| it.status == status)
    }

    fn cells(&self, statuses: &[u16]) -> Vec<TableCell> {
        let mut cells = vec![
            TableCell::code(&self.operation.id),
            TableCell::code(sample::path(self.operation)),
            TableCell::text(self.operation.price.to_string()),
            TableCell::text(latency(self.operation.latency)),
            TableCell::code(self.field()),
            self.sample(),
        ];
        let failing = statuses.iter().map(|status| self.with_status(*status));
        cells.extend(failing.map(|it| self.input(it)));
        cells.push(match self.pending() {
            Some(sample) if sample.set.is_empty() => self.sample(),
            other => self.input(other),
        });
        cells
    }

    fn head(&self) -> String {
        let row = self.operation;
        let latency = latency(row.latency);
        format!(
            "{}\n  {}: {} INR, {latency} ms\n",
            row.id, row.title, row.price
        )
    }

    fn path(&self) -> String {
        format!("POST {}", sample::path(self.operation))
    }

    fn paragraph(&self) -> String {
        let mut out = self.head();
        line(&mut out, "path", &self.path());
        let field = |field: &Field| match field.presence {
            Presence::Required => field.name.clone(),
            _ => format!("[{}]", field.name),
        };
        let fields: Vec<String> = self.operation.request.iter().map(field).collect();
        line(&mut out, "fields", &fields.join(" "));
        let sample = format!("{} {}", self.field(), self.sample().text);
        line(&mut out, "success", &sample);
        for exchange in &self.found.failing {
            line(
                &mut out,
                &exchange.status.to_string(),
                &input_text(exchange),
            );
        }
        if let Some(pending) = self.pending().filter(|it| !it.set.is_empty()) {
            line(&mut out, "pending", &input_text(pending));
        }
        for exchange in &self.found.named {
            let name = exchange.scenario.as_deref().unwrap_or_default();
            let named = format!("{} ({name})", input_text(exchange));
            line(&mut out, "success", &named);
        }
        out
    }

    fn details(&self) -> String {
        let mut out = self.head();
        line(&mut out, "path", &self.path());
        line(&mut out, "clause", &self.operation.clause);
        let limits = self.rules.contract.service.limits.iter();
        for limit in limits.filter(|limit| limit.applies_to == self.operation.id) {
            let limit = format!("{}: {}", limit.name, limit.value);
            line(&mut out, "limit", &limit);
        }
        out += "\nFields\n";
        for field in &self.operation.request {
            out += &field_line(&self.rules.contract, field);
        }
        out += "\nInputs\n";
        let OperationExamples {
            answered,
            failing,
            named,
            expected,
            full: _,
        } = &self.found;
        for exchange in answered.iter().chain(failing).chain(named) {
            let code = exchange.answer["error"]["code"].as_str();
            let outcome = code.or(exchange.answer["status"].as_str());
            let (status, outcome) = (exchange.status, outcome.unwrap_or_default());
            let name = exchange.scenario.as_deref().unwrap_or("the sample");
            let _ = writeln!(out, "  {status} {outcome} ({name})\n    {}", exchange.body);
        }
        // Whom a scenario names is listed with it.
        let is_listed = |it: &Exchange| named.iter().any(|known| known.body == it.body);
        for (name, exchange) in expected.iter().filter(|(_, it)| !is_listed(it)) {
            let (status, body) = (exchange.status, &exchange.body);
            let outcome = exchange.answer["status"].as_str().unwrap_or_default();
            let _ = writeln!(out, "  {status} {outcome} ({name})\n    {body}");
        }
        out += "\nScenarios, the first that holds decides\n";
        let scenarios = self.rules.scenarios.all().iter();
        for scenario in scenarios.filter(|it| it.operations.contains(&self.index)) {
            let (name, file, line) = (&scenario.name, &scenario.file, scenario.line);
            let _ = writeln!(out, "  \"{name}\" in {file}:{line}");
        }
        if let Some(issuer) = self.issuer {
            let field = self.field();
            let _ = writeln!(
                out,
                "\n{field} is what {issuer} issued to the same account."
            );
        }
        out
    }
}

fn line(out: &mut String, name: &str, value: &str) {
    let _ = writeln!(out, "  {name:<8} {value}");
}

fn latency(range: LatencyRange) -> String {
    match range.min_ms == range.max_ms {
        true => range.min_ms.to_string(),
        false => format!("{}-{}", range.min_ms, range.max_ms),
    }
}

/// The fields that were set, each with its value.
fn input_text(exchange: &Exchange) -> String {
    let one = |(name, value): &(String, Json<'static>)| format!("{name} {}", short_text(value));
    let set: Vec<String> = exchange.set.iter().map(one).collect();
    set.join(", ")
}

/// A value as it is shown: of a URL, whose host does not matter, the end.
fn short_text(value: &Json<'static>) -> String {
    let text = first_text(value);
    match text.split_once("://") {
        Some((_, rest)) => {
            let (_, end) = rest.rsplit_once('/').unwrap_or_default();
            format!("…/{end}")
        }
        None if text.is_empty() => value.to_string(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::ErrorCode;

    use super::*;
    use crate::engine::call::rules::Files;
    use crate::engine::state::ids::Seed;
    use crate::scenario::{self, read_accounts};

    /// What every operation must be able to end in, whatever is wrong with the call itself.
    const ENDINGS: [ErrorCode; 5] = [
        ErrorCode::NoRecordFound,
        ErrorCode::InternalError,
        ErrorCode::ProviderError,
        ErrorCode::SourceUnavailable,
        ErrorCode::SourceTimeout,
    ];

    #[test]
    fn every_operation_has_an_input_for_every_outcome() {
        let rules = Rules::read(&Files::built_in(), Seed::new("")).unwrap();
        let listing = list(&rules, &read_accounts(&scenario::accounts()).unwrap());
        for row in &listing.rows {
            let id = &row.operation.id;
            assert_eq!(row.found.answered[0].answer["success"], true, "{id}");
            for code in ENDINGS {
                let status = rules.contract.error(code).status;
                assert!(row.with_status(status).is_some(), "{id} {code}");
            }
            assert_eq!(
                row.pending().is_some(),
                row.operation.pending.is_some(),
                "{id}"
            );
            assert!(row.cells(&listing.statuses).len() == listing.columns().len());
        }
    }

    #[test]
    fn one_operation_is_found_by_id_and_by_path() {
        let rules = Rules::read(&Files::built_in(), Seed::new("")).unwrap();
        for name in ["verify.identity.pan", "/v1/verify/identity/pan"] {
            let listing = list(&rules, &read_accounts(&scenario::accounts()).unwrap());
            let details = listing.only(name).details();
            assert!(details.contains(r#"{"pan":"AAAAA9999A""#), "{details}");
            assert!(details.contains("422 SVC_NO_RECORD_FOUND"), "{details}");
        }
    }
}
