//! How a run goes: its pace, how long it waits, how much at once, and what the service can do.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use reqwest::Url;
use svc_fixtures::duration::parse_duration_ms;
use svc_tls::Tls;
use tokio::net::TcpListener;

use super::early_end::EndOfRun;
use super::exit::{CommandError, Exit};
use super::{keys, say};
use crate::capture::Capabilities;
use crate::client::Pace;
use crate::run::{Order, RunLimits};
use crate::sink::{RunSink, Sink, serve};
use crate::target::{Console, Timeouts, probe_console};

/// The port of a simulator's console where none was given to it.
const USUAL_CONSOLE: u16 = 8800;

/// How a run goes.
#[derive(Debug, Args)]
pub(super) struct ExecutionArgs {
    /// How long to wait for a whole answer, such as 30s [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Trust the certificate authorities of this file (PEM), too
    #[arg(long, env = "SVC_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Show this certificate to the service where it asks for one: certificate and key (PEM)
    #[arg(long, env = "SVC_CLIENT_CERT", value_name = "FILE")]
    client_cert: Option<PathBuf>,
    /// Send at most so many requests a second
    #[arg(long, value_name = "N", value_parser = rate)]
    rate: Option<f64>,
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
    /// The address at which the service's webhooks reach this run, which listens there [default: a
    /// free port, where the console is on this machine]
    #[arg(long, value_name = "URL")]
    webhook_sink: Option<String>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let ms = parse_duration_ms(text).map_err(|mistake| mistake.to_string())?;
    match ms {
        0 => Err("longer than nothing".to_owned()),
        _ => Ok(Duration::from_millis(ms)),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let rate: Option<f64> = text.parse().ok();
    let rate = rate.filter(|rate| (0.001..=10_000.0).contains(rate));
    rate.ok_or_else(|| "a number of requests a second, from 0.001 to 10000".to_owned())
}

impl ExecutionArgs {
    pub(super) fn timeouts(&self) -> Timeouts {
        let usual = Timeouts::default();
        let answer = self.timeout.unwrap_or(usual.answer);
        Timeouts {
            connect: usual.connect.min(answer),
            answer,
        }
    }

    /// What may end the run before its time.
    pub(super) fn end_of_run(&self) -> Result<EndOfRun, CommandError> {
        let heard = EndOfRun::listen(self.time_limit);
        let heard = heard.context("signals can't be heard");
        Ok(heard?)
    }

    /// How https:// addresses are spoken to.
    pub(super) fn tls(&self) -> Result<Tls, CommandError> {
        let read = Tls::read(self.ca_file.as_deref(), self.client_cert.as_deref());
        let read = read.map(Tls::with_proxy_of_environment);
        read.map_err(|error| CommandError::usage(format!("{error}. Nothing was sent")))
    }

    pub(super) fn pace(&self) -> Pace {
        self.rate.map_or_else(Pace::default, Pace::per_second)
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
        let (wait, tls) = (self.timeouts().connect, self.tls()?);
        if let Some(text) = &self.console_url {
            let url = keys::address("--console-url", text)?;
            let found = probe_console(&url, wait, &tls).await;
            return found.map(Some).map_err(|error| CommandError {
                exit: Exit::Unreachable,
                cause: anyhow::Error::new(error).context("--console-url"),
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
            let simulated = console.simulated.as_ref();
            if simulated.is_some_and(|own| own.port_or_known_default() == Some(port)) {
                return Ok(Some(console));
            }
        }
        Ok(None)
    }

    /// The run's own receiver, listening: at the address that was given, or, for a simulator on this
    /// machine with a console, at a free port. None where webhooks can't reach it.
    pub(super) async fn sink(
        &self,
        console: Option<&Console>,
    ) -> Result<Option<RunSink>, CommandError> {
        let (address, url) = match &self.webhook_sink {
            Some(text) => {
                let url = keys::address("--webhook-sink", text)?;
                let port = url.port_or_known_default().unwrap_or(80);
                let host = url.host_str().and_then(|host| host.parse::<IpAddr>().ok());
                let host = host.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
                (SocketAddr::new(host, port), Some(url))
            }
            None => match console {
                Some(console) if keys::is_loopback(&console.url) => {
                    (SocketAddr::from(([127, 0, 0, 1], 0)), None)
                }
                _ => return Ok(None),
            },
        };
        let failed = |error: io::Error| {
            CommandError::usage(format!(
                "--webhook-sink: {address} can't be listened on: {error}"
            ))
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let url = url.map_or_else(|| format!("http://{address}"), |url| url.to_string());
        let url = url.trim_end_matches('/').to_owned();
        let sink = Sink::default();
        tokio::spawn(serve(listener, sink.clone()));
        Ok(Some(RunSink { sink, url }))
    }

    /// Whether the console was named, and not just found.
    pub(super) fn names_console(&self) -> bool {
        self.console_url.is_some()
    }
}

/// Says what was found, where something was: a console that was meant can be seen to be used.
pub(super) fn report_capabilities(capabilities: &Capabilities) {
    if let Some(control) = &capabilities.control {
        let clocks = match capabilities.movable_clock {
            true => "can be moved",
            false => "cannot be moved",
        };
        say(format_args!("console {control}: is ready; clocks {clocks}"));
    }
    if let Some(sink) = &capabilities.webhook_sink {
        say(format_args!("webhooks reach this run at {sink}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_or_time_that_means_nothing_is_refused() {
        for wrong in ["0", "-1", "nan", "inf", "10001", "fast"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
        assert_eq!(rate("0.5"), Ok(0.5));
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert!(duration("0s").is_err());
        assert!(duration("soon").is_err());
    }
}
