//! Reporters: functions of events. They know no clock and no network: times come with the events. Only
//! `progress` knows a terminal.

pub mod block;
pub mod curl;
pub mod escape;
pub mod github;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod progress;
pub mod run_summary;
#[cfg(test)]
pub(crate) mod tests;
pub mod unjudged;

/// A time as people say it.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// Where the reports of one run agree: a number and its thing.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
