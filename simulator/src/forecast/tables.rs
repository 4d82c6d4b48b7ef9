//! A forecast as tables, for terminals, documents and spreadsheets. Knows no layout.

use super::report::{Forecast, ForecastSum, ForecastTime, SavedCalls};
use super::timing::TimeSource;

/// One table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForecastTable {
    /// What it is about.
    pub title: &'static str,
    /// What its columns are.
    pub columns: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// The tables of a forecast; those that would be empty are left out.
#[must_use]
pub fn tables(forecast: &Forecast) -> Vec<ForecastTable> {
    let all = [
        spend(forecast),
        free(forecast),
        flows(forecast),
        savings(forecast),
    ];
    let all = all.into_iter().filter(|table| !table.rows.is_empty());
    all.collect()
}

fn spend(forecast: &Forecast) -> ForecastTable {
    let rows = forecast.endpoints.iter().map(|row| {
        let name = match row.environment {
            "test" => format!("{} (sandbox)", row.endpoint),
            _ => row.endpoint.clone(),
        };
        let month = row.month;
        let mut cells = vec![name];
        cells.extend(
            [month.calls, month.billed, month.no_record, month.free].map(|it| it.to_string()),
        );
        cells.push(month.amount.to_string());
        cells.extend(times(&row.latency));
        cells
    });
    let total = forecast.total;
    let mut sum = vec!["total".to_owned()];
    sum.extend([total.calls, total.billed, total.no_record, total.free].map(|it| it.to_string()));
    sum.push(total.amount.to_string());
    sum.extend(std::iter::repeat_n(String::new(), 3));
    ForecastTable {
        title: "A month",
        columns: vec![
            "endpoint",
            "calls",
            "billed",
            "no record",
            "free",
            "INR",
            "p50 ms",
            "p95 ms",
            "times",
        ],
        rows: rows.chain([sum]).collect(),
    }
}

/// Percentiles, and where they are from.
fn times(time: &ForecastTime) -> [String; 3] {
    let source = match (time.source, time.samples) {
        (TimeSource::Documented, _) => "documented".to_owned(),
        (TimeSource::Measured, samples) => format!("measured: {samples}"),
        (TimeSource::Both, _) => "partly measured".to_owned(),
    };
    [time.p50_ms.to_string(), time.p95_ms.to_string(), source]
}

fn free(forecast: &Forecast) -> ForecastTable {
    let rows = forecast.free.iter();
    ForecastTable {
        title: "What costs nothing",
        columns: vec!["calls", "why"],
        rows: rows
            .map(|row| vec![row.calls.to_string(), row.words.to_owned()])
            .collect(),
    }
}

fn flows(forecast: &Forecast) -> ForecastTable {
    let mut rows = Vec::new();
    for flow in &forecast.flows {
        let mut cells = vec![flow.name.clone(), flow.runs.to_string()];
        cells.extend(times(&flow.time));
        cells.push(flow.note.clone().unwrap_or_default());
        rows.push(cells);
        for step in &flow.steps {
            let mut cells = vec![format!("- {}", step.name), String::new()];
            cells.extend(times(&step.time));
            cells.push(String::new());
            rows.push(cells);
        }
    }
    ForecastTable {
        title: "Flows",
        columns: vec!["flow", "runs", "p50 ms", "p95 ms", "times", "note"],
        rows,
    }
}

fn savings(forecast: &Forecast) -> ForecastTable {
    let row = |(what, saved): (&str, SavedCalls)| {
        vec![
            what.to_owned(),
            saved.calls.to_string(),
            saved.amount.to_string(),
        ]
    };
    ForecastTable {
        title: "What would be saved",
        columns: vec!["by", "calls", "INR"],
        rows: saved(forecast).map(row).to_vec(),
    }
}

fn saved(forecast: &Forecast) -> [(&'static str, SavedCalls); 3] {
    let all = forecast.savings;
    [
        (
            "an idempotency key on every repetition",
            all.idempotency_keys,
        ),
        ("remembering that there is no record", all.no_record_cache),
        ("both", all.both),
    ]
}

/// The columns of [`csv`].
const CSV: [&str; 12] = [
    "table",
    "name",
    "environment",
    "calls",
    "billed",
    "no record",
    "free",
    "INR",
    "p50 ms",
    "p95 ms",
    "times",
    "note",
];

/// All of it in one table for a spreadsheet: a row a thing, whose kind stands first.
#[must_use]
pub fn csv(forecast: &Forecast) -> String {
    let mut rows = vec![CSV.map(str::to_owned)];
    let empty = || CSV.map(|_| String::new());
    let mut add = |table: &str, name: &str, cells: &[(usize, String)]| {
        let mut row = empty();
        (row[0], row[1]) = (table.to_owned(), name.to_owned());
        for (at, cell) in cells {
            row[*at].clone_from(cell);
        }
        rows.push(row);
    };
    let sum = |of: &ForecastSum| {
        let counts = [of.calls, of.billed, of.no_record, of.free].map(|it| it.to_string());
        let counts = counts.into_iter().chain([of.amount.to_string()]);
        (3..).zip(counts).collect::<Vec<_>>()
    };
    let taken = |time: &ForecastTime| (8..).zip(times(time)).collect::<Vec<_>>();
    for row in &forecast.endpoints {
        let environment = (2, row.environment.to_owned());
        let cells = [vec![environment], sum(&row.month), taken(&row.latency)].concat();
        add("endpoint", &row.endpoint, &cells);
    }
    add("total", "total", &sum(&forecast.total));
    for row in &forecast.free {
        add("free", row.words, &[(3, row.calls.to_string())]);
    }
    for flow in &forecast.flows {
        let runs = (3, flow.runs.to_string());
        let note = (11, flow.note.clone().unwrap_or_default());
        add(
            "flow",
            &flow.name,
            &[vec![runs, note], taken(&flow.time)].concat(),
        );
        for step in &flow.steps {
            let of = (11, flow.name.clone());
            add("step", &step.name, &[vec![of], taken(&step.time)].concat());
        }
    }
    for (name, saved) in saved(forecast) {
        let cells = [(3, saved.calls.to_string()), (7, saved.amount.to_string())];
        add("saved", name, &cells);
    }
    if let Some(wallet) = &forecast.wallet {
        add(
            "wallet",
            &wallet.balance.to_string(),
            &[(11, wallet.words.clone())],
        );
    }
    for note in &forecast.notes {
        add("note", "", &[(11, note.clone())]);
    }
    let lines = rows
        .iter()
        .map(|row| row.each_ref().map(|cell| quoted(cell)).join(","));
    lines.map(|line| line + "\n").collect()
}

/// A cell of CSV. One that a spreadsheet would reckon as a formula is told as the text it is.
fn quoted(cell: &str) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let cell = if is_formula {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    }
}
