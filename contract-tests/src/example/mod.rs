//! Examples: cases written by people, as data. Reads the files of `examples/` into cases, every
//! mistake at once; sends nothing and judges nothing. How they are written: `examples/README.md`.

mod call;
mod read;
mod target;
mod value;

use std::sync::Arc;

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::{Problems, Source, Table};

use crate::plan::Case;

/// The cases of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleFile {
    /// The name of the file, without its ending.
    pub name: String,
    /// Its cases, one for each environment they are asked in.
    pub cases: Vec<Case>,
}

/// Reads files of examples.
///
/// # Errors
/// Every mistake of every file.
pub fn read(contract: &Contract, sources: &[Arc<Source>]) -> Result<Vec<ExampleFile>, Problems> {
    let mut problems = Problems::default();
    let mut families = Vec::new();
    for source in sources {
        let (cases, found) = Table::of_source(source, |root| read::cases(root, contract));
        problems.extend(found);
        let file = source.path.rsplit('/').next().unwrap_or_default();
        let name = file.trim_end_matches(".toml").to_owned();
        families.push(ExampleFile { name, cases });
    }
    problems.or(families)
}
