//! `schema`: prints the JSON Schema of scenario files, for editors.

use svc_fixtures::contract::Contract;
use svc_fixtures::template::Answers;

use super::{Failure, terminal};
use crate::engine::compute;
use crate::engine::rules::Files;
use crate::scenario;

/// Runs the command.
pub(super) fn run() -> Result<(), Failure> {
    terminal::print(&text()?);
    Ok(())
}

/// The schema of the built-in contract, as it stands in a file.
pub(super) fn text() -> Result<String, Failure> {
    let files = Files::built_in();
    let contract = Contract::read(&files.contract)?;
    let answers = Answers::read(&files.answers, &contract, &compute::signatures())?;
    Ok(format!(
        "{:#}\n",
        scenario::schema(&contract, &answers.cast)
    ))
}
