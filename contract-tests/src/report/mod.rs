//! Reporters: functions of events. They know no clock and no network; only `progress` knows a terminal.

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

/// Where the reports of one run agree: a number and its thing.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}
