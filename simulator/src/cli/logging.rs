//! Where the log goes, and in which form.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

use super::failure::Failure;

/// The form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// Lines for people, with colours on a terminal.
    Human,
    /// A JSON object a line, for programs.
    Json,
}

/// Logs to stderr what passes this filter.
pub(super) fn log_to_stderr(filter: &str, format: LogFormat) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|mistake| Failure::Usage(format!("--log {filter}: {mistake}")))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Human => {
            let colours = std::io::stderr().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
            log.with_ansi(colours).init();
        }
        // One span at most is round a line: that of its call.
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).init(),
    }
    // The default hook prints what a panic says as it is, and that may come from a request.
    std::panic::set_hook(Box::new(|panic| {
        let said = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(said = ?said, place = ?panic.location().map(ToString::to_string), "a panic");
    }));
    Ok(())
}
