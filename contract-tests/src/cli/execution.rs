//! How a run goes: its pace, how long it waits, how much at once, and what the service can do.

use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use reqwest::Url;

use super::connection::{ConnectionArgs, duration};
use super::early_end::EndOfRun;
use super::exit::{CommandError, Exit};
use super::receiver::ReceiverArgs;
use super::{keys, say};
use crate::capture::Capabilities;
use crate::run::{Order, RunLimits};
use crate::sink::RunSink;
use crate::target::{Console, probe_console};

/// The port of a simulator's console where none was given to it.
const USUAL_CONSOLE: u16 = 8800;

/// How a run goes.
#[derive(Debug, Args)]
pub(super) struct ExecutionArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// How many cases to run at once; checks are reported in the same order
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// What comes first among equally harmless checks, and among the cases of a check
    #[arg(long, value_enum, default_value = "listed")]
    order: Order,
    /// Begin no further check after so many have failed
    #[arg(long, value_name = "N")]
    max_failures: Option<NonZeroUsize>,
    /// End the run after so long, such as 5m: what was judged by then is reported
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
    /// The address of the service's console, which is asked what it can do [default: that of a simulator
    /// on this machine, where it is found]
    #[arg(long, env = "SVC_CONSOLE_URL", value_name = "URL")]
    console_url: Option<String>,
    #[command(flatten)]
    receiver: ReceiverArgs,
}

impl ExecutionArgs {
    /// What may end the run before its time.
    pub(super) fn end_of_run(&self) -> Result<EndOfRun, CommandError> {
        let heard = EndOfRun::listen(
            self.time_limit,
            "no further case is begun, and what was judged is reported; once more ends it at once",
        );
        let heard = heard.context("signals can't be heard");
        Ok(heard?)
    }

    /// How the service is spoken to.
    pub(super) fn connection(&self) -> &ConnectionArgs {
        &self.connection
    }

    pub(super) fn limits(&self, kept_bytes: usize) -> RunLimits {
        RunLimits {
            jobs: self.jobs,
            max_failures: self.max_failures,
            order: self.order,
            kept_bytes,
        }
    }

    /// The console of the service: the one that was given, or that of a simulator on this machine,
    /// which is looked for where simulators have it. None where there is none.
    pub(super) async fn console(&self, sandbox: &Url) -> Result<Option<Console>, CommandError> {
        let given = self.console_url.as_deref();
        let given = given.map(|text| ("--console-url", text));
        console(&self.connection, given, sandbox).await
    }

    /// What receives webhooks.
    pub(super) fn receiver(&self) -> &ReceiverArgs {
        &self.receiver
    }

    /// Whether the console was named, and not just found.
    pub(super) fn names_console(&self) -> bool {
        self.console_url.is_some()
    }
}

/// The console of a service: the one that was given with this flag, or that of a simulator on this machine.
pub(super) async fn console(
    connection: &ConnectionArgs,
    given: Option<(&'static str, &str)>,
    sandbox: &Url,
) -> Result<Option<Console>, CommandError> {
    let wait = connection.timeouts().connect;
    let tls = connection.tls()?;
    if let Some((flag, text)) = given {
        let url = keys::address(flag, text)?;
        let found = probe_console(&url, wait, &tls).await;
        return found.map(Some).map_err(|error| CommandError {
            exit: Exit::Unreachable,
            cause: anyhow::Error::new(error).context(flag),
        });
    }
    let port = sandbox.port_or_known_default();
    let Some(port) = port.filter(|_| keys::is_loopback(sandbox)) else {
        return Ok(None);
    };
    for port_of_console in [port.saturating_sub(1), USUAL_CONSOLE] {
        let mut url = sandbox.clone();
        url.set_path("/");
        // Whatever else listens there is asked nothing but who it is.
        if url.set_port(Some(port_of_console)).is_err() {
            continue;
        }
        let Ok(console) = probe_console(&url, wait, &tls).await else {
            continue;
        };
        let simulated = console.simulated.first();
        if simulated.is_some_and(|own| own.port_or_known_default() == Some(port)) {
            return Ok(Some(console));
        }
    }
    Ok(None)
}

/// Says what was found, where something was: a console that was meant can be seen to be used.
pub(super) fn report_capabilities(capabilities: &Capabilities, sink: Option<&RunSink>) {
    if let Some(control) = &capabilities.control {
        let clocks = match capabilities.movable_clock {
            true => "can be moved",
            false => "cannot be moved",
        };
        say(format_args!("console {control}: is ready; clocks {clocks}"));
    }
    if let Some(sink) = sink {
        say(format_args!("webhooks reach this run at {}", sink.url));
    }
}
