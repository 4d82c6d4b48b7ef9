//! `forecast`: what a month of traffic, or of a mix that somebody wrote, costs, and how long it takes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use jiff::Timestamp;
use svc_capture::prices::PriceList;
use svc_fixtures::contract::{Contract, Paise};
use svc_fixtures::embedded;
use svc_fixtures::reading::Source;

use super::failure::Failure;
use super::layout::one_line;
use super::{terminal, values};
use crate::forecast::{
    Forecast, ForecastSettings, ForecastTable, LeftOutLine, MOST_PAISE, RepetitionWindows,
    StatedSpan, Tariff, TrafficFile, TrafficMistake, csv, forecast_mix, forecast_traffic,
    parse_instant, tables,
};

/// The arguments of `forecast`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("calls").args(["traffic", "mix"]).required(true)))]
pub(super) struct ForecastArgs {
    /// Calls that were made: captures, HTTP archives (HAR), or JSON, a line a call; may be given several times
    #[arg(long, value_name = "FILE")]
    traffic: Vec<PathBuf>,
    /// Calls that will be made: a mix in TOML
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traffic", "span", "calls_per_month", "as_live"])]
    mix: Option<PathBuf>,
    /// What calls cost: INR by endpoint, in TOML or JSON; what it does not name costs what the contract says
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// What is in the wallet: says when it runs dry
    #[arg(long, value_name = "RUPEES", value_parser = rupees)]
    wallet: Option<Paise>,
    /// When that is: a day, which begins at midnight in UTC, or an instant
    #[arg(long, value_name = "DATE", value_parser = date)]
    from: Option<Timestamp>,
    /// How many days a month has: 30 where neither this nor the mix says
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=366))]
    days: Option<u32>,
    /// How long the traffic stands for, where its times do not say it
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    span: Option<Duration>,
    /// How many calls a month brings, in the place of a span
    #[arg(long, value_name = "COUNT", conflicts_with = "span", value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    calls_per_month: Option<u64>,
    /// Reckon calls of the sandbox as if they had been made on live
    #[arg(long)]
    as_live: bool,
    /// The same input, charged again so soon, is a repetition that an idempotency key would have saved
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = values::duration)]
    retry_within: Duration,
    /// For how long it would be remembered that there is no record
    #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = values::duration)]
    cache_for: Duration,
    /// How it is printed
    #[arg(long, default_value = "table")]
    format: ForecastFormat,
}

/// How a forecast is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ForecastFormat {
    /// Tables for people
    Table,
    /// For programs
    Json,
    /// One table for a spreadsheet
    Csv,
    /// Tables for a document
    Markdown,
}

fn rupees(text: &str) -> Result<Paise, String> {
    let amount = text.parse().ok().and_then(Paise::from_rupees);
    amount
        .filter(|amount| (0..=MOST_PAISE).contains(&amount.0))
        .ok_or_else(|| "write rupees, 0 or more, with at most two decimals: 50000".to_owned())
}

fn date(text: &str) -> Result<Timestamp, String> {
    parse_instant(text)
        .ok_or_else(|| "write a day or an instant: 2026-12-01, 2026-12-01T09:00:00Z".to_owned())
}

/// Runs the command.
pub(super) fn run(args: &ForecastArgs) -> Result<(), Failure> {
    let contract = &Contract::read(&embedded::contract())?;
    let prices = match &args.prices {
        Some(path) => PriceList::read(contract, &Source::new(name(path), read(path)?))?,
        None => PriceList::default(),
    };
    let tariff = Tariff::new(contract, &prices);
    let settings = args.settings()?;
    let forecast = match &args.mix {
        Some(path) => forecast_mix(&tariff, &Source::new(name(path), read(path)?), &settings)?,
        None => {
            let files = args.traffic.iter().map(|path| {
                let (name, text) = (name(path), read(path)?);
                Ok(TrafficFile { name, text })
            });
            let files = files.collect::<Result<Vec<_>, Failure>>()?;
            let foretold = forecast_traffic(&tariff, &files, &settings);
            foretold.map_err(|mistake| {
                Failure::Usage(match mistake {
                    TrafficMistake::Span(_) => format!("{mistake}: --span, --calls-per-month"),
                    TrafficMistake::NoCalls(_) => mistake.to_string(),
                })
            })?
        }
    };
    terminal::print(&match args.format {
        ForecastFormat::Table => text(&forecast),
        ForecastFormat::Markdown => markdown(&forecast),
        ForecastFormat::Csv => csv(&forecast),
        ForecastFormat::Json => {
            let json = serde_json::to_string_pretty(&forecast);
            json.expect("a forecast is JSON") + "\n"
        }
    })
}

impl ForecastArgs {
    fn settings(&self) -> Result<ForecastSettings, Failure> {
        let ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let lasts = self.span.map(ms);
        if lasts == Some(0) {
            let message = "--span: no traffic stands for no time";
            return Err(Failure::Usage(message.to_owned()));
        }
        let stated = lasts.map(StatedSpan::Lasts);
        Ok(ForecastSettings {
            days: self.days,
            wallet: self.wallet,
            from: self.from,
            span: stated.or(self.calls_per_month.map(StatedSpan::CallsPerMonth)),
            as_live: self.as_live,
            windows: RepetitionWindows {
                retry_within_ms: ms(self.retry_within),
                cache_for_ms: ms(self.cache_for),
            },
        })
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

fn read(path: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(path);
    text.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

fn text(forecast: &Forecast) -> String {
    let mut out = String::new();
    for table in tables(forecast) {
        let _ = writeln!(out, "{}\n{}", table.title, aligned(&table));
    }
    if let Some(wallet) = &forecast.wallet {
        let _ = writeln!(out, "Wallet\n{}\n", wallet.words);
    }
    left_out(forecast, &mut out);
    for note in &forecast.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// Numbers stand at the right of their columns, words at the left.
fn aligned(table: &ForecastTable) -> String {
    let head: Vec<String> = table.columns.iter().map(|&it| it.to_owned()).collect();
    let rows: Vec<Vec<String>> = std::iter::once(&head)
        .chain(&table.rows)
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let cells = |at: usize| rows.iter().map(move |row| row[at].as_str());
    let is_number = |cell: &str| cell.chars().all(|it| it.is_ascii_digit() || it == '.');
    let columns: Vec<(usize, bool)> = (0..head.len())
        .map(|at| {
            let width = cells(at).map(|cell| cell.chars().count()).max();
            (width.unwrap_or_default(), cells(at).skip(1).all(is_number))
        })
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, (width, is_number)) in row.iter().zip(&columns) {
            let _ = match is_number {
                true => write!(line, "{cell:>width$}  "),
                false => write!(line, "{cell:<width$}  "),
            };
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

fn left_out(forecast: &Forecast, out: &mut String) {
    let lines = &forecast.left_out;
    if lines.count == 0 {
        return;
    }
    let _ = writeln!(out, "Left out: {}", lines.count);
    for (why, count) in &lines.reasons {
        let _ = writeln!(out, "{count}: {}", one_line(why));
    }
    for LeftOutLine {
        file,
        line,
        why: _,
        text,
    } in &lines.first
    {
        let _ = writeln!(out, "  {file}:{line}: {}", one_line(text));
    }
    out.push('\n');
}

fn markdown(forecast: &Forecast) -> String {
    let cell = |text: &String| one_line(text).replace('|', "\\|");
    let mut out = String::new();
    for table in tables(forecast) {
        let _ = writeln!(out, "## {}\n", table.title);
        let _ = writeln!(out, "| {} |", table.columns.join(" | "));
        let _ = writeln!(out, "|{}", "---|".repeat(table.columns.len()));
        for row in &table.rows {
            let row: Vec<String> = row.iter().map(cell).collect();
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        out.push('\n');
    }
    if let Some(wallet) = &forecast.wallet {
        let _ = writeln!(out, "## Wallet\n\n{}\n", wallet.words);
    }
    let mut lines = String::new();
    left_out(forecast, &mut lines);
    if !lines.is_empty() {
        let _ = writeln!(
            out,
            "## Lines left out\n\n```text\n{}```\n",
            lines.trim_start().trim_end_matches('\n').to_owned() + "\n"
        );
    }
    for note in &forecast.notes {
        let _ = writeln!(out, "- {note}");
    }
    out
}
