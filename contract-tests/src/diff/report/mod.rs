//! The reports of a comparison: functions of what was found. They say the same, each in its own way.

mod html;
mod human;
mod machine;
mod summary;

use svc_fixtures::json::Json;

use super::finding::{Comparison, Difference};
use crate::capture::{Exchange, Response};
use crate::event::RunStarted;
use crate::report::curl::{self, Variables};
use crate::verdict;
pub use html::html;
pub use human::human;
pub use machine::{json, junit};
pub use summary::github;

/// The longest value of an example.
const LONGEST: usize = 160;

/// How many operations or cases a line names.
const NAMED: usize = 12;

/// A comparison and what it was made of.
#[derive(Debug)]
pub struct Report<'r> {
    /// What was found.
    pub comparison: &'r Comparison,
    /// The left and the right service: where they are.
    pub sides: [SideReport; 2],
    /// What is to be said of the list of known differences.
    pub notes: &'r [String],
}

/// One of the services.
#[derive(Debug, Clone)]
pub struct SideReport {
    /// What people call it.
    pub name: String,
    /// Where it is.
    pub started: RunStarted,
}

/// The variables of the lines that call the left service, and the right one.
pub const VARIABLES: [Variables; 2] = [
    Variables {
        sandbox: ("SVC_LEFT_URL", "SVC_LEFT_KEY"),
        live: ("SVC_LEFT_LIVE_URL", "SVC_LEFT_LIVE_KEY"),
    },
    Variables {
        sandbox: ("SVC_RIGHT_URL", "SVC_RIGHT_KEY"),
        live: ("SVC_RIGHT_LIVE_URL", "SVC_RIGHT_LIVE_KEY"),
    },
];

impl Report<'_> {
    /// The lines that make the example's call of both services, and what each answered there.
    fn calls(&self, difference: &Difference) -> Vec<(&'static str, Option<String>, String)> {
        let Some(example) = &difference.example else {
            return Vec::new();
        };
        let both = [("left", &example.left), ("right", &example.right)];
        let calls = both.into_iter().zip(&self.sides).zip(&VARIABLES);
        let calls = calls.map(|(((name, exchange), side), variables)| {
            let line = curl::line_by(exchange, &side.started, variables);
            (name, line, answered(exchange, &difference.what))
        });
        calls.collect()
    }
}

/// Where the example was found.
fn place(difference: &Difference) -> Option<String> {
    let example = difference.example.as_ref()?;
    let (check, case, step) = (&example.check, &example.case, example.step + 1);
    Some(format!("{check}, {case}, step {step}"))
}

/// Some names, and how many more there are.
fn names<'n>(all: impl ExactSizeIterator<Item = &'n String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let shown: Vec<_> = all.take(NAMED).map(String::as_str).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// How a call ended, and what stood where the difference is.
fn answered(exchange: &Exchange, what: &str) -> String {
    let ending = verdict::ending(exchange);
    let Ok(response) = &exchange.response else {
        return ending;
    };
    match value(response, what) {
        Some(value) => format!("{ending}; {what} = {value}"),
        None => ending,
    }
}

fn value(response: &Response, what: &str) -> Option<String> {
    if let Some(name) = what.strip_prefix("header ") {
        return response.header(name).map(str::to_owned);
    }
    let json = Json::parse(&response.body).ok()?;
    let found = at(&json, what)?;
    let text = found.to_string();
    Some(match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST).chain(['…']).collect(),
        false => text,
    })
}

/// The value at a path such as `data.cases[].name`: of a list in its first item. Names may have dots in them.
fn at<'j, 'a>(json: &'j Json<'a>, path: &str) -> Option<&'j Json<'a>> {
    if path.is_empty() {
        return Some(json);
    }
    if let Some(rest) = path.strip_prefix("[]") {
        return at(json.as_list()?.first()?, rest.trim_start_matches('.'));
    }
    let members = json.as_object()?;
    members.iter().find_map(|(name, value)| {
        let rest = path.strip_prefix(&**name)?;
        match rest.chars().next() {
            None => Some(value),
            Some('.' | '[') => at(value, rest.trim_start_matches('.')),
            Some(_) => None,
        }
    })
}
