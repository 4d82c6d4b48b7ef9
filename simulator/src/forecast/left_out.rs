//! The lines of traffic that were left out: how many, why, and the first of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// Lines that say too little.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(rename = "ForecastLeftOutLinesDto")]
pub struct LeftOutLines {
    /// How many.
    pub count: usize,
    /// How many by why.
    pub reasons: BTreeMap<String, usize>,
    /// The first of them.
    pub first: Vec<LeftOutLine>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForecastLeftOutLineDto")]
pub struct LeftOutLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
    /// How it begins.
    pub text: String,
}

/// So many lines that were left out are shown.
const MOST_SHOWN: usize = 20;

impl LeftOutLines {
    /// One more.
    pub fn add(&mut self, line: LeftOutLine) {
        self.count += 1;
        *self.reasons.entry(line.why.clone()).or_default() += 1;
        if self.first.len() < MOST_SHOWN {
            self.first.push(line);
        }
    }

    /// Puts those that are shown in the order of their lines.
    pub(super) fn in_order(&mut self) {
        let place = |line: &LeftOutLine| (line.file.clone(), line.line);
        self.first.sort_by_key(place);
    }

    /// All of another file.
    pub(super) fn extend(&mut self, more: LeftOutLines) {
        self.count += more.count;
        for (why, count) in more.reasons {
            *self.reasons.entry(why).or_default() += count;
        }
        let room = MOST_SHOWN.saturating_sub(self.first.len());
        self.first.extend(more.first.into_iter().take(room));
    }
}
