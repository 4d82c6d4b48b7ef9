//! `--contract`: rows that are laid over the built-in ones, before any of them is read.

use std::path::Path;

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded::{self, LAID_OVER};
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;

use super::failure::Failure;
use super::terminal;
use crate::engine::compute;
use crate::scenario::leave_out_unfit;
use crate::simulator::files::{source, toml_files_of};
use crate::world::World;

/// Lays the rows of a folder over the built-in ones: its `contract/`, `answers/` and `world/`, or those of a
/// `fixtures/` in it, as a checkout has them.
pub(super) fn lay_over(folder: &Path) -> Result<(), Failure> {
    let refused = |why: &dyn std::fmt::Display| {
        Failure::Usage(format!("--contract {}: {why}", folder.display()))
    };
    let root = folder.join("fixtures");
    let root = if root.is_dir() {
        root
    } else {
        folder.to_owned()
    };
    let mut files = Vec::new();
    for name in LAID_OVER {
        let below = root.join(name);
        if !below.is_dir() {
            continue;
        }
        let found = toml_files_of(&below).map_err(|error| refused(&error))?;
        for path in found {
            let rest = path.strip_prefix(&root).unwrap_or(&path);
            let parts: Vec<_> = rest.iter().map(|part| part.to_string_lossy()).collect();
            let read = source(&path).map_err(|error| refused(&error))?;
            files.push((parts.join("/"), read));
        }
    }
    if files.is_empty() {
        let names = LAID_OVER.map(|name| format!("{name}/")).join(", ");
        return Err(refused(&format!(
            "no TOML file is in {names} of it or of its fixtures/: give the folder that holds them, with the paths they \
             have below fixtures/"
        )));
    }
    embedded::lay_over(files).map_err(|mistake| refused(&mistake))?;
    let contract = Contract::read(&embedded::contract())?;
    let rows = WorldRows::read(&embedded::world())?;
    World::new(&rows).map_err(|mistake| refused(&format!("world: {mistake}")))?;
    let answers = Answers::read(
        &embedded::answers(),
        &contract,
        &compute::signatures(),
        &rows,
    )?;
    for problem in leave_out_unfit(&contract, &answers) {
        terminal::error(&format!(
            "left out: the built-in rule at {}:{}, with these rows: {}",
            problem.path(),
            problem.line(),
            problem.message()
        ))?;
    }
    Ok(())
}
