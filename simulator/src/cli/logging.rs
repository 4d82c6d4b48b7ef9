//! Where the log goes, and in which form.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, fmt, registry};

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
    let filter = read(filter).map_err(|why| Failure::Usage(format!("--log {filter}: {why}")))?;
    let log = fmt::layer().with_writer(std::io::stderr);
    let log = match format {
        LogFormat::Human => {
            let colours = std::io::stderr().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
            log.with_ansi(colours).boxed()
        }
        // One span at most is round a line: that of its call.
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).boxed(),
    };
    registry().with(log.with_filter(filter)).init();
    // The default hook prints what a panic says as it is, and that may come from a request.
    std::panic::set_hook(Box::new(|panic| {
        let said = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(said = ?said, place = ?panic.location().map(ToString::to_string), "a panic");
    }));
    Ok(())
}

/// The crates that are ours: what begins like them is one of them.
const CRATES: [&str; 5] = [
    "svc_simulator",
    "svc_server",
    "svc_core",
    "svc_fixtures",
    "svc_tls",
];

/// The filter, or why it is none.
fn read(filter: &str) -> Result<Targets, String> {
    for directive in filter.split(',').map(str::trim) {
        let target = directive.split(['=', ':', '[']).next().unwrap_or_default();
        if target.starts_with("svc_") && directive.contains('=') && !CRATES.contains(&target) {
            return Err(format!(
                "no part of the program is called `{target}`: svc_simulator is all of it"
            ));
        }
        if directive.ends_with('=') {
            return Err(format!(
                "`{directive}` has no level: off, error, warn, info, debug or trace"
            ));
        }
        // It would be read as a target, of which all is logged, and of everything else nothing.
        if !directive.contains('=') && directive.parse::<LevelFilter>().is_err() {
            return Err(format!(
                "`{directive}` is no level: off, error, warn, info, debug or trace; a part of the program stands before \
                 its level, as in svc_simulator=debug"
            ));
        }
    }
    let targets = of_all_crates(filter).parse::<Targets>();
    targets.map_err(|mistake| mistake.to_string())
}

/// The filter with what it says of the simulator said of the crate that serves calls, too: whoever reads a log need not
/// know into which crates the program is divided.
fn of_all_crates(filter: &str) -> String {
    let mut directives: Vec<String> = Vec::new();
    for directive in filter.split(',') {
        directives.push(directive.to_owned());
        if let Some(rest) = directive.trim_start().strip_prefix("svc_simulator") {
            directives.push(format!("svc_server{rest}"));
        }
    }
    directives.join(",")
}

#[cfg(test)]
mod tests {
    use super::{of_all_crates, read};

    #[test]
    fn a_filter_that_would_log_nothing_unsaid_is_refused() {
        for filter in [
            "off",
            "info",
            "WARN",
            "warn, svc_simulator=debug",
            "svc_simulator::http=debug",
            "hyper=off",
        ] {
            assert!(read(filter).is_ok(), "{filter}");
        }
        let unknown = ["svc_simulater=debug", "hyper=", "svc_simulator=debug,svc="];
        for filter in ["loud", "info,loud", "svc_simulator", "a=b", "a=info=b"]
            .into_iter()
            .chain(unknown)
        {
            assert!(read(filter).is_err(), "{filter}");
        }
    }

    #[test]
    fn a_directive_for_the_simulator_is_one_for_all_of_its_crates() {
        assert_eq!(of_all_crates("info"), "info");
        assert_eq!(
            of_all_crates("warn,svc_simulator=debug,svc_simulator::host=trace,hyper=info"),
            "warn,svc_simulator=debug,svc_server=debug,svc_simulator::host=trace,svc_server::host=trace,hyper=info"
        );
    }
}
