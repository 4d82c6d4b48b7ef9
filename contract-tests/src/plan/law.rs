//! What a law asks and claims, as a request and a rule of a case.

use std::borrow::Cow;
use std::sync::LazyLock;

use svc_fixtures::contract::{Contract, Environment, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::pairs::{self, Ask, Claim};

use crate::capture::Exchange;

/// Why a case ends early whose list has no item to go on with: that is nobody's mistake.
pub const LEADS_NOWHERE: &str = "what was answered before leads nowhere";

/// A body that a law makes of what was drawn and answered before.
#[derive(Debug, Clone, PartialEq)]
pub struct LawBody {
    /// What is asked.
    pub ask: Ask,
    /// What is drawn is drawn from it.
    pub seed: u64,
    /// Which item of a list is meant by any.
    pub item: usize,
    /// What is known of whom the law begins with, in place of what would be drawn.
    pub known: Option<(String, String)>,
}

/// What a law says of the answers to a case.
#[derive(Debug, Clone, PartialEq)]
pub struct LawRule {
    /// What it says, for people.
    pub says: String,
    /// The same, as it is judged.
    pub claim: Claim,
    /// Which item of a list is meant by any.
    pub item: usize,
    /// Whether it is only remarkable that it does not hold.
    pub only_noted: bool,
}

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::built_in);

impl LawBody {
    /// The body, once the answers before it are known.
    ///
    /// # Errors
    /// Where they lead nowhere.
    pub(super) fn resolve(&self, earlier: &[Exchange]) -> Result<Json<'static>, String> {
        let mut state = self.seed;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let so_far = so_far(earlier, self.item);
        let body = self.ask.body(&CONTRACT, &so_far, &mut draw);
        let mut body = body.ok_or(LEADS_NOWHERE)?;
        if let Some((field, value)) = &self.known {
            body.set(field.clone(), value.clone().into());
        }
        Ok(body)
    }
}

/// What was asked and answered, as laws look at it.
#[must_use]
pub fn so_far(earlier: &[Exchange], item: usize) -> pairs::Exchange<'_> {
    let json = |bytes| Json::parse(bytes).unwrap_or(Json::Null);
    let answers = earlier.iter().map(Exchange::last);
    let answers = answers.map(|last| last.map_or(Json::Null, |last| json(&last.body)));
    pairs::Exchange {
        first: earlier.first().map(|first| json(&first.request.body)),
        answers: answers.map(Cow::Owned).collect(),
        item,
    }
}

/// The field that tells a service whom the law begins with, where anybody will do.
#[must_use]
pub fn begins_with<'c>(
    ask: &Ask,
    operation: &'c Operation,
) -> Option<&'c svc_fixtures::contract::Field> {
    let mut fields = operation.identifiers().map(|(_, field)| field);
    fields.find(|field| ask.draws_anybody(&field.name))
}

/// A number of its own for a text.
#[must_use]
pub fn seed_of(text: &str) -> u64 {
    let mixed = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mixed)
}

/// Where laws are asked.
pub const ASKED_AT: Environment = Environment::Test;
