//! A law, and what it sends.

use proptest::strategy::BoxedStrategy;
use svc_fixtures::contract::Operation;

use crate::plan::{Case, Setting};

/// What a law sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The calls of one account.
    pub case: Case,
    /// Calls of another account. Where there are such, the script is played twice: once alone, and
    /// once with each of these before one of its own. Nothing of its answers may differ.
    pub beside: Option<Case>,
}

impl Script {
    pub(super) fn new(case: Case) -> Self {
        Script { case, beside: None }
    }
}

/// A statement about all requests of some kind.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Its name.
    pub id: &'static str,
    /// What it says, for people.
    pub title: &'static str,
    /// What it is tried with.
    pub generator: Generator,
    /// How many scripts are tried where nobody asks for more, for each operation or in all.
    pub tries: u32,
}

/// What a law is tried with.
#[derive(Debug, Clone, Copy)]
pub enum Generator {
    /// Calls of each operation.
    PerOperation(fn(&Setting<'_>, &Operation) -> BoxedStrategy<Script>),
    /// Lives of an account.
    Histories(fn(&Setting<'_>) -> BoxedStrategy<Script>),
}
