//! What traffic and mixes will cost and how long they take: told by the pure functions, and held to what a simulator's own
//! wallet was charged.

mod archive;
mod holds;
mod lines;
mod mix;
mod played;
mod windows;

use std::fmt::Write as _;

use svc_capture::prices::PriceList;
use svc_fixtures::contract::{Contract, Paise};
use svc_fixtures::reading::Source;
use svc_simulator::forecast::{
    Forecast, ForecastSettings, LeftOutLine, StatedSpan, Tariff, TrafficFile, forecast_mix,
    forecast_traffic, tables,
};

/// Settings of whom nothing else is asked.
pub(crate) fn settings() -> ForecastSettings {
    ForecastSettings::default()
}

/// Settings of traffic that stands for a month of thirty days.
pub(crate) fn a_month() -> ForecastSettings {
    ForecastSettings {
        span: Some(StatedSpan::Lasts(30 * 24 * 60 * 60 * 1000)),
        ..settings()
    }
}

/// What a mix comes to.
pub(crate) fn mix(text: &str, settings: &ForecastSettings) -> String {
    let contract = Contract::built_in();
    let tariff = Tariff::new(&contract, &PriceList::default());
    match forecast_mix(&tariff, &Source::new("mix.toml", text), settings) {
        Ok(forecast) => told(&forecast),
        Err(problems) => problems.to_string(),
    }
}

/// What traffic comes to.
pub(crate) fn traffic(text: &str, settings: &ForecastSettings) -> String {
    match foretold(text, "", settings) {
        Ok(forecast) => told(&forecast),
        Err(mistake) => mistake,
    }
}

/// The forecast of traffic, at the prices of a list.
pub(crate) fn foretold(
    text: &str,
    prices: &str,
    settings: &ForecastSettings,
) -> Result<Forecast, String> {
    let contract = Contract::built_in();
    let prices = match prices {
        "" => PriceList::default(),
        text => PriceList::read(&contract, &Source::new("prices", text)).expect("prices"),
    };
    let tariff = Tariff::new(&contract, &prices);
    let file = TrafficFile {
        name: "calls.jsonl".to_owned(),
        text: text.to_owned(),
    };
    let forecast = forecast_traffic(&tariff, &[file], settings);
    forecast.map_err(|mistake| mistake.to_string())
}

/// What stands in front of every forecast alike.
const COMMON: [&str; 4] = [
    "A month has",
    "Billed on live",
    "A percentile",
    "A repetition",
];

/// A forecast on a few lines: its tables, the wallet, what was left out, and what is not said of all.
pub(crate) fn told(forecast: &Forecast) -> String {
    let mut out = String::new();
    for table in tables(forecast) {
        let is_free_of_rows =
            table.title == "What would be saved" && forecast.savings.both.calls == 0;
        if is_free_of_rows {
            continue;
        }
        let _ = writeln!(out, "{}", table.columns.join(" | "));
        for row in &table.rows {
            let _ = writeln!(out, "{}", row.join(" | ").trim_end_matches([' ', '|']));
        }
    }
    if let Some(wallet) = &forecast.wallet {
        let _ = writeln!(out, "{}", wallet.words);
    }
    for LeftOutLine {
        file,
        line,
        why,
        text,
    } in &forecast.left_out.first
    {
        let _ = writeln!(out, "{file}:{line}: {why}: {text}");
    }
    let notes = forecast.notes.iter();
    for note in notes.filter(|note| !COMMON.iter().any(|it| note.starts_with(it))) {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// What is in a wallet.
pub(crate) fn rupees(rupees: i64) -> Option<Paise> {
    Some(Paise(rupees * 100))
}
