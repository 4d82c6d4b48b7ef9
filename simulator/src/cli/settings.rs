//! The settings of `serve`: flags, each with its variable of the environment and its default. What
//! `svc-simulator.toml` in the working directory says takes the place of the default.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command};
use ipnet::IpNet;
use jiff::Timestamp;
use svc_fixtures::reading::{Item, Problems, Source, Table};

use super::failure::Failure;
use super::logging::LogFormat;
use super::memory::MemoryArgs;
use super::public_urls::PublicUrlArgs;
use super::setting_value::read_value;
use super::shares::ShareArgs;
use super::token_file::read_token;
use super::values::{address, duration, host_name, instant, network, threads, time_scale, token};
use crate::engine::call::call_settings::Latency;
use crate::http::ListenerAddresses;
use crate::http::control::guard::ConsoleToken;
use crate::simulator::{Reload, Store, files};

/// The file that is read where it exists.
const FILE: &str = "svc-simulator.toml";

/// The flag without which it is.
pub(super) const NO_FILE: &str = "no_settings_file";

/// The settings of `serve`.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Address of the console and the control API; port 0 takes a free one
    #[arg(long, env = "SVC_SIMULATOR_CONSOLE", value_name = "ADDRESS", value_parser = address, default_value_t = ListenerAddresses::DEFAULT.console)]
    pub(super) console: SocketAddr,
    /// Address of the sandbox
    #[arg(long, env = "SVC_SIMULATOR_SANDBOX", value_name = "ADDRESS", value_parser = address, default_value_t = ListenerAddresses::DEFAULT.sandbox)]
    pub(super) sandbox: SocketAddr,
    /// Address of live
    #[arg(long, env = "SVC_SIMULATOR_LIVE", value_name = "ADDRESS", value_parser = address, default_value_t = ListenerAddresses::DEFAULT.live)]
    pub(super) live: SocketAddr,
    /// Do not read svc-simulator.toml in the working directory
    #[arg(long)]
    pub(super) no_settings_file: bool,
    /// Write the three addresses to this file, as JSON, once all are bound; nothing but a file is replaced
    #[arg(long, env = "SVC_SIMULATOR_PORTS_FILE", value_name = "FILE")]
    pub(super) ports_file: Option<PathBuf>,
    /// A text that changes every id
    #[arg(long, env = "SVC_SIMULATOR_SEED", value_name = "TEXT")]
    pub(super) seed: Option<String>,
    /// Where accounts are kept: memory; sqlite:FILE, with which a restart goes on where it stopped; or postgres://…, which several simulators share
    #[arg(
        long,
        env = "SVC_SIMULATOR_STORE",
        value_name = "STORE",
        default_value = "memory"
    )]
    pub(super) store: Store,
    /// Folder of scenario files that come before the built-in ones, without names that begin with a dot; may be repeated
    #[arg(long, env = "SVC_SIMULATOR_SCENARIOS", value_name = "FOLDER")]
    pub(super) scenarios: Vec<PathBuf>,
    /// What operations cost on live, INR by endpoint in TOML or JSON, where that is not what the contract's rows say
    #[arg(long, env = "SVC_SIMULATOR_PRICES", value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
    /// Look this often whether scenario files changed, such as 2s, on file systems that report no changes
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
    /// How many seconds pass for all accounts in one of the machine's, up to 86400
    #[arg(long, env = "SVC_SIMULATOR_TIME_SCALE", value_name = "FACTOR", value_parser = time_scale, default_value_t = 1)]
    pub(super) time_scale: u32,
    /// How long an answer takes that no scenario delays: none, typical (as long as its meta.latencyMs says), or a
    /// factor of that such as 0.1
    #[arg(long, env = "SVC_SIMULATOR_LATENCY", value_name = "LATENCY", default_value_t = Latency::NONE)]
    pub(super) latency: Latency,
    /// Refuse members of a body that no field names, with SVC_INVALID_INPUT; without it they are ignored, and the call
    /// log names them
    #[arg(long, env = "SVC_SIMULATOR_STRICT")]
    pub(super) strict: bool,
    /// Sign webhooks with the account's time, not the machine's: receivers that check the time then
    /// refuse what comes from accounts whose clocks were moved
    #[arg(long, env = "SVC_SIMULATOR_WEBHOOK_ACCOUNT_TIME")]
    pub(super) webhook_account_time: bool,
    /// Network of proxies whose X-Forwarded-For is believed; may be repeated
    #[arg(long = "trusted-proxy", env = "SVC_SIMULATOR_TRUSTED_PROXY", value_name = "NET", value_parser = network, value_delimiter = ',')]
    pub(super) trusted_proxies: Vec<IpNet>,
    /// What must be shown to use the console; needed where it listens for other machines. Who may list the machine's
    /// processes reads it here, and not where it stands in a file or in the environment
    #[arg(long, env = "SVC_SIMULATOR_CONSOLE_TOKEN", value_name = "TEXT", value_parser = token, hide_env_values = true)]
    pub(super) console_token: Option<ConsoleToken>,
    /// File whose one line is that token, such as a secret of a container
    #[arg(
        long,
        env = "SVC_SIMULATOR_CONSOLE_TOKEN_FILE",
        value_name = "FILE",
        conflicts_with = "console_token"
    )]
    pub(super) console_token_file: Option<PathBuf>,
    /// Another name by which the console may be called; may be repeated
    #[arg(
        long = "console-host",
        env = "SVC_SIMULATOR_CONSOLE_HOST",
        value_name = "NAME",
        value_parser = host_name,
        value_delimiter = ','
    )]
    pub(super) console_hosts: Vec<String>,
    /// Network that webhooks may go to, beside this machine; may be repeated
    #[arg(long = "webhook-target", env = "SVC_SIMULATOR_WEBHOOK_TARGET", value_name = "NET", value_parser = network, value_delimiter = ',')]
    pub(super) webhook_targets: Vec<IpNet>,
    /// Trust the certificate authorities of this file (PEM) in https:// receivers of webhooks, too
    #[arg(long, env = "SVC_SIMULATOR_WEBHOOK_CA_FILE", value_name = "FILE")]
    pub(super) webhook_ca_file: Option<PathBuf>,
    /// Show this certificate to receivers that ask for one: certificate and key (PEM)
    #[arg(long, env = "SVC_SIMULATOR_WEBHOOK_CLIENT_CERT", value_name = "FILE")]
    pub(super) webhook_client_cert: Option<PathBuf>,
    /// Threads that answer calls, each those of its own connections
    /// [default: as many as the machine has processors]
    #[arg(long, env = "SVC_SIMULATOR_THREADS", value_name = "THREADS", value_parser = threads)]
    pub(super) threads: Option<usize>,
    /// How long running requests may go on after the stop
    #[arg(long, env = "SVC_SIMULATOR_DRAIN", value_name = "DURATION", value_parser = duration, default_value = "10s")]
    pub(super) drain: Duration,
    /// What is logged to stderr: a level, or directives such as svc_simulator=debug
    #[arg(
        long,
        env = "SVC_SIMULATOR_LOG",
        value_name = "FILTER",
        default_value = "info"
    )]
    pub(super) log: String,
    /// Form of the log: lines for people, or a JSON object a line
    #[arg(
        long,
        env = "SVC_SIMULATOR_LOG_FORMAT",
        value_name = "FORMAT",
        value_enum,
        default_value = "human"
    )]
    pub(super) log_format: LogFormat,
    #[command(flatten)]
    pub(super) public: PublicUrlArgs,
    #[command(flatten)]
    pub(super) memory: MemoryArgs,
    #[command(flatten)]
    pub(super) shares: ShareArgs,
}

impl ServeArgs {
    /// When the scenario files are read again.
    pub(super) fn reload(&self) -> Reload {
        match (self.no_reload, self.scenario_poll) {
            (true, _) => Reload::Never,
            (false, Some(every)) => Reload::Polling(every),
            (false, None) => Reload::OnChange,
        }
    }

    /// Checks what no setting alone shows: a console that other machines can reach must have a token.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.memory.check()?;
        self.public.check()?;
        let has_token = match (&self.console_token, &self.console_token_file) {
            (Some(_), Some(_)) => {
                let both = "console_token and console_token_file are both given: keep one of them";
                return Err(Failure::Usage(both.to_owned()));
            }
            (token, file) => token.is_some() || file.is_some(),
        };
        match self.console.ip().is_loopback() || has_token {
            true => Ok(()),
            false => Err(Failure::Usage(format!(
                "the console at {} can be reached from other machines, and whoever reaches it \
                 rules the simulator: give --console-token-file FILE or --console-token TEXT, or \
                 leave it on 127.0.0.1",
                self.console
            ))),
        }
    }

    /// The console's token, wherever it stands.
    ///
    /// # Errors
    /// Where its file has none.
    pub(super) fn token(&self) -> Result<Option<ConsoleToken>, Failure> {
        match &self.console_token_file {
            Some(path) => Ok(ConsoleToken::new(&read_token(path)?)),
            None => Ok(self.console_token.clone()),
        }
    }
}

/// Every setting as a table in Markdown: its flag, variable, key of the file and default, and what it does.
#[must_use]
pub fn settings_markdown() -> String {
    let settings = ServeArgs::augment_args(Command::new("serve"));
    let row = |arg: &Arg| {
        let value = arg
            .get_value_names()
            .filter(|_| arg.get_action().takes_values());
        let value = value.map_or_else(String::new, |names| format!(" {}", names[0]));
        let variable = arg.get_env()?.to_string_lossy();
        let defaults = arg.get_default_values().iter();
        let default: Vec<_> = defaults
            .map(|it| format!("`{}`", it.to_string_lossy()))
            .collect();
        let does = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some(format!(
            "| `--{}{value}` | `{variable}` | `{}` | {} | {} |\n",
            arg.get_long()?,
            arg.get_id(),
            default.join(""),
            does.replace('|', "\\|"),
        ))
    };
    let rows: String = settings.get_arguments().filter_map(row).collect();
    format!("| flag | variable | in the file | default | does |\n|---|---|---|---|---|\n{rows}")
        .replace("|  |", "| |")
}

/// The file in the working directory, where there is one.
pub(super) fn read_file() -> Result<Option<Arc<Source>>, Failure> {
    match files::source(Path::new(FILE)) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A flag of one of these, given to the program, overrules what the file says of all of them.
const GROUPS: [&[&str]; 3] = [
    &["clock", "freeze_at", "time_scale"],
    &["no_reload", "scenario_poll"],
    &["console_token", "console_token_file"],
];

/// The command `serve` with what the file says as its defaults. `given` is what the program was given.
///
/// # Errors
/// Every mistake of the file, with its line.
pub(super) fn with_file(
    serve: Command,
    file: &Arc<Source>,
    given: &ArgMatches,
) -> Result<Command, Problems> {
    let is_given = |name: &&str| {
        let source = given.value_source(name);
        source.is_some_and(|source| source != ValueSource::DefaultValue)
    };
    let is_overruled = |name: &str| {
        let mut groups = GROUPS.iter().filter(|group| group.contains(&name));
        groups.any(|group| group.iter().any(&is_given))
    };
    let settings = ServeArgs::augment_args(Command::new("serve"))
        .no_binary_name(true)
        .mut_args(|arg| arg.env(None::<&'static str>));
    let (values, problems) = Table::of_source(file, |root| {
        check_clocks(root);
        // The file can't say that it is not read.
        let can_stand_there = |arg: &&Arg| arg.get_id() != NO_FILE;
        let read = |arg: &Arg| Some((arg.get_id().clone(), read_setting(root, &settings, arg)?));
        let settable = settings.get_arguments().filter(can_stand_there);
        settable.filter_map(read).collect()
    });
    let values: Vec<_> = problems.or(values)?;
    let values = values.into_iter();
    Ok(values
        .filter(|(name, _)| !is_overruled(name.as_str()))
        .fold(serve, |serve, (name, values)| {
            serve.mut_arg(name, |arg| arg.default_values(values))
        }))
}

/// Clocks that stand still have no pace.
fn check_clocks(root: &Table<'_>) {
    for name in ["clock", "time_scale"] {
        if let (Some(_), Some(other)) = (root.optional("freeze_at"), root.optional(name)) {
            other.problem(format!(
                "`{name}` is for clocks that run, `freeze_at` stops them"
            ));
        }
    }
}

/// The values of a setting as its flag would have them. The file calls it by the name of its field.
fn read_setting(root: &Table<'_>, settings: &Command, arg: &Arg) -> Option<Vec<String>> {
    let item = root.optional(arg.get_id().as_str())?;
    let read = |item: &Item<'_>| read_value(item, settings, arg);
    match arg.get_action() {
        ArgAction::SetTrue => Some(vec![item.bool()?.to_string()]),
        ArgAction::Append => Some(item.list()?.iter().filter_map(read).collect()),
        _ => Some(vec![read(&item)?]),
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;
    use crate::host::memory::MemoryLimits;
    use crate::host::shares::ShareLimits;
    use crate::http::edge::EdgeLimits;

    /// The settings of these flags and this file.
    fn settings(flags: &[&str], file: &str) -> Result<ServeArgs, String> {
        let serve = || {
            let serve = ServeArgs::augment_args(Command::new("serve")).no_binary_name(true);
            serve.mut_args(|arg| arg.env(None::<&'static str>))
        };
        let given = serve().try_get_matches_from(flags);
        let given = given.map_err(|error| error.to_string())?;
        let with_file = with_file(serve(), &Source::new(FILE, file), &given);
        let with_file = with_file.map_err(|problems| problems.to_string())?;
        let matches = with_file.try_get_matches_from(flags).unwrap();
        Ok(ServeArgs::from_arg_matches(&matches).unwrap())
    }

    #[test]
    fn flags_come_before_the_file_and_the_file_before_the_defaults() {
        let text = "sandbox = \"127.0.0.1:1\"\nlive = \"127.0.0.1:2\"\nseed = \"file\"\ndrain = \"2s\"\n\
                    scenarios = [\"a\", \"b\"]\ntrusted_proxies = [\"10.0.0.0/8\"]";
        let settings = settings(&["--live", "127.0.0.1:3", "--seed", "flag"], text).unwrap();
        assert_eq!(settings.console, ListenerAddresses::DEFAULT.console);
        assert_eq!(settings.sandbox.port(), 1);
        assert_eq!(settings.live.port(), 3);
        let (seed, log) = (settings.seed.as_deref(), settings.log.as_str());
        assert_eq!((seed, log), (Some("flag"), "info"));
        assert_eq!(settings.drain, Duration::from_secs(2));
        assert_eq!(settings.scenarios, [Path::new("a"), Path::new("b")]);
        assert_eq!(settings.trusted_proxies, ["10.0.0.0/8".parse().unwrap()]);
    }

    #[test]
    fn the_defaults_are_those_of_a_simulator() {
        let settings = settings(&[], "").unwrap();
        assert_eq!(settings.memory.limits(), MemoryLimits::DEFAULT);
        assert_eq!(settings.shares.limits(), ShareLimits::DEFAULT);
        assert_eq!(settings.drain, EdgeLimits::default().drain);
        let connections = EdgeLimits::default().connections;
        assert_eq!(settings.shares.connections(), connections);
    }

    #[test]
    fn a_flag_overrules_what_the_file_says_of_reading_again() {
        let reload = |flags: &[&str], text: &str| settings(flags, text).unwrap().reload();
        let two = Reload::Polling(Duration::from_secs(2));
        assert_eq!(reload(&[], ""), Reload::OnChange);
        assert_eq!(reload(&[], "scenario_poll = \"2s\""), two);
        assert_eq!(reload(&[], "no_reload = true"), Reload::Never);
        let never = reload(&["--no-reload"], "scenario_poll = \"2s\"");
        assert_eq!(never, Reload::Never);
        assert_eq!(reload(&["--scenario-poll=2s"], "no_reload = true"), two);
        assert!(settings(&[], "scenario_poll = 2").is_err());
    }

    #[test]
    fn a_flag_that_stops_the_clocks_overrules_a_file_that_lets_them_run() {
        let at = "2031-01-01T00:00:00Z";
        let text = format!("clock = \"{at}\"\ntime_scale = 60");
        let clocks = |flags: &[&str]| {
            let settings = settings(flags, &text).unwrap();
            (settings.clock, settings.time_scale, settings.freeze_at)
        };
        let instant = at.parse().ok();
        assert_eq!(clocks(&[]), (instant, 60, None));
        assert_eq!(clocks(&["--freeze-at", at]), (None, 1, instant));
    }

    #[test]
    fn a_file_can_not_both_stop_the_clocks_and_let_them_run() {
        let text = "freeze_at = \"2031-01-01T00:00:00Z\"\ntime_scale = 0";
        let mistakes = settings(&[], text).unwrap_err();
        for part in ["`freeze_at` stops them", "from 1 to 86400", "2 mistakes"] {
            assert!(mistakes.contains(part), "{part} is not in\n{mistakes}");
        }
    }

    #[test]
    fn a_number_where_a_text_is_wanted_is_shown_as_one() {
        for (text, wanted) in [
            ("latency = 0.1", "write latency = \"0.1\""),
            ("drain = 10", "write drain = \"10s\""),
            ("latency = true", "expected a string, found boolean"),
        ] {
            let mistakes = settings(&[], text).unwrap_err();
            assert!(mistakes.contains(wanted), "{mistakes}");
        }
    }

    #[test]
    fn a_file_can_not_say_that_it_is_not_read() {
        let mistakes = settings(&[], "no_settings_file = true").unwrap_err();
        assert!(mistakes.contains("`no_settings_file`"), "{mistakes}");
    }

    #[test]
    fn a_console_for_other_machines_needs_a_token() {
        for (console, token, starts) in [
            ("127.0.0.1:0", None, true),
            ("127.9.9.9:0", None, true),
            ("[::1]:0", None, true),
            ("0.0.0.0:0", None, false),
            ("0.0.0.0:0", Some("--console-token=sample-token"), true),
            ("[::]:0", None, false),
            ("192.0.2.7:0", None, false),
        ] {
            let flags: Vec<&str> = ["--console", console].into_iter().chain(token).collect();
            let checked = settings(&flags, "").unwrap().check();
            assert_eq!(checked.is_ok(), starts, "{console} {token:?}");
            if let Err(failure) = checked {
                assert!(failure.to_string().contains("--console-token"));
                assert_eq!(failure.exit_code(), crate::cli::EXIT_USAGE);
            }
        }
    }

    #[test]
    fn the_file_says_who_may_use_the_console_and_where_webhooks_may_go() {
        let text = "console_token = \"sample-token\"\nconsole_hosts = [\"console.example\"]\n\
                    webhook_targets = [\"10.0.0.0/8\", \"192.0.2.7\"]";
        let from_file = settings(&[], text).unwrap();
        assert_eq!(from_file.console_token, ConsoleToken::new("sample-token"));
        assert_eq!(from_file.console_hosts, ["console.example"]);
        let targets = ["10.0.0.0/8", "192.0.2.7/32"].map(|net| net.parse().unwrap());
        assert_eq!(from_file.webhook_targets, targets);
        assert!(!format!("{from_file:?}").contains("sample-token"));
        assert!(settings(&[], "console_token = \"\"").is_err());
        let both = format!("{text}\nconsole_token_file = \"a\"");
        assert!(settings(&[], &both).unwrap().check().is_err());
        let flag = settings(&["--console-token-file", "b"], text).unwrap();
        assert_eq!(flag.console_token, None);
        assert_eq!(flag.console_token_file.as_deref(), Some(Path::new("b")));
    }

    #[test]
    fn all_mistakes_of_the_file_are_reported_with_their_lines() {
        let text = "sandbx = \"127.0.0.1:1\"\nlive = \"8802\"\ndrain = 5\n";
        let mistakes = settings(&[], text).unwrap_err();
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
