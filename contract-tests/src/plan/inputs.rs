//! Inputs whose outcome the specification fixes, read from `inputs.toml`.

mod bundle_call;

use std::sync::{Arc, LazyLock};

use svc_fixtures::contract::{Contract, Environment, ErrorCode, Field, Operation};
use svc_fixtures::embedded;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Problems, Source, Table};

use super::expect::Ending;
use super::known::clause_ids;

/// How an input ends that is answered with a result.
pub(super) const COMPLETED: &str = "completed";

/// How one ends whose result may come later.
const PENDING: &str = "pending";

/// One such input.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The clause that fixes it.
    pub clause: String,
    /// Where it is fixed.
    pub environment: Environment,
    /// Which fields get the value.
    pub target: InputTarget,
    /// The value.
    pub value: String,
    /// What stands beside it: the IFSC of an account, the day of birth of a licence's holder.
    pub with: Vec<(String, Json<'static>)>,
    /// Whether the field must be the operation's first identifying one.
    pub identifies: bool,
    /// Whether the step of a flow that is called with it does not count as done.
    pub refutes: bool,
    /// `completed`, `pending`, or an error code.
    pub ends: String,
}

/// Which fields get a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputTarget {
    /// Those of a format, in every operation that has one.
    Format(String),
    /// One field of one operation.
    Field {
        /// The operation.
        operation: String,
        /// The field.
        name: String,
    },
    /// A whole call of a bundle, of which `with` is the body.
    Bundle {
        /// The bundle.
        slug: String,
        /// The path it has at the service.
        path: String,
    },
}

/// The built-in file.
pub const TEXT: &str = include_str!("../../inputs.toml");

static BUILT_IN: LazyLock<Vec<Input>> = LazyLock::new(|| {
    let read = read_built_in(&Contract::built_in());
    read.unwrap_or_else(|problems| panic!("the built-in inputs do not read:\n{problems}"))
});

/// Reads the built-in file by these rows. One of somebody's own folder of rows is in its place.
///
/// # Errors
/// Every mistake, where the rows are others than the built-in ones.
pub(crate) fn read_built_in(contract: &Contract) -> Result<Vec<Input>, Problems> {
    let built_in = || Source::new("contract-tests/inputs.toml", TEXT);
    let source = embedded::overlaid("inputs.toml").unwrap_or_else(built_in);
    read(contract, &source, &[])
}

/// The inputs built into this crate.
///
/// # Panics
/// Never: a test reads them.
#[must_use]
pub fn built_in() -> Vec<Input> {
    BUILT_IN.clone()
}

/// The inputs of a file, such as those that a sandbox fixes beside the specification's. `known` are
/// those that there are already.
///
/// # Errors
/// Every mistake of the file.
pub fn read(
    contract: &Contract,
    source: &Arc<Source>,
    known: &[Input],
) -> Result<Vec<Input>, Problems> {
    let (inputs, problems) = Table::of_source(source, |root| {
        let (mut inputs, mut rows) = (Vec::new(), 0);
        for table in root.tables("input") {
            rows += 1;
            let input = one(contract, &table, known, &inputs);
            table.done();
            inputs.extend(input);
        }
        for table in root.tables("bundle") {
            rows += 1;
            let call = bundle_call::read(contract, &table);
            table.done();
            inputs.extend(call);
        }
        if rows == 0 && root.is_intact() {
            root.lacks("there is no `[[input]]` and no `[[bundle]]` here");
        }
        inputs
    });
    problems.or(inputs)
}

fn one(contract: &Contract, table: &Table<'_>, known: &[Input], before: &[Input]) -> Option<Input> {
    let clause = table.optional("clause");
    let target = target(contract, table);
    let environment = environment(table);
    let value = table.required("value");
    let ends = table.required("ends");
    let (identifies, refutes) = (table.flag("identifies"), table.flag("refutes"));
    let with = beside(contract, table);
    let (value, ends) = (value?, ends?);
    let named = match &clause {
        Some(clause) => clause.text()?.to_owned(),
        None => clause_of(contract, ends.text()?),
    };
    let input = Input {
        clause: named,
        environment,
        target: target?,
        value: value.text()?.to_owned(),
        with,
        identifies,
        refutes,
        ends: ends.text()?.to_owned(),
    };
    if let Some(clause) = &clause {
        super::known(clause, "the clause", clause_ids(contract));
    }
    let fields: Vec<_> = input.fields(contract).collect();
    if fields.is_empty() && is_known(contract, &input.target) {
        table.problem("no operation has such a field: nothing would be asked");
    }
    let broken = |field: &Field| {
        contract
            .format_of(&field.kind)
            .filter(|row| !row.fits(&input.value))
    };
    if let (COMPLETED, Some(row)) = (input.ends.as_str(), fields.into_iter().find_map(broken)) {
        let what = format!("this is no `{}`: it cannot be completed", row.name);
        value.problem(what);
    }
    ending_is_known(contract, &ends, &input.ends);
    let same = |other: &&Input| other.overlaps(contract, &input);
    if before.iter().any(|other| same(&other)) {
        value.problem_with_hint("this input is there already", "an input is fixed once");
    }
    let mut fixed = known.iter().filter(same);
    let Some(first) = fixed.next() else {
        return Some(input);
    };
    // Whoever repeats what the specification says is right.
    if !std::iter::once(first)
        .chain(fixed)
        .all(|fixed| fixed.ends == input.ends && input.with.is_empty())
    {
        value.problem_with_hint(
            "the specification fixes this input",
            format!(
                "it ends with `{}`: take the row out, or what stands beside it",
                first.ends
            ),
        );
    }
    None
}

/// How it ends is `completed`, `pending` or a code.
pub(super) fn ending_is_known(contract: &Contract, item: &Item<'_>, ends: &str) {
    let word = [COMPLETED, PENDING].contains(&ends);
    if !word && ErrorCode::parse(ends).is_none() {
        let codes = contract.errors.iter().map(|row| row.code.as_str());
        item.unknown("the ending", ends, codes.chain([COMPLETED, PENDING]));
    }
}

/// The clause that an input shows which names none: what the specification says of its ending.
pub(super) fn clause_of(contract: &Contract, ends: &str) -> String {
    let code = ErrorCode::parse(ends).map(|code| contract.error(code).clause.clone());
    let said = if ends == PENDING {
        "states.pending"
    } else {
        "states.completed"
    };
    code.unwrap_or_else(|| said.to_owned())
}

/// What `with` says of other fields of the same operation.
fn beside(contract: &Contract, table: &Table<'_>) -> Vec<(String, Json<'static>)> {
    let Some(given) = table.optional("with") else {
        return Vec::new();
    };
    let operation = table.optional_text("operation");
    let Some(row) = operation.and_then(|id| contract.operation(id)) else {
        given.problem("which fields stand beside it can only be said of one `operation`");
        return Vec::new();
    };
    let entries = given.table().map_or_else(Vec::new, |it| it.entries());
    let one = |(name, item): (&str, Item<'_>)| {
        let Some(field) = row.request.iter().find(|field| field.name == name) else {
            let names = row.request.iter().map(|field| field.name.as_str());
            item.unknown("the field", name, names);
            return None;
        };
        let value = item.json_or_problem()?;
        Some((field.name.clone(), value))
    };
    entries.into_iter().filter_map(one).collect()
}

/// `format`, or `operation` and `field`.
fn target(contract: &Contract, table: &Table<'_>) -> Option<InputTarget> {
    let Some(operation) = table.optional("operation") else {
        let format = table.required("format")?;
        let formats = contract.formats.iter().map(|format| format.name.as_str());
        super::known(&format, "the format", formats);
        return Some(InputTarget::Format(format.text()?.to_owned()));
    };
    let field = table.required("field");
    if operation
        .text()
        .is_some_and(|id| id.starts_with("bundles."))
    {
        let hint = "its calls have a table of their own: `[[bundle]]` with `bundle`, `path`, `body`, `ends`";
        operation.problem_with_hint("a bundle is no operation", hint);
        return None;
    }
    let field = field?;
    let ids = contract.operations.iter().map(|row| row.id.as_str());
    let id = super::known(&operation, "the operation", ids)?;
    let names = contract.operation(id)?.request.iter();
    let name = super::known(&field, "the field", names.map(|row| row.name.as_str()))?;
    Some(InputTarget::Field {
        operation: id.to_owned(),
        name: name.to_owned(),
    })
}

/// Whether there is such a format; which operations and fields there are is known from the start.
fn is_known(contract: &Contract, target: &InputTarget) -> bool {
    match target {
        InputTarget::Format(name) => contract.formats.iter().any(|row| row.name == *name),
        InputTarget::Field { .. } | InputTarget::Bundle { .. } => true,
    }
}

pub(super) fn environment(table: &Table<'_>) -> Environment {
    let all = Environment::ALL.map(Environment::as_str);
    let given = table.optional("environment");
    let given = given.and_then(|item| super::known(&item, "the environment", all.into_iter()));
    match given {
        Some("live") => Environment::Live,
        _ => Environment::Test,
    }
}

impl Input {
    /// Whether it is for a field of just this operation.
    #[must_use]
    pub fn names(&self, called: &Operation) -> bool {
        matches!(&self.target, InputTarget::Field { operation, .. } if *operation == called.id)
    }

    /// The field of an operation that this input is for.
    #[must_use]
    pub fn field<'o>(&self, contract: &Contract, operation: &'o Operation) -> Option<&'o Field> {
        let fits = |field: &&Field| match &self.target {
            InputTarget::Format(name) => {
                let own = contract.format_of(&field.kind);
                own.is_some_and(|own| own.name == *name)
            }
            InputTarget::Field {
                operation: id,
                name,
            } => operation.id == *id && field.name == *name,
            InputTarget::Bundle { .. } => false,
        };
        match self.identifies {
            true => {
                let (_, field) = operation.identifiers().next()?;
                Some(field).filter(fits)
            }
            false => operation.request.iter().find(fits),
        }
    }

    /// Whether it is a call of this bundle that completes there.
    #[must_use]
    pub fn completes_bundle(&self, bundle: &str, environment: Environment) -> bool {
        let InputTarget::Bundle { slug, .. } = &self.target else {
            return false;
        };
        let here = slug == bundle && self.environment == environment;
        here && self.ends == COMPLETED
    }

    /// Whether its result may come later.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.ends == PENDING
    }

    /// Whether both give some operation the same value in the same field.
    #[must_use]
    pub fn overlaps(&self, contract: &Contract, other: &Input) -> bool {
        let mut operations = contract.operations.iter();
        let alike = (self.environment, &self.value) == (other.environment, &other.value);
        alike
            && operations.any(|operation| {
                let name = |it: &Input| Some(it.field(contract, operation)?.name.clone());
                name(self).is_some_and(|own| name(other) == Some(own))
            })
    }

    /// Whether it is a service's own, whose people the checks call for samples.
    pub(super) fn is_sample(&self) -> bool {
        let here = self.environment == Environment::Test && self.ends == COMPLETED;
        here && !self.refutes && !BUILT_IN.contains(self)
    }

    /// Every field that it is for.
    fn fields<'c>(&self, contract: &'c Contract) -> impl Iterator<Item = &'c Field> {
        let operations = contract.operations.iter();
        operations.filter_map(move |operation| self.field(contract, operation))
    }

    /// How the operation ends with it; none where the file names a code that does not exist. What may come later may be there
    /// at once: that a source keeps somebody waiting nobody says.
    #[must_use]
    pub fn ending(&self, operation: &Operation) -> Option<Ending> {
        match self.ends.as_str() {
            COMPLETED => Some(Ending::success(operation)),
            PENDING => Some(Ending::CompletedOrPending),
            _ => self.ending_of_bundle(),
        }
    }

    /// The same of a bundle.
    #[must_use]
    pub fn ending_of_bundle(&self) -> Option<Ending> {
        match self.ends.as_str() {
            COMPLETED => Some(Ending::Completed),
            // Nor that all of several sources answer in the end.
            PENDING => Some(Ending::NoFaultBut(ErrorCode::SourceTimeout)),
            code => ErrorCode::parse(code).map(Ending::Error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_names_a_clause_and_an_ending_there_is() {
        let contract = Contract::built_in();
        let operation = &contract.operations[0];
        for input in built_in() {
            assert!(
                contract
                    .clauses
                    .iter()
                    .any(|clause| clause.id == input.clause),
                "{input:?}"
            );
            assert!(input.ending(operation).is_some(), "{input:?}");
        }
    }

    fn mistakes(text: &str) -> String {
        let source = Source::new("mine.toml", text);
        match read(&Contract::built_in(), &source, &built_in()) {
            Ok(inputs) => format!("{} read", inputs.len()),
            Err(problems) => problems.to_string(),
        }
    }

    #[test]
    fn a_sandbox_s_own_input_is_read() {
        let text = "[[input]]\nclause = \"sandbox.deterministic\"\nformat = \"pan\"\n\
                    value = \"ABCDE1234F\"\nidentifies = true\nends = \"SVC_SOURCE_TIMEOUT\"\n";
        assert_eq!(mistakes(text), "1 read");
    }

    #[test]
    fn an_input_of_one_operation_on_live_is_that_of_no_other() {
        let text = "[[input]]\nclause = \"states.completed\"\nenvironment = \"live\"\n\
                    operation = \"screen.negative-diligence\"\nfield = \"name\"\n\
                    value = \"ASHA RAO\"\nends = \"completed\"\n";
        let (contract, source) = (Contract::built_in(), Source::new("mine.toml", text));
        let Ok(read) = read(&contract, &source, &built_in()) else {
            panic!("{}", mistakes(text))
        };
        assert_eq!(read[0].environment, Environment::Live);
        assert_eq!(read[0].fields(&contract).count(), 1);
        let unknown = text.replace("screen.negative-diligence", "screen.negativ-diligence");
        assert!(mistakes(&unknown).contains("did you mean `screen.negative-diligence`"));
        let nowhere = text.replace("\"live\"", "\"production\"");
        assert!(mistakes(&nowhere).contains("the environment `production` is not known"));
    }

    #[test]
    fn what_the_specification_fixes_may_be_repeated_and_no_row_stands_twice() {
        let row = "[[input]]\noperation = \"screen.mobile-silent\"\nfield = \"mobile\"\n\
                   value = \"9000000001\"\nends = \"completed\"\n";
        let source = Source::new("mine.toml", row);
        let read = read(&Contract::built_in(), &source, &built_in());
        assert!(read.is_ok_and(|inputs| inputs.is_empty()));
        let other = row.replace("9000000001", "9812345678");
        let twice = mistakes(&format!("{other}{other}"));
        assert!(twice.contains("this input is there already"), "{twice}");
    }

    #[test]
    fn every_mistake_is_reported_with_its_line_and_a_hint() {
        let text = "[[input]]\nclause = \"sandbox.pan-succes\"\nformat = \"pann\"\n\
                    value = \"ABCDE1234F\"\nend = \"completed\"\nends = \"SVC_NO_RECORD\"\n\
                    \n[[input]]\nclause = \"sandbox.pan-success\"\nformat = \"pan\"\n\
                    value = \"AAAAA0000A\"\nends = \"SVC_NO_RECORD_FOUND\"\n";
        insta::assert_snapshot!(mistakes(text), @r#"
        error: the clause `sandbox.pan-succes` is not known
         --> mine.toml:2:10
          |
        2 | clause = "sandbox.pan-succes"
          |          ^^^^^^^^^^^^^^^^^^^^
          |
          = help: did you mean `sandbox.pan-success`?

        error: the format `pann` is not known
         --> mine.toml:3:10
          |
        3 | format = "pann"
          |          ^^^^^^
          |
          = help: did you mean `pan`?

        error: `end` is not known here
         --> mine.toml:5:1
          |
        5 | end = "completed"
          | ^^^
          |
          = help: did you mean `ends`?

        error: the ending `SVC_NO_RECORD` is not known
         --> mine.toml:6:8
          |
        6 | ends = "SVC_NO_RECORD"
          |        ^^^^^^^^^^^^^^^
          |
          = help: did you mean `SVC_NO_RECORD_FOUND`?

        error: the specification fixes this input
          --> mine.toml:11:9
           |
        11 | value = "AAAAA0000A"
           |         ^^^^^^^^^^^^
           |
           = help: it ends with `completed`: take the row out, or what stands beside it

        5 mistakes found
        "#);
    }

    #[test]
    fn a_file_without_inputs_is_a_mistake() {
        assert!(
            mistakes("# nothing\n").contains("there is no `[[input]]` and no `[[bundle]]` here")
        );
    }
}
