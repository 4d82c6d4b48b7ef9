//! `healthcheck`: asks a running simulator whether it is ready, and says so by its exit code. It is what the health check of
//! a container runs, in whose image there is no other program that could ask.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use reqwest::Url;
use serde::Deserialize;

use super::control_client::{ConsoleArgs, ControlClient, console_url};
use super::failure::Failure;
use super::{terminal, values};

/// The arguments of `healthcheck`.
#[derive(Debug, Args)]
pub(super) struct HealthcheckArgs {
    /// Where the console of the simulator is [default: where `serve` puts it with the same environment, or
    /// http://127.0.0.1:8800]
    #[arg(
        long = "console",
        env = "SVC_SIMULATOR_CONSOLE_URL",
        value_name = "URL",
        value_parser = console_url
    )]
    url: Option<Url>,
    /// The address that `serve` was given for its console
    #[arg(long, env = "SVC_SIMULATOR_CONSOLE", value_name = "ADDRESS", value_parser = values::address)]
    listens: Option<SocketAddr>,
    /// How long the answer may take
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = values::duration)]
    within: Duration,
}

/// What is said of a simulator that is ready.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ready,
}

/// The answer, as far as it matters here: whatever else answers there is no simulator.
#[derive(Deserialize)]
struct Ready {
    #[serde(rename = "status")]
    _status: Status,
    product: String,
    version: String,
}

/// Runs the command.
pub(super) fn run(args: &HealthcheckArgs) -> Result<(), Failure> {
    let url = match (&args.url, args.listens) {
        (Some(url), _) => url.clone(),
        (None, listens) => asked_at(listens),
    };
    let client = ControlClient::new(&ConsoleArgs::at(url))?;
    let answer = client.get(&["ready"], &[], args.within)?;
    let ready: Ready = client.read(&answer)?;
    terminal::print(&format!("{} {} is ready\n", ready.product, ready.version))
}

/// Where a listener is reached from its own machine: one on all addresses has no address itself.
fn asked_at(listens: Option<SocketAddr>) -> Url {
    let mut address = listens.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 8800)));
    match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    let url = format!("http://{address}").parse();
    url.expect("an address and a port are a URL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_on_all_addresses_is_asked_on_this_machine() {
        for (listens, asked) in [
            (None, "http://127.0.0.1:8800/"),
            (Some("0.0.0.0:9000"), "http://127.0.0.1:9000/"),
            (Some("[::]:9000"), "http://[::1]:9000/"),
            (Some("10.1.2.3:8800"), "http://10.1.2.3:8800/"),
        ] {
            let listens = listens.map(|it| it.parse().unwrap());
            assert_eq!(asked_at(listens).as_str(), asked);
        }
    }
}
