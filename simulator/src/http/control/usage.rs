//! What an account spent, as it is told by `GET /v1/usage`: from the same rows.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::NoBody;
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use super::values::EnvironmentDto;
use crate::engine::call::request::Environment;
use crate::engine::state::usage::{UsageReport, period};

/// Where, and in which period. Days are of the account's clock, in UTC.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageQuery {
    /// `test` where it is left out.
    environment: Option<EnvironmentDto>,
    /// The first day: `2026-01-15`. From the beginning where it is left out.
    #[schemars(extend("format" = "date"))]
    from: Option<String>,
    /// The last day. To the end where it is left out.
    #[schemars(extend("format" = "date"))]
    to: Option<String>,
}

/// What was spent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageDto {
    environment: EnvironmentDto,
    #[serde(flatten)]
    report: UsageReport,
    /// How many of the oldest days were added to the day after them to bound memory.
    joined_days: u64,
}

pub(super) async fn show(request: ControlRequest<NoBody, UsageQuery>) -> ControlResult<UsageDto> {
    let cell = request.account()?;
    let UsageQuery {
        environment,
        from,
        to,
    } = &request.query;
    let of = environment.unwrap_or_default();
    let day = |(name, day): (&str, &Option<String>)| day.as_ref().map(|it| format!("{name}={it}"));
    let days = [("from", from), ("to", to)].into_iter().filter_map(day);
    let days: Vec<String> = days.collect();
    if let Some(name) = not_a_day(from, to) {
        let message = format!("{name}: must be a day written YYYY-MM-DD");
        return Err(ControlError::invalid_input(message));
    }
    let period = period(&days.join("&"));
    let period =
        period.map_err(|_| ControlError::invalid_input("to: must not be before `from`"))?;
    let rules = request.api.host.rules_of(&cell);
    let form = rules.scenarios.answers.usage.unwrap_or_default();
    Ok(cell.read(|account| {
        let state = account.environment(of.0);
        let balance = (of.0 == Environment::Live).then(|| state.wallet.balance());
        UsageDto {
            environment: of,
            report: state.usage.summary(period, balance, form),
            joined_days: state.usage.joined(),
        }
    }))
}

/// The name of the first that is no day.
fn not_a_day(from: &Option<String>, to: &Option<String>) -> Option<&'static str> {
    let is_day = |day: &Option<String>| {
        let day = day.as_deref();
        day.is_none_or(|day| day.len() == 10 && day.parse::<Date>().is_ok())
    };
    match (is_day(from), is_day(to)) {
        (false, _) => Some("from"),
        (true, false) => Some("to"),
        (true, true) => None,
    }
}
