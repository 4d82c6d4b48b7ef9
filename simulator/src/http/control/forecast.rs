//! What calls will cost in a month: those that are kept, those of a file, or those of a mix. Nothing is called.

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};
use svc_capture::prices::PriceList;
use svc_fixtures::contract::Paise;
use svc_fixtures::reading::{Problems, Source};

use super::event_dto::status_of;
use super::request::{BodyDto, BodyPresence};
use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use super::values::DurationDto;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::verification::{Answer, Verification};
use crate::forecast::{
    Forecast, ForecastSettings, MOST_PAISE, RepetitionWindows, StatedSpan, Tariff, TrafficFile,
    forecast_mix, forecast_traffic, parse_instant,
};
use crate::host::{AccountCell, Host};

/// What is to be foretold: one of `mix`, `traffic`, `account` and `allAccounts`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ForecastRequestDto {
    /// A mix, as its file has it: TOML.
    mix: Option<String>,
    /// Calls that were made, as a file has them: a capture, or JSON, a line a call.
    traffic: Option<String>,
    /// The calls of this account that are kept, by its clock.
    account: Option<String>,
    /// The calls of all accounts that are kept, each by its account's clock.
    #[serde(default)]
    all_accounts: bool,
    /// What calls cost, as a file has it: INR by endpoint, in TOML or JSON.
    prices: Option<String>,
    /// What is in the wallet, in INR.
    #[schemars(with = "Option<f64>")]
    wallet: Option<Paise>,
    /// When that is: a day, which begins at midnight in UTC, or an instant.
    from: Option<String>,
    /// How many days a month has: 30 where neither this nor the mix says.
    #[schemars(range(min = 1, max = 366))]
    days: Option<u32>,
    /// Of calls that were made: how long they stand for, where their times do not say it.
    span: Option<DurationDto>,
    /// The same, as how many calls a month brings.
    #[schemars(range(min = 1, max = 10_000_000_000_u64))]
    calls_per_month: Option<u64>,
    /// Whether calls of the sandbox are reckoned as if they had been made on live.
    #[serde(default)]
    as_live: bool,
    /// The same input, charged again so soon, is a repetition: five minutes where it is left out.
    retry_within: Option<DurationDto>,
    /// For how long it would be remembered that there is no record: a day where it is left out.
    cache_for: Option<DurationDto>,
}

/// The body: longer than others, since it may hold a file.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct ForecastBodyDto(ForecastRequestDto);

impl BodyDto for ForecastBodyDto {
    const PRESENCE: BodyPresence = BodyPresence::Required;
    /// No clause bounds it: some ten thousand calls with their bodies fit.
    const MAX_BYTES: usize = 16 << 20;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<ForecastRequestDto>()
    }
}

pub(super) async fn forecast(request: ControlRequest<ForecastBodyDto>) -> ControlResult<Forecast> {
    // All kept calls may be looked at: too long for a task that others wait behind.
    let foretold = tokio::task::spawn_blocking(move || foretell(&request));
    foretold.await.map_err(|_| ControlError::internal())?
}

fn foretell(request: &ControlRequest<ForecastBodyDto>) -> ControlResult<Forecast> {
    let ForecastBodyDto(ask) = &request.body;
    let given = [
        ask.mix.is_some(),
        ask.traffic.is_some(),
        ask.account.is_some(),
        ask.all_accounts,
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        let message = "give one of `mix`, `traffic`, `account` and `allAccounts`";
        return Err(ControlError::invalid_input(message));
    }
    let host = &request.api.host;
    let rules = host.rules();
    let contract = &rules.contract;
    let wrong = |name: &str, problems: &Problems| {
        ControlError::invalid_input(format!("{name}:\n{problems}"))
    };
    let prices = match &ask.prices {
        Some(text) => PriceList::read(contract, &Source::new("prices", text))
            .map_err(|problems| wrong("prices", &problems))?,
        None => PriceList::default(),
    };
    let tariff = Tariff::new(contract, &prices);
    let settings = ask.settings()?;
    if let Some(mix) = &ask.mix {
        return forecast_mix(&tariff, &Source::new("mix", mix), &settings)
            .map_err(|problems| wrong("mix", &problems));
    }
    let text = match (&ask.traffic, &ask.account) {
        (Some(text), _) => text.clone(),
        (None, Some(id)) => kept_lines(&*request.known_account(id)?),
        (None, None) => of_all(host),
    };
    let file = TrafficFile {
        name: "calls".to_owned(),
        text,
    };
    forecast_traffic(&tariff, &[file], &settings)
        .map_err(|mistake| ControlError::invalid_input(mistake.to_string()))
}

impl ForecastRequestDto {
    fn settings(&self) -> ControlResult<ForecastSettings> {
        let ms =
            |DurationDto(span): &DurationDto| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let within = |is_so: bool, message: &str| match is_so {
            true => Ok(()),
            false => Err(ControlError::invalid_input(message)),
        };
        let is_amount = |amount: Paise| (0..=MOST_PAISE).contains(&amount.0);
        within(
            self.wallet.is_none_or(is_amount),
            "wallet: must be rupees, 0 or more",
        )?;
        let is_month = |days: u32| (1..=366).contains(&days);
        within(
            self.days.is_none_or(is_month),
            "days: a month has 1 to 366 days",
        )?;
        let is_count = |calls: u64| (1..=10_000_000_000).contains(&calls);
        within(
            self.calls_per_month.is_none_or(is_count),
            "callsPerMonth: must be a whole number from 1 to 10000000000",
        )?;
        let span = match (self.span.as_ref().map(ms), self.calls_per_month) {
            (Some(_), Some(_)) => {
                let message = "span: leave it out where `callsPerMonth` is given";
                return Err(ControlError::invalid_input(message));
            }
            (Some(0), None) => {
                return Err(ControlError::invalid_input(
                    "span: no traffic stands for no time",
                ));
            }
            (Some(ms), None) => Some(StatedSpan::Lasts(ms)),
            (None, calls) => calls.map(StatedSpan::CallsPerMonth),
        };
        let windows = RepetitionWindows::default();
        Ok(ForecastSettings {
            days: self.days,
            wallet: self.wallet,
            from: self.from()?,
            span,
            as_live: self.as_live,
            windows: RepetitionWindows {
                retry_within_ms: self
                    .retry_within
                    .as_ref()
                    .map_or(windows.retry_within_ms, ms),
                cache_for_ms: self.cache_for.as_ref().map_or(windows.cache_for_ms, ms),
            },
        })
    }

    fn from(&self) -> ControlResult<Option<Timestamp>> {
        let message =
            "from: must be a day or an instant, such as 2026-12-01 or 2026-12-01T09:00:00Z";
        let read =
            |text: &String| parse_instant(text).ok_or_else(|| ControlError::invalid_input(message));
        self.from.as_ref().map(read).transpose()
    }
}

/// The kept calls of all accounts, a line a call.
fn of_all(host: &Host) -> String {
    let all = host.directory().all();
    all.iter().map(|cell| kept_lines(cell)).collect()
}

/// The kept calls of an account, a line a call, as files of traffic have them. Printing takes far longer than a copy: its own
/// calls wait for no more than that.
fn kept_lines(cell: &AccountCell) -> String {
    let account = &cell.read(Account::clone);
    let mut lines = String::new();
    for environment in Environment::ALL {
        let log = account.environment(environment).verifications.log();
        // The price of a bundle stands in its own line, and not in those of its steps.
        for (call, answer) in log.filter(|(call, _)| call.bundle.is_none()) {
            lines += &kept_line(account, environment, call, answer).to_string();
            lines.push('\n');
        }
    }
    lines
}

/// What it says of how long it took is the documented figure and was not measured: it is left out.
fn kept_line(
    account: &Account,
    environment: Environment,
    call: &Verification,
    answer: &Answer,
) -> Value {
    let (status, code) = status_of(answer.state);
    let request = call.request.as_ref();
    let body = request.and_then(|request| request.kept_body());
    let body = body.map(|body| String::from_utf8_lossy(body).into_owned());
    let envelope: Value = serde_json::from_slice(&answer.envelope).unwrap_or_default();
    json!({
        "account": account.id.to_string(),
        "verificationId": call.id.to_string(),
        "environment": environment.as_str(),
        "endpoint": &*call.endpoint,
        "method": request.map_or("POST", |request| request.method()),
        "at": call.created_at.to_string(),
        "status": status,
        "httpStatus": answer.status,
        "code": code,
        "charged": call.charged,
        "idempotencyKey": call.claims.first().map(|claim| &*claim.key),
        "body": body,
        "envelope": { "data": envelope["data"] },
    })
}
