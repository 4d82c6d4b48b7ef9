//! Reading the parts of an answer that an `[[expect]]` block names.

use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Location};

use crate::scenario::WireFault;
use crate::scenario::read::error_code;
use crate::scenario::read::faults::{WORDS, wire_fault};

/// Parts of an answer.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Where they stand.
    pub place: Location,
    /// The HTTP status.
    pub http: Option<u16>,
    /// What a client sees of the answer.
    pub wire: Option<OnTheWire>,
    /// The name of the scenario that decides.
    pub because: Option<String>,
    /// Members of the envelope, with the parts of them that count.
    pub members: Json<'static>,
    /// Members that must not be there, as dotted paths.
    pub absent: Vec<String>,
}

/// What a client sees of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTheWire {
    /// All of it.
    Intact,
    /// What this leaves of it.
    Broken(WireFault),
}

/// The members of the envelope that an expectation may look at.
pub(super) const MEMBERS: [&str; 9] = [
    "success",
    "status",
    "endpoint",
    "referenceId",
    "verificationId",
    "data",
    "error",
    "billing",
    "meta",
];

/// That an answer arrives as it should.
const INTACT: &str = "none";

/// How an envelope can stand.
pub(super) const STATUSES: [&str; 3] = ["completed", "failed", "pending"];

pub(super) fn expected(item: &Item<'_>) -> Option<Expected> {
    let table = item.table()?;
    let place = table.location();
    let http = table.optional("http").and_then(|item| http_status(&item));
    let wire = table.optional("wire").and_then(|item| on_the_wire(&item));
    let because = table.optional_text("because").map(str::to_owned);
    let absent = table.texts("absent").into_iter().map(str::to_owned);
    let absent: Vec<String> = absent.collect();
    let mut members = Vec::new();
    for name in MEMBERS {
        let Some(item) = table.optional(name) else {
            continue;
        };
        let value = match (name, item.if_text()) {
            // A code alone stands for the error object with this code.
            ("error", Some(code)) => {
                error_code(&item).map(|_| Json::Object(vec![("code".into(), Json::from(code))]))
            }
            _ => item.json_or_problem(),
        };
        if name == "status" && item.if_text().is_some() {
            item.name("the status", STATUSES);
        }
        members.extend(value.map(|value| (name.into(), value)));
    }
    table.done();
    // A part with a mistake was reported already.
    if table.entries().is_empty() {
        table.lacks("this expects nothing: name a part of the answer, such as `status`");
    }
    Some(Expected {
        place,
        http,
        wire,
        because,
        members: Json::Object(members),
        absent,
    })
}

/// A wire fault as rules write it, or that there is none.
fn on_the_wire(item: &Item<'_>) -> Option<OnTheWire> {
    if item.if_text().is_some() {
        let known = WORDS.map(|(word, fault)| (word, OnTheWire::Broken(fault)));
        let known = known.into_iter().chain([(INTACT, OnTheWire::Intact)]);
        return item.one_of("the wire fault", known);
    }
    wire_fault(item).map(OnTheWire::Broken)
}

/// The status of an HTTP answer.
pub(super) fn http_status(item: &Item<'_>) -> Option<u16> {
    let status = u16::try_from(item.int()?).ok();
    let status = status.filter(|it| (100..600).contains(it));
    if status.is_none() {
        item.problem("an HTTP status is a number from 100 to 599");
    }
    status
}
