//! What `serve` is told: by flags, else by the environment, else by `svc-simulator.toml` in the
//! working directory, else by default.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;
use svc_fixtures::duration::parse_duration_ms;
use svc_fixtures::reading::{Item, Problems, Source, Table};

use super::Failure;
use crate::http::Addresses;
use crate::http::edge::EdgeLimits;

/// The file that is read where it exists.
const FILE: &str = "svc-simulator.toml";

/// The flags of `serve`.
#[derive(Debug, Default, Args)]
pub(super) struct ServeArgs {
    /// Address of the console and the control API; port 0 takes a free one [default: 127.0.0.1:8800]
    #[arg(long, env = "SVC_SIMULATOR_CONSOLE", value_name = "ADDRESS")]
    pub(super) console: Option<SocketAddr>,
    /// Address of the sandbox [default: 127.0.0.1:8801]
    #[arg(long, env = "SVC_SIMULATOR_SANDBOX", value_name = "ADDRESS")]
    pub(super) sandbox: Option<SocketAddr>,
    /// Address of live [default: 127.0.0.1:8802]
    #[arg(long, env = "SVC_SIMULATOR_LIVE", value_name = "ADDRESS")]
    pub(super) live: Option<SocketAddr>,
    /// Write the three addresses to this file, as JSON, once all are bound
    #[arg(long, env = "SVC_SIMULATOR_PORTS_FILE", value_name = "FILE")]
    pub(super) ports_file: Option<PathBuf>,
    /// A text that changes every id
    #[arg(long, env = "SVC_SIMULATOR_SEED", value_name = "TEXT")]
    pub(super) seed: Option<String>,
    /// Folder of scenario files that come before the built-in ones; may be repeated
    #[arg(long, env = "SVC_SIMULATOR_SCENARIOS", value_name = "FOLDER")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Network of proxies whose X-Forwarded-For is believed; may be repeated
    #[arg(long, env = "SVC_SIMULATOR_TRUSTED_PROXY", value_name = "NET", value_parser = network, value_delimiter = ',')]
    pub(super) trusted_proxy: Vec<IpNet>,
    /// How long running requests may go on after the stop [default: 10s]
    #[arg(long, env = "SVC_SIMULATOR_DRAIN", value_name = "DURATION", value_parser = duration)]
    pub(super) drain: Option<Duration>,
    /// What is logged to stderr: a level, or directives such as svc_simulator=debug [default: info]
    #[arg(long, env = "SVC_SIMULATOR_LOG", value_name = "FILTER")]
    pub(super) log: Option<String>,
}

/// What holds in the end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) addresses: Addresses,
    pub(super) ports_file: Option<PathBuf>,
    pub(super) seed: String,
    pub(super) scenarios: Vec<PathBuf>,
    pub(super) trusted_proxies: Vec<IpNet>,
    pub(super) drain: Duration,
    pub(super) log: String,
}

/// The settings of these flags and of the file in the working directory.
pub(super) fn resolve(args: &ServeArgs) -> Result<Settings, Failure> {
    let file = match fs::read_to_string(FILE) {
        Ok(text) => read(&Source::new(FILE, text))?,
        Err(error) if error.kind() == ErrorKind::NotFound => ServeArgs::default(),
        Err(error) => return Err(Failure::Usage(format!("{FILE} can't be read: {error}"))),
    };
    Ok(merged(args, file))
}

fn merged(args: &ServeArgs, file: ServeArgs) -> Settings {
    let default = Addresses::DEFAULT;
    let list = |flags: &[PathBuf], file: Vec<PathBuf>| {
        if flags.is_empty() {
            file
        } else {
            flags.to_vec()
        }
    };
    Settings {
        addresses: Addresses {
            console: args.console.or(file.console).unwrap_or(default.console),
            sandbox: args.sandbox.or(file.sandbox).unwrap_or(default.sandbox),
            live: args.live.or(file.live).unwrap_or(default.live),
        },
        ports_file: args.ports_file.clone().or(file.ports_file),
        seed: args.seed.clone().or(file.seed).unwrap_or_default(),
        scenarios: list(&args.scenarios, file.scenarios),
        trusted_proxies: match args.trusted_proxy.is_empty() {
            true => file.trusted_proxy,
            false => args.trusted_proxy.clone(),
        },
        drain: args
            .drain
            .or(file.drain)
            .unwrap_or(EdgeLimits::default().drain),
        log: args
            .log
            .clone()
            .or(file.log)
            .unwrap_or_else(|| "info".to_owned()),
    }
}

/// The file says the same as the flags. Every mistake is told, with its line.
fn read(source: &std::sync::Arc<Source>) -> Result<ServeArgs, Problems> {
    let (args, problems) = Table::of_source(source, |root| ServeArgs {
        console: address(root, "console"),
        sandbox: address(root, "sandbox"),
        live: address(root, "live"),
        ports_file: root.optional_text("ports_file").map(PathBuf::from),
        seed: root.optional_text("seed").map(str::to_owned),
        scenarios: root
            .texts("scenarios")
            .into_iter()
            .map(|text| Path::new(text).to_owned())
            .collect(),
        trusted_proxy: networks(root),
        drain: root
            .optional("drain")
            .and_then(|item| parsed(&item, duration)),
        log: root.optional_text("log").map(str::to_owned),
    });
    problems.or(args)
}

fn address(root: &Table<'_>, name: &str) -> Option<SocketAddr> {
    let parse = |text: &str| {
        text.parse()
            .map_err(|_| "write an address and a port: 127.0.0.1:8801".to_owned())
    };
    parsed(&root.optional(name)?, parse)
}

fn networks(root: &Table<'_>) -> Vec<IpNet> {
    let items = root
        .optional("trusted_proxies")
        .and_then(|item| item.list());
    items
        .unwrap_or_default()
        .iter()
        .filter_map(|item| parsed(item, network))
        .collect()
}

fn parsed<T>(item: &Item<'_>, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
    parse(item.text()?)
        .map_err(|mistake| item.problem(mistake))
        .ok()
}

/// A network, or one address.
fn network(text: &str) -> Result<IpNet, String> {
    let alone = || text.parse::<IpAddr>().map(IpNet::from);
    let network = text.parse::<IpNet>().or_else(|_| alone());
    network.map_err(|_| "write an address or a network: 10.0.0.0/8".to_owned())
}

/// A span of time such as `30s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    parse_duration_ms(text)
        .map(Duration::from_millis)
        .map_err(|mistake| mistake.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<ServeArgs, String> {
        read(&Source::new(FILE, text)).map_err(|problems| problems.to_string())
    }

    #[test]
    fn flags_come_before_the_file_and_the_file_before_the_defaults() {
        let text = "sandbox = \"127.0.0.1:1\"\nlive = \"127.0.0.1:2\"\nseed = \"file\"\ndrain = \"2s\"\n\
                    scenarios = [\"a\", \"b\"]\ntrusted_proxies = [\"10.0.0.0/8\"]";
        let args = ServeArgs {
            live: "127.0.0.1:3".parse().ok(),
            seed: Some("flag".into()),
            ..ServeArgs::default()
        };
        let settings = merged(&args, file(text).unwrap());
        assert_eq!(settings.addresses.console, Addresses::DEFAULT.console);
        assert_eq!(settings.addresses.sandbox.port(), 1);
        assert_eq!(settings.addresses.live.port(), 3);
        assert_eq!(
            (settings.seed.as_str(), settings.log.as_str()),
            ("flag", "info")
        );
        assert_eq!(settings.drain, Duration::from_secs(2));
        assert_eq!(settings.scenarios, [Path::new("a"), Path::new("b")]);
        assert_eq!(settings.trusted_proxies, ["10.0.0.0/8".parse().unwrap()]);
    }

    #[test]
    fn mistakes_of_the_file_are_told_all_at_once_with_their_lines() {
        let mistakes = file("sandbx = \"127.0.0.1:1\"\nlive = \"8802\"\ndrain = 5\n").unwrap_err();
        for part in [
            "svc-simulator.toml:1",
            "did you mean `sandbox`?",
            "svc-simulator.toml:2",
            "svc-simulator.toml:3",
            "3 mistakes",
        ] {
            assert!(mistakes.contains(part), "{part} is not in\n{mistakes}");
        }
    }
}
