//! `openapi`: prints the OpenAPI document of the built-in contract.

use super::failure::Failure;
use super::terminal;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::{ListenerAddresses, openapi};
use crate::scenario::read_accounts;
use crate::simulator::files;

/// Runs the command.
pub(super) fn run() -> Result<(), Failure> {
    let files = files::read(&[])?;
    let rules = Rules::read(&files.rules, Seed::new(""))?;
    let accounts = read_accounts(&files.accounts)?;
    let document = openapi::document(&rules, &accounts, &ListenerAddresses::DEFAULT.urls());
    terminal::print(&openapi::print(&document))
}
