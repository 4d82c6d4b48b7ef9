//! The settings of `serve`: from flags, else from the environment, else from `svc-simulator.toml` in the
//! working directory, else defaults.

use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ipnet::IpNet;
use jiff::Timestamp;
use svc_fixtures::reading::{Problems, Source, Table};

use super::failure::Failure;
use super::memory::{self, MemoryArgs};
use super::values::{
    duration, instant, int_item, network, parse_item, text_item, time_scale, token,
};
use crate::host::courier::SignatureClock;
use crate::host::memory::MemoryLimits;
use crate::http::ListenerAddresses;
use crate::http::control::guard::{ConsoleAccess, ConsoleToken};
use crate::http::edge::EdgeLimits;
use crate::simulator::Reload;

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
    /// Look this often whether scenario files changed, such as 2s, on file systems that do not tell
    #[arg(long, env = "SVC_SIMULATOR_SCENARIO_POLL", value_name = "DURATION", value_parser = duration, conflicts_with = "no_reload")]
    pub(super) scenario_poll: Option<Duration>,
    /// Keep to the scenario files as they are at the start
    #[arg(long, env = "SVC_SIMULATOR_NO_RELOAD")]
    pub(super) no_reload: bool,
    /// Instant at which all accounts' clocks start to run, such as 2031-01-01T00:00:00Z
    /// [default: the machine's]
    #[arg(long, env = "SVC_SIMULATOR_CLOCK", value_name = "INSTANT", value_parser = instant)]
    pub(super) clock: Option<Timestamp>,
    /// Instant at which all accounts' clocks stand still until they are moved
    #[arg(long, env = "SVC_SIMULATOR_FREEZE_AT", value_name = "INSTANT", value_parser = instant, conflicts_with_all = ["clock", "time_scale"])]
    pub(super) freeze_at: Option<Timestamp>,
    /// How many seconds pass for all accounts in one of the machine's, up to 86400 [default: 1]
    #[arg(long, env = "SVC_SIMULATOR_TIME_SCALE", value_name = "FACTOR", value_parser = time_scale)]
    pub(super) time_scale: Option<u32>,
    /// Sign webhooks with the account's time, not the machine's: receivers that check the time then
    /// refuse what comes from accounts whose clocks were moved
    #[arg(long, env = "SVC_SIMULATOR_WEBHOOK_ACCOUNT_TIME")]
    pub(super) webhook_account_time: bool,
    /// Network of proxies whose X-Forwarded-For is believed; may be repeated
    #[arg(long, env = "SVC_SIMULATOR_TRUSTED_PROXY", value_name = "NET", value_parser = network, value_delimiter = ',')]
    pub(super) trusted_proxy: Vec<IpNet>,
    /// What must be shown to use the console; needed where it listens for other machines
    #[arg(
        long,
        env = "SVC_SIMULATOR_CONSOLE_TOKEN",
        value_name = "TEXT",
        value_parser = token,
        hide_env_values = true
    )]
    pub(super) console_token: Option<ConsoleToken>,
    /// Another name by which the console may be called; may be repeated
    #[arg(
        long,
        env = "SVC_SIMULATOR_CONSOLE_HOST",
        value_name = "NAME",
        value_delimiter = ','
    )]
    pub(super) console_host: Vec<String>,
    /// Network that webhooks may go to, beside this machine; may be repeated
    #[arg(long, env = "SVC_SIMULATOR_WEBHOOK_TARGET", value_name = "NET", value_parser = network, value_delimiter = ',')]
    pub(super) webhook_target: Vec<IpNet>,
    /// How long running requests may go on after the stop [default: 10s]
    #[arg(long, env = "SVC_SIMULATOR_DRAIN", value_name = "DURATION", value_parser = duration)]
    pub(super) drain: Option<Duration>,
    /// What is logged to stderr: a level, or directives such as svc_simulator=debug [default: info]
    #[arg(long, env = "SVC_SIMULATOR_LOG", value_name = "FILTER")]
    pub(super) log: Option<String>,
    #[command(flatten)]
    pub(super) memory: MemoryArgs,
}

/// The settings after flags, file and defaults are merged.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ServeSettings {
    pub(super) memory_limits: MemoryLimits,
    pub(super) addresses: ListenerAddresses,
    pub(super) ports_file: Option<PathBuf>,
    pub(super) seed: String,
    pub(super) scenarios: Vec<PathBuf>,
    pub(super) reload: Reload,
    pub(super) clock: ClockSettings,
    pub(super) signature_clock: SignatureClock,
    pub(super) trusted_proxies: Vec<IpNet>,
    pub(super) access: ConsoleAccess,
    pub(super) webhook_targets: Vec<IpNet>,
    pub(super) drain: Duration,
    pub(super) log: String,
}

/// How the clocks of all accounts start.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ClockSettings {
    /// They run.
    Running {
        /// From this instant; else from the machine's.
        from: Option<Timestamp>,
        /// So many times as fast as the machine's.
        scale: u32,
    },
    /// They stand still.
    Frozen {
        /// Here.
        at: Timestamp,
    },
}

/// The settings of these flags and of the file in the working directory.
pub(super) fn resolve(args: &ServeArgs) -> Result<ServeSettings, Failure> {
    let file = match fs::read_to_string(FILE) {
        Ok(text) => read(&Source::new(FILE, text))?,
        Err(error) if error.kind() == ErrorKind::NotFound => ServeArgs::default(),
        Err(error) => return Err(Failure::Usage(format!("{FILE} can't be read: {error}"))),
    };
    let settings = check_console(merge(args, file))?;
    memory::check(&settings.memory_limits)?;
    Ok(settings)
}

/// A console that other machines can reach must have a token.
fn check_console(settings: ServeSettings) -> Result<ServeSettings, Failure> {
    let console = settings.addresses.console;
    match console.ip().is_loopback() || settings.access.token.is_some() {
        true => Ok(settings),
        false => Err(Failure::Usage(format!(
            "the console at {console} can be reached from other machines, and whoever reaches it \
             rules the simulator: give --console-token TEXT, or leave it on 127.0.0.1"
        ))),
    }
}

fn merge(args: &ServeArgs, file: ServeArgs) -> ServeSettings {
    let default = ListenerAddresses::DEFAULT;
    let (clock, reload) = (clock(args, &file), reload(args, &file));
    ServeSettings {
        memory_limits: args.memory.limits(&file.memory),
        addresses: ListenerAddresses {
            console: args.console.or(file.console).unwrap_or(default.console),
            sandbox: args.sandbox.or(file.sandbox).unwrap_or(default.sandbox),
            live: args.live.or(file.live).unwrap_or(default.live),
        },
        ports_file: args.ports_file.clone().or(file.ports_file),
        seed: args.seed.clone().or(file.seed).unwrap_or_default(),
        scenarios: list(&args.scenarios, file.scenarios),
        reload,
        clock,
        signature_clock: match args.webhook_account_time || file.webhook_account_time {
            true => SignatureClock::Account,
            false => SignatureClock::Real,
        },
        trusted_proxies: list(&args.trusted_proxy, file.trusted_proxy),
        access: ConsoleAccess {
            token: args.console_token.clone().or(file.console_token),
            hosts: list(&args.console_host, file.console_host),
        },
        webhook_targets: list(&args.webhook_target, file.webhook_target),
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

/// A flag about clocks overrides everything that the file says about them.
fn clock(args: &ServeArgs, file: &ServeArgs) -> ClockSettings {
    let chosen = |of: &ServeArgs| {
        let running = of.clock.is_some() || of.time_scale.is_some();
        let (from, scale) = (of.clock, of.time_scale.unwrap_or(1));
        match of.freeze_at {
            Some(at) => Some(ClockSettings::Frozen { at }),
            None => running.then_some(ClockSettings::Running { from, scale }),
        }
    };
    let machine = ClockSettings::Running {
        from: None,
        scale: 1,
    };
    chosen(args).or_else(|| chosen(file)).unwrap_or(machine)
}

/// A flag about reloading overrides everything that the file says about it.
fn reload(args: &ServeArgs, file: &ServeArgs) -> Reload {
    let chosen = |of: &ServeArgs| match of.no_reload {
        true => Some(Reload::Never),
        false => of.scenario_poll.map(Reload::Polling),
    };
    chosen(args)
        .or_else(|| chosen(file))
        .unwrap_or(Reload::OnChange)
}

fn list<T: Clone>(flags: &[T], file: Vec<T>) -> Vec<T> {
    match flags.is_empty() {
        true => file,
        false => flags.to_vec(),
    }
}

/// Reads the file, which has the same settings as the flags. Reports every mistake with its line.
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
        scenario_poll: text_item(root, "scenario_poll", duration),
        no_reload: root.flag("no_reload"),
        clock: text_item(root, "clock", instant),
        freeze_at: frozen_at(root),
        time_scale: int_item(root, "time_scale", time_scale),
        webhook_account_time: root.flag("webhook_account_time"),
        trusted_proxy: networks(root, "trusted_proxies"),
        console_token: text_item(root, "console_token", token),
        console_host: root
            .texts("console_hosts")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        webhook_target: networks(root, "webhook_targets"),
        drain: text_item(root, "drain", duration),
        log: root.optional_text("log").map(str::to_owned),
        memory: MemoryArgs::read(root),
    });
    problems.or(args)
}

fn address(root: &Table<'_>, name: &str) -> Option<SocketAddr> {
    let parse = |text: &str| {
        text.parse()
            .map_err(|_| "write an address and a port: 127.0.0.1:8801".to_owned())
    };
    text_item(root, name, parse)
}

fn frozen_at(root: &Table<'_>) -> Option<Timestamp> {
    let item = root.optional("freeze_at")?;
    for name in ["clock", "time_scale"] {
        if let Some(other) = root.optional(name) {
            other.problem(format!(
                "`{name}` is for clocks that run, `freeze_at` stops them"
            ));
        }
    }
    parse_item(&item, instant)
}

fn networks(root: &Table<'_>, name: &str) -> Vec<IpNet> {
    let items = root.optional(name).and_then(|item| item.list());
    items
        .unwrap_or_default()
        .iter()
        .filter_map(|item| parse_item(item, network))
        .collect()
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
        let settings = merge(&args, file(text).unwrap());
        assert_eq!(
            settings.addresses.console,
            ListenerAddresses::DEFAULT.console
        );
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
    fn a_flag_overrules_what_the_file_says_of_reading_again() {
        let reload = |args: &ServeArgs, text: &str| merge(args, file(text).unwrap()).reload;
        let (none, never) = (
            ServeArgs::default(),
            ServeArgs {
                no_reload: true,
                ..ServeArgs::default()
            },
        );
        let two = Reload::Polling(Duration::from_secs(2));
        assert_eq!(reload(&none, ""), Reload::OnChange);
        assert_eq!(reload(&none, "scenario_poll = \"2s\""), two);
        assert_eq!(reload(&none, "no_reload = true"), Reload::Never);
        assert_eq!(reload(&never, "scenario_poll = \"2s\""), Reload::Never);
        assert!(file("scenario_poll = 2").is_err());
    }

    #[test]
    fn a_flag_that_stops_the_clocks_overrules_a_file_that_lets_them_run() {
        let at = "2031-01-01T00:00:00Z";
        let text = format!("clock = \"{at}\"\ntime_scale = 60");
        let running = merge(&ServeArgs::default(), file(&text).unwrap()).clock;
        let from = at.parse().ok();
        assert_eq!(running, ClockSettings::Running { from, scale: 60 });
        let args = ServeArgs {
            freeze_at: from,
            ..ServeArgs::default()
        };
        let frozen = merge(&args, file(&text).unwrap()).clock;
        assert_eq!(frozen, ClockSettings::Frozen { at: from.unwrap() });
    }

    #[test]
    fn a_file_can_not_both_stop_the_clocks_and_let_them_run() {
        let text = "freeze_at = \"2031-01-01T00:00:00Z\"\ntime_scale = 0";
        let mistakes = file(text).unwrap_err();
        for part in ["`freeze_at` stops them", "from 1 to 86400", "2 mistakes"] {
            assert!(mistakes.contains(part), "{part} is not in\n{mistakes}");
        }
    }

    #[test]
    fn a_console_for_other_machines_needs_a_token() {
        let resolved = |console: &str, token: Option<&str>| {
            let args = ServeArgs {
                console: console.parse().ok(),
                console_token: token.and_then(ConsoleToken::new),
                ..ServeArgs::default()
            };
            check_console(merge(&args, ServeArgs::default()))
        };
        for (console, token, starts) in [
            ("127.0.0.1:0", None, true),
            ("127.9.9.9:0", None, true),
            ("[::1]:0", None, true),
            ("0.0.0.0:0", None, false),
            ("0.0.0.0:0", Some("sample-token"), true),
            ("[::]:0", None, false),
            ("192.0.2.7:0", None, false),
        ] {
            let ended = resolved(console, token);
            assert_eq!(ended.is_ok(), starts, "{console} {token:?}");
            if let Err(failure) = ended {
                assert!(failure.to_string().contains("--console-token"));
                assert_eq!(failure.exit_code(), crate::cli::EXIT_USAGE);
            }
        }
    }

    #[test]
    fn the_file_says_who_may_use_the_console_and_where_webhooks_may_go() {
        let text = "console_token = \"sample-token\"\nconsole_hosts = [\"console.example\"]\n\
                    webhook_targets = [\"10.0.0.0/8\", \"192.0.2.7\"]";
        let settings = merge(&ServeArgs::default(), file(text).unwrap());
        assert_eq!(settings.access.token, ConsoleToken::new("sample-token"));
        assert_eq!(settings.access.hosts, ["console.example"]);
        let targets = ["10.0.0.0/8", "192.0.2.7/32"].map(|net| net.parse().unwrap());
        assert_eq!(settings.webhook_targets, targets);
        assert!(!format!("{settings:?}").contains("sample-token"));
        assert!(file("console_token = \"\"").is_err());
    }

    #[test]
    fn all_mistakes_of_the_file_are_reported_with_their_lines() {
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
