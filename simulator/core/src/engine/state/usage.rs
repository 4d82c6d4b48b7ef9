//! What an account spent, per endpoint and day. Nothing of it is ever forgotten; where there are too many
//! days, the oldest two become one.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;

use super::form;
use super::rejection::Rejection;
use super::sizes::Sum;
use crate::scenario::{AnswerForm, UsageForm};

/// The usage of one account and environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(with = "form::rows")]
    rows: Rows,
    /// What of the rows came from steps of bundles.
    #[serde(default, with = "form::rows", skip_serializing_if = "Rows::is_empty")]
    steps: Rows,
    /// What bundles were charged as a whole: in the rows that stands with their steps.
    #[serde(default, with = "form::rows", skip_serializing_if = "Rows::is_empty")]
    bundles: Rows,
    joined: u64,
}

/// Rows of endpoints and days.
type Rows = BTreeMap<(Date, Arc<str>), Row>;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// A call of an operation.
    Call,
    /// A step of a bundle.
    Step,
    /// A bundle, charged for its steps.
    Bundle,
}

/// So many rows are kept for each account and environment: some years of a few endpoints a day.
pub const KEPT_ROWS: usize = 10_000;

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
pub struct Row {
    /// Calls of the endpoint, replays not among them.
    pub calls: u64,
    /// Those with a result.
    pub completed: u64,
    /// Those whose record does not exist.
    pub no_record: u64,
    /// Those that ended in another error.
    pub failed: u64,
    /// Those that were charged.
    pub billed: u64,
    /// What was charged for them.
    #[schemars(with = "f64")]
    pub amount: Paise,
}

/// From the first day to the last, both counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    from: Date,
    to: Date,
}

/// The day of an instant, in UTC.
#[must_use]
pub fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// The period of `from=…&to=…`: days as `YYYY-MM-DD`, either may be left out, others are ignored.
///
/// # Errors
/// `SVC_INVALID_INPUT` for a text that is no day, one given twice, or a period that ends before it begins.
pub fn period(query: &str) -> Result<Period, Rejection> {
    let (mut from, mut to) = (None, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let slot = match &*name {
            "from" => &mut from,
            "to" => &mut to,
            _ => continue,
        };
        let day = svc_fixtures::contract::parse_date("YYYY-MM-DD", &value);
        let day = day
            .ok_or_else(|| Rejection::input(format!("{name}: must be a day written YYYY-MM-DD")))?;
        if slot.replace(day).is_some() {
            return Err(Rejection::input(format!("{name}: must be given once")));
        }
    }
    let period = Period {
        from: from.unwrap_or(Date::MIN),
        to: to.unwrap_or(Date::MAX),
    };
    match period.from <= period.to {
        true => Ok(period),
        false => Err(Rejection::input("to: must not be before from")),
    }
}

impl Row {
    /// What it has more than another one.
    #[must_use]
    pub fn minus(&self, other: &Row) -> Row {
        Row {
            calls: self.calls - other.calls,
            completed: self.completed - other.completed,
            no_record: self.no_record - other.no_record,
            failed: self.failed - other.failed,
            billed: self.billed - other.billed,
            amount: Paise(self.amount.0 - other.amount.0),
        }
    }

    fn add(&mut self, other: &Row) {
        self.calls += other.calls;
        self.completed += other.completed;
        self.no_record += other.no_record;
        self.failed += other.failed;
        self.billed += other.billed;
        self.amount.0 += other.amount.0;
    }
}

/// What was spent in a period: the `data` of a usage answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct UsageReport {
    /// A row for each endpoint, by name.
    pub endpoints: Vec<EndpointUsage>,
    /// All of them together.
    pub totals: Row,
    /// On live: what is in the wallet now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub wallet_balance: Option<Paise>,
}

impl UsageReport {
    /// It as JSON, with the days that were asked for.
    #[must_use]
    pub fn with_period(&self, period: Period) -> Json<'static> {
        let printed = serde_json::to_vec(self).expect("a report prints into memory");
        let read = Json::parse(&printed).expect("what was printed is JSON");
        let mut own = read.into_owned();
        for (name, day, open) in [
            ("from", period.from, Date::MIN),
            ("to", period.to, Date::MAX),
        ] {
            if day != open {
                own.set(name, day.to_string().into());
            }
        }
        own
    }
}

/// What was spent on one endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct EndpointUsage {
    /// The dotted name of the operation or the bundle.
    pub endpoint: Arc<str>,
    /// What was counted of it.
    #[serde(flatten)]
    pub row: Row,
}

impl Usage {
    /// Adds what came of an answer to the row of its endpoint on the day of its call, by the account's
    /// clock in UTC. The price of a bundle stands in the rows of its steps (ruling 29).
    pub fn count(&mut self, day: Date, endpoint: Arc<str>, mut row: Row, of: Counted) {
        let place = (day, endpoint);
        match of {
            Counted::Call => {}
            Counted::Step => self.steps.entry(place.clone()).or_default().add(&row),
            Counted::Bundle => {
                let charge = Row {
                    billed: std::mem::take(&mut row.billed),
                    amount: std::mem::take(&mut row.amount),
                    ..Row::default()
                };
                self.bundles.entry(place.clone()).or_default().add(&charge);
            }
        }
        self.rows.entry(place).or_default().add(&row);
        while self.rows.len() > KEPT_ROWS && self.join_oldest() {}
    }

    /// Adds the oldest day to the one after it.
    fn join_oldest(&mut self) -> bool {
        let mut days = self.rows.keys().map(|(day, _)| *day);
        let Some(oldest) = days.next() else {
            return false;
        };
        let Some(next) = days.find(|day| *day != oldest) else {
            return false;
        };
        for rows in [&mut self.rows, &mut self.steps, &mut self.bundles] {
            while let Some(first) = rows.first_entry()
                && first.key().0 == oldest
            {
                let ((_, endpoint), row) = first.remove_entry();
                rows.entry((next, endpoint)).or_default().add(&row);
            }
        }
        self.joined += 1;
        true
    }

    /// How many of the oldest days were added to the day after them to bound memory.
    #[must_use]
    pub fn joined(&self) -> u64 {
        self.joined
    }

    /// All rows.
    #[must_use]
    pub fn rows(&self) -> Sum {
        let count = self.rows.len() + self.steps.len() + self.bundles.len();
        Sum {
            count,
            bytes: count * (size_of::<((Date, Arc<str>), Row)>() * 3 / 2),
        }
    }

    /// The printed `data` of a usage answer, in the form that scenario files give it.
    #[must_use]
    pub fn report(
        &self,
        period: Period,
        wallet_balance: Option<Paise>,
        answers: &AnswerForm,
    ) -> Vec<u8> {
        let summary = self.summary(period, wallet_balance, answers.usage.unwrap_or_default());
        match &answers.report {
            None => serde_json::to_vec(&summary).expect("a report prints into memory"),
            Some(form) => {
                let own = summary.with_period(period);
                form.filled(&own).to_string().into_bytes()
            }
        }
    }

    /// What was spent in a period: a row an endpoint, by name, and the totals.
    #[must_use]
    pub fn summary(
        &self,
        period: Period,
        wallet_balance: Option<Paise>,
        form: UsageForm,
    ) -> UsageReport {
        let mut endpoints: BTreeMap<&Arc<str>, Row> = BTreeMap::new();
        let mut totals = Row::default();
        for (place, row) in &self.rows {
            if !(period.from..=period.to).contains(&place.0) {
                continue;
            }
            let mut row = *row;
            if form == UsageForm::Bundles {
                row = row.minus(self.steps.get(place).unwrap_or(&Row::default()));
                row.add(self.bundles.get(place).unwrap_or(&Row::default()));
            }
            if row != Row::default() {
                endpoints.entry(&place.1).or_default().add(&row);
                totals.add(&row);
            }
        }
        let endpoints = endpoints.into_iter().map(|(endpoint, row)| EndpointUsage {
            endpoint: Arc::clone(endpoint),
            row,
        });
        UsageReport {
            endpoints: endpoints.collect(),
            totals,
            wallet_balance,
        }
    }

    /// All that was ever counted.
    #[must_use]
    pub fn totals(&self) -> Row {
        let mut totals = Row::default();
        self.rows.values().for_each(|row| totals.add(row));
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_days_of_a_period_count() {
        let mut usage = Usage::default();
        for day in ["2026-01-01", "2026-01-02", "2026-01-03"] {
            let row = Row {
                calls: 1,
                amount: Paise(250),
                ..Row::default()
            };
            let day = day.parse().expect("a day");
            usage.count(day, "an.operation".into(), row, Counted::Call);
        }
        let calls = |query: &str| {
            let report = usage.report(
                period(query).expect("a period"),
                None,
                &AnswerForm::default(),
            );
            String::from_utf8(report)
                .expect("text")
                .matches("\"calls\":2")
                .count()
        };
        assert_eq!(
            calls("from=2026-01-01&to=2026-01-02"),
            2,
            "the endpoint's row and the totals"
        );
        assert_eq!(calls("from=2026-01-02"), 2);
        assert_eq!(calls("from=2026%2D01%2D02"), 2);
        assert_eq!(calls("to=2026-01-01"), 0);
    }

    #[test]
    fn a_period_that_is_none_is_refused() {
        for query in [
            "from=yesterday",
            "from=2026-02-30",
            "from=2026-01-02&to=2026-01-01",
            "to=2026-01-01&to=2026-01-01",
        ] {
            assert!(period(query).is_err(), "{query}");
        }
        assert!(period("").is_ok());
        assert!(period("page=2").is_ok());
    }
}
