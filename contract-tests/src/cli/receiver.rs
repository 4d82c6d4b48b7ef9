//! The run's own receiver of webhooks: where it listens, and who tells the service of it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use reqwest::Url;
use svc_fixtures::contract::Contract;
use tokio::net::TcpListener;

use super::connection::duration;
use super::exit::CommandError;
use super::{keys, say};
use crate::capture::Capabilities;
use crate::client::Keyring;
use crate::plan::webhook::first_retry;
use crate::redact::Secret;
use crate::sink::{RunSink, Sink, serve};
use crate::target::Console;

/// A shorter secret can't be blacked out: it would be a part of words.
const SHORTEST_SECRET: usize = 8;

/// The run's own receiver of webhooks.
#[derive(Debug, Clone, Args)]
pub(super) struct ReceiverArgs {
    /// Receive webhooks at this address, such as 0.0.0.0:8900 or 127.0.0.1:0 [default: a free port, where the
    /// console is that of a simulator on this machine]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// The URL at which the service's webhooks reach this run: they are to come by its path then [default: where it listens, by
    /// any path]
    #[arg(long, value_name = "URL")]
    webhook_sink: Option<String>,
    /// The secret that webhooks are signed with, where you have registered the URL in the provider's own console
    #[arg(
        long,
        env = "SVC_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    webhook_secret: Option<Secret>,
    /// How long to wait for a result that comes later, by webhook or look-up [default: 10s]. Where a run judges
    /// webhooks by --webhook-secret, the first one is refused for 38 s, or for this long where that is more, to see it
    /// tried again after 30 s; it is not where this is less
    #[arg(long, value_name = "TIME", value_parser = duration)]
    result_wait: Option<Duration>,
}

/// How long a result is waited for where nobody says otherwise.
const USUAL: Duration = Duration::from_secs(10);

impl ReceiverArgs {
    /// Those of a command that asks for them in its own words.
    pub(super) fn of(
        listen: Option<SocketAddr>,
        webhook_sink: Option<String>,
        webhook_secret: Option<Secret>,
        result_wait: Duration,
    ) -> Self {
        ReceiverArgs {
            listen,
            webhook_sink,
            webhook_secret,
            result_wait: Some(result_wait),
        }
    }

    /// The receiver, listening: at the address that was given, or, for a simulator on this machine with a console, at
    /// a free port. None where webhooks can't reach it. It `judges` retries where nobody gave it less time.
    pub(super) async fn open(
        &self,
        console: Option<&Console>,
        contract: &Contract,
        ring: &Keyring,
        judges: bool,
    ) -> Result<Option<RunSink>, CommandError> {
        let url = self.webhook_sink.as_deref();
        let url = url.map(|text| keys::address("--webhook-sink", text));
        let url = url.transpose()?;
        let asked = self.listen.is_some() || url.is_some();
        let secret = self.secret()?.filter(|_| asked);
        let Some(address) = self.address(url.as_ref(), console) else {
            return Ok(None);
        };
        if secret.is_none() && console.is_none() {
            return Err(CommandError::usage(
                "--listen, --webhook-sink: nobody tells the service of this receiver. Register its URL in the provider's \
                 console and give its secret as --webhook-secret (or SVC_WEBHOOK_SECRET), or name a simulator's console \
                 with --console-url. Nothing was sent",
            ));
        }
        let failed = |error: io::Error| {
            CommandError::usage(format!("--listen: {address} can't be listened on: {error}"))
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let url = url.map(|url| url.to_string().trim_end_matches('/').to_owned());
        let path = own_path(url.as_deref(), address).map(str::to_owned);
        let url = url.unwrap_or_else(|| format!("http://{address}"));
        let sink = match secret {
            Some(secret) => {
                let retry = first_retry(contract);
                let watch = self.result_wait.or(judges.then_some(retry));
                let watch = watch.filter(|watch| *watch >= retry);
                if judges && watch.is_none() {
                    let least = retry.as_secs();
                    say(format_args!(
                        "--result-wait: is less than {least}s: whether a webhook that was refused is sent again is not judged"
                    ));
                }
                let wait = self.result_wait();
                let sink = Sink::registered(secret.clone(), ring.secrets(), wait, watch);
                match path {
                    Some(path) => sink.at_path(&path),
                    None => sink,
                }
            }
            None => Sink::default(),
        };
        tokio::spawn(serve(listener, sink.clone()));
        Ok(Some(RunSink { sink, url }))
    }

    /// How long a result that comes later is waited for.
    pub(super) fn result_wait(&self) -> Duration {
        self.result_wait.unwrap_or(USUAL)
    }

    fn secret(&self) -> Result<Option<&Secret>, CommandError> {
        long_enough(self.webhook_secret.as_ref())
    }

    /// Where to listen: without an address at the port of the URL.
    fn address(&self, url: Option<&Url>, console: Option<&Console>) -> Option<SocketAddr> {
        let of_url = |url: &Url| {
            let host = url.host_str().and_then(|host| host.parse::<IpAddr>().ok());
            let host = host.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
            SocketAddr::new(host, url.port_or_known_default().unwrap_or(80))
        };
        let here = console.is_some_and(|console| keys::is_loopback(&console.url));
        let free = here.then_some(SocketAddr::from(([127, 0, 0, 1], 0)));
        self.listen.or(url.map(of_url)).or(free)
    }
}

/// The path that webhooks come by, where somebody says which URL is registered and it is this address: a tunnel or a proxy in
/// between may give paths of its own.
fn own_path(registered: Option<&str>, address: SocketAddr) -> Option<&str> {
    let path = registered?.strip_prefix(&format!("http://{address}"))?;
    Some(if path.is_empty() { "/" } else { path })
}

/// A secret that can be found in what is written.
pub(super) fn long_enough(secret: Option<&Secret>) -> Result<Option<&Secret>, CommandError> {
    match secret.is_some_and(|secret| secret.expose().len() < SHORTEST_SECRET) {
        true => Err(CommandError::usage(format!(
            "--webhook-secret (or SVC_WEBHOOK_SECRET): a secret of under {SHORTEST_SECRET} characters can't be blacked \
             out in what is written. Nothing was sent"
        ))),
        false => Ok(secret),
    }
}

/// What the receiver adds to what can be done with a service.
pub(super) fn add(capabilities: &mut Capabilities, sink: Option<&RunSink>) {
    let Some(sink) = sink else { return };
    match sink.sink.secret() {
        Some(_) => capabilities.registered = true,
        None => capabilities.webhook_sink = Some(sink.url.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhooks_are_to_come_by_a_path_only_where_it_was_said() {
        let address = SocketAddr::from(([127, 0, 0, 1], 8900));
        let path = |registered| own_path(registered, address);
        assert_eq!(path(None), None);
        assert_eq!(path(Some("http://127.0.0.1:8900")), Some("/"));
        assert_eq!(path(Some("http://127.0.0.1:8900/hook")), Some("/hook"));
        assert_eq!(path(Some("https://hooks.example/to/us")), None);
    }
}
