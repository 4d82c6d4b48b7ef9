//! Reading scenario files: every mistake of every file at once.

mod answers;
mod declared_forms;
pub(crate) mod faults;
pub(crate) mod fitting;
mod impossible;
mod known_as;
mod links;
pub(crate) mod outcomes;
pub(crate) mod patches;
pub(crate) mod people;
pub(crate) mod predicates;
pub(crate) mod when;

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use svc_fixtures::contract::{Contract, Environment, ErrorCode, OperationIndex};
use svc_fixtures::reading::{Item, Problems, Source, Table};
use svc_fixtures::template::Answers;

use super::answer_form::AnswerForm;
use super::expression::ExpressionCompiler;
use super::people::People;
use super::set::ScenarioSet;
use super::{Condition, Predicate, ResponsePatch, Scenario, Selector, folder};
use fitting::FormatAutomata;
use outcomes::outcomes;
use people::{Cast, Declared, DeclaringFiles};
use predicates::{for_case, names_case};
pub(crate) use when::refuse_header;
use when::{When, has};

/// Reads scenario files. Earlier files come first; within a file the first rule that holds wins.
/// `answers` are what scenarios change, and whom they speak of: files may declare others who play these
/// roles, for all files of their folder.
///
/// # Errors
/// Every mistake of every file.
pub fn read_scenarios(
    contract: &Contract,
    answers: &Answers,
    sources: &[Arc<Source>],
) -> Result<ScenarioSet, Problems> {
    let cast = Cast::in_answers(contract, answers);
    let tables: Vec<&str> = answers.cast.keys().map(String::as_str).collect();
    let declaring = DeclaringFiles::among(sources, &tables);
    let files = declaring.parsed(sources, &tables);
    let (people, mut problems) = cast.read(&files);
    let mut reader = Reader {
        contract,
        answers,
        scenarios: Vec::new(),
        patches: Vec::new(),
        expressions: RefCell::default(),
        formats: RefCell::default(),
        names: Names::default(),
        file: "".into(),
        order: 0,
    };
    let mut form = AnswerForm::default();
    for file in &files {
        let around = people.around(file.source());
        let ((), found) = file.read(|root| {
            // Who is declared was read before, and what is expected decides nothing.
            for read_elsewhere in tables.iter().chain(&["expect"]) {
                root.optional(read_elsewhere);
            }
            if root.is_intact() {
                report_misplaced(root);
            }
            if let Some(table) = root.optional("answers").and_then(|it| it.table()) {
                answers::add(&mut form, &table);
            }
            for table in root.tables("scenario") {
                reader.scenario(&table, around);
                table.done();
            }
        });
        problems.extend(found);
    }
    let Reader {
        scenarios,
        patches,
        order,
        ..
    } = reader;
    let scenarios = in_order(scenarios, order);
    let people = People::new(people.profiles);
    problems
        .or(())
        .map(|()| ScenarioSet::new(contract, scenarios, patches, people, form))
}

/// Reports what stands at the top of a file and belongs elsewhere.
fn report_misplaced(root: &Table<'_>) {
    for name in ["when", "then", "cases"] {
        if let Some(item) = root.optional(name) {
            item.problem_with_hint(
                format!("`{name}` is a rule's own"),
                format!("write `[scenario.{name}]` below the `[[scenario]]` that it belongs to"),
            );
        }
    }
    if let Some(item) = root.optional("account") {
        item.problem_with_hint(
            "accounts stand in a file of their own",
            "move it to `accounts.toml` of this folder",
        );
    }
}

/// The rules in the order they are asked in: what an input gets that no other rule names stands behind them all, also
/// behind those of the files that come later. `count` is how many there are.
fn in_order(mut scenarios: Vec<Scenario>, count: usize) -> Vec<Scenario> {
    for scenario in scenarios.iter_mut().filter(|it| it.otherwise) {
        scenario.order += count;
    }
    scenarios.sort_by_key(|scenario| scenario.order);
    scenarios
}

/// What an outcome must fit.
struct Scope<'c> {
    contract: &'c Contract,
    /// The answers that it changes.
    answers: &'c Answers,
    /// The operations the scenario is for.
    operations: &'c [OperationIndex],
    /// What must hold of a call.
    conditions: &'c [Condition],
}

/// The items of a list, or the one item that stands in its place.
pub(crate) fn one_or_more<'t>(item: &Item<'t>) -> Vec<Item<'t>> {
    match item.is_list() {
        true => item.list().unwrap_or_default(),
        false => vec![item.clone()],
    }
}

/// The word for a value.
pub(crate) fn written<T: PartialEq>(known: &[(&'static str, T)], value: T) -> &'static str {
    let found = known.iter().find(|(_, meaning)| *meaning == value);
    found.map_or("", |(word, _)| word)
}

/// `test` or `live`.
pub(crate) fn environment(item: &Item<'_>) -> Option<Environment> {
    let known = Environment::ALL.map(|it| (it.as_str(), it));
    item.one_of("the environment", known)
}

/// The code of an error.
pub(crate) fn error_code(item: &Item<'_>) -> Option<ErrorCode> {
    item.one_of("the error code", ErrorCode::by_name())
}

/// Where each name of a folder was used first.
#[derive(Default)]
pub(crate) struct Names(BTreeMap<(String, String), String>);

impl Names {
    /// The name that a table gives; a problem where its folder has it already.
    pub(crate) fn read<'t>(&mut self, table: &Table<'t>) -> Option<&'t str> {
        let item = table.required("name")?;
        let name = item.text()?;
        if name.trim().is_empty() {
            item.problem("a name has letters: the call log says which rule decided by it");
        }
        let key = (folder(&table.source().path).to_owned(), name.to_owned());
        match self.0.entry(key) {
            Entry::Occupied(first) => {
                let first = first.get();
                item.problem(format!("the name \"{name}\" was used before, at {first}"));
            }
            Entry::Vacant(new) => {
                new.insert(table.location().to_string());
            }
        }
        Some(name)
    }
}

struct Reader<'c> {
    contract: &'c Contract,
    answers: &'c Answers,
    scenarios: Vec<Scenario>,
    patches: Vec<ResponsePatch>,
    expressions: RefCell<ExpressionCompiler>,
    formats: RefCell<FormatAutomata>,
    names: Names,
    /// The file of the rule before, which most rules share.
    file: Arc<str>,
    order: usize,
}

impl Reader<'_> {
    /// Reads a rule; `people` is who can be spoken of in its file.
    fn scenario(&mut self, table: &Table<'_>, people: &Declared) {
        let place = table.location();
        let name = self.names.read(table).unwrap_or_default();
        let operations = self.operations(table).unwrap_or_default();
        let before_format = table.flag("before_format");
        let otherwise = table.flag("otherwise");
        let reader = When {
            contract: self.contract,
            operations: &operations,
            people,
            expressions: &self.expressions,
            formats: &self.formats,
            has_cases: table.optional("cases").is_some(),
            before_format,
        };
        let when = table.optional("when").and_then(|item| item.table());
        let conditions = when.map_or_else(Vec::new, |when| reader.read(&when));
        report_before_format(table, &conditions, before_format);
        report_otherwise(table, otherwise && before_format);
        let start_over = table.flag("start_over");
        let fall_through = table.flag("fall_through");
        report_fall_through(table, fall_through);
        report_additions(table, before_format);
        let order = self.order;
        self.order += 1;
        let thens = self.thens(table);
        report_equal_cases(table, &conditions, thens.len());
        if start_over {
            report_single_outcome(table, &thens);
        }
        for (case, then) in thens {
            let operations = self.fitting(table, &operations, &conditions, &then, case.is_some());
            let conditions: Vec<Condition> = conditions
                .iter()
                .map(|condition| for_case(condition, case.as_deref()))
                .collect();
            let scope = Scope {
                contract: self.contract,
                answers: self.answers,
                operations: &operations,
                conditions: &conditions,
            };
            let then = outcomes(&scope, &then, &mut self.patches);
            let name: Arc<str> = match &case {
                Some(case) => format!("{name}: {case}").into(),
                None => name.into(),
            };
            let because = format!("scenario \"{name}\" ({place})").into();
            let file = self.file(&table.source().path);
            self.scenarios.push(Scenario {
                name,
                because,
                file,
                line: table.line(),
                order,
                operations: operations.into(),
                conditions: conditions.into(),
                before_format,
                otherwise,
                then: then.into(),
                start_over,
                fall_through,
            });
        }
    }

    /// The path of a file.
    fn file(&mut self, path: &str) -> Arc<str> {
        if *self.file != *path {
            self.file = path.into();
        }
        Arc::clone(&self.file)
    }

    /// The operations of an id, a prefix ending in `.*`, or `*`.
    fn operations(&self, table: &Table<'_>) -> Option<Vec<OperationIndex>> {
        let item = table.required("operation")?;
        let text = item.text()?;
        let matching = |id: &str| match text.strip_suffix('*') {
            Some(prefix) => (prefix.is_empty() || prefix.ends_with('.')) && id.starts_with(prefix),
            None => id == text,
        };
        let rows = self.contract.indexed_operations();
        let found = rows.filter(|(_, row)| matching(&row.id));
        let found: Vec<OperationIndex> = found.map(|(index, _)| index).collect();
        if found.is_empty() && text.ends_with('*') {
            let prefixes = prefixes(self.contract);
            item.unknown("the prefix", text, prefixes.iter().map(String::as_str));
        } else if found.is_empty() {
            unknown_operation(&item, text, self.contract);
        }
        Some(found)
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
                if cases.is_empty() {
                    table.problem("`cases` without a case says nothing: write one outcome a case");
                }
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
                table.lacks("`then` is missing: write `then = { success = {} }`, an error, or what is to happen");
                Vec::new()
            }
        }
    }

    /// Of the operations a prefix names, those whose fields the conditions look at and that can
    /// end so. An operation named in full is kept, so that what does not fit it is reported.
    fn fitting(
        &self,
        table: &Table<'_>,
        operations: &[OperationIndex],
        conditions: &[Condition],
        then: &Item<'_>,
        is_case: bool,
    ) -> Vec<OperationIndex> {
        if operations.len() == 1 && !is_case {
            return operations.to_vec();
        }
        let pending = then
            .if_table()
            .is_some_and(|then| then.optional("pending").is_some());
        let fits = |index: &&OperationIndex| {
            let row = &self.contract.operations[**index];
            conditions
                .iter()
                .all(|condition| has(row, &condition.selector))
                && (!pending || row.pending.is_some())
        };
        let fitting: Vec<OperationIndex> = operations.iter().filter(fits).copied().collect();
        if fitting.is_empty() && !operations.is_empty() {
            table.problem("none of these operations has all these fields and can end so");
        }
        fitting
    }
}

/// Reports an operation that there is not. A bundle is none: whoever names one means its steps.
pub(crate) fn unknown_operation(item: &Item<'_>, id: &str, contract: &Contract) {
    let mut bundles = contract.bundles.iter();
    if let Some(bundle) = bundles.find(|bundle| bundle.endpoint() == id) {
        item.problem_with_hint(
            format!("`{id}` is a bundle, and what it answers is what its steps get"),
            format!(
                "write one for each step that is meant: {}",
                bundle.steps.join(", ")
            ),
        );
        return;
    }
    let ids = contract.operations.iter().map(|row| row.id.as_str());
    item.unknown("the operation", id, ids);
}

/// What stands for several operations: every beginning of an id, and all.
pub(crate) fn prefixes(contract: &Contract) -> BTreeSet<String> {
    let mut found = BTreeSet::from(["*".to_owned()]);
    for row in &contract.operations {
        let dots = row.id.match_indices('.');
        found.extend(dots.map(|(at, _)| format!("{}.*", &row.id[..at])));
    }
    found
}

/// Reports cases that no input tells apart: the first would always win.
fn report_equal_cases(table: &Table<'_>, conditions: &[Condition], count: usize) {
    if let (Some(cases), true) = (table.optional("cases"), count > 1)
        && !conditions.iter().any(names_case)
    {
        cases.problem_with_hint(
            "nothing tells these cases apart: the first would always win",
            "write `{case}` in a text of `when`, where the name of the case is to stand",
        );
    }
}

/// Reports a rule that is to be asked before the formats and does not say what any identifier contains.
fn report_before_format(table: &Table<'_>, conditions: &[Condition], before_format: bool) {
    let fits = |condition: &Condition| {
        let contains = matches!(condition.predicate, Predicate::Contains(_));
        contains && condition.selector == Selector::AnyIdentifier
    };
    if let Some(item) = table.optional("before_format")
        && before_format
        && (conditions.len() != 1 || !conditions.iter().all(fits))
    {
        item.problem_with_hint(
            "what is asked before the formats are says what any identifier contains, and no more",
            "write `when = { any_identifier = { contains = \"…\" } }`, or leave `before_format` out",
        );
    }
}

/// Reports a rule that is to be asked before all others and after them.
fn report_otherwise(table: &Table<'_>, both: bool) {
    if let Some(item) = table.optional("otherwise").filter(|_| both) {
        item.problem_with_hint(
            "a rule is asked before all others or after them",
            "leave `before_format` or `otherwise` out",
        );
    }
}

/// Reports a rule that is to end after its last outcome, and never can.
fn report_fall_through(table: &Table<'_>, fall_through: bool) {
    let Some(item) = table.optional("fall_through").filter(|_| fall_through) else {
        return;
    };
    for (other, why) in [
        (
            "start_over",
            "a sequence begins again after its last outcome or ends with it",
        ),
        (
            "before_format",
            "what fits no format gets nothing from other rules",
        ),
    ] {
        if table.flag(other) {
            item.problem_with_hint(why, format!("leave `{other}` or `fall_through` out"));
        }
    }
}

/// Reports an outcome that is left to other rules, of a rule for what fits no format.
fn report_additions(table: &Table<'_>, before_format: bool) {
    let then = table.optional("then").filter(|_| before_format);
    for then in then.iter().flat_map(one_or_more) {
        let Some(outcome) = then.if_table() else {
            continue;
        };
        let ends = ["success", "error", "pending"];
        if !ends.iter().any(|name| outcome.optional(name).is_some()) {
            then.problem_with_hint(
                "what fits no format gets nothing from other rules",
                "write `error`, `success` or `pending`, too",
            );
        }
    }
}

/// Reports what is to start over and is no sequence.
fn report_single_outcome(table: &Table<'_>, thens: &[(Option<String>, Item<'_>)]) {
    let is_sequence = |then: &Item<'_>| {
        let steps = if then.is_list() { then.list() } else { None };
        steps.is_some_and(|steps| steps.len() != 1)
    };
    if let Some(item) = table.optional("start_over")
        && !thens.is_empty()
        && !thens.iter().any(|(_, then)| is_sequence(then))
    {
        item.problem_with_hint(
            "there is one outcome only: nothing starts over",
            "write a list of outcomes, or leave `start_over` out",
        );
    }
}
