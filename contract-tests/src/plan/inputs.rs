//! Inputs whose outcome the specification fixes, read from `inputs.toml`.

use serde::Deserialize;
use svc_fixtures::contract::{Contract, ErrorCode, Field, Kind, Operation};

use super::{Ending, sample};

/// One such input.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The clause that fixes it.
    pub clause: String,
    /// The format of the field that gets the value.
    pub format: String,
    /// The value.
    pub value: String,
    /// Whether the field must be the operation's first identifying one.
    #[serde(default)]
    pub identifies: bool,
    /// Whether the step of a flow that is called with it does not count as done.
    #[serde(default)]
    pub refutes: bool,
    /// `completed`, or an error code.
    pub ends: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    input: Vec<Input>,
}

/// The inputs built into this crate.
///
/// # Panics
/// Never: a test reads them.
#[must_use]
pub fn built_in() -> Vec<Input> {
    let file: File =
        toml::from_str(include_str!("../../inputs.toml")).expect("a test reads this file");
    file.input
}

impl Input {
    /// The field of an operation that this input is for.
    #[must_use]
    pub fn field<'o>(&self, contract: &Contract, operation: &'o Operation) -> Option<&'o Field> {
        let fits = |field: &&Field| match &field.kind {
            Kind::Text {
                format: Some(format),
                ..
            } => contract.format(*format).name == self.format,
            _ => false,
        };
        match self.identifies {
            true => operation
                .identifiers()
                .next()
                .map(|(_, field)| field)
                .filter(fits),
            false => operation.request.iter().find(fits),
        }
    }

    /// How the operation ends with it; none where the file names a code that does not exist.
    #[must_use]
    pub fn ending(&self, operation: &Operation) -> Option<Ending> {
        match self.ends.as_str() {
            "completed" => Some(sample::success(operation)),
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
}
